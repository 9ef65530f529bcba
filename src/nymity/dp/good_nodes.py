"""Good nodes (Li 2019, section 4.2): how probable is it that a useful one is drawn?

All of this is computed from records and private: for the custodian's eyes, for studies, and to tune on public data.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import lcm

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.validation import whole_number
from nymity.dp.epsilon_safe import EpsilonSafeLattice, LevelsAndSuppression, level_shares
from nymity.dp.parameters import Number, fraction_between
from nymity.lattice.space import Space
from nymity.table.encoding import EncodedTable

#: A good node suppresses a smaller share of the records, and generalizes less.
MOST_SUPPRESSED, MOST_GENERALIZED = Fraction(15, 100), Fraction(6, 10)


def good_nodes(sample: EncodedTable, *, k: int) -> NDArray[np.bool_]:
    """Return which nodes, (size,) in C order, suppress less than 15% of the records and have G below 0.6, exactly."""
    whole_number("k", k, at_least=1)
    space, shares = Space.of(sample), level_shares(sample)
    suppressed = LevelsAndSuppression(sample, k, 1).suppressed(space)
    # Object arrays hold whole numbers of any size: strictly less is decided exactly, where float sums would round.
    scale = lcm(MOST_GENERALIZED.denominator, *(share.denominator for share in shares))
    general = space.levels().astype(object) @ np.array([int(share * scale) for share in shares], dtype=object)
    few = suppressed * MOST_SUPPRESSED.denominator < MOST_SUPPRESSED.numerator * sample.n_records
    return np.asarray(few & (general < MOST_GENERALIZED * scale).astype(np.bool_))


def good_node_probability(
    sample: EncodedTable,
    *,
    k: int,
    epsilons: Iterable[Number],
    penalties: Iterable[Number],
    interpolation: str | None = None,
) -> pl.DataFrame:
    """Return how probable good nodes are together: one row for each ``epsilon`` of the draw and each ``penalty``.

    Figures 5.1 and 5.3 of the thesis. What is good is always decided by counts, never by means.
    """
    good, space = good_nodes(sample, k=k), Space.of(sample)
    score = EpsilonSafeLattice(interpolation=interpolation).scored(sample, k)
    suppressed = score.suppressed(space) / score.denominator
    general = space.levels() @ np.array([float(share) for share in level_shares(sample)]) * sample.n_records
    rows = []
    for epsilon, penalty in product(epsilons, penalties):
        interval = EpsilonSafeLattice(penalty=float(penalty)).interval(k, Fraction(1))
        rate = float(fraction_between("epsilon", epsilon, 0) / interval)
        exponents = -rate * (general + float(penalty) * suppressed)
        # Less the largest, which leaves shares as they are and cannot overflow.
        weights = np.exp(exponents - exponents.max())
        rows.append((float(epsilon), float(penalty), float(weights[good].sum() / weights.sum())))
    return pl.DataFrame(rows, schema=dict.fromkeys(("epsilon", "penalty", "probability"), pl.Float64), orient="row")
