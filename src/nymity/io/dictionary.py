"""Dictionary: what is known of a table's columns beside their cells: labels, kinds, values and codes for *missing*.

It comes from a file beside the table (:func:`read_dictionary`), or out of the file itself, where the format has labels
(SPSS, Stata, SAS).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

#: Kinds of columns that a dictionary tells apart. ``category``: numbers and texts are names of its values, no amounts.
KINDS = ("whole number", "number", "date", "time", "truth value", "category", "text")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is known of one column.

    ``values`` are labels by value, in the order of the dictionary, a value without a label by an empty text;
    ``missing`` are the texts of cells that stand for no answer.
    """

    label: str | None = None
    kind: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", dict(self.values))
        object.__setattr__(self, "missing", tuple(self.missing))

    def joined(self, other: Entry) -> Entry:
        """Return both entries as one; what this one says has precedence."""
        return Entry(
            label=self.label or other.label,
            kind=self.kind or other.kind,
            values={**other.values, **self.values},
            missing=tuple(dict.fromkeys((*self.missing, *other.missing))),
        )


@dataclass(frozen=True)
class Dictionary:
    """Entries by column. A name that is not listed is looked for in any case: files differ in that from what they say.

    Every question has an answer: None, or nothing, where the dictionary is silent.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", dict(self.entries))

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __contains__(self, column: object) -> bool:
        return isinstance(column, str) and self.entry(column) is not None

    def entry(self, column: str) -> Entry | None:
        """Return all that is known of a column."""
        return self.entries.get(column) or self._by_case.get(column.casefold())

    def label(self, column: str) -> str | None:
        """What a column is about, in words."""
        return None if (entry := self.entry(column)) is None else entry.label

    def kind(self, column: str) -> str | None:
        """One of :data:`KINDS`."""
        return None if (entry := self.entry(column)) is None else entry.kind

    def values(self, column: str) -> Mapping[str, str]:
        """The values that a column may have, and what they mean; codes for *missing* are not among them."""
        if (entry := self.entry(column)) is None:
            return {}
        return {value: text for value, text in entry.values.items() if value not in entry.missing}

    def missing(self, column: str) -> tuple[str, ...]:
        """The texts that stand for no answer in a column."""
        return () if (entry := self.entry(column)) is None else entry.missing

    def joined(self, other: Dictionary) -> Dictionary:
        """Return both dictionaries as one; what this one says has precedence."""
        entries = dict(other.entries)
        for name, entry in self.entries.items():
            entries[name] = entry.joined(entries[name]) if name in entries else entry
        return Dictionary(entries)

    def beyond(self, columns: Collection[str]) -> tuple[str, ...]:
        """Return the names it describes that are none of these columns, in any case."""
        known = {column.casefold() for column in columns}
        return tuple(name for name in self.entries if name.casefold() not in known)

    def of_published(self, values: Mapping[str, Collection[str]]) -> Dictionary:
        """Return what may go out with a table: labels of its columns, and of the values that stand in its cells.

        The label of a value that no cell has would tell of records that were left out; so would a code for *missing*.
        """
        entries = {}
        for name, present in values.items():
            if (entry := self.entry(name)) is not None:
                kept = {value: text for value, text in entry.values.items() if value in present and text}
                entries[name] = replace(entry, values=kept, missing=())
        return Dictionary(entries)

    @cached_property
    def _by_case(self) -> dict[str, Entry]:
        """Entries by name in any case, but for names that differ in their case alone."""
        folded = [name.casefold() for name in self.entries]
        times = Counter(folded)
        return {name: one for name, one in zip(folded, self.entries.values(), strict=True) if times[name] == 1}
