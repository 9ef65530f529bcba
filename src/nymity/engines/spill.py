"""Spill: a private folder for rows that do not fit into memory.

It holds raw rows, so nobody else may read it (0700). A run that dies leaves its folder; the next run that spills to the
same place finds that nobody holds its lock, and removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from nymity.core.errors import FileError

_LOCK, _PREFIX = ".lock", "nymity-spill-"


@contextmanager
def spilling(base: str | None) -> Iterator[Path]:
    """Return a private folder that goes when the block ends; ``base`` is where, the system's place if not given."""
    place = Path(tempfile.gettempdir() if base is None else base)
    if not place.is_dir():
        raise FileError(str(place), expected="a folder for temporary files", got="no folder", hint="engine.temporary")
    sweep(place)
    folder, lock = _locked_folder(place)
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def _locked_folder(place: Path) -> tuple[Path, FileLock]:
    """Make a folder and hold its lock. Another run that starts just now may be faster, and sweep it: then once more."""
    while True:
        try:
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))  # 0700, whatever the umask
        except OSError as error:
            raise FileError(
                str(place), expected="a folder to write temporary files to", got=error.strerror or str(error)
            ) from error
        lock = FileLock(folder / _LOCK)
        with suppress(FileNotFoundError):
            lock.acquire()
            folder.chmod(0o700)  # a lock whose folder was swept makes it anew, for all to read
            if (folder / _LOCK).exists():
                return folder, lock
            lock.release()


def sweep(place: Path) -> list[Path]:
    """Remove what runs left that died; return the folders."""
    swept = []
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid != os.getuid():
                continue
            names = {one.name for one in folder.iterdir()}  # one that is being made has no lock yet, but is empty
            if not names:
                continue
            lock = FileLock(folder / _LOCK)
            try:
                if _LOCK in names:
                    lock.acquire(timeout=0)
            except Timeout:
                continue
            shutil.rmtree(folder, ignore_errors=True)  # while it is locked: its run may be about to lock it
            lock.release()
            swept.append(folder)
    return swept
