"""An attacker who knows the program, written from the definition: all tables, all draws, Bayes' rule.

Nothing of ``nymity.risk`` is used, and nothing is known of how methods draw: every permutation is one of n!. So it is
slow, and made for tables of few people.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any

import numpy as np
import polars as pl

import nymity as ny
from nymity.core.draws import Draws
from nymity.core.errors import InputError, NoSolutionError
from nymity.table.encoding import encode
from nymity.table.partition_recoding import PLACES

#: What is published, in no order: rows of the table, and of the table of sensitive values beside buckets.
Published = tuple[frozenset[tuple[tuple[str, ...], int]], frozenset[tuple[tuple[str, ...], int]]]

#: What is drawn among rows that are equal in everything looked at here (tested in test_source_order.py).
AMONG_EQUALS = frozenset({PLACES})


class Path(Draws):
    """Draws that follow a list of choices and note how many there were to choose from."""

    origin = "every draw in turn"

    def __init__(self, choices: list[int], settled: frozenset[str]) -> None:
        self.choices, self.forks, self.settled = choices, list[int](), settled
        self.orders: dict[str, tuple[int, ...]] = {}
        self.streams: dict[str, list[int]] = {}

    def choose(self, ways: int) -> int:
        self.forks.append(ways)
        at = len(self.forks) - 1
        if at == len(self.choices):
            self.choices.append(0)
        return self.choices[at]

    def permutation(self, purpose: str, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        if purpose in self.settled:
            return np.arange(n)
        if purpose not in self.orders:
            self.orders[purpose] = listed(n)[self.choose(factorial(n))]
        assert len(self.orders[purpose]) == n, f"{purpose} is drawn twice"
        return np.array(self.orders[purpose], dtype=np.int64)

    def below(self, purpose: str) -> Callable[[int], int]:
        assert purpose not in self.streams, f"{purpose} is drawn twice"
        self.streams[purpose] = []
        return self.choose


_LISTED: dict[int, list[tuple[int, ...]]] = {}


def listed(n: int) -> list[tuple[int, ...]]:
    if n not in _LISTED:
        _LISTED[n] = list(permutations(range(n)))
    return _LISTED[n]


def every_draw(run: Callable[[Draws], Any], settled: frozenset[str] = AMONG_EQUALS) -> Iterator[tuple[Any, Fraction]]:
    """Yield what comes out, for every way to draw, with its probability."""
    choices: list[int] = []
    while True:
        path = Path(choices, settled)
        answer, chance = run(path), Fraction(1)
        for ways in path.forks:
            chance /= ways
        yield answer, chance
        while choices and choices[-1] + 1 == path.forks[len(choices) - 1]:
            choices.pop()
        if not choices:
            return
        choices[-1] += 1


def released(frame: pl.DataFrame, counts: pl.DataFrame | None) -> Published:
    tables = [frame] if counts is None else [frame, counts]
    found = [frozenset(Counter(tuple(map(str, row)) for row in table.rows()).items()) for table in tables]
    return found[0], found[1] if counts is not None else frozenset()


def outcomes(
    frame: pl.DataFrame,
    schema: ny.Schema,
    method: Any,
    models: Sequence[Any],
    settled: frozenset[str] = AMONG_EQUALS,
) -> Iterator[tuple[Any, Fraction]]:
    """Yield what a method publishes from a table with which probability; None where it refuses."""
    for made, chance in decisions(frame, schema, method, models, settled):
        yield (None if made is None else made[1]), chance


def decisions(
    frame: pl.DataFrame,
    schema: ny.Schema,
    method: Any,
    models: Sequence[Any],
    settled: frozenset[str] = AMONG_EQUALS,
) -> Iterator[tuple[Any, Fraction]]:
    """Yield the recoding and what it publishes, with which probability; None where the method refuses."""
    try:
        encoded = encode(frame, schema)
    except InputError:
        yield None, Fraction(1)
        return

    def run(draws: Draws) -> Any:
        try:
            recoding = method.run(encoded, models, columns=frame.columns, draws=draws).recoding
            return recoding, recoding.apply(frame, draws=draws)
        except (NoSolutionError, InputError):
            return None

    yield from every_draw(run, settled)


def distribution(frame: pl.DataFrame, *job: Any, settled: frozenset[str] = AMONG_EQUALS) -> dict[Published, Fraction]:
    """Return the probability of every release of a table."""
    found: dict[Published, Fraction] = defaultdict(Fraction)
    for recoded, chance in outcomes(frame, *job, settled=settled):
        if recoded is not None:
            found[released(recoded.table, recoded.counts)] += chance
    return dict(found)


class Family:
    """All tables of the same people: their quasi-identifiers, with every way to have values."""

    def __init__(self, ages: Sequence[int], labels: str, schema: ny.Schema, method: Any, models: Sequence[Any]) -> None:
        self.ages, self.labels, self.job = tuple(ages), labels, (schema, method, models)
        self.known: dict[tuple[tuple[int, str], ...], dict[Published, Fraction]] = {}
        self.examples: dict[Published, Any] = {}
        self.recodings: dict[Published, Any] = {}

    def table(self, values: Sequence[str]) -> pl.DataFrame:
        return pl.DataFrame({"age": self.ages, "s": list(values)}, schema={"age": pl.Int64, "s": pl.String})

    def distribution(self, values: Sequence[str]) -> dict[Published, Fraction]:
        """Return the releases of a table; the order of its rows has no part in them (tested elsewhere)."""
        key = tuple(sorted(zip(self.ages, values, strict=True)))
        if key not in self.known:
            frame, found = self.table([value for _, value in key]), defaultdict[Published, Fraction](Fraction)
            for made, chance in decisions(frame, *self.job):
                if made is not None:
                    recoding, recoded = made
                    published = released(recoded.table, recoded.counts)
                    self.examples.setdefault(published, recoded)
                    self.recodings.setdefault(published, recoding)
                    found[published] += chance
            self.known[key] = dict(found)
        return self.known[key]

    def releases(self) -> dict[Published, tuple[str, ...]]:
        """Return every release that some table may have, and one such table, of as many values as possible."""
        found: dict[Published, tuple[str, ...]] = {}
        for values in sorted(product(self.labels, repeat=len(self.ages)), key=lambda own: -len(set(own))):
            for published in self.distribution(values):
                found.setdefault(published, values)
        return found

    def posterior(self, published: Published, truth: Sequence[str]) -> list[dict[str, Fraction]]:
        """Return what everybody's value is by Bayes' rule, all tables of the values that occur being equally likely."""
        beliefs: list[dict[str, Fraction]] = [defaultdict(Fraction) for _ in self.ages]
        total = Fraction(0)
        for values in product(sorted(set(truth)), repeat=len(self.ages)):
            chance = self.distribution(values).get(published, Fraction(0))
            total += chance
            for belief, value in zip(beliefs, values, strict=True):
                belief[value] += chance
        return [{value: chance / total for value, chance in belief.items()} for belief in beliefs]

    def links(self, published: Published) -> Fraction:
        """Return the largest chance to pick anybody's row, over all tables and draws; no symmetry is used."""
        chances: dict[tuple[int, tuple[str, ...]], Fraction] = defaultdict(Fraction)
        total = Fraction(0)
        for values in product(self.labels, repeat=len(self.ages)):
            for recoded, chance in outcomes(self.table(values), *self.job, settled=frozenset()):
                if recoded is None or released(recoded.table, recoded.counts) != published:
                    continue
                total += chance
                for person, row in zip(recoded.source_rows.tolist(), recoded.table.rows(), strict=True):
                    chances[person, tuple(map(str, row))] += chance
        alike = dict(published[0])
        return max(chance / alike[row] for (_, row), chance in chances.items()) / total
