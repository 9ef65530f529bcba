"""How two columns go together, before and after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.report.distribution import pooled
from nymity.report.holders import Holders
from nymity.report.scale import Ints, ScaledColumn
from nymity.report.subject import Subject

#: Values of a column that are shown by themselves.
SHOWN = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class Contingency:
    """Records of each pair of values, (n_rows + 1, n_columns + 1); the last of each is all other values, and masked.

    ``rows`` and ``columns`` are the values shown by themselves; None is a gap.
    """

    rows: tuple[str | None, ...]
    columns: tuple[str | None, ...]
    before: Ints
    after: Ints


def counted_pairs(subject: Subject, first: ScaledColumn, second: ScaledColumn, *, shown: int = SHOWN) -> Contingency:
    """Count the pairs of two columns in the original and in the release."""
    rows, columns = (_shown(subject, column, shown) for column in (first, second))
    a, b = _places(len(first.labels), rows), _places(len(second.labels), columns)
    return Contingency(
        rows=tuple(first.labels[i] for i in rows),
        columns=tuple(second.labels[i] for i in columns),
        before=_pairs(first.before, second.before, a, b),
        after=_pairs(first.after, second.after, _spread(first, a), _spread(second, b)),
    )


def _shown(subject: Subject, column: ScaledColumn, most: int) -> list[int]:
    """Return the codes of the values shown by themselves, in their order."""
    before, holders = column.records_before, Holders(column.before, subject.owners)
    places = [str(code) for code in range(len(before))]
    found = pooled(places, before, before, holders, threshold=subject.threshold, shown=most)
    return [int(place) for place in found.labels if place is not None]


def _places(n_labels: int, shown: list[int]) -> NDArray[np.float64]:
    """Return where each label counts, (n_labels + 1, n_shown + 1); the last label is none."""
    matrix = np.zeros((n_labels + 1, len(shown) + 1))
    matrix[:, -1] = 1.0
    matrix[shown] = np.eye(len(shown), len(shown) + 1)
    return matrix


def _spread(column: ScaledColumn, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where each cell of the release counts; the last is a masked one."""
    return places if column.spread is None else np.vstack([column.spread @ places[:-1], places[-1:]])


def _pairs(first: Ints, second: Ints, a: NDArray[np.float64], b: NDArray[np.float64]) -> Ints:
    """Sum over records what the pair of their codes counts for; -1 is the last code."""
    found, counts = np.unique((first % len(a)) * len(b) + second % len(b), return_counts=True)
    summed: Ints = np.rint(a[found // len(b)].T @ (b[found % len(b)] * counts[:, None])).astype(np.int64)
    return summed
