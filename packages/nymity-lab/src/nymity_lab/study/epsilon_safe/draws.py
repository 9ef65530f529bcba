"""How nodes are drawn: chances of all nodes from their suppressed records, as published and as they are here.

With n sampled records, S(x) of them suppressed at node x, and G(x) the mean of level by height, both draw by
e^(-rate · (n G + f S)). The rate is epsilon / (1 + f k) here, which is private. The thesis has epsilon / 2 f k
(equation 3.10 over 2 Δu = 2 f k / n, suppressed shares in percent, so that its f is a hundredth of ours).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nymity.dp.interpolation import Interpolation
    from nymity.table.encoding import EncodedTable

PUBLISHED, PRIVATE = "as published", "private"


@dataclass(frozen=True, eq=False, kw_only=True)
class Nodes:
    """All nodes of a sample's lattice: records times G, and suppressed records, counted or interpolated, (nodes,)."""

    sample: EncodedTable
    k: int
    general: NDArray[np.float64]
    suppressed: NDArray[np.float64]

    @staticmethod
    def of(sample: EncodedTable, k: int, interpolation: str | Interpolation | None = None) -> Nodes:
        """Count, or interpolate."""
        import numpy as np

        from nymity.dp.epsilon_safe import LevelsAndSuppression, level_shares
        from nymity.lattice.space import Space

        space, score = Space.of(sample), LevelsAndSuppression(sample, k, 1, interpolation)
        degree = space.levels() @ np.array([float(share) for share in level_shares(sample)])
        suppressed = np.asarray(score.suppressed(space) / score.denominator, dtype=np.float64)
        return Nodes(sample=sample, k=k, general=degree * sample.n_records, suppressed=suppressed)

    @cached_property
    def good(self) -> NDArray[np.bool_]:
        """Return which nodes are good: always by counts."""
        from nymity.dp.good_nodes import good_nodes

        return good_nodes(self.sample, k=self.k)

    def chances(self, epsilon: float, penalty: float, form: str) -> NDArray[np.float64]:
        """Return how probable each node is."""
        import numpy as np

        rate = epsilon / (1 + penalty * self.k if form == PRIVATE else 2 * penalty * self.k)
        exponents = -rate * (self.general + penalty * self.suppressed)
        weights = np.exp(exponents - exponents.max())
        return np.asarray(weights / weights.sum())

    def good_chance(self, epsilon: float, penalty: float, form: str) -> float:
        """Return how probable good nodes are together."""
        return float(self.chances(epsilon, penalty, form)[self.good].sum())
