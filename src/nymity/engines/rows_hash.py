"""The hash of a table whatever its order, file and engine: distinct rows with their counts, sorted by one text each.

SHA-256 over the names of the columns as JSON, then for each distinct row, in byte order of its text, that text, how
often the row occurs, and the end of a line. A sum of hashes of rows would find accidents and seal nothing: rows can be
chosen so that the sum stays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from nymity.core.format_numbers import CONTENT
from nymity.core.row_runs import run_starts
from nymity.engines.cell_forms import END, SEPARATOR, canonical_cells, canonical_rows
from nymity.engines.engine_rows import RECORDS
from nymity.engines.external_sort import ExternalSort
from nymity.engines.numbering import Numbering
from nymity.engines.row_layout import packed, summed

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
    # The salt comes first: without it nobody can try out which table gives this hash.
    digest = hashlib.sha256(bytes.fromhex(salt))
    digest.update(f"{CONTENT.tag}{END}{json.dumps(list(columns), ensure_ascii=False)}{END}".encode())
    for ordered in _in_order(iter(parts), folder, expected, rows):
        for lines in _merged(ordered, ["row"]).iter_slices(_LINES_AT_A_TIME):
            text = lines.select(pl.concat_str("row", pl.lit(SEPARATOR), pl.col(RECORDS).cast(pl.String), pl.lit(END)))
            digest.update(text.to_series().str.join("").item().encode())
    return digest.hexdigest()


def table_hash(table: pl.DataFrame, *, salt: str = "") -> str:
    """Return the same hash of a table in memory."""
    plain = pl.DataFrame({f"c{i}": column.alias("c") for i, column in enumerate(table)})
    first = run_starts(plain.get_columns())
    if 2 * len(first) < plain.height:  # released rows are sorted: few of them are counted
        plain = plain[first].with_columns(pl.Series(RECORDS, np.diff(first, append=plain.height), dtype=pl.Int64))
    else:
        plain = plain.with_columns(pl.lit(1, pl.Int64).alias(RECORDS))
    return counted_hash(table.columns, [plain], salt=salt)


def _in_order(parts: Iterator[pl.DataFrame], folder: Path | None, expected: int, most: int) -> Iterator[pl.DataFrame]:
    """Return the texts of rows with their counts, in byte order; equal ones follow each other."""
    held: list[pl.DataFrame] = []
    for part in parts:
        held.append(part)
        if folder is not None and sum(one.height for one in held) > most:
            break
    else:
        yield from _by_ranks(held)
        return
    sort = ExternalSort(folder, most, expected)
    for part in chain(held, parts):
        sort.add(pl.DataFrame({"row": canonical_rows(part.drop(RECORDS)), RECORDS: part[RECORDS].cast(pl.Int64)}))
    yield from sort.sorted()


def _by_ranks(parts: Sequence[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Sort rows by the ranks of their cells, which are whole numbers, and join their texts, some rows at a time.

    No text of a cell has a separator inside, so with the separator behind it no cell begins another one: joined texts
    have the order of cells so ended, one after another. The last cell has nothing behind it.
    """
    if not parts:
        return
    counts = pl.concat([part[RECORDS].cast(pl.Int64) for part in parts])
    names = [name for name in parts[0].columns if name != RECORDS]
    columns = {name: pl.concat([part[name] for part in parts]) for name in names}
    texts, numberings = [], []
    for name, column in columns.items():
        known = Numbering(name, column)
        text = canonical_cells(known.values)
        behind = "" if name == names[-1] else SEPARATOR
        rank = (text + behind).rank("dense").to_numpy().astype(np.int64) - 1
        texts.append(pl.DataFrame({"text": text, "rank": rank}).unique("rank").sort("rank")["text"])
        numberings.append((known, rank))
    places = packed([len(of_column) for of_column in texts])
    ranks = (rank[known.of(column)] for (known, rank), column in zip(numberings, columns.values(), strict=True))
    sums = summed(places, ranks)  # one column after another: together they would take as much as the cells
    ordered = _merged(pl.DataFrame({**sums, RECORDS: counts}).sort(list(sums)), list(sums))
    for piece in ordered.iter_slices(_LINES_AT_A_TIME):
        cells = [
            of_column.gather((piece[f"k{word}"].to_numpy() // stride) % len(of_column)).alias(f"c{i}")
            for i, (of_column, (word, stride)) in enumerate(zip(texts, places, strict=True))
        ]
        yield pl.DataFrame(cells).select(pl.concat_str(pl.all(), separator=SEPARATOR).alias("row"), piece[RECORDS])


def _merged(ordered: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Join the counts of rows that are equal in these columns, which follow each other."""
    first = run_starts([ordered[name] for name in names])
    if len(first) == ordered.height:
        return ordered
    records = np.add.reduceat(ordered[RECORDS].to_numpy(), first)
    return ordered[first].with_columns(pl.Series(RECORDS, records, dtype=pl.Int64))
