"""JSON lines (.jsonl, .ndjson): one record per line, a table of fields by their names."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.core.plain_data import parse_json
from nymity.core.quoting import quoted
from nymity.io.compact import compact
from nymity.io.file_content import empty, utf8_chunks
from nymity.io.format import Format, flat
from nymity.io.frame import to_polars
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS
from nymity.io.lossless import days_of
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.scan import too_wide
from nymity.io.text_cells import text_cells


@dataclass(frozen=True, kw_only=True)
class JsonLines(Format):
    """Text, numbers and truth values as JSON has them; ISO dates are dates; a field that a line lacks is missing.

    A column of several kinds is text. A list of values is text with ``;`` between them, as sets of items have it.
    Tables inside of a record have no column, and are refused.
    """

    keeps_types = True

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read every record; columns are in the order in which their names first come."""
        columns: dict[str, list[Any]] = {}
        for row, (number, line) in enumerate(_lines(path, options.encoding or "utf-8")):
            for name, cell in _record(path, number, line).items():
                if name not in columns:
                    # A field that comes for the first time was missing in all records before.
                    columns[name] = [None] * row
                columns[name].append(cell)
            for cells in columns.values():
                if len(cells) <= row:
                    cells.append(None)
            if len(columns) > MAX_COLUMNS:
                raise too_wide(str(path), len(columns))
        if not columns:
            raise empty(path)
        table = to_polars({name: _whole_or_text(cells) for name, cells in columns.items()})
        return pl.DataFrame({column.name: days_of(column) for column in table.get_columns()})

    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None) -> pl.DataFrame:
        """Read the cells and write each by its type."""
        return text_cells(self.read(path, options), columns)

    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write one line for each row."""
        with path.open("wb") as file:
            flat(compact(table)).write_ndjson(file)


#: Stands between the items of a list.
_BETWEEN = ";"

JSONL = JsonLines(suffix=".jsonl")
NDJSON = JsonLines(suffix=".ndjson", released=False)


def _lines(path: Path, encoding: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that hold anything, each with its number."""
    rest, number = b"", 0
    for piece in utf8_chunks(path, compressed=False, encoding=encoding):
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > MAX_CELL_BYTES:
            raise TableError(
                f"{path}, line {number + len(lines) + 1}",
                expected=f"records of at most {MAX_CELL_BYTES:,} bytes",
                got="a longer one",
                hint="write each record into a line of its own",
            )
        for line in lines:
            number += 1
            if line.strip():
                yield number, line
    if rest.strip():
        yield number + 1, rest


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    where = f"{path}, line {number}"
    record = parse_json(line, where=where, expected="a record in JSON")
    if not isinstance(record, dict):
        raise TableError(where, expected='a record: {"age": 34, …}', got=type(record).__name__)
    for name, cell in record.items():
        if not name:
            raise TableError(where, expected="a name for every field", got="an empty one")
        if isinstance(cell, dict):
            raise TableError(
                f"{where}, field {name!r}",
                expected="one value",
                got="a table",
                hint="write its parts as fields of their own, such as address_city",
            )
        if isinstance(cell, list):
            record[name] = _joined(cell, f"{where}, field {name!r}")
    return record


def _joined(items: list[Any], where: str) -> str:
    """Write the items of a list one after another; what could be read in two ways is refused."""
    for item in items:
        if not isinstance(item, str | int | float) or _BETWEEN in str(item) or not str(item).strip():
            raise TableError(
                where,
                expected=f"one value, or a list of values without {_BETWEEN!r}",
                got=f"a list with {quoted(json.dumps(item, ensure_ascii=False))}",
                hint="write its parts as fields of their own, such as address_city",
            )
    return _BETWEEN.join(item if isinstance(item, str) else json.dumps(item) for item in items)


def _whole_or_text(cells: list[Any]) -> list[Any]:
    """Write numbers of more than 64 bits as text: a column of them is one of codes."""
    if any(isinstance(cell, int) and not isinstance(cell, bool) and not -(2**63) <= cell < 2**63 for cell in cells):
        return [None if cell is None else str(cell) for cell in cells]
    return [None if cell == "" else cell for cell in cells]
