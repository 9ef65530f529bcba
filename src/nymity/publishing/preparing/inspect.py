"""Inspection: a first look at a table, with a suggested role for every column and the reason for it.

The suggestions are a starting point for a person who knows the data. They err on the side of caution, and ask where the
evidence is not clear; what was decided beforehand (:class:`Answers`) is taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, ClassVar

import numpy as np
import polars as pl

from nymity.core import validation
from nymity.core.card import Card, Carded, CardTable
from nymity.core.errors import TableError
from nymity.core.public_names import public_names
from nymity.core.wording import count, percent
from nymity.io import CodedTable, DetectedReading, Dictionary, ReadOptions, detect_reading, to_polars
from nymity.kernels.repeats import repeating_rows
from nymity.publishing.preparing.answers import Answers
from nymity.risk.column_facts import TYPES
from nymity.risk.evidence.by_name import says_place
from nymity.risk.persons import PersonFinding, missed_by_records
from nymity.risk.suggestion import LookedAt, look_at
from nymity.table.attribute import Attribute, MissingPolicy, Role, WeightPublishing
from nymity.table.builders import Flat, LostZeros, short_codes
from nymity.table.encoding import person_ids
from nymity.table.hierarchy import Hierarchy, HierarchySource
from nymity.table.schema import Schema
from nymity.table.text import as_text, plainly_named

#: A starter job knows all methods, which take a while to load.
_starter, __getattr__ = public_names("nymity.publishing.preparing", starter="starter_job")

__all__ = ["ColumnInspection", "Inspection", "inspect", *_starter]

#: A hierarchy is suggested from at most about so many distinct values, to stay quick.
SUGGEST_FROM = 1000
#: Columns by which records are told apart first.
TELLING = 2
#: Records from which on it pays to load what is compiled for that.
_MANY = 10_000
#: How cells are meant is found out from at most about so many records of a frame.
DETECT_FROM = 20_000


@dataclass(frozen=True, kw_only=True, repr=False)
class ColumnInspection(Carded):
    """What one column holds, and which role it seems to have."""

    name: str
    type: str  #: in plain words: text, whole number, date ...
    records: int
    distinct: int  #: different values, missing not counted
    missing: int
    unique: int  #: values that occur once, hence records that this column alone singles out
    most_frequent: int  #: records that share the most frequent value
    examples: tuple[str, ...]  #: the most frequent values
    role: Role
    reason: str
    hierarchy: HierarchySource | None = None  #: suggested for quasi-identifiers; None: the value or ``*``
    levels: int = 2  #: levels of that hierarchy, the raw values and ``*`` among them
    separator: str = ";"  #: what stands between the items of a cell, where it holds several
    confidence: float = 1.0  #: how sure the role is, by the evidence
    is_question: bool = False  #: whether somebody who knows the data should decide
    instead: tuple[Role, ...] = ()  #: what else it could well be
    stake: float = 0.0  #: what it would cost if the role were wrong
    label: str = ""  #: what a dictionary calls it
    decided: Attribute | None = None  #: what somebody decided, in place of what is suggested
    idle: tuple[int, ...] = ()  #: levels of the hierarchy that change nothing in the table
    lost_zeros: LostZeros | None = None  #: codes that may be one digit short

    def card(self) -> Card:
        """Return what is shown: figures and the suggested role, none of its values."""
        return Card(
            title=f"Column {self.name}",
            verdict=str(self.attribute.role),
            tone="warned" if self.is_question else "",
            facts=[
                ("type", self.type),
                ("records", self.records),
                ("different values", self.distinct),
                ("missing", self.missing),
                ("values once", self.unique),
            ],
            sentences=[f"Why: {self.reason}."],
            warnings=["Somebody who knows the data should decide."] if self.is_question else [],
            foot=".examples has its most frequent values",
        )

    @property
    def attribute(self) -> Attribute:
        """What a schema says of the column: what was decided, or what is suggested.

        Weights are not published unless somebody says so: nobody else knows how the sample was drawn. Records of nobody
        known are left out, for promises count people.
        """
        if self.decided is not None:
            return self.decided
        publish: WeightPublishing | None = "dropped" if self.role is Role.WEIGHT else None
        gaps: MissingPolicy = "drop" if self.role is Role.PERSON and self.missing else "category"
        return Attribute(
            role=self.role, hierarchy=self.hierarchy, separator=self.separator, publish=publish, missing=gaps
        )

    @property
    def is_hierarchy_asked(self) -> bool:
        """Whether somebody should say if codes lost a zero."""
        return self.lost_zeros is not None and not self.lost_zeros.certain

    @property
    def unique_share(self) -> float:
        """Share of the records that this column alone singles out."""
        return self.unique / self.records


@dataclass(frozen=True, kw_only=True, repr=False)
class Inspection(Carded):
    """What a table holds, column by column, and how exposed its records are."""

    records: int
    columns: tuple[ColumnInspection, ...]
    unique_records: int  #: records that the suggested quasi-identifiers together single out
    smallest_class: int  #: records in the smallest class of the suggested quasi-identifiers
    person: PersonFinding | None = None  #: the column that tells of whom records are, where one does
    reading: DetectedReading = field(default_factory=DetectedReading)  #: what cells seem to mean
    dictionary: Dictionary = field(default_factory=Dictionary)  #: what is known of columns beside their cells

    _instead: ClassVar = {
        "roles": ".schema(), or .to_frame()",
        "types": ".to_frame()",
        "to_dict": "dict(...) of it, by column, or .to_frame()",
        "publish": "ny.publish(df, inspection.schema(), k=5)",
    }

    def __getitem__(self, name: str) -> ColumnInspection:
        """Return the column with this name."""
        return {column.name: column for column in self.columns}[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.columns)

    def keys(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def names(self, role: Role) -> tuple[str, ...]:
        """Names of the columns for which ``role`` is suggested."""
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def questions(self) -> tuple[ColumnInspection, ...]:
        """The columns that somebody who knows the data should decide about, what is most at stake first."""
        asked = (column for column in self.columns if column.is_question)
        return tuple(sorted(asked, key=lambda column: -column.stake))

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the suggested quasi-identifiers."""
        return self.names(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the suggested sensitive columns."""
        return self.names(Role.SENSITIVE)

    @property
    def lattice_size(self) -> int:
        """Ways to choose one level for each suggested quasi-identifier."""
        return prod(column.levels for column in self.columns if column.role is Role.QUASI)

    def card(self) -> Card:
        """Return what is shown: figures and roles, no value of any column."""
        asked = [column.name for column in self.questions]
        columns = ("column", "type", "role", "decide", "values", "missing", "values once")
        alone = f"{self.unique_records:,} ({percent(self.unique_records, self.records)})"
        rows = [
            (one.name, one.type, one.role.value, "?" if one.is_question else "", one.distinct, one.missing, one.unique)
            for one in self.columns
        ]
        return Card(
            title="Inspection",
            verdict=count(len(asked), "question") if asked else "",
            tone="warned" if asked else "",
            facts=[
                ("records", self.records),
                ("unique by quasi-identifiers", alone),
                ("smallest class", self.smallest_class),
            ],
            sentences=[f"Please decide about {', '.join(map(repr, asked[:8]))}."] if asked else (),
            tables=[CardTable(columns=columns, rows=rows, bars="values")],
            foot="inspection['column'].reason says why; inspection.schema() are roles for publish",
        )

    def schema(self) -> Schema:
        """Return the suggestions as a schema."""
        return Schema({column.name: column.attribute for column in self.columns})


def inspect(
    frame: Any,
    *,
    dictionary: Dictionary | None = None,
    reading: DetectedReading | None = None,
    answers: Answers | None = None,
) -> Inspection:
    """Look at every column of a table, any kind of frame, and suggest roles, hierarchies and so a first schema.

    ``dictionary`` says what is known of columns beside their cells. ``reading`` is how the table was read, where that
    was found out with it; of a frame it is found out here, and ``inspection.reading.apply(frame)`` reads it so.
    ``answers`` are decisions about columns, in place of suggestions.
    """
    for name, given, kind in (("dictionary", dictionary, Dictionary), ("reading", reading, DetectedReading)):
        validation.instance(name, given, (kind, type(None)), expected=f"a {kind.__name__}")
    validation.instance("answers", answers, (Answers, type(None)), expected="Answers")
    table = frame if isinstance(frame, CodedTable) else to_polars(frame)
    answers = answers or Answers()
    if reading is None:
        # All over the table, not its first rows: files are often sorted, and begin with one kind of value.
        some = table.gather_every(table.height // DETECT_FROM + 1)
        reading = detect_reading(some, answers.options(ReadOptions()), dictionary)
    if table.height == 0 or table.width == 0:
        raise TableError(
            "table",
            expected="at least one record and one column",
            got=f"{table.height} records and {table.width} columns",
        )
    answers.check(table.columns)
    seen = look_at(table, dictionary)
    known = dictionary or Dictionary()
    columns = tuple(_inspect_column(name, seen, answers, known) for name in seen.suggestions)
    quasi = sorted((column for column in columns if column.role is Role.QUASI), key=lambda column: -column.distinct)
    telling, person = [column.name for column in quasi], seen.person
    shared, alone = _together(seen.table, telling, person)
    if person is not None:
        person = replace(person, missed=missed_by_records(shared, person.column, telling))
    sizes = _class_sizes(shared, telling)
    return Inspection(
        records=table.height,
        columns=columns,
        person=person,
        unique_records=alone + int((sizes == 1).sum()),
        smallest_class=1 if alone else int(sizes.min()),  # type: ignore[arg-type]
        reading=reading,
        dictionary=known,
    )


# -- one column ----------------------------------------------------------------------------------------------


def _inspect_column(name: str, seen: LookedAt, answers: Answers, known: Dictionary) -> ColumnInspection:
    one, facts, counts = seen.suggestions[name], seen.facts[name], seen.counts[name]
    decided = answers.decided(name, Attribute(role=one.role))
    role = one.role if decided is None else decided.role
    made = _Made.given(decided.hierarchy, counts["value"]) if decided is not None and decided.hierarchy else None
    if made is None:
        # Sorted, so that what is suggested does not depend on the order of records.
        made = _Made.suggested(name, counts["value"].sort(), known) if role is Role.QUASI else _Made()
    hierarchy = made.source
    if decided is not None and role is Role.QUASI:
        decided = replace(decided, hierarchy=hierarchy)
    return ColumnInspection(
        name=name,
        type=facts.type,
        records=seen.table.height,
        distinct=facts.distinct,
        missing=facts.missing,
        unique=facts.once,
        most_frequent=facts.most_frequent,
        examples=_examples(counts, facts.type),
        role=role,
        reason=one.reason if decided is None else f"you decided; suggested was {one.role.value}: {one.reason}",
        confidence=one.confidence if decided is None else 1.0,
        is_question=one.is_question and decided is None,
        instead=one.instead,
        stake=one.stake,
        label=facts.label,
        hierarchy=hierarchy,
        levels=made.levels,
        idle=made.idle,
        lost_zeros=made.lost_zeros,
        separator=(facts.separator or ";") if role is Role.ITEMS else ";",
        decided=decided,
    )


@dataclass(frozen=True, kw_only=True)
class _Made:
    """A hierarchy for a column, and what is told of it."""

    source: HierarchySource | None = None
    levels: int = 2
    idle: tuple[int, ...] = ()
    lost_zeros: LostZeros | None = None

    @staticmethod
    def given(source: HierarchySource, values: pl.Series) -> _Made:
        """Look at one that somebody decided on."""
        built = source.build(values)
        return _Made(source=source, levels=built.height + 1, idle=built.idle_levels(as_text(values).to_list()))

    @staticmethod
    def suggested(name: str, values: pl.Series, known: Dictionary) -> _Made:
        """Suggest from the distinct values, or from a choice of them with both ends, where odd values sort to."""
        some, label = values, known.label(name) or ""
        if len(values) > SUGGEST_FROM:
            ends = SUGGEST_FROM // 4
            middle = values.slice(ends, len(values) - 2 * ends).gather_every(len(values) // (SUGGEST_FROM // 2))
            some = pl.concat([values.head(ends), middle, values.tail(ends)])
        kind = "category" if _is_labelled(some, name, known) else "code" if _numbers_places(some, name, label) else None
        source = Hierarchy.suggest(some, name=name, kind=kind, label=label)
        short = short_codes(as_text(some).to_list(), f"{name} {label}") if values.dtype.is_integer() else None
        if source == Flat():
            return _Made(lost_zeros=short)
        built = source.build(some)
        idle = built.idle_levels()
        if idle and len(some) < len(values):  # a choice of the values may tell them apart where all do not
            idle = source.build(values).idle_levels()
        return _Made(source=source, levels=built.height + 1, idle=idle, lost_zeros=short)


def _is_labelled(values: pl.Series, name: str, known: Dictionary) -> bool:
    """Return whether a dictionary takes a column for categories; labels of a few numbers, as of 99+, make none."""
    if known.kind(name) != "category":
        return False
    labelled = known.values(name)
    return not labelled or 2 * int(as_text(values).is_in(list(labelled)).sum()) >= len(values)


def _numbers_places(values: pl.Series, name: str, label: str) -> bool:
    """Return whether whole numbers of one length stand for places, by what the column is called: no interval does."""
    if not values.dtype.is_integer() or not len(values) or not says_place(f"{name} {label}"):
        return False
    low, high = int(values.min()), int(values.max())  # type: ignore[arg-type]
    return low >= 1000 and len(str(low)) == len(str(high))


# -- statistics ----------------------------------------------------------------------------------------------


def _together(
    table: pl.DataFrame | CodedTable, quasi: list[str], person: PersonFinding | None
) -> tuple[pl.DataFrame, int]:
    """Return the records that may look like others by cells, or by numbers that stand for them, and how many do not.

    Records that are alone by the columns with most values are alone by all: most are found so, and need no more.
    """
    if isinstance(table, CodedTable):
        return _together_by_values(table, quasi, person)
    if len(quasi) <= TELLING or table.height < _MANY:
        return table, 0
    again = repeating_rows(*(plainly_named(table[name]).hash(seed=0).to_numpy() for name in quasi[:TELLING]))
    return table[pl.Series(again)], table.height - len(again)


def _together_by_values(table: CodedTable, quasi: list[str], person: PersonFinding | None) -> tuple[pl.DataFrame, int]:
    rows = pl.Series(np.arange(table.height, dtype=np.uint32))
    if len(quasi) > TELLING:
        rows = pl.Series(repeating_rows(*(table.coded[name].keys.to_numpy() for name in quasi[:TELLING])))
    keys = {name: table.coded[name].keys_at(rows) for name in quasi}
    if person is not None:
        who = table.coded[person.column]
        keys[person.column] = replace(who, values=person_ids(who.values), as_cut=False).keys_at(rows)
    return pl.DataFrame(keys or {"": pl.repeat(0, len(rows), eager=True)}), table.height - len(rows)


def _class_sizes(table: pl.DataFrame, quasi: list[str]) -> pl.Series:
    """Sizes of the classes of records that agree on every quasi-identifier; without any, all are one class."""
    if not quasi:
        return pl.Series("size", [table.height], dtype=pl.UInt32)
    numbered = pl.DataFrame([table[name].alias(str(number)) for number, name in enumerate(quasi)])
    return numbered.group_by(numbered.columns).agg(pl.len().alias("size"))["size"]


def _examples(counts: pl.DataFrame, kind: str) -> tuple[str, ...]:
    if kind not in TYPES.values() or not counts.height:
        return ()
    if counts.height > SUGGEST_FROM:  # most occur less often than three others, and need no order
        third = counts["count"].top_k(3).min()
        counts = counts.filter(pl.col("count") >= third)
        if counts.height > SUGGEST_FROM and counts["value"].dtype not in (pl.Categorical, pl.Enum):
            # Of those as frequent as the third, the first few are enough: no later than three of them that are at hand.
            bound = counts.filter(pl.col("count") == third)["value"].head(SUGGEST_FROM).sort()[2]
            counts = counts.filter((pl.col("count") > third) | (pl.col("value") <= bound))
    most = counts.top_k(3, by=["count", "value"], reverse=[False, True]).sort(
        ["count", "value"], descending=[True, False]
    )
    return tuple(as_text(most["value"]).to_list())
