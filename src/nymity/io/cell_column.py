"""CellColumn: a column by its different cells, for those who find out what these mean."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from nymity.io.coded import CodedColumn
from nymity.io.dictionary import Dictionary
from nymity.io.options import ReadOptions

#: Words that stand for no answer wherever they stand in a column of numbers or dates …
WORDS = (
    "NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "none", "#N/A", "#NV", "<NA>", "nil", ".", "..",
    "-", "--", "?", "k.A.", "k. A.", "keine Angabe", "unbekannt", "Unbekannt", "unbek.", "unknown", "Unknown",
    "UNKNOWN", "missing", "Missing", "not available", "s/o", "n.v.t.", "n.d.", "ND", "x", "X",
    "00000000",
)  # fmt: skip

POINT = r"^\s*-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\s*$"
#: Cells by which a shape is tried before the whole column is.
TRIAL = 200
#: Up to so many different values are counted by name.
_MOST_VALUES = 10_000
_NO_TEXT = pl.Series("cells", [], dtype=pl.String)


@dataclass(eq=False, kw_only=True)
class CellColumn:
    """A column by its different values: those that look like codes (``words``), the ``rest``, and how often all are.

    A column of numbers has these (``numbers``) in place of texts, but for those as they stand in the file (``stood``).
    """

    name: str
    declared: tuple[str, ...]
    counts: dict[str, int] = field(default_factory=dict)
    rest: pl.Series = field(default_factory=lambda: _NO_TEXT)
    filled: int = 0  #: cells of ``rest``
    words: dict[str, int] = field(default_factory=dict)
    numbers: pl.Series | None = None
    stood: pl.Series | None = None
    often: pl.Series | None = None  #: how often each of the numbers is there, where these are different

    @staticmethod
    def of(column: pl.Series, texts: pl.Series | None, dictionary: Dictionary, options: ReadOptions) -> CellColumn:
        """Count the cells of a column; ``texts`` are those of numbers as they stand in the file."""
        declared, cells = dictionary.missing(column.name), column.alias("cells")
        if cells.dtype.is_numeric():
            return CellColumn(
                name=column.name,
                declared=declared,
                numbers=cells.drop_nulls(),
                stood=None if texts is None else texts.alias("cells").drop_nulls(),
            )
        cells = cells.drop_nulls() if cells.dtype == pl.String else _NO_TEXT
        different = cells.str.strip_chars().to_frame("value").group_by("value", maintain_order=True).len("times")
        return CellColumn._of_texts(column.name, different, declared, options)

    @staticmethod
    def of_values(
        column: CodedColumn, texts: CodedColumn | None, dictionary: Dictionary, options: ReadOptions
    ) -> CellColumn:
        """Do the same for a column that is known by its different values."""
        declared, values = dictionary.missing(column.name), column.values.alias("cells")
        if values.dtype.is_numeric():
            return CellColumn(
                name=column.name,
                declared=declared,
                numbers=values.drop_nulls(),
                stood=None if texts is None else texts.values.alias("cells").filter(values.is_not_null()),
                often=column.times.filter(values.is_not_null()),
            )
        if values.dtype != pl.String:
            values = _NO_TEXT
        stripped = values.str.strip_chars()
        # Cells as they were cut are different already; without spaces to strip they stay so, and nothing is grouped.
        same = column.as_cut and bool((stripped.str.len_bytes() == values.str.len_bytes()).all())
        different = pl.DataFrame([stripped.alias("value"), column.times.head(len(values)).alias("times")]).drop_nulls()
        if not same and different["value"].n_unique() < different.height:
            different = different.group_by("value", maintain_order=True).agg(pl.col("times").sum())
        return CellColumn._of_texts(column.name, different, declared, options)

    @staticmethod
    def _of_texts(name: str, different: pl.DataFrame, declared: tuple[str, ...], options: ReadOptions) -> CellColumn:
        different = different.filter(pl.col("value") != "")
        known = [*WORDS, *declared, *options.codes_of(name)]
        hidden = different["value"].is_in(known)
        rest = different.filter(~hidden)
        return CellColumn(
            name=name,
            counts={} if different.height > _MOST_VALUES else dict(different.rows()),
            rest=rest["value"].alias("cells"),
            filled=int(rest["times"].sum()),
            words=dict(different.filter(hidden).rows()),
            declared=declared,
        )

    @property
    def is_text(self) -> bool:
        """Whether it has values that are text."""
        return len(self.rest) > 0

    @property
    def as_written(self) -> pl.Series | None:
        """Its cells as they stand in the file or frame, codes left out; None where they are numbers there."""
        return self.rest if self.numbers is None else self.stood

    def read_again(self, options: ReadOptions) -> None:
        """Read numbers by marks that were found after they had been read with a point."""
        if self.stood is not None and not options.has_point:
            again = as_numbers(self.stood, options)
            self.numbers = self.numbers if again is None else again

    def all_match(self, pattern: str) -> bool:
        """Return whether every value but codes has a form."""
        trial = self.rest.head(TRIAL)
        return (
            bool(len(trial)) and bool(trial.str.contains(pattern).all()) and bool(self.rest.str.contains(pattern).all())
        )

    def times(self, code: str) -> int:
        """Return how often a code stands in the column."""
        if self.numbers is not None:
            number = _float(code)
            if number is None:
                return 0
            there = self.numbers == number
            return int(there.sum() if self.often is None else self.often.filter(there).sum())
        if not self.counts:
            return self.words.get(code, int((self.rest == code).sum()))
        return self.counts.get(code, 0)


def _float(code: str) -> float | None:
    try:
        return float(code)
    except ValueError:
        return None


def as_numbers(rest: pl.Series, options: ReadOptions) -> pl.Series | None:
    """Return the cells as numbers, if they all are."""
    if not len(rest):
        return None
    pattern = options.number_pattern or POINT
    if not rest.head(TRIAL).str.contains(pattern).all() or not rest.str.contains(pattern).all():
        return None
    for mark in options.thousands_marks:
        rest = rest.str.replace_all(mark, "", literal=True)
    numbers = (rest if options.has_point else rest.str.replace(",", ".", literal=True)).cast(pl.Float64, strict=False)
    return None if numbers.null_count() or rest.str.contains(r"^-?0[0-9]").any() else numbers
