"""Every metric once more, written from its definition, record by record: slow, plain and separate from the library."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from nymity.table.hierarchy import Hierarchy
from nymity.utility import query_metric
from nymity.utility.workload import Workload

Value = str | None
Cell = frozenset[Value]


@dataclass(frozen=True)
class Pair:
    """Records of the original, and what became of each: one set of raw values per column, None if suppressed.

    levels: the level of every column, where each has one.
    """

    before: Sequence[tuple[Value, ...]]
    after: Sequence[tuple[Cell, ...] | None]
    hierarchies: Sequence[Hierarchy]
    levels: Sequence[int] | None = None

    @property
    def n(self) -> int:
        return len(self.before)

    @property
    def columns(self) -> range:
        return range(len(self.hierarchies))

    def domain(self, a: int) -> Cell:
        return frozenset(self.hierarchies[a].values)

    def cell(self, i: int, a: int) -> Cell:
        """What the cell of a record stands for; a suppressed one for everything."""
        row = self.after[i]
        return self.domain(a) if row is None else row[a]

    def column(self, a: int) -> list[Value]:
        return [row[a] for row in self.before]


def relative_distance(pair: Pair) -> float | None:
    if pair.levels is None:
        return None
    return sum(level / max(1, h.height) for level, h in zip(pair.levels, pair.hierarchies, strict=True))


def granularity(pair: Pair) -> float:
    shares = [(len(pair.cell(i, a)) - 1) / len(pair.domain(a)) for i in range(pair.n) for a in pair.columns]
    return statistics.fmean(shares)


def entropy_conditional(pair: Pair) -> float:
    total = 0.0
    for a in pair.columns:
        frequency = Counter(pair.column(a))
        for i in range(pair.n):
            inside = [frequency[v] for v in pair.cell(i, a) if frequency[v]]
            total -= sum(f / sum(inside) * math.log2(f / sum(inside)) for f in inside)
    return total


def places(hierarchy: Hierarchy) -> dict[Value, float] | None:
    """Numbers as shares of their span, None where some value is none."""
    values = [v for v in hierarchy.values if v is not None]
    if not values or not all(re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", v) for v in values):
        return None
    numbers = {v: float(v) for v in values}
    low, high = min(numbers.values()), max(numbers.values())
    return {v: (x - low) / ((high - low) or 1) for v, x in numbers.items()}


def information_loss(pair: Pair) -> float:
    total = 0.0
    for a, hierarchy in enumerate(pair.hierarchies):
        known = places(hierarchy)
        for i in range(pair.n):
            if pair.after[i] is None:
                total += len(pair.domain(a)) > 1
            elif known is not None:
                inside = [known[v] for v in pair.cell(i, a) if v is not None]
                total += max(inside) - min(inside) if inside else 0
            else:
                level = pair.levels[a] if pair.levels is not None else covering_level(hierarchy, pair.cell(i, a))
                total += level / max(1, hierarchy.height)
    return total / pair.n


def covering_level(hierarchy: Hierarchy, cell: Cell) -> int:
    """The lowest level on which all values of a cell are one."""
    nodes = [{hierarchy.codes[level][hierarchy.index[v]] for v in cell} for level in range(hierarchy.height + 1)]
    return next(level for level, found in enumerate(nodes) if len(found) == 1)


def squared_distance(pair: Pair) -> float:
    total = 0.0
    for a, hierarchy in enumerate(pair.hierarchies):
        known = places(hierarchy)
        for i, value in enumerate(pair.column(a)):
            cell = pair.cell(i, a)
            if known is None:  # half the squared distance of a corner from the middle of the cell's corners
                middle = {v: 1 / len(cell) for v in cell}
                corner = {v: float(v == value) for v in cell}
                total += sum((corner[v] - middle[v]) ** 2 for v in cell) / 2
                continue
            inside = [known[v] for v in cell if v is not None]
            if value is None:
                total += bool(inside)
            else:
                total += (known[value] - sum(inside) / len(inside)) ** 2
    return total / pair.n


def mutual_information(pair: Pair) -> float | None:
    shares = []
    for a in pair.columns:
        values = pair.column(a)
        cells = [None if row is None else row[a] for row in pair.after]
        if len(set(values)) > 1:
            both, one, other = Counter(zip(values, cells, strict=True)), Counter(values), Counter(cells)
            kept = sum(c / pair.n * math.log2(c * pair.n / (one[v] * other[x])) for (v, x), c in both.items())
            bits = -sum(c / pair.n * math.log2(c / pair.n) for c in one.values())
            shares.append(kept / bits)
    return statistics.fmean(shares) if shares else None


def diameter(pair: Pair) -> float:
    rows = {row for row in pair.after if row is not None}
    return max((sum(x != y for x, y in zip(*two, strict=True)) for two in combinations(rows, 2)), default=0)


def spread(pair: Pair, a: int) -> dict[Value, float]:
    """Records of each value, those of a cell divided among its values."""
    found = dict.fromkeys(pair.domain(a), 0.0)
    for i in range(pair.n):
        for value in pair.cell(i, a):
            found[value] += 1 / len(pair.cell(i, a))
    return found


def hellinger(pair: Pair) -> float:
    distances = []
    for a in pair.columns:
        p, q = Counter(pair.column(a)), spread(pair, a)
        apart = sum((math.sqrt(p[v] / pair.n) - math.sqrt(q[v] / pair.n)) ** 2 for v in pair.domain(a))
        distances.append(math.sqrt(apart) / math.sqrt(2))
    return statistics.median(distances)


def bivariate_correlation(pair: Pair, corrected: bool = False) -> float | None:
    same = Pair(pair.before, [tuple(frozenset([v]) for v in row) for row in pair.before], pair.hierarchies)
    changes = [
        abs(association(same, a, b, corrected) - association(pair, a, b, corrected))
        for a, b in combinations(pair.columns, 2)
    ]
    return statistics.median(changes) if changes else None


def association(pair: Pair, a: int, b: int, corrected: bool) -> float:
    """Cramér's V of the spread columns, from the whole contingency table."""
    n, table = pair.n, Counter[tuple[Value, Value]]()
    for i in range(n):
        one, other = pair.cell(i, a), pair.cell(i, b)
        for v in one:
            for w in other:
                table[v, w] += 1 / (len(one) * len(other))  # type: ignore[assignment]
    rows = {v: sum(x for (u, _), x in table.items() if u == v) for v, _ in table}
    columns = {w: sum(x for (_, u), x in table.items() if u == w) for _, w in table}
    r, c = len(rows), len(columns)
    if min(r, c) == 1:
        return 0.0
    expected = {(v, w): rows[v] * columns[w] / n for v in rows for w in columns}
    phi = sum((table[at] - e) ** 2 / e for at, e in expected.items()) / n
    if not corrected:
        return math.sqrt(phi / (min(r, c) - 1))
    if n == 1:
        return 0.0
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return math.sqrt(max(0.0, phi - (r - 1) * (c - 1) / (n - 1)) / least) if least > 0 else 0.0


def count_queries(pair: Pair) -> float:
    asked = {"n": query_metric.QUERIES, "selectivity": query_metric.SELECTIVITY, "seed": query_metric.SEED}
    values_of = [[v for v in hierarchy.values if v in pair.column(a)] for a, hierarchy in enumerate(pair.hierarchies)]
    workload = Workload.drawn({str(a): values for a, values in enumerate(values_of)}, **asked)
    errors = []
    for q in range(workload.n):
        query = {int(name): set(admitted) for name, admitted in workload.query(q).items()}
        answer = sum(all(row[a] in values for a, values in query.items()) for row in pair.before)
        estimate = sum(
            math.prod(len(pair.cell(i, a) & values) / len(pair.cell(i, a)) for a, values in query.items())
            for i in range(pair.n)
        )
        errors.append(abs(estimate - answer) / max(answer, pair.n / 1000))
    return statistics.fmean(errors)


ORACLES: dict[str, Callable[[Pair], Any]] = {
    "relative-distance": relative_distance,
    "granularity": granularity,
    "information-loss": information_loss,
    "squared-distance": squared_distance,
    "entropy-conditional": entropy_conditional,
    "mutual-information": mutual_information,
    "diameter": diameter,
    "hellinger": hellinger,
    "bivariate-correlation": bivariate_correlation,
    "bivariate-correlation-corrected": lambda pair: bivariate_correlation(pair, corrected=True),
    "count-queries": count_queries,
}
