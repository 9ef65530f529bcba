"""Memory that is free goes back to the system: a server lives long, and the table it holds is large."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

#: What glibc's ``mallopt`` calls the pools that threads take memory from.
_M_ARENA_MAX, _POOLS = -8, 2
#: New objects after which Python looks for cycles among them. Pages are full of cycles, and a command, which begins
#: with a far higher number, ends before they are many.
_OBJECTS = 10_000


def hold_little() -> None:
    """Let threads share their pools (glibc), and pages that were left go away soon.

    Otherwise whatever a thread once took for a large table stays with it, and there are as many threads as pages.
    """
    gc.set_threshold(_OBJECTS)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _POOLS)


def give_back() -> None:
    """Hand back what was freed, where the C library keeps it for later and can be asked not to (glibc)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
