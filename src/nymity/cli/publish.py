"""``nymity publish``: run a job and put table and certificate into a folder, log and report into the custodian's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nymity.cli.console import Screen
from nymity.cli.given import Data, job_of_given
from nymity.cli.inputs import names, same_file
from nymity.cli.key import ask
from nymity.cli.progress import watching
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
from nymity.cli.stopping import was_stopped
from nymity.cli.warnings_shown import show_warnings
from nymity.core.commit import committing
from nymity.core.custodian import FINDINGS_NAME, REPORT_NAME, custody_has_ended, ended_on
from nymity.core.errors import FileError, Interrupted, MissingExtraError, NymityError, ParameterError
from nymity.core.exit_code import ExitCode
from nymity.core.paths import resolved
from nymity.core.progress import Observer, Progress, report
from nymity.core.system_errors import UNCHANGED
from nymity.core.validation import MOST_DIGITS

if TYPE_CHECKING:
    import polars as pl

    from nymity.publishing.caveats import Caveat
    from nymity.publishing.certificates.certificate import Certificate
    from nymity.publishing.comparing.compare import Comparison
    from nymity.publishing.jobs.job import Job
    from nymity.publishing.releases.release import Release
    from nymity.risk import AttackReport

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
#: Seconds to wait for another run before the report is put into the custodian's folder.
PATIENCE = 10.0


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
        described if node is None else _at_node(described, node),
        Destination.of(out, custodian),
        with_report=with_report,
        fail_on_warnings=fail_on_warnings,
        log=_log_of(log, delivered),
        force=force,
        wait=wait,
    )


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Folder of the release, and the folder of what stays with the custodian."""

    release: Path
    custodian: Path

    @staticmethod
    def of(release: Path, custodian: Path | None) -> Destination:
        """Put the custodian's folder beside the release unless it is named; never inside it."""
        from nymity.publishing.custodian.custody import private_folder

        private = private_folder(release, custodian, names=("--out", "--custodian"))
        return Destination(release=release, custodian=private)

    def files(
        self,
        tables: Sequence[Path | str],
        *,
        has_children: bool,
        is_signed: bool,
        has_about: bool,
        has_report: bool,
    ) -> dict[str, Path | str | None]:
        """Return where tables, certificate, its signature, the pages (if any) and the custodian's log lie."""
        from nymity.publishing.releases.release import ABOUT_NAME
        from nymity.publishing.sealing.signing import CERTIFICATE_NAME, SIGNATURE_NAME

        table, *apart = tables
        return {
            "table": table,
            **({"children" if has_children else "sensitive": apart[0]} if apart else {}),
            "certificate": self.release / CERTIFICATE_NAME,
            **({"signature": self.release / SIGNATURE_NAME} if is_signed else {}),
            "about": self.release / ABOUT_NAME if has_about else None,
            "report": self.custodian / REPORT_NAME if has_report else None,
            "custodian": self.custodian,
        }


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
    from nymity.cli.idle_levels import idle_levels_said
    from nymity.cli.summary import show_summary, summary
    from nymity.lattice.default import said
    from nymity.publishing.custodian.custody import finish_earlier, make_way
    from nymity.publishing.jobs.engine_choice import with_fitting_engine
    from nymity.publishing.releases.release import ABOUT_NAME
    from nymity.publishing.running.run import Run
    from nymity.publishing.sealing.fingerprint import file_fingerprint
    from nymity.publishing.sealing.signing import CERTIFICATE_NAME, key_for
    from nymity.quality import Loss

    _spare_source(job, to)
    if beside := _sources_in(job, to.release):
        screen.warn(f"{', '.join(beside)} in the folder of the release: do not give that folder away whole")
    if finish_earlier(job, to.release, to.custodian, wait=wait) and _is_finished(screen, job, to):
        return {}
    make_way(job, to.release, to.custodian, replaces=[ABOUT_NAME], force=force, wait=wait)
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
        run = Run(job, observe=observe, log=log, folder=to.release)
        release = run.release()
        if fail_on_warnings:
            _refuse(screen, release.warnings)
        comparison = None
        if not release.recoding.is_private:  # a comparison tells about the original
            report(observe, Progress(stage="comparing with the original"))
            minimized = release.outcome.minimized
            shown = [minimized.name] if isinstance(minimized, Loss) else []
            comparison = run.compared(release, None if with_report else shown)
        source = run.tables.published
        idle = [] if release.recoding.is_private else list(idle_levels_said(release.recoding.hierarchies, source))
        # Without a report nobody asks for its rows, which need not lie beside what is written.
        original = run.original if with_report else source.clear()
        # The run holds the table as it was read, which may be most of the memory.
        del run, source
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
            made = pages.about(folder, tables)
            if foretell is not None:
                foretell(account(), file_fingerprint(folder / CERTIFICATE_NAME))
            return made

        written = release.save(
            to.release, custodian=to.custodian, sign=key, further_files=further, force=force, wait=wait
        )
        release = replace(release, certificate=written)
        try:
            if with_report:
                pages.draw(release, original, comparison, to, observe)
        # By now the release is out: whoever stops the report must know that.
        except (KeyboardInterrupt, Interrupted):
            screen.warn("the release is written, its report is not")
            raise
    if job.method is None and (nodes := release.outcome.lattice_size) is not None:
        screen.tell("note", said(nodes))
    for sentence in idle:
        screen.tell("note", sentence)
    found = account()
    show_summary(screen, found)
    screen.answer({**found, "certificate": release.certificate})
    if fail_on_warnings and pages.left_out:
        raise typer.Exit(WARNED)
    return found


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


@dataclass
class Pages:
    """The pages of a release: one that cannot be made is left out with a warning, for the release stands without."""

    screen: Screen
    has_about: bool = False
    has_report: bool = False
    left_out: bool = False

    def about(self, folder: Path, tables: Sequence[pl.DataFrame]) -> list[str]:
        """Write the page for recipients beside a release, before all of it moves into place."""
        from nymity.report import write_about

        with self._spared("about.html"):
            written = write_about(folder, tables)
            self.has_about = True
            return written
        return []

    def draw(
        self,
        release: Release,
        original: pl.DataFrame,
        comparison: Comparison | None,
        to: Destination,
        observe: Observer,
    ) -> None:
        """Write the report and the findings it rests on into the custodian's folder, for a release that is there."""
        from nymity.cli.learning import learned
        from nymity.report import Findings, quick_attacks, render_report
        from nymity.report.chart import begin_javascript

        report(observe, Progress(stage="drawing the report"))
        attacks: AttackReport | None = None
        with suppress(MissingExtraError):  # told below
            begin_javascript()  # it takes a second, in a process of its own
        with self._spared(FINDINGS_NAME):
            attacks = quick_attacks(release, original)
            keep(to, release.certificate, FINDINGS_NAME, Findings.of(release, original, attacks).text())
        with self._spared(REPORT_NAME):
            learning = learned(self.screen, release, original, release.job.target, observe)
            page = render_report(
                release, original, comparison=comparison, learning=learning, attacks=attacks, known=True
            )
            keep(to, release.certificate, REPORT_NAME, page)
            self.has_report = True

    def draw_again(self, job: Job, certificate: Certificate, to: Destination, observe: Observer) -> None:
        """Write the same of a release that an engine made: its rows, and those of its source, are read for it."""
        from nymity.cli.report import custodian_page

        with self._spared(REPORT_NAME):
            keep(to, certificate, REPORT_NAME, custodian_page(self.screen, job, to, certificate, observe))
            self.has_report = True

    @contextmanager
    def _spared(self, name: str) -> Iterator[None]:
        """Warn of whatever keeps a page from being made; an interrupt passes."""
        try:
            yield
        except (KeyboardInterrupt, SystemExit, GeneratorExit, Interrupted):
            raise
        except BaseException as error:  # a panic of polars is no Exception; the release stands
            if was_stopped():  # packages make other errors of an interrupt
                raise KeyboardInterrupt from error
            if isinstance(error, NymityError):
                self._leave_out(name, str(error))
            elif isinstance(error, MemoryError):
                self._leave_out(name, "there is not enough memory")
            else:
                self._leave_out(name, f"{type(error).__name__}, which is a bug in nymity")

    def _leave_out(self, name: str, reason: str) -> None:
        self.left_out = True
        reason = reason.replace(f"; {UNCHANGED}", "")  # the release is new
        self.screen.warn(f"{name} was left out: {reason}")


def keep(to: Destination, certificate: Certificate, name: str, text: str) -> None:
    """Put a file about a release into the custodian's folder, unless another one has taken its place."""
    from nymity.publishing.certificates.certificate_form import read_certificate
    from nymity.publishing.sealing.signing import CERTIFICATE_NAME

    with committing(to.custodian, private=[to.custodian], wait=PATIENCE) as (stage,):
        if read_certificate(to.release / CERTIFICATE_NAME) != certificate:
            raise FileError(str(to.release), expected="the release it is about", got="another one by now")
        if (day := ended_on(to.custodian)) is not None:  # while it was drawn
            raise custody_has_ended(str(to.custodian), day)
        (stage / name).write_text(text, encoding="utf-8", newline="\n")
        stage.commit([name])


def _suggested(job: Job) -> str:
    """Say what becomes of each column, where names of quasi-identifiers are all that was told."""
    schema = job.schema
    left = [name for name in schema if name not in schema.published]
    plain = [name for name in schema.published if name not in schema.quasi]
    groups = {"generalized": schema.quasi, "left out": left, "published as they are": plain}
    said = "; ".join(f"{words} {', '.join(names)}" for words, names in groups.items() if names)
    return f"roles were suggested beside --quasi: {said}"


def _at_node(job: Job, node: str) -> Job:
    """Return the job with the levels of one node in place of a search, and all else that its method demands."""
    from nymity.publishing.preparing.explore import at_levels, levels_of_node

    search = job.method
    if search is not None and not search.searches_levels:
        raise ParameterError("--node", expected="a job whose method searches levels", got=repr(search.key))
    levels = levels_of_node(job, _number(node)) if node.strip().isdecimal() else _levels(node, job.schema.quasi)
    return at_levels(job, levels)


def _number(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ParameterError("--node", expected="the number of a node", got=f"{len(text):,} digits")
    return int(text)


def _levels(listed: str, quasi: Sequence[str]) -> dict[str, int]:
    pairs = [one.rpartition("=") for one in names(listed)]
    if not pairs or not all(name.strip() and level.strip().isdecimal() for name, _, level in pairs):
        raise ParameterError("--node", expected="the number of a node, or levels such as age=2,sex=0", got=repr(listed))
    levels = {name.strip(): _number(level) for name, _, level in pairs}
    if len(levels) < len(pairs):
        raise ParameterError("--node", expected="each column once", got=repr(listed))
    unnamed = [name for name in quasi if name not in levels]
    if unnamed and set(levels) <= set(quasi):  # a name that is wrong is told apart from one that is missing
        raise ParameterError(
            "--node",
            expected="a level for every quasi-identifier",
            got=f"none for {', '.join(unnamed)}",
            hint=f"explore shows the levels there are; {unnamed[0]}=0 publishes raw values",
        )
    return levels


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
