"""Date forms: which columns are dates, and in which form they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from nymity.io.cell_column import CellColumn
from nymity.io.options import ReadOptions
from nymity.io.proposal import Proposal, quoted_cell

#: Forms of dates by what stands between their parts; day before month unless cells tell otherwise.
_SHAPES = (
    (r"^\d{1,2}\.\d{1,2}\.\d{4}$", ("%d.%m.%Y",)),
    (r"^\d{1,2}\.\d{1,2}\.\d{2}$", ("%d.%m.%y",)),
    (r"^\d{1,2}/\d{1,2}/\d{4}$", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"^\d{1,2}/\d{1,2}/\d{2}$", ("%d/%m/%y", "%m/%d/%y")),
    (r"^\d{1,2}-\d{1,2}-\d{4}$", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"^\d{4}/\d{1,2}/\d{1,2}$", ("%Y/%m/%d",)),
    (r"^\d{1,2}-[A-Za-z]{3}-\d{4}$", ("%d-%b-%Y",)),
    (r"^\d{1,2}[A-Z]{3}\d{4}$", ("%d%b%Y",)),
    (r"^\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}$", ("%d.%m.%Y %H:%M",)),
    (r"^\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}:\d{2}$", ("%d.%m.%Y %H:%M:%S",)),
    (r"^\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}$", ("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M")),
    (r"^\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2}$", ("%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S")),
    (r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$", ("%Y-%m-%d %H:%M",)),
    (r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$", ("%Y-%m-%d %H:%M:%S",)),
    (r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$", ("%Y-%m-%dT%H:%M:%S",)),
)


def date_forms(columns: list[CellColumn], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
    """Find the form of each column of dates; the one of most columns is that of the table."""
    if options.dates is not None:
        return options, []
    forms: dict[str, tuple[str, ...]] = {}
    for column in columns:
        if column.is_text and column.name not in options.dates_in and (fitting := _fitting_forms(column)):
            forms[column.name] = fitting
    if not forms:
        return options, []
    settled = [fitting[0] for fitting in forms.values() if len(fitting) == 1]
    chosen = {name: _settled(fitting, settled) for name, fitting in forms.items()}
    of_all = [form for form, _ in chosen.values()]
    most = max(dict.fromkeys(of_all), key=of_all.count)
    others = {name: form for name, (form, _) in chosen.items() if form != most}
    by_name = {column.name: column for column in columns}
    found = [
        Proposal(
            field="dates",
            value=form,
            columns=tuple(names),
            evidence=_date_evidence(by_name[names[0]], form, sure=sure),
            sure=sure and "%y" not in form,
        )
        for (form, sure), names in _by_value(chosen).items()
    ]
    return replace(options, dates=most, dates_in={**options.dates_in, **others}), found


def _fitting_forms(column: CellColumn) -> tuple[str, ...]:
    for shape, forms in _SHAPES:
        if column.all_match(shape):
            return tuple(form for form in forms if reads_as(column.rest, form))
    return ()


def reads_as(texts: pl.Series, form: str) -> bool:
    """Return whether all cells are dates of a form."""
    timed = "%H" in form
    read = texts.str.to_datetime(form, strict=False) if timed else texts.str.to_date(form, strict=False)
    return read.null_count() == 0


def _settled(fitting: tuple[str, ...], settled: list[str]) -> tuple[str, bool]:
    """Choose a form; where cells fit several, that of other columns of the table, else it is left to a person."""
    if len(fitting) == 1:
        return fitting[0], True
    alike = [form for form in fitting if any(form[:5] == other[:5] for other in settled)]
    return (alike[0], True) if alike else (fitting[0], False)


def _date_evidence(column: CellColumn, form: str, *, sure: bool) -> str:
    telling = column.rest.head(10_000)
    days = telling.str.extract(r"^(\d{1,2})", 1).cast(pl.Int64, strict=False)
    second = telling.str.extract(r"^\d{1,2}\D(\d{1,2})", 1).cast(pl.Int64, strict=False)
    beyond = (days > 12) | (second > 12)
    example = str(telling.filter(beyond.fill_null(False))[0] if beyond.any() else telling[0])
    if not sure:
        return f"cells such as {quoted_cell(example)} in {column.name!r}; no day is above 12: the month may come first"
    said = f"all {column.filled:,} cells of {column.name!r} have this form, such as {quoted_cell(example)}"
    return f"{said}; years have no century: 00 to 69 are read as 2000 to 2069" if "%y" in form else said


def _by_value(chosen: Mapping[str, tuple[str, bool]]) -> dict[tuple[str, bool], list[str]]:
    grouped: dict[tuple[str, bool], list[str]] = {}
    for name, value in chosen.items():
        grouped.setdefault(value, []).append(name)
    return grouped
