"""The smallest scale of the study that a test module is about (``STUDY``), run once for all tests of the module."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nymity_lab.study import find_study
from nymity_lab.study.runner import StudyRun, run_study


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def smoke(request: pytest.FixtureRequest, folder: Path) -> StudyRun:
    return run_study(find_study(request.module.STUDY), "smoke", out=folder, jobs=1)


@pytest.fixture(scope="module")
def rows(smoke: StudyRun, folder: Path) -> dict[str, Any]:
    """What the steps of the smallest scale answered, by their id."""
    steps = smoke.study.steps_at("smoke")
    read = {step.id: (folder / "steps" / f"{step.id}.json").read_text(encoding="utf-8") for step in steps}
    return {id_: json.loads(text)["rows"] for id_, text in read.items()}
