"""learn: what classifiers of one column learn from a trial, beside what they learn from the original."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nymity as ny
from nymity.core.progress import Observer, Progress, report
from nymity.publishing.jobs.job_tables import load_source
from nymity.workbench.runs import JOB_NAME

#: Records that take part at most: a person waits for the answer.
MOST_RECORDS = 20_000


def work(folder: Path, settings: Mapping[str, Any], observe: Observer) -> dict[str, Any]:
    """Learn the ``target`` from the release in a folder; ``release`` and ``custodian`` are settings, too."""
    job = ny.Job.load(folder / JOB_NAME)
    report(observe, Progress(stage="reading the original"))
    original = load_source(job)
    opened = ny.open(settings["release"], custodian=settings["custodian"], job=job)
    sample = MOST_RECORDS if original.height > MOST_RECORDS else None
    return ny.utility.learn(original, opened, target=settings["target"], sample=sample, observe=observe).to_dict()
