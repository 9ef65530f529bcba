"""Privacy models from their definitions, in plain Python and fractions. Imports nothing of nymity.

A class is the rows that look alike in all quasi-identifiers; rows of ``*`` alone are one more class, always. For each
model ``measure`` returns what the table reaches in the model's own parameters, and whether the promise holds.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

Key = tuple[Hashable, ...]


@dataclass(frozen=True)
class Shown:
    """What a release shows: the class of every row, sensitive values by column, and what is known beside it.

    people: how many of the population look like each class, and outside of all. members: records that were to be
    published. fits: for each row the numbers of the source records it can be of. order, levels: of sensitive values.
    """

    classes: list[Key]
    sensitive: dict[str, list[Any]]
    masked: Key
    people: Counter[Key] = field(default_factory=Counter)
    everyone: int = 0
    members: int = 0
    fits: list[set[int]] = field(default_factory=list)
    records: int = 0
    places: dict[str, dict[Any, int]] = field(default_factory=dict)
    levels: dict[str, dict[Any, list[Any]]] = field(default_factory=dict)

    @property
    def sizes(self) -> Counter[Key]:
        return Counter(self.classes)

    def counts(self, attribute: str) -> dict[Key, Counter[Any]]:
        found: dict[Key, Counter[Any]] = defaultdict(Counter)
        for key, value in zip(self.classes, self.sensitive[attribute], strict=True):
            found[key][value] += 1
        return found


def exact(number: float) -> Fraction:
    """Return the decimal as written."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def measure(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    """Return what is reached, as the certificate calls it, and whether the promise holds."""
    return _MODELS[model["model"]](model, shown)


def _smallest(shown: Shown) -> int | None:
    return min(shown.sizes.values(), default=None)


def _k_anonymity(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    k = _smallest(shown)
    return {"k": k}, k is None or k >= model["k"]


def _distinct(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    least = min((len(c) for c in shown.counts(model["attribute"]).values()), default=None)
    return {"l": least}, least is None or least >= model["l"]


def _frequency(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    ratios = [Fraction(sum(c.values()), max(c.values())) for c in shown.counts(model["attribute"]).values()]
    least = min(ratios, default=None)
    return {"l": least}, least is None or least >= exact(model["l"])


def _entropy(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    entropies = []
    for counts in shown.counts(model["attribute"]).values():
        size = sum(counts.values())
        entropies.append(math.fsum(n / size * math.log(size / n) for n in counts.values()))
    least = min(entropies, default=None)
    reached = None if least is None else round(math.exp(least), 9)
    return {"l": reached}, least is None or least >= math.log(model["l"]) * (1 - 1e-9) - 1e-15


def _recursive(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    ratios: list[Fraction | None] = []
    for counts in shown.counts(model["attribute"]).values():
        ordered = sorted(counts.values(), reverse=True)
        tail = sum(ordered[model["l"] - 1 :])
        ratios.append(Fraction(ordered[0], tail) if tail else None)
    if not ratios:
        return {"c": None, "l": model["l"]}, True
    known = [ratio for ratio in ratios if ratio is not None]
    largest = max(known) if len(known) == len(ratios) else None
    return {"c": largest, "l": model["l"]}, largest is not None and largest < exact(model["c"])


def _alpha_k(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    shares = [Fraction(max(c.values()), sum(c.values())) for c in shown.counts(model["attribute"]).values()]
    share, k = max(shares, default=None), _smallest(shown)
    return {"alpha": share, "k": k}, k is None or (k >= model["k"] and share <= exact(model["alpha"]))


def _closeness(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    attribute, distance = model["attribute"], model.get("distance", "equal")
    n = len(shown.classes)
    overall = Counter(shown.sensitive[attribute])
    distances = []
    for counts in shown.counts(attribute).values():
        size = sum(counts.values())
        surplus = {v: Fraction(counts[v], size) - Fraction(overall[v], n) for v in overall}
        if distance == "equal":
            distances.append(sum((s for s in surplus.values() if s > 0), Fraction(0)))
        elif distance == "ordered":
            distances.append(_ordered(surplus, shown.places[attribute]))
        else:
            distances.append(_hierarchical(surplus, shown.levels[attribute]))
    largest = max(distances, default=None)
    return {"t": largest}, largest is None or largest <= exact(model["t"])


def _ordered(surplus: dict[Any, Fraction], places: dict[Any, int]) -> Fraction:
    carried, moved = Fraction(0), Fraction(0)
    values = sorted(surplus, key=lambda v: places[v])
    for value in values[:-1]:
        carried += surplus[value]
        moved += abs(carried)
    return moved / max(len(values) - 1, 1)


def _hierarchical(surplus: dict[Any, Fraction], levels: dict[Any, list[Any]]) -> Fraction:
    """Match what is too much with what is too little as low as possible: a pair costs the level where it meets."""
    height = len(next(iter(levels.values()))) - 1
    cost, left = Fraction(0), {(v,): s for v, s in surplus.items()}  # what is left of each node
    above = {(v,): v for v in surplus}  # a value below each node
    for level in range(1, height + 1):
        groups: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
        for node in left:
            groups[(level, levels[above[node]][level])].append(node)
        merged, values = {}, {}
        for group, nodes in groups.items():
            plus = sum((left[node] for node in nodes if left[node] > 0), Fraction(0))
            minus = -sum((left[node] for node in nodes if left[node] < 0), Fraction(0))
            cost += min(plus, minus) * Fraction(level, height)
            merged[group], values[group] = plus - minus, above[nodes[0]]
        left, above = merged, values
    return cost


def _delta_disclosure(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    attribute, n = model["attribute"], len(shown.classes)
    overall, largest = Counter(shown.sensitive[attribute]), 0.0
    if not n:
        return {"delta": None}, True
    for counts in shown.counts(attribute).values():
        if len(counts) < len(overall):
            return {"delta": math.inf}, False
        size = sum(counts.values())
        largest = max([largest, *(abs(math.log(counts[v] * n / (size * overall[v]))) for v in counts)])
    return {"delta": largest}, largest < model["delta"]


def _gains(model: dict[str, Any], shown: Shown) -> list[tuple[Fraction, Fraction]]:
    """Return (p - q) / q and q for every value of every class."""
    attribute, n = model["attribute"], len(shown.classes)
    overall = Counter(shown.sensitive[attribute])
    return [
        (Fraction(count * n, sum(counts.values()) * overall[value]) - 1, Fraction(overall[value], n))
        for counts in shown.counts(attribute).values()
        for value, count in counts.items()
    ]


def _beta(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    largest = max((gain for gain, _ in _gains(model, shown)), default=None)
    return {"beta": largest}, largest is None or largest <= exact(model["beta"])


def _enhanced_beta(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    measured, within = _beta(model, shown)
    gains = _gains(model, shown)
    broken = any(float(gain) > -math.log(q) + 1e-8 for gain, q in gains)
    return ({"beta": math.inf}, False) if broken else (measured, within)


def _f_privacy(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    attribute, n, thresholds = model["attribute"], len(shown.classes), model["thresholds"]
    overall = Counter(shown.sensitive[attribute])
    formula = thresholds if set(thresholds) == {"a", "c"} else thresholds.get("*", 1)
    listed = {} if set(thresholds) == {"a", "c"} else {v: t for v, t in thresholds.items() if v != "*"}
    for counts in shown.counts(attribute).values():
        for value, count in counts.items():
            share, name = Fraction(count, sum(counts.values())), "" if value is None else value
            if name in listed:
                most = exact(listed[name])
            elif isinstance(formula, dict):
                most = min(Fraction(1), exact(formula["a"]) * Fraction(overall[value], n) + exact(formula["c"]))
            else:
                most = exact(formula)
            if share > most:
                return {}, False
    return {}, True


def _prosecutor(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    smallest = _smallest(shown)
    risk = None if smallest is None else Fraction(1, smallest)
    return {"limit": risk}, risk is None or risk <= exact(model["limit"])


def _mean(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    sizes = shown.sizes.values()
    weighed = len(sizes) if model["model"] == "average-risk" else sum(size == 1 for size in sizes)
    mean = Fraction(weighed, sum(sizes)) if sizes else None
    return {"limit": mean}, mean is None or mean <= exact(model["limit"])


def _people(shown: Shown) -> dict[Key, int]:
    """People who look like each class; those of the masked rows fit no other one."""
    found = {key: shown.people[key] for key in shown.sizes if key != shown.masked}
    if shown.masked in shown.sizes:
        found[shown.masked] = shown.everyone - sum(found.values())
    return found


def _k_map(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    least = min(_people(shown).values(), default=None)
    return {"k": least}, least is None or least >= model["k"]


def _presence(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    groups = [(n, shown.people[key]) for key, n in shown.sizes.items() if key != shown.masked]
    published = sum(n for n, _ in groups)
    rest = shown.members - published, shown.everyone - sum(people for _, people in groups)
    groups += [rest] if any(rest) else []
    if any(not people and members for members, people in groups):
        return {}, False
    shares = [Fraction(members, people) for members, people in groups if people]
    if not shares:
        return {"low": None, "high": None}, True
    low, high = min(shares), max(shares)
    return {"low": low, "high": high}, exact(model["low"]) <= low and high <= exact(model["high"])


def _matching(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    k = 0
    while k < shown.records and shown.fits and matched(shown.fits, k + 1):
        k += 1
    if not shown.fits:
        return {}, True
    return {"k": k}, k >= model["k"]


def _every_columns(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    rows, m, fewest = shown.classes, model["m"], None
    if rows:
        sets = list(combinations(range(len(rows[0])), min(m, len(rows[0]))))
        fewest = min(min(Counter(tuple(row[a] for a in some) for row in rows).values()) for some in sets)
    return {"k": fewest, "m": m}, fewest is None or fewest >= model["k"]


def _known_columns(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    rows, l, listed = shown.classes, model["l"], model.get("values")  # noqa: E741
    sizes, shares = [], []
    for some in combinations(range(len(rows[0]) if rows else 0), min(l, len(rows[0]) if rows else 0)):
        groups: dict[Any, Counter[Any]] = {}
        for row, value in zip(rows, shown.sensitive[model["attribute"]], strict=True):
            groups.setdefault(tuple(row[a] for a in some), Counter())[value] += 1
        for counts in groups.values():
            sizes.append(counts.total())
            held = [n for value, n in counts.items() if listed is None or value in listed]
            shares.append(Fraction(max(held, default=0), counts.total()))
    k, c = min(sizes, default=None), max(shares, default=None)
    return {"l": l, "k": k, "c": c}, k is None or (k >= model["k"] and c <= exact(model["c"]))


def _wildcards(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    def match(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        return all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))

    fewest = min((sum(match(row, other) for other in shown.classes) for row in shown.classes), default=None)
    return {"k": fewest}, fewest is None or fewest >= model["k"]


def matched(fits: Sequence[set[int]], k: int) -> bool:
    """Say whether rows can be matched with records in k ways without a common pair, by a flow.

    Every row sends k, a pair carries 1, a record takes k: by König's theorem such a flow falls into k matchings.
    """
    taken: dict[int, set[int]] = defaultdict(set)  # record -> rows

    def place(row: int, seen: set[int]) -> bool:
        for record in fits[row]:
            if record in seen or row in taken[record]:
                continue
            seen.add(record)
            if len(taken[record]) < k:
                taken[record].add(row)
                return True
            for other in list(taken[record]):
                taken[record].discard(other)
                taken[record].add(row)
                if place(other, seen):
                    return True
                taken[record].discard(row)
                taken[record].add(other)
        return False

    return all(place(row, set()) for _ in range(k) for row in range(len(fits)))


def _private(model: dict[str, Any], shown: Shown) -> tuple[dict[str, Any], bool]:
    return {"k": _smallest(shown)}, True


_MODELS = {
    "k-anonymity": _k_anonymity,
    "distinct-l-diversity": _distinct,
    "frequency-l-diversity": _frequency,
    "entropy-l-diversity": _entropy,
    "recursive-diversity": _recursive,
    "alpha-k-anonymity": _alpha_k,
    "t-closeness": _closeness,
    "delta-disclosure": _delta_disclosure,
    "beta-likeness": _beta,
    "enhanced-beta-likeness": _enhanced_beta,
    "f-privacy": _f_privacy,
    "prosecutor-risk": _prosecutor,
    "dominance": _prosecutor,  # jobs here have no persons, so that every record is of another
    "linked-k-anonymity": _k_anonymity,  # and refuse this one
    "km-anonymity": _k_anonymity,  # nor sets of items, so that this one is refused too
    "average-risk": _mean,
    "sample-uniques": _mean,
    "k-map": _k_map,
    "delta-presence": _presence,
    "k-matching": _matching,
    "subset-k-anonymity": _every_columns,
    "lkc-privacy": _known_columns,
    "wildcard-k-anonymity": _wildcards,
    "differential-privacy": _private,
}
