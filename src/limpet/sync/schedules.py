# Generated from src/limpet/aio/schedules.py by `python3 dev.py docs`; edit that file.
"""Schedules of a queue: jobs that are pushed again and again, by the clock."""

from limpet.commands import schedules
from limpet.commands.schedules import Spec
from limpet.flows import schedules as schedule_flows
from limpet.intake import Item, new_job, recurring, schedule_name_of
from limpet.options import Duration, Payload
from limpet.sync.base import QueueBase
from limpet.tasks.cron import Missed, Overlap, timing
from limpet.values import Pushed, ScheduleView


class Schedules(QueueBase):
    """Schedule, unschedule, list, run now."""

    def schedule(
        self,
        name: str,
        item: Payload | Item,
        cron: str | None = None,
        *,
        every: Duration | None = None,
        tz: str = "UTC",
        missed: Missed = "once",
        overlap: Overlap = "skip",
        owner: str = "",
    ) -> bool:
        """Push a job again and again. Any worker of this queue fires; each time has one effect.

        The same name again changes the schedule; if nothing differs, its next time stays.

        Args:
            name: How the schedule is called, one per queue and name.
            item: The payload, or an `Item` with the options of its jobs.
            cron: When, such as "0 3 * * *"; with six fields the first one is seconds.
            every: Or how often, such as "15m", counted from 1970-01-01 UTC.
            tz: The time zone of the expression.
            missed: What becomes of times at which no worker was there: "once" one run for all of
                them, "skip" none for those over a minute late, "all" one each, at most 1,000.
            overlap: "skip" a time while the last run is not over, or "queue" it all the same.
            owner: The app that takes it away when it does not declare it any more.

        Returns:
            Whether anything changed.
        """
        named = schedule_name_of(name)
        when = timing(cron, every=every, tz=tz, missed=missed, overlap=overlap)
        job = new_job(self.policy, recurring(item if isinstance(item, Item) else Item(item)))
        spec = Spec(when, job.payload, job.how(), owner)
        self._limpet.register(self.name)
        changed = self._run(schedule_flows.save(self._keys, named, spec))
        if changed:  # somebody may have dropped the queue since it was registered
            self._limpet.register(self.name, again=True)
        return changed

    def unschedule(self, name: str) -> bool:
        """Remove a schedule; jobs that it pushed stay. Answers whether there was one."""
        return self._send(schedules.unschedule(self._keys, schedule_name_of(name)))

    def schedules(self) -> list[ScheduleView]:
        """Show all schedules, the next to fire first."""
        return self._run(schedule_flows.views(self._keys))

    def run_schedule(self, name: str) -> Pushed | None:
        """Push the job of a schedule now; its times stay. None if there is no such schedule."""
        flow = schedule_flows.run_now(self._keys, schedule_name_of(name))
        ids = self._run(flow)
        return Pushed(self.name, ids[-1]) if ids else None

    def clear_schedules(
        self, owner: str, declared: frozenset[str], roots: frozenset[str] | None
    ) -> int:
        """Remove what an app declared earlier and no longer does; answers how many."""
        return self._run(schedule_flows.clear(self._keys, owner, declared, roots))
