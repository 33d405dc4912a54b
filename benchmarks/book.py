"""The book of a run: every sample of every measure, and what went wrong."""

import json
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.stats import Summary, percentile, summary

Samples = dict[str, dict[str, list[float]]]


@dataclass
class Book:
    """Samples by measure and subject; a subject is a queue, or a size."""

    samples: Samples = field(default_factory=dict)
    #: Subject -> why it is not in the comparison.
    trouble: dict[str, str] = field(default_factory=dict)
    #: Samples that were kept although the machine was not quiet.
    noisy: list[str] = field(default_factory=list)
    repeated: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    def note(self, measure: str, subject: str, *values: float | None) -> None:
        """Write samples down; None is not one."""
        kept = self.samples.setdefault(measure, {}).setdefault(subject, [])
        kept += [value for value in values if value is not None]

    def summary(self, measure: str, subject: str) -> Summary | None:
        """Sum up the samples of a subject."""
        return summary(self.samples.get(measure, {}).get(subject, []))

    def median(self, measure: str, subject: str) -> float | None:
        """Give the median of a subject."""
        found = self.summary(measure, subject)
        return found.median if found else None

    def ratio(self, above: tuple[str, str], below: tuple[str, str]) -> float | None:
        """Relate two (measure, subject): the median of the ratios of samples taken side by side.

        Where the samples do not pair, the ratio of the medians.
        """
        mine = self.samples.get(above[0], {}).get(above[1], [])
        other = self.samples.get(below[0], {}).get(below[1], [])
        if not mine or not other or not all(other):
            return None
        if len(mine) == len(other):
            return statistics.median(a / b for a, b in zip(mine, other, strict=True))
        return statistics.median(mine) / statistics.median(other)

    def percentile(self, measure: str, subject: str, part: float) -> float | None:
        """Give a percentile of a subject."""
        return percentile(self.samples.get(measure, {}).get(subject, []), part)

    def subjects(self, measure: str) -> list[str]:
        """List who has samples of a measure."""
        return [name for name, kept in self.samples.get(measure, {}).items() if kept]

    def best(
        self, measure: str, among: Iterable[str], *, least: bool = False
    ) -> tuple[str, float] | None:
        """Find the subject with the highest (or lowest) median, leaving out those not measured."""
        found = [(name, m) for name in among if (m := self.median(measure, name)) is not None]
        if not found:
            return None
        return (min if least else max)(found, key=lambda pair: pair[1])

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def load(path: Path) -> "Book":
        """Read it again."""
        return Book(**json.loads(path.read_text(encoding="utf-8")))
