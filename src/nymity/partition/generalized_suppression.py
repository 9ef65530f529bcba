"""GeneralizedSuppression: levels that are searched for, and single cells suppressed on them.

Generalizing until nobody is alone coarsens the cells of all for the sake of a few; suppressing cells alone takes most
cells of columns with many values. Both together are ARX's generalization and cell suppression, and sdcMicro's recoding
before kAnon. :mod:`nymity.partition.level_choice` says how levels are chosen, and what is proved of the choice.

Levels and classes are functions of quasi-identifiers: they are chosen by the sizes of classes alone. Models of
sensitive values then merge the classes that they turn down, as for other methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

import numpy as np

from nymity.core import validation
from nymity.core.progress import Observer
from nymity.partition.attributes import suppressed_attributes_of
from nymity.partition.level_choice import ChosenLevels, LevelSearch, shares_of_domain
from nymity.partition.merging import merge_failing
from nymity.partition.method import Partitioned
from nymity.partition.outcome import GeneralizedOutcome, LostCells
from nymity.partition.problem import Assignment, PartitionProblem
from nymity.partition.suppression import CellSuppression
from nymity.privacy.table_method import OnInterrupt
from nymity.table.outcome import MethodLoss

#: Nodes that are tried at most by default.
CHECKS = 50


@dataclass(frozen=True, kw_only=True)
class GeneralizedSuppression(CellSuppression):
    """Choose a level for each column, and suppress single cells there, so that both together lose least.

    ``levels`` fixes those of some columns; all others are searched. ``checks``: at how many choices of levels cells are
    suppressed at most, to compare them; the best so far is published where they do not suffice. ``rounds`` are those of
    :class:`CellSuppression` at each choice. With ``on_interrupt = "best"`` whoever stops the search gets its best, too.
    """

    checks: int = CHECKS
    on_interrupt: OnInterrupt = "error"

    key: ClassVar[str] = "generalized-suppression"
    minimized: ClassVar[MethodLoss] = LostCells()
    answers_any_time: ClassVar[bool] = True
    #: Whether outcomes name a level for each column that a search chose.
    chooses_levels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.whole_number(f"{self.key}.checks", self.checks, at_least=1)
        validation.one_of(f"{self.key}.on_interrupt", self.on_interrupt, get_args(OnInterrupt))

    def solve(self, problem: PartitionProblem, columns: Sequence[str], observe: Observer) -> GeneralizedOutcome:
        """Choose levels, and publish each class with its own cells on them."""
        self.refuse_hopeless(problem)
        table = problem.table
        low = tuple(attribute.level for attribute in problem.attributes)
        high = tuple(
            low[a] if name in self.levels else table.hierarchies[a].height for a, name in enumerate(table.names)
        )
        search = LevelSearch(problem, low, high, checks=self.checks, rounds=self.rounds, observe=observe)
        chosen = search.choose(keep_best=self.on_interrupt == "best")
        found = self._merged(problem, chosen, observe)
        return GeneralizedOutcome(
            **self.answered(found, columns),
            chosen=dict(zip(table.names, chosen.node, strict=True)),
            exhaustive=chosen.exhaustive,
        )

    def _merged(self, problem: PartitionProblem, chosen: ChosenLevels, observe: Observer) -> Partitioned:
        """Merge classes that break another promise than their size."""
        at = replace(problem, attributes=suppressed_attributes_of(problem.table, chosen.node))
        merged, refused = merge_failing(at.assignment_of_combinations(chosen.classes), observe)
        bound = chosen.bound if problem.size_only else None
        bound = None if bound is None else min(bound, self.loss_of(merged))
        return Partitioned(merged, bound=bound, stopped=chosen.stopped, by_values=refused)

    def loss_of(self, assignment: Assignment) -> float:
        """Return what generalized and suppressed cells lose, in cells of mean weight."""
        sizes, lost = np.bincount(assignment.classes, weights=assignment.records), 0.0
        for a, attribute in enumerate(assignment.problem.attributes):
            values, shares = assignment.values[a], shares_of_domain(assignment.problem.table, a)[attribute.level]
            shown = shares[attribute.occurring[values.lowest]]
            lost += attribute.weight * float(sizes @ np.where(np.diff(values.starts) > 1, 1.0, shown))
        return lost
