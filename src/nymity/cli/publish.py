"""``nymity publish``: run a job and put table and certificate into a folder, log and report into the custodian's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nymity.cli.console import Screen
from nymity.cli.destination import Destination
from nymity.cli.given import Data, job_of_given
from nymity.cli.inputs import same_file
from nymity.cli.key import ask
from nymity.cli.node_option import at_node
from nymity.cli.progress import watching
from nymity.cli.release_pages import Pages
from nymity.cli.shared_options import (
    AsJson,
    Delivered,
    FailOnWarnings,
    JobOption,
    Quasi,
    Quiet,
    Reading,
    Settings,
    Wait,
    reads_a_table,
)
from nymity.cli.warnings_shown import show_warnings
from nymity.core.errors import Interrupted, ParameterError
from nymity.core.exit_code import ExitCode
from nymity.core.paths import resolved
from nymity.core.progress import Observer, Progress, report

if TYPE_CHECKING:
    import polars as pl

    from nymity.publishing.caveats import Caveat
    from nymity.publishing.comparing.compare import Comparison
    from nymity.publishing.jobs.job import Job
    from nymity.publishing.releases.release import Release

EXAMPLES = (
    "nymity publish job.toml --out release",
    "nymity publish job.toml --out release --set method.suppression=0.02 --set 'privacy[0].k=10'",
    "nymity publish job.toml --out release --node 37",
    "nymity publish patients.csv --quasi age,sex,postcode --out release",
    "nymity publish job.toml --out release --custodian /safe/place --no-report",
    "nymity publish job.toml --out release --force --log release-custodian",
    "nymity publish job.toml --out release --engine duckdb",
    "nymity publish job.toml --out again --log release-custodian --delivered release-of-may.csv",
)

#: Gets the account of a release and the hash of its certificate.
Foretell = Callable[[dict[str, Any], str], None]
#: Exit code where warnings were asked to fail.
WARNED = ExitCode.BROKEN


@reads_a_table
def command(
    data: Data,
    out: Annotated[Path, typer.Option(help="Folder for the release.", show_default=False)],
    job: JobOption = None,
    quasi: Quasi = None,
    custodian: Annotated[
        Path | None,
        typer.Option(help="Folder for the custodian's log (default: beside --out, with -custodian appended)."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(help="Custodian's folder of an earlier release: draw as it did, so that the same job gives it."),
    ] = None,
    delivered: Delivered = None,
    with_report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html for you too.")] = True,
    settings: Settings = None,
    node: Annotated[
        str | None,
        typer.Option(
            help="Publish this node instead of searching: its number in explore, or levels such as age=2,sex=0.",
            show_default=False,
        ),
    ] = None,
    fail_on_warnings: FailOnWarnings = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace the release that is there; its custodian's log is kept, numbered."),
    ] = False,
    engine: Annotated[
        str | None,
        typer.Option(help="Where rows live: memory, streaming, duckdb, postgresql, spark.", show_default=False),
    ] = None,
    master: Annotated[
        str | None, typer.Option(help="Spark's master, such as local[2] or spark://host:7077.", show_default=False)
    ] = None,
    wait: Wait = 0.0,
    *,
    reading: Reading,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run a job: table, certificate and a page for recipients; log and report for the custodian.

    The folder of the release may be given away whole. The custodian's folder never: it has what links rows to people,
    and a report with figures of the original.

    Every promise of the job is verified on the written file before it appears; whatever fails or is interrupted
    leaves the files of an earlier run as they were. A release that is there is replaced with --force alone, and its
    custodian's log stays. With --fail-on-warnings nothing is written if there is a warning.

    With --node nothing is searched: promises are checked at these levels, and the certificate says that they were
    chosen by hand.
    """
    screen = Screen(quiet=quiet, as_json=as_json)
    described = job_of_given("publish", data, job, quasi, reading, settings or ())
    if quasi is not None:
        screen.tell("note", _suggested(described))
    described = _in_engine(described, engine, master)
    publish_job(
        screen,
        described if node is None else at_node(described, node),
        Destination.of(out, custodian),
        with_report=with_report,
        fail_on_warnings=fail_on_warnings,
        log=_log_of(log, delivered),
        force=force,
        wait=wait,
    )


def publish_job(
    screen: Screen,
    job: Job,
    to: Destination,
    *,
    with_report: bool = True,
    fail_on_warnings: bool = False,
    log: Path | None = None,
    force: bool = False,
    wait: float = 0.0,
    observe: Observer | None = None,
    passphrase: Callable[[str], str] = ask,
    foretell: Foretell | None = None,
) -> dict[str, Any]:
    """Run a job, write everything, show what came of it and return it as plain data; empty where nothing was run.

    ``observe`` hears of progress instead of the terminal; ``passphrase`` is asked for that of a key. ``foretell`` gets
    the account, and the hash of the certificate's file, just before the release moves into its place: whoever finds
    that certificate there later knows what came of a run that was killed meanwhile. The report is drawn after that.
    """
    from nymity.cli.engine_publish import publish_by_engine
    from nymity.cli.summary import show_summary, summary
    from nymity.lattice.default import said
    from nymity.publishing.jobs.engine_choice import with_fitting_engine
    from nymity.publishing.sealing.fingerprint import file_fingerprint
    from nymity.publishing.sealing.signing import CERTIFICATE_NAME, key_for

    if not _has_way(screen, job, to, force=force, wait=wait):
        return {}
    if fail_on_warnings:
        _refuse_foreseen(job)
    # Asked for before the search: nobody should come back after an hour to a question for a passphrase.
    key = key_for(job.sign, to.release, to.custodian, ask=passphrase)
    pages = Pages(screen)
    with watching(screen) if observe is None else nullcontext(observe) as observe:
        job = with_fitting_engine(job, observe)
        if job.engine is not None and job.engine.kind != "memory":
            accept = partial(_refuse, screen) if fail_on_warnings else None
            drawn = pages if with_report else None
            return publish_by_engine(
                screen, job, to, observe, key=key, log=log, force=force, wait=wait, pages=drawn, accept=accept
            )
        made = _made(screen, job, to, observe, log=log, with_report=with_report, fail_on_warnings=fail_on_warnings)
        release, comparison = made.release, made.comparison
        report(observe, Progress(stage="writing and verifying"))

        def account() -> dict[str, Any]:
            files = to.files(
                [job.output.found_at(to.release, name) for name in release.table_names],
                has_children=job.children is not None,
                is_signed=key is not None,
                has_about=pages.has_about,
                has_report=pages.has_report,
            )
            return summary(release, None if comparison is None else comparison.losses, files)

        def further(folder: Path, tables: Sequence[pl.DataFrame]) -> list[str]:
            written = pages.about(folder, tables)
            if foretell is not None:
                foretell(account(), file_fingerprint(folder / CERTIFICATE_NAME))
            return written

        certificate = release.save(
            to.release, custodian=to.custodian, sign=key, further_files=further, force=force, wait=wait
        )
        release = replace(release, certificate=certificate)
        try:
            if with_report:
                pages.draw(release, made.original, comparison, to, observe)
        # By now the release is out: whoever stops the report must know that.
        except (KeyboardInterrupt, Interrupted):
            screen.warn("the release is written, its report is not")
            raise
    if job.method is None and (nodes := release.outcome.lattice_size) is not None:
        screen.tell("note", said(nodes))
    for sentence in made.idle:
        screen.tell("note", sentence)
    found = account()
    show_summary(screen, found)
    screen.answer({**found, "certificate": release.certificate})
    if fail_on_warnings and pages.left_out:
        raise typer.Exit(WARNED)
    return found


def _has_way(screen: Screen, job: Job, to: Destination, *, force: bool, wait: float) -> bool:
    """Make room for a release; False where an earlier run that was cut off had made this one, and has it now."""
    from nymity.publishing.custodian.custody import finish_earlier, make_way
    from nymity.publishing.releases.release import ABOUT_NAME

    _spare_source(job, to)
    if beside := _sources_in(job, to.release):
        screen.warn(f"{', '.join(beside)} in the folder of the release: do not give that folder away whole")
    if finish_earlier(job, to.release, to.custodian, wait=wait) and _is_finished(screen, job, to):
        return False
    make_way(job, to.release, to.custodian, replaces=[ABOUT_NAME], force=force, wait=wait)
    return True


@dataclass(frozen=True, kw_only=True)
class _Made:
    """A release before it is written, and what is told of it: notes on levels that change nothing are ``idle``."""

    release: Release
    comparison: Comparison | None
    original: pl.DataFrame  #: without rows where no report asks for them
    idle: list[str]


def _made(
    screen: Screen,
    job: Job,
    to: Destination,
    observe: Observer,
    *,
    log: Path | None,
    with_report: bool,
    fail_on_warnings: bool,
) -> _Made:
    """Run a job in memory. The run ends here: it holds the table as it was read, which may be most of the memory."""
    from nymity.cli.idle_levels import idle_levels_said
    from nymity.publishing.running.run import Run
    from nymity.quality import Loss

    run = Run(job, observe=observe, log=log, folder=to.release)
    release = run.release()
    if fail_on_warnings:
        _refuse(screen, release.warnings)
    source, comparison, idle = run.tables.published, None, []
    if not release.recoding.is_private:  # a comparison tells about the original
        report(observe, Progress(stage="comparing with the original"))
        minimized = release.outcome.minimized
        shown = [minimized.name] if isinstance(minimized, Loss) else []
        comparison = run.compared(release, None if with_report else shown)
        idle = list(idle_levels_said(release.recoding.hierarchies, source))
    # Without a report nobody asks for its rows, which need not lie beside what is written.
    original = source if with_report else source.clear()
    return _Made(release=release, comparison=comparison, original=original, idle=idle)


def _is_finished(screen: Screen, job: Job, to: Destination) -> bool:
    """Say so if an earlier run, which was cut off and has just been finished, published what this one would."""
    from nymity.publishing.running.finished_run import finished_private, finished_release

    with watching(screen) as observe:
        release = finished_release(job, None, to.release, to.custodian, observe=observe)
    certificate = finished_private(job, to.release) if release is None else release.certificate
    if certificate is None:
        screen.tell("note", "an earlier run of another job or table was cut off after its commit; it is finished now")
        return False
    place = job.output.found_at(to.release, job.table_names[0])
    screen.line(f"An earlier run had committed this release to {place} before it was cut off. It is finished now,")
    screen.line(f"its certificate lies in {to.release}, and nothing was published again.")
    screen.show("", f"Next: nymity check {to.release}")
    screen.answer({"finished": True, "certificate": certificate})
    return True


def _suggested(job: Job) -> str:
    """Say what becomes of each column, where names of quasi-identifiers are all that was told."""
    schema = job.schema
    left = [name for name in schema if name not in schema.published]
    plain = [name for name in schema.published if name not in schema.quasi]
    groups = {"generalized": schema.quasi, "left out": left, "published as they are": plain}
    said = "; ".join(f"{words} {', '.join(names)}" for words, names in groups.items() if names)
    return f"roles were suggested beside --quasi: {said}"


def _in_engine(job: Job, engine: str | None, master: str | None) -> Job:
    """Return the job with the engine of the command line; settings of the job's own stay if it is the same kind."""
    kind = engine or ("spark" if master is not None else None)
    if kind is None:
        return job
    from nymity.engines import Engine

    named = job.engine if job.engine is not None and job.engine.kind == kind else Engine(kind=kind)  # type: ignore[arg-type]
    return replace(job, engine=named if master is None else replace(named, master=master))


def _log_of(log: Path | None, delivered: Path | None) -> Path | None:
    """Return the folder or file of the log that is meant."""
    from nymity.core.commit import settle
    from nymity.publishing.custodian.custody import Custody, places

    if delivered is not None and (log is None or not log.is_dir()):
        raise ParameterError("--delivered", expected="--log with a custodian's folder to look in", got=str(log))
    if log is None or not log.is_dir():
        return log
    settle(*places(log))
    return Custody(log).log_of(delivered).folder


def _refuse(screen: Screen, warnings: Sequence[Caveat]) -> None:
    """Show the warnings, if there are any, and end before anything is written."""
    if not warnings:
        return
    found = [caveat.plain() for caveat in warnings]
    show_warnings(screen, "Every promise", found)
    screen.line("Nothing was written (--fail-on-warnings).", style="bold red")
    screen.answer({"holds": True, "written": False, "warnings": found})
    raise typer.Exit(WARNED)


def _refuse_foreseen(job: Job) -> None:
    """Refuse a private job at once: its release always has warnings, and its budget would be spent for nothing."""

    if job.is_private:
        raise ParameterError(
            "--fail-on-warnings",
            expected="a release that can be without warnings",
            got="a differentially private one, whose certificate always says what is not protected",
            hint="read not_protected in its certificate instead",
        )


def _sources_in(job: Job, folder: Path) -> list[str]:
    """Name the tables of a job that lie where the release goes."""
    return [str(path) for path in job.inputs if resolved(folder) in resolved(path).parents]


def _spare_source(job: Job, to: Destination) -> None:
    """Refuse to write the release over a table it is made from."""
    for target in (to.release / name for name in job.file_names):
        if not any(same_file(target, path) for path in job.inputs):
            continue
        raise ParameterError(
            "--out",
            expected="a folder in which the release does not replace its source",
            got=str(target),
            hint="another folder, or another name in [output]",
        )
