"""The pages of a release that ``nymity publish`` writes: one for recipients, and the report for the custodian."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nymity.cli.console import Screen
from nymity.cli.destination import Destination, keep
from nymity.cli.stopping import was_stopped
from nymity.core.custodian import FINDINGS_NAME, REPORT_NAME
from nymity.core.errors import Interrupted, MissingExtraError, NymityError
from nymity.core.progress import Observer, Progress, report
from nymity.core.system_errors import UNCHANGED

if TYPE_CHECKING:
    import polars as pl

    from nymity.publishing.certificates.certificate import Certificate
    from nymity.publishing.comparing.compare import Comparison
    from nymity.publishing.jobs.job import Job
    from nymity.publishing.releases.release import Release
    from nymity.risk import AttackReport


@dataclass
class Pages:
    """The pages of a release: one that cannot be made is left out with a warning, for the release stands without."""

    screen: Screen
    has_about: bool = False
    has_report: bool = False
    left_out: bool = False

    def about(self, folder: Path, tables: Sequence[pl.DataFrame]) -> list[str]:
        """Write the page for recipients beside a release, before all of it moves into place."""
        from nymity.report.about import write_about

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
