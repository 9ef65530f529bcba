"""Numbers that compare as equal, written alike: the two zeros of floating-point numbers, and every NaN."""

from __future__ import annotations

import polars as pl
from polars.datatypes import DataTypeClass


def with_one_zero(table: pl.DataFrame) -> pl.DataFrame:
    """Write the two zeros of floating-point numbers alike, and every NaN, also inside lists and structs.

    They are sorted as equal, and would show the order of the source.
    """
    columns = (column.to_frame("cell") for column in table)  # polars reads names like "^x$" as patterns
    cells = (column.select(_one_zero(pl.col("cell"), column.dtypes[0])).to_series() for column in columns)
    return pl.DataFrame(dict(zip(table.columns, cells, strict=True)))


def _one_zero(cell: pl.Expr, dtype: pl.DataType | DataTypeClass) -> pl.Expr:
    if dtype.is_float():
        zero, nan = pl.lit(0.0, dtype), pl.lit(float("nan"), dtype)
        return pl.when(cell == 0).then(zero).when(cell.is_nan()).then(nan).otherwise(cell)
    if isinstance(dtype, pl.List):
        return cell.list.eval(_one_zero(pl.element(), dtype.inner))
    if isinstance(dtype, pl.Array):
        return cell.arr.to_list().list.eval(_one_zero(pl.element(), dtype.inner)).cast(dtype)
    if isinstance(dtype, pl.Struct):
        safe = [f"f{i}" for i in range(len(dtype.fields))]
        plain = cell.struct.rename_fields(safe)
        fields = zip(safe, (field.dtype for field in dtype.fields), strict=True)
        alike = plain.struct.with_fields(*(_one_zero(plain.struct.field(name), of).alias(name) for name, of in fields))
        return alike.struct.rename_fields([field.name for field in dtype.fields])
    return cell
