"""EngineRun: the way of a table to its release where rows live in an engine and never all in memory.

The stages are those of :class:`~nymity.publishing.running.run.Run`. Reading and encoding count combinations, recoding
and writing are one, and what is verified is what was written: all three are asked of an engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from nymity.core.commit import Stage, committing
from nymity.core.custodian import KEYED_MAPPING_NAME
from nymity.core.draws import DerivedDraws
from nymity.core.errors import JobError, PromiseError, TableError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.randomness import salt
from nymity.dp.ledger import Spending
from nymity.engines import Rows, check_types, open_rows, spilling
from nymity.io import ReadOptions
from nymity.lattice.default import default_search, said
from nymity.lattice.space import Space
from nymity.publishing.caveats import Caveat, by_nature, worst_first
from nymity.publishing.caveats.of_method import chosen_by_hand, optimality
from nymity.publishing.caveats.of_people import not_counted, spelled_alike
from nymity.publishing.caveats.of_schema import caveats_of_schema
from nymity.publishing.certificates.certificate import Certificate, PersonsTouched, certify, measured_section
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.custodian.custody import keep_earlier, make_way, private_folder, spare_release
from nymity.publishing.custodian.redrawing import Log, counted_draws, drawn_anew, mark_of, root_of
from nymity.publishing.intersecting.earlier import unmeasured_caveats
from nymity.publishing.jobs.earlier_release import EarlierRelease
from nymity.publishing.jobs.job import Job, Source
from nymity.publishing.jobs.transform_checks import check_perturbed
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.releases.release import broken, stage_certificate, stage_release
from nymity.publishing.releases.written_release import WrittenRelease
from nymity.publishing.running.counted_release import CountedRelease
from nymity.publishing.running.engine_counts import Counted, ReleasePlan
from nymity.publishing.running.run import ROWS
from nymity.publishing.running.stages import Staged
from nymity.publishing.sealing.fingerprint import file_fingerprint
from nymity.publishing.sealing.signing import SigningKey, key_for
from nymity.publishing.steps.free_text_refused import refuse_free_text
from nymity.publishing.steps.starting_levels import Begun, begins_at_levels
from nymity.table.attribute import Role
from nymity.table.constant_columns import check_constant
from nymity.table.encoding import check_extent
from nymity.table.schema import check_columns

if TYPE_CHECKING:
    from nymity.table.outcome import Outcome

#: Rows that are looked at for free text.
_SAMPLE = 100_000


class EngineRun(Staged):
    """One run of a job in an engine, from its source to a release that lies in a folder."""

    rows: Rows
    counted: Counted
    spending: Spending | None = None  #: what the ledger has spent with a private release
    draws: DerivedDraws
    outcome: Outcome
    plan: ReleasePlan
    begun: Begun | None = None  #: where the search began, if above the lowest levels
    owned: Path | None = None  #: what was published with of whom it is, where records are of persons
    mapping: Path | None = None  #: what was published with a key of the source, for the custodian

    def __init__(self, job: Job, observe: Observer = silent, *, log: Log | None = None) -> None:
        if job.engine is None or job.engine.kind == "memory":
            raise JobError("engine", expected="one that is not 'memory'", got="none")
        if any(isinstance(one, EarlierRelease) for one in job.earlier_releases):
            raise JobError(
                "earlier_releases",
                expected="only names: releases of an engine are not intersected with others",
                got="a release to intersect with",
                hint="engine 'memory', where the table fits; or its name, which is repeated and warned of",
            )
        check_perturbed(job.transforms, job.schema)
        self.job, self.observe, self.engine, self.log = job, observe, job.engine, log
        self.schema = job.schema
        # Refused here, and not after the table was counted: a log and a seed at once, or a log of another kind.
        self.root = root_of(job, log)
        self.seconds = {}
        self.salt = salt()

    def write(
        self,
        folder: str | Path,
        *,
        custodian: str | Path | None = None,
        sign: SigningKey | str | Path | None = None,
        force: bool = False,
        wait: float = 0.0,
        accept: Callable[[Sequence[Caveat]], None] | None = None,
    ) -> WrittenRelease:
        """Go through all stages; files appear in ``folder`` once what was written keeps every promise.

        ``accept`` is shown the warnings before that; if it raises an error, nothing appears.
        """
        self.folder = folder = Path(folder)
        private = private_folder(folder, custodian)
        make_way(self.job, folder, private, force=force, wait=wait)
        key = key_for(sign if sign is not None else self.job.sign, folder, private)
        with ExitStack() as open_:
            self.spilled = open_.enter_context(spilling(self.engine.temporary))
            self._stage("reading", lambda: self._open(open_))
            self._stage("counting", self._count)
            self._stage("searching", self._search)
            staged = open_.enter_context(committing(private, folder, private=[private], wait=wait))
            kept, stage = staged
            spare_release(folder, private, self.job.file_names, force=force)
            path = stage / self.job.output.file_name
            self._stage("recoding and writing", lambda: self._apply(path, kept))
            self._stage("verifying", lambda: self._verify(path))
            self._stage("looking for warnings", self._look_for_warnings)
            if accept is not None:
                accept(self.caveats)
            certificate = self._certified(path)
            stage_certificate(stage, certificate, key)
            # The earlier log moves aside in the same commit: after a crash it is in one of both places.
            keep_earlier(kept, folder)
            log = self._custodian_log()
            log.stage(kept, self.outcome.recoding, certificate)
            stage_release(stage, folder, private, [path.name], signed=key is not None)
        return WrittenRelease(
            folder=folder,
            certificate=certificate,
            verification=self.written.verification,
            outcome=self.outcome,
            job=self.job,
            log=log,
            frame=self.written.counted,
        )

    # -- the stages, in order ------------------------------------------------------------------------------

    def _open(self, open_: ExitStack) -> None:
        self.rows = open_.enter_context(self._rows())
        check_columns(self.schema, list(self.rows.columns))
        check_extent(self.rows.height, self.schema)
        check_types(self.rows.columns, [*self.schema.published, *self.schema.quasi, *self.schema.sensitive])
        self._check_source()

    def _check_source(self) -> None:
        """Refuse what records alone show."""
        schema = self.schema
        if not self.rows.height:
            raise TableError("table", expected="at least one record", got="an empty table")
        check_types(self.rows.columns, [] if schema.unit is None else [schema.unit])
        strict = [name for name, one in schema.items() if one.missing == "error"]
        for name, gaps in self.rows.gaps(strict).items():
            schema[name].refuse_gaps(name, gaps)
        if constant := [name for name, one in schema.items() if one.constant]:
            names = [schema.person or "", *constant]
            found = self.rows.count(names)
            cells = pl.DataFrame({name: found[f"c{i}"] for i, name in enumerate(names)})
            check_constant(cells, schema.among(names))
        shown = schema.published
        refuse_free_text(self.rows.head(shown, _SAMPLE), schema.among(shown))

    def _rows(self) -> Rows:
        source, engine = self.job.source, self.engine
        place = Path(source.path) if isinstance(source, Source) else source
        options = source.options if isinstance(source, Source) else ReadOptions()
        rows: Rows = open_rows(engine, place, options, self.spilled, typed=not self.job.is_private)
        return rows

    def _count(self) -> None:
        """Count the combinations that every decision rests on."""
        most = self.engine.most_combinations if begins_at_levels(self.job.method) else None
        counted = Counted.of(self.rows, self.schema, most)
        self.schema = counted.schema.settled(counted.cells)
        self.job = replace(self.job, schema=self.schema)
        self.counted = replace(counted, schema=self.schema)

    def _search(self) -> None:
        encoded = self.counted.encoded
        if self.job.method is None:
            nodes = Space.of(encoded).size
            report(self.observe, Progress(stage=said(nodes)))
            self.job = replace(self.job, method=default_search(nodes))
        assert self.job.method is not None
        columns = [name for name in self.rows.columns if self.schema[name].is_published]
        self.draws = counted_draws(self.root, self.job, encoded, lambda: self.counted.content_hash(""))
        self.outcome = self.job.method.run(
            encoded, self.job.privacy, columns=columns, observe=self.observe, draws=self.draws
        )
        if self.counted.start is not None:
            self.outcome, self.begun = self.counted.start.told(self.outcome, encoded, self.job.privacy)

    def _apply(self, path: Path, kept: Stage) -> None:
        self.plan = self.counted.plan(self.outcome.recoding, self.job.output.row_order, self.draws)
        # Rows are recoded by a second reading of the source; that it did not change, the next stage looks at.
        self.counted.write(self.plan, self.rows, path)
        if self.engine.mapping is not None:  # refused where rows of the source have no part in a plan
            keyed: Any = self.plan
            self.mapping = kept / KEYED_MAPPING_NAME
            keyed.with_key_of_source(self.engine.mapping).write(self.rows, self.mapping)
        if self.counted.persons is not None:
            owned: Any = self.plan
            self.owned = self.spilled / "owned.parquet"
            # Never part of the release: spilled, measured and deleted with the folder of spilled files.
            owned.with_key_of_source(self.schema.unit, *self.schema.sensitive).write(self.rows, self.owned)

    def _verify(self, path: Path) -> None:
        """Measure every promise on the file, by itself."""
        self.written = CountedRelease(
            self.rows, path, self.outcome.recoding.columns, self.job.schema, self.job.privacy, self.spilled, self.owned
        )
        if self.written.records != self.plan.records:
            raise TableError(
                "source",
                expected=f"the {self.plan.records:,} rows that were counted",
                got=f"{self.written.records:,}",
                hint="the source changed while it was read: publish again once nobody writes to it",
            )
        if self.mapping is not None:
            self.written.check_beside(self.mapping)
        if not self.written.verification.holds:
            raise PromiseError(broken(self.written.verification))
        _ = self.written.figures

    def _look_for_warnings(self) -> None:
        job, recoding = self.job, self.outcome.recoding
        shuffled = job.output.row_order == "shuffled"
        self.drawn = (*recoding.drawn, *([ROWS] if shuffled else []))
        mark = self.draws.mark
        self.redrawn = self.log is not None and mark is not None and mark == mark_of(self.log)
        named = [str(one) for one in job.earlier_releases]
        always = [
            *unmeasured_caveats(len(named), 0),
            *drawn_anew(job, self.drawn, self.log, self.folder, redrawn=self.redrawn),
            *map(Caveat.by_nature, job.output.unprotected),
            *by_nature(type(recoding), job.privacy),
            *caveats_of_schema(job.schema, job.privacy),
        ]
        self.caveats = worst_first([*always, *self._caveats_of_records()])

    def _caveats_of_records(self) -> Sequence[Caveat]:
        """Return the warnings that the table gives cause for, and what was chosen by a look at it."""
        job = self.job
        return [
            *self._caveats_of_people(),
            *self.written.caveats(classes=self.outcome.recoding.has_classes),
            *optimality(self.outcome, job.privacy, job.schema),
            *chosen_by_hand(job.method),
        ]

    def _caveats_of_people(self) -> Sequence[Caveat]:
        """Return the warnings of people who may have several records, or several names."""
        schema, persons, owners = self.schema, self.counted.persons, self.written.persons
        if persons is None or owners is None:
            return not_counted(schema.columns(Role.IDENTIFYING))
        withheld = Withheld.of(schema, self.job.privacy, self.job.method)
        return spelled_alike(persons, schema, self.written.counted, owners, withheld)

    @property
    def _touched(self) -> PersonsTouched | None:
        """Return how many persons lost records, or all of them, to suppression."""
        if (persons := self.counted.persons) is None:
            return None
        plan: Any = self.plan
        return PersonsTouched.of(persons, plan.has_class(self.counted.cells))

    # -- what comes of it ----------------------------------------------------------------------------------

    def _certified(self, path: Path) -> Certificate:
        job, verified = self.job, self.written.verification
        certificate = certify(
            job=job,
            tables=None,
            read=lambda: self.counted.figures(self.salt),
            release=self.written.figures,
            counts=None,
            outcome=self.outcome,
            masked=self.plan.masked,
            dropped=self.counted.dropped,
            verified=verified,
            salt=self.salt,
            caveats=self.caveats,
            earlier=[{"name": str(one), "smallest_group": None} for one in job.earlier_releases],
            origin=self.draws.origin,
            drawn=self.drawn,
            redrawn=self.redrawn,
            spending=self.spending,
            touched=self._touched,
            begun=self.begun,
        )
        # Of the bytes that were verified, which are moved and not written again.
        digest = file_fingerprint(path)
        output = {**certificate["output"], "file": path.name, "file_sha256": digest, "formulas_neutralized": False}
        withheld = Withheld.of(job.schema, job.privacy, job.method)
        return {
            **certificate,
            "output": output,
            "measured": measured_section(verified, job.privacy, withheld),
            "files": [{"file": path.name, "sha256": digest}],
        }

    def _custodian_log(self) -> CustodianLog:
        return KeyedLog(
            source_rows=np.empty(0, dtype=np.int64),
            masked=np.empty(0, dtype=np.bool_),
            salt=self.salt,
            seconds=self.seconds,
            nodes=self.outcome.trace(),
            nodes_checked=self.outcome.checks,
            dropped_records=self.counted.dropped,
            figures=self._secret_figures(),
            draw_mark=self.draws.mark,
            draw_key=None if self.root.seed is not None else self.root.key.hex(),
        )

    def _secret_figures(self) -> dict[str, Any]:
        """Return what the certificate does not tell, for the custodian."""
        key = self.engine.mapping
        return {"mapping": "none was kept (engine.mapping)" if key is None else f"by the column {key!r}"}


class KeyedLog(CustodianLog):
    """The log of a release whose rows have no numbers: the mapping is by a key of the source, or there is none."""

    def stage_mapping(self, stage: Stage) -> list[str]:
        """Leave what the engine wrote."""
        return [KEYED_MAPPING_NAME] if (stage / KEYED_MAPPING_NAME).is_file() else []
