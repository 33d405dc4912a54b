"""What the processes of these tests do. Each function runs in a process of its own.

What they see goes into the history: a plain list on the same server, in the order it came there.
"""

import os
import random
import signal
from typing import Any

import redis

from limpet import Delivery, Limpet
from limpet.errors import WorkerLost

HISTORY = "history"


def open_plain(url: str) -> redis.Redis:
    """Make a plain client that waits long enough for a gate."""
    return redis.Redis.from_url(url, protocol=2, socket_timeout=40)


def pass_gate(plain: redis.Redis, name: str, parties: int) -> None:
    """Wait until all parties are here, then all go on at once."""
    if int(plain.incr(f"{name}:here")) == parties:
        plain.rpush(f"{name}:go", *["go"] * parties)
    assert plain.blpop([f"{name}:go"], timeout=30) is not None


def push_keys(number: int, url: str, parties: int, keys: list[str], how: dict[str, Any]) -> Any:
    """Push the same keys as everybody else, in an order of one's own; answers who got what.

    Everybody begins with another key, and waits for the others after it: nobody gets them all.
    """
    first, *rest = keys[number:] + keys[:number]
    random.Random(number).shuffle(rest)
    with Limpet(url) as limpet, open_plain(url) as plain:
        queue = limpet.queue("mail")
        pass_gate(plain, "push", parties)
        pushed = [push_key(queue, number, first, how)]
        pass_gate(plain, "rest", parties)
        pushed += [push_key(queue, number, key, how) for key in rest]
    return pushed


def push_key(queue: Any, number: int, key: str, how: dict[str, Any]) -> tuple[str, str, bool]:
    """Push one key, as its id or as its unique key; answers (key, id, created)."""
    named = {"id": key} if how.get("own_ids") else {"key": key, **how}
    pushed = queue.push(f"{number} {key}", **named)
    return key, pushed.id, pushed.created


def take_all(number: int, url: str, parties: int, seed: int) -> list[tuple[int, list[str]]]:
    """Pop batches of random size until nothing is left; answers (fence, ids) of each."""
    chance = random.Random(seed * 100 + number)
    taken = []
    with Limpet(url, name=f"racer{number}") as limpet, open_plain(url) as plain:
        queue = limpet.queue("mail")
        limpet.start_work("mail")
        pass_gate(plain, "take", parties)
        while batch := queue.pop(count=chance.randint(1, 5)):
            taken.append((batch[0].fence, [d.id for d in batch]))
            assert queue.ack(*batch) == [d.id for d in batch]
    return taken


def work_under_locks(number: int, url: str, parties: int, total: int) -> tuple[int, int]:
    """Work off jobs with locks; a counter per lock is the witness. Answers (done, most at once)."""
    done, most = 0, 0
    with Limpet(url, name=f"racer{number}") as limpet, open_plain(url) as plain:
        queue = limpet.queue("mail")
        pass_gate(plain, "work", parties)
        while int(plain.get("done") or 0) < total:
            batch = queue.pop(count=random.Random(number + done).randint(1, 3), wait=0.2)
            for delivery in batch:
                most = max(most, int(plain.incr(f"inside:{delivery.payload.decode()}")))
            for delivery in batch:
                plain.rpush(f"order:{delivery.payload.decode()}", delivery.id)
                plain.decr(f"inside:{delivery.payload.decode()}")
            done += len(queue.ack(*batch))
            if batch:
                plain.incrby("done", len(batch))
    return done, most


def churn(number: int, url: str, parties: int, rounds: int, mode: Any) -> dict[str, Any]:
    """Push few keys again and again (even numbers) or work them off (odd); answers what it saw."""
    seen: dict[str, Any] = {"told": [], "acked": [], "most": 0}
    chance = random.Random(number)
    with Limpet(url) as limpet, open_plain(url) as plain:
        queue = limpet.queue("mail")
        pass_gate(plain, "churn", parties)
        if number % 2 == 0:
            for _ in range(rounds):
                key = f"key-{chance.randint(1, 5)}"
                pushed = queue.push(key, unique=mode)
                seen["told"].append((key, pushed.id, pushed.created))
            plain.incr("finished")
            return seen
        while int(plain.get("finished") or 0) < parties // 2 or queue.stats().waiting:
            for delivery in queue.pop(count=3, wait=0.2):
                inside = f"inside:{delivery.payload.decode()}"
                seen["most"] = max(seen["most"], int(plain.incr(inside)))
                plain.decr(inside)
                seen["acked"] += [(delivery.payload.decode(), i) for i in queue.ack(delivery)]
    return seen


def produce(number: int, url: str, total: int) -> None:
    """Push jobs of all kinds, one by one and in batches; notes what was acknowledged."""
    chance, made = random.Random(number), 0
    kinds: list[dict[str, Any]] = [{}, {}, {"lock": "door"}, {"delay": 0.05}, {"front": True}]
    with Limpet(url) as limpet, open_plain(url) as plain:
        while made < total:
            names = [
                f"{number}.{made + n}" for n in range(min(chance.choice([1, 5, 40]), total - made))
            ]
            pushed = limpet.queue("mail").push_many(names, **chance.choice(kinds))
            plain.rpush("pushed", *[p.id for p in pushed])
            made += len(names)


def serve(name: str, url: str, options: dict[str, Any]) -> None:
    """Work until killed. Payloads that begin with "poison" kill this process."""
    chance = random.Random(name)
    with Limpet(url, name=name, **options) as limpet, open_plain(url) as plain:
        while True:
            try:
                batch = limpet.queue("mail").pop(count=chance.randint(1, 8), wait=5)
                for delivery in batch:
                    _serve_one(limpet, plain, delivery, name)
            except WorkerLost as lost:
                plain.rpush(HISTORY, f"frozen {name} {lost.worker}")


def _serve_one(limpet: Limpet, plain: redis.Redis, delivery: Delivery, name: str) -> None:
    plain.rpush(HISTORY, f"start {name} {delivery.id} {delivery.deliveries} {delivery.crashes}")
    if delivery.payload.startswith(b"poison"):
        os.kill(os.getpid(), signal.SIGKILL)
    if limpet.queue("mail").ack(delivery):
        plain.rpush(HISTORY, f"done {name} {delivery.id}")


def drain(name: str, url: str, batch: int) -> None:
    """Work jobs off in batches until killed; the heartbeat is too slow to help."""
    with Limpet(url, name=name, heartbeat=100, lease=1000) as limpet, open_plain(url) as plain:
        done: list[Delivery] = []
        while True:
            acked, done = limpet.queue("mail").ack_and_pop(done, count=batch, wait=30)
            plain.hincrby("shares", name, len(acked))


def hold(name: str, url: str, options: dict[str, Any], count: int) -> None:
    """Take jobs and keep them, alive, until killed."""
    with Limpet(url, name=name, **options) as limpet, open_plain(url) as plain:
        batch = limpet.queue("mail").pop(count=count, wait=20)
        plain.rpush("held", f"{limpet.worker}", *[d.id for d in batch])
        plain.blpop(["never"], timeout=0)
