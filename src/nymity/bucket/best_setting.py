"""What a method answers with, and what it is told beside the problem."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from nymity.bucket.problem import BucketProblem, Ints
from nymity.core.progress import Observer, Progress, report, silent


@dataclass(frozen=True, eq=False)
class BestSetting:
    """The best setting found (n_sizes,), none if there was none, and a lower bound of the loss where one is proved.

    ``complete``: everything the method ranges over was searched.
    """

    buckets: Ints | None
    bound: int | None = None
    complete: bool = False

    @classmethod
    def best(cls, problem: BucketProblem, buckets: Ints | None) -> BestSetting:
        """Return the best of a search that left nothing out."""
        return cls(buckets, None if buckets is None else problem.loss(buckets), complete=True)


@dataclass(frozen=True, kw_only=True)
class Watch:
    """Until when to search, and who is told about it."""

    until: float = float("inf")
    observe: Observer = silent

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.until - monotonic()

    def report(self, stage: str, done: int, total: int | None = None, best: int | None = None) -> None:
        """Report to the observer, and stop if it asks for that."""
        report(self.observe, Progress(stage=stage, done=done, total=total, best=best))
