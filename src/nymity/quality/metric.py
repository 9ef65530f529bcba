"""Metric: what a release lost or kept, told from the release and its original alone.

A loss leads a search, so it has a bound; a metric is computed once from a finished release, so it needs none. It is
prepared for the original once, and the prepared metric is a function of what was published.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from nymity.quality.published_rows import PublishedRows

#: What a metric looks at: single cells, rows that look alike, distributions, or what a release is used for.
Group = Literal["cells", "classes", "distributions", "tasks"]
GROUPS: tuple[Group, ...] = ("cells", "classes", "distributions", "tasks")

#: Which of two values is the better one.
Better = Literal["lower", "higher"]


@dataclass(frozen=True, kw_only=True)
class MetricValue:
    """The value of a metric, of each attribute where it is made of those; or why it has none."""

    value: float | None = None
    attributes: Mapping[str, float] | None = None
    undefined: str | None = None


#: A metric prepared for one original.
PreparedMetric = Callable[[PublishedRows], MetricValue]


class Described:
    """What a loss or a metric says of itself: ``title`` is the definition in one line, ``plain`` a sentence for readers
    who have not heard of it, ``limits`` what it does not see.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    plain: ClassVar[str]
    group: ClassVar[Group]
    better: ClassVar[Better] = "lower"
    unit: ClassVar[str]
    limits: ClassVar[str]


class Metric(Described, ABC):
    """Subclasses are frozen keyword-only dataclasses of their parameters."""

    @property
    def name(self) -> str:
        """What tells it from others, as of a loss."""
        return self.key

    @abstractmethod
    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Prepare what depends on the original alone."""


def linked(measure: PreparedMetric) -> PreparedMetric:
    """Measure where rows can be matched with the original's, and say why not where they cannot."""

    def measured(published: PublishedRows) -> MetricValue:
        if published.links is None:
            return MetricValue(undefined=f"rows cannot be matched with the original's: {published.unlinked}")
        return measure(published)

    return measured
