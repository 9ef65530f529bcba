"""Where a search begins if a table has more combinations than fit into memory: the lowest levels that have few enough.

Levels are raised along one way, by hierarchies and by how often each value of a column occurs, until the combinations
of quasi-identifiers fit; then each is lowered again as far as it goes. So no single one could be lower. All of this is
a function of quasi-identifiers alone, which the attacker knows: it tells nothing about anybody, and is the same in
every engine.

What it may cost. Let s be these levels, b the lowest that the schema allows, and L the loss. For levels m that the
search does not consider, it considers max(m, s). If every class that contains an accepted class is accepted, no record
is suppressed there that is not at m. So a cell of a record costs no more there than at m, or at most as much more as it
does at s than at b, whether the record is suppressed or not. Where L is a mean of what cells cost, the least loss from
s on is therefore at most L(s) - L(b) above the least of all, both without suppression. For every loss that rises with
levels and suppressed records, no release loses less than L(b).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.engines import MergedCells
from nymity.kernels.grouping import distinct
from nymity.privacy import PrivacyModel
from nymity.publishing.jobs.registry import Method, is_private
from nymity.quality import Loss
from nymity.quality.attribute_loss import PreparedAttributeLoss, PreparedCostLoss
from nymity.table.encoding import EncodedTable, codes_of, distinct_values, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import LevelRecoding
from nymity.table.outcome import Outcome
from nymity.table.packing import KeyLayout
from nymity.table.schema import Schema

Levels = tuple[int, ...]
#: How many combinations there are at some levels; None where there are more than fit.
Number = Callable[[Levels], int | None]


def begins_at_levels(method: Method | None) -> bool:
    """Whether a method publishes levels, which may be bounded from below by a look at quasi-identifiers."""
    if method is None:
        return True
    return method.makes is LevelRecoding and not is_private(method) and not getattr(method, "by_hand", False)


@dataclass(frozen=True, eq=False, kw_only=True)
class RawColumn:
    """A quasi-identifier by itself: its different cells, the code of each in its hierarchy, and records of each code.

    ``low`` and ``high`` bound its level.
    """

    name: str
    values: pl.Series
    codes: NDArray[np.int32]
    frequencies: NDArray[np.int64]
    hierarchy: Hierarchy
    low: int
    high: int

    @staticmethod
    def of(name: str, values: pl.Series, records: NDArray[np.int64], schema: Schema) -> RawColumn:
        """Place the cells of a column, each with its number of records, in its hierarchy."""
        hierarchy, high = schema.hierarchy(name, values), schema[name].max_level
        codes = codes_of(values, None, hierarchy.index)
        frequencies = np.bincount(codes, weights=records, minlength=hierarchy.domain_size).astype(np.int64)
        return RawColumn(
            name=name,
            values=values,
            codes=codes,
            frequencies=frequencies,
            hierarchy=hierarchy,
            low=schema[name].min_level,
            high=hierarchy.height if high is None else high,
        )

    def merged(self, level: int) -> MergedCells:
        """Return the cells as they are counted at a level."""
        return MergedCells.of(self.values, self.codes, self.hierarchy.codes[level])

    @cached_property
    def steps(self) -> list[tuple[float, int]]:
        """The levels to raise it to, one after another, each with what it takes away for what it costs.

        Taken away are bits of the column's entropy; the cost is the share of the domain that a cell stands for.
        """
        bits, costs = self._bits_and_costs
        steps, level = [], self.low
        while level < self.high:
            worth = {
                to: (bits[level] - bits[to]) / (costs[to] - costs[level]) if costs[to] > costs[level] else 0.0
                for to in range(level + 1, self.high + 1)
            }
            # As a convex hull is walked: levels that take away less for their cost than a later one are passed over.
            level = max(worth, key=lambda to: (worth[to], -to))
            steps.append((worth[level], level))
        return steps

    @property
    def _bits_and_costs(self) -> tuple[list[float], list[float]]:
        bits, costs, everyone = [], [], int(self.frequencies.sum())
        for codes, leaves in zip(self.hierarchy.codes, self.hierarchy.leaves, strict=True):
            records = np.bincount(codes, weights=self.frequencies, minlength=len(leaves))
            share = records[records > 0] / everyone
            bits.append(-float(share @ np.log2(share)))
            costs.append(float(records @ leaves) / everyone)
        return bits, [cost / self.hierarchy.domain_size for cost in costs]


@dataclass(frozen=True, eq=False, kw_only=True)
class Start:
    """The levels that a search begins at, with how many combinations they have, of ``most`` that may be kept."""

    columns: Sequence[RawColumn]
    levels: Levels
    combinations: int
    most: int

    @staticmethod
    def of(columns: Sequence[RawColumn], most: int, number: Number) -> Start:
        """Find the lowest levels whose combinations fit; at the lowest that the schema allows they may not."""
        known: dict[Levels, int | None] = {}

        def fits(levels: Levels) -> bool:
            if levels not in known:
                known[levels] = number(levels)
            return known[levels] is not None

        chain = _chain(columns)
        # Each step merges cells, so that combinations never become more along the chain: halving finds the first fit.
        first = bisect_left(chain, True, key=fits)
        if first == len(chain):
            raise TableError(
                "table",
                expected=f"at most {most:,} combinations of quasi-identifiers (engine.combinations), if need be at the "
                "highest levels",
                got="more",
                hint="more of them, where memory allows; fewer quasi-identifiers, or a higher max_level",
            )
        # The chain passes by levels that would fit as well; from its first one columns go back as far as they can.
        levels = _lowered(columns, chain[first], fits)
        return Start(columns=columns, levels=levels, combinations=known[levels] or 0, most=most)

    @property
    def lowest(self) -> Levels:
        """The lowest levels that the schema allows."""
        return tuple(column.low for column in self.columns)

    @property
    def merged(self) -> dict[str, MergedCells]:
        """The cells that are counted as one."""
        return {column.name: column.merged(level) for column, level in zip(self.columns, self.levels, strict=True)}

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """Those of all cells, not of the merged ones."""
        return {column.name: column.hierarchy for column in self.columns}

    def begun(self, merged: EncodedTable) -> EncodedTable:
        """Return the table of merged cells for a search that begins here."""
        raw = tuple(column.frequencies for column in self.columns)
        return replace(merged, min_levels=self.levels, raw=raw)

    def told(
        self, outcome: Outcome, table: EncodedTable, models: Sequence[PrivacyModel]
    ) -> tuple[Outcome, Begun | None]:
        """Return the outcome as it is among all levels, and what is to be said of where the search began."""
        levels = {
            column.name: level for column, level in zip(self.columns, self.levels, strict=True) if level > column.low
        }
        if not levels:  # those that the schema asks for have few enough
            return outcome, None
        cost = self._may_cost(outcome, table, models)
        begun = Begun(levels=levels, combinations=self.combinations, most=self.most, may_cost=cost)
        inside = outcome.loss if outcome.optimal else outcome.bound
        # Inside nothing loses less than the bound, outside nothing less than this: the lesser of both holds everywhere.
        bound = None if inside is None or cost is None else min(inside, outcome.loss - cost)
        decided: Any = outcome  # kinds are dataclasses
        return replace(decided, optimal=False, bound=bound), begun

    def _may_cost(self, outcome: Outcome, table: EncodedTable, models: Sequence[PrivacyModel]) -> float | None:
        """Return how much less lower levels could lose at most; None where nothing is proved."""
        loss: Loss = outcome.minimized
        prepared = loss.prepare(table)
        if not isinstance(prepared, PreparedAttributeLoss):
            return None
        least = prepared.floor(self.lowest, None)
        cost = outcome.loss - least
        if (
            outcome.optimal
            and isinstance(prepared, PreparedCostLoss)
            and getattr(loss, "aggregation", None) == "arithmetic"
            and all(model.monotone_generalization for model in models)
        ):
            # A choice below, raised to these levels, loses no more than they cost in addition, and was searched.
            cost = min(cost, prepared.floor(self.levels, None) - least)
        return max(0.0, float(cost))


@dataclass(frozen=True, kw_only=True)
class Begun:
    """What is said of a search that began above the lowest levels: which are higher, and what that may cost."""

    levels: Mapping[str, int]
    combinations: int
    most: int
    may_cost: float | None

    def plain(self, *, withheld: bool) -> dict[str, Any]:
        """Return it for a certificate; a loss that is withheld has no bound either."""
        return {
            "levels": dict(self.levels),
            "combinations": self.combinations,
            "most_combinations": self.most,
            "may_cost": None if withheld else self.may_cost,
        }


def begun_in_memory(
    encoded: EncodedTable, table: pl.DataFrame, schema: Schema, population: pl.DataFrame | None, most: int
) -> tuple[EncodedTable, Start | None]:
    """Return a table in memory as engines encode it, which count no more combinations than ``most``."""
    # Where so few combinations are encoded, records have no more of them, and none need be counted again.
    if len(encoded.counts) <= most or _classes(encoded, (0,) * len(encoded.names)) <= most:
        return encoded, None
    columns = [
        RawColumn(
            name=name,
            values=(values := distinct_values(table[name])),
            codes=codes_of(values, None, hierarchy.index),
            frequencies=encoded.frequencies[a],
            hierarchy=hierarchy,
            low=encoded.min_levels[a],
            high=encoded.max_levels[a],
        )
        for a, (name, hierarchy) in enumerate(zip(encoded.names, encoded.hierarchies, strict=True))
    ]
    start = Start.of(columns, most, lambda levels: found if (found := _classes(encoded, levels)) <= most else None)
    cells = {name: one.counted(table[name]).alias(name) for name, one in start.merged.items()}
    merged = pl.DataFrame({column.name: cells.get(column.name, column) for column in table})
    return start.begun(encode(merged, schema, population, hierarchies=start.hierarchies)), start


def _classes(table: EncodedTable, levels: Levels) -> int:
    """Return how many combinations records have at some levels."""
    # Combinations of the population alone have no record; engines do not count them.
    present = table.combinations[table.counts > 0]
    codes = [h.codes[level][present[:, a]] for a, (h, level) in enumerate(zip(table.hierarchies, levels, strict=True))]
    return len(distinct(KeyLayout.for_sizes([h.domain_size for h in table.hierarchies]).pack(codes))[1])


def _chain(columns: Sequence[RawColumn]) -> list[Levels]:
    """Return levels from the lowest to the highest, each one column higher: what takes most away for its cost first."""
    steps = [(worth, -a, level) for a, column in enumerate(columns) for worth, level in column.steps]
    levels = [column.low for column in columns]
    chain = [tuple(levels)]
    for _, a, level in sorted(steps, key=lambda step: (-step[0], -step[1], step[2])):
        levels[-a] = level
        chain.append(tuple(levels))
    return chain


def _lowered(columns: Sequence[RawColumn], levels: Levels, fits: Callable[[Levels], bool]) -> Levels:
    """Lower columns one after another as far as combinations fit: later ones only add to them."""
    found = list(levels)
    for a, column in enumerate(columns):
        while found[a] > column.low and fits((*found[:a], found[a] - 1, *found[a + 1 :])):
            found[a] -= 1
    return tuple(found)
