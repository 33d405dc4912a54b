"""Where in a value something is wrong: `args[0].street`, put together only when it is needed."""

from typing import Union

from limpet.errors import PayloadError

#: The way down to a part: the way to what it is in, and its index or its name there.
Trail = tuple[Union["Trail", None], int | str]


def start(name: str) -> Trail:
    """Begin at the top."""
    return None, name


def written(trail: Trail) -> str:
    """Write the way as Python would."""
    parts: list[str] = []
    step: Trail | None = trail
    while step is not None:
        step, part = step
        parts.append(f"[{part}]" if isinstance(part, int) else part)
    return "".join(reversed(parts))


def refuse(trail: Trail, why: str) -> PayloadError:
    """Make the error that names the part and the reason."""
    return PayloadError(f"{written(trail)}: {why}")
