"""Combinations: the records of a table as codes of their quasi-identifier values, raw or released alike.

Nothing is generalized here: two records are in one class if their cells are written alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import InputError, SchemaError, TableError
from nymity.core.quoting import as_given, relayed
from nymity.io import to_polars
from nymity.kernels.grouping import distinct
from nymity.table.attribute import MissingPolicy, quasi
from nymity.table.encoding import codes_of, distinct_values
from nymity.table.hierarchy import Label
from nymity.table.packing import KeyLayout
from nymity.table.schema import Schema, require_columns
from nymity.table.text import MASK, as_text, is_missing


@dataclass(frozen=True, eq=False, kw_only=True)
class Combinations:
    """Distinct combinations of quasi-identifier values with their number of records.

    codes (n_columns, n_classes) int32: place of each class's value in the column's ``labels``. counts (n_classes,).
    class_of (records,): the class of each record, -1 for those dropped because the schema drops records with a gap.
    ``masked`` records (``*`` in every quasi-identifier) are a class like all others. population (n_classes,): people
    who look alike, where a population was given, and for masked records those who look like no other class;
    population_sizes: its class sizes.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    class_of: NDArray[np.int64]
    masked: int
    dropped: int
    missing: Mapping[str, tuple[MissingPolicy, int]]  #: per column, the schema's policy and the number of gaps
    population: NDArray[np.int64] | None = None
    population_sizes: NDArray[np.int64] | None = None

    @property
    def records(self) -> int:
        """All records of the table, those in no class among them."""
        return len(self.class_of)

    @property
    def counted(self) -> int:
        """Records in classes."""
        return int(self.counts.sum())


def combinations_of(
    table: Any, schema: Schema | Sequence[str], *, population: Any = None, counts: str = "records"
) -> Combinations:
    """Read the quasi-identifiers of a table, and of the population it was taken from.

    A sequence of names stands for a schema with ``missing = "category"``. ``counts``: what the rows of the table are,
    for errors; each person once for every combination it has, where that is persons.
    """
    frame, roles = as_frame("table", table), _roles(schema)
    people = None if population is None else as_frame("population", population)
    own = _checked("table", frame, roles)
    others = None if people is None else _checked("population", people, roles)
    kept = ~roles.gaps(own)
    all_kept = bool(kept.all())
    labels, codes, codes_of_others = [], [], []
    for name in roles:
        columns = [own[name], *([] if others is None else [others[name]])]
        labels.append(_labels(columns))
        index = {label: code for code, label in enumerate(labels[-1])}
        # Codes over the labels of table and population together, so that equal values have equal codes.
        own_codes, *rest = (codes_of(column, None, index) for column in columns)
        codes.append(own_codes if all_kept else own_codes[kept])
        codes_of_others.extend(rest)
    masked = _all_masked(codes, labels)
    among = None if others is None else [column[~roles.gaps(others)] for column in codes_of_others]
    return _grouped(
        labels,
        codes,
        kept,
        masked,
        among,
        names=tuple(roles),
        counted_as=counts,
        dropped=int((~kept).sum()),
        missing={name: (roles[name].missing, int(is_missing(own[name]).sum())) for name in roles},
    )


def as_frame(where: str, table: Any) -> pl.DataFrame:
    """Return a frame of any kind as a polars table."""
    if isinstance(table, int) and where == "population":
        raise TableError(where, expected="a table", got="int", hint=f"population_size={table!r}")
    try:
        return to_polars(table)
    except InputError as error:
        raise TableError(where, expected="a table", got=f"{type(table).__name__} ({relayed(error)})") from error


def _grouped(
    labels: list[tuple[Label, ...]],
    codes: list[NDArray[np.int32]],
    inside: NDArray[np.bool_],
    masked: NDArray[np.bool_],
    among: list[NDArray[np.int32]] | None,
    *,
    counted_as: str,
    **rest: Any,
) -> Combinations:
    """Number the classes of the table, and then those that only the population has; ``codes`` are used up."""
    layout = KeyLayout.for_sizes([len(values) for values in labels])
    keys = layout.pack(codes)
    group, first = distinct(keys if among is None else np.concatenate([keys, layout.pack(among)]))
    own = group[: len(keys)].astype(np.int64)
    del keys
    # Classes of the table are numbered first, so their sizes end where those of the population alone begin.
    counts = np.bincount(own)
    class_of = np.full(len(inside), -1, dtype=np.int64)
    class_of[inside] = own
    cells = Combinations(
        labels=tuple(labels),
        codes=_taken(codes, first[: len(counts)]),
        counts=counts,
        class_of=class_of,
        masked=int(masked.sum()),
        **rest,
    )
    if among is None:
        return cells
    sizes = np.bincount(group[len(own) :], minlength=len(first)).astype(np.int64)
    people = sizes[: len(counts)].copy()
    if masked.any():  # theirs are all those who look like no other class
        stars = own[np.argmax(masked)]
        # Masked rows may be of anybody who is in no other class of the table.
        people[stars] = sizes.sum() - (people.sum() - people[stars])
    _check_contained(counts, people, int(sizes.sum()), counted_as)
    return replace(cells, population=people, population_sizes=sizes[sizes > 0])


def _taken(columns: list[NDArray[np.int32]], rows: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return some rows of all columns; each column is let go with that, for a large table is not to be held twice."""
    taken = np.empty((len(columns), len(rows)), dtype=np.int32)
    for place in range(len(columns)):
        taken[place] = columns.pop(0)[rows]
    return taken


def _are_names(names: object) -> bool:
    return isinstance(names, Iterable) and not isinstance(names, str) and all(isinstance(name, str) for name in names)


def _roles(schema: Schema | Sequence[str]) -> Schema:
    if isinstance(schema, Schema):
        roles = schema.among(schema.quasi)
    elif not _are_names(schema):
        raise SchemaError("quasi", expected="a schema, or a list of column names", got=as_given(schema))
    else:
        roles = Schema({name: quasi() for name in schema})
    if not roles:
        raise SchemaError(
            "quasi",
            expected="at least one quasi-identifier",
            got="none",
            hint="name the columns an outsider may know; risk.suggest(table) proposes some",
        )
    return roles


def _checked(where: str, frame: pl.DataFrame, roles: Schema) -> pl.DataFrame:
    """Return the quasi-identifiers alone, or refuse a table that lacks them or breaks what the schema says of gaps."""
    require_columns(where, roles, frame.columns)
    cells = pl.DataFrame({name: frame[name] for name in roles})
    roles.check(cells)
    return cells


def _labels(columns: list[pl.Series]) -> tuple[Label, ...]:
    """Return the different texts of one column in one or two tables, in order."""
    texts = [as_text(distinct_values(column)) for column in columns]
    return tuple(pl.concat(texts).unique().sort().to_list())


def _all_masked(codes: list[NDArray[np.int32]], labels: list[tuple[Label, ...]]) -> NDArray[np.bool_]:
    masked = np.ones(len(codes[0]), dtype=np.bool_)
    for column, values in zip(codes, labels, strict=True):
        masked &= column == values.index(MASK) if MASK in values else False
    return masked


def _check_contained(counts: NDArray[np.int64], people: NDArray[np.int64], n_people: int, counted_as: str) -> None:
    n, missing = int(counts.sum()), int(np.maximum(counts - people, 0).sum())
    hint = "take both tables from the same source, generalized alike"
    if counted_as != "records" and missing:
        raise TableError(
            "population",
            expected=f"for each combination of values at least as many {counted_as} as the table has with it",
            got=f"{missing:,} fewer, over all combinations",
            hint=hint,
        )
    if n_people < n:
        raise TableError("population", expected=f"at least the {n:,} records of the table", got=f"{n_people:,} records")
    if missing:
        raise TableError(
            "population",
            expected="every record of the table, written alike and at least as often",
            got=f"none for {missing:,} of {n:,} records",
            hint=hint,
        )
