"""Pointing out the levels of hierarchies that change nothing in a table: a search looks at them for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from nymity.table.hierarchy import Hierarchy


def idle_levels_said(hierarchies: Mapping[str, Hierarchy], table: pl.DataFrame) -> Iterator[str]:
    """Yield a sentence for each column whose hierarchy has levels that change nothing in the table."""
    from nymity.table.encoding import distinct_values
    from nymity.table.text import as_text

    for name, hierarchy in hierarchies.items():
        if idle := hierarchy.idle_levels(as_text(distinct_values(table[name])).to_list()):
            yield f"{idle_said(idle)} in column {name!r}"


def idle_said(levels: tuple[int, ...]) -> str:
    """Say which levels change nothing."""
    if len(levels) == 1:
        return f"level {levels[0]} of the hierarchy changes nothing"
    return f"levels {', '.join(map(str, levels[:-1]))} and {levels[-1]} of the hierarchy change nothing"
