"""What cells of a table seem to mean: codes for *missing*, decimal commas, thousands and forms of dates, with evidence.

Proposals are for a person to read: nothing is applied that nobody stated. ``nymity inspect`` shows them, and writes
them into the job. They are found from the records, so that for private methods nobody must ask at publishing time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import polars as pl

from nymity.core.quoting import MARK, quoted
from nymity.io.coded import CodedColumn, CodedTable
from nymity.io.dictionary import Dictionary
from nymity.io.frame import to_polars
from nymity.io.lossless import typed_column
from nymity.io.options import ReadOptions
from nymity.io.values import valued

#: A table by its rows, or by the different values of its columns.
T = TypeVar("T", pl.DataFrame, CodedTable)

#: Words that stand for no answer wherever they stand in a column of numbers or dates …
_WORDS = (
    "NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "none", "#N/A", "#NV", "<NA>", "nil", ".", "..",
    "-", "--", "?", "k.A.", "k. A.", "keine Angabe", "unbekannt", "unknown", "Unknown", "UNKNOWN", "missing", "Missing",
    "not available", "s/o", "n.v.t.", "n.d.", "ND", "x", "X",
)  # fmt: skip
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

_POINT = r"^\s*-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\s*$"
_COMMA = r"^\s*-?[0-9]+(?:,[0-9]+)?\s*$"
_GROUPED = r"^\s*-?[1-9][0-9]{0,2}(?:[.,' \u00a0\u202f’][0-9]{3})+(?:[.,][0-9]+)?\s*$"
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
#: Cells by which a shape is tried before the whole column is.
_TRIAL = 200


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """One thing that seems to be meant: a field of the job's source, its value, for which columns, and why.

    Where the cells leave it open (``sure`` is False), a person has to decide.
    """

    field: str
    value: str
    columns: tuple[str, ...]
    evidence: str
    sure: bool = True


@dataclass(frozen=True, kw_only=True)
class DetectedReading:
    """How a table seems to be meant to be read: what was stated and found (``options``), and what speaks for it."""

    options: ReadOptions = field(default_factory=ReadOptions)
    proposals: tuple[Proposal, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.proposals)

    def apply(self, frame: object) -> pl.DataFrame:
        """Return a frame with values in place of its cells, as if it had been read so."""
        return valued(to_polars(frame), self.options).table

    @property
    def stated(self) -> dict[str, Any]:
        """The options as fields of a job's source."""
        return {name: value for name, value in vars(self.options).items() if value not in (None, (), {})}


def detect_reading(
    table: T,
    options: ReadOptions,
    dictionary: Dictionary | None = None,
    *,
    texts: T | None = None,
) -> DetectedReading:
    """Find out what cells mean, where nobody stated it.

    ``table`` has types already where nothing is lost by them, ``texts`` the cells of columns with
    fractions as they stand in a file of text.
    """
    known = dictionary or Dictionary()
    if isinstance(table, CodedTable):
        written = {} if texts is None else texts.coded
        columns = [_Column.of_values(one, written.get(one.name), known, options) for one in table.coded.values()]
        return _detected(columns, options)
    stood = {} if texts is None else {column.name: column for column in texts.get_columns()}
    columns = [_Column.of(column, stood.get(column.name), known, options) for column in table.get_columns()]
    return _detected(columns, options)


def _detected(columns: list[_Column], options: ReadOptions) -> DetectedReading:
    options, marks = _number_marks(columns, options)
    for column in columns:
        column.read_again(options)
    options, dates = _date_forms(columns, options)
    options, codes = _missing_codes(columns, options)
    return DetectedReading(options=options, proposals=(*codes, *marks, *dates))


# -- one column ----------------------------------------------------------------------------------------------


@dataclass(eq=False, kw_only=True)
class _Column:
    """A column by its different values: those that look like codes (``words``), the ``rest``, and how often all are.

    A column of numbers has these (``numbers``) in place of texts, but for those as they stand in the file (``stood``).
    """

    name: str
    counts: dict[str, int]
    rest: pl.Series
    filled: int  #: cells of ``rest``
    words: dict[str, int]
    declared: tuple[str, ...]
    numbers: pl.Series | None
    stood: pl.Series | None
    often: pl.Series | None = None  #: how often each of the numbers is there, where these are different

    @staticmethod
    def of(column: pl.Series, texts: pl.Series | None, dictionary: Dictionary, options: ReadOptions) -> _Column:
        declared, cells = dictionary.missing(column.name), column.alias("cells")
        if cells.dtype.is_numeric():
            return _Column(
                name=column.name,
                counts={},
                rest=_NO_TEXT,
                filled=0,
                words={},
                declared=declared,
                numbers=cells.drop_nulls(),
                stood=None if texts is None else texts.alias("cells").drop_nulls(),
            )
        cells = cells.drop_nulls() if cells.dtype == pl.String else _NO_TEXT
        different = cells.str.strip_chars().alias("value").value_counts(name="times")
        return _Column._of_texts(column.name, different, declared, options)

    @staticmethod
    def of_values(
        column: CodedColumn, texts: CodedColumn | None, dictionary: Dictionary, options: ReadOptions
    ) -> _Column:
        """The same of a column that is known by its different values."""
        declared, values = dictionary.missing(column.name), column.values.alias("cells")
        if values.dtype.is_numeric():
            return _Column(
                name=column.name,
                counts={},
                rest=_NO_TEXT,
                filled=0,
                words={},
                declared=declared,
                numbers=values.drop_nulls(),
                stood=None if texts is None else texts.values.alias("cells"),
                often=column.times.filter(values.is_not_null()),
            )
        if values.dtype != pl.String:
            values = _NO_TEXT
        different = pl.DataFrame(
            [values.str.strip_chars().alias("value"), column.times.head(len(values)).alias("times")]
        ).drop_nulls()
        if different["value"].n_unique() < different.height:
            different = different.group_by("value", maintain_order=True).agg(pl.col("times").sum())
        return _Column._of_texts(column.name, different, declared, options)

    @staticmethod
    def _of_texts(name: str, different: pl.DataFrame, declared: tuple[str, ...], options: ReadOptions) -> _Column:
        different = different.filter(pl.col("value") != "")
        known = [*_WORDS, *declared, *options.codes_of(name)]
        hidden = different["value"].is_in(known)
        rest = different.filter(~hidden)
        return _Column(
            name=name,
            counts={} if different.height > _MOST_VALUES else dict(different.rows()),
            rest=rest["value"].alias("cells"),
            filled=int(rest["times"].sum()),
            words=dict(different.filter(hidden).rows()),
            declared=declared,
            numbers=None,
            stood=None,
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
            again = _as_numbers(self.stood, options)
            self.numbers = self.numbers if again is None else again

    def all_match(self, pattern: str) -> bool:
        """Return whether every value but codes has a form."""
        trial = self.rest.head(_TRIAL)
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


_NO_TEXT = pl.Series("cells", [], dtype=pl.String)
#: Up to so many different values are counted by name.
_MOST_VALUES = 10_000


# -- numbers -------------------------------------------------------------------------------------------------


def _number_marks(columns: list[_Column], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
    """Find decimal commas and thousands: from cells that can be read in one way alone, then for all columns."""
    if options.decimal is not None or options.thousands is not None:
        return options, []
    comma: dict[str, str] = {}  # columns by an example of theirs
    grouped: dict[tuple[str, str], dict[str, str]] = {}  # by mark of thousands and of decimals
    open_to_both: dict[str, str] = {}
    for column in columns:
        if not column.is_text:
            continue
        if column.all_match(_COMMA) and (has := column.rest.str.contains(",", literal=True)).any():
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


def _dotted(columns: list[_Column]) -> dict[str, str]:
    """Return columns of numbers in which every point could stand between thousands, by an example."""
    found: dict[str, str] = {}
    for column in columns:
        cells = column.as_written
        if cells is None or not len(cells) or not cells.head(_TRIAL).str.contains(_THOUSANDS).all():
            continue
        has_point = cells.str.contains(".", literal=True)
        if has_point.any() and cells.str.contains(_THOUSANDS).all():
            found[column.name] = str(cells.filter(has_point)[0])
    return found


def _perhaps_thousands(
    options: ReadOptions, columns: list[_Column], dotted: Mapping[str, str]
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
        evidence=f"every point stands before three digits, such as {_quoted(dotted[first])} in {first!r}, in a file "
        f"with ';' between cells: thousands or decimals? Otherwise say {other}",
        sure=False,
    )
    return replace(options, decimal=",", thousands=".") if beside else replace(options, decimal="."), [asked]


def _lost_thousands(columns: list[_Column], options: ReadOptions) -> list[Proposal]:
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


def _grouping(column: _Column) -> tuple[tuple[str, str], str] | None:
    """Return the marks of thousands and decimals of a column that has both, or thousands again and again."""
    either = rf"(?:{_GROUPED})|(?:{_COMMA})|(?:{_POINT})"
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
    european = bool(comma) or (marks is not None and marks[1] == ",") or options.delimiter == ";"
    if marks is not None and marks[1] == "." and comma:
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


def _quoted(cell: str) -> str:
    return quoted(cell).replace(MARK, "")  # which is for errors


def _of_marks(name: str, value: str, by: Mapping[str, str], what: str, *, sure: bool = True) -> Proposal:
    first = next(iter(by.items()))
    return Proposal(
        field=name,
        value=value,
        columns=tuple(by),
        evidence=f"cells {what}, such as {_quoted(first[1])} in {first[0]!r}",
        sure=sure,
    )


# -- dates ---------------------------------------------------------------------------------------------------


def _date_forms(columns: list[_Column], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
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


def _fitting_forms(column: _Column) -> tuple[str, ...]:
    for shape, forms in _SHAPES:
        if column.all_match(shape):
            return tuple(form for form in forms if _reads(column.rest, form))
    return ()


def _reads(texts: pl.Series, form: str) -> bool:
    timed = "%H" in form
    read = texts.str.to_datetime(form, strict=False) if timed else texts.str.to_date(form, strict=False)
    return read.null_count() == 0


def _settled(fitting: tuple[str, ...], settled: list[str]) -> tuple[str, bool]:
    """Choose a form; where cells fit several, that of other columns of the table, else it is left to a person."""
    if len(fitting) == 1:
        return fitting[0], True
    alike = [form for form in fitting if any(form[:5] == other[:5] for other in settled)]
    return (alike[0], True) if alike else (fitting[0], False)


def _date_evidence(column: _Column, form: str, *, sure: bool) -> str:
    telling = column.rest.head(10_000)
    days = telling.str.extract(r"^(\d{1,2})", 1).cast(pl.Int64, strict=False)
    second = telling.str.extract(r"^\d{1,2}\D(\d{1,2})", 1).cast(pl.Int64, strict=False)
    beyond = (days > 12) | (second > 12)
    example = str(telling.filter(beyond.fill_null(False))[0] if beyond.any() else telling[0])
    if not sure:
        return f"cells such as {_quoted(example)} in {column.name!r}; no day is above 12: the month may come first"
    said = f"all {column.filled:,} cells of {column.name!r} have this form, such as {_quoted(example)}"
    return f"{said}; years have no century: 00 to 69 are read as 2000 to 2069" if "%y" in form else said


def _by_value(chosen: Mapping[str, tuple[str, bool]]) -> dict[tuple[str, bool], list[str]]:
    grouped: dict[tuple[str, bool], list[str]] = {}
    for name, value in chosen.items():
        grouped.setdefault(value, []).append(name)
    return grouped


# -- codes for missing ---------------------------------------------------------------------------------------


def _missing_codes(columns: list[_Column], options: ReadOptions) -> tuple[ReadOptions, list[Proposal]]:
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


def _codes_of(column: _Column, options: ReadOptions) -> dict[str, str]:
    """Return the codes of a column, each with what speaks for it."""
    found = {
        code: f"declared in the dictionary, {times:,} times"
        for code in column.declared
        if (times := column.times(code))
    }
    if column.numbers is not None:
        far = _far_codes(column.numbers, times=None if column.often is None else column.times)
        return found | {code: why for code, why in far.items() if code not in found}
    numbers = _as_numbers(column.rest, options)
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


def _numbers_among_texts(column: _Column) -> dict[str, str]:
    """Return negative codes of surveys (``ja``, ``nein``, ``-9``) in a column none of whose other cells is a number."""
    is_code = column.rest.is_in(list(_BELOW))
    others = column.rest.filter(~is_code)
    if not is_code.any() or not len(others) or others.str.contains(rf"(?:{_POINT})|(?:{_COMMA})").any():
        return {}
    found = {code: column.times(code) for code in column.rest.filter(is_code)}
    texts = column.filled - sum(found.values())
    return {code: f"{times:,} times among {texts:,} texts, none of them a number" for code, times in found.items()}


def _is_short_code(column: _Column, word: str) -> bool:
    """Return whether a word is written like all other cells: it may be one of their codes, as NA is Namibia's."""
    some = column.rest.head(10_000)
    alike = (some.str.len_chars() == len(word)) & (some.str.contains("[a-z]") == (word != word.upper()))
    return bool(len(some)) and bool(alike.all())


def _is_dated(column: _Column, options: ReadOptions) -> bool:
    if not len(column.rest):
        return False
    form = options.dates_in.get(column.name, options.dates)
    if form is not None and _reads(column.rest.head(_TRIAL), form):
        return _reads(column.rest, form)
    return typed_column(column.rest).dtype == pl.Date


def _as_numbers(rest: pl.Series, options: ReadOptions) -> pl.Series | None:
    """Return the cells as numbers, if they all are."""
    if not len(rest):
        return None
    pattern = options.number_pattern or _POINT
    if not rest.head(_TRIAL).str.contains(pattern).all() or not rest.str.contains(pattern).all():
        return None
    for mark in options.thousands_marks:
        rest = rest.str.replace_all(mark, "", literal=True)
    numbers = (rest if options.has_point else rest.str.replace(",", ".", literal=True)).cast(pl.Float64, strict=False)
    return None if numbers.null_count() or rest.str.contains(r"^-?0[0-9]").any() else numbers


def _far_codes(numbers: pl.Series, times: Callable[[str], int] | None = None) -> dict[str, str]:
    """Return numbers that stand for no answer, because they lie where no other number does."""
    candidates = [float(code) for code in (*_BELOW, *_ABOVE)]
    values = numbers.cast(pl.Float64, strict=False)
    is_code = values.is_in(candidates)
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
