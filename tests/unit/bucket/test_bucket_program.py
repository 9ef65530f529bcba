"""The integer program where the conditions for the smallest sizes do not suffice."""

from __future__ import annotations

import numpy as np

from nymity.bucket.assignment import Violation, assign
from nymity.bucket.best_setting import Watch
from nymity.bucket.integer_program import Conditions, improve
from nymity.bucket.problem import BucketProblem

#: Buckets of 5 admit two records of each value, more than they need, and buckets of 7 no more.
SHARES = ["0.4"] * 3


def test_a_setting_that_breaks_another_condition_is_refused_and_the_search_goes_on() -> None:
    problem = BucketProblem.of([8, 8, 8], SHARES, [5, 7, 24])
    cheapest = np.array([2, 2, 0])
    violation = assign(problem, cheapest)
    assert isinstance(violation, Violation)
    assert (violation.condition, violation.sizes) == ("fill", (7,))
    assert Conditions(problem).add_prefixes(cheapest.astype(float)) == 0
    found = improve(problem, None, Watch())
    assert found.buckets is not None
    assert found.buckets.tolist() == [0, 0, 1]
    assert (found.bound, found.complete) == (23**2, True)


def test_where_nothing_is_left_there_is_no_setting() -> None:
    found = improve(BucketProblem.of([8, 8, 8], SHARES, [5, 7]), None, Watch())
    assert found.buckets is None
    assert found.complete


def test_a_condition_is_added_once() -> None:
    conditions = Conditions(BucketProblem.of([8, 8, 8], SHARES, [5, 7, 24]))
    sevens, buckets = np.array([False, True, False]), np.array([2, 2, 0])
    assert conditions.add(sevens, buckets)
    assert not conditions.add(sevens, buckets)
