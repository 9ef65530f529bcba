"""Records of a private release: each finds its place in public hierarchies, or is left out, by itself.

Preparing is total: whatever a record holds, it changes nothing for the others, and there is no error to tell of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.table.encoding import MAX_RECORDS, EncodedTable, distinct_in_order, encode_persons, person_ids
from nymity.table.hierarchy import Hierarchy
from nymity.table.packing import KeyLayout
from nymity.table.sampled_persons import person_numbers
from nymity.table.sampled_recoding import placed
from nymity.table.schema import Schema, check_columns


@dataclass(frozen=True, eq=False, kw_only=True)
class Records:
    """The records that have a place, and which rows of the source they are.

    table: their quasi-identifiers as listed, and of whom they are where a column tells. codes (n_quasi, n): their
    values in the hierarchies. rows (n,). without_place: how many have a value that is not listed; with_gap: how many
    the policy ``drop`` leaves out; without_person: how many more name nobody (``person_numbers``). counts (n,): for how
    many records each row stands, where the source was counted.
    """

    schema: Schema
    table: pl.DataFrame
    codes: NDArray[np.int32]
    rows: NDArray[np.int64]
    without_place: int
    with_gap: int
    without_person: int
    counts: NDArray[np.int64]

    @staticmethod
    def of(source: pl.DataFrame, schema: Schema, counts: NDArray[np.int64] | None = None) -> Records:
        """Prepare a table of text cells by a schema with finished hierarchies (:func:`public_schema`)."""
        check_columns(schema, source.columns)
        if source.height > MAX_RECORDS:
            raise TableError("table", expected=f"at most {MAX_RECORDS:,} records", got="more")
        each = np.ones(source.height, dtype=np.int64) if counts is None else counts
        gaps = schema.gaps(source)
        codes = np.stack([placed(source[n], _hierarchy(schema, n), schema[n].unlisted) for n in schema.quasi])
        listed = (codes >= 0).all(axis=0)
        nobody = np.zeros(source.height, dtype=np.bool_)
        if schema.person is not None:
            nobody = person_numbers(source[schema.person]) < 0
        # Each record stays or goes by itself, so that leaving one out never changes what becomes of another.
        rows = np.flatnonzero(listed & ~gaps & ~nobody)
        listed_as = {
            name: pl.Series(_hierarchy(schema, name).values, dtype=pl.String).gather(row[rows])
            for name, row in zip(schema.quasi, codes, strict=True)
        }
        if schema.person is not None:
            listed_as[schema.person] = person_ids(source[schema.person]).gather(rows)
        table = pl.DataFrame({name: listed_as[name] for name in source.columns if name in listed_as})
        return Records(
            schema=schema,
            table=table,
            codes=codes[:, rows],
            rows=rows,
            without_place=int(each[~listed & ~gaps].sum()),
            with_gap=int(each[gaps].sum()),
            without_person=int(each[nobody & listed & ~gaps].sum()),
            counts=each[rows],
        )

    @property
    def n_records(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    def whole(self, source: pl.DataFrame) -> pl.DataFrame:
        """Return these records with all columns of the source."""
        return source[self.rows].with_columns(self.table.get_columns())

    @cached_property
    def encoded(self) -> EncodedTable:
        """The distinct combinations, counted; there may be none."""
        schema, names = self.schema, self.schema.quasi
        hierarchies = [_hierarchy(schema, name) for name in names]
        bounds = [schema[name].max_level for name in names]
        group, first = distinct_in_order(
            KeyLayout.for_sizes([h.domain_size for h in hierarchies]).pack(list(self.codes))
        )
        persons = None
        if schema.person is not None:
            each, none = self.counts.astype(np.uint32), np.empty((len(self.rows), 0), dtype=np.int64)
            persons, _ = encode_persons(schema.person, self.table[schema.person], group, each, (), none)
        return EncodedTable(
            n_records=self.n_records,
            names=names,
            hierarchies=tuple(hierarchies),
            combinations=np.ascontiguousarray(self.codes[:, first].T),
            counts=np.bincount(group, weights=self.counts, minlength=len(first)).astype(np.uint32),
            min_levels=tuple(schema[name].min_level for name in names),
            max_levels=tuple(h.height if b is None else b for h, b in zip(hierarchies, bounds, strict=True)),
            weights=tuple(float(schema[name].weight) for name in names),
            persons=persons,
        )


def read_columns(schema: Schema) -> tuple[str, ...]:
    """Return the columns of which cells are read: quasi-identifiers, and of whom records are."""
    return schema.quasi if schema.person is None else (*schema.quasi, schema.person)


def others_of(schema: Schema) -> dict[str, str]:
    """Return what values that no hierarchy lists count as, for the columns where they do not exclude a record."""
    return {name: other for name in schema.quasi if (other := schema[name].unlisted) is not None}


def _hierarchy(schema: Schema, name: str) -> Hierarchy:
    hierarchy = schema[name].hierarchy
    assert isinstance(hierarchy, Hierarchy)  # a public schema has finished ones
    return hierarchy
