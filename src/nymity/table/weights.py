"""Sampling weights: how many people of the population a record of a sample stands for."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.table.text import as_text, is_missing, plainly_named

#: People that a record can stand for at most; beyond it sums lose their digits.
MOST = 10**12
#: How many rows an error names.
_NAMED = 5


def check_weights(column: pl.Series, *, gaps: bool = False) -> None:
    """Refuse what is no weight: text, missing, infinite or not above 0. ``gaps``: missing ones are left out later."""
    missing, numbers = is_missing(column).to_numpy(), _numbers(column)
    found = {
        "not a number": np.isnan(numbers) & ~missing,
        "not above 0": numbers <= 0,
        f"above {MOST:,}": numbers > MOST,
        "missing": missing & (not gaps),
    }
    wrong = {what: np.flatnonzero(rows) for what, rows in found.items() if rows.any()}
    if wrong:
        raise TableError(
            f"column {column.name!r}",
            expected="sampling weights: a number above 0 in every record",
            got="; ".join(f"{len(rows):,} {what} ({_places(rows)})" for what, rows in wrong.items()),
            hint="missing = 'drop' leaves records without a weight out" if "missing" in wrong else "",
        )


def weights_of(column: pl.Series) -> NDArray[np.float64]:
    """Return the weights of a column as numbers, (n,); NaN where one is missing."""
    check_weights(column, gaps=True)
    return _numbers(column)


def people_by_weights(persons: pl.Series, weights: NDArray[np.float64]) -> float:
    """Return for how many people records of these persons stand: each counts once, with the mean of its weights."""
    each = pl.DataFrame({"person": persons, "weight": weights}).group_by("person").agg(pl.col("weight").mean())
    return fsum(each["weight"].to_list())


def class_means(weights: NDArray[np.float64], rows: pl.DataFrame, columns: Sequence[str]) -> NDArray[np.float64]:
    """Return for each row the mean weight of the rows with the same cells in these columns, (n,).

    **Why this can be published.** Rows that could not be told apart without the mean cannot be told apart with it, by
    whatever somebody knows of weights: classes stay what they are, and with them whatever was promised of finding a
    row. And who knows everybody's weight learns nothing from their mean, also of sensitive values. But a weight that
    depends on a sensitive value is not known by others: with weights of 10 and 50 for two people, a quarter of that for
    whoever has the illness that was sought, a sum of 22.5 says which of the two has it. So a job that promises
    something of sensitive values must say that weights do not depend on them, or drop them.

    Sums of weights over classes stay, and with them every estimate of how many people have which published
    quasi-identifiers.

    Sums are rounded once (fsum), so that the order of rows has no part in them.
    """
    cells = {f"c{i}": as_text(rows[name]) for i, name in enumerate(columns)}
    found = pl.DataFrame({**cells, "weight": weights}).with_row_index("row").group_by(list(cells)).agg("row", "weight")
    classes = found["weight"].to_list()
    means = np.empty(len(weights), dtype=np.float64)
    means[found["row"].explode().to_numpy()] = np.repeat(
        [fsum(members) / len(members) for members in classes], [len(members) for members in classes]
    )
    return means


def _numbers(column: pl.Series) -> NDArray[np.float64]:
    """Return the cells as numbers, NaN for what is none."""
    column = plainly_named(column)
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary, pl.Boolean) or column.dtype.is_temporal():
        return np.full(len(column), np.nan)
    if not column.dtype.is_numeric():
        column = column.cast(pl.String).str.strip_chars()
    return column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


def _places(rows: NDArray[np.int64]) -> str:
    """Name the first rows, counted from 1."""
    listed = ", ".join(f"{row + 1:,}" for row in rows[:_NAMED].tolist())
    return f"record{'s' * (len(rows) > 1)} {listed}{' …' * (len(rows) > _NAMED)}"
