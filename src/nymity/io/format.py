"""File formats: told by the suffix, confirmed by the first bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nymity.core.errors import FileError

Kind = Literal["delimited", "parquet", "excel"]


@dataclass(frozen=True, kw_only=True)
class Format:
    """What a suffix promises."""

    suffix: str
    kind: Kind
    compressed: bool = False

    @property
    def is_tabbed(self) -> bool:
        """Whether the suffix says that cells are separated by tabs."""
        return self.suffix.startswith(".tsv")


FORMATS = (
    Format(suffix=".csv", kind="delimited"),
    Format(suffix=".tsv", kind="delimited"),
    Format(suffix=".txt", kind="delimited"),
    Format(suffix=".csv.gz", kind="delimited", compressed=True),
    Format(suffix=".tsv.gz", kind="delimited", compressed=True),
    Format(suffix=".txt.gz", kind="delimited", compressed=True),
    Format(suffix=".parquet", kind="parquet"),
    Format(suffix=".xlsx", kind="excel"),
)

#: Suffixes that can be read and written, in lower case.
SUFFIXES = tuple(known.suffix for known in FORMATS)

_PARQUET, _ZIP, _GZIP, _OLE = b"PAR1", b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0"


def format_of(path: Path) -> Format:
    """Return the format a file's suffix promises, whatever its case."""
    for known in FORMATS:
        if path.name.lower().endswith(known.suffix):
            return known
    suffix = "".join(path.suffixes[-2:] if path.suffix == ".gz" else path.suffixes[-1:])
    raise FileError(
        str(path),
        expected=f"a file with one of the suffixes {', '.join(SUFFIXES)}",
        got=repr(suffix) if suffix else "no suffix",
        hint="save the table as .csv or .parquet",
    )


def confirm(path: Path, promised: Format, head: bytes, tail: bytes) -> None:
    """Compare a file's first and last bytes with what its suffix promises."""
    found = _recognize(head, tail)
    wanted = {"parquet": "Parquet", "excel": "Excel or zip"}.get(promised.kind, "gzip" if promised.compressed else "")
    if found == wanted:
        return
    raise FileError(
        str(path),
        expected=f"what the suffix {promised.suffix} promises ({wanted or 'text'})",
        got=f"a file that starts like {found or 'text'}" if found or wanted else "other content",
        hint=_RENAME.get(found, "check how the file was saved, and its suffix"),
    )


def _recognize(head: bytes, tail: bytes) -> str:
    """Return the name of a known binary format, or "" (text, as far as one can see)."""
    if head.startswith(_PARQUET) and tail.endswith(_PARQUET) and len(head) > 4:
        return "Parquet"
    if head.startswith(_ZIP):
        return "Excel or zip"
    if head.startswith(_OLE):
        return "an Excel file of before 2007"
    return "gzip" if head.startswith(_GZIP) else ""


_RENAME = {
    "Parquet": "rename it to .parquet",
    "Excel or zip": "rename it to .xlsx, or unpack the archive",
    "an Excel file of before 2007": "save it as .xlsx in a spreadsheet program",
    "gzip": "rename it to .csv.gz, or unpack it",
}
