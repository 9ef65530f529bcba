"""``nymity check``: does a released file keep its promises?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, parameters, table
from nymity.cli.inputs import open_released
from nymity.cli.shared_options import (
    AsJson,
    FailOnWarnings,
    JobOption,
    Quiet,
    RecodingOption,
    ReleaseArgument,
    SensitiveOption,
)
from nymity.cli.warnings_shown import list_warnings, show_warnings
from nymity.core.commit import refuse_between
from nymity.core.errors import FileError, InputError
from nymity.core.exit_code import ExitCode
from nymity.core.files import open_file
from nymity.core.wording import count

if TYPE_CHECKING:
    from nymity.publishing.certificates.verify import Verification
    from nymity.publishing.checking.check import CheckResult

EXAMPLES = (
    "nymity check release",
    "nymity check release/release.csv --job job.toml",
    "nymity check received.csv --certificate certificate.json --key hospital.pub",
    "nymity check release/release.csv --job job.toml --recoding release-custodian",
    "nymity check release/release.csv --job job.toml --original patients.csv",
    "nymity check release --url postgresql://clinic.example/research",
)

_CODES = {
    "holds": ExitCode.HOLDS,
    "does not hold": ExitCode.BROKEN,
    "cannot be seen": ExitCode.UNSEEN,
}
#: What the answers say already, in their own form.
_ANSWERED = ("findings", "problems")
_STYLES = {"holds": None, "does not hold": "bold red", "cannot be seen": "yellow"}


def command(
    release: ReleaseArgument,
    job: JobOption = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Certificate to check against; without a job, certificate.json beside the release.",
            show_default=False,
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(help="Public key that must have signed the certificate.", show_default=False),
    ] = None,
    recoding: RecodingOption = None,
    sensitive: SensitiveOption = None,
    original: Annotated[
        Path | None,
        typer.Option(
            help="The table as it was, for promises about matching it with the release; needs --job.",
            show_default=False,
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            help="Database that the table lies in, unless the job names it; without a password.", show_default=False
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Check a release that an engine wrote in bounded memory: streaming, duckdb, spark.", show_default=False
        ),
    ] = None,
    fail_on_warnings: FailOnWarnings = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Check that a released table keeps its promises.

    It is held against its certificate, a job, or both. The exit code is 0 when everything holds, 1 when a promise is
    broken or the table is not the one that was certified, 4 when nothing is broken but a promise cannot be seen from
    what was given.
    """
    from nymity.publishing.checking.check import check
    from nymity.publishing.jobs.job import Job

    screen = Screen(quiet=quiet, as_json=as_json)
    # A key signs a certificate, so that one is looked for even beside a job.
    stated = certificate if certificate is not None or (job is not None and key is None) else _beside(release)
    if engine is None:
        opened = open_released(release, job, certificate=stated, recoding=recoding, sensitive=sensitive, url=url)
        result = check(opened, original=original, key=key)
    else:
        described = None if job is None else Job.load(job)
        result = check(release, job=described, certificate=certificate, original=original, key=key, engine=engine)
    against = " and ".join(str(path) for path in (job, stated) if path is not None)
    screen.line(f"{release}, checked against {against}", style="bold")
    screen.line()
    _show(screen, result)
    screen.answer(
        {
            "holds": result.holds,
            "answer": result.answer,
            "findings": [asdict(finding) for finding in result.findings],
            "signed_by": result.key,
            "problems": result.problems,
            "unchecked": result.unchecked,
            "warnings": [caveat.plain() for caveat in result.warnings],
            **{name: value for name, value in asdict(result.verification).items() if name not in _ANSWERED},
            "checked_against": {
                "job": job and str(job),
                "certificate": stated and str(stated),
                "key": key and str(key),
            },
        }
    )
    if fail_on_warnings and result.warnings:
        raise typer.Exit(ExitCode.BROKEN)
    if not result.holds:
        raise typer.Exit(_CODES[result.answer])


def _show(screen: Screen, result: CheckResult) -> None:
    """Show each promise with its answer, what is wrong, what nobody can see, and the verdict."""
    screen.show(_promises(result), "", _counts(result.verification))
    if result.verification.masked and not result.verification.buckets:
        masked = count(result.verification.masked, "masked row")
        screen.show(f"{masked} (every quasi-identifier is '*'): one of these classes.")
    screen.line()
    for finding in result.promises:
        if finding.why:
            head = "cannot be seen" if finding.answer == "cannot be seen" else "broken"
            screen.line(f"{head}: {finding.says.partition(':')[0]}: {finding.why}", style=_STYLES[finding.answer])
    for problem in result.problems:
        screen.line(f"problem: {problem}", style="red")
    _show_rest(screen, result)
    warnings = [caveat.plain() for caveat in result.warnings]
    if result.holds:
        show_warnings(screen, "Everything", warnings)
        return
    text, style = _verdict(result)
    screen.line(text, style=style)
    if result.answer == "cannot be seen" and warnings:
        list_warnings(screen, f"Beside that, {count(len(warnings), 'warning')}:", warnings)


def _show_rest(screen: Screen, result: CheckResult) -> None:
    """Print what the certificate states beyond what the files show, and who signed it."""
    rest = [finding for finding in result.findings if finding.about != "promise"]
    unseen = [finding for finding in rest if finding.answer == "cannot be seen" and finding.about != "signature"]
    if unseen:
        names = ", ".join(finding.about for finding in unseen)
        screen.show(f"The certificate says more, which cannot be seen from what was given: {names}.")
    for finding in rest:
        if finding.about == "signature" and finding.answer != "does not hold":
            screen.line(f"{finding.says}: {finding.why}")
        if finding.about == "format":
            screen.line(finding.says)


def _promises(result: CheckResult) -> Table:
    shown = table("promise", "measured", "answer")
    for finding in result.promises:
        found = parameters(finding.measured or {})
        add_row(shown, finding.says, found, finding.answer.value, style=_STYLES[finding.answer])
    return shown


def _counts(verified: Verification) -> str:
    if verified.smallest_class is None:
        return "No record is published."
    if verified.buckets:
        return (
            f"{count(verified.records, 'record')} in {count(verified.classes, 'bucket')}; the smallest has "
            f"{verified.smallest_class:,}."
        )
    reading = " To look alike, * is a value of its own." if verified.starred else ""
    return (
        f"{count(verified.records, 'record')} in {count(verified.classes, 'class', 'classes')} "
        f"of records that look alike; the smallest has {verified.smallest_class:,}.{reading}"
    )


def _verdict(result: CheckResult) -> tuple[str, str]:
    """Return the last line where not everything holds, and its colour."""
    if result.answer == "cannot be seen":
        return "Nothing is broken, but not every promise can be seen from what was given.", "bold yellow"
    if any(finding.answer == "does not hold" for finding in result.promises):
        return "A promise is broken.", "bold red"
    if any(finding.answer == "cannot be seen" for finding in result.promises):
        return "This table is not what it should be, and not every promise can be seen.", "bold red"
    return "The promises hold for this table, but it is not what it should be.", "bold red"


def _beside(release: Path) -> Path:
    from nymity.publishing.sealing.signing import CERTIFICATE_NAME

    if release.is_dir():
        if not (release / CERTIFICATE_NAME).is_file():
            raise FileError(
                str(release), expected=f"a release: a folder with a {CERTIFICATE_NAME}", got="a folder without"
            )
        return release / CERTIFICATE_NAME
    try:
        open_file(release).close()
    except OSError as error:
        got = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise FileError(
            str(release), expected="a released table", got=got, hint="name the folder, or the file: release/release.csv"
        ) from error
    found = release.with_name(CERTIFICATE_NAME)
    refuse_between(release.parent)
    if not found.is_file():
        raise InputError(
            str(release),
            expected=f"a {CERTIFICATE_NAME} next to it to check against",
            got="none",
            hint="name one with --certificate, or the job with --job",
        )
    return found
