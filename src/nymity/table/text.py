"""How values are written: one text form shared by hierarchies, encodings and releases."""

from __future__ import annotations

import polars as pl

#: What a suppressed cell and the top of a hierarchy are published as.
MASK = "*"


def as_text(values: pl.Series) -> pl.Series:
    """Return the column as text: numbers without a needless ``.0``, ISO dates, empty text as missing.

    A column of floats that are all whole numbers (what pandas makes of integers with gaps) is written like
    integers, so that the same table gives the same values whatever frame it came in.
    """
    if values.dtype.is_float():
        values = values.fill_nan(None)
        whole = values.drop_nulls()
        if len(whole) and bool(((whole.abs() < 2**53) & (whole == whole.round())).all()):
            values = values.cast(pl.Int64)
    if values.dtype == pl.Boolean:
        return values.replace_strict([True, False], ["true", "false"], default=None, return_dtype=pl.String)
    text = values.cast(pl.String)
    return text.set(text == "", None) if (text == "").any() else text


def shown(value: object, *, limit: int = 40) -> str:
    """Quote a value for a message, shortened; a missing value is called so."""
    if value is None:
        return "(missing)"
    text = str(value)
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
