"""Signals that ask a process to end, held back while something must be done whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

#: What asks a process to end, where the system has it: Ctrl-C, ``kill``, a terminal that is gone.
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def held_back() -> Iterator[None]:
    """Let Ctrl-C and other requests to end wait until the block is through; the first of them then takes effect.

    Blocks may lie inside each other. Only the main thread gets signals; elsewhere nothing is held back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        waiting.append(number)

    before: dict[int, Any] = {}
    try:
        for number in ENDING:
            handler = signal.getsignal(number)
            if handler not in (None, signal.SIG_IGN):  # None: not Python's to restore
                before[number] = handler
                signal.signal(number, note)
        yield
    finally:
        try:
            _restore(before)
        except BaseException:  # one that came between the first and the last of them
            _restore(before)
            raise
        if waiting:
            signal.raise_signal(waiting[0])


def _restore(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
