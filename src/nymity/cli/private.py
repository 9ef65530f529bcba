"""What commands say before they show figures of records that a private release was made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nymity.cli.console import Screen
from nymity.cli.inputs import load_job, same_file

if TYPE_CHECKING:
    from nymity.publishing.jobs.job import Job
    from nymity.publishing.releases.opened import OpenedRelease

NOT_FOR_RELEASE = (
    "not for release: these figures are computed from the records of a differentially private release, and no budget "
    "was spent on them. To publish them, or to choose parameters by them, breaks the promise"
)


def about_source(screen: Screen, table: Path, job: Path | None) -> dict[str, Any]:
    """Warn, if a table is the one that a job publishes privately, and not the release of it."""
    from nymity.cli.given import Given

    if Given.of(table).kind == "job":
        return about_private(screen, load_job(table))
    described = None if job is None else load_job(job)
    if described is None or described.source is None or not same_file(table, Path(described.source.path)):
        return {}
    return about_private(screen, described)


def about_private(screen: Screen, made: Job | OpenedRelease) -> dict[str, Any]:
    """Warn, if a release is private, that what follows is, too; return the same for the answer."""
    from nymity.publishing.jobs.registry import is_private

    if not is_private(made.method):
        return {}
    screen.warn(NOT_FOR_RELEASE)
    return {"private": NOT_FOR_RELEASE}
