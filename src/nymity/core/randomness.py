"""Randomness: secure, so that no outsider could replay it, and for studies replayable on purpose."""

from __future__ import annotations

import secrets
from random import Random


def salt() -> str:
    """Return 256 random bits in hexadecimal."""
    return secrets.token_hex(32)


def replayable(seed: int) -> Random:
    """Return a source of random numbers for studies; never for anything that protects people.

    Only its ``random()`` is promised to give the same numbers in every version of Python: draw with nothing else.
    """
    return Random(seed)
