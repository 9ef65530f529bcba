"""publish: the whole way from the job to a release, as the command line goes it.

A trial lies in the run's own folder; one that is stopped keeps the best that was found, where the method has it. Given
``out``, the release lies there, with its report in the custodian's folder; ``log``, the custodian's folder of a trial,
makes it the release that was tried: the same draws are drawn, and ``levels`` are those it had where the time decided.

    foretold.json  the account of the release and the hash of its certificate, written just before it moves into place
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import nymity as ny
from nymity.cli.console import Screen
from nymity.cli.destination import Destination
from nymity.cli.publish import publish_job
from nymity.core.custodian import REPORT_NAME
from nymity.core.plain_data import read_json
from nymity.core.progress import Observer
from nymity.publishing import file_fingerprint, finish_earlier
from nymity.publishing.preparing.explore import at_levels
from nymity.publishing.sealing.signing import CERTIFICATE_NAME, Sign
from nymity.workbench.passphrases import ask_page
from nymity.workbench.runs import FORETOLD_NAME, JOB_NAME, told_secret, write_json

RELEASE_NAME = "release"
#: Seconds to wait for whoever else writes where a release lies.
_PATIENCE = 10.0


def work(folder: Path, settings: Mapping[str, Any], observe: Observer) -> dict[str, Any]:
    """Publish the job, and return the account of it that the command line gives."""
    job, out = _meant(ny.Job.load(folder / JOB_NAME), settings), settings.get("out")

    def foretell(account: dict[str, Any], certificate: str) -> None:
        write_json(folder / FORETOLD_NAME, {"account": account, "certificate": certificate})

    return publish_job(
        Screen(quiet=True),
        job,
        _place(folder, settings),
        with_report=bool(out),
        log=Path(settings["log"]) if settings.get("log") else None,
        force=bool(settings.get("force")),
        observe=observe,
        passphrase=partial(_passphrase, folder, observe),
        foretell=foretell,
    )


def finished(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the account of a release that is whole although its run was killed; None where there is none.

    What was left in between is finished or undone first, as the next run to the same place would do.
    """
    if not (folder / FORETOLD_NAME).exists():
        return None
    foretold = read_json(folder / FORETOLD_NAME, expected="the account of a release", most=2**28)
    job, place = _meant(ny.Job.load(folder / JOB_NAME), settings), _place(folder, settings)
    finish_earlier(job, place.release, place.custodian, wait=_PATIENCE)
    certificate, report = place.release / CERTIFICATE_NAME, place.custodian / REPORT_NAME
    if not certificate.is_file() or file_fingerprint(certificate) != foretold["certificate"]:
        return None
    account: dict[str, Any] = foretold["account"]
    drawn = report.is_file() and report.stat().st_mtime_ns >= certificate.stat().st_mtime_ns
    return {**account, "files": {**account["files"], "report": str(report) if drawn else None}}


def _place(folder: Path, settings: Mapping[str, Any]) -> Destination:
    return Destination.of(Path(settings["out"]) if settings.get("out") else folder / RELEASE_NAME, None)


def _passphrase(folder: Path, observe: Observer, question: str) -> str:
    """Return what the run was begun with, or else ask."""
    given = told_secret()
    return ask_page(folder, observe)(question) if given is None else given


def _meant(job: ny.Job, settings: Mapping[str, Any]) -> ny.Job:
    """Return the job with what was chosen for this run: levels, a key, a table of a database."""
    if settings.get("levels") and isinstance(job.method, ny.GeneralizedSuppression):
        job = replace(job, method=replace(job.method, levels=settings["levels"]))
    elif settings.get("levels"):
        job = at_levels(job, settings["levels"])
    elif not settings.get("out") and job.method is not None and job.method.answers_any_time:
        method: Any = job.method
        job = replace(job, method=replace(method, on_interrupt="best"))
    if settings.get("key"):
        job = replace(job, sign=Sign(key=settings["key"]))
    elif not settings.get("out"):  # what is tried is given to nobody, and need not be signed
        job = replace(job, sign=None)
    if settings.get("database"):
        job = replace(job, output=ny.DatabaseOutput(**settings["database"]))
    return job
