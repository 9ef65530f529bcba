"""Hostile input that was tried from outside: bounds of ``--set``, and values that only look alike to a check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.cli.inputs import _set
from nymity.core.errors import FileError, ParameterError

_JOB = {"schema": {"q": {"role": "quasi"}}, "privacy": [{"model": "k-anonymity", "k": 2}]}


@pytest.mark.parametrize("value", ["[" * 50_000, "[" * 500 + "]" * 500, "9" * 5_000, "9" * 301, "inf", "{a=" * 9_000])
def test_a_setting_is_bounded_like_a_file(value: str) -> None:
    with pytest.raises(FileError, match="--set seed: expected a value of TOML"):
        _set({}, f"seed={value}")


def test_the_number_of_an_item_is_bounded() -> None:
    with pytest.raises(ParameterError, match="5,000 digits"):
        _set({"privacy": [{}]}, f"privacy[{'9' * 5_000}].k=2")


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("0.02", 0.02), ("word", "word"), ("[1, 2]", [1, 2]), ("a b", "a b")]
)
def test_other_settings_are_read_as_before(text: str, value: Any) -> None:
    data: dict[str, Any] = {}
    _set(data, f"seed={text}")
    assert data == {"seed": value}


@pytest.mark.parametrize("cells", [[float("nan"), None], ["", None], [0.0, -0.0]])
def test_rows_that_a_file_tells_apart_are_not_alike(tmp_path: Path, cells: list[Any]) -> None:
    """Parquet keeps null, NaN and empty text apart, and the two zeros: a reader sees two classes of one record."""
    path = tmp_path / "release.parquet"
    pl.DataFrame({"q": cells}).write_parquet(path)
    result = ny.check(path, job=ny.Job.from_dict(_JOB))
    assert not result.holds
    assert any("several forms" in problem for problem in result.problems)


@pytest.mark.parametrize("cells", [[float("nan")] * 2, ["", ""], [0.0, 0.0], [None, None], [1, 1], ["*", "*"]])
def test_rows_of_one_form_are_alike(cells: list[Any]) -> None:
    assert ny.check(pl.DataFrame({"q": cells}), job=ny.Job.from_dict(_JOB)).holds


def test_published_rows_have_one_form(tmp_path: Path) -> None:
    frame = pl.DataFrame({"q": [float("nan"), None, 0.0, -0.0] * 5, "t": ["", None, "", None] * 5})
    schema = ny.Schema({"q": ny.quasi(), "t": ny.quasi()})
    release = ny.publish(frame, schema, privacy=[ny.KAnonymity(k=2)])
    assert ny.check(release.table, job=ny.Job.from_dict({**_JOB, "schema": {n: {"role": "quasi"} for n in "qt"}})).holds


def test_the_certificate_of_a_huge_lattice_can_be_read(tmp_path: Path) -> None:
    """Fifty-nine columns have more nodes than 64 bits count; the release is checked like others."""
    names = [f"c{i}" for i in range(59)]
    frame = pl.DataFrame({name: [i % 5 for i in range(40)] for name in names})
    schema = ny.Schema({name: ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)) for name in names})
    release = ny.publish(frame, schema, privacy=[ny.KAnonymity(k=2)], method=ny.AnytimeLattice(seconds=1))
    release.save(tmp_path / "release")
    assert release.certificate["loss"]["lattice_nodes"] > 2**63
    certificate = tmp_path / "release" / "certificate.json"
    assert ny.check(tmp_path / "release" / "release.csv", certificate=certificate).holds


@pytest.mark.parametrize("name", ["^a$", "^.*$", "*"])
def test_columns_of_numbers_may_be_named_like_patterns(tmp_path: Path, name: str) -> None:
    path = tmp_path / "release.parquet"
    pl.DataFrame({name: [1.5, 1.5, None, None]}).write_parquet(path)
    job = ny.Job(schema=ny.Schema({name: ny.quasi()}), privacy=(ny.KAnonymity(k=2),), method=ny.OptimalLattice())
    assert ny.check(path, job=job).holds
