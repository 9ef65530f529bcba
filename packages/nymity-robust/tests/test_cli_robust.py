"""``nymity robust``: train, attack, evaluate, certify on generated images."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

import nymity_robust as robust
from nymity.cli.main import app


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One thread, few images, short attacks."""

    def few(name: str, split: str = "train") -> robust.LabelledImages:
        assert name == "generated"
        return robust.generated(200 if split == "train" else 40, split=split)

    short = robust.CarliniWagner(searches=1, steps=10)
    monkeypatch.setattr(robust, "load_images", few)
    monkeypatch.setitem(robust.ATTACKS, "carlini-wagner", lambda: short)
    monkeypatch.setitem(robust.ATTACKS, "whole-ensemble", lambda: robust.WholeEnsemble(attack=short))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def call(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["robust", *arguments], prog_name="nymity")
    assert done.exit_code == code, done.output
    return done.output


def test_from_training_to_certificates(tmp_path: Path) -> None:
    out = tmp_path / "trained"
    trained = call("train", "--out", str(out), "--members", "2", "--epochs", "3")
    assert "2 members" in trained
    members = str(out / "members.pt")

    attacked = json.loads(call("attack", members, "--images", "2", "--json", "--out", str(tmp_path / "examples.pt")))
    assert attacked["success"]["n"] == 2
    assert torch.load(tmp_path / "examples.pt", weights_only=True)["state"]["images"].shape == (2, 1, 16, 16)

    options = ("--images", "2", "--attacks", "fgsm,whole-ensemble", "--noise", "0.1", "--out", str(tmp_path))
    page = call("evaluate", members, *options)
    assert "transfer and adaptive attacks" in page
    result = json.loads((tmp_path / "evaluation.json").read_text())
    assert [one["name"] for one in result["outcomes"]] == ["fgsm", "whole-ensemble"]
    assert "<table>" in (tmp_path / "evaluation.html").read_text()
    assert "transfer attacks only" in call("evaluate", members, "--images", "2", "--attacks", "fgsm")

    found = json.loads(call("certify", members, "--images", "2", "--draws", "50", "--json"))["certificates"]
    assert [one["unit"] for one in found] == ["L1", "training samples replaced"]


def test_bad_input_is_explained(tmp_path: Path) -> None:
    assert "no such file" in call("attack", str(tmp_path / "none.pt"), code=2)
    assert "attack" in call("attack", str(tmp_path / "none.pt"), "--attack", "magic", code=2)
    assert "members" in call("train", "--out", str(tmp_path), "--members", "0", code=2)
    if not torch.cuda.is_available():
        assert "a GPU that torch can use" in call("train", "--out", str(tmp_path), "--device", "cuda", code=2)
