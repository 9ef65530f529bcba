"""Figures that Bild, Kuhn and Prasser (2018) print for other methods. None of them was computed here.

Curves of figures 15 to 18 are not transcribed: only what the text and the tables say in numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class PublishedAccuracy:
    """Table 3: absolute accuracies of a competitor, as its authors report it, and of SafePub; epsilon = 1."""

    algorithm: str
    dataset: str
    competitor: float
    safepub: float


@dataclass(frozen=True, kw_only=True)
class PublishedDuel:
    """Table 4: SafePub against DiffGen; epsilon = 1, seconds (mean, deviation), and largest relative accuracies.

    A relative accuracy is 0 for always answering the most frequent class, and 1 for a tree learned from the original.
    """

    dataset: str
    target: str
    safepub_seconds: tuple[float, float]
    diffgen_seconds: tuple[float, float]
    safepub: float
    diffgen: float


#: Table 3; standard deviations below 0.02.
ACCURACIES = (
    PublishedAccuracy(algorithm="DiffP-C4.5", dataset="US Census", competitor=0.821, safepub=0.809),
    PublishedAccuracy(algorithm="LDA", dataset="US Census", competitor=0.808, safepub=0.815),
    PublishedAccuracy(algorithm="DPNB", dataset="US Census", competitor=0.82, safepub=0.812),
    PublishedAccuracy(algorithm="DPNB", dataset="Nursery", competitor=0.90, safepub=0.837),
    PublishedAccuracy(algorithm="SDQ", dataset="Nursery", competitor=0.799, safepub=0.838),
)

#: Table 2: number of classes by data set and target, its first and second one.
CLASSES: Mapping[tuple[str, str], int] = MappingProxyType(
    {
        ("US Census", "Marital status"): 8,
        ("US Census", "Salary class"): 2,
        ("Crash statistics", "Hispanic origin"): 10,
        ("Crash statistics", "Race"): 20,
        ("Time use survey", "Marital status"): 7,
        ("Time use survey", "Sex"): 3,
        ("Health interviews", "Marital status"): 10,
        ("Health interviews", "Education"): 26,
    }
)

_SECONDS_AND_ACCURACIES = (
    ((4.8, 1.0), (16.2, 0.7), 0.920, 0.850),
    ((5.1, 1.3), (21.9, 0.6), 0.873, 0.792),
    ((8.8, 0.7), (18.5, 1.6), 0.997, 0.979),
    ((8.9, 0.6), (6.5, 2.5), 0.999, 0.983),
    ((54.2, 4.5), (28.7, 0.7), 0.936, 0.910),
    ((55.3, 2.0), (30.9, 0.6), 0.999, 0.997),
    ((98.0, 5.8), (61.1, 2.2), 0.877, 0.94),
    ((103.5, 9.2), (65.0, 2.1), 0.991, 0.640),
)

#: Table 4, of which figure 17 shows the course: trees learned from 2/3 of the records, 20 repetitions.
DUELS = tuple(
    PublishedDuel(
        dataset=dataset, target=target, safepub_seconds=ours, diffgen_seconds=theirs, safepub=safepub, diffgen=diffgen
    )
    for (dataset, target), (ours, theirs, safepub, diffgen) in zip(CLASSES, _SECONDS_AND_ACCURACIES, strict=True)
)

#: Section 8.7.1: about how many steps DiffGen could make, and the most that SafePub made.
DIFFGEN_STEPS, SAFEPUB_STEPS = 20, 300

#: Section 8.6, figure 16: the least and about the largest average relative accuracy at 300 steps, their deviation, and
#: what sampling alone and k-anonymity alone reach at least.
SAFEPUB_LEAST, SAFEPUB_LARGEST, SAFEPUB_DEVIATION, BASELINES_LEAST = 0.82, 0.99, 0.05, 0.97

#: Section 8.7.2, the approach of Fouad et al. on Health interviews: share of records removed, attributes suppressed of
#: how many, and the least and largest loss of quality. On the other data sets nothing is left.
FOUAD_REMOVED, FOUAD_SUPPRESSED, FOUAD_LOSS = 0.68, (7, 8), (0.97, 0.99)
