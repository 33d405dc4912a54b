"""The tasks of a thumbnail service. Run it with: limpet worker service:app."""

from pathlib import Path

import pictures

from limpet import App, Job

app = App(name="thumbnails")


@app.task(
    queue="thumbnails",
    runs_in="process",  # shrinking is work for the processor, and must not hold up other jobs
    timeout="1m",  # a process can be killed, whatever the code in it does
    unique=("source", "width"),
    result_ttl="1h",
    retry=3,
    give_up_on=pictures.NoPictureError,  # it will be none the next time either
)
def thumbnail(job: Job, source: Path | str, width: int = 32) -> str:
    """Make a thumbnail beside the picture; answers the path of its file."""
    picture = pictures.read(Path(source))
    rows: list[bytes] = []
    for row in pictures.shrink(picture, width):
        rows.append(row)
        job.progress(min(1.0, len(rows) * picture.width / width / picture.height))
    target = Path(source).with_suffix(".thumb.ppm")
    small = pictures.Picture(len(rows[0]) // 3, len(rows), b"".join(rows))
    pictures.write(target, small)
    return str(target)


@app.task(queue="thumbnails", result_ttl="1h")
def summary(job: Job) -> str:
    """Say how a batch went; runs when all of it ended."""
    tally = job.tally
    return f"{tally.done} done, {tally.failed} failed" if tally else "nothing to do"
