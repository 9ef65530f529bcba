"""Ready: what hierarchies of well-known codes have in common, which are functions of the value and need no list."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import polars as pl

from nymity.core import validation
from nymity.core.errors import HierarchyError, ParameterError
from nymity.core.quoting import quoted
from nymity.table.builders.column import distinct, refuse
from nymity.table.builders.lost_zeros import LostZeros
from nymity.table.hierarchy import Hierarchy


@dataclass(frozen=True, kw_only=True)
class ReadyHierarchy(ABC):
    """Place each value by what is written in it.

    ``levels`` are those between the raw values and ``*``, finest first; all of them unless said. A value that is none
    of this kind is an error, unless ``other`` names the group for such values.
    """

    key: ClassVar[str]
    #: What the values are, for messages and suggestions: ``ICD-10 codes such as 'J45.0'``.
    expects: ClassVar[str]
    #: The levels there are between the raw values and the top, finest first.
    names: ClassVar[tuple[str, ...]]
    #: Words in the name of a column that speak for it.
    stems: ClassVar[tuple[str, ...]] = ()
    #: Whether values alone are evidence enough; digits could be anything.
    by_values: ClassVar[bool] = True
    #: Whether values may be digits whose size means nothing, so that nobody should make ranges of them.
    of_codes: ClassVar[bool] = False
    coarser: ClassVar[str] = "groups of a classification"

    levels: tuple[str, ...] | None = None
    other: str | None = None

    def __post_init__(self) -> None:
        if self.levels is not None:
            object.__setattr__(self, "levels", self._chosen(self.levels))
        if self.other is not None and (not isinstance(self.other, str) or not self.other or self.place(self.other)):
            raise ParameterError(
                f"{self.key}.other", expected=f"a name that is none of the {self.expects}", got=quoted(self.other)
            )

    @abstractmethod
    def place(self, text: str) -> Sequence[str] | None:
        """Return the label of a value on each level of ``names``; None if it is no value of this kind."""

    @property
    def level_names(self) -> tuple[str, ...]:
        """The levels between the raw values and the top, finest first."""
        return self.names if self.levels is None else self.levels

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the levels of a column's values."""
        return self.built(values, {}, where)

    def built(self, values: pl.Series, fixed: dict[str, Any], where: str) -> Hierarchy:
        """Return the levels of a column's values, with what its builder found out from them."""
        column = distinct(values)
        placed = {text: self.labels(text.strip(), fixed) for text in column.texts}
        refuse(
            where,
            [text for text, labels in placed.items() if labels is None] if self.other is None else [],
            expected=self.expects,
            hint="correct them, make them missing, or put them into a group of their own: other = 'other'",
        )
        if self.other is not None:
            self._check_other(where, placed.values())
        rows = [[text, *(self.between(text, fixed) or [])] for text in column.texts]
        return column.hierarchy(rows, levels=len(self.level_names) + 1, where=where, rule=(self, fixed))

    def between(self, text: str, fixed: Mapping[str, Any]) -> list[str] | None:
        """Return the labels of any value on the levels in use."""
        labels = self.labels(text.strip(), fixed)
        if labels is None:
            return None if self.other is None else [self.other] * len(self.level_names)
        return list(labels) if self.levels is None else [labels[self.names.index(name)] for name in self.levels]

    def labels(self, text: str, fixed: Mapping[str, Any]) -> Sequence[str] | None:
        """Return the label of a value on each level, given what was found out from a column: here nothing."""
        return self.place(text)

    @classmethod
    def is_telling(cls, text: str) -> bool:
        """Return whether a value that can be placed is hardly anything else."""
        return True

    @classmethod
    def short_codes(cls, texts: Sequence[str]) -> LostZeros | None:
        """Return the codes of a column that may have lost a zero, where this kind knows of it."""
        return None

    @classmethod
    def for_column(cls, texts: Sequence[str]) -> Self:
        """Return a builder for a column, which puts zeros back that are certain to be lost."""
        found = cls.short_codes(texts)
        return cls(digits=found.digits) if found is not None and found.certain else cls()  # type: ignore[call-arg]

    def _chosen(self, levels: object) -> tuple[str, ...]:
        where = f"{self.key}.levels"
        if isinstance(levels, str) or not isinstance(levels, list | tuple) or not levels:
            raise ParameterError(where, expected=f"a list of {', '.join(self.names)}", got=quoted(levels))
        for level in levels:
            validation.one_of(where, level, self.names)
        ordered = tuple(name for name in self.names if name in levels)
        if ordered != tuple(levels):
            raise ParameterError(
                where, expected="finer levels first, each once", got=repr(list(levels)), hint=repr(list(ordered))
            )
        return ordered

    def _check_other(self, where: str, placed: Any) -> None:
        if any(labels is not None and self.other in labels for labels in placed):
            raise HierarchyError(
                where,
                expected="a name for other values that no group has",
                got=quoted(self.other),
                hint="other = 'other'",
            )
