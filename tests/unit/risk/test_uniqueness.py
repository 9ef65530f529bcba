"""uniqueness, compared with counting by dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import SchemaError
from nymity.io import CodedTable
from nymity.io.coded import CodedColumn

NAMES = ("a", "b", "c")
CELLS = st.sampled_from([None, "x", "y", "z", "10"])


def naive(rows: list[tuple], chosen: list[int], persons: list | None) -> int:
    """Count who is unique, from the definition."""
    keys = [tuple(row[i] for i in chosen) for row in rows]
    if persons is None:
        times = Counter(keys)
        return sum(times[key] == 1 for key in keys)
    whose = defaultdict(set)
    for key, person in zip(keys, persons, strict=True):
        if person is not None:
            whose[key].add(person)
    return len({next(iter(people)) for people in whose.values() if len(people) == 1})


@given(st.lists(st.tuples(CELLS, CELLS, CELLS, st.sampled_from([None, "p", "q", "r", "s"])), min_size=1, max_size=25))
@settings(max_examples=80)
def test_counts_are_those_of_the_definition(rows: list[tuple]) -> None:
    table = pl.DataFrame(rows, schema=dict.fromkeys([*NAMES, "who"], pl.String), orient="row")
    whose = [row[3] for row in rows]
    for person, persons in ((None, None), ("who", whose)):
        found = ny.risk.uniqueness(table, NAMES, person=person)
        assert found.unique == naive(rows, [0, 1, 2], persons)
        for i, name in enumerate(NAMES):
            assert found.without[name] == naive(rows, [j for j in range(3) if j != i], persons)
            assert found.alone[name] == naive(rows, [i], persons)
        assert found.units == (len(rows) if persons is None else len({one for one in whose if one is not None}))
        if persons is None:
            assert found.smallest == min(Counter(row[:3] for row in rows).values())


def test_it_is_the_same_by_values_as_by_rows() -> None:
    table = ny.datasets.hospital(500)
    names = ["age", "sex", "postcode", "admission_date"]
    columns = []
    for name in [*names, "diagnosis"]:
        values = pl.concat([pl.Series([None], dtype=table[name].dtype), table[name].drop_nulls().unique()])
        index = {value: code for code, value in enumerate(values)}
        codes = pl.Series([index[value] for value in table[name]], dtype=pl.UInt32).to_numpy()
        times = pl.Series([int((codes == code).sum()) for code in range(len(values))])
        columns.append(CodedColumn(name=name, values=values, times=times, codes=codes))
    coded = ny.risk.uniqueness(CodedTable(columns), names, person="diagnosis")
    assert coded == ny.risk.uniqueness(table, names, person="diagnosis")
    assert ny.risk.uniqueness(CodedTable(columns), names) == ny.risk.uniqueness(table, names)


def test_without_columns_all_look_alike() -> None:
    found = ny.risk.uniqueness(pl.DataFrame({"a": [1, 2, 3]}), [])
    assert (found.units, found.unique, found.smallest, found.share) == (3, 0, 3, 0.0)
    assert ny.risk.uniqueness(pl.DataFrame({"a": [1]}), []).unique == 1


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(SchemaError, match=r"none of that name. Try: .*age"):
        ny.risk.uniqueness(pl.DataFrame({"age": [1]}), ["aeg"])


def test_a_person_is_alone_however_the_name_is_spaced() -> None:
    table = pl.DataFrame({"who": ["Ann", " Ann", "Ann ", "Bo", "Cy", " "], "age": [1, 1, 1, 2, 2, 2]})
    found = ny.risk.uniqueness(table, ["age"], person="who")
    assert (found.units, found.unique, found.smallest) == (3, 1, 1)
