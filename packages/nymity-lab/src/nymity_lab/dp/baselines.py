"""What SafePub is compared with (Bild, Kuhn and Prasser 2018, section 8.5): *none* of these is private.

Each chooses the levels that are best for the records, which is just what a private method must not do. They show what
sampling costs, what k costs, and what is lost by drawing levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.bits import NotPrivate, coins
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.envelope import Envelope
from nymity.dp.public_domain import public_schema
from nymity.dp.safepub import SafePub
from nymity.dp.scores import Score
from nymity.lattice.space import Node, Space
from nymity.table.encoding import EncodedTable, encode
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.schema import Schema

#: A rate at which nothing but the best score counts.
_STEEP = Fraction(10**30)


@dataclass(frozen=True, eq=False, kw_only=True)
class NotPrivateRelease:
    """Rows that a study may measure and nobody should publish: ``rows`` came from ``source_rows`` of the table."""

    levels: dict[str, int]
    rows: pl.DataFrame
    source_rows: NDArray[np.int64]
    sampled_records: int
    k: int

    private: ClassVar[bool] = False

    @property
    def suppressed(self) -> int:
        """Records that were sampled and are in no class of at least k."""
        return self.sampled_records - self.rows.height


def optimal_k_anonymity(table: pl.DataFrame, schema: Schema, *, method: SafePub, k: int = 5) -> NotPrivateRelease:
    """Publish all records in classes of at least k, at the levels that are best by the method's score."""
    return best_release(table, schema, np.ones(table.height, dtype=np.bool_), method=method, k=k)


def sampling_only(table: pl.DataFrame, schema: Schema, *, beta: Fraction, seed: int) -> NotPrivateRelease:
    """Publish a sample as it is."""
    kept = coins(beta, table.height, NotPrivate(seed))
    sample = encode(table.filter(pl.Series(kept)), public_schema(schema))
    return release_at(sample.min_levels, table, sample, kept, k=1)


def sampled_k_anonymity(
    table: pl.DataFrame, schema: Schema, *, method: SafePub, beta: Fraction, seed: int, k: int = 5
) -> NotPrivateRelease:
    """Publish a sample in classes of at least k, at the levels that are best for the sample."""
    return best_release(table, schema, coins(beta, table.height, NotPrivate(seed)), method=method, k=k)


def safepub_optimum(
    table: pl.DataFrame, schema: Schema, model: DifferentialPrivacy, *, method: SafePub, seed: int
) -> NotPrivateRelease:
    """Publish what SafePub would at best: a sample by its beta, classes by its k, and the best levels for both."""
    return sampled_k_anonymity(table, schema, method=method, beta=model.beta, seed=seed, k=model.k)


def best_release(
    table: pl.DataFrame, schema: Schema, kept: NDArray[np.bool_], *, method: SafePub, k: int
) -> NotPrivateRelease:
    """Publish classes of at least k of the kept rows, at the levels that are best for these rows."""
    sample = encode(table.filter(pl.Series(kept)), public_schema(schema))
    node = best_node(method.scored(sample, k), method.space(sample))
    return release_at(node, table, sample, kept, k=k)


def release_at(
    node: Node, table: pl.DataFrame, sample: EncodedTable, kept: NDArray[np.bool_], *, k: int
) -> NotPrivateRelease:
    """Publish classes of at least k of the kept rows at the levels of a node; ``sample`` is these rows, encoded."""
    levels = dict(zip(sample.names, node, strict=True))
    hierarchies = dict(zip(sample.names, sample.hierarchies, strict=True))
    recoded = SampledRecoding(sample.names, hierarchies, levels, k, Fraction(1)).of_sample(table, kept)
    return NotPrivateRelease(
        levels=levels, rows=recoded.table, source_rows=recoded.source_rows, sampled_records=int(kept.sum()), k=k
    )


def best_node(score: Score, space: Space) -> Node:
    """Return a node with the best score; ceilings prove it without a look at most others."""
    envelope = Envelope(score, space, _STEEP)
    envelope.narrow()
    return space.node(int(np.argmax(np.where(envelope.settled, envelope.bounds, envelope.bounds.min() - 1))))
