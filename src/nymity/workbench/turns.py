"""Turns: what is computed of tables shares one interpreter with whoever clicks; little of it goes on at once."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: How far a thread stands back that computes for somebody who is not in yet.
_NICE = 10


class Turns:
    """Lets ``most`` compute at once; what fills in later waits for all that a screen is empty without."""

    def __init__(self, most: int) -> None:
        self._free, self._lock = most, threading.Lock()
        self._waiting: tuple[deque[threading.Event], ...] = (deque(), deque())  #: what is first, and what is later

    @contextmanager
    def __call__(self, *, later: bool = False) -> Iterator[None]:
        """Wait for a turn, and have it while the block runs; who came first has it first."""
        turn = threading.Event()
        with self._lock:
            self._waiting[later].append(turn)
            self._next()
        turn.wait()
        try:
            yield
        finally:
            with self._lock:
                self._free += 1
                self._next()

    def _next(self) -> None:
        line = next((one for one in self._waiting if one), None)
        if self._free and line:
            self._free -= 1
            line.popleft().set()


#: Twenty first looks take no less time together than one after another.
computing = Turns(max(1, (os.cpu_count() or 1) // 2))


def stand_back() -> None:
    """Let this thread compute when nobody else has something to do, where threads have a priority of their own."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
