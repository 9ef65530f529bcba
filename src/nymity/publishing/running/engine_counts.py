"""Counted: what an engine counted of a source. Every decision rests on it, and no row is looked at beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

from nymity.core.draws import Draws
from nymity.core.errors import TableError
from nymity.core.format_numbers import CONTENT
from nymity.dp.records import Records, read_columns
from nymity.engines import RECORDS, CountedPlan, RecodingPlan, Rows, counted_hash, plan_of, write_counted
from nymity.io import text_cells
from nymity.publishing.certificates.certificate import TableFigures
from nymity.publishing.steps.starting_levels import RawColumn, Start
from nymity.table.encoding import EncodedTable, encode_counted, person_ids
from nymity.table.recoding import Recoding
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.schema import Schema
from nymity.table.text import plainly_named


class ReleasePlan(Protocol):
    """How rows come into a release: how many there will be, and how many of them masked."""

    @property
    def records(self) -> int:
        """Rows that are published."""
        ...

    @property
    def masked(self) -> int:
        """Those of them that are masked."""
        ...

    def write(self, rows: Rows, path: Path) -> None:
        """Write the rows as a Parquet file."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Counted:
    """Distinct rows of some columns, by column, with how many records each stands for.

    columns, height: those of the source, of which rows with a gap in ``dropping`` are not among the counted ones, nor
    those with one of its texts, which name nobody. start: where a search begins, where fewer combinations were counted
    than ``rows`` have.
    """

    schema: Schema
    cells: dict[str, pl.Series]
    records: pl.Series
    columns: tuple[str, ...]
    height: int
    dropping: Mapping[str, Sequence[str]]
    rows: Rows
    start: Start | None = None

    @classmethod
    def of(cls, rows: Rows, schema: Schema, most: int | None = None) -> Counted:
        """Let an engine count; ``most`` combinations of quasi-identifiers, if a search may begin at higher levels."""
        names = cls.names(schema)
        dropping: dict[str, Sequence[str]] = {name: () for name, one in schema.items() if one.missing == "drop"}
        # None where there are more than that: counting stops, and begins again on merged cells.
        found = rows.count(names, dropping) if most is None else rows.count_within(most, names, dropping)
        start = None
        if found is None:
            assert most is not None
            dropping = _without_nobody(rows, schema, dropping)
            schema, start = _start(rows, schema, dropping, most)
            found = rows.count(names, dropping, {} if start is None else start.merged)
        counted = cls(
            schema=schema,
            cells={name: found[f"c{i}"].alias(name) for i, name in enumerate(names)},
            records=found[RECORDS],
            columns=tuple(rows.columns),
            height=rows.height,
            dropping=dropping,
            rows=rows,
            start=start,
        )
        if counted.dropped < 0 or (counted.dropped and not dropping):  # dropped rows would be said to have had gaps
            raise TableError(
                "source",
                expected=f"the {rows.height:,} rows that it was said to have",
                got=f"{rows.height - counted.dropped:,}",
                hint="it changed while it was read, or engine.settings let rows be passed over: publish again without",
            )
        return counted._without_nobody().checked()

    @staticmethod
    def names(schema: Schema) -> tuple[str, ...]:
        """Return the columns that are counted."""
        return (*schema.quasi, *schema.sensitive, *([] if schema.unit is None else [schema.unit]))

    def checked(self) -> Counted:
        """Refuse a source without records."""
        if not len(self.records):
            raise TableError(
                "table",
                expected="records without gaps where missing = 'drop'",
                got="none",
                hint="missing = 'category' keeps gaps as a value of their own",
            )
        return self

    def _without_nobody(self) -> Counted:
        """Leave out, or refuse, records whose person is nothing but spaces: to engines that is a text like others."""
        if (unit := self.schema.unit) is None or not (nobody := self.schema[unit].gaps(self.cells[unit])).any():
            return self
        if self.schema[unit].missing == "error":
            self.schema[unit].refuse_gaps(unit, int(self.records.filter(nobody).sum()))
        texts = plainly_named(self.cells[unit]).cast(pl.String).filter(nobody).unique().to_list()
        return replace(
            self,
            cells={name: column.filter(~nobody) for name, column in self.cells.items()},
            records=self.records.filter(~nobody),
            dropping={**self.dropping, unit: texts},
        )

    @property
    def dropped(self) -> int:
        """Records that are left out for their gaps."""
        return self.height - int(self.records.sum())

    @cached_property
    def encoded(self) -> EncodedTable:
        """What a search works on."""
        records = self.records.to_numpy().astype(np.uint32)
        if self.start is None:
            return encode_counted(self.cells, records, self.schema)
        return self.start.begun(encode_counted(self.cells, records, self.schema, hierarchies=self.start.hierarchies))

    def plan(self, recoding: Recoding, order: str, draws: Draws) -> ReleasePlan:
        """Return how an engine carries out a recoding."""
        quasi = self.schema.quasi
        cells = pl.DataFrame({f"c{i}": self.cells[name] for i, name in enumerate(quasi)})
        # Combinations were counted with sensitive values, and persons; cells follow from the quasi-identifiers alone.
        distinct = cells.with_columns(self.records).group_by(cells.columns).agg(pl.col(RECORDS).sum())
        plan: ReleasePlan = plan_of(
            recoding,
            {name: distinct[f"c{i}"] for i, name in enumerate(quasi)},
            distinct[RECORDS].to_numpy(),
            counted={name: plainly_named(self.cells[name]).unique() for name in self.schema.sensitive},
            dropping=self.dropping,
            order=order,
            draws=draws,
            merged={} if self.start is None else self.start.merged,
        )
        return plan

    def write(self, plan: ReleasePlan, rows: Rows, path: Path) -> None:
        """Write a release, without another look at its rows where only counted columns are published."""
        if isinstance(plan, RecodingPlan) and all(name in self.cells for name in plan.columns):
            write_counted(plan, self.cells, self.records, rows, path)
        else:
            plan.write(rows, path)

    def content_hash(self, salt: str) -> str:
        """Return the hash of combinations of quasi-identifiers and sensitive values, with their counts."""
        names = [name for name in self.cells if name in (*self.schema.quasi, *self.schema.sensitive)]
        if self.start is not None:  # they do not fit into memory
            parts = self.rows.counted(names, self.dropping)
            whole: str = counted_hash(names, parts, folder=self.rows.folder, expected=self.height, salt=salt)
            return whole
        cells = {f"c{i}": self.cells[name] for i, name in enumerate(names)}
        found: str = counted_hash(names, [pl.DataFrame({**cells, RECORDS: self.records})], salt=salt)
        return found

    @property
    def persons(self) -> pl.Series | None:
        """Of whom each counted row is, where records are of persons."""
        return None if self.schema.unit is None else person_ids(self.cells[self.schema.unit])

    def figures(self, salt: str) -> TableFigures:
        """Return what a certificate says of the source."""
        return TableFigures(
            records=self.height, columns=self.columns, sha256=self.content_hash(salt), content_format=CONTENT.tag
        )


class PrivateCounted(Counted):
    """What was counted for a private release, of which each record finds its place in public hierarchies by itself."""

    @staticmethod
    def names(schema: Schema) -> tuple[str, ...]:
        """Return the columns of which cells are read."""
        return read_columns(schema)

    def checked(self) -> Counted:
        """Pass: a source without records gives an empty release, and no error to tell of it."""
        return self

    @property
    def persons(self) -> None:
        """Nobody: that is private."""

    @cached_property
    def prepared(self) -> Records:
        """The combinations that have a place."""
        texts = text_cells(pl.DataFrame(self.cells), self.cells)
        return Records.of(texts, self.schema.among(self.cells), self.records.to_numpy().astype(np.int64))

    @property
    def encoded(self) -> EncodedTable:
        """What levels are drawn on."""
        return self.prepared.encoded

    def plan(self, recoding: Recoding, order: str, draws: Draws) -> ReleasePlan:
        """Draw how many records of each class are published."""
        assert isinstance(recoding, SampledRecoding)
        rows, counts = recoding.of_counts(self.prepared.table, self.prepared.counts)
        plan: ReleasePlan = CountedPlan(rows=rows, counts=counts, order=order, draws=draws)
        return plan


def _start(rows: Rows, schema: Schema, dropping: Mapping[str, Sequence[str]], most: int) -> tuple[Schema, Start | None]:
    """Return where a search begins, None where combinations of quasi-identifiers fit; and the schema with suggestions.

    How they are combined with sensitive values has no part in it.
    """
    quasi = schema.quasi
    if rows.count_within(most, quasi, dropping) is not None:
        return schema, None
    # Columns by themselves: their cells fit into memory where their combinations do not.
    counted = {name: rows.count([name], dropping) for name in (*quasi, *schema.sensitive)}
    schema = schema.settled({name: found["c0"] for name, found in counted.items()})
    columns = [RawColumn.of(name, counted[name]["c0"], counted[name][RECORDS].to_numpy(), schema) for name in quasi]

    def number(levels: tuple[int, ...]) -> int | None:
        merged = {column.name: column.merged(level) for column, level in zip(columns, levels, strict=True)}
        found = rows.count_within(most, quasi, dropping, merged)
        return None if found is None else found.height

    return schema, Start.of(columns, most, number)


def _without_nobody(rows: Rows, schema: Schema, dropping: dict[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Leave out records whose person is nothing but spaces, before combinations are counted."""
    if (unit := schema.unit) is None or schema[unit].missing != "drop":
        return dropping
    cells = rows.count([unit], dropping)["c0"]
    texts = plainly_named(cells).cast(pl.String).filter(schema[unit].gaps(cells)).to_list()
    return {**dropping, unit: texts}
