"""Files of statistics programs: SPSS (.sav, .zsav), Stata (.dta) and SAS (.xpt, .sas7bdat), through pyreadstat.

They hold more than cells: labels of columns and of values, codes that are declared missing, notes, names, times. Labels
are read as a :class:`Dictionary`, and written for columns and values that are published; nothing else goes out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from nymity.core.errors import FileError, TableError
from nymity.core.extras import require
from nymity.core.quoting import relayed
from nymity.core.unpacking import most_unpacked, too_much
from nymity.io.calendar import refuse_other_years
from nymity.io.compact import compact
from nymity.io.dictionary import Dictionary, Entry
from nymity.io.format import FileSignature, Format
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS, PARQUET_CELLS, PARQUET_CELLS_A_BYTE
from nymity.io.lossless import whole_again
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.scan import too_wide
from nymity.io.text_cells import text_cells
from nymity.table.text import as_text

#: Whole numbers beyond are not told apart by a double, which is all these formats have.
_LARGEST = 2**53
#: Declared ranges of so many whole numbers are listed as codes.
_MOST_CODES = 1_000


@dataclass(frozen=True, kw_only=True)
class Statistical(Format):
    """One of the formats: which functions of pyreadstat read and write it, and what names and labels it takes.

    Numbers are doubles; a column of whole ones is read as such. Empty text is missing. ``stamp`` is how the file tells
    when it was made, ``no_time`` what is written in its place: the same table gives the same bytes.
    """

    reader: str
    writer: str = ""
    writer_options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    stamp: bytes = b""
    no_time: bytes = b""
    head: int = 0  #: bytes before the first cell, in which the time stands
    names: str = r"[A-Za-z_][A-Za-z0-9_]*"
    longest_name: int = 32
    longest_text: int = 2**31  #: bytes of a cell; longer ones would be cut without a word
    magnitudes: tuple[float, float] = (0.0, math.inf)  #: of numbers but 0; others would become 0 or infinite
    labels_numbers: bool = False  #: values that are numbers can have labels
    labels_texts: bool = False  #: values that are text can
    declares_missing: bool = False

    keeps_types: ClassVar[bool] = True

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read the cells with their codes; which of them are missing is told by :meth:`declared`."""
        self._check_size(path, self._described(path, options.encoding))
        table, _ = self._load(path, options.encoding)
        refuse_other_years(table, str(path))
        return pl.DataFrame([_plain(column).alias(column.name) for column in table.get_columns()])

    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None) -> pl.DataFrame:
        """Read the cells and write each by its type."""
        return text_cells(self.read(path, options), columns)

    def described(self, path: Path) -> Dictionary:
        """Return labels of columns and values, kinds, and codes that are declared missing."""
        about = self._described(path, None)
        listed = _listed_codes(about.missing_ranges or {})
        entries = {}
        for name in about.column_names:
            values = {
                _text(value): str(label) for value, label in (about.variable_value_labels.get(name) or {}).items()
            }
            codes = tuple(listed.get(name, ()))
            entry = Entry(
                label=about.column_names_to_labels.get(name) or None,
                kind="category" if set(values) - set(codes) else None,
                values=values,
                missing=codes,
            )
            if entry != Entry():
                entries[name] = entry
        return Dictionary(entries)

    def declared(self, path: Path, table: pl.DataFrame, options: ReadOptions) -> ReadOptions:
        """Add the codes that the file declares missing, for columns of which the options say nothing themselves."""
        if not self.declares_missing:
            return options
        ranges = self._described(path, options.encoding).missing_ranges or {}
        further = {
            name: (*options.missing, *_codes_in(table[name], ranges[name]))
            for name in ranges
            if name in table.columns and name not in options.missing_in
        }
        return replace(options, missing_in={**options.missing_in, **further}) if further else options

    def strangers(self, path: Path) -> list[str]:
        """Notes, a label of the file, labels of values that no cell has, codes that are declared missing."""
        table, about = self._load(path, None)
        found = [f"{path.name} has notes, which no release has"] if getattr(about, "notes", None) else []
        if getattr(about, "file_label", None):
            found.append(f"{path.name} has a label of its own, which no release has")
        if about.missing_ranges:
            found.append(f"{path.name} declares codes as missing, which no release does")
        for name, labels in about.variable_value_labels.items():
            present = set(as_text(table[name]).drop_nulls().unique()) if name in table.columns else set()
            if any(_text(value) not in present for value in labels):
                found.append(f"{path.name} labels values of {name!r} that no cell has, which no release does")
        return found

    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write numbers as doubles, days as such, all else as text, with labels of what is written."""
        self.check_names(table.columns)
        cells = pl.DataFrame([self._cells(column).alias(column.name) for column in compact(table).get_columns()])
        labels = self._labels(cells, options.dictionary)
        pyreadstat = self._library("writing")
        temporary = path.with_name(f"{path.name}{self.suffix}")  # pyreadstat asks for the suffix
        try:
            getattr(pyreadstat, self.writer)(cells, str(temporary), **labels, **self.writer_options)
            content = temporary.read_bytes()
        except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, ValueError, UnicodeError) as error:
            raise TableError(
                str(path),
                expected=f"a table that {self.suffix} can hold",
                got=relayed(error),
                hint="write .csv or .parquet",
            ) from error
        finally:
            temporary.unlink(missing_ok=True)
        head, tail = content[: self.head], content[self.head :]
        path.write_bytes(re.sub(self.stamp, lambda _: self.no_time, head) + tail)

    # -- reading ---------------------------------------------------------------------------------------------

    def _library(self, purpose: str) -> Any:
        return require("pyreadstat", extra="stat", purpose=f"{purpose} {self.suffix} files")

    def _described(self, path: Path, encoding: str | None) -> Any:
        return self._load(path, encoding, metadataonly=True)[1]

    def _load(self, path: Path, encoding: str | None, **further: Any) -> tuple[pl.DataFrame, Any]:
        pyreadstat = self._library("reading")
        read: Callable[..., tuple[pl.DataFrame, Any]] = getattr(pyreadstat, self.reader)
        if self.declares_missing:
            further["user_missing"] = True
        if encoding is not None:
            further["encoding"] = encoding
        try:
            return read(str(path), output_format="polars", **further)
        except (
            pyreadstat.PyreadstatError,
            pyreadstat.ReadstatError,
            ValueError,
            OverflowError,
            OSError,
            KeyError,
        ) as error:
            raise FileError(
                str(path),
                expected=f"an intact {self.suffix} file",
                got=relayed(error),
                hint="save it again in the program it comes from, or give its encoding",
            ) from error

    def _check_size(self, path: Path, about: Any) -> None:
        """Refuse a file that says of itself that it unpacks beyond all measure."""
        if about.number_columns > MAX_COLUMNS:
            raise too_wide(str(path), about.number_columns)
        size, rows = path.stat().st_size, about.number_rows or 0
        most = max(PARQUET_CELLS, PARQUET_CELLS_A_BYTE * size)
        if rows * about.number_columns > most:
            raise TableError(
                str(path),
                expected=f"at most {most:,} cells in a file of {size:,} bytes",
                got=f"{rows * about.number_columns:,}",
                hint="if you trust the file, save the table as .csv",
            )
        widths = about.variable_storage_width.values()
        if rows * sum(widths) > max(most_unpacked(size), 8 * most):
            raise too_much(str(path), most_unpacked(size), f"{rows * sum(widths):,}")

    # -- writing ---------------------------------------------------------------------------------------------

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse names that are too long, or not plain."""
        for name in names:
            if not re.fullmatch(self.names, name) or len(name.encode()) > self.longest_name:
                raise TableError(
                    f"column {name!r}",
                    expected=f"a name that {self.suffix} takes: at most {self.longest_name} letters, digits and _, "
                    "a letter first",
                    got="another",
                    hint="rename it in the source, or write .csv or .parquet",
                )

    def _cells(self, column: pl.Series) -> pl.Series:
        dtype, cells = column.dtype, column.alias("cells")
        if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
            raise TableError(
                f"column {column.name!r}", expected="one value per cell", got=str(dtype), hint="write .parquet"
            )
        ends = (cells.min(), cells.max()) if dtype.is_integer() else ()
        if dtype.is_float() or (ends and all(end is None or abs(int(end)) <= _LARGEST for end in ends)):  # type: ignore[arg-type]
            numbers = cells.cast(pl.Float64).fill_nan(None)
            sizes = numbers.abs()
            if not (sizes.is_between(*self.magnitudes) | (sizes == 0)).all():
                raise self._refused(column.name, "numbers in the range of such files", "one beyond it")
            return numbers
        if dtype == pl.Date:
            return cells
        text = cells.dt.to_string("iso") if dtype.is_temporal() else as_text(cells)
        # What comes back could not be compared with what was published: fixed widths are filled with spaces, and text
        # ends where it is too long, or at a NUL.
        if text.str.ends_with(" ").any():
            raise self._refused(
                column.name, "text without spaces at its end, which such files do not keep", "a cell that ends with one"
            )
        if text.str.contains("\0", literal=True).any():
            raise self._refused(column.name, "text without NUL characters, at which such files end it", "one")
        if (text.str.len_bytes() > self.longest_text).any():
            raise self._refused(column.name, f"text of at most {self.longest_text:,} bytes in a cell", "a longer one")
        return text.fill_null("")

    def _refused(self, name: str, expected: str, got: str) -> TableError:
        hint = "change the cells, or write .csv or .parquet"
        return TableError(f"column {name!r}", expected=f"{expected} ({self.suffix})", got=got, hint=hint)

    def _labels(self, cells: pl.DataFrame, known: Dictionary | None) -> dict[str, Any]:
        """Return labels of columns, and of values that stand in cells."""
        if not known:
            return {}
        present = {column.name: set(as_text(column).drop_nulls().unique()) for column in cells.get_columns()}
        # Labels of values that nobody has any more would tell what was suppressed.
        public = known.of_published(present)
        labels: dict[str, Any] = {
            "column_labels": {name: label for name in cells.columns if (label := public.label(name))}
        }
        values: dict[str, dict[Any, str]] = {}
        for column in cells.get_columns():
            of_column = public.values(column.name)
            if of_column and column.dtype == pl.Float64 and self.labels_numbers:
                values[column.name] = {float(value): text for value, text in of_column.items()}
            elif of_column and column.dtype == pl.String and self.labels_texts:
                values[column.name] = {value: text for value, text in of_column.items() if len(value.encode()) <= 8}
        if any(values.values()):
            labels["variable_value_labels"] = {name: listed for name, listed in values.items() if listed}
        return labels


def _plain(column: pl.Series) -> pl.Series:
    """Return whole numbers as such, and empty text as missing."""
    cells = column.alias("cells")
    if cells.dtype.is_float():
        return whole_again(cells.fill_nan(None))
    if cells.dtype == pl.String:
        if (cells.str.len_bytes() > MAX_CELL_BYTES).any():
            raise TableError(
                f"column {column.name!r}", expected=f"cells of at most {MAX_CELL_BYTES:,} bytes", got="a longer one"
            )
        return cells.set(cells == "", None)
    if cells.dtype == pl.Object:
        return pl.Series("cells", [None if cell is None else str(cell) for cell in cells], dtype=pl.String)
    return cells


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _listed_codes(ranges: Mapping[str, Any]) -> dict[str, list[str]]:
    """List declared codes; ranges without an end are known only beside cells."""
    return {name: list(_codes_of(declared)) for name, declared in ranges.items()}


def _codes_of(declared: Any) -> Iterator[str]:
    for one in declared:
        low, high = (one["lo"], one["hi"]) if isinstance(one, Mapping) else (one, one)
        if low == high:
            yield _text(low)
        elif isinstance(low, float) and isinstance(high, float) and 0 < high - low <= _MOST_CODES and low.is_integer():
            yield from (str(code) for code in range(int(low), int(high) + 1))


def _codes_in(cells: pl.Series, declared: Any) -> tuple[str, ...]:
    """Return the values among cells that are declared missing."""
    found: list[str] = []
    known = cells.alias("cells").drop_nulls().unique()
    for one in declared:
        low, high = (one["lo"], one["hi"]) if isinstance(one, Mapping) else (one, one)
        if known.dtype.is_numeric() and not isinstance(low, str):
            found += as_text(known.filter(known.is_between(low, high)).sort()).to_list()
        elif known.dtype == pl.String:
            found += known.filter(known.str.strip_chars() == str(low).strip()).to_list()
    return tuple(dict.fromkeys(found))


_SPSS_NAMES = r"[^\W\d_][\w.@#$]*(?<![._])"

SAV = Statistical(
    suffix=".sav",
    signature=FileSignature(name="SPSS", start=b"$FL2@(#)", rename="rename it to .sav"),
    reader="read_sav",
    writer="write_sav",
    stamp=rb"\d\d [A-Z][a-z]{2} \d\d\d\d:\d\d:\d\d",
    no_time=b"01 Jan 0000:00:00",
    head=109,
    names=_SPSS_NAMES,
    longest_name=64,
    longest_text=32_767,
    labels_numbers=True,
    labels_texts=True,
    declares_missing=True,
)
ZSAV = replace(
    SAV,
    suffix=".zsav",
    signature=FileSignature(name="compressed SPSS", start=b"$FL3@(#)", rename="rename it to .zsav"),
    writer_options={"compress": True},
    released=False,
)
_OLD_STATA = tuple(bytes((version, order, 1, 0)) for version in range(105, 116) for order in (1, 2))
DTA = Statistical(
    suffix=".dta",
    signature=FileSignature(name="Stata", start=b"<stata_dta>", others=_OLD_STATA, rename="rename it to .dta"),
    reader="read_dta",
    writer="write_dta",
    stamp=rb"<timestamp>\x11[^<]{17}</timestamp>",
    no_time=b"<timestamp>\x1101 Jan 2000 00:00</timestamp>",
    head=200,
    names=r"[^\W\d]\w*",
    labels_numbers=True,
)
XPT = Statistical(
    suffix=".xpt",
    signature=FileSignature(name="SAS transport", start=b"HEADER RECORD*******", rename="rename it to .xpt"),
    reader="read_xport",
    writer="write_xport",
    stamp=rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d",
    no_time=b"01JAN00:00:00:00",
    head=560,
    longest_text=32_767,
    magnitudes=(1e-77, 1e74),
)
SAS7BDAT = Statistical(
    suffix=".sas7bdat",
    signature=FileSignature(
        name="SAS",
        start=b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0",
        rename="rename it to .sas7bdat",
    ),
    reader="read_sas7bdat",
    released=False,
    written=False,
)
