"""EvaluatedNodes: nodes of a lattice with what each would publish, the best of them, and their Pareto fronts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import floor
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.card import Card, Carded, CardTable
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.lattice.space import Space
from nymity.quality import Loss, Needs, NodeStatistics, loss_of
from nymity.quality.node_statistics import Floats, Ints
from nymity.table.encoding import EncodedTable

#: Losses that differ by less than this share are ties.
TIE = 1e-12

#: How the names of columns with levels begin.
_LEVEL = "level of "

#: How many of the best nodes a card has.
_SHOWN = 12

Price = Literal["suppression", "k"]


@dataclass(frozen=True, eq=False, repr=False)
class EvaluatedNodes(Carded):
    """Distinct nodes of a lattice: levels (N, m) and, (N,), what each would publish and whether it is a solution.

    suppressed records, published classes, the k reached (records, or persons, of the smallest of those; 0 if there is
    none), loss. Masked rows are not among these classes: they stay only where they are as many as the models ask for.
    A solution stays within the suppression limit and publishes at least one record. ``losses`` are those that were
    evaluated with the nodes, by name, the first of them ``loss``; others can be computed from ``search_statistics``.
    ``space`` is the lattice, where all of it was evaluated.
    """

    names: tuple[str, ...]
    records: int
    levels: NDArray[Any]
    suppressed: Ints
    classes: Ints
    smallest: Ints
    loss: Floats
    solution: NDArray[np.bool_]
    losses: Mapping[str, Floats] = field(default_factory=dict)
    search_statistics: SearchStatistics | None = None
    space: Space | None = None

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, index: NDArray[Any] | slice) -> EvaluatedNodes:
        """Return some of the nodes, by a mask or by their positions."""
        arrays = [
            f.name for f in fields(self) if f.name not in ("names", "records", "losses", "search_statistics", "space")
        ]
        return replace(
            self,
            **{name: getattr(self, name)[index] for name in arrays},
            losses={name: values[index] for name, values in self.losses.items()},
            search_statistics=None
            if self.search_statistics is None
            else replace(self.search_statistics, statistics=self.search_statistics.statistics[index]),
        )

    def card(self) -> Card:
        """Return what is shown: how many nodes are solutions, and the best of them."""
        best = self.best(_SHOWN)
        rows = [
            (", ".join(f"{name} {level}" for name, level in zip(self.names, levels, strict=True)), loss, gone, k)
            for levels, loss, gone, k in zip(
                best.levels.tolist(), best.loss.tolist(), best.suppressed.tolist(), best.smallest.tolist(), strict=True
            )
        ]
        return Card(
            title="Nodes of the lattice",
            verdict=f"{int(self.solution.sum()):,} of {len(self):,} are solutions",
            facts=[("records", self.records)],
            tables=[
                CardTable(
                    columns=("levels", "loss", "suppressed", "k"), rows=rows, bars="loss", title="The best of them"
                )
            ],
            foot=".to_frame() has all, .best(n) and .within(suppression) some",
        )

    def to_frame(self) -> pl.DataFrame:
        """Return all nodes, as :meth:`frame` does."""
        return self.frame()

    @property
    def numbers(self) -> Ints | None:
        """The number of each node, (N,): from 1, the level of the last attribute rising first; None without a space."""
        return None if self.space is None else self.space.numbers(self.levels) + 1

    def frame(self, losses: Sequence[str | Loss] = ()) -> pl.DataFrame:
        """Return a table with one row per node.

        Columns: node (its number, where the whole lattice was evaluated), loss, suppressed (records), suppressed share,
        classes, k (records, or persons, of the smallest published class; 0 if there is none), solution, ``loss by``
        each further loss that was evaluated or is asked for, and ``level of`` each attribute.
        """
        values = dict(list(self.losses.items())[1:])
        values |= {found.name: self.loss_by(found) for found in map(loss_of, losses)}
        numbers = self.numbers
        return pl.DataFrame(
            {
                **({} if numbers is None else {"node": numbers}),
                "loss": self.loss,
                "suppressed": self.suppressed,
                "suppressed share": self.suppressed / self.records,
                "classes": self.classes,
                "k": self.smallest,
                "solution": self.solution,
                **{f"loss by {name}": value for name, value in values.items()},
                **{_LEVEL + name: self.levels[:, a] for a, name in enumerate(self.names)},
            }
        )

    @staticmethod
    def of_frame(frame: pl.DataFrame, records: int) -> EvaluatedNodes:
        """Return nodes by the table that :meth:`frame` made of them, without further losses."""
        names = [name.removeprefix(_LEVEL) for name in frame.columns if name.startswith(_LEVEL)]
        return EvaluatedNodes(
            names=tuple(names),
            records=records,
            levels=np.stack([frame[_LEVEL + name].to_numpy() for name in names], axis=1),
            suppressed=frame["suppressed"].to_numpy(),
            classes=frame["classes"].to_numpy(),
            smallest=frame["k"].to_numpy(),
            loss=frame["loss"].to_numpy(),
            solution=frame["solution"].to_numpy(),
        )

    def loss_by(self, loss: str | Loss) -> Floats:
        """Return the value of another loss, (N,), if it was evaluated or what it needs was kept."""
        wanted = loss_of(loss)
        if wanted.name in self.losses:
            return self.losses[wanted.name]
        value = None if self.search_statistics is None else self.search_statistics.value(wanted)
        if value is None:
            raise ParameterError(
                "losses",
                expected="a loss for which enough is known of the nodes",
                got=as_given(wanted.name),
                hint="nymity.explore(source, schema, privacy=..., losses=[...]) evaluates every node by any losses",
            )
        return value

    def within(self, suppression: float) -> EvaluatedNodes:
        """Return the same nodes, solutions being those that suppress at most this share of the records."""
        validation.number("within.suppression", suppression, at_least=0, at_most=1)
        limit = floor(validation.exact_fraction(suppression) * self.records)
        return replace(self, solution=(self.suppressed <= limit) & (self.classes > 0))

    def best(self, n: int = 1) -> EvaluatedNodes:
        """Return the ``n`` solutions with the least loss, the best first.

        Ties go to fewer suppressed records, then the smaller sum of levels, then the lexicographically smaller levels.
        """
        validation.whole_number("best.n", n, at_least=0)
        found = np.flatnonzero(self.solution)
        if 0 < n < len(found):
            # Only what is as good as the n-th is sorted: a lattice may have millions of solutions.
            found = found[self.loss[found] <= np.partition(self.loss[found], n - 1)[n - 1] * (1 + TIE)]
        levels = self.levels[found].astype(np.int64)
        keys = (*levels.T[::-1], levels.sum(axis=1), self.suppressed[found], _ranks(self.loss[found]))
        return self[found[np.lexsort(keys)][:n]]

    def pareto(self, against: Price) -> NDArray[np.bool_]:
        """Return which nodes are on the Pareto front of loss against suppressed records, or against the k reached.

        Among the nodes that publish at least one record, a node dominates another if its loss is not larger and it
        suppresses no more records (``suppression``) or reaches no smaller a k (``k``), and one of the two is better.
        The front are those that no other dominates: for every suppression limit, or every k asked for, one of them has
        the least loss. Losses that differ by less than one part in 10^12 are equal; nodes equal in both are on it
        together. The suppression limit does not matter. Takes O(N log N).
        """
        validation.one_of("pareto.against", against, ("suppression", "k"))
        publishing = np.flatnonzero(self.classes > 0)
        price = self.suppressed if against == "suppression" else -self.smallest
        front = np.zeros(len(self), dtype=np.bool_)
        front[publishing] = _undominated(_ranks(self.loss[publishing]), price[publishing])
        return front

    def front(self, against: Price) -> EvaluatedNodes:
        """Return the nodes on a Pareto front from few suppressed records, or a small k, to many."""
        found = np.flatnonzero(self.pareto(against))
        price = self.suppressed if against == "suppression" else self.smallest
        return self[found[np.lexsort((found, price[found]))]]


@dataclass(frozen=True, eq=False)
class SearchStatistics:
    """What a search knew of its nodes beyond what it reports: any loss that needs no more can be computed."""

    table: EncodedTable
    statistics: NodeStatistics
    needs: Needs

    def value(self, loss: Loss) -> Floats | None:
        """Return a loss of each node, or None if it takes statistics that were not kept."""
        prepared = loss.prepare(self.table)
        asked, had = prepared.needs, self.needs
        enough = asked.statistics <= had.statistics and asked.target in (None, had.target)
        return prepared.value(self.statistics) if enough and _same_costs(asked, had) else None


def _same_costs(asked: Needs, had: Needs) -> bool:
    """Return whether suppressed cells were summed by the same costs, or by leaves where none are asked for."""
    if asked.costs is None or had.costs is None:
        return asked.costs is had.costs
    pairs = zip(asked.costs, had.costs, strict=True)
    return all(np.array_equal(a, b) for levels in pairs for a, b in zip(*levels, strict=True))


def _ranks(losses: Floats) -> Ints:
    """Number losses from 0 in ascending order, ties alike."""
    order = np.argsort(losses)
    # A loss has the rank of the one before it unless it is larger by more than a tie.
    rising = losses[order]
    ranks = np.empty(len(losses), dtype=np.int64)
    ranks[order] = np.cumsum(np.concatenate([[False], rising[1:] > rising[:-1] * (1 + TIE)])[: len(losses)])
    return ranks


def _undominated(ranks: Ints, prices: Ints) -> NDArray[np.bool_]:
    """Return for which points no other has a smaller rank and price, or one of them smaller and the other equal.

    These have the least price of their rank, and a smaller one than all ranks below. Ranks leave no number out.
    """
    most = np.iinfo(np.int64).max
    least = np.full(ranks.max(initial=-1) + 1, most)  # of each rank, (n_ranks,)
    np.minimum.at(least, ranks, prices)
    below = np.concatenate([[most], np.minimum.accumulate(least)])
    return np.asarray((prices == least[ranks]) & (prices < below[ranks]))
