"""Count queries on a release: one, or many at random against the original table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core import validation
from nymity.core.errors import ParameterError, SchemaError, TableError
from nymity.core.progress import Observer, silent
from nymity.io import to_polars
from nymity.table.bucket_recoding import BucketRecoding
from nymity.table.hierarchy import Label
from nymity.table.published_cells import by_recoding, by_text
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.utility.answering import answered
from nymity.utility.countable import BucketTables, Countable, RecodedTable
from nymity.utility.query import Query, check_columns
from nymity.utility.query_error import QueryError, measured_error
from nymity.utility.reading import hierarchies_of, is_release
from nymity.utility.workload import Workload


def count(table: Any, query: Query, *, recoding: Recoding | str | Path | None = None) -> float:
    """Estimate how many records satisfy a query: on a release, on :class:`BucketTables`, or on a released table.

    Without ``recoding`` a table is taken as it is, and the count is exact.
    """
    published = _opened(table, recoding)
    check_columns(query, published.columns)
    countable = published.countable(list(query))
    return float(answered(countable, Workload.of([query], countable.domains))[0])


def count_queries(
    original: Any,
    release: Any,
    schema: Schema | None = None,
    *,
    recoding: Recoding | str | Path | None = None,
    population: pl.DataFrame | None = None,
    queries: Workload | Sequence[Query] | None = None,
    n: int = 5000,
    selectivity: float = 0.01,
    dimensions: int | None = None,
    sensitive: str | None = None,
    seed: int = 1,
    observe: Observer = silent,
) -> QueryError:
    """Ask a release and the original table the same queries, and measure how far the answers are apart.

    ``release`` is a release, :class:`BucketTables`, or a released table with the ``schema`` it was made by; what cells
    of the latter stand for is read from the ``recoding`` or, without it, from their text (``population`` as in
    :func:`nymity.compare`). ``n`` queries are drawn for the values that occur (see :class:`Workload`), unless
    ``queries`` gives others. Records that were not published are missing from the estimates; nothing makes up for them.
    """
    source = to_polars(original)
    schema = release.job.schema if is_release(release) else schema
    if schema is not None:
        schema = Schema.of(schema)
        _check_original(source, schema)
    published = _published(release, recoding, source, schema, population)
    asked = _asked_for(queries, published, schema, sensitive)
    before, after = RecodedTable(source).countable(asked.columns), published.countable(asked.columns)
    if queries is None:
        workload = Workload.drawn(
            before.domains, asked.sensitive, n=n, selectivity=selectivity, dimensions=dimensions, seed=seed
        )
    else:
        workload = queries if isinstance(queries, Workload) else Workload.of(queries, _joined(before, after))
    answers = answered(before, workload, observe=observe, stage="counting in the original")
    estimates = answered(after, workload, observe=observe, stage="estimating from the release")
    return measured_error(workload, source.height, answers, estimates)


# -- what is asked, and of whom --------------------------------------------------------------------------------


def _check_original(source: pl.DataFrame, schema: Schema) -> None:
    """Refuse an original without a column that a release is made of."""
    for name in (*schema.quasi, *schema.sensitive):
        if name not in source.columns:
            raise TableError(
                "the original table",
                expected=f"the columns {', '.join(map(repr, (*schema.quasi, *schema.sensitive)))}",
                got=f"no column {name!r}",
                hint=validation.nearest(name, source.columns),
            )


@dataclass(frozen=True)
class _Asked:
    """The columns that queries are about, and the sensitive one among them."""

    columns: list[str]
    sensitive: str | None = None


def _asked_for(
    queries: Workload | Sequence[Query] | None,
    published: RecodedTable | BucketTables,
    schema: Schema | None,
    sensitive: str | None,
) -> _Asked:
    if isinstance(queries, Workload):
        return _Asked(list(queries.predicates))
    if queries is not None:
        for query in queries:
            check_columns(query, published.columns)
        return _Asked(list(dict.fromkeys(name for query in queries for name in query)))
    if schema is not None:
        quasi, apart = list(schema.quasi), list(schema.sensitive)
    else:
        assert isinstance(published, BucketTables)
        quasi, apart = published.quasi_columns, published.sensitive_columns
    chosen = _sensitive(sensitive, apart)
    return _Asked([*quasi, *([] if chosen is None else [chosen])], chosen)


def _sensitive(wanted: str | None, known: Sequence[str]) -> str | None:
    """Return the sensitive column that queries ask for: the one that is named, or the only one, or none."""
    if wanted is not None:
        validation.one_of("sensitive", wanted, known)
        return wanted
    if len(known) > 1:
        raise ParameterError(
            "sensitive", expected=f"one of {', '.join(map(repr, known))}, which the queries ask for", got="none"
        )
    return next(iter(known), None)


def _joined(before: Countable, after: Countable) -> dict[str, list[Label]]:
    """The values of each column in either table."""
    return {name: list(dict.fromkeys([*domain, *after.domains[name]])) for name, domain in before.domains.items()}


def _published(
    release: Any,
    recoding: Recoding | str | Path | None,
    source: pl.DataFrame,
    schema: Schema | None,
    population: pl.DataFrame | None,
) -> RecodedTable | BucketTables:
    opened = _opened(release, recoding)
    if isinstance(opened, BucketTables) or opened.hierarchies:
        return opened
    if schema is None:
        raise SchemaError("count_queries", expected="the schema the table was released by", got="none")
    hierarchies = hierarchies_of(source, schema, population)
    return RecodedTable(opened.frame, hierarchies, by_text(hierarchies, source))


def _opened(table: Any, recoding: Recoding | str | Path | None) -> RecodedTable | BucketTables:
    """Take a release apart; a table without a recoding is taken as it is."""
    if isinstance(table, BucketTables):
        return table
    frame = table.frame if is_release(table) else to_polars(table)
    if is_release(table):
        recoding = table.recoding
        if table.counts is not None:
            return BucketTables(quasi=frame, counts=table.counts)
    if isinstance(recoding, str | Path):
        recoding = Recoding.load(recoding)
    if isinstance(recoding, BucketRecoding):
        raise TableError(
            "release", expected="the two tables of a bucketized release", got="one", hint="BucketTables of both"
        )
    return RecodedTable(frame) if recoding is None else RecodedTable(frame, recoding.hierarchies, by_recoding(recoding))
