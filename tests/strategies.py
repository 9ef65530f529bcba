"""Random hierarchies, tables, schemas and conditions for hypothesis."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
from hypothesis import strategies as st

import naive
from nymity.privacy import DistinctLDiversity, KAnonymity, PrivacyModel
from nymity.table.attribute import Attribute, quasi, sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

Label = str | None


@dataclass(frozen=True)
class Case:
    """One random problem: the frame and schema nymity gets, and the same records for the oracles."""

    frame: pl.DataFrame
    schema: Schema
    hierarchies: tuple[Hierarchy, ...]

    @cached_property
    def encoded(self) -> EncodedTable:
        return encode(self.frame, self.schema)

    @cached_property
    def records(self) -> naive.Records:
        columns = [self.frame[name].to_list() for name in self.schema.quasi]
        return naive.Records(
            rows=list(zip(*columns, strict=True)),
            hierarchies=self.encoded.hierarchies,
            sensitive={name: self.frame[name].to_list() for name in self.schema.sensitive},
            weights=tuple(self.schema[name].weight for name in self.schema.quasi),
        )

    @property
    def low(self) -> naive.Node:
        return tuple(self.schema[name].min_level for name in self.schema.quasi)

    @property
    def high(self) -> naive.Node:
        heights = [h.height for h in self.encoded.hierarchies]
        bounds = [self.schema[name].max_level for name in self.schema.quasi]
        return tuple(h if bound is None else bound for h, bound in zip(heights, bounds, strict=True))

    @property
    def top(self) -> naive.Node:
        return tuple(h.height for h in self.encoded.hierarchies)

    def reordered(self, order: list[int]) -> Case:
        return Case(self.frame[order], self.schema, self.hierarchies)


@dataclass(frozen=True)
class Demand:
    """The same conditions as models and as judges."""

    models: tuple[PrivacyModel, ...]
    judges: tuple[naive.Judge, ...]


@st.composite
def hierarchies(
    draw: st.DrawFn, *, max_values: int = 6, max_height: int = 3, prefix: str = "v", uneven: bool = False
) -> Hierarchy:
    """Each level merges some values of the one below; the top is one value, not always ``*``.

    If ``uneven``, some values below the top may be ``*`` already, as in trees of uneven depth.
    """
    n = draw(st.integers(1, max_values))
    height = draw(st.integers(0 if n == 1 else 1, max_height))
    codes = list(range(n))
    rows: list[list[str]] = [[f"{prefix}{i}"] for i in range(n)]
    for level in range(1, height + 1):
        used = sorted(set(codes))
        last = level == height
        parents = {code: 0 if last else draw(st.integers(0, len(used) - 1)) for code in used}
        codes = [parents[code] for code in codes]
        top = draw(st.sampled_from(["*", "any"])) if last else ""
        star = draw(st.none() | st.sampled_from(codes)) if uneven else None
        for row, code in zip(rows, codes, strict=True):
            row.append(top or ("*" if code == star else f"{prefix}{level}-{code}"))
    return Hierarchy.from_rows(rows)


@st.composite
def attributes(draw: st.DrawFn, hierarchy: Hierarchy, *, bounded: bool, weighted: bool) -> Attribute:
    """A quasi-identifier with or without level bounds and a weight."""
    low, high = 0, None
    if bounded:
        low = draw(st.integers(0, hierarchy.height))
        high = draw(st.none() | st.integers(low, hierarchy.height))
    weight = draw(st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0])) if weighted else 1.0
    return quasi(hierarchy, weight=weight, min_level=low, max_level=high)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    max_attributes: int = 3,
    max_records: int = 25,
    n_sensitive: int = 0,
    bounded: bool = False,
    weighted: bool = True,
    missing: bool = True,
    numeric: bool = False,
    uneven: bool = False,
) -> Case:
    """A table over random hierarchies; values repeat, some are missing, some of the hierarchy never occur.

    If ``numeric`` the values of some columns are numbers; ``uneven`` is that of hierarchies.
    """
    m = draw(st.integers(1, max_attributes))
    prefixes = [draw(st.sampled_from([letter, "", "-", "3."])) if numeric else letter for letter in "abcdefgh"[:m]]
    chosen = [draw(hierarchies(prefix=prefix, uneven=uneven)) for prefix in prefixes]
    domains: list[list[Label]] = [
        [*h.values, *([None] if missing and h.height > 0 and draw(st.booleans()) else [])] for h in chosen
    ]
    cells = [st.sampled_from(domain) for domain in domains]
    cells += [st.sampled_from(["x", "y", "z", None])] * n_sensitive
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=max_records))
    names = [f"q{i}" for i in range(m)] + [f"s{i}" for i in range(n_sensitive)]
    schema: dict[str, Attribute] = {
        f"q{i}": draw(attributes(h, bounded=bounded, weighted=weighted)) for i, h in enumerate(chosen)
    }
    schema |= {f"s{i}": sensitive() for i in range(n_sensitive)}
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return Case(frame, Schema(schema), tuple(chosen))


@st.composite
def demands(draw: st.DrawFn, case: Case, *, diversity: bool) -> Demand:
    """k alone, or k with l-diversity of every sensitive column."""
    k = draw(st.integers(1, min(5, case.frame.height)))
    models: list[PrivacyModel] = [KAnonymity(k=k)]
    judges: list[naive.Judge] = [naive.at_least(k)]
    for name in case.schema.sensitive if diversity else ():
        l = draw(st.integers(1, min(3, case.frame[name].n_unique())))  # noqa: E741
        models.append(DistinctLDiversity(l=l, attribute=name))
        judges.append(naive.diverse(l, name))
    return Demand(tuple(models), tuple(judges))


def node_between(low: naive.Node, high: naive.Node) -> st.SearchStrategy[naive.Node]:
    """Any node of an interval."""
    return st.tuples(*(st.integers(a, b) for a, b in zip(low, high, strict=True)))


#: Columns of every type that comes out of a file or a frame, gaps included, by name of the type.
TYPED: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "text": (pl.String, st.sampled_from(["a", "b", "ä", " ", "", "A", "null", None])),
    "category": (pl.Categorical, st.sampled_from(["a", "b", None])),
    "integer": (pl.Int64, st.none() | st.integers(-3, 3)),
    "byte": (pl.UInt8, st.none() | st.integers(0, 255)),
    "huge": (pl.Int64, st.sampled_from([2**62, 2**62 + 1, -(2**62), None])),
    "whole": (pl.Float64, st.sampled_from([0.0, 1.0, -2.0, 1e6, float("nan"), None])),
    "float": (pl.Float64, st.sampled_from([0.0, 0.1, 0.5, 1.0, -2.5, 1e300, float("inf"), float("nan"), None])),
    "truth": (pl.Boolean, st.sampled_from([True, False, None])),
    "date": (pl.Date, st.sampled_from([dt.date(1999, 12, 31), dt.date(2000, 2, 29), dt.date(1, 1, 1), None])),
}


@st.composite
def typed_columns(draw: st.DrawFn, n_rows: int) -> pl.Series:
    """A column of some type with ``n_rows`` values."""
    dtype, cells = TYPED[draw(st.sampled_from(sorted(TYPED)))]
    return pl.Series(draw(st.lists(cells, min_size=n_rows, max_size=n_rows)), dtype=dtype)
