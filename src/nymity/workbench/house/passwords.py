"""Passwords: a file with a line for each user, a name and an argon2id hash. Written by ``nymity workbench-password``.

Whether a name is known cannot be told from how long an answer takes: one that is not is compared with a hash that no
password has. The file is read again when it changes; whoever is taken out of it, or given another password, is logged
out (:attr:`PasswordFile.stamp_of`).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from nymity.core.commit import replace_file
from nymity.core.errors import FileError, ParameterError
from nymity.core.extras import require
from nymity.core.locks import locked
from nymity.core.permissions import exposed
from nymity.core.plain_data import read_content
from nymity.core.randomness import secure_bytes
from nymity.workbench.house.configuration import NAME
from nymity.workbench.turns import stand_back

#: Characters of a password.
SHORTEST, LONGEST = 12, 1000
_MOST_BYTES = 2**20
_EXPECTED = "a password file: on each line a name, a colon and an argon2id hash"


@dataclass(eq=False)
class PasswordFile:
    """The entries of a file."""

    path: Path
    _seen: tuple[tuple[int, int, int], dict[str, str]] | None = field(default=None, repr=False)
    #: Each comparison takes 64 MiB and every core: many logins at once must take neither from those who are in.
    _comparing: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(2, "password", initializer=stand_back), repr=False
    )

    def accepts(self, name: str, password: str) -> bool:
        """Return whether this is the password of this user; it takes as long for one that is unknown."""
        held = self._entries().get(name)
        compared = self._comparing.submit(_matches, _nobodys() if held is None else held, password[:LONGEST])
        matches = compared.result()
        return matches and held is not None and len(password) <= LONGEST

    def stamp_of(self, name: str) -> str:
        """Return something that changes with the password of a user; empty where there is none."""
        return self._entries().get(name, "")

    def put(self, name: str, password: str) -> None:
        """Add a user, or give one another password."""
        if not NAME.fullmatch(name):
            raise ParameterError("name", expected="a name of small letters, digits and _ . @ -", got=repr(name)[:80])
        if not SHORTEST <= len(password) <= LONGEST:
            raise ParameterError("password", expected=f"{SHORTEST} to {LONGEST:,} characters", got=f"{len(password):,}")
        self._change({name: _hasher().hash(password)})

    def remove(self, name: str) -> None:
        """Take a user out."""
        if name not in self._entries():
            raise ParameterError("name", expected="a user of the password file", got=repr(name)[:80])
        self._change({name: None})

    def check(self) -> None:
        """Refuse a file that is none, or that others can read."""
        if (told := exposed(self.path)) is not None:
            raise FileError(
                str(self.path), expected="a file that only its owner can read", got="one open to others", hint=told
            )
        self._entries()

    def _change(self, entries: dict[str, str | None]) -> None:
        with locked(self.path.with_name(self.path.name + ".lock"), what=str(self.path), wait=10.0):
            known = {**(self._entries() if self.path.exists() else {}), **entries}
            text = "".join(f"{name}:{held}\n" for name, held in sorted(known.items()) if held is not None)
            replace_file(
                self.path, lambda staged: staged.write_text(text, encoding="utf-8", newline="\n"), private=True
            )
        self._seen = None

    def _entries(self) -> dict[str, str]:
        try:
            seen = os.stat(self.path)  # noqa: PTH116 -- asked at every request
        except OSError as error:
            raise FileError(str(self.path), expected=_EXPECTED, got=error.strerror or str(error)) from error
        stamp = (seen.st_size, seen.st_mtime_ns, seen.st_ino)
        if self._seen is None or self._seen[0] != stamp:
            self._seen = (stamp, self._read())
        return self._seen[1]

    def _read(self) -> dict[str, str]:
        entries: dict[str, str] = {}
        content = read_content(self.path, most=_MOST_BYTES, expected=_EXPECTED)
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            name, _, held = line.partition(":")
            if not line.strip():
                continue
            if not NAME.fullmatch(name) or not held.startswith("$argon2id$") or name in entries:
                raise FileError(f"{self.path}, line {number}", expected=_EXPECTED, got="something else")  # no secrets
            entries[name] = held
        return entries


def _hasher() -> Any:
    return require("argon2", extra="serve", purpose="a password file").PasswordHasher()


@cache
def _nobodys() -> str:
    return str(_hasher().hash(secure_bytes(32).hex()))


def _matches(held: str, password: str) -> bool:
    argon2 = require("argon2", extra="serve", purpose="a password file")
    try:
        return bool(_hasher().verify(held, password))
    except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
        return False
