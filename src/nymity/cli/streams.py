"""Output that may fail: a closed pipe or a full disk is noted, and never ends a command half-way.

``nymity publish … | head -1`` closes the pipe after a line. What the command has begun it finishes: the release is
written, and only then the exit code says that not all was printed.
"""

from __future__ import annotations

import errno
import io
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
    sys.stdout, below = _guarded(sys.stdout)
    sys.stderr, _ = _guarded(sys.stderr)
    return below


def _guarded(stream: Any) -> tuple[Any, Lossy | None]:
    try:
        raw = io.FileIO(stream.fileno(), "w", closefd=False)
    except (AttributeError, OSError, ValueError):
        return stream, None
    lossy = Lossy(raw)
    text = io.TextIOWrapper(
        io.BufferedWriter(lossy), encoding=stream.encoding, errors="replace", line_buffering=raw.isatty()
    )
    return text, lossy
