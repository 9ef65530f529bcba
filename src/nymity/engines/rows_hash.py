"""The hash of a table whatever its order, file and engine: distinct rows with their counts, sorted by one text each.

SHA-256 over the names of the columns as JSON, then for each distinct row, in byte order of its text, that text, how
often the row occurs, and the end of a line. A sum of hashes of rows would find accidents and seal nothing: rows can be
chosen so that the sum stays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from nymity.core.format_numbers import CONTENT
from nymity.core.row_runs import run_starts
from nymity.engines.cell_forms import END, SEPARATOR, canonical_rows
from nymity.engines.engine_rows import RECORDS
from nymity.engines.external_sort import ExternalSort

_LINES_AT_A_TIME = 200_000


def counted_hash(
    columns: Sequence[str],
    parts: Iterable[pl.DataFrame],
    *,
    folder: Path | None = None,
    expected: int = 0,
    rows: int = 4_000_000,
    salt: str = "",
) -> str:
    """Return the hash of counted rows that come in parts, whose columns are those named, in order.

    ``folder`` is where rows beyond ``rows`` are sorted; about ``expected`` distinct ones will come.
    """
    digest = hashlib.sha256(bytes.fromhex(salt))
    digest.update(f"{CONTENT.tag}{END}{json.dumps(list(columns), ensure_ascii=False)}{END}".encode())
    sort = ExternalSort(folder if folder is not None else Path(), rows if folder is not None else 2**62, expected)
    for part in parts:
        cells = part.drop(RECORDS)
        texts = pl.DataFrame({"row": canonical_rows(cells), RECORDS: part[RECORDS].cast(pl.Int64)})
        sort.add(texts)
    for ordered in sort.sorted():
        for lines in _merged(ordered).iter_slices(_LINES_AT_A_TIME):
            text = lines.select(pl.concat_str("row", pl.lit(SEPARATOR), pl.col(RECORDS).cast(pl.String), pl.lit(END)))
            digest.update(text.to_series().str.join("").item().encode())
    return digest.hexdigest()


def table_hash(table: pl.DataFrame, *, salt: str = "") -> str:
    """Return the same hash of a table in memory."""
    plain = pl.DataFrame({f"c{i}": column.alias("c") for i, column in enumerate(table)})
    first = run_starts(plain.get_columns())  # released rows are sorted: few of them are counted
    runs = plain[first].with_columns(pl.Series(RECORDS, np.diff(first, append=plain.height), dtype=pl.Int64))
    return counted_hash(table.columns, [runs.group_by(plain.columns).agg(pl.col(RECORDS).sum())], salt=salt)


def _merged(ordered: pl.DataFrame) -> pl.DataFrame:
    """Join the counts of equal rows, which follow each other."""
    first = run_starts([ordered["row"]])
    if len(first) == ordered.height:
        return ordered
    records = np.add.reduceat(ordered[RECORDS].to_numpy(), first)
    return ordered[first].with_columns(pl.Series(RECORDS, records, dtype=pl.Int64))
