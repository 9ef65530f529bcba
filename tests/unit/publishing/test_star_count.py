"""What cell suppression lost is counted again from the table: a certificate that says less is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.publishing.checking.check import Answer

FRAME = pl.DataFrame({"a": [1, 2, 3, 4, 5, 6] * 3, "b": list("xxyyzzxyzxyzxyzxyz"), "c": list("mmmmmmmmmffffffffg")})
METHODS = [
    (ny.CellSuppression(), ny.KAnonymity(k=3), "a value of its own"),
    (ny.SubsetSuppression(), ny.SubsetKAnonymity(k=3, m=2), "a value of its own"),
    (ny.WildcardSuppression(), ny.WildcardKAnonymity(k=3), "a wildcard"),
]


def changed(folder: Path, **fields: Any) -> Path:
    """Write sections of a certificate anew."""
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    for name, value in fields.items():
        certificate[name] = {**certificate[name], **value}
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return folder


@pytest.mark.parametrize(("method", "promise", "star"), METHODS)
def test_stars_are_counted_again(method: Any, promise: Any, star: str, tmp_path: Path) -> None:
    schema = ny.Schema({"a": ny.quasi(weight=3), "b": ny.quasi(), "c": ny.quasi(weight=2)})
    release = ny.publish(FRAME, schema, privacy=promise, method=method)
    assert release.loss > 0
    assert release.certificate["output"]["star"] == star
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds
    for wrong in (0.0, release.loss - 0.5, release.loss + 0.5):
        found = ny.check(changed(tmp_path / "release", loss={"value": wrong}))
        assert "loss" in [one.about for one in found.findings if one.answer is Answer.BROKEN]


def test_a_reading_that_is_not_the_methods_is_told(tmp_path: Path) -> None:
    ny.publish(FRAME, ["a", "b", "c"], k=3, method=ny.CellSuppression()).save(tmp_path / "release")
    found = ny.check(changed(tmp_path / "release", output={"star": "a wildcard"}))
    assert any("output.star" in one.says for one in found.findings if one.answer is Answer.BROKEN)


def test_columns_on_a_level_may_show_stars_of_their_own(tmp_path: Path) -> None:
    schema = ny.Schema({"a": ny.quasi(ny.Hierarchy.intervals(width=2, levels=2)), "b": ny.quasi(), "c": ny.quasi()})
    release = ny.publish(FRAME, schema, k=3, method=ny.CellSuppression(levels={"a": 2}))
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds


@pytest.mark.parametrize("method", [ny.CellSuppression(levels={"b": 1}), ny.GeneralizedSuppression()])
def test_labels_of_a_hierarchy_that_is_withheld_are_no_values(method: Any, tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1] * 18, "b": ["x", "y"] * 9})
    listed = ny.Hierarchy.from_rows([["x", "some", "*"], ["y", "some", "*"], ["z", "other", "*"]])
    release = ny.publish(frame, {"a": ny.quasi(), "b": ny.quasi(listed, min_level=1)}, k=3, method=method)
    assert set(release.table["b"]) == {"some"}
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds


@pytest.mark.parametrize(("method", "promise", "star"), METHODS)
def test_a_proof_that_is_none_is_told(method: Any, promise: Any, star: str, tmp_path: Path) -> None:
    del star
    release = ny.publish(FRAME, ["a", "b", "c"], privacy=promise, method=method)
    release.save(tmp_path / "release")
    assert not release.certificate["loss"]["proven_optimal"]
    found = ny.check(changed(tmp_path / "release", loss={"proven_optimal": True, "proven_bound": None}))
    assert any("loss.proven_optimal" in one.says for one in found.findings if one.answer is Answer.BROKEN)
    found = ny.check(changed(tmp_path / "release", loss={"proven_optimal": True, "proven_bound": 0.5}))
    assert any("loss.proven_optimal" in one.says for one in found.findings if one.answer is Answer.BROKEN)


def test_chosen_levels_are_those_of_job_and_table(tmp_path: Path) -> None:
    schema = ny.Schema({"a": ny.quasi(ny.Hierarchy.intervals(width=2, levels=2)), "b": ny.quasi(), "c": ny.quasi()})
    method = ny.GeneralizedSuppression(levels={"b": 0}, rounds=2)
    release = ny.publish(FRAME, schema, k=3, method=method)
    release.save(tmp_path / "release")
    told = release.certificate["loss"]
    assert told["key"] == "lost-cells"
    assert told["levels"] == release.levels
    assert told["levels"]["b"] == 0
    assert told["exhaustive"]
    assert ny.check(tmp_path / "release").holds
    wrong = [{"levels": {**told["levels"], "b": 1}}, {"levels": {"a": 0}}, {"exhaustive": None}, {"levels": None}]
    wrong += [{"stopped": "after 3 choices of levels"}, {"value": 0.0}, {"value": 1e4}, {"exhaustive": False}]
    assert set(release.table["c"]) != {"*"}  # which level 1 of a column without a hierarchy would be
    wrong += [{"levels": {**told["levels"], "c": 1}}, {"levels": {**told["levels"], "c": 7}}]
    for one in wrong:
        section = {name: value for name, value in {**told, **one}.items() if value is not None}
        path = tmp_path / "release" / "certificate.json"
        certificate = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**certificate, "loss": section}), encoding="utf-8")
        assert not ny.check(tmp_path / "release").holds, one
        path.write_text(json.dumps(certificate), encoding="utf-8")
