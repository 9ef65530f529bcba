"""LatticeSearch: what all searches of a full-domain lattice have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import floor
from typing import ClassVar

from nymity.core import validation
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.lattice.outcome import LatticeOutcome, passed_by, recoding_of, refuse
from nymity.lattice.rollup import RollUp
from nymity.lattice.seen_nodes import SeenNodes
from nymity.lattice.space import Node, Space
from nymity.privacy import KAnonymity, PrivacyModel
from nymity.privacy.table_method import MethodTask, OnInterrupt, TableMethod
from nymity.quality import Loss, NodeStatistics, PreparedLoss, loss_of
from nymity.quality.node_statistics import COUNTS_ALONE, Needs
from nymity.table.encoding import EncodedTable
from nymity.table.level_recoding import LevelRecoding
from nymity.table.recoding import Outliers, Recoding

#: Largest lattice that is evaluated to tell how far the nearest node was.
NEAREST_OF = 20_000


@dataclass(frozen=True, kw_only=True)
class LatticeSearch(TableMethod[LatticeOutcome]):
    """Find levels at which every model holds, suppressing at most a share of the records.

    ``loss`` is what is kept small: a loss, or its key for the one with default parameters. ``suppression`` is the share
    of records that may be suppressed, taken as the decimal written: at most floor(suppression * records). ``outliers``
    says what happens to them: ``mask`` publishes their rows with ``*`` in every quasi-identifier, ``remove`` leaves
    them out. Where records are of persons, ``suppression_persons`` is the share of persons who may lose records that
    way, some or all of theirs; any number unless given.
    """

    loss: str | Loss = "loss"
    suppression: float = 0.0
    outliers: Outliers = "mask"
    suppression_persons: float | None = None

    key: ClassVar[str]
    #: Whether it counts persons where records are of persons.
    takes_persons: ClassVar[bool] = True
    #: Whether it keeps promises about linked rows.
    takes_links: ClassVar[bool] = True
    #: Whether sets of items can be published beside the columns that it generalizes.
    takes_items: ClassVar[bool] = True
    #: The kind of recoding that it decides on.
    makes: ClassVar[type[Recoding]] = LevelRecoding
    #: Whether it may decide by counted combinations alone, so that any engine can publish what it decides.
    by_combinations: ClassVar[bool] = True
    searches_levels: ClassVar[bool] = True
    #: Whether it finds a solution wherever there is one.
    complete: ClassVar[bool] = True
    #: Whether somebody chose the levels: no rule that others could run again.
    by_hand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        loss_of(self.loss, where=f"{self.key}.loss")
        validation.number(f"{self.key}.suppression", self.suppression, at_least=0, at_most=1)
        validation.one_of(f"{self.key}.outliers", self.outliers, ("mask", "remove"))
        if self.suppression_persons is not None:
            where = f"{self.key}.suppression_persons"
            validation.number(where, self.suppression_persons, at_least=0, at_most=1)

    @abstractmethod
    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Look for a node."""

    def limit(self, table: EncodedTable, models: Sequence[PrivacyModel]) -> int:
        """Return how many records may be suppressed."""
        return floor(validation.exact_fraction(self.suppression) * table.n_records)

    def most_touched(self, table: EncodedTable) -> int | None:
        """Return how many persons may lose records; None for any number."""
        if self.suppression_persons is None:
            return None
        if table.persons is None:
            raise ParameterError(
                f"{self.key}.suppression_persons",
                expected="a table whose records are of persons (a column with the role person)",
                got="one in which nobody tells them",
                hint="suppression limits records",
            )
        return floor(validation.exact_fraction(self.suppression_persons) * table.persons.n_persons)

    @property
    def minimized(self) -> Loss:
        """The loss itself."""
        return loss_of(self.loss)

    @property
    def allowed(self) -> str:
        """The limits in words."""
        persons = self.suppression_persons
        return f"{self.suppression:.4g}" + ("" if persons is None else f" and suppression_persons <= {persons:.4g}")

    def _decide(self, task: MethodTask) -> LatticeOutcome:
        """Search, and return what was found."""
        table, models = task.table, task.models
        for model in models:
            model.check(table)
            model.check_beside(models)
        limit, touched = self.limit(table, models), self.most_touched(table)
        inquiry = Inquiry.open(table, models, self.minimized, limit, self.outliers, task.observe, most_touched=touched)
        return self.answer(inquiry, self.search(inquiry), task.columns)

    def answer(self, inquiry: Inquiry, choice: ChosenNode, columns: Sequence[str]) -> LatticeOutcome:
        """Put what was found into an outcome, or refuse if there is no solution."""
        engine, table = inquiry.engine, inquiry.engine.table
        if choice.node is None:
            raise self._refusal(inquiry)
        chosen = engine.check(choice.node)
        # The snapshot of the chosen node may be gone by now; to check it again takes microseconds.
        engine.checks -= 1  # asked for again, not searched for
        loss = float(inquiry.loss.value(chosen)[0])
        # Rows of several classes keep some promises together: a node that was turned down may keep those.
        proves = not any(model.beyond_classes for model in engine.models)
        bound = loss if choice.optimal else choice.bound
        return LatticeOutcome(
            recoding=recoding_of(engine, choice.node, columns),
            levels=dict(zip(table.names, choice.node, strict=True)),
            loss=loss,
            minimized=self.minimized,
            suppressed=int(chosen.suppressed[0]),
            classes=int(chosen.accepted_classes[0]),
            checks=inquiry.nodes_checked,
            lattice_size=inquiry.space.size,
            optimal=choice.optimal and (proves or not loss),
            nodes=inquiry.seen.evaluated(),
            minimal=choice.minimal,
            bound=bound if proves else None,
            exploration=choice.exploration,
            stopped=choice.stopped,
        )

    def _refusal(self, inquiry: Inquiry) -> NoSolutionError:
        """Return why there is no answer: no solution, or none that this search came by."""
        table, models, nearest = inquiry.engine.table, inquiry.engine.models, inquiry.nearest()
        if inquiry.seen.solves_one(nearest):
            return passed_by(table, models, nearest, key=self.key, instead=inquiry.space.feasible)
        if not (self.complete or inquiry.monotone or inquiry.space.size <= NEAREST_OF):
            return passed_by(table, models, None, key=self.key, instead=inquiry.space.feasible)
        return refuse(table, models, self.allowed, nearest)


@dataclass(frozen=True, eq=False)
class ChosenNode:
    """The node a search chose, None if there is no solution.

    ``optimal``: proved that no node of the lattice has a smaller loss. ``minimal``: where the search determines them,
    all solutions below which there is no other. ``bound``: proved that no node has a smaller loss than this.
    ``exploration``: what a search that stopped early can go on with.
    """

    node: Node | None
    optimal: bool
    minimal: tuple[Node, ...] | None = None
    bound: float | None = None
    exploration: object = None
    stopped: bool = False  #: somebody interrupted the search


@dataclass(frozen=True, eq=False)
class Inquiry:
    """One search under way: the lattice, the engine that checks its nodes, and the nodes it has seen.

    ``relaxed`` checks nodes under weaker models that are all monotone; it is the engine itself where the models are.
    """

    space: Space
    loss: PreparedLoss
    engine: RollUp
    relaxed: RollUp
    seen: SeenNodes
    observe: Observer
    # Sets and a dict in a frozen class: copies for another observer share what was found so far.
    _relaxed_nodes: set[Node] = field(default_factory=set)
    _nodes_of_both: set[Node] = field(default_factory=set)
    _proved: dict[str, float] = field(default_factory=dict)

    @staticmethod
    def open(
        table: EncodedTable,
        models: Sequence[PrivacyModel],
        loss: Loss,
        limit: int,
        outliers: Outliers = "mask",
        observe: Observer = silent,
        *,
        most_touched: int | None = None,
    ) -> Inquiry:
        """Prepare everything for a table."""
        prepared = loss.prepare(table)
        touched = most_touched is not None
        engine, relaxed = engines(table, models, needs=prepared.needs, outliers=outliers, every_person=touched)
        prepared = prepared.where_classes_have(engine.smallest)
        seen = SeenNodes(table, prepared, limit, most_touched)
        return Inquiry(Space.of(table), prepared, engine, relaxed, seen, observe)

    @property
    def monotone(self) -> bool:
        """Whether everything above a solution is one too."""
        return self.relaxed is self.engine

    @property
    def bounded_by_parts(self) -> bool:
        """Whether the models themselves say more about the nodes below a node than the relaxed ones."""
        persons = self.engine.table.persons is not None
        parted = [m for m in self.engine.models if not m.monotone_generalization]
        if persons and any(m.over_persons == "shares" for m in parted):
            return False
        return any(m.bounds_parts or (m.unions and self.seen.limit == 0) for m in parted)

    @property
    def checks(self) -> int:
        """Nodes checked so far, under the models or relaxed ones."""
        return self.engine.checks if self.monotone else self.engine.checks + self.relaxed.checks

    @property
    def nodes_checked(self) -> int:
        """The same, those counted once that were checked under both."""
        return self.checks - len(self._nodes_of_both)

    def interrupted(self, on_interrupt: OnInterrupt) -> ChosenNode:
        """Return the best node so far, inside of an ``except`` that caught an interrupt, which is raised again if not.

        Nothing is proved of it: a proof that was broken off proves nothing.
        """
        if on_interrupt != "best" or self.seen.best is None:
            raise
        return ChosenNode(self.seen.best, optimal=False, stopped=True)

    def require_monotone(self, key: str) -> None:
        """Refuse models for which a search that goes by solutions above solutions would miss some."""
        for model in self.engine.models:
            if not model.monotone_generalization:
                raise ParameterError(
                    f"{key}: {model.key}",
                    expected="models that stay satisfied when data are generalized further",
                    got=f"{model.title}, which need not",
                    hint=f"use the method {self.space.feasible!r}",
                )

    def check(self, node: Node) -> NodeStatistics | None:
        """Check a node and return its statistics if it is a solution."""
        statistics = self.look(node)
        return statistics if self.seen.solves_one(statistics) else None

    def look(self, node: Node) -> NodeStatistics:
        """Check a node and return its statistics, whether it is a solution or not."""
        statistics = self.engine.check(node)
        self._enter(node, statistics)
        return statistics

    def check_relaxed(self, node: Node) -> NodeStatistics | None:
        """Check a node under the relaxed models and return its statistics if it could be a solution."""
        statistics = self.relaxed.check(node)
        self._relaxed_nodes.add(node)
        self._report()
        return statistics if self.seen.solves_one(statistics) else None

    def check_bounded(self, node: Node) -> NodeStatistics | None:
        """Check a node, and return what every node below it suppresses too, if any of those could be a solution."""
        statistics, least = self.engine.check_bounded(node, partial(self._promising, node))
        self._enter(node, statistics)
        return least if self.seen.solves_one(least) else None

    def _promising(self, node: Node, least: NodeStatistics) -> bool:
        """Return whether a node that suppresses at least this can be better than the best seen."""
        if not self.seen.solves_one(least):
            return False
        floors = self.loss.floors(node, least)
        return floors is None or not self.seen.excludes(floors, int(least.suppressed[0]))

    def _enter(self, node: Node, statistics: NodeStatistics | None) -> None:
        if statistics is not None:
            self.seen.enter(statistics)
        if node in self._relaxed_nodes:
            self._nodes_of_both.add(node)
        self._report()

    def prove(self, bound: float | None) -> None:
        """Take down a loss that no node is below, for whoever observes."""
        if bound is not None:
            self._proved["bound"] = bound

    def _report(self) -> None:
        best, bound = None if self.seen.best is None else self.seen.best_loss, self._proved.get("bound")
        report(self.observe, Progress(stage="searching the lattice", done=self.checks, best=best, bound=bound))

    def nearest(self) -> NodeStatistics:
        """Return a solution, or the node that suppresses least, of the whole lattice where that does not take long."""
        if not self.monotone and self.space.size <= NEAREST_OF:
            for batch in self.engine.walk(self.space, observe=self.observe):
                self.seen.enter(batch)
        elif not self.monotone:
            self.seen.enter(self.engine.check(self.space.high))
        return self.seen.nearest()

    def best_of(self, solutions: Iterable[NodeStatistics]) -> Node | None:
        """Return the node with the least loss, by the same rule for ties as everywhere."""
        seen = SeenNodes(self.engine.table, self.loss, self.seen.limit, self.seen.most_touched)
        for statistics in solutions:
            seen.enter(statistics)
        return seen.best


def engines(
    table: EncodedTable,
    models: Sequence[PrivacyModel],
    *,
    needs: Needs = COUNTS_ALONE,
    outliers: Outliers = "mask",
    every_person: bool = False,
) -> tuple[RollUp, RollUp]:
    """Return an engine for the models, and one for weaker models that are all monotone; the same if they are."""
    engine = RollUp(table, models, needs=needs, outliers=outliers, every_person=every_person)
    weaker = [model for model in models if model.monotone_generalization]
    if len(weaker) == len(models):
        return engine, engine
    # What a model asks of the size of a class is monotone, whatever else it asks for.
    # Under weaker models fewer classes are suppressed, and ever fewer further up: so are persons touched.
    return engine, RollUp(table, [*weaker, KAnonymity(k=engine.smallest)], needs=needs, every_person=every_person)
