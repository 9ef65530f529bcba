"""What a class is published with: the smallest interval, value set or hierarchy node that covers its records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nymity.partition.attributes import Attribute
from nymity.table.cells import Cells
from nymity.table.hierarchy import Label

#: ``tight``: intervals of numbers and ordered values, sets of others; ``set``: the values themselves; ``hierarchy``:
#: the smallest node above them.
CellForm = Literal["tight", "set", "hierarchy"]
CELL_FORMS: tuple[CellForm, ...] = ("tight", "set", "hierarchy")

Ints = NDArray[np.int64]

#: Cells of a table of classes by values up to which it is filled instead of sorting.
DENSE = 2**24


def published_cells(attribute: Attribute, ranks: Ints, classes: Ints, form: CellForm) -> tuple[Cells, Ints]:
    """Return the different cells of an attribute, and the number of the cell of each class (n_classes,).

    ranks, classes (n,): value and class of each record, or of each different one.
    """
    n_classes, n_values = int(classes.max()) + 1, len(attribute.occurring)
    occurs = np.zeros(n_classes * n_values, dtype=np.bool_) if n_classes * n_values <= DENSE else None
    if occurs is None:
        pairs = np.unique(classes * np.int64(n_values) + ranks)
    else:
        occurs[classes * np.int64(n_values) + ranks] = True
        pairs = np.flatnonzero(occurs)
    owner, values = np.divmod(pairs, n_values)
    starts = np.searchsorted(owner, np.arange(n_classes + 1))
    numbers, examples = _alike(values, starts, n_values, by_ends=form == "tight" and not attribute.is_set)
    cell = _cell_maker(attribute, form)
    made = [cell(values[starts[c] : starts[c + 1]]) for c in examples]
    return _merged([label for label, _ in made], [codes for _, codes in made], numbers)


def _alike(values: Ints, starts: Ints, n_values: int, *, by_ends: bool) -> tuple[Ints, list[int]]:
    """Number classes with the same values alike, or with the same least and greatest one; return one of each too."""
    lowest, highest = values[starts[:-1]], values[starts[1:] - 1]
    keys = lowest * n_values + highest
    several = np.flatnonzero(np.diff(starts) > 2) if not by_ends else ()
    known: dict[bytes, int] = {}
    for c in several:  # ends tell two values apart, but not three or more
        content = values[starts[c] : starts[c + 1]].tobytes()
        keys[c] = n_values * n_values + known.setdefault(content, len(known))
    _, examples, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return numbers, examples.tolist()


def _merged(labels: list[Label], covered: list[Ints], numbers: Ints) -> tuple[Cells, Ints]:
    """Make cells with the same label one: a node of a hierarchy is the same whichever of its values occur."""
    first: dict[Label, int] = {}
    place = np.array([first.setdefault(label, len(first)) for label in labels], dtype=np.int64)
    if len(first) == len(labels):
        return Cells.of(labels, covered), numbers
    together = [np.unique(np.concatenate([covered[i] for i in np.flatnonzero(place == n)])) for n in range(len(first))]
    return Cells.of(list(first), together), place[numbers]


def _cell_maker(attribute: Attribute, form: CellForm) -> Callable[[Ints], tuple[Label, Ints]]:
    """Return what makes a label, and the raw values it stands for, from the ranks of a class's values."""
    if form == "hierarchy" and attribute.hierarchy.height > 0:
        return lambda ranks: _node(attribute, ranks)
    if form == "tight" and not attribute.is_set:
        return lambda ranks: _interval(attribute, ranks)
    return lambda ranks: _set(attribute, ranks)


def _interval(attribute: Attribute, ranks: Sequence[int] | Ints) -> tuple[Label, Ints]:
    """``[35, 37]``; a missing value among them is named beside it."""
    values, codes = attribute.hierarchy.values, attribute.occurring
    low, high = int(ranks[0]), int(ranks[-1])
    if low == high:
        return values[codes[low]], codes[low : low + 1]
    if values[codes[low]] is not None:
        return f"[{values[codes[low]]}, {values[codes[high]]}]", codes[low : high + 1]
    label, covered = _interval(attribute, ranks[1:])
    return f"missing or {label}", np.concatenate([codes[low : low + 1], covered])


def _set(attribute: Attribute, ranks: Ints) -> tuple[Label, Ints]:
    """``{blue, green}``, in the attribute's order."""
    codes = attribute.occurring[ranks]
    values = [attribute.hierarchy.values[code] for code in codes]
    if len(values) == 1:
        return values[0], codes
    return "{" + ", ".join("missing" if value is None else value for value in values) + "}", codes


def _node(attribute: Attribute, ranks: Ints) -> tuple[Label, Ints]:
    """The lowest value of the hierarchy above all of them."""
    codes, hierarchy = attribute.occurring[ranks], attribute.hierarchy
    for level_codes, labels in zip(hierarchy.codes, hierarchy.labels, strict=True):
        above = level_codes[codes]
        if (above == above[0]).all():
            return labels[above[0]], np.flatnonzero(level_codes == above[0])
    raise AssertionError("the top of a hierarchy is one value")
