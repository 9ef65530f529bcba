"""The Parquet files that engines read: all footers are compared before a row is.

Some engines read a column that a file lacks as gaps, and drop one that others lack, without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from nymity.core.errors import FileError, TableError
from nymity.core.quoting import relayed
from nymity.io import check_parquet, parquet_files


@dataclass(frozen=True, eq=False, kw_only=True)
class ParquetSource:
    """Files with the same columns of the same types, in order; ``height`` is how many rows they have together."""

    files: tuple[Path, ...]
    columns: Mapping[str, pl.DataType]
    height: int

    @staticmethod
    def of(path: Path) -> ParquetSource:
        """Look into the footers of a file, or of all files of a folder."""
        files = _files(path)
        first, height = _footer(files[0])
        for file in files[1:]:
            columns, rows = _footer(file)
            height += rows
            if list(columns.items()) != list(first.items()):
                raise TableError(
                    str(file),
                    expected=f"the columns and types of {files[0].name}",
                    got=_difference(first, columns),
                    hint="write all files of the folder with the same columns and types",
                )
        return ParquetSource(files=tuple(files), columns=first, height=height)

    def scan(self) -> pl.LazyFrame:
        """Return the rows for polars to read, columns named s0, s1, …: some names would be read as patterns."""
        frame = pl.scan_parquet(list(self.files), hive_partitioning=False, glob=False)
        return frame.rename(dict(zip(self.columns, self.safe, strict=True)))

    @property
    def safe(self) -> list[str]:
        """The names of columns in :meth:`scan`."""
        return [f"s{i}" for i in range(len(self.columns))]


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise FileError(str(path), expected="a Parquet file, or a folder of such files", got="nothing there")
    files = parquet_files(path)
    if not files:
        raise FileError(str(path), expected="a folder of Parquet files", got="none in it")
    for file in files:
        if named := next((part for part in file.relative_to(path).parts[:-1] if "=" in part), None):
            raise FileError(
                str(path),
                expected="files that have all columns inside",
                got=f"the folder {named!r}, which stands for a column",
                hint="engine 'memory' reads such folders; or write the column into the files",
            )
    return files


def _footer(path: Path) -> tuple[dict[str, pl.DataType], int]:
    check_parquet(path, in_batches=True)
    try:
        scan = pl.scan_parquet(path, hive_partitioning=False, glob=False)
        schema = scan.collect_schema()
        rows = scan.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise FileError(
            str(path), expected="an intact Parquet file", got=relayed(error), hint="write or download the file again"
        ) from error
    return dict(schema), int(rows)


def _difference(first: Mapping[str, pl.DataType], other: Mapping[str, pl.DataType]) -> str:
    lacking = [name for name in first if name not in other]
    more = [name for name in other if name not in first]
    unlike = [f"{name} {other[name]}" for name in first if name in other and other[name] != first[name]]
    parts = [
        f"no {', '.join(map(repr, lacking))}" if lacking else "",
        f"also {', '.join(map(repr, more))}" if more else "",
        f"{', '.join(unlike)}" if unlike else "",
    ]
    return "; ".join(filter(None, parts)) or "another order of columns"


class OfParquet:
    """What rows of Parquet files are, whichever engine they are in: the files themselves say it."""

    _source: ParquetSource

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """Those of the files."""
        return self._source.columns

    @property
    def height(self) -> int:
        """Rows of all files."""
        return self._source.height
