"""Aggregation: from one loss per attribute to what nodes are compared by.

Each takes the attributes' losses (N, m) and their weights (m,), and returns (N, r): the loss of each node, and, for
``rank`` alone, what decides between nodes whose loss is equal. All rise with each attribute's loss, so that lower
bounds of the attributes' losses give a lower bound of the result, column by column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from nymity.quality.node_statistics import Floats

Aggregation = Literal["arithmetic", "geometric", "rank", "maximum"]
Aggregate = Callable[[Floats, Floats], Floats]


def total(parts: Floats, weights: Floats) -> Floats:
    """Return the weighted sum."""
    return np.asarray(parts @ weights)[:, None]


def arithmetic(parts: Floats, weights: Floats) -> Floats:
    """Return the weighted arithmetic mean."""
    return np.asarray(parts @ _shares(weights))[:, None]


def geometric(parts: Floats, weights: Floats) -> Floats:
    """Return Π(1 + L)^share - 1, through logarithms of 1 + L: small losses keep all their digits."""
    return np.asarray(np.expm1(np.log1p(parts) @ _shares(weights)))[:, None]


def maximum(parts: Floats, weights: Floats) -> Floats:
    """Return the largest loss, each times its weight over the largest weight."""
    return np.asarray(np.max(parts * _relative(weights), axis=1, keepdims=True))


def rank(parts: Floats, weights: Floats) -> Floats:
    """Return all losses, each times its weight over the largest weight, in descending order."""
    return -np.sort(-(parts * _relative(weights)), axis=1)


#: Every aggregation that a job can name.
AGGREGATIONS: dict[str, Aggregate] = {
    "arithmetic": arithmetic,
    "geometric": geometric,
    "rank": rank,
    "maximum": maximum,
}


def _shares(weights: Floats) -> Floats:
    return weights / (weights.sum() or 1.0)


def _relative(weights: Floats) -> Floats:
    return weights / (weights.max() or 1.0)
