"""``nymity publish``: run a job and put table, certificate and report into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.options import AsJson, Quiet
from nymity.cli.progress import watching
from nymity.cli.source import load_job, same_file
from nymity.core.errors import MissingExtraError, ParameterError
from nymity.core.progress import Observer, Progress, report

if TYPE_CHECKING:
    import polars as pl

    from nymity.publish.job import Job
    from nymity.publish.release import Release

EXAMPLES = (
    "nymity publish job.toml --out release",
    "nymity publish job.toml --out release --set method.suppression=0.02 --set 'privacy[0].k=10'",
    "nymity publish job.toml --out release --custodian /safe/place --no-report",
)

REPORT_NAME = "report.html"


def command(
    job: Annotated[Path, typer.Argument(help="Job file, .toml or .json.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder for the release.", show_default=False)],
    custodian: Annotated[
        Path | None,
        typer.Option(help="Folder for the custodian's log (default: beside --out, with -custodian appended)."),
    ] = None,
    with_report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html too.")] = True,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the job; repeatable.", show_default=False),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Publish a table so that every promise of the job holds, proved on the written file."""
    publish_job(
        Screen(quiet=quiet, as_json=as_json),
        job,
        Destination.of(out, custodian),
        settings=settings or (),
        with_report=with_report,
    )


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Folder of the release, and the folder of what stays with the custodian."""

    release: Path
    custodian: Path

    @staticmethod
    def of(release: Path, custodian: Path | None) -> Destination:
        """Put the custodian's folder beside the release unless it is named; never inside it."""
        private = custodian if custodian is not None else release.parent / f"{release.resolve().name}-custodian"
        if release.resolve() in (private.resolve(), *private.resolve().parents):
            raise ParameterError(
                "--custodian",
                expected=f"a folder outside of {release}, for it links published rows to people",
                got=str(private),
                hint="leave the option out, or name a folder that is never published",
            )
        return Destination(release=release, custodian=private)


def publish_job(
    screen: Screen, path: Path, to: Destination, *, settings: Sequence[str] = (), with_report: bool = True
) -> None:
    """Run a job file, write everything and show what came of it."""
    from nymity.cli.summary import show_summary, summary
    from nymity.publish.compare import compare
    from nymity.publish.pipeline import load_source, publish

    job = load_job(path, settings)
    _spare_source(job, to)
    with watching(screen) as observe:
        report(observe, Progress(stage="reading"))
        original = load_source(job)
        release = publish(
            original,
            job.schema,
            privacy=job.privacy,
            method=job.method,
            output=job.output,
            earlier_releases=job.earlier_releases,
            observe=observe,
        )
        release, reported = _write(screen, replace(release, job=job), original, to, with_report, observe)
        report(observe, Progress(stage="comparing with the original"))
        comparison = compare(original, release)
    files = {
        "table": to.release / job.output.file_name,
        "certificate": to.release / "certificate.json",
        "report": to.release / REPORT_NAME if reported else None,
        "custodian": to.custodian,
    }
    found = summary(release, comparison, files)
    show_summary(screen, found)
    screen.answer({**found, "certificate": release.certificate})


def _write(
    screen: Screen, release: Release, original: pl.DataFrame, to: Destination, with_report: bool, observe: Observer
) -> tuple[Release, bool]:
    """Write release, report and log, all or nothing; return the release as certified, and whether it has a report.

    Everything is made and verified in hidden folders first, so that whatever fails or interrupts leaves the files of
    an earlier run as they were, and never a table beside the report of another.
    """
    from nymity.io import staging

    with staging(to.release) as stage, staging(to.custodian) as kept:
        report(observe, Progress(stage="writing and verifying"))
        release = replace(release, certificate=release.write(stage.folder, custodian=kept.folder))
        if with_report:
            report(observe, Progress(stage="drawing the report"))
            with_report = _draw(screen, release, original, stage / REPORT_NAME)
        kept.commit(sorted(path.name for path in kept.folder.iterdir()))
        stage.commit(sorted(path.name for path in stage.folder.iterdir()))
    if not with_report:
        (to.release / REPORT_NAME).unlink(missing_ok=True)  # it would speak of an earlier table
    return release, with_report


def _draw(screen: Screen, release: Release, original: pl.DataFrame, path: Path) -> bool:
    try:
        from nymity.report import write_report

        write_report(release, original, path)
    except MissingExtraError as error:
        screen.warn(f"{REPORT_NAME} was left out: {error}")
        return False
    return True


def _spare_source(job: Job, to: Destination) -> None:
    """Refuse to write the release over the table it is made from."""
    target = to.release / job.output.file_name
    if job.source is not None and same_file(target, Path(job.source.path)):
        raise ParameterError(
            "--out",
            expected="a folder in which the release does not replace its source",
            got=str(target),
            hint="another folder, or another name in [output]",
        )
