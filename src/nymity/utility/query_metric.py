"""Count queries as a metric: one number for how far a release's answers are from the original's.

    mean over queries of |estimate - answer| / max(answer, 0.1% of the records)

The queries are always the same for one table: random ones over the quasi-identifiers, drawn with a fixed seed (see
:class:`Workload`). A cell's records count for a query by the share of its values that the query admits, those that are
suppressed as if they were masked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.kernels.queries import GroupedRows
from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import PublishedRows
from nymity.table.cells import Cells
from nymity.utility.answering import answered
from nymity.utility.countable import Countable
from nymity.utility.query_error import SANITY
from nymity.utility.workload import Workload

#: How many are asked, and the share of the records that one would admit if values were evenly spread.
QUERIES, SELECTIVITY, SEED = 1024, 0.01, 1


@dataclass(frozen=True, kw_only=True)
class QueryMetric(Metric):
    """Mean normalized error of count queries."""

    key = "count-queries"
    title = f"mean error of {QUERIES:,} random count queries, relative to the answer"
    plain = "How wrong the release answers questions such as: how many are over 60 and married?"
    group = "tasks"
    unit = "share of the answer"
    limits = "random queries over quasi-identifiers alone; yours may ask for other things (nymity query)"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Draw the queries for the values that occur, and answer them."""
        table = original.table
        occurring = {
            name: [hierarchy.labels[0][code] for code in np.flatnonzero(table.frequencies[a]).tolist()]
            for a, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True))
        }
        workload = Workload.drawn(occurring, n=QUERIES, selectivity=SELECTIVITY, seed=SEED)
        answers = answered(countable(original), workload)
        scale = np.maximum(answers, SANITY * table.n_records)

        def measured(published: PublishedRows) -> MetricValue:
            estimates = answers if published is original else answered(countable(published), workload)
            return MetricValue(value=float(np.mean(np.abs(estimates - answers) / scale)))

        return measured


def countable(published: PublishedRows) -> Countable:
    """Lay rows out for count queries, suppressed records as a row of cells that stand for everything."""
    table, gone = published.table, published.suppressed > 0
    cells, numbers, before = {}, [], 0
    for a, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        own = published.cells[a]
        column = published.rows[:, a]
        if gone:
            column = np.append(column, len(own.labels))
            everything = np.arange(hierarchy.domain_size)
            ends = np.append(own.starts, own.starts[-1] + len(everything))
            own = Cells((*own.labels, None), np.concatenate([own.covered, everything]), ends)
        cells[name] = own
        numbers.append(column + before)
        before += len(own.labels)
    records = np.append(published.counts, published.suppressed) if gone else published.counts
    starts = np.arange(len(records) + 1)
    wide = np.flatnonzero([not column.raw for column in cells.values()])
    rows = GroupedRows(np.array(numbers, dtype=np.int32), records, starts, wide)
    nothing = GroupedRows(np.empty((0, len(records)), dtype=np.int32), records, starts, wide[:0])
    domains = {name: hierarchy.values for name, hierarchy in zip(table.names, table.hierarchies, strict=True)}
    return Countable(domains, cells, rows, nothing)
