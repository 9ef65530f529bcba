"""compare: what a release lost, by every loss, from the original and the released table alone.

The statistics are counted from the released cells with plain numpy, not taken from the search: a released row counts
as kept unless all its quasi-identifiers are masked, and records missing from the release count as suppressed. Records
that the schema drops for their gaps are left out of the original first, as in the search. Cells on levels are found in
the hierarchies; what a cell of a class stands for is told by its text, and exactly by the recoding.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import TableError
from nymity.io import to_polars
from nymity.publish.pipeline import without_dropped
from nymity.publish.release import Release
from nymity.publish.rows import CellRows, Rows, released_rows
from nymity.quality import LOSSES, DomainShareLoss, Loss
from nymity.quality.attribute_loss import BoundAttributeLoss
from nymity.table.encoding import EncodedTable, encode
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema, check_columns


@dataclass(frozen=True, kw_only=True)
class LossValue:
    """One loss of a release: raw, and scaled so that 0 is the original and 1 full suppression.

    ``name`` is the key with the parameters that are not the default. ``scaled`` is None where the original and full
    suppression have the same value. ``attributes``: the loss of each attribute, where it is made of those.
    """

    key: str
    name: str
    title: str
    value: float
    original: float
    suppressed: float
    scaled: float | None
    attributes: dict[str, float] | None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Levels found in a release, its suppressed records, every loss, and the domain share lost per attribute."""

    records: int
    levels: dict[str, int]
    suppressed: int
    losses: tuple[LossValue, ...]
    attribute_loss: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self)


def compare(
    original: Any,
    release: Any,
    schema: Schema | None = None,
    *,
    population: pl.DataFrame | None = None,
    recoding: Recoding | str | Path | None = None,
) -> Comparison:
    """Compare an original table with a :class:`Release`, or with a released table and the schema it was made by.

    ``population`` are the quasi-identifiers of the second table it was released beside, if there was one: hierarchies
    are built for the values of both. ``recoding`` is the one it was released by, from the custodian's folder; without
    it cells of local recoding are read from their text, which is refused where it is ambiguous. A release knows both.
    """
    known = release if isinstance(release, Release) else None
    released = to_polars(release) if known is None else known.frame
    if known is not None:
        schema, recoding = known.job.schema, known.recoding
    if schema is None:
        raise TableError("compare", expected="the schema the table was released by", got="none")
    if isinstance(recoding, str | Path):
        recoding = Recoding.load(recoding)
    if isinstance(recoding, PartitionRecoding) or (known is not None and known.population is not None):
        schema = _with_hierarchies(schema, recoding)
    source = to_polars(original)
    check_columns(schema, source.columns)
    encoded = encode(without_dropped(source, schema)[0], schema, population)
    for name in encoded.names:
        if name not in released.columns:
            raise TableError("released table", expected=f"the quasi-identifier {name!r}", got="no such column")
    found = released_rows(encoded, released, recoding, None if known is None else known.log.masked)
    untouched, nothing = _extremes(encoded)
    values = tuple(_loss_value(loss, found, untouched, nothing) for loss in _losses(found, known))
    return Comparison(
        records=encoded.n_records,
        levels={} if isinstance(found, CellRows) else dict(zip(encoded.names, found.levels, strict=True)),
        suppressed=found.suppressed,
        losses=values,
        attribute_loss=next(value.attributes or {} for value in values if value.name == DomainShareLoss.key),
    )


def _losses(found: Rows, known: Release | None) -> list[Loss]:
    """Return every loss that can be told from the rows, and the one a release was made by."""
    losses = [loss for kind in LOSSES.values() for loss in kind.of_table(found.table)]
    minimized = None if known is None else known.outcome.minimized
    if isinstance(minimized, Loss) and minimized not in losses:
        losses.append(minimized)
    bound = [loss.bind(found.table) for loss in losses]
    return [
        loss
        for loss, b in zip(losses, bound, strict=True)
        if b.needs.target in (None, *found.targets) and found.tells(b)
    ]


def _loss_value(loss: Loss, found: Rows, untouched: Rows, nothing: Rows) -> LossValue:
    bound = loss.bind(found.table)
    here, low_end, high_end = (rows.statistics(bound) for rows in (found, untouched, nothing))
    value, low, high = (float(bound.value(nodes)[0]) for nodes in (here, low_end, high_end))
    attributes = None
    if isinstance(bound, BoundAttributeLoss):
        attributes = dict(zip(found.table.names, bound.per_attribute(here)[0].tolist(), strict=True))
    return LossValue(
        key=loss.key,
        name=loss.name,
        title=loss.title,
        value=value,
        original=low,
        suppressed=high,
        scaled=None if low == high else (value - low) / (high - low),
        attributes=attributes,
    )


def _with_hierarchies(schema: Schema, recoding: Recoding | None) -> Schema:
    """Return the schema with the hierarchies of a recoding, whose codes its cells speak of."""
    assert recoding is not None
    hierarchies = recoding.hierarchies
    if set(hierarchies) != set(schema.quasi):
        raise TableError(
            "recoding",
            expected=f"the quasi-identifiers {', '.join(map(repr, schema.quasi))}",
            got=", ".join(map(repr, hierarchies)),
            hint="give the recoding of this release",
        )
    return Schema({n: replace(a, hierarchy=hierarchies[n]) if n in hierarchies else a for n, a in schema.items()})


def _extremes(table: EncodedTable) -> tuple[Rows, Rows]:
    """Return the original table and the one with every record suppressed at the top."""
    rows = np.repeat(table.combinations, table.counts, axis=0).astype(np.int64)
    values = {name: pl.Series(np.repeat(column.codes, column.counts)) for name, column in table.sensitive.items()}
    nobody = {name: column[:0] for name, column in values.items()}
    return Rows(table, np.zeros_like(rows), rows, values), Rows(table, rows[:0], rows[:0], nobody)
