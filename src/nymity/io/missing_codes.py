"""Missing codes: which words and numbers of a column stand for no answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl

from nymity.io.cell_column import POINT, TRIAL, CellColumn, as_numbers
from nymity.io.date_forms import reads_as
from nymity.io.lossless import typed_column
from nymity.io.number_marks import COMMA
from nymity.io.options import ReadOptions
from nymity.io.proposal import Proposal

#: … and those that do so in text, too. ``NA`` does not in a column of two letters, where it is Namibia.
_ANYWHERE = (
    "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "#NV", "<NA>", ".", "..", "?", "--",
    "k.A.", "k. A.", "keine Angabe", "n.v.t.", "s/o", "not available",
)  # fmt: skip
#: Numbers that surveys write in place of answers: the negative ones where no other number is negative, the positive
#: ones where they lie far above all others.
_BELOW = tuple(str(-number) for number in (7, 8, 9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 8888, 9999, 99999))
_ABOVE = ("888", "997", "998", "999", "8888", "9997", "9998", "9999", "99999", "999999", "9999999", "99999999")
_FAR = 3


def missing_codes(columns: list[CellColumn], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
    """Find codes of each column; those that mean nothing else anywhere are stated for the table, others by column.

    Columns of which codes are stated have those and no others.
    """
    if options.missing:
        return options, []
    columns = [column for column in columns if column.name not in options.missing_in]
    codes = {column.name: told for column in columns if (told := _codes_of(column, options))}
    everywhere = [
        code
        for code in dict.fromkeys(code for one in codes.values() for code in one)
        # -9 may be a code in one column and a temperature in another: then it is stated for its columns alone.
        if all(code in codes.get(column.name, {}) or not column.times(code) for column in columns)
    ]
    per_column = {name: tuple(one) for name, one in codes.items() if not set(one) <= set(everywhere)}
    found: list[Proposal] = []
    for code in dict.fromkeys(code for one in codes.values() for code in one):
        names = tuple(name for name, one in codes.items() if code in one)
        first, why = names[0], codes[names[0]][code]
        more = f", and in {len(names) - 1} more" if len(names) > 1 else ""
        evidence = f"{why} in {first!r}{more}"
        found.append(Proposal(field="missing", value=code, columns=names, evidence=evidence))
    options = replace(options, missing=tuple(everywhere), missing_in={**per_column, **options.missing_in})
    return options, found


def _codes_of(column: CellColumn, options: ReadOptions) -> dict[str, str]:
    """Return the codes of a column, each with what speaks for it."""
    found = {code: f"declared as missing, {times:,} times" for code in column.declared if (times := column.times(code))}
    if column.numbers is not None:
        far = _far_codes(column.numbers, times=None if column.often is None else column.times)
        return found | {code: why for code, why in far.items() if code not in found}
    numbers = as_numbers(column.rest, options)
    measured = numbers is not None or _is_dated(column, options)
    kind = "numbers" if numbers is not None else "dates"
    for word, times in column.words.items():
        if word in found:
            continue
        if measured:
            found[word] = f"{times:,} times among {column.filled:,} {kind}"
        elif word in _ANYWHERE and not _is_short_code(column, word):
            found[word] = f"{times:,} times among {column.filled:,} texts"
    if not measured:
        found |= {code: why for code, why in _numbers_among_texts(column).items() if code not in found}
    if numbers is not None:
        # by their different values, for it is one of these that lies far from the others
        told = _far_codes(numbers, times=column.times)
        found |= {code: why for code, why in told.items() if code not in found}
    return found


def _numbers_among_texts(column: CellColumn) -> dict[str, str]:
    """Return negative codes of surveys (``ja``, ``nein``, ``-9``) in a column none of whose other cells is a number."""
    is_code = column.rest.is_in(list(_BELOW))
    others = column.rest.filter(~is_code)
    if not is_code.any() or not len(others) or others.str.contains(rf"(?:{POINT})|(?:{COMMA})").any():
        return {}
    found = {code: column.times(code) for code in column.rest.filter(is_code)}
    texts = column.filled - sum(found.values())
    return {code: f"{times:,} times among {texts:,} texts, none of them a number" for code, times in found.items()}


def _is_short_code(column: CellColumn, word: str) -> bool:
    """Return whether a word is written like all other cells: it may be one of their codes, as NA is Namibia's."""
    some = column.rest.head(10_000)
    alike = (some.str.len_chars() == len(word)) & (some.str.contains("[a-z]") == (word != word.upper()))
    return bool(len(some)) and bool(alike.all())


def _is_dated(column: CellColumn, options: ReadOptions) -> bool:
    if not len(column.rest):
        return False
    form = options.dates_in.get(column.name, options.dates)
    if form is not None and reads_as(column.rest.head(TRIAL), form):
        return reads_as(column.rest, form)
    return typed_column(column.rest).dtype == pl.Date


def _far_codes(numbers: pl.Series, times: Callable[[str], int] | None = None) -> dict[str, str]:
    """Return numbers that stand for no answer, because they lie where no other number does."""
    values = numbers.cast(pl.Float64, strict=False)
    # Few codes are looked for much faster than all.
    low, high = float(values.min() or 0), float(values.max() or 0)  # type: ignore[arg-type]
    is_code = values.is_in([one for one in map(float, (*_BELOW, *_ABOVE)) if low <= one <= high])
    if not is_code.any() or is_code.all():
        return {}
    others = values.filter(~is_code)
    low, high = float(others.min()), float(others.max())  # type: ignore[arg-type]
    span = f"the other numbers go from {low:g} to {high:g}"
    found: dict[str, str] = {}
    for value, occurs in sorted(values.filter(is_code).value_counts().rows()):
        code = str(int(value))
        often = occurs if times is None else times(code)
        far = low >= 0 if value < 0 else high > 0 and value >= _FAR * high and often > 1
        if far:
            found[code] = f"{often:,} times; {span}"
        elif value > 0:  # an ordinary number, then
            return {one: why for one, why in found.items() if float(one) < 0}
    return found
