"""Rows: the rows of a table where they live, and what a release needs of them.

Three operations make a release, and no more of a table is ever asked for: *count* distinct combinations, *apply* a plan
and write what comes of it, *measure* what was written. Two looks beforehand tell whether the table is fit for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import polars as pl

from nymity.engines.merged_cells import UNMERGED, Merged
from nymity.engines.recoding_plan import NOTHING, Dropping, RecodingPlan

#: The column of counted rows that says how many there are of each.
RECORDS = "records"


class Rows(ABC):
    """The rows of one source in one engine. Open it as a context: what it spilled goes with it.

    Cells come as polars has them: one value has one form, whatever the engine (:mod:`nymity.engines.cell_forms`).
    """

    #: What it is called in a job.
    kind: ClassVar[str]
    #: The private folder for what does not fit into so many bytes of memory.
    folder: Path
    memory: int

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns of the source with their types."""

    @property
    @abstractmethod
    def height(self) -> int:
        """How many rows the source has."""

    @abstractmethod
    def head(self, columns: Sequence[str], rows: int) -> pl.DataFrame:
        """Return some rows, for a look at what cells are like."""

    @abstractmethod
    def gaps(self, columns: Sequence[str]) -> dict[str, int]:
        """Count the cells of each column that are missing: null, not-a-number, empty text."""

    @abstractmethod
    def counted(
        self, columns: Sequence[str], dropping: Dropping = NOTHING, merged: Merged = UNMERGED
    ) -> Iterator[pl.DataFrame]:
        """Return the distinct rows of some columns in parts, and in ``RECORDS`` how many there are of each.

        Rows with a gap in a column of ``dropping`` are left out; cells of ``merged`` columns are counted as one. Names
        stand in place of columns as c0, c1, …: polars reads some names as patterns.
        """

    def count(self, columns: Sequence[str], dropping: Dropping = NOTHING, merged: Merged = UNMERGED) -> pl.DataFrame:
        """Return all distinct rows together."""
        return pl.concat(list(self.counted(columns, dropping, merged)))

    def count_within(
        self, most: int, columns: Sequence[str], dropping: Dropping = NOTHING, merged: Merged = UNMERGED
    ) -> pl.DataFrame | None:
        """Return the same; None where there are more than ``most``, of which no more are fetched."""
        parts, rows = [], 0
        for part in self.counted(columns, dropping, merged):
            parts.append(part)
            if (rows := rows + part.height) > most:
                return None
        return pl.concat(parts)

    @abstractmethod
    def apply(self, plan: RecodingPlan, path: Path) -> None:
        """Write what a plan makes of the rows as a Parquet file, in the order of the plan."""

    @abstractmethod
    def measure(self, path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Count the distinct rows of some columns of a written file by plain group-bys.

        Returned in parts, no row in two of them; columns are named as by :meth:`count`.
        """

    @abstractmethod
    def close(self) -> None:
        """Give back what was taken: connections, and files that hold rows."""

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
