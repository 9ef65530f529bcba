"""Consequences: what promises cost a table, before anything is searched.

Every choice of levels where the lattice is small enough to look at all of it; always how much of the table breaks the
promises as it is, which no method can leave as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nymity.lattice.default import default_search
from nymity.lattice.nodes import EvaluatedNodes
from nymity.lattice.rollup import RollUp
from nymity.lattice.search import LatticeSearch
from nymity.lattice.solution_space import evaluate_lattice
from nymity.lattice.space import Space
from nymity.privacy.decision import suppressed_records
from nymity.publishing.jobs.job import Job
from nymity.publishing.preparing.explore import encoded, refuse_private
from nymity.table.encoding import EncodedTable

#: Records times nodes up to which the whole lattice is looked at: some seconds.
MOST_WORK = 10**8


@dataclass(frozen=True, eq=False, kw_only=True)
class Consequences:
    """What a job's promises cost, counted on its records.

    ``breaking_records`` and ``breaking_classes`` are those of the finest choice of levels that the schema allows that
    do not keep every promise there. ``nodes`` are all choices, where there are few enough; None is no answer.
    """

    records: int
    classes: int
    breaking_records: int
    breaking_classes: int
    lattice_size: int
    nodes: EvaluatedNodes | None = None

    @property
    def breaking_share(self) -> float:
        """The share of the records that break a promise as they are."""
        return self.breaking_records / self.records if self.records else 0.0

    def best_by_suppression(self, shares: tuple[float, ...]) -> list[tuple[float, EvaluatedNodes]]:
        """Return the best choice for each share of the records that may be suppressed; none where there is none."""
        return [] if self.nodes is None else [(share, self.nodes.within(share).best(1)) for share in shares]


@dataclass(frozen=True, eq=False)
class Foresight:
    """A job's table, encoded once: the same for whatever is promised about it."""

    table: EncodedTable

    @staticmethod
    def of(job: Job, table: Any = None) -> Foresight:
        """Encode a job's table, which is read unless given."""
        refuse_private("consequences", job.method)
        return Foresight(encoded(job, table))

    def consequences(self, job: Job, *, most_work: int = MOST_WORK) -> Consequences:
        """Count what the promises of a job with this schema cost; weights of columns may be others."""
        table = replace(self.table, weights=tuple(job.schema[name].weight for name in self.table.names))
        for model in job.privacy:
            model.check(table)
        space = Space.of(table)
        search = default_search(space.size) if job.method is None else job.method
        nodes = None
        # Beyond that the figures would not come while somebody edits the job; the raw classes below take little.
        if isinstance(search, LatticeSearch) and space.size * table.n_records <= most_work:
            nodes = evaluate_lattice(
                table,
                job.privacy,
                [search.minimized],
                limit=search.limit(table, job.privacy),
                most_touched=search.most_touched(table),
                outliers=search.outliers,
            )
        raw = RollUp(table, job.privacy, outliers="remove").classes(space.low)
        broken = suppressed_records(raw.classes, job.privacy, "remove")
        return Consequences(
            records=table.n_records,
            classes=len(raw.classes),
            breaking_records=int(broken.sum(dtype=np.int64)),
            breaking_classes=int(np.count_nonzero(broken)),
            lattice_size=space.size,
            nodes=nodes,
        )
