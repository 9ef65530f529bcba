"""What a lattice search answers with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.core.errors import NoSolutionError
from nymity.core.wording import name_of
from nymity.lattice.nodes import EvaluatedNodes
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Node
from nymity.privacy import PrivacyModel
from nymity.quality import Loss, NodeStatistics
from nymity.table.encoding import EncodedTable
from nymity.table.level_recoding import Layer, LevelRecoding
from nymity.table.outcome import ByValues


@dataclass(frozen=True, eq=False)
class LatticeOutcome:
    """The chosen node with its recoding, and how it was found.

    ``optimal`` says that no node of the lattice has a smaller loss within the limit: proved, not believed. ``minimal``
    lists what a search determines completely: OLA all solutions below which there is no other, MinGen all solutions
    that tie for the least loss, the chosen one first. ``bound``: it is proved that no solution has a smaller loss than
    this, None where nothing is. ``exploration`` is what a search that stopped early can go on with. ``stopped``:
    somebody interrupted it, so nothing is proved.
    """

    recoding: LevelRecoding
    levels: dict[str, int]
    loss: float
    minimized: Loss
    suppressed: int
    classes: int
    checks: int
    lattice_size: int
    optimal: bool
    nodes: EvaluatedNodes
    minimal: tuple[Node, ...] | None = None
    bound: float | None = None
    exploration: object = None
    stopped: bool = False

    @property
    def foreseen(self) -> bool:
        """No promise rests on its draws."""
        return False

    @property
    def gap(self) -> float | None:
        """How much smaller than the loss found another could be at most, as a share of it; None without a bound."""
        return None if self.bound is None else 1 - self.bound / self.loss if self.loss else 0.0

    @property
    def loss_key(self) -> str:
        """Key of the loss that was minimized."""
        return self.minimized.key

    def searched(self) -> dict[str, Any]:
        """Return how many nodes there are; how many were checked can depend on who has which value."""
        return {"lattice_nodes": self.lattice_size}

    def trace(self) -> pl.DataFrame:
        """Return every node that was seen."""
        return self.nodes.frame()

    def chosen_by_values(self, *, promised: bool) -> str:
        """Say so if nodes are accepted, or their losses counted, by sensitive values."""
        if promised:
            return ByValues.LEVELS
        return ByValues.LOSS if self.minimized.counts_sensitive_values else ""


def recoding_of(engine: RollUp, node: Node, columns: Sequence[str]) -> LevelRecoding:
    """Return the recoding that publishes what can be published of a node."""
    table, classes = engine.table, engine.classes(node)
    recoding = LevelRecoding(
        columns=tuple(columns),
        hierarchies=dict(zip(table.names, table.hierarchies, strict=True)),
        layers=(Layer(dict(zip(table.names, node, strict=True)), classes.codes[classes.decision.published]),),
        outliers=classes.decision.outliers,
    )
    if table.persons is None or (published := classes.decision.persons) is None:
        return recoding
    # Linked rows: persons who are too easily told from others are left out whole, also of classes that are published.
    return recoding.leaving_out(table.persons.name, table.persons.ids.filter(pl.Series(~published)))


def refuse(table: EncodedTable, models: Sequence[PrivacyModel], limit: str, nearest: NodeStatistics) -> NoSolutionError:
    """Return the error that no node satisfies the models, with how near the best one came."""
    demands = demands_of(models)
    least = int(nearest.suppressed[0])
    levels = ", ".join(f"{name}={level}" for name, level in zip(table.names, nearest.levels[0], strict=True))
    if least >= table.n_records:
        return NoSolutionError(
            f"no node satisfies {demands}: even at levels {levels} every record would have to be suppressed. "
            "Try: a weaker model, or higher levels for the attributes whose levels are bounded"
        )
    persons = ""
    if table.persons is not None and len(nearest.touched):
        persons = f", which {int(nearest.touched[0]):,} of {table.persons.n_persons:,} persons have"
    return NoSolutionError(
        f"no node satisfies {demands} with suppression <= {limit}; the least was {least / table.n_records:.1%} "
        f"({least:,} of {table.n_records:,} records{persons}) at levels {levels}. "
        "Try: a larger suppression limit, a weaker model, fewer quasi-identifiers, or higher max_level"
    )


def passed_by(
    table: EncodedTable, models: Sequence[PrivacyModel], solution: NodeStatistics | None, *, key: str, instead: str
) -> NoSolutionError:
    """Return the error that a search came by no solution, though there is one, or may be."""
    there = "there may be one beside its path"
    if solution is not None:
        levels = ", ".join(f"{name}={level}" for name, level in zip(table.names, solution.levels[0], strict=True))
        there = f"there is one beside its path, at levels {levels}"
    return NoSolutionError(
        f"{key} came by no node that satisfies {demands_of(models)} within the suppression limit; {there}. "
        f"Not everything above a solution is one here. Try: the method {instead!r}"
    )


def demands_of(models: Sequence[PrivacyModel]) -> str:
    """Name what is promised, in few words."""
    return " and ".join(name_of(model.promise()) for model in models) or "the demands"
