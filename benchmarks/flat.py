"""Is the cost flat? Server time per call on a small and on a big queue, side by side.

    python benchmarks/flat.py [--waiting 1000000] [--running 100000] [--rounds 30] [--server PATH]

Starts a server of its own on a Unix socket and stops it at the end. Small and big queues take turns
in every round, so that noise of the machine hits both; read the ratios, not the microseconds. The
last table compares with bare lists, which keep nothing: no ids, no leases, no receipts.
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import redis

from limpet.commands import finish, manage, push, take, workers
from limpet.commands.base import Command
from limpet.commands.push import NewJob
from limpet.commands.take import Taken, Taker
from limpet.connection.target import resolve
from limpet.engine.find import choose
from limpet.keys import queue_keys
from limpet.link.sync import Link
from limpet.options import WorkerOptions
from limpet.values import Receipt

PAYLOAD = b"x" * 100
BATCH = 100
#: Jobs of one call that fills a queue.
CALL = 1000
#: How often an operation is done between two looks at the server's clock.
TURNS = 10
SCRIPTS = ("cmdstat_evalsha", "cmdstat_eval")


@contextmanager
def server(binary: str | None) -> Iterator[redis.Redis]:
    """Run a server for as long as the benchmark lasts."""
    folder = Path(tempfile.mkdtemp(prefix="limpet-bench-"))
    socket = folder / "s.sock"
    command = [binary or str(choose(None).path), "--port", "0", "--unixsocket", str(socket)]
    process = subprocess.Popen(
        [*command, "--save", "", "--dir", str(folder)], stdout=subprocess.DEVNULL
    )
    try:
        client = redis.Redis(unix_socket_path=str(socket), protocol=2)
        while not socket.exists():
            time.sleep(0.01)
        yield client
        client.close()
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


class Bench:
    """One queue with a worker that has no heartbeat, and the server time each operation took."""

    def __init__(self, link: Link, plain: redis.Redis, name: str) -> None:
        """Register the worker."""
        self.keys, self.link, self.plain = queue_keys(name), link, plain
        self.taker = Taker("bench", "plain", 3)
        self.times: dict[str, list[float]] = defaultdict(list)
        for worker in ("bench", "holder"):
            options = WorkerOptions(heartbeat=1000, lease=100_000)
            link.send(workers.start_work(self.keys, worker, options, "here", 1))

    def fill(self, waiting: int, running: int) -> None:
        """Build the backlog; what runs is held by another worker, ten jobs a hand-out."""
        for first in range(0, waiting + running, CALL):
            size = min(CALL, waiting + running - first)
            made: Command[Any] = push.push_any(self.keys, [PAYLOAD] * size)
            self.link.send(replace(made, read=len))  # nobody wants to know the ids
        for _ in range(running // 10):
            self.link.send(take.pop(self.keys, Taker("holder", "plain", 3), 10))

    def time(self, name: str, commands: Iterable[Command[Any]]) -> list[Any]:
        """Send commands; note the microseconds the server spent in the script of each."""
        ready = list(commands)
        before = self._usec()
        answers = [self.link.send(command) for command in ready]
        self.times[name].append((self._usec() - before) / len(ready))
        return answers

    def forget_the_first(self) -> None:
        """Drop the first measurement of each operation."""
        for times in self.times.values():
            del times[0]

    def _usec(self) -> float:
        stats: dict[str, Any] = self.plain.info("commandstats")
        return float(sum(stats[name]["usec"] for name in SCRIPTS if name in stats))

    def plain_round(self) -> None:
        """Push, take and end plain jobs; the queue is afterwards as it was before."""
        keys, one, many = self.keys, [NewJob(PAYLOAD)], [NewJob(PAYLOAD)] * BATCH
        pop_one = take.pop(keys, self.taker, 1)
        pop_many = take.pop(keys, self.taker, BATCH)
        self.time("push 1", [push.push_any(keys, one)] * TURNS)
        self.time("ack 1", [self._ack(t) for t in self.time("pop 1", [pop_one] * TURNS)])
        self.time("push 100", [push.push_any(keys, many)] * TURNS)
        self.time("ack 100", [self._ack(t) for t in self.time("pop 100", [pop_many] * TURNS)])
        self.time("push 100", [push.push_any(keys, many)] * 2 * TURNS)
        taken = [self.link.send(pop_many) for _ in range(TURNS)]
        fused = [take.ack_and_pop(keys, self.taker, receipts(t), BATCH) for t in taken]
        for new in self.time("ack_and_pop 100", fused):
            self.link.send(self._ack(new))
        self.time("beat", [workers.beat([keys], "bench")] * TURNS)
        self.time("tend", [workers.tend(keys, 3, 1000)] * TURNS)

    def special_round(self) -> None:
        """Do what only some jobs need; the queue is afterwards as it was before."""
        keys, pop_one = self.keys, take.pop(self.keys, self.taker, 1)
        added = self.link.send(push.push_any(keys, [NewJob(PAYLOAD)] * (4 * TURNS))).pushed
        held = self._hold(TURNS)
        self.time("release 1", [finish.release(keys, [r], None) for r in held])
        held = self._hold(TURNS)
        self.time("fail 1", [finish.fail(keys, r, b"no", 10) for r in held])
        held = self._hold(TURNS)
        self.time("retry 1", [finish.retry(keys, r, 10**9, b"no") for r in held])
        self.time("cancel 1 scheduled", [manage.cancel(keys, [r.id], None) for r in held])
        last = [pushed.id for pushed in added[-TURNS:]]
        self.time("cancel 1 waiting", [manage.cancel(keys, [i], None) for i in last])
        marks = [b"=%d" % n for n in range(TURNS)]
        unique = [NewJob(PAYLOAD, unique=m, mode="waiting", front=True) for m in marks]
        self.time("push 1 unique", [push.push_any(keys, [job]) for job in unique])
        self.time("push 1 unique, kept", [push.push_any(keys, [job]) for job in unique])
        for taken in self.time("pop 1 unique", [pop_one] * TURNS):
            self.link.send(self._ack(taken))
        pairs = [[NewJob(PAYLOAD, lock=m, front=True)] * 2 for m in marks]
        self.time("push 2 with lock", [push.push_any(keys, pair) for pair in pairs])
        first = self.time("pop 1 with lock, park", [pop_one] * TURNS)
        self.time("ack 1, unpark 1", [self._ack(taken) for taken in first])
        while bench_left := self.link.send(pop_one).deliveries:
            self.link.send(finish.ack(keys, [d.receipt for d in bench_left]))
            if not bench_left[0].lock:
                break
        self.link.send(push.push_any(keys, [NewJob(PAYLOAD)] * (TURNS + 1)))

    def _hold(self, count: int) -> list[Receipt]:
        """Take jobs, each in a hand-out of its own."""
        taken = [self.link.send(take.pop(self.keys, self.taker, 1)) for _ in range(count)]
        return [receipt for one in taken for receipt in receipts(one)]

    def _ack(self, taken: Taken) -> Command[list[str]]:
        return finish.ack(self.keys, receipts(taken))


def receipts(taken: Taken) -> list[Receipt]:
    """List the receipts of what was taken."""
    return [delivery.receipt for delivery in taken.deliveries]


def compare(title: str, small: Bench, big: Bench) -> None:
    """Print medians of both, how they relate, and how the minima do, which know less noise."""
    print(f"\n{title}\n{'':24}{'small us':>10}{'big us':>10}{'ratio':>8}{'of minima':>11}")
    for name, times in small.times.items():
        others = big.times[name]
        one, other = statistics.median(times), statistics.median(others)
        least = min(others) / min(times)
        print(f"{name:24}{one:10.1f}{other:10.1f}{other / one:8.2f}{least:11.2f}")


def cpu_us(plain: redis.Redis) -> float:
    """Read the CPU time of the server's main thread in microseconds."""
    info: dict[str, Any] = plain.info("cpu")
    seconds = info["used_cpu_user_main_thread"] + info["used_cpu_sys_main_thread"]
    return float(seconds) * 1e6


def beside_lists(bench: Bench, rounds: int) -> None:
    """Print CPU of the server and time at the client per job, beside bare lists, in turns."""
    spent: dict[str, list[tuple[float, float]]] = defaultdict(list)
    keys, plain = bench.keys, bench.plain

    def popped() -> None:
        taken = bench.link.send(take.pop(keys, bench.taker, BATCH))
        bench.link.send(finish.ack(keys, [d.receipt for d in taken.deliveries]))

    steps: dict[str, Callable[[], Any]] = {
        "RPUSH of 100": lambda: plain.rpush("bare", *[PAYLOAD] * BATCH),
        "push of 100": lambda: bench.link.send(push.push_any(keys, [NewJob(PAYLOAD)] * BATCH)),
        "LPOP of 100": lambda: plain.lpop("bare", BATCH),
        "pop + ack of 100": popped,
    }
    for _ in range(10):
        for name, step in steps.items():
            cpu, started = cpu_us(plain), time.perf_counter()
            for _ in range(rounds):
                step()
            jobs = rounds * BATCH
            wall_us = (time.perf_counter() - started) * 1e6
            spent[name].append(((cpu_us(plain) - cpu) / jobs, wall_us / jobs))
    print(f"\nbeside bare lists{'':7}{'server us':>10}{'client us':>10}   per job")
    for name, pairs in spent.items():
        server_us, client_us = (statistics.median(part) for part in zip(*pairs, strict=True))
        print(f"{name:24}{server_us:10.2f}{client_us:10.2f}")


def main() -> None:
    """Build the queues, let them take turns, print what it cost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--waiting", type=int, default=1_000_000)
    parser.add_argument("--running", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--server", help="another binary than the embedded one")
    options = parser.parse_args()
    with server(options.server) as plain:
        link = Link(resolve(f"unix://{plain.connection_pool.connection_kwargs['path']}"))
        names = ("small", "long", "busy")
        small, long, busy = (Bench(link, plain, name) for name in names)
        small.fill(1000, 0)
        long.fill(options.waiting, 0)
        busy.fill(1000, options.running)
        for work in (Bench.plain_round, Bench.special_round):
            for _ in range(options.rounds + 1):
                for bench in (small, long, busy):
                    work(bench)
        for bench in (small, long, busy):
            bench.forget_the_first()  # then, the server did not know the scripts
        compare(f"1,000 against {options.waiting:,} waiting", small, long)
        compare(f"none against {options.running:,} running", small, busy)
        fresh = Bench(link, plain, "fresh")
        beside_lists(fresh, options.rounds)
        link.close()


if __name__ == "__main__":
    main()
