"""publish: from a source to a verified release. Command line, Python and studies all come through here."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.datatypes import DataTypeClass

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.core.errors import JobError, ParameterError, PromiseError, TableError
from nymity.core.interrupt import interruptible
from nymity.core.paths import path_text
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.randomness import salt
from nymity.dp.ledger import Ledger
from nymity.dp.private_method import PrivateMethod, PrivateOutcome, the_promise
from nymity.dp.public_domain import public_schema
from nymity.dp.records import Records, others_of
from nymity.io import compact, like, read_table, read_text_cells, text_cells, to_polars
from nymity.lattice.default import default_search, said
from nymity.lattice.outcome import LatticeOutcome
from nymity.lattice.space import Space
from nymity.privacy import PrivacyModel
from nymity.privacy.consistency import Originals
from nymity.publishing.bucket_tables import lost_records
from nymity.publishing.caveats import caveats_of
from nymity.publishing.certificate import certify
from nymity.publishing.custody import make_way, private_folder
from nymity.publishing.differential import check_stated, private_figures
from nymity.publishing.earlier import measure_earlier
from nymity.publishing.earlier_release import Earlier, EarlierRelease, read_earlier
from nymity.publishing.job import Job, Output, Source
from nymity.publishing.job_population import Population, tables_of
from nymity.publishing.redrawing import Log, drawn_anew, mark_of, release_draws, root_of
from nymity.publishing.registry import Method, Outcome
from nymity.publishing.release import CustodianLog, Release, broken
from nymity.publishing.signing import SigningKey, signing_key
from nymity.publishing.verify import verify
from nymity.table.content_order import content_order
from nymity.table.encoding import EncodedTable, encode
from nymity.table.schema import Role, Schema

#: What is drawn where rows are shuffled.
ROWS = "order of rows"


def publish(
    source: Any,
    schema: Schema | None = None,
    *,
    privacy: Sequence[PrivacyModel] | PrivacyModel = (),
    method: Method | None = None,
    output: Output | None = None,
    earlier_releases: Sequence[str | Path | Release | EarlierRelease] = (),
    earlier: Earlier | None = None,
    ledger: Ledger | None = None,
    seed: int | None = None,
    log: Log | None = None,
    out: str | Path | None = None,
    sign: SigningKey | str | Path | None = None,
    force: bool = False,
    observe: Observer = silent,
) -> Release:
    """Publish a table so that every privacy model holds.

    ``source`` is a frame (polars, pandas, pyarrow, …), a path, a :class:`Source` that also says how to read it, or a
    :class:`Job` that says everything by itself.
    The release is verified before it is returned; with ``out`` it is also written there, verified from the written
    file, and signed with the key ``sign`` or that of the job; a release that lies there already is replaced with
    ``force`` alone, and refused before anything is done otherwise. ``method`` defaults to the optimal full-domain
    generalization with 5% suppression; where the lattice is so large that a proof may never end, to the best one found
    within a minute. ``release.job.method`` and the certificate say which ran. ``earlier_releases`` are releases of the
    same people that are out already: paths of their folders, releases, or mere names; ``earlier`` says what must be
    left when they are intersected. ``ledger`` adds up what differentially private releases of the same records spend.

    What is drawn is drawn from a new key of the operating system, which stays in the custodian's log. ``log``, that of
    an earlier release or its folder, uses its key again: the same job then publishes the same table the same way,
    whatever the order of its rows, and repetitions tell nothing. ``seed`` makes draws repeatable for anyone who knows
    it, in tests and studies.
    """
    job, given = job_of("publish", source, schema, privacy, method, output, earlier_releases, ledger, earlier, seed)
    if out is not None:
        path_text("out", out)
    if sign is not None and out is None:
        raise ParameterError("sign", expected="a folder to write to, `out`: files are signed", got="none")
    if out is not None:
        make_way(job, Path(out), private_folder(Path(out), None), force=force)
    chosen = sign if sign is not None else job.sign
    key = signing_key(chosen) if chosen is not None and out is not None else None  # refused before the search
    release = run_job(job, given, observe, log=log, folder=out)
    if out is not None:
        report(observe, Progress(stage="writing and verifying"))
        release = replace(release, certificate=release.write(out, sign=key, force=force))
    return release


def load_source(job: Job) -> pl.DataFrame:
    """Read the table a job names."""
    if job.source is None:
        raise JobError("source", expected="a path to the table", got="none", hint='add [source] path = "table.csv"')
    if isinstance(job.method, PrivateMethod):
        return read_text_cells(job.source.path, job.source.options, job.schema.quasi)
    return read_table(job.source.path, job.source.options)


def population_of(job: Job) -> pl.DataFrame | None:
    """Read the quasi-identifiers of the population that a job counts, if it counts one."""
    if not any(model.second_table for model in job.privacy):
        return None
    return tables_of(job, load_source(job)).population(job.schema)


def job_of(
    where: str,
    source: Any,
    schema: Schema | None,
    privacy: Sequence[PrivacyModel] | PrivacyModel,
    method: Method | None,
    output: Output | None = None,
    earlier_releases: Sequence[str | Path | Release | EarlierRelease] = (),
    ledger: Ledger | None = None,
    earlier: Earlier | None = None,
    seed: int | None = None,
) -> tuple[Job, Any]:
    """Put the arguments of a call into a job, unless the source is one, and tell the frame, if one was given."""
    if isinstance(source, Job):
        beside = {"schema": schema, "privacy": privacy, "method": method, "output": output}
        _refuse_beside_job(
            where, **beside, earlier_releases=earlier_releases, earlier=earlier, ledger=ledger, seed=seed
        )
        return source, None
    if schema is None:
        raise JobError("schema", expected="a Schema", got="None", hint=f"{where}(frame, schema, privacy=[...])")
    if source is None:
        raise JobError("source", expected="a frame, a path or a Job", got="None")
    schema = Schema.of(schema)
    is_path = isinstance(source, str | Path | Source)
    for name, given in (("privacy", privacy), ("earlier_releases", earlier_releases)):
        if not isinstance(given, PrivacyModel):
            validation.instance(name, given, (list, tuple), expected="a list")
    job = Job(
        schema=schema,
        privacy=(privacy,) if isinstance(privacy, PrivacyModel) else tuple(privacy),
        method=method,
        source=source if isinstance(source, Source) else Source(path=str(source)) if is_path else None,
        output=output if output is not None else Output(),
        earlier_releases=tuple(map(read_earlier, earlier_releases)),
        earlier=earlier,
        ledger=ledger,
        seed=seed,
    )
    return job, None if is_path else source


def _refuse_beside_job(where: str, **arguments: Any) -> None:
    extra = [name for name, value in arguments.items() if value is not None and value != ()]
    if extra:
        raise JobError(
            where,
            expected="a job alone, which says everything by itself",
            got=f"a job and {', '.join(extra)}",
            hint="change the job: dataclasses.replace(job, ...)",
        )


def opened(job: Job) -> Schema:
    """Return the schema to encode by, and refuse a private release that cannot be, before a record is read."""
    if isinstance(job.method, PrivateMethod) and job.source is not None:
        check_stated(job.source.path, job.source.options)
    if job.ledger is not None:
        job.ledger.check(the_promise(job.privacy))
    return public_schema(job.schema) if isinstance(job.method, PrivateMethod) else job.schema


def run_job(
    job: Job,
    given: Any = None,
    observe: Observer = silent,
    *,
    log: Log | None = None,
    folder: str | Path | None = None,
) -> Release:
    """Publish by a job; ``given`` is its source where that was read before, or is no file.

    ``log`` is that of an earlier release to draw like, ``folder`` where the release will lie.
    """
    seconds: dict[str, float] = {}
    schema, root = opened(job), root_of(job, log)
    with _timed("reading", seconds, observe):
        source = load_source(job) if given is None else _taken(job, given)
        tables = tables_of(job, source)
        prepared = _prepared(job, schema, tables.published)
        table, rows = _with_one_zero(prepared.table), prepared.rows
        people = tables.population(job.schema)
    with _timed("encoding", seconds, observe):
        encoded = prepared.encoded if isinstance(prepared, Records) else encode(table, schema, people)
    job, method = _with_method(job, encoded, observe)
    spending = None
    if job.ledger is not None:  # before the first draw, and for good
        spending = job.ledger.enter(the_promise(job.privacy), method.key)
    published = [name for name in table.columns if job.schema[name].role is not Role.IDENTIFYING]
    draws = release_draws(root, job, table, encoded, published)
    with _timed("searching", seconds, observe):
        outcome = method.run(encoded, job.privacy, columns=published, observe=observe, draws=draws)
        if isinstance(outcome, PrivateOutcome):
            outcome = replace(outcome, recoding=replace(outcome.recoding, others=others_of(schema)))
    with _timed("recoding", seconds, observe):
        recoded = outcome.recoding.apply(table, draws=draws)
        order = _row_order(recoded.table, job.output.row_order, draws)
        frame = compact(recoded.table[order])
        counts = None if recoded.counts is None else compact(recoded.counts)
    with _timed("verifying", seconds, observe):
        population = None if people is None else Population.of(people, outcome.recoding, table.height)
        hierarchies = job.schema.sensitive_hierarchies
        needed = any(model.needs_source for model in job.privacy)
        originals = Originals.of(table, outcome.recoding) if needed else None
        verified = verify(
            frame,
            job.schema.quasi,
            job.privacy,
            hierarchies=hierarchies,
            population=population,
            counts=counts,
            originals=originals,
        )
        if counts is not None:
            verified = replace(verified, problems=(*verified.problems, *lost_records(frame, counts, table)))
        if not verified.holds:
            raise PromiseError(broken(verified))
    redrawn = log is not None and draws.mark is not None and draws.mark == mark_of(log)
    secret, drawn = salt(), (*outcome.recoding.drawn, *([ROWS] if job.output.row_order == "shuffled" else []))
    with _timed("looking for warnings", seconds, observe):
        earlier = measure_earlier(job, outcome.recoding, recoded, tables.published, rows)
        apart = drawn_anew(job, drawn, log, folder, redrawn=redrawn)
        caveats = caveats_of(job, outcome, recoded, table, earlier=[*earlier.caveats, *apart])
    certificate = certify(
        job=job,
        tables=tables,
        release=frame,
        counts=counts,
        outcome=outcome,
        masked=int(recoded.masked.sum()),
        dropped=tables.published.height - table.height,
        verified=verified,
        salt=secret,
        caveats=caveats,
        earlier=earlier.entries,
        origin=draws.origin,
        drawn=drawn,
        redrawn=redrawn,
        spending=spending,
    )
    kept = CustodianLog(
        source_rows=rows[recoded.source_rows[order]],
        masked=recoded.masked[order],
        salt=secret,
        seconds=seconds,
        nodes=_nodes(outcome),
        dropped_records=tables.published.height - table.height,
        figures=private_figures(outcome, prepared, frame.height)
        if isinstance(outcome, PrivateOutcome) and isinstance(prepared, Records)
        else {},
        draw_mark=None if isinstance(outcome, PrivateOutcome) else draws.mark,
        draw_key=None if root.seed is not None or isinstance(outcome, PrivateOutcome) else root.key.hex(),
    )
    return Release(
        table=frame if given is None else like(given, frame),
        frame=frame,
        counts=counts,
        certificate=certificate,
        verification=verified,
        outcome=outcome,
        job=job,
        log=kept,
        population=population,
        originals=originals,
    )


def _with_method(job: Job, table: EncodedTable, observe: Observer) -> tuple[Job, Method]:
    """Return the job with a method, and that: where nobody names one, the size of the lattice decides."""
    if job.method is not None:
        return job, job.method
    nodes = Space.of(table).size
    report(observe, Progress(stage=said(nodes)))
    method = default_search(nodes)
    return replace(job, method=method), method


@dataclass(frozen=True, eq=False)
class _Prepared:
    """The records to publish, and which source rows they are."""

    table: pl.DataFrame
    rows: NDArray[np.int64]


def _taken(job: Job, given: Any) -> pl.DataFrame:
    """Return the caller's frame as a table; of text cells where a private method is to publish it."""
    if isinstance(job.method, PrivateMethod):
        return text_cells(given, job.schema.quasi)
    return to_polars(given)


def _prepared(job: Job, schema: Schema, source: pl.DataFrame) -> _Prepared | Records:
    """Leave out records as the schema says; a private method leaves out what has no place, and fails for no record."""
    if isinstance(job.method, PrivateMethod):
        return Records.of(source, schema)
    job.schema.check(source)
    return _Prepared(*without_dropped(source, job.schema))


def _nodes(outcome: Outcome) -> pl.DataFrame | None:
    """Return what was seen of a lattice."""
    if isinstance(outcome, PrivateOutcome):
        return outcome.trace()
    return outcome.nodes.frame() if isinstance(outcome, LatticeOutcome) else None


def without_dropped(source: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Leave out records with a gap where the policy is ``drop``; tell which source rows stay."""
    gaps = schema.gaps(source)
    if gaps.all():
        raise TableError(
            "table",
            expected="records without gaps where missing = 'drop'",
            got="none",
            hint="missing = 'category' keeps gaps as a value of their own",
        )
    rows = np.flatnonzero(~gaps)
    return (source if len(rows) == source.height else source[rows]), rows


def _with_one_zero(table: pl.DataFrame) -> pl.DataFrame:
    """Write the two zeros of floating-point numbers alike, and every NaN, also inside lists and structs.

    They are sorted as equal, and would show the order of the source.
    """
    columns = (column.to_frame("cell") for column in table)  # polars reads names like "^x$" as patterns
    cells = (column.select(_one_zero(pl.col("cell"), column.dtypes[0])).to_series() for column in columns)
    return pl.DataFrame(dict(zip(table.columns, cells, strict=True)))


def _one_zero(cell: pl.Expr, dtype: pl.DataType | DataTypeClass) -> pl.Expr:
    if dtype.is_float():
        zero, nan = pl.lit(0.0, dtype), pl.lit(float("nan"), dtype)
        return pl.when(cell == 0).then(zero).when(cell.is_nan()).then(nan).otherwise(cell)
    if isinstance(dtype, pl.List):
        return cell.list.eval(_one_zero(pl.element(), dtype.inner))
    if isinstance(dtype, pl.Array):
        return cell.arr.to_list().list.eval(_one_zero(pl.element(), dtype.inner)).cast(dtype)
    if isinstance(dtype, pl.Struct):
        safe = [f"f{i}" for i in range(len(dtype.fields))]
        plain = cell.struct.rename_fields(safe)
        fields = zip(safe, (field.dtype for field in dtype.fields), strict=True)
        alike = plain.struct.with_fields(*(_one_zero(plain.struct.field(name), of).alias(name) for name, of in fields))
        return alike.struct.rename_fields([field.name for field in dtype.fields])
    return cell


def _row_order(table: pl.DataFrame, wanted: str, draws: Draws) -> NDArray[np.int64]:
    """Return an order of rows that does not depend on the input's."""
    order = content_order(table)
    return order[draws.permutation(ROWS, table.height)] if wanted == "shuffled" else order


@contextmanager
def _timed(stage: str, seconds: dict[str, float], observe: Observer) -> Iterator[None]:
    report(observe, Progress(stage=stage))
    start = time.perf_counter()
    with interruptible():
        yield
    seconds[stage] = round(time.perf_counter() - start, 4)
