"""The director: lets the processes play, kills one in the middle, and notices the end."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from limpet import Limpet, Queue, State
from limpet.demo import judge, notes, plan
from limpet.demo.crew import Crew
from limpet.demo.notes import DIRECTOR, PRODUCER, Notebook
from limpet.demo.signals import ended_politely
from limpet.demo.stage import stage
from limpet.demo.summary import write_summary
from limpet.demo.view import Hand, Scene, View, view
from limpet.errors import ConfigError


def direct(url: str | None, kept: str | None) -> int:
    """Run the whole demo; the answer is the exit code."""
    started = time.monotonic()
    folder = None if kept is None else _empty(Path(kept))
    with ended_politely(), stage(url) as place:
        folder = folder or _empty(place.folder / "notes")
        with Limpet(place.url, timeout=plan.ANSWER_WITHIN_S) as limpet, _queue(limpet) as queue:
            with Crew(place) as crew, view() as seen:
                seen.tell(0.0, f"{plan.JOBS} jobs, {len(plan.WORKERS)} workers, on {place.shown}")
                Director(limpet, queue, crew, folder, seen).run()
            evidence = judge.load(folder)
        return write_summary(evidence, took_s=time.monotonic() - started)


def _empty(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        occupied = any(folder.iterdir())
    except OSError as error:
        raise ConfigError(f"notes cannot be kept in {folder}: {error.strerror}") from error
    if occupied:
        raise ConfigError(f"{folder} is not empty; name a new directory for the notes")
    return folder.resolve()


@contextmanager
def _queue(limpet: Limpet) -> Iterator[Queue]:
    """Make a queue nobody else has, and leave no trace of it."""
    limpet.ping()
    queue = limpet.queue(f"demo-{secrets.token_hex(4)}")
    try:
        yield queue
    finally:
        queue.drop()


class Director:
    """Watches the queue and the notes of the workers, and acts."""

    def __init__(self, limpet: Limpet, queue: Queue, crew: Crew, folder: Path, seen: View) -> None:
        """Take over an empty queue and an empty folder for notes."""
        self._limpet, self._queue, self._crew, self._seen = limpet, queue, crew, seen
        self._folder, self._notes = folder, Notebook(folder, DIRECTOR)
        self._started_s = time.monotonic()
        self._killed_s: float | None = None
        self._recovered = 0  # what came back so far
        self._pushed = False

    def run(self) -> None:
        """Play until every job ended, or the time is up."""
        for name in plan.WORKERS:
            self._crew.start(name, "limpet.demo.worker", self._queue.name, str(self._folder), name)
        self._crew.start(PRODUCER, "limpet.demo.producer", self._queue.name, str(self._folder))
        while not self._over():
            scene = self._look()
            self._seen.show(scene)
            self._act(scene)
            time.sleep(plan.LOOK_EVERY_S)
        self._crew.stop()
        self._end()

    def _at_s(self) -> float:
        return time.monotonic() - self._started_s

    def _look(self) -> Scene:
        hands = tuple(self._hand(name) for name in plan.WORKERS)
        return Scene(self._at_s(), plan.JOBS, self._queue.stats(), hands)

    def _hand(self, name: str) -> Hand:
        taken = notes.read(self._folder, name)
        done = {note.id for note in taken if note.what in {"acking", "stale"}}
        holds = {note.id for note in taken if note.what == "started"} - done
        alive = not self._crew.ended(name)
        return Hand(name, self._crew.pid(name), alive, len(done), len(holds) if alive else 0)

    def _act(self, scene: Scene) -> None:
        victim = next(hand for hand in scene.hands if hand.name == plan.VICTIM)
        half_way = scene.stats.completed >= plan.KILL_AFTER * plan.JOBS
        if not self._pushed and self._crew.ended(PRODUCER):
            self._pushed = True
            self._tell(f"all {plan.JOBS} jobs are pushed")
        if self._killed_s is None and half_way and victim.holds == plan.SLOTS:
            self._kill()
        elif scene.stats.recovered > self._recovered:
            self._tell_what_came_back(scene.stats.recovered)

    def _kill(self) -> None:
        self._crew.kill(plan.VICTIM)
        self._killed_s = time.monotonic()
        crew = [w for w in self._limpet.workers() if w.queue == self._queue.name]
        ids = {worker.id for worker in crew if worker.name == plan.VICTIM}
        running = self._queue.inspect(0, 100, State.RUNNING)
        in_hand = [job.id for job in running if job.worker in ids]
        self._notes.note("killed", at=self._killed_s, worker=plan.VICTIM, in_hand=in_hand)
        self._tell(f"{plan.VICTIM} is killed with {len(in_hand)} jobs in hand")

    def _tell_what_came_back(self, recovered: int) -> None:
        new, self._recovered = recovered - self._recovered, recovered
        killed_s = self._killed_s
        after = "" if killed_s is None else f", {time.monotonic() - killed_s:.1f} s after the kill"
        self._tell(f"{new} jobs are back at the front{after}")

    def _tell(self, text: str) -> None:
        self._seen.tell(self._at_s(), text)

    def _over(self) -> bool:
        if self._at_s() > plan.GIVE_UP_S:
            self._tell("time is up")
            return True
        return self._pushed and self._queue.stats().completed >= plan.JOBS

    def _end(self) -> None:
        stats = self._queue.stats()
        self._tell(f"{stats.completed} jobs are done")
        counts = ("waiting", "parked", "scheduled", "running", "dead", "completed")
        self._notes.note("end", counts={name: getattr(stats, name) for name in counts})
