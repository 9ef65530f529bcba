"""A run that died and was finished by the next one: whether what it left is what this one would publish.

A table of a database is committed before the files move. A run that dies in between has published; the next run of the
job finishes it, and must not publish the same once more: a batch would be in the table twice.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from nymity.core.custodian import RECODING_NAME
from nymity.core.progress import Observer, silent
from nymity.publishing.certificates.certificate import Certificate, public_job
from nymity.publishing.custodian.custody import as_json, certificate_in, same_release
from nymity.publishing.custodian.redrawing import log_beside
from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.release import Release
from nymity.publishing.running.run import Run


def finished_release(
    job: Job, given: Any, folder: Path, private: Path, *, observe: Observer = silent, children: Any = None
) -> Release | None:
    """Run a job as the run drew that was finished, and return the release if it is the one that lies there.

    None if it is another one, or a private one: no two of these are drawn alike.
    """
    log = None if job.seed is not None else log_beside(private / RECODING_NAME)
    if job.is_private or (log is None and job.seed is None):
        return None
    release = Run(job, given, observe, log=log, folder=folder, children=children).release()
    there = same_release(release.certificate, folder)
    return None if there is None else replace(release, certificate=there).with_text()


def finished_private(job: Job, folder: Path) -> Certificate | None:
    """Return the certificate in a folder if it is of a private job that says what this one says."""
    there = certificate_in(folder)
    return there if job.is_private and there is not None and there.get("job") == as_json(public_job(job)) else None
