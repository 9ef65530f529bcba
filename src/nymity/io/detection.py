"""What cells of a table seem to mean: codes for *missing*, decimal commas, thousands and forms of dates, with evidence.

Proposals are for a person to read: nothing is applied that nobody stated. ``nymity inspect`` shows them, and writes
them into the job. They are found from the records, so that for private methods nobody must ask at publishing time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import polars as pl

from nymity.io.cell_column import CellColumn
from nymity.io.coded import CodedTable
from nymity.io.date_forms import date_forms
from nymity.io.dictionary import Dictionary
from nymity.io.frame import to_polars
from nymity.io.missing_codes import missing_codes
from nymity.io.number_marks import number_marks
from nymity.io.options import ReadOptions
from nymity.io.proposal import Proposal
from nymity.io.values import valued

#: A table by its rows, or by the different values of its columns.
T = TypeVar("T", pl.DataFrame, CodedTable)


@dataclass(frozen=True, kw_only=True)
class DetectedReading:
    """How a table seems to be meant to be read: what was stated and found (``options``), and what speaks for it."""

    options: ReadOptions = field(default_factory=ReadOptions)
    proposals: tuple[Proposal, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.proposals)

    def apply(self, frame: object) -> pl.DataFrame:
        """Return a frame with values in place of its cells, as if it had been read so."""
        return valued(to_polars(frame), self.options).table

    @property
    def stated(self) -> dict[str, Any]:
        """The options as fields of a job's source."""
        return {name: value for name, value in vars(self.options).items() if value not in (None, (), {})}


def detect_reading(
    table: T,
    options: ReadOptions,
    dictionary: Dictionary | None = None,
    *,
    texts: T | None = None,
) -> DetectedReading:
    """Find out what cells mean, where nobody stated it.

    ``table`` has types already where nothing is lost by them, ``texts`` the cells of columns with
    fractions as they stand in a file of text.
    """
    known = dictionary or Dictionary()
    if isinstance(table, CodedTable):
        written = {} if texts is None else texts.coded
        columns = [CellColumn.of_values(one, written.get(one.name), known, options) for one in table.coded.values()]
        return _detected(columns, options)
    stood = {} if texts is None else {column.name: column for column in texts.get_columns()}
    columns = [CellColumn.of(column, stood.get(column.name), known, options) for column in table.get_columns()]
    return _detected(columns, options)


def _detected(columns: list[CellColumn], options: ReadOptions) -> DetectedReading:
    options, marks = number_marks(columns, options)
    for column in columns:
        column.read_again(options)
    options, dates = date_forms(columns, options)
    options, codes = missing_codes(columns, options)
    return DetectedReading(options=options, proposals=(*codes, *marks, *dates))
