"""recommend: other settings for the same promises, tried on the table; a job file for each that no other beats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nymity as ny
from nymity.core.progress import Observer
from nymity.workbench.runs import JOB_NAME

CHOICES_NAME = "choices"
#: Seconds that are spent on trials, and records that take part in learning.
SECONDS, SAMPLE = 60.0, 5_000


def work(folder: Path, settings: Mapping[str, Any], observe: Observer) -> dict[str, Any]:
    """Try settings until the time is over or somebody stops it, and keep the front."""
    job = ny.Job.load(folder / JOB_NAME)
    seconds = float(settings.get("seconds", SECONDS))
    found = ny.recommend(job, seconds=seconds, sample=SAMPLE, observe=observe)
    found.write(folder / CHOICES_NAME)
    trials = [choice.trial for choice in found.choices]
    return {
        "records": found.records,
        "tried": len(found.trials),
        "measure": found.measure.title,
        "knee": found.knee.number,
        "choices": [
            {
                "number": choice.number,
                "file": choice.file_name,
                "words": trial.words,
                "highest": float(trial.risk.highest),
                "average": float(trial.risk.average),
                "suppressed": trial.suppressed,
                "useful": found.measure.said(float(trial.score.confirming.exact)),
                "kept": choice.kept,
            }
            for choice, trial in zip(found.choices, trials, strict=True)
        ],
        "original": found.measure.said(float(found.best_original.confirming.exact)),
        "notes": list(found.notes),
    }
