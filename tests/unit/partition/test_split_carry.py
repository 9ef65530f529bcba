"""SplitCarry: the thesis' worked example, its lemma, its proposals, and sub-problems solved as promised."""

from __future__ import annotations

from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_exact import OPTIMAL, continuous, fars, geometries, sets_of

from nymity.core.errors import Interrupted, NoSolutionError, ParameterError
from nymity.partition import exact, split_carry
from nymity.partition.exact import ExactPartition, improve
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.optimum import Optimum
from nymity.partition.sorted_groups import SortedGroups
from nymity.partition.split_carry import Carry, Chain, SplitCarry

CARRIES: list[Carry] = ["class", "subset", "bubble"]
by_carry = pytest.mark.parametrize("carry", CARRIES)


def watch(method: SplitCarry, geometry: Geometry, k: int) -> tuple[Chain, list[tuple[Geometry, Ints, Optimum]]]:
    """Run, and return each sub-problem with where it started and how it ended."""
    steps = []

    def watched(part: Geometry, k: int, start: Ints, *, seconds: float | None) -> Optimum:
        optimum = improve(part, k, start, seconds=seconds)
        steps.append((part, start, optimum))
        return optimum

    with patch.object(split_carry, "improve", watched):
        return method.partition(geometry, k), steps


# -- the worked example --------------------------------------------------------------------------------


def test_worked_example_1_reaches_the_optimum() -> None:
    chain, steps = watch(SplitCarry(sets=3), fars(), 3)
    assert chain.sizes == (9, 17)
    assert chain.proved == 2
    assert fars().total(chain.classes) == pytest.approx(19.2661290323, abs=1e-9)
    assert sets_of(chain.classes) == OPTIMAL
    first, second = (part.points[:, 0].tolist() for part, _, _ in steps)  # ages, as in tables 3.3a and 3.4a
    assert first == [25, 29, 55, 33, 59, 64, 68, 18, 42]
    assert sorted(second[:6]) == [18, 33, 42, 59, 64, 68]
    assert second[6:] == [49, 50, 59, 80, 42, 31, 20, 64, 53, 40, 41]


def test_the_last_k_set_absorbs_what_is_left() -> None:
    _, steps = watch(SplitCarry(sets=3), fars(), 3)
    _, start, _ = steps[1]
    assert np.bincount(start).tolist() == [3, 3, 3, 3, 5]  # two carried classes, [6,9,5], [8,2,15], [17,0,4,18,3]


# -- every chain ---------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    geometries(most=30),
    st.integers(1, 4),
    st.sampled_from(CARRIES),
    st.integers(2, 4),
    st.integers(1, 5),
    st.integers(1, 3),
)
def test_a_chain_is_a_partition_of_proven_parts(
    geometry: Geometry, k: int, carry: Carry, sets: int, boundary: int, accepted: int
) -> None:
    if len(geometry) < k:
        return
    chain, steps = watch(SplitCarry(sets=sets, carry=carry, boundary=boundary, accepted=accepted), geometry, k)
    names, sizes = np.unique(chain.classes, return_counts=True)
    assert names.tolist() == list(range(len(names)))
    assert sizes.min() >= k
    assert chain.proved == len(chain.sizes) == len(steps)
    for part, start, optimum in steps:
        assert np.unique(start, return_counts=True)[1].min() >= k
        assert optimum.value <= part.total(start) + 1e-12
    if len(chain.sizes) == 1:
        assert geometry.total(chain.classes) == pytest.approx(ExactPartition().partition(geometry, k).value)


@by_carry
def test_between_the_optimum_and_where_it_started(carry: Carry) -> None:
    geometry = continuous(60, 3, seed=1)
    chain = SplitCarry(carry=carry, sets=4).partition(geometry, 3)
    value = geometry.total(chain.classes)
    assert ExactPartition().partition(geometry, 3).value <= value
    assert value < geometry.total(SortedGroups().partition(geometry, 3))


def test_subsets_leave_k_records_behind_and_take_those_that_fit_in_well() -> None:
    points = np.array([[0.0], [0.0], [0.5], [1.0], [2.0]])
    geometry = Geometry.of_points(points, np.ones(1))
    assert split_carry._spare(geometry, np.arange(5), 2).tolist() == [2, 3]
    assert split_carry._spare(geometry, np.arange(5), 0).tolist() == []


def test_bubbles_keep_their_size_and_accept_the_cheapest_classes() -> None:
    chain, steps = watch(SplitCarry(carry="bubble", sets=4, accepted=2), continuous(60, 3, seed=1), 3)
    assert set(chain.sizes[:-1]) == {12}
    assert 12 <= chain.sizes[-1] <= 14
    for (part, _, optimum), (following, start, _) in pairwise(steps):
        costs = sorted(part.cost(np.flatnonzero(optimum.classes == c)) for c in np.unique(optimum.classes))
        carried = [following.cost(np.flatnonzero(start == c)) for c in range(len(costs) - 2)]  # these come first
        assert sorted(carried) == pytest.approx(costs[2:])


def test_sub_problems_out_of_time_stay_as_they_were() -> None:
    geometry = continuous(60, 4, seed=3)
    with patch.object(exact, "FEW", 0):
        chain = SplitCarry(seconds=1e-9).partition(geometry, 3)
    assert (chain.proved, chain.initial) == (0, len(chain.sizes))
    assert chain.classes.tolist() == SortedGroups().partition(geometry, 3).tolist()
    assert chain.stopped == (
        f"before a proof in {len(chain.sizes)} of {len(chain.sizes)} sub-problems, "
        f"{len(chain.sizes)} of them with the classes of the initial solution"
    )


def test_a_longer_boundary_carries_more() -> None:
    geometry = continuous(200, 3, seed=2)
    short, long = (SplitCarry(boundary=b).partition(geometry, 3).sizes for b in (1, 6))
    assert np.mean(short) < np.mean(long)


# -- the rest ------------------------------------------------------------------------------------------


@by_carry
def test_one_record_to_a_class(carry: Carry) -> None:
    chain = SplitCarry(carry=carry).partition(fars(), 1)
    assert sorted(chain.classes.tolist()) == list(range(20))


def test_too_few_records() -> None:
    with pytest.raises(NoSolutionError, match="lower k to at most 20"):
        SplitCarry().partition(fars(), 21)


@pytest.mark.parametrize(
    "parameters", [{"sets": 1}, {"carry": "most"}, {"boundary": 0}, {"accepted": 0}, {"seconds": 0}]
)
def test_parameters_are_checked(parameters: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=rf"split-carry\.{next(iter(parameters))}"):
        SplitCarry(**parameters)  # type: ignore[arg-type]


def test_an_observer_sees_records_and_can_stop() -> None:
    seen: list[tuple[int, int | None]] = []
    SplitCarry().partition(fars(), 3, lambda progress: seen.append((progress.done, progress.total)))
    assert seen.pop(0) == (0, 20)  # said beforehand: how many sub-problems there are
    assert seen == [(9, 20), (20, 20)]
    with pytest.raises(Interrupted):
        SplitCarry().partition(fars(), 3, lambda _: False)
