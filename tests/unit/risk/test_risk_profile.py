"""Profiles against counts written from the definitions, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import InputError, ParameterError, SchemaError, TableError
from nymity.risk import PRESETS, measure_risk
from nymity.risk.attackers import smallest_safe_class

cells = st.sampled_from(["a", "b", "c", "*", "", None])
rows = st.lists(st.tuples(cells, cells), min_size=1, max_size=25)
thresholds = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(9, 100)])


def frame(records: list[tuple[str | None, ...]]) -> pl.DataFrame:
    return pl.DataFrame(records, orient="row", schema={"x": pl.String, "y": pl.String})


def classes_of(records: list[tuple[str | None, ...]]) -> Counter[tuple[str | None, ...]]:
    return Counter(tuple(cell or None for cell in record) for record in records)


@given(rows, thresholds)
def test_a_profile_is_what_counting_gives(records: Any, threshold: Fraction) -> None:
    found = measure_risk(frame(records), ["x", "y"], threshold=threshold)
    classes = classes_of(records)
    each = [Fraction(1, classes[record]) for record in classes.elements()]
    assert found.sizes == dict(sorted(Counter(classes.values()).items()))
    assert (found.records, found.masked, found.dropped) == (len(records), records.count(("*", "*")), 0)
    assert found.unique_records == sum(risk == 1 for risk in each)
    assert found.prosecutor.highest == max(each, default=None)
    assert found.prosecutor.average == found.marketer == (sum(each) / len(each) if each else None)
    assert found.prosecutor.above == sum(risk > threshold for risk in each)
    assert found.missing["x"] == ("category", sum(record[0] in ("", None) for record in records))
    assert found.journalist is None
    assert found.population is None


@given(rows, rows, thresholds)
def test_a_journalist_counts_the_population(records: Any, others: Any, threshold: Fraction) -> None:
    people = records + others
    found = measure_risk(frame(records), ["x", "y"], population=frame(people), threshold=threshold)
    classes, population = classes_of(records), classes_of(people)
    nowhere = sum(count for row, count in population.items() if row == ("*", "*") or row not in classes)
    each = [Fraction(1, nowhere if row == ("*", "*") else population[row]) for row in classes.elements()]
    assert found.journalist is not None
    assert found.population is not None
    assert found.journalist.highest == max(each)
    assert found.journalist.average == found.marketer == sum(each) / len(each)
    assert found.journalist.above == sum(risk > threshold for risk in each)
    assert (found.population.people, found.population.chosen) == (len(people), "counted")
    assert found.population.uniques == sum(size == 1 for size in population.values())


@given(st.fractions(min_value=Fraction(1, 1000), max_value=1), st.integers(1, 2000))
def test_the_threshold_is_decided_exactly(threshold: Fraction, size: int) -> None:
    assert (size < smallest_safe_class(threshold)) == (Fraction(1, size) > threshold)


@pytest.mark.parametrize(("size", "above"), [(4, 4), (5, 0)])
def test_a_risk_at_the_threshold_is_not_above_it(size: int, above: int) -> None:
    assert measure_risk({"x": [1] * size}, ["x"], threshold=0.2).prosecutor.above == above


def test_numbers_and_text_that_are_written_alike_match() -> None:
    found = measure_risk({"x": [1, 2, 2]}, ["x"], population={"x": ["1", "1", "2", "2", "2", "3"]})
    assert found.journalist is not None
    assert found.journalist.average == Fraction(1, 3) * (Fraction(1, 2) + Fraction(2, 3))
    assert found.population is not None
    assert found.population.uniques == 1


def test_the_schema_says_what_becomes_of_gaps() -> None:
    table = {"x": ["a", None, "a", "b"], "y": [1, 1, 1, 1], "z": ["p", "q", "r", "s"]}
    schema = ny.Schema({"x": ny.quasi(missing="drop"), "y": ny.quasi(), "z": ny.sensitive()})
    found = measure_risk(table, schema)
    assert (found.quasi, found.dropped, found.sizes) == (("x", "y"), 1, {1: 1, 2: 1})
    assert found.missing == {"x": ("drop", 1), "y": ("category", 0)}
    with pytest.raises(TableError, match="no missing values"):
        measure_risk(table, ny.Schema({**schema, "x": ny.quasi(missing="error")}))
    apart = measure_risk(table, ["x", "y"])
    assert apart.sizes == {1: 2, 2: 1}


def test_masked_rows_are_of_those_who_fit_nothing_else() -> None:
    table, people = {"x": ["*", "a", "a"]}, {"x": ["a", "a", "a", "b", "c"]}
    found = measure_risk(table, ["x"], population=people)
    assert (found.classes, found.unique_records, found.prosecutor.highest) == (2, 1, 1)
    assert found.journalist is not None
    assert found.journalist.highest == Fraction(1, 2)  # b or c
    with pytest.raises(TableError, match="none for 1 of 3 records"):
        measure_risk(table, ["x"], population={"x": ["a", "a", "a"]})


def test_a_table_without_records_in_classes() -> None:
    schema = ny.Schema({"x": ny.quasi(missing="drop")})
    found = measure_risk(pl.DataFrame({"x": [None, None]}, schema={"x": pl.String}), schema, population_size=10)
    assert (found.classes, found.prosecutor.highest, found.marketer, found.population) == (0, None, None, None)
    assert found.to_dict()["unique_share"] is None


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_a_source(name: str) -> None:
    found = measure_risk({"x": list("aab")}, ["x"], preset=name)
    assert found.threshold == PRESETS[name].threshold
    told = json.loads(json.dumps(found.to_dict()))["threshold"]
    assert (told["preset"], told["source"]) == (name, PRESETS[name].source)
    assert len(told["source"]) > 20


def test_presets_are_the_numbers_they_are_known_by() -> None:
    known = {"ema": 0.09, "health-canada": 0.09, "hipaa": 0.05, "k5": 1 / 5, "k11": 1 / 11, "k20": 1 / 20}
    assert {name: float(preset.threshold) for name, preset in PRESETS.items()} == known


def test_the_result_is_plain_json() -> None:
    found = measure_risk({"x": [1, 1, 2]}, ["x"], sampling_fraction=0.1)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["class_sizes"] == [
        {"size": 1, "classes": 1, "records": 1},
        {"size": 2, "classes": 1, "records": 2},
    ]
    assert data["population"]["people"] == 30
    assert data["marketer"]["average"] == pytest.approx(2 / 3)
    assert data["prosecutor"]["share_above_threshold"] == 1


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"population_size": 2}, "population_size"),
        ({"population_size": 2.5}, "population_size"),
        ({"population_size": 9, "sampling_fraction": 0.5}, "population_size"),
        ({"sampling_fraction": 0}, "sampling_fraction"),
        ({"sampling_fraction": 1.01}, "sampling_fraction"),
        ({"sampling_fraction": float("nan")}, "sampling_fraction"),
        ({"threshold": 0}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": 0.1, "preset": "ema"}, "threshold"),
        ({"preset": "emma"}, "did you mean 'ema'"),
        ({"population": {"x": [1, 2, 3]}, "population_size": 9}, "population"),
    ],
)
def test_parameters_that_make_no_sense(given: dict[str, Any], where: str) -> None:
    with pytest.raises(ParameterError, match=where):
        measure_risk({"x": [1, 2, 3]}, ["x"], **given)


@pytest.mark.parametrize(
    ("table", "quasi", "population", "error", "words"),
    [
        ({"age": [1]}, ["aeg"], None, SchemaError, "did you mean 'age'"),
        ({"age": [1]}, [], None, SchemaError, "at least one quasi-identifier"),
        ({"age": [1]}, "age", None, SchemaError, "list of column names"),
        ({"age": []}, ["age"], None, TableError, "at least one record"),
        ({"age": [[1], [2]]}, ["age"], None, TableError, "one number, date or text per cell"),
        ({"age": [1, 2]}, ["age"], {"sex": [1, 2]}, SchemaError, "population, column 'age'"),
        ({"age": [1, 2]}, ["age"], {"age": [1]}, TableError, "at least the 2 records"),
        ({"age": [1, 1]}, ["age"], {"age": [1, 2, 3]}, TableError, "none for 1 of 2 records"),
        (7, ["age"], None, TableError, "a table"),
    ],
)
def test_tables_that_make_no_sense(
    table: Any, quasi: Any, population: Any, error: type[InputError], words: str
) -> None:
    with pytest.raises(error, match=words):
        measure_risk(table, quasi, population=population)


def test_it_is_found_under_its_name() -> None:
    assert ny.risk.measure_risk is measure_risk
    assert ny.measure_risk(pl.DataFrame({"^x$": [1, 1]}).lazy(), ["^x$"]).sizes == {2: 1}
