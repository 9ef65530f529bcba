"""AnytimeLattice: the best node found within a budget, with a proven bound of what could be better.

Lattices of many quasi-identifiers are too large for a proof: fifteen of them easily make a hundred million nodes, and
fifty 10³⁰. This search finds good nodes first and proves as much as the budget allows; see
:mod:`nymity.lattice.exploration`. Stopped at any time it knows the smallest bound of what is still open, hence how
much smaller the loss of any solution can be at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import ClassVar, get_args

from nymity.core import validation
from nymity.core.errors import Interrupted, NoSolutionError, ParameterError
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, silent
from nymity.lattice.exploration import Exploration
from nymity.lattice.outcome import LatticeOutcome, demands_of
from nymity.lattice.search import ChosenNode, Inquiry, LatticeSearch
from nymity.privacy.table_method import OnInterrupt

#: The budget where none is given.
DEFAULT_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class AnytimeLattice(LatticeSearch):
    """Find a node with a small loss within a budget, and say how much smaller the loss of another could be.

    The budget is a number of ``seconds`` (wall time), of node ``checks``, or both, whichever ends first; 60 seconds if
    neither is given. The same number of checks gives the same result on every machine; seconds do not. At least the
    top of the lattice is checked. The other parameters are those of every lattice search.

    If the proof ends within the budget, the outcome is ``optimal`` and the same as that of :class:`OptimalLattice`.
    Otherwise its ``bound`` is the proven lower bound of the loss, None for a loss without one, and :meth:`resume`
    goes on from there.

    With ``on_interrupt = "best"`` Ctrl-C, or an observer that asks to stop, ends the search and not the run: what was
    best until then is the outcome, ``stopped`` and without a bound, for a proof that was broken off proves nothing.
    """

    seconds: float | None = None
    checks: int | None = None
    on_interrupt: OnInterrupt = "error"

    key: ClassVar[str] = "anytime-lattice"
    answers_any_time: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seconds is not None:
            validation.number("anytime-lattice.seconds", self.seconds, above=0)
        if self.checks is not None:
            validation.whole_number("anytime-lattice.checks", self.checks, at_least=1)
        validation.one_of("anytime-lattice.on_interrupt", self.on_interrupt, get_args(OnInterrupt))

    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Explore until the budget is spent or the optimum proved."""
        return self._explore(Exploration(inquiry))

    def resume(self, outcome: LatticeOutcome, *, observe: Observer = silent) -> LatticeOutcome:
        """Go on where an outcome stopped, with the budget of this search; an outcome that is optimal stays as it is.

        So many checks and then so many more find what all of them at once would. What was explored is handed on, not
        copied, and lives as long as the outcome does: resuming the same outcome twice goes on where the first left off.
        """
        if outcome.optimal:
            return outcome
        exploration = outcome.exploration
        if not isinstance(exploration, Exploration):
            raise ParameterError(
                "anytime-lattice.resume", expected="an outcome of this method", got="one that cannot go on"
            )
        self._check_same_question(outcome, exploration.inquiry)
        exploration.observed_by(observe)
        return self.answer(exploration.inquiry, self._explore(exploration), outcome.recoding.columns)

    def _explore(self, exploration: Exploration) -> ChosenNode:
        inquiry, seconds = exploration.inquiry, self.seconds
        if seconds is None:
            seconds = inf if self.checks is not None else DEFAULT_SECONDS
        until, before = monotonic() + seconds, inquiry.checks
        try:
            with interruptible():
                # The first step comes before the clock is read, so that even the shortest budget checks the top.
                exploration.step()
                while not exploration.finished and monotonic() < until:
                    if self.checks is not None and inquiry.checks - before >= self.checks:
                        break
                    exploration.step()
                    inquiry.prove(exploration.bound)
        except (KeyboardInterrupt, Interrupted):
            return inquiry.interrupted(self.on_interrupt)
        best = inquiry.seen.best
        if exploration.finished or (best is None and inquiry.monotone):  # without a solution at the top there is none
            return ChosenNode(best, optimal=best is not None)
        if best is None:
            # No solution was seen, but nodes that were not looked at may be some: this is no proof that there is none.
            raise self._none_yet(inquiry)
        return ChosenNode(best, optimal=False, bound=exploration.bound, exploration=exploration)

    def _none_yet(self, inquiry: Inquiry) -> NoSolutionError:
        return NoSolutionError(
            f"no node found that satisfies {demands_of(inquiry.engine.models)} with suppression <= {self.allowed} "
            f"within {inquiry.checks:,} checks of {inquiry.space.size:,} nodes; it is not proved that there is none. "
            "Try: more seconds or checks, a larger suppression limit, a weaker model, or fewer quasi-identifiers"
        )

    def _check_same_question(self, outcome: LatticeOutcome, inquiry: Inquiry) -> None:
        table, models = inquiry.engine.table, inquiry.engine.models
        asked = (outcome.minimized, inquiry.seen.limit, inquiry.seen.most_touched, inquiry.engine.outliers)
        wanted = (self.minimized, self.limit(table, models), self.most_touched(table), self.outliers)
        if wanted != asked:
            raise ParameterError(
                "anytime-lattice.resume",
                expected="the same loss, suppression (also of persons) and outliers as before",
                got="another",
                hint="dataclasses.replace(method, seconds=...) changes only the budget",
            )
