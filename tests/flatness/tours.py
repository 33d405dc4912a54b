"""All everyday operations, one after the other, on whatever backlog there is."""

from limpet.commands import finish, manage, push, schedules, take, workers
from limpet.commands.push import NewJob
from limpet.commands.schedules import Row, Spec
from limpet.commands.take import Taker
from limpet.tasks.cron import Timing
from tests.flatness.counting import KEYS, Bench

TAKER = Taker("bench", "plain", 3)


def producing(bench: Bench) -> None:
    """Push plain, many, unique (new, kept, replaced), for later, to the front, with an own id."""
    plain = NewJob(b"payload")
    unique = NewJob(b"payload", unique=b"=u", mode="waiting")
    bench.count("push", push.push_any(KEYS, [plain]))
    bench.count("push 100", push.push_any(KEYS, [plain] * 100))
    bench.count("push unique", push.push_any(KEYS, [unique]))
    bench.count("push unique, kept", push.push_any(KEYS, [unique]))
    replacing = NewJob(b"newer", unique=b"=u", mode="waiting", twin="replace")
    bench.count("push unique, replaced", push.push_any(KEYS, [replacing]))
    bench.count("push for later", push.push_any(KEYS, [NewJob(b"payload", delay_ms=10**8)]))
    bench.count("push to the front", push.push_any(KEYS, [NewJob(b"payload", front=True)]))
    bench.count("push with own id", push.push_any(KEYS, [NewJob(b"payload", id="mine")]))
    bench.count("push own id again", push.push_any(KEYS, [NewJob(b"payload", id="mine")]))


def consuming(bench: Bench) -> None:
    """Take and end jobs in every way; the first batches are plain, then some are not."""
    (one,) = bench.count("pop", take.pop(KEYS, TAKER, 1)).deliveries
    many = bench.count("pop 100", take.pop(KEYS, TAKER, 100)).deliveries
    bench.count("ack", finish.ack(KEYS, [one.receipt]))
    bench.count("ack 100", finish.ack(KEYS, [d.receipt for d in many]))
    batch = bench.pop(100)
    fused = take.ack_and_pop(KEYS, TAKER, batch, 100)
    batch = [d.receipt for d in bench.count("ack_and_pop 100", fused).deliveries]
    bench.count("renew 100", workers.renew(KEYS, "bench", batch))
    bench.count("release", finish.release(KEYS, [batch.pop()], None))
    bench.count("release for later", finish.release(KEYS, [batch.pop()], 10**8))
    bench.count("fail", finish.fail(KEYS, batch.pop(), b"no", 1000))
    bench.count("retry", finish.retry(KEYS, batch.pop(), 10**8, b"no"))
    bench.count("cancel a running job", manage.cancel(KEYS, [batch[0].id], None))
    bench.count("ack of a cancelled job", finish.ack(KEYS, [batch[0]]))
    bench.count("stale ack", finish.ack(KEYS, [batch[0]]))
    bench.count("release 90", finish.release(KEYS, batch[1:91], None))
    bench.count("pop of returned jobs", take.pop(KEYS, TAKER, 50))


def locking(bench: Bench) -> None:
    """Park jobs behind a lock, and call them back one by one."""
    jobs = [NewJob(b"payload", lock=b"door", front=True) for _ in range(5)]
    bench.count("push with lock", push.push_any(KEYS, jobs))
    (holder,) = bench.count("pop with lock", take.pop(KEYS, TAKER, 1)).deliveries
    bench.count("park", take.pop(KEYS, TAKER, 3))
    bench.count("unpark", finish.ack(KEYS, [holder.receipt]))
    bench.count("pop of an unparked job", take.pop(KEYS, TAKER, 1))


def keeping(bench: Bench, middle: str) -> None:
    """Cancel from the middle of the line, beat, keep house, look, declare dead."""
    bench.count("cancel a waiting job", manage.cancel(KEYS, [middle], None))
    bench.count("beat", workers.beat([KEYS], "bench"))
    bench.count("tend", workers.tend(KEYS, 3, 1000))
    bench.count("claim", take.claim(KEYS, TAKER, 0))
    bench.count("fail_worker", workers.fail_worker(KEYS, "bench"))


def planning(bench: Bench) -> None:
    """Write schedules, list them, fire one, remove it."""
    spec = Spec(Timing(every_ms=1000), b"tick")
    for number in range(20):
        bench.send(schedules.schedule(KEYS, f"later {number}", spec, 10**13))
    bench.count("schedule", schedules.schedule(KEYS, "tick", spec, 1))
    bench.count("schedule again", schedules.schedule(KEYS, "tick", spec, 1))
    bench.count("schedules", schedules.schedules(KEYS, count=9))
    bench.count("schedules that are due", schedules.schedules(KEYS, due=True, count=9))
    row = Row("tick", spec.write(), 1, "")
    bench.count("fire", schedules.fire(KEYS, row, next_ms=2, pushes=1))
    bench.count("fire late", schedules.fire(KEYS, row, next_ms=2, pushes=1))
    row = Row("tick", spec.write(), 2, "")
    bench.count("fire while it runs", schedules.fire(KEYS, row, next_ms=3, pushes=1))
    bench.count("unschedule", schedules.unschedule(KEYS, "tick"))


def tour(bench: Bench, *, waiting: int, running: int = 0, step: int = 10) -> None:
    """Build a backlog, then do everything once."""
    ids = bench.push(waiting + running)
    bench.pop(running, step, worker="other")
    producing(bench)
    consuming(bench)
    locking(bench)
    planning(bench)
    keeping(bench, ids[running + waiting // 2])
