"""Number marks: which columns have decimal commas and thousands, by cells that can be read in one way alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from nymity.io.cell_column import POINT, TRIAL, CellColumn
from nymity.io.options import ReadOptions
from nymity.io.proposal import Proposal, quoted_cell

COMMA = r"^\s*-?[0-9]+(?:,[0-9]+)?\s*$"
_GROUPED = r"^\s*-?[1-9][0-9]{0,2}(?:[.,' \u00a0\u202f’][0-9]{3})+(?:[.,][0-9]+)?\s*$"


def number_marks(columns: list[CellColumn], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
    """Find decimal commas and thousands: from cells that can be read in one way alone, then for all columns."""
    if options.decimal is not None or options.thousands is not None:
        return options, []
    comma: dict[str, str] = {}  # columns by an example of theirs
    grouped: dict[tuple[str, str], dict[str, str]] = {}  # by mark of thousands and of decimals
    open_to_both: dict[str, str] = {}
    for column in columns:
        if not column.is_text:
            continue
        if column.all_match(COMMA) and (has := column.rest.str.contains(",", literal=True)).any():
            example = str(column.rest.filter(has)[0])
            alike = column.rest.filter(has).str.contains(r"^-?[1-9][0-9]{0,2},[0-9]{3}$").all()
            (open_to_both if alike else comma)[column.name] = example
        elif (found := _grouping(column)) is not None:
            grouped.setdefault(found[0], {})[column.name] = found[1]
    if comma:  # then a point stands between thousands, also where all cells looked like numbers with decimals
        grouped.setdefault((".", ","), {}).update(_dotted(columns))
    elif options.delimiter == ";" and not grouped and not open_to_both and (dotted := _dotted(columns)):
        return _perhaps_thousands(options, columns, dotted)
    grouped = {pair: names for pair, names in grouped.items() if names}
    options, chosen = _chosen_marks(options, comma, grouped, open_to_both)
    return options, [*chosen, *_lost_thousands(columns, options)]


#: Numbers with a point between thousands, if anything: ``567``, ``12.345``.
_THOUSANDS = str(ReadOptions(decimal=",", thousands=".").number_pattern)


def _dotted(columns: list[CellColumn]) -> dict[str, str]:
    """Return columns of numbers in which every point could stand between thousands, by an example."""
    found: dict[str, str] = {}
    for column in columns:
        cells = column.as_written
        if cells is None or not len(cells) or not cells.head(TRIAL).str.contains(_THOUSANDS).all():
            continue
        has_point = cells.str.contains(".", literal=True)
        if has_point.any() and cells.str.contains(_THOUSANDS).all():
            found[column.name] = str(cells.filter(has_point)[0])
    return found


def _perhaps_thousands(
    options: ReadOptions, columns: list[CellColumn], dotted: Mapping[str, str]
) -> tuple[ReadOptions, list[Proposal]]:
    """Ask about points in a file from where decimals may have commas, unless a column has decimals by them.

    Beside numbers below 1000 without one they are taken for thousands: whoever writes three decimals writes all.
    """
    written = {column.name: column.as_written for column in columns}
    for name, cells in written.items():
        if name not in dotted and cells is not None and cells.str.contains(r"^\s*-?[0-9]+\.[0-9]+\s*$").any():
            return options, []
    beside = [name for name in dotted if not written[name].str.contains(".", literal=True).all()]  # type: ignore[union-attr]
    field, value, other = (
        ("thousands", ".", 'decimal "."') if beside else ("decimal", ".", 'decimal "," and thousands "."')
    )
    first = (beside or list(dotted))[0]
    asked = Proposal(
        field=field,
        value=value,
        columns=tuple(dotted),
        evidence=f"every point stands before three digits, such as {quoted_cell(dotted[first])} in {first!r}, in a "
        f"file with ';' between cells: thousands or decimals? Otherwise say {other}",
        sure=False,
    )
    return replace(options, decimal=",", thousands=".") if beside else replace(options, decimal="."), [asked]


def _lost_thousands(columns: list[CellColumn], options: ReadOptions) -> list[Proposal]:
    """Ask about numbers of a frame that may have been thousands before somebody read them with decimals."""
    if options.has_point:
        return []
    asked = []
    for column in columns:
        if column.numbers is None or column.stood is not None or not column.numbers.dtype.is_float():
            continue
        whole = ((column.numbers - column.numbers.round(3)).abs() < 1e-9) & (column.numbers.abs() >= 1)
        telling = column.numbers.filter(column.numbers.round(2) != column.numbers.round(3))
        if len(telling) and whole.all():
            evidence = (
                f"numbers such as {telling[0]} in {column.name!r} have three decimals at most, and others "
                "have a comma before decimals: if they were thousands, read the file again with thousands = '.'"
            )
            asked.append(Proposal(field="thousands", value=".", columns=(column.name,), evidence=evidence, sure=False))
    return asked


def _grouping(column: CellColumn) -> tuple[tuple[str, str], str] | None:
    """Return the marks of thousands and decimals of a column that has both, or thousands again and again."""
    either = rf"(?:{_GROUPED})|(?:{COMMA})|(?:{POINT})"
    if not column.all_match(either):
        return None
    for thousands, decimal in ((".", ","), (",", "."), (" ", ","), ("'", ".")):
        options = ReadOptions(thousands=thousands, decimal=decimal)
        pattern = str(options.number_pattern)
        if not column.rest.str.contains(pattern).all():
            continue
        marks = "".join(options.thousands_marks)
        telling = column.rest.str.contains(rf"[0-9][{marks}][0-9]{{3}}(?:[{marks}][0-9]{{3}}|\{decimal}[0-9])") | (
            column.rest.str.contains(rf"[0-9][{marks}][0-9]{{3}}") if thousands in " '" else pl.Series([False])
        )
        if telling.any():
            return (thousands, decimal), str(column.rest.filter(telling)[0])
    return None


def _chosen_marks(
    options: ReadOptions,
    comma: Mapping[str, str],
    grouped: Mapping[tuple[str, str], Mapping[str, str]],
    open_to_both: Mapping[str, str],
) -> tuple[ReadOptions, list[Proposal]]:
    """Choose one pair of marks for the table: that of most columns; cells that fit both leave it open."""
    votes = {pair: len(names) for pair, names in grouped.items()}
    marks = max(votes, key=lambda pair: votes[pair], default=None)
    european = bool(comma) or (options.delimiter == ";" if marks is None else marks[1] == ",")
    if marks is not None and marks[1] == "." and comma:
        # Columns speak for both marks: the majority decides for the table.
        marks = None if len(comma) >= votes[marks] else marks
        european = marks is None
    named = dict(grouped.get(marks, {})) if marks is not None else {}
    if european and (comma or open_to_both or named):
        by = {**comma, **open_to_both, **(named if marks and marks[1] == "," else {})}
        sure = bool(comma) or bool(named)
        found = [_of_marks("decimal", ",", by, "have a comma before decimals", sure=sure)]
        options = replace(options, decimal=",")
        if marks is not None and marks[1] == ",":
            found.append(_of_marks("thousands", marks[0], named, "have thousands"))
            options = replace(options, thousands=marks[0])
        return options, found
    if marks is not None:
        by = {**named, **(open_to_both if marks[0] == "," else {})}
        return replace(options, thousands=marks[0]), [_of_marks("thousands", marks[0], by, "have thousands")]
    if open_to_both:
        found = [_of_marks("thousands", ",", open_to_both, "have thousands, or decimals", sure=False)]
        return replace(options, thousands=","), found
    return options, []


def _of_marks(name: str, value: str, by: Mapping[str, str], what: str, *, sure: bool = True) -> Proposal:
    first = next(iter(by.items()))
    return Proposal(
        field=name,
        value=value,
        columns=tuple(by),
        evidence=f"cells {what}, such as {quoted_cell(first[1])} in {first[0]!r}",
        sure=sure,
    )
