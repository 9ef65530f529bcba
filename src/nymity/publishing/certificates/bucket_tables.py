"""The two tables of a bucketized release: do they fit together, and what does each bucket hold?

Like all verification this knows nothing of how they were made.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from nymity.core.errors import InputError
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.recoding import written_alike
from nymity.table.text import as_text


def check_counts(table: pl.DataFrame, counts: pl.DataFrame) -> str:
    """Refuse tables that are not those of a bucketized release; return the name of the sensitive column."""
    if BUCKET not in table.columns:
        raise InputError("release", expected=f"a column {BUCKET!r}", got=", ".join(map(repr, table.columns)))
    others = [name for name in counts.columns if name not in (BUCKET, COUNT)]
    if len(counts.columns) != 3 or len(others) != 1:
        raise InputError(
            "sensitive table",
            expected=f"the columns {BUCKET!r}, {COUNT!r} and one of sensitive values",
            got=", ".join(map(repr, counts.columns)) or "no columns",
        )
    for name, column in (("release", table[BUCKET]), ("sensitive table", counts[BUCKET]), (COUNT, counts[COUNT])):
        if not column.dtype.is_integer():
            raise InputError(f"{name}, column {column.name!r}", expected="whole numbers", got=str(column.dtype))
        # Unsigned numbers beyond 2^63 would become negative in the sums that follow.
        if column.cast(pl.Int64, strict=False).null_count() > column.null_count():
            raise InputError(f"{name}, column {column.name!r}", expected="whole numbers below 2^63", got="a larger one")
    return others[0]


def bucket_problems(table: pl.DataFrame, counts: pl.DataFrame) -> tuple[str, ...]:
    """Return where the two tables contradict each other."""
    attribute = check_counts(table, counts)
    held = pl.DataFrame({"bucket": counts[BUCKET], "value": counts[attribute], "records": counts[COUNT]})
    problems = []
    if attribute in table.columns:
        problems.append(f"the sensitive column {attribute!r} is beside the quasi-identifiers")
    if held["bucket"].null_count() or not (held["records"].fill_null(0) >= 1).all():
        problems.append("the sensitive table has a bucket without a number or a count below one")
    if twice := held.height - held.select("bucket", "value").unique().height:
        problems.append(f"the sensitive table names {twice} values twice in a bucket")
    # In 128 bits, for a sum of hostile counts that overflows could be any number, the right one too.
    sizes = held.group_by(pl.col("bucket").cast(pl.Int64)).agg(pl.col("records").cast(pl.Int128).sum())
    rows = table[BUCKET].cast(pl.Int64).alias("bucket").to_frame().group_by("bucket").len("rows")
    both = sizes.join(rows.cast({"rows": pl.Int128}), on="bucket", how="full", nulls_equal=True)
    if unlike := both.filter(pl.col("records").ne_missing(pl.col("rows"))).height:
        problems.append(f"{unlike} buckets have more or fewer records in one table than in the other")
    return tuple(problems)


def lost_records(table: pl.DataFrame, counts: pl.DataFrame, source: pl.DataFrame) -> tuple[str, ...]:
    """Return which of the two tables lacks a record of the source or repeats one; the release alone cannot show it."""
    attribute, values = check_counts(table, counts), members(counts, most=table.height)
    kept = [name for name in table.columns if name != BUCKET]
    parts = {"release": (table, kept), "sensitive table": (values, [attribute])}
    return tuple(
        f"the {name} has not every record of the source once"
        for name, (released, columns) in parts.items()
        if not _tallied(released, columns).equals(_tallied(source, columns))
    )


def _tallied(table: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """Count equal rows, in order; forms of a missing value are one."""
    texts = pl.DataFrame({f"c{i}": as_text(written_alike(table[name].alias("c"))) for i, name in enumerate(columns)})
    return texts.group_by(texts.columns).len().sort(texts.columns)


def members(counts: pl.DataFrame, *, most: int) -> pl.DataFrame:
    """Return one row for each record: its bucket and a sensitive value; no more than ``most`` of them.

    Somebody else may have written the counts. Where they promise more records than the release has rows, that is a
    contradiction, and no reason to lay out a trillion of them.
    """
    times = counts[COUNT].cast(pl.Int64).fill_null(0).clip(0, most).to_numpy()
    ends = np.minimum(np.cumsum(times), most)
    return counts.drop(COUNT)[np.repeat(np.arange(counts.height), np.diff(ends, prepend=0))]
