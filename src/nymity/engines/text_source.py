"""Text files for engines: read once in batches and kept as Parquet in a private folder, typed as in memory."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from nymity.core.errors import FileError
from nymity.engines.failures import told
from nymity.engines.parquet_source import ParquetSource
from nymity.io import ReadOptions, format_of, named, typed_column

TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
#: Different cells up to which a column is looked at for a type; with more it stays text.
_MOST_VALUES = 5_000_000


def parquet_of_text(path: Path, options: ReadOptions, folder: Path, *, typed: bool = True) -> ParquetSource:
    """Convert a text file; a cell that is empty is missing.

    Columns have types only where no value is lost, and none at all unless they are to be ``typed``: what is found out
    from the records is not private.
    """
    found = format_of(path).found_options(path, options)
    if (found.encoding or "utf-8").lower() not in ("utf-8", "utf8", "utf-8-sig", "ascii"):
        raise FileError(
            str(path), expected="text in UTF-8, which engines read", got=str(found.encoding), hint="engine 'memory'"
        )
    if found.header is False:
        raise FileError(str(path), expected="a line with the names of columns", got="none", hint="engine 'memory'")
    if found.header_row is not None or found.footer:
        raise FileError(
            str(path),
            expected="nothing above the header and below the records",
            got="titles or sums",
            hint="engine 'memory'",
        )
    with told("streaming", "read"):
        separator = found.delimiter or ","
        texts = pl.scan_csv(path, separator=separator, infer_schema=False, glob=False, raise_if_empty=True)
        given = texts.collect_schema().names()  # quotes inside of them are doubled, and repeated ones are renamed
        first = pl.scan_csv(path, separator=separator, infer_schema=False, glob=False, has_header=False, n_rows=1)
        names = named(f"{path}, header", first.collect().row(0))
        safe = [f"s{i}" for i in range(len(given))]
        raw = folder / "text.parquet"
        plain = texts.rename(dict(zip(given, safe, strict=True)))
        plain.with_columns(pl.when(pl.col(one) != "").then(pl.col(one)) for one in safe).sink_parquet(raw)
        scan = pl.scan_parquet(raw, glob=False)
        done = folder / "source.parquet"
        cells = scan.select(_typed(scan, one) if typed else pl.col(one) for one in safe)
        cells.rename(dict(zip(safe, names, strict=True))).sink_parquet(done)
        raw.unlink()
    return ParquetSource.of(done)


def _typed(scan: pl.LazyFrame, name: str) -> pl.Expr:
    """Return a column with the type that all its cells can have."""
    cell = pl.col(name)
    values = scan.select(cell).unique().head(_MOST_VALUES + 1).collect(engine="streaming").to_series()
    if len(values) > _MOST_VALUES:
        return cell
    kind = typed_column(values.sort()).dtype
    if kind == pl.Date:
        return cell.str.to_date("%Y-%m-%d")
    if kind == pl.Float64:
        return cell.cast(pl.Float64)
    if kind == pl.Int64:
        plain = values.cast(pl.Int64, strict=False).null_count() == values.null_count()
        return cell.cast(pl.Int64) if plain else cell.cast(pl.Float64).cast(pl.Int64)
    return cell
