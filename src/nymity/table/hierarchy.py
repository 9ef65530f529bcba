"""Hierarchy: how the values of one column become coarser, level by level.

Level 0 holds the raw values, the top level (``height``) a single value, normally ``*``. Each level is a
function of the one below. Values are text; ``None`` stands for a missing value, which keeps to itself below
the top. Hierarchies are immutable; builders (``Hierarchy.intervals(...)`` and its siblings) make one for a
column's values.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from nymity.core.commit import replace_file
from nymity.core.errors import HierarchyError
from nymity.core.quoting import quoted, shown
from nymity.table.text import MASK, as_text, plainly_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nymity.table import builders

Label = str | None

#: Levels that a hierarchy may have, the raw values and the top among them. A search looks at every combination of
#: levels, and each level is kept for every value: more of them help nobody and cost without end.
MOST_LEVELS = 100


class HierarchySource(Protocol):
    """Anything that yields a hierarchy for a column: a builder, or a hierarchy itself."""

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return a hierarchy that covers ``values`` (distinct, the column's own type, nulls allowed)."""
        ...


class _Builders(type):
    """Gives the registered builders as names of :class:`Hierarchy`: ``Hierarchy.random_tree`` is ``random-tree``."""

    if not TYPE_CHECKING:  # type checkers know the names that there are

        def __getattr__(cls, name: str) -> Any:
            if not name.startswith("_") and name not in cls.__annotations__:  # dataclass looks for defaults of fields
                from nymity.table.builders import BUILDERS

                if (key := name.replace("_", "-")) in BUILDERS:
                    return BUILDERS[key]
            raise AttributeError(f"type object 'Hierarchy' has no attribute {name!r}")

    def __dir__(cls) -> list[str]:
        from nymity.table.builders import BUILDERS

        return [*super().__dir__(), *(key.replace("-", "_") for key in BUILDERS)]


@dataclass(frozen=True, eq=False)
class Hierarchy(metaclass=_Builders):
    """Levels of one attribute as code tables; make one with :meth:`from_rows` or a builder.

    ``labels[level][code]`` is the text of a generalized value; ``codes[level][base]`` maps the code of a raw
    value to the code of its generalization at ``level``.
    """

    labels: tuple[tuple[Label, ...], ...]
    codes: tuple[NDArray[np.int32], ...]

    # -- making one ------------------------------------------------------------------------------------

    @staticmethod
    def from_rows(rows: Sequence[Sequence[Label]], *, where: str = "hierarchy") -> Hierarchy:
        """Build from one row per raw value: ``[raw, level 1, ..., top]`` (the form ARX uses), validated."""
        if rows and len(rows[0]) > MOST_LEVELS:
            raise HierarchyError(
                where,
                expected=f"at most {MOST_LEVELS} levels",
                got=f"{len(rows[0]):,}",
                hint="leave some levels out; a search cannot use so many",
            )
        rows = [[cell if cell != "" else None for cell in row] for row in rows]
        _check_shape(rows, where)
        labels: list[tuple[Label, ...]] = []
        codes: list[NDArray[np.int32]] = []
        for level in range(len(rows[0])):
            index: dict[Label, int] = {}
            level_codes = np.fromiter(
                (index.setdefault(row[level], len(index)) for row in rows), dtype=np.int32, count=len(rows)
            )
            level_codes.flags.writeable = False
            labels.append(tuple(index))
            codes.append(level_codes)
        hierarchy = Hierarchy(tuple(labels), tuple(codes))
        _check_levels(hierarchy, where)
        return hierarchy

    @staticmethod
    def flat(values: Sequence[Label], *, where: str = "hierarchy") -> Hierarchy:
        """Return the hierarchy of an attribute without one: the value itself, or ``*``."""
        return Hierarchy.from_rows([[value, MASK] for value in values], where=where)

    @staticmethod
    def read(path: str | Path, *, delimiter: str | None = None) -> Hierarchy:
        """Read an ARX-style CSV file: one line per raw value, level 0 first, no header."""
        from nymity.table.builders.file import read_hierarchy

        return read_hierarchy(Path(path), delimiter=delimiter)

    @staticmethod
    def taxonomy(tree: Mapping[str, Any] | None = None, **parameters: Any) -> builders.Taxonomy:
        """Use a tree of concepts; see :class:`nymity.table.builders.Taxonomy`."""
        from nymity.table.builders import Taxonomy

        return Taxonomy(tree=tree, **parameters) if tree is not None else Taxonomy(**parameters)

    @staticmethod
    def shuffled(hierarchy: Any, **parameters: Any) -> builders.Shuffled:
        """Let values change places in a hierarchy, for studies; see :class:`nymity.table.builders.Shuffled`."""
        from nymity.table.builders import Shuffled

        return Shuffled(hierarchy=hierarchy, **parameters)

    if TYPE_CHECKING:  # what _Builders finds in the registry; tests/conformance compares these lines with it
        dates = builders.Dates
        file = builders.HierarchyFile
        intervals = builders.Intervals
        masking = builders.Masking
        ordering = builders.Ordering
        random_tree = builders.RandomTree

    @staticmethod
    def suggest(values: pl.Series) -> HierarchySource:
        """Return the builder that makes a sensible first hierarchy for a column."""
        from nymity.table.builders import suggest

        return suggest(plainly_named(values))

    # -- looking at it ---------------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """Number of the top level."""
        return len(self.labels) - 1

    @property
    def values(self) -> tuple[Label, ...]:
        """Raw values in the hierarchy's own order."""
        return self.labels[0]

    @property
    def domain_size(self) -> int:
        """Number of raw values the hierarchy lists, whether they occur in a table or not (as ARX counts)."""
        return len(self.labels[0])

    @cached_property
    def leaves(self) -> tuple[NDArray[np.int64], ...]:
        """``leaves[level][code]``: how many raw values a generalized value stands for."""
        return tuple(
            np.bincount(codes, minlength=len(labels)) for codes, labels in zip(self.codes, self.labels, strict=True)
        )

    @cached_property
    def index(self) -> Mapping[Label, int]:
        """Raw value → code."""
        return {value: code for code, value in enumerate(self.values)}

    def generalize(self, value: Label, level: int) -> Label:
        """Return what ``value`` is published as at ``level``."""
        if value not in self.index:
            raise HierarchyError("hierarchy", expected="a value it lists", got=quoted(value))
        if not 0 <= level <= self.height:
            raise HierarchyError("hierarchy", expected=f"a level from 0 to {self.height}", got=str(level))
        return self.labels[level][int(self.codes[level][self.index[value]])]

    def rows(self) -> list[list[Label]]:
        """One row per raw value: ``[raw, level 1, ..., top]``."""
        return [
            [self.labels[level][self.codes[level][base]] for level in range(self.height + 1)]
            for base in range(self.domain_size)
        ]

    def tree(self, *, max_children: int = 12) -> str:
        """Draw the hierarchy as an indented tree, long lists shortened."""
        lines: list[str] = []

        def draw(level: int, code: int, indent: str) -> None:
            lines.append(f"{indent}{shown(self.labels[level][code])}")
            if level == 0:
                return
            below = np.unique(self.codes[level - 1][self.codes[level] == code])
            for child in below[:max_children]:
                draw(level - 1, int(child), indent + "  ")
            if len(below) > max_children:
                lines.append(f"{indent}  … {len(below) - max_children} more")

        draw(self.height, 0, "")
        return "\n".join(lines)

    def fingerprint(self) -> str:
        """SHA-256 of the rows: equal hierarchies have equal fingerprints."""
        return hashlib.sha256(json.dumps(self.rows(), ensure_ascii=False).encode()).hexdigest()

    def save(self, path: str | Path, *, delimiter: str = ";") -> None:
        """Write the ARX-style CSV file that :meth:`read` reads."""
        rows = [["" if cell is None else cell for cell in row] for row in self.rows()]
        # The writer leaves these two unquoted, and a reader would take them for a line end and a byte order mark.
        risky = any("\r" in cell or "\ufeff" in cell for row in rows for cell in row)

        def write(staged: Path) -> None:
            with staged.open("w", newline="", encoding="utf-8") as stream:
                csv.writer(
                    stream,
                    delimiter=delimiter,
                    lineterminator="\n",
                    quoting=csv.QUOTE_ALL if risky else csv.QUOTE_MINIMAL,
                ).writerows(rows)

        replace_file(path, write)

    # -- using it for a column -------------------------------------------------------------------------

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Check that the hierarchy covers a column and give missing values a row of their own if needed."""
        text = as_text(values)
        hierarchy = self.with_missing(where=where) if text.null_count() else self
        known = text.drop_nulls().unique().to_list()
        unknown = [value for value in known if value not in hierarchy.index]
        if unknown and values.dtype.is_numeric():  # 1.50 in the hierarchy is the number 1.5 of the column
            hierarchy = hierarchy._with_plain_numbers(where)
            unknown = [value for value in known if value not in hierarchy.index]
        if unknown:
            raise HierarchyError(
                where,
                expected="a hierarchy that lists every value of the column",
                got=f"{len(unknown)} unknown value{'s' if len(unknown) > 1 else ''}: {some_of(sorted(unknown))}",
                hint="add a row for each of them to the hierarchy, or correct the values in the table",
            )
        return hierarchy

    def _with_plain_numbers(self, where: str) -> Hierarchy:
        """Return the same hierarchy with raw values that are numbers written as columns of numbers are."""
        rows: dict[Label, list[Label]] = {}
        for raw, *further in self.rows():
            number = pl.Series([raw], dtype=pl.String).cast(pl.Float64, strict=False)
            plain = raw if number.null_count() else as_text(number).item()
            rows.setdefault(plain, [plain, *further])
        return Hierarchy.from_rows(list(rows.values()), where=where)

    def with_missing(self, *, where: str = "hierarchy") -> Hierarchy:
        """Return the same hierarchy with a row for missing values: missing below the top, then the top value."""
        if None in self.index:
            return self
        if self.height == 0:
            raise HierarchyError(
                where,
                expected="a level above the raw values, for missing ones are among them",
                got=f"one level with the value {quoted(self.values[0])}",
                hint="add a last column with '*' to every row",
            )
        return Hierarchy.from_rows([*self.rows(), [None] * self.height + [self.labels[-1][0]]], where=where)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self.rows() == other.rows()

    def __hash__(self) -> int:
        return hash(self.labels)

    def __repr__(self) -> str:
        return f"Hierarchy({self.domain_size} values, {self.height + 1} levels)"


def label_texts(where: str, items: Any) -> tuple[Label, ...]:
    """Return a list of labels of a file, each a text or None for a missing value, or refuse anything else."""
    if not isinstance(items, list | tuple) or not all(item is None or isinstance(item, str) for item in items):
        raise ValueError(f"{where} that are no list of texts")
    return tuple(items)


def some_of(values: Sequence[Label], *, limit: int = 5) -> str:
    """Quote the first few values for a message and count the rest."""
    more = f" and {len(values) - limit} more" if len(values) > limit else ""
    return ", ".join(quoted(value) for value in values[:limit]) + more


def _check_shape(rows: Sequence[Sequence[Label]], where: str) -> None:
    if not rows:
        raise HierarchyError(where, expected="at least one value", got="an empty hierarchy")
    if not rows[0]:
        raise HierarchyError(where, expected="at least one level", got="an empty row 1")
    height = len(rows[0])
    seen: set[Label] = set()
    for number, row in enumerate(rows, start=1):
        if len(row) != height:
            raise HierarchyError(
                where,
                expected=f"{height} levels for every value, as in row 1",
                got=f"{len(row)} levels for {quoted(row[0] if row else None)} in row {number}",
                hint="repeat a value on the levels where it does not change",
            )
        for level, cell in enumerate(row):
            if cell is not None and not isinstance(cell, str):
                raise HierarchyError(
                    where,
                    expected="text (or None for a missing value)",
                    got=f"{quoted(cell)} on level {level} in row {number}",
                    hint=f"write {quoted(str(cell))}",
                )
        if row[0] in seen:
            raise HierarchyError(where, expected="each value once", got=f"{quoted(row[0])} again in row {number}")
        seen.add(row[0])


def _check_levels(hierarchy: Hierarchy, where: str) -> None:
    """Each level is a function of the one below, and the top holds one value."""
    for level in range(1, hierarchy.height + 1):
        below, here = hierarchy.codes[level - 1], hierarchy.codes[level]
        parent = np.full(len(hierarchy.labels[level - 1]), -1, dtype=np.int32)
        parent[below] = here  # the last row wins; any other row that disagrees is an error
        wrong = np.flatnonzero(parent[below] != here)
        if len(wrong):
            child = hierarchy.labels[level - 1][below[wrong[0]]]
            ways = sorted({quoted(hierarchy.labels[level][code]) for code in here[below == below[wrong[0]]]})
            raise HierarchyError(
                where,
                expected="each value to have one generalization on the next level",
                got=f"{quoted(child)} of level {level - 1} becomes {' and '.join(ways[:3])} on level {level}",
                hint="give the values of the lower level different names, or the same parent",
            )
    if len(hierarchy.labels[-1]) != 1:
        tops = ", ".join(quoted(label) for label in hierarchy.labels[-1][:3])
        raise HierarchyError(
            where,
            expected="one value on the top level",
            got=f"{len(hierarchy.labels[-1])} values on level {hierarchy.height}: {tops} …",
            hint="add a last column with '*' to every row",
        )
    if hierarchy.labels[-1][0] is None:
        raise HierarchyError(
            where,
            expected="a value on the top level, normally '*'",
            got=f"an empty cell on level {hierarchy.height}, which would publish every value as missing",
            hint="add a last column with '*' to every row",
        )
