"""Perturbed quasi-identifiers: others may know them, no promise counts them, and all that speaks of it says so."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import JobError, SchemaError, TableError
from nymity.core.wording import name_of
from nymity.publishing.checking.check import Answer
from nymity.report import render_report
from nymity.report.about import render_about
from nymity.report.board import render_board
from nymity.table.attribute import Attribute, Role

ROWS = 240
FRAME = pl.DataFrame(
    {
        "age": [20 + (i * 7) % 60 for i in range(ROWS)],
        "job": [f"job {i % 6}" for i in range(ROWS)],
        "sex": ["f" if i % 2 else "m" for i in range(ROWS)],
        "area": [f"area {i % 4}" for i in range(ROWS)],
        "ill": [f"ill {i % 5}" for i in range(ROWS)],
    }
)
ROLES = {"age": "perturbed", "job": "perturbed", "sex": "quasi", "area": "quasi", "ill": "sensitive"}
NOISE = ny.AdditiveNoise(columns=["age"], share=0.3)
TRANSFORMS = [NOISE, ny.PostRandomization(columns=["job"], share=0.5)]


def released(**more: Any) -> ny.Release:
    return ny.publish(FRAME, ROLES, k=5, transforms=TRANSFORMS, **more)


def changed(folder: Path, edit: Any) -> Path:
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    edit(certificate)
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return folder


def test_the_promise_is_kept_by_all_other_columns_and_its_name_says_whom_it_leaves_out() -> None:
    release = released()
    groups = release.table.group_by("sex", "area").len()["len"]
    assert groups.min() >= 5  # type: ignore[operator]
    assert release.table.group_by("sex", "area", "age", "job").len()["len"].min() < 5  # type: ignore[operator]
    (promise,) = release.certificate["promised"]
    assert promise["means"].startswith("5-anonymity, not against anyone who knows 'age' or 'job': ")
    assert [one["column"] for one in release.certificate["not_promised"]] == ["age", "job"]
    assert release.certificate["not_promised"][0]["changed_by"] == ["additive-noise"]
    assert release.certificate["not_promised"][1]["models"] == ["k-anonymity"]
    assert {one["name"]: one["role"] for one in release.certificate["columns"]}["age"] == "perturbed"
    warned = [one.figures["column"] for one in release.warnings if one.key == "known-values-changed"]
    assert warned == ["age", "job"]
    assert release.verification.findings[0].promise == promise["means"]


@pytest.mark.parametrize(
    "edit",
    [
        lambda c: c.pop("not_promised"),
        lambda c: c["not_promised"].pop(),
        lambda c: c["not_promised"][0].update(models=[]),
        lambda c: c["promised"][0].update(means=c["promised"][0]["means"].replace(" or 'job'", "")),
        lambda c: c["promised"][0].update(means="5-anonymity" + c["promised"][0]["means"].partition(" 'job'")[2]),
        lambda c: c.update(not_protected=[w for w in c["not_protected"] if w["warning"] != "known-values-changed"]),
        lambda c: c["job"]["schema"]["age"].update(role="insensitive"),
        lambda c: [one.update(role="insensitive") for one in c["columns"] if one["name"] == "age"],
        lambda c: c["job"].update(transforms=c["job"]["transforms"][:1]),
        lambda c: c["job"].pop("transforms"),
    ],
)  # fmt: skip
def test_check_tells_a_certificate_that_hides_it(edit: Any, tmp_path: Path) -> None:
    released().save(tmp_path / "release")
    found = ny.check(tmp_path / "release")
    assert found.holds
    assert found.promises[0].says.startswith("5-anonymity, not against anyone who knows 'age' or 'job': ")
    found = ny.check(changed(tmp_path / "release", edit))
    assert found.answer is Answer.BROKEN


def test_a_job_must_say_it_twice() -> None:
    for columns, roles in ((["age"], {**ROLES, "age": "quasi"}), (["ill"], ROLES)):
        with pytest.raises(JobError, match="insensitive or perturbed columns"):
            ny.publish(FRAME, roles, k=5, transforms=[*TRANSFORMS, ny.Shuffling(columns=columns)])
    with pytest.raises(JobError, match="a transform that draws for a perturbed column"):
        ny.publish(FRAME, ROLES, k=5)
    coded = [ny.TopCoding(columns=["age"], limit=60, shown="limit"), TRANSFORMS[1]]  # draws nothing
    with pytest.raises(JobError, match=r"schema\.age: expected a transform that draws"):
        ny.publish(FRAME, ROLES, k=5, transforms=coded)
    with pytest.raises(SchemaError, match="no hierarchy, levels or weight for a perturbed column"):
        ny.Schema({"age": Attribute(role=Role.PERTURBED, min_level=1)})
    with pytest.raises(Exception, match="at least one quasi-identifier"):
        ny.publish(FRAME.select("age", "ill"), {"age": "perturbed", "ill": "sensitive"}, k=5, transforms=[NOISE])


@pytest.mark.parametrize("where", ["duckdb", "streaming"])
def test_engines_refuse_what_they_cannot_perturb(where: str, tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "table.csv")
    lines = [f'source = "table.csv"\nengine = "{where}"\n[schema]']
    lines += [f'{name} = {{ role = "{role}" }}' for name, role in ROLES.items()]
    lines += ['[[privacy]]\nmodel = "k-anonymity"\nk = 5\n[output]\nformat = "parquet"\n']
    (tmp_path / "job.toml").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(JobError, match="a transform that draws for a perturbed column"):
        ny.publish(ny.Job.load(tmp_path / "job.toml"), out=tmp_path / "release")


def test_the_job_comes_back_from_a_file_and_pages_say_what_is_not_promised(tmp_path: Path) -> None:
    release = released()
    release.save(tmp_path / "release")
    report = render_report(release, FRAME)
    assert "5-anonymity, not against anyone who knows" in report
    assert "Known to others, published with changed values, without a promise" in report
    assert "picks the nearest of the rows that look like theirs" in report
    about = render_about(ny.open(tmp_path / "release"))
    assert "Others may know it, and nothing is promised about it" in about
    assert "changed by additive noise: its values are not true" in about
    assert "nobody can be singled out" not in about
    board = render_board(ny.open(tmp_path / "release"))
    assert "None of this is about anyone who knows age and job, too" in board


def test_the_attack_finds_whom_no_promise_protects() -> None:
    """By the definition: of the rows that look like the record's own, the nearest in the perturbed columns."""
    release = released()
    found = ny.risk.changed_columns(FRAME, release)
    rows = release.log.source_rows
    source = FRAME[rows.tolist()]
    deviation = float(np.std(FRAME["age"].to_numpy()[rows]))
    total = chance = 0.0
    published = release.table
    for i in range(published.height):
        look = [
            j
            for j in range(published.height)
            if published["sex"][j] == published["sex"][i] and published["area"][j] == published["area"][i]
        ]

        def distance(j: int, i: int = i) -> float:
            apart = ((published["age"][j] - source["age"][i]) / deviation) ** 2
            return apart + (published["job"][j] != source["job"][i])

        own = distance(i)
        nearer = sum(distance(j) < own - 1e-9 for j in look)
        total += 0.0 if nearer else 1 / sum(abs(distance(j) - own) <= 1e-9 for j in look)
        chance += 1 / len(look)
    assert found.linked_alike == pytest.approx(total / published.height)
    assert found.by_chance_alike == pytest.approx(chance / published.height)
    assert found.linked_alike > 2 * found.by_chance_alike
    weak = ny.publish(
        FRAME,
        ROLES,
        k=5,
        transforms=[ny.AdditiveNoise(columns=["age"], share=0.01), ny.PostRandomization(columns=["job"], share=0.01)],
    )
    near = ny.risk.changed_columns(FRAME, weak)
    assert near.linked_alike is not None
    assert near.linked_alike > found.linked_alike


@pytest.mark.parametrize(
    "transform",
    [
        ny.AdditiveNoise(columns=["age"], share=1e-6),
        ny.MultiplicativeNoise(columns=["age"], share=1e-6),
        ny.PostRandomization(columns=["age"], share=1e-9),
        ny.RandomRounding(columns=["age"], base=1),
        ny.Microaggregation(columns=["age"], k=2),
        ny.Shuffling(columns=["age"], within=["job", "sex", "area", "ill"]),
        ny.RecordSwapping(columns=["age"], match=["job", "sex", "area", "ill"], share=1),
    ],
    ids=lambda one: one.key,
)
def test_a_transform_that_changes_nothing_is_told(transform: Any) -> None:
    """What others know would be published as it is, and the certificate would say that it is not true."""
    alike = FRAME.with_columns(
        age=20 + pl.col("sex").str.len_bytes() * 5 + (pl.col("job") + pl.col("ill")).rank("dense")
    )
    with pytest.raises(TableError, match="'age': expected a transform that changes cells of a perturbed column"):
        ny.publish(alike, {**ROLES, "job": "insensitive"}, k=5, transforms=[transform])
    ny.publish(alike, {**ROLES, "job": "insensitive", "age": "insensitive"}, k=5, transforms=[transform])


@pytest.mark.parametrize("ages", [[30] * ROWS, [None] * ROWS])
def test_a_column_of_one_value_cannot_be_perturbed(ages: list[int | None]) -> None:
    with pytest.raises(TableError, match="leave a column of one value out"):
        ny.publish(FRAME.with_columns(age=pl.Series(ages, dtype=pl.Int64)), ROLES, k=5, transforms=TRANSFORMS)


def test_names_of_columns_with_colons_and_quotes_leave_the_promise_its_name(tmp_path: Path) -> None:
    sensitive, known = "ill: or not", 'it\'s "so": 9'
    frame = FRAME.rename({"ill": sensitive, "age": known})
    roles = {known: "perturbed", "job": "insensitive", "sex": "quasi", "area": "quasi", sensitive: "sensitive"}
    models = [ny.DistinctLDiversity(l=2, attribute=sensitive), ny.AlphaKAnonymity(alpha=0.9, k=2, attribute=sensitive)]
    noise = ny.AdditiveNoise(columns=[known], share=0.3)
    release = ny.publish(frame, roles, privacy=models, transforms=[noise])
    names = [f"distinct 2-diversity of {sensitive!r}", f"(0.9, 2)-anonymity of {sensitive!r}"]
    for promised, name in zip(release.certificate["promised"], names, strict=True):
        assert promised["means"].startswith(f"{name}, not against anyone who knows {known!r}: every ")
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds
    said = [f"{name}, not against anyone who knows {known!r}" for name in names]
    assert [name_of(one["means"]) for one in release.certificate["promised"]] == said
    report = html.unescape(render_report(release, frame))
    assert all(name in report for name in said)


def test_jobs_and_attacks_say_whom_promises_leave_out(tmp_path: Path) -> None:
    release = released()
    assert release.job.promises[0].startswith("5-anonymity, not against anyone who knows 'age' or 'job': every ")
    assert "not against anyone who knows 'age' or 'job'" in str(release.job)
    found = ny.risk.attack(release, original=FRAME, attacks=["linkage"])
    assert found.to_dict()["perturbed"] == ["age", "job"]
    assert "Known to others, and used by no attack: age, job." in found.card().sentences
    release.save(tmp_path / "release")
    run = CliRunner().invoke(app, ["attack", str(tmp_path / "release")])
    assert "none of these figures counts 'age' and 'job'" in " ".join(run.output.split())
