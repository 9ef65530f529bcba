"""Groups that are published as the set of their values: the rule of hierarchies that list a column's own values.

Such a group says itself who is in it. So a value has a place where a published set names it, and a rule that knows the
published sets alone tells no more than the release does: not which other values there were.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from nymity.table.rule import NOWHERE, Fixes


def set_label(values: Sequence[str]) -> str:
    """Write a group as the set of its values; a group of one is that value."""
    return values[0] if len(values) == 1 else f"{{{', '.join(values)}}}"


def fixed_sets(levels: Sequence[Sequence[Sequence[str]]]) -> dict[str, Any]:
    """Return what a rule fixes: the groups of each level between the raw values and the top, as lists of values."""
    return {"sets": [[list(group) for group in groups] for groups in levels]}


def are_sets(levels: Any) -> bool:
    """Return whether something can be what a rule fixes."""
    return isinstance(levels, list) and all(
        isinstance(groups, list) and all(map(_is_group, groups)) for groups in levels
    )


def _is_group(group: Any) -> bool:
    return isinstance(group, list) and bool(group) and all(isinstance(one, str) and one for one in group)


class ValueSets:
    """What a builder has whose groups are published as sets."""

    fixes: ClassVar[Fixes] = {"sets": are_sets}

    def between(self, text: str, fixed: Mapping[str, Any]) -> Sequence[str | None] | None:
        """Find the groups that name a value."""
        return self.between_all([text], fixed)[0]

    def between_all(self, texts: Sequence[str], fixed: Mapping[str, Any]) -> list[Sequence[str | None] | None]:
        """Find the groups of many values."""
        named = [{one: set_label(group) for group in groups for one in group} for groups in fixed["sets"]]
        return [[labels.get(text, NOWHERE) for labels in named] for text in texts]

    def only(self, fixed: Mapping[str, Any], labels: Mapping[int, Collection[str | None]]) -> dict[str, Any]:
        """Forget the groups that are called otherwise."""
        levels = enumerate(fixed["sets"], start=1)
        return {"sets": [[one for one in groups if set_label(one) in labels.get(at, ())] for at, groups in levels]}


#: The rule by itself, for builders that publish groups as sets only if they are told to.
VALUE_SETS = ValueSets()
