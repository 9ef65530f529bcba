"""Count queries on a release: one, or many at random against the original table."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.core import validation
from nymity.core.calls import called_well
from nymity.core.errors import ParameterError, TableError
from nymity.core.progress import Observer, silent
from nymity.io import to_polars
from nymity.table.hierarchy import Label
from nymity.table.schema import Schema
from nymity.utility.answering import answered
from nymity.utility.countable import BucketizedTables, Countable, RecodedTable
from nymity.utility.query import Query, check_columns
from nymity.utility.query_error import QueryError, measured_error
from nymity.utility.released import Released
from nymity.utility.workload import Workload


@called_well
def count(table: Any, query: Query) -> float:
    """Estimate how many records satisfy a query, on a release; on a table of which nothing is known the count is exact.

    A release is what ``publish`` returns or ``nymity.open`` opens.
    """
    published = _published(Released.of(table), None)
    check_columns(query, published.columns)
    countable = published.countable(list(query))
    return float(answered(countable, Workload.of([query], countable.domains))[0])


def count_queries(
    original: Any,
    release: Any,
    *,
    queries: Workload | Sequence[Query] | None = None,
    n: int = 5000,
    selectivity: float = 0.01,
    dimensions: int | None = None,
    sensitive: str | None = None,
    seed: int = 1,
    observe: Observer = silent,
) -> QueryError:
    """Ask a release and the original table the same queries, and measure how far the answers are apart.

    ``release`` is what ``publish`` returns or ``nymity.open`` opens; what cells stand for is read from its recoding or,
    where that is not known, from their text. ``n`` queries are drawn for the values that occur (see :class:`Workload`),
    unless ``queries`` gives others. Records that were not published are missing from the estimates; nothing makes up
    for them.
    """
    source, released = to_polars(original), Released.of(release)
    if released.schema is not None:
        needed = [*released.schema.quasi, *released.schema.sensitive]
        validation.columns_there(TableError, "the original table", needed, source.columns)
    elif released.counts is None and (released.recoding is None or queries is None):
        released.schema_for("count_queries")
    published = _published(released, source)
    asked = _asked_for(queries, published, released.schema, sensitive)
    # The original is a table whose cells stand for themselves: the same code counts in it.
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


@dataclass(frozen=True)
class _Asked:
    """The columns that queries are about, and the sensitive one among them."""

    columns: list[str]
    sensitive: str | None = None


def _asked_for(
    queries: Workload | Sequence[Query] | None,
    published: RecodedTable | BucketizedTables,
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
        assert isinstance(published, BucketizedTables)
        quasi, apart = published.quasi_columns, published.sensitive_columns
    chosen = _sensitive(sensitive, apart)
    return _Asked([*quasi, *([] if chosen is None else [chosen])], chosen)


def _sensitive(wanted: str | None, columns: Sequence[str]) -> str | None:
    """Return the sensitive column that queries ask for: the one that is named, or the only one, or none."""
    if wanted is not None:
        validation.one_of("sensitive", wanted, columns)
        return wanted
    if len(columns) > 1:
        raise ParameterError(
            "sensitive",
            expected=f"one of {', '.join(map(repr, columns))}, which the queries ask for",
            got="none",
            hint=f"--attribute {shlex.quote(columns[0])}; in Python sensitive={columns[0]!r}",
        )
    return next(iter(columns), None)


def _joined(before: Countable, after: Countable) -> dict[str, list[Label]]:
    """The values of each column in either table."""
    return {name: list(dict.fromkeys([*domain, *after.domains[name]])) for name, domain in before.domains.items()}


def _published(released: Released, source: pl.DataFrame | None) -> RecodedTable | BucketizedTables:
    """Take a release in the form that is counted on; a table of which nothing is known is taken as it is."""
    if released.counts is not None:
        return BucketizedTables(quasi=released.frame, counts=released.counts)
    reading = released.reading(source)
    if reading is None:
        return RecodedTable(released.frame)
    return RecodedTable(released.frame, reading.hierarchies, reading.read)
