"""Shared classes: with whom somebody shares their class in each of several releases.

What each release promises, it promises alone. Whoever knows that a person is in several of them, and knows the person's
quasi-identifiers, looks the class up in each; only those who are in all these classes can still be the person (Ganta,
Kasiviswanathan and Smith 2008). The attack ``intersection`` and the measurement of earlier releases both count them
here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: Stands for the class of somebody who has no row in a release.
ABSENT = -1


def sharing(places: Ints) -> Ints:
    """Count for each person the people who are in the person's class in every release the person is in, (n_people,).

    places (n_releases, n_people) are numbers of classes, ``ABSENT`` where a person has no row. The person is counted
    too; people who are in further releases are counted like others.
    """
    found = np.zeros(places.shape[1], dtype=np.int64)
    patterns, pattern_of = np.unique(places != ABSENT, axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        candidates = np.flatnonzero((places[pattern] != ABSENT).all(axis=0))
        _, group, counts = np.unique(places[pattern][:, candidates], axis=1, return_inverse=True, return_counts=True)
        own = pattern_of.reshape(-1)[candidates] == number
        found[candidates[own]] = counts[group.reshape(-1)[own]]
    return found


def sharing_exactly(places: Ints) -> Ints:
    """Count for each person the people in the same classes who are in no other releases either, (n_people,)."""
    _, group, counts = np.unique(places, axis=1, return_inverse=True, return_counts=True)
    return np.asarray(counts[group.reshape(-1)], dtype=np.int64)


def values_left(held: Sequence[Collection[Any]]) -> set[Any]:
    """Return the sensitive values that all classes of a person have: each release rules out those it lacks there."""
    first, *others = held
    return set(first).intersection(*others)
