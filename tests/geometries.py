"""Random records on axes and in sets, with costs once more as fractions, straight from the definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import pvariance

import numpy as np
from hypothesis import strategies as st

from nymity.partition.geometry import Geometry, Ints

#: Liang (2020), table 3.2a: AGE, SEX, INJ_SEV, DRINKING of 20 records.
FARS = (
    (64, 2, 4, 0), (29, 1, 0, 0), (42, 2, 0, 0), (41, 2, 4, 1), (53, 1, 2, 1), (59, 1, 4, 0), (49, 1, 4, 0),
    (59, 1, 2, 0), (80, 1, 4, 0), (50, 1, 4, 0), (64, 1, 3, 0), (55, 1, 0, 0), (25, 1, 0, 0), (42, 1, 4, 0),
    (33, 1, 2, 0), (31, 2, 2, 0), (68, 1, 3, 0), (20, 2, 4, 0), (40, 1, 4, 1), (18, 1, 4, 0),
)  # fmt: skip


@dataclass(frozen=True)
class Exact:
    """Records with exact costs: axes with whole places, sets with codes, one weight per column, axes first."""

    places: tuple[tuple[int, ...], ...]
    codes: tuple[tuple[int, ...], ...]
    set_sizes: tuple[int, ...]
    weights: tuple[Fraction, ...]

    def __len__(self) -> int:
        return len(self.places)

    @property
    def geometry(self) -> Geometry:
        """What nymity gets."""
        n_axes = len(self.weights) - len(self.set_sizes)
        return Geometry(
            np.array(self.places, dtype=np.float64).reshape(len(self), n_axes),
            np.array([float(s) for s in self.scales[:n_axes]]),
            np.array(self.codes, dtype=np.int64).reshape(len(self), len(self.set_sizes)),
            np.array(self.set_sizes, dtype=np.int64),
            np.array([float(s) for s in self.scales[n_axes:]]),
        )

    @property
    def scales(self) -> list[Fraction]:
        """Weight over width for axes, 0 for one without width; weight over values for sets."""
        widths = [max(column) - min(column) for column in zip(*self.places, strict=True)]
        return [w / d if d else Fraction(0) for w, d in zip(self.weights, [*widths, *self.set_sizes], strict=True)]

    def each(self, members: Sequence[int]) -> Fraction:
        """What these records cost each when published alike."""
        widths = [max(column) - min(column) for column in zip(*(self.places[r] for r in members), strict=True)]
        kinds = [len(set(column)) for column in zip(*(self.codes[r] for r in members), strict=True)]
        spreads = [*widths, *(kind if kind > 1 else 0 for kind in kinds)]
        return sum((scale * spread for scale, spread in zip(self.scales, spreads, strict=True)), Fraction(0))

    def cost(self, members: Sequence[int]) -> Fraction:
        """The same, summed over the records."""
        return len(members) * self.each(members)

    def total(self, classes: Ints) -> Fraction:
        """The cost of a partition."""
        return sum((self.cost(members) for members in groups(classes)), Fraction(0))

    def order(self) -> list[int]:
        """The sorted order: columns by variance over squared weight, those without weight last."""
        columns = [*zip(*self.places, strict=True), *zip(*self.codes, strict=True)]
        n_axes = len(self.weights) - len(self.set_sizes)
        used = [
            bool(w) and (c >= n_axes or len(set(column)) > 1)
            for c, (column, w) in enumerate(zip(columns, self.weights, strict=True))
        ]
        ranked = sorted(
            range(len(columns)),
            key=lambda c: (
                pvariance(list(map(Fraction, columns[c]))) / self.weights[c] ** 2 if used[c] else float("inf")
            ),
        )
        return sorted(range(len(self)), key=lambda r: [columns[c][r] for c in ranked])


def groups(classes: Ints) -> list[list[int]]:
    """The records of each class."""
    return [np.flatnonzero(classes == c).tolist() for c in np.unique(classes)]


def fars(weights: Sequence[Fraction] = (Fraction(1),) * 4) -> Exact:
    """The worked example."""
    return Exact(FARS, ((),) * len(FARS), (), tuple(weights))


def grown(
    records: Exact, k: int, begin: Callable[[list[int], int], int], leftover: Callable[[list[int], int], Fraction]
) -> list[list[int]]:
    """Grow classes by scanning all that is left: where to ``begin``, and what a ``leftover`` costs a class."""
    left = records.order()
    classes: list[list[int]] = []
    last = left[0]
    while len(left) >= k:
        last = begin(left, last)
        members = [last]
        left.remove(last)
        while len(members) < k:
            last = min(left, key=lambda r: records.cost([*members, r]))
            members.append(last)
            left.remove(last)
        classes.append(members)
    for r in left:
        min(classes, key=lambda members: leftover(members, r)).append(r)
    return classes


@st.composite
def exacts(draw: st.DrawFn, most: int = 24) -> Exact:
    """Few columns with few different values, so that ties and equal records are common; some columns constant."""
    n = draw(st.integers(1, most))
    tops = draw(st.lists(st.integers(0, 6), max_size=3))
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 5, 70]), max_size=3, min_size=0 if tops else 1))
    weights = draw(st.lists(st.sampled_from([0, 1, 1, 1, 2, 3]), min_size=len(tops) + len(sizes), max_size=10))
    return Exact(
        tuple(draw(st.tuples(*(st.integers(-top, top) for top in tops))) for _ in range(n)),
        tuple(draw(st.tuples(*(st.integers(0, size - 1) for size in sizes))) for _ in range(n)),
        tuple(sizes),
        tuple(Fraction(w, 3) for w in weights[: len(tops) + len(sizes)]),
    )
