"""Medians, spreads and percentiles of samples; pure."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """A handful of samples in three numbers."""

    median: float
    low: float
    high: float
    count: int

    @property
    def spread(self) -> float:
        """How far apart the samples are, as a part of the median."""
        return (self.high - self.low) / self.median if self.median else 0.0


def summary(samples: Sequence[float]) -> Summary | None:
    """Sum samples up; None if there are none."""
    if not samples:
        return None
    return Summary(statistics.median(samples), min(samples), max(samples), len(samples))


def percentile(samples: Sequence[float], part: float) -> float | None:
    """Give the smallest sample that is not below this part (0 ... 1) of all."""
    if not samples:
        return None
    ordered = sorted(samples)
    place = max(0, -(-len(ordered) * part // 1) - 1)
    return ordered[int(place)]
