"""PartitionMethod: what all methods of local recoding have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from nymity.core import validation
from nymity.core.errors import NoSolutionError, ParameterError, SchemaError
from nymity.core.progress import Observer, silent
from nymity.core.wording import name_of
from nymity.partition.attributes import AttributeLayout, Categorical, attributes_of, checked_bounds
from nymity.partition.class_cells import CELL_FORMS, CellForm, CellWriting, Covering
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.merging import merge_failing
from nymity.partition.optimum import Optimum
from nymity.partition.outcome import InformationLoss, PartitionOutcome
from nymity.partition.problem import Assignment, PartitionProblem, problem_of
from nymity.privacy.decision import refuse_shares_of_persons
from nymity.privacy.table_method import MethodTask, TableMethod
from nymity.table.cells import Cells
from nymity.table.encoding import EncodedTable
from nymity.table.outcome import MethodLoss
from nymity.table.partition_recoding import PartitionRecoding, Quotas
from nymity.table.recoding import Recoding


@dataclass(frozen=True, eq=False)
class Partitioned:
    """Classes a method found, and what it proved about their loss; ``by_values``: as in :class:`PartitionOutcome`."""

    assignment: Assignment
    optimal: bool = False
    bound: float | None = None
    stopped: str | None = None
    by_values: bool = False


class CellMethod(TableMethod[PartitionOutcome]):
    """Publish records with cells that cover several of them."""

    key: ClassVar[str]
    #: The kind of recoding that it decides on.
    makes: ClassVar[type[Recoding]] = PartitionRecoding
    #: What it keeps small.
    minimized: ClassVar[MethodLoss] = InformationLoss()

    @abstractmethod
    def layout(self, table: EncodedTable) -> tuple[AttributeLayout, ...]:
        """Lay out the quasi-identifiers: which of their values are told apart, and what they cost together."""

    @property
    @abstractmethod
    def writing(self) -> CellWriting:
        """How the cells of a class are written."""

    @property
    def divides_equals(self) -> bool:
        """Whether records with equal quasi-identifiers may come into different classes: which do, is drawn."""
        return True

    @abstractmethod
    def solve(self, problem: PartitionProblem, columns: Sequence[str], observe: Observer) -> PartitionOutcome:
        """Decide which records a cell covers, and return what to publish."""

    def _decide(self, task: MethodTask) -> PartitionOutcome:
        """Solve the problem that the table and the promises are, and return what to publish."""
        table, models = task.table, task.models
        for model in models:
            model.check(table)
        if table.population is not None:
            raise ParameterError(
                self.key,
                expected="no model about a population, whose records have no class",
                got="k-map or delta-presence",
                hint="use a search of the lattice: 'optimal-lattice', or 'anytime-lattice' with many columns",
            )
        if table.persons is not None:
            refuse_shares_of_persons(models, self.key)
        return self.solve(problem_of(table, self.layout(table), models, task.draws), task.columns, task.observe)


@dataclass(frozen=True, kw_only=True)
class CoveringMethod(CellMethod):
    """Publish the smallest cells that cover the values of several records.

    ``cells`` says how: the smallest interval of numbers and set of other values (``tight``), always the set of values
    (``set``), or the smallest node of the attribute's hierarchy (``hierarchy``). ``categorical`` says what values
    without numbers cost: their number (``set``), or the width of their order (``order``), in which values stand as
    their hierarchy groups them. ``bounds`` gives attributes of numbers other bounds than their least and greatest
    value: ``{"age": [0, 120]}``.
    """

    cells: CellForm = "tight"
    categorical: Categorical = "set"
    bounds: Mapping[str, Sequence[float]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        validation.one_of(f"{self.key}.cells", self.cells, CELL_FORMS)
        validation.one_of(f"{self.key}.categorical", self.categorical, ("set", "order"))
        object.__setattr__(self, "bounds", checked_bounds(f"{self.key}.bounds", self.bounds))

    def layout(self, table: EncodedTable) -> tuple[AttributeLayout, ...]:
        """Lay out raw values on axes and as sets."""
        _refuse_levels(table, self.key)
        return attributes_of(table, categorical=self.categorical, bounds=self.bounds, where=self.key)

    @property
    def writing(self) -> Covering:
        """Cells of one form."""
        return Covering(self.cells)


class DividingMethod(CellMethod):
    """Divide the records into classes that keep every promise, and publish each class with cells of its own."""

    #: Whether it counts persons where records are of persons.
    takes_persons: ClassVar[bool] = True
    takes_single_rows: ClassVar[bool] = True
    proves_optimum: ClassVar[bool] = False

    @abstractmethod
    def divide(self, problem: PartitionProblem, observe: Observer) -> Partitioned:
        """Divide the records."""

    def solve(self, problem: PartitionProblem, columns: Sequence[str], observe: Observer) -> PartitionOutcome:
        """Publish each class with its own cells."""
        self.refuse_hopeless(problem)
        return PartitionOutcome(**self.answered(self.divide(problem, observe), columns))

    def refuse_hopeless(self, problem: PartitionProblem) -> None:
        """Refuse promises that not even all records together keep."""
        table = problem.table
        everyone = problem.assignment_of_combinations(np.zeros(len(table.counts), dtype=np.int64))
        if not everyone.accepted().all():
            demands = " and ".join(name_of(model.promise()) for model in problem.models)
            raise NoSolutionError(
                f"no partition satisfies {demands}: all {table.n_records:,} records together do not. "
                "Try: a weaker model"
            )

    def answered(self, found: Partitioned, columns: Sequence[str]) -> dict[str, Any]:
        """Return what an outcome says of the classes that were found."""
        loss, problem = self.loss_of(found.assignment), found.assignment.problem
        # What is proved is proved of classes of k; promises that rows of several keep together are kept by less.
        proves = not any(model.beyond_classes for model in problem.models)
        return {
            "recoding": self.recoding_of(found.assignment, columns),
            "loss": loss,
            "classes": found.assignment.n_classes,
            "optimal": found.optimal and (proves or not loss),
            "bound": found.bound if proves else None,
            "stopped": found.stopped,
            "by_values": found.by_values and problem.looks_at_values,
            "minimized": self.minimized,
        }

    def loss_of(self, assignment: Assignment) -> float:
        """Return what the method keeps small."""
        return assignment.loss()

    def class_cells(self, assignment: Assignment) -> list[tuple[Cells, Ints]]:
        """Return the different cells of each attribute, and the number of the cell of each class (n_classes,)."""
        pairs = zip(assignment.problem.attributes, assignment.values, strict=True)
        return [self.writing.cells(attribute, values) for attribute, values in pairs]

    def recoding_of(self, assignment: Assignment, columns: Sequence[str]) -> PartitionRecoding:
        """Return the classes with their cells."""
        table, made = assignment.problem.table, self.class_cells(assignment)
        kind: Any = self.makes
        recoding: PartitionRecoding = kind(
            columns=tuple(columns),
            hierarchies=dict(zip(table.names, table.hierarchies, strict=True)),
            cells=dict(zip(table.names, [cells for cells, _ in made], strict=True)),
            cell_of=np.stack([numbers for _, numbers in made], axis=1),
            quotas=_quotas(assignment),
        )
        return recoding


@dataclass(frozen=True, kw_only=True)
class PartitionMethod(CoveringMethod, DividingMethod):
    """Divide the records into classes, and publish each with the smallest cells that cover its records."""


def _refuse_levels(table: EncodedTable, key: str) -> None:
    """Refuse bounds of levels: cells of classes have none, and to publish finer ones than asked for would be worse."""
    for name, hierarchy, low, high in zip(
        table.names, table.hierarchies, table.min_levels, table.max_levels, strict=True
    ):
        if low > 0 or high < hierarchy.height:
            raise SchemaError(
                f"schema.{name}",
                expected=f"no min_level or max_level for the method {key!r}, which publishes no levels",
                got=f"levels {low} to {high} of {hierarchy.height}",
                hint="coarsen the column beforehand, or use the method 'iterative-recoding'",
            )


class Divided(Protocol):
    """Records divided into classes, with what is known of them."""

    @property
    def classes(self) -> Ints:
        """The class of each record (n,)."""
        ...

    @property
    def stopped(self) -> str | None:
        """Why a search for a proof ended without one."""
        ...


class BySize(DividingMethod):
    """A method that is made for k-anonymity alone and looks at single records.

    Other models are met by merging the classes that fail with their nearest, unless that would make what a method
    proves meaningless (``merges``): then they are refused before the start.
    """

    merges: ClassVar[bool] = True

    @abstractmethod
    def partition(self, geometry: Geometry, k: int, observe: Observer = silent) -> Ints | Divided:
        """Return the class of each record (n,), alone or with what is known of them."""

    def divide(self, problem: PartitionProblem, observe: Observer) -> Partitioned:
        """Divide by size, then merge what breaks another promise."""
        if not self.merges:
            refuse_all_but_sizes(self.key, problem)
        found = self.partition(problem.geometry, problem.k, observe)
        if isinstance(found, np.ndarray):
            merged, refused = merge_failing(problem.assignment(found), observe)
            return Partitioned(merged, by_values=refused)
        merged, refused = merge_failing(problem.assignment(found.classes), observe)
        if isinstance(found, Optimum):
            return Partitioned(merged, found.optimal, found.bound, found.stopped, refused)
        return Partitioned(merged, stopped=found.stopped, by_values=refused)


@dataclass(frozen=True, kw_only=True)
class RecordMethod(BySize, PartitionMethod):
    """A method that looks at single records, and publishes each class with the smallest cells that cover them."""


def refuse_all_but_sizes(key: str, problem: PartitionProblem) -> None:
    """Refuse models that what a method proves would be meaningless with."""
    if not problem.size_only:
        model = next(model for model in problem.models if not model.size_only)
        raise ParameterError(
            f"{key}: {model.key}",
            expected="models that ask only for the size of classes",
            got=model.title,
            hint="use 'mondrian', 'greedy-search' or 'k-member'",
        )


def _quotas(assignment: Assignment) -> Quotas:
    """Return who belongs to which class: of persons, too, where records with the same values went to several."""
    table, profiles = assignment.problem.table, assignment.problem.table.profiles
    sensitive = profiles.sensitive[assignment.profiles]
    labels = {name: column.labels for name, column in table.sensitive.items()}
    if table.persons is not None and profiles.person is not None and assignment.divides:
        sensitive = np.column_stack([sensitive, profiles.person[assignment.profiles]])
        labels[table.persons.name] = table.persons.labels
    return Quotas(
        codes=assignment.combinations,
        sensitive=sensitive,
        labels=labels,
        classes=assignment.classes,
        records=assignment.records,
    )
