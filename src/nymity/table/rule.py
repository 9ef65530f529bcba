"""Rule: what a hierarchy makes of any value, also of one that no table had when it was built.

An interval, a mask or a month is a function of the value. A builder that knows such a function says what of it depends
on the column it was built for (how long its values are, how many levels there were), and this is fixed in the rule.
The rule then says the same of every value as the hierarchy does of those it lists, and lists none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Protocol

from nymity.table.text import MASK

#: What stands where a value has no place on a level. No label is empty.
NOWHERE = ""

#: What a builder finds out from its column: the name of each thing, and whether something can be it.
Fixes = Mapping[str, Callable[[Any], bool]]

_MOST = 10**6


class RuleMaker(Protocol):
    """A builder whose hierarchies are functions of the value."""

    @property
    def key(self) -> str:
        """Its name in job files."""
        ...

    def between(self, text: str, fixed: Mapping[str, Any]) -> Sequence[str | None] | None:
        """Return the labels of a value on the levels between the raw values and the top.

        ``NOWHERE`` where it has none, None where it has none at all. ``fixed`` is what ``build`` found out from its
        column, as plain data. Where many values are faster together, ``between_all`` says the same of a list.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A builder, what it found out from its column, and the top level."""

    builder: RuleMaker
    height: int
    fixed: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def row(self, value: str | None) -> list[str | None]:
        """Return ``[raw, level 1, ..., top]`` of a value."""
        return self.rows([value])[0]

    def rows(self, values: Sequence[str | None]) -> list[list[str | None]]:
        """Return ``[raw, level 1, ..., top]`` of each value; a missing one keeps to itself below the top."""
        texts = [value for value in values if value is not None]
        together = getattr(self.builder, "between_all", None)
        inner = iter(
            (self.builder.between(text, self.fixed) for text in texts)
            if together is None
            else together(texts, self.fixed)
        )
        nowhere, missing = [NOWHERE] * (self.height - 1), [None] * (self.height - 1)
        made: list[list[str | None]] = []
        for value in values:
            found = missing if value is None else next(inner)
            made.append([value, *(nowhere if found is None else found), MASK])
        return made

    def for_labels(self, labels: Mapping[int, Collection[str | None]]) -> Rule:
        """Return what places values on these labels of some levels; it need not know of others."""
        only = getattr(self.builder, "only", None)
        return self if only is None else dataclasses.replace(self, fixed=only(self.fixed, labels))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types: the builder as in a job file, and what was fixed."""
        changed = (
            (item.name, _plain(value))
            for item in dataclasses.fields(self.builder)  # type: ignore[arg-type]
            if (value := getattr(self.builder, item.name)) != item.default
        )
        fixed = {"fixed": dict(self.fixed)} if self.fixed else {}
        return {"type": self.builder.key, **dict(changed), "height": self.height, **fixed}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Rule:
        """Rebuild from :meth:`to_dict`."""
        from nymity.table.builders import BUILDERS

        fields = dict(data)
        kind, height, fixed = fields.pop("type"), fields.pop("height"), fields.pop("fixed", {})
        builder = BUILDERS[kind](**fields)
        if not hasattr(builder, "between"):
            raise ValueError(f"a rule of the kind {kind!r}, which is none")
        wanted: Fixes = getattr(builder, "fixes", {})
        if not is_count(height) or set(fixed) != set(wanted) or not all(wanted[one](fixed[one]) for one in wanted):
            raise ValueError(f"a rule {kind!r} of another column than it can have been made for")
        rule = Rule(builder=builder, height=height, fixed=fixed)
        if any(len(rule.row(text)) != height + 1 for text in ("0", "2000-01-01")):
            raise ValueError("a rule with another number of levels than it says")
        return rule


def _plain(value: Any) -> Any:
    """Write numbers of other kinds, and tuples, as JSON has them."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Real) and not isinstance(value, int | float):
        return int(value) if isinstance(value, Integral) else float(value)
    return value


def is_count(value: object) -> bool:
    """Return whether something is a whole number that columns can have of anything."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


def is_flag(value: object) -> bool:
    """Return whether something is true or false."""
    return isinstance(value, bool)
