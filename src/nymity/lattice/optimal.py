"""OptimalLattice: the proven optimum over a full-domain lattice.

Losses with a bound are searched by branch and bound over intervals of the lattice. An interval [bottom, top] holds
every node between two others. If every class that contains an accepted class is accepted, then

* a top that suppresses too much rules the whole interval out, because every node below suppresses at least as much;
* the loss of any node in it is at least the loss of bottom's levels with top's suppressed records, or another floor
  that the loss itself proves.

The interval with the smallest bound is split next, at the attribute whose levels make the most difference: one part
keeps the top's level of it, the other stops one level short. The search ends when no open interval can hold a better
node, so the answer is the optimum over the whole lattice, and the smallest open bound is a lower bound at any time.

Models for which that property fails are judged by a relaxation that has it: the other models, and the smallest class
any model accepts. What the relaxation suppresses the models suppress too, so both facts hold for its statistics. Where
a model can tell how much of a class any split could still publish (``most_kept``), tops are checked against the models
themselves, and what is lost of each class at least takes the place of what the top suppresses; otherwise single nodes
are.

A loss without a bound is decided by evaluating every node; every loss of nymity has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, get_args

from nymity.core import validation
from nymity.core.errors import Interrupted, ParameterError
from nymity.core.interrupt import interruptible
from nymity.lattice.border import MAX_TAGGED, decided_by_size, look_for_lowest, look_for_most_classes
from nymity.lattice.frontier import Frontier
from nymity.lattice.rule_search import look_by_rule
from nymity.lattice.search import ChosenNode, Inquiry, LatticeSearch
from nymity.privacy.table_method import OnInterrupt

#: Largest lattice that is evaluated node by node.
MAX_EXHAUSTIVE = 2**24
#: Intervals that are looked at before a search goes on compiled. Most have ended by then, in less time than it takes
#: to load what is compiled, let alone to compile it.
FIRST_STEPS = 100


@dataclass(frozen=True, kw_only=True)
class OptimalLattice(LatticeSearch):
    """Find the node with the smallest loss that satisfies every model with limited suppression.

    Ties go to fewer suppressed records, then the smaller sum of levels, then the lexicographically smaller levels.
    ``threads`` share the evaluation of whole lattices. The other parameters are those of every lattice search.

    With ``on_interrupt = "best"`` Ctrl-C, or an observer that asks to stop, ends the search and not the run: what was
    best until then is the outcome, ``stopped`` and proved of nothing.
    """

    threads: int = 1
    on_interrupt: OnInterrupt = "error"

    key: ClassVar[str] = "optimal-lattice"
    answers_any_time: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.whole_number("optimal-lattice.threads", self.threads, at_least=1)
        validation.one_of("optimal-lattice.on_interrupt", self.on_interrupt, get_args(OnInterrupt))

    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Prove the optimum; an interrupt may end the proof."""
        try:
            with interruptible():
                self._prove(inquiry)
        except (KeyboardInterrupt, Interrupted):
            return inquiry.interrupted(self.on_interrupt)
        return ChosenNode(inquiry.seen.best, optimal=True)

    def _prove(self, inquiry: Inquiry) -> None:
        """See the optimum, by bounds where the loss has one."""
        # Without a bound nothing can be left out, so that every node is evaluated; with one, intervals are.
        if inquiry.loss.floor(inquiry.space.low, None) is None:
            self._evaluate_all(inquiry)
        elif inquiry.loss.counts_classes and decided_by_size(inquiry) and inquiry.space.size <= MAX_TAGGED:
            look_for_most_classes(inquiry)
        elif inquiry.loss.levels_alone and decided_by_size(inquiry) and inquiry.space.size <= MAX_TAGGED:
            look_for_lowest(inquiry)
        else:
            _look_at_intervals(inquiry)

    def _evaluate_all(self, inquiry: Inquiry) -> None:
        size, loss = inquiry.space.size, self.minimized.name
        if size > MAX_EXHAUSTIVE:
            raise ParameterError(
                "optimal-lattice.loss",
                expected=f"at most {MAX_EXHAUSTIVE:,} nodes for {loss!r}, a loss without a bound to prune by",
                got=f"{size:,} nodes",
                hint="'anytime-lattice', bound levels (min_level, max_level), or the loss 'loss'",
            )
        for batch in inquiry.engine.walk(inquiry.space, threads=self.threads, observe=inquiry.observe):
            inquiry.seen.enter(batch)


def _look_at_intervals(inquiry: Inquiry) -> None:
    """See the optimum by branch and bound; what takes long goes on compiled, where a kernel knows how."""
    frontier, steps = Frontier(inquiry), 0
    while frontier.open:
        frontier.step()
        inquiry.prove(frontier.bound if frontier.open and isfinite(frontier.bound) else None)
        steps += 1
        if steps == FIRST_STEPS and frontier.open and look_by_rule(inquiry, frontier):
            return
