"""CellEncoder: published cells as numbers to learn from, by what is written in them. Needs scikit-learn.

A release says ``20-39``, ``{nurse, pupil}``, ``under 18`` or ``*`` where the table had a value. What a cell may stand
for becomes features, so that a model trains on a release and predicts for plain values:

* numbers and ranges: the low and the high end, ``age_low`` and ``age_high``; a plain number has both ends equal;
* other cells: a feature for each value, in which the values of a set have equal shares;
* ``*`` stands for everything: the ends of all that was seen, or an equal share of every value;
* a missing cell has a 1 in a feature of its own, where one was seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.estimators import BaseEstimator, TransformerMixin
from nymity.table.text import MASK, as_text
from nymity.utility.estimator_rows import rows_of

_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
#: Ranges as hierarchies and methods write them, and whether their ends are open.
_RANGES = (
    re.compile(rf"(?P<low>{_NUMBER})(?:-| to | to under |\.\.)(?P<high>{_NUMBER})"),
    re.compile(rf"[\[(](?P<low>{_NUMBER}), ?(?P<high>{_NUMBER})[\])]"),
    re.compile(rf"(?P<low>{_NUMBER})(?:\+| or more)|>=? ?(?P<least>{_NUMBER})"),
    re.compile(rf"(?:under |<=? ?)(?P<high>{_NUMBER})"),
    re.compile(rf"(?P<one>{_NUMBER})"),
)


def ends_of(cell: str) -> tuple[float | None, float | None] | None:
    """Return the ends of a number or a range, None for an open one; None where a cell is neither."""
    for pattern in _RANGES:
        if (found := pattern.fullmatch(cell.strip())) is not None:
            parts = found.groupdict()
            low = parts.get("low") or parts.get("least") or parts.get("one")
            high = parts.get("high") or parts.get("one")
            return None if low is None else float(low), None if high is None else float(high)
    return None


def members_of(cell: str) -> tuple[str, ...]:
    """Return the values that a cell names: those of a set in braces, or the cell itself."""
    if cell.startswith("{") and cell.endswith("}") and ", " in cell:
        return tuple(cell[1:-1].split(", "))
    return (cell,)


@dataclass(frozen=True)
class _Ranges:
    """A column of numbers, with the ends of all that was seen."""

    name: str
    low: float
    high: float
    gaps: bool

    @property
    def names(self) -> list[str]:
        return [f"{self.name}_low", f"{self.name}_high", *([f"{self.name}_missing"] if self.gaps else [])]

    def row(self, cell: str | None) -> list[float]:
        ends = None if cell is None or cell == MASK else ends_of(cell)
        low, high = (None, None) if ends is None else ends
        found = [self.low if low is None else low, self.high if high is None else high]
        return [*found, *([float(cell is None)] if self.gaps else [])]


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
        meant = () if cell is None else self.values if cell == MASK else members_of(cell)
        shares = dict.fromkeys(meant, 1 / len(meant)) if meant else {}
        return [*(shares.get(value, 0.0) for value in self.values), *([float(cell is None)] if self.gaps else [])]


class CellEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Make features of published cells: ends of ranges, shares of sets, ``*`` as everything.

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
        """Return the features, (n_rows, n_features); values that were never seen are none of those that were."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        table = self._texts(X, reset=False)
        parts = []
        for column in self.columns_:
            cells = table[column.name]
            known = {cell: column.row(cell) for cell in set(cells)}
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


def _column(name: str, cells: list[str | None]) -> _Ranges | _Values:
    known = {cell for cell in cells if cell is not None and cell != MASK}
    ends = {cell: ends_of(cell) for cell in known}
    gaps = None in cells
    if known and all(found is not None for found in ends.values()):
        numbers = [end for found in ends.values() if found is not None for end in found if end is not None]
        return _Ranges(name, min(numbers), max(numbers), gaps)
    values = {value for cell in known for value in members_of(cell)}
    return _Values(name, tuple(sorted(values)) or (MASK,), gaps)  # a column of masks is one feature that tells nothing
