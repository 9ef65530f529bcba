"""The caller's frame as a Polars table, and a table as the caller's kind of frame.

Optional packages are recognized by the name of the module a type comes from: pandas and pyarrow are never imported
unless the caller already did.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

import polars as pl

from nymity.core.errors import InputError, TableError
from nymity.core.extras import require
from nymity.core.quoting import relayed
from nymity.io.calendar import refuse_other_years
from nymity.io.lossless import whole_again
from nymity.table.given_column import OF_POLARS, check_width, days_alone, listed_column, pandas_column
from nymity.table.numbered_text import with_plain_text


def to_polars(frame: object) -> pl.DataFrame:
    """Return a frame of any kind as a Polars table.

    Takes Polars (eager or lazy), pandas, pyarrow tables, anything that streams Arrow data (relations of DuckDB, frames
    of Spark), what narwhals wraps, and a dict of columns. A pandas index is left out; NaN there is missing, and whole
    numbers with gaps become integers again. Categories become the values they stand for; a column of mixed Python
    values becomes text.
    """
    frame = _unwrapped(frame)
    if isinstance(frame, Mapping):
        for name, column in frame.items():
            if isinstance(column, pl.DataFrame | pl.LazyFrame):  # polars panics
                raise TableError(f"column {name!r}", expected="a column of values", got="a whole table")
    try:
        table = _converted(frame)
    except OF_POLARS as error:
        raise TableError(
            f"the {_kind(frame)} frame",
            expected="a table",
            got=relayed(error, "one that cannot be read"),
            hint="check its columns",
        ) from error
    table = _without_categories(table)
    refuse_other_years(table)
    return table


def like(original: object, table: pl.DataFrame) -> Any:
    """Return ``table`` as the kind of frame ``original`` is.

    pandas frames get a fresh RangeIndex: the original's index names the source rows and must not leak. Arrow streams of
    unknown kind get the Polars table, which streams Arrow data itself, and narwhals wraps what it wrapped.
    """
    # What was wrapped is wrapped again. The package is loaded, or there would be no such frame.
    if (native := _unwrapped(original)) is not original:
        return sys.modules["narwhals"].from_native(like(native, table))
    if isinstance(original, pl.LazyFrame):
        return table.lazy()
    if _is_pandas(original):
        require("pyarrow", extra="pandas", purpose="giving back a pandas frame")
        return _without_long_integers(table).to_pandas()
    if _is_pyarrow(original):
        return _without_long_integers(table).to_arrow()
    if isinstance(original, Mapping):
        return table.to_dict(as_series=False)
    if isinstance(original, pl.DataFrame) or hasattr(original, "__arrow_c_stream__"):
        return table
    raise _unknown(original)


def named_columns(frame: object) -> dict[str, Any] | None:
    """Return the columns of a dict or a pandas frame, None for other kinds: those have one type for each already.

    Columns of Python values are lists of these, with None for what is missing.
    """
    frame = _unwrapped(frame)
    if _is_pandas(frame):
        return {name: pandas_column(name, values) for name, values in _pandas_columns(frame)}
    if not isinstance(frame, Mapping):
        return None
    names = [str(name) for name in frame]
    _check_names(names)
    columns = {
        name: pl.Series(name, values) if hasattr(values, "dtype") else values
        for name, values in zip(names, frame.values(), strict=True)
    }
    _check_lengths({name: len(values) for name, values in columns.items() if hasattr(values, "__len__")})
    return columns


def _converted(frame: object) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if _is_pandas(frame):
        return _from_pandas(frame)
    if isinstance(frame, Mapping):
        return _from_columns(frame)
    if isinstance(frame, pl.Series) or not hasattr(frame, "__arrow_c_stream__"):
        raise _unknown(frame)
    if isinstance(frame, type):
        raise _unknown(frame)
    if _kind(frame) == "pyspark" and hasattr(frame, "toArrow"):
        frame = _collected(frame)  # its stream starts workers of another Python, if that is the first on the path
    if _is_pyarrow(frame) and hasattr(frame, "schema"):
        _check_names(frame.schema.names)
        for field in frame.schema:
            check_width(field.name, field.type)
    try:
        return pl.DataFrame(frame)
    except pl.exceptions.SchemaError as error:  # a stream of single values, not of rows
        raise _unknown(frame) from error
    except pl.exceptions.PolarsError:
        raise
    except Exception as error:  # somebody else's stream may fail in any way
        raise TableError(
            f"the {_kind(frame)} frame", expected="a stream of Arrow data", got=f"{type(error).__name__}: {error}"
        ) from error


def _collected(frame: Any) -> Any:
    """Return the rows of a Spark frame, as Arrow."""
    try:
        return frame.toArrow()
    except Exception as error:  # whatever its plan, its cluster or Java say
        raise TableError(
            "the Spark frame",
            expected="rows that Spark can collect",
            got=relayed(f"{type(error).__name__}: {error}", "an error of Spark"),
            hint="frame.show() says the same; fewer rows, or engine='spark', where they do not fit into memory",
        ) from error


def _from_pandas(frame: Any) -> pl.DataFrame:
    columns = []
    for name, values in _pandas_columns(frame):
        column = pandas_column(name, values)
        if isinstance(column, pl.Series):
            columns.append(days_alone(_whole_again(column)))
        else:
            columns.append(listed_column(name, column))
    return pl.DataFrame(columns)


def _pandas_columns(frame: Any) -> list[tuple[str, Any]]:
    """Return the columns of a pandas frame by their names."""
    require("pyarrow", extra="pandas", purpose="reading a pandas frame")
    if frame.columns.nlevels > 1:
        raise TableError(
            "the pandas frame",
            expected="one name per column",
            got=f"{frame.columns.nlevels} levels of names",
            hint="frame.columns = ['_'.join(map(str, names)) for names in frame.columns]",
        )
    names = [str(name) for name in frame.columns]
    _check_names(names)
    return [(name, frame.iloc[:, place]) for place, name in enumerate(names)]


def _whole_again(column: pl.Series) -> pl.Series:
    """Make integers of a float column with gaps and only whole numbers: that is what pandas makes of integers."""
    return whole_again(column) if column.null_count() else column


def _from_columns(columns: Mapping[Any, Any]) -> pl.DataFrame:
    names = [str(name) for name in columns]
    _check_names(names)
    series = [listed_column(name, values) for name, values in zip(names, columns.values(), strict=True)]
    _check_lengths({column.name: len(column) for column in series})
    return pl.DataFrame(series)


def _check_lengths(lengths: Mapping[str, int]) -> None:
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r}: {length}" for name, length in lengths.items())
        raise TableError("the dict of columns", expected="columns of equal length", got=shown)


def _check_names(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TableError(
                "the frame's columns", expected="different names", got=f"{name!r} twice", hint="rename one of them"
            )
        seen.add(name)


def _without_categories(table: pl.DataFrame) -> pl.DataFrame:
    table = with_plain_text(table)
    if pl.Categorical not in table.dtypes:
        return table
    return pl.DataFrame({one.name: one.cast(pl.String) if one.dtype == pl.Categorical else one for one in table})


def _without_long_integers(table: pl.DataFrame) -> pl.DataFrame:
    """Write integers of 128 bits as text: neither pandas nor pyarrow has a type for them."""
    return table.with_columns(pl.selectors.by_dtype(pl.Int128, pl.UInt128).cast(pl.String))


def _unwrapped(frame: object) -> Any:
    """Return the frame that narwhals wraps; any other as it is."""
    if _kind(frame) == "narwhals" and hasattr(frame, "to_native"):
        return frame.to_native()
    return frame


def _is_pandas(frame: object) -> bool:
    return any(_kind_of(kind) == "pandas" and kind.__name__ == "DataFrame" for kind in type(frame).__mro__)


def _is_pyarrow(frame: object) -> bool:
    return _kind(frame) == "pyarrow"


def _kind(frame: object) -> str:
    return _kind_of(type(frame))


def _kind_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _unknown(frame: object) -> InputError:
    kind = type(frame)
    got = f"{kind.__module__}.{kind.__qualname__}"
    hint = "pandas.DataFrame(...) of it, or ny.read_table(path) of a file"
    if isinstance(frame, str | PurePath):
        got = f"the text {str(frame)!r:.80}" if isinstance(frame, str) else f"the path {str(frame)!r:.80}"
        read = f"ny.read_table({str(frame)!r:.80})"
        hint = read if PurePath(frame).suffix else f"ny.open({str(frame)!r:.80}) of a release, {read} of a file"
    elif kind.__name__ == "Series":
        hint = ".to_frame() of it"
    elif hasattr(frame, "table") and hasattr(frame, "certificate"):  # a release
        hint = ".table of it"
    return InputError(
        "frame",
        expected="a polars, pandas or pyarrow table, a dict of columns, or anything that streams Arrow data",
        got=got,
        hint=hint,
    )
