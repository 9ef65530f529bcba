"""Where another column of a release tells what a transform changed: a copy, a scale of its own, a coarser one.

Each column that is published without a draw is asked how well it tells the true cells of a changed one, row by row, by
all other rows: by those with the same cell, else by the two that are nearest in its order. Numbers are counted by the
rank of their value, so that whatever rises or falls with them tells them; other cells are told or not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.publishing.caveats.caveat import Caveat
from nymity.table.schema import Schema
from nymity.table.text import as_text, check_comparable, plainly_named
from nymity.transforms import Transform

UNDONE = "changes-undone"
#: A column that leaves more of what whoever guesses errs by does not nearly tell it, however much was changed.
_MOST_LEFT = 0.1
#: With fewer rows one column rises with another by chance.
_FEWEST = 10
#: A squared difference of ranks that is none.
_NOTHING = 1e-12
_Errors = NDArray[np.float64]


def caveats_of_undone(
    before: pl.DataFrame, after: pl.DataFrame, transforms: Sequence[Transform], schema: Schema
) -> list[Caveat]:
    """Warn of columns beside which the draws of another are in vain; rows ``before`` transforms and ``after`` them."""
    others = [name for name in telling_columns(after.columns, transforms, schema) if _is_comparable(after[name])]
    found = []
    for name in drawn_columns(transforms):
        if not _is_comparable(before[name]):
            continue
        changed = _Changed(plainly_named(before[name]), plainly_named(after[name]))
        if by := [other for other in others if changed.told_by(plainly_named(after[other]))]:
            found.append(undone_caveat(name, by))
    return found


def drawn_columns(transforms: Sequence[Transform]) -> list[str]:
    """Return the columns that transforms draw for."""
    return [name for one in transforms if not one.is_coding for name in one.columns]


def telling_columns(columns: Sequence[str], transforms: Sequence[Transform], schema: Schema) -> list[str]:
    """Return the columns that may tell those: nothing is drawn for them."""
    drawn = {*drawn_columns(transforms), *schema.shifted, schema.unit}
    return [name for name in columns if name not in drawn]


def undone_caveat(name: str, by: Sequence[str]) -> Caveat:
    """Return the warning of a column that others tell."""
    says = (
        f"What {name!r} held before it was changed is nearly told, row by row, by {' and by '.join(map(repr, by))}: "
        "the change hides little from whoever reads that. Leave it out, or change it, too."
    )
    return Caveat(key=UNDONE, says=says, figures={"column": name, "told_by": list(by)})


class _Changed:
    """The true cells of a column, as ranks or numbers of texts, and how whoever takes the published ones for them errs.

    changed, guessed (n_rows,): squared errors by the published cells, and by one guess for all.
    """

    def __init__(self, true: pl.Series, published: pl.Series) -> None:
        self.there = as_text(true).is_not_null()  # an empty text is a gap
        true, published = true.filter(self.there), published.filter(self.there)
        self.texts, shown = as_text(true), _numbers(published)
        self.differs = (self.texts != as_text(published)).fill_null(True).to_numpy()
        numbers = None if shown is None else _numbers(true)
        self.ranked = numbers is not None
        if numbers is not None and shown is not None:
            values, self.true = np.unique(numbers, return_inverse=True)
            ends = [values.searchsorted(shown, "left"), values.searchsorted(shown, "right")]
            self.changed = ((ends[0] + ends[1] - 1) / 2 - self.true) ** 2
            self.guessed = float(((self.true - self.true.mean()) ** 2).sum()) if len(values) else 0.0
        else:
            self.true = self.texts.rank("dense").to_numpy().astype(np.int64) - 1
            self.changed = self.differs.astype(float)
            self.guessed = float(len(self.true) - np.bincount(self.true, minlength=1).max())

    def told_by(self, other: pl.Series) -> bool:
        """Whether another column tells nearly all, and most of what was changed better than the published cells do."""
        cells = other.filter(self.there)
        if len(cells) < _FEWEST or not self.guessed:
            return False
        numbers = _numbers(cells)
        # Gaps are one more cell, the last in the order.
        keys = pl.Series(numbers) if numbers is not None else _in_order(as_text(cells).fill_null(""))
        group = keys.rank("dense").to_numpy().astype(np.int64) - 1
        left = self._by_rank(group) if self.ranked else self._by_cell(group, as_text(cells))
        nearer = (left < self.changed) | (left < _NOTHING)
        return bool(left.sum() <= _MOST_LEFT * self.guessed and 2 * nearer[self.differs].sum() > self.differs.sum())

    def _by_rank(self, group: NDArray[np.int64]) -> _Errors:
        """Return the squared errors of the mean of others with the same cell, or of the next cells if it is alone."""
        rows = np.bincount(group)
        sums = np.bincount(group, weights=self.true)
        means = sums / rows
        alone = np.full(len(rows), self.true.mean())
        if len(rows) > 2:
            around = np.concatenate([[2 * means[1] - means[2]], means, [2 * means[-2] - means[-3]]])
            alone[1:-1] = (around[1:-3] + around[3:-1]) / 2
            alone[0], alone[-1] = around[0], around[-1]
        others = np.where(rows[group] > 1, (sums[group] - self.true) / np.maximum(rows[group] - 1, 1), alone[group])
        return np.asarray((others - self.true) ** 2)

    def _by_cell(self, group: NDArray[np.int64], texts: pl.Series) -> _Errors:
        """Return 1 for rows whose cell is not the most frequent one of others with the same cell, nor the same text."""
        width = int(self.true.max()) + 1
        pairs, place, rows = np.unique(group * width + self.true, return_inverse=True, return_counts=True)
        order = np.lexsort((rows, pairs // width))
        last = np.flatnonzero(np.append(np.diff(pairs[order] // width) > 0, True))  # the most frequent of each group
        second = np.zeros(len(last), dtype=np.int64)
        several = np.diff(last, prepend=-1) > 1
        second[several] = rows[order[last[several] - 1]]
        sure = np.zeros(len(pairs), dtype=np.bool_)
        sure[order[last]] = rows[order[last]] - 1 > second
        same = (texts == self.texts).fill_null(False).to_numpy()
        return np.asarray(~(sure[place] | same), dtype=np.float64)


def _is_comparable(cells: pl.Series) -> bool:
    """Whether cells are told apart by their text: lists, records and spans of time are not."""
    try:
        check_comparable(cells)
    except TableError:
        return False
    return True


def _numbers(cells: pl.Series) -> _Errors | None:
    """Return cells as numbers in their order, gaps as infinite ones; None where some are no number."""
    if cells.dtype.is_temporal():
        cells = cells.to_physical()
    elif not cells.dtype.is_numeric() and cells.dtype != pl.Boolean:
        cells = as_text(cells)
    gaps = cells.null_count()
    numbers = cells.cast(pl.Float64, strict=False)
    return None if numbers.null_count() > gaps else numbers.fill_null(np.inf).fill_nan(np.inf).to_numpy()


def _in_order(texts: pl.Series) -> pl.Series:
    """Number texts in the order of their numbers, or else of their digits, which amounts, codes and days have."""
    digits = texts.str.replace_all(r"\D", "").cast(pl.Float64, strict=False)
    place = texts.cast(pl.Float64, strict=False).fill_null(digits).fill_nan(None)
    ordered = pl.DataFrame({"place": place, "text": texts}).with_row_index("row").sort("place", "text", nulls_last=True)
    return ordered.with_columns(number=pl.col("text").rle_id()).sort("row")["number"]
