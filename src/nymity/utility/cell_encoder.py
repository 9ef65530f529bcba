"""CellEncoder: published cells as numbers to learn from, by what is written in them. Needs scikit-learn.

A release says ``20-39``, ``{nurse, pupil}``, ``under 18``, ``2024-Q1`` or ``*`` where the table had a value. What a
cell may stand for becomes features, so that a model trains on a release and predicts for plain values:

* numbers and ranges: the low and the high end, ``age_low`` and ``age_high``; a plain number has both ends equal;
* dates, months, … and ranges of them: the first and the last day, counted from 1970;
* other cells: a feature for each value, in which the values of a set have equal shares; a value that a cell with hidden
  characters hides, such as ``10115`` beside ``101**``, is that cell, and such a cell shares what it hides;
* ``*`` stands for everything: the ends of all that was seen, or an equal share of every value;
* a missing cell has a 1 in a feature of its own, where one was seen, and one that may be missing a part of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.estimators import BaseEstimator, TransformerMixin
from nymity.table.text import MASK, as_text
from nymity.utility.cell_text import (
    Ends,
    day_ends_of,
    ends_of,
    hides,
    mask_of,
    members_of,
    without_missing,
    year_ends_of,
)
from nymity.utility.estimator_rows import rows_of


@dataclass(frozen=True)
class _Ranges:
    """A column of numbers or days, with the ends of all that was seen."""

    name: str
    low: float
    high: float
    gaps: bool
    read: Callable[[str], Ends | None] = ends_of

    @property
    def names(self) -> list[str]:
        return [f"{self.name}_low", f"{self.name}_high", *([f"{self.name}_missing"] if self.gaps else [])]

    def row(self, cell: str | None) -> list[float]:
        text, maybe = (None, False) if cell is None or cell == MASK else without_missing(cell)
        low, high = (None, None) if text is None else self.read(text) or year_ends_of(text) or (None, None)
        found = [self.low if low is None else low, self.high if high is None else high]
        return [*found, *([1.0 if cell is None else maybe / 2] if self.gaps else [])]


@dataclass(frozen=True)
class _Values:
    """A column of other cells, with every value that was seen."""

    name: str
    values: tuple[str, ...]
    gaps: bool

    @property
    def names(self) -> list[str]:
        return [*(f"{self.name}={value}" for value in self.values), *([f"{self.name}_missing"] if self.gaps else [])]

    def row(self, cell: str | None) -> list[float]:
        meant = (None,) if cell is None else self.values if cell == MASK else members_of(cell, self.values)
        shares: dict[str | None, float] = {}
        for member in meant:
            seen = (member,) if member is None or member in self.values else self.seen_for(member)
            for value in seen:
                shares[value] = shares.get(value, 0.0) + 1 / len(meant) / len(seen)
        return [
            *(shares.get(value, 0.0) for value in self.values),
            *([shares.get(None, 0.0)] if self.gaps else []),
        ]

    def seen_for(self, cell: str) -> tuple[str, ...]:
        """Return the values that were seen for one that was not: what hides most of it least, or all that it hides."""
        if hiding := [(mask[0], value) for value, mask in self.masks.items() if hides(mask, cell)]:
            return (max(hiding, key=lambda one: len(one[0]))[1],)
        mask = mask_of(cell)
        return () if mask is None else tuple(value for value in self.values if hides(mask, value))

    @cached_property
    def masks(self) -> dict[str, tuple[str, int, bool]]:
        """The values with hidden characters."""
        return {value: mask for value in self.values if (mask := mask_of(value)) is not None}


class UnknownCellsWarning(UserWarning):
    """No cell of a column is like any that an encoder was fitted on, so what it gives says nothing of them."""


class CellEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Make features of published cells: ends of ranges and dates, shares of sets, ``*`` as everything.

    ::

        model = make_pipeline(ny.CellEncoder(), LogisticRegression())
        model.fit(release.table[["age", "sex"]], release.table["ill"])
        model.predict(new_patients[["age", "sex"]])  # plain values are cells, too
    """

    def fit(self, X: Any, y: Any = None) -> CellEncoder:  # noqa: N803 -- scikit-learn's names
        """Learn which columns hold numbers, and what values there are."""
        del y
        table = self._texts(X, reset=True)
        self.columns_ = [_column(name, cells) for name, cells in table.items()]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the features, (n_rows, n_features); values that were never seen are none of those that were.

        Where that is so of a whole column, it warns: labels of a hierarchy, such as ``Western Europe``, tell nothing of
        ``FR``.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        table = self._texts(X, reset=False)
        parts = []
        for column in self.columns_:
            cells = table[column.name]
            # Each different cell is encoded once, however many rows have it.
            known = {cell: column.row(cell) for cell in set(cells)}
            there = [row for cell, row in known.items() if cell is not None]
            if isinstance(column, _Values) and there and not any(map(any, there)):
                warnings.warn(_all_unknown(column), UnknownCellsWarning, stacklevel=2)
            parts.append(np.array([known[cell] for cell in cells], dtype=np.float64).reshape(len(cells), -1))
        return np.hstack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the features."""
        del input_features
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return np.array([name for column in self.columns_ for name in column.names], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _texts(self, X: Any, *, reset: bool) -> dict[str, list[str | None]]:  # noqa: N803
        table = rows_of(self, X, reset=reset)
        return {name: as_text(table[name]).to_list() for name in table.columns}


def _all_unknown(column: _Values) -> str:
    return (
        f"column {column.name!r}: no cell is like any that the encoder was fitted on, so all are encoded as nothing. "
        "Where it was fitted on a release, ny.apply(release, frame) recodes new rows as that is"
    )


def _column(name: str, cells: list[str | None]) -> _Ranges | _Values:
    known = {cell for cell in cells if cell is not None and cell != MASK}
    texts = {cell: without_missing(cell)[0] for cell in known}
    for read in (ends_of, day_ends_of):
        ends = [read(text) for text in texts.values()]
        if known and None not in ends:
            numbers = [end for found in ends if found is not None for end in found if end is not None]
            gaps = None in cells or any(cell != text for cell, text in texts.items())
            return _Ranges(name, min(numbers), max(numbers), gaps, read)
    with_commas = {cell for cell in known if ", " in cell and not (cell.startswith("{") and cell.endswith("}"))}
    values = {value for cell in known for value in members_of(cell, with_commas)}
    gaps = None in cells or None in values
    named = tuple(sorted(value for value in values if value is not None))
    return _Values(name, named or (MASK,), gaps)  # a column of masks is one feature that tells nothing
