"""Space: sizes, numbers and neighbourhoods of nodes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.lattice.space import Space


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    low = draw(st.lists(st.integers(0, 2), min_size=1, max_size=4))
    return Space(tuple(low), tuple(level + draw(st.integers(0, 3)) for level in low))


@given(spaces())
@settings(max_examples=60)
def test_nodes(space: Space) -> None:
    every = list(naive.nodes(space.low, space.high))
    assert space.size == len(every)
    assert [space.node(number) for number in range(space.size)] == every
    heights, numbers = space.heights(), np.arange(space.size).reshape(space.shape)
    for number, node in enumerate(every):
        assert heights[space.at(node)] == sum(node)
        below = {i for i, other in enumerate(every) if all(a <= b for a, b in zip(other, node, strict=True))}
        above = {i for i, other in enumerate(every) if all(a >= b for a, b in zip(other, node, strict=True))}
        assert set(numbers[space.below(node)].ravel()) == below
        assert set(numbers[space.above(node)].ravel()) == above
        assert numbers[space.at(node)] == number


def test_a_size_beyond_64_bits() -> None:
    assert Space((0,) * 100, (3,) * 100).size == 4**100
