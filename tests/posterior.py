"""What one infers who knows the program and everybody's quasi-identifiers: every table and every draw are tried.

The prior is that every assignment of the values to the people is as likely as any other. P(release | table) is counted
over all draws, and Bayes does the rest. Nothing here looks into a method: it is run on every table.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations_with_replacement, groupby
from math import factorial, prod

import polars as pl

#: Who looks how: one entry per group of people with equal quasi-identifiers, and the values they have.
Table = tuple[tuple[Hashable, tuple[str, ...]], ...]
Posterior = dict[Hashable, dict[tuple[Hashable, str], Fraction]]


def tables(looks: Sequence[Hashable], values: Sequence[str]) -> Iterator[tuple[Table, int]]:
    """Yield every table that people with these looks and values could be, and how many assignments it stands for."""
    groups = [(look, len(list(members))) for look, members in groupby(sorted(looks))]

    def fill(at: int, left: Counter[str]) -> Iterator[tuple[tuple[Hashable, tuple[str, ...]], ...]]:
        if at == len(groups):
            yield ()
            return
        look, size = groups[at]
        for chosen in _multisets(left, size):
            for others in fill(at + 1, left - Counter(chosen)):
                yield ((look, chosen), *others)

    for table in fill(0, Counter(values)):
        ways = [factorial(len(held)) // prod(map(factorial, Counter(held).values())) for _, held in table]
        yield table, prod(ways)


def unordered(table: pl.DataFrame) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a small table as text, sorted. In Python: of four rows, polars' casts take most of a test."""
    return tuple(sorted(tuple(map(str, row)) for row in table.rows()))


def posteriors(
    looks: Sequence[Hashable],
    values: Sequence[str],
    releases: Callable[[Table], Counter[Hashable]],
) -> Posterior:
    """Return for every release the probability that somebody with some look has some value.

    ``releases`` counts what comes of a table over all draws, each as likely as any other.
    """
    return _weighed(tables(looks, values), releases)


def posteriors_by_chance(
    looks: Sequence[Hashable], alphabet: Sequence[str], releases: Callable[[Table], Counter[Hashable]]
) -> Posterior:
    """Return the same where everybody has any value of the alphabet, independently."""
    each = (tables(looks, values) for values in combinations_with_replacement(alphabet, len(looks)))
    return _weighed(chain.from_iterable(each), releases)


def _weighed(every: Iterable[tuple[Table, int]], releases: Callable[[Table], Counter[Hashable]]) -> Posterior:
    likely: dict[Hashable, list[tuple[Table, Fraction]]] = defaultdict(list)
    for table, ways in every:
        found = releases(table)
        for release, count in found.items():
            likely[release].append((table, Fraction(ways * count, found.total())))
    return {release: _inferred(weighed) for release, weighed in likely.items()}


def surest(found: Posterior) -> Fraction:
    """Return the highest probability of any value of anybody, over all releases."""
    return max(chance for inferred in found.values() for chance in inferred.values())


def fewest(found: Posterior) -> int:
    """Return the least number of values that anybody is left with, over all releases."""
    return min(min(Counter(look for look, _ in inferred).values()) for inferred in found.values())


def _inferred(weighed: list[tuple[Table, Fraction]]) -> dict[tuple[Hashable, str], Fraction]:
    total = sum(weight for _, weight in weighed)
    inferred: dict[tuple[Hashable, str], Fraction] = defaultdict(Fraction)
    for table, weight in weighed:
        for look, held in table:
            for value, n in Counter(held).items():  # people who look alike are told apart by nothing
                inferred[look, value] += weight / total * Fraction(n, len(held))
    return dict(inferred)


def _multisets(left: Counter[str], size: int) -> Iterator[tuple[str, ...]]:
    """Yield every choice of so many values, each as often as it is there at most."""
    values = sorted(left)

    def choose(at: int, size: int) -> Iterator[tuple[str, ...]]:
        if size == 0:
            yield ()
        elif at < len(values):
            for n in range(min(size, left[values[at]]), -1, -1):
                for others in choose(at + 1, size - n):
                    yield (values[at],) * n + others

    yield from choose(0, size)
