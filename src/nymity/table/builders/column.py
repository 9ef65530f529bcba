"""What every builder starts from and ends with: a column's distinct values in text form, and finished rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

import polars as pl

from nymity.core.errors import HierarchyError, ParameterError
from nymity.core.quoting import quoted
from nymity.table.given_column import to_series
from nymity.table.hierarchy import Hierarchy, Label, some_of
from nymity.table.rule import Rule, RuleMaker
from nymity.table.text import MASK, as_text


@dataclass(frozen=True)
class Column:
    """Distinct values of a column as text, sorted; ``missing`` says whether there were gaps."""

    texts: tuple[str, ...]
    missing: bool

    def hierarchy(
        self,
        rows: Sequence[Sequence[Label]],
        *,
        levels: int,
        where: str,
        rule: tuple[RuleMaker, dict[str, Any]] | None = None,
    ) -> Hierarchy:
        """Finish a hierarchy: the top ``*`` above ``levels`` levels per row, and a row for missing values.

        ``rule``: the builder and what it found out from the column, if levels are a function of the value.
        """
        made_by = None if rule is None else Rule(builder=rule[0], fixed=rule[1], height=levels)
        finished = [[*row, MASK] for row in rows]
        if not finished and self.missing:
            return Hierarchy.from_rows([[None] * levels + [MASK]], where=where, rule=made_by)
        hierarchy = Hierarchy.from_rows(finished, where=where, rule=made_by)
        return hierarchy.with_missing(where=where) if self.missing else hierarchy


def distinct(values: Any) -> Column:
    """Take the distinct values as text: numbers and dates in their own order, anything else by text."""
    values = to_series(values)
    ordered = values.dtype.is_numeric() or values.dtype.is_temporal()
    text = as_text(values.sort() if ordered else values)
    texts = text.drop_nulls().unique(maintain_order=True).to_list()
    return Column(tuple(texts if ordered else sorted(texts)), text.null_count() > 0)


def refuse(where: str, wrong: Sequence[str], *, expected: str, hint: str) -> None:
    """Raise one error about all the values a builder cannot place, if there are any."""
    if not wrong:
        return
    count = f"{len(wrong)} other value{'s' if len(wrong) > 1 else ''}"
    raise HierarchyError(where, expected=expected, got=f"{count} on level 0: {some_of(wrong)}", hint=hint)


def plain_text(where: str, item: object) -> str:
    """Write one value of a job file the way a column would: ``1`` for 1 and 1.0, ``true`` for True."""
    if isinstance(item, str) and item:
        return item
    if isinstance(item, bool | int | float | date | datetime | time):
        text = as_text(pl.Series([item])).item()
        if isinstance(text, str):
            return text
    raise ParameterError(where, expected="text or a number", got="None" if item is None else quoted(item))


def plain_texts(where: str, items: object) -> tuple[str, ...]:
    """Write a list of values the way one column would: with ``2.5`` among them, 1 is written ``1.0``."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise ParameterError(where, expected="a list of values", got=quoted(items))
    listed = list(items)
    if any(isinstance(item, float) for item in listed) and all(_is_number(item) for item in listed):
        listed = as_text(pl.Series(listed, dtype=pl.Float64, strict=False)).to_list()
    return tuple(plain_text(where, item) for item in listed)


def _is_number(item: object) -> bool:
    return isinstance(item, int | float) and not isinstance(item, bool)
