"""``nymity report``: the page on a release for those who read it: recipients, a board, the custodian."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.inputs import load_job, may_write
from nymity.cli.learning import learned
from nymity.cli.progress import watching
from nymity.cli.publish import PATIENCE, Destination, keep
from nymity.cli.shared_options import AsJson, Force, JobOption, Quiet
from nymity.core.custodian import BOARD_NAME, ENDED, FINDINGS_NAME, LOG_NAME, REPORT_NAME, custody_has_ended
from nymity.core.errors import FileError, InputError, JobError
from nymity.core.format_numbers import CERTIFICATE
from nymity.core.locks import LOCK_NAME, locked
from nymity.core.progress import Observer, Progress, report
from nymity.core.system_errors import explained

if TYPE_CHECKING:
    import polars as pl

    from nymity.publishing.release import Release

EXAMPLES = (
    "nymity report release",
    "nymity report release --for board --out summary.html",
    "nymity report release --for custodian --job job.toml",
)


class Reader(StrEnum):
    """Who a page is for."""

    RECIPIENTS = "recipients"
    BOARD = "board"
    CUSTODIAN = "custodian"


def command(
    release: Annotated[Path, typer.Argument(help="Folder of the release, or its table.", show_default=False)],
    reader: Annotated[
        Reader, typer.Option("--for", help="Who reads the page: those who get the table, an ethics board, you.")
    ] = Reader.RECIPIENTS,
    out: Annotated[
        Path | None,
        typer.Option(
            help="File to write (default: about.html beside the release; board.html or report.html in the custodian's "
            "folder).",
            show_default=False,
        ),
    ] = None,
    custodian: Annotated[
        Path | None,
        typer.Option(help="Custodian's folder (default: beside the release, with -custodian appended)."),
    ] = None,
    job: JobOption = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the page on a release for its recipients, for an ethics board, or for the custodian.

    recipients: what was promised, what each column is, how to read cells, what not to conclude. Made of the released
    files and their certificate alone.

    board: attackers, risk before and after, promises, attacks tried, limits, on two printed pages, without any value of
    the table. Risk before and attacks come from the custodian's folder.

    custodian: the full report. It needs the job and its source, which is published once more in memory, with the draws
    of the custodian's log.
    """
    screen = Screen(quiet=quiet, as_json=as_json)
    if not release.exists():
        raise FileError(str(release), expected="the folder of a release, or its table", got="no such file or folder")
    folder = release if release.is_dir() else release.parent
    to = Destination.of(folder, custodian)
    if out is not None:
        may_write(out, force=force)
    if reader is Reader.CUSTODIAN:
        written = _for_custodian(screen, to, job, out)
    elif reader is Reader.BOARD:
        written = _for_board(screen, release, to, out, force=force)
    else:
        written = _for_recipients(release, to, out)
    screen.line(f"{written}   for {'the ' if reader is not Reader.RECIPIENTS else ''}{reader.value}")
    screen.answer({"for": reader.value, "file": str(written)})


def _for_recipients(release: Path, to: Destination, out: Path | None) -> Path:
    from nymity.cli.inputs import write_text
    from nymity.publishing.release import ABOUT_NAME
    from nymity.report import render_about

    if out is not None:
        write_text(out, render_about(release))
        return out
    target = to.release / ABOUT_NAME
    with explained([to.release]), locked(to.release / LOCK_NAME, what=str(to.release), wait=PATIENCE):
        write_text(target, render_about(release))  # no other release takes its place in between
    return target


def _for_board(screen: Screen, release: Path, to: Destination, out: Path | None, *, force: bool) -> Path:
    from nymity.report import write_board

    there = to.custodian.is_dir()
    target = out if out is not None else (to.custodian if there else Path()) / BOARD_NAME
    if not there:  # a file of this name may be anybody's
        may_write(target, force=force)
    if not (to.custodian / FINDINGS_NAME).is_file():
        screen.warn(f"there is no {FINDINGS_NAME} in {to.custodian}: risk before and attacks are missing in the page")
    write_board(release, target, to.custodian if there else None)
    return target


def _for_custodian(screen: Screen, to: Destination, job: Path | None, out: Path | None) -> Path:
    from nymity.cli.inputs import write_text
    from nymity.report import Findings, quick_attacks, render_report

    if job is None:
        raise InputError(
            "--for custodian",
            expected="the job, whose source the report compares with",
            got="none",
            hint="--job job.toml",
        )
    with watching(screen) as observe:
        made, original = _again(job, to, observe)
        report(observe, Progress(stage="drawing the report"))
        attacks = quick_attacks(made, original)
        keep(to, made, FINDINGS_NAME, Findings.of(made, original, attacks).text())
        learning = learned(screen, made, original, observe)
        page = render_report(made, original, learning=learning, attacks=attacks)
    if out is None:
        keep(to, made, REPORT_NAME, page)
        return to.custodian / REPORT_NAME
    write_text(out, page, private=True)
    return out


def _again(path: Path, to: Destination, observe: Observer) -> tuple[Release, pl.DataFrame]:
    """Make a release that is written once more in memory, as its log says, or say why it is another one."""
    from nymity.dp.private_method import PrivateMethod
    from nymity.publishing.certificate_form import read_certificate
    from nymity.publishing.custody import read_log
    from nymity.publishing.run import Run
    from nymity.publishing.signing import CERTIFICATE_NAME

    job, written = load_job(path), read_certificate(to.release / CERTIFICATE_NAME)
    if isinstance(job.method, PrivateMethod):
        raise JobError(
            "method",
            expected="one that can be run again",
            got="a differentially private one, which would spend its budget once more",
            hint="its report is drawn by publish; --for recipients and --for board say what is public",
        )
    if written["format"] != CERTIFICATE.tag:
        raise FileError(
            str(to.release / CERTIFICATE_NAME),
            expected=f"a release of this version ({CERTIFICATE.tag}), which can be made once more",
            got=str(written["format"]),
            hint="publish again for a report; --for recipients and --for board take this one",
        )
    log = read_log(to.custodian / LOG_NAME)
    if ENDED in log:
        raise custody_has_ended(str(to.custodian), str(log[ENDED]))
    run = Run(job, observe=observe, log=to.custodian if "draw_key" in log and job.seed is None else None)
    made = run.release()
    if made.certificate["output"]["content_sha256"] != written["output"]["content_sha256"]:
        raise FileError(
            str(to.release),
            expected="the release that the job makes of its source",
            got="another one",
            hint="the job and the source as they were, and the custodian's folder of this release",
        )
    made = replace(made, certificate=written, log=replace(made.log, salt=str(log.get("salt", ""))))
    return made, run.original
