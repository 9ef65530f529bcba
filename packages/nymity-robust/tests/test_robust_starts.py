"""Four ways to train: what is measured, what is kept, what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nymity_robust import starts
from nymity_robust.pipeline import plan


def test_ways_differ_in_nothing_but_start_and_clip() -> None:
    usual = plan("mnist", "full").training
    found = starts.ways(usual)
    assert [(way.start, way.clip) for way in found] == [("he", 1.0), ("he", None), ("glorot", 1.0), ("glorot", None)]
    assert found[0] == usual


def test_a_file_is_continued_and_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, asked = tmp_path / "starts.json", ["--data", "generated", "--scale", "smoke", "--images", "20"]
    whole = ["--out", str(out), "--device", "cpu", *asked]
    assert starts.main(whole) == 0
    first = json.loads(out.read_text())
    assert [way["members"] for way in first["ways"]] == [1] * 4
    for way in first["ways"]:
        assert 0 <= way["single_noisy"][0] <= way["single"][0] <= 1  # noise makes no member better here
        assert way["vote"]["n"] == 20
    assert capsys.readouterr().out == starts.table(first["ways"])
    first["ways"].pop(1)
    first["ways"][0]["seconds"] = -1.0
    out.write_text(json.dumps(first))
    assert starts.main(whole) == 0
    again = json.loads(out.read_text())["ways"]
    assert [(way["start"], way["clip"]) for way in again][-1] == ("he", None)  # what was missing, at the end
    assert again[0]["seconds"] == -1.0  # kept, not trained again
