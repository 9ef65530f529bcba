"""Zayatz' model: population uniques by Bayes' rule (Zayatz 1991; Dankar et al. 2012).

Population classes are taken to have sizes in the same shares p_j as those of the sample. The chance that a class of one
in the sample is one of one in the population is then

    P(F = 1 | f = 1) = p_1 h_1 / (sum over j of p_j h_j),     h_j = j n / N times the product over 0 < i < j of
                                                                    (N - n - i + 1) / (N - i),

h_j being the hypergeometric chance that a class of j leaves one record in the sample. The estimate is
s_1 P(F = 1 | f = 1) N / n.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def zayatz(sizes: NDArray[np.int64], classes: NDArray[np.int64], people: float) -> float | None:
    """Return the expected uniques among so many people; 0 where the sample has none, None without any class."""
    if not len(sizes):
        return None
    if sizes[0] != 1:
        return 0.0
    n = int(sizes @ classes)
    i = np.arange(1, int(sizes[-1]))
    # Sizes above N - n + 1 cannot leave one record only; the last factor before is 0 already, if N is whole.
    factors = np.maximum(people - n - i + 1, 0.0) / (people - i)
    chances = sizes * np.append(1.0, np.cumprod(factors))[sizes - 1]  # h_j N / n
    conditional = classes[0] * chances[0] / (classes @ chances)
    return float(classes[0] * conditional * people / n)
