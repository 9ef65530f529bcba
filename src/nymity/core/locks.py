"""Locks: one writer at a time in a folder or on a file, with nothing left behind.

The operating system holds the lock and lets go of it when the process ends, however it ends. The lock's file is removed
by whoever holds it, just before letting go; someone who waited on the removed file notices (filelock looks whether the
file it locked still has a name) and tries the new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from nymity.core.errors import FileError

#: Name of the file that locks a folder.
LOCK_NAME = ".nymity-lock"

_PAUSE = 0.05


def take_lock(path: Path, *, wait: float = 0.0) -> FileLock | None:
    """Lock a file, made for that; None if somebody else still holds it after ``wait`` seconds."""
    lock = FileLock(path, mode=0o600)
    try:
        lock.acquire(timeout=wait, poll_interval=_PAUSE)
    except Timeout:
        return None
    return lock


def drop_lock(lock: FileLock, path: Path) -> None:
    """Remove the lock's file and let go."""
    with suppress(OSError):
        path.unlink()
    lock.release()


@contextmanager
def locked(path: Path, *, what: str, wait: float = 0.0) -> Iterator[None]:
    """Keep others from ``what`` while the block runs; refuse if somebody else is at it for longer than ``wait``."""
    lock = take_lock(path, wait=wait)
    if lock is None:
        raise FileError(
            what,
            expected="no other run that writes there",
            got="one that is under way",
            hint="wait for it to end; --wait SECONDS does so",
        )
    try:
        yield
    finally:
        drop_lock(lock, path)
