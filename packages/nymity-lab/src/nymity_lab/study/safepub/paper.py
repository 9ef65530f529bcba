"""What Bild, Kuhn and Prasser (2018) print; on other methods: :mod:`nymity_lab.dp.comparators.printed_figures`."""

from __future__ import annotations

from typing import NamedTuple


class Dataset(NamedTuple):
    """A row of table 1: delta for epsilon 1, and the probability that an epsilon of 2 does not hold."""

    attributes: int
    records: int
    nodes: int
    delta: float
    later: float


#: Table 1.
DATASETS = {
    "US Census": Dataset(9, 30_162, 19_440, 1e-5, 1e-9),
    "Crash statistics": Dataset(8, 100_937, 15_552, 1e-6, 2e-11),
    "Time use survey": Dataset(9, 539_253, 34_992, 1e-6, 2e-11),
    "Health interviews": Dataset(8, 1_193_504, 14_580, 1e-7, 4e-14),
}
#: Section 7.3: k for epsilon 1 and delta 1e-6.
SMOOTH_K, SMOOTH_DELTA = 75, 1e-6
#: Section 7.2: the longest time to find k, in seconds.
LONGEST = 37
#: Section 8.5: the least and the largest loss by a model, what sampling takes, and the gap to the optimum.
LOSSES = {"entropy": (0.71, 0.83), "discernibility": (0.41, 0.43)}
SAMPLING_LOSS, GAP, GROUP_SIZE = 0.41, 0.03, 0.02
#: Section 8.3: gaps of single draws, of group size at most, of entropy for the largest and the smallest epsilon.
GROUP_GAP, ENTROPY_GAPS = 0.04, (0.31, 0.49)
