"""An app for the tests of the stage: each test makes one of its own."""

from dataclasses import dataclass, field
from typing import Any

from limpet import App, Job, Reject, Retry

#: Nobody listens there: whatever forgets the stage fails at once.
NOWHERE = "redis://127.0.0.1:1/0"


@dataclass
class Shop:
    """Tasks of a shop, and what they did."""

    app: App = field(default_factory=lambda: App(NOWHERE, name="shop", timeout="1s"))
    did: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Make the tasks."""
        did = self.did

        @self.app.task
        def note(what: str, times: int = 1) -> int:
            did.extend([what] * times)
            return times

        @self.app.task
        async def anote(what: str) -> None:
            did.append(what)

        @self.app.task(retry=Retry(2, base="1m", jitter=False))
        def flaky() -> None:
            did.append("tried")
            raise ConnectionError("nobody answers")

        @self.app.task
        def hopeless() -> None:
            raise Reject("no use")

        @self.app.task(queue="pay")
        def charge(job: Job, order: int) -> None:
            if job.once("charge"):
                did.append(order)
            job.progress(1, "charged")

        @self.app.task(queue="pay")
        async def acharge(job: Job, order: int) -> None:
            if await job.aonce("charge"):
                did.append(order)

        @self.app.task
        async def parent() -> None:
            await note.using(queue="elsewhere").aenqueue("child")

        self.note, self.anote, self.flaky, self.hopeless = note, anote, flaky, hopeless
        self.charge, self.acharge, self.parent = charge, acharge, parent
