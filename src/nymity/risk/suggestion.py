"""suggest: which columns could point to people, by name, by content and by how well they tell records apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.risk.combinations import as_frame
from nymity.risk.identifiers import IdentifierFlag
from nymity.risk.roles import ColumnFacts, suggest_role, with_nulls
from nymity.table.attribute import Role
from nymity.table.text import plainly_named


@dataclass(frozen=True, kw_only=True)
class ColumnRisk:
    """A column's suggested role and why, what it looks like among HIPAA's kinds, and what it alone tells apart.

    ``distinction``, ``separation`` and ``unique`` as in :class:`Drivers`, missing being a value; None for columns
    whose cells cannot be compared.
    """

    name: str
    role: Role
    reason: str
    flags: tuple[IdentifierFlag, ...]
    distinction: float | None
    separation: float | None
    unique: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "name": self.name,
            "role": self.role.value,
            "reason": self.reason,
            "flags": [flag.to_dict() for flag in self.flags],
            "distinction": self.distinction,
            "separation": self.separation,
            "unique": self.unique,
        }


def suggest(table: Any) -> tuple[ColumnRisk, ...]:
    """Look at every column of a table: the suggested quasi-identifiers are those with the role quasi."""
    frame = as_frame("table", table)
    if not frame.height:
        raise TableError("table", expected="at least one record", got="an empty table")
    return tuple(_of(column.name, with_nulls(plainly_named(column))) for column in frame)


def _of(name: str, column: pl.Series) -> ColumnRisk:
    comparable = not (column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary))
    counts = column.value_counts(name="count") if comparable else column.clear().value_counts(name="count")
    values = counts.to_series(0).drop_nulls()
    facts = ColumnFacts.of(name, column, values)
    role, reason = suggest_role(facts)
    n, sizes = len(column), counts["count"].cast(pl.Int64)
    agreeing = int((sizes * (sizes - 1)).sum()) / (n * (n - 1)) if n > 1 else 1.0  # share of the pairs of records
    return ColumnRisk(
        name=name,
        role=role,
        reason=reason,
        flags=facts.flags,
        distinction=len(sizes) / n if comparable else None,
        separation=1 - agreeing if comparable else None,
        unique=int((sizes == 1).sum()) if comparable else None,
    )
