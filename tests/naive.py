"""Slow oracles: every figure of the computing core once more, straight from its definition.

Plain Python over lists of records; counts are integers and losses fractions wherever the formula allows. Nothing of
nymity is used but :class:`Hierarchy`, for its rows. The formulas are those of the reference (m attributes, n records,
c = class size, S = suppressed records), not those of the code.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import Any

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


# -- beside a population -----------------------------------------------------------------------------------------

#: A class beside the population: its records, and the people who look alike.
Beside = Callable[[int, int], bool]


def mapped(k: int) -> Beside:
    """k-map: at least k people."""
    return lambda _, people: people >= k


def present(low: float, high: float) -> Beside:
    """Delta-presence: the share of the people who are in the table lies from low to high."""
    return lambda members, people: Fraction(str(low)) <= Fraction(members, people) <= Fraction(str(high))


def people_in(records: Records, people: list[Row], node: Node) -> Counter[Row]:
    """Count the people of each generalized combination."""
    return Counter(Records(rows=people, hierarchies=records.hierarchies).at(node))


def suppressed_beside(
    records: Records, people: list[Row], node: Node, judges: Sequence[Judge], beside: Beside, *, presence: bool = False
) -> set[int]:
    """Return the records in classes that some judge refuses, beside the population too.

    With ``presence``, the people outside every published class are judged as one class. If these are refused, classes
    are taken out one after the other, and those like them: while the share outside is below that of all people, the
    class with the largest share, otherwise with the smallest; of equal ones the smaller.
    """
    found, counted = classes(records, node), people_in(records, people, node)
    kept = {
        row: (len(members), counted[row])
        for row, members in found.items()
        if beside(len(members), counted[row])
        and all(judge(len(members), histogram(records, members)) for judge in judges)
    }
    whole = Fraction(len(records), len(people))
    rising: bool | None = None
    while presence and kept:
        inside = [sum(part) for part in zip(*kept.values(), strict=True)]
        members, others = len(records) - inside[0], len(people) - inside[1]
        if not others or beside(members, others):
            break
        rising = Fraction(members, others) < whole if rising is None else rising
        first = min(kept.values(), key=lambda part: (Fraction(*part) * (-1 if rising else 1), part[0]))
        kept = {row: part for row, part in kept.items() if part != first}
    return {record for row, members in found.items() if row not in kept for record in members}


# -- promises that look beyond a class ---------------------------------------------------------------------------


#: A class beside the table it is compared with: how often each value occurs in either.
Likeness = Callable[[Counter[Label], Counter[Label]], bool]


def alike(beta: float, *, enhanced: bool = False) -> Likeness:
    """beta-likeness: (p - q) / q <= beta, or min(beta, -ln q), for values with p > q."""

    def judge(members: Counter[Label], table: Counter[Label]) -> bool:
        for value, n in members.items():
            p, q = Fraction(n, members.total()), Fraction(table[value], table.total())
            if p > q and ((p - q) / q > Fraction(str(beta)) or (enhanced and float((p - q) / q) > -math.log(q))):
                return False
        return True

    return judge


def below_thresholds(thresholds: Mapping[Label, float], a: float = 0, c: float = 1) -> Likeness:
    """F'-privacy: a share of at most the value's threshold, min(1, a f + c) for those without one."""

    def judge(members: Counter[Label], table: Counter[Label]) -> bool:
        for value, n in members.items():
            formula = Fraction(str(a)) * Fraction(table[value], table.total()) + Fraction(str(c))
            threshold = Fraction(str(thresholds[value])) if value in thresholds else min(Fraction(1), formula)
            if Fraction(n, members.total()) > threshold:
                return False
        return True

    return judge


#: The sizes of all published classes.
Overview = Callable[[Sequence[int]], bool]


def seldom_found(limit: float) -> Overview:
    """Average risk: the mean of 1 / size over records."""
    return lambda sizes: sum(Fraction(1, n) for n in sizes for _ in range(n)) <= Fraction(str(limit)) * sum(sizes)


def seldom_alone(limit: float) -> Overview:
    """Sample uniques: the share of records in classes of one."""
    return lambda sizes: sizes.count(1) <= Fraction(str(limit)) * sum(sizes)


@dataclass(frozen=True)
class Rules:
    """Judges of classes, judges of classes beside the table, and of all sizes."""

    judges: tuple[Judge, ...] = ()
    likeness: tuple[tuple[str, Likeness], ...] = ()
    overviews: tuple[Overview, ...] = ()


@dataclass(frozen=True)
class Decided:
    """Which records of a node are suppressed, and whether their rows are left out."""

    gone: set[int]
    removed: bool


def decided(records: Records, node: Node, rules: Rules, *, mask: bool) -> Decided:
    """What a release of a node would publish so that its own rows show every promise kept, masked rows as a class."""
    everyone, found = list(range(len(records))), classes(records, node)
    published = _published(records, list(found.values()), everyone, rules)
    gone = set(everyone).difference(*published)
    if not gone:
        return Decided(gone, removed=False)
    stars = found.get(("*",) * len(node), [])  # rows that look like masked ones
    masked, others = sorted(gone.union(stars)), [len(members) for members in published if members != stars]
    fine = _keeps(records, masked, everyone, rules) and all(judge([*others, len(masked)]) for judge in rules.overviews)
    if mask and fine:
        return Decided(gone, removed=False)
    while True:
        rest = [record for members in published for record in members]
        again = _published(records, published, rest, rules)
        if again == published:
            return Decided(set(everyone).difference(rest), removed=True)
        published = again


def _published(records: Records, found: list[list[int]], table: list[int], rules: Rules) -> list[list[int]]:
    """The classes that keep their promises beside a table, without the smallest while all together break one."""
    kept = [members for members in found if _keeps(records, members, table, rules)]
    while kept and not all(overview([len(members) for members in kept]) for overview in rules.overviews):
        smallest = min(map(len, kept))
        kept = [members for members in kept if len(members) > smallest]
    return kept


def _keeps(records: Records, members: list[int], table: list[int], rules: Rules) -> bool:
    counts, overall = histogram(records, members), histogram(records, table)
    return all(judge(len(members), counts) for judge in rules.judges) and all(
        likeness(counts[name], overall[name]) for name, likeness in rules.likeness
    )


# -- distances between distributions -----------------------------------------------------------------------------

#: How far apart two values are.
Apart = Callable[[Label, Label], Fraction]
Path = list[tuple[Label, Label]]


def close(t: float, apart: Callable[[Counter[Label]], Apart]) -> Likeness:
    """t-closeness: the earth mover's distance is at most t; how far values are apart may depend on the table."""
    return lambda members, table: earth_mover(members, table, apart(table)) <= Fraction(str(t))


def equally_apart(_: Counter[Label]) -> Apart:
    """Any two values are 1 apart."""
    return lambda a, b: Fraction(a != b)


def apart_in_order(order: Sequence[Label]) -> Callable[[Counter[Label]], Apart]:
    """Places between two values, counted in the order of those that the table has; 1 from the first to the last."""

    def of(table: Counter[Label]) -> Apart:
        places = [value for value in order if table[value]]
        return lambda a, b: Fraction(abs(places.index(a) - places.index(b)), max(len(places) - 1, 1))

    return of


def apart_in_tree(hierarchy: Hierarchy) -> Callable[[Counter[Label]], Apart]:
    """The level on which two values meet, over the height."""
    rows = {row[0]: row for row in hierarchy.rows()}

    def apart(a: Label, b: Label) -> Fraction:
        return Fraction(next(j for j, (x, y) in enumerate(zip(rows[a], rows[b], strict=True)) if x == y), height)

    height = max(hierarchy.height, 1)
    return lambda _: apart


def earth_mover(one: Counter[Label], other: Counter[Label], apart: Apart) -> Fraction:
    """The least work that turns one distribution into the other: a transport problem, by successive shortest paths."""
    s, n = one.total(), other.total()
    give = {v: c * n - other[v] * s for v, c in one.items() if c * n > other[v] * s}
    take = {v: c * s - one[v] * n for v, c in other.items() if c * s > one[v] * n}
    moved: Counter[tuple[Label, Label]] = Counter()
    while any(give.values()):
        path = _cheapest_path(give, take, moved, apart)
        amount = min(give[path[0][0]], take[path[-1][1]], *(moved[step] for step in path[1::2]))
        for i, step in enumerate(path):  # moves and moves undone take turns
            moved[step] += -amount if i % 2 else amount
        give[path[0][0]] -= amount
        take[path[-1][1]] -= amount
    return sum((amount * apart(*step) for step, amount in moved.items()), Fraction(0)) / (s * n)


def _cheapest_path(
    give: dict[Label, int], take: dict[Label, int], moved: Counter[tuple[Label, Label]], apart: Apart
) -> Path:
    """Bellman and Ford: the cheapest way from a surplus to a need, undoing earlier moves where that pays."""
    givers: dict[Label, tuple[Fraction, Path]] = {v: (Fraction(0), []) for v in give if give[v]}
    takers: dict[Label, tuple[Fraction, Path]] = {}
    for _ in range(len(give) + len(take)):
        for a, (cost, path) in list(givers.items()):
            for b in take:
                if b not in takers or cost + apart(a, b) < takers[b][0]:
                    takers[b] = (cost + apart(a, b), [*path, (a, b)])
        for b, (cost, path) in list(takers.items()):
            for a in give:
                if moved[a, b] and (a not in givers or cost - apart(a, b) < givers[a][0]):
                    givers[a] = (cost - apart(a, b), [*path, (a, b)])
    return min((takers[b] for b in take if take[b]), key=lambda found: found[0])[1]


def disclosing(delta: float) -> Likeness:
    """delta-disclosure privacy: |ln(p / q)| < delta for every value of the table, to fifty digits."""

    def judge(members: Counter[Label], table: Counter[Label]) -> bool:
        with decimal.localcontext(decimal.Context(prec=50)):
            ratios = [Fraction(members[v] * table.total(), members.total() * n) for v, n in table.items()]
            logarithms = [(decimal.Decimal(r.numerator) / r.denominator).ln() for r in ratios if r]
            return 0 not in ratios and all(abs(x) < decimal.Decimal(str(delta)) for x in logarithms)

    return judge


# -- statistics of a node ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statistics:
    """What a node check has to answer."""

    suppressed: int
    accepted_classes: int
    squares: int
    classes: int
    smallest: int
    lost_leaves: tuple[int, ...]
    covered: tuple[int, int]
    spread: tuple[float, float]
    lost_entropy: tuple[float, ...]


def statistics(records: Records, node: Node, judges: Sequence[Judge]) -> Statistics:
    """Count everything about one node."""
    found, gone = classes(records, node), set(suppressed(records, node, judges))
    kept = [members for members in found.values() if members[0] not in gone]
    rows, m = records.at(node), len(node)
    leaves = [records.leaves(a, node[a]) for a in range(m)]
    products = [math.prod(leaves[a][row[a]] for a in range(m)) for row in rows]
    domain = math.prod(h.domain_size for h in records.hierarchies)
    return Statistics(
        suppressed=len(gone),
        accepted_classes=len(kept),
        squares=sum(len(members) ** 2 for members in kept),
        classes=len(found),
        smallest=min((len(members) for members in kept), default=0),
        lost_leaves=tuple(sum(leaves[a][rows[r][a]] for r in gone) for a in range(m)),
        covered=(sum(p for r, p in enumerate(products) if r not in gone), sum(products)),
        spread=(
            math.fsum(
                _bits_each(found[rows[r]], products[r], len(gone), domain) for r in range(len(rows)) if r not in gone
            ),
            math.fsum(_bits_each(found[rows[r]], products[r], 0, domain) for r in range(len(rows))),
        ),
        lost_entropy=tuple(_entropy(Counter(rows[r][a] for r in gone)) for a in range(m)),
    )


def _bits_each(members: Sequence[int], covered: int, gone: int, domain: int) -> float:
    """Log2 of what one combination gets when a class is spread over those it covers, and the suppressed over all."""
    return math.log2(Fraction(len(members), covered) + Fraction(gone, domain))


def _entropy(counts: Counter[Label]) -> float:
    """Return -sum of f log2(f / S)."""
    total = sum(counts.values())
    return math.fsum(-f * math.log2(f / total) for f in counts.values())


# -- losses ------------------------------------------------------------------------------------------------------


def loss(records: Records, node: Node, judges: Sequence[Judge], key: str, **parameters: Any) -> Number:
    """Return a loss by its key."""
    return compared(records, node, set(suppressed(records, node, judges)), key, **parameters)[0]


def compared(records: Records, node: Node, gone: set[int], key: str, **parameters: Any) -> tuple[Number, ...]:
    """Return what a search compares nodes by: the loss, and for ranks the smaller losses too."""
    if key not in ATTRIBUTE_LOSSES:
        return (LOSSES[key](records, node, gone, **parameters),)
    of_attributes, usual = ATTRIBUTE_LOSSES[key]
    gs = Fraction(str(parameters.get("gs_factor", 0.5)))
    parts = of_attributes(records, node, gone, min(Fraction(1), 2 * (1 - gs)), min(Fraction(1), 2 * gs))
    return aggregated(parts, records, parameters.get("aggregation", usual))


def aggregated(parts: Sequence[Number], records: Records, aggregation: str) -> tuple[Number, ...]:
    """Combine the losses of attributes."""
    if aggregation == "arithmetic":
        return (sum((w * part for w, part in zip(records.share, parts, strict=True)), Fraction(0)),)
    if aggregation == "geometric":
        logs = (float(w) * math.log1p(float(part)) for w, part in zip(records.share, parts, strict=True))
        return (math.expm1(math.fsum(logs)),)
    most = max(records.plain)
    ranked = sorted((w / most * part if most else Fraction(0) for w, part in zip(records.plain, parts, strict=True)))
    return tuple(ranked[::-1]) if aggregation == "rank" else (ranked[-1],)


def weighed(
    records: Records, node: Node, gone: set[int], g: Fraction, s: Fraction, cost: Callable[[int, Label], Fraction]
) -> list[Fraction]:
    """Per attribute the mean over records: g times the cost of a published cell, c + s(1 - c) for a suppressed one."""
    out = []
    for a in range(len(node)):
        costs = [cost(a, row[a]) for row in records.at(node)]
        cells = [c + s * (1 - c) if r in gone else g * c for r, c in enumerate(costs)]
        out.append(sum(cells, Fraction(0)) / len(records))
    return out


def domain_share(
    records: Records, node: Node, gone: set[int], g: Fraction = Fraction(1), s: Fraction = Fraction(1)
) -> list[Fraction]:
    """A cell costs (leaves - 1) / (D - 1); nothing at all where D = 1."""
    leaves = [records.leaves(a, level) for a, level in enumerate(node)]
    sizes = [h.domain_size for h in records.hierarchies]
    parts = weighed(records, node, gone, g, s, lambda a, v: Fraction(leaves[a][v] - 1, max(1, sizes[a] - 1)))
    parts = [part if D > 1 else Fraction(0) for part, D in zip(parts, sizes, strict=True)]
    assert g * s != 1 or parts == _domain_share_of_arx(records, node, gone)
    return parts


def _domain_share_of_arx(records: Records, node: Node, gone: set[int]) -> list[Fraction]:
    """Per attribute: L = (sum over kept records of share + S - n/D) / (n - n/D), not below 0."""
    n, rows, out = len(records), records.at(node), []
    for a, h in enumerate(records.hierarchies):
        D, leaves = h.domain_size, records.leaves(a, node[a])
        shares = sum((Fraction(leaves[rows[r][a]], D) for r in range(n) if r not in gone), Fraction(0))
        least = Fraction(n, D)
        out.append(max(Fraction(0), (shares + len(gone) - least) / (n - least)) if D > 1 else Fraction(0))
    return out


def precision(records: Records, node: Node, gone: set[int], g: Fraction, s: Fraction) -> list[Fraction]:
    heights = [max(1, h.height) for h in records.hierarchies]
    return weighed(records, node, gone, g, s, lambda a, _: Fraction(node[a], heights[a]))


def certainty_penalty(records: Records, node: Node, gone: set[int], g: Fraction, s: Fraction) -> list[Fraction]:
    """A numeric cell costs the span of the occurring numbers it covers, another the occurring values it covers."""

    def cost(a: int, published: Label) -> Fraction:
        occurring = {row[a] for row in records.rows}
        covered = {value for value in occurring if records.steps[a][value][node[a]] == published}
        numbers = occurring - {None}
        if numbers and all(re.fullmatch(r"-?(0|[1-9][0-9]*)([.][0-9]+)?", value or "") for value in numbers):
            return _span(covered) / (_span(occurring) or 1)
        return Fraction(len(covered), len(occurring)) if len(covered) > 1 else Fraction(0)

    return weighed(records, node, gone, g, s, cost)


def _span(values: Iterable[Label]) -> Fraction:
    numbers = [Fraction(value) for value in values if value is not None]
    return max(numbers) - min(numbers) if numbers else Fraction(0)


def entropy_normalized(records: Records, node: Node, gone: set[int], g: Fraction, s: Fraction) -> list[float]:
    """Bits of each attribute over those of its column."""
    out = []
    for a, (generalized, told) in enumerate(_bits(records, node, gone)):
        column = _entropy(Counter(row[a] for row in records.rows))
        out.append((float(g) * generalized + float(s) * told) / column if column else 0.0)
    return out


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
    bits = _bits(records, node, gone)
    return math.fsum(
        float(w) * (generalized + told) for w, (generalized, told) in zip(records.plain, bits, strict=True)
    )


def _bits(records: Records, node: Node, gone: set[int]) -> list[tuple[float, float]]:
    """Per attribute the bits of generalization, -sum of a log2(a / b), and those of the suppressed records' values."""
    out = []
    for a in range(len(node)):
        published = [row[a] for row in records.at(node)]
        frequency, merged = Counter(row[a] for row in records.rows), Counter(published)
        above = {value: merged[records.steps[a][value][node[a]]] for value in frequency}
        bits = math.fsum(-f * math.log2(f / above[value]) for value, f in frequency.items())
        out.append((bits, _entropy(Counter(published[r] for r in gone))))
    return out


def classification(records: Records, node: Node, gone: set[int], target: str | None = None) -> Fraction:
    """Count records that are suppressed or have another target value than the majority of their class."""
    (values,) = [v for name, v in records.sensitive.items() if target in (None, name)]
    kept = [members for members in classes(records, node).values() if members[0] not in gone]
    matched = sum(Counter(values[r] for r in members).most_common(1)[0][1] for members in kept)
    return Fraction(len(records) - matched, len(records))


def kl_divergence(records: Records, node: Node, gone: set[int]) -> float:
    """Sum p log2(p / q) over occurring combinations; q spreads classes over what they cover, the others over all."""
    n, domain = len(records), math.prod(h.domain_size for h in records.hierarchies)
    leaves, p = [records.leaves(a, level) for a, level in enumerate(node)], Counter(records.rows)
    q = dict.fromkeys(p, Fraction(len(gone), n * domain))
    for row, members in classes(records, node).items():
        if members[0] not in gone:
            covered = math.prod(leaves[a][v] for a, v in enumerate(row))
            for combination in {records.rows[r] for r in members}:
                q[combination] += Fraction(len(members), n * covered)
    return math.fsum(f / n * math.log2(Fraction(f, n) / q[row]) for row, f in p.items())


#: Losses that are one value per attribute, and how those are combined unless a parameter says otherwise.
ATTRIBUTE_LOSSES: dict[str, tuple[Callable[..., Sequence[Number]], str]] = {
    "loss": (domain_share, "arithmetic"),
    "loss-geometric": (domain_share, "geometric"),
    "precision": (precision, "arithmetic"),
    "gcp": (certainty_penalty, "arithmetic"),
    "entropy-normalized": (entropy_normalized, "arithmetic"),
}


def _aggregated_loss(key: str) -> Callable[..., Number]:
    return lambda records, node, gone: compared(records, node, gone, key)[0]


LOSSES: dict[str, Callable[..., Number]] = {
    **{key: _aggregated_loss(key) for key in ATTRIBUTE_LOSSES},
    "discernibility": discernibility,
    "average-class-size": average_class_size,
    "height": height,
    "entropy": entropy,
    "ambiguity": ambiguity,
    "kl-divergence": kl_divergence,
    "classification": classification,
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
    records: Records,
    judges: Sequence[Judge],
    key: str,
    limit: int,
    low: Sequence[int],
    high: Sequence[int],
    allowed: Callable[[set[int]], bool] = lambda gone: True,
    **parameters: Any,
) -> Optimum | None:
    """Try every node: least loss; ties to fewer suppressed, the lower sum of levels, the first in order.

    ``allowed`` says whether these records may be suppressed, whatever their number.
    """
    tied = []
    for node in nodes(low, high):
        gone = set(suppressed(records, node, judges))
        if len(gone) <= limit and len(gone) < len(records) and allowed(gone):
            tied.append((compared(records, node, gone, key, **parameters), len(gone), sum(node), node))
    if not tied:
        return None
    for column in range(len(tied[0][0])):
        least = min(float(values[column]) for values, *_ in tied)
        tied = [entry for entry in tied if float(entry[0][column]) <= least * (1 + 1e-12)]
    values, gone_count, _, node = min(tied, key=lambda entry: entry[1:])
    gone = set(suppressed(records, node, judges))
    kept = sum(members[0] not in gone for members in classes(records, node).values())
    return Optimum(node, values[0], gone_count, kept)


def least_suppressed(records: Records, judges: Sequence[Judge], low: Sequence[int], high: Sequence[int]) -> int:
    """Return the fewest records any node suppresses."""
    return min(len(suppressed(records, node, judges)) for node in nodes(low, high))


# -- persons -----------------------------------------------------------------------------------------------------


def each_person_one(pairs: Counter[tuple[Any, Label]]) -> Counter[Label]:
    """q_s = (1 / persons) sum over p of n_ps / n_p, in whole numbers of parts: from how often who has which value."""
    of_person: Counter[Any] = Counter()
    for (who, _), records in pairs.items():
        of_person[who] += records
    shares: dict[Label, Fraction] = {}
    for (who, value), records in pairs.items():
        shares[value] = shares.get(value, Fraction(0)) + Fraction(records, of_person[who] * len(of_person))
    common = math.lcm(*(share.denominator for share in shares.values()))
    return Counter({value: int(share * common) for value, share in shares.items()})


# -- linked rows -------------------------------------------------------------------------------------------------


def known_of(rows: Counter[Any], knows: int | str) -> list[Counter[Any]]:
    """Everything that somebody may know of a person with these rows: sub-multisets, or all of them."""
    if knows == "all":
        return [rows]
    listed = list(rows.elements())
    sizes = range(1, min(int(knows), len(listed)) + 1)
    return [Counter(some) for size in sizes for some in combinations(listed, size)]


def share(persons: Mapping[Any, Counter[Any]], known: Counter[Any], knows: int | str) -> int:
    """How many persons could be the one of whom this is known."""
    if knows == "all":
        return sum(rows == known for rows in persons.values())
    return sum(known <= rows for rows in persons.values())


def fewest_sharing(persons: Mapping[Any, Counter[Any]], knows: int | str) -> int | None:
    """The k of linked rows: how few persons share what is known of one of them."""
    found = [share(persons, known, knows) for rows in persons.values() if rows for known in known_of(rows, knows)]
    return min(found, default=None)


def linked(persons: Mapping[Any, Counter[Any]], k: int, knows: int | str) -> set[Any]:
    """The largest set of persons that keeps linked k-anonymity, by trying all sets."""
    everybody = sorted(persons)
    for size in range(len(everybody), 0, -1):
        good = [
            set(some)
            for some in combinations(everybody, size)
            if (fewest_sharing({p: persons[p] for p in some}, knows) or k) >= k
        ]
        if good:
            (largest,) = good  # no other one of its size
            return largest
    return set()


# -- sets of items -----------------------------------------------------------------------------------------------

#: A record as others see it: its class, and the items of its cell.
Basket = tuple[Any, frozenset[str]]


def fewest_holding(records: Sequence[Basket], m: int) -> int | None:
    """The k of k^m-anonymity inside classes: how few records of a class hold what is known of one of them."""
    found = []
    for own, items in records:
        for size in range(min(m, len(items)) + 1):
            for known in map(set, combinations(sorted(items), size)):
                found.append(sum(other == own and known <= others for other, others in records))
    return min(found, default=None)


def item_cuts(rows: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Every cut of a hierarchy of items, one row each from the item to the top: what each item becomes."""
    levels = range(len(rows[0]))
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for choice in product(levels, repeat=len(rows)):
        cut = {row[0]: row[level] for row, level in zip(rows, choice, strict=True)}
        whole = all(cut[other[0]] == label for label in cut.values() for other in rows if label in other)
        if whole:
            found[tuple(cut.values())] = cut
    return list(found.values())


def item_loss(
    records: Sequence[Basket], rows: Sequence[Sequence[str]], cut: Mapping[str, str], gone: set[tuple[Any, str]]
) -> Fraction:
    """NCP: for each occurrence the share of items its label stands for, 0 for the item itself, 1 if suppressed."""
    costs: list[Fraction] = []
    for own, items in records:
        for item in items:
            label = cut[item]
            size = sum(label in row for row in rows)
            costs.append(
                Fraction(1) if (own, label) in gone else Fraction(0) if label == item else Fraction(size, len(rows))
            )
    return sum(costs, Fraction(0)) / len(costs) if costs else Fraction(0)


def cut_baskets(records: Sequence[Basket], cut: Mapping[str, str], gone: set[tuple[Any, str]]) -> list[Basket]:
    """What is published of records: the labels of their items without those suppressed in their class."""
    return [(own, frozenset(cut[item] for item in items if (own, cut[item]) not in gone)) for own, items in records]


def least_item_loss(records: Sequence[Basket], rows: Sequence[Sequence[str]], k: int, m: int) -> Fraction:
    """The least loss of any cut with any suppressed items that keeps k^m, by trying all of them."""
    best = Fraction(2)
    for cut in item_cuts(rows):
        pairs = sorted({(own, cut[item]) for own, items in records for item in items}, key=str)
        for size in range(len(pairs) + 1):
            for gone in map(set, combinations(pairs, size)):
                loss = item_loss(records, rows, cut, gone)
                if loss < best and (fewest_holding(cut_baskets(records, cut, gone), m) or 0) >= k:
                    best = loss
    return best


# -- suppressed cells --------------------------------------------------------------------------------------------


def fewest_stars(rows: Sequence[Row], k: int, weights: Sequence[Fraction]) -> Fraction:
    """Return what suppressed cells cost at least: every way to suppress cells is tried, so for a handful of cells.

    A table is k-anonymous if each of its rows, ``*`` being a value like others, is there at least k times.
    """
    columns = range(len(weights))
    choices = [[a for a in columns if (number >> a) & 1] for number in range(2 ** len(weights))]
    found = []
    for chosen in product(choices, repeat=len(rows)):
        table = [tuple("*" if a in gone else row[a] for a in columns) for row, gone in zip(rows, chosen, strict=True)]
        if min(Counter(table).values()) >= k:
            found.append(sum((weights[a] for gone in chosen for a in gone), Fraction(0)))
    return min(found)


def cheapest_classes(rows: Sequence[Row], k: int, weights: Sequence[Fraction]) -> Fraction:
    """Return the same for a few more records: every partition into classes of k is tried."""

    def costs(members: Sequence[Row]) -> Fraction:
        differs = [len({row[a] for row in members}) > 1 for a in range(len(weights))]
        return len(members) * sum((w for w, apart in zip(weights, differs, strict=True) if apart), Fraction(0))

    def best(left: tuple[int, ...]) -> Fraction | None:
        if not left:
            return Fraction(0)
        found = []
        for size in range(k - 1, len(left)):
            for others in combinations(left[1:], size):
                rest = best(tuple(i for i in left[1:] if i not in others))
                if rest is not None:
                    found.append(rest + costs([rows[i] for i in (left[0], *others)]))
        return min(found, default=None)

    least = best(tuple(range(len(rows))))
    assert least is not None, "fewer records than k"
    return least


def matches(one: Row, other: Row) -> bool:
    """Return whether two published rows match, ``*`` matching every value."""
    return all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))


def fewest_matching(rows: Sequence[Row]) -> int:
    """Return the fewest rows that match a row, itself included."""
    return min(sum(matches(row, other) for other in rows) for row in rows)


def fewest_alike(rows: Sequence[Row], m: int) -> int:
    """Return the fewest rows that share the cells of a row in m columns, ``*`` being a value."""
    columns = range(len(rows[0]))
    chosen = list(combinations(columns, min(m, len(columns))))
    return min(min(Counter(tuple(row[a] for a in some) for row in rows).values()) for some in chosen)


def candidates(rows: Sequence[Row], known: Mapping[int, Label]) -> int:
    """Return how many published rows fit what somebody knows of a person: by column, its value."""
    return sum(all(row[a] in (value, "*") for a, value in known.items()) for row in rows)


# -- whoever knows a few columns -----------------------------------------------------------------------------------


def known_columns(
    rows: Sequence[Row],
    values: Sequence[Label],
    l: int,  # noqa: E741
    listed: Sequence[Label] | None = None,
) -> tuple[int | None, Fraction | None]:
    """The k and the c of LKC-privacy, over all sets of one to l columns."""
    sizes, shares = [], []
    for number in range(1, l + 1):
        for chosen in combinations(range(len(rows[0]) if rows else 0), number):
            for row in rows:
                alike = [v for other, v in zip(rows, values, strict=True) if all(row[a] == other[a] for a in chosen)]
                sizes.append(len(alike))
                some = [alike.count(v) for v in set(alike) if listed is None or v in listed]
                shares.append(Fraction(max(some, default=0), len(alike)))
    return min(sizes, default=None), max(shares, default=None)
