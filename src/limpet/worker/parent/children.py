"""One child: its process, its wire, and what it told."""

import contextlib
import math
import os
import signal
import socket
import subprocess
import sys
import time

from limpet.worker.parent.signs import Verdict, Watch, effort_of
from limpet.worker.plan import Plan
from limpet.worker.wire import (
    NUMBER,
    PLAN,
    WIRE,
    Bye,
    CannotStart,
    Order,
    Ready,
    Sign,
    Told,
    Wire,
)

COMMAND = (sys.executable, "-m", "limpet.worker.child")

#: How long its exit may take after it said goodbye.
EXIT_S = 5.0


class Child:
    """A process that works for us. Its end is seen by asking for this process and no other."""

    def __init__(self, plan: Plan, number: int, command: tuple[str, ...] = COMMAND) -> None:
        """Start it. It has a process group of its own, so that Ctrl-C reaches the parent alone."""
        ours, theirs = socket.socketpair()
        told = {PLAN: plan.to_json(), NUMBER: str(number), WIRE: str(theirs.fileno())}
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - our own module
                command,
                env={**os.environ, **told},
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                process_group=0,
            )
        self.number, self.wire = number, Wire(ours)
        self.started_at = time.monotonic()
        self.ready: Ready | None = None
        self.refusal: CannotStart | None = None
        self.stopping = False
        #: When the parent's patience with its stopping ends.
        self.kill_at = math.inf
        #: Killed by us because it would not stop: that is not its jobs' fault.
        self.was_cut_off = False
        self.was_killed = False
        #: It ended its work as it should. The exit code does not tell: a job may end it with 0.
        self.said_bye = False
        self._watch = Watch(None)

    def __str__(self) -> str:
        """Name it for people."""
        return f"child {self.number} (process {self.process.pid})"

    def listen(self) -> list[Ready]:
        """Take in what it told; answers the identities it works under from now on."""
        news = []
        for message in self.wire.listen():
            match message:
                case Sign(due_in_s):
                    self._watch.sign(due_in_s)
                case Ready(lease_ms=lease_ms):
                    self.ready = message
                    self._watch = Watch(None if lease_ms is None else lease_ms / 1000)
                    news.append(message)
                case CannotStart():
                    self.refusal = message
                case Bye():
                    self.said_bye = True
                    self.kill_at = min(self.kill_at, time.monotonic() + EXIT_S)
        return news

    def look(self, passed_s: float) -> Verdict:
        """Say how it is. One that does not work yet holds no job, and may take its time."""
        if self.ready is None:
            return "fine"
        return self._watch.look(passed_s, lambda: effort_of(self.process.pid))

    @property
    def silent_s(self) -> float:
        """How long it gave no sign of life."""
        return self._watch.silent_s

    def order(self, order: Order) -> None:
        """Tell it what to do; one that is gone does not mind."""
        self.wire.tell(Told(order))

    def stop(self, patience_s: float) -> None:
        """Tell it to stop, and how long the parent will wait for that; told again: at once."""
        self.order("now" if self.stopping else "stop")
        self.stopping = True
        self.kill_at = min(self.kill_at, time.monotonic() + patience_s)

    def kill(self) -> None:
        """Kill it at once; frozen ones too."""
        self.was_killed = True
        self.process.send_signal(signal.SIGKILL)

    @property
    def has_ended(self) -> bool:
        """Whether it is dead. Its end is not collected yet: nobody else can have its number."""
        if self.process.returncode is not None or not hasattr(os, "waitid"):
            return self.process.poll() is not None
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, look) is not None

    def collect(self) -> None:
        """Collect its end, and kill what it left if that was no good one.

        A job in a process of its own must not run there and elsewhere too.
        """
        if not self.said_bye:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.wire.close()

    @property
    def code(self) -> int:
        """How it ended; negative: the signal that killed it."""
        return self.process.returncode or 0

    @property
    def life_s(self) -> float:
        """How long ago it was started."""
        return time.monotonic() - self.started_at
