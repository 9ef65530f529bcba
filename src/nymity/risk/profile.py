"""profile: how likely it is that someone is found in a table, raw or released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl

from nymity.core import validation
from nymity.core.card import Card, Carded, CardTable
from nymity.core.errors import ParameterError
from nymity.core.wording import count, percent
from nymity.risk.attackers import (
    AttackerRisk,
    as_float,
    journalist_risk,
    marketer_risk,
    prosecutor_risk,
    smallest_safe_class,
)
from nymity.risk.combinations import Combinations, as_frame, combinations_of
from nymity.risk.household_risk import HouseholdRisk
from nymity.risk.individual_risk import IndividualRisk
from nymity.risk.population_uniques import PopulationUniques, count_uniques, estimate_uniques, people_of
from nymity.risk.presets import PRESETS
from nymity.risk.sampled_people import SampledPeople
from nymity.table.attribute import MissingPolicy
from nymity.table.schema import GivenSchema, Schema

#: Where neither a threshold nor a preset is given: the risk in a group of five.
DEFAULT_THRESHOLD = Fraction(1, 5)


@dataclass(frozen=True, kw_only=True, repr=False)
class RiskProfile(Carded):
    """Risk of a table by attacker, and how many people are unique in the population.

    ``records`` are all of the table; those ``dropped`` for a gap, as the schema says in ``missing``, are in no class
    and carry no risk here. ``masked`` ones (``*`` in every quasi-identifier) are one class, of the people who fit no
    other. ``sizes``: for each class size, the number of classes. ``journalist`` is None without the population,
    ``population`` where its size is unknown, ``individual`` without sampling weights, ``households`` without either
    weights or a household column.

    Where the schema has a person column that the table has, too, classes are of ``persons``: what is said of records by
    attackers is said of persons, each counted once in a class. ``row_share`` is then the largest share that one person
    has of the rows of a class: who picks a row of it has picked theirs. ``perturbed``: columns that others may know,
    too, and that no figure here counts.
    """

    _instead: ClassVar = {
        **dict.fromkeys(("max_risk", "highest", "highest_risk", "risk"), ".prosecutor.highest"),
        **dict.fromkeys(("average", "average_risk", "mean_risk"), ".prosecutor.average"),
        **dict.fromkeys(("global_risk", "expected_reidentifications"), ".marketer"),
        **dict.fromkeys(("k", "smallest_class"), "min(risk.sizes), or ny.measure(df, [...]).smallest_class"),
        "uniques": ".unique_records",
        "to_csv": ".to_frame().write_csv(path)",
    }

    quasi: tuple[str, ...]
    records: int
    masked: int
    dropped: int
    missing: Mapping[str, tuple[MissingPolicy, int]]
    threshold: Fraction
    preset: str | None
    sizes: Mapping[int, int]
    prosecutor: AttackerRisk
    journalist: AttackerRisk | None
    marketer: Fraction | None
    population: PopulationUniques | None
    individual: IndividualRisk | None = None
    households: HouseholdRisk | None = None
    persons: int | None = None
    row_share: Fraction | None = None
    perturbed: tuple[str, ...] = ()

    @property
    def classes(self) -> int:
        """Number of classes."""
        return sum(self.sizes.values())

    @property
    def unique_records(self) -> int:
        """Records, or persons, nobody else in the table looks like."""
        return self.sizes.get(1, 0)

    @property
    def counted(self) -> int:
        """Records in classes, or persons summed over classes."""
        return self.prosecutor.records

    def card(self) -> Card:
        """Return what is shown: the chances of each attacker, and how many classes are of which size."""
        of = "records" if self.persons is None else "persons"
        named = [(one.attacker, one) for one in (self.prosecutor, self.journalist) if one is not None]
        sizes = [(size, classes, size * classes) for size, classes in sorted(self.sizes.items())]
        above = self.prosecutor.above
        return Card(
            title=f"Risk by {', '.join(self.quasi)}",
            verdict=f"{count(above, of[:-1])} above {percent(float(self.threshold))}"
            if above
            else "nobody above the threshold" + ", by these columns" * bool(self.perturbed),
            tone="warned" if above else "good",
            facts=[
                (of, self.counted),
                ("unique", f"{self.unique_records:,} ({percent(self.unique_records, self.counted or 1)})"),
                *((f"{name}: highest", percent(float(one.highest or 0))) for name, one in named),
                *((f"{name}: average", percent(float(one.average or 0))) for name, one in named),
                *([] if self.marketer is None else [("marketer", percent(float(self.marketer)))]),
                *([] if self.population is None else [("unique in the population", self._among_everybody)]),
                *([("known to others, and not counted", ", ".join(self.perturbed))] if self.perturbed else []),
            ],
            tables=[
                CardTable(columns=("class size", "classes", of), rows=sizes, bars=of, title="Classes by their size")
            ],
        )

    @property
    def _among_everybody(self) -> str:
        found = self.population
        if found is None or found.share is None:
            return "no model has an estimate"
        return f"{percent(found.share)} of people, {'counted' if found.chosen == 'counted' else 'estimated'}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "quasi": list(self.quasi),
            **({"perturbed": list(self.perturbed)} if self.perturbed else {}),
            "records": self.records,
            "records_in_classes": self.counted,
            **({} if self.persons is None else {"persons": self.persons, "row_share": as_float(self.row_share)}),
            "masked": self.masked,
            "dropped_for_missing_values": self.dropped,
            "missing": {name: {"policy": policy, "gaps": gaps} for name, (policy, gaps) in self.missing.items()},
            "threshold": {
                "risk": float(self.threshold),
                "smallest_safe_class": smallest_safe_class(self.threshold),
                "preset": self.preset,
                "source": None if self.preset is None else PRESETS[self.preset].source,
            },
            "classes": self.classes,
            "unique_records": self.unique_records,
            "unique_share": self.unique_records / self.counted if self.counted else None,
            "class_sizes": [
                {"size": size, "classes": classes, "records": size * classes} for size, classes in self.sizes.items()
            ],
            "prosecutor": self.prosecutor.to_dict(),
            "journalist": None if self.journalist is None else self.journalist.to_dict(),
            "marketer": {
                "assumes": "the attacker links every record, and does not care whose it is",
                "average": as_float(self.marketer),
                "above_threshold": None if self.marketer is None else self.marketer > self.threshold,
            },
            "population": None if self.population is None else self.population.to_dict(),
            "individual": None if self.individual is None else self.individual.to_dict(),
            "households": None if self.households is None else self.households.to_dict(),
        }


def measure_risk(
    table: Any,
    schema: GivenSchema | None = None,
    *,
    population: Any = None,
    population_size: int | None = None,
    sampling_fraction: float | Fraction | None = None,
    threshold: float | Fraction | None = None,
    preset: str | None = None,
) -> RiskProfile:
    """Measure the risk of a table by its schema, or by the names of its quasi-identifiers; of a release by its own.

    ``population`` is a table of the people that the records are of, with the same columns, generalized alike; without
    one, ``population_size`` or ``sampling_fraction`` (records / people, or
    persons / people where the table has a person column) let uniques among them be estimated. Records
    whose risk is above ``threshold`` are counted; ``preset`` names one of :data:`PRESETS` in its place. A schema with
    sampling weights gives the individual risk, with households beside them that of households.
    """
    limit = _threshold(threshold, preset)
    from nymity.utility.released import Released  # a first look at a table loads this module, and no models

    table, schema = Released.with_schema("measure_risk", table, schema)
    schema = Schema.of(schema) if isinstance(schema, Mapping) else schema
    if population is not None and (population_size, sampling_fraction) != (None, None):
        raise ParameterError(
            "population",
            expected="a population, or its size or the sampling fraction",
            got="more than one of them",
            hint="a population is counted; leave the others out",
        )
    frame = as_frame("table", table)
    sampled = SampledPeople.of(frame, schema if isinstance(schema, Schema) else Schema({})).without_gaps()
    without = frame.height - sampled.frame.height
    everyone = None if population is None else sampled.of_somebody(as_frame("population", population))
    rows = cells = combinations_of(sampled.frame, schema, population=None if sampled.persons is not None else everyone)
    if sampled.persons is not None:
        among = None if everyone is None else sampled.once_each(everyone, rows.names)
        # A person counts once in each class, however many records of the person lie there.
        once = sampled.once_each(sampled.frame, rows.names)
        cells = combinations_of(once, schema, population=among, counts="persons")
    individual, households = sampled.risks(rows.class_of, limit)
    found = _estimated(cells, sampled.number_of_persons, population_size, sampling_fraction)
    if everyone is not None:
        found = _counted(cells, rows, sampled, everyone, schema)
    sizes, classes = np.unique(cells.counts, return_counts=True)
    return RiskProfile(
        quasi=cells.names,
        records=rows.records + without,
        masked=rows.masked,
        dropped=rows.dropped + without,
        missing=rows.missing,
        threshold=limit,
        preset=preset,
        sizes=dict(zip(sizes.tolist(), classes.tolist(), strict=True)),
        prosecutor=prosecutor_risk(cells.counts, limit),
        journalist=None if cells.population is None else journalist_risk(cells.counts, cells.population, limit),
        marketer=marketer_risk(cells.counts, cells.population),
        population=found,
        individual=individual,
        households=households,
        persons=sampled.number_of_persons,
        row_share=sampled.row_share(rows.names),
        perturbed=schema.perturbed if isinstance(schema, Schema) else (),
    )


def _counted(
    cells: Combinations, rows: Combinations, sampled: SampledPeople, everyone: pl.DataFrame, schema: Any
) -> PopulationUniques:
    """Count uniques of the population; one with several records looks like nobody by any of them."""
    assert cells.population_sizes is not None
    found = count_uniques(cells.counted, cells.population_sizes)
    if sampled.persons is None:
        return found
    alone = sampled.people_alone(everyone.filter(~schema.among(cells.names).gaps(everyone)), cells.names)
    if alone is None:  # the population does not tell whose its records are
        return found
    there = sampled.persons.filter(pl.Series(rows.class_of >= 0)).n_unique()
    return found.of_persons(Fraction(alone[0]), there, alone[1])


def _estimated(
    cells: Combinations, persons: int | None, population_size: int | None, sampling_fraction: float | Fraction | None
) -> PopulationUniques | None:
    """Estimate uniques of a population of which the size is known; others have as many combinations as these."""
    if persons is None:
        people = people_of(cells.records, population_size, sampling_fraction)
        return None if people is None or not cells.counted else estimate_uniques(cells.counts, people)
    people = people_of(persons, population_size, sampling_fraction, "persons")
    if people is None or not cells.counted:
        return None
    return estimate_uniques(cells.counts, cells.counted * people / persons).of_persons(people, persons)


def _threshold(threshold: float | Fraction | None, preset: str | None) -> Fraction:
    if threshold is not None and preset is not None:
        raise ParameterError("threshold", expected="a threshold or a preset", got="both", hint="leave one out")
    if preset is not None:
        validation.one_of("preset", preset, PRESETS)
        return PRESETS[preset].threshold
    if threshold is None:
        return DEFAULT_THRESHOLD
    validation.number("threshold", threshold, above=0, at_most=1)
    return validation.exact_fraction(threshold)
