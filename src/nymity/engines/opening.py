"""Opening the rows of a source in the engine that a job names."""

from __future__ import annotations

from pathlib import Path

from nymity.core.errors import JobError
from nymity.database import DatabaseSource
from nymity.engines.duckdb_rows import DuckDBRows
from nymity.engines.engine import Engine
from nymity.engines.engine_rows import Rows
from nymity.engines.parquet_source import ParquetSource
from nymity.engines.postgresql_rows import PostgreSQLRows
from nymity.engines.spark_rows import SparkRows
from nymity.engines.streaming import StreamedRows
from nymity.engines.text_source import TEXT_SUFFIXES, parquet_of_text
from nymity.io import ReadOptions


def open_rows(
    engine: Engine, place: Path | DatabaseSource | None, options: ReadOptions, folder: Path, *, typed: bool = True
) -> Rows:
    """Return the rows of files, or of a table of a server; ``folder`` is the private one for what does not fit.

    Cells of text files are text unless they are to be ``typed``.
    """
    in_database = engine.kind == "postgresql"
    if in_database and isinstance(place, DatabaseSource):
        _refuse_meanings(place.reading)
        return PostgreSQLRows(place, folder, engine.memory_bytes, engine.settings)
    if in_database or not isinstance(place, Path):
        raise JobError(
            "source",
            expected="a table of a PostgreSQL server ([source] url, table)"
            if in_database
            else f"a path to Parquet or text files, which engine {engine.kind!r} reads",
            got="none" if place is None else "files" if in_database else "a database",
        )
    return _open_files(engine, place, options, folder, typed=typed)


def _open_files(engine: Engine, path: Path, options: ReadOptions, folder: Path, *, typed: bool) -> Rows:
    _refuse_meanings(options)
    if path.suffix.lower() in TEXT_SUFFIXES and path.is_file():
        source = parquet_of_text(path, options, folder, typed=typed)
    elif path.is_dir() or path.suffix.lower() == ".parquet":
        source = ParquetSource.of(path)
    else:
        raise JobError(
            "source.path",
            expected=f"Parquet files, or a text file ({', '.join(TEXT_SUFFIXES)}), which engines read",
            got=path.name,
            hint="engine 'memory' reads other formats; or write the table as .parquet",
        )
    if engine.kind == "duckdb":
        return DuckDBRows(source, folder, engine.memory_bytes, engine.settings)
    if engine.kind == "spark":
        return SparkRows(source, folder, engine.memory_bytes, engine.master, engine.settings)
    return StreamedRows(source, folder, engine.memory_bytes)


def _refuse_meanings(options: ReadOptions) -> None:
    if options.of_values:
        raise JobError(
            "source",
            expected="cells that mean what they say: engines read no codes for missing values, dates or decimal commas",
            got=", ".join(options.of_values),
            hint="engine 'memory', files in which such cells are written plainly, or a query that selects them so",
        )
