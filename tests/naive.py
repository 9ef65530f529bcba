"""Slow oracles: every figure of the computing core once more, straight from its definition.

Plain Python over lists of records; counts are integers and losses fractions wherever the formula allows. Nothing of
nymity is used but :class:`Hierarchy`, for its rows. The formulas are those of the reference (m attributes, n records,
c = class size, S = suppressed records), not those of the code.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product

from nymity.table.hierarchy import Hierarchy

Label = str | None
Row = tuple[Label, ...]
Node = tuple[int, ...]
#: A class as a privacy model sees it: its size, and how often each value of each sensitive attribute occurs.
Judge = Callable[[int, Mapping[str, Counter[Label]]], bool]
Number = Fraction | float


def texts(values: Sequence[object]) -> list[Label]:
    """How values are written: whole floats like integers, ISO dates, gaps missing."""
    return [_text(v) for v in values]


def _text(value: object) -> Label:
    if value is None or value != value or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    return str(value)


@dataclass(frozen=True)
class Records:
    """A table as lists: one row of raw quasi-identifier values per record, and its sensitive values."""

    rows: list[Row]
    hierarchies: tuple[Hierarchy, ...]
    sensitive: dict[str, list[Label]] = field(default_factory=dict)
    weights: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def steps(self) -> list[dict[Label, list[Label]]]:
        """Per attribute: raw value to its whole row of the hierarchy."""
        return [{row[0]: list(row) for row in h.rows()} for h in self.hierarchies]

    @cached_property
    def share(self) -> list[Fraction]:
        """Attribute weights as shares of their sum; zeros if that is zero."""
        weights = [Fraction(w) for w in self.weights] or [Fraction(1)] * len(self.hierarchies)
        return [w / sum(weights) if sum(weights) else Fraction(0) for w in weights]

    @property
    def plain(self) -> list[Fraction]:
        """Attribute weights as they are."""
        return [Fraction(w) for w in self.weights] or [Fraction(1)] * len(self.hierarchies)

    def at(self, node: Node) -> list[Row]:
        """Return the generalized rows."""
        return [tuple(self.steps[a][v][node[a]] for a, v in enumerate(row)) for row in self.rows]

    def leaves(self, attribute: int, level: int) -> Counter[Label]:
        """Count the raw values each generalized value stands for."""
        return Counter(row[level] for row in self.hierarchies[attribute].rows())


def nodes(low: Sequence[int], high: Sequence[int]) -> Iterator[Node]:
    """Every node between two others, in lexicographic order."""
    return product(*(range(a, b + 1) for a, b in zip(low, high, strict=True)))


def classes(records: Records, node: Node) -> dict[Row, list[int]]:
    """Return the records of each equivalence class."""
    found: dict[Row, list[int]] = {}
    for record, row in enumerate(records.at(node)):
        found.setdefault(row, []).append(record)
    return found


def histogram(records: Records, members: Iterable[int]) -> dict[str, Counter[Label]]:
    """Count the sensitive values of some records."""
    members = list(members)
    return {name: Counter(values[r] for r in members) for name, values in records.sensitive.items()}


def suppressed(records: Records, node: Node, judges: Sequence[Judge]) -> list[int]:
    """Return the records in classes that some judge refuses."""
    return [
        record
        for members in classes(records, node).values()
        if not all(judge(len(members), histogram(records, members)) for judge in judges)
        for record in members
    ]


# -- judges ------------------------------------------------------------------------------------------------------


def at_least(k: int) -> Judge:
    """k-anonymity: at least k records."""
    return lambda size, _: size >= k


def diverse(l: int, attribute: str) -> Judge:  # noqa: E741 -- the literature's name
    """Distinct l-diversity: at least l different values."""
    return lambda _, counts: len(counts[attribute]) >= l


def frequent(l: float, attribute: str) -> Judge:  # noqa: E741
    """Frequency l-diversity: no value has a share of more than 1 / l."""
    return lambda size, counts: max(Fraction(n, size) for n in counts[attribute].values()) <= 1 / Fraction(str(l))


def entropic(l: float, attribute: str) -> Judge:  # noqa: E741
    """Entropy l-diversity: -sum of p log p >= log l, which is n^n / product of c^c >= l^n without a logarithm."""

    def judge(size: int, counts: Mapping[str, Counter[Label]]) -> bool:
        return size**size >= Fraction(str(l)) ** size * math.prod(n**n for n in counts[attribute].values())

    return judge


def recursive(c: float, l: int, attribute: str) -> Judge:  # noqa: E741
    """Recursive (c, l)-diversity: r_1 < c (r_l + ... + r_m)."""

    def judge(_: int, counts: Mapping[str, Counter[Label]]) -> bool:
        r = sorted(counts[attribute].values(), reverse=True)
        return r[0] < Fraction(str(c)) * sum(r[l - 1 :])

    return judge


def alpha_k(alpha: float, k: int, attribute: str) -> Judge:
    """(alpha, k)-anonymity: at least k records, no value with a share of more than alpha."""
    return lambda size, counts: (
        size >= k and all(Fraction(n, size) <= Fraction(str(alpha)) for n in counts[attribute].values())
    )


def prosecutor(limit: float) -> Judge:
    """Prosecutor risk: 1 / size <= limit."""
    return lambda size, _: Fraction(1, size) <= Fraction(str(limit))


def even(size: int, _: Mapping[str, Counter[Label]]) -> bool:
    """A condition that merging classes can break: an even number of records."""
    return size % 2 == 0


# -- statistics of a node ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statistics:
    """What a node check has to answer."""

    suppressed: int
    kept: int
    squares: int
    classes: int
    lost_leaves: tuple[int, ...]
    covered: tuple[int, int]
    lost_entropy: tuple[float, ...]


def statistics(records: Records, node: Node, judges: Sequence[Judge]) -> Statistics:
    """Count everything about one node."""
    found, gone = classes(records, node), set(suppressed(records, node, judges))
    kept = [members for members in found.values() if members[0] not in gone]
    rows, m = records.at(node), len(node)
    leaves = [records.leaves(a, node[a]) for a in range(m)]
    products = [math.prod(leaves[a][row[a]] for a in range(m)) for row in rows]
    return Statistics(
        suppressed=len(gone),
        kept=len(kept),
        squares=sum(len(members) ** 2 for members in kept),
        classes=len(found),
        lost_leaves=tuple(sum(leaves[a][rows[r][a]] for r in gone) for a in range(m)),
        covered=(sum(p for r, p in enumerate(products) if r not in gone), sum(products)),
        lost_entropy=tuple(_entropy(Counter(rows[r][a] for r in gone)) for a in range(m)),
    )


def _entropy(counts: Counter[Label]) -> float:
    """Return -sum of f log2(f / S)."""
    total = sum(counts.values())
    return math.fsum(-f * math.log2(f / total) for f in counts.values())


# -- losses ------------------------------------------------------------------------------------------------------


def loss(records: Records, node: Node, judges: Sequence[Judge], key: str) -> Number:
    """Return a loss by its key."""
    return LOSSES[key](records, node, set(suppressed(records, node, judges)))


def domain_share(records: Records, node: Node, gone: set[int]) -> list[Fraction]:
    """Per attribute: L = (sum over kept records of share + S - n/D) / (n - n/D), not below 0."""
    n, rows, out = len(records), records.at(node), []
    for a, h in enumerate(records.hierarchies):
        D, leaves = h.domain_size, records.leaves(a, node[a])
        shares = sum((Fraction(leaves[rows[r][a]], D) for r in range(n) if r not in gone), Fraction(0))
        least = Fraction(n, D)
        out.append(max(Fraction(0), (shares + len(gone) - least) / (n - least)) if D > 1 else Fraction(0))
    return out


def arithmetic(records: Records, node: Node, gone: set[int]) -> Fraction:
    parts = domain_share(records, node, gone)
    return sum((w * part for w, part in zip(records.share, parts, strict=True)), Fraction(0))


def geometric(records: Records, node: Node, gone: set[int]) -> float:
    parts = domain_share(records, node, gone)
    return math.expm1(
        math.fsum(float(w) * math.log1p(float(part)) for w, part in zip(records.share, parts, strict=True))
    )


def precision(records: Records, node: Node, gone: set[int]) -> Fraction:
    n, S = len(records), len(gone)
    return sum(
        (
            w * (Fraction(level * (n - S), max(1, h.height)) + S) / n
            for w, level, h in zip(records.share, node, records.hierarchies, strict=True)
        ),
        Fraction(0),
    )


def height(records: Records, node: Node, gone: set[int]) -> Fraction:
    del gone
    return sum((w * level for w, level in zip(records.plain, node, strict=True)), Fraction(0))


def discernibility(records: Records, node: Node, gone: set[int]) -> Fraction:
    kept = [len(members) for members in classes(records, node).values() if members[0] not in gone]
    return Fraction(sum(c * c for c in kept) + len(records) * len(gone))


def average_class_size(records: Records, node: Node, gone: set[int]) -> Fraction:
    kept = sum(members[0] not in gone for members in classes(records, node).values())
    return Fraction(len(records), kept + (1 if gone else 0))


def ambiguity(records: Records, node: Node, gone: set[int]) -> Fraction:
    m, rows = len(node), records.at(node)
    leaves = [records.leaves(a, node[a]) for a in range(m)]
    covered = sum(math.prod(leaves[a][rows[r][a]] for a in range(m)) for r in range(len(rows)) if r not in gone)
    return Fraction(covered + len(gone) * math.prod(h.domain_size for h in records.hierarchies))


def entropy(records: Records, node: Node, gone: set[int]) -> float:
    total = 0.0
    for a, w in enumerate(records.plain):
        raw = [row[a] for row in records.rows]
        published = [row[a] for row in records.at(node)]
        frequency, merged = Counter(raw), Counter(published)
        above = {value: merged[records.steps[a][value][node[a]]] for value in frequency}
        bits = math.fsum(-f * math.log2(f / above[value]) for value, f in frequency.items())
        total += float(w) * (bits + _entropy(Counter(published[r] for r in gone)))
    return total


LOSSES: dict[str, Callable[[Records, Node, set[int]], Number]] = {
    "loss": arithmetic,
    "loss-geometric": geometric,
    "precision": precision,
    "discernibility": discernibility,
    "average-class-size": average_class_size,
    "height": height,
    "entropy": entropy,
    "ambiguity": ambiguity,
}


# -- the optimum -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Optimum:
    """The best node."""

    node: Node
    loss: Number
    suppressed: int
    classes: int


def limit_of(suppression: str, n: int) -> int:
    """Records that may be suppressed, in whole hundredths and the like: floor of an exact product."""
    return math.floor(Fraction(suppression) * n)


def optimum(
    records: Records, judges: Sequence[Judge], key: str, limit: int, low: Sequence[int], high: Sequence[int]
) -> Optimum | None:
    """Try every node: least loss; ties to fewer suppressed, the lower sum of levels, the first in order."""
    solutions = []
    for node in nodes(low, high):
        gone = set(suppressed(records, node, judges))
        if len(gone) <= limit and len(gone) < len(records):
            solutions.append((LOSSES[key](records, node, gone), len(gone), sum(node), node))
    if not solutions:
        return None
    least = min(float(value) for value, *_ in solutions)
    tied = [s for s in solutions if float(s[0]) <= least * (1 + 1e-12)]
    value, gone_count, _, node = min(tied, key=lambda s: s[1:])
    gone = set(suppressed(records, node, judges))
    kept = sum(members[0] not in gone for members in classes(records, node).values())
    return Optimum(node, value, gone_count, kept)


def least_suppressed(records: Records, judges: Sequence[Judge], low: Sequence[int], high: Sequence[int]) -> int:
    """Return the fewest records any node suppresses."""
    return min(len(suppressed(records, node, judges)) for node in nodes(low, high))
