"""Ask the service for thumbnails: python client.py FOLDER. Without a folder it draws one."""

import sys
from pathlib import Path

import pictures
from service import app, summary, thumbnail

from limpet import JobFailed


def sample() -> Path:
    """Make a folder with three pictures, and a file that is none."""
    folder = Path("pictures")
    folder.mkdir(exist_ok=True)
    for number, name in enumerate(("anemone", "barnacle", "cockle"), 1):
        pictures.draw(folder / f"{name}.ppm", 160 * number, 120 * number, 80 * number)
    (folder / "driftwood.ppm").write_text("a piece of wood")
    return folder


def main(folder: Path) -> None:
    """Enqueue one job per picture, and show how each of them ended."""
    found = sorted(path for path in folder.glob("*.ppm") if not path.stem.endswith(".thumb"))
    calls = [thumbnail.item(str(path.resolve())) for path in found]
    batch = app.batch(calls, then=summary.item())
    print("enqueued", len(batch.jobs), flush=True)
    for path, job in zip(found, batch.jobs, strict=True):
        try:
            small = pictures.read(Path(job.result(timeout="30s")))
            print(f"{path.name}: {small.width} x {small.height}")
        except JobFailed as failed:
            print(f"{path.name}: {failed.message.splitlines()[0]}")
    if batch.then is not None:
        print("all:", batch.then.result(timeout="30s"))


if __name__ == "__main__":
    with app:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else sample())
