"""Memory that is free goes back to the system: a server lives long, and the table it holds is large."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Hand back what was freed, where the C library keeps it for later and can be asked not to (glibc)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
