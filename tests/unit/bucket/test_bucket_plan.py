from __future__ import annotations

import json
import sys
from decimal import Decimal
from fractions import Fraction
from math import inf
from random import Random
from time import monotonic
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, milp

import bucketing
import nymity as ny
from bucketing import Instance, can_fill, instances, large_instances, least_loss, loss_of
from nymity.bucket import METHODS, Violation, check, plan
from nymity.bucket.assignment import assign
from nymity.bucket.best_setting import Watch
from nymity.bucket.problem import BucketProblem
from nymity.core.errors import Interrupted, MissingExtraError, NoSolutionError, ParameterError
from nymity.core.progress import Progress

TWO_SIZE = ("two-size", "two-size-loss", "two-size-exhaustive")


def loss_by(method: str, instance: Instance, sizes: tuple[int, int] | None = None) -> float:
    """The loss of what a method finds in its time, infinite if there is nothing."""
    problem = BucketProblem.within(*instance, sizes)
    found = METHODS[method](problem, Watch(until=monotonic() + 10))
    if found.buckets is None:
        assert found.complete
        return inf
    assert not isinstance(assign(problem, found.buckets), Violation)
    loss = problem.loss(found.buckets)
    assert found.bound == loss if found.complete else found.bound is not None and found.bound <= loss
    return loss


# -- what the methods find -----------------------------------------------------------------------------------


@st.composite
def ranges(draw: st.DrawFn, instance: Instance) -> tuple[int, int]:
    """Sizes that admit every value, from 1 or more."""
    counts, thresholds = instance
    needed = max(-(-1 // share) for share in thresholds)
    largest = draw(st.integers(needed, max(needed, min(sum(counts), 8))))
    return draw(st.integers(1, largest)), largest


@settings(max_examples=40, deadline=None)
@given(instances(most_records=9, most_values=3), st.data())
def test_every_method_against_all_ways_to_fill_buckets(instance: Instance, data: st.DataObject) -> None:
    sizes = data.draw(ranges(instance))
    every = range(sizes[0], sizes[1] + 1)
    optimum = least_loss(*instance, every)
    assert loss_by("best", instance, sizes) == loss_by("optimal", instance, sizes) == optimum
    for method, most in (("one-size", 1), ("two-size", 2)):
        of_all = [s for s in bucketing.settings(sum(instance[0]), every, most) if can_fill(*instance, [*s.elements()])]
        assert loss_by(method, instance, sizes) == min(map(loss_of, of_all), default=inf)
    assert optimum <= loss_by("top-down", instance, sizes) <= loss_by("two-size", instance, sizes)


@settings(max_examples=50, deadline=None)
@given(large_instances(), st.integers(1, 4), st.integers(1, 30))
def test_pruning_changes_nothing(instance: Instance, least: int, largest: int) -> None:
    needed = max(-(-1 // share) for share in instance[1])
    sizes = (min(least, sum(instance[0])), max(least, largest, needed))
    full, by_loss, exhaustive = (loss_by(method, instance, sizes) for method in TWO_SIZE)
    assert full == by_loss == exhaustive <= loss_by("one-size", instance, sizes)
    assert loss_by("top-down", instance, sizes) <= full


@settings(max_examples=10, deadline=None)
@given(large_instances(), st.randoms(use_true_random=False))
def test_the_integer_program_is_never_worse_and_the_order_of_values_means_nothing(
    instance: Instance, random: Random
) -> None:
    order = random.sample(range(len(instance[0])), len(instance[0]))
    shuffled = ([instance[0][i] for i in order], [instance[1][i] for i in order])
    top_down = loss_by("top-down", instance)
    assert top_down == loss_by("top-down", shuffled)
    assert loss_by("two-size", instance) == loss_by("two-size", shuffled)
    assert loss_by("best", instance) <= top_down


@settings(max_examples=20, deadline=None)
@given(large_instances(most_records=60), st.integers(1, 3))
def test_the_program_in_bucket_numbers_is_the_program_of_the_thesis(instance: Instance, least: int) -> None:
    least, largest = min(least, sum(instance[0])), max(12, *(-(-1 // share) for share in instance[1]))
    assert loss_by("optimal", instance, (least, largest)) == program_of_chapter_6(*instance, range(least, largest + 1))


def program_of_chapter_6(counts: list[int], thresholds: list[Fraction], sizes: range) -> float:
    """The integer program as it is written, with records of each value in buckets of each size."""
    m, k = len(counts), len(sizes)
    caps = np.array([[int(share * size) for size in sizes] for share in thresholds])
    of_value = np.hstack([np.zeros((m, k)), np.kron(np.eye(m), np.ones(k))])
    of_size = np.hstack([-np.diag(sizes), np.kron(np.ones(m), np.eye(k))])
    within = np.hstack([-np.vstack([np.diag(row) for row in caps]), np.eye(m * k)])
    found = milp(
        np.concatenate([(np.array(sizes) - 1) ** 2, np.zeros(m * k)]),
        constraints=[
            LinearConstraint(of_value, counts, counts),
            LinearConstraint(of_size, 0, 0),
            LinearConstraint(within, -np.inf, 0),
        ],
        integrality=np.ones(k + m * k),
        options={"mip_rel_gap": 0},
    )
    return round(found.fun) if found.success else inf


# -- what a plan says ----------------------------------------------------------------------------------------


def test_values_keep_their_names_and_numbers_are_read_as_written() -> None:
    counts = {"flu": 6, None: 3, "HIV": 1}
    thresholds = {"HIV": 0.2, "flu": Decimal("0.7"), None: "1/2"}
    found = ny.bucket.plan(counts, thresholds)
    assert found.values == ("flu", None, "HIV")
    assert found.counts == (6, 3, 1)
    assert found.thresholds == (Fraction(7, 10), Fraction(1, 2), Fraction(1, 5))
    assert found.records.sum(axis=1).tolist() == [6, 3, 1]
    assert plan(list(counts.values()), [0.7, 0.5, 0.2]).values == (0, 1, 2)
    assert plan(np.array([6, 3, 1]), np.array([0.7, 0.5, 0.2])).loss == found.loss  # type: ignore[arg-type]


def test_thresholds_of_any_length_are_exact() -> None:
    third = Fraction(10**30, 3 * 10**30 - 1)  # just above 1/3
    assert check([1, 2], [third, 1], sizes=[3], buckets=[1]).valid
    assert not check([1, 2], [Fraction(10**30, 3 * 10**30 + 1), 1], sizes=[3], buckets=[1]).valid


def test_a_plan_is_plain_data() -> None:
    found = plan({"a": 6, "b": 6}, {"a": "0.5", "b": 0.5}, method="two-size")
    data = json.loads(json.dumps(found.to_dict()))
    assert data["seconds"] >= 0
    del data["seconds"]
    assert data == {
        "method": "two-size", "values": ["a", "b"], "counts": [6, 6], "thresholds": ["1/2", "1/2"],
        "sizes": [2], "buckets": [6], "records": [[6], [6]], "loss": 6, "bound": 6, "optimal": True,
        "valid": True, "violation": None,
    }  # fmt: skip
    assert found.information_loss == pytest.approx(6**0.5 / 11)
    broken = check([3], [1], sizes=[2], buckets=[1])
    assert broken.to_dict()["violation"] == "capacity constraint: buckets of 2 hold 2 records, there are 3"
    assert broken.records.tolist() == [[0]]


def test_one_value_that_may_fill_a_bucket_needs_no_company() -> None:
    found = plan({"a": 5}, {"a": 1})
    assert (found.sizes, found.buckets, found.loss, found.optimal) == ((1,), (5,), 0, True)
    assert found.information_loss == 0


def test_sizes_reach_as_far_as_the_strictest_threshold_needs() -> None:
    counts, thresholds = [995, 4, 1], ["1", "0.5", "0.01"]
    found = plan(counts, thresholds, method="top-down")
    assert max(found.sizes) == 100
    with pytest.raises(ParameterError, match=r"at least 100: the threshold 1/100 of 2 admits no record"):
        plan(counts, thresholds, sizes=(1, 50))


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "thresholds", "options", "message"),
    [
        ({"a": 3, "b": 7}, {"a": 0.5, "b": 0.6}, {}, r"thresholds, 'b': expected at least 0.7, the share of 7 of 10"),
        ([1, 1], [0.5, 1.5], {}, "thresholds, 1: expected a number above 0 and at most 1, got 1.5"),
        ([1, 1], [0, 1], {}, "thresholds, 0: expected a number above 0"),
        ([1, 1], [True, 1], {}, "thresholds, 0: .* got True"),
        ([1, 1], ["half", 1], {}, "thresholds, 0: .* got 'half'"),
        ([1, 1], [float("nan"), 1], {}, "thresholds, 0: .* got nan"),
        ([1, 1], ["1/0", 1], {}, "thresholds, 0: .* got '1/0'"),
        ([1, 1], [Decimal("Infinity"), 1], {}, "thresholds, 0: .* got Decimal"),
        ([1, 1], [1], {}, "one for each of 2 values, got 1"),
        ({"a": 1}, {"b": 1}, {}, "one for each value, got none for 'a'"),
        ({"a": 1}, {"a": 1, "b": 1}, {}, "got one for 'b', which does not occur"),
        ([1, 0], [1, 1], {}, "counts, 1: expected a whole number of at least 1, got 0"),
        ([1, -2], [1, 1], {}, "counts, 1: .* got -2"),
        ([1, 1.5], [1, 1], {}, "counts, 1: .* got 1.5"),
        ([], [], {}, "counts: expected 1 to 2,147,483,647 records in all, got 0"),
        ([2**31], [1], {}, "counts: expected 1 to 2,147,483,647 records in all"),
        ([5, 5], [1, 1], {"sizes": (4, 3)}, "sizes, largest: expected a whole number of at least 4, got 3"),
        ([5, 5], [1, 1], {"sizes": (0, 3)}, "sizes, smallest: expected a whole number of at least 1"),
        ([5, 5], [1, 1], {"sizes": (11, 12)}, "sizes, smallest: expected a whole number from 1 to 10, got 11"),
        ([5, 5], [1, 1], {"sizes": 3}, "sizes: expected the smallest and the largest size, got 3"),
        ([5000, 5], [1, 1], {"sizes": (1, 2000)}, r"at most 1,000 different ones, got 1 to 2000. Try: .* of 1001"),
        ([5, 5], [1, 1], {"method": "two-sizes"}, "did you mean 'two-size'"),
        ([5, 5], [1, 1], {"seconds": 0}, "seconds: expected a number above 0"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_before_any_search(
    counts: Any, thresholds: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        plan(counts, thresholds, **options)


@pytest.mark.parametrize(
    ("sizes", "buckets"), [([2, 2], [1, 1]), ([3, 2], [1, 1]), ([2], [1, 1]), ([], []), ([2], [-1])]
)
def test_a_setting_to_check_is_one(sizes: list[int], buckets: list[int]) -> None:
    with pytest.raises(ParameterError, match=r"^(sizes|buckets)"):
        check([2, 2], [1, 1], sizes=sizes, buckets=buckets)


@pytest.mark.parametrize(
    ("instance", "sizes", "method", "message"),
    [
        (([3, 4, 4], ["3/11", "4/11", "4/11"]), (4, 8), "two-size",
         r"privacy constraint of 0: buckets of 5, 6 admit 2 of its 3 records. Try: sizes=\(4, 11\)"),
        (([18, 18], ["1/2", "1/2"]), (7, 7), "best", r"36 is no sum of such sizes. Try: sizes=\(7, 10\)"),
        (([18, 18], ["3/4", "3/4"]), (7, 8), "one-size", r"method 'two-size' has one. Try: sizes=\(7, 9\)"),
        (([18, 18], ["3/4", "3/4"]), (30, 34), "top-down", r"36 is no sum of such sizes. Try: sizes=\(30, 36\)"),
    ],
)  # fmt: skip
def test_without_a_plan_it_says_what_stands_in_the_way(
    instance: Any, sizes: tuple[int, int], method: str, message: str
) -> None:
    with pytest.raises(NoSolutionError, match=message):
        plan(*instance, sizes=sizes, method=method)
    larger = message.rsplit(r"\(", 1)[1].rstrip(r"\)").split(", ")
    assert plan(*instance, sizes=(int(larger[0]), int(larger[1])), method=method).valid
    with pytest.raises(NoSolutionError):
        plan(*instance, sizes=(int(larger[0]), int(larger[1]) - 1), method=method)


# -- time, progress, extras ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["two-size-exhaustive", "two-size-loss", "two-size", "top-down", "best"])
def test_an_observer_hears_of_it_and_can_stop_it(method: str) -> None:
    heard: list[Progress] = []
    plan([60, 40], ["0.7", "0.5"], method=method, observe=heard.append)
    assert heard
    with pytest.raises(Interrupted):
        plan([60, 40], ["0.7", "0.5"], method=method, observe=lambda _: False)


def test_when_time_is_up_the_best_so_far_is_returned_without_a_proof() -> None:
    counts = [400_000, 300_001, 200_000]
    found = plan(counts, ["0.5", "0.5", "0.5"], method="two-size-exhaustive", seconds=1e-6)
    assert found.valid
    assert (found.bound, found.optimal) == (None, False)
    with pytest.raises(NoSolutionError, match=r"was found in time\. Try: more seconds"):
        plan([500_000, 500_000], ["0.5", "0.5"], sizes=(5, 7), method="two-size-exhaustive", seconds=1e-6)


def test_best_does_without_the_extra_and_optimal_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    instance = bucketing.by_formula([2] * 4 + [4] * 4 + [7, 8], 3, "0.02")
    found = plan(*instance)
    assert (found.loss, found.optimal) == (plan(*instance, method="top-down").loss, False)
    with pytest.raises(MissingExtraError, match=r"nymity\[exact\]"):
        plan(*instance, method="optimal")


def test_every_method_is_described() -> None:
    assert set(METHODS) == {"one-size", *TWO_SIZE, "top-down", "optimal", "best"}
