"""Inspection and starter job: counts that can be recounted, cautious roles, and TOML that reads back."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import ParameterError, TableError
from nymity.datasets import hospital
from nymity.io.dictionary import Dictionary, Entry
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.default import rounded
from nymity.publishing.jobs.job import Job
from nymity.publishing.preparing.inspect import SUGGEST_FROM, Inspection, inspect, starter_job
from nymity.table.attribute import Role
from nymity.table.builders import BUILDERS
from nymity.table.hierarchy import Hierarchy


@pytest.fixture(scope="module")
def stays() -> pl.DataFrame:
    return hospital(3000)


@pytest.fixture(scope="module")
def inspection(stays: pl.DataFrame) -> Inspection:
    return inspect(stays)


# -- counts --------------------------------------------------------------------------------------------------

cells = st.one_of(st.none(), st.sampled_from(["a", "b", "", "ü", "10"]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(cells, cells, st.one_of(st.none(), st.integers(0, 3))), min_size=1, max_size=30))
def test_counts_are_what_counting_gives(rows: list[tuple[str | None, str | None, int | None]]) -> None:
    table = pl.DataFrame(rows, orient="row", schema={"city": pl.String, "job": pl.String, "age": pl.Int64})
    inspection = inspect(table)
    for place, name in enumerate(table.columns):
        counts = Counter(row[place] for row in rows if row[place] not in (None, ""))
        column = inspection[name]
        assert column.records == len(rows)
        assert column.distinct == len(counts)
        assert column.missing == len(rows) - counts.total()
        assert column.unique == sum(count == 1 for count in counts.values())
        assert column.unique_share == column.unique / len(rows)
        assert column.most_frequent == max(counts.values(), default=0)
        assert column.examples == tuple(
            str(v) for v, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3]
        )
    places = [table.columns.index(name) for name in inspection.quasi]
    classes = Counter(tuple(None if row[place] == "" else row[place] for place in places) for row in rows)
    assert inspection.unique_records == sum(count == 1 for count in classes.values())
    assert inspection.smallest_class == min(classes.values())


@pytest.mark.parametrize("many", [0, 10_000])
def test_who_is_alone_by_some_columns_is_counted_as_by_all(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With names that polars would take for patterns, where the columns with most values are looked at first."""
    monkeypatch.setattr("nymity.publishing.preparing.inspect._MANY", many)
    table = pl.DataFrame({name: [i % n for i in range(90)] for name, n in (("^a$", 40), ("^.*$", 36), ("age", 4))})
    inspection = inspect(table)
    assert set(inspection.quasi) == set(table.columns)
    classes = Counter(table.rows())
    assert inspection.unique_records == sum(count == 1 for count in classes.values())
    assert inspection.smallest_class == min(classes.values())


def test_not_a_number_is_missing() -> None:
    column = inspect(pl.DataFrame({"height": [1.5, float("nan"), None, 2.0]}))["height"]
    assert (column.missing, column.distinct, column.type, column.examples) == (2, 2, "number", ("1.5", "2"))


def test_types_are_said_in_plain_words() -> None:
    table = pl.DataFrame(
        {
            "a": ["x"],
            "b": [1],
            "c": [1.5],
            "d": [True],
            "e": [date(2024, 1, 1)],
            "f": [time(8)],
            "g": [None],
            "h": pl.Series(["x"], dtype=pl.Categorical),
            "i": pl.Series([0.5], dtype=pl.Decimal(4, 2)),
        }
    )
    types = {column.name: column.type for column in inspect(table).columns}
    expected = ["text", "whole number", "number", "true or false", "date", "time", "nothing", "text", "number"]
    assert list(types.values()) == expected


@pytest.mark.parametrize("value", [[1.5, 2.5], {"x": 1}, b"bytes", timedelta(days=1)])
def test_values_that_cannot_be_generalized_are_left_out(value: object) -> None:
    column = inspect(pl.DataFrame({"age": [value, value, None]}))["age"]
    assert (column.role, column.distinct, column.missing, column.examples) == (Role.IDENTIFYING, 1, 1, ())
    assert "cannot be generalized" in column.reason


@pytest.mark.parametrize("table", [pl.DataFrame(), pl.DataFrame({"age": []})])
def test_an_empty_table_is_refused(table: pl.DataFrame) -> None:
    with pytest.raises(TableError, match="at least one record and one column"):
        inspect(table)


# -- roles ---------------------------------------------------------------------------------------------------


def test_the_hospital_gets_its_roles(inspection: Inspection) -> None:
    assert inspection.names(Role.IDENTIFYING) == ("patient_id", "name")
    assert inspection.sensitive == ("diagnosis",)
    stay = inspection["length_of_stay"]
    assert (stay.role, Role.INSENSITIVE in stay.instead) == (Role.QUASI, True)
    assert {"birth_date", "age", "sex", "postcode", "marital_status", "occupation", "admission_date"} < set(
        inspection.quasi
    )
    assert inspection.unique_records > 0.99 * inspection.records
    assert inspection.smallest_class == 1


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Name", "identifying"),
        ("first_name", "identifying"),
        ("lastName", "identifying"),
        ("Patient Name", "identifying"),
        ("eMail", "identifying"),
        ("Phone-Number", "identifying"),
        ("patient_nbr", "identifying"),
        ("customerId", "identifying"),
        ("SSN", "identifying"),
        ("home address", "identifying"),
        ("AGE", "quasi"),
        ("date.of.birth", "quasi"),
        ("diagnosis_date", "quasi"),
        ("native-country", "quasi"),
        ("ZIP", "quasi"),
        ("zip code", "quasi"),
        ("race_id", "quasi"),
        ("department_name", "quasi"),
        ("x17", "quasi"),
        ("", "quasi"),
        ("número", "quasi"),
        ("年齢", "quasi"),
        ("diagnosis", "sensitive"),
        ("Diagnoses", "sensitive"),
        ("diag_1", "sensitive"),
        ("ICD10", "sensitive"),
        ("salary-class", "sensitive"),
        ("monthlyIncome", "sensitive"),
        ("length of stay", "quasi"),
        ("Hauptdiagnose", "sensitive"),
        ("Rechnungsbetrag", "sensitive"),
        ("Wohnort", "quasi"),
        ("naissance", "quasi"),
        ("salaris", "sensitive"),
        ("imputation_flag", "insensitive"),
    ],
)
def test_roles_by_name(name: str, role: str) -> None:
    column = inspect(pl.DataFrame({name: ["a", "b", "c", "d"] * 20}))[name]
    assert column.role == role, column.reason
    assert column.reason


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("code", [f"K{i}" for i in range(100)], "identifying"),
        ("code", list(range(100)), "identifying"),
        ("code", [i / 7 for i in range(100)], "sensitive"),
        ("code", [date(2024, 1, 1) + timedelta(days=i) for i in range(100)], "quasi"),
        ("code", ["only"] * 100, "insensitive"),
        ("code", ["only"] * 99 + [None], "quasi"),
        ("hiv", ["yes"] * 50 + [None] * 50, "sensitive"),
        ("code", [None] * 100, "insensitive"),
        ("code", [f"K{i}" for i in range(10)], "identifying"),  # too few to tell kinds from numbers of people
        ("code", [f"K{i % 2}" for i in range(10)], "quasi"),
        ("code", ["only"] * 5, "quasi"),
        ("remark", ["a sentence of some length that may well mention Mrs Alderkamp by name"] * 100, "identifying"),
        ("diagnosis", [f"patient {i} complains of something" for i in range(100)], "identifying"),
        ("salary", list(range(100)), "sensitive"),
        ("hospital_name", [f"H{i}" for i in range(100)], "identifying"),
        ("encounter_id", [i % 30 for i in range(100)], "identifying"),
        ("admission_type_id", [i % 8 for i in range(100)], "quasi"),
    ],
)
def test_roles_by_content(name: str, values: list[Any], role: str) -> None:
    column = inspect(pl.DataFrame({name: values}))[name]
    assert column.role == role, column.reason


def test_the_schema_fits_the_table(stays: pl.DataFrame, inspection: Inspection) -> None:
    schema = inspection.schema()
    schema.check(stays)
    assert schema.quasi == inspection.quasi
    for name in schema.quasi:
        assert schema.hierarchy(name, stays[name].unique()).height >= 1


def test_a_long_column_is_suggested_a_hierarchy_from_a_choice_of_its_values() -> None:
    values = [f"{i:06d}" for i in range(SUGGEST_FROM + 10)]
    inspection = inspect(pl.DataFrame({"zip": values, "weight": range(len(values)), "city": [*values[1:], "zz"]}))
    assert inspection["zip"].hierarchy == Hierarchy.suggest(pl.Series(values))
    assert inspection["weight"].hierarchy == Hierarchy.suggest(pl.Series(range(len(values))))
    assert inspection["city"].hierarchy is None  # the odd value is at an end of the sorted ones, which is looked at


def test_row_order_does_not_matter(stays: pl.DataFrame, inspection: Inspection) -> None:
    assert inspect(stays.sample(fraction=1, shuffle=True, seed=1)) == inspection


# -- the starter job -----------------------------------------------------------------------------------------


def test_the_starter_job_of_the_hospital(inspection: Inspection) -> None:
    text = starter_job(inspection, "stays.csv", privacy_k=7)
    job = tomllib.loads(text)
    assert list(job) == ["source", "schema", "privacy", "method"]
    assert job["source"] == {"path": "stays.csv"}
    assert list(job["schema"]) == [column.name for column in inspection.columns]
    assert {name: entry["role"] for name, entry in job["schema"].items()} == {
        column.name: column.role.value for column in inspection.columns
    }
    assert job["privacy"] == [
        {"model": "k-anonymity", "k": 7},
        {"model": "distinct-l-diversity", "l": 3, "attribute": "diagnosis"},
    ]
    assert job["method"] == {"name": "mondrian"}  # more quasi-identifiers than one level each would leave something of
    assert all(column.reason in text for column in inspection.columns)
    assert max(map(len, text.splitlines())) <= 160


def test_many_quasi_identifiers_are_divided_and_few_get_levels() -> None:
    columns = {f"age {i}": [10 * i + j for j in range(40)] for i in range(10)}
    large, small = (inspect(pl.DataFrame({name: columns[name] for name in list(columns)[:m]})) for m in (6, 5))
    text = starter_job(large, "t.csv")
    assert tomllib.loads(text)["method"] == {"name": "mondrian"}
    assert "with\n# 6 of them" in text
    method = {"name": "optimal-lattice", "loss": "loss", "suppression": 0.05}
    assert tomllib.loads(starter_job(small, "t.csv"))["method"] == method


def test_a_large_lattice_gets_a_method_with_a_budget() -> None:
    """Four levels each of ten columns are more than a million nodes; beside sets of items no records are divided."""
    columns = {f"age {i}": [10 * i + j for j in range(40)] for i in range(10)}
    sets = [";".join(f"item{(j * step) % 7}" for step in range(1, 2 + j % 3)) for j in range(40)]
    large = inspect(pl.DataFrame({**columns, "basket": sets}))
    assert large["basket"].role is Role.ITEMS
    quasi = [large[name] for name in large.quasi]
    assert large.lattice_size == math.prod(column.levels for column in quasi) > 10**6
    levels = {column.levels for column in quasi}
    assert levels == {large.schema().hierarchy(name, pl.Series(values)).height + 1 for name, values in columns.items()}
    text = starter_job(large, "t.csv")
    assert tomllib.loads(text)["method"] == {
        "name": "anytime-lattice",
        "loss": "loss",
        "suppression": 0.05,
        "seconds": 60,
    }
    assert f"There are {rounded(large.lattice_size)} choices, so many that a proof" in text
    assert Job.from_dict(tomllib.loads(text)).method == AnytimeLattice(suppression=0.05, seconds=60)


def test_hierarchies_of_the_starter_job_are_the_suggested_builders(inspection: Inspection) -> None:
    schema = tomllib.loads(starter_job(inspection, "stays.csv"))["schema"]
    for column in inspection.columns:
        if column.hierarchy is None:
            assert "hierarchy" not in schema[column.name]
        else:
            fields = {key: value for key, value in schema[column.name]["hierarchy"].items() if key != "type"}
            builder = BUILDERS[schema[column.name]["hierarchy"]["type"]]
            assert builder(**_as_tuples(fields)) == column.hierarchy
    assert schema["age"]["hierarchy"]["type"] == "ages"
    assert schema["postcode"]["hierarchy"]["type"] == "masking"
    assert schema["admission_date"]["hierarchy"]["type"] == "dates"


@pytest.mark.parametrize(("values", "expected"), [(["a"], None), (["a", "b"], 2), (["a", "b", "c", "d"], 3)])
def test_l_does_not_exceed_the_sensitive_values(values: list[str], expected: int | None) -> None:
    table = pl.DataFrame({"age": list(range(12)), "disease": values * (12 // len(values))})
    models = tomllib.loads(starter_job(inspect(table), "t.csv"))["privacy"]
    assert [model["l"] for model in models if "l" in model] == ([] if expected is None else [expected])


def test_every_sensitive_column_gets_its_model() -> None:
    table = pl.DataFrame({"disease": ["a", "b", "c"], "salary": [1, 2, 3], "age": [1, 2, 3]})
    models = tomllib.loads(starter_job(inspect(table), "t.csv"))["privacy"]
    assert [model.get("attribute") for model in models] == [None, "disease", "salary"]


def test_without_quasi_identifiers_the_job_says_so() -> None:
    inspection = inspect(pl.DataFrame({"disease": ["a", "b"]}))
    assert (inspection.unique_records, inspection.smallest_class) == (0, 2)
    assert "No column looks like a quasi-identifier" in starter_job(inspection, "t.csv")


@pytest.mark.parametrize("k", [1, 0, 2.5, "5"])
def test_k_is_checked(inspection: Inspection, k: Any) -> None:
    with pytest.raises(ParameterError, match="privacy_k: expected a whole number of at least 2"):
        starter_job(inspection, "t.csv", privacy_k=k)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=150, deadline=None)
@given(st.lists(names, min_size=1, max_size=5, unique=True), names)
@example(["^$"], "t.csv")
@example(["^[$"], "t.csv")
@example(["*", "^.*$", "", "a.b", "a b", '"', "'", "\\", "\n", "\x7f", "ü", "#", "[x]", "a = 1"], "C:\\data\\a.csv")
def test_any_name_survives_the_job_file(columns: list[str], source: str) -> None:
    table = pl.DataFrame({name: ["x", "y", "x"] for name in columns} | {'disease "x.y"\n': ["a", "b", "a"]})
    job = tomllib.loads(starter_job(inspect(table), source))
    assert list(job["schema"]) == table.columns
    assert job["source"]["path"] == source
    assert job["privacy"][-1]["attribute"] == 'disease "x.y"\n'


def _as_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_tuples(item) for key, item in value.items()}
    return tuple(_as_tuples(item) for item in value) if isinstance(value, list) else value


def test_a_text_file_and_frames_give_the_same_kinds_and_figures(tmp_path: Path) -> None:
    ages = [float(20 + i % 50) for i in range(200)]
    frame = pl.DataFrame({"age": ages, "cost": [i % 7 + 0.5 * (i % 2) for i in range(200)]})
    frame.write_csv(tmp_path / "t.csv")
    looked = [
        inspect(one)
        for one in (frame, frame.to_pandas(), frame.to_dict(as_series=False), ny.read_table(tmp_path / "t.csv"))
    ]
    assert all(one.columns == looked[0].columns for one in looked[1:])
    assert [column.type for column in looked[0].columns] == ["whole number", "number"]


# -- what other tables taught --------------------------------------------------------------------------------


def test_numbers_of_places_are_codes_though_they_are_round() -> None:
    codes = [22100, 35000, 35200, 35300, 35400, 35500, 35600, 35700, 56000] * 20
    seen = inspect(pl.DataFrame({"CP_RESID": codes, "PRICE": codes}))
    assert seen["CP_RESID"].hierarchy is not None
    assert "masking" in repr(seen["CP_RESID"].hierarchy).casefold()


def weights_with_gaps() -> pl.DataFrame:
    kilograms = [round(48 + 0.453592 * (n % 90), 6) for n in range(600)]
    gaps = [None if n % 50 == 0 else kilograms[n] for n in range(600)]
    return pl.DataFrame({"age": [20 + n % 50 for n in range(600)], "wt82": gaps, "sex": ["f", "m"] * 300})


def test_weights_of_bodies_are_told_by_their_unit() -> None:
    table = weights_with_gaps().rename({"wt82": "wtkg"})
    assert inspect(table)["wtkg"].role is not Role.WEIGHT
    named = Dictionary({"wt82": Entry(label="WEIGHT IN KILOGRAMS IN 1982")})
    assert inspect(weights_with_gaps(), dictionary=named)["wt82"].role is not Role.WEIGHT


def test_an_unedited_job_runs_though_weights_have_gaps(tmp_path: Path) -> None:
    """Sampling weights have none: such a column is left out until somebody decides."""
    table = weights_with_gaps()
    seen = inspect(table)
    assert seen["wt82"].role is Role.IDENTIFYING
    assert seen["wt82"].is_question
    table.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "job.toml").write_text(starter_job(seen, "t.parquet"), encoding="utf-8")
    assert ny.publish(Job.load(tmp_path / "job.toml")).frame.height == 600


def test_open_answers_are_left_out_until_somebody_decides() -> None:
    """Hundreds of job titles as people typed them: most are of one person, and sets of them fill files."""
    kinds = "account senior night lead junior field sales plant store legal".split()
    places = "north south east west rural urban retail dental".split()
    works = "clerk nurse cook driver teacher agent analyst guard welder buyer".split()
    titles = [f"{kind} {place} {work}" for kind in kinds for work in works for place in places][:700]
    jobs = [*titles, *["teacher"] * 500, *["registered nurse"] * 300]
    seen = inspect(pl.DataFrame({"occupation": jobs, "age": [20 + n % 50 for n in range(len(jobs))]}))
    assert (seen["occupation"].role, seen["occupation"].is_question) == (Role.IDENTIFYING, True)


def test_a_group_may_be_a_class_at_school() -> None:
    table = pl.DataFrame({"curso": ["1ESO", "2ESO", "3ESO", "4ESO"] * 50, "grupo": ["A", "B", "C", "D", "A"] * 40})
    seen = inspect(table)["grupo"]
    assert seen.role is not Role.INSENSITIVE


def test_a_label_says_first_what_a_column_holds() -> None:
    """'Monthly take home pay from main job' is pay."""
    table = pl.DataFrame({"v17": [900 + 37 * (n % 71) for n in range(500)], "sex": ["f", "m"] * 250})
    named = Dictionary({"v17": Entry(label="Monthly take home pay from main job")})
    assert inspect(table, dictionary=named)["v17"].role is Role.SENSITIVE


def test_a_starter_job_says_whom_k_counts() -> None:
    visits = pl.DataFrame(
        {
            "patient_id": [f"p{n // 3}" for n in range(300)],
            "sex": ["fm"[(n // 3) % 2] for n in range(300)],
            "birth_year": [1940 + (n // 3) * 7 % 50 for n in range(300)],
            "ward": ["abc"[n % 3] for n in range(300)],
        }
    )
    seen = inspect(visits)
    assert seen["patient_id"].role is Role.PERSON
    assert "of at least k - 1 other persons" in starter_job(seen, "t.csv")
    alone = starter_job(inspect(visits.drop("patient_id")), "t.csv")
    assert "every record looks like at least k - 1" in alone
    assert "other persons" not in alone
