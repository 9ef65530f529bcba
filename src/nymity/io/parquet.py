"""Parquet files: cells keep their types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import polars as pl
from polars.io.plugins import register_io_source

from nymity.core.errors import FileError, TableError
from nymity.io.columnar import ColumnarFormat
from nymity.io.compact import compact
from nymity.io.format import FileSignature
from nymity.io.limits import MAX_COLUMNS
from nymity.io.lossless import typed
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.parquet_size import check_parquet
from nymity.table.numbered_text import with_plain_text

#: Rows that polars writes together.
_GROUP = 122_880
#: Metadata that Parquet files of tables have anyway.
_METADATA = {"ARROW:schema"}


@dataclass(frozen=True, kw_only=True)
class Parquet(ColumnarFormat):
    """A Parquet file, or a folder of them."""

    may_be_folder = True
    takes_numbers = True

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read a Parquet file, whose columns have the types it names, or a folder of such files."""
        return self._read_folder(path, options) if path.is_dir() else super().read(path, options)

    def _read_folder(self, folder: Path, options: ReadOptions) -> pl.DataFrame:
        """Read all files of a folder, in the order of their names, as one table.

        Folders inside that are called ``column=value``, as Spark and others partition tables, give a column.
        """
        files = parquet_files(folder)
        if not files:
            raise FileError(str(folder), expected="a file", got="a folder", hint="name one file inside it")
        parts = []
        for path in files:
            if self.signature is not None and not _starts(path, self.signature.start):
                raise FileError(str(path), expected="a Parquet file", got="another")
            parts.append(_with_partition(super().read(path, options), path.relative_to(folder).parts[:-1]))
        for path, part in zip(files, parts, strict=True):
            if part.schema != parts[0].schema:
                raise TableError(
                    str(path),
                    expected=f"the columns and types of {files[0].name}",
                    got=", ".join(f"{name} {kind}" for name, kind in part.schema.items()),
                    hint="write all files of the folder with the same columns and types",
                )
        return typed(pl.concat(parts), only=_partitions(files[0].relative_to(folder).parts[:-1]))

    def check(self, path: Path) -> None:
        """Refuse pages that are larger than the file says, or more than memory holds."""
        check_parquet(path)

    def types(self, path: Path) -> dict[str, pl.DataType]:
        """Read the schema alone."""
        return dict(pl.scan_parquet(path, hive_partitioning=False, glob=False).collect_schema())

    def cells(self, path: Path) -> pl.DataFrame:
        """Read all row groups; names of folders are looked at elsewhere, and those of files are no patterns."""
        return pl.read_parquet(path, hive_partitioning=False, glob=False)

    def metadata(self, path: Path) -> list[str]:
        """Name what other programs than ours wrote there."""
        further = sorted(pl.read_parquet_metadata(path).keys() - _METADATA)
        return [f"{path.name} has metadata that no release has: {', '.join(further)}"] if further else []

    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write the cells in new buffers, so that nothing else is in the file."""
        places = _groups(table.height)
        if len(places) == 1:
            compact(table).write_parquet(path)
            return
        # A part at a time: the text of many rows takes more memory than anything else.
        parts = (compact(table[part]) for part in places)
        register_io_source(lambda *_: parts, schema=compact(table.clear()).schema).sink_parquet(path)

    def holds(self, path: Path, table: pl.DataFrame) -> bool:
        """Whether a large file has the cells of a table; read a part at a time."""
        places = _groups(table.height)
        if len(places) == 1 or table.width > MAX_COLUMNS:
            return False
        check_parquet(path, in_batches=True)
        lazy = pl.scan_parquet(path, hive_partitioning=False, glob=False)
        try:
            if lazy.collect_schema() != with_plain_text(table.clear()).schema:
                return False
            # One row more than there should be: what is beyond them is read, too.
            for p in places:
                part = lazy.slice(p.start, p.stop - p.start + (p.stop == table.height)).collect()
                if not part.equals(with_plain_text(table[p])):
                    return False
                self.refuse_beyond(part, path)
            return True
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):  # whoever reads all of it says why
            return False


def _groups(rows: int) -> list[slice]:
    """Return which rows are written together, those that polars would itself; equally many but for one."""
    number = max(1, (2 * rows + _GROUP) // (2 * _GROUP))
    ends = [rows // number * i + min(i, rows % number) for i in range(number + 1)]
    return list(map(slice, ends, ends[1:]))


def parquet_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder that is a table, in the order of their names.

    Hidden files and folders are what Spark and others leave behind: marks of success, checksums, parts of a job that
    failed. Beside tables of other formats the folder is a place where somebody keeps files, and no table.
    """
    seen = sorted(path for path in folder.rglob("*") if _is_seen(path.relative_to(folder)) and path.is_file())
    files = [path for path in seen if path.suffix == ".parquet"]
    others = [path for path in seen if path.name.lower().endswith(_OTHER_TABLES)]
    if files and others:
        raise FileError(
            str(folder),
            expected="a folder of Parquet files alone, to read them as one table",
            got=f"also {others[0].relative_to(folder)}",
            hint="name one file inside it",
        )
    return files


#: What tables in other formats end with; a .txt may be a remark, and a .json or .zip anything.
_OTHER_TABLES = (".csv", ".csv.gz", ".tsv", ".jsonl", ".xlsx", ".sav", ".dta", ".xpt", ".sas7bdat", ".arrow")


def _is_seen(path: Path) -> bool:
    """Whether no part of a path is hidden; ``_day=3`` is a column."""
    return all(part[0] not in "._" or (part[0] == "_" and "=" in part) for part in path.parts)


def _starts(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


def _partitions(folders: tuple[str, ...]) -> dict[str, str]:
    pairs = [folder.partition("=") for folder in folders]
    return {unquote(name): unquote(value) for name, mark, value in pairs if mark and name}


def _with_partition(table: pl.DataFrame, folders: tuple[str, ...]) -> pl.DataFrame:
    further = {
        name: None if value in ("", "__HIVE_DEFAULT_PARTITION__") else value
        for name, value in _partitions(folders).items()
        if name not in table.columns
    }
    return pl.DataFrame(
        [*table.get_columns(), *(pl.Series(name, [value] * table.height, pl.String) for name, value in further.items())]
    )


PARQUET = Parquet(
    suffix=".parquet",
    signature=FileSignature(name="Parquet", start=b"PAR1", end=b"PAR1", rename="rename it to .parquet"),
)
