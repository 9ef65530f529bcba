"""publish: the one way in. Command line, Python and studies make their releases by a :class:`Run` of a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, overload

from nymity.core import validation
from nymity.core.errors import JobError, ParameterError
from nymity.core.paths import path_text
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.quoting import as_given
from nymity.database import DatabaseOutput, DatabaseSource
from nymity.dp.ledger import Ledger
from nymity.engines import Engine
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.default import SUPPRESSION
from nymity.privacy.table_method import OnInterrupt
from nymity.publishing.custodian.custody import finish_earlier, make_way, private_folder
from nymity.publishing.custodian.redrawing import Log
from nymity.publishing.jobs.children import Children, refuse_deeper
from nymity.publishing.jobs.coercion import (
    GivenMethod,
    GivenModels,
    GivenTransforms,
    method_of,
    models_of,
    transforms_of,
)
from nymity.publishing.jobs.earlier_release import Earlier, EarlierRelease, read_earlier
from nymity.publishing.jobs.engine_choice import with_engine, with_fitting_engine
from nymity.publishing.jobs.job import Job, Output, Source
from nymity.publishing.releases.release import Release
from nymity.publishing.releases.written_release import WrittenRelease
from nymity.publishing.running.finished_run import finished_release
from nymity.publishing.running.private_engine_run import run_in_engine
from nymity.publishing.running.run import Run
from nymity.publishing.sealing.signing import SigningKey, signing_key
from nymity.table.schema import GivenSchema, Schema


@overload
def publish(
    source: Any,
    schema: GivenSchema | None = None,
    *,
    privacy: GivenModels = (),
    k: int | None = None,
    method: GivenMethod | None = None,
    transforms: GivenTransforms = (),
    output: Output | DatabaseOutput | None = None,
    earlier_releases: Sequence[str | Path | Release | EarlierRelease] = (),
    earlier: Earlier | None = None,
    ledger: Ledger | None = None,
    seed: int | None = None,
    engine: None = None,
    children: Any = None,
    log: Log | None = None,
    out: str | Path | None = None,
    sign: SigningKey | str | Path | None = None,
    force: bool = False,
    on_interrupt: OnInterrupt = "error",
    observe: Observer = silent,
) -> Release: ...


@overload
def publish(
    source: Any,
    schema: GivenSchema | None = None,
    *,
    engine: Engine | str,
    privacy: GivenModels = (),
    k: int | None = None,
    method: GivenMethod | None = None,
    transforms: GivenTransforms = (),
    output: Output | DatabaseOutput | None = None,
    earlier_releases: Sequence[str | Path | Release | EarlierRelease] = (),
    earlier: Earlier | None = None,
    ledger: Ledger | None = None,
    seed: int | None = None,
    children: Any = None,
    log: Log | None = None,
    out: str | Path | None = None,
    sign: SigningKey | str | Path | None = None,
    force: bool = False,
    on_interrupt: OnInterrupt = "error",
    observe: Observer = silent,
) -> Release | WrittenRelease: ...


def publish(
    source: Any,
    schema: GivenSchema | None = None,
    *,
    privacy: GivenModels = (),
    k: int | None = None,
    method: GivenMethod | None = None,
    transforms: GivenTransforms = (),
    output: Output | DatabaseOutput | None = None,
    earlier_releases: Sequence[str | Path | Release | EarlierRelease] = (),
    earlier: Earlier | None = None,
    ledger: Ledger | None = None,
    seed: int | None = None,
    engine: Engine | str | None = None,
    children: Any = None,
    log: Log | None = None,
    out: str | Path | None = None,
    sign: SigningKey | str | Path | None = None,
    force: bool = False,
    on_interrupt: OnInterrupt = "error",
    observe: Observer = silent,
) -> Release | WrittenRelease:
    """Publish a table so that every privacy model holds.

    ::

        release = ny.publish(df, {"name": "identifying", "age": "quasi", "diagnosis": "sensitive"}, k=5)
        release.save("out")

    ``source`` is a frame (polars, pandas, pyarrow, …), a path, a :class:`Source` that also says how to read it, a
    :class:`DatabaseSource`, or a :class:`Job` that says everything by itself. ``schema`` has the role of every column:
    a word, or what :func:`quasi` and its siblings return; the word ``"quasi"`` takes the hierarchy that is suggested
    for the column, and ``release.job`` says which. ``privacy`` is a model or a list of them: ``KAnonymity(5)``,
    ``"k-anonymity"`` beside ``k=5``, or ``{"model": "t-closeness", "t": 0.2, "attribute": "diagnosis"}``. ``k`` alone
    promises k-anonymity. ``method`` is one, its name (``"mondrian"``), or ``{"name": "mondrian", ...}``. ``transforms``
    change cells of columns that no promise is about: ``TopCoding(columns=["income"], fewest=10)``.
    The release is verified before it is returned; with ``out`` it is also written there, verified from the written
    file, and signed with the key ``sign`` or that of the job; a release that lies there already is replaced with
    ``force`` alone, and refused before anything is done otherwise. ``method`` defaults to the optimal full-domain
    generalization with 5% suppression; where the lattice is so large that a proof may never end, to the best one found
    within a minute. ``release.job.method`` and the certificate say which ran. ``earlier_releases`` are releases of the
    same people that are out already: paths of their folders, releases, or mere names; ``earlier`` says what must be
    left when they are intersected. ``children`` is a second table of the same people, such as visits of patients: a
    frame, a path, or :class:`Children`; promises are about the join of both, and both are published. ``ledger`` adds up
    what differentially private releases of the same records spend.

    What is drawn is drawn from a new key of the operating system, which stays in the custodian's log. ``log``, that of
    an earlier release or its folder, uses its key again: the same job then publishes the same table the same way,
    whatever the order of its rows, and repetitions tell nothing. ``seed`` makes draws repeatable for anyone who knows
    it, in tests and studies.

    ``engine`` says where rows live meanwhile: an :class:`Engine`, or its kind. With another than ``memory`` rows are
    never all in memory: ``source`` is a path, ``out`` is needed, and what is returned says where the release lies. A
    table that would not fit is streamed without being asked, and then a :class:`WrittenRelease` is returned, too.

    ``on_interrupt="best"`` is for methods that have an answer at any time (``optimal-lattice``, and
    ``anytime-lattice``, which is taken where no method is named): Ctrl-C ends the search, and the best that was found
    is verified and published as usual.
    ``release.outcome.stopped`` says so, and nothing is proved of how good it is. Private methods refuse it: when
    somebody stops could depend on the records.

    Where an earlier call died after it had committed this release to a database, that is finished, and returned as it
    was published then.
    """
    if not callable(observe):
        raise ParameterError(
            "observe",
            expected="a function of one progress report, such as print",
            got=as_given(observe),
        )
    job, given = job_of("publish", source, schema, privacy, method, output, earlier_releases, ledger, earlier, seed, k)
    if not (isinstance(transforms, list | tuple) and not transforms):
        job = _with_transforms(source, job, transforms)
    job = with_engine(job, engine)
    validation.one_of("on_interrupt", on_interrupt, get_args(OnInterrupt))
    if on_interrupt != "error":
        job = _with_best_so_far(job, on_interrupt)
    if children is not None:
        job, children = _with_children(source, job, children)
    if out is not None:
        path_text("out", out)
    if sign is not None and out is None:
        raise ParameterError("sign", expected="a folder to write to, `out`: files are signed", got="none")
    if out is not None:
        private = private_folder(Path(out), None)
        # A database commits by itself. If a run died between that commit and ours, publishing again would add rows
        # twice.
        if finish_earlier(job, Path(out), private):
            there = finished_release(job, given, Path(out), private, observe=observe, children=children)
            if there is not None:
                return there
        make_way(job, Path(out), private, force=force)
    if out is not None:
        job = with_fitting_engine(job, observe)
    if job.engine is not None and job.engine.kind != "memory":
        return _by_engine(job, given, observe, log=log, out=out, sign=sign, force=force)
    chosen = sign if sign is not None else job.sign
    key = signing_key(chosen) if chosen is not None and out is not None else None  # refused before the search
    release = Run(job, given, observe, log=log, folder=out, children=children).release()
    if out is not None:
        report(observe, Progress(stage="writing and verifying"))
        release = replace(release, certificate=release.save(out, sign=key, force=force))
    return release.with_text()


def _with_transforms(source: Any, job: Job, transforms: GivenTransforms) -> Job:
    if isinstance(source, Job):
        _refuse_beside_job("publish", transforms=transforms)
    return replace(job, transforms=transforms_of(transforms))


def _with_best_so_far(job: Job, on_interrupt: OnInterrupt) -> Job:
    """Return the job with a search that Ctrl-C ends, and not the run."""
    method: Any = AnytimeLattice(suppression=SUPPRESSION) if job.method is None else job.method
    if not method.answers_any_time:
        raise JobError(
            "on_interrupt",
            expected="a method that has an answer at any time",
            got=as_given(method.key),
            hint="method='anytime-lattice'",
        )
    return replace(job, method=replace(method, on_interrupt=on_interrupt))


def _by_engine(
    job: Job, given: Any, observe: Observer, *, log: Log | None, out: str | Path | None, sign: Any, force: bool
) -> WrittenRelease:
    """Publish where rows are not in memory."""
    assert job.engine is not None
    if given is not None or out is None:
        raise ParameterError(
            "engine",
            expected="the path of a table, and `out`, a folder for the release",
            got="a frame, which is in memory" if given is not None else "no `out`",
            hint="engine='memory', or write the frame to a .parquet file",
        )
    return run_in_engine(job, observe, log=log).write(out, sign=sign, force=force)


def job_of(
    where: str,
    source: Any,
    schema: GivenSchema | None,
    privacy: GivenModels,
    method: GivenMethod | None,
    output: Output | DatabaseOutput | None = None,
    earlier_releases: Sequence[str | Path | Release | EarlierRelease] = (),
    ledger: Ledger | None = None,
    earlier: Earlier | None = None,
    seed: int | None = None,
    k: int | None = None,
) -> tuple[Job, Any]:
    """Put the arguments of a call into a job, unless the source is one, and tell the frame, if one was given."""
    if isinstance(source, Job):
        beside = {"schema": schema, "privacy": privacy, "method": method, "output": output}
        _refuse_beside_job(
            where, **beside, earlier_releases=earlier_releases, earlier=earlier, ledger=ledger, seed=seed, k=k
        )
        return source, None
    if schema is None:
        hint = f'{where}(frame, {{"age": "quasi"}}, k=5); ny.inspect(frame).schema() suggests roles'
        if isinstance(source, str | Path) and Path(source).suffix in (".toml", ".json", ".yaml", ".yml"):
            hint = f"{where}(ny.Job.load({str(source)!r:.80}))"
        raise JobError("schema", expected="the role of each column", got="None", hint=hint)
    if source is None:
        raise JobError("source", expected="a frame, a path or a Job", got="None")
    # The two arguments in the wrong order: a frame where roles should be.
    if hasattr(schema, "columns") and isinstance(source, Mapping | list | tuple) and not isinstance(schema, Schema):
        raise JobError(where, expected="the table, then its roles", got="the table second")
    schema = Schema.of(schema)
    is_path = isinstance(source, str | Path | Source | DatabaseSource)
    validation.instance("earlier_releases", earlier_releases, (list, tuple), expected="a list")
    job = Job(
        schema=schema,
        privacy=models_of(privacy, k),
        method=method_of(method),
        source=source if isinstance(source, Source | DatabaseSource) else Source(path=str(source)) if is_path else None,
        output=output if output is not None else Output(),
        earlier_releases=tuple(map(read_earlier, earlier_releases)),
        earlier=earlier,
        ledger=ledger,
        seed=seed,
    )
    return job, None if is_path else source


def _with_children(source: Any, job: Job, children: Any) -> tuple[Job, Any]:
    """Return the job with its table of children, and that table where it is given as a frame."""
    if isinstance(source, Job):
        _refuse_beside_job("publish", children=children)
    if isinstance(children, list | tuple):
        raise refuse_deeper(f"a list of {len(children)}")
    if isinstance(children, Children):
        return replace(job, children=children), None
    if isinstance(children, str | Path):
        return replace(job, children=Children(path=str(children))), None
    return replace(job, children=Children()), children


def _refuse_beside_job(where: str, **arguments: Any) -> None:
    extra = [
        name for name, value in arguments.items() if value is not None and not (isinstance(value, tuple) and not value)
    ]
    if extra:
        raise JobError(
            where,
            expected="only a job, which says everything by itself",
            got=f"a job and {', '.join(extra)}",
            hint="change the job: dataclasses.replace(job, ...)",
        )
