"""What losses are formulas of, counted from a release as it was published.

Plain numpy on different rows, not the engine of the search: the two are compared in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.kernels.covering import covering_bits
from nymity.quality.attribute_loss import PreparedCostLoss
from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.metric import MetricValue
from nymity.quality.node_statistics import NodeStatistics
from nymity.quality.precision import PreparedPrecisionLoss
from nymity.quality.published_rows import Ints, PublishedRows, rows_of
from nymity.table.encoding import EncodedTable


def measured_by(loss: Loss, table: EncodedTable) -> Callable[[PublishedRows], MetricValue]:
    """Return a loss as a function of what was published, whatever kind of recoding made it."""
    prepared = loss.prepare(table)

    def measured(published: PublishedRows) -> MetricValue:
        why = _no_meaning(prepared, published)
        if why is not None:
            return MetricValue(undefined=why)
        node = _statistics_of(published, prepared)
        value = float(prepared.value(node)[0])
        if value == inf:
            return MetricValue(undefined="a record of the original fits no row")
        each = prepared.per_attribute(node)
        attributes = None if each is None else dict(zip(table.names, each[0].tolist(), strict=True))
        return MetricValue(value=value, attributes=attributes)

    return measured


def _no_meaning(prepared: PreparedLoss, published: PublishedRows) -> str | None:
    """Return why a loss has no value for a release, or nothing where it has one."""
    target = prepared.needs.target
    if target is not None and target not in published.majorities:
        return f"the column {target!r} is not in the released table"
    return None if prepared.mixes_levels else published.several_levels


def _statistics_of(published: PublishedRows, prepared: PreparedLoss) -> NodeStatistics:
    """Count what a loss asks for."""
    needs, sizes, attributes = prepared.needs, published.counts, range(len(published.cells))
    extra: dict[str, NDArray[Any]] = {}
    if "lost_entropy" in needs.statistics:
        extra["lost_entropy"] = np.array([[_entropy(published.gone(a)) for a in attributes]])
    if "covered" in needs.statistics:
        extra["covered"] = np.full((1, 2), float(sizes @ np.prod(_covers(published), axis=0)))
    if "spread" in needs.statistics:
        extra["spread"] = np.full((1, 2), _spread(published))
    if needs.target is not None:
        extra["matched"] = np.full((1, 2), published.majorities[needs.target])
    if isinstance(prepared, PreparedCostLoss):
        lost = np.array([[_lost_costs(published, a, prepared) for a in attributes]])
        extra |= {"lost_costs": lost} if needs.costs is not None else {"lost_leaves": lost + published.suppressed}
    return NodeStatistics(
        levels=_mean_levels(published)
        if isinstance(prepared, PreparedPrecisionLoss)
        else np.array([published.counted_levels]),
        suppressed=np.array([published.suppressed]),
        accepted_classes=np.array([len(sizes)]),
        squares=np.array([int(sizes @ sizes)]),
        classes=np.array([len(sizes)]),
        smallest=np.array([sizes.min() if len(sizes) else 0]),
        **extra,
    )


def _covers(published: PublishedRows) -> NDArray[np.float64]:
    """Raw values that the cells of each row stand for, (m, n_rows)."""
    columns = zip(published.cells, published.rows.T, strict=True)
    return np.array([cells.sizes[column] for cells, column in columns], dtype=np.float64)


def _mean_levels(published: PublishedRows) -> NDArray[Any]:
    """The mean level of each attribute's kept cells, (1, m)."""
    kept = int(published.counts.sum())
    if not kept:
        return np.array([published.counted_levels])
    return np.array([[n @ levels / kept for n, levels in zip(published.in_cells, published.levels, strict=True)]])


def _lost_costs(published: PublishedRows, attribute: int, prepared: PreparedCostLoss) -> int:
    """What all records' cells cost at the level that is looked at, less what the kept cells do."""
    level, cells = published.counted_levels[attribute], published.cells[attribute]
    everyone = int(published.table.frequencies_at(attribute, level) @ prepared.costs[attribute][level])
    if published.on_levels:
        each = _at_nodes(published, attribute, prepared.costs[attribute])
    else:
        each = np.array([prepared.cost_of(attribute, cells.codes(c)) for c in range(len(cells.labels))], dtype=np.int64)
    return everyone - int(published.in_cells[attribute] @ each)


def _at_nodes(published: PublishedRows, attribute: int, tables: Sequence[Ints]) -> Ints:
    """Look up the node of each cell in a table per level, (n_cells,)."""
    cells, levels = published.cells[attribute], published.levels[attribute]
    first = cells.covered[cells.starts[:-1]]
    found = np.zeros(len(levels), dtype=np.int64)
    for level in np.unique(levels):
        codes = published.table.hierarchies[attribute].codes[level]
        found[levels == level] = tables[level][codes[first[levels == level]]]
    return found


def _spread(published: PublishedRows) -> float:
    """Sum c * log2(Σ over rows that cover x of their records / V, + S / all combinations) over raw combinations x.

    Rows may overlap (freeform ones, several levels in a column), and those of a sample may have fewer records than
    their class in the original. What the formula of nodes adds for suppressed records is contained, and taken off.
    """
    table, suppressed = published.table, published.suppressed
    domain = sum(float(np.log2(h.domain_size)) for h in table.hierarchies)
    everywhere = np.log2(suppressed) - domain if suppressed else -np.inf
    present = np.flatnonzero(table.counts)
    each = np.logaddexp2(_covering_bits(published, table.combinations[present].astype(np.int64)), everywhere)
    return float(table.counts[present] @ each) - (suppressed * everywhere if suppressed else 0.0)


def _covering_bits(published: PublishedRows, combinations: Ints) -> NDArray[np.float64]:
    """log2 of what rows give to each combination (n, m): their records over what they cover; -inf where none does."""
    rows, columns = published.rows, list(zip(published.cells, published.table.hierarchies, strict=True))
    bits = np.log2(published.counts) - np.log2(np.maximum(_covers(published), 1)).sum(axis=0)
    if all(len(np.unique(cells.covered)) == len(cells.covered) for cells, _ in columns):  # no two cells overlap
        own = np.empty_like(combinations)
        for a, (cells, hierarchy) in enumerate(columns):
            cell_of = np.full(hierarchy.domain_size, len(cells.labels), dtype=np.int64)
            cell_of[cells.covered] = np.repeat(np.arange(len(cells.labels)), cells.sizes)
            own[:, a] = cell_of[combinations[:, a]]
        _, place = rows_of(np.concatenate([rows, own]), [len(cells.labels) + 1 for cells, _ in columns])
        # Each combination lies in one row at most, so that it is looked up and nothing is summed.
        given = np.full(place.max(initial=0) + 1, -np.inf)
        given[place[: len(rows)]] = bits
        found: NDArray[np.float64] = given[place[len(rows) :]]
        return found
    # Attributes with few values first: combinations that follow each other then share long beginnings.
    few_first = np.argsort([len(np.unique(column)) for column in combinations.T], kind="stable")
    begins, cells_at, before = [np.zeros(1, dtype=np.int64)], list[Ints](), 0
    places = np.empty_like(combinations)
    for a, (cells, hierarchy) in enumerate(columns):
        by_value = np.argsort(cells.covered, kind="stable")
        cells_at.append(np.repeat(np.arange(len(cells.labels)), cells.sizes)[by_value])
        many = np.bincount(cells.covered, minlength=hierarchy.domain_size)
        begins.append(begins[-1][-1] + np.cumsum(many))
        places[:, a] = combinations[:, a] + before
        before += hierarchy.domain_size
    places = places[:, few_first]
    order = np.lexsort(places.T[::-1])
    most = max(len(cells.labels) for cells, _ in columns)
    walked = covering_bits(
        places[order], rows[:, few_first], bits, np.concatenate(begins), np.concatenate(cells_at), most
    )
    found = np.empty(len(order))
    found[order] = walked
    return found


def _entropy(counts: Ints) -> float:
    """Return Σ f * log2(S / f)."""
    present = counts[counts > 0]
    return float(np.sum(present * np.log2(present.sum() / present)))
