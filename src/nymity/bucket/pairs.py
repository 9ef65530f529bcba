"""Every two sizes, and the settings of each in a row (Wang 2014, section 5.3.1).

All (b_1, b_2) with b_1 S_1 + b_2 S_2 = n, most small buckets first, are (b_1 - k d_1, b_2 + k d_2) for k = 0 ... last,
where d_1 = lcm / S_1 and d_2 = lcm / S_2. Each step adds the same to the loss, which is positive because (S - 1)^2 / S
grows with S: the first valid setting of two sizes is their best (lemma 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.bucket.problem import BucketProblem, Ints


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of sizes that have a setting, all arrays (n_pairs,).

    small, large: positions of the sizes. b1, b2: the first setting. step1, step2: d_1 and d_2. loss: of the first
    setting. slope: what a step adds to it.
    """

    small: Ints
    large: Ints
    b1: Ints
    b2: Ints
    step1: Ints
    step2: Ints
    last: Ints
    loss: Ints
    slope: Ints

    @classmethod
    def of(cls, problem: BucketProblem) -> Pairs:
        """Return all pairs; a single size is a pair with itself, of which the second has no bucket."""
        n, sizes = problem.n_records, problem.sizes
        small, large = np.triu_indices(len(sizes), 1) if len(sizes) > 1 else (np.zeros(1, np.int64),) * 2
        common = np.gcd(sizes[small], sizes[large])
        step1, step2 = sizes[large] // common, sizes[small] // common
        inverse = [pow(s, -1, t) for s, t in zip(step1.tolist(), step2.tolist(), strict=True)]
        b2 = n // common % step2 * np.array(inverse, dtype=np.int64) % step2  # b_2 S_2 = n modulo S_1
        b1 = (n - sizes[large] * b2) // sizes[small]
        slope = step2 * problem.costs[large] - step1 * problem.costs[small]
        loss = b1 * problem.costs[small] + b2 * problem.costs[large]
        last = np.where(slope > 0, b1 // step1, 0)
        every = cls(small, large, b1, b2, step1, step2, last, loss, np.maximum(slope, 1))
        return every.take(np.flatnonzero((n % common == 0) & (b1 >= 0)))

    def take(self, chosen: Ints) -> Pairs:
        """Return some of the pairs."""
        return Pairs(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    def setting(self, problem: BucketProblem, pair: int, k: int) -> Ints:
        """Return the k-th setting of a pair as numbers of buckets of each size (n_sizes,)."""
        buckets = np.zeros(len(problem.sizes), dtype=np.int64)
        buckets[self.small[pair]] += self.b1[pair] - k * self.step1[pair]
        buckets[self.large[pair]] += self.b2[pair] + k * self.step2[pair]
        return buckets

    def valid(self, problem: BucketProblem, pair: int, k: Ints) -> NDArray[np.bool_]:
        """Return which of these settings of a pair satisfy theorem 1, as it is written."""
        small, large, counts = self.small[pair], self.large[pair], problem.counts[:, None]
        b1, b2 = self.b1[pair] - k * self.step1[pair], self.b2[pair] + k * self.step2[pair]
        a1 = np.minimum(problem.caps[:, small, None] * b1, counts)  # (n_values, n_settings)
        a2 = np.minimum(problem.caps[:, large, None] * b2, counts)
        private = (a1 + a2 >= counts).all(axis=0)
        filled = (a1.sum(axis=0) >= problem.sizes[small] * b1) & (a2.sum(axis=0) >= problem.sizes[large] * b2)
        found: NDArray[np.bool_] = private & filled
        return found
