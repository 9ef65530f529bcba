"""WrittenRelease: a release that an engine wrote, and what was said of it; its rows stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from nymity.publishing.certificates.certificate import Certificate
from nymity.publishing.certificates.verify import Verification
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.jobs.engine_choice import too_large
from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.release_facts import ReleaseFacts
from nymity.table.outcome import Outcome


@dataclass(frozen=True, eq=False, kw_only=True)
class WrittenRelease(ReleaseFacts):
    """A release in a folder; ``nymity.open(release.folder)`` reads it into memory, :meth:`scan` does not."""

    folder: Path
    certificate: Certificate = field(repr=False)
    verification: Verification
    outcome: Outcome = field(repr=False)
    job: Job = field(repr=False)
    log: CustodianLog = field(repr=False)
    #: The distinct published classes with their sensitive values, which are all of the rows that is in memory.
    frame: pl.DataFrame = field(repr=False)

    @property
    def seconds(self) -> Mapping[str, float]:
        """What each stage took."""
        return self.log.seconds

    @property
    def path(self) -> Path:
        """The file of the table."""
        return self.folder / self.job.output.file_name

    def scan(self) -> pl.LazyFrame:
        """Return the table for polars to read as far as it is asked for."""
        return pl.scan_parquet(self.path, glob=False)

    @property
    def why_no_report(self) -> str | None:
        """Why no report is drawn, which compares rows; None where they fit into memory after all."""
        if self.recoding.is_private:
            return "of a differentially private release it looks at none; nymity report draws one"
        return too_large(self.job)

    @property
    def loss(self) -> float:
        """What the method minimized."""
        return self.outcome.loss
