"""Bookings of one account run one after the other; other accounts do not wait for them."""

import threading
import time
from collections import Counter

from limpet import Limpet


def account_of(payload: bytes) -> bytes:
    """Read the account out of a booking such as b"anna +5"."""
    return payload.split()[0]


POLICY = {"example-bookings": {"lock": account_of}}
BOOKINGS = [f"{name} +{n}" for n in range(1, 5) for name in ("anna", "ben", "cleo")]
now_running: Counter[bytes] = Counter()
most_at_once: Counter[bytes] = Counter()
order: dict[bytes, list[str]] = {}
guard = threading.Lock()


def book(payload: bytes) -> None:
    """Pretend to book, and note who else books for the same account meanwhile."""
    account = account_of(payload)
    with guard:
        now_running[account] += 1
        most_at_once[account] = max(most_at_once[account], now_running[account])
        order.setdefault(account, []).append(payload.split()[1].decode())
    time.sleep(0.02)
    with guard:
        now_running[account] -= 1


def worker() -> None:
    """Take bookings until none came for a while; each thread is a worker of its own."""
    with Limpet(policies=POLICY) as limpet:
        queue = limpet.queue("example-bookings")
        while jobs := queue.pop(wait=0.5):
            for job in jobs:
                book(job.payload)
                queue.ack(job)


with Limpet(policies=POLICY) as limpet:
    queue = limpet.queue("example-bookings")
    queue.push_many(BOOKINGS)
    threads = [threading.Thread(target=worker) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for account in sorted(order):
        name, bookings = account.decode(), " ".join(order[account])
        print(f"{name}: {bookings}, at most {most_at_once[account]} at once")
    queue.drop()
