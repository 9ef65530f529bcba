"""``nymity check``: does a released file keep its promises?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, counted, parameters, table
from nymity.cli.options import AsJson, JobOption, Quiet, Strict
from nymity.cli.source import load_job
from nymity.core.errors import FileError, InputError

if TYPE_CHECKING:
    from nymity.publish.check import CheckResult
    from nymity.publish.verify import Verification

EXAMPLES = (
    "nymity check release/release.csv",
    "nymity check release/release.csv --job job.toml",
    "nymity check received.csv --certificate certificate.json --strict",
    "nymity check release/release.csv --job job.toml --recoding release-custodian/recoding.json",
    "nymity check release/release.csv --job job.toml --original patients.csv",
)

BROKEN = 1


def command(
    release: Annotated[Path, typer.Argument(help="The released table.", show_default=False)],
    job: JobOption = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Certificate to check against; without a job, certificate.json beside the release.",
            show_default=False,
        ),
    ] = None,
    recoding: Annotated[
        Path | None,
        typer.Option(
            help="recoding.json of the custodian's log, for a population or ambiguous cells.",
            show_default=False,
        ),
    ] = None,
    sensitive: Annotated[
        Path | None,
        typer.Option(
            help="Second table of a bucketized release; looked for beside the first unless given.", show_default=False
        ),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(
            help="The table as it was, for promises about matching it with the release; needs --job.",
            show_default=False,
        ),
    ] = None,
    strict: Strict = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Check that a released table keeps its promises.

    It is held against its certificate, a job, or both. The exit code is 1 when a promise is broken or could not be
    checked, or the table is not the one that was certified.
    """
    from nymity.publish.check import check

    screen = Screen(quiet=quiet, as_json=as_json)
    stated = certificate if certificate is not None or job is not None else _beside(release)
    described = load_job(job) if job is not None else None
    result = check(
        release,
        job=described,
        certificate=stated,
        recoding=recoding,
        sensitive=sensitive,
        original=original,
        strict=strict,
    )
    against = " and ".join(str(path) for path in (job, stated) if path is not None)
    screen.line(f"{release}, checked against {against}", style="bold")
    screen.line()
    show_promises(screen, result.verification)
    _show_verdict(screen, result)
    screen.answer(
        {
            "holds": result.holds,
            "problems": result.problems,
            "unchecked": result.unchecked,
            **asdict(result.verification),
            "checked_against": {"job": job and str(job), "certificate": stated and str(stated)},
        }
    )
    if not result.holds:
        raise typer.Exit(BROKEN)


def show_promises(screen: Screen, verified: Verification) -> None:
    """Show each promise beside what was measured, and say what was done with masked rows."""
    screen.show(_promises(verified), "", _counts(verified))
    if verified.masked:
        screen.show(f"{counted(verified.masked, 'masked row')} (every quasi-identifier is '*'): one of these classes.")
    for finding in verified.findings:
        if finding.why is not None:
            screen.show(f"{finding.model}: {finding.why}.")


def _promises(verified: Verification) -> Table:
    from nymity.privacy import plain_measured

    shown = table("promise", "measured", "holds")
    for finding in verified.findings:
        reached = parameters(plain_measured(finding.measured))
        add_row(shown, finding.promise, reached, finding.holds, style=None if finding.holds else "bold red")
    return shown


def _counts(verified: Verification) -> str:
    if verified.smallest_class is None:
        return "No record is published."
    if verified.buckets:
        return (
            f"{counted(verified.records, 'record')} in {counted(verified.classes, 'bucket')}; the smallest has "
            f"{verified.smallest_class:,}."
        )
    return (
        f"{counted(verified.records, 'record')} in {counted(verified.classes, 'class', 'classes')} "
        f"of records that look alike; the smallest has {verified.smallest_class:,}."
    )


def _show_verdict(screen: Screen, result: CheckResult) -> None:
    screen.line()
    for problem in result.problems:
        screen.line(f"problem: {problem}", style="red")
    for promise in result.unchecked:
        screen.line(f"not checkable without --original: {promise}", style="red")
    if result.holds:
        screen.line("Everything holds.", style="bold green")
    elif result.verification.holds and not result.problems:
        screen.line("Nothing is broken, but not everything was checked.", style="bold red")
    elif result.verification.holds:
        screen.line("The promises hold for this table, but it is not what it should be.", style="bold red")
    else:
        screen.line("A promise is broken.", style="bold red")


def _beside(release: Path) -> Path:
    from nymity.publish.release import CERTIFICATE_NAME

    found = release.with_name(CERTIFICATE_NAME)
    if not release.exists():
        raise FileError(str(release), expected="a released table", got="no such file", hint="check the path")
    if not found.is_file():
        raise InputError(
            str(release),
            expected=f"a {CERTIFICATE_NAME} beside it to check against",
            got="none",
            hint="name one with --certificate, or the job with --job",
        )
    return found
