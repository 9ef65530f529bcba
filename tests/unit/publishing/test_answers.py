"""Answers: decisions about columns make the job that suggestions alone would not, and wrong ones are refused."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from nymity.core.errors import FileError, InputError
from nymity.io import ReadOptions
from nymity.publishing.jobs.job import Job
from nymity.publishing.preparing.answers import Answers
from nymity.publishing.preparing.inspect import inspect, starter_job
from nymity.table.attribute import Role
from nymity.table.builders import Masking

TABLE = pl.DataFrame(
    {
        "age": [20 + i % 40 for i in range(80)],
        "plz": [f"{80000 + i * 7}" for i in range(80)],
        "q7": [int(i % 3 == 0) for i in range(80)],  # two answers are asked about
        "illness": ["flu", "cold", "gout", "none"] * 20,
    }
)


def decided(**columns: Any) -> Answers:
    return Answers.from_dict({"columns": columns})


def test_a_role_in_place_of_the_suggested_one() -> None:
    before, after = inspect(TABLE), inspect(TABLE, answers=decided(q7="insensitive"))
    assert before["q7"].is_question
    assert (after["q7"].role, after["q7"].is_question, after["q7"].confidence) == (Role.INSENSITIVE, False, 1.0)
    assert after["q7"].reason.startswith("you decided; suggested was quasi")
    assert {c.name: c.role for c in after.columns if c.name != "q7"} == {
        c.name: c.role for c in before.columns if c.name != "q7"
    }
    assert "PLEASE DECIDE" in starter_job(before, "t.csv")
    assert "PLEASE DECIDE" not in starter_job(after, "t.csv")


def test_a_column_made_quasi_gets_a_hierarchy() -> None:
    """Whether it is given, or suggested from the values as for any other quasi-identifier."""
    given = decided(plz={"role": "quasi", "hierarchy": {"type": "masking", "steps": [2]}}, illness="quasi")
    found = inspect(TABLE, answers=given)
    assert found["plz"].hierarchy == Masking(steps=(2,))
    assert found.schema()["plz"].hierarchy == Masking(steps=(2,))
    assert found["plz"].levels == 3
    suggested = inspect(TABLE.with_columns(illness=TABLE["plz"]), answers=decided(illness="quasi"))["illness"]
    assert suggested.hierarchy is not None
    job = Job.from_dict(tomllib.loads(starter_job(found, "t.csv")))
    assert dict(job.schema) == dict(found.schema())


def test_other_fields_go_into_the_job() -> None:
    answers = decided(plz={"role": "insensitive", "free_text": "published"}, q7={"missing": "drop"})
    job = tomllib.loads(starter_job(inspect(TABLE, answers=answers), "t.csv"))
    assert job["schema"]["plz"] == {"role": "insensitive", "free_text": "published"}
    assert job["schema"]["q7"] == {"role": "quasi", "missing": "drop"}


def test_codes_for_missing_are_how_the_table_is_read() -> None:
    answers = decided(age={"missing": ["-9", "x"]})
    assert answers.options(ReadOptions(missing_in={"age": ("1",), "q7": ("2",)})).missing_in == {
        "age": ("-9", "x"),
        "q7": ("2",),
    }
    assert answers.decided("age", inspect(TABLE)["age"].attribute) is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"columns": {"ages": "quasi"}}, "answers.columns: expected columns of the table, got 'ages'. Try: .*'age'"),
        ({"columns": {"age": "quasy"}}, "answers.columns.age.role: expected one of .*quasi"),
        ({"columns": {"age": 7}}, "columns.age: expected a table"),
        ({"columns": {"age": {"rol": "quasi"}}}, "rol"),
        ({"column": {}}, "columns"),
        ({"age": "quasi"}, r"answers.age: expected columns in the table \[columns\].*first line"),
        ({"columns": {"age": {"hierarchy": "intervals", "role": "quasi"}}}, 'write { type = "intervals" }'),
        ({"columns": {"age": {"missing": "-9", "role": "quasi"}}}, "are a list: missing = "),
        ({"columns": {"age": {"hierarchy": {"type": "interval"}, "role": "quasi"}}}, "answers.columns.age.hierarchy"),
    ],
)
def test_wrong_answers_are_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        inspect(TABLE, answers=Answers.from_dict(data))


@pytest.mark.parametrize("content", [b"columns = 1", b"[columns", b"\xff\xfe"])
def test_wrong_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "answers.toml"
    path.write_bytes(content)
    with pytest.raises(InputError):
        Answers.load(path)
    with pytest.raises(FileError):
        Answers.load(tmp_path / "none.toml")


def test_weights_are_left_out_until_somebody_says_how_they_came_about() -> None:
    weights = [312.4471, 518.9034, 777.1199, 421.3357]
    table = TABLE.with_columns(pl.Series("pweight", [weights[i % 4] + i // 8 for i in range(80)]))
    found = inspect(table)
    assert found["pweight"].role is Role.WEIGHT
    assert found.schema()["pweight"].publish == "dropped"
    Job.from_dict(tomllib.loads(starter_job(found, "t.csv")))


def test_a_file_as_editors_of_windows_save_it(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b'\xef\xbb\xbf[columns]\r\nage = "sensitive"\r\n')
    assert Answers.load(tmp_path / "a.toml").fields == {"age": {"role": "sensitive"}}
