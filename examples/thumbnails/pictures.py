"""Pictures as PPM files, in pure Python: read, shrink, write, and draw a few to play with."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEAD = re.compile(rb"P6\s+(\d+)\s+(\d+)\s+255\s")


class NoPictureError(ValueError):
    """A file that is not a PPM picture."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of pixels, three bytes each."""

    width: int
    height: int
    pixels: bytes


def read(path: Path) -> Picture:
    """Read a binary PPM file."""
    raw = path.read_bytes()
    head = _HEAD.match(raw)
    if head is None:
        raise NoPictureError(f"{path.name} is not a PPM picture")
    width, height = int(head[1]), int(head[2])
    pixels = raw[head.end() :]
    if len(pixels) != 3 * width * height:
        raise NoPictureError(f"{path.name} is cut off")
    return Picture(width, height, pixels)


def write(path: Path, picture: Picture) -> None:
    """Write a file in one step: who looks sees all of it or nothing."""
    draft = path.with_suffix(".part")
    draft.write_bytes(b"P6 %d %d 255\n" % (picture.width, picture.height) + picture.pixels)
    draft.replace(path)


def shrink(picture: Picture, width: int) -> Iterator[bytes]:
    """Give the rows of a smaller picture: each pixel is the mean of those it stands for."""
    step = max(1, math.ceil(picture.width / width))
    for top in range(0, picture.height - step + 1, step):
        yield bytes(
            value
            for left in range(0, picture.width - step + 1, step)
            for value in _mean(picture, left, top, step)
        )


def _mean(picture: Picture, left: int, top: int, step: int) -> tuple[int, int, int]:
    line = 3 * picture.width
    starts = (line * y + 3 * left for y in range(top, top + step))
    block = b"".join(picture.pixels[start : start + 3 * step] for start in starts)
    red, green, blue = (sum(block[colour::3]) // (step * step) for colour in range(3))
    return red, green, blue


def draw(path: Path, width: int, height: int, tint: int) -> None:
    """Draw a picture: colours that run into each other."""
    rows = (
        bytes(value for x in range(width) for value in (255 * x // width, 255 * y // height, tint))
        for y in range(height)
    )
    write(path, Picture(width, height, b"".join(rows)))
