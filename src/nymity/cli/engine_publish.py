"""Publishing by an engine from the command line: rows are never all in memory, so there are no pages on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nymity.cli.console import Screen
    from nymity.cli.publish import Destination
    from nymity.core.progress import Observer
    from nymity.publishing.caveats import Caveat
    from nymity.publishing.job import Job


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
    accept: Callable[[Sequence[Caveat]], None] | None = None,
) -> None:
    """Run a job in its engine, and show what came of it."""
    from nymity.cli.summary import show_summary, summary
    from nymity.publishing.engine_run import EngineRun

    run = EngineRun(job, observe, log=log)
    release = run.write(to.release, custodian=to.custodian, sign=key, force=force, wait=wait, accept=accept)
    files = to.files(
        [job.output.found_at(to.release, name) for name in job.table_names],
        has_children=False,
        is_signed=key is not None,
        has_about=False,
        has_report=False,
    )
    found = summary(release, (), files)
    show_summary(screen, found)
    screen.tell("note", f"no report: it compares rows, which engine {run.engine.kind!r} does not keep in memory")
    screen.answer({**found, "certificate": release.certificate})
