"""Marks that turn the direction of letters by force: ``xes`` could pass for ``sex``. They are shown by their names."""

from __future__ import annotations

import polars as pl

_TURNING = {code: f"⟨U+{code:04X}⟩" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_MARKS, _NAMES = [chr(code) for code in _TURNING], list(_TURNING.values())


def unturned(words: str) -> str:
    """Return words whose letters stand as they are read."""
    return words.translate(_TURNING)


def unturned_cells(cells: pl.Series) -> pl.Series:
    """Return texts whose letters stand as they are read."""
    shown: pl.Series = cells.to_frame("cells").select(pl.col("cells").str.replace_many(_MARKS, _NAMES))["cells"]
    return shown
