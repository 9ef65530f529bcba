"""How a file is read and written: what cannot be told from its suffix."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from nymity.core import validation
from nymity.core.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read a file; None means *find out*.

    ``delimiter``  one character; found among comma, semicolon, tab and ``|``.
    ``encoding``   a codec's name; found by byte order mark (UTF-8, UTF-16), then UTF-8, then Windows-1252 when
                   every byte is defined in it.
    ``header``     whether the first row names the columns; False names them ``column_1``, ``column_2`` …
                   Found by comparing the first row with the rows below; say True when you know.
    ``sheet``      name or position (from 0) of an Excel sheet; the first by default.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    sheet: str | int | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            check_delimiter("delimiter", self.delimiter)
        if self.encoding is not None:
            _check_encoding("encoding", self.encoding)
        if self.header is not None and not isinstance(self.header, bool):
            raise ParameterError("header", expected="True, False or None", got=repr(self.header))
        if self.sheet is not None and not isinstance(self.sheet, str):
            validation.whole_number("sheet", self.sheet, at_least=0)


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """How to write a file.

    ``delimiter``            between the cells of .csv and .txt; a .tsv always has tabs.
    ``neutralize_formulas``  put an apostrophe before text a spreadsheet would run (:mod:`nymity.io.neutralize`);
                             Parquet is never changed.
    """

    delimiter: str = ","
    neutralize_formulas: bool = True

    def __post_init__(self) -> None:
        check_delimiter("delimiter", self.delimiter)
        if not isinstance(self.neutralize_formulas, bool):
            raise ParameterError("neutralize_formulas", expected="True or False", got=repr(self.neutralize_formulas))


def check_delimiter(where: str, value: object) -> None:
    """Refuse anything but one ASCII character that is neither a quote nor a line end."""
    if isinstance(value, str) and len(value) == 1 and value.isascii() and value not in '"\r\n\0':
        return
    raise ParameterError(
        where, expected="one ASCII character, not a quote or a line end", got=repr(value), hint="',', ';', '\\t' or '|'"
    )


def _check_encoding(where: str, value: object) -> None:
    try:
        # Encoding nothing also refuses codecs that are not about text, such as "hex".
        "".encode(codecs.lookup(str(value)).name)
        codecs.getincrementaldecoder(str(value))
    except (LookupError, ValueError) as error:  # "undefined" refuses even nothing; a NUL is no name
        raise ParameterError(
            where, expected="the name of a text encoding", got=repr(value), hint="'utf-8', 'cp1252' or 'utf-16'"
        ) from error
