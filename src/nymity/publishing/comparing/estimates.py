"""Estimates about the population: what a sample says by its weights, and what the release says by those it has.

Weights of the release are means of classes, or none. Sums over classes stay, but for records that were removed; what
changes are estimates of values that go with weights inside a class.

Where records are of persons, the weights of records sum to the records of the population, such as visits, and means and
shares are over these. Its people are the sum of one weight for each person, the mean of those of its records; whoever
has rows without persons cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.table.attribute import Role
from nymity.table.encoding import person_ids
from nymity.table.schema import Schema
from nymity.table.text import as_text, is_missing
from nymity.table.weights import people_by_weights, weights_of

#: Columns with more different values than this are not listed value by value.
MOST_VALUES = 20

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One figure about the population: ``people``, the ``mean`` of a column, or the ``share`` of a value of it.

    ``original`` is by the records and their weights. ``published`` is what recipients get: by published weights, or by
    records alone where weights are dropped, which leaves no number of people; nor do rows that do not show whose they
    are. ``records`` are told where persons have several. ``missing`` cells count for no mean.
    """

    figure: str
    column: str | None
    value: str | None
    original: float
    published: float | None

    @property
    def change(self) -> float | None:
        """How far the published figure is off, as a share of the original one; None where there is nothing to say."""
        if self.published is None or not self.original:
            return None
        return self.published / self.original - 1


def estimates_of(original: pl.DataFrame, released: pl.DataFrame, schema: Schema) -> tuple[Estimate, ...]:
    """Estimate how many people there are, and of every column that is published as it is its mean or its shares."""
    if (weight := schema.weight) is None or weight not in original.columns:
        return ()
    before = weights_of(original[weight])
    weighted = weight in released.columns
    after = weights_of(released[weight]) if weighted else np.ones(released.height)
    numbers = [_number("people", _people(original, before, schema), _people(released, after, schema), weighted)]
    if schema.person is not None:
        numbers.append(_number("records", float(before.sum()), float(after.sum()), weighted))
    columns = [*schema.sensitive, *schema.columns(Role.INSENSITIVE)]
    shared = [name for name in columns if name in released.columns and name in original.columns]
    return (*numbers, *(one for name in shared for one in _of_column(name, original, before, released, after)))


def _number(figure: str, original: float | None, published: float | None, weighted: bool) -> Estimate:
    assert original is not None  # the original has the columns of its schema
    return Estimate(
        figure=figure, column=None, value=None, original=original, published=published if weighted else None
    )


def _people(table: pl.DataFrame, weights: Floats, schema: Schema) -> float | None:
    """Return for how many people the rows stand; None where they are of persons, and do not show of whom."""
    if schema.person is None:
        return float(weights.sum())
    return people_by_weights(person_ids(table[schema.person]), weights) if schema.person in table.columns else None


def _of_column(
    name: str, original: pl.DataFrame, before: Floats, released: pl.DataFrame, after: Floats
) -> Iterator[Estimate]:
    first, second = original[name].alias("c"), released[name].alias("c")
    if first.dtype.is_nested() or first.dtype in (pl.Object, pl.Binary, pl.Duration):
        return
    if (own := _mean(first, before)) is not None:
        yield Estimate(figure="mean", column=name, value=None, original=own, published=_mean(second, after))
        return
    shares, others = _shares(first, before), _shares(second, after)
    if len(shares) > MOST_VALUES:
        return
    for value, share in sorted(shares.items(), key=lambda item: (-item[1], str(item[0]))):
        told = "missing" if value is None else value
        yield Estimate(figure="share", column=name, value=told, original=share, published=others.get(value, 0.0))


def _mean(column: pl.Series, weights: Floats) -> float | None:
    """Return the weighted mean of the cells that are there; None where a cell is no number, or none is there."""
    there = ~is_missing(column)
    text = not column.dtype.is_numeric()
    cells = (column.cast(pl.String) if text else column).filter(there).cast(pl.Float64, strict=False)
    if cells.is_empty() or cells.has_nulls() or not cells.is_finite().all():
        return None
    return float(np.average(cells.to_numpy(), weights=weights[there.to_numpy()]))


def _shares(column: pl.Series, weights: Floats) -> dict[str | None, float]:
    sums = pl.DataFrame({"value": as_text(column), "weight": weights}).group_by("value").agg(pl.col("weight").sum())
    total = float(weights.sum())
    return {value: weight / total for value, weight in sums.iter_rows()} if total else {}
