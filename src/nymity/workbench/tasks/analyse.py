"""analyse: a trial beside the table it was made from: what it lost, how risky it is, what attacks reach.

Everything that takes the recoding or the whole table is computed here once; what a page shows as charts lies in
``figures.json`` in the run's folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nymity as ny
from nymity.core.progress import Observer, Progress, report
from nymity.publishing.jobs.job_tables import load_source
from nymity.report import Findings, Subject, chart_figures, quick_attacks, shape_of
from nymity.workbench.runs import JOB_NAME, write_text

FIGURES_NAME = "figures.json"


def work(folder: Path, settings: Mapping[str, Any], observe: Observer) -> dict[str, Any]:
    """Compare the release in a folder with its source; ``release`` and ``custodian`` are settings."""
    job = ny.Job.load(folder / JOB_NAME)
    report(observe, Progress(stage="reading the original", done=0, total=6))
    original = load_source(job)
    report(observe, Progress(stage="reading the release", done=1, total=6))
    subject = Subject.of(ny.open(settings["release"], custodian=settings["custodian"], job=job), original)
    report(observe, Progress(stage="counting columns", done=2, total=6))
    write_text(folder / FIGURES_NAME, json.dumps(chart_figures(subject), ensure_ascii=False))
    report(observe, Progress(stage="measuring the risk", done=3, total=6))
    risk = {
        "before": ny.measure_risk(original, subject.schema),
        "after": ny.measure_risk(subject.owned, subject.schema),
    }
    report(observe, Progress(stage="attacking", done=4, total=6))
    found = Findings.of(subject.opened, original, quick_attacks(subject.opened, original))
    report(observe, Progress(stage="comparing with the original", done=5, total=6))
    comparison = subject.comparison
    return {
        "records": subject.records,
        "published": subject.published,
        "masked": subject.masked,
        "left_out": subject.removed + subject.dropped,
        "sentences": list(comparison.plainly(original, subject.opened, target=job.target)),
        "measured": [vars(one) for one in comparison.measured],
        "attribute_loss": comparison.attribute_loss,
        "risk": {when: one.to_dict() for when, one in risk.items()},
        "attempts": [vars(one) for one in found.attempts],
        "not_tried": list(found.not_tried),
        "changed": _changed(job, original, subject.opened),
        **shape_of(subject),
    }


def _changed(job: ny.Job, original: Any, opened: ny.OpenedRelease) -> dict[str, Any] | None:
    """Measure what transforms did to their columns."""
    names = list(dict.fromkeys(name for one in job.transforms for name in one.columns))
    if not names:
        return None
    found = ny.risk.changed_columns(original, opened, columns=names)
    return {**vars(found), "columns": [vars(one) for one in found.columns]}
