"""The shape of a column: a few bars, for somebody who wants to see at a glance what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from nymity.io import CodedTable, to_polars
from nymity.table.text import as_text

#: Bars, unless told otherwise.
USUAL_BARS = 16


@dataclass(frozen=True, kw_only=True)
class ColumnShape:
    """Bars with what they stand for: values, or intervals from and to a value; ``others`` have values without a bar.

    ``ordered`` bars follow the order of numbers and dates; others are the most frequent values first.
    """

    ordered: bool
    labels: tuple[str, ...]
    counts: tuple[int, ...]
    others: int = 0
    missing: int = 0


def column_shape(table: Any, name: str, *, bars: int = USUAL_BARS) -> ColumnShape:
    """Count the values of a column in at most so many bars."""
    counts, missing = value_counts(table, name)
    values = counts["value"]
    ordered = values.dtype.is_numeric() or values.dtype.is_temporal()
    if values.dtype.is_float():
        finite = counts.filter(pl.col("value").is_finite())
        missing += int(counts["count"].sum()) - int(finite["count"].sum())
        counts = finite
    if counts.height <= bars or not ordered:
        shown = counts.sort("value") if ordered else counts.top_k(bars, by=["count", "value"], reverse=[False, True])
        if not ordered:
            shown = shown.sort(["count", "value"], descending=[True, False])
        labels, numbers = tuple(as_text(shown["value"]).to_list()), tuple(shown["count"].to_list())
        others = int(counts["count"].sum()) - sum(numbers)
        return ColumnShape(ordered=ordered, labels=labels, counts=numbers, others=others, missing=missing)
    return _intervals(counts, bars, missing)


def value_counts(table: Any, name: str) -> tuple[pl.DataFrame, int]:
    """Return the different values with how often each occurs, and the number of gaps."""
    if isinstance(table, CodedTable):
        counts = table.coded[name].counts
        return counts, table.height - int(counts["count"].sum())
    column = to_polars(table)[name].alias("value")
    if column.dtype.is_nested() or column.dtype == pl.Object:
        column = pl.Series("value", [None if one is None else str(one) for one in column], dtype=pl.String)
    counted = pl.DataFrame([column]).group_by("value").agg(pl.len().alias("count"))
    missing = counted.filter(pl.col("value").is_null())["count"].sum()
    return counted.drop_nulls("value"), int(missing)


def _intervals(counts: pl.DataFrame, bars: int, missing: int) -> ColumnShape:
    """Divide the way from the smallest to the largest value into equal parts."""
    values = counts["value"]
    numbers = values.to_physical().cast(pl.Float64).to_numpy()
    low, high = float(numbers.min()), float(numbers.max())
    # In halves, for the whole way may be longer than the largest number there is.
    part = np.minimum(((numbers / 2 - low / 2) / (high / 2 - low / 2) * bars).astype(np.int64), bars - 1)
    sums = np.bincount(part, weights=counts["count"].to_numpy(), minlength=bars).astype(np.int64)
    ends = (
        pl.DataFrame({"part": part, "value": values})
        .group_by("part")
        .agg(pl.col("value").min().alias("first"), pl.col("value").max().alias("last"))
    )
    texts = {
        place: f"{first} – {last}"
        for place, first, last in zip(ends["part"], as_text(ends["first"]), as_text(ends["last"]), strict=True)
    }
    labels = tuple(texts.get(place, "") for place in range(bars))
    return ColumnShape(ordered=True, labels=labels, counts=tuple(int(one) for one in sums), missing=missing)
