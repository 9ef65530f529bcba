"""explore: every choice of levels a table allows, and what each would publish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nymity.core import validation
from nymity.core.errors import JobError
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.quoting import as_given
from nymity.io import to_polars
from nymity.lattice.default import SUPPRESSION
from nymity.lattice.fixed_levels import FixedLevels
from nymity.lattice.nodes import EvaluatedNodes
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.search import LatticeSearch
from nymity.lattice.solution_space import evaluate_lattice
from nymity.lattice.space import Space
from nymity.publishing.jobs.coercion import GivenMethod, GivenModels
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.job_tables import as_one, load_source, tables_of
from nymity.publishing.jobs.registry import Method, is_private
from nymity.publishing.running.pipeline import job_of
from nymity.quality import Loss, loss_of
from nymity.table.encoding import EncodedTable, encode
from nymity.table.schema import GivenSchema


def explore(
    source: Any,
    schema: GivenSchema | None = None,
    *,
    privacy: GivenModels = (),
    k: int | None = None,
    method: GivenMethod | None = None,
    losses: Sequence[str | Loss] | str | Loss = (),
    threads: int | None = None,
    observe: Observer = silent,
) -> EvaluatedNodes:
    """Evaluate every node of the lattice, where a search looks at as few as it can.

    ``source``, ``schema``, ``privacy``, ``k`` and ``method`` are those of :func:`publish`; of the method, a search of
    the lattice, only what it demands matters: the suppression limit, which tells solutions from the rest, what happens
    to outliers, and the loss. ``losses`` are others to evaluate instead; the first orders the nodes. ``threads`` share
    the work (default: as many as the method says). Lattices of more than 2^24 nodes are refused.
    """
    job, given = job_of("explore", source, schema, privacy, method, k=k)
    search = job.method if job.method is not None else OptimalLattice(suppression=SUPPRESSION)
    refuse_private("explore", search)
    if not isinstance(search, LatticeSearch):
        hint = "the method 'optimal-lattice' (--set method.name=optimal-lattice)"
        raise JobError("method", expected="a search of the lattice", got=as_given(search.key), hint=hint)
    threads = getattr(search, "threads", 1) if threads is None else threads
    validation.whole_number("explore.threads", threads, at_least=1)
    with interruptible():
        table = encoded(job, given, observe)
        return evaluate_lattice(
            table,
            job.privacy,
            _losses(losses) or [search.minimized],
            limit=search.limit(table, job.privacy),
            most_touched=search.most_touched(table),
            outliers=search.outliers,
            threads=threads,
            observe=observe,
        )


def levels_of_node(job: Job, number: int, observe: Observer = silent) -> dict[str, int]:
    """Return the levels of the node that :func:`explore` of the same job gives this number."""
    table = encoded(job, None, observe)
    space = Space.of(table)
    validation.whole_number("node", number, at_least=1, at_most=space.size)
    return dict(zip(table.names, space.node(number - 1), strict=True))


def at_levels(job: Job, levels: Mapping[str, int]) -> Job:
    """Return the job with the levels of one node in place of a search, and all else that a search of it demands."""
    demands = ("loss", "suppression", "outliers", "suppression_persons")
    search = job.method if isinstance(job.method, LatticeSearch) else None
    given = {"suppression": SUPPRESSION} if search is None else {name: getattr(search, name) for name in demands}
    return replace(job, method=FixedLevels(levels=dict(levels), **given))


def _losses(losses: Sequence[str | Loss] | str | Loss) -> list[Loss]:
    several = [losses] if isinstance(losses, str | Loss) else losses
    validation.instance("explore.losses", several, (list, tuple), expected="a loss, its key, or a list of them")
    return [loss_of(loss, where="explore.losses") for loss in several]


def refuse_private(where: str, method: Method | None) -> None:
    """Refuse to look at records for parameters of a release that promises differential privacy."""
    if method is not None and is_private(method):
        raise JobError(
            where,
            expected="a job that promises no differential privacy",
            got=f"the method {method.key!r}, whose promise a look at the records breaks if parameters follow from it",
            hint="ny.dp.forecast(schema, promise) says what to expect, from public facts only",
        )


def encoded(job: Job, given: Any, observe: Observer = silent) -> EncodedTable:
    """Encode the table that a job publishes, which is read unless given."""
    report(observe, Progress(stage="reading"))
    if job.children is not None and given is None:
        job, given = as_one(job)
    tables = tables_of(job, load_source(job) if given is None else to_polars(given))
    job.schema.check(tables.published)
    table, _ = job.schema.without_gaps(tables.published)
    report(observe, Progress(stage="encoding"))
    return encode(table, job.schema.settled(tables.published), tables.population(job.schema))
