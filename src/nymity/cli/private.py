"""What commands say before they show figures of records that a private release was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nymity.cli.console import Screen

if TYPE_CHECKING:
    from nymity.publish.job import Job

NOT_FOR_RELEASE = (
    "not for release: these figures are computed from the records of a differentially private release, and no budget "
    "was spent on them. To publish them, or to choose parameters by them, breaks the promise"
)


def about_private(screen: Screen, job: Job | None) -> dict[str, Any]:
    """Warn, if a job publishes privately, that what follows is private; return the same for the answer."""
    from nymity.dp.private_method import PrivateMethod

    if job is None or not isinstance(job.method, PrivateMethod):
        return {}
    screen.warn(NOT_FOR_RELEASE)
    return {"private": NOT_FOR_RELEASE}
