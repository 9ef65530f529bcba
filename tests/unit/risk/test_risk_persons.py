"""Risk of tables with several records of one person: classes are of persons."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from math import exp
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from cli_fixtures import Run
from nymity.core.errors import ParameterError, TableError

SCHEMA = ny.Schema({"age": ny.quasi(), "who": ny.person()})


def test_two_patients_with_five_visits_each_are_two() -> None:
    visits = pl.DataFrame({"age": [30] * 10, "who": ["a"] * 5 + [" a", "b", "b", "b", "b"]})
    found = ny.measure_risk(visits, SCHEMA)
    assert (found.records, found.persons, found.counted) == (10, 2, 2)
    assert (found.prosecutor.highest, found.sizes) == (Fraction(1, 2), {2: 1})
    assert found.row_share == Fraction(6, 10)
    assert found.to_dict()["row_share"] == 0.6
    by_records = ny.measure_risk(visits, ["age"])
    assert (by_records.prosecutor.highest, by_records.persons, by_records.row_share) == (Fraction(1, 10), None, None)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=30))
def test_every_figure_is_of_the_persons_of_each_class(rows: list[tuple[int, int]]) -> None:
    table = pl.DataFrame({"age": [age for age, _ in rows], "who": [who for _, who in rows]})
    found = ny.measure_risk(table, SCHEMA, threshold=0.4)
    persons, records = defaultdict(set), defaultdict(list)
    for age, who in rows:
        persons[age].add(who)
        records[age].append(who)
    sizes = [len(those) for those in persons.values()]
    assert found.prosecutor.highest == Fraction(1, min(sizes))
    assert found.prosecutor.average == Fraction(len(sizes), sum(sizes))
    assert found.prosecutor.above == sum(size for size in sizes if Fraction(1, size) > Fraction("0.4"))
    assert found.unique_records == sum(size == 1 for size in sizes)
    assert found.row_share == max(Fraction(own.count(w), len(own)) for own in records.values() for w in own)


def test_a_population_counts_persons_where_it_tells_them_and_rows_otherwise() -> None:
    visits = pl.DataFrame({"age": [30, 30, 30, 41], "who": ["a", "a", "b", "c"]})
    everyone = pl.DataFrame({"age": [30, 30, 30, 30, 41, 41], "who": ["a", "a", "b", "d", "c", "e"]})
    told = ny.measure_risk(visits, SCHEMA, population=everyone).journalist
    rows = ny.measure_risk(visits, SCHEMA, population=everyone.select("age")).journalist
    assert told is not None
    assert rows is not None
    assert (told.highest, told.average) == (Fraction(1, 2), (Fraction(2, 3) + Fraction(1, 2)) / 3)
    assert rows.average == (Fraction(2, 4) + Fraction(1, 2)) / 3


#: Ten persons with five records each, no two of which are alike.
TEN = pl.DataFrame({"age": range(50), "who": [i // 5 for i in range(50)]})


def test_the_size_of_a_population_is_in_people() -> None:
    """20 people of whom ten are in the table, with 50 combinations: if others have as many, there are 100."""
    for given_as in ({"population_size": 20}, {"sampling_fraction": 0.5}):
        found = ny.measure_risk(TEN, SCHEMA, **given_as).population  # type: ignore[arg-type]
        assert found is not None
        assert (found.people, found.sampling_fraction, found.combinations) == (20, Fraction(1, 2), 100)
        assert (found.uniques, found.share, found.counts) == (100, 1.0, "persons")
        assert found.to_dict()["people"] == 20
    whole = ny.measure_risk(TEN, SCHEMA, population_size=10).population
    assert whole is not None
    assert (whole.people, whole.uniques, whole.chosen) == (10, 50, "counted")
    with pytest.raises(ParameterError, match="at least 10, the persons of the table"):
        ny.measure_risk(TEN, SCHEMA, population_size=9)
    with pytest.raises(ParameterError, match="at least 50, the records of the table"):
        ny.measure_risk(TEN, ["age"], population_size=20)


def test_an_estimate_is_the_same_however_many_records_a_combination_has() -> None:
    """Records that repeat a person's combination say nothing new."""
    draw = random.Random(3)
    rows = [(draw.randint(0, 400), who) for who in range(300)]
    once = pl.DataFrame({"age": [age for age, _ in rows], "who": [who for _, who in rows]})
    often = pl.concat([once, once, once.head(50)])
    first, second = (ny.measure_risk(one, SCHEMA, population_size=3000).population for one in (once, often))
    assert first == second
    by_records = ny.measure_risk(once, ["age"], population_size=3000).population
    assert first is not None
    assert by_records is not None
    assert (first.uniques, first.people) == (by_records.uniques, by_records.people)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.booleans()), min_size=1, max_size=30))
def test_people_of_a_population_are_counted_once(rows: list[tuple[int, int, bool]]) -> None:
    everyone = pl.DataFrame({"age": [age for age, _, _ in rows], "who": [who for _, who, _ in rows]})
    some = [row for row in rows if row[2]] or rows[:1]
    table = pl.DataFrame({"age": [age for age, _, _ in some], "who": [who for _, who, _ in some]})
    found = ny.measure_risk(table, SCHEMA, population=everyone).population
    persons = defaultdict(set)
    for age, who, _ in rows:
        persons[age].add(who)
    alone = [those for those in persons.values() if len(those) == 1]
    assert found is not None
    assert found.people == len({who for _, who, _ in rows})
    assert found.sampling_fraction == Fraction(len({who for _, who, _ in some}), int(found.people))
    assert found.combinations == len({(age, who) for age, who, _ in rows})
    assert (found.uniques, found.persons) == (len(alone), len(set().union(*alone)))


def test_a_population_that_tells_no_persons_is_of_records() -> None:
    found = ny.measure_risk(TEN, SCHEMA, population=TEN.select("age")).population
    assert found is not None
    assert (found.people, found.counts, found.combinations, found.persons) == (50, "records", None, None)


def test_a_population_with_too_few_persons_is_refused_in_persons() -> None:
    table = pl.DataFrame({"age": [1, 1], "who": ["a", "b"]})
    with pytest.raises(TableError, match="at least as many persons"):
        ny.measure_risk(table, SCHEMA, population=pl.DataFrame({"age": [1, 1, 1], "who": ["a"] * 3}))


def test_log_linear_models_reckon_with_people() -> None:
    schema = ny.Schema({"who": ny.person(), "a": ny.quasi(), "b": ny.quasi(), "w": ny.weight()})
    table = pl.DataFrame(
        {"who": [i // 5 for i in range(50)], "a": [i % 5 for i in range(50)], "b": [i // 5 for i in range(50)]}
    ).with_columns(w=pl.lit(10.0))
    found = ny.risk.log_linear(table, schema)
    known = ny.measure_risk(table, schema).individual
    assert known is not None
    assert (found.people, found.counts) == (100, "persons")
    assert found.people == known.population
    by_size = ny.risk.log_linear(
        table.drop("w"), ny.Schema({n: schema[n] for n in ("who", "a", "b")}), population_size=100
    )
    assert by_size.population_uniques == pytest.approx(found.population_uniques)
    # every mean is 1 in the sample, and 9 of ten people are outside: exp(-9) each
    assert found.population_uniques == pytest.approx(50 * exp(-9))
    with pytest.raises(ParameterError, match="at least 10, the persons"):
        ny.risk.log_linear(table, schema, population_size=9)


def test_the_command_speaks_of_people(tmp_path: Path, nymity: Run) -> None:
    TEN.write_csv(tmp_path / "visits.csv")
    (tmp_path / "job.toml").write_text(
        '[source]\npath = "visits.csv"\n[schema]\nwho = {role = "person"}\nage = {role = "quasi"}\n'
        '[[privacy]]\nmodel = "k-anonymity"\nk = 2\n',
        encoding="utf-8",
    )
    job = str(tmp_path / "job.toml")
    told = nymity("risk", job, "--population-size", "20", "--log-linear")
    assert told.exit_code == 0, told.output
    shown = " ".join(told.stdout.split())
    assert "Of 100 combinations of values among 20 people, 100 (100%) are of one person alone" in shown
    assert "Of 50 combinations that one person of the table alone has" in shown
    counted = " ".join(nymity("risk", job, "--population", str(tmp_path / "visits.csv")).stdout.split())
    assert "among 10 people, 50 (100%) are of one person alone, counted. 10 people have one." in counted
