"""The people of a sample: whose the rows of a table are, who lives together, and for how many people they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.risk.household_risk import HouseholdRisk, household_risk
from nymity.risk.individual_risk import IndividualRisk, Sampled, by_class
from nymity.table.attribute import Role
from nymity.table.constant_columns import check_households
from nymity.table.encoding import person_ids
from nymity.table.schema import Schema
from nymity.table.text import as_text
from nymity.table.weights import people_by_weights, weights_of

_ROLES = (Role.PERSON, Role.HOUSEHOLD, Role.WEIGHT)


@dataclass(frozen=True, eq=False)
class SampledPeople:
    """A table and the roles of those of its columns that say of whom records are and for how many they stand."""

    frame: pl.DataFrame
    roles: Schema

    @staticmethod
    def of(frame: pl.DataFrame, schema: Schema) -> SampledPeople:
        """Check the columns that the table has; a release has no persons and perhaps no weights."""
        own = {name: schema[name] for role in _ROLES for name in schema.columns(role) if name in frame.columns}
        roles = Schema(own)
        if own:
            roles.check(pl.DataFrame({name: frame[name] for name in own}))
            check_households(frame, roles)
        return SampledPeople(frame, roles)

    def without_gaps(self) -> SampledPeople:
        """Leave out the records that the schema drops for a gap in one of these columns."""
        gaps = self.roles.gaps(self.frame)
        return SampledPeople(self.frame.filter(~gaps), self.roles) if gaps.any() else self

    @cached_property
    def persons(self) -> pl.Series | None:
        """Of whom each row is, where the table says so."""
        return None if self.roles.person is None else person_ids(self.frame[self.roles.person])

    @cached_property
    def number_of_persons(self) -> int | None:
        """How many persons have a row, where the table says of whom they are."""
        return None if self.persons is None else self.persons.n_unique()

    def of_somebody(self, population: pl.DataFrame) -> pl.DataFrame:
        """Return the records of a population that say whose they are, all where it does not tell that at all."""
        who = self.roles.person
        if who is None or who not in population.columns:
            return population
        self.roles[who].check_gaps(population[who])
        return population.filter(~self.roles.among([who]).gaps(population))

    def people_alone(self, population: pl.DataFrame, quasi: Sequence[str]) -> tuple[int, int] | None:
        """Return how many persons a population has, and how many of them look like nobody else in some record.

        None where the population does not tell whose its records are.
        """
        who = self.roles.person
        if who is None or who not in population.columns:
            return None
        from nymity.privacy import Groups

        persons = person_ids(population[who])
        return persons.n_unique(), Groups(population, quasi, persons=persons).people_alone

    def once_each(self, table: pl.DataFrame, quasi: Sequence[str]) -> pl.DataFrame:
        """Return a table with one row for each person and combination; as it is where nobody says whose rows are."""
        who = self.roles.person
        if who is None or any(name not in table.columns for name in (who, *quasi)):
            return table
        cells = pl.DataFrame({f"c{i}": as_text(table[name]) for i, name in enumerate(quasi)})
        cells = cells.with_columns(person_ids(table[who]).alias("who")).with_row_index("row")
        return table[cells.unique([*cells.columns[1:]], keep="first", maintain_order=True)["row"].to_numpy()]

    def row_share(self, quasi: Sequence[str]) -> Fraction | None:
        """Return the largest share that one person has of the rows of a class; None without persons."""
        if self.persons is None:
            return None
        from nymity.privacy import Groups

        return Groups(self.frame, quasi, persons=self.persons).largest_person_share

    def by_class(self, class_of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many persons each class has; records without a person column."""
        inside = class_of >= 0
        persons = None if self.persons is None else _numbered(self.persons)[inside]
        return by_class(class_of[inside], persons, np.ones(int(inside.sum())))[0]

    def within(self, class_of: NDArray[np.int64]) -> SampledPeople:
        """Return the rows that are in a class."""
        return SampledPeople(self.frame.filter(pl.Series(class_of >= 0)), self.roles)

    @property
    def counts(self) -> Literal["records", "persons"]:
        """What is counted, in a word."""
        return "records" if self.persons is None else "persons"

    @property
    def people_by_weights(self) -> float | None:
        """For how many people the rows stand, each person counting once; None without weights."""
        if (weight := self.roles.weight) is None:
            return None
        weights = weights_of(self.frame[weight])
        return float(weights.sum()) if self.persons is None else people_by_weights(self.persons, weights)

    def risks(
        self, class_of: NDArray[np.int64], threshold: Fraction
    ) -> tuple[IndividualRisk | None, HouseholdRisk | None]:
        """Measure individual and household risk by the classes of all rows, -1 for those in none; None without weights.

        Without a person column each record is its own person. A person's risk is the highest of the person's records.
        """
        if (weight := self.roles.weight) is None:
            return None, None
        persons = None if self.persons is None else _numbered(self.persons)
        weights = weights_of(self.frame[weight])
        individual = Sampled(class_of, weights, persons).risk(threshold)
        if (household := self.roles.household) is None:
            return individual, None
        homes = _numbered(person_ids(self.frame[household]))
        rows = np.flatnonzero(class_of >= 0)
        if persons is None:
            return individual, household_risk(individual.of_rows[rows], homes[rows], threshold)
        _, first, place = np.unique(persons[rows], return_index=True, return_inverse=True)
        # The highest of each person's records, in the order of persons.
        risks = np.zeros(len(first))
        np.maximum.at(risks, place, individual.of_rows[rows])
        return individual, household_risk(risks, homes[rows][first], threshold)


def _numbered(ids: pl.Series) -> NDArray[np.int64]:
    """Number the different values of a column, (n,)."""
    values = ids.drop_nulls().unique(maintain_order=True)
    return ids.cast(pl.Enum(values)).to_physical().fill_null(len(values)).to_numpy().astype(np.int64)
