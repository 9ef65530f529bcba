"""Intervals of means: against a table of Student's distribution, and what they decide at their limits."""

from __future__ import annotations

import pytest

from nymity_lab.study.mean_interval import MeanInterval


def test_the_interval_of_four_draws() -> None:
    """t(0.975; 3) = 3.182 (any table); the standard deviation of 1, 2, 3, 4 is 1.29099."""
    found = MeanInterval.of([1, 2, 3, 4])
    assert found.mean == 2.5
    assert found.high - 2.5 == pytest.approx(3.182 * 1.29099 / 2, rel=1e-3)
    assert 2.5 - found.low == pytest.approx(found.high - 2.5)
    assert found.told(".1f") == "2.5 (0.4 to 4.6)"


def test_one_draw_decides_nothing() -> None:
    one = MeanInterval.of([5.0])
    assert (one.above(0), one.below(0), one.within(0, 9)) == (None, None, None)
    assert one.told(".1f") == "5.0 (one draw)"


def test_what_is_decided() -> None:
    found = MeanInterval(mean=2, low=1, high=3, draws=9)
    assert [found.above(x) for x in (0.9, 1, 2, 2.9, 3)] == [True, None, None, None, False]
    assert [found.below(x) for x in (3.1, 3, 2, 1)] == [True, None, None, False]
    assert [found.within(*ends) for ends in ((1, 3), (0, 2), (3.5, 4), (-1, 0.9))] == [True, None, False, False]
