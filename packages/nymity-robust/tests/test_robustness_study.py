"""The study robustness: its smallest scale from end to end, stopped and resumed, and the results in the docs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from nymity.core.errors import Interrupted
from nymity.core.progress import Progress
from nymity_lab.study import find_study
from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.outcome_record import OutcomeRecord
from nymity_lab.study.runner import run_study
from nymity_lab.study.study import Results
from nymity_robust.study import STUDY
from nymity_robust.study.exhibit_parts import above
from nymity_robust.study.exhibits import exhibits
from nymity_robust.study.work import rows_of

DOCS = Path(__file__).parents[3] / "docs" / "robustness"
ATTACK = re.compile(r"^\| `(?P<attack>[a-z0-9-]+)` \|(?P<cells>.*)\|$", re.MULTILINE)


def documented(data: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DOCS / f"{data}-full.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def full() -> dict[str, Exhibit]:
    results = Results(scale="full", by_step={data: rows_of(documented(data)) for data in ("mnist", "cifar10")})
    return {exhibit.number: exhibit for exhibit in exhibits(results)}


def test_the_smallest_scale_stopped_and_resumed(tmp_path: Path) -> None:
    study, begun = find_study("robustness"), tmp_path / "work/generated/stages/training.json"

    def stop_once_trained(progress: Progress) -> bool:
        return not begun.exists()

    with pytest.raises(Interrupted):
        run_study(study, "smoke", out=tmp_path, jobs=1, observe=stop_once_trained)
    trained = (tmp_path / "work/generated/members.pt").stat().st_mtime_ns
    training = begun.read_text(encoding="utf-8")
    run = run_study(study, "smoke", out=tmp_path, jobs=1)
    assert begun.read_text(encoding="utf-8") == training  # not run again
    assert (tmp_path / "work/generated/members.pt").stat().st_mtime_ns >= trained
    assert [exhibit.number for exhibit in run.exhibits] == [
        "Equation 4.2.5", "Section 4.3.1", "Figure 4.1", "Figure 4.2", "Figure 4.3", "Table 4.3", "Table 4.4",
        "Table 4.5", "Table 4.6", "Table 4.7", "Table 4.8", "Figure 4.7", "Table B.1", "Figure B.1", "Figure B.2",
        "Beyond the thesis", "Certificates",
    ]  # fmt: skip
    assert {finding.holds for exhibit in run.exhibits for finding in exhibit.findings} == {None}
    assert all(exhibit.panels for exhibit in run.exhibits)
    for exhibit in run.exhibits:
        if exhibit.number in ("Table B.1", "Figure B.1"):
            assert all(value.ours is not None for panel in exhibit.panels for value in panel.values)
    assert len(list((tmp_path / "work/generated/figures").glob("figure-b[12]-*.png"))) == 12
    page = (tmp_path / "study.html").read_text(encoding="utf-8")
    assert all(f"{exhibit.number}: {exhibit.title}" in page for exhibit in run.exhibits)


def test_tables_have_the_thesis_beside_the_documented_run(full: dict[str, Exhibit]) -> None:
    found = {
        (panel.title, value.series, value.at): value for panel in full["Table 4.6"].panels for value in panel.values
    }
    value = found["(a) how the vote answers, MNIST", "vote with noise", "correct"]
    outcome = documented("mnist")["defences"]["ensemble-with-noisy-logit"]["outcomes"]["superimposition-2"]
    assert (value.ours, value.paper) == (100 * outcome["correct"]["share"], 96.6667)
    value = found["(b) perturbation by answer, CIFAR-10", "vote", "other"]
    assert value.paper == 3.9650
    for exhibit in full.values():  # answers add up to all examples
        for panel in exhibit.panels:
            if panel.title.startswith("(a) how the vote answers"):
                for series in {value.series for value in panel.values}:
                    assert sum(float(v.ours or 0) for v in panel.values if v.series == series) == pytest.approx(100)


def test_samples_that_were_not_run_stand_beside_the_thesis() -> None:
    """Runs of earlier versions have no samples: the thesis's answers are there, ours are not run."""
    earlier = {data: rows_of(documented(data) | {"samples": []}) for data in ("mnist", "cifar10")}
    full = {exhibit.number: exhibit for exhibit in exhibits(Results(scale="full", by_step=earlier))}
    for number, sample, target, printed in (("Table B.1", 1, 7, "8"), ("Table B.2", 1, 7, "0")):
        table = full[number]
        assert any(note.startswith("not run") for note in table.notes)
        found = {(value.series, value.at): value for value in table.panels[sample].values}
        column = "SI-NL (2×)" if number == "Table B.1" else "SI (3×)"
        assert (found[column, target].paper, found[column, target].ours) == (printed, None)
    assert {f"Figure B.{place}" for place in (1, 2, 3, 4)} <= full.keys()


def test_samples_of_the_documented_run(full: dict[str, Exhibit]) -> None:
    """How many answers are the thesis's: without noise, with noise and held again, with noise and as published."""
    ways = (("SI (2×)", "SI (3×)"), ("SI-NL (2×)", "SI-NL (3×)"))
    ways += (tuple(f"{name}, as published" for name in ways[1]),)
    page = " ".join((DOCS.parent / "studies/robustness.md").read_text(encoding="utf-8").split())
    for number, said in (
        (
            "Table B.1",
            "has {} of 36 as the thesis prints them without noise; with noise {} where examples hold again, and {} ",
        ),
        ("Table B.2", "Of those in table B.2 it has {}, {} and {}."),
    ):
        values = [value for panel in full[number].panels for value in panel.values]
        agree = [sum(value.ours == value.paper for value in values if value.series in way) for way in ways]
        assert len(values) == 3 * 36
        assert said.format(*agree) in page


def test_findings_of_the_documented_run(full: dict[str, Exhibit]) -> None:
    verdicts = [finding.holds for exhibit in full.values() for finding in exhibit.findings]
    assert (verdicts.count(True), verdicts.count(False), verdicts.count(None)) == (4, 5, 1)  # as the page says


def test_what_is_kept_of_the_study_is_the_documented_run(full: dict[str, Exhibit]) -> None:
    kept = OutcomeRecord.read(DOCS.parent / "studies/records", "robustness")
    assert kept is not None
    assert kept.version == STUDY.version
    found = {number: [finding["ours"] for finding in exhibit["findings"]] for number, exhibit in kept.exhibits.items()}
    assert found == {number: [finding.ours for finding in exhibit.findings] for number, exhibit in full.items()}
    assert sum(map(len, found.values())) == 10


@pytest.mark.parametrize("data", ["mnist", "cifar10"])
def test_the_page_of_results_says_what_the_files_say(data: str) -> None:
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    start = page.index({"mnist": "## MNIST", "cifar10": "## CIFAR-10"}[data])
    section = page[start : page.index("\n## ", start + 1)]
    outcomes = [o for defence in documented(data)["defences"].values() for o in defence["outcomes"].values()]
    rows = list(ATTACK.finditer(section))
    assert [row["attack"] for row in rows] == [outcome["name"] for outcome in outcomes]
    for row, outcome in zip(rows, outcomes, strict=True):
        right, reached = (
            f"{100 * outcome[kind]['share']:.1f} ({100 * outcome[kind]['low']:.1f}–{100 * outcome[kind]['high']:.1f})"
            for kind in ("correct", "target")
        )
        cells = [cell.strip() for cell in row["cells"].split("|")]
        assert (cells[0], cells[1], cells[3]) == ("yes" if outcome["adaptive"] else "no", right, reached)
        assert cells[-1] == f"{outcome['mean_l2']:.2f}"


def test_the_page_says_what_the_choice_by_confidence_changes() -> None:
    """The same candidates, chosen among with and without κ."""
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    found = json.loads((DOCS / "choice.json").read_text(encoding="utf-8"))
    for data, title in (("mnist", "MNIST"), ("cifar10", "CIFAR-10")):
        assert found[data]["confidence"] == documented(data)["plan"]["confidence"]
        assert len(found[data]["choices"]) == 4
        for choice in found[data]["choices"]:
            made = [choice[when] for when in ("before", "after")]
            right = [
                f"{100 * one['right']['share']:.1f} ({100 * one['right']['low']:.1f}–{100 * one['right']['high']:.1f})"
                for one in made
            ]
            sizes = ", ".join(f"{one['mean_l2']:.2f}" for one in made)
            otherwise = f"{choice['chosen_otherwise']} of {choice['pairs']}"
            assert f"| {title} | {choice['attack']} | {right[0]} | {right[1]} | {otherwise} | {sizes} |" in page


def test_a_documented_result_is_one_of_the_full_plan() -> None:
    from dataclasses import asdict

    from nymity_robust.pipeline import plan

    for step in STUDY.steps_at("full"):
        assert documented(step.id)["plan"] == json.loads(json.dumps(asdict(plan(step.id, "full"))))


def test_intervals_decide_or_do_not() -> None:
    low, high = {"low": 0.1, "high": 0.3}, {"low": 0.4, "high": 0.6}
    assert above(high, low) is True
    assert above(low, high) is False
    assert above(low, {"low": 0.2, "high": 0.5}) is None
    assert above(high, low, by=0.2) is None
    assert above(high, 0.39) is True
