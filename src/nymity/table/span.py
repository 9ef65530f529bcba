"""Spans: what the cells of classes stand for, told by values instead of codes, so that any value can be looked for.

An interval ``34-36`` spans every number, or day, from one end to the other, whether a table had it or not. A node spans
what its hierarchy's rule puts below it. A set, and an interval of words, spans the values it names and no others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nymity.table.hierarchy import Hierarchy, Label, label_texts
from nymity.table.rule import NOWHERE
from nymity.table.text import MASK
from nymity.table.value_order import days, numbers

#: What the cells of a column are: named values, intervals, nodes of the hierarchy, or centres of what classes have.
CellKind = Literal["values", "intervals", "nodes", "centres"]
CELL_KINDS: tuple[CellKind, ...] = ("values", "intervals", "nodes", "centres")

Places = Callable[[Sequence[Label]], dict[Label, Fraction] | None]


@dataclass(frozen=True)
class Span:
    """Values that a cell names, or the ends of what it spans and whether a missing value is in it."""

    values: tuple[Label, ...] = ()
    ends: tuple[str, str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"values": list(self.values), **({} if self.ends is None else {"ends": list(self.ends)})}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Span:
        """Rebuild from :meth:`to_dict`."""
        ends = data.get("ends")
        if ends is not None and (len(ends) != 2 or not all(isinstance(end, str) and end for end in ends)):
            raise ValueError("an interval with other than two ends")
        span = Span(label_texts("values", data["values"]), None if ends is None else (ends[0], ends[1]))
        places = None if ends is None else _places(ends)
        if ends is not None and (places is None or places[ends[0]] > places[ends[1]]):
            raise ValueError("an interval whose ends are in no order")
        return span

    @property
    def is_one(self) -> bool:
        """Whether it is one value."""
        return len(self.values) == 1 if self.ends is None else not self.values and self.ends[0] == self.ends[1]


def spans_of(kind: CellKind, values: Sequence[Label], cells: Sequence[NDArray[np.int64]]) -> tuple[Span, ...]:
    """Tell what cells stand for by the values whose codes each covers; what nodes cover is the rule's to say."""
    if kind == "centres":  # what they were made of is not published
        return tuple(Span() for _ in cells)
    if kind == "nodes":
        return tuple(Span((values[codes[0]],) if len(codes) == 1 else ()) for codes in cells)
    if kind == "intervals" and (order := _order(values, cells)) is not None:
        return tuple(_interval(values, codes, *order) for codes in cells)
    return tuple(Span(tuple(values[code] for code in codes.tolist())) for codes in cells)


def spanned(
    labels: Sequence[Label], spans: Sequence[Span], kind: CellKind, hierarchy: Hierarchy, values: Sequence[Label]
) -> NDArray[np.bool_]:
    """Return which cell spans which value, (n_values, n_cells)."""
    inside = np.zeros((len(values), len(spans)), dtype=np.bool_)
    row_of: dict[Label, list[int]] = {}
    for row, value in enumerate(values):
        row_of.setdefault(value, []).append(row)
    if kind == "nodes":
        cell_of: dict[Label, list[int]] = {}
        for cell, label in enumerate(labels):
            cell_of.setdefault(label, []).append(cell)
        for row, levels in enumerate(_rows(hierarchy, values)):
            inside[row, [cell for label in {*levels} for cell in cell_of.get(label, ())]] = True
        if not any(MASK in own for own in hierarchy.labels):  # no node but a suppressed cell, which is any value
            inside[:, cell_of.get(MASK, [])] = True
        return inside
    for cell, span in enumerate(spans):
        inside[[row for value in span.values for row in row_of.get(value, ())], cell] = True
    if intervals := [(cell, span.ends) for cell, span in enumerate(spans) if span.ends is not None]:
        read = _reader([end for _, ends in intervals for end in ends])
        known = sorted((place, row) for row, value in enumerate(values) if (place := _one(read, value)) is not None)
        places, rows = [place for place, _ in known], np.array([row for _, row in known], dtype=np.int64)
        for cell, ends in intervals:
            found = read(ends)
            assert found is not None  # they were read when the span was made
            inside[rows[bisect_left(places, found[ends[0]]) : bisect_right(places, found[ends[1]])], cell] = True
    return inside


def _rows(hierarchy: Hierarchy, values: Sequence[Label]) -> list[list[Label]]:
    return [[label for label in hierarchy.row(value) if label != NOWHERE] for value in values]


def _order(
    values: Sequence[Label], cells: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the codes of the values that cells cover by number or day, and the rank of each code, -1 if it is missing.

    None if a value is neither. Each value is read once: the cells of a few thousand classes cover it again and again.
    """
    codes = np.unique(np.concatenate([np.empty(0, np.int64), *cells]))
    places = _places([values[code] for code in codes.tolist()])
    if places is None:
        return None
    known = [code for code in codes.tolist() if values[code] is not None]
    ordered = np.array(sorted(known, key=lambda code: places[values[code]]), dtype=np.int64)
    rank = np.full(len(values), -1)
    rank[ordered] = np.arange(len(ordered))
    return ordered, rank


def _interval(
    values: Sequence[Label], codes: NDArray[np.int64], ordered: NDArray[np.int64], rank: NDArray[np.int64]
) -> Span:
    known = rank[codes]
    known = known[known >= 0]
    missing: tuple[Label, ...] = (None,) if len(known) < len(codes) else ()
    if not len(known):
        return Span(missing)
    ends = str(values[ordered[known.min()]]), str(values[ordered[known.max()]])
    return Span(missing, ends)


def _places(values: Sequence[Label]) -> dict[Label, Fraction] | None:
    return numbers(values) or days(values)


def _reader(values: Sequence[Label]) -> Places:
    return numbers if numbers(values) is not None else days


def _one(read: Places, value: Label) -> Fraction | None:
    return None if value is None else (read([value]) or {}).get(value)
