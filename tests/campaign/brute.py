"""Every node of a small lattice, one by one: which keep the promises, and what the best of them costs.

From the definitions, in fractions. Imports nothing of nymity. Only for models that judge each class by itself: which
records are suppressed is then no choice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

from . import definitions
from .texts import Text, text_of

#: Models that judge a class by itself.
ALONE = frozenset(
    {"k-anonymity", "distinct-l-diversity", "frequency-l-diversity", "entropy-l-diversity", "recursive-diversity",
     "alpha-k-anonymity", "prosecutor-risk", "k-map", "k-matching"}
)  # fmt: skip
LOSSES = frozenset({"loss", "discernibility", "precision", "height"})


def can_judge(case: Any, hierarchies: dict[str, list[list[Text]]]) -> bool:
    """Say whether a lattice is small, and the models of the kind that is judged here."""
    size = 1
    for rows in hierarchies.values():
        size *= len(rows[0])
    return size <= 150 and all(model["model"] in ALONE for model in case.models)


def solutions(case: Any, hierarchies: dict[str, list[list[Text]]]) -> dict[tuple[int, ...], int]:
    """Return the nodes that keep every promise, with the number of records that each suppresses."""
    records = [n for n in range(case.records) if n not in case.dropped()]
    limit = floor(definitions.exact(case.parameters.get("suppression", 0)) * len(records))
    ranges = []
    for column in case.quasi:
        low, high = column.bounds
        height = len(hierarchies[column.name][0]) - 1
        ranges.append(range(low, (height if high is None else high) + 1))
    labels = {name: {row[0]: row for row in rows} for name, rows in hierarchies.items()}
    found = {}
    for node in product(*ranges):
        suppressed = _suppressed(case, records, labels, node)
        if len(suppressed) <= limit and len(suppressed) < len(records):  # something has to be published
            found[node] = len(suppressed)
    return found


def whole_breaks(case: Any) -> bool:
    """Say whether all records in one class break a promise: then every partition does, as unions keep what parts do."""
    records = [n for n in range(case.records) if n not in case.dropped()]
    return not all(_keeps(case, model, records, 0) for model in case.models)


def _suppressed(
    case: Any, records: list[int], labels: dict[str, dict[Text, list[Text]]], node: tuple[int, ...]
) -> list[int]:
    classes: dict[tuple[Text, ...], list[int]] = defaultdict(list)
    for n in records:
        classes[_key(case, [c.values[n] for c in case.quasi], labels, node)].append(n)
    people = Counter(_key(case, person, labels, node) for person in case.population or [])
    gone: list[int] = []
    for key, members in classes.items():
        if not all(_keeps(case, model, members, people[key]) for model in case.models):
            gone += members
    return gone


def _key(
    case: Any, values: list[Any], labels: dict[str, dict[Text, list[Text]]], node: tuple[int, ...]
) -> tuple[Text, ...]:
    found = []
    for c, v, level in zip(case.quasi, values, node, strict=True):
        row = labels[c.name].get(text_of(v))
        found.append(None if row is None else row[level])
    return tuple(found)


def _keeps(case: Any, model: dict[str, Any], members: list[int], people: int) -> bool:
    key = model["model"]
    if key in ("k-anonymity", "k-matching"):
        return len(members) >= model["k"]
    if key == "k-map":
        return people >= model["k"]
    secrets = {c.name: [text_of(c.values[n]) for n in members] for c in case.columns if c.role == "sensitive"}
    if key == "t-closeness":
        return True  # asked of the whole table alone, which is at distance 0 from itself
    shown = definitions.Shown(classes=[("c",)] * len(members), sensitive=secrets, masked=("*",))
    return definitions.measure(model, shown)[1]


def loss_of(case: Any, hierarchies: dict[str, list[list[Text]]], node: tuple[int, ...], loss: str) -> Fraction:
    """Return what a node costs with its failing classes suppressed."""
    records = [n for n in range(case.records) if n not in case.dropped()]
    labels = {name: {row[0]: row for row in rows} for name, rows in hierarchies.items()}
    gone = set(_suppressed(case, records, labels, node))
    weights = [definitions.exact(column.weight) for column in case.quasi]
    if loss == "height":
        return sum((w * level for w, level in zip(weights, node, strict=True)), Fraction(0))
    if loss == "discernibility":
        kept = Counter(_key(case, [c.values[n] for c in case.quasi], labels, node) for n in records if n not in gone)
        return Fraction(sum(size**2 for size in kept.values()) + len(records) * len(gone))
    parts = []
    for column, level in zip(case.quasi, node, strict=True):
        rows = hierarchies[column.name]
        height, domain = len(rows[0]) - 1, len(rows)
        leaves = Counter(row[level] for row in rows)
        spent = Fraction(0)
        for n in records:
            if n in gone:
                spent += 1 if loss == "precision" or domain > 1 else 0
            elif loss == "precision":
                spent += Fraction(level, height) if height else 0
            elif domain > 1:
                spent += Fraction(leaves[labels[column.name][text_of(column.values[n])][level]] - 1, domain - 1)
        parts.append(spent / len(records))
    return sum((w * part for w, part in zip(weights, parts, strict=True)), Fraction(0)) / (sum(weights) or 1)
