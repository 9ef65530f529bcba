"""The pipeline at its smallest, interrupted and resumed, and as a module of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from nymity.core.errors import FileError, Interrupted, ParameterError
from nymity.core.progress import Progress
from nymity_robust import CarliniWagner, Smoothing, Training
from nymity_robust.__main__ import main
from nymity_robust.pipeline import plan, run_pipeline

CPU = torch.device("cpu")
LEAST = replace(
    plan("generated", "smoke"),
    training=Training(epochs=2, batch=16, learning_rate=0.02),
    images=2,
    certified=1,
    attack=CarliniWagner(searches=1, steps=3),
    smoothing=Smoothing(selection=5, draws=20),
)


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if not key.startswith("seconds")}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def test_a_resumed_pipeline_finds_what_an_uninterrupted_one_does(tmp_path: Path) -> None:
    whole = run_pipeline(LEAST, tmp_path / "whole", CPU)
    stages: list[str] = []

    def stop(progress: Progress) -> bool:
        stages.append(progress.stage)
        return progress.stage != "stage noisy-superimposition-2"

    with pytest.raises(Interrupted):
        run_pipeline(LEAST, tmp_path / "parts", CPU, observe=stop)
    assert not (tmp_path / "parts/result.json").exists()
    again: list[str] = []
    resumed = run_pipeline(LEAST, tmp_path / "parts", CPU, observe=lambda p: again.append(p.stage))
    assert "stage ensemble-single-network" not in again  # was there
    assert without_times(resumed) == without_times(whole)
    assert json.loads((tmp_path / "parts/result.json").read_text()) == json.loads(json.dumps(resumed))
    defences = whole["defences"]
    assert set(defences) == {"ensemble", "ensemble-with-noisy-logit"}
    assert len(defences["ensemble"]["outcomes"]) == 6  # without noise there is nothing to average over
    assert len(defences["ensemble-with-noisy-logit"]["outcomes"]) == 9
    single = defences["ensemble"]["outcomes"]["single-network"]
    assert single["correct"]["n"] == 2 * 3
    assert single["attacked_member"]["target"]["share"] == single["crafted"]["share"]  # no noise: the same answer
    assert set(whole["seconds_per_step"]) == {"stacked", "one_by_one"}
    pair = defences["ensemble"]["one_pair"]
    assert len(pair["answers"]) == len(pair["perturbation"]) == 3
    started: list[str] = []
    assert run_pipeline(LEAST, tmp_path / "whole", CPU, observe=lambda p: started.append(p.stage)) == whole
    assert not started  # a finished run is read, not run again
    assert [one["certificate"] for one in whole["certificates"]] == ["randomized smoothing", "partition"]
    with pytest.raises(FileError, match="a stage of the same plan"):
        run_pipeline(replace(LEAST, tries=4), tmp_path / "parts", CPU)


def test_scales_are_plans() -> None:
    full = plan("mnist", "full")
    assert (full.members, full.size, full.training.epochs, full.noise) == (50, 1100, 3000, 0.5)
    assert full.images * 9 >= 300
    assert plan("cifar10", "full").members >= 10
    with pytest.raises(ParameterError, match="scale"):
        plan("mnist", "huge")
    with pytest.raises(ParameterError, match="members"):
        replace(full, members=2)


def test_the_module_runs_a_plan_and_explains_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scale", "tiny", "--out", str(tmp_path)]) == 2
    assert "scale: expected one of" in capsys.readouterr().err


def test_the_package_needs_torch_and_numpy_alone() -> None:
    code = (
        "import sys, nymity_robust.pipeline, nymity_robust.evaluation_html; "
        "print(*[m for m in ('polars', 'numba', 'typer', 'pydantic', 'rich', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
