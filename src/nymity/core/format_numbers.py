"""The numbers of file formats: which one is written, and which ones are read. All of them stand here.

A format that changes gets the next number once; readers keep reading earlier ones by their own rules. A file without a
tag is of number 1 where that had none (jobs and logs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nymity.core.errors import FileError


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """A kind of file: ``nymity-<name>-<number>`` stands in its field ``format``."""

    name: str
    written: int
    read: tuple[int, ...]
    first_had_a_tag: bool = True

    @property
    def tag(self) -> str:
        """What files that are written now say."""
        return self._tag(self.written)

    def number_of(self, data: Mapping[str, Any], where: str) -> int:
        """Return the number of what was read, or refuse a format that this version does not read."""
        said = data.get("format")
        if said is None and not self.first_had_a_tag:
            return 1
        for number in self.read:
            if said == self._tag(number):
                return number
        known = " or ".join(self._tag(number) for number in self.read)
        later = isinstance(said, str) and said.startswith(f"nymity-{self.name}-")
        raise FileError(
            where,
            expected=f"a {self.name} ({known})",
            got=f"format {said!r}"[:80],
            hint="a later version of nymity wrote it" if later else "",
        )

    def _tag(self, number: int) -> str:
        return f"nymity-{self.name}-{number}"


CERTIFICATE = FileFormat(name="certificate", written=2, read=(1, 2))
RECODING = FileFormat(name="recoding", written=3, read=(1, 2, 3))
SEEN = FileFormat(name="seen", written=1, read=(1,))
LOG = FileFormat(name="log", written=2, read=(1, 2), first_had_a_tag=False)
LEDGER = FileFormat(name="ledger", written=3, read=(1, 2, 3))
JOB = FileFormat(name="job", written=2, read=(1, 2), first_had_a_tag=False)
SIGNATURE = FileFormat(name="signature", written=1, read=(1,))
PSEUDONYM_KEY = FileFormat(name="pseudonym-key", written=1, read=(1,))
FINDINGS = FileFormat(name="findings", written=1, read=(1,))
CONTENT = FileFormat(name="rows", written=1, read=(1,))
PROJECT = FileFormat(name="project", written=1, read=(1,))
