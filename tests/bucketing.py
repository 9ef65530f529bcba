"""Slow oracles for buckets, from the definitions alone, and instances to try them on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf

from hypothesis import strategies as st

Instance = tuple[list[int], list[Fraction]]


def by_formula(counts: Sequence[int], a: int, c: str) -> Instance:
    """Thresholds a f + c, as in the examples of Wang (2014)."""
    return list(counts), [a * Fraction(records, sum(counts)) + Fraction(c) for records in counts]


def contents(counts: Sequence[int], thresholds: Sequence[Fraction], size: int) -> list[tuple[int, ...]]:
    """Every bucket of a size: how many records of each value, with no share above its threshold."""
    choices = [
        [records for records in range(min(count, size) + 1) if Fraction(records, size) <= threshold]
        for count, threshold in zip(counts, thresholds, strict=True)
    ]
    return [chosen for chosen in product(*choices) if sum(chosen) == size]


def can_fill(counts: Sequence[int], thresholds: Sequence[Fraction], buckets: Sequence[int]) -> bool:
    """Whether the records fill buckets of these sizes exactly, by trying all contents of one after another."""

    @cache
    def fits(left: tuple[int, ...], rest: tuple[int, ...]) -> bool:
        if not rest:
            return not any(left)
        return any(
            fits(tuple(a - b for a, b in zip(left, chosen, strict=True)), rest[1:])
            for chosen in contents(left, thresholds, rest[0])
        )

    return sum(counts) == sum(buckets) and fits(tuple(counts), tuple(buckets))


def least_loss(counts: Sequence[int], thresholds: Sequence[Fraction], sizes: Sequence[int]) -> float:
    """The least loss of all ways to put the records into buckets of these sizes, infinite if there is none."""

    @cache
    def least(left: tuple[int, ...]) -> float:
        if not any(left):
            return 0
        ways = (
            (size - 1) ** 2 + least(tuple(a - b for a, b in zip(left, chosen, strict=True)))
            for size in sizes
            if size <= sum(left)
            for chosen in contents(left, thresholds, size)
        )
        return min(ways, default=inf)

    return least(tuple(counts))


def settings(n: int, sizes: Sequence[int], most: int | None = None) -> Iterator[Counter[int]]:
    """Every way to write n as a sum of sizes, with at most so many different ones."""
    if n == 0:
        yield Counter()
    elif sizes and most != 0:
        for buckets in range(n // sizes[0] + 1):
            rest = None if most is None else most - (buckets > 0)
            for others in settings(n - buckets * sizes[0], sizes[1:], rest):
                yield others + Counter({sizes[0]: buckets})


def loss_of(setting: Counter[int]) -> int:
    return sum(buckets * (size - 1) ** 2 for size, buckets in setting.items())


@st.composite
def instances(draw: st.DrawFn, *, most_records: int = 12, most_values: int = 4) -> Instance:
    """Few records, with thresholds at, just above or far above each value's share."""
    counts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=most_values))
    while sum(counts) > most_records:
        counts.pop()
    n = sum(counts)
    thresholds = []
    for records in counts:
        share = Fraction(records, n)
        above = [Fraction(p, q) for q in range(1, 9) for p in range(1, q + 1) if Fraction(p, q) >= share]
        thresholds.append(draw(st.sampled_from([share, *above])))
    return counts, thresholds


@st.composite
def large_instances(draw: st.DrawFn, *, most_records: int = 400) -> Instance:
    """Up to twelve values with so many records each, thresholds by a formula or apart from one."""
    counts = draw(st.lists(st.integers(1, most_records), min_size=1, max_size=12))
    n = sum(counts)
    a, c = draw(st.sampled_from([1, 2, 3, 8])), draw(st.sampled_from(["0", "0.02", "0.05", "0.3"]))
    thresholds = [min(Fraction(1), max(Fraction(1, 50), a * Fraction(records, n) + Fraction(c))) for records in counts]
    for i in draw(st.lists(st.integers(0, len(counts) - 1), max_size=2)):
        thresholds[i] = max(Fraction(counts[i], n), Fraction(draw(st.sampled_from(["0.1", "1/3", "0.9", "1"]))))
    return counts, thresholds
