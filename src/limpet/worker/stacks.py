"""Stacks as text: of threads and of coroutines that wait."""

import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

#: So many frames are shown, those nearest to what happens now.
FRAMES = 12


def thread_lines(ident: int | None) -> list[str]:
    """Show where a thread is."""
    frame = sys._current_frames().get(ident or 0)  # noqa: SLF001 - there is no other way to see it
    return [] if frame is None else _lines(traceback.extract_stack(frame))


def coroutine_lines(coroutine: Any) -> list[str]:
    """Show where a coroutine awaits, from the outermost to what it waits for."""
    frames: list[tuple[FrameType, int]] = []
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is None:
            break
        frames.append((frame, frame.f_lineno))
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
    return _lines(traceback.StackSummary.extract(iter(frames)))


def _lines(stack: traceback.StackSummary) -> list[str]:
    found = stack[-FRAMES:]
    return [f"{f.filename}:{f.lineno} {f.name}: {f.line or ''}".rstrip(": ") for f in found]
