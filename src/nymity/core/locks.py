"""Locks: one writer at a time in a folder or on a file, with nothing left behind.

The operating system holds the lock and lets go of it when the process ends, however it ends. The lock's file is removed
by whoever holds it, just before letting go; someone who waited on the removed file notices (filelock looks whether the
file it locked still has a name) and tries the new one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from nymity.core.errors import FileError
from nymity.core.signals import held_back

#: Name of the file that locks a folder.
LOCK_NAME = ".nymity-lock"

_PAUSE = 0.05


@contextmanager
def locked(path: Path, *, what: str, wait: float = 0.0) -> Iterator[None]:
    """Keep others from ``what`` while the block runs; refuse if somebody else is at it for longer than ``wait``."""
    lock = FileLock(path, mode=0o600)
    try:
        try:
            _take(lock, what, wait)
            yield
        finally:
            _drop(lock, path)
    finally:
        _drop(lock, path)  # again: an interrupt may have come before the first had begun


def _take(lock: FileLock, what: str, wait: float) -> None:
    """Lock a file, made for that. An interrupt comes while nothing is locked, or when it is known that it is."""
    deadline = time.monotonic() + wait
    while not lock.is_locked:
        # Ctrl-C between taking the lock and knowing that it is taken would leave it behind: signals wait until then.
        with held_back(), suppress(Timeout):
            lock.acquire(timeout=0)
        if lock.is_locked:
            return
        if time.monotonic() >= deadline:
            raise FileError(
                what,
                expected="no other run that writes there",
                got="one that is under way",
                hint="wait for it to end; --wait SECONDS does so",
            )
        time.sleep(_PAUSE)


def _drop(lock: FileLock, path: Path) -> None:
    """Remove the lock's file and let go, if it is held."""
    with held_back():
        if lock.is_locked:
            with suppress(OSError):
                path.unlink()
            lock.release()
