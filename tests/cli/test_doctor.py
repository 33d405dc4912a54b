"""`limpet doctor`: on real servers for what they tell, on made-up facts for what they seldom do."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet.cli.checks import Finding, examine
from limpet.cli.facts import Facts
from tests.cli.conftest import Done, Run
from tests.support.servers import Server, free_port
from tests.support.waiting import wait_until

Start = Callable[..., Server]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start servers with options; all are removed at the end."""
    started: list[Server] = []

    def make(*options: str, tcp: bool = False) -> Server:
        started.append(Server(*options, tcp=tcp).start())
        return started[-1]

    yield make
    for server in started:
        server.remove()


def grades(done: Done) -> dict[str, str]:
    """Read the grade of each check out of the JSON."""
    return {check["check"]: check["grade"] for check in json.loads(done.stdout)["checks"]}


def test_a_fit_server_is_fine(run: Run, start: Start) -> None:
    """Every check is ok and the code is 0; server and source are named."""
    url = start("--appendonly", "yes").url

    done = run("doctor", "--url", url)

    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert {line.split()[0] for line in lines} == {"ok"}
    assert lines[0].endswith(f"{url}, named by the url option")
    assert "valkey" in lines[1]


def test_the_embedded_engine_is_fit(run: Run) -> None:
    """The server limpet runs itself passes its own checks."""
    done = run("doctor", "--json")

    assert done.returncode == 0
    assert set(grades(done).values()) == {"ok"}


def test_a_server_that_forgets_gets_a_warning(run: Run, start: Start) -> None:
    """Without persistence there is a remedy, but a warning alone is code 0."""
    done = run("doctor", LIMPET_URL=start().url)

    assert done.returncode == 0
    assert "warning  persistence  none: a restart loses all jobs" in done.stdout
    assert "-> set appendonly yes" in done.stdout


def test_a_server_that_deletes_jobs_is_wrong(run: Run, start: Start) -> None:
    """An evicting policy with a limit is code 1, with the remedy; without one a warning."""
    limited = start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru").url
    endless = start("--maxmemory-policy", "allkeys-random").url

    wrong, warned = run("doctor", "--url", limited), run("doctor", "--json", "--url", endless)

    assert wrong.returncode == 1
    assert "-> set maxmemory-policy noeviction" in wrong.stdout
    assert (warned.returncode, grades(warned)["eviction"]) == (0, "warning")


def test_a_replica_is_wrong(run: Run, start: Start) -> None:
    """A read-only replica is refused, and its primary is named."""
    primary = start(tcp=True)
    replica = start("--replicaof", f"127.0.0.1 {primary.port}")
    with replica.client() as client:
        wait_until(lambda: client.info("replication")["role"] == "slave")

    done = run("doctor", "--url", replica.url)

    assert done.returncode == 1
    assert f"-> name its primary, 127.0.0.1:{primary.port}" in done.stdout


def test_a_full_server_is_wrong(run: Run, start: Start) -> None:
    """No memory left is code 1, for pushes are refused."""
    done = run("doctor", "--json", "--url", start("--maxmemory", "100kb").url)

    assert (done.returncode, grades(done)["memory"]) == (1, "wrong")


def test_a_user_without_scripts_is_wrong(run: Run, start: Start) -> None:
    """Who may not run scripts cannot use a queue; who may not see settings still can."""
    server = start(tcp=True)
    with server.client() as client:
        client.execute_command("ACL SETUSER mute on nopass ~* +@all -@scripting")
        client.execute_command("ACL SETUSER shy on nopass ~* +@all -config")
    address = f"127.0.0.1:{server.port}"

    mute = run("doctor", "--json", "--url", f"redis://mute:x@{address}")
    shy = run("doctor", "--json", "--url", f"redis://shy:x@{address}")

    assert (mute.returncode, grades(mute)["scripts"]) == (1, "wrong")
    assert (shy.returncode, grades(shy)["scripts"]) == (0, "ok")


def test_every_primary_of_a_cluster_is_checked(run: Run, start: Start) -> None:
    """On a cluster the findings name the node they are about."""
    nodes = [
        start("--cluster-enabled", "yes", "--cluster-port", str(port), tcp=True)
        for port in (free_port(), free_port())
    ]
    for node, slots in zip(nodes, ("0 8191", "8192 16383"), strict=True):
        with node.client() as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", *slots.split())
            bus = nodes[0].options[3]
            client.execute_command("CLUSTER MEET", "127.0.0.1", str(nodes[0].port), bus)
    wait_until(lambda: all(is_whole(node) for node in nodes), within=20)

    done = run("doctor", "--json", "--url", f"redis+cluster://127.0.0.1:{nodes[0].port}")

    found = json.loads(done.stdout)["checks"]
    assert {check["node"] for check in found if check["check"] == "role"} == {
        f"127.0.0.1:{node.port}" for node in nodes
    }


def is_whole(node: Server) -> bool:
    """Tell whether a node of a cluster knows an owner for every slot."""
    with node.client() as client:
        return "cluster_state:ok" in str(client.execute_command("CLUSTER", "INFO"))


def test_out_of_reach_is_code_69(run: Run) -> None:
    """A server that is not there is told in one line."""
    done = run("doctor", "--url", f"redis://127.0.0.1:{free_port()}")

    assert (done.returncode, done.stdout) == (69, "")
    assert done.stderr.count("\n") == 1


def finding(check: str, **info: Any) -> Finding:
    """Run all checks on made-up facts and give one finding."""
    (found,) = [f for f in examine([Facts(info=info)]) if f.check == check]
    return found


@pytest.mark.parametrize(
    ("told", "grade"),
    [
        ({"redis_version": "7.0.15"}, "ok"),
        ({"redis_version": "6.2.14"}, "wrong"),
        ({"redis_version": "7.2.4", "valkey_version": "7.2.9"}, "ok"),
        ({"redis_version": "7.2.4", "valkey_version": "7.1.0"}, "wrong"),
        ({"redis_version": "7.4.0", "dragonfly_version": "df-1.30"}, "warning"),
        ({}, "warning"),
    ],
)
def test_the_version_is_held_against_the_floor(told: dict[str, str], grade: str) -> None:
    """Too old is wrong, unknown is a warning; Valkey is judged by its own number."""
    assert finding("version", **told).grade == grade


@pytest.mark.parametrize(
    ("told", "grade"),
    [
        ({"aof_enabled": 1}, "ok"),
        ({"aof_enabled": 1, "aof_last_write_status": "err"}, "wrong"),
        ({"aof_enabled": 0, "rdb_last_bgsave_status": "err"}, "wrong"),
        ({"aof_enabled": 0}, "warning"),
    ],
)
def test_persistence_that_fails_is_wrong(told: dict[str, Any], grade: str) -> None:
    """A server that cannot write its disk may refuse pushes."""
    assert finding("persistence", **told).grade == grade


def test_snapshots_alone_get_a_warning() -> None:
    """The rule of the snapshots is shown with what a restart would lose."""
    (found,) = [f for f in examine([Facts(snapshots="3600 1")]) if f.check == "persistence"]

    assert found.grade == "warning"
    assert "3600 1" in found.found


@pytest.mark.parametrize(
    ("used", "limit", "system", "grade"),
    [
        (50, 100, 0, "ok"),
        (95, 100, 0, "warning"),
        (100, 100, 0, "wrong"),
        (95, 0, 100, "warning"),
        (95, 0, 0, "ok"),
    ],
)
def test_head_room_is_judged(used: int, limit: int, system: int, grade: str) -> None:
    """The limit counts, and without one the memory of the machine."""
    told = {"used_memory": used, "maxmemory": limit, "total_system_memory": system}

    assert finding("memory", **told).grade == grade


def test_policies_that_spare_lasting_keys_are_fine(plain: redis.Redis) -> None:
    """No job is in a key with a time to live, so the volatile policies take none."""
    assert finding("eviction", maxmemory_policy="volatile-lru", maxmemory=1).grade == "ok"
