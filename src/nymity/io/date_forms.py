"""Date forms: which columns are dates, and in which form they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from nymity.io.cell_column import TRIAL, CellColumn
from nymity.io.options import Forms, ReadOptions
from nymity.io.proposal import Proposal, quoted_cell
from nymity.io.values import parsed

#: Forms of dates by what stands between their parts; day before month unless cells tell otherwise.
_SHAPES = (
    (r"^\d{1,2}\.\d{1,2}\.\d{4}$", ("%d.%m.%Y",)),
    (r"^\d{1,2}\.\d{1,2}\.\d{2}$", ("%d.%m.%y",)),
    (r"^\d{1,2}/\d{1,2}/\d{4}$", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"^\d{1,2}/\d{1,2}/\d{2}$", ("%d/%m/%y", "%m/%d/%y")),
    (r"^\d{1,2}-\d{1,2}-\d{4}$", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"^\d{4}/\d{1,2}/\d{1,2}$", ("%Y/%m/%d",)),
    (r"^\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d{2}$", ("%Y/%m/%d %H:%M",)),
    (r"^\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d{2}:\d{2}$", ("%Y/%m/%d %H:%M:%S",)),
    (r"^\d{1,2}-[A-Za-z]{3}-\d{4}$", ("%d-%b-%Y",)),
    (r"^\d{1,2}[A-Z]{3}\d{4}$", ("%d%b%Y",)),
    (r"^\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}$", ("%d.%m.%Y %H:%M",)),
    (r"^\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}:\d{2}$", ("%d.%m.%Y %H:%M:%S",)),
    (r"^\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}$", ("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M")),
    (r"^\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2}$", ("%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S")),
    (r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$", ("%Y-%m-%d %H:%M",)),
    (r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$", ("%Y-%m-%d %H:%M:%S",)),
    (r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$", ("%Y-%m-%dT%H:%M:%S",)),
    (r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$", ("%Y-%m-%dT%H:%M:%SZ",)),
    (r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{1,6}$", ("%Y-%m-%d %H:%M:%S.%f",)),
    (r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{1,6}$", ("%Y-%m-%dT%H:%M:%S.%f",)),
    (r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{1,6}Z$", ("%Y-%m-%dT%H:%M:%S.%fZ",)),
)
#: Forms that are found beside others in one column: those above, but for years without century, and ISO dates.
_MIXED = (*(one for one in _SHAPES if "%y" not in one[1][0]), (r"^\d{4}-\d{2}-\d{2}$", ("%Y-%m-%d",)))
#: Days in digits alone, as SAP and registers write them; so many different ones are no chance.
_DIGITS, _ENOUGH_DAYS, _YEARS = "%Y%m%d", 5, (1880, 2100)
_EIGHT_DIGITS = r"^\d{8}$"


def date_forms(columns: list[CellColumn], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
    """Find the form of each column of dates; the one of most columns is that of the table."""
    options, found = _days_in_digits(columns, options)
    options, mixed = _several_forms(columns, options)
    found += mixed
    if options.dates is not None:
        return options, found
    forms: dict[str, tuple[str, ...]] = {}
    for column in columns:
        if column.is_text and column.name not in options.dates_in and (fitting := _fitting_forms(column)):
            forms[column.name] = fitting
    if not forms:
        return options, found
    # Columns that can be read in one way alone decide for those that could be 1 February or 2 January.
    settled = [fitting[0] for fitting in forms.values() if len(fitting) == 1]
    chosen = {name: _settled(fitting, settled) for name, fitting in forms.items()}
    of_all = [form for form, _ in chosen.values()]
    most = max(dict.fromkeys(of_all), key=of_all.count)
    others = {name: form for name, (form, _) in chosen.items() if form != most}
    by_name = {column.name: column for column in columns}
    found += [
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


def _days_in_digits(columns: list[CellColumn], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
    """Find columns of days such as 20240131; their form is stated for them alone, for other digits are no days."""
    forms, found = dict(options.dates_in), []
    for column in columns:
        if column.name not in forms and (example := _day_in_digits(column)) is not None:
            forms[column.name] = _DIGITS
            evidence = f"every cell of {column.name!r} is a day in digits, such as {quoted_cell(example)}"
            found.append(Proposal(field="dates_in", value=_DIGITS, columns=(column.name,), evidence=evidence))
    return (replace(options, dates_in=forms) if found else options), found


def _day_in_digits(column: CellColumn) -> str | None:
    """Return a day of a column, if all of its cells are days in digits, and enough of them differ."""
    if column.numbers is None:
        if not column.all_match(_EIGHT_DIGITS):
            return None
        texts = column.rest.unique()
    else:
        low, high = column.numbers.min(), column.numbers.max()
        if low is None or not (_YEARS[0] * 10_000 < float(low) <= float(high) < _YEARS[1] * 10_000):  # type: ignore[arg-type]
            return None
        numbers = column.numbers.unique().cast(pl.Float64)
        texts = numbers.cast(pl.Int64).cast(pl.String) if bool((numbers == numbers.round()).all()) else pl.Series([""])
    if len(texts) < _ENOUGH_DAYS or not texts.str.contains(_EIGHT_DIGITS).all():
        return None
    days = texts.str.to_date(_DIGITS, strict=False)
    return str(texts.sort()[0]) if not days.null_count() and bool(days.dt.year().is_between(*_YEARS).all()) else None


def _several_forms(columns: list[CellColumn], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
    """Find columns whose cells are dates in different forms, each in one: read so, and asked about."""
    forms, found = dict(options.dates_in), []
    for column in columns:
        if not column.is_text or column.name in forms or (mixed := _mixed_forms(column)) is None:
            continue
        forms[column.name] = tuple(mixed)
        examples = " and ".join(f"{quoted_cell(example)} ({form})" for form, example in mixed.items())
        evidence = (
            f"dates of {column.name!r} are written in {len(mixed)} ways, {examples}; if one of them means something "
            "else, correct the file, or leave the column out of dates_in, and it is text"
        )
        value = ", ".join(mixed)
        found.append(Proposal(field="dates_in", value=value, columns=(column.name,), evidence=evidence, sure=False))
    return (replace(options, dates_in=forms) if found else options), found


def _mixed_forms(column: CellColumn) -> dict[str, str] | None:
    """Return the forms of a column by an example, if there are several and every cell has one of them."""
    any_of = "|".join(f"(?:{shape})" for shape, _ in _MIXED)
    if not column.all_match(any_of):
        return None
    found: dict[str, str] = {}
    for shape, forms in _MIXED:
        cells = column.rest.filter(column.rest.str.contains(shape))
        if not len(cells):
            continue
        fitting = [form for form in forms if reads_as(cells, form)]
        if not fitting:
            return None
        found[fitting[0]] = str(cells[0])
    return found if len(found) > 1 else None


def _fitting_forms(column: CellColumn) -> tuple[str, ...]:
    trial = column.rest.head(TRIAL).to_frame("cells")
    perhaps = trial.select(pl.col("cells").str.contains(shape).all().alias(shape) for shape, _ in _SHAPES).row(0)
    for (shape, forms), fits in zip(_SHAPES, perhaps, strict=True):
        if fits and column.all_match(shape):
            return tuple(form for form in forms if reads_as(column.rest, form))
    return ()


def reads_as(texts: pl.Series, form: Forms) -> bool:
    """Return whether all cells are dates of a form."""
    return parsed(texts, form).null_count() == 0


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
