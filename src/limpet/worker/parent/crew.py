"""All children: started, replaced, stopped, and what follows their ends."""

import logging
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from limpet.worker.parent.children import COMMAND, Child
from limpet.worker.parent.leases import Keeper
from limpet.worker.parent.restarts import End, Restarts, decide
from limpet.worker.plan import Plan
from limpet.worker.wire import CannotStart, Order, Ready

log = logging.getLogger("limpet")

#: What a child gets on top of its grace time, to give back what it holds.
EXTRA_S = 5.0
#: What it gets after the second signal.
AT_ONCE_S = 3.0


@dataclass(slots=True, eq=False)
class Slot:
    """The place of one child."""

    number: int
    child: Child | None = None
    #: Started to take the place of the other once it works.
    successor: Child | None = None
    restarts: Restarts = field(default_factory=Restarts)
    #: When to start the next one.
    start_at: float | None = 0.0


class Crew:
    """So many children, kept alive until they are told to stop."""

    def __init__(
        self,
        plan: Plan,
        keeper: Keeper,
        welcome: Callable[[Ready], None] = lambda _: None,
        command: tuple[str, ...] = COMMAND,
    ) -> None:
        """Prepare; nothing is started yet. `welcome` is told when the first child works."""
        self._plan, self._keeper, self._command = plan, keeper, command
        self._welcome_first = welcome
        self._slots = [Slot(number) for number in range(1, plan.processes + 1)]
        self._leaving: list[Child] = []
        #: Slots whose children still run the old code.
        self._to_renew: list[Slot] = []
        self._ever_worked = False
        #: How often it was told to stop.
        self._stops = 0
        #: Files of the app.
        self.files: tuple[str, ...] = ()
        self.code = 0
        #: Why no child can start.
        self.refusal: CannotStart | None = None

    @property
    def children(self) -> list[Child]:
        """All that live, also those on their way out."""
        placed = [child for slot in self._slots for child in (slot.child, slot.successor) if child]
        return placed + self._leaving

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._stops > 0

    @property
    def next_start_at(self) -> float | None:
        """When the next child is to be started."""
        return min((s.start_at for s in self._slots if s.start_at is not None), default=None)

    @property
    def is_done(self) -> bool:
        """Whether nobody lives and nobody will."""
        waits = self._plan.reload and not self.stopping
        return not waits and not self.children and self.next_start_at is None

    # -- starting ---------------------------------------------------------------------------

    def start_due(self) -> None:
        """Start the children whose time has come."""
        for slot in self._slots:
            if slot.start_at is not None and slot.start_at <= time.monotonic():
                slot.start_at = None
                slot.child = self._start(slot)
                if slot.child is None:
                    self._pause(slot, 0.0)

    def _start(self, slot: Slot) -> Child | None:
        try:
            return Child(self._plan, slot.number, self._command)
        except OSError as error:  # the system has no process or no memory to give
            log.error("child %d cannot be started: %s", slot.number, error)  # noqa: TRY400
            return None

    def _pause(self, slot: Slot, life_s: float, *, worked: bool = False) -> None:
        """Choose the time of the next start."""
        slot.restarts = slot.restarts.after(life_s, worked=worked)
        slot.start_at = time.monotonic() + slot.restarts.pause_s

    def listen(self, child: Child) -> None:
        """Take in what a child told."""
        for ready in child.listen():
            self._welcome(child, ready)

    def _welcome(self, child: Child, ready: Ready) -> None:
        """Look after a child that works, and let the old one go whose place it takes."""
        self._keeper.keep(child.process.pid, ready)
        self.files = ready.files
        if not self._ever_worked:
            self._ever_worked = True
            self._welcome_first(ready)
        log.debug("%s works as %s", child, ready.worker)
        child.order("go")
        for slot in self._slots:
            if slot.successor is child:
                slot.successor = None
                self._retire(slot)
                slot.child = child
                self._renew_next()

    # -- replacing --------------------------------------------------------------------------

    def reload(self) -> None:
        """Let all children go and start new ones beside them."""
        self._to_renew = []
        for slot in self._slots:
            self._retire(slot)
            slot.restarts, slot.start_at = Restarts(), 0.0

    def renew(self) -> None:
        """Replace the children one by one; each old one goes when the new one works."""
        if not self.stopping:
            self._to_renew = list(self._slots)  # also those whose new one may have read old code
            if not any(slot.successor for slot in self._slots):
                self._renew_next()

    def _renew_next(self) -> None:
        while self._to_renew:
            slot = self._to_renew.pop(0)
            if slot.child is not None:
                slot.successor = self._start(slot)
                self._to_renew = self._to_renew if slot.successor else []
                return
            slot.start_at = 0.0

    def _retire(self, slot: Slot) -> None:
        """Let go who works in a place."""
        for child in (slot.child, slot.successor):
            if child is not None:
                child.stop(self._plan.grace_s + EXTRA_S)
                self._leaving.append(child)
        slot.child = slot.successor = None

    # -- stopping ---------------------------------------------------------------------------

    def stop(self) -> None:
        """Tell all to stop; told again: at once; told a third time, they are killed."""
        self._stops, self._to_renew = self._stops + 1, []
        patience_s, said = {
            1: (self._plan.grace_s + EXTRA_S, f"stopping; jobs have {self._plan.grace} to end"),
            2: (AT_ONCE_S, "stopping at once"),
        }.get(self._stops, (0.0, "killing what is left"))
        if self.refusal is None:
            log.info(said)
        for slot in self._slots:
            slot.start_at = None
        for child in self.children:
            child.stop(patience_s)

    def order(self, order: Order) -> None:
        """Pass a wish on to all."""
        for child in self.children:
            child.order(order)

    def look(self, passed_s: float) -> None:
        """Kill who is frozen, past its time, or does not stop."""
        for child in self.children:
            verdict = "fine" if child.was_killed else child.look(passed_s)
            if verdict != "fine":
                why = "is frozen" if verdict == "frozen" else "has a job past its time"
                self._kill(child, f"{why}, silent for {child.silent_s:.1f} s")
            elif time.monotonic() >= child.kill_at and not child.was_killed:
                child.was_cut_off = True
                self._kill(child, "did not stop in time")

    def _kill(self, child: Child, why: str) -> None:
        log.error("%s %s: killed", child, why)
        self._keeper.rest(child.process.pid)
        child.kill()

    # -- ends -------------------------------------------------------------------------------

    def bury(self) -> None:
        """Return what dead children held, and see to their places."""
        for child in self.children:
            if child.has_ended:
                self.listen(child)
                child.collect()
                counts = not child.said_bye and not child.was_cut_off
                self._keeper.give_back(child.process.pid, counts=counts)
                self._remove(child)

    def _remove(self, child: Child) -> None:
        if child in self._leaving:
            self._leaving.remove(child)
            self._note_end(child)
            return
        slot = next(slot for slot in self._slots if child in {slot.child, slot.successor})
        if slot.successor is child:
            slot.successor, self._to_renew = None, []
            log.error("%s; the old code goes on", _obituary(child))
            if slot.child is None:  # the old one died meanwhile
                self._follow(slot, child)
        elif slot.successor is not None:
            slot.child = None  # the one that takes its place is on its way
        else:
            slot.child = None
            self._follow(slot, child)

    def _note_end(self, child: Child) -> None:
        """Remember for the exit code whether all ended well."""
        if self.stopping and not child.said_bye and child.refusal is None:
            self.code = self.code or 1

    def _follow(self, slot: Slot, child: Child) -> None:
        """Do what follows the end of a child that nobody replaces."""
        end = End(
            clean=child.said_bye,
            wanted=child.stopping,
            hopeless=child.refusal is not None and child.refusal.final,
            ever_worked=self._ever_worked,
            burst=self._plan.burst,
            reload=self._plan.reload,
        )
        match decide(end):
            case "nothing":
                self._note_end(child)
            case "give up":
                self.refusal = child.refusal
                self.code = child.refusal.code if child.refusal else 1
                self.stop()
            case "await change":
                log.error("%s; waiting for a change", _obituary(child))
            case "restart":
                self._pause(slot, child.life_s, worked=child.ready is not None)
                log.warning("%s; next start in %.1f s", _obituary(child), slot.restarts.pause_s)


def _obituary(child: Child) -> str:
    """Say in words how a child ended."""
    if child.refusal is not None:
        return f"{child} cannot start: {child.refusal.line}"
    if child.said_bye:
        return f"{child} stopped"
    if child.code >= 0:
        return f"{child} ended with code {child.code}, its jobs are returned"
    try:
        name = signal.Signals(-child.code).name
    except ValueError:
        name = f"signal {-child.code}"
    return f"{child} was killed ({name}), its jobs are returned"
