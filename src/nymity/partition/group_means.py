"""GroupMeans: microaggregation of quasi-identifiers, which promises k-anonymity.

1. Columns with a level are published at it, and their cells suppressed where fewer than k records share them, as
   :mod:`nymity.partition.suppression` does. Records that then agree in all of these columns are one part.
2. In each part, records are grouped by *all* other columns together, at least k in a group: MDAV, or V-MDAV
   (:mod:`nymity.kernels.mdav`). A group is a class, and its cells are its mean, median or most frequent value.
3. Classes that break a promise about sensitive values are merged with their nearest. With t-closeness that is the first
   algorithm of Soria-Comas, Domingo-Ferrer, Sanchez and Martinez (2015), microaggregation and merging, but for the
   order: they merge the class that is farthest from the table first, and this all that fail, the smallest first.

Groups are a function of quasi-identifiers and of the drawn order of records that are equal in them; nothing else is
looked at before 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from nymity.core import validation
from nymity.core.aside import aside
from nymity.core.errors import ParameterError, SchemaError
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report
from nymity.core.quoting import as_given
from nymity.kernels.mdav import mdav, variable_groups
from nymity.kernels.point_tree import PointMetric
from nymity.partition.attributes import AttributeLayout, attributes_of, suppressed_attributes_of
from nymity.partition.centre_cells import Centre, centre_cells, within
from nymity.partition.geometry import Floats, Ints
from nymity.partition.merging import merge_failing
from nymity.partition.method import DividingMethod, Partitioned
from nymity.partition.outcome import WithinGroups
from nymity.partition.problem import Assignment, PartitionProblem
from nymity.partition.suppression import Suppression, covered_by_classes, items_of, patterns_of
from nymity.privacy import PrivacyModel
from nymity.table.cells import Cells
from nymity.table.encoding import EncodedTable
from nymity.table.outcome import MethodLoss
from nymity.table.partition_recoding import CentreRecoding
from nymity.table.value_order import numbers


@dataclass(frozen=True, kw_only=True)
class GroupMeans(Suppression, DividingMethod):
    """Publish groups of at least k near records with the mean of each column in place of their values.

    Numbers get their mean, dates their median, other values the most frequent one; columns named in ``medians`` get
    their median in the order of their hierarchy. ``levels`` publishes columns at a level of their hierarchy instead,
    and groups others within them. ``variable``: groups take further near records, up to 2k - 1, where these are nearer
    to it than so many times their distance from others (V-MDAV).
    """

    medians: tuple[str, ...] = ()
    variable: float | None = None

    key: ClassVar[str] = "group-means"
    makes: ClassVar[type[CentreRecoding]] = CentreRecoding
    minimized: ClassVar[MethodLoss] = WithinGroups()

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.instance(f"{self.key}.medians", self.medians, (tuple, list), expected="a list of names of columns")
        object.__setattr__(self, "medians", tuple(self.medians))
        if self.variable is not None:
            validation.number(f"{self.key}.variable", self.variable, above=0)

    def layout(self, table: EncodedTable) -> tuple[AttributeLayout, ...]:
        """Lay out columns with a level as sets to suppress, all others as they are grouped."""
        self._check(table)
        on_levels = [self._level(table, a) if name in self.levels else 0 for a, name in enumerate(table.names)]
        suppressed = suppressed_attributes_of(table, on_levels)
        sets = attributes_of(table, categorical="set", where=self.key)
        orders = attributes_of(table, categorical="order", where=self.key)
        made = []
        for a, name in enumerate(table.names):
            one = suppressed[a] if name in self.levels else orders[a] if name in self.medians else sets[a]
            if name not in self.levels:
                _check_grouped(table, a, one, self.key)
            made.append(one)
        return tuple(made)

    def divide(self, problem: PartitionProblem, observe: Observer) -> Partitioned:
        """Divide by size, then merge what breaks another promise."""
        _refuse_matching(self.key, problem.models)
        records = problem.table.profiles.combination[problem.profile_of_records]
        parts = self._parts(problem, observe)[records]
        points, metric = _points(problem, records)
        classes, made = np.empty(len(records), dtype=np.int64), 0
        # Stable, so that equal records keep their drawn order: it decides ties in groups, and nothing else may.
        order = np.argsort(parts, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(parts[order])) + 1):
            progress = Progress(stage="grouping records", done=made, total=len(records))
            report(observe, progress)
            some = np.ascontiguousarray(points[part])
            groups = aside(partial(self._grouped, some, metric, problem.k), observe, progress)
            classes[part] = groups + made
            made += int(groups.max()) + 1
        # Until here no model of values was asked: who is in which group says nothing of them.
        merged, refused = merge_failing(problem.assignment(classes), observe)
        return Partitioned(merged, by_values=refused)

    def _grouped(self, points: Floats, metric: PointMetric, k: int) -> Ints:
        """Return the group of each point."""
        if self.variable is None:
            return np.asarray(mdav(points, metric, k))
        return np.asarray(variable_groups(points, metric, k, float(self.variable)))

    def class_cells(self, assignment: Assignment) -> list[tuple[Cells, Ints]]:
        """Return shared values of columns with a level, and centres of all others."""
        found = []
        for a, attribute in enumerate(assignment.problem.attributes):
            if attribute.suppressed:
                found.append(self.writing.cells(attribute, assignment.values[a]))
            else:
                found.append(centre_cells(attribute, assignment, a, self._centre(attribute)))
        return found

    def loss_of(self, assignment: Assignment) -> float:
        """Return the mean over columns, by their weights, of what lies within groups."""
        problem = assignment.problem
        sizes = np.bincount(assignment.classes, weights=assignment.records)
        total, weights = 0.0, 0.0
        for a, attribute in enumerate(problem.attributes):
            if attribute.suppressed:
                lost = float(sizes[np.diff(assignment.values[a].starts) > 1].sum() / sizes.sum())
            else:
                lost = within(attribute, assignment, a, self._centre(attribute))
            total, weights = total + attribute.weight * lost, weights + attribute.weight
        return total / weights

    def _parts(self, problem: PartitionProblem, observe: Observer) -> Ints:
        """Return the part of each combination: those that share their cells in the columns with a level."""
        columns = [a for a, attribute in enumerate(problem.attributes) if attribute.suppressed]
        if not columns:
            return np.zeros(len(problem.table.counts), dtype=np.int64)
        items, item_of = items_of(problem, columns)
        with interruptible():
            found = covered_by_classes(items, patterns_of(items, problem.k), problem.k, observe)
        classes: Ints = np.unique(found.class_of, return_inverse=True)[1].astype(np.int64)
        return classes[item_of]

    def _centre(self, attribute: AttributeLayout) -> Centre:
        if attribute.is_set:
            return "mode"
        return "mean" if _is_number(attribute) and attribute.name not in self.medians else "median"

    def _check(self, table: EncodedTable) -> None:
        for where, names in (("levels", self.levels), ("medians", self.medians)):
            for name in names:
                validation.one_of(f"{self.key}.{where}", name, table.names)
        if both := [name for name in self.medians if name in self.levels]:
            raise ParameterError(f"{self.key}.medians", expected="columns without a level", got=as_given(both[0]))
        if len(self.levels) == len(table.names):
            raise ParameterError(
                f"{self.key}.levels",
                expected="a quasi-identifier without a level, to be grouped by",
                got="a level for each",
                hint="method 'cell-suppression', or 'fixed-levels'",
            )


def _refuse_matching(key: str, models: Sequence[PrivacyModel]) -> None:
    """Refuse promises that records fit their rows: a centre covers no value but itself."""
    for model in models:
        if model.needs_source:
            raise ParameterError(
                f"{key}: {model.key}",
                expected="no promise that records fit the published cells, which are means and other centres",
                got=model.title,
                hint="promise 'k-anonymity', or use the method 'mondrian'",
            )


def _check_grouped(table: EncodedTable, a: int, attribute: AttributeLayout, key: str) -> None:
    """Refuse levels of columns that have none, and gaps among numbers, which have no mean."""
    name, hierarchy = table.names[a], table.hierarchies[a]
    if table.min_levels[a] > 0 or table.max_levels[a] < hierarchy.height:
        raise SchemaError(
            f"schema.{name}",
            expected=f"no min_level or max_level for a column that {key!r} takes means of",
            got=f"levels {table.min_levels[a]} to {table.max_levels[a]} of {hierarchy.height}",
            hint=f"levels = {{ {name} = … }} of the method publishes it at a level",
        )
    values = [hierarchy.values[code] for code in attribute.occurring.tolist()]
    if _is_number(attribute) and None in values:
        raise SchemaError(
            f"schema.{name}",
            expected="a number in every record, to take means or medians of",
            got="missing ones",
            hint=f"missing = 'drop' for the column, or levels = {{ {name} = … }} of the method",
        )


def _is_number(attribute: AttributeLayout) -> bool:
    values = [attribute.hierarchy.values[code] for code in attribute.occurring.tolist()]
    return not attribute.is_set and attribute.numeric and numbers(values) is not None


def _points(problem: PartitionProblem, records: Ints) -> tuple[Floats, PointMetric]:
    """Return the records as points of the grouped columns, axes first, and how far they are apart.

    Numbers alone are measured in their standard deviations, and the distance is squared; mixed columns by Gower.
    """
    grouped = [(a, attribute) for a, attribute in enumerate(problem.attributes) if not attribute.suppressed]
    axes, sets = ([pair for pair in grouped if pair[1].is_set is is_set] for is_set in (False, True))
    # Means make squared distances least; beside categories, which are 0 or 1 apart, squares would weigh otherwise.
    squared = not sets and all(_is_number(attribute) for _, attribute in axes)
    combinations, columns = problem.table.combinations, []
    for a, attribute in axes:
        places = attribute.position[attribute.rank[combinations[:, a]]][records]
        width = places.std() if squared else attribute.high - attribute.low
        weight = np.sqrt(attribute.weight) if squared else attribute.weight
        columns.append((places - attribute.low) / (width if width > 0 else 1) * weight)
    columns += [attribute.rank[combinations[:, a]][records].astype(np.float64) for a, attribute in sets]
    weights = np.array([0.0] * len(axes) + [attribute.weight for _, attribute in sets])
    # columns: (n,) each; axes come first, as the metric counts them.
    return np.stack(columns, axis=1), PointMetric(len(axes), weights, squared)
