"""Tables in and out: files, the caller's frames, and writing that never leaves half a file behind."""

from __future__ import annotations

from nymity.io.coded import CodedTable, cells_at, numbers_at, rows_where, values_of
from nymity.io.column_names import named
from nymity.io.compact import compact
from nymity.io.detection import DetectedReading, detect_reading
from nymity.io.dictionary import Dictionary
from nymity.io.dictionary_files import read_dictionary
from nymity.io.formats import FORMATS, RELEASED, format_of
from nymity.io.frame import like, to_polars
from nymity.io.lossless import typed_column, whole_again
from nymity.io.neutralize import as_meant, strip_neutralization
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.parquet import parquet_files
from nymity.io.parquet_size import check_parquet
from nymity.io.preview import read_preview
from nymity.io.read import (
    detected_texts,
    read_detected,
    read_table,
    read_text_cells,
    read_valued,
    reread_table,
    valued_texts,
)
from nymity.io.text_cells import text_cells
from nymity.io.values import Taken, Valued, taken_in_words, valued_cells
from nymity.io.workbook import sheets_of
from nymity.io.write import write_table

__all__ = [
    "ReadOptions",
    "read_table",
    "read_detected",
    "read_preview",
    "CodedTable",
    "cells_at",
    "numbers_at",
    "rows_where",
    "values_of",
    "Taken",
    "taken_in_words",
    "Valued",
    "read_valued",
    "valued_texts",
    "valued_cells",
    "reread_table",
    "read_text_cells",
    "text_cells",
    "WriteOptions",
    "write_table",
    "sheets_of",
    "as_meant",
    "strip_neutralization",
    "to_polars",
    "like",
    "compact",
    "whole_again",
    "typed_column",
    "named",
    "check_parquet",
    "parquet_files",
    "DetectedReading",
    "detect_reading",
    "detected_texts",
    "Dictionary",
    "read_dictionary",
    "FORMATS",
    "RELEASED",
    "format_of",
]
