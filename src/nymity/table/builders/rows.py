"""HierarchyRows: a hierarchy written out in the job file itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from nymity.core.errors import ParameterError
from nymity.core.quoting import quoted
from nymity.table.builders.column import plain_text, plain_texts
from nymity.table.hierarchy import Hierarchy, Label


@dataclass(frozen=True, kw_only=True)
class HierarchyRows:
    """One row per raw value, ``[raw, level 1, ..., top]``; ``""`` (or ``None``) is a missing value.

    Numbers are taken in the text form a column of them would have.
    """

    key: ClassVar[str] = "rows"

    rows: tuple[tuple[Label, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", _texts(self.rows))

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the hierarchy the rows describe, checked against the column."""
        return Hierarchy.from_rows(self.rows, where=where).build(values, where=where)


def _texts(rows: Any) -> tuple[tuple[Label, ...], ...]:
    if not isinstance(rows, list | tuple) or not rows:
        raise ParameterError("rows.rows", expected="a list with one row per value", got=quoted(rows))
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list | tuple) or not row:
            raise ParameterError(f"rows.rows, row {number}", expected="a list: raw value, level 1, …", got=quoted(row))
    raw = iter(plain_texts("rows.rows, level 0", [row[0] for row in rows if row[0] not in (None, "")]))
    return tuple(
        (
            None if row[0] in (None, "") else next(raw),
            *(None if cell in (None, "") else plain_text(f"rows.rows, row {number}", cell) for cell in row[1:]),
        )
        for number, row in enumerate(rows, start=1)
    )
