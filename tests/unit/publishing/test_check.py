"""check: whatever is done to a release after it was certified is noticed, and honest copies pass."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from samples import DIVERSE, K2, people, people_schema, released, simple

from nymity.core.errors import FileError, InputError, JobError
from nymity.io import RELEASED, write_table
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity, KMatching
from nymity.publishing.certificates.certificate import Certificate
from nymity.publishing.checking.check import check, read_certificate
from nymity.publishing.jobs.job import Job, Output
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import identifying, quasi, sensitive
from nymity.table.schema import Schema


@pytest.fixture(scope="module")
def release() -> Release:
    return released()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "r"
    released(out=folder)
    return folder


def job(**changes: Any) -> Job:
    fields: dict[str, Any] = {"schema": people_schema(), "privacy": (K2, DIVERSE), "method": OptimalLattice()}
    return Job(**(fields | changes))


# -- honest copies ---------------------------------------------------------------------------------------------


def test_a_frame_and_a_file_pass(release: Release, written: Path) -> None:
    for table in (release.frame, release.frame.to_pandas(), release.frame.to_arrow(), release.table):
        result = check(table, certificate=release.certificate)
        assert result.holds
        assert result.problems == ()
    for certificate in (written / "certificate.json", str(written / "certificate.json")):
        assert check(written / "release.csv", certificate=certificate).holds
        assert check(str(written / "release.csv"), certificate=certificate, job=job()).holds
    assert check(written / "release.csv", job=job()).holds


@pytest.mark.parametrize("form", RELEASED)
def test_every_format_passes(form: Any, tmp_path: Path) -> None:
    output = Output(name="t", format=form, delimiter=";")
    release = released(out=tmp_path / "r", output=output)
    path = tmp_path / "r" / f"t.{form}"
    assert check(path, certificate=release.certificate).holds
    assert check(path, job=job(output=output)).holds


def test_neutralized_formulas_pass(tmp_path: Path) -> None:
    simple({"q": ["=1", "=1", "'=b", "'=b"], "v": ["+A1", "@x", "'+A1", "-2"]}, out=tmp_path / "r")
    assert check(tmp_path / "r" / "release.csv", certificate=tmp_path / "r" / "certificate.json").holds
    assert b"'+A1" in (tmp_path / "r" / "release.csv").read_bytes()


def test_the_measured_values_are_told(release: Release) -> None:
    result = check(release.frame, certificate=release.certificate)
    assert result.verification.masked == 3
    assert [finding.model for finding in result.verification.findings] == ["k-anonymity", "distinct-l-diversity"]
    assert result.verification.findings[0].measured == {"k": result.verification.smallest_class}


# -- tampering -------------------------------------------------------------------------------------------------

TAMPERED: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "a sensitive cell": lambda t: t.with_columns(disease=pl.Series(["x", *t["disease"][1:]])),
    "an insensitive cell": lambda t: t.with_columns(note=pl.Series([*t["note"][:-1], "x"])),
    "an emptied cell": lambda t: t.with_columns(note=pl.Series([None, *t["note"][1:]])),
    "two swapped cells": lambda t: t.with_columns(note=pl.Series([t["note"][-1], *t["note"][1:-1], t["note"][0]])),
    "a row removed": lambda t: t[:-1],
    "a row added": lambda t: pl.concat([t, t[-1:].with_columns(note=pl.lit("new"))]),
    "a row duplicated": lambda t: pl.concat([t, t[-1:]]),
    "a row replaced by another": lambda t: pl.concat([t[:-1], t[5:6]]),
    "rows in another order": lambda t: t.reverse(),
    "an insensitive column renamed": lambda t: t.rename({"note": "Note"}),
    "a column added": lambda t: t.with_columns(extra=pl.lit("x")),
    "an identifying column added": lambda t: t.with_columns(name=pl.lit("person 00")),
    "columns in another order": lambda t: t.select(reversed(t.columns)),
    "an insensitive column left out": lambda t: t.drop("note"),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_tampering_is_noticed(how: str, release: Release, tmp_path: Path) -> None:
    table = TAMPERED[how](release.frame)
    in_memory = check(table, certificate=release.certificate)
    assert not in_memory.holds
    assert any("content_sha256" in problem for problem in in_memory.problems)
    write_table(table, tmp_path / "release.csv")
    on_disk = check(tmp_path / "release.csv", certificate=release.certificate)
    assert on_disk.problems == in_memory.problems


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("a row removed", "states 15 records, the table has 14"),
        ("a row added", "states 15 records, the table has 16"),
        ("a column added", "the table has age, zip, sex, disease, note, extra"),
    ],
)
def test_what_differs_is_told(how: str, told: str, release: Release) -> None:
    problems = check(TAMPERED[how](release.frame), certificate=release.certificate).problems
    assert any(told in problem for problem in problems)


@pytest.mark.parametrize("column", ["age", "disease"])
def test_a_column_that_a_promise_needs_must_be_there(column: str, release: Release) -> None:
    renamed = release.frame.rename({column: column.capitalize()})
    for against in ({"certificate": release.certificate}, {"job": job()}):
        with pytest.raises(InputError, match=f"no column '{column}'. Try: did you mean '{column.capitalize()}'"):
            check(renamed, **against)  # type: ignore[arg-type]
        with pytest.raises(InputError, match=f"no column '{column}'"):
            check(release.frame.drop(column), **against)  # type: ignore[arg-type]


def test_a_reencoded_file_is_another_file(written: Path, tmp_path: Path) -> None:
    """The same cells, quoted throughout: nothing is broken, but it is not the file that was certified."""
    table = pl.read_csv(written / "release.csv", infer_schema=False)
    table.write_csv(tmp_path / "release.csv", quote_style="always")
    result = check(tmp_path / "release.csv", certificate=written / "certificate.json")
    assert result.verification.holds
    assert result.problems == (
        "the file is not the one the certificate was made for (file_sha256 differs, same cells)",
    )
    assert not result.holds


def test_the_certificate_of_another_release_does_not_fit(release: Release) -> None:
    other = released(method=OptimalLattice(loss="height", suppression=0.0))
    assert other.levels != release.levels
    assert not check(release.frame, certificate=other.certificate).holds
    assert not check(other.frame, certificate=release.certificate).holds


def test_a_promise_made_stricter_afterwards_is_broken(release: Release) -> None:
    lie = copy.deepcopy(release.certificate)
    lie["promised"][0]["k"] = 10
    result = check(release.frame, certificate=lie)
    assert not result.holds
    assert [finding.holds for finding in result.verification.findings] == [False, True]
    assert any("job.privacy" in problem for problem in result.problems)


def test_a_broken_promise(release: Release) -> None:
    """One generalized cell goes back to its raw value and stands alone."""
    ages = release.frame["age"].to_list()
    ages[-1] = "36"
    table = release.frame.with_columns(age=pl.Series(ages))
    result = check(table, job=job())
    assert result.problems == ()
    assert not result.verification.holds
    assert not result.holds
    assert result.verification.smallest_class == 1
    assert result.verification.findings[0].measured == {"k": 1}


def test_broken_diversity(release: Release) -> None:
    table = release.frame.with_columns(disease=pl.lit("flu"))
    result = check(table, job=job())
    assert [finding.holds for finding in result.verification.findings] == [True, False]
    assert result.verification.findings[1].measured == {"l": 1}


def test_masked_rows_must_be_diverse_too() -> None:
    table = pl.DataFrame({"q": ["a", "a", "*", "*"], "s": ["x", "y", "x", "x"]})
    schema = Schema({"q": quasi(), "s": sensitive()})
    models = (K2, DistinctLDiversity(l=2, attribute="s"))
    result = check(table, job=Job(schema=schema, privacy=models, method=OptimalLattice()))
    assert [finding.holds for finding in result.verification.findings] == [True, False]


def test_an_identifying_column_is_a_problem_of_its_own(release: Release) -> None:
    table = release.frame.with_columns(name=pl.lit("person 00"))
    result = check(table, job=job())
    assert result.problems == ("identifying column 'name' is in the release",)
    assert result.verification.holds
    assert not result.holds
    assert len(check(table, job=job(), certificate=release.certificate).problems) == 3


def test_masked_rows_are_a_class(release: Release) -> None:
    found = check(release.frame, job=job(privacy=(KAnonymity(k=4),)))
    assert (found.verification.smallest_class, found.verification.masked) == (3, 3)
    assert not found.holds
    few = pl.DataFrame({"q": ["a", "a", "*"]})
    only = Job(schema=Schema({"q": quasi()}), privacy=(K2,), method=OptimalLattice())
    assert not check(few, job=only).holds
    assert check(pl.concat([few, few[2:]]), job=only).holds


def test_half_masked_rows_are_ordinary_rows() -> None:
    few = pl.DataFrame({"q": ["a", "a", "*"], "r": ["x", "x", "x"]})
    schema = Schema({"q": quasi(), "r": quasi()})
    assert not check(few, job=Job(schema=schema, privacy=(K2,), method=OptimalLattice())).holds


def test_gaps_are_a_value_like_any_other() -> None:
    only = Job(schema=Schema({"q": quasi()}), privacy=(K2,), method=OptimalLattice())
    assert check(pl.DataFrame({"q": ["a", "a", None, ""]}), job=only).holds  # a file does not tell them apart
    assert not check(pl.DataFrame({"q": ["a", "a", None]}), job=only).holds
    assert check(pl.DataFrame({"q": [1.5, 1.5, None, float("nan")]}), job=only).holds


# -- what it is held against -----------------------------------------------------------------------------------


def test_something_to_check_against_is_needed(release: Release) -> None:
    with pytest.raises(InputError, match="a job or a certificate"):
        check(release.frame)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "other"}', "\xff"])
def test_files_that_are_no_certificate(text: str, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FileError, match="a certificate") as caught:
        read_certificate(path)
    assert caught.value.where == str(path)


def test_a_missing_certificate(tmp_path: Path, release: Release) -> None:
    with pytest.raises(FileError, match=r"none\.json"):
        check(release.frame, certificate=tmp_path / "none.json")


BROKEN: dict[str, Callable[[Certificate], object]] = {
    "no columns": lambda c: c.pop("columns"),
    "columns of another kind": lambda c: c.update(columns=["age"]),
    "no promises": lambda c: c.pop("promised"),
    "promises of another kind": lambda c: c.update(promised=["k-anonymity"]),
    "no output": lambda c: c.pop("output"),
    "no hash": lambda c: c["output"].pop("content_sha256"),
    "no job": lambda c: c.pop("job"),
    "another format": lambda c: c.update(format="nymity-certificate-3"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_certificate_is_said_to_be_one(how: str, release: Release, tmp_path: Path) -> None:
    certificate = copy.deepcopy(release.certificate)
    BROKEN[how](certificate)
    with pytest.raises(FileError, match="certificate"):
        check(release.frame, certificate=certificate)
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(FileError, match="certificate"):
        check(release.frame, certificate=tmp_path / "certificate.json")


def test_a_promise_nobody_knows(release: Release) -> None:
    certificate = copy.deepcopy(release.certificate)
    certificate["promised"][0]["model"] = "j-anonymity"
    with pytest.raises(JobError, match="did you mean 'k-anonymity'"):
        check(release.frame, certificate=certificate)


def test_publishing_over_a_path_is_checked_alike(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    publish(tmp_path / "people.csv", people_schema(), privacy=K2, out=tmp_path / "r")
    assert check(tmp_path / "r" / "release.csv", certificate=tmp_path / "r" / "certificate.json").holds
    assert not check(tmp_path / "people.csv", certificate=tmp_path / "r" / "certificate.json").holds


def test_one_promise_that_cannot_be_seen_is_enough() -> None:
    """Two promises, of which one needs the original."""
    frame = pl.DataFrame({"q": ["a", "a", "b", "b"]})
    both = Job(schema=Schema({"q": quasi()}), privacy=(K2, KMatching(k=2)), method=OptimalLattice())
    found = check(frame, job=both)
    assert [finding.answer for finding in found.promises] == ["holds", "cannot be seen"]
    assert found.answer == "cannot be seen"
    assert not found.holds
    beside = check(frame, job=both, original=frame)  # which is read though only one of the promises needs it
    assert [finding.answer for finding in beside.promises] == ["holds", "holds"]
    other = check(frame, job=both, original=pl.DataFrame({"q": ["a", "a", "b", "a"]}))
    assert [finding.answer for finding in other.promises] == ["holds", "does not hold"]


def test_a_job_that_knows_another_column_than_the_certificate() -> None:
    """It is identifying, so that no file can show it."""
    made = released()
    wider = Job(
        schema=Schema({**dict(made.job.schema.items()), "passport": identifying()}),
        privacy=made.job.privacy,
        method=made.job.method,
    )
    found = check(made.frame, job=wider, certificate=made.certificate)
    assert any("'passport' different roles" in problem for problem in found.problems)
