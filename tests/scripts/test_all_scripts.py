"""What must hold for every script, whatever it does."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import redis

import limpet.commands
from limpet.commands import (
    audit,
    explain,
    finish,
    look,
    manage,
    notes,
    push,
    schedules,
    take,
    workers,
)
from limpet.commands.base import Command
from limpet.commands.push import NewJob
from limpet.commands.take import Taker
from limpet.keys import KEY_TYPES
from limpet.options import WorkerOptions
from limpet.scripts import all_scripts, script
from limpet.states import State
from tests.scripts.helpers import HOUR, NOW, World, changes
from tests.scripts.scenes import ROW, SPEC, Scene, full

Sample = Callable[[World, Scene], Command[object]]
TAKER = Taker("w1", "none", 3)
LIST = "limpet:{q}:old"

#: One call of each script that finds something to do in the full queue.
SAMPLES: dict[str, Sample] = {
    "abandon": lambda w, s: workers.abandon(w.keys),
    "ack": lambda w, s: finish.ack(w.keys, [s.running["holder"].receipt]),
    "ack_and_pop": lambda w, s: take.ack_and_pop(w.keys, TAKER, [s.running["single"].receipt], 2),
    "adopt": lambda w, s: push.adopt(w.keys, LIST, [NewJob(b"x", unique=b"=x", mode="waiting")]),
    "beat": lambda w, s: workers.beat([w.keys], "w1"),
    "cancel": lambda w, s: manage.cancel(w.keys, [s["waiting"], s["parked"], s["tried"]], None),
    "complete": lambda w, s: finish.complete(w.keys, s.running["single"].receipt, b"7"),
    "claim": lambda w, s: take.claim(w.keys, TAKER, 0, tended=True),
    "crew": lambda w, s: workers.crew(w.keys),
    "drop": lambda w, s: manage.drop(w.keys),
    "explain": lambda w, s: explain.explain(w.keys, s["parked"]),
    "fail": lambda w, s: finish.fail(w.keys, s.running["tried"].receipt, b"no", 1),
    "fail_worker": lambda w, s: workers.fail_worker(w.keys, "w1"),
    "failures": lambda w, s: look.failures(w.keys, 0, 9),
    "find": lambda w, s: look.find(w.keys, "0", b"waiting"),
    "fire": lambda w, s: schedules.fire(w.keys, ROW, next_ms=NOW + 1000, pushes=2),
    "glimpse": lambda w, s: push.glimpse(w.keys, LIST, 9),
    "holds": lambda w, s: workers.holds(w.keys, "w1", 0, ""),
    "inspect": lambda w, s: look.inspect(w.keys, State.WAITING, 0, 9),
    "job": lambda w, s: look.job(w.keys, s["holder"]),
    "log": lambda w, s: notes.log(w.keys, s.running["single"].receipt, "half"),
    "notes": lambda w, s: notes.notes(w.keys, s["third"]),
    "once": lambda w, s: notes.once(w.keys, s.running["single"].receipt, "paid"),
    "progress": lambda w, s: notes.progress(w.keys, s.running["single"].receipt, 0.5, "half"),
    "locks": lambda w, s: look.locks(w.keys, 0, 9),
    "pause": lambda w, s: manage.pause(w.keys),
    "pop": lambda w, s: take.pop(w.keys, TAKER, 9, tended=True),
    "purge": lambda w, s: manage.purge(w.keys, [], 9),
    "push": lambda w, s: push.push(w.keys, [NewJob(b"x", id="x" if "own" in s.ids else None)]),
    "push_plain": lambda w, s: push.push_plain(w.keys, [b"x", b"y"]),
    "recover": lambda w, s: take.recover(w.keys, "w1", 9, 0),
    "release": lambda w, s: finish.release(w.keys, [s.running["holder"].receipt], None),
    "renew": lambda w, s: workers.renew(w.keys, "w1", [s.running["third"].receipt]),
    "repair": lambda w, s: audit.repair(w.keys, "jobs"),
    "result": lambda w, s: notes.result(w.keys, "no-such-job"),
    "strand": lambda w, s: finish.strand(w.keys, s.running["single"].receipt, "odd"),
    "stranded": lambda w, s: notes.stranded(w.keys),
    "resume": lambda w, s: take.resume(w.keys, "w1", s.running["tried"].receipt, 0),
    "retry": lambda w, s: finish.retry(w.keys, s.running["holder"].receipt, 5, b"no"),
    "revive": lambda w, s: manage.revive(w.keys, [], 9),
    "schedule": lambda w, s: schedules.schedule(w.keys, "tock", SPEC, NOW),
    "schedules": lambda w, s: schedules.schedules(w.keys, count=9),
    "start_work": lambda w, s: workers.start_work(w.keys, "new", WorkerOptions(), "h", 1),
    "stats": lambda w, s: look.stats(w.keys),
    "stop_work": lambda w, s: workers.stop_work(w.keys, "w1"),
    "tend": lambda w, s: workers.tend(w.keys, 3, 10),
    "unpause": lambda w, s: manage.unpause(w.keys),
    "unschedule": lambda w, s: schedules.unschedule(w.keys, "tick"),
    "verify": lambda w, s: audit.verify(w.keys, "jobs"),
}
READING = [n for n in SAMPLES if "no-writes" in script(n).text.splitlines()[0]]
NUMBERED = [n for n in SAMPLES if "lane" in script(n).args]
GROWING = {"adopt", "fire", "push", "push_plain", "revive", "schedule"}


def plain(world: World) -> Scene:
    """A queue of plain jobs only, some running, under the names the samples ask for."""
    scene = Scene()
    world.start()
    names = ("holder", "single", "tried", "third", "waiting", "parked")
    scene.ids = dict(zip(names, world.push(*[name.encode() for name in names]), strict=True))
    scene.running = dict(zip(names, world.pop(4), strict=False))
    return scene


#: The two queues to try things on: in one of them the short paths for plain jobs are taken.
SCENES: dict[str, Callable[[World], Scene]] = {"full": full, "plain": plain}


@pytest.fixture(params=SCENES)
def setting(request: pytest.FixtureRequest) -> Callable[[World], Scene]:
    """Set the scene, with a plain list beside the queue."""

    def make(world: World) -> Scene:
        world.store.flushall()
        made = SCENES[request.param](world)
        world.store.rpush(LIST, "x", "x")
        return made

    return make


@pytest.fixture
def scene(world: World, setting: Callable[[World], Scene]) -> Scene:
    """Either queue, ready."""
    return setting(world)


def test_every_script_has_a_sample() -> None:
    """A new script is held against the rules below."""
    assert sorted(SAMPLES) == list(all_scripts())


def calls(tree: ast.AST) -> Iterator[str]:
    """Find the names of scripts that a piece of code asks for."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="command" | "script"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name


def test_every_script_is_used_by_exactly_one_command() -> None:
    """And every function that makes a command is named after its script."""
    used: Counter[str] = Counter()
    for path in Path(limpet.commands.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            names = list(calls(node)) if isinstance(node, ast.FunctionDef) else []
            assert set(names) <= {getattr(node, "name", "")}
            used.update(set(names))

    assert used == dict.fromkeys(all_scripts(), 1)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_key_of_another_type_is_refused_before_anything_is_written(
    world: World, setting: Callable[[World], Scene], name: str
) -> None:
    """Whichever of its keys it is: it is not needed, or WRONGTYPE is said and all is as before."""
    torn = {}
    for nth, _ in enumerate(script(name).keys):
        made = SAMPLES[name](world, setting(world))
        key = made.keys[nth]
        world.store.delete(key)
        if KEY_TYPES.get(key.rpartition(":")[2]) == "string":
            world.store.rpush(key, "in the way")
        else:
            world.store.set(key, "in the way")
        before = world.snapshot()

        said = ""
        try:
            world.send(made, lane="lane", at=NOW + 1)
        except redis.ResponseError as error:
            said = str(error)
        changed = changes(before, world.snapshot())
        assert not said or "WRONGTYPE" in said
        torn |= {key: list(changed)} if said and changed else {}

    assert torn == {}


@pytest.mark.parametrize("name", NUMBERED)
def test_sent_twice_is_done_once(world: World, scene: Scene, name: str) -> None:
    """The second time it is answered as the first time, however late, and nothing changes."""
    made = SAMPLES[name](world, scene)
    world.store.hset(world.keys["sessions"], "lane", f"3 {NOW} []")
    world.store.rpush(world.keys["lanes"], "lane")
    first, done = world.step(made, lane="lane", seq=4)

    again, changed = world.step(made, lane="lane", seq=4, at=NOW + HOUR)

    assert done.keys() >= {"sessions"}
    assert again == first
    assert changed == {}


@pytest.mark.parametrize("name", NUMBERED)
def test_a_late_copy_of_an_earlier_request_does_nothing(
    world: World, scene: Scene, name: str
) -> None:
    """Its sender has had the answer to a later one."""
    made = SAMPLES[name](world, scene)
    world.store.hset(world.keys["sessions"], "lane", f"5 {NOW} []")

    reply, changed = world.step(made, lane="lane", seq=4)

    assert reply == ([b"abandoned", 0] if name == "abandon" else [b"superseded"])
    assert changed == {}


@pytest.mark.parametrize("name", READING)
def test_whoever_looks_changes_nothing(world: World, scene: Scene, name: str) -> None:
    """Such a script may also be called on a replica."""
    made = SAMPLES[name](world, scene)

    _, changed = world.step(made, at=NOW + HOUR)
    args = [{"at": ""}.get(arg) for arg in made.envelope]
    reply = world.store.eval_ro(made.script.text, len(made.keys), *made.keys, *args, *made.args)

    assert changed == {}
    assert made.read(reply) is not None


@pytest.mark.parametrize("name", SAMPLES)
def test_a_server_that_forgot_its_scripts_learns_them_again(
    world: World, scene: Scene, name: str
) -> None:
    """By the digest that was computed here."""
    world.store.script_flush()

    world.send(SAMPLES[name](world, scene))

    assert world.store.script_exists(script(name).sha) == [True]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_full_server_refuses_new_jobs_and_lets_all_else_go_on(
    world: World, scene: Scene, name: str
) -> None:
    """What adds jobs is refused before it begins; what drains the queue is not."""
    made = SAMPLES[name](world, scene)
    before = world.snapshot()
    world.store.config_set("maxmemory", 1)
    try:
        if name in GROWING:
            with pytest.raises(redis.exceptions.OutOfMemoryError):
                world.send(made)
            assert world.snapshot() == before
        else:
            world.send(made)
    finally:
        world.store.config_set("maxmemory", 0)


def test_these_tests_would_see_a_key_that_is_not_declared(world: World) -> None:
    """All calls are made by a user who may touch no other key than those declared."""
    made = manage.pause(world.keys)
    text = made.script.text.replace('"SET", paused', '"SET", "limpet:{q}:jobs"')
    sneaky = Command(
        replace(made.script, name="sneaky", text=text, sha="0" * 40),
        made.keys,
        made.args,
        made.read,
        made.queue,
    )

    with pytest.raises(redis.ResponseError, match=r"No permissions|can't access"):
        world.send(sneaky)

    assert world.snapshot() == {}
