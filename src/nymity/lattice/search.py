"""LatticeSearch: what all searches of a full-domain lattice have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor
from typing import ClassVar

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.lattice.ledger import Ledger
from nymity.lattice.outcome import LatticeOutcome, recoding_of, refuse
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Node, Space
from nymity.privacy import KAnonymity, PrivacyModel
from nymity.quality import BoundLoss, NodeStatistics, loss_by_key
from nymity.table.encoding import EncodedTable
from nymity.table.recoding import Outliers

#: Largest lattice that is evaluated to tell how far the nearest node was.
NEAREST_OF = 20_000


@dataclass(frozen=True, kw_only=True)
class LatticeSearch(ABC):
    """Find levels at which every model holds, suppressing at most a share of the records.

    ``loss`` is the key of what is kept small. ``suppression`` is the share of records that may be suppressed, taken as
    the decimal written: at most floor(suppression * records). ``outliers`` says what happens to them: ``mask``
    publishes their rows with ``*`` in every quasi-identifier, ``remove`` leaves them out.
    """

    loss: str = "loss"
    suppression: float = 0.0
    outliers: Outliers = "mask"

    key: ClassVar[str]

    def __post_init__(self) -> None:
        loss_by_key(self.loss, where=f"{self.key}.loss")
        validation.number(f"{self.key}.suppression", self.suppression, at_least=0, at_most=1)
        validation.one_of(f"{self.key}.outliers", self.outliers, ("mask", "remove"))

    @abstractmethod
    def search(self, inquiry: Inquiry) -> Found:
        """Look for a node."""

    def limit(self, table: EncodedTable, models: Sequence[PrivacyModel]) -> int:
        """Return how many records may be suppressed."""
        return floor(validation.exact_fraction(self.suppression) * table.n_records)

    @property
    def allowed(self) -> str:
        """The limit in words."""
        return f"{self.suppression:.4g}"

    def run(
        self,
        table: EncodedTable,
        models: Sequence[PrivacyModel],
        *,
        columns: Sequence[str] | None = None,
        observe: Observer = silent,
    ) -> LatticeOutcome:
        """Search and return what was found; ``columns`` are those to publish (default: the quasi-identifiers)."""
        for model in models:
            model.check(table)
        inquiry = Inquiry.open(table, models, self.loss, self.limit(table, models), observe)
        found, engine, checks = self.search(inquiry), inquiry.engine, inquiry.checks
        if found.node is None:
            raise refuse(table, models, self.allowed, inquiry.nearest())
        chosen = engine.check(found.node)
        return LatticeOutcome(
            recoding=recoding_of(engine, found.node, columns or table.names, self.outliers),
            levels=dict(zip(table.names, found.node, strict=True)),
            loss=float(inquiry.loss.value(chosen)[0]),
            loss_key=self.loss,
            suppressed=int(chosen.suppressed[0]),
            classes=int(chosen.kept[0]),
            checks=checks,
            lattice_size=inquiry.space.size,
            optimal=found.optimal,
            nodes=inquiry.ledger.evaluated(),
            minimal=found.minimal,
        )


@dataclass(frozen=True, eq=False)
class Found:
    """The node a search chose, None if there is no solution.

    ``optimal``: proved that no node of the lattice has a smaller loss. ``minimal``: where the search determines them,
    all solutions below which there is no other.
    """

    node: Node | None
    optimal: bool
    minimal: tuple[Node, ...] | None = None


@dataclass(frozen=True, eq=False)
class Inquiry:
    """One search under way: the lattice, the engine that checks its nodes, and the ledger of what was seen.

    ``relaxed`` checks nodes under weaker models that are all monotone; it is the engine itself where the models are.
    """

    space: Space
    loss: BoundLoss
    engine: RollUp
    relaxed: RollUp
    ledger: Ledger
    observe: Observer

    @staticmethod
    def open(table: EncodedTable, models: Sequence[PrivacyModel], loss: str, limit: int, observe: Observer) -> Inquiry:
        """Prepare everything for a table."""
        bound = loss_by_key(loss).bind(table)
        engine = relaxed = RollUp(table, models, needs=bound.needs)
        weaker = [model for model in models if model.monotone_generalization]
        if len(weaker) < len(models):
            relaxed = RollUp(table, [*weaker, KAnonymity(k=engine.smallest)], needs=bound.needs)
        return Inquiry(Space.of(table), bound, engine, relaxed, Ledger(table, bound, limit), observe)

    @property
    def monotone(self) -> bool:
        """Whether everything above a solution is one too."""
        return self.relaxed is self.engine

    @property
    def checks(self) -> int:
        """Nodes checked so far, under the models or relaxed ones."""
        return self.engine.checks if self.monotone else self.engine.checks + self.relaxed.checks

    def require_monotone(self, key: str) -> None:
        """Refuse models for which a search that goes by solutions above solutions would miss some."""
        for model in self.engine.models:
            if not model.monotone_generalization:
                raise ParameterError(
                    f"{key}: {model.key}",
                    expected="models that stay satisfied when data are generalized further",
                    got=f"{model.title}, which need not",
                    hint="use the method 'optimal-lattice'",
                )

    def check(self, node: Node) -> NodeStatistics | None:
        """Check a node and return its statistics if it is a solution."""
        statistics = self.engine.check(node)
        solves = self.ledger.enter(statistics)
        self._report()
        return statistics if solves else None

    def check_relaxed(self, node: Node) -> NodeStatistics | None:
        """Check a node under the relaxed models and return its statistics if it could be a solution."""
        statistics = self.relaxed.check(node)
        self._report()
        return statistics if self.ledger.solves(statistics)[0] else None

    def _report(self) -> None:
        best = None if self.ledger.best is None else self.ledger.best_loss
        report(self.observe, Progress(stage="searching the lattice", done=self.checks, best=best))

    def nearest(self) -> NodeStatistics:
        """Return the node with the fewest suppressed records, of the whole lattice where that does not take long."""
        if not self.monotone and self.space.size <= NEAREST_OF:
            for batch in self.engine.walk(self.space, observe=self.observe):
                self.ledger.enter(batch)
        elif not self.monotone:
            self.ledger.enter(self.engine.check(self.space.high))
        return self.ledger.nearest()

    def best_of(self, solutions: Iterable[NodeStatistics]) -> Node | None:
        """Return the node with the least loss, by the same rule for ties as everywhere."""
        ledger = Ledger(self.engine.table, self.loss, self.ledger.limit)
        for statistics in solutions:
            ledger.enter(statistics)
        return ledger.best
