"""What models of a second table share: naming one, and what it must be to the table that is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import ParameterError, TableError
from nymity.core.paths import path_text
from nymity.core.quoting import as_given
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """A frame given in Python in place of a path; equal to itself alone."""

    content: Any

    def __repr__(self) -> str:
        return "(a table in memory)"


def named_table(where: str, value: object) -> str | Frame:
    """Return a path as text and a frame wrapped; refuse anything else."""
    if isinstance(value, Frame):
        return value
    if isinstance(value, str | Path) and str(value).strip():
        return path_text(where, value)
    if isinstance(value, Mapping | pl.LazyFrame) or hasattr(value, "__arrow_c_stream__") or hasattr(value, "columns"):
        return Frame(value)
    raise ParameterError(where, expected="the path of a table, or a frame", got=as_given(value))


def check_contained(where: str, table: EncodedTable, *, inside: str, outside: str) -> int:
    """Refuse a table with a record, or a person, that the population lacks; return how many people that has.

    ``inside`` and ``outside`` are the words for the two tables.
    """
    if table.population is None:
        raise ParameterError(
            where,
            expected=f"a table that was encoded together with {outside}",
            got="one without",
            hint="publish reads and encodes both; encode(table, schema, population=...) does so for one table",
        )
    if table.persons is not None:
        _check_persons(where, table, inside=inside, outside=outside)
        known = table.population_persons
        return int(table.population.sum(dtype=np.int64)) if known is None else len(known.ids)
    n_missing = int((table.counts.astype(np.int64) - table.population).clip(min=0).sum())
    if n_missing:
        raise TableError(
            where,
            expected=f"every record of {inside} in {outside}, with the same quasi-identifiers and at least as often",
            got=f"{n_missing:,} of {table.n_records:,} records that are missing there, told by {_lacking(table)}",
            hint="take both tables from the same source, prepared alike",
        )
    return int(table.population.sum(dtype=np.int64))


def _check_persons(where: str, table: EncodedTable, *, inside: str, outside: str) -> None:
    """Refuse persons whom the population lacks; where it does not tell its persons, each of its records is another's.

    A record of the table need not be there as often as here: somebody with five visits is one person of a register.
    """
    persons = table.persons
    assert persons is not None
    assert table.population is not None
    if (known := table.population_persons) is None:
        here = np.bincount(persons.combination, minlength=len(table.counts))
        missing = int((here - table.population.astype(np.int64)).clip(min=0).sum())
        expected = f"every person of {inside} in {outside}, as a record with the same quasi-identifiers"
    else:
        number = {who: code for code, who in enumerate(known.ids)}
        code = np.array([number.get(who, -1) for who in persons.ids], dtype=np.int64)[persons.codes]
        # A pair of combination and person as one number, to be looked up in one sorted list.
        there = known.combination.astype(np.int64) * len(known.ids) + known.codes
        here = persons.combination.astype(np.int64) * len(known.ids) + code
        missing = int(np.count_nonzero((code < 0) | ~np.isin(here, there)))
        expected = f"every person of {inside} in {outside}, with the same quasi-identifiers"
    if missing:
        raise TableError(
            where,
            expected=expected,
            got=f"{missing:,} of {len(persons.codes):,} combinations of person and quasi-identifiers that are missing "
            "there",
            hint=f"take both tables from the same source, prepared alike, with the same {persons.name!r}",
        )


def _lacking(table: EncodedTable) -> str:
    """Name the columns whose values alone show that records are missing, or say that it takes all of them."""
    lacking = []
    for a, name in enumerate(table.names):
        everyone = np.bincount(table.combinations[:, a], weights=table.population, minlength=len(table.frequencies[a]))
        if (everyone < table.frequencies[a]).any():
            lacking.append(repr(name))
    return f"the values of {', '.join(lacking)} alone" if lacking else "the combination of quasi-identifiers"
