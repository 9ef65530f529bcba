"""Encoding against a dictionary: distinct combinations, their records, sensitive histograms, whatever the types."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import HierarchyError, SchemaError, TableError
from nymity.table import encoding
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.encoding import EncodedTable, codes_of, distinct_values, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, cases, typed_columns


@given(
    st.lists(st.sampled_from(["", "a", "b", "é", "*", None])),
    st.lists(st.sampled_from(["a", "b", "é", "c", None]), unique=True),
)
def test_text_is_looked_up_alike_however_many_labels_there_are(cells: list[str | None], labels: list[str]) -> None:
    column, index = pl.Series(cells, dtype=pl.String), {label: code for code, label in enumerate(labels)}
    expected = [index.get(cell or None, 77) for cell in cells]
    for many in (0, 10):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(encoding, "_MANY_LABELS", many)
            assert codes_of(column, None, index, unknown=77).tolist() == expected


def combinations(encoded: EncodedTable) -> Counter[naive.Row]:
    """Decode the combinations; each must be listed once and have at least one record."""
    rows = [
        tuple(h.values[code] for h, code in zip(encoded.hierarchies, codes, strict=True))
        for codes in encoded.combinations.tolist()
    ]
    assert len(set(rows)) == len(rows)
    assert (encoded.counts > 0).all()
    return Counter(dict(zip(rows, encoded.counts.tolist(), strict=True)))


def sensitive_values(encoded: EncodedTable, name: str) -> Counter[tuple[naive.Row, naive.Label]]:
    """Decode the histogram of a sensitive column: (combination, value) to records."""
    column = encoded.sensitive[name]
    rows = [
        tuple(h.values[code] for h, code in zip(encoded.hierarchies, codes, strict=True))
        for codes in encoded.combinations.tolist()
    ]
    entries = [
        ((rows[c], column.labels[code]), records)
        for c, code, records in zip(column.combination, column.codes, column.counts.tolist(), strict=True)
    ]
    assert len(dict(entries)) == len(entries)
    assert (np.diff(column.combination.astype(np.int64)) >= 0).all()  # entries of a combination are adjacent
    return Counter(dict(entries))


@st.composite
def typed_tables(draw: st.DrawFn) -> pl.DataFrame:
    n_rows, n_columns = draw(st.integers(1, 30)), draw(st.integers(2, 5))
    return pl.DataFrame({f"c{i}": draw(typed_columns(n_rows)) for i in range(n_columns)})


def schema_of(table: pl.DataFrame) -> Schema:
    *names, last = table.columns
    return Schema({**{name: quasi() for name in names}, last: sensitive()})


@given(typed_tables())
@settings(max_examples=150)
def test_every_type_against_a_dictionary(table: pl.DataFrame) -> None:
    encoded = encode(table, schema_of(table))
    columns = [naive.texts(column.to_list()) for column in table]
    rows = list(zip(*columns[:-1], strict=True))
    assert combinations(encoded) == Counter(rows)
    assert sensitive_values(encoded, table.columns[-1]) == Counter(zip(rows, columns[-1], strict=True))
    assert set(encoded.sensitive[table.columns[-1]].labels) == set(columns[-1])
    for hierarchy, column in zip(encoded.hierarchies, columns, strict=False):
        assert set(hierarchy.values) == set(column)
    assert encoded.n_records == table.height == encoded.counts.sum()


@given(cases(n_sensitive=2, max_records=40))
@settings(max_examples=60)
def test_frequencies_at_every_level(case: Case) -> None:
    encoded, records = case.encoded, case.records
    assert combinations(encoded) == Counter(records.rows)
    for a, hierarchy in enumerate(encoded.hierarchies):
        for level in range(hierarchy.height + 1):
            expected = Counter(hierarchy.generalize(row[a], level) for row in records.rows)
            found = dict(zip(hierarchy.labels[level], encoded.frequencies_at(a, level).tolist(), strict=True))
            assert {label: f for label, f in found.items() if f} == expected
        assert encoded.frequencies[a].sum() == encoded.n_records


@given(st.data())
@settings(max_examples=60)
def test_the_order_of_records_does_not_matter(data: st.DataObject) -> None:
    table = data.draw(typed_tables())
    order = data.draw(st.permutations(range(table.height)))
    one, other = encode(table, schema_of(table)), encode(table[order], schema_of(table))
    assert one.hierarchies == other.hierarchies
    assert np.array_equal(one.combinations, other.combinations)
    assert np.array_equal(one.counts, other.counts)
    for name, column in one.sensitive.items():
        for part in ("labels", "combination", "codes", "counts"):
            assert np.array_equal(getattr(column, part), getattr(other.sensitive[name], part))


@given(cases(n_sensitive=1))
@settings(max_examples=40)
def test_names_of_values_do_not_matter(case: Case) -> None:
    """Renaming every value of a column and of its hierarchy gives the same codes."""
    renamed = {
        name: case.frame[name].map_elements(lambda v: f"<{v}>", return_dtype=pl.String) for name in case.schema.quasi
    }
    hierarchies = [Hierarchy.from_rows([[f"<{row[0]}>", *row[1:]] for row in h.rows()]) for h in case.hierarchies]
    attributes = {name: quasi(h) for name, h in zip(renamed, hierarchies, strict=True)}
    other = encode(case.frame.with_columns(**renamed), Schema({**attributes, "s0": sensitive()}))
    assert np.array_equal(case.encoded.combinations, other.combinations)
    assert np.array_equal(case.encoded.counts, other.counts)
    assert np.array_equal(case.encoded.sensitive["s0"].counts, other.sensitive["s0"].counts)


def test_a_hundred_quasi_identifiers() -> None:
    """Far more bits than one key word: rows that differ in a single late column stay apart."""
    rng = np.random.default_rng(7)
    rows = np.repeat(rng.integers(0, 40, (300, 100)), 2, axis=0)
    rows[0, 99] = 40
    rows[3, 0] = 40
    table = pl.DataFrame({f"q{i}": rows[:, i] for i in range(100)})
    encoded = encode(table, Schema({name: quasi() for name in table.columns}))
    assert combinations(encoded) == Counter(tuple(map(str, row)) for row in rows.tolist())
    assert sorted(encoded.counts.tolist()) == [1] * 4 + [2] * 298


def test_more_than_a_million_values_in_one_column() -> None:
    n = 2**20 + 1000
    values = np.random.default_rng(1).permutation(n)
    table = pl.DataFrame({"id": np.concatenate([values, values[:500]]), "b": np.arange(n + 500) % 2})
    encoded = encode(table, Schema({"id": quasi(), "b": quasi()}))
    expected = table.group_by("id", "b").len().sort("id", "b")
    ids, bs = (pl.Series(h.values).cast(pl.Int64) for h in encoded.hierarchies)
    found = pl.DataFrame(
        {"id": ids[encoded.combinations[:, 0]], "b": bs[encoded.combinations[:, 1]], "len": encoded.counts}
    ).sort("id", "b")
    assert len(ids) == n
    assert found.equals(expected)


def test_columns_with_the_names_of_patterns() -> None:
    table = pl.DataFrame({"*": ["a", "b", "a"], "^x$": [1, 1, 1], "records": ["s", "t", "s"], "c0": [0, 0, 0]})
    schema = Schema({"*": quasi(), "^x$": quasi(), "records": sensitive(), "c0": quasi()})
    encoded = encode(table, schema)
    assert combinations(encoded) == Counter({("a", "1", "0"): 2, ("b", "1", "0"): 1})
    assert sensitive_values(encoded, "records")[("a", "1", "0"), "s"] == 2


def test_only_quasi_and_sensitive_columns_count() -> None:
    table = pl.DataFrame({"name": ["x", "y", "z"], "a": [1, 1, 1], "note": [1.5, None, 2.5]})
    encoded = encode(table, Schema({"name": identifying(), "a": quasi(), "note": insensitive()}))
    assert encoded.names == ("a",)
    assert encoded.counts.tolist() == [3]
    assert encoded.sensitive == {}


def test_the_same_values_from_any_frame() -> None:
    """Integers with gaps come as floats from pandas; the encoding is the same."""
    schema = Schema({"a": quasi()})
    integers = encode(pl.DataFrame({"a": [3, None, 7, 3]}), schema)
    floats = encode(pl.DataFrame({"a": [3.0, float("nan"), 7.0, 3.0]}), schema)
    strings = encode(pl.DataFrame({"a": ["3", "", "7", "3"]}), schema)
    assert integers.hierarchies == floats.hierarchies == strings.hierarchies
    assert integers.combinations.tolist() == floats.combinations.tolist() == strings.combinations.tolist()
    assert integers.counts.tolist() == floats.counts.tolist() == strings.counts.tolist()


def test_bounds_and_weights_reach_the_table() -> None:
    h = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"]])
    schema = Schema({"p": quasi(h, level=1), "q": quasi(h, min_level=1, weight=0.5), "r": quasi(weight=2)})
    encoded = encode(pl.DataFrame({"p": ["a"], "q": ["b"], "r": ["c"]}), schema)
    assert (encoded.min_levels, encoded.max_levels) == ((1, 1, 0), (1, 2, 1))
    assert encoded.weights == (1.0, 0.5, 2.0)


@pytest.mark.parametrize("bound", [{"max_level": 2}, {"min_level": 2}, {"level": 5}])
@pytest.mark.parametrize(
    "hierarchy",
    [
        Hierarchy.flat(["a", "b"]),
        None,
    ],
)
def test_bounds_above_the_top_are_refused(hierarchy: Hierarchy | None, bound: dict[str, int]) -> None:
    schema = Schema({"a": quasi(hierarchy, **bound)})
    with pytest.raises(SchemaError, match=r"schema\.a\.m.._level: expected at most 1, the top"):
        encode(pl.DataFrame({"a": ["a", "b"]}), schema)


def test_what_is_refused() -> None:
    with pytest.raises(SchemaError, match="at least one quasi-identifier, got none"):
        encode(pl.DataFrame({"a": [1]}), Schema({"a": sensitive()}))
    with pytest.raises(TableError, match="at least one record"):
        encode(pl.DataFrame({"a": []}, schema={"a": pl.String}), Schema({"a": quasi()}))
    with pytest.raises(TableError, match=r"no value '\*'"):
        encode(pl.DataFrame({"a": ["b", "*"]}), Schema({"a": quasi()}))
    with pytest.raises(HierarchyError, match=r"hierarchy of 'a'.*1 unknown value: 'c'"):
        encode(pl.DataFrame({"a": ["a", "c"]}), Schema({"a": quasi(Hierarchy.flat(["a"]))}))


@pytest.mark.parametrize("gap", [None, ""])
def test_text_gaps_are_refused_where_they_are_errors(gap: str | None) -> None:
    with pytest.raises(TableError, match="column 'a': expected no missing values"):
        encode(pl.DataFrame({"a": ["b", gap]}), Schema({"a": quasi(missing="error")}))


@pytest.mark.parametrize(
    "gap",
    [None, float("nan")],
)
def test_number_gaps_are_refused_where_they_are_errors(gap: float | None) -> None:
    with pytest.raises(TableError, match="column 'a': expected no missing values"):
        encode(pl.DataFrame({"a": [1.5, gap]}), Schema({"a": quasi(missing="error")}))


@pytest.mark.parametrize(
    "order",
    [
        [0, 1, 2],
        [1, 0, 2],
    ],
)
def test_the_two_zeros_are_one_value(order: list[int]) -> None:
    table = pl.DataFrame({"a": [0.0, -0.0, 1.5]})[order]
    encoded = encode(table, Schema({"a": quasi()}))
    assert combinations(encoded) == Counter({("0",): 2, ("1.5",): 1})


WHOLE = {pl.Int8: (-128, 127), pl.UInt8: (0, 255), pl.Int64: (-(2**63), 2**63 - 1), pl.UInt64: (0, 2**64 - 1)}


@given(st.data(), st.sampled_from(list(WHOLE)), st.booleans())
def test_codes_of_whole_numbers_are_those_of_their_text(data: st.DataObject, dtype: Any, listed: bool) -> None:
    """Near each other and far apart, at the ends of their type, with gaps, listed and not."""
    low, high = WHOLE[dtype]
    numbers = st.one_of(st.integers(low, high), st.integers(max(low, -9), 9), st.none())
    cells, others = data.draw(st.lists(numbers, max_size=12)), data.draw(st.lists(numbers, max_size=3))
    known = data.draw(st.lists(st.sampled_from([*cells, 1, None]), max_size=8))
    index = {None if one is None else str(one): code for code, one in enumerate(dict.fromkeys(known))}
    values = pl.Series(list(dict.fromkeys([*others, *cells])), dtype=dtype) if listed else None
    expected = [index.get(None if cell is None else str(cell), -7) for cell in cells]
    assert codes_of(pl.Series(cells, dtype=dtype), values, index, unknown=-7).tolist() == expected


@given(st.data(), st.sampled_from(list(WHOLE)))
def test_distinct_whole_numbers_are_each_there_once(data: st.DataObject, dtype: Any) -> None:
    """More rows than there are numbers between their ends, and fewer."""
    low, high = WHOLE[dtype]
    start = data.draw(st.sampled_from([low, high - 7, max(low, -3)]))
    numbers = st.one_of(st.integers(start, start + 7), st.integers(low, high), st.none())
    cells = data.draw(st.lists(numbers, max_size=12)) * data.draw(st.sampled_from([1, 40]))
    found = distinct_values(pl.Series("^x$", cells, dtype=dtype))
    assert found.dtype == dtype
    assert Counter(found.to_list()) == Counter(set(cells))


@pytest.mark.parametrize("low", [-(2**63), -(2**63) + 1, 2**63 - 3])
@pytest.mark.parametrize("gap", [[], [None]])
def test_whole_numbers_at_the_ends_of_64_bits_are_counted(low: int, gap: list[None]) -> None:
    cells = [low, low + 2, low, *gap]
    encoded = encode(pl.DataFrame({"a": pl.Series(cells, dtype=pl.Int64)}), Schema({"a": quasi()}))
    expected = Counter((None if cell is None else str(cell),) for cell in cells)
    assert combinations(encoded) == expected


@pytest.mark.parametrize("n", [1, 255, 256, 257])
@pytest.mark.parametrize("gap", [None, 3])
def test_codes_of_text_with_gaps_and_unknown_values(n: int, gap: int | None) -> None:
    index: dict[str | None, int] = {f"v{i}": 2 * i for i in range(n)}
    if gap is not None:
        index[None] = gap
    missing = -7 if gap is None else gap
    column = pl.Series("^x$", [f"v{n - 1}", None, "", "elsewhere", "v0"])
    assert codes_of(column, None, index, unknown=-7).tolist() == [2 * (n - 1), missing, missing, -7, 0]
    assert codes_of(column[[0, 4]], None, index, unknown=-7).tolist() == [2 * (n - 1), 0]
