"""Preview: the first rows of a table as some options would read it, without reading all of it where it is text."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import polars as pl

from nymity.core.errors import InputError
from nymity.core.files import open_file
from nymity.core.paths import path_text
from nymity.io.format import Format
from nymity.io.formats import confirmed_format
from nymity.io.options import ReadOptions
from nymity.io.read import read_valued

#: Bytes of text that are read.
_HEAD = 256 * 1024


def read_preview(path: str | os.PathLike[str], options: ReadOptions, *, rows: int = 50) -> pl.DataFrame:
    """Read the first rows of a table as :func:`nymity.read_table` would.

    Types are found from what is read: of a long text, a column may look like numbers here and hold a word further down.
    """
    place = Path(path_text("path", path))
    form = confirmed_format(place)
    if not form.is_text or place.stat().st_size <= _HEAD or form.signature is not None:
        return read_valued(place, options).table.head(rows)
    return _read_head(place, form, options).head(rows)


def _read_head(place: Path, form: Format, options: ReadOptions) -> pl.DataFrame:
    with open_file(place) as stream:
        head = stream.read(_HEAD)
    # The last line is cut off; and where a line end stood inside of quotes, the record before it with it.
    end = head.rfind(b"\n") + 1
    while end and head[:end].count(b'"') % 2:
        end = head.rfind(b"\n", 0, end - 1) + 1
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder) / f"head{form.suffix}"
        staged.touch(mode=0o600)
        staged.write_bytes(head[:end] if end else head)
        try:
            return read_valued(staged, options).table
        except InputError as error:
            said = (error.where, error.expected, error.got, error.hint)
            where, expected, got, hint = (text.replace(str(staged), str(place)) for text in said)
            raise type(error)(where, expected=expected, got=got, hint=hint) from error
