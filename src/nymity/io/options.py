"""How a file is read and written: what cannot be told from its suffix."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import permutations
from typing import Any

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.io.dictionary import Dictionary

#: A code for *missing* as it is stated; numbers are written as text.
Code = str | int | float
#: The form of dates, or several.
Forms = str | tuple[str, ...]
#: What says what columns and cells mean; other options are about the file.
_OF_VALUES = ("numbered", "missing", "missing_in", "decimal", "thousands", "dates", "dates_in")


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read a file, and what its cells mean; None means *find out* for the first six, *nothing* for the others.

    ``delimiter``   one character; found among comma, semicolon, tab and ``|``.
    ``encoding``    a codec's name; found by byte order mark (UTF-8, UTF-16), then UTF-8, then Windows-1252 when
                    every byte is defined in it.
    ``header``      whether the first row names the columns; False names them ``column_1``, ``column_2`` …
                    Found by comparing the first row with the rows below; say True when you know.
    ``header_row``  the line, or row of a sheet, that names the columns, from 1; what stands above it is no part of the
                    table. Found where titles stand above.
    ``footer``      rows at the end that are no records, such as a sum; found where they look like that.
    ``sheet``       name or position (from 0) of an Excel sheet; the first by default.
    ``numbered``    names that several columns have, which are then called ``name_1``, ``name_2`` … and none ``name``.
    ``missing``     cells that stand for no answer, such as ``NA`` and ``-9``; empty cells do anyway.
    ``missing_in``  the same for single columns, in place of ``missing``; an empty list takes nothing there.
    ``decimal``     what stands before the decimals of numbers, ``,`` or ``.`` (default). A column none of whose cells
                    needs a comma, and which is no number with the marks stated, is one by points if it can be.
    ``thousands``   what stands between thousands: ``.``, ``,``, ``'`` or a space of any kind; nothing by default.
    ``dates``       the form of dates (that of ``strptime``), such as ``%d.%m.%Y``. Columns all of whose cells have it
                    are dates; ISO dates (2024-05-31) are dates anyway. A list of forms that no cell can have two of
                    lets each cell have one of them.
    ``dates_in``    the same for single columns, in which every cell must have the form.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    header_row: int | None = None
    footer: int | None = None
    sheet: str | int | None = None
    numbered: tuple[str, ...] = ()
    missing: tuple[Code, ...] = ()
    missing_in: Mapping[str, tuple[Code, ...]] = field(default_factory=dict, hash=False)
    decimal: str | None = None
    thousands: str | None = None
    dates: Forms | None = None
    dates_in: Mapping[str, Forms] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            check_delimiter("delimiter", self.delimiter)
        if self.encoding is not None:
            check_encoding("encoding", self.encoding)
        if self.header is not None and not isinstance(self.header, bool):
            raise ParameterError("header", expected="True, False or None", got=as_given(self.header))
        self._check_edges()
        if self.sheet is not None and not isinstance(self.sheet, str):
            validation.whole_number("sheet", self.sheet, at_least=0)
        object.__setattr__(self, "missing", _codes("missing", self.missing))
        for name in ("missing_in", "dates_in"):
            validation.instance(name, getattr(self, name), Mapping, expected="a table of columns")
        codes_in = {str(name): _codes("missing_in", codes) for name, codes in self.missing_in.items()}
        object.__setattr__(self, "missing_in", codes_in)
        self._check_numbers()
        object.__setattr__(self, "dates", None if self.dates is None else _forms("dates", self.dates))
        per_column = {str(name): _forms("dates_in", forms) for name, forms in self.dates_in.items()}
        object.__setattr__(self, "dates_in", per_column)

    def _check_edges(self) -> None:
        if self.header_row is not None:
            validation.whole_number("header_row", self.header_row, at_least=1)
            if self.header is False:
                raise ParameterError("header_row", expected="none where header is False", got=str(self.header_row))
        if self.footer is not None:
            validation.whole_number("footer", self.footer, at_least=0)
        if not isinstance(self.numbered, list | tuple) or not all(isinstance(name, str) for name in self.numbered):
            raise ParameterError("numbered", expected="a list of names of columns", got=as_given(self.numbered))
        object.__setattr__(self, "numbered", tuple(dict.fromkeys(self.numbered)))

    def _check_numbers(self) -> None:
        if self.decimal is not None:
            validation.one_of("decimal", self.decimal, (".", ","))
        if self.thousands is None:
            return
        validation.one_of("thousands", self.thousands, (".", ",", "'", " "))
        if self.thousands == (self.decimal or "."):
            raise ParameterError(
                "thousands", expected=f"another mark than that of decimals, {self.decimal or '.'!r}", got="the same"
            )

    @property
    def of_values(self) -> dict[str, Any]:
        """What is said about the meaning of cells, by field."""
        return {name: given for name in _OF_VALUES if (given := getattr(self, name))}

    @staticmethod
    def for_values(told: Mapping[str, Any]) -> ReadOptions:
        """Take what plain data says about the meaning of cells, and nothing else of it."""
        return ReadOptions(**{name: told[name] for name in _OF_VALUES if name in told})

    @property
    def has_point(self) -> bool:
        """Whether decimals have a point."""
        return self.decimal in (None, ".")

    def codes_of(self, column: str) -> tuple[str, ...]:
        """Return the cells of a column that stand for no answer."""
        return self.missing_in.get(column, self.missing)  # type: ignore[return-value]  # texts since __post_init__

    @property
    def thousands_marks(self) -> tuple[str, ...]:
        """The characters that stand between thousands: a space is any of those that typesetters use."""
        if self.thousands is None:
            return ()
        return _SPACES if self.thousands == " " else ("'", "’") if self.thousands == "'" else (self.thousands,)

    @property
    def number_pattern(self) -> str | None:
        """The form of numbers, where it is stated: none begins with a zero but those below one."""
        if self.decimal is None and self.thousands is None:
            return None
        mark = re.escape(self.decimal or ".")
        between = "".join(map(re.escape, self.thousands_marks))
        grouped = rf"|[1-9][0-9]{{0,2}}(?:[{between}][0-9]{{3}}){{1,4}}" if between else ""
        return rf"^\s*-?(?:0|[1-9][0-9]{{0,14}}{grouped})(?:{mark}[0-9]{{1,17}})?\s*$"


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """How to write a file.

    ``delimiter``            between the cells of .csv and .txt; a .tsv always has tabs.
    ``encoding``             of text; UTF-8 by default.
    ``decimal``              what stands before the decimals of numbers in text, ``.`` or ``,``.
    ``neutralize_formulas``  put an apostrophe before text a spreadsheet would run (:mod:`nymity.io.neutralize`);
                             formats that keep types are never changed.
    ``dictionary``           labels to write with the table, where the format has labels; those of columns and values
                             that it holds.
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    decimal: str = "."
    neutralize_formulas: bool = True
    dictionary: Dictionary | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        check_delimiter("delimiter", self.delimiter)
        check_encoding("encoding", self.encoding)
        validation.one_of("decimal", self.decimal, (".", ","))
        if not isinstance(self.neutralize_formulas, bool):
            raise ParameterError(
                "neutralize_formulas", expected="True or False", got=as_given(self.neutralize_formulas)
            )


def check_delimiter(where: str, value: object) -> None:
    """Refuse anything but one ASCII character that is neither a quote nor a line end."""
    if isinstance(value, str) and len(value) == 1 and value.isascii() and value not in '"\r\n\0':
        return
    raise ParameterError(
        where,
        expected="one ASCII character, not a quote or a line end",
        got=as_given(value),
        hint="',', ';', '\\t' or '|'",
    )


def check_encoding(where: str, value: object) -> None:
    """Refuse what is no encoding of text."""
    try:
        # Encoding nothing also refuses codecs that are not about text, such as "hex".
        "".encode(codecs.lookup(str(value)).name)
        codecs.getincrementaldecoder(str(value))
    except (LookupError, ValueError) as error:  # "undefined" refuses even nothing; a NUL is no name
        raise ParameterError(
            where, expected="the name of a text encoding", got=as_given(value), hint="'utf-8', 'cp1252' or 'utf-16'"
        ) from error


_SPACES = (" ", "\u00a0", "\u202f", "\u2009")


def _codes(where: str, given: object) -> tuple[str, ...]:
    """Return codes for *missing* as text."""
    if not isinstance(given, list | tuple) or not all(
        isinstance(code, str | int | float) and not isinstance(code, bool) for code in given
    ):
        raise ParameterError(where, expected='a list of texts and numbers, such as ["NA", -9]', got=as_given(given))
    return tuple(dict.fromkeys(_code(code) for code in given))


def _code(code: Code) -> str:
    if isinstance(code, float) and code.is_integer():
        return str(int(code))
    return str(code).strip()


#: A day by which a form of dates is tried: its parts differ from each other.
_TRIAL = datetime(1987, 11, 23, 14, 35, 46)
#: One whose day could be a month.
_APRIL = datetime(2011, 4, 5, 6, 7, 8)


def _forms(where: str, given: object) -> Forms:
    """Return the form of dates, or several, of which no cell can have two."""
    if not isinstance(given, list | tuple):
        _check_form(where, given)
        return str(given)
    for form in given or [""]:
        _check_form(where, form)
    if len(given) == 1:
        return str(given[0])
    # A day such as 12 April is written in one form and read in the other: if that works, cells are ambiguous.
    for one, other in permutations(given, 2):
        if "%y" in one or _fits(_APRIL.strftime(one), other):
            raise ParameterError(
                where,
                expected="forms of which no cell can have two, and years with their century",
                got=f"{one!r} and {other!r}",
                hint="write all dates in one form",
            )
    return tuple(given)


def _fits(text: str, form: str) -> bool:
    try:
        datetime.strptime(text, form)
    except ValueError:
        return False
    return True


def _check_form(where: str, form: object) -> None:
    """Refuse a form that does not say which day."""
    expected = "a form of dates with day, month and year, such as '%d.%m.%Y'"
    if not isinstance(form, str):
        raise ParameterError(where, expected=expected, got=as_given(form))
    try:
        read = datetime.strptime(_TRIAL.strftime(form), form)
    except ValueError as error:
        raise ParameterError(where, expected=expected, got=as_given(form)) from error
    if read.date() != _TRIAL.date():
        raise ParameterError(where, expected=expected, got=as_given(form))
