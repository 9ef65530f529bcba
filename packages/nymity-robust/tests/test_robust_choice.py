"""Carlini-Wagner's choice with and without κ: the same candidates, the two rules, what is written and printed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from nymity_robust import choice
from nymity_robust.attacks.carlini_wagner import CarliniWagner
from nymity_robust.checkpoints import load_ensemble, save_ensemble
from nymity_robust.criteria import Targeted
from nymity_robust.pipeline import plan, run_pipeline

DOCS = Path(__file__).resolve().parents[3] / "docs" / "robustness"


def criterion() -> Targeted:
    return Targeted(labels=torch.tensor([0, 0, 0]), targets=torch.tensor([1, 1, 1]))


def test_the_two_rules_by_hand() -> None:
    """Three images, three candidates each; the target leads by so much in the answers."""
    images = torch.zeros(3, 1, 1, 1)
    candidates = [torch.full_like(images, size) for size in (0.1, 0.2, 0.3)]
    leads = torch.tensor([[1.0, -2.0, -3.0], [6.0, -1.0, 2.0], [9.0, -3.0, -1.0]])  # (searches, n)
    asked = [torch.stack([torch.zeros(3), lead], dim=1) for lead in leads]
    both = choice.BothChoices(confidence=5.0)
    chosen = both._choose(images, criterion(), candidates, asked).flatten()
    assert chosen.tolist() == pytest.approx([0.2, 0.2, 0.2])  # the nearest by κ; what misses κ by least, twice
    (without,) = both.without
    assert without.flatten().tolist() == pytest.approx([0.1, 0.2, 0.2])  # the nearest at all; by least; the nearest
    assert both.held[0].tolist() == [True, False, False]
    usual = CarliniWagner(confidence=5.0)._choose(images, criterion(), candidates, asked).flatten()
    assert usual.tolist() == chosen.tolist()


def test_the_command_compares_and_keeps_what_the_file_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = replace(plan("generated", "smoke"), confidence=2.0)
    run_pipeline(wanted, tmp_path / "run", torch.device("cpu"))
    ensemble, _ = load_ensemble(tmp_path / "run" / "members.pt", torch.device("cpu"))
    save_ensemble(ensemble, tmp_path / "members.pt", facts={})
    out = tmp_path / "choice.json"
    kept = {"mnist": json.loads((DOCS / "choice.json").read_text(encoding="utf-8"))["mnist"]}
    out.write_text(json.dumps(kept), encoding="utf-8")
    asked = ["--data", "generated", "--scale", "smoke", "--judged", "10", "--out", str(out), "--device", "cpu"]
    assert choice.main([str(tmp_path / "members.pt"), *asked]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["mnist"] == kept["mnist"]
    assert found["generated"]["clean"]["draws"] == 10
    made = found["generated"]["choices"]
    assert [one["attack"] for one in made] == [one["attack"] for one in kept["mnist"]["choices"]]
    for one in made:
        assert one["pairs"] == one["before"]["examples"] == one["after"]["examples"] == 6
        # κ takes no nearer example, and the same one where the nearest that holds has the margin
        assert one["after"]["mean_l2"] >= one["before"]["mean_l2"] - 1e-6 or one["held_by_kappa"] < 6
        if one["chosen_otherwise"] == 0:
            assert one["before"] == one["after"]
    printed = capsys.readouterr().out
    assert printed == choice.table(found)
    assert printed.count("| generated |") == 4


def test_the_page_has_what_the_file_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert choice.main(["--show", str(DOCS / "choice.json")]) == 0
    assert capsys.readouterr().out in (DOCS / "results.md").read_text(encoding="utf-8")


def test_a_file_that_is_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no.json"
    assert choice.main(["--show", str(path)]) != 0
    assert str(path) in capsys.readouterr().err
