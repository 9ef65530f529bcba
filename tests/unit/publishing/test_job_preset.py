"""Presets: what each rule book asks of columns and thresholds is found in the release, cell by cell."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.publishing.jobs.job_preset import JOB_PRESETS, NO_ADVICE, SMALL_AREAS
from nymity.risk.presets import PRESETS as THRESHOLDS

N = 240


def patients() -> pl.DataFrame:
    """What Safe Harbor names, in columns of its own; few areas, so that some can be published."""
    return pl.DataFrame(
        {
            "email": [f"p{i}@example.org" for i in range(N)],
            "zip": [("02138", "03601", "02139", "59012")[i % 4] for i in range(N)],
            "city": [("Cambridge", "Acworth")[i % 2] for i in range(N)],
            "state": [("MA", "NH")[i % 2] for i in range(N)],
            "age": [(34, 88, 89, 90, 101, 35)[i % 6] for i in range(N)],
            "admission_date": [date(2020, 1, 1) + timedelta(days=5 * i) for i in range(N)],
            "date_of_birth": [date(1930, 1, 1) + timedelta(days=60 * i) for i in range(N)],
            "phone": [f"617-555-{i:04d}" for i in range(N)],
            "sex": [("f", "m")[i % 2] for i in range(N)],
            "diagnosis": [("flu", "gout", "cold")[i % 3] for i in range(N)],
        }
    )


def careless(table: pl.DataFrame) -> ny.Job:
    """Everything but the sex is published as it is."""
    roles = {name: ny.insensitive() for name in table.columns}
    schema = ny.Schema({**roles, "sex": ny.quasi(), "diagnosis": ny.sensitive()})
    return ny.Job(schema=schema, privacy=(ny.KAnonymity(k=3), ny.DistinctLDiversity(l=2, attribute="diagnosis")))


def published(filled: Any, table: pl.DataFrame) -> ny.Release:
    job = filled.job
    return ny.publish(table, job.schema, privacy=job.privacy, method=ny.OptimalLattice(suppression=0.05))


def test_safe_harbor_cell_by_cell() -> None:
    table = patients()
    filled = ny.preset("hipaa-safe-harbor", careless(table), table)
    frame = published(filled, table).frame
    assert not {"email", "city", "date_of_birth", "phone"} & set(frame.columns)
    assert {"state", "sex", "diagnosis"} <= set(frame.columns)
    zips = set(frame["zip"].to_list())
    assert zips <= {"021**", "000**", "590**", "*"}
    for cell in set(frame["admission_date"].cast(pl.String).to_list()):
        assert cell == "*" or (len(cell) == 4 and cell.isdigit())
    for cell in set(frame["age"].to_list()):
        assert not any(over in cell for over in ("101", "91", "99"))
        assert cell != "90"
    assert filled.job.privacy == careless(table).privacy  # the rule asks for no promise of its own
    assert len(filled.changes) == 7


#: A column for each letter of 45 CFR 164.514(b)(2)(i) that a table can have one for and must not publish.
EIGHTEEN: dict[str, Any] = {
    "A name": lambda i: f"{('Ann', 'Bob', 'Eve', 'Joe')[i % 4]} {('Miller', 'Smith', 'Jones')[i % 3]}",
    "B street": lambda i: f"{i % 97} Main Street",
    "B county": lambda i: ("Suffolk", "Travis", "Washoe")[i % 3],
    "D phone": lambda i: f"617-555-{i:04d}",
    "E fax": lambda i: f"617-556-{i:04d}",
    "F email": lambda i: f"p{i}@example.org",
    "G ssn": lambda i: f"{100 + i}-{10 + i % 80}-{1000 + 7 * i}",
    "H mrn": lambda i: f"MRN{4_000_000 + 37 * i}",
    "I member_id": lambda i: f"H{20_000_000 + 91 * i}",
    "J account_number": lambda i: str(1_000_000_000 + 7919 * i),
    "K license_no": lambda i: f"D{3_000_000 + 53 * i}",
    "L vin": lambda i: f"1HGCM82633A{400_000 + 11 * i}",
    "M device_serial": lambda i: f"SN-{100_000 + 17 * i}",
    "N url": lambda i: f"https://example.org/u/{i}",
    "O ip": lambda i: f"10.{i % 200}.{i % 7}.{1 + i % 250}",
    "P fingerprint_hash": lambda i: f"{i * 2_654_435_761 % 2**32:08x}" * 4,
    "Q photo": lambda i: f"img_{i}.jpg",
    "R study_code": lambda i: f"X{500_000 + 29 * i}",
}


def test_each_of_the_eighteen_identifiers_is_left_out() -> None:
    columns = {name.split()[1]: [make(i) for i in range(N)] for name, make in EIGHTEEN.items()}
    table = pl.DataFrame({**columns, "sex": ["f", "m"] * (N // 2), "diagnosis": ["flu", "gout", "cold"] * (N // 3)})
    schema = ny.preset("hipaa-safe-harbor", careless(table), table).job.schema
    assert set(schema.published) == {"sex", "diagnosis"}


def test_small_areas_are_published_as_000() -> None:
    assert len(SMALL_AREAS) == len(set(SMALL_AREAS)) == 17
    table = patients().select("zip", "sex", "diagnosis")
    filled = ny.preset("hipaa-safe-harbor", careless(table), table)
    found = published(filled, table).frame.group_by("zip").len()
    assert dict(found.rows()) == {"021**": N // 2, "000**": N // 4, "590**": N // 4}


def test_a_keyed_pseudonym_is_not_a_code_that_safe_harbor_permits() -> None:
    """Persons are counted still."""
    table = patients()
    job = careless(table)
    schema = ny.Schema({**job.schema, "email": ny.person(pseudonym="keyed", recipient="registry")})
    job = replace(job, schema=schema, privacy=(ny.LinkedKAnonymity(k=3, knows=2),))
    made = ny.preset("hipaa-safe-harbor", job, table).job.schema["email"]
    assert (made.role, made.pseudonym) == ("person", None)


@pytest.mark.parametrize(
    ("key", "threshold", "size"),
    [("hipaa-expert", "hipaa", 20), ("ema-0070", "ema", 12), ("health-canada", "health-canada", 12)],
)
def test_thresholds_are_kept_in_the_release(key: str, threshold: str, size: int) -> None:
    table = patients().select("email", "sex", "state", "diagnosis")
    job = careless(table)
    job = replace(job, schema=ny.Schema({**job.schema, "state": ny.quasi()}))
    filled = ny.preset(key, job, table)
    assert [model.key for model in filled.job.privacy] == ["prosecutor-risk", "distinct-l-diversity"]
    frame = published(filled, table).frame
    smallest = int(frame.group_by("sex", "state").len()["len"].min())  # type: ignore[arg-type]
    assert smallest >= size
    assert Fraction(1, size) <= THRESHOLDS[threshold].threshold < Fraction(1, size - 1)
    assert "email" not in frame.columns


def test_a_promise_about_a_column_that_is_left_out_goes_with_it() -> None:
    table = patients()
    job = careless(table)
    job = replace(
        job,
        privacy=(*job.privacy, ny.DistinctLDiversity(l=2, attribute="phone")),
        schema=ny.Schema({**job.schema, "phone": ny.sensitive()}),
    )
    filled = ny.preset("scientific-use-file", job, table)
    assert [getattr(model, "attribute", None) for model in filled.job.privacy] == [None, "diagnosis"]
    assert any("left out, its column is not published" in change for change in filled.changes)


def test_what_cannot_be_read_is_left_out() -> None:
    """A date that is none would be published as it is."""
    table = patients().with_columns(admission_date=pl.lit("some day"))
    made = ny.preset("hipaa-safe-harbor", careless(table), table).job.schema["admission_date"]
    assert made.role == "identifying"


@pytest.mark.parametrize("key", JOB_PRESETS)
def test_every_preset_says_where_it_is_from_and_what_it_cannot_check(key: str) -> None:
    table = patients()
    filled = ny.preset(key, careless(table), table)
    one = JOB_PRESETS[key]
    assert all((one.source, one.sets, one.cannot_check))
    for words in (one.source, *one.cannot_check, *filled.changes, NO_ADVICE):
        assert words in filled.comment
    again = ny.preset(key, filled.job, table)
    assert again.job == filled.job
    assert again.changes == ()


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="did you mean 'ema-0070'"):
        ny.preset("ema-007", careless(patients()), patients())
    with pytest.raises(ParameterError, match="a Job"):
        ny.preset("ema-0070", patients())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("lat", ["44.47590", "42.36110"]),
        ("longitude", [-73.2, -71.1]),
        ("fips", ["25017", "36047"]),
        ("census_tract", ["33005970100", "33005970200"]),
        ("yob", [1926, 1990]),
        ("Geburtsjahr", [1926, 1990]),
        ("age_group", ["80-84", "95-99"]),
        ("age_months", [363, 1131]),
        ("admit_month", ["2020-03", "2020-02"]),
        ("visitWeek", ["2020-W42", "2020-W27"]),
    ],
)
def test_safe_harbor_leaves_out_what_it_has_no_rule_for(name: str, cells: list[Any]) -> None:
    table = pl.DataFrame({name: cells * 20, "sex": ["m", "f"] * 20})
    job = ny.Job(schema=ny.Schema({name: ny.quasi(), "sex": ny.quasi()}), privacy=(ny.KAnonymity(k=2),))
    filled = ny.preset("hipaa-safe-harbor", job, table)
    assert not filled.job.schema[name].role.is_published
    assert any(name in change and "left out" in change for change in filled.changes)
