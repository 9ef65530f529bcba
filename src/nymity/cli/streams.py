"""Output that may fail: a closed pipe, a full disk or no stream at all is noted, and never ends a command half-way.

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

    def __init__(self, raw: io.FileIO | None) -> None:
        super().__init__()
        self._raw = raw
        self.lost: OSError | None = None

    def write(self, data: Any) -> int:
        """Write bytes, or drop them once writing has failed."""
        if self._raw is None and len(data):
            self.lost = OSError(errno.EBADF, "it is closed")
        if self._raw is not None and self.lost is None:
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
        if self._raw is None:
            raise io.UnsupportedOperation("no file")
        return self._raw.fileno()

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._raw is not None and self._raw.isatty()

    @property
    def reason(self) -> str:
        """Return why output was lost; nothing where nobody was there to read it."""
        if self.lost is None or self.lost.errno in (errno.EPIPE, errno.ECONNRESET):
            return ""
        return self.lost.strerror or str(self.lost)


def guard_streams() -> Lossy | None:
    """Let stdout and stderr fail without an error; an old terminal shows ? for what it cannot write.

    Where a stream was closed (``>&-``), its number is taken by the empty device: otherwise the next file that is opened
    would get it, and whatever a library below Python prints would end up in that file. A closed stdin has ended.

    Returns what stands below stdout; None where it is no file, as in tests.
    """
    _fill_numbers()
    if sys.stdin is None:
        sys.stdin = io.StringIO()
    sys.stdout, below = _guarded(sys.stdout)
    sys.stderr, _ = _guarded(sys.stderr)
    return below


def _fill_numbers() -> None:
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free


def _guarded(stream: Any) -> tuple[Any, Lossy | None]:
    if stream is None:  # it was closed before Python started
        raw, encoding = None, "utf-8"
    else:
        try:
            raw, encoding = io.FileIO(stream.fileno(), "w", closefd=False), stream.encoding
        except (AttributeError, OSError, ValueError):
            return stream, None
    lossy = Lossy(raw)
    text = io.TextIOWrapper(
        io.BufferedWriter(lossy), encoding=encoding, errors="replace", line_buffering=lossy.isatty()
    )
    return text, lossy
