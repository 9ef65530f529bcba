"""compare: what a release lost, by every loss and metric, from the original and the released table alone.

Everything is counted from the released cells, not taken from the search: a released row counts as kept unless all its
quasi-identifiers are masked, and records missing from the release count as suppressed. Records that the schema drops
for their gaps are left out of the original first, as in the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.card import Card, Carded, CardTable
from nymity.core.errors import ParameterError, TableError
from nymity.core.validation import nearest
from nymity.core.wording import percent
from nymity.dp.public_domain import public_schema
from nymity.dp.records import Records, read_columns
from nymity.io import text_cells, to_polars
from nymity.kernels.grouping import distinct
from nymity.publishing.certificates.item_sets import one_record_each
from nymity.publishing.comparing.estimates import Estimate, estimates_of
from nymity.publishing.comparing.linking import with_links
from nymity.publishing.comparing.read_rows import read_rows
from nymity.publishing.releases.opened import OpenedRelease
from nymity.quality import LOSSES, DomainShareLoss, Loss
from nymity.quality.loss_statistics import measured_by
from nymity.quality.metric import Better, Group, Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import Ints, PublishedRows, nothing_left, untouched
from nymity.table.encoding import EncodedTable, codes_of, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.packing import KeyLayout
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema, check_columns
from nymity.utility.released import Released, hierarchies_for


@dataclass(frozen=True, kw_only=True, repr=False)
class Measured:
    """One loss or metric of a release: raw, and scaled so that 0 is the original and 1 full suppression.

    ``name`` is the key with the parameters that are not the default, ``plain`` a sentence on what it says. ``better``
    says which of two raw values is; a scaled one is better the lower it is. ``attributes``: the value of each
    attribute, where it is made of those.
    ``undefined`` says why there is no ``value``, or no ``scaled`` one; what is undefined is None, never a number.
    """

    key: str
    name: str
    title: str
    plain: str
    group: Group
    better: Better
    unit: str
    limits: str
    value: float | None
    original: float | None
    suppressed: float | None
    scaled: float | None
    attributes: dict[str, float] | None
    undefined: str | None

    def __repr__(self) -> str:
        value = f"{self.value:.4g} {self.unit}" if self.value is not None else f"undefined: {self.undefined}"
        return f"Measured({self.name}: {value})"


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(Carded):
    """Levels of a release, its suppressed records, all that was measured, and the domain share lost per attribute.

    ``measured`` has all of them, in the order of the registries; ``losses`` and ``metrics`` are those with a value.
    ``estimates`` are figures about the population, where the original is a sample with weights.
    """

    _instead: ClassVar = {
        **dict.fromkeys(("loss", "metric", "get"), ".value(name), such as .value('loss')"),
        "utility": ".losses and .metrics",
        "to_dict": ".to_frame()",
    }

    records: int
    levels: dict[str, int]
    suppressed: int
    measured: tuple[Measured, ...]
    attribute_loss: dict[str, float]
    estimates: tuple[Estimate, ...] = ()

    @property
    def losses(self) -> tuple[Measured, ...]:
        """The losses that have a value for this release."""
        return tuple(m for m in self.measured if m.key in LOSSES and m.value is not None)

    @property
    def metrics(self) -> tuple[Measured, ...]:
        """The metrics beside losses that have a value for this release."""
        known = _metrics()
        return tuple(m for m in self.measured if m.key in known and m.value is not None)

    def value(self, name: str) -> float:
        """Return the raw value of a loss or metric by its name, or say why there is none."""
        found = next((m for m in self.measured if m.name == name), None)
        if found is None or found.value is None:
            known = [m.name for m in self.measured if m.value is not None]
            raise ParameterError(
                "comparison",
                expected=f"a measure with a value: {', '.join(known)}",
                got=f"{name!r}{'' if found is None else f', undefined: {found.undefined}'}",
                hint=nearest(name, known),
            )
        return found.value

    def kept_and_lost(self, *, apart: bool = False) -> tuple[str, str]:
        """Say what was kept and what was lost most; ``apart`` if sensitive values lie in a table of their own."""
        from nymity.publishing.comparing.plain_words import kept, lost  # it speaks of comparisons

        return kept(self), lost(self, apart=apart)

    def plainly(self, original: Any, release: Any, *, target: str | None = None) -> tuple[str, ...]:
        """Say what was kept, what was lost most, and what that means for a target or for counting, a sentence each."""
        from nymity.publishing.comparing.plain_words import sentences  # it speaks of comparisons

        return sentences(original, release, self, target=target)

    def card(self) -> Card:
        """Return what is shown."""
        rows = [(one.name, one.value, one.scaled, one.title) for one in self.measured if one.value is not None]
        lost = sorted(self.attribute_loss.items(), key=lambda item: -item[1])
        return Card(
            title="Comparison of a release with its original",
            facts=[
                ("records", self.records),
                ("suppressed", f"{self.suppressed:,} ({percent(self.suppressed, self.records)})"),
                ("lost most", ", ".join(f"{name} ({percent(share)})" for name, share in lost[:3])),
            ],
            tables=[
                CardTable(
                    columns=("measure", "value", "scaled", "what it is"),
                    rows=rows,
                    bars="scaled",
                    title="0 is the original, 1 full suppression",
                ),
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self)


def compare(original: Any, release: Any, *, measures: Sequence[str] | None = None) -> Comparison:
    """Compare an original table with a release: as ``publish`` returns or :func:`nymity.open` opens it, or its folder.

    ``measures`` are the names of losses and metrics to measure by; all unless given.
    Where the recoding is not known, cells of local recoding are read from their text, which is refused where it is
    ambiguous, and metrics that compare each record with its row are undefined.
    """
    if isinstance(getattr(original, "released", None), Released):
        raise ParameterError(
            "compare", expected="the original, then the release", got="a release first", hint="compare(df, release)"
        )
    released = Released.of(OpenedRelease.of(release) if isinstance(release, str | Path) else release)
    schema, population = released.schema_for("compare"), released.population
    for name in schema.quasi:
        if population is not None and name not in population.columns:
            raise TableError("population", expected=f"the quasi-identifier {name!r}", got="no such column")
    kind = PrivateComparer if released.is_private else Comparer
    return kind(original, schema, population=population).compare(released, measures=measures)


class Comparer:
    """Compares many releases of one original, which is encoded and measured once.

    ``Comparer(original, schema).compare(release)`` is :func:`compare` with one release. It is compared by the
    hierarchies it was made with: where these are not those of the release before, the original is measured again, and
    encoded again unless they list the same values in the same order. ``encoded`` is the original as the schema encodes
    it, where somebody did that before.
    """

    def __init__(
        self,
        original: Any,
        schema: Schema,
        *,
        population: pl.DataFrame | None = None,
        encoded: EncodedTable | None = None,
    ) -> None:
        self._schema, self._population, self._at_hand = schema, population, encoded
        self._source, self._kept, self._kept_rows = self._prepared(original, schema)
        self._original: _Original | None = None

    def _prepared(self, original: Any, schema: Schema) -> tuple[pl.DataFrame, pl.DataFrame, NDArray[np.int64]]:
        """Return the original, the records of it that are published, and their rows."""
        # What is encoded is a table of ours, whose text may be numbers.
        source = to_polars(original) if self._at_hand is None else original
        check_columns(schema, source.columns)
        return source, *one_record_each(*schema.without_gaps(source), schema)

    def compare(self, release: Any, *, measures: Sequence[str] | None = None) -> Comparison:
        """Compare a release with the original: by all losses and metrics, or those of these names."""
        released = Released.of(release).beside(self._kept)
        released.check_readable()
        frame, recoding = released.frame, released.recoding
        original = self._encoded(released)
        for name in original.table.names:
            if name not in frame.columns:
                raise TableError("released table", expected=f"the quasi-identifier {name!r}", got="no such column")
        read = read_rows(original.table, frame, recoding, released.masked, released.levels)
        read.published.check_records()
        published = read.published
        if measures is not None:
            validation.instance("measures", measures, (list, tuple), expected="a list of names")
        # Losses need counts of rows alone; metrics ask which record became which row, which takes longer to find out.
        if measures is None or not all(original.is_loss(name, released.minimized) for name in measures):
            places = None if released.source_rows is None else self._places(released.source_rows)
            published = with_links(read, self._kept, lambda: original.combination_of, recoding, places)
        found = original.comparison(published, released.minimized, measures)
        return replace(found, estimates=estimates_of(self._kept, frame, original.schema))

    def _encoded(self, released: Released) -> _Original:
        """Return the original encoded by the hierarchies that the release was made with."""
        schema = self._schema if released.schema is None else released.schema
        if released.recoding is not None and not released.by_schema:
            schema = _with_hierarchies(schema, released.recoding)
        if self._original is None or self._original.schema != schema:
            again = self._as_at_hand(released) if self._original is None else self._original.with_schema(schema)
            table = encode(self._kept, schema, self._population) if again is None else again
            self._original = _Original(self._kept, schema, table)
        return self._original

    def _as_at_hand(self, released: Released) -> EncodedTable | None:
        """Return what the original was encoded as before, if that is by the hierarchies of the release."""
        table, recoding = self._at_hand, released.recoding
        if table is None or table.population is not None or recoding is None:
            return None
        own = [recoding.hierarchies[name] for name in table.names]
        return table if all(a is b for a, b in zip(own, table.hierarchies, strict=True)) else None

    def _places(self, source_rows: Ints) -> Ints:
        """Rows of the source as rows of what is left of it without dropped records; -1 for others."""
        place = np.full(self._source.height, -1, dtype=np.int64)
        place[self._kept_rows] = np.arange(len(self._kept_rows))
        inside = (source_rows >= 0) & (source_rows < len(place))
        return np.where(inside, place[np.where(inside, source_rows, 0)], -1)


class PrivateComparer(Comparer):
    """Compares private releases, whose original is a table of text cells."""

    def _prepared(self, original: Any, schema: Schema) -> tuple[pl.DataFrame, pl.DataFrame, NDArray[np.int64]]:
        """Return the original as text, the records of it that have a place, and their rows."""
        source = text_cells(original, read_columns(schema))
        records = Records.of(source, public_schema(schema))
        return source, records.whole(source), records.rows


@dataclass(frozen=True, eq=False)
class _Original:
    """The original, encoded for one schema, and the ends of the scale."""

    frame: pl.DataFrame
    schema: Schema
    table: EncodedTable

    def with_schema(self, schema: Schema) -> EncodedTable | None:
        """Return the table with other hierarchies, if they list the same values and nothing else differs."""
        if any(replace(a, hierarchy=None) != replace(self.schema[n], hierarchy=None) for n, a in schema.items()):
            return None
        found = [schema[name].hierarchy for name in self.table.names]
        listed = [h for h in found if isinstance(h, Hierarchy)]
        if [h.values for h in listed] != [h.values for h in self.table.hierarchies]:
            return None
        return replace(self.table, hierarchies=tuple(listed))

    @cached_property
    def untouched(self) -> PublishedRows:
        return untouched(self.table)

    @cached_property
    def nothing(self) -> PublishedRows:
        return nothing_left(self.table)

    @cached_property
    def combination_of(self) -> Ints:
        """The combination of each row, (n,)."""
        sizes = [hierarchy.domain_size for hierarchy in self.table.hierarchies]
        codes = [
            codes_of(self.frame[name], None, hierarchy.index)
            for name, hierarchy in zip(self.table.names, self.table.hierarchies, strict=True)
        ]
        both = [np.append(own, column) for own, column in zip(self.table.combinations.T, codes, strict=True)]
        group, _ = distinct(KeyLayout.for_sizes(sizes).pack(both))  # combinations come first, each a group of its own
        found: Ints = group[len(self.table.counts) :].astype(np.int64)
        return found

    @cached_property
    def losses(self) -> dict[str, Loss]:
        """Every loss that the table has, by name."""
        return {loss.name: loss for kind in LOSSES.values() for loss in kind.of_table(self.table)}

    @cached_property
    def scales(self) -> dict[str, _Scale]:
        """What was measured of the original and of full suppression so far, by name."""
        return {}

    def is_loss(self, name: str, minimized: Any) -> bool:
        """Whether a name is that of a loss, which counts rows and asks for no links of them to records."""
        return name in self.losses or (isinstance(minimized, Loss) and minimized.name == name)

    def comparison(self, published: PublishedRows, minimized: Any, measures: Sequence[str] | None) -> Comparison:
        """Measure a release by what is asked for; by default by everything, and by what it was made to minimize."""
        known: dict[str, Loss | Metric] = dict(self.losses)
        if isinstance(minimized, Loss):
            known.setdefault(minimized.name, minimized)
        if measures is None or not known.keys() >= set(measures):
            known.update(_metrics())
        for name in measures or ():
            validation.one_of("measures", name, known)
        wanted = known if measures is None else dict.fromkeys(measures)
        values = tuple(self._scale(known[name], name).measured(published) for name in wanted)
        return Comparison(
            records=self.table.n_records,
            levels=dict(zip(self.table.names, published.column_levels, strict=True)) if published.on_levels else {},
            suppressed=published.suppressed,
            measured=values,
            attribute_loss=next((v.attributes or {} for v in values if v.name == DomainShareLoss.key), {}),
        )

    def _scale(self, measure: Loss | Metric, name: str) -> _Scale:
        if name not in self.scales:
            prepared = self._loss(measure) if isinstance(measure, Loss) else measure.prepare(self.untouched)
            self.scales[name] = _Scale(measure, prepared, prepared(self.untouched), prepared(self.nothing))
        return self.scales[name]

    def _loss(self, loss: Loss) -> PreparedMetric:
        try:
            return measured_by(loss, self.table)
        except ParameterError as error:  # a domain that cannot be counted
            why = f"expected {error.expected}, got {error.got}"
            return lambda _: MetricValue(undefined=why)


@dataclass(frozen=True, eq=False)
class _Scale:
    """A loss or metric prepared for the original, and what it says of the original and of full suppression."""

    measure: Loss | Metric
    prepared: PreparedMetric
    low: MetricValue
    high: MetricValue

    def measured(self, published: PublishedRows) -> Measured:
        """Measure a release."""
        found, low, high = self.prepared(published), self.low.value, self.high.value
        scaled, why = None, found.undefined
        if found.value is not None:
            if low is None or high is None:
                why = f"no scale: {self.low.undefined or self.high.undefined}"
            # Both ends of the scale would be the same place.
            elif low == high:
                why = "no scale: the original and full suppression are alike"
            else:
                scaled = (found.value - low) / (high - low) + 0.0  # no minus zero
        measure = self.measure
        return Measured(
            key=measure.key,
            name=measure.name,
            title=measure.title,
            plain=measure.plain,
            group=measure.group,
            better=measure.better,
            unit=measure.unit,
            limits=measure.limits,
            value=found.value,
            original=low,
            suppressed=high,
            scaled=scaled,
            attributes=None if found.attributes is None else dict(found.attributes),
            undefined=why,
        )


def _metrics() -> dict[str, Metric]:
    """Return every metric; a comparison by a loss alone, as of a command that draws no report, loads none of them."""
    from nymity.publishing.comparing.metrics import METRICS

    return {key: kind() for key, kind in METRICS.items()}


def _with_hierarchies(schema: Schema, recoding: Recoding) -> Schema:
    """Return the schema with the hierarchies of a recoding, whose codes its cells speak of."""
    hierarchies = hierarchies_for(schema.quasi, recoding)
    return Schema({n: replace(a, hierarchy=hierarchies[n]) if n in hierarchies else a for n, a in schema.items()})
