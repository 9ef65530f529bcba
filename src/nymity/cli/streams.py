"""Output that may fail: a closed pipe or a full disk is noted, and never ends a command half-way.

``nymity publish … | head -1`` closes the pipe after a line. What the command has begun it finishes: the release is
written, and only then the exit code says that not all was printed.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any


class Lossy(io.RawIOBase):
    """A stream of bytes that swallows what it cannot write, and remembers why."""

    def __init__(self, raw: io.FileIO) -> None:
        super().__init__()
        self._raw = raw
        self.lost: OSError | None = None

    def write(self, data: Any) -> int:
        """Write bytes, or drop them once writing has failed."""
        if self.lost is None:
            try:
                return self._raw.write(data) or 0
            except BlockingIOError:
                raise
            except OSError as error:
                self.lost = error
        return len(data)

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the number of the file below."""
        return self._raw.fileno()

    def isatty(self) -> bool:
        """Say whether it is a terminal."""
        return self._raw.isatty()

    @property
    def reason(self) -> str:
        """Say why output was lost; nothing where nobody was there to read it."""
        if self.lost is None or self.lost.errno in (errno.EPIPE, errno.ECONNRESET):
            return ""
        return self.lost.strerror or str(self.lost)


def guard_streams() -> Lossy | None:
    """Let stdout and stderr fail without an error; an old terminal shows ? for what it cannot write.

    Returns what stands below stdout; None where it is no file, as in tests.
    """
    _fill_gaps()
    sys.stdout, below = _guarded(sys.stdout, 1)
    sys.stderr, _ = _guarded(sys.stderr, 2)
    return below


def _fill_gaps() -> None:
    """Open the three streams that should be there and are closed (``2>&-``), on nothing.

    The next file that is opened would get the number otherwise, and what is printed would be written into it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _guarded(stream: Any, number: int) -> tuple[Any, Lossy | None]:
    closed = stream is None  # as Python has it where the stream was closed when it began
    try:
        raw = io.FileIO(number if closed else stream.fileno(), "w", closefd=False)
    except (AttributeError, OSError, ValueError):
        return stream, None
    lossy = Lossy(raw)
    if closed:
        lossy.lost = OSError(errno.EBADF, os.strerror(errno.EBADF))
    text = io.TextIOWrapper(
        io.BufferedWriter(lossy),
        encoding="utf-8" if closed else stream.encoding,
        errors="replace",
        line_buffering=raw.isatty(),
    )
    return text, lossy
