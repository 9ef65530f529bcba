"""The front against the definition of dominance, and the order in which settings are tried."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.recommending.front import FrontPoint, front

points = st.lists(
    st.builds(
        lambda size, right, tie: FrontPoint(risk=Fraction(1, size), right=right, tie=Fraction(tie, 7)),
        st.integers(1, 6),
        st.integers(0, 6),
        st.integers(0, 3),
    ),
    max_size=25,
)


def dominates(one: FrontPoint, other: FrontPoint) -> bool:
    no_worse = one.risk <= other.risk and one.right >= other.right
    return no_worse and (one.risk < other.risk or one.right > other.right)


@given(points)
def test_front_is_what_nothing_dominates(found: list[FrontPoint]) -> None:
    undominated = {(p.risk, p.right) for p in found if not any(dominates(other, p) for other in found)}
    places = front(found)
    assert {(found[place].risk, found[place].right) for place in places} == undominated
    assert len(places) == len(undominated)  # one for points that are equal
    assert [found[place].risk for place in places] == sorted(found[place].risk for place in places)


@given(points)
def test_ties_go_to_the_smaller_other_risk_and_then_to_the_first(found: list[FrontPoint]) -> None:
    for place in front(found):
        equal = [i for i, p in enumerate(found) if (p.risk, p.right) == (found[place].risk, found[place].right)]
        assert place == min(equal, key=lambda i: (found[i].tie, i))


def test_risks_that_no_float_tells_apart_are_told_apart() -> None:
    close = Fraction(1, 3), Fraction(10**20 + 1, 3 * 10**20)
    assert float(close[0]) == float(close[1])
    assert front([FrontPoint(risk=close[1], right=5), FrontPoint(risk=close[0], right=5)]) == [1]
    assert front([FrontPoint(risk=close[1], right=6), FrontPoint(risk=close[0], right=5)]) == [1, 0]


def test_an_empty_front() -> None:
    assert front([]) == []


@pytest.mark.parametrize("n", range(9))
def test_the_ends_come_first(n: int) -> None:
    from nymity.recommending.candidates import spread

    order = spread(n)
    assert sorted(order) == list(range(n))
    assert order[:2] == [0, n - 1][: min(n, 2)]
    for place in range(2, n):
        far = [min(abs(p - other) for other in order[:place]) for p in range(n)]
        assert far[order[place]] == max(far)
