"""PrivateEngineRun: a differentially private release of rows that live in an engine.

What is drawn are numbers of records: how many of each combination levels are chosen on, and how many of each class are
published. They are drawn once, here, from the operating system; an engine only counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nymity.core.progress import Observer, silent
from nymity.dp.private_method import the_promise
from nymity.dp.public_domain import public_schema
from nymity.dp.records import others_of
from nymity.publishing.caveats import Caveat
from nymity.publishing.caveats.of_table import empty_promises
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.custodian.redrawing import Log
from nymity.publishing.jobs.differential import WITHOUT_LEDGER, private_figures
from nymity.publishing.jobs.job import Job
from nymity.publishing.running.engine_counts import PrivateCounted
from nymity.publishing.running.engine_run import EngineRun


class PrivateEngineRun(EngineRun):
    """The same stages; of the records nothing may be told, and the ledger is entered before the first draw."""

    counted: PrivateCounted

    def __init__(self, job: Job, observe: Observer = silent, *, log: Log | None = None) -> None:
        super().__init__(job, observe, log=log)
        if job.source is not None:
            job.source.check_stated()
        if job.ledger is not None:
            job.ledger.check(the_promise(job.privacy))
        self.schema = public_schema(job.schema)

    def _check_source(self) -> None:
        """Refuse nothing: an error would tell of a record."""

    def _count(self) -> None:
        counted = PrivateCounted.of(self.rows, self.schema)
        assert isinstance(counted, PrivateCounted)
        self.counted = counted

    def _search(self) -> None:
        job = self.job
        assert job.method is not None
        self.spending = None if job.ledger is None else job.ledger.enter(the_promise(job.privacy), job.method.key)
        super()._search()
        decided: Any = self.outcome  # kinds are dataclasses
        self.outcome = replace(decided, recoding=replace(decided.recoding, others=others_of(self.schema)))

    def _caveats_of_records(self) -> Sequence[Caveat]:
        without = [Caveat.by_nature(WITHOUT_LEDGER)] if self.job.ledger is None else []
        return [*without, *empty_promises(self.job.privacy, {})]

    def _custodian_log(self) -> CustodianLog:
        return replace(super()._custodian_log(), draw_mark=None, draw_key=None)

    def _secret_figures(self) -> dict[str, Any]:
        records = replace(self.counted.prepared, with_gap=self.counted.dropped)
        return {**super()._secret_figures(), **private_figures(self.outcome, records, self.written.records)}


def run_in_engine(job: Job, observe: Observer = silent, *, log: Log | None = None) -> EngineRun:
    """Return the run of a job in its engine."""
    kind = PrivateEngineRun if job.is_private else EngineRun
    return kind(job, observe, log=log)
