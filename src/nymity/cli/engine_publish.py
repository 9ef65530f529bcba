"""Publishing by an engine from the command line: pages on rows are drawn where these fit into memory after all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nymity.cli.console import Screen
    from nymity.cli.destination import Destination
    from nymity.cli.release_pages import Pages
    from nymity.core.progress import Observer
    from nymity.publishing.caveats import Caveat
    from nymity.publishing.jobs.job import Job


def publish_by_engine(
    screen: Screen,
    job: Job,
    to: Destination,
    observe: Observer,
    *,
    key: Any,
    log: Path | None,
    force: bool,
    wait: float,
    pages: Pages | None = None,
    accept: Callable[[Sequence[Caveat]], None] | None = None,
) -> dict[str, Any]:
    """Run a job in its engine, draw its report with ``pages`` if possible; show what came of it, and return that."""
    from nymity.cli.summary import show_summary, summary
    from nymity.publishing.running.private_engine_run import run_in_engine

    run = run_in_engine(job, observe, log=log)
    release = run.write(to.release, custodian=to.custodian, sign=key, force=force, wait=wait, accept=accept)
    without = None if pages is None else release.why_no_report
    if pages is not None and without is None:
        pages.draw_again(release.job, release.certificate, to, observe)
    files = to.files(
        [job.output.found_at(to.release, name) for name in job.table_names],
        has_children=False,
        is_signed=key is not None,
        has_about=False,
        has_report=pages is not None and pages.has_report,
    )
    found = summary(release, (), files)
    show_summary(screen, found)
    if without is not None:
        screen.tell("note", f"no report, which compares rows: {without}")
    screen.answer({**found, "certificate": release.certificate})
    return found
