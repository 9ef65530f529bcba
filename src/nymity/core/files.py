"""Opening what somebody named: a file, and nothing that waits for ever or has no end."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file to read its bytes; an OSError says why it cannot be, also where it is a pipe or a device.

    A pipe that nobody writes to waits for ever, a device such as /dev/zero has no end, and what is read in two passes
    would not be the same in the second.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "a name with a NUL character", str(path))
    # O_NONBLOCK: opening a pipe waits for a writer otherwise. It changes nothing about files.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "a folder", str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.ESPIPE, f"{_KINDS.get(stat.S_IFMT(mode), 'something')}, no file", str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Read the bytes of a file: see :func:`open_file`."""
    with open_file(path) as stream:
        return stream.read()
