"""A nightly chore, and how to try it by day.

limpet worker nightly:app        fires it at three o'clock in Berlin; start as many as you like
limpet cron ls                   what is planned
limpet cron run nightly          run it now
"""

from datetime import UTC, datetime, timedelta

from limpet import App, Job

app = App(name="nightly")


@app.task(queue="chores", retry=3, timeout="1h")
def tidy(job: Job, keep_days: int) -> None:
    """Remove what is old. One run per night, whoever's clock is wrong."""
    before = datetime.now(UTC) - timedelta(days=keep_days)
    print(f"removing all from before {before:%Y-%m-%d}, delivery {job.deliveries}", flush=True)


@app.task(queue="chores")
def pulse() -> None:
    """Show that somebody is at work."""
    print("pulse", flush=True)


# missed="once": if no worker was there at three, the first one that comes makes up for it.
# overlap="skip": if last night's run is not over, tonight's is left out.
app.cron("nightly", "0 3 * * *", tidy, 30, tz="Europe/Berlin", missed="once", overlap="skip")
app.every("pulse", "1s", pulse, missed="skip")
