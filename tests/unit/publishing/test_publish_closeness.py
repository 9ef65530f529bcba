"""Models that compare with the table, published: masked, removed, checked by job and by certificate alone."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import InputError, ParameterError
from nymity.publishing.certificates.certificate import measured_section
from nymity.publishing.certificates.verify import verify
from nymity.publishing.checking.check import check
from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.release import broken

GROUPS = {"lungs": ["asthma", "flu"], "belly": ["gastritis", "ulcer"]}
MODELS = [
    ny.TCloseness(t=0.25, attribute="diagnosis"),
    ny.TCloseness(t=0.25, attribute="diagnosis", distance="ordered"),
    ny.TCloseness(t=0.25, attribute="diagnosis", distance="hierarchical"),
    ny.DeltaDisclosure(delta=1, attribute="diagnosis"),
]


def table() -> pl.DataFrame:
    """Eight towns with different shares of four diagnoses, and a ninth with one of them only."""
    values = ["asthma", "flu", "gastritis", "ulcer"]
    rows = [
        {"town": f"{town}", "diagnosis": values[(i * (town + 1) + i // 3) % 4]} for town in range(8) for i in range(12)
    ]
    return pl.DataFrame(rows + [{"town": "8", "diagnosis": "flu"}] * 5)


def schema() -> ny.Schema:
    towns = [[f"{n}", f"{n // 2}x" if n < 8 else "far", "*"] for n in range(9)]
    return ny.Schema(
        {
            "town": ny.quasi(ny.Hierarchy.from_rows(towns)),
            "diagnosis": ny.sensitive(ny.Hierarchy.taxonomy(GROUPS)),
        }
    )


@pytest.mark.parametrize("outliers", ["mask", "remove"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_published_and_checked(model: Any, outliers: Any, tmp_path: Path) -> None:
    method = ny.OptimalLattice(suppression=0.3, outliers=outliers)
    release = ny.publish(table(), schema(), privacy=[ny.KAnonymity(k=3), model], method=method, out=tmp_path / "r")
    assert 0 < release.suppressed < table().height * 0.3
    assert release.levels["town"] < 2
    finding = release.certificate["measured"]["models"][1]
    assert finding["holds"]
    path, certificate = tmp_path / "r" / "release.csv", tmp_path / "r" / "certificate.json"
    assert check(path, job=release.job, certificate=certificate).holds
    assert check(release.frame, job=Job.from_dict(json.loads(json.dumps(release.job.to_dict())))).holds
    assert not (release.frame["town"] == "*").any()  # five rows with the flu are too far from the table to be masked


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_rows_that_are_like_the_table_together_stay_masked(model: Any, tmp_path: Path) -> None:
    """Two towns with half of the diagnoses each are suppressed; their rows together say no more than the table."""
    far = [{"town": town, "diagnosis": d} for town, some in zip("89", GROUPS.values(), strict=True) for d in some * 3]
    towns = [[f"{n}", f"{n // 2}x" if n < 8 else f"far {n}", "*"] for n in range(10)]
    roles = ny.Schema({**schema(), "town": ny.quasi(ny.Hierarchy.from_rows(towns))})
    people = pl.concat([table().filter(pl.col("town") != "8"), pl.DataFrame(far)])
    for outliers, masked in (("mask", 12), ("remove", 0)):
        method = ny.OptimalLattice(suppression=0.2, outliers=outliers)  # type: ignore[arg-type]
        release = ny.publish(people, roles, privacy=[ny.KAnonymity(k=3), model], method=method, out=tmp_path / outliers)
        assert release.suppressed == 12
        assert (release.frame["town"] == "*").sum() == release.verification.masked == masked
        assert check(tmp_path / outliers / "release.csv", job=release.job).holds


def test_rows_of_one_value_are_removed_where_masked_ones_would_tell() -> None:
    """Five masked rows with the flu are as far from the table as their class was."""
    model = ny.TCloseness(t=0.25, attribute="diagnosis")
    method = ny.OptimalLattice(suppression=0.3, outliers="mask")
    release = ny.publish(table(), schema(), privacy=[ny.KAnonymity(k=3), model], method=method)
    assert not (release.frame["town"] == "*").any()
    assert release.certificate["suppressed"]["removed"] == release.suppressed
    kept = ny.measure(release.table, schema()).models["t-closeness"]["diagnosis"]["t"]
    assert kept <= 0.25 < ny.measure(table(), schema()).models["t-closeness"]["diagnosis"]["t"]


def test_a_certificate_alone() -> None:
    """Equal distances and orders of numbers need no hierarchy; one of numbers alone is in the certificate."""
    people = table().with_columns(
        pl.col("diagnosis").replace_strict({"asthma": 1, "flu": 2, "gastritis": 7, "ulcer": 8})
    )
    steps = ny.Schema({**schema(), "diagnosis": ny.sensitive(ny.Hierarchy.intervals(width=5, levels=2, origin=0))})
    for distance in ("equal", "ordered", "hierarchical"):
        model = ny.TCloseness(t=0.3, attribute="diagnosis", distance=distance)  # type: ignore[arg-type]
        release = ny.publish(people, steps, privacy=[model], method=ny.OptimalLattice(suppression=0.3))
        assert check(release.frame, certificate=release.certificate).holds
        assert release.certificate["job"]["schema"]["diagnosis"]["hierarchy"]["type"] == "intervals"


def test_a_certificate_that_withholds_the_hierarchy() -> None:
    """It names what it leaves out, and a promise that needs it is not taken for kept or broken."""
    method = ny.OptimalLattice(suppression=0.3)
    release = ny.publish(table(), schema(), privacy=[MODELS[2]], method=method)
    assert release.certificate["job"]["schema"]["diagnosis"]["hierarchy"] == {"type": "taxonomy", "withheld": ["tree"]}
    alone = check(release.frame, certificate=release.certificate)
    assert alone.answer == "cannot be seen"
    assert "a hierarchy that the certificate does not hold" in alone.promises[0].why
    assert check(release.frame, certificate=release.certificate, job=release.job).holds
    equal = ny.publish(table(), schema(), privacy=[MODELS[0]], method=method)
    assert check(equal.frame, certificate=equal.certificate).holds


def test_a_certificate_with_a_broken_hierarchy() -> None:
    release = ny.publish(table(), schema(), privacy=[MODELS[0]], method=ny.OptimalLattice(suppression=0.3))
    broken = json.loads(json.dumps(release.certificate))
    broken["job"]["schema"]["diagnosis"]["hierarchy"] = "taxonomy"
    with pytest.raises(InputError, match=r"certificate, job\.schema\.diagnosis\.hierarchy: expected a table of fields"):
        check(release.frame, certificate=broken)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_changed_release_breaks_its_promise(model: Any) -> None:
    release = ny.publish(table(), schema(), privacy=[model], method=ny.OptimalLattice(suppression=0.3))
    town = release.frame["town"].mode().sort()[0]
    changed = release.frame.with_columns(
        diagnosis=pl.when(pl.col("town") == town).then(pl.lit("flu")).otherwise(pl.col("diagnosis"))
    )
    result = check(changed, job=release.job)
    assert not result.holds
    assert not result.verification.holds


def test_a_distance_that_the_schema_does_not_give() -> None:
    bare = ny.Schema({"town": ny.quasi(), "diagnosis": ny.sensitive()})
    for distance in ("ordered", "hierarchical"):
        with pytest.raises(ParameterError, match=r"t-closeness\.distance: expected .* give 'diagnosis' a hierarchy"):
            ny.publish(table(), bare, privacy=[ny.TCloseness(t=0.2, attribute="diagnosis", distance=distance)])  # type: ignore[arg-type]


# -- infinity ------------------------------------------------------------------------------------------------------


def test_infinity_in_python_and_in_json(tmp_path: Path) -> None:
    found = ny.measure(table(), schema())
    assert found.models["delta-disclosure"]["diagnosis"]["delta"] == math.inf
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["models"]["delta-disclosure"]["diagnosis"] == {"delta": "infinite"}
    assert plain["models"]["t-closeness"]["diagnosis"]["t"] == found.models["t-closeness"]["diagnosis"]["t"]
    table().write_csv(tmp_path / "t.csv")
    asked = ["measure", str(tmp_path / "t.csv"), "--quasi", "town", "--sensitive", "diagnosis"]
    shown = CliRunner().invoke(app, asked)
    assert "delta = infinite" in shown.output
    answered = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)
    assert answered["models"]["delta-disclosure"]["diagnosis"] == {"delta": "infinite"}


def test_an_infinite_delta_breaks_a_promise_in_words(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "t.csv")
    job = {
        "schema": {"town": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}},
        "privacy": [{"model": "delta-disclosure", "delta": 2, "attribute": "diagnosis"}],
        "method": {"name": "optimal-lattice"},
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    checked = ["check", str(tmp_path / "t.csv"), "--job", str(tmp_path / "job.json")]
    shown = CliRunner().invoke(app, checked)
    assert shown.exit_code == 1
    assert "infinite" in shown.output
    answered = json.loads(CliRunner().invoke(app, [*checked, "--json"]).stdout)
    assert answered["findings"][0]["measured"] == {"delta": "infinite"}
    models = Job.from_dict(job).privacy
    verified = verify(table(), ["town"], models)
    assert "(measured delta = infinite)" in broken(verified)
    assert measured_section(verified, models)["models"][0]["delta"] == "infinite"
