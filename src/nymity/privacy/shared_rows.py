"""How many persons share what somebody knows of one person's rows, of a written table, by plain joins.

Nothing here is shared with the search: sets of rows grow by joins, and equal ones are counted by group-bys.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from nymity.privacy.links import Knows

#: Sets that are joined at a time, about.
_AT_A_TIME = 2_000_000


def fewest_sharing(rows: pl.DataFrame, knows: Knows) -> int | None:
    """Return how few persons share what is known of somebody: the k of linked rows; None if there is no row.

    ``rows``: the ``person`` and ``class`` of every row. ``knows``: up to so many rows of one person, or all of them.
    """
    if rows.is_empty():
        return None
    entries = rows.group_by("person", pl.col("class").alias("kind")).len("rows")
    if knows == "all":
        return _least(_wholes(entries))
    entries = entries.with_columns(pl.col("person", "kind").rank("dense").cast(pl.UInt32))
    most = int(entries.group_by("person").agg(pl.col("rows").sum())["rows"].max())  # type: ignore[arg-type]
    found = [_least(part) for part in _sets(entries, min(knows, most))]
    return min(found)


def _wholes(entries: pl.DataFrame) -> pl.DataFrame:
    """Count the persons of every whole multiset of rows."""
    whole = entries.sort("kind").group_by("person", maintain_order=True).agg("kind", "rows")
    return whole.group_by("kind", "rows").len("persons")


def _sets(entries: pl.DataFrame, most: int) -> Iterator[pl.DataFrame]:
    """Count the persons of every multiset of at most so many rows, those that begin with some classes at a time.

    A multiset is known by a number: that of what it is without its last row, and the class of that row, in order.
    """
    single = entries.select("person", last="kind", used=pl.lit(1, pl.UInt32), named=pl.col("kind").cast(pl.UInt64))
    yield single.group_by("last").len("persons")
    n_kinds = int(entries["kind"].max()) + 1  # type: ignore[arg-type]
    for part in _parts(entries, single, most):
        grown = part
        for _ in range(1, most):
            joined = grown.join(entries, on="person").filter(
                (pl.col("kind") > pl.col("last"))
                | ((pl.col("kind") == pl.col("last")) & (pl.col("rows") > pl.col("used")))
            )
            if joined.is_empty():
                break
            yield joined.group_by("named", "kind").len("persons")
            grown = joined.select(
                "person",
                used=pl.when(pl.col("kind") == pl.col("last")).then(pl.col("used") + 1).otherwise(1),
                last="kind",
                # Numbered anew after each row, so that numbers do not outgrow 64 bits.
                named=(pl.col("named") * n_kinds + pl.col("kind")).rank("dense").cast(pl.UInt64),
            )


def _parts(entries: pl.DataFrame, single: pl.DataFrame, most: int) -> Iterator[pl.DataFrame]:
    """Divide what begins a multiset by its first class, such that no part grows beyond what memory takes."""
    mine = entries.group_by("person").len("kinds").with_columns(weight=pl.col("kinds").cast(pl.Float64) ** (most - 1))
    weighed = single.join(mine.select("person", "weight"), on="person").group_by("last").agg(pl.col("weight").sum())
    part = weighed.sort("last").select("last", part=(pl.col("weight").cum_sum() / _AT_A_TIME).floor())
    yield from single.join(part, on="last").partition_by("part", include_key=False)


def _least(counted: pl.DataFrame) -> int:
    return int(counted["persons"].min())  # type: ignore[arg-type]
