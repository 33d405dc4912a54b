"""Programs that fork, and programs that end: nobody touches what belongs to another process."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import redis

from tests.support.puppets import Program
from tests.support.servers import Server
from tests.support.waiting import wait_until

#: Blocking calls in either flavour, for programs that are given as text.
BOTH = """
    import asyncio, json, os, sys
    from limpet import AsyncLimpet, Limpet

    url, flavour = sys.argv[1:]
    OPTIONS = {"heartbeat": 0.1, "lease": 60}

    class Plain:
        "One client, its loop if it has one, and calls that wait for their answer."
        def __init__(self):
            self.limpet = {"sync": Limpet, "async": AsyncLimpet}[flavour](url, **OPTIONS)
            self.loop = None if flavour == "sync" else asyncio.new_event_loop()
        def __call__(self, name, *args, **kwargs):
            own = name in {"start_work", "stop_work", "close"}
            target = self.limpet if own else self.limpet.queue("q")
            answer = getattr(target, name)(*args, **kwargs)
            return answer if self.loop is None else self.loop.run_until_complete(answer)

    def tell(**facts):
        print(json.dumps(facts), flush=True)

    call = Plain()
"""

CHILD = (
    BOTH
    + """
    call("push_many", [b"a", b"b", b"c"])
    (mine,) = call("pop")
    tell(worker=call.limpet.worker, lanes=[n.name for n in call.limpet.link._lanes._free])
    if os.fork() == 0:
        if call.loop is not None:
            call.loop = asyncio.new_event_loop()
        inherited = call.limpet.worker
        call("stop_work", "q")
        (theirs,) = call("pop")
        tell(
            inherited=inherited, worker=call.limpet.worker, payload=theirs.payload.decode(),
            lanes=[n.name for n in call.limpet.link._lanes._free],
        )
        call("ack", theirs)
        call("close")
        if call.loop is not None:
            call.loop.close()
        sys.exit(0)
    _, code = os.wait()
    (other,) = call("pop")
    tell(code=code, worker=call.limpet.worker, acked=len(call("ack", mine, other)))
    call("close")
    if call.loop is not None:
        call.loop.close()
"""
)


@pytest.fixture
def watch(connect: Callable[..., Any]) -> Any:
    """The queue as seen from here."""
    return connect(heartbeat=1000, lease=10_000).queue("q")


def test_a_forked_child_shares_nothing_with_its_parent(
    server: Server, flavour: str, watch: Any
) -> None:
    """Neither worker nor senders nor connections; what the child ends or closes is its own."""
    with Program(CHILD, server.url, flavour) as program:
        parent, child, after = (json.loads(program.hear()) for _ in range(3))
        ended = program.end()

    assert ended == (0, "")
    assert (child["inherited"], child["payload"], after["code"]) == (None, "b", 0)
    assert child["worker"] != parent["worker"] == after["worker"]
    assert not {*child["lanes"]} & {*parent["lanes"]}
    assert after["acked"] == 2
    stats = watch.stats()
    assert (stats.completed, stats.pending, stats.recovered, stats.workers) == (3, 0, 0, 0)


MANY_CHILDREN = (
    BOTH
    + """
    call("push_many", [b"%d" % n for n in range(100)])
    (mine,) = call("pop")
    children = []
    for _ in range(10):
        child = os.fork()
        if child == 0:
            if call.loop is not None:
                call.loop = asyncio.new_event_loop()
            for _ in range(5):
                call("ack", *call("pop"))
            call("close")
            os._exit(0)
        children.append(child)
        call("ack", *call("pop"))
    codes = [os.waitpid(child, 0)[1] for child in children]
    tell(codes=codes, acked=len(call("ack", mine)))
    call("close")
    if call.loop is not None:
        call.loop.close()
"""
)


def test_parent_and_children_work_side_by_side(server: Server, flavour: str, watch: Any) -> None:
    """Forked while heartbeats are under way: every job is done once, by whoever took it."""
    with Program(MANY_CHILDREN, server.url, flavour) as program:
        facts = json.loads(program.hear(within=40))
        ended = program.end()

    assert ended == (0, "")
    assert facts == {"codes": [0] * 10, "acked": 1}
    stats = watch.stats()
    assert (stats.completed, stats.waiting, stats.running) == (61, 39, 0)
    assert (stats.recovered, stats.workers) == (0, 0)


FORGETFUL = (
    BOTH
    + """
    call("push", b"a")
    (job,) = call("pop")
    tell(job=job.id)
    input()
    if call.loop is not None:
        call.loop.run_until_complete(call.limpet.link.close())
        call.loop.close()
"""
)


def test_a_program_that_just_ends_gives_back_what_it_holds(
    server: Server, flavour: str, watch: Any
) -> None:
    """It never closed its client; its job is back in its place at once and nobody has died."""
    with Program(FORGETFUL, server.url, flavour) as program:
        job = json.loads(program.hear())["job"]
        program.tell()
        ended = program.end()

    assert ended == (0, "")
    assert [(view.id, view.crashes) for view in watch.inspect()] == [(job, 0)]
    assert watch.stats().workers == 0


def test_a_program_whose_server_is_gone_ends_soon(flavour: str) -> None:
    """It says on its error channel that it could not say goodbye, and ends."""
    server = Server().start()
    try:
        with Program(FORGETFUL, server.url, flavour) as program:
            program.hear()
            server.kill()
            program.tell()
            code, errors = program.end(within=10)
    finally:
        server.remove()

    assert code == 0
    assert "could not say goodbye" in errors
    assert "Traceback" not in errors


KILLED = (
    BOTH
    + """
    call("push", b"a")
    tell(job=call("pop")[0].id)
    raise SystemExit(call("pop", wait=60) and 1)
"""
)


def test_a_program_that_is_told_to_end_ends(
    server: Server, plain: redis.Redis, flavour: str
) -> None:
    """SIGTERM in the middle of a wait is the end, at once; the lease does the rest."""
    with Program(KILLED, server.url, flavour) as program:
        program.hear()
        wait_until(lambda: plain.info("clients")["blocked_clients"] == 1)
        program.process.terminate()

        assert program.process.wait(10) == -15


TWO_LOOPS = """
    import asyncio, gc, sys
    from limpet import AsyncLimpet

    limpet = AsyncLimpet(sys.argv[1])

    async def use(number):
        queue = limpet.queue("q")
        await queue.push(b"%d" % number)
        done = await queue.ack(*await queue.pop())
        await limpet.close()
        return len(done)

    print([asyncio.run(use(n)) + len(gc.garbage) for n in range(20)], flush=True)
"""


def test_a_client_goes_from_one_event_loop_to_the_next(server: Server, plain: redis.Redis) -> None:
    """A new loop may live at the address of the one before; nothing of that one is used."""
    with Program(TWO_LOOPS, server.url) as program:
        assert program.hear() == str([1] * 20)
        assert program.end() == (0, "")
