"""What transforms did to columns: what is lost, and what somebody who knows the true values can still tell.

Of each column, over the records that are published:

- *kept*: the share of cells that are as they were (for categories: how often a published value is the true one);
- *IL1s* of numbers: the mean of |x - x'| / (sqrt(2) S), with S the standard deviation of the true ones (Yancey,
  Winkler & Creecy 2002);
- *near*: the share of numbers within ``width`` standard deviations of the published one (interval disclosure);
- *dominance* of numbers that microaggregation shares: the largest share that one record has in the sum of its group,
  of numbers without their signs, after codings. A mean shows who has most of it.

Of all columns of numbers together: the mean change of their correlations; the largest change of a share of the
variance along their principal directions (eigenvalues of the correlation matrix); and *linked*, distance-based record
linkage (Pagliuca & Seri 1999): who knows the true numbers of a record picks the row that is nearest, each column
measured in its standard deviations, one at random of several; the mean chance that it is the record's own.

Of perturbed columns, which others may know: *linked_alike*, the same by whoever knows them and the quasi-identifiers,
and so looks among the rows alone that show the same quasi-identifiers as the record's own; and *linked_together*, by
whoever knows them of everybody: :mod:`nymity.risk.perturbed_linkage`. A column of numbers with gaps counts in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.calls import called_well
from nymity.core.card import Card, Carded, CardTable
from nymity.core.draws import KeyedDraws
from nymity.core.errors import SchemaError, TableError
from nymity.core.quoting import as_given
from nymity.core.validation import nearest
from nymity.io import to_polars
from nymity.risk.perturbed_linkage import KnownColumn, PerturbedLinkage, found_nearest, linked_by_perturbed, picked
from nymity.table.attribute import Role
from nymity.table.text import as_text, gathered, plainly_named

if TYPE_CHECKING:
    from nymity.utility.released import Released

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ChangedColumn:
    """One column; ``il1s`` and ``near`` where it holds numbers on both sides, ``dominance`` where groups share them."""

    name: str
    kept: float
    il1s: float | None = None
    near: float | None = None
    dominance: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ChangedColumns(Carded):
    """All of them, and the numbers among them together; ``linked`` beside ``by_chance``, one of all rows.

    ``linked_alike`` and ``linked_together`` beside ``by_chance_alike``, one of the rows that look alike: where columns
    are perturbed.
    """

    records: int
    columns: tuple[ChangedColumn, ...]
    correlation_change: float | None = None
    eigenvalue_change: float | None = None
    linked: float | None = None
    by_chance: float = 0.0
    linked_alike: float | None = None
    linked_together: float | None = None
    by_chance_alike: float | None = None

    def __getitem__(self, name: str) -> ChangedColumn:
        return next(one for one in self.columns if one.name == name)

    def card(self) -> Card:
        """Return what is shown."""
        facts = [("records", self.records), ("correlations change by", self.correlation_change)]
        facts += [("linked by distance", self.linked), ("by chance", self.by_chance)]
        facts += [("linked among rows that look alike", self.linked_alike)]
        facts += [("by anyone who knows everybody", self.linked_together), ("by chance there", self.by_chance_alike)]
        rows = [(one.name, one.kept, one.il1s, one.near, one.dominance) for one in self.columns]
        return Card(
            title="Changed columns",
            facts=[(name, value) for name, value in facts if value is not None],
            tables=[CardTable(columns=("column", "as they were", "IL1s", "near", "dominance"), rows=rows)],
        )


@called_well
def changed_columns(
    original: Any,
    release: Any,
    *,
    columns: Sequence[str] | None = None,
    width: float = 0.1,
    targets: int = 1_000,
) -> ChangedColumns:
    """Measure what became of ``columns``: all insensitive ones unless named.

    ``release`` is what publish returned or :func:`nymity.open` opens with its custodian's folder, which links rows to
    records. At most ``targets`` records, evenly spaced, are looked for by distance.
    """
    validation.number("width", width, above=0)
    validation.whole_number("targets", targets, at_least=1)
    from nymity.utility.released import Released  # a first look at a table loads this module, and no models

    released = Released.of(release)
    if released.source_rows is None:
        raise TableError(
            "release",
            expected="a release with the custodian's log, which says of which record each row is",
            got="only the table",
            hint="ny.open(folder) finds the custodian's folder next to it",
        )
    source = to_polars(original)
    released, names = released.beside(source), _names(released, columns)
    pairs = [(gathered(source[name], released.source_rows), released.frame[name]) for name in names]
    numbers = [_numbers(before, after) for before, after in pairs]
    whole = [one for one in numbers if one is not None and np.isfinite(one).all() and (one.std(axis=1) > 0).all()]
    together = np.array(whole) if whole else None  # (columns, before and after, records)
    dominance = _dominance(source, released)
    alike = _linked_alike(source, released, targets)
    return ChangedColumns(
        records=released.frame.height,
        columns=tuple(
            replace(_measured(name, *pair, one, width), dominance=dominance.get(name))
            for name, pair, one in zip(names, pairs, numbers, strict=True)
        ),
        correlation_change=None if together is None or len(whole) < 2 else _correlation_change(together),
        eigenvalue_change=None if together is None or len(whole) < 2 else _eigenvalue_change(together),
        linked=_linked(pairs, targets),
        by_chance=1 / max(1, released.frame.height),
        linked_alike=None if alike is None else alike.linked,
        linked_together=None if alike is None else alike.linked_together,
        by_chance_alike=None if alike is None else alike.by_chance,
    )


def _names(released: Released, columns: Sequence[str] | None) -> list[str]:
    schema = released.schema_for("changed_columns")
    known = [*schema.perturbed, *schema.columns(Role.INSENSITIVE)]
    for name in columns or ():
        if name not in released.frame.columns:
            hint = nearest(name, released.frame.columns)
            raise SchemaError("columns", expected="columns of the release", got=as_given(name), hint=hint)
    return list(known if columns is None else columns)


def _numbers(before: pl.Series, after: pl.Series) -> Floats | None:
    """Return both as numbers, (2, records), where both are; a gap is not a number."""
    if not (before.dtype.is_numeric() and after.dtype.is_numeric()):
        return None
    return np.array([plainly_named(one).cast(pl.Float64).fill_null(float("nan")).to_numpy() for one in (before, after)])


def _measured(name: str, before: pl.Series, after: pl.Series, numbers: Floats | None, width: float) -> ChangedColumn:
    same = as_text(before).alias("a").eq_missing(as_text(after).alias("b"))
    if numbers is not None:
        same = pl.Series((numbers[0] == numbers[1]) | np.isnan(numbers).all(axis=0))
    kept = float(same.mean()) if len(same) else 1.0  # type: ignore[arg-type]
    both = np.empty((2, 0)) if numbers is None else numbers[:, np.isfinite(numbers).all(axis=0)]
    deviation = float(np.std(both[0], ddof=1)) if both.shape[1] > 1 else 0.0
    if not deviation:
        return ChangedColumn(name=name, kept=kept)
    # In standard deviations of the true values, so that columns of any unit compare; sqrt(2) makes it IL1s.
    distance = np.abs(both[0] - both[1]) / deviation
    return ChangedColumn(
        name=name, kept=kept, il1s=float(np.mean(distance) / np.sqrt(2)), near=float(np.mean(distance <= width))
    )


def _dominance(source: pl.DataFrame, released: Released) -> dict[str, float]:
    """Return the largest share of one record in the sum of its group, of each column of numbers that groups share."""
    grouping = [one for one in released.transforms if one.groups and set(one.columns) <= set(released.frame.columns)]
    names = list(dict.fromkeys(name for one in grouping for name in one.columns))
    before, found = _coded(source, released, names), {}
    for one in grouping:
        shared = pl.DataFrame({f"c{i}": released.frame[name] for i, name in enumerate(one.columns)})
        group = shared.select(pl.struct(pl.all()).rank("dense")).to_series()
        for name in one.columns:
            if not (before[name].dtype.is_numeric() and released.frame[name].dtype.is_numeric()):
                continue
            held = pl.DataFrame({"group": group, "size": before[name].cast(pl.Float64).fill_nan(None).abs()})
            shares = held.drop_nulls().group_by("group").agg(pl.col("size").max() / pl.col("size").sum())["size"]
            found[name] = float(shares.fill_nan(0).max() or 0)  # type: ignore[arg-type]
    return found


def _coded(source: pl.DataFrame, released: Released, names: Sequence[str]) -> pl.DataFrame:
    """Return the true values of the published rows after codings, which are no secret."""
    coded = pl.DataFrame({name: gathered(source[name], released.source_rows) for name in names})
    for one in released.transforms:
        if one.is_coding and (some := [name for name in one.columns if name in names]):
            made = replace(one, columns=tuple(some)).changed(coded, KeyedDraws.public("codings draw nothing"), one.key)
            coded = pl.DataFrame({name: made.get(name, coded[name]) for name in names})
    return coded


def _correlation_change(numbers: Floats) -> float:
    before, after = (np.corrcoef(numbers[:, side]) for side in (0, 1))
    pairs = np.triu_indices(len(numbers), 1)
    return float(np.mean(np.abs(before - after)[pairs]))


def _eigenvalue_change(numbers: Floats) -> float:
    shares = [np.linalg.eigvalsh(np.corrcoef(numbers[:, side])) / len(numbers) for side in (0, 1)]
    return float(np.max(np.abs(shares[0] - shares[1])))


def _linked_alike(source: pl.DataFrame, released: Released, targets: int) -> PerturbedLinkage | None:
    """Return how often rows are found by perturbed columns among those that look alike; None where nothing is."""
    schema, frame = released.schema_for("changed_columns"), released.frame
    names = [name for name in schema.perturbed if name in frame.columns]
    if not names or not frame.height:
        return None
    group = np.zeros(frame.height, dtype=np.int64)
    if quasi := [name for name in schema.quasi if name in frame.columns]:
        cells = pl.DataFrame({f"c{i}": as_text(frame[name]) for i, name in enumerate(quasi)})
        group = cells.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64)
    known = _coded(source, released, names)
    return linked_by_perturbed([KnownColumn.of(known[name], frame[name]) for name in names], group, targets)


def _linked(pairs: Sequence[tuple[pl.Series, pl.Series]], targets: int) -> float | None:
    """Return the mean chance that the nearest row is a record's own, of all rows; None where no column has numbers."""
    columns = [one for pair in pairs if (one := KnownColumn.of(*pair)).is_number]
    if not columns or not len(columns[0].before):
        return None
    rows = np.arange(len(columns[0].before))
    return float(np.mean(found_nearest(columns, rows, picked(len(rows), targets))))
