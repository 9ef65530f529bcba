"""Uniqueness: how many people some columns together single out, and how many would be left if one of them went.

A record is unique if no other one agrees with it in every column; a person, if one of theirs is like no record of
anybody else. The columns before and after each one are combined once, so that leaving out each of m columns takes 3m
groupings and not m².
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import SchemaError
from nymity.core.validation import nearest
from nymity.io import CodedTable, to_polars
from nymity.kernels.grouping import distinct
from nymity.table.encoding import person_ids
from nymity.table.text import as_text

Codes = NDArray[np.uint32]


@dataclass(frozen=True, kw_only=True)
class Uniqueness:
    """How many ``units`` (records, or persons where a column tells them) are ``unique`` in the columns.

    ``smallest`` is the smallest number of units that look alike. ``without`` says for each column how many would be
    unique by the others alone, ``alone`` how many are by itself.
    """

    counts_persons: bool
    units: int
    unique: int
    smallest: int
    without: Mapping[str, int]
    alone: Mapping[str, int]

    @property
    def share(self) -> float:
        """Share of the units that are unique."""
        return self.unique / self.units if self.units else 0.0


def uniqueness(table: Any, quasi: Sequence[str], *, person: str | None = None) -> Uniqueness:
    """Count who is unique in these columns of a table, any kind of frame; a gap is a value like any other.

    Where ``person`` names a column, records without a person are left out, and spaces around names tell nobody apart.
    """
    frame = table if isinstance(table, CodedTable) else to_polars(table)
    for name in (*quasi, *([person] if person is not None else [])):
        if name not in frame.columns:
            raise SchemaError(
                f"column {name!r}",
                expected="a column of the table",
                got="none of that name",
                hint=nearest(name, frame.columns),
            )
    people, columns = None, [_codes(frame, name) for name in quasi]
    if person is not None:
        whose = person_ids(frame[person])
        known = whose.is_not_null()
        people, columns = _numbered(whose.filter(known)), [column[known.to_numpy()] for column in columns]
    rows = len(columns[0]) if columns else (len(people) if people is not None else frame.height)
    nothing = np.zeros(rows, np.uint32)
    after = [nothing]  # the classes of all columns behind one, the first one's last: a large table's are let go early
    for column in reversed(columns[1:]):
        after.append(_combined(column, after[-1]))
    before, without = nothing, {}
    for name, column in zip(quasi, columns, strict=True):
        without[name] = _unique(_combined(before, after.pop()), people)
        before = _combined(before, column)
    sizes = _sizes(before, people)
    return Uniqueness(
        counts_persons=people is not None,
        units=rows if people is None else _number(people),
        unique=_unique(before, people),
        smallest=int(sizes.min()) if len(sizes) else 0,
        without=without,
        alone={name: _unique(column, people) for name, column in zip(quasi, columns, strict=True)},
    )


def _codes(frame: pl.DataFrame | CodedTable, name: str) -> Codes:
    """Number the values of a column: equal numbers for what is written alike."""
    if isinstance(frame, CodedTable):
        return frame.coded[name].keys.to_numpy().astype(np.uint32, copy=False)
    return _numbered(as_text(frame[name].alias("cells")))


def _numbered(cells: pl.Series) -> Codes:
    numbers = cells.cast(pl.Categorical).to_physical().cast(pl.Int64) + 1
    return _combined(numbers.fill_null(0).to_numpy().astype(np.uint32), np.zeros(len(cells), np.uint32))


def _combined(one: Codes, other: Codes) -> Codes:
    """Number the pairs of two numberings."""
    keys = (one.astype(np.uint64) << np.uint64(32)) | other.astype(np.uint64)
    group: Codes = distinct(keys.reshape(-1, 1))[0]
    return group


def _number(codes: Codes) -> int:
    return int(codes.max()) + 1 if len(codes) else 0


def _sizes(classes: Codes, people: Codes | None) -> NDArray[np.int64]:
    """Count the units of each class."""
    if people is None:
        return np.bincount(classes, minlength=_number(classes))
    keys = (classes.astype(np.uint64) << np.uint64(32)) | people.astype(np.uint64)
    first = distinct(keys.reshape(-1, 1))[1]  # each person once in each class
    return np.bincount(classes[first], minlength=_number(classes))


def _unique(classes: Codes, people: Codes | None) -> int:
    if not len(classes):
        return 0
    sizes = _sizes(classes if people is not None else _dense(classes), people)
    if people is None:
        return int((sizes == 1).sum())
    return len(np.unique(people[sizes[classes] == 1]))


def _dense(classes: Codes) -> Codes:
    """Number classes from 0 on, without gaps, so that counting them takes no more room than there are records."""
    return classes if _number(classes) <= len(classes) else _combined(classes, np.zeros_like(classes))
