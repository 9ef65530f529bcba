"""Frequent sets: which items often occur together, and whether a release still shows it.

F are the ``top`` sets of up to ``largest`` items that most records of the original hold (ties by text), and s is the
share of records that hold the last of them. A set of F is kept *as it was* if the release publishes all its items as
they are and a share of at least s of its rows hold it. It is kept *as groups* if some of its items are published as
groups, all of them different ones, and at least s of the rows hold these. Otherwise it is lost.

Frequent sets are what set-valued data are mostly mined for; Terrovitis, Mamoulis & Kalnis (VLDB Journal 2011) measure
releases by those that are lost on each level of the hierarchy (multilevel mining loss). Here the sets are those of the
original alone, each counted once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.core.errors import ParameterError
from nymity.core.validation import whole_number
from nymity.io import to_polars
from nymity.table.encoding import person_ids
from nymity.table.item_recoding import ItemRecoding
from nymity.utility.released import Released


@dataclass(frozen=True, kw_only=True)
class KeptSets:
    """How many of the most frequent sets of the original a release keeps; ``support``: records that hold the last."""

    sets: int
    support: int
    as_they_were: int
    as_groups: int

    @property
    def lost(self) -> int:
        """Sets that the release does not show any more."""
        return self.sets - self.as_they_were - self.as_groups

    @property
    def share(self) -> float:
        """The share of the sets that are kept as they were."""
        return self.as_they_were / self.sets if self.sets else 1.0


def kept_sets(release: Any, original: Any, *, top: int = 100, largest: int = 3) -> KeptSets:
    """Count how many of the most frequent sets of the original a release keeps.

    ``release`` is what ``publish`` returns, or an opened one whose recoding is known: it tells what items became.
    """
    whole_number("top", top, at_least=1)
    whole_number("largest", largest, at_least=1, at_most=5)
    released, table = Released.of(release), to_polars(original)
    made = getattr(released.recoding, "items", None)
    if not isinstance(made, ItemRecoding):
        raise ParameterError(
            "release",
            expected="a release with a column of items, and its recoding, which tells what they became",
            got="one without",
            hint="the release itself, or ny.open(folder) where the custodian's folder is",
        )
    schema = released.schema_for("kept_sets")
    entries = made.column.entries(table[made.column.name])
    n = table.height
    if schema.person is not None:  # whose records were put together
        who = person_ids(table[schema.person]).rank("dense").cast(pl.UInt32) - 1
        entries, n = entries.select(row=who[entries["row"]], item=pl.col("item")).unique(), who.n_unique()
    frequent = most_frequent(entries, top, largest)
    support = min(frequent.values(), default=0)
    cells = made.column.entries(released.frame[made.column.name]).group_by("row").agg("item")
    shown = [frozenset(row) for row in cells["item"].to_list()]
    fates = Counter[str]()
    for items in frequent:
        labels = {made.published.get(item, item) for item in items}
        # A set is kept if its labels are as frequent as the rarest of the sets that were looked for.
        held = sum(labels <= row for row in shown)
        if len(labels) == len(items) and held * n >= support * released.frame.height:
            fates["as they were" if labels == items else "as groups"] += 1
    return KeptSets(
        sets=len(frequent), support=support, as_they_were=fates["as they were"], as_groups=fates["as groups"]
    )


def most_frequent(entries: pl.DataFrame, top: int, largest: int) -> dict[frozenset[str], int]:
    """Return the sets of items that the most records hold, and how many these are; ties by text.

    ``entries``: the ``row`` and ``item`` of every item. Whatever holds a set that too few records hold is held by too
    few, so sets grow from frequent ones alone.
    """
    found: list[tuple[int, tuple[str, ...]]] = []
    grown = entries.select("row", "item", members=pl.concat_list("item"))
    for size in range(1, largest + 1):
        counted = grown.group_by("members").len("records")
        found += [(-number, tuple(members)) for members, number in counted.iter_rows()]
        found = sorted(found)[:top]
        if size == largest or not found:
            break
        least = -found[-1][0] if len(found) == top else 1
        frequent = counted.filter(pl.col("records") >= least).select("members")
        held = grown.join(frequent, on="members", how="semi").join(entries, on="row", suffix="_next")
        grown = held.filter(pl.col("item_next") > pl.col("item")).select(
            "row", item="item_next", members=pl.concat_list("members", "item_next")
        )
    return {frozenset(members): -number for number, members in found}
