"""Secure randomness: nothing an outsider could replay."""

from __future__ import annotations

import os
import secrets

import numpy as np
from numpy.typing import NDArray


def secure_permutation(n: int) -> NDArray[np.int64]:
    """Return a random order of n things, drawn from the operating system.

    Sorting independent 128-bit keys gives every order the same chance, up to ties that have no practical one.
    """
    keys = np.frombuffer(os.urandom(16 * n), dtype=np.uint64).reshape(n, 2)
    return np.lexsort((keys[:, 1], keys[:, 0])).astype(np.int64)


def salt() -> str:
    """Return 256 random bits in hexadecimal."""
    return secrets.token_hex(32)
