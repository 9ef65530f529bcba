from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import bucketing
from bucketing import Instance, can_fill, instances, large_instances
from nymity.bucket import Plan, Violation, check, fill
from nymity.bucket.assignment import assign
from nymity.bucket.problem import BucketProblem


@settings(max_examples=75, deadline=None)
@given(instances(most_records=10), st.data())
def test_a_setting_is_valid_exactly_if_the_records_can_be_put_there(instance: Instance, data: st.DataObject) -> None:
    counts, thresholds = instance
    every = list(bucketing.settings(sum(counts), range(1, sum(counts) + 1)))
    setting = data.draw(st.sampled_from(every))
    found = check(counts, thresholds, sizes=sorted(setting), buckets=[setting[size] for size in sorted(setting)])
    assert found.valid == can_fill(counts, thresholds, sorted(setting.elements()))
    if found.valid:
        assert_filled(found)


def assert_filled(plan: Plan) -> None:
    slots = fill(plan)
    assert Counter(slots.sizes.tolist()) == dict(zip(plan.sizes, plan.buckets, strict=True))
    assert slots.totals.tolist() == list(plan.counts)
    assert len(set(zip(slots.bucket.tolist(), slots.value.tolist(), strict=True))) == len(slots.bucket)
    for bucket, value, records in zip(slots.bucket, slots.value, slots.records, strict=True):
        assert 0 < records <= plan.thresholds[value] * int(slots.sizes[bucket])


@settings(max_examples=75, deadline=None)
@given(large_instances(), st.data())
def test_a_violation_is_one_and_an_assignment_fits(instance: Instance, data: st.DataObject) -> None:
    counts, thresholds = instance
    sizes = sorted(data.draw(st.sets(st.integers(1, 30), min_size=1, max_size=5)))
    buckets = np.zeros(len(sizes), dtype=np.int64)
    left = sum(counts)
    for j in data.draw(st.permutations(range(len(sizes)))):
        buckets[j] = data.draw(st.integers(0, left // sizes[j]))
        left -= buckets[j] * sizes[j]
    problem = BucketProblem.of(counts, thresholds, sizes)
    found = assign(problem, buckets)
    if not isinstance(found, Violation):
        assert found.sum(axis=1).tolist() == counts
        assert found.sum(axis=0).tolist() == (problem.sizes * buckets).tolist()
        assert ((found >= 0) & (found <= problem.caps * buckets)).all()
    elif found.condition == "capacity":
        assert (found.needed, found.possible) == (sum(counts), int(problem.sizes @ buckets))
        assert found.needed != found.possible
    else:
        chosen = [sizes.index(size) for size in found.sizes]
        admitted = np.minimum(problem.counts, (problem.caps * buckets)[:, chosen].sum(axis=1))
        assert found.possible < found.needed
        if found.condition == "fill":
            assert (found.possible, found.needed) == (admitted.sum(), (problem.sizes * buckets)[chosen].sum())
        else:
            i = problem.values.index(found.value)
            assert (found.possible, found.needed) == (admitted[i], counts[i])


def test_chains_over_several_sizes_are_found() -> None:
    """b is admitted to sizes 1 and 2, c to 2 and 3: a record too many in 1 reaches 3 only by way of 2."""
    caps = np.array([[9, 0, 0], [9, 9, 0], [0, 9, 9]])
    problem = BucketProblem(("a", "b", "c"), np.array([4, 4, 4]), (), np.array([1, 2, 3]), caps)
    found = assign(problem, np.array([5, 2, 1]))
    assert isinstance(found, np.ndarray)
    assert found.sum(axis=0).tolist() == [5, 4, 3]
    assert found.sum(axis=1).tolist() == [4, 4, 4]


def test_a_fill_violation_names_the_value_that_is_kept_out() -> None:
    violation = check({"a": 2, "b": 2, "c": 8}, ["1/4", "1/4", "3/4"], sizes=[2, 4], buckets=[2, 2]).violation
    assert violation == Violation(condition="fill", sizes=(2,), needed=4, possible=2, value="c")
    assert str(violation) == (
        "fill constraint: buckets of 2 hold 4 records, but the thresholds admit only 2, first of all that of 'c'"
    )
