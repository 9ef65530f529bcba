"""publish: the whole way from the job to a release, as the command line goes it.

A trial lies in the run's own folder. Given ``out``, the release lies there, with its report in the custodian's folder;
``log``, the custodian's folder of a trial, makes it the release that was tried: the same draws are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import nymity as ny
from nymity.cli.console import Screen
from nymity.cli.publish import Destination, publish_job
from nymity.core.progress import Observer
from nymity.publishing.signing import Sign
from nymity.workbench.passphrases import ask_page
from nymity.workbench.runs import JOB_NAME

RELEASE_NAME = "release"


def work(folder: Path, settings: Mapping[str, Any], observe: Observer) -> dict[str, Any]:
    """Publish the job, and return the account of it that the command line gives."""
    job = ny.Job.load(folder / JOB_NAME)
    out = settings.get("out")
    if key := settings.get("key"):
        job = replace(job, sign=Sign(key=key))
    elif not out:  # what is tried is given to nobody, and need not be signed
        job = replace(job, sign=None)
    to = Destination.of(Path(out) if out else folder / RELEASE_NAME, None)
    return publish_job(
        Screen(quiet=True),
        job,
        to,
        with_report=bool(out),
        log=Path(settings["log"]) if settings.get("log") else None,
        force=bool(settings.get("force")),
        observe=observe,
        passphrase=ask_page(folder, observe),
    )
