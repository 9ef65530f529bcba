"""Centres of classes: the mean, the median or the most frequent value of a column, and what is lost by them.

A mean is computed once for each class, in whole numbers, and written as one text with two decimals more than its column
has, halves to the even digit. A value that all records of a class share is written as it is. The median is the lower
one of an even number, so that it is a value of the class; of equally frequent values the first in order counts.

A centre stands for everything from the least to the greatest value of its class, the most frequent one for the values
of its class: for losses and attacks, for the release shows none of that. Classes with equal centres are one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nymity.partition.attributes import AttributeLayout
from nymity.partition.class_cells import merged_cells
from nymity.partition.geometry import Ints
from nymity.partition.problem import Assignment
from nymity.table.cells import Cells
from nymity.table.hierarchy import Label
from nymity.table.value_order import value_order

Centre = Literal["mean", "median", "mode"]
#: Decimals that a mean has beyond those of its column.
_FINER = 2


def centre_cells(attribute: AttributeLayout, assignment: Assignment, a: int, centre: Centre) -> tuple[Cells, Ints]:
    """Return the different cells of an attribute, and the number of the cell of each class (n_classes,)."""
    values, codes = assignment.values[a], attribute.occurring
    texts = [attribute.hierarchy.values[code] for code in codes.tolist()]
    order = value_order(attribute.hierarchy, codes)
    labels: list[Label] = _mean_texts(assignment, a, attribute, texts) if centre == "mean" else []
    if centre != "mean":
        labels = [texts[rank] for rank in _middles(attribute, assignment, a, centre).tolist()]
    covered = []
    for c in range(assignment.n_classes):
        ranks = values.ranks[values.starts[c] : values.starts[c + 1]]
        # A cell stands for what lies between the outermost values of its class, or for those that occur there.
        if centre == "mode" or len(ranks) == 1 or texts[ranks[0]] is None:
            covered.append(codes[ranks])
        else:
            covered.append(order.between(texts[ranks[0]], texts[ranks[-1]]))
        if len(ranks) == 1:
            labels[c] = texts[ranks[0]]
    cells, number = merged_cells(labels, covered, np.arange(assignment.n_classes))
    return Cells(cells.labels, cells.covered, cells.starts, "centres"), number


def within(attribute: AttributeLayout, assignment: Assignment, a: int, centre: Centre) -> float:
    """Return what lies within classes as a share of the same for all records together: 0 where these are alike."""
    ranks, weights = attribute.rank[assignment.combinations[:, a]], assignment.records
    everyone = np.zeros(len(ranks), dtype=np.int64)
    lost, whole = (
        _apart(attribute, ranks, classes, weights, centre, a, assignment) for classes in (assignment.classes, everyone)
    )
    return lost / whole if whole > 0 else 0.0


def _apart(
    attribute: AttributeLayout,
    ranks: Ints,
    classes: Ints,
    records: Ints,
    centre: Centre,
    a: int,
    assignment: Assignment,
) -> float:
    """Return the distances to centres, summed over records: squared from means, 1 from another value than the mode."""
    places = attribute.position[ranks]
    if centre == "mean":
        sizes = np.bincount(classes, weights=records)
        means = np.bincount(classes, weights=records * places) / sizes
        return float(records @ (places - means[classes]) ** 2)
    of_class = Assignment(assignment.problem, assignment.profiles, classes, records)
    middles = _middles(attribute, of_class, a, centre)[classes]
    if centre == "mode":
        return float(records[ranks != middles].sum())
    return float(records @ np.abs(places - attribute.position[middles]))


def _middles(attribute: AttributeLayout, assignment: Assignment, a: int, centre: Centre) -> Ints:
    """Return the rank of the median or the most frequent value of each class, (n_classes,)."""
    ranks, n = attribute.rank[assignment.combinations[:, a]], len(attribute.occurring)
    pairs, entry = np.unique(assignment.classes * n + ranks, return_inverse=True)
    counts = np.bincount(entry, weights=assignment.records).astype(np.int64)
    classes, values = np.divmod(pairs, n)
    starts = np.searchsorted(classes, np.arange(assignment.n_classes))
    if centre == "mode":
        # Of equally frequent values the first: the order of records has no say in what is published.
        order = np.lexsort([values, -counts, classes])
        return np.asarray(values[order][starts])
    # The first value that at least half of a class's records do not exceed: the lower median of an even number.
    upto = np.cumsum(counts)
    before = np.append(0, upto)[starts]
    sizes = np.bincount(classes, weights=counts).astype(np.int64)
    return np.asarray(values[np.searchsorted(upto, before + (sizes + 1) // 2)])


def _mean_texts(assignment: Assignment, a: int, attribute: AttributeLayout, texts: list[Label]) -> list[Label]:
    """Write the mean of each class."""
    known = value_order(attribute.hierarchy, attribute.occurring).places
    places = [known[text] for text in texts]
    decimals = _FINER + max(_decimals(place) for place in places)
    # Whole numbers of any size: a mean is rounded once, exactly, and never depends on the order of a sum.
    units: NDArray[np.object_] = np.array([int(place * 10**decimals) for place in places], dtype=object)
    sums, sizes = (np.zeros(assignment.n_classes, dtype=object) for _ in range(2))
    ranks = attribute.rank[assignment.combinations[:, a]]
    records = assignment.records.astype(object)
    np.add.at(sums, assignment.classes, units[ranks] * records)
    np.add.at(sizes, assignment.classes, records)
    pairs = zip(sums.tolist(), sizes.tolist(), strict=True)
    return [_text(round(Fraction(total, size)), decimals) for total, size in pairs]


def _decimals(place: Fraction) -> int:
    """Return how many decimals a number has that is written with some."""
    decimals = 0
    while (place * 10**decimals).denominator > 1:
        decimals += 1
    return decimals


def _text(units: int, decimals: int) -> str:
    """Write a number without needless zeros."""
    sign, digits = "-" if units < 0 else "", str(abs(units)).rjust(decimals + 1, "0")
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}".rstrip("0").rstrip(".")
