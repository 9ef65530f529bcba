"""Randomness: secure, so that no outsider could replay it, and for studies replayable on purpose."""

from __future__ import annotations

import os
from random import Random


def secure_bytes(size: int) -> bytes:
    """Return so many bytes of the operating system's cryptographic source: the only place that asks for them."""
    return os.urandom(size)


def salt() -> str:
    """Return 256 random bits in hexadecimal."""
    return secure_bytes(32).hex()


def replayable(seed: int) -> Random:
    """Return a source of random numbers for studies; never for anything that protects people.

    Only its ``random()`` is promised to give the same numbers in every version of Python: draw with nothing else.
    """
    return Random(seed)
