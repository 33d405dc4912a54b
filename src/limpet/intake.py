"""What callers hand in: payloads with options, receipts in any form. Checked here, once."""

from dataclasses import dataclass, replace
from datetime import datetime
from types import EllipsisType

from limpet.commands.push import NewJob
from limpet.errors import ConfigError
from limpet.identity import lock_key, unique_key
from limpet.keys import PREFIX, REGISTRY
from limpet.options import (
    Duration,
    OnTwin,
    Payload,
    Policy,
    UniqueMode,
    count_of,
    job_id,
    key_bytes,
    milliseconds,
    moment_ms,
    payload_bytes,
)
from limpet.values import Delivery, Receipt

#: A delivery, its receipt, or the receipt as text.
Shown = Delivery | Receipt | str
#: Longer than any id and any fence can be.
_LONGEST_ID, _LONGEST_FENCE = 250, 25


@dataclass(frozen=True, slots=True)
class Item:
    """One job for `push_many` that differs from the others; `...` means as the queue does."""

    payload: Payload
    unique: UniqueMode | EllipsisType | None = ...
    key: Payload | None = None
    lock: Payload | EllipsisType | None = ...
    delay: Duration | None = None
    at: float | datetime | None = None
    front: bool = False
    id: str | None = None
    on_twin: OnTwin | EllipsisType = ...
    lock_limit: int | EllipsisType = ...
    #: How long the outcome is kept after the end; None: not at all.
    keep: Duration | None = None
    #: The group this job is a member of.
    group: str | None = None
    #: The group this job follows: it waits, parked, until all members ended.
    after: str | None = None
    #: A follower that is called off unless all members succeeded.
    needs: bool = False

    def over(self, common: "Item") -> "Item":
        """Fill what is not said here from the options common to all."""
        if common == _BLANK:
            return self
        unsaid = {
            name: getattr(common, name)
            for name in Item.__slots__
            if name != "payload" and getattr(self, name) == getattr(_BLANK, name)
        }
        return replace(self, **unsaid)


_BLANK = Item(b"")


def new_job(policy: Policy, item: Item) -> NewJob:
    """Check one job and turn it into what the push script takes."""
    payload = payload_bytes(item.payload, policy.max_payload)
    mode = policy.unique if item.unique is ... else item.unique
    if mode not in (None, "waiting", "running"):
        raise ConfigError(f"unique must be None, 'waiting' or 'running', got {mode!r}")
    if item.key is not None and mode is None:
        raise ConfigError("key names what is unique: say unique='waiting' or 'running' with it")
    if item.delay is not None and item.at is not None:
        raise ConfigError("say either delay or at, not both")
    if item.front and (item.delay is not None or item.at is not None):
        raise ConfigError(
            "a job for later cannot go to the front; leave out front, or delay and at"
        )
    twin = policy.on_twin if item.on_twin is ... else item.on_twin
    if twin not in ("keep", "replace", "raise"):
        raise ConfigError(f"on_twin must be 'keep', 'replace' or 'raise', got {twin!r}")
    if item.after is not None and (item.front or item.delay is not None or item.at is not None):
        raise ConfigError("a job that follows a group waits for it: leave out front, delay and at")
    identity = payload if item.key is None else key_bytes(item.key, "key")
    lock, limit = _lock_of(policy, item, payload), _limit_of(policy, item)
    return NewJob(
        payload,
        unique=unique_key(identity) if mode else None,
        mode=mode,
        twin="replace" if mode and twin == "replace" else None,
        lock=lock,
        limit=limit if lock is not None and limit > 1 else None,
        delay_ms=None if item.delay is None else milliseconds(item.delay, "delay"),
        at_ms=None if item.at is None else moment_ms(item.at),
        front=item.front,
        id=None if item.id is None else job_id(item.id),
        keep_ms=None if item.keep is None else _keep_ms(item.keep),
        group=None if item.group is None else job_id(item.group),
        after=None if item.after is None else job_id(item.after),
        needs=item.needs,
    )


def _keep_ms(keep: Duration) -> int:
    kept_ms = milliseconds(keep, "keep")
    if kept_ms < 1:
        raise ConfigError("keep must be longer than nothing; leave it out to keep no outcome")
    return kept_ms


def _limit_of(policy: Policy, item: Item) -> int:
    if isinstance(item.lock_limit, EllipsisType):
        return policy.lock_limit
    return count_of(item.lock_limit, "lock_limit")


def _lock_of(policy: Policy, item: Item, payload: bytes) -> bytes | None:
    wanted = policy.lock if item.lock is ... else item.lock
    if callable(wanted):
        wanted = wanted(payload)
    return None if wanted is None else lock_key(key_bytes(wanted, "lock"))


def is_strict(policy: Policy, on_twin: OnTwin | EllipsisType) -> bool:
    """Tell whether a duplicate must raise."""
    return (policy.on_twin if on_twin is ... else on_twin) == "raise"


def receipt_of(given: Delivery | Receipt | str, queue: str) -> Receipt | None:
    """Read a receipt in any form; None for one that cannot belong to any job."""
    if isinstance(given, Delivery):
        if given.queue != queue:
            raise ConfigError(
                f"this delivery is of queue {given.queue!r}, not {queue!r};"
                " use that queue, or the same call on the client"
            )
        return given.receipt
    if isinstance(given, Receipt):
        fine = id_of(given.id) == given.id and type(given.fence) is int
        return given if fine and 0 <= given.fence < 10**_LONGEST_FENCE else None
    if not isinstance(given, str):
        raise ConfigError(f"show a delivery or its receipt, not {type(given).__name__}")
    name, _, fence = given.rpartition("@")
    if not (fence.isascii() and fence.isdigit()) or len(fence) > _LONGEST_FENCE:
        return None
    return None if id_of(name) is None else Receipt(name, int(fence))


def by_queue(deliveries: tuple[Delivery, ...]) -> dict[str, list[Delivery]]:
    """Sort deliveries by their queues; a receipt alone does not say which queue it is of."""
    found: dict[str, list[Delivery]] = {}
    for given in deliveries:
        if not isinstance(given, Delivery):
            raise ConfigError(f"show deliveries, not {type(given).__name__}; or ask the queue")
        found.setdefault(given.queue, []).append(given)
    return found


def id_of(given: str) -> str | None:
    """Read the id of a job or a worker; None for one that nothing can have."""
    named = str(given)
    return named if 0 < len(named) <= _LONGEST_ID and _is_whole(named) else None


def list_key_of(given: str) -> str:
    """Check the name of a plain list; our own keys are none."""
    if not isinstance(given, str) or not given or not _is_whole(given):
        raise ConfigError("name the key of the list to adopt")
    if given == REGISTRY or given.startswith(f"{PREFIX}:{{"):
        raise ConfigError(f"{given!r:.100} belongs to limpet; name a list of another program")
    return given


def recurring(item: Item) -> Item:
    """Check the job of a schedule: what is said of one run only makes no sense there."""
    if any(said is not None for said in (item.id, item.at, item.group, item.after)):
        raise ConfigError("every run is a job of its own: leave out id, at, group and after")
    return item


def schedule_name_of(given: str) -> str:
    """Check the name of a schedule."""
    fine = isinstance(given, str) and given.isprintable() and _is_whole(given)
    if not fine or not 0 < len(given.encode()) <= _LONGEST_ID:
        raise ConfigError(
            f"a schedule needs a name of at most {_LONGEST_ID} bytes that can be printed,"
            f" got {given!r:.100}"
        )
    return given


def _is_whole(text: str) -> bool:
    """Tell whether a text can be sent: half characters cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def receipts_of(given: tuple[Delivery | Receipt | str, ...], queue: str) -> list[Receipt]:
    """Read receipts in any form, leaving out those that cannot belong to any job."""
    plain = [one.receipt for one in given if type(one) is Delivery and one.queue == queue]
    if len(plain) == len(given):
        return plain
    read = (receipt_of(one, queue) for one in given)
    return [receipt for receipt in read if receipt is not None]


def message_bytes(message: str | bytes | BaseException, limit: int) -> bytes:
    """Give an error message as bytes, cut to a bounded length."""
    if isinstance(message, BaseException):
        message = f"{type(message).__name__}: {message}"
    if not isinstance(message, (str, bytes)):
        raise ConfigError(f"say the error as text or exception, not {type(message).__name__}")
    raw = message.encode("utf-8", "replace") if isinstance(message, str) else message
    return raw if len(raw) <= limit else raw[: limit - 3] + b"..."
