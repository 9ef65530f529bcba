"""Reading cells: which raw values a published cell stands for, told from its text.

A cell is a raw value, ``*``, a node of the column's hierarchy, an interval ``34-36`` or ``34 to 36.5``, a set
``{nurse, pupil}``, or ``missing or 34-36``. Earlier versions wrote ``[34, 36]``, and their releases stay readable. Text
can be ambiguous: a value may look like an interval, and ``{a, b, c}`` is two sets where ``a, b`` is a value too. Then
the recoding, which says what a cell stands for, decides between the readings; where cells that mean different things
are written alike, it says all of them. It is believed nothing that the text does not allow. ``*`` stands for everything
unless the recoding knows better, for masked rows are written so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.table.cells import Cells
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.text import MASK
from nymity.table.value_order import value_order

Ints = NDArray[np.int64]

_MISSING = "missing"
_OR = f"{_MISSING} or "
#: Ways to read a set that are looked at; with two it is ambiguous already.
_MOST_WAYS = 16


def read_cells(
    labels: Sequence[Label],
    hierarchy: Hierarchy,
    occurring: Ints,
    *,
    published: Cells | None = None,
    where: str = "released column",
) -> Cells:
    """Return what each label stands for, or refuse one that stands for nothing or for several things.

    ``occurring`` are the codes of the source's values: intervals end at those and sets name them, and readings that
    differ in no other value are one. An interval stands for all that the hierarchy lists in it. ``published`` are the
    cells of the recoding, if there is one.
    """
    reader = _Reader(hierarchy, occurring)
    meant: dict[Label, list[Ints]] = {}
    if published is not None:
        for number, label in enumerate(published.labels):
            meant.setdefault(label, []).append(published.codes(number))
    return Cells.of(list(labels), [_one(reader, label, meant.get(label, []), where) for label in labels])


def nodes_of(hierarchy: Hierarchy, level: int) -> list[tuple[Label, Ints]]:
    """Return the label of each node of a level with the raw values below it."""
    labels, codes = hierarchy.labels[level], hierarchy.codes[level]
    ends = np.cumsum(np.bincount(codes, minlength=len(labels)))[:-1]
    return list(zip(labels, np.split(np.argsort(codes, kind="stable"), ends), strict=True))


def nodes_on(hierarchy: Hierarchy, levels: Sequence[int], labels: Collection[Label]) -> dict[Label, Ints]:
    """Return what the nodes of some levels stand for, by their label.

    Labels are found on the lowest of the levels that has all of them, and else on the lowest that has it.
    """
    wanted = set(labels)
    known: dict[Label, Ints] = {}
    for level in sorted(levels, key=lambda level: not wanted <= set(hierarchy.labels[level])):
        for label, codes in nodes_of(hierarchy, level):
            known.setdefault(label, codes)
    return known


def whole_intervals(cells: Cells, hierarchy: Hierarchy) -> Cells:
    """Return cells whose intervals stand for all that the hierarchy lists between their ends.

    Files of version 0.1 list only what occurs in the table. A cell is taken for an interval if it is written as that of
    its own least and greatest value, and no node is called so.
    """
    if not len(cells.covered) or cells.covered.min() < 0 or cells.covered.max() >= hierarchy.domain_size:
        return cells  # for the caller to refuse
    order = value_order(hierarchy, np.unique(cells.covered))
    place = np.empty(hierarchy.domain_size, dtype=np.int64)
    place[order.codes] = np.arange(len(order.codes))
    nodes = {label for level in hierarchy.labels for label in level}
    found = []
    for number, label in enumerate(cells.labels):
        codes = cells.codes(number)
        ordered = codes[np.argsort(place[codes], kind="stable")]
        gap = int(len(ordered) > 0 and hierarchy.values[ordered[0]] is None)
        if label not in nodes and len(ordered) - gap > 1:
            low, high = (hierarchy.values[ordered[i]] for i in (gap, -1))
            if label == f"{_OR if gap else ''}[{low}, {high}]":
                codes = np.append(ordered[:gap], order.between(low, high))
        found.append(codes)
    return replace(Cells.of(list(cells.labels), found), kind=cells.kind)


def _one(reader: _Reader, label: Label, meant: list[Ints], where: str) -> Ints:
    """Return the only reading of a label."""
    readings = reader.readings(label)
    if len(readings) == 1:
        return next(iter(readings.values()))
    # The recoding says what was meant, but only among what the text can mean: a wrong recoding decides nothing.
    decided = {reader.key(codes): codes for codes in meant if reader.allows(readings, codes)}
    if len(decided) == 1:
        return next(iter(decided.values()))
    if label == MASK:  # some node of an uneven tree is written so, too
        return reader.everything
    if readings:
        raise TableError(
            where,
            expected="cells that stand for one thing",
            got=f"{quoted(label)}, which can be read in several ways",
            hint="give the recoding of the release, which says what is meant",
        )
    raise TableError(
        where,
        expected="values of the source, nodes of its hierarchy, intervals and sets of them",
        got=f"the unknown value {quoted(label)}",
        hint="give the job it was made by or the custodian's folder, and the table it was made from",
    )


class _Reader:
    """The values of a column and what can be written about them."""

    def __init__(self, hierarchy: Hierarchy, occurring: Ints) -> None:
        self._hierarchy = hierarchy
        self._order = value_order(hierarchy, occurring)
        self._occurs = np.zeros(hierarchy.domain_size, dtype=np.bool_)
        self._occurs[occurring] = True
        self._gap = int(hierarchy.values[self._order.codes[0]] is None) if len(occurring) else 0

    @property
    def everything(self) -> Ints:
        """All values of the hierarchy, which a masked cell stands for."""
        return np.arange(self._hierarchy.domain_size)

    def key(self, codes: Ints) -> bytes:
        """Return a key of the source's values that are covered: readings with one key are the same."""
        return np.sort(codes[self._occurs[codes]]).tobytes()

    def readings(self, label: Label) -> dict[bytes, Ints]:
        """Return every reading of a label, the plainest first."""
        found: dict[bytes, Ints] = {}
        for codes in self._all_readings(label):
            found.setdefault(self.key(codes), codes)
        return found

    def allows(self, readings: dict[bytes, Ints], codes: Ints) -> bool:
        """Return whether some of the readings together stand for these values."""
        within = [found for found in readings.values() if np.isin(found[self._occurs[found]], codes).all()]
        return bool(within) and self.key(np.unique(np.concatenate(within))) == self.key(codes)

    def _all_readings(self, label: Label) -> Iterator[Ints]:
        yield from self._nodes.get(label, ())
        if label is None:
            return
        if label == MASK:
            yield self.everything
        yield from self._interval(label)
        if label.startswith("{") and label.endswith("}"):
            yield from self._sets(label[1:-1].split(", "))
        if label.startswith(_OR) and self._gap:
            rest = label.removeprefix(_OR)
            values = [self._order.codes[[self._rank[rest]]]] if rest in self._rank else []
            for codes in [*values, *self._interval(rest)]:
                yield np.append(self._order.codes[:1], codes)

    @cached_property
    def _nodes(self) -> dict[Label, list[Ints]]:
        """Raw values and nodes by their label; one label may be of several levels."""
        nodes: dict[Label, list[Ints]] = {}
        for level in range(self._hierarchy.height + 1):
            for label, below in nodes_of(self._hierarchy, level):
                nodes.setdefault(label, []).append(below)
        return nodes

    @cached_property
    def _rank(self) -> dict[Label, int]:
        """Place of each value of the source in their order."""
        return {self._hierarchy.values[code]: rank for rank, code in enumerate(self._order.codes.tolist())}

    def _interval(self, label: str) -> Iterator[Ints]:
        """Yield what the hierarchy lists from a to b for ``a to b``: numbers and days by what they are."""
        for low, high in self._ends(label):
            if self._order.places:
                ends = self._order.read([low, high])
                if ends and ends[low] <= ends[high]:
                    yield self._order.between(low, high)
            elif low in self._rank and high in self._rank and self._rank[low] <= self._rank[high]:
                yield self._order.between(low, high)

    def _ends(self, label: str) -> Iterator[tuple[str, str]]:
        """Yield what may be the ends of an interval; a value may itself hold what stands between them."""
        if label.startswith("[") and label.endswith("]"):  # as earlier versions wrote it
            yield from _halves(label[1:-1], ", ")
        yield from _halves(label, " to ")
        if self._order.is_whole:
            yield from _halves(label, "-")

    def _sets(self, parts: list[str]) -> Iterator[Ints]:
        """Yield the ways to read the parts as values in their order; a value may itself hold the separator."""
        ways: list[dict[int, list[tuple[int, ...]]]] = [
            {} for _ in parts
        ]  # of the parts from each one on, by the first
        for start in reversed(range(len(parts))):
            for end in range(start + 1, min(len(parts), start + self._most_parts) + 1):
                for rank in self._named(", ".join(parts[start:end])):
                    rests = [()] if end == len(parts) else _after(rank, ways[end])
                    ways[start].setdefault(rank, []).extend((rank, *rest) for rest in rests)
            ways[start] = {rank: found[:_MOST_WAYS] for rank, found in ways[start].items()}
        for way in _after(-1, ways[0]):
            yield self._order.codes[list(way)]

    @cached_property
    def _most_parts(self) -> int:
        """Into how many parts the separator cuts a value."""
        return max((value.count(", ") + 1 for value in self._rank if value is not None), default=1)

    def _named(self, text: str) -> list[int]:
        """Return the values that a text in a set may name."""
        named = [self._rank[text]] if text in self._rank else []
        return [*named, 0] if text == _MISSING and self._gap else named


def _halves(text: str, between: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to cut a text in two at what stands between."""
    parts = text.split(between)
    for cut in range(1, len(parts)):
        yield between.join(parts[:cut]), between.join(parts[cut:])


def _after(rank: int, ways: dict[int, list[tuple[int, ...]]]) -> list[tuple[int, ...]]:
    """Return the ways that begin after a rank."""
    return [way for first, found in ways.items() if first > rank for way in found][:_MOST_WAYS]
