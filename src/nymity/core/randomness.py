"""Randomness: secure, so that no outsider could replay it, and for studies replayable on purpose."""

from __future__ import annotations

import os
import secrets
from random import Random

import numpy as np
from numpy.typing import NDArray


def secure_permutation(n: int) -> NDArray[np.int64]:
    """Return a random order of n things, drawn from the operating system.

    Sorting independent 128-bit keys gives every order the same chance, up to ties that have no practical one.
    """
    keys = np.frombuffer(os.urandom(16 * n), dtype=np.uint64).reshape(2, n)
    order = np.argsort(keys[0])
    if (np.diff(keys[0][order]) == 0).any():  # the second halves decide between equal first ones
        order = np.lexsort((keys[1], keys[0]))
    return order.astype(np.int64)


def salt() -> str:
    """Return 256 random bits in hexadecimal."""
    return secrets.token_hex(32)


def replayable(seed: int) -> Random:
    """Return a source of random numbers for studies; never for anything that protects people.

    Only its ``random()`` is promised to give the same numbers in every version of Python: draw with nothing else.
    """
    return Random(seed)
