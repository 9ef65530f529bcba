"""The summary for a board: what was measured, and no value of the table."""

from __future__ import annotations

import json
import sys
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError
from nymity.publishing.jobs.registry import METHODS
from nymity.report import Findings, quick_attacks, render_board, write_board

sys.path.append(str(Path(__file__).parents[1] / "publishing"))
from kinds import kind

MARKS = {"name": "zqname", "age": "zqage", "town": "zqtown", "ill": "zqill", "note": "zqnote"}


def marked(n: int = 240) -> pl.DataFrame:
    """People whose every value has a mark that no other text has."""
    return pl.DataFrame(
        {
            "name": [f"{MARKS['name']}{i}" for i in range(n)],
            "age": [f"{MARKS['age']}{i % 5}" for i in range(n)],
            "town": [f"{MARKS['town']}{i // 5 % 4}" for i in range(n)],
            "ill": [f"{MARKS['ill']}{i * 7 // 3 % 6}" for i in range(n)],
            "note": [f"{MARKS['note']}{i % 3}" for i in range(n)],
        }
    )


def published(key: str) -> ny.Release:
    towns = ny.Hierarchy.from_rows([[f"{MARKS['town']}{i}", "*"] for i in range(4)])
    ages = ny.Hierarchy.from_rows([[f"{MARKS['age']}{i}", f"{MARKS['age']}-{i // 2}", "*"] for i in range(5)])
    quasi = {"name": ny.identifying(), "age": ny.quasi(ages), "town": ny.quasi(towns)}
    others = {"ill": ny.sensitive(), "note": ny.insensitive()}
    models: Any = [ny.KAnonymity(k=4), ny.DistinctLDiversity(l=2, attribute="ill")]
    if key in ("safepub", "epsilon-safe-lattice"):
        others = {"ill": ny.identifying(), "note": ny.identifying()}
        models = ny.DifferentialPrivacy(epsilon=1, public_records=400, delta=1e-3)
    elif key in ("buckets", "anatomy"):
        models = [ny.FPrivacy(thresholds={f"{MARKS['ill']}0": 0.5, "*": 0.6}, attribute="ill")]
        if key == "anatomy":
            models = [ny.FrequencyLDiversity(l=2, attribute="ill")]
    elif key.startswith("freeform"):
        models = ny.KMatching(k=4)
    return ny.publish(marked(), ny.Schema({**quasi, **others}), privacy=models, method=METHODS[key]())


@pytest.mark.parametrize(
    "key", ["optimal-lattice", "samarati", "mondrian", "freeform-greedy", "buckets", "anatomy", "safepub"]
)
def test_no_value_of_the_source_is_in_it(key: str, tmp_path: Path) -> None:
    release = published(key)
    attacks = quick_attacks(release, marked())
    findings = Findings.of(release, marked(), attacks)
    release.save(tmp_path / "release")
    page = render_board(tmp_path / "release", findings)
    for mark in MARKS.values():
        assert mark not in page, mark
        assert mark not in findings.text()
    for name in MARKS:
        assert name in page


def test_risk_before_and_after_are_those_of_the_tables(tmp_path: Path) -> None:
    release = published("optimal-lattice")
    release.save(tmp_path / "release")
    findings = Findings.of(release, marked(), quick_attacks(release, marked()))
    classes = marked().group_by("age", "town").len()["len"]
    assert findings.before is not None
    assert findings.before.highest == 1 / classes.min()  # type: ignore[operator]
    assert findings.before.average == pytest.approx(len(classes) / 240)
    page = render_board(tmp_path / "release", findings)
    after = release.frame.group_by("age", "town").len()["len"].min()
    assert f"{1 / after:.1%}" in page  # type: ignore[operator]
    for attempt in findings.attempts:
        assert attempt.title in unescape(page.lower()) or attempt.title.title() in page


def test_findings_come_back_as_they_were(tmp_path: Path) -> None:
    release = published("mondrian")
    findings = Findings.of(release, marked(), quick_attacks(release, marked()))
    (tmp_path / "findings.json").write_text(findings.text())
    assert Findings.load(tmp_path / "findings.json") == findings
    for damage in ("", "[]", "{}", json.dumps({"format": "nymity-findings-1", "release": "x"}), "\x00"):
        (tmp_path / "findings.json").write_text(damage)
        with pytest.raises(FileError):
            Findings.load(tmp_path / "findings.json")


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    release = kind("levels").release
    release.save(tmp_path / "release")
    page = render_board(tmp_path / "release")
    assert page.count("cannot be told here") == 2
    assert "not measured" in page


def test_findings_of_another_release_are_refused(tmp_path: Path) -> None:
    kind("levels").release.save(tmp_path / "release")
    with pytest.raises(FileError, match="another one"):
        render_board(tmp_path / "release", Findings(release="0" * 64, before=None))


def test_a_private_release_tells_nothing_of_its_source(tmp_path: Path) -> None:
    release = kind("sampled").release
    release.save(tmp_path / "release")
    findings = Findings.of(release, pl.DataFrame(), None)
    assert findings.before is None
    assert render_board(tmp_path / "release", findings) == render_board(tmp_path / "release")


def test_its_file_is_for_its_owner(tmp_path: Path) -> None:
    kind("levels").release.save(tmp_path / "release")
    write_board(tmp_path / "release", tmp_path / "board.html")
    assert (tmp_path / "board.html").stat().st_mode & 0o777 == 0o600
