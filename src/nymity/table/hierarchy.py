"""Hierarchy: how the values of one column become coarser, level by level.

Level 0 holds the raw values, the top level (``height``) a single value, normally ``*``. Each level is a
function of the one below. Values are text; ``None`` stands for a missing value, which keeps to itself below
the top. Hierarchies are immutable; builders (``Hierarchy.intervals(...)`` and its siblings) make one for a
column's values.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import polars as pl

from nymity.core.card import Card, Carded, CardTable
from nymity.core.commit import replace_file
from nymity.core.errors import HierarchyError
from nymity.core.paths import path_text
from nymity.core.quoting import as_given, quoted, shown
from nymity.core.wording import count
from nymity.table.rule import NOWHERE, Rule
from nymity.table.text import MASK, as_text, plainly_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nymity.table import builders

Label = str | None

#: Levels that a hierarchy may have, the raw values and the top among them. A search looks at every combination of
#: levels, and each level is kept for every value: more of them help nobody and cost without end.
MOST_LEVELS = 100


#: Ways to make one that are no builders, and what other packages call them.
_MAKERS = ("from_rows", "from_columns", "from_dict", "read", "suggest")
_CALLED_OTHERWISE = {
    **dict.fromkeys(("from_csv", "from_file", "load", "read_csv", "from_arx"), "Hierarchy.read(path)"),
    **dict.fromkeys(("from_frame", "from_pandas", "from_dataframe", "from_df"), "Hierarchy.from_rows(df)"),
    **dict.fromkeys(("from_tree", "from_mapping", "nested"), "Hierarchy.taxonomy({group: [values]})"),
    **dict.fromkeys(("redaction", "prefix", "prefixes", "mask", "truncate"), "Hierarchy.masking()"),
    **dict.fromkeys(("ranges", "bins", "numeric"), "Hierarchy.intervals(width=10)"),
}


class HierarchySource(Protocol):
    """Anything that yields a hierarchy for a column: a builder, or a hierarchy itself."""

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return a hierarchy that covers ``values`` (distinct, the column's own type, nulls allowed)."""
        ...


class _Builders(type):
    """Gives the registered builders as names of :class:`Hierarchy`: ``Hierarchy.random_tree`` is ``random-tree``."""

    if not TYPE_CHECKING:  # type checkers know the names that there are

        def __getattr__(cls, name: str) -> Any:
            near = ""
            if not name.startswith("_") and name not in cls.__annotations__:  # dataclass looks for defaults of fields
                from nymity.core.validation import nearest
                from nymity.table.builders import BUILDERS

                if (key := name.replace("_", "-")) in BUILDERS:
                    return BUILDERS[key]
                near = _CALLED_OTHERWISE.get(name) or nearest(name, [*BUILDERS, *_MAKERS])
            raise AttributeError(f"type object 'Hierarchy' has no attribute {name!r}" + (near and f". Try: {near}"))

    def __dir__(cls) -> list[str]:
        from nymity.table.builders import BUILDERS

        return [*super().__dir__(), *(key.replace("-", "_") for key in BUILDERS)]


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(Carded, metaclass=_Builders):
    """Levels of one attribute as code tables; make one with :meth:`from_rows` or a builder.

    ``labels[level][code]`` is the text of a generalized value; ``codes[level][base]`` maps the code of a raw
    value to the code of its generalization at ``level``. ``rule`` says the same of values that it does not list,
    where it is a function of them.
    """

    _instead: ClassVar = {
        "levels": ".height, the number of the top level, or .to_frame(), which has a column for each",
        **dict.fromkeys(("apply", "map", "transform"), ".generalize(value, level)"),
        **dict.fromkeys(("to_csv", "write"), ".save(path)"),
    }

    labels: tuple[tuple[Label, ...], ...]
    codes: tuple[NDArray[np.int32], ...]
    rule: Rule | None = None
    #: It lists values and labels that are published and no others; the rule knows the rest.
    partial: bool = False

    # -- making one ------------------------------------------------------------------------------------

    @staticmethod
    def from_rows(rows: Sequence[Sequence[Label]], *, where: str = "hierarchy", rule: Rule | None = None) -> Hierarchy:
        """Build from one row per raw value: ``[raw, level 1, ..., top]`` (the form ARX uses), validated.

        ``rule``: the function of the value that made the rows, where one did. A frame or an array has its rows.
        """
        rows = _plain_rows(rows, where)
        if rows and len(rows[0]) > MOST_LEVELS:
            raise HierarchyError(
                where,
                expected=f"at most {MOST_LEVELS} levels",
                got=f"{len(rows[0]):,}",
                hint="leave some levels out; a search cannot use so many",
            )
        if not _has_shape(rows):
            _refuse_shape([[cell if cell != "" else None for cell in row] for row in rows], where)
        return Hierarchy._of_levels([_numbered(column) for column in zip(*rows, strict=True)], where, rule)

    @staticmethod
    def from_columns(columns: Sequence[pl.Series], *, where: str = "hierarchy") -> Hierarchy:
        """Build from one column of text per level, the raw values first and each of them once; validated."""
        if len(columns) > MOST_LEVELS or not columns[0].len():
            return Hierarchy.from_rows(list(zip(*columns, strict=True)), where=where)  # refused
        return Hierarchy._of_levels([_numbered_series(column) for column in columns], where, None)

    @staticmethod
    def _of_levels(
        levels: Sequence[tuple[tuple[Label, ...], NDArray[np.int32]]], where: str, rule: Rule | None
    ) -> Hierarchy:
        for _, codes in levels:
            codes.flags.writeable = False
        hierarchy = Hierarchy(tuple(labels for labels, _ in levels), tuple(codes for _, codes in levels), rule)
        _check_levels(hierarchy, where)
        return hierarchy

    @staticmethod
    def of_rule(rule: Rule, labels: Mapping[int, Collection[Label]]) -> Hierarchy:
        """Build one that lists no more than these labels of some levels: the raw values are among them on level 0."""
        rows = rule.rows(list(labels.get(0, ())))
        levels: list[tuple[Label, ...]] = []
        codes: list[NDArray[np.int32]] = []
        for level in range(rule.height + 1):
            index = {label: code for code, label in enumerate(dict.fromkeys(labels.get(level, ())))}
            top = [MASK] if level == rule.height else []
            for label in top:
                index.setdefault(label, len(index))
            places = [index.setdefault(row[level], len(index)) for row in rows]
            levels.append(tuple(index))
            codes.append(np.array(places, dtype=np.int32))
        return Hierarchy(tuple(levels), tuple(codes), rule, partial=True)

    @staticmethod
    def flat(values: Sequence[Label], *, where: str = "hierarchy") -> Hierarchy:
        """Return the hierarchy of an attribute without one: the value itself, or ``*``."""
        from nymity.table.builders import Flat

        rows = [[value, MASK] for value in values]
        return Hierarchy.from_rows(rows, where=where, rule=Rule(builder=Flat(), height=1))

    @staticmethod
    def read(path: str | Path, *, delimiter: str | None = None) -> Hierarchy:
        """Read an ARX-style CSV file: one line per raw value, level 0 first, no header."""
        from nymity.table.builders.file import read_hierarchy

        return read_hierarchy(Path(path_text("path", path)), delimiter=delimiter)

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
        ages = builders.Ages
        atc = builders.Atc
        countries = builders.Countries
        dates = builders.Dates
        file = builders.HierarchyFile
        icd_10 = builders.Icd10
        intervals = builders.Intervals
        isco_08 = builders.Isco
        masking = builders.Masking
        money = builders.Money
        nace = builders.Nace
        nuts = builders.Nuts
        ordering = builders.Ordering
        random_tree = builders.RandomTree
        suggested = builders.Suggested
        us_zip = builders.UsZip

    @staticmethod
    def suggest(
        values: Any, *, name: str | None = None, kind: str | None = None, dictionary: Any = None, label: str = ""
    ) -> HierarchySource:
        """Return the builder that makes a sensible first hierarchy for a column.

        ``values`` are a series of polars or pandas, an array, or a list: ``Hierarchy.suggest(df["age"])``. See
        :func:`nymity.table.builders.suggest`: ``kind`` or a data ``dictionary`` say what the column holds,
        ``label`` what it is called beside its name.
        """
        from nymity.table.builders import suggest
        from nymity.table.given_column import to_series

        column = to_series(values)
        name = column.name if name is None else name
        return suggest(plainly_named(column), name=name, kind=kind, dictionary=dictionary, label=label)

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

    @property
    def of_codes(self) -> bool:
        """Whether numbers in it are codes, whose size means nothing, by what built it."""
        return self.rule is not None and bool(getattr(self.rule.builder, "of_codes", False))

    def idle_levels(self, values: Collection[Label] | None = None) -> tuple[int, ...]:
        """Return the levels below the top that tell these values apart as the level below does; unless said, all."""
        codes = slice(None) if values is None else [self.index[value] for value in values if value in self.index]
        sizes = [len(np.unique(level[codes])) for level in self.codes]
        return tuple(level for level in range(1, self.height) if sizes[level] == sizes[level - 1])

    def generalize(self, value: Label, level: int) -> Label:
        """Return what ``value`` is published as at ``level``."""
        if value not in self.index:
            raise HierarchyError("hierarchy", expected="a value it lists", got=quoted(value))
        if not 0 <= level <= self.height:
            raise HierarchyError("hierarchy", expected=f"a level from 0 to {self.height}", got=str(level))
        return self.labels[level][int(self.codes[level][self.index[value]])]

    def row(self, value: Label) -> list[Label]:
        """Return ``[raw, level 1, ..., top]`` of any value, ``NOWHERE`` on the levels where it has no place.

        A value that is not listed has the place that the rule gives it. Everybody is below the top if that is ``*``.
        """
        if (code := self.index.get(value)) is not None:
            return [labels[codes[code]] for labels, codes in zip(self.labels, self.codes, strict=True)]
        return self.rows_of_others([value])[0]

    def rows_of_others(self, values: Sequence[Label]) -> list[list[Label]]:
        """Return the rows of values that are not listed, as :meth:`row` does."""
        if self.rule is not None:
            return self.rule.rows(values)
        below, top = self.height - 1, self.labels[-1][0]
        above: list[Label] = [*([NOWHERE] * below), top if top == MASK else NOWHERE]
        missing: list[Label] = [*([None] * self.height), top]
        return [missing if value is None else [value, *above][: self.height + 1] for value in values]

    def rows(self) -> list[list[Label]]:
        """One row per raw value: ``[raw, level 1, ..., top]``."""
        columns = [map(own.__getitem__, codes.tolist()) for own, codes in zip(self.labels, self.codes, strict=True)]
        return list(map(list, zip(*columns, strict=True)))

    def to_dict(self) -> Any:
        """Return plain JSON types: its rows, with its rule if it has one, or the rule with the labels that it lists."""
        if self.rule is None:
            return self.rows()
        if not self.partial:
            return {"rule": self.rule.to_dict(), "rows": self.rows()}
        derived = Hierarchy.of_rule(self.rule, {0: self.values}).labels
        told = {str(level): list(own) for level, own in enumerate(self.labels) if not level or own != derived[level]}
        return {"rule": self.rule.to_dict(), "labels": told}

    @staticmethod
    def from_dict(data: Any, *, where: str = "hierarchy") -> Hierarchy:
        """Rebuild from :meth:`to_dict`."""
        if not isinstance(data, Mapping):
            return Hierarchy.from_rows(data, where=where)
        if "rule" not in data:
            raise HierarchyError(
                where,
                expected="what Hierarchy.to_dict() returned",
                got=as_given(data),
                hint="Hierarchy.taxonomy({group: [values]}), or Hierarchy.from_rows([[value, group, '*']])",
            )
        rule = Rule.from_dict(data["rule"])
        if "rows" in data:
            return Hierarchy.from_rows(data["rows"], where=where, rule=rule)
        labels = {int(level): label_texts("labels", texts) for level, texts in data["labels"].items()}
        if any(level not in range(rule.height + 1) for level in labels):
            raise ValueError("labels of a level that is not there")
        return Hierarchy.of_rule(rule, labels)

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
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        # json.dumps(self.rows(), ensure_ascii=False), in which each label is encoded once
        encoded = [["null" if label is None else encode_basestring(label) for label in own] for own in self.labels]
        columns = [map(own.__getitem__, codes.tolist()) for own, codes in zip(encoded, self.codes, strict=True)]
        rows = "], [".join(map(", ".join, zip(*columns, strict=True)))
        return hashlib.sha256(f"[[{rows}]]".encode()).hexdigest()

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
        from nymity.table.given_column import to_series

        values = to_series(values)
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
        missing: list[Label] = [*([None] * self.height), self.labels[-1][0]]
        return Hierarchy.from_rows([*self.rows(), missing], where=where, rule=self.rule)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self.rows() == other.rows()

    def __hash__(self) -> int:
        return hash(self.labels)

    def card(self) -> Card:
        """Return what is shown: the tree from the top down to level 1, without the raw values."""
        levels = [(level, len(labels)) for level, labels in enumerate(self.labels)]
        return Card(
            title=f"Hierarchy({self.domain_size} values, {self.height + 1} levels)",
            facts=[(f"level {level}" if level else "raw", count(size, "value")) for level, size in levels],
            tables=[CardTable(columns=("published as", "level", "values"), rows=self._tree(), bars="values")]
            * bool(self.height),
            foot=".rows() lists the raw values",
        )

    def to_frame(self) -> pl.DataFrame:
        """Return all values with what they become: a column for each level, the raw values first."""
        rows = self.rows()
        return pl.DataFrame({f"level {n}": [row[n] for row in rows] for n in range(self.height + 1)}, strict=False)

    def _tree(self) -> list[tuple[str, int, int]]:
        """List the labels above the raw values depth first, each with how many of those it stands for."""
        below: dict[tuple[int, int], list[int]] = {}
        for level in range(self.height, 1, -1):
            for child, parent in dict(
                zip(self.codes[level - 1].tolist(), self.codes[level].tolist(), strict=True)
            ).items():
                below.setdefault((level, parent), []).append(child)
        rows: list[tuple[str, int, int]] = []
        # A stack, so that trees of any depth can be listed; children are put on it in reverse, to come off in order.
        waiting = [(self.height, code) for code in range(len(self.labels[-1]))]
        while waiting:
            level, code = waiting.pop()
            label = self.labels[level][code]
            indent = "  " * (self.height - level)
            rows.append((f"{indent}{'(missing)' if label is None else label}", level, int(self.leaves[level][code])))
            waiting += [(level - 1, child) for child in reversed(below.get((level, code), []))]
        return rows


def label_texts(where: str, items: Any) -> tuple[Label, ...]:
    """Return a list of labels of a file, each a text or None for a missing value, or refuse anything else."""
    if not isinstance(items, list | tuple) or not all(item is None or isinstance(item, str) for item in items):
        raise ValueError(f"{where} that are no list of texts")
    return tuple(items)


def some_of(values: Sequence[Label], *, limit: int = 5) -> str:
    """Quote the first few values for a message and count the rest."""
    more = f" and {len(values) - limit} more" if len(values) > limit else ""
    return ", ".join(quoted(value) for value in values[:limit]) + more


def _plain_rows(rows: Any, where: str) -> Sequence[Sequence[Label]]:
    """Return rows as lists of texts, also those of a frame or an array."""
    if isinstance(rows, list | tuple):
        return rows
    if hasattr(rows, "columns") and not isinstance(rows, Mapping):
        from nymity.table.given_column import to_series

        return list(zip(*(as_text(to_series(rows[name])).to_list() for name in rows.columns), strict=True))
    listed = rows.tolist() if hasattr(rows, "tolist") else rows
    if isinstance(listed, Mapping | str) or not isinstance(listed, Iterable):
        raise HierarchyError(
            where,
            expected="a list of rows, one per value",
            got=type(rows).__name__,
            hint="[[value, group, '*']], or Hierarchy.taxonomy({group: [values]})",
        )
    return list(listed)


def _has_shape(rows: Sequence[Sequence[Label]]) -> bool:
    """Return whether rows are those of a hierarchy: one length, texts or gaps, each raw value once."""
    if not rows or not rows[0] or len(set(map(len, rows))) > 1:
        return False
    first, *further = zip(*rows, strict=True)
    kinds = {kind for column in (first, *further) for kind in set(map(type, column))}
    return kinds <= {str, type(None)} and len({cell or None for cell in first}) == len(rows)


def _refuse_shape(rows: Sequence[Sequence[Label]], where: str) -> None:
    """Say what keeps rows from being those of a hierarchy, if anything does."""
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


def _numbered(column: Sequence[Label]) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Return the labels of one level as they come up, empty text as a gap, and the number of each row's."""
    index = {label: code for code, label in enumerate(dict.fromkeys(column))}
    if "" in index:
        return _numbered([label or None for label in column])
    return tuple(index), np.fromiter(map(index.__getitem__, column), dtype=np.int32, count=len(column))


def _numbered_series(column: pl.Series) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Do the same of a column of texts."""
    column = as_text(column)
    different = column.unique(maintain_order=True)
    labels = different.to_list()
    if len(labels) == len(column):
        return tuple(labels), np.arange(len(labels), dtype=np.int32)
    texts = different.drop_nulls()
    places = column.cast(pl.Enum(texts)).to_physical().cast(pl.UInt32)
    # texts have the numbers of all labels but the gap's
    numbers = np.flatnonzero(different.is_not_null().to_numpy()).astype(np.int32)
    gap = labels.index(None) if len(texts) < len(labels) else 0
    numbers = np.append(numbers, np.int32(gap))
    return tuple(labels), numbers[places.fill_null(len(texts)).to_numpy()]


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
