"""The examples of Wang (2014), and where they are wrong."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from bucketing import by_formula, loss_of, settings
from nymity.bucket import METHODS, Plan, Violation, check, fill, plan
from nymity.bucket.assignment import assign
from nymity.bucket.pairs import Pairs
from nymity.bucket.problem import BucketProblem
from nymity.bucket.two_size import most_buckets

#: Tables 3.3, 5.1, 5.3 and 6.1.
FIVE = by_formula([2, 2, 2, 4, 4, 4, 4, 7, 7], 3, "0.02")
EIGHT = by_formula([1] * 8 + [6] * 4 + [9] * 2, 2, "0.05")
TEN = by_formula([4, 4, 4, 8, 8], 2, "0")
THIRTEEN = by_formula([2] * 4 + [4] * 4 + [7, 8], 3, "0.02")


def setting(found: Plan) -> dict[int, int]:
    return dict(zip(found.sizes, found.buckets, strict=True))


def test_example_5_as_printed_leaves_four_records_out_and_is_no_solution() -> None:
    printed = check(*FIVE, sizes=[2, 3, 6], buckets=[4, 4, 2])
    assert printed.loss == 70
    assert isinstance(printed.violation, Violation)
    assert (printed.violation.condition, printed.violation.possible, printed.violation.needed) == ("capacity", 32, 36)


def every_setting(counts: list[int], thresholds: list[Fraction], sizes: range) -> int:
    """The least loss of all settings that meet Hall's condition for every set of their sizes."""

    def valid(used: dict[int, int]) -> bool:
        return all(
            sum(
                min(o, sum(int(f * s) * used[s] for s in some)) for o, f in zip(counts, thresholds, strict=True)
            ) >= sum(s * used[s] for s in some)
            for r in range(1, len(used) + 1)
            for some in combinations(used, r)
        )  # fmt: skip

    costs = sorted((loss_of(s), sorted(s.items())) for s in settings(sum(counts), sizes))
    return next(loss for loss, used in costs if valid(dict(used)))


def test_example_5_corrected_has_loss_72() -> None:
    found = plan(*FIVE, method="optimal")
    assert (setting(found), found.loss, found.bound, found.optimal) == ({2: 6, 3: 4, 6: 2}, 72, 72, True)
    assert every_setting(*FIVE, range(2, 10)) == 72  # a bucket of 10 alone costs more
    assert plan(*FIVE, method="one-size").loss == 150  # the other setting of the example


def test_example_6_deals_as_evenly_as_can_be() -> None:
    found = check(*FIVE, sizes=[6], buckets=[6])
    slots = fill(found)
    assert slots.sizes.tolist() == [6] * 6
    for value, count in enumerate(FIVE[0]):
        dealt = slots.records[slots.value == value]
        assert dealt.sum() == count
        assert set(dealt.tolist()) <= {count // 6, -(-count // 6)}


def test_example_7_one_setting_is_valid_and_one_is_not() -> None:
    assert check(*FIVE, sizes=[6], buckets=[6]).valid
    violation = check(*FIVE, sizes=[4], buckets=[9]).violation
    assert violation == Violation(condition="privacy", sizes=(4,), needed=2, possible=0, value=0)
    assert str(violation) == "privacy constraint of 0: buckets of 4 admit 0 of its 2 records"


def test_example_8_divides_the_records() -> None:
    problem = BucketProblem.of(*EIGHT, [4, 14])
    most = np.minimum(problem.caps * [9, 1], problem.counts[:, None])
    assert most.T.tolist() == [[0] * 8 + [6] * 4 + [9] * 2, [1] * 8 + [4] * 4 + [5] * 2]
    found = check(*EIGHT, sizes=[4, 14], buckets=[9, 1])
    assert found.valid
    assert found.records.sum(axis=0).tolist() == [36, 14]
    assert found.records.sum(axis=1).tolist() == EIGHT[0]
    assert (found.records <= most).all()


@pytest.mark.parametrize(
    ("sizes", "row"),
    [
        ([2, 4], [(14, 0), (12, 1), (10, 2), (8, 3), (6, 4), (4, 5), (2, 6), (0, 7)]),
        ([3, 5], [(6, 2), (1, 5)]),  # the example misses the first, 6 * 3 + 2 * 5
        ([6, 9], []),  # 28 is no multiple of 3
    ],
)
def test_example_9_lists_the_settings_of_two_sizes(sizes: list[int], row: list[tuple[int, int]]) -> None:
    problem = BucketProblem.of([28], [1], sizes)
    pairs = Pairs.of(problem)
    found = [tuple(pairs.setting(problem, 0, k).tolist()) for k in range(pairs.last[0] + 1)] if len(pairs.last) else []
    assert found == row
    losses = [problem.loss(np.array(b)) for b in row]
    assert losses == [int(pairs.loss[0] + k * pairs.slope[0]) for k in range(len(row))]


def test_examples_10_and_11_cut_the_row_at_both_constraints() -> None:
    problem = BucketProblem.of(*TEN, [2, 4])
    assert most_buckets(problem).tolist() == [8, 7]  # (8, 3) is the first that satisfies both fill constraints
    valid = Pairs.of(problem).valid(problem, 0, np.arange(8))
    assert valid.tolist() == [False] * 4 + [True] * 4  # x1 needs four buckets of size 4
    assert setting(plan(*TEN, method="two-size", sizes=(2, 4))) == {2: 6, 4: 4}


def test_example_12_conditions_on_single_sizes_do_not_suffice() -> None:
    counts, caps = np.array([5] * 10 + [20]), np.array([[0, 0, 5]] * 10 + [[10, 20, 20]])
    problem = BucketProblem(tuple(range(11)), counts, (Fraction(1),) * 11, np.array([10, 20, 30]), caps)
    buckets = np.array([2, 1, 1])
    most = np.minimum(caps * buckets, counts[:, None])
    assert (most.sum(axis=1) >= counts).all()
    assert (most.sum(axis=0) >= problem.sizes * buckets).all()
    found = assign(problem, buckets)
    assert isinstance(found, Violation)
    assert (found.condition, found.sizes, found.needed, found.possible) == ("fill", (10, 20), 40, 20)


def test_example_13_printed_losses_are_wrong_and_two_rounds_are_no_solutions() -> None:
    first = check(*THIRTEEN, sizes=[5, 6], buckets=[3, 4])
    second = check(*THIRTEEN, sizes=[4, 5], buckets=[6, 3])
    third = check(*THIRTEEN, sizes=[2, 4, 5], buckets=[2, 5, 3])
    assert [found.loss for found in (first, second, third)] == [148, 102, 95]
    assert [found.valid for found in (first, second, third)] == [True, False, False]
    assert plan(*THIRTEEN, method="two-size").loss == first.loss


def test_example_13_corrected() -> None:
    assert plan(*THIRTEEN, method="top-down").loss == 98
    found = plan(*THIRTEEN, method="optimal")
    assert (setting(found), found.loss, found.optimal) == ({2: 7, 4: 2, 5: 1, 6: 2}, 91, True)
    assert every_setting(*THIRTEEN, range(2, 11)) == 91  # a bucket of 11 alone costs more


def test_a_table_whose_only_plan_has_the_largest_size_has_one() -> None:
    """Programs 5.2 and 5.3 as printed start with that loss as the best and return nothing."""
    for method in METHODS:
        assert setting(plan([3, 3], ["0.5", "0.5"], sizes=(6, 6), method=method)) == {6: 1}


def test_the_share_2_of_7_admits_two_of_seven() -> None:
    exact = check([2, 5], [Fraction(2, 7), 1], sizes=[7], buckets=[1])
    rounded = check([2, 5], [0.2857, 1], sizes=[7], buckets=[1])
    assert exact.valid
    assert rounded.violation == Violation(condition="privacy", sizes=(7,), needed=2, possible=1, value=0)
