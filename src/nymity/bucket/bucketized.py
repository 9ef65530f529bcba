"""What a bucket method answers with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nymity.bucket.outcome import Plan
from nymity.table.bucket_recoding import BucketRecoding
from nymity.table.outcome import MethodLoss, WithoutLattice


@dataclass(frozen=True, kw_only=True)
class BucketLoss(MethodLoss):
    """What bucket methods keep small: (size - 1)² summed over buckets (Wang 2014, equation 3.2)."""

    key = "bucket-loss"
    title = "bucket loss, the sum of (size - 1)² over buckets"


@dataclass(frozen=True, eq=False, kw_only=True)
class BucketOutcome(WithoutLattice):
    """Buckets as a recoding, and the ``plan`` they were filled by, where there was one.

    A plan proves something of all plans if its method ranges over all: what holds among two sizes is not said here.
    """

    recoding: BucketRecoding
    loss: float
    plan: Plan | None = None
    minimized: BucketLoss = BucketLoss()
    suppressed: int = 0

    @property
    def classes(self) -> int:
        """Number of buckets."""
        return self.recoding.slots.n_buckets

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no plan loses less."""
        return self.bound == self.loss

    @property
    def bound(self) -> float | None:
        """What the loss was proved not to fall below."""
        if self.plan is None or self.plan.bound is None or self.plan.method not in ("best", "optimal"):
            return None
        return float(self.plan.bound)

    def searched(self) -> dict[str, Any]:
        """Return the sizes of buckets, and how many there are of each."""
        sizes, buckets = np.unique(self.recoding.slots.sizes, return_counts=True)
        return {"bucket_sizes": sizes.tolist(), "buckets": buckets.tolist()}

    def chosen_by_values(self, *, promised: bool) -> str:
        """Nothing was: buckets are planned on counts that the release shows anyway, and filled at random."""
        return ""
