"""How few records of a class hold what somebody knows of one of them, of a written table, by plain joins.

Nothing here is shared with the search (:mod:`nymity.baskets`): sets of items grow by joins, and equal ones are counted
by group-bys.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import polars as pl

from nymity.core.errors import TableError

#: As many sets are counted, at most.
MOST_SETS = 2 * 10**8
#: Sets that are joined at a time, about.
_AT_A_TIME = 2_000_000


def fewest_holding(entries: pl.DataFrame, m: int) -> int | None:
    """Return how few persons of a class hold a set of one to m items that a record of it holds; None if there is none.

    ``entries``: the ``row``, its ``class``, its ``person`` and the ``item``, one of each item of a row.
    """
    if entries.is_empty():
        return None
    _check_number(entries, m)
    kinds = pl.struct("class", "item").rank("dense").cast(pl.UInt64)
    held = entries.select("row", "person", kind=kinds)
    largest = int(held.group_by("row").len()["len"].max())  # type: ignore[arg-type]
    return min(_least(counted) for counted in _sets(held, min(m, largest)))


def _sets(held: pl.DataFrame, m: int) -> Iterator[pl.DataFrame]:
    """Count the persons of every set of at most m items, those that begin with some items at a time.

    A set is known by a number: that of what it is without its last item, and that item, in order.
    """
    yield held.group_by("kind").agg(pl.col("person").n_unique())
    n_kinds = int(held["kind"].max()) + 1  # type: ignore[arg-type]
    further = held.select("row", "kind")
    for part in _parts(held, m) if m > 1 else ():
        grown = part.select("row", "person", last="kind", named="kind")
        for _ in range(1, m):
            joined = grown.join(further, on="row").filter(pl.col("kind") > pl.col("last"))
            if joined.is_empty():
                break
            yield joined.group_by("named", "kind").agg(pl.col("person").n_unique())
            # Numbered anew after each item, so that numbers stay below rows times kinds whatever m is.
            number = (pl.col("named") * n_kinds + pl.col("kind")).rank("dense").cast(pl.UInt64)
            grown = joined.select("row", "person", last="kind", named=number)


def _parts(held: pl.DataFrame, m: int) -> Iterator[pl.DataFrame]:
    """Divide what begins a set by its first item, such that no part grows beyond what memory takes."""
    sizes = held.group_by("row").len("items").with_columns(weight=pl.col("items").cast(pl.Float64) ** (m - 1))
    weighed = held.join(sizes, on="row").group_by("kind").agg(pl.col("weight").sum())
    part = weighed.sort("kind").select("kind", part=(pl.col("weight").cum_sum() / _AT_A_TIME).floor())
    yield from held.join(part, on="kind").partition_by("part", include_key=False)


def _check_number(entries: pl.DataFrame, m: int) -> None:
    """Refuse to count more sets than anybody would wait for."""
    sizes = entries.group_by("row").len("items").group_by("items").len("rows")
    sets = sum(rows * comb(items, size) for items, rows in sizes.iter_rows() for size in range(1, min(m, items) + 1))
    if sets > MOST_SETS:
        raise TableError(
            "items",
            expected=f"at most {MOST_SETS:,} sets of up to {m} items of a record",
            got=f"{sets:,}, because one record has up to {max(sizes['items'].to_list()):,} items",
            hint="a smaller m",
        )


def _least(counted: pl.DataFrame) -> int:
    return int(counted["person"].min())  # type: ignore[arg-type]
