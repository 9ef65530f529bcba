"""The front against the definition of dominance, and the order in which settings are tried."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.recommending.front import FrontPoint, front, knee

points = st.lists(
    st.builds(
        lambda size, right, tie: FrontPoint(risk=Fraction(1, size), useful=Fraction(right), tie=Fraction(tie, 7)),
        st.integers(1, 6),
        st.integers(0, 6),
        st.integers(0, 3),
    ),
    max_size=25,
)


def dominates(one: FrontPoint, other: FrontPoint) -> bool:
    no_worse = one.risk <= other.risk and one.useful >= other.useful
    return no_worse and (one.risk < other.risk or one.useful > other.useful)


@given(points)
def test_front_is_what_nothing_dominates(found: list[FrontPoint]) -> None:
    undominated = {(p.risk, p.useful) for p in found if not any(dominates(other, p) for other in found)}
    places = front(found)
    assert {(found[place].risk, found[place].useful) for place in places} == undominated
    assert len(places) == len(undominated)  # one for points that are equal
    assert [found[place].risk for place in places] == sorted(found[place].risk for place in places)


@given(points)
def test_ties_go_to_the_smaller_other_risk_and_then_to_the_first(found: list[FrontPoint]) -> None:
    for place in front(found):
        equal = [i for i, p in enumerate(found) if (p.risk, p.useful) == (found[place].risk, found[place].useful)]
        assert place == min(equal, key=lambda i: (found[i].tie, i))


def test_risks_that_no_float_tells_apart_are_told_apart() -> None:
    close = Fraction(1, 3), Fraction(10**20 + 1, 3 * 10**20)
    assert float(close[0]) == float(close[1])
    assert front([FrontPoint(risk=close[1], useful=Fraction(5)), FrontPoint(risk=close[0], useful=Fraction(5))]) == [1]
    assert front([FrontPoint(risk=close[1], useful=Fraction(6)), FrontPoint(risk=close[0], useful=Fraction(5))]) == [
        1,
        0,
    ]


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


NOTHING = FrontPoint(risk=Fraction(1, 1000), useful=Fraction(1, 2))
ORIGINAL = FrontPoint(risk=Fraction(1), useful=Fraction(1))


@pytest.mark.parametrize(
    ("found", "place"),
    [
        # a corner: hardly anything is gained beyond risk 1/50, nearly everything below it is lost
        (
            [(Fraction(1, 100), "0.55"), (Fraction(1, 50), "0.95"), (Fraction(1, 5), "0.96"), (Fraction(1, 2), "0.97")],
            1,
        ),
        # a straight line in log risk and usefulness, then one point above it
        ([(Fraction(1, 100), "0.667"), (Fraction(1, 10), "0.9"), (Fraction(1, 2), "0.95")], 1),
        # two: the safe one is as good as nothing
        ([(Fraction(1, 500), "0.5"), (Fraction(1, 20), "0.9")], 1),
        # two: the useful one adds little and risks much
        ([(Fraction(1, 500), "0.9"), (Fraction(1, 2), "0.92")], 0),
        ([(Fraction(1, 3), "0.7")], 0),
    ],
)
def test_the_knee_of_known_fronts(found: list[tuple[Fraction, str]], place: int) -> None:
    on_front = [FrontPoint(risk=risk, useful=Fraction(useful)) for risk, useful in found]
    assert knee(on_front, nothing=NOTHING, original=ORIGINAL) == place


def test_a_front_on_the_diagonal_begins_with_the_least_risk() -> None:
    """Usefulness rises as fast as the logarithm of risk, so that no point is ahead."""
    nothing, original = (FrontPoint(risk=Fraction(1, 2**n), useful=Fraction(8 - n, 8)) for n in (8, 0))
    on_line = [FrontPoint(risk=Fraction(1, 2**n), useful=Fraction(8 - n, 8)) for n in (6, 4, 2)]
    assert knee(on_line, nothing=nothing, original=original) == 0


def test_a_knee_where_nothing_is_gained() -> None:
    flat = [
        FrontPoint(risk=Fraction(1, 50), useful=Fraction(1, 2)),
        FrontPoint(risk=Fraction(1, 5), useful=Fraction(1)),
    ]
    assert knee(flat, nothing=NOTHING, original=NOTHING) == 0
