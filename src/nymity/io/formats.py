"""Every file format by its name, one line each; reading, writing, jobs and messages have them from here."""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from pathlib import Path

from nymity.core.errors import FileError
from nymity.core.quoting import as_given
from nymity.core.files import open_file
from nymity.io.format import Format, FileSignature
from nymity.io.file_content import empty, unreadable

from nymity.io.delimited import CSV as CSV
from nymity.io.delimited import TSV as TSV
from nymity.io.delimited import TXT as TXT
from nymity.io.delimited import CSV_GZ as CSV_GZ
from nymity.io.delimited import TSV_GZ as TSV_GZ
from nymity.io.delimited import TXT_GZ as TXT_GZ
from nymity.io.json_lines import JSONL as JSONL
from nymity.io.json_lines import NDJSON as NDJSON
from nymity.io.parquet import PARQUET as PARQUET
from nymity.io.arrow import ARROW as ARROW
from nymity.io.arrow import FEATHER as FEATHER
from nymity.io.excel import XLSX as XLSX
from nymity.io.statistical import SAV as SAV
from nymity.io.statistical import ZSAV as ZSAV
from nymity.io.statistical import DTA as DTA
from nymity.io.statistical import XPT as XPT
from nymity.io.statistical import SAS7BDAT as SAS7BDAT
from nymity.io.packed import ZIP as ZIP
from nymity.io.packed import ZST as ZST

FORMATS: dict[str, Format] = {one.name: one for one in tuple(vars().values()) if isinstance(one, Format)}

#: Suffixes that can be read and written, in lower case.
SUFFIXES = tuple(known.suffix for known in FORMATS.values())
#: Formats that a released table can be written in.
RELEASED = tuple(name for name, known in FORMATS.items() if known.released)

_OLD_EXCEL = FileSignature(
    name="an Excel file of before 2007",
    start=b"\xd0\xcf\x11\xe0",
    rename="save it as .xlsx in a spreadsheet program",
)


def format_of(path: Path) -> Format:
    """Return the format a file's suffix promises, whatever its case."""
    for known in FORMATS.values():
        if path.name.lower().endswith(known.suffix):
            return known
    if path.is_dir():
        return PARQUET  # a folder of its files
    suffix = "".join(path.suffixes[-2:] if path.suffix == ".gz" else path.suffixes[-1:])
    raise FileError(
        str(path),
        expected=f"a file with one of the suffixes {', '.join(SUFFIXES)}",
        got=as_given(suffix) if suffix else "no suffix",
        hint=_DATABASES.get(path.suffix.lower(), "save the table as .csv or .parquet").format(path=path),
    )


#: What to say of files of databases, by what they are usually called.
_DATABASES = {
    suffix: f"the URL of a database, {scheme}:///{{path}}, with --table or --query"
    for scheme, suffixes in {"sqlite": (".sqlite", ".sqlite3", ".db"), "duckdb": (".duckdb",)}.items()
    for suffix in suffixes
}


def confirmed_format(path: Path) -> Format:
    """Return a file's format, and refuse one that is not readable, empty, or of another format than its suffix says."""
    promised = format_of(path)
    if promised.may_be_folder and path.is_dir():
        return promised
    try:
        with open_file(path) as file:
            head = file.read(32)
            # Parquet has its mark at both ends: a file that was cut off shows here.
            file.seek(max(0, path.stat().st_size - 4))
            tail = file.read(4)
    except OSError as error:
        raise unreadable(path, error) from error
    if not head:
        raise empty(path)
    known = [*dict.fromkeys(found.signature for found in FORMATS.values() if found.signature), _OLD_EXCEL]
    seen = next((signature for signature in known if signature.fits(head, tail)), None)
    if seen != promised.signature:
        raise _unlike(path, promised, seen)
    return promised


def _unlike(path: Path, promised: Format, seen: FileSignature | None) -> FileError:
    wanted = promised.signature.name if promised.signature else "text"
    return FileError(
        str(path),
        expected=f"what the suffix {promised.suffix} promises ({wanted})",
        got=f"a file that starts like {seen.name if seen else 'text'}",
        hint=seen.rename if seen else "check how the file was saved, and its suffix",
    )
