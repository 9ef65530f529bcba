"""Relinking: which records the rows of an engine's release were made of, told by its recoding and the original.

An engine numbers no rows, so the custodian's log has none. Its recoding publishes records with equal quasi-identifiers
alike, so whoever has that and the original makes the same rows again; rows that are equal in every cell may be taken
for each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.engines import canonical_rows, table_hash
from nymity.publishing.sealing.fingerprint import fingerprint
from nymity.table.one_zero import with_one_zero
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema


class Relinked(NamedTuple):
    """The source row of each released row, and which of these are masked."""

    rows: NDArray[np.int64]
    masked: NDArray[np.bool_]


def relinked(recoding: Recoding, released: pl.DataFrame, original: pl.DataFrame, schema: Schema) -> Relinked | None:
    """Link rows to the records they were made of; None where other rows would be made of these records."""
    if sorted(original.columns) != sorted(schema):
        return None
    table, kept = schema.without_gaps(original)
    made = recoding.for_further_rows().apply(with_one_zero(table), unseen="mask")
    if made.table.height != released.height or made.table.columns != released.columns:
        return None
    texts = [canonical_rows(released), canonical_rows(made.table)]  # whatever zone or width an engine gave a column
    orders = [one.arg_sort().to_numpy() for one in texts]
    if not texts[0].gather(orders[0]).equals(texts[1].gather(orders[1])):
        return None
    rows, masked = np.empty(released.height, dtype=np.int64), np.empty(released.height, dtype=np.bool_)
    rows[orders[0]] = kept[made.source_rows[orders[1]]]
    masked[orders[0]] = made.masked[orders[1]]
    return Relinked(rows, masked)


def source_hash(table: pl.DataFrame, schema: Schema, content_format: str | None, *, salt: str) -> str:
    """Return the hash of a source that certificates have: of all rows, or of what engines count of it."""
    if content_format is None:
        return fingerprint(table, salt=salt)
    whole, _ = schema.without_gaps(table)
    counted = pl.DataFrame({name: whole[name] for name in (*schema.quasi, *schema.sensitive)})
    found: str = table_hash(with_one_zero(counted), salt=salt)
    return found
