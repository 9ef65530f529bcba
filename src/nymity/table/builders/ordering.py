"""Ordering: neighbours of an ordered list become groups, and groups of groups."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import polars as pl

from nymity.core import validation
from nymity.core.errors import HierarchyError, ParameterError
from nymity.core.quoting import as_given, quoted
from nymity.table.builders.column import Column, distinct, plain_text, plain_texts, refuse
from nymity.table.builders.number import read_number
from nymity.table.builders.value_sets import VALUE_SETS, fixed_sets, set_label
from nymity.table.hierarchy import MOST_LEVELS, Hierarchy
from nymity.table.label_form import SET_FORM, LabelForm
from nymity.table.rule import NOWHERE, Fixes, is_flag


@dataclass(frozen=True, kw_only=True)
class Ordering:
    """Group ``group`` neighbours of an ordered list, then ``group`` of those groups, and so on up to ``*``.

    ``order`` lists the values; values it lists are part of the hierarchy whether they occur or not. Without it
    the column's own values are taken in natural order: by number if all of them are numbers, else by text.
    ``levels`` counts the levels below the top, the raw values among them; without it grouping goes on as long
    as it leaves at least two groups. ``labels`` writes a group as ``first - last`` (``range``) or as
    ``{first, …, last}`` with every value (``set``).

    ``groups`` gives one level of named groups instead: ``{"adult": [18, 19, …], "minor": [...]}``, in this
    order. For more levels use a taxonomy.
    """

    key: ClassVar[str] = "ordering"
    coarser: ClassVar[str] = "ranges of an ordered list"
    forms: ClassVar[tuple[LabelForm, ...]] = (
        LabelForm(r" - ", "low - medium", "A value of the list from the first to the last, both included."),
        SET_FORM,
    )
    order: tuple[str, ...] | None = None
    group: int = 2
    levels: int | None = None
    labels: Literal["range", "set"] = "range"
    groups: Mapping[str, Sequence[str]] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        validation.whole_number("ordering.group", self.group, at_least=2)
        validation.one_of("ordering.labels", self.labels, ("range", "set"))
        if self.levels is not None:
            validation.whole_number("ordering.levels", self.levels, at_least=1, at_most=MOST_LEVELS - 1)
        if self.order is not None:
            order = plain_texts("ordering.order", self.order)
            _check_once("ordering.order", order)
            object.__setattr__(self, "order", order)
        if self.groups is not None:
            for name in ("order", "levels"):
                if getattr(self, name) is not None:
                    raise ParameterError(f"ordering.{name}", expected="none with groups", got=repr(getattr(self, name)))
            object.__setattr__(self, "groups", _named_groups(self.groups))

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the groups of a column's values, which must all have a place in the order."""
        column = distinct(values)
        if self.groups is not None:
            rows = [[value, label] for label, members in self.groups.items() for value in members]
            _refuse_unlisted(where, column, {row[0] for row in rows})
            return column.hierarchy(rows, levels=2, where=where)
        order = natural_order(column) if self.order is None else self.order
        _refuse_unlisted(where, column, set(order))
        rows = [[value] for value in order]
        sizes = self._sizes(len(order))
        labels: list[str] = []
        for level, size in enumerate(sizes, start=1):
            if level == 1 or size != sizes[level - 2]:  # else the same once more, and no second copy of long labels
                labels = [self._label(group) for group in _groups(order, size)]
                _check_distinct(where, labels, level)
            for place, row in enumerate(rows):
                row.append(labels[place // size])
        if self.order is not None:  # what is listed, and nothing else
            return column.hierarchy(rows, levels=len(sizes) + 1, where=where)
        if self.labels == "set":
            sets = fixed_sets([_groups(order, size) for size in sizes])
            return column.hierarchy(rows, levels=len(sizes) + 1, where=where, rule=(self, sets))
        ends = [[[group[0], group[-1]] for group in _groups(order, size)] for size in sizes]
        fixed = {"numbers": all(read_number(text) is not None for text in order), "ends": ends}
        return column.hierarchy(rows, levels=len(sizes) + 1, where=where, rule=(self, fixed))

    @property
    def fixes(self) -> Fixes:
        """What is found out from the column: groups by their ends, or as sets."""
        if self.labels == "set":
            return VALUE_SETS.fixes
        return {"numbers": is_flag, "ends": lambda ends: all(map(_are_pairs, ends))}

    def between(self, text: str, fixed: Mapping[str, Any]) -> Sequence[str | None] | None:
        """Find the groups whose first value comes before a value in natural order, and whose last one after it."""
        return self.between_all([text], fixed)[0]

    def between_all(self, texts: Sequence[str], fixed: Mapping[str, Any]) -> list[Sequence[str | None] | None]:
        """Find the groups of many values: the ends are read once."""
        if self.labels == "set":
            return VALUE_SETS.between_all(texts, fixed)
        numbers = fixed["numbers"]
        places = [_place(text, numbers=numbers) for text in texts]
        firsts = [[_place(first, numbers=numbers) for first, _ in ends] for ends in fixed["ends"]]
        levels = list(zip(firsts, fixed["ends"], strict=True))
        return [
            None if place is None else [self._around(place, first, ends, numbers) for first, ends in levels]
            for place in places
        ]

    def only(self, fixed: Mapping[str, Any], labels: Mapping[int, Collection[str | None]]) -> dict[str, Any]:
        """Forget the groups that are called otherwise."""
        if self.labels == "set":
            return VALUE_SETS.only(fixed, labels)
        levels = enumerate(fixed["ends"], start=1)
        kept = [[pair for pair in ends if self._label(_ends(pair)) in labels.get(level, ())] for level, ends in levels]
        return {**fixed, "ends": kept}

    def _around(self, place: Any, firsts: Sequence[Any], ends: Sequence[Sequence[str]], numbers: bool) -> str:
        at = bisect_right(firsts, place) - 1
        inside = at >= 0 and place <= _place(ends[at][1], numbers=numbers)
        return self._label(_ends(ends[at])) if inside else NOWHERE

    def _sizes(self, count: int) -> list[int]:
        """How many values a group holds on each level above the raw values."""
        if self.levels is not None:
            return [min(self.group**level, count) for level in range(1, self.levels)]  # one group of all is the last
        sizes: list[int] = []
        size = self.group
        while size < count:
            sizes.append(size)
            size *= self.group
        return sizes

    def _label(self, members: Sequence[str]) -> str:
        if len(members) == 1:
            return members[0]
        return f"{members[0]} - {members[-1]}" if self.labels == "range" else set_label(members)


def _groups(order: Sequence[str], size: int) -> list[Sequence[str]]:
    return [order[start : start + size] for start in range(0, len(order), size)]


def _are_pairs(ends: Any) -> bool:
    return all(len(pair) == 2 and all(isinstance(text, str) and text for text in pair) for pair in ends)


def _ends(pair: Sequence[str]) -> Sequence[str]:
    """The first and the last value of a group, or its only one."""
    return pair[:1] if pair[0] == pair[1] else pair


def _place(text: str, *, numbers: bool) -> Any:
    """What a value is compared by in natural order; None if it is no number among numbers."""
    if not numbers:
        return text
    return None if (number := read_number(text)) is None else (number, text)


def natural_order(column: Column) -> tuple[str, ...]:
    """Return the values by number if all of them are numbers, else by text."""
    numbers = {text: read_number(text) for text in column.texts}
    if any(number is None for number in numbers.values()):
        return tuple(sorted(column.texts))
    return tuple(sorted(column.texts, key=lambda text: (numbers[text], text)))


def _refuse_unlisted(where: str, column: Column, listed: set[str]) -> None:
    refuse(
        where,
        [text for text in column.texts if text not in listed],
        expected="values that the ordering lists",
        hint="add them to the order (or a group), or correct the values in the table",
    )


def _check_distinct(where: str, labels: Sequence[str], level: int) -> None:
    seen: set[str] = set()
    for label in labels:
        if label in seen:
            raise HierarchyError(
                where,
                expected=f"different names for the groups of level {level}",
                got=f"two groups called {quoted(label)}",
                hint="choose the other form of labels, or name the groups yourself",
            )
        seen.add(label)


def _check_once(where: str, values: Sequence[str]) -> None:
    if not values:
        raise ParameterError(where, expected="at least one value", got="none")
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ParameterError(where, expected="each value once", got=f"{quoted(value)} again")
        seen.add(value)


def _named_groups(groups: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(groups, Mapping):
        raise ParameterError("ordering.groups", expected="a list of values for each label", got=as_given(groups))
    named = {
        plain_text("ordering.groups", label): plain_texts(f"ordering.groups.{label}", members)
        for label, members in groups.items()
    }
    _check_once("ordering.groups", [value for members in named.values() for value in members])
    return named
