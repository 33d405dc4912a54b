"""Schedules of an app: tasks that run again and again, by the clock."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from limpet.app.base import AppBase
from limpet.app.items import TaskItem
from limpet.app.task import Enqueuing
from limpet.errors import ConfigError
from limpet.intake import Item, recurring, schedule_name_of
from limpet.options import Duration
from limpet.tasks.cron import Missed, Overlap, Timing, timing
from limpet.values import ScheduleView

if TYPE_CHECKING:
    from limpet.aio import AsyncLimpet

#: The name of an app that was given none.
NAMELESS = "app"

AnyTask: TypeAlias = Enqueuing[..., Any]


@dataclass(frozen=True, slots=True)
class Declared:
    """A schedule that the program declares; a worker writes it when it starts."""

    name: str
    queue: str
    item: Item
    timing: Timing

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `Queue.schedule` that say when."""
        when, every = self.timing, self.timing.every_ms
        said = {"cron": when.cron, "every": None if every is None else every / 1000}
        return said | {"tz": when.tz, "missed": when.missed, "overlap": when.overlap}


class Scheduling(AppBase):
    """Declare schedules, write them, list them, remove them."""

    # What a call of the task takes can be checked by types only in `task.item(...)`.
    @overload
    def cron(
        self,
        name: str,
        cron: str,
        task: TaskItem[Any],
        /,
        *,
        tz: str = "UTC",
        missed: Missed = "once",
        overlap: Overlap = "skip",
    ) -> None: ...
    @overload
    def cron(
        self,
        name: str,
        cron: str,
        task: AnyTask,
        /,
        *args: Any,
        tz: str = "UTC",
        missed: Missed = "once",
        overlap: Overlap = "skip",
        **kwargs: Any,
    ) -> None: ...
    def cron(
        self,
        name: str,
        cron: str,
        task: AnyTask | TaskItem[Any],
        /,
        *args: Any,
        tz: str = "UTC",
        missed: Missed = "once",
        overlap: Overlap = "skip",
        **kwargs: Any,
    ) -> None:
        """Declare that a task runs at certain times. Nothing is sent: workers do that at start.

        Whichever worker serves the task's queue fires; each time fires once. When it is declared
        differently, or no longer, the next worker that starts changes it or takes it away.

        Args:
            name: How the schedule is called; one per app and name.
            cron: When, such as "0 3 * * *"; with six fields the first one is seconds.
            task: What runs: a task, followed by its arguments, or `task.item(...)`.
            args: Arguments of the task.
            tz: The time zone of the expression.
            missed: What becomes of times at which no worker was there: "once" one run for all of
                them, "skip" none for those over a minute late, "all" one each, at most 1,000.
            overlap: "skip" a time while the last run is not over, or "queue" it all the same.
            kwargs: Arguments of the task.
        """
        when = timing(cron, tz=tz, missed=missed, overlap=overlap)
        self._declare(name, _item(task, args, kwargs), when)

    @overload
    def every(
        self,
        name: str,
        interval: Duration,
        task: TaskItem[Any],
        /,
        *,
        missed: Missed = "once",
        overlap: Overlap = "skip",
    ) -> None: ...
    @overload
    def every(
        self,
        name: str,
        interval: Duration,
        task: AnyTask,
        /,
        *args: Any,
        missed: Missed = "once",
        overlap: Overlap = "skip",
        **kwargs: Any,
    ) -> None: ...
    def every(
        self,
        name: str,
        interval: Duration,
        task: AnyTask | TaskItem[Any],
        /,
        *args: Any,
        missed: Missed = "once",
        overlap: Overlap = "skip",
        **kwargs: Any,
    ) -> None:
        """Declare that a task runs every so often, such as "15m"; else as `cron`.

        The interval counts from 1970-01-01 UTC: "15m" is at every full quarter of an hour.
        """
        when = timing(every=interval, missed=missed, overlap=overlap)
        self._declare(name, _item(task, args, kwargs), when)

    def _declare(self, name: str, item: TaskItem[Any], when: Timing) -> None:
        if item.task.app is not self:
            raise ConfigError(f"task {item.task.name} belongs to another app")
        made = Declared(schedule_name_of(name), item.queue, recurring(item.item), when)
        if self._declared.setdefault(name, made) != made:
            raise ConfigError(
                f"there are two schedules named {name!r}; give one of them another name"
            )

    # -- on the server ----------------------------------------------------------------------

    def save_schedules(self) -> None:
        """Write the declared schedules, and remove those declared earlier and no longer."""
        for made in self._declared.values():
            self.limpet.queue(made.queue).schedule(
                made.name, made.item, **made.options, owner=self.name
            )
        for queue in self.limpet.queues():
            self.limpet.queue(queue).clear_schedules(
                self.name, self._declared_in(queue), self._roots
            )

    async def asave_schedules(self, client: "AsyncLimpet | None" = None) -> None:
        """As `save_schedules`, without blocking the event loop; a worker calls it at its start."""
        limpet = client or self.alimpet
        for made in self._declared.values():
            await limpet.queue(made.queue).schedule(
                made.name, made.item, **made.options, owner=self.name
            )
        for queue in await limpet.queues():
            await limpet.queue(queue).clear_schedules(
                self.name, self._declared_in(queue), self._roots
            )

    def _declared_in(self, queue: str) -> frozenset[str]:
        return frozenset(made.name for made in self._declared.values() if made.queue == queue)

    @property
    def _roots(self) -> frozenset[str] | None:
        """How names of our tasks begin; None: an app with a name of its own knows its own."""
        if self.name != NAMELESS:
            return None
        return frozenset(task.partition(".")[0] for task in self.tasks)

    def schedules(self) -> list[ScheduleView]:
        """Show the schedules of all queues, declared here or not, the next to fire first."""
        found = [
            view for queue in self.limpet.queues() for view in self.limpet.queue(queue).schedules()
        ]
        return sorted(found, key=lambda view: view.next_at)

    async def aschedules(self) -> list[ScheduleView]:
        """As `schedules`, without blocking the event loop."""
        found = [
            view
            for queue in await self.alimpet.queues()
            for view in await self.alimpet.queue(queue).schedules()
        ]
        return sorted(found, key=lambda view: view.next_at)

    def unschedule(self, name: str) -> bool:
        """Remove a schedule, in whichever queue it is; answers whether there was one.

        If it is still declared, the next worker that starts writes it again.
        """
        queues = [view.queue for view in self.schedules() if view.name == name]
        removed = [self.limpet.queue(queue).unschedule(name) for queue in queues]
        return any(removed)

    async def aunschedule(self, name: str) -> bool:
        """As `unschedule`, without blocking the event loop."""
        queues = [view.queue for view in await self.aschedules() if view.name == name]
        removed = [await self.alimpet.queue(queue).unschedule(name) for queue in queues]
        return any(removed)


def _item(
    task: AnyTask | TaskItem[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> TaskItem[Any]:
    """Bind the call that a schedule makes."""
    if isinstance(task, TaskItem):
        if args or kwargs:
            raise ConfigError("the arguments of an item are in the item: leave out the others")
        return task
    if not isinstance(task, Enqueuing):
        raise ConfigError(f"a schedule runs a task of this app, this is {task!r:.100}")
    return task.item(*args, **kwargs)
