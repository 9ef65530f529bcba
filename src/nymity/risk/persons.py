"""Persons and households: which columns tell whose records are together, found by how others behave within them.

A person's records agree in sex and birth date, and differ in what happened. So the column of persons is one whose
values repeat, and within which others are constant far more often than by chance. Cases of a person do that, too, but
within persons; households and places are told by their people, who differ in sex and birth date. Where a table has
neither, two columns must be constant that do not follow from each other, as city and state of a postcode do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import polars as pl

from nymity.io import CodedTable, cells_at, numbers_at, rows_where, values_of
from nymity.risk.column_facts import ENOUGH_RECORDS, ColumnFacts, are_years, points_to_people
from nymity.risk.identifiers import DATES
from nymity.risk.people_words import is_a_name, is_of_one_person, names_code, names_household, names_people
from nymity.table.encoding import person_ids
from nymity.table.text import plainly_named

#: Mean number of records of a value; with more it stands for kinds of people or for places, unless sex tells.
SEVERAL = (1.03, 60.0)
#: Fewer values than this, in a table of ten times as many records, are kinds of people, whatever the name.
FEW_PERSONS = 10
#: Mean number of people of a household, and the most of one.
FAMILY, LARGEST_FAMILY = (1.2, 8.0), 30
#: A column is constant within another one if it is so within this share of the values that have several records.
CONSTANT = 0.9
#: ... and if it differs within at most this share of the values in which it would by chance: most are seldom anything.
CLEARLY = 0.5
#: Evidence needed, as the logarithm of one over the chance that records agree so often by chance.
EVIDENCE = log(10_000)
#: Columns that are compared within a candidate, and candidates that are tried, to stay quick.
MOST_COLUMNS, MOST_CANDIDATES = 40, 8
#: Records that are looked at within a candidate: all of a part of its values, or a part of theirs if those are few.
MOST_RECORDS, FEW_VALUES = 20_000, 500
#: From this share of different values to persons on, a column that is constant within persons names them.
ONE_EACH = 0.9
#: The k that records are counted by to say what a promise to records would miss.
USUAL_K = 5


@dataclass(frozen=True, kw_only=True)
class PersonFinding:
    """A column that tells of whom records are, and the columns that are constant within its values."""

    column: str
    persons: int
    records: int
    most_records: int  #: of one person
    constant: tuple[str, ...]
    naming: tuple[str, ...]  #: those of them with nearly another value for each person
    cases: tuple[str, ...]  #: columns that tell cases of one person apart: stays, receipts
    #: Records in classes of ``enough`` records, but fewer persons, by the suggested quasi-identifiers as they are.
    missed: int = 0
    enough: int = USUAL_K

    @property
    def reason(self) -> str:
        """Why the column is taken for persons."""
        each = f"{self.persons:,} values for {self.records:,} records"
        if not self.constant:
            return f"{each}, and its name says people: of whom a record is"
        return f"{each}{_staying(self.constant)}: of whom a record is"


@dataclass(frozen=True, kw_only=True)
class HouseholdFinding:
    """A column that tells who lives together, and the columns that are constant within its values."""

    column: str
    households: int
    records: int
    constant: tuple[str, ...]

    @property
    def reason(self) -> str:
        """Why the column is taken for households."""
        return f"{self.households:,} values for {self.records:,} records{_staying(self.constant)}: who lives together"


def _staying(constant: Sequence[str]) -> str:
    """Name the first columns that are constant within a value."""
    if not constant:
        return ""
    names = ", ".join(constant[:3]) + (" and more" if len(constant) > 3 else "")
    return f", within which {names} stay{'s' * (len(constant) == 1)} the same"


@dataclass(frozen=True, kw_only=True)
class _Within:
    """How the other columns behave within the values of one."""

    column: str
    values: int
    records: int
    constant: tuple[str, ...]
    evidence: float  #: that they are not so by chance, as a logarithm

    @property
    def mean(self) -> float:
        return self.records / self.values


def find_persons(
    table: pl.DataFrame | CodedTable, facts: Mapping[str, ColumnFacts], counts: Mapping[str, pl.DataFrame]
) -> tuple[PersonFinding | None, HouseholdFinding | None]:
    """Return the columns that most probably tell of whom records are, and who lives together; None where none does."""
    candidates, personal = _candidates(table, facts), _personal(facts)
    person = _person(table, facts, counts, candidates, personal)
    return person, _household(table, facts, candidates, personal, person)


def _person(
    table: pl.DataFrame | CodedTable,
    facts: Mapping[str, ColumnFacts],
    counts: Mapping[str, pl.DataFrame],
    candidates: Sequence[_Within],
    personal: Sequence[str],
) -> PersonFinding | None:
    known = [within for within in candidates if _are_persons(table, within, personal, facts)]
    if not known:
        return None
    best = max(known, key=lambda one: (names_people(facts[one.column]), _numbers(table, one.column), one.values))
    for other in sorted(known, key=lambda one: -one.values):
        # Cases are within persons, and agree in all that persons agree in.
        named = names_people(facts[other.column]) >= names_people(facts[best.column])
        numbered = _numbers(table, other.column) >= _numbers(table, best.column)
        if named and numbered and _is_within(table, best, other):
            best = other
    records = _records_each(counts[best.column])
    return PersonFinding(
        column=best.column,
        persons=len(records),
        records=int(records.sum()),
        most_records=int(records.max()),  # type: ignore[arg-type]
        constant=best.constant,
        naming=tuple(
            other
            for other in best.constant
            if best.values >= ENOUGH_RECORDS and facts[other].distinct >= ONE_EACH * best.values
        ),
        cases=tuple(
            other.column
            for other in candidates
            if best.values >= ENOUGH_RECORDS and _numbers(table, other.column) and _is_within(table, other, best)
        ),
    )


def _records_each(counts: pl.DataFrame) -> pl.Series:
    """Return how many records each person has; spaces around an identifier make nobody else of it."""
    if counts["value"].dtype.is_integer():
        return counts["count"]
    told = pl.DataFrame({"person": person_ids(counts["value"]), "records": counts["count"]}).drop_nulls("person")
    return told.group_by("person").agg(pl.col("records").sum())["records"]


def _household(
    table: pl.DataFrame | CodedTable,
    facts: Mapping[str, ColumnFacts],
    candidates: Sequence[_Within],
    personal: Sequence[str],
    person: PersonFinding | None,
) -> HouseholdFinding | None:
    found = []
    born_with = set(_born_with(facts))
    for within in candidates:
        if person is not None and within.column == person.column:
            continue
        by_name = names_household(facts[within.column])
        differ = bool(personal) and not born_with & set(within.constant)
        alike = len(within.constant) >= 2 and within.evidence >= EVIDENCE and _independent(table, within.constant)
        if not (by_name or (differ and alike and _numbers(table, within.column))):
            continue
        people = pl.DataFrame({"unit": table[within.column]})
        if person is not None:
            people = people.with_columns(table[person.column].alias("person")).unique()
            # A few may have moved from one to another; where many have, these are no households.
            if people.height > 1.02 * person.persons:
                continue  # people who belong to several
        sizes = people["unit"].drop_nulls().value_counts()["count"]
        if FAMILY[0] <= len(people) / max(1, len(sizes)) <= FAMILY[1] and sizes.max() <= LARGEST_FAMILY:  # type: ignore[operator]
            found.append((by_name, within))
    if not found:
        return None
    _, best = max(found, key=lambda one: (one[0], len(one[1].constant)))
    return HouseholdFinding(column=best.column, households=best.values, records=best.records, constant=best.constant)


def missed_by_records(table: pl.DataFrame, person: str, quasi: Sequence[str]) -> int:
    """Count the records in classes of enough records but too few persons, as the table is."""
    if not quasi:
        return 0
    cells = pl.DataFrame({f"q{i}": table[name] for i, name in enumerate(quasi)})
    rows = cells.with_columns(person_ids(table[person]).alias("person"))
    classes = rows.group_by(cells.columns).agg(pl.len().alias("records"), pl.col("person").n_unique().alias("people"))
    return int(classes.filter((pl.col("records") >= USUAL_K) & (pl.col("people") < USUAL_K))["records"].sum())


def _personal(facts: Mapping[str, ColumnFacts]) -> list[str]:
    """Name the columns that never change for a person: sex and birth date, in their shortest names.

    ``physician_sex`` beside ``sex`` is somebody else's.
    """
    named = _born_with(facts)
    fewest = min((len(facts[name].words) for name in named), default=0)
    return [name for name in named if len(facts[name].words) == fewest]


def _born_with(facts: Mapping[str, ColumnFacts]) -> list[str]:
    several = [name for name in facts if facts[name].distinct > 1]
    return [name for name in several if is_of_one_person(facts[name])]


def _candidates(table: pl.DataFrame | CodedTable, facts: Mapping[str, ColumnFacts]) -> list[_Within]:
    """Look at the columns whose values repeat as those of persons may."""
    names = [name for name in facts if _repeats(facts[name], table)]
    names.sort(
        key=lambda name: (not names_people(facts[name]), not names_household(facts[name]), -facts[name].distinct)
    )
    others = [name for name in facts if facts[name].distinct > 1][:MOST_COLUMNS]
    numbers = _Numbers(table)
    return [_within(numbers, name, others, facts[name]) for name in names[:MOST_CANDIDATES] if len(others) > 1]


class _Numbers:
    """Numbers of columns in some rows, kept while the rows stay the same: those of many candidates are."""

    def __init__(self, table: pl.DataFrame | CodedTable) -> None:
        self.table = table
        self._rows, self._kept = pl.Series([], dtype=pl.UInt32), dict[str, pl.Series]()

    def at(self, name: str, rows: pl.Series) -> pl.Series:
        if not rows.equals(self._rows):
            self._rows, self._kept = rows, {}
        if name not in self._kept:
            self._kept[name] = numbers_at(self.table, name, rows)
        return self._kept[name]


def _repeats(facts: ColumnFacts, table: pl.DataFrame | CodedTable) -> bool:
    """Whether values repeat; codes of places and of illnesses are left out by their names."""
    if facts.distinct < 2 or facts.missing * 2 > facts.present or any(flag.kind == DATES for flag in facts.flags):
        return False
    if facts.type == "number":  # a column of whole numbers with gaps, as spreadsheets write it
        values = values_of(table, facts.name)
        if not bool((values == values.round()).all()):
            return False
    elif facts.type not in ("text", "whole number"):
        return False
    repeats = facts.present / facts.distinct >= SEVERAL[0] and (names_household(facts) or not names_code(facts))
    return repeats and not are_years(facts)


def _within(numbers: _Numbers, name: str, others: Sequence[str], facts: ColumnFacts) -> _Within:
    """Look at what is constant within the values of a column, by one group-by."""
    table, compared = numbers.table, [other for other in others if other != name]
    rows = _some(table, name, facts.distinct)
    # Values as numbers, of which the smallest and the largest are enough to know.
    coded = pl.DataFrame({f"c{i}": numbers.at(other, rows) for i, other in enumerate(compared)})
    bounds = [pl.all().exclude("unit").min().name.prefix("least "), pl.all().exclude("unit").max().name.prefix("most ")]
    grouped = coded.with_columns(cells_at(table, name, rows).alias("unit")).group_by("unit")
    several = grouped.agg(pl.len().alias("records"), *bounds).filter(pl.col("records") > 1)
    constant, evidence = [], 0.0
    for i, other in enumerate(compared):
        alike = float((several[f"least c{i}"] == several[f"most c{i}"]).mean()) if several.height else 0.0  # type: ignore[arg-type]
        if alike >= CONSTANT:
            chance = _alike_by_chance(several["records"], coded[f"c{i}"])
            if 1 - alike <= CLEARLY * (1 - chance):
                constant.append(other)
                evidence += several.height * _divergence(alike, chance)
    return _Within(
        column=name,
        values=facts.distinct,
        records=facts.present,
        constant=tuple(constant),
        evidence=evidence,
    )


def _some(table: pl.DataFrame | CodedTable, name: str, values: int) -> pl.Series:
    """Return rows enough to judge by, with all of a value's where there are many values; gaps have no row."""
    parts, unit = table.height // MOST_RECORDS + 1, values_of(table, name)
    places = unit.is_not_null()
    if parts > 1 and values >= parts * FEW_VALUES:
        return rows_where(table, name, places & (unit.hash(seed=0) % parts == 0))
    return rows_where(table, name, places).gather_every(parts)


def _alike_by_chance(sizes: pl.Series, column: pl.Series) -> float:
    """Return the share of groups of these sizes that would agree in a column if records were put together by chance."""
    shares = column.value_counts()["count"].to_numpy() / len(column)
    counted = sizes.clip(upper_bound=50).value_counts()
    agree: float = sum(count * float((shares**size).sum()) for size, count in counted.iter_rows())
    return min(agree / len(sizes), 1.0)


def _divergence(share: float, chance: float) -> float:
    """Return the Kullback-Leibler divergence of two shares, in nats; finite also where chance allows nothing."""
    chance = min(max(chance, 1e-12), 1 - 1e-12)
    parts = [(share, chance), (1 - share, 1 - chance)]
    return sum(one * log(one / other) for one, other in parts if one > 0)


def _are_persons(
    table: pl.DataFrame | CodedTable, within: _Within, personal: Sequence[str], facts: Mapping[str, ColumnFacts]
) -> bool:
    """Judge by the column's name, by what is personal, or by constant columns that do not follow from each other."""
    if names_household(facts[within.column]) or is_a_name(facts[within.column]):
        return False
    differ = not set(personal) <= set(within.constant)
    if within.values < FEW_PERSONS <= within.records // 10 or 20 * within.values <= within.records < 10 * FEW_PERSONS:
        return False  # a kind of people
    if names_people(facts[within.column]):
        return not differ or not personal or within.mean <= SEVERAL[1]
    if points_to_people(facts[within.column]):
        numbered = any(one.one_per_record and (names_people(one) or points_to_people(one)) for one in facts.values())
        return not differ and not numbered and within.mean <= SEVERAL[1]
    if differ or within.evidence < EVIDENCE:
        return False
    if personal and _numbers(table, within.column) and within.mean <= SEVERAL[1]:
        return True
    return (bool(personal) or within.mean <= SEVERAL[1]) and _independent(table, within.constant)


def _numbers(table: pl.DataFrame | CodedTable, name: str) -> bool:
    """Whether values are numbers or contain digits, as those that tell people apart do, and names do not."""
    values = values_of(table, name)
    if values.dtype.is_numeric():
        return True
    given = rows_where(table, name, values.is_not_null()).head(1000)
    some = plainly_named(cells_at(table, name, given))
    return len(some) > 0 and float(some.cast(pl.String).str.contains(r"\d").mean()) > 0.5  # type: ignore[arg-type]


def _is_within(table: pl.DataFrame | CodedTable, finer: _Within, coarser: _Within) -> bool:
    """Whether each value of one column has a single one of the other, which has fewer."""
    if coarser.values >= finer.values:
        return False
    rows = _some(table, finer.column, finer.values)
    both = pl.DataFrame(
        {"finer": cells_at(table, finer.column, rows), "coarser": cells_at(table, coarser.column, rows)}
    )
    return both.n_unique() <= 1.01 * both["finer"].n_unique()


def _independent(table: pl.DataFrame | CodedTable, constant: Sequence[str]) -> bool:
    """Whether neither of two columns follows from the other: there are more pairs of values than values of either."""
    some = table.gather_every(table.height // MOST_RECORDS + 1)
    for i, one in enumerate(constant):
        for other in constant[i + 1 :]:
            both = pl.DataFrame({"a": some[one], "b": some[other]})
            together = both.n_unique()
            if together > 1.1 * both["a"].n_unique() and together > 1.1 * both["b"].n_unique():
                return True
    return False
