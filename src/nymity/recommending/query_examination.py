"""Usefulness without a target: how well a release answers count queries, and how far its columns' distributions moved.

Queries ask for quasi-identifiers and sensitive columns, drawn as ``nymity query`` draws them. Half of them choose
settings, the others confirm the chosen ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.progress import Observer, silent
from nymity.recommending.usefulness import Usefulness
from nymity.recommending.yardstick import QUERIES, AveragedValue, Measure
from nymity.table.encoding import distinct_values
from nymity.table.hierarchy import Label
from nymity.table.schema import Schema
from nymity.table.text import MASK, as_text
from nymity.utility.counting import count_queries
from nymity.utility.released import Released
from nymity.utility.workload import Workload

#: Queries that choose, and as many that confirm.
N_QUERIES = 512
#: Share of the records that a query is meant to find.
SELECTIVITY = 0.05
#: Values of a column up to which its distribution is compared value by value.
MOST_VALUES = 1_000


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryExamination:
    """The records that are published, and the queries that every release is asked."""

    table: pl.DataFrame
    schema: Schema
    seed: int
    measure: Measure = QUERIES

    @property
    def records(self) -> int:
        """Records that queries count."""
        return self.table.height

    def original(self) -> tuple[Usefulness, ...]:
        """The table as it is answers every query."""
        whole = AveragedValue(exact=Fraction(1), error=0.0, cases=N_QUERIES, records=N_QUERIES)
        return (Usefulness(by=self.measure.key, choosing=whole, confirming=whole),)

    def zero_r(self) -> Usefulness:
        """Suppress every record: who knows the domains takes each value for equally likely."""
        hidden = self.table.with_columns(pl.lit(MASK).alias(name) for name in self.schema.quasi)
        (found,) = self.of_release(Released(frame=hidden, schema=self.schema))
        return Usefulness(by=self.measure.nothing, choosing=found.choosing, confirming=found.confirming)

    def of_release(self, release: Any, observe: Observer = silent) -> tuple[Usefulness, ...]:
        """Ask a release all queries."""
        values = [self._answered(release, workload, observe) for workload in self._workloads]
        return (Usefulness(by=self.measure.key, choosing=values[0], confirming=values[1]),)

    def distances(self, release: Any) -> dict[str, float]:
        """Total variation distance of each quasi-identifier's distribution, as the release tells it, to the original's.

        Half the sum over values of |share as estimated - share|; cells of several values hold each equally likely.
        Columns of more than a thousand values are left out.
        """
        found = {}
        for name in self.schema.quasi:
            if len(self._domain(name)) > MOST_VALUES:
                continue
            asked = count_queries(
                self.table, release, queries=[{name: [value]} for value in self._domain(name)]
            ).queries
            found[name] = float((asked["estimate"] - asked["answer"]).abs().sum() / 2 / self.table.height)
        return found

    def importance(self) -> dict[str, float]:
        """No column counts more than another."""
        return {}

    @cached_property
    def _workloads(self) -> tuple[Workload, Workload]:
        domains = {name: self._domain(name) for name in (*self.schema.quasi, *self.schema.sensitive)}
        drawn = [
            Workload.drawn(domains, n=N_QUERIES, selectivity=SELECTIVITY, seed=2 * self.seed + half) for half in (0, 1)
        ]
        return drawn[0], drawn[1]

    def _domain(self, name: str) -> list[Label]:
        found: list[Label] = as_text(distinct_values(self.table[name])).to_list()
        return sorted(found, key=lambda label: (label is not None, label))  # queries are drawn in this order

    def _answered(self, release: Any, workload: Workload, observe: Observer) -> AveragedValue:
        asked = count_queries(self.table, release, queries=workload, observe=observe).queries
        right: NDArray[np.float64] = 1 - np.minimum(asked["normalized_error"].to_numpy(), 1.0)  # (n,)
        error = float(right.std(ddof=1)) / len(right) ** 0.5
        return AveragedValue(exact=Fraction(float(right.mean())), error=error, cases=len(right), records=len(right))
