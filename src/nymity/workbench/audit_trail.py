"""AuditTrail: who did what and when, append-only, each line holding the hash of the one before.

The log is also the project's memory: its state is what these lines say, in order, so that there is nothing else to be
changed together with it. A line that a crash cut off has no line end; the next writer removes it.

Whoever can write the file can also write all of it anew: what the chain shows is that a line was changed, taken out or
put in between. To notice that lines are missing at the end, the hash of the last one must be kept elsewhere.
"""

from __future__ import annotations

import errno
import getpass
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nymity.core.errors import FileError
from nymity.core.locks import locked
from nymity.core.plain_data import parse_json, read_content
from nymity.core.system_errors import explained

#: Bytes that the log of a project may have.
MOST_BYTES = 256 * 2**20
#: Seconds to wait for another page or run that writes.
_PATIENCE = 10.0
_FIRST = "0" * 64


@dataclass(frozen=True, kw_only=True)
class AuditEntry:
    """One line: ``what`` happened, ``when`` (UTC) and by ``who``; ``details`` by kind."""

    number: int
    when: str
    who: str
    what: str
    details: Mapping[str, Any]
    before: str
    hash: str

    @property
    def is_whole(self) -> bool:
        """Whether the line is as it was written."""
        return self.hash == _hash_of(self._said())

    def _said(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "when": self.when,
            "who": self.who,
            "what": self.what,
            "details": dict(self.details),
            "before": self.before,
        }

    def line(self) -> bytes:
        """Write the line."""
        return json.dumps({**self._said(), "hash": self.hash}, ensure_ascii=False, sort_keys=True).encode() + b"\n"

    @staticmethod
    def after(earlier: AuditEntry | None, what: str, details: Mapping[str, Any], who: str) -> AuditEntry:
        """Make the next line."""
        said = {
            "number": 1 if earlier is None else earlier.number + 1,
            "when": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "who": who,
            "what": what,
            "details": dict(details),
            "before": _FIRST if earlier is None else earlier.hash,
        }
        return AuditEntry(**said, hash=_hash_of(said))  # type: ignore[arg-type]


@dataclass(frozen=True)
class AuditTrail:
    """The log in a file; ``who`` is written into new lines, whoever runs the program where nobody is named."""

    path: Path
    who: str | None = None

    @property
    def stamp(self) -> tuple[int, int, int]:
        """Something that changes with every line: the size, the time, and which file it is."""
        try:
            seen = self.path.stat()
        except FileNotFoundError:
            return (0, 0, 0)
        return (seen.st_size, seen.st_mtime_ns, seen.st_ino)

    def entries(self) -> tuple[AuditEntry, ...]:
        """Read all whole lines; what is none of ours is refused."""
        if not self.path.exists():
            return ()
        content = read_content(self.path, most=MOST_BYTES, expected="the audit log of a project")
        lines = content.split(b"\n")[:-1]  # what stands behind the last line end was cut off
        return tuple(self._entry(line, place) for place, line in enumerate(lines, 1))

    def _entry(self, line: bytes, place: int) -> AuditEntry:
        where = f"{self.path}, line {place}"
        data = parse_json(line, where=where, expected="a line of an audit log")
        try:
            return AuditEntry(**data)
        except TypeError as error:
            raise FileError(where, expected="a line of an audit log", got=str(error)[:200]) from error

    def broken_at(self) -> int | None:
        """Return the number of the first line that does not follow from those before it; None where all do."""
        before = _FIRST
        for place, entry in enumerate(self.entries(), 1):
            if entry.number != place or entry.before != before or not entry.is_whole:
                return place
            before = entry.hash
        return None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep others from writing while the block runs."""
        with locked(self.path.with_suffix(".lock"), what=str(self.path.parent), wait=_PATIENCE):
            yield

    def append(self, what: str, details: Mapping[str, Any], *, who: str | None = None) -> AuditEntry:
        """Add a line; inside of :meth:`writing`."""
        known = self.entries()
        entry = AuditEntry.after(known[-1] if known else None, what, details, who or self.who or this_user())
        with explained([self.path.parent], at=self.path):
            self._write(entry.line())
        return entry

    def _write(self, line: bytes) -> None:
        """Put a line at the end: all of it, or nothing."""
        content = self.path.read_bytes() if self.path.exists() else b""
        whole = content.rfind(b"\n") + 1
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if whole < len(content):  # a crash cut the last line off
                os.ftruncate(handle, whole)
            try:
                # On a full disk a part is written, and no error told.
                if os.write(handle, line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, whole)
                raise
        finally:
            os.close(handle)


def this_user() -> str:
    """Return the name of whoever runs the program."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _hash_of(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(said, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
