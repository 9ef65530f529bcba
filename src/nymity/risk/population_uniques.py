"""Population uniques: how many people nobody else looks like, counted or estimated.

A record that is unique in a sample need not be unique among all people. With a table of the population, its uniques are
counted. Without one they are estimated from the class sizes of the sample and the size of the population, by three
models of which one is chosen by the rule of Dankar, El Emam, Neisa & Roffey (2012), in the form that ARX applies:

    n / N at most 10%    Pitman; if it is not available, Zayatz
    above                the smaller one of slide negative binomial and Zayatz; if the first is not available, Zayatz

An estimate that does not exist is None, never 0. If the sample is the population, its uniques are the population's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.risk.attackers import as_float
from nymity.risk.pitman import pitman
from nymity.risk.slide_negative_binomial import slide_negative_binomial
from nymity.risk.zayatz import zayatz

_SMALL_SAMPLE = Fraction(1, 10)
#: More people than there can be records of; beyond it estimates lose their digits.
MOST_PEOPLE = 10**12


@dataclass(frozen=True, kw_only=True)
class PopulationUniques:
    """People of the population nobody else looks like.

    Where persons are counted, one may look like nobody in several ways: ``uniques`` are then those of all
    ``combinations`` that people have, each counted once for everybody who has it, that one person alone has. How many
    there are among people outside of the table is estimated as if they had as many each as those in it. ``persons``:
    how many have such a combination, where the population is there to count them. Otherwise both are None, and people
    are records: those of the table, or of a population that does not tell whose its records are (``counts``).

    ``chosen`` says where the number comes from: ``counted``, ``pitman``, ``zayatz``, ``snb``, or None where no model
    has an estimate. ``estimates`` are those of all models, empty where uniques were counted.
    """

    people: Fraction
    sampling_fraction: Fraction
    chosen: str | None
    uniques: float | None
    estimates: Mapping[str, float | None]
    counts: Literal["records", "persons"] = "records"
    combinations: Fraction | None = None
    persons: int | None = None

    @property
    def share(self) -> float | None:
        """Share of the people, or of the combinations that they have."""
        among = self.people if self.combinations is None else self.combinations
        return None if self.uniques is None else self.uniques / float(among)

    def of_persons(self, people: Fraction, sampled: int, unique: int | None = None) -> PopulationUniques:
        """Return what was found for combinations, of so many people with so many of them in the sample."""
        return replace(
            self,
            counts="persons",
            combinations=self.people,
            people=people,
            sampling_fraction=sampled / people,
            persons=unique,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "people": as_float(self.people),
            "sampling_fraction": as_float(self.sampling_fraction),
            "chosen": self.chosen,
            "uniques": self.uniques,
            "share": self.share,
            "estimates": dict(self.estimates),
            "counts": self.counts,
            **({} if self.combinations is None else {"combinations": as_float(self.combinations)}),
            **({} if self.persons is None else {"unique_persons": self.persons}),
        }


def count_uniques(records: int, population_sizes: NDArray[np.int64]) -> PopulationUniques:
    """Count uniques in the population itself."""
    people = Fraction(int(population_sizes.sum()))
    return _counted(people, records, int((population_sizes == 1).sum()))


def estimate_uniques(counts: NDArray[np.int64], people: Fraction) -> PopulationUniques:
    """Estimate uniques among so many people from the class sizes of a sample."""
    sizes, classes = np.unique(counts, return_counts=True)
    n, u = int(counts.sum()), len(counts)
    s1 = int((counts == 1).sum())
    # Everybody is in the table: nothing is estimated.
    if n == people:
        return _counted(people, n, s1)
    estimates = {
        "pitman": pitman(sizes, classes, float(people)),
        "zayatz": zayatz(sizes, classes, float(people)),
        "snb": slide_negative_binomial(n, u, s1, float(people)),
    }
    fraction = n / people
    chosen = dankar(fraction, estimates)
    return PopulationUniques(
        people=people,
        sampling_fraction=fraction,
        chosen=chosen,
        uniques=None if chosen is None else estimates[chosen],
        estimates=estimates,
    )


def dankar(sampling_fraction: Fraction, estimates: Mapping[str, float | None]) -> str | None:
    """Choose a model by the decision rule."""
    other, fallback = "pitman" if sampling_fraction <= _SMALL_SAMPLE else "snb", estimates["zayatz"]
    found = estimates[other]
    if found is not None and (other == "pitman" or fallback is None or found <= fallback):
        return other
    return None if fallback is None else "zayatz"


def people_of(
    sampled: int,
    population_size: int | None,
    sampling_fraction: float | Fraction | None,
    counts: Literal["records", "persons"] = "records",
) -> Fraction | None:
    """Return the number of people by what the caller gave, for so many in the table; None where that is nothing."""
    if population_size is not None and sampling_fraction is not None:
        raise ParameterError(
            "population_size",
            expected="one of population_size and sampling_fraction",
            got="both",
            hint="leave one out: each gives the other",
        )
    if population_size is not None:
        validation.whole_number("population_size", population_size, at_least=1, at_most=MOST_PEOPLE)
        if population_size < sampled:
            raise ParameterError(
                "population_size",
                expected=f"at least {sampled:,}, the {counts} of the table",
                got=f"{population_size:,}",
            )
        return Fraction(population_size)
    if sampling_fraction is None:
        return None
    validation.number("sampling_fraction", sampling_fraction, above=0, at_most=1)
    people = sampled / validation.exact_fraction(sampling_fraction)
    if people > MOST_PEOPLE:
        raise ParameterError(
            "sampling_fraction",
            expected=f"{counts} out of at most {MOST_PEOPLE:,} people",
            got=f"{sampling_fraction!r}, for {sampled:,} {counts}",
            hint=f"{counts} / people, such as 0.01 where one of a hundred is in the table",
        )
    return people


def _counted(people: Fraction, records: int, uniques: int) -> PopulationUniques:
    return PopulationUniques(
        people=people,
        sampling_fraction=records / people,
        chosen="counted",
        uniques=float(uniques),
        estimates={},
    )
