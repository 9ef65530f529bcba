"""Permissions: what only its owner may read, and a warning where others can."""

from __future__ import annotations

import errno
import os
import stat
import warnings
from pathlib import Path

#: What belongs to its group and to everybody else.
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
#: How a file system answers that has no permissions to change.
_NO_PERMISSIONS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}


class ExposedWarning(UserWarning):
    """Others than its owner can read something that links rows to people, signs, or counts a budget."""


def exposed(path: str | os.PathLike[str]) -> str | None:
    """Return that a file or folder is open to others, and what to run; None where it is not, or is not there.

    A file in a folder that others cannot enter is closed to them, whatever its own permissions are.
    """
    place = Path(path)
    try:
        mode = place.stat().st_mode
        closed_above = not place.is_dir() and not place.absolute().parent.stat().st_mode & _OTHERS
    except OSError:
        return None
    if os.name == "nt" or not mode & _OTHERS or closed_above:  # Windows has no such bits
        return None
    wanted = "700" if stat.S_ISDIR(mode) else "600"
    return f"{place} can be read by others (permissions {stat.S_IMODE(mode):03o}). Try: chmod {wanted} '{place}'"


def warn_if_exposed(*paths: str | os.PathLike[str]) -> None:
    """Warn of what is open to others, when it is opened or was written."""
    for path in paths:
        if (told := exposed(path)) is not None:
            warnings.warn(told, ExposedWarning, stacklevel=3)


def close(path: Path) -> None:
    """Take a file or folder from others, and warn where the file system does not let that be done."""
    try:
        path.chmod(0o700 if path.is_dir() else 0o600)
    except OSError as error:
        if error.errno not in _NO_PERMISSIONS:
            raise
    warn_if_exposed(path)
