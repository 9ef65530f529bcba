"""A sample of the wild cases of ``make hostile``, and whether their judges notice what they are for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hostile.wild import driver, judge, surroundings
from hostile.wild.case import Kind
from hostile.wild.command import Ended
from hostile.wild.outcome import Outcome, Verdict

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="watches processes by /proc")


def test_a_sample_of_wild_cases_has_no_defect(tmp_path: Path) -> None:
    out = tmp_path / "wild.json"
    command = [
        sys.executable,
        "-m",
        "hostile.wild",
        "--cases",
        "80",
        "--seed",
        "29",
        "--processes",
        "1",
        "--out",
        str(out),
    ]
    found = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": found}, capture_output=True, text=True, check=False)
    told = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    assert told.get("defects") == [], done.stdout + done.stderr
    assert (done.returncode, told["cases"]) == (0, 80)
    assert told["outcomes"]["ok"] > 15
    assert told["outcomes"]["clear error"] > 15
    assert all(told["kinds"].values()), "every kind is in the sample"


# -- the driver --------------------------------------------------------------------------------------------------------


def _sleep(_: Any) -> Verdict:
    time.sleep(60)
    raise AssertionError


def _spin(_: Any) -> Verdict:
    while True:
        pass


def _litter(case: Any) -> Verdict:
    (Path(os.environ["TMPDIR"]) / "left").write_text("x")
    return Verdict(outcome=Outcome.OK)


@pytest.mark.parametrize(
    ("run", "alone", "outcome", "says"),
    [
        (lambda _: Verdict(outcome=Outcome.OK), False, "ok", ""),
        (_sleep, False, "hang", "nothing happened"),
        (_spin, False, "hang", "processor time"),
        (_spin, True, "hang", "processor time"),
        (lambda _: os.abort(), False, "traceback", "died with -6"),
        (lambda _: 1 / 0, False, "traceback", "in the campaign itself"),
        (_litter, False, "leak", "left"),
    ],
)
def test_what_a_process_does_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any, alone: Any, outcome: Any, says: Any
) -> None:
    monkeypatch.setattr(driver, "IDLE", 2.0 if run is _sleep else 200.0)  # a busy machine gives little time
    monkeypatch.setattr(driver, "PROCESSOR", 1.0)
    kinds = {"odd": Kind(run=run, share=1, alone=alone)}
    found = list(driver.results([0, 1], 0, kinds, tmp_path, 1))
    assert [(result.number, result.outcome) for result in found] == [(0, outcome), (1, outcome)]
    assert all(says in result.said for result in found)


def test_a_case_is_drawn_by_its_seed_and_number() -> None:
    kinds = {name: Kind(run=_sleep, share=1) for name in "abcdef"}

    def drawn(seed: int) -> list[tuple[str, float]]:
        return [(name, draw.random()) for name, draw in (driver.kind_of(seed, number, kinds) for number in range(20))]

    assert drawn(3) == drawn(3) != drawn(4)


@pytest.mark.parametrize(
    ("code", "err", "arguments", "outcome"),
    [
        (0, "", ["check"], "ok"),
        (1, "", ["check"], "ok"),
        (1, "", ["publish"], "wrong success"),
        (2, "error: x", ["check"], "clear error"),
        (2, "", ["check"], "traceback"),
        (70, "", ["check"], "traceback"),
        (-11, "", ["check"], "traceback"),
        (0, "Traceback (most recent call last):", ["check"], "traceback"),
        (0, "", ["check", "--json"], "wrong success"),
    ],
)
def test_how_a_command_ends_is_classified(code: Any, err: Any, arguments: Any, outcome: Any) -> None:
    assert Ended(arguments=tuple(arguments), code=code, out="", err=err).verdict().outcome == outcome


# -- the judge ---------------------------------------------------------------------------------------------------------

_JOB = {
    "schema": {"name": {"role": "identifying"}, "age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
    "privacy": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2, "attribute": "ill"}],
    "method": {"name": "mondrian"},
}


@pytest.mark.parametrize(
    ("header", "rows", "faults"),
    [
        (["age", "ill"], [("1", "a"), ("1", "b"), ("2", "a"), ("2", "c")], 0),
        (["age", "ill"], [("1", "a"), ("1", "b"), ("1", "a"), ("2", "c")], 2),
        (["age", "ill"], [("1", "a"), ("1", "a")], 1),
        (["age", "ill"], [("*", "a"), ("1", "a"), ("1", "b")], 2),
        (["name", "age", "ill"], [("x", "1", "a"), ("y", "1", "b")], 1),
        (["age", "ill"], [], 0),
    ],
)
def test_broken_promises_are_counted(header: Any, rows: Any, faults: Any) -> None:
    assert len(list(judge.broken((header, rows), None, _JOB))) == faults


def test_a_bucket_with_one_frequent_value_is_seen() -> None:
    job = {**_JOB, "privacy": [{"model": "frequency-l-diversity", "l": 2, "attribute": "ill"}]}
    second = (["bucket", "ill", "count"], [("1", "a", "2"), ("1", "b", "1")])
    assert len(list(judge.broken((["age", "bucket"], [("1", "1")] * 3), second, job))) == 1
    assert not list(
        judge.broken((["age", "bucket"], [("1", "1")] * 2), (second[0], [("1", "a", "1"), ("1", "b", "1")]), job)
    )


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.tsv", "x.parquet", "x.xlsx"])
def test_every_format_is_read_and_searched(tmp_path: Path, name: str) -> None:
    import random

    from hostile.wild.tables import Table, save

    folder = tmp_path / "release"
    folder.mkdir()
    table = Table(names=["a", "b"], columns=[["Zqmarker", "x"], ["1", None]], shapes=["word", "number"])
    save(random.Random(1), table, folder / name)
    assert judge.read(folder / name) == (["a", "b"], [("Zqmarker", "1"), ("x", "")])
    assert list(judge.leaks(folder, ["Zqmarker"])) == [f"'Zqmarker' is in {name}"]
    assert not list(judge.leaks(folder, ["Zqother"]))


def test_paths_hidden_files_and_open_permissions_are_seen(tmp_path: Path) -> None:
    release, custodian = tmp_path / "release", tmp_path / "release-custodian"
    release.mkdir()
    custodian.mkdir(mode=0o700)
    assert not list(judge.left_lying(release, custodian))
    (release / "certificate.json").write_text(f'{{"path": "{tmp_path}"}}')
    assert len(list(judge.leaks(release, []))) == 1
    (release / ".nymity-stage").mkdir()
    (custodian / "log.json").write_text("x")
    (custodian / "log.json").chmod(0o644)
    assert [fault.partition(" ")[0] for fault in judge.left_lying(release, custodian)] == [".nymity-stage", "log.json"]


@pytest.mark.parametrize(
    ("code", "state", "wrong"),
    [(0, "new", False), (0, "old", True), (2, "old", False), (2, "new", True), (130, "old", False), (130, "new", False),
     (143, "mixed: ['new', 'old']", True)],
)  # fmt: skip
def test_what_a_publish_may_leave_is_known_by_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, state: str, wrong: bool
) -> None:
    """A signal may come when the new release is whole; an error of ours may not come then."""
    monkeypatch.setattr(surroundings, "_version", lambda place: state)
    ended = Ended(arguments=("publish",), code=code, out="", err="error: said" if code else "")
    found = surroundings._judged("", ended, tmp_path, again=True, out="release", may_die=True)
    assert (found.outcome is Outcome.MIXED) == wrong


def test_the_judge_imports_nothing_of_nymity() -> None:
    assert "import nymity" not in (source := Path(judge.__file__).read_text(encoding="utf-8"))
    assert "from nymity" not in source
