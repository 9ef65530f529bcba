"""Estimates against the definition: one row at a time, one set of values at a time."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import ParameterError, SchemaError, TableError
from nymity.table.level_recoding import Layer, LevelRecoding
from nymity.table.partition_recoding import PartitionRecoding
from nymity.utility import Between, Released, Workload, count, count_queries
from nymity.utility.countable import RecodedTable
from strategies import Case, cases

Label = str | None
Sets = dict[str, set[Label]]


def expected(frame: pl.DataFrame, stands_for: Mapping[str, Mapping[Label, set[Label]]], query: Sets) -> float:
    """Sum over rows the product over columns of |cell & predicate| / |cell|; other columns are as they are."""
    total = Fraction(0)
    for row in frame.iter_rows(named=True):
        weight = Fraction(1)
        for name, wanted in query.items():
            cell = stands_for[name][row[name]] if name in stands_for else {row[name]}
            weight *= Fraction(len(cell & wanted), len(cell))
        total += weight
    return float(total)


@st.composite
def queries(draw: st.DrawFn, domains: Mapping[str, list[Label]]) -> Sets:
    names = draw(st.lists(st.sampled_from(sorted(domains)), min_size=1, unique=True))
    return {name: draw(st.sets(st.sampled_from(domains[name]), min_size=1)) for name in names}


def domains_of(case: Case) -> dict[str, list[Label]]:
    quasi = dict(zip(case.schema.quasi, (list(h.values) for h in case.encoded.hierarchies), strict=True))
    return quasi | {name: case.frame[name].unique().sort().to_list() for name in case.schema.sensitive}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_table_as_it_is_is_counted(data: st.DataObject) -> None:
    case = data.draw(cases(n_sensitive=2))
    query = data.draw(queries({name: case.frame[name].unique().to_list() for name in case.frame.columns}))
    rows = case.frame.rows(named=True)
    assert count(case.frame, query) == sum(all(row[n] in wanted for n, wanted in query.items()) for row in rows)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_levels_against_the_definition(data: st.DataObject) -> None:
    """Several layers, masked rows and all."""
    case = data.draw(cases(n_sensitive=1))
    hierarchies = dict(zip(case.schema.quasi, case.encoded.hierarchies, strict=True))
    levels = {name: data.draw(st.integers(0, h.height)) for name, h in hierarchies.items()}
    every = np.unique(
        np.stack([h.codes[levels[n]][case.encoded.combinations[:, a]] for a, (n, h) in enumerate(hierarchies.items())]),
        axis=1,
    ).T.astype(np.int64)
    kept = every[np.array(data.draw(st.lists(st.booleans(), min_size=len(every), max_size=len(every))), dtype=bool)]
    recoding = LevelRecoding(tuple(case.frame.columns), hierarchies, (Layer(levels, kept),))
    frame = recoding.apply(case.frame).table
    stands_for = {
        name: {
            **{
                label: {v for v in h.values if h.generalize(v, levels[name]) == label}
                for label in h.labels[levels[name]]
            },
            "*": set(h.values),
        }
        for name, h in hierarchies.items()
    }
    query = data.draw(queries(domains_of(case)))
    assert count(ny.open(frame, recoding=recoding), query) == pytest.approx(
        expected(frame, stands_for, query), abs=1e-9
    )


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_partitions_against_the_definition(data: st.DataObject) -> None:
    case = data.draw(cases(n_sensitive=1, numeric=True, weighted=False))
    k = data.draw(st.integers(1, min(3, case.frame.height)))
    method = ny.Mondrian(cells=data.draw(st.sampled_from(["tight", "set", "hierarchy"])))
    recoding = method.run(case.encoded, [ny.KAnonymity(k=k)], columns=case.frame.columns).recoding
    assert isinstance(recoding, PartitionRecoding)
    frame = recoding.apply(case.frame).table
    stands_for = {
        name: {
            label: {recoding.hierarchies[name].values[code] for code in cells.codes(number)}
            for number, label in enumerate(cells.labels)
        }
        for name, cells in recoding.cells.items()
    }
    query = data.draw(queries(domains_of(case)))
    found = count(ny.open(frame, recoding=recoding), query)
    assert found == pytest.approx(expected(frame, stands_for, query), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_buckets_are_the_mean_over_all_assignments(data: st.DataObject) -> None:
    """Thesis: sum over buckets of rows that match * values that match / size. It is the expected count."""
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * 2, st.sampled_from("xyz")), min_size=1, max_size=7))
    split = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    table = pl.DataFrame(rows, schema=["a", "b", "s"], orient="row").with_columns(pl.Series("bucket", split))
    buckets = Released(frame=table.drop("s"), counts=table.group_by("bucket", "s").len("count"))
    query = data.draw(queries({name: table[name].unique().to_list() for name in ("a", "b", "s")}))
    mean = Fraction(0)
    for bucket in set(split):
        inside = table.filter(pl.col("bucket") == bucket)
        ways = [
            sum(all(row[name] in wanted for name, wanted in query.items()) for row in mixed.iter_rows(named=True))
            for values in permutations(inside["s"].to_list())
            for mixed in [inside.with_columns(pl.Series("s", values))]
        ]
        mean += Fraction(sum(ways), len(ways))
    assert count(buckets, query) == pytest.approx(float(mean), abs=1e-9)


@pytest.mark.parametrize("kind", ["table", "levels", "partition", "buckets"])
def test_many_queries_at_once_are_answered_like_each_alone(kind: str) -> None:
    table = ny.datasets.hospital(300, seed=3).select("age", "sex", "insurance")
    schema = ny.Schema({"age": ny.quasi(), "sex": ny.quasi(), "insurance": ny.sensitive()})
    privacy, bucket = [ny.KAnonymity(k=4)], pl.Series("bucket", np.arange(300) // 3)
    numbered = table.with_columns(bucket)
    published: Any = {
        "table": lambda: Released(frame=table, schema=schema),
        "levels": lambda: ny.publish(table, schema, privacy=privacy, method=ny.OptimalLattice(suppression=0.4)),
        "partition": lambda: ny.publish(table, schema, privacy=privacy, method=ny.Mondrian()),
        "buckets": lambda: Released(
            frame=numbered.drop("insurance"), counts=numbered.group_by("bucket", "insurance").len("count")
        ),
    }[kind]()
    domains = RecodedTable(table).countable(table.columns).domains
    workload = Workload.drawn(domains, "insurance", n=131, selectivity=0.1)
    together = count_queries(table, published, queries=workload).queries["estimate"].to_list()
    assert together == pytest.approx([count(published, workload.query(i)) for i in range(131)], rel=1e-12)
    assert len(set(together)) > 20


def test_a_label_of_two_levels_is_taken_from_the_one_that_has_all() -> None:
    tree = ny.Hierarchy.from_rows([["a", "a", "*"], ["b", "a", "*"], ["c", "x", "*"]])
    layers = tuple(Layer({"q": level}, np.zeros((0, 1), np.int64)) for level in (0, 1))
    recoding = LevelRecoding(("q",), {"q": tree}, layers)
    assert count(ny.open(pl.DataFrame({"q": ["a", "x"]}), recoding=recoding), {"q": "b"}) == 0.5
    assert count(ny.open(pl.DataFrame({"q": ["a", "c"]}), recoding=recoding), {"q": "b"}) == 0
    assert count(ny.open(pl.DataFrame({"q": ["a", "c", "x"]}), recoding=recoding), {"q": "b"}) == 0  # the lowest


# -- releases ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return ny.datasets.hospital(600, seed=2).select("age", "sex", "postcode", "diagnosis")


SCHEMA = ny.Schema(
    {
        "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=4)),
        "sex": ny.quasi(),
        "postcode": ny.quasi(ny.Hierarchy.masking()),
        "diagnosis": ny.sensitive(),
    }
)
METHODS: list[Any] = [ny.OptimalLattice(suppression=0.1), ny.Mondrian(), ny.IterativeRecoding()]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
def test_a_release_tells_what_its_table_and_recoding_tell(people: pl.DataFrame, method: Any) -> None:
    release = ny.publish(people, SCHEMA, privacy=[ny.KAnonymity(k=5)], method=method)
    found = count_queries(people, release, n=200)
    assert found.mean is not None
    assert 0 < found.mean < 2
    by_recoding = count_queries(people, ny.open(release.frame, schema=SCHEMA, recoding=release.recoding), n=200)
    assert by_recoding.to_dict() == found.to_dict()
    if method.key != "iterative-recoding":  # one label on two levels
        assert count_queries(people, ny.open(release.frame, schema=SCHEMA), n=200).to_dict() == found.to_dict()


def test_the_order_of_rows_does_not_matter_to_the_last_digit(people: pl.DataFrame) -> None:
    release = ny.publish(people, SCHEMA, privacy=[ny.KAnonymity(k=5)], method=ny.Mondrian())
    mixed, known = people.sample(fraction=1, shuffle=True, seed=1), {"schema": SCHEMA, "recoding": release.recoding}
    shuffled = count_queries(mixed, ny.open(release.frame.reverse(), **known), n=100)
    assert shuffled.queries.equals(count_queries(people, ny.open(release.frame, **known), n=100).queries)


def test_the_original_itself_has_no_error(people: pl.DataFrame) -> None:
    found = count_queries(people, ny.open(people, schema=SCHEMA), n=300)
    assert (found.mean, found.normalized) == (0.0, 0.0)
    assert found.queries["estimate"].to_list() == found.queries["answer"].to_list()


def test_removed_records_are_absent_and_masked_ones_stand_for_everything() -> None:
    table = pl.DataFrame({"city": ["a"] * 6 + ["b", "c"], "ill": ["x", "y"] * 4})
    schema = ny.Schema({"city": ny.quasi(), "ill": ny.sensitive()})
    masked = ny.publish(table, schema, privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice(suppression=0.5))
    assert masked.frame["city"].to_list().count("*") == 2
    assert count(masked, {"city": "a"}) == pytest.approx(6 + 2 / 3)
    assert count(masked, {"city": "a", "ill": "x"}) == pytest.approx(3 + 1 / 3)
    removed = masked.frame.filter(pl.col("city") != "*")
    assert count(ny.open(removed, recoding=masked.recoding), {"city": ["a", "b", "c"]}) == 6


def test_records_dropped_for_their_gaps_count_in_the_original_alone() -> None:
    table = pl.DataFrame({"age": [30, 30, 40, 40, None], "ill": ["x", "y", "x", "y", "x"]})
    schema = ny.Schema({"age": ny.quasi(missing="drop"), "ill": ny.sensitive()})
    release = ny.publish(table, schema, privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice())
    asked = [{"ill": "x"}, {"age": None}]
    for published in (release, ny.open(release.frame, schema=schema)):
        found = count_queries(table, published, queries=asked).queries
        assert found["answer"].to_list() == [3, 1]
        assert found["estimate"].to_list() == [2.0, 0.0]


def test_hierarchies_of_a_population_are_built_for_both_tables() -> None:
    table = pl.DataFrame({"city": ["a", "a", "b"], "ill": ["x", "y", "x"]})
    schema = ny.Schema({"city": ny.quasi(), "ill": ny.sensitive()})
    people = pl.DataFrame({"city": ["a", "b", "c", "d"]})
    masked = table.with_columns(city=pl.lit("*"))
    asked = [{"city": "a"}]
    assert count_queries(table, ny.open(masked, schema=schema), queries=asked).queries["estimate"][0] == pytest.approx(
        3 / 2
    )
    found = count_queries(table, ny.open(masked, schema=schema, population=people), queries=asked)
    assert found.queries["estimate"][0] == pytest.approx(3 / 4)


def test_a_range_admits_values_that_only_the_hierarchy_lists() -> None:
    tree = ny.Hierarchy.from_rows([[str(age), "30 to 34", "*"] for age in range(30, 35)])
    table, released = pl.DataFrame({"age": [30, 34]}), pl.DataFrame({"age": ["30 to 34"] * 2})
    found = count_queries(
        table, ny.open(released, schema=ny.Schema({"age": ny.quasi(tree)})), queries=[{"age": Between(30, 32)}]
    )
    assert found.queries["answer"][0] == 1
    assert found.queries["estimate"][0] == pytest.approx(2 * 3 / 5)


def test_a_bucketized_release_is_read_as_its_two_tables(people: pl.DataFrame) -> None:
    limits = ny.FPrivacy(thresholds={"a": 4, "c": 0.1}, attribute="diagnosis")
    release = ny.publish(people, SCHEMA, privacy=[limits], method=ny.Buckets(plan="two-size"))
    assert release.counts is not None
    tables = Released(frame=release.frame, counts=release.counts)
    found = count_queries(people, release, n=200)
    assert found.to_dict() == count_queries(people, tables, n=200).to_dict()
    assert 0 < (found.mean or 0) < 1
    only_quasi = {"sex": people["sex"][0]}
    assert count(release, only_quasi) == count(people, only_quasi)
    only_sensitive = {"diagnosis": people["diagnosis"][0]}
    assert count(release, only_sensitive) == count(people, only_sensitive)
    with pytest.raises(TableError, match="two tables"):
        count(ny.open(release.frame, recoding=release.recoding), only_quasi)


def test_an_empty_release_answers_nothing(people: pl.DataFrame) -> None:
    found = count_queries(people, ny.open(people.head(0), schema=SCHEMA), n=70)
    assert found.queries["estimate"].to_list() == [0.0] * 70
    assert found.mean == 1.0


# -- refusals ------------------------------------------------------------------------------------------------


def test_what_is_asked_must_be_there(people: pl.DataFrame) -> None:
    with pytest.raises(ParameterError, match=r"no column 'agge'.*'age'"):
        count(people, {"agge": 30})
    with pytest.raises(ParameterError, match="column 'sex': expected values of the column: 'female', 'male'"):
        count(people, {"sex": "femal"})
    with pytest.raises(ParameterError, match="at least one value"):
        count(people, {"sex": []})
    with pytest.raises(ParameterError, match="at least one column"):
        count(people, {})
    with pytest.raises(ParameterError, match="got str"):
        count(people, "sex = female")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="numbers for a range"):
        count(people, {"sex": Between(1, 2)})
    with pytest.raises(ParameterError, match="high"):
        Between(2, 1)


def test_values_are_told_by_what_they_are() -> None:
    table = pl.DataFrame({"x": [0.1, 1.0, 2.5, None, 30.0], "flag": [True, False, None, True, True]})
    assert count(table, {"x": 1}) == count(table, {"x": "1"}) == count(table, {"x": [1.0]}) == 1
    assert count(table, {"x": None}) == 1
    assert count(table, {"x": {1, 2.5}, "flag": [False, None]}) == 2
    assert count(table, {"flag": True}) == 3
    assert count(table, {"x": Between(0.1, 2.5)}) == 3
    assert count(table, {"x": Between(5, 6)}) == 0


def test_which_sensitive_column_must_be_said_if_there_are_several(people: pl.DataFrame) -> None:
    two = ny.Schema({**dict(SCHEMA), "sex": ny.sensitive()})
    with pytest.raises(ParameterError, match="one of 'sex', 'diagnosis'"):
        count_queries(people, ny.open(people, schema=two))
    assert count_queries(people, ny.open(people, schema=two), sensitive="sex", n=10).mean == 0
    with pytest.raises(ParameterError, match="diagnosis"):
        count_queries(people, ny.open(people, schema=SCHEMA), sensitive="age")
    none = ny.Schema({**dict(SCHEMA), "diagnosis": ny.insensitive()})
    assert set(count_queries(people, ny.open(people, schema=none), n=50, dimensions=2).queries["columns"]) == {2}


def test_tables_that_do_not_fit_are_refused(people: pl.DataFrame) -> None:
    with pytest.raises(SchemaError, match="schema"):
        count_queries(people, people)
    with pytest.raises(TableError, match="no column 'diagnosis'"):
        count_queries(people.drop("diagnosis"), ny.open(people, schema=SCHEMA))
    with pytest.raises(TableError, match="unknown value"):
        count_queries(people, ny.open(people.with_columns(sex=pl.lit("{f, m")), schema=SCHEMA))
    release = ny.publish(people, SCHEMA, privacy=[ny.KAnonymity(k=5)], method=ny.Mondrian())
    with pytest.raises(TableError, match="unknown value '2 to 3'"):
        count(ny.open(release.frame.with_columns(age=pl.lit("2 to 3")), recoding=release.recoding), {"age": 30})


def test_bucket_tables_fit_together() -> None:
    quasi = pl.DataFrame({"age": [1, 2, 3], "bucket": [1, 1, 2]})
    counts = pl.DataFrame({"bucket": [1, 2], "ill": ["x", "y"], "count": [2, 1]})
    assert count(Released(frame=quasi.to_pandas(), counts=counts), {"age": 1, "ill": "x"}) == 1
    with pytest.raises(TableError, match="as many"):
        Released(frame=quasi.head(2), counts=counts)
    with pytest.raises(TableError, match="column 'count'"):
        Released(frame=quasi, counts=counts.drop("count"))
    with pytest.raises(TableError, match="column 'bucket'"):
        Released(frame=quasi.drop("bucket"), counts=counts)


def test_an_observer_may_stop_it(people: pl.DataFrame) -> None:
    with pytest.raises(ny.NymityError, match="stopped"):
        count_queries(people, ny.open(people, schema=SCHEMA), n=500, observe=lambda progress: progress.done < 128)
