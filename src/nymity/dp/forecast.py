"""Forecast: what a private release can be at best, from public facts alone, before any budget is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf

import numpy as np
import polars as pl

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import whole_number
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.private_method import check_unit
from nymity.dp.public_domain import public_schema
from nymity.lattice.space import Space
from nymity.table.attribute import Role
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

#: Epsilons that a forecast compares with the one it is asked about.
_EPSILONS = (0.5, 1.0, 1.5, 2.0, 3.0)
#: Records of one person that it compares.
_PER_PERSON = (1, 2, 3, 4, 5)
#: Largest lattice that is looked at node by node.
_MOST_NODES = 2**22


@dataclass(frozen=True, eq=False, kw_only=True)
class Forecast:
    """What follows from a promise, a public number of records and the hierarchies, and from nothing else.

    Records that were spread evenly over all combinations of values would fill the classes of a node alike. Real ones
    are not: frequent combinations survive on finer levels than these, rare ones do not on coarser ones. There are never
    more than ``most_classes`` classes, up to the chance of the sample.

    Where records are of persons, ``persons`` is a number of them that anybody may know: then no more than
    records_per_person of each take part. Without it, all records might.
    """

    model: DifferentialPrivacy
    names: tuple[str, ...]
    nodes: pl.DataFrame
    """One row per node, the finest first: ``classes`` it can have, ``average`` sampled records of one if they were
    spread evenly, ``reachable`` if that is at least k, and ``level of`` each attribute."""
    persons: int | None = None

    @property
    def sampled_records(self) -> int:
        """Records that are sampled on average, or at most on average where they are of persons."""
        return _sampled(self.model, self.persons)

    @property
    def most_classes(self) -> int:
        """How many classes of k records those make; none of them has two of one person."""
        if self.persons is not None and self.persons * self.model.beta < self.model.k:
            return 0
        return self.sampled_records // self.model.k

    @property
    def finest(self) -> pl.DataFrame:
        """The reachable nodes below which there is no other, the one with most classes first.

        Expect nothing finer for most of the records. None at all means that even one class for everybody may have
        fewer than k records.
        """
        reachable = self.nodes.filter("reachable")
        levels = reachable.select(f"level of {name}" for name in self.names).to_numpy()
        lowest = np.ones(len(levels), dtype=np.bool_)
        found = {tuple(row) for row in levels.tolist()}
        for a in range(len(self.names)):
            below = levels.copy()
            below[:, a] -= 1
            lowest &= np.array([tuple(row) not in found for row in below.tolist()], dtype=np.bool_)
        return reachable.filter(pl.Series(lowest, dtype=pl.Boolean))

    def advice(self) -> list[str]:
        """Return which parameters would let more be published, from public facts alone."""
        model, told = self.model, []
        if self.finest.is_empty():
            needed = ceil(model.k / model.beta)
            whose = "records" if model.records_per_person is None else "persons"
            told.append(f"about {needed:,} {whose} are needed for a class of k = {model.k} sampled ones")
        for name, other in self._relaxed().items():
            if other.k < model.k:
                told.append(f"{name} asks for k = {other.k} instead of {model.k}")
        best = max(self.compared().iter_rows(named=True), key=lambda row: row["most_classes"])
        if best["most_classes"] > self.most_classes:
            told.append(
                f"epsilon = {best['epsilon']:g} would allow {best['most_classes']:,} classes instead of "
                f"{self.most_classes:,}, with k = {best['k']} and {best['sampled_records']:,} sampled records"
            )
        return told

    def by_person(self, most: Sequence[int] = _PER_PERSON) -> pl.DataFrame:
        """Return beta, k, sampled records and most classes for other numbers of records per person.

        More of them let more records of a person take part, and each of these spend less of epsilon and delta.
        """
        if self.model.records_per_person is None:
            raise ParameterError(
                "forecast", expected="a promise to persons", got="one to records", hint="records_per_person = 1"
            )
        others = [replace(self, model=replace(self.model, records_per_person=c)) for c in most]
        return pl.DataFrame(
            {
                "records_per_person": list(most),
                "beta": [float(other.model.beta) for other in others],
                "k": [other.model.k for other in others],
                "sampled_records": [other.sampled_records for other in others],
                "most_classes": [other.most_classes for other in others],
            }
        )

    def _relaxed(self) -> dict[str, DifferentialPrivacy]:
        """Promises of the same epsilon that ask for less, by what is changed."""
        others = {"notion = 'standard'": replace(self.model, notion="standard")}
        recommended = replace(self.model, delta=None)
        if (recommended.delta or 0) > (self.model.delta or 0):
            others[
                f"delta = {recommended.delta:g}, which is recommended for {self.model.public_records:,} records,"
            ] = recommended
        return others

    def compared(self, epsilons: Sequence[float] = _EPSILONS) -> pl.DataFrame:
        """Return k, sampled records and most classes at other epsilons, the search spending the same share of each."""
        share = self.model.epsilon_search / self.model.epsilon
        models = [replace(self.model, epsilon=e, epsilon_search=round(e * share, 6)) for e in epsilons]
        others = [replace(self, model=model) for model in models]
        return pl.DataFrame(
            {
                "epsilon": [float(model.epsilon) for model in models],
                "k": [model.k for model in models],
                "sampled_records": [other.sampled_records for other in others],
                "most_classes": [other.most_classes for other in others],
            }
        )


def forecast(schema: Schema, model: DifferentialPrivacy, *, persons: int | None = None) -> Forecast:
    """Return what to expect of a release of ``model.public_records`` records with this schema; no record is read.

    ``persons``, where records are of persons: a number of them that anybody may know.
    """
    check_unit(model, schema.person)
    if persons is not None:
        whole_number("persons", persons, at_least=1)
        if schema.person is None:
            raise ParameterError("persons", expected="none without a person column", got=as_given(persons))
    attributes = [attribute for attribute in public_schema(schema).values() if attribute.role is Role.QUASI]
    hierarchies = [attribute.hierarchy for attribute in attributes if isinstance(attribute.hierarchy, Hierarchy)]
    tops = (h.height if a.max_level is None else a.max_level for a, h in zip(attributes, hierarchies, strict=True))
    space = Space(tuple(attribute.min_level for attribute in attributes), tuple(tops))
    if space.size > _MOST_NODES:
        raise ParameterError("forecast", expected=f"at most {_MOST_NODES:,} nodes", got=f"{space.size:,}")
    levels = space.levels().astype(np.int64)
    sizes = [np.array([len(labels) for labels in hierarchy.labels], dtype=np.float64) for hierarchy in hierarchies]
    classes = np.prod([size[levels[:, a]] for a, size in enumerate(sizes)], axis=0)
    order = np.lexsort((*levels.T[::-1], -classes))
    levels, classes = levels[order], classes[order]
    # Many nodes have as many classes, and what is sampled depends on that number alone.
    by_number = {number: _sampled(model, persons, number) for number in np.unique(classes).tolist()}
    sampled = np.array([by_number[number] for number in classes.tolist()])
    nodes = pl.DataFrame(
        {
            "classes": classes,
            "average": sampled / classes,
            "reachable": classes <= sampled // model.k,
            **{f"level of {name}": levels[:, a] for a, name in enumerate(schema.quasi)},
        }
    )
    return Forecast(model=model, names=schema.quasi, nodes=nodes, persons=persons)


def _sampled(model: DifferentialPrivacy, persons: int | None, classes: float = inf) -> int:
    """Return how many rows are sampled on average, at most; of a person there is one in a class."""
    taking_part = model.public_records
    if persons is not None:
        taking_part = min(taking_part, persons * int(min(model.rows_of_a_unit, classes)))
    return floor(taking_part * model.beta)
