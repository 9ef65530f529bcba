"""``nymity report``: the page on a release for those who read it: recipients, a board, the custodian."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.destination import PATIENCE, Destination, keep
from nymity.cli.inputs import load_job, may_write
from nymity.cli.learning import learned
from nymity.cli.progress import watching
from nymity.cli.shared_options import AsJson, Force, JobOption, Quiet
from nymity.core.custodian import BOARD_NAME, FINDINGS_NAME, REPORT_NAME
from nymity.core.errors import FileError, InputError
from nymity.core.locks import LOCK_NAME, locked
from nymity.core.progress import Progress, report
from nymity.core.system_errors import explained

if TYPE_CHECKING:
    from nymity.core.progress import Observer
    from nymity.publishing.certificates.certificate import Certificate
    from nymity.publishing.jobs.job import Job

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

    custodian: the full report. It needs the job, whose source the release is compared with, and the custodian's folder.
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
    from nymity.publishing.releases.release import ABOUT_NAME
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


def custodian_page(screen: Screen, job: Job, to: Destination, certificate: Certificate, observe: Observer) -> str:
    """Read a release and its source, keep findings beside the custodian's log, and return the report."""
    from nymity.publishing.jobs.job_tables import load_source, published_table
    from nymity.publishing.releases.opened import open as open_release
    from nymity.report import Findings, quick_attacks, render_report

    report(observe, Progress(stage="reading"))
    opened = open_release(to.release, schema=job.schema, custodian=to.custodian)
    original = published_table(job, load_source(job))
    opened = opened.linked_to(original)
    report(observe, Progress(stage="drawing the report"))
    attacks = quick_attacks(opened, original)
    learning = learned(screen, opened, original, job.target, observe)
    page = render_report(opened, original, learning=learning, attacks=attacks)
    keep(to, certificate, FINDINGS_NAME, Findings.of(opened, original, attacks).text())
    return page


def _for_custodian(screen: Screen, to: Destination, job: Path | None, out: Path | None) -> Path:
    from nymity.cli.inputs import write_text
    from nymity.publishing.certificates.certificate_form import read_certificate
    from nymity.publishing.sealing.signing import CERTIFICATE_NAME

    if job is None:
        raise InputError(
            "--for custodian",
            expected="the job, whose source the report compares with",
            got="none",
            hint="--job job.toml",
        )
    described = load_job(job)
    with watching(screen) as observe:
        certificate = read_certificate(to.release / CERTIFICATE_NAME)
        page = custodian_page(screen, described, to, certificate, observe)
    if out is None:
        keep(to, certificate, REPORT_NAME, page)
        return to.custodian / REPORT_NAME
    write_text(out, page, private=True)
    return out
