"""Persons: which column tells of whom records are, found by how the others behave within its values.

A person's records agree in sex, birth date and region, and differ in what happened. So the column of persons is one
whose values repeat, and within which others are constant far more often than by chance. Codes do that, too: a postcode
has one city, which has one state. But what is constant within a code follows from each other; what is constant within a
person does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import polars as pl

from nymity.risk.roles import ENOUGH_RECORDS, ColumnFacts, names_code, names_people

#: Mean number of records of a value: with more it stands for kinds of people, or for places.
SEVERAL = (1.1, 60.0)
#: A column is constant within another one if it is so within this share of the values that have several records.
CONSTANT = 0.9
#: Evidence needed, as the logarithm of one over the chance that records agree so often by chance.
EVIDENCE = log(10_000)
#: Columns that are compared within a candidate, and candidates that are tried, to stay quick.
MOST_COLUMNS, MOST_CANDIDATES = 40, 6
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
    #: Records in classes of ``enough`` records, but fewer persons, by the suggested quasi-identifiers as they are.
    missed: int = 0
    enough: int = USUAL_K

    @property
    def reason(self) -> str:
        """Why the column is taken for persons."""
        each = f"{self.persons:,} values for {self.records:,} records"
        if not self.constant:
            return f"{each}, and its name says people: of whom a record is"
        names = ", ".join(self.constant[:3]) + (" and more" if len(self.constant) > 3 else "")
        return f"{each}, within which {names} stay the same: of whom a record is"


def find_persons(table: pl.DataFrame, facts: Mapping[str, ColumnFacts]) -> PersonFinding | None:
    """Return the column that most probably tells of whom records are; None if none does."""
    candidates = [name for name in facts if _may_be_persons(facts[name])]
    candidates.sort(key=lambda name: (not names_people(facts[name]), -facts[name].distinct))
    others = [name for name in facts if facts[name].distinct > 1][:MOST_COLUMNS]
    found = [_judged(table, name, others, facts) for name in candidates[:MOST_CANDIDATES]]
    known = [finding for finding in found if finding is not None]
    if not known:
        return None
    return max(known, key=lambda one: (names_people(facts[one.column]), len(one.constant), one.persons))


def missed_by_records(table: pl.DataFrame, person: str, quasi: Sequence[str]) -> int:
    """Count the records in classes of enough records but too few persons, as the table is."""
    if not quasi:
        return 0
    cells = pl.DataFrame({f"q{i}": table[name] for i, name in enumerate(quasi)})
    rows = cells.with_columns(table[person].alias("person"))
    classes = rows.group_by(cells.columns).agg(pl.len().alias("records"), pl.col("person").n_unique().alias("people"))
    return int(classes.filter((pl.col("records") >= USUAL_K) & (pl.col("people") < USUAL_K))["records"].sum())


def _may_be_persons(facts: ColumnFacts) -> bool:
    """Whether values repeat as those of persons do; codes of places and of illnesses are left out by their names."""
    if facts.type not in ("text", "whole number") or facts.distinct < 2 or facts.missing * 2 > facts.present:
        return False
    mean = facts.present / facts.distinct
    return facts.distinct < facts.present and SEVERAL[0] <= mean <= SEVERAL[1] and not names_code(facts)


def _judged(
    table: pl.DataFrame, name: str, others: Sequence[str], facts: Mapping[str, ColumnFacts]
) -> PersonFinding | None:
    """Look at what is constant within the values of a column, by one group-by."""
    compared = [other for other in others if other != name]
    if not compared:
        return None  # nothing tells a person's records from any others
    rows = pl.DataFrame({"person": table[name], **{f"c{i}": table[other] for i, other in enumerate(compared)}})
    rows = rows.filter(pl.col("person").is_not_null())
    different = [pl.col(f"c{i}").n_unique() for i in range(len(compared))]
    groups = rows.group_by("person").agg(pl.len().alias("records"), *different)
    several = groups.filter(pl.col("records") > 1)
    constant, evidence = [], 0.0
    pairs = int((several["records"] - 1).sum())
    for i, other in enumerate(compared):
        if several.height and float((several[f"c{i}"] == 1).mean()) >= CONSTANT:  # type: ignore[arg-type]
            alike = float((rows[f"c{i}"].value_counts()["count"].cast(pl.Float64) / rows.height).pow(2).sum())
            strength = pairs * -log(max(alike, 1e-12)) if alike < 1 else 0.0
            if strength > 1:
                constant.append(other)
                evidence += strength
    by_name = names_people(facts[name])
    if not by_name and (evidence < EVIDENCE or not _independent(table, constant)):
        return None
    return PersonFinding(
        column=name,
        persons=groups.height,
        records=rows.height,
        most_records=int(groups["records"].max()),  # type: ignore[arg-type]
        constant=tuple(constant),
        naming=tuple(
            other
            for other in constant
            if groups.height >= ENOUGH_RECORDS and facts[other].distinct >= ONE_EACH * groups.height
        ),
    )


def _independent(table: pl.DataFrame, constant: Sequence[str]) -> bool:
    """Whether neither of two columns follows from the other: there are more pairs of values than values of either."""
    for i, one in enumerate(constant):
        for other in constant[i + 1 :]:
            both = pl.DataFrame({"a": table[one], "b": table[other]})
            together = both.n_unique()
            if together > 1.1 * both["a"].n_unique() and together > 1.1 * both["b"].n_unique():
                return True
    return False
