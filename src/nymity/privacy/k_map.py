"""k-map (Sweeney 2001; El Emam & Dankar 2008): every class holds at least k people of the population.

The table that is published is a sample. Whoever finds a record of it and looks for its person in the population, say a
register of voters, is left with at least k people. k-anonymity asks the same of the sample itself and is stricter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.validation import whole_number
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, NothingOnPresence, NothingOnValues
from nymity.privacy.second_table import check_contained, named_table
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class KMap(NothingOnValues, NothingOnPresence):
    """Every published record looks the same as at least k records of the population, generalized alike.

    ``population`` is a table with the same quasi-identifiers that holds every record of the source, by its
    quasi-identifiers and at least as often: a path, or in Python any frame. The masked rows are one more class, of the
    people who fit no published combination. Where records are of persons, a population with the same person column
    counts its persons, and holds every person of the source with the same quasi-identifiers; one without it counts
    records, each as one of another person.
    """

    k: int = field(kw_only=False)
    population: Any

    key = "k-map"
    title = "k-map"
    second_table = "population"
    over_persons = "number"

    def __post_init__(self) -> None:
        whole_number(f"{self.key}.k", self.k, at_least=1)
        object.__setattr__(self, "population", named_table(f"{self.key}.population", self.population))

    def check(self, table: EncodedTable) -> None:
        """The population holds every record, and is not smaller than k."""
        people = check_contained(f"{self.key}.population", table, inside="the source", outside="the population")
        if self.k > people:
            unit = "records" if table.population_persons is None else "persons"
            raise ParameterError(
                f"{self.key}.k",
                expected=f"at most {people}, the number of {unit} of the population",
                got=str(self.k),
                hint="choose a smaller k",
            )

    @property
    def fewest_people(self) -> int:
        """At least k."""
        return self.k

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """At least k people of the population."""
        assert classes.population is not None
        return classes.population >= self.k

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the fewest people of the population in a class; None without a population."""
        counts = None if groups.population is None else groups.beside_population
        return {"k": None if counts is None or not len(counts) else int(counts["population"].min())}  # type: ignore[arg-type]

    def holds(self, groups: Groups) -> bool:
        """Every class has enough of the population; without any row nobody can be looked for."""
        return bool((groups.beside_population["population"] >= self.k).all())

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Every record is one of the population."""
        return self.k == 1

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"{self.k}-map of persons: every published record looks the same as records of at least {self.k} people of "
            "the population in all quasi-identifying columns"
        )

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"{self.k}-map: every published record looks the same as at least {self.k} people of the population "
            "in all quasi-identifying columns"
        )
