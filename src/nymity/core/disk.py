"""The disk under a commit: files that are really written, second names, folders that can be taken back."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

from nymity.core.errors import FileError
from nymity.core.permissions import close

#: How the names of hidden folders and files start.
HIDDEN_PREFIX = ".nymity-"
JOURNAL_NAME = ".nymity-journal"


def spare_devices(target: Path) -> None:
    """Refuse to put a file in the place of a pipe or device: whoever may do so would take ``/dev/null`` from all."""
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise FileError(str(target), expected="a file, or nothing yet", got="a pipe or device", hint="another name")


def is_there(path: Path) -> bool:
    """Return whether there is anything of this name, also a link that leads nowhere."""
    return os.path.lexists(path)


def mark_of(path: Path) -> tuple[int, int] | None:
    """Return the size and time of a file, which a rename keeps; None for folders and what is not there."""
    if not path.is_file():
        return None
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def second_name(path: Path, other: Path) -> None:
    """Give a file a second name, under which it stays when the first one is taken."""
    try:
        os.link(path, other)
    except OSError:  # a file system without links
        shutil.copy2(path, other)
        flush(other)


def flush(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on the disk."""
    if path.is_dir() and os.name == "nt":  # Windows cannot flush folders
        return
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot flush
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path, made: list[Path], *, private: bool = False) -> None:
    """Create a folder and those above it, noting each in ``made``; a private one is for its owner alone."""
    missing = []
    for path in (folder, *folder.parents):
        if path.exists():
            break
        missing.append(path)
    for path in reversed(missing):
        path.mkdir(mode=0o700 if private and path == folder else 0o777, exist_ok=True)
        made.append(path)
    if private:
        close(folder)


def unmake(made: list[Path]) -> None:
    """Remove folders that were made for nothing; one that somebody has filled meanwhile stays."""
    for path in reversed(made):
        with suppress(OSError):
            path.rmdir()
