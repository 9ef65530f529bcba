"""Equation 4.2.5 as printed, beside partitions listed one by one, and the probability that a vote is right."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from nymity.core.errors import ParameterError
from nymity_robust.vote_probability import majority_success, printed_success


def partitions(members: list[int]) -> Iterator[list[list[int]]]:
    if not members:
        yield []
        return
    for rest in partitions(members[1:]):
        yield [[members[0]], *rest]
        for place in range(len(rest)):
            yield [*rest[:place], [members[0], *rest[place]], *rest[place + 1 :]]


@pytest.mark.parametrize("members", [1, 2, 3, 4, 6])
def test_the_printed_sum_is_that_over_all_partitions(members: int) -> None:
    p = Fraction(9, 10)
    one_by_one = sum(p ** max(map(len, partition)) for partition in partitions(list(range(members))))
    assert printed_success(p, members) == one_by_one


def test_the_printed_sum_is_no_probability() -> None:
    assert printed_success(Fraction(968, 1000), 2) == Fraction(968, 1000) + Fraction(968, 1000) ** 2 > 1
    assert printed_success(0.968, 50) > 10**40


def test_a_majority_counted_over_all_outcomes() -> None:
    chances = [Fraction(9, 10), Fraction(1, 2), Fraction(2, 3), Fraction(1, 5)]
    total = Fraction(0)
    for right in product((True, False), repeat=4):
        if sum(right) > 2:
            probability = Fraction(1)
            for one, p in zip(right, chances, strict=True):
                probability *= p if one else 1 - p
            total += probability
    assert majority_success(chances) == total
    assert majority_success([Fraction(1, 3)]) == Fraction(1, 3)


@pytest.mark.parametrize(
    "wrong", [lambda: printed_success(1.2, 3), lambda: printed_success(0.5, 0), lambda: majority_success([])]
)
def test_nonsense_is_refused(wrong: object) -> None:
    with pytest.raises(ParameterError):
        wrong()  # type: ignore[operator]
