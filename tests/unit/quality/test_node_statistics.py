"""NodeStatistics: choosing and joining."""

from __future__ import annotations

import numpy as np

from nymity.quality import NodeStatistics


def some(n: int, start: int = 0) -> NodeStatistics:
    column = np.arange(start, start + n, dtype=np.int64)
    return NodeStatistics(
        levels=np.stack([column, column], axis=1),
        suppressed=column,
        accepted_classes=column + 10,
        squares=column + 20,
        classes=column + 30,
        smallest=column + 40,
        lost_leaves=np.stack([column, column], axis=1),
        covered=np.stack([column, column], axis=1).astype(np.float64),
    )


def test_choosing() -> None:
    three = some(3)
    chosen = three[three.suppressed != 1]
    assert len(chosen) == 2
    assert chosen.accepted_classes.tolist() == [10, 12]
    assert chosen.covered.tolist() == [[0, 0], [2, 2]]
    assert chosen.lost_entropy.size == 0
    assert three[1:].levels.tolist() == [[1, 1], [2, 2]]


def test_joining() -> None:
    joined = NodeStatistics.concatenate([some(2), some(1, start=7)])
    assert joined.suppressed.tolist() == [0, 1, 7]
    assert joined.covered.shape == (3, 2)
    assert joined.lost_entropy.size == 0
