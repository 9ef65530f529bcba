"""The counts of "How we test": added up rightly from what campaigns leave, and on the page as they were counted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from counts import KEPT, PAGE, ROWS, TABLE, counted, table
from tally import ORACLES, OracleCalls, note


def test_the_page_says_what_was_counted() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert TABLE.findall(PAGE.read_text(encoding="utf-8")) == [table(kept)], "make counts writes it"
    assert set(kept) <= set(ROWS)
    for key, one in kept.items():
        assert one["tried"] == sum(one["ended"].values()), key


def test_files_of_campaigns_are_added_up(tmp_path: Path) -> None:
    def write(name: str, data: Any) -> None:
        (tmp_path / name).write_text(json.dumps(data), encoding="utf-8")

    write("campaign.json", {"jobs": 5, "outcomes": {"published and right": 3, "WRONG": 1, "TRACEBACK": 1}})
    write("wild.json", {"cases": 4, "outcomes": {"ok": 3, "leak": 1, "hang": 0}, "defects": [{}]})
    write(
        "mutants.json", [{"id": "", "answer": one} for one in ("killed", "killed", "timeout", "equivalent", "survived")]
    )
    lines = [
        {"what": "faults", "tried": {"crash": 3, "EIO": 2}, "wrong": 1},
        {"what": "faults", "tried": {"crash": 4}, "wrong": 0},
        {"what": "stops", "tried": {"kill": 6}, "wrong": 0},
        {"what": "oracles", "calls": {"naive.optimum": 7, "naive.loss": 1, "posterior.posteriors": 2}, "failed": 0},
        {"what": "oracles", "calls": {"naive.optimum": 10}, "failed": 1},
    ]
    (tmp_path / "tally.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = counted(tmp_path)
    assert {key: (one["tried"], one["wrong"]) for key, one in found.items()} == {
        "jobs": (5, 2),
        "wild": (4, 1),
        "mutants": (5, 1),
        "crash points": (7, 1),
        "failing calls": (2, 1),
        "kills": (6, 0),
        "oracles": (20, 1),
    }
    assert found["oracles"]["ended"] == {"by `naive`": 18, "by `posterior`": 2}
    assert "| 5 | 2 killed, 1 loop for ever, 1 change nothing, with a reason, 1 survived | 1 |" in table(found)
    assert "not counted yet" in table({})


def test_nothing_is_written_unless_asked_for(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("NYMITY_TALLY", raising=False)
    note(what="faults", tried={}, wrong=0)
    monkeypatch.setenv("NYMITY_TALLY", str(tmp_path / "tally.jsonl"))
    note(what="faults", tried={"crash": 1}, wrong=0)
    note(what="stops", tried={"kill": 1}, wrong=0)
    lines = (tmp_path / "tally.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["what"] for line in lines] == ["faults", "stops"]


def test_oracles_are_counted_once_each() -> None:
    calls = OracleCalls()
    inner = calls._counted(lambda: 1, "naive.loss")
    outer = calls._counted(lambda: inner() + inner(), "naive.optimum")
    assert outer() == 2
    assert inner() == 1
    assert calls.calls == {"naive.optimum": 1, "naive.loss": 1}


def test_every_oracle_that_is_named_is_there() -> None:
    code = "import tally; tally.OracleCalls().watch()"
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], check=True)
    assert set(ORACLES) == {"naive", "metric_oracles", "posterior"}
