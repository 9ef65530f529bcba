"""Source: the file that holds the table of a job, and how it is read.

It is apart from the job, which knows all models and methods: a first look at a table needs none of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core import pieces
from nymity.core.calls import made_well
from nymity.core.paths import path_text, seen_from
from nymity.io import (
    CodedTable,
    DetectedReading,
    Dictionary,
    ReadOptions,
    Valued,
    read_detected,
    read_text_cells,
    read_valued,
)


@made_well
@dataclass(frozen=True, kw_only=True)
class Source(ReadOptions):
    """Where the table lies and how to read it; delimiter, encoding and header are detected unless given."""

    path: str
    sheet: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_text("source.path", self.path))
        super().__post_init__()

    @property
    def options(self) -> ReadOptions:
        """How to read the file."""
        return ReadOptions(**{item.name: getattr(self, item.name) for item in dataclasses.fields(ReadOptions)})

    @property
    def stated_values(self) -> dict[str, Any]:
        """What is said about the meaning of cells, as plain data: public, unlike the path."""
        return {name: pieces.plain(given) for name, given in self.of_values.items()}

    @property
    def files(self) -> tuple[Path, ...]:
        """The file that is read."""
        return (Path(self.path),)

    def within(self, folder: Path) -> Source:
        """Let a relative path start at a folder."""
        return dataclasses.replace(self, path=str(folder / self.path))

    def read(self) -> pl.DataFrame:
        """Read the table."""
        return self.read_valued().table

    def read_valued(self, *, text_as_numbers: bool = False) -> Valued:
        """Read the table, and what was taken as missing in it; with ``text_as_numbers`` large text may be numbers."""
        return read_valued(self.path, self.options, text_as_numbers=text_as_numbers)

    def read_detected(
        self, missing_in: Mapping[str, tuple[Any, ...]], dictionary: Dictionary | None
    ) -> tuple[pl.DataFrame | CodedTable, DetectedReading, Dictionary]:
        """Read the table as it seems to be meant, where that is not stated; ``missing_in`` has precedence."""
        options = dataclasses.replace(self.options, missing_in={**self.missing_in, **missing_in})
        return read_detected(self.path, options, dictionary)

    @property
    def shown(self) -> str:
        """What it is called on a screen."""
        return self.path

    def named_from(self, folder: Path) -> dict[str, Any]:
        """Return the fields that name it in a job file of a folder."""
        return {"path": seen_from(folder, Path(self.path))}

    def read_texts(self, columns: Collection[str] | None) -> pl.DataFrame:
        """Read the table as text, each cell by itself; of other than these columns only what is missing counts."""
        return read_text_cells(self.path, self.options, columns)

    def check_stated(self) -> None:
        """Refuse to find out from the records of a private job how they are to be read."""
        from nymity.publishing.jobs.differential import check_stated

        check_stated(self.path, self.options)
