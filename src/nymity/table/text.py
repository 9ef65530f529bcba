"""How values are written: one text form shared by hierarchies, encodings and releases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.core.row_runs import are_numbers, different_cells

#: What a suppressed cell and the top of a hierarchy are published as.
MASK = "*"
#: Stands for a whole number that tables of text cells do not tell from others (:mod:`nymity.io.text_cells`). No
#: hierarchy lists it, and it names nobody.
BEYOND = "a whole number of more than 15 digits"


def as_text(values: pl.Series) -> pl.Series:
    """Return the column as text: numbers without a needless ``.0``, ISO dates, empty text and NaN as missing.

    The text of a value depends on the value alone, so that a recoding knows it again in another table: 1.0 and 1 are
    both ``1`` (pandas makes floats of integers with gaps). Columns of lists, records and the like have no text form.
    """
    check_comparable(values)
    values = plainly_named(values)
    if values.dtype.is_float():
        return _float_text(values.fill_nan(None))
    if values.dtype == pl.Boolean:
        return values.replace_strict([True, False], ["true", "false"], default=None, return_dtype=pl.String)
    if isinstance(values.dtype, pl.Enum):
        return by_category(values, as_text)
    text = values.cast(pl.String)
    return text.set(text == "", None) if (text == "").any() else text


def by_category(column: pl.Series, of_texts: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Return what becomes of the cells of numbered text, found out from its different texts alone."""
    texts = plainly_named(column.dtype.categories)  # type: ignore[attr-defined]
    return of_texts(texts).gather(plainly_named(column).to_physical()).alias(column.name)


def as_floats(column: pl.Series) -> pl.Series:
    """Return a column of text as numbers where each cell is what a frame of floats writes; else as it is.

    A file has 3.0 among numbers with fractions, whose text is 3; read again it stays what is written, which may be one.
    """
    if isinstance(column.dtype, pl.Enum):
        read = as_floats(column.dtype.categories)
        return column if read.dtype == pl.String else by_category(column, lambda _: read)
    if column.dtype != pl.String or not len(texts := different_cells(column).drop_nulls()):
        return column
    numbers = texts.cast(pl.Float64, strict=False)
    written = numbers.null_count() == 0 and bool((numbers.cast(pl.String) == texts).all())
    return plainly_named(column).cast(pl.Float64).alias(column.name) if written else column


def as_known(column: pl.Series, known: Collection[str | None]) -> pl.Series:
    """Return a column of text as numbers where these are ``known`` by their text, and what is written is not."""
    if isinstance(column.dtype, pl.Enum):
        read = as_known(column.dtype.categories, known)
        return column if read.dtype == pl.String else by_category(column, lambda _: read)
    if column.dtype != pl.String:
        return column
    texts = different_cells(column).drop_nulls()
    if all(text in known for text in texts):
        return column
    numbers = as_floats(texts)
    return as_floats(column) if numbers.dtype.is_float() and all(t in known for t in as_text(numbers)) else column


def all_as_known(frame: pl.DataFrame, known: Mapping[str, Collection[str | None]]) -> pl.DataFrame:
    """Return a frame with the columns of ``known`` by :func:`as_known`."""
    return pl.DataFrame({one.name: as_known(one, known[one.name]) if one.name in known else one for one in frame})


def check_comparable(values: pl.Series, *, where: str = "column") -> None:
    """Refuse a column of lists, records and the like, which have no text form to compare by."""
    if values.dtype.is_nested() or values.dtype in (pl.Binary, pl.Object, pl.Duration):
        raise TableError(
            where,
            expected="one number, date or text per cell",
            got=str(values.dtype),
            hint="split the column into several, or leave it out of the release as identifying",
        )


def plainly_named(values: pl.Series) -> pl.Series:
    """Return the column under a harmless name: polars reads names like ``^x$`` as patterns, even of a series."""
    return values.alias("cells")


def gathered(values: pl.Series, rows: Any) -> pl.Series:
    """Return the cells of these rows, of a column with whatever name."""
    return plainly_named(values).gather(rows).alias(values.name)


def _float_text(values: pl.Series) -> pl.Series:
    whole = (values.abs() < 2**53) & (values == values.round())
    integers = values.cast(pl.Int64, strict=False).cast(pl.String)
    return pl.select(pl.when(whole).then(integers).otherwise(values.cast(pl.String))).to_series().alias(values.name)


def is_missing(values: pl.Series) -> pl.Series:
    """Return which cells are missing: null, not-a-number, empty text."""
    values = plainly_named(values)
    if values.dtype.is_float():
        return values.is_null() | values.is_nan().fill_null(True)
    if values.dtype in (pl.Categorical, pl.Enum) and not are_numbers(values):
        values = as_text(values)
    return values.is_null() | (values == "").fill_null(True) if values.dtype == pl.String else values.is_null()
