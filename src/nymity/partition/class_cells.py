"""What a class is published with: the smallest interval, value set or hierarchy node that covers its records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from nymity.partition.attributes import AttributeLayout
from nymity.partition.problem import ClassValues
from nymity.table.cells import Cells
from nymity.table.encoding import distinct_in_order
from nymity.table.hierarchy import Label
from nymity.table.label_form import SET_FORM, LabelForm
from nymity.table.text import MASK
from nymity.table.value_order import ValueOrder, value_order

#: ``tight``: intervals of numbers and ordered values, sets of others; ``set``: the values themselves; ``hierarchy``:
#: the smallest node above them.
CellForm = Literal["tight", "set", "hierarchy"]
CELL_FORMS: tuple[CellForm, ...] = ("tight", "set", "hierarchy")
#: How cells of classes are read, beside those that are nodes. Earlier versions wrote ``[34, 36]``.
CLASS_FORMS = (
    LabelForm(r"^(missing or )?\d+-\d+$", "34-36", "A whole number from the first to the last, both included."),
    LabelForm(
        r"^(missing or )?(.+ to .+|\[.+, .+\])$", "34 to 36.5", "A value from the first to the second, both included."
    ),
    SET_FORM,
    LabelForm(r"^missing or |[{,] ?missing[,}]", "missing or 34-36", "The value is missing, or as described."),
)

Ints = NDArray[np.int64]


class CellWriting(Protocol):
    """How the cells of classes are written."""

    def cells(self, attribute: AttributeLayout, values: ClassValues) -> tuple[Cells, Ints]:
        """Return the different cells of an attribute, and the number of the cell of each class (n_classes,)."""
        ...


@dataclass(frozen=True)
class Covering:
    """The smallest cell of a form that covers the values of a class."""

    form: CellForm

    def cells(self, attribute: AttributeLayout, values: ClassValues) -> tuple[Cells, Ints]:
        """Return what covers the values."""
        return class_cells(attribute, values, self.form)


@dataclass(frozen=True)
class Suppressing:
    """The value that all records of a class share, and ``*`` where they differ."""

    def cells(self, attribute: AttributeLayout, values: ClassValues) -> tuple[Cells, Ints]:
        """Return the shared values, and the suppressed cell, which stands for every value."""
        return self.written(attribute, values.lowest, np.diff(values.starts) > 1)

    def written(self, attribute: AttributeLayout, ranks: Ints, gone: NDArray[np.bool_]) -> tuple[Cells, Ints]:
        """Return the cells of these values (n,), some of which are suppressed, and the number of each one's cell."""
        hierarchy = attribute.hierarchy
        shared, numbers = np.unique(ranks[~gone], return_inverse=True)
        # The cell after all shared values is the suppressed one.
        number = np.full(len(gone), len(shared), dtype=np.int64)
        number[~gone] = numbers
        codes, labels = attribute.occurring[shared].tolist(), hierarchy.labels[attribute.level]
        made = [(labels[code], np.flatnonzero(hierarchy.codes[attribute.level] == code)) for code in codes]
        if gone.any():
            made.append((MASK, np.arange(hierarchy.domain_size)))
        cells, number = merged_cells([label for label, _ in made], [covered for _, covered in made], number)
        return replace(cells, kind="nodes"), number


def class_cells(attribute: AttributeLayout, values: ClassValues, form: CellForm) -> tuple[Cells, Ints]:
    """Return the different cells of an attribute, and the number of the cell of each class (n_classes,)."""
    numbers, examples = _alike(attribute, values, by_ends=form == "tight" and not attribute.is_set)
    cell = _cell_maker(attribute, form)
    made = [cell(values.ranks[start:end]) for start, end in _extents(values, examples)]
    cells, numbers = merged_cells([label for label, _ in made], [codes for _, codes in made], numbers)
    return replace(cells, kind=_kind(attribute, form)), numbers


def _kind(attribute: AttributeLayout, form: CellForm) -> Literal["values", "intervals", "nodes"]:
    if form == "hierarchy" and attribute.hierarchy.height > 0:
        return "nodes"
    return "intervals" if form == "tight" and not attribute.is_set else "values"


def _alike(attribute: AttributeLayout, values: ClassValues, *, by_ends: bool) -> tuple[Ints, Ints]:
    """Number classes with the same values alike, or with the same ends; return one of each too."""
    n, lowest, several = values.size, values.lowest, np.diff(values.starts) > 2
    keys = lowest * n + values.highest
    if not by_ends:  # ends tell two values apart, but not three or more
        known: dict[bytes, int] = {}
        content, size = values.ranks.tobytes(), values.ranks.itemsize
        extents = _extents(values, np.flatnonzero(several))
        contents = (content[start * size : end * size] for start, end in extents)
        # From n * n on, which no pair of ends reaches.
        keys[several] = [n * n + known.setdefault(ranks, len(known)) for ranks in contents]
    elif attribute.hierarchy.values[attribute.occurring[0]] is None:  # a missing value stands beside an interval
        inner = several & (lowest == 0)
        keys[inner] += values.ranks[values.starts[:-1][inner] + 1] * n + n * n
    numbers, examples = distinct_in_order(keys.astype(np.uint64)[:, None])
    return numbers.astype(np.int64), examples


def _extents(values: ClassValues, classes: Ints) -> list[tuple[int, int]]:
    """Return where the values of some classes begin and end."""
    return list(zip(values.starts[classes].tolist(), values.starts[classes + 1].tolist(), strict=True))


def merged_cells(labels: list[Label], covered: list[Ints], numbers: Ints) -> tuple[Cells, Ints]:
    """Make cells with the same label one: a node of a hierarchy is the same whichever of its values occur."""
    first: dict[Label, int] = {}
    place = np.array([first.setdefault(label, len(first)) for label in labels], dtype=np.int64)
    if len(first) == len(labels):
        return Cells.of(labels, covered), numbers
    together = [np.unique(np.concatenate([covered[i] for i in np.flatnonzero(place == n)])) for n in range(len(first))]
    return Cells.of(list(first), together), place[numbers]


def _cell_maker(attribute: AttributeLayout, form: CellForm) -> Callable[[Ints], tuple[Label, Ints]]:
    """Return what makes a label, and the raw values it stands for, from the ranks of a class's values."""
    if form == "hierarchy" and attribute.hierarchy.height > 0:
        return lambda ranks: _node(attribute, ranks)
    codes = attribute.occurring
    values = [attribute.hierarchy.values[code] for code in codes.tolist()]
    if form == "tight" and not attribute.is_set:
        order = value_order(attribute.hierarchy, codes)
        return lambda ranks: _interval(values, codes, ranks, order)
    return lambda ranks: _set(values, codes, ranks)


def _interval(values: Sequence[Label], codes: Ints, ranks: Ints, order: ValueOrder) -> tuple[Label, Ints]:
    """``35-37``, which stands for all that is listed between; a missing value among them is named beside it."""
    low, high = ranks.item(0), ranks.item(-1)
    if low == high:
        return values[low], codes[low : low + 1]
    if values[low] is not None:
        return order.interval(values[low], values[high]), order.between(values[low], values[high])
    label, covered = _interval(values, codes, ranks[1:], order)
    return f"missing or {label}", np.concatenate([codes[low : low + 1], covered])


def _set(values: Sequence[Label], codes: Ints, ranks: Ints) -> tuple[Label, Ints]:
    """``{blue, green}``, in the attribute's order."""
    if len(ranks) == 1:
        return values[ranks.item(0)], codes[ranks]
    written = [values[rank] for rank in ranks.tolist()]
    return "{" + ", ".join("missing" if value is None else value for value in written) + "}", codes[ranks]


def _node(attribute: AttributeLayout, ranks: Ints) -> tuple[Label, Ints]:
    """The lowest value of the hierarchy above all of them."""
    codes, hierarchy = attribute.occurring[ranks], attribute.hierarchy
    for level_codes, labels in zip(hierarchy.codes, hierarchy.labels, strict=True):
        above = level_codes[codes]
        if (above == above[0]).all():
            return labels[above[0]], np.flatnonzero(level_codes == above[0])
    raise AssertionError("the top of a hierarchy is one value")
