"""1v1 (section 4.1.3): of two releases, is the one that a score prefers also the more useful one?

A score or a utility that does not tell the two apart counts half: it picks the better one every other time. (How the
thesis counted these it does not say.) Releases, not pairs, are what was drawn, so intervals resample releases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Pairs of each data set and algorithm, as in the thesis.
PAIRS = 1_000
#: Times that releases are drawn again for an interval.
RESAMPLES = 400
#: Scores and utilities nearer than this are equal.
TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Duels:
    """Releases of one data set by one algorithm, against each other.

    scores (n_scores, n), the higher the better, NaN where undefined; utilities (n_utilities, n).
    """

    scores: NDArray[np.float64]
    utilities: NDArray[np.float64]
    seed: int = 0

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """Different pairs of releases, (n_pairs, 2), as many as there are up to :data:`PAIRS`."""
        import numpy as np

        every = np.stack(np.triu_indices(self.scores.shape[1], 1), axis=1)
        if len(every) <= PAIRS:
            return every
        return every[np.sort(np.random.default_rng(self.seed).choice(len(every), PAIRS, replace=False))]

    @cached_property
    def outcomes(self) -> NDArray[np.float64]:
        """What each score is credited with, (n_scores, n_utilities, n_pairs): 1, 0, or 0.5 where either has a tie."""
        import numpy as np

        prefers, better = (_signs(values, self.pairs) for values in (self.scores, self.utilities))
        return np.asarray((1 + prefers[:, None] * better[None]) / 2)

    @cached_property
    def rates(self) -> NDArray[np.float64]:
        """The mean of outcomes, (n_scores, n_utilities); NaN where a score is defined for no pair."""
        import numpy as np

        return np.asarray(self._mean(np.ones((1, len(self.pairs))))[0])

    @cached_property
    def resampled(self) -> NDArray[np.float64]:
        """The same for releases drawn again with replacement, (RESAMPLES, n_scores, n_utilities)."""
        import numpy as np

        n = self.scores.shape[1]
        drawn = np.random.default_rng(self.seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
        return self._mean((drawn[:, self.pairs[:, 0]] * drawn[:, self.pairs[:, 1]]).astype(np.float64))

    @cached_property
    def ties(self) -> NDArray[np.float64]:
        """The share of pairs that are equally useful, (n_utilities,)."""
        return (_signs(self.utilities, self.pairs) == 0).mean(axis=1)  # type: ignore[no-any-return]

    @cached_property
    def generous(self) -> NDArray[np.float64]:
        """Rates if a pair that is equally useful counts as right, (n_scores, n_utilities)."""
        import numpy as np

        even = (_signs(self.utilities, self.pairs) == 0)[None]
        return np.asarray(np.where(even & ~np.isnan(self.outcomes), 1.0, self.outcomes).mean(axis=2))

    def _mean(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean outcomes by weights of the pairs (r, n_pairs): (r, n_scores, n_utilities)."""
        import numpy as np

        known = ~np.isnan(self.outcomes)
        shape, flat = self.outcomes.shape[:2], (-1, len(self.pairs))
        total = weights @ np.where(known, self.outcomes, 0).reshape(flat).T
        weight = weights @ known.reshape(flat).T.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (total / weight).reshape(len(weights), *shape)


def mean_with_interval(duels: Iterable[Duels], score: int, utility: int | None = None) -> tuple[float, float, float]:
    """Return the mean rate of a score over data sets and algorithms, and its 95% interval; over utilities too if None.

    Where a score is undefined it is left out; NaN if it is everywhere.
    """
    import numpy as np

    at = slice(None) if utility is None else slice(utility, utility + 1)
    found = [(d.rates[score, at].mean(), d.resampled[:, score, at].mean(axis=1)) for d in duels]
    found = [(rate, drawn) for rate, drawn in found if not np.isnan(rate)]
    if not found:
        return (np.nan, np.nan, np.nan)
    low, high = np.nanquantile(np.mean([drawn for _, drawn in found], axis=0), (0.025, 0.975))
    return float(np.mean([rate for rate, _ in found])), float(low), float(high)


def _signs(values: NDArray[np.float64], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each pair which is higher: 1 the first, -1 the second, 0 neither; NaN where one is undefined."""
    import numpy as np

    gap = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    return np.where(np.abs(gap) < TOLERANCE, np.where(np.isnan(gap), gap, 0.0), np.sign(gap))
