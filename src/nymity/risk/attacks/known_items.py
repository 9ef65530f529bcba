"""known-items: who knows a person's quasi-identifiers and a few of its items picks the person's row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import polars as pl

from nymity.core.confidence_intervals import clustered_interval
from nymity.core.progress import Progress, report
from nymity.core.validation import whole_number
from nymity.core.wording import percent
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import items_limit
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene
from nymity.table.attribute import Role
from nymity.table.hierarchy import Hierarchy

#: The rows of a class that show each label.
_Shown = Mapping[str, frozenset[int]]


@dataclass(frozen=True, kw_only=True)
class KnownItems(Attack):
    """Someone knows all quasi-identifiers of a person in the table, and up to ``known`` items of its set.

    The candidates are the rows of the person's class that show, for each known item, the label that stands for it; an
    item that no row of the class shows was suppressed there, and tells nothing. One of them is picked at random.
    Targets are drawn from all people whose class is known; each is attacked with all sets of its items of the size
    ``known`` (or all items, where it has fewer), with ``subsets`` of them at random if there are more.

    Attempts on one person are not independent, so the interval treats persons as clusters.
    """

    known: int = 2
    subsets: int = 50

    key = "known-items"
    title = "linkage by known items"

    def __post_init__(self) -> None:
        whole_number("known-items.known", self.known, at_least=1)
        whole_number("known-items.subsets", self.subsets, at_least=1)

    def hindrance(self, scene: Scene) -> str | None:
        """It needs a column of items, people, and what the labels stand for."""
        column = scene.schema.item_column
        if column is None or column.name not in scene.frame.columns:
            return "no column of items is published"
        if scene.of_persons:
            return "records were put together by person, and the original's are not; attack one record for each person"
        if scene.people is None or scene.drawn:
            return "it needs the original, whose items somebody may know"
        if _hierarchy(scene) is None:
            return "it needs the recoding or the job, which tell what the published items stand for"
        return None if (scene.own >= 0).any() else "nobody's class is known"

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count the candidates of every target for the sets of its items that may be known."""
        report(scene.observe, Progress(stage=self.key))
        column, hierarchy = scene.schema.item_column, _hierarchy(scene)
        assert column is not None
        assert hierarchy is not None
        assert scene.people is not None
        chosen = scene.drawn_from(self.key, np.flatnonzero(scene.own >= 0))
        true = _sets(column.entries(scene.people.frame[column.name]))
        shown = _shown(column.entries(scene.frame[column.name]), scene.rows.class_of)
        above = {label: {text for text in row if text is not None} for row in hierarchy.rows() if (label := row[0])}
        random = scene.random(f"{self.key}.subsets")
        candidates: list[list[int]] = []
        for person in chosen.tolist():
            own = int(scene.own[person])
            size = int(scene.rows.sizes[own])
            known = self._known(sorted(true.get(person, ())), random)
            candidates.append([_fitting(one, above, shown.get(own, {}), size) for one in known])
        return [self._result(scene, candidates)]

    def _known(self, items: list[str], random: np.random.Generator) -> Iterator[tuple[str, ...]]:
        size = min(self.known, len(items))
        if comb(len(items), size) <= self.subsets:
            yield from combinations(items, size)
            return
        for _ in range(self.subsets):
            yield tuple(items[place] for place in np.argsort(random.random(len(items)))[:size])

    def _result(self, scene: Scene, candidates: list[list[int]]) -> AttackResult:
        picks = scene.random(f"{self.key}.picks")
        # One of ``number`` candidates is picked at random: right with a chance of 1 / number.
        hits = [[number > 0 and bool(picks.random() * number < 1) for number in mine] for mine in candidates]
        n, successes = sum(map(len, hits)), sum(map(sum, hits))
        low, high = clustered_interval(
            np.array([float(sum(mine)) for mine in hits]), np.array([float(len(mine)) for mine in hits])
        )
        found = [number for mine in candidates for number in mine if number]  # none where a row shows other items
        highest = Fraction(1, min(found)) if found else Fraction(0)
        limit = items_limit(scene.models, self.known)
        words = "one item" if self.known == 1 else f"{self.known} items"
        return AttackResult(
            key=self.key,
            title=self.title,
            assumes="the attacker knows that the person is in the table, the exact values of all quasi-identifiers, "
            f"and up to {words} of the person",
            n=n,
            successes=successes,
            rate=successes / n,
            interval=(low, high),
            highest=highest,
            limit=limit,
            exceeds=limit.exceeded_by(highest),
            sentence=f"Whoever knows all quasi-identifiers and up to {words} of a person picks the right row in "
            f"{percent(successes / n)} of {n:,} attempts on {scene.whom} drawn {len(candidates):,} times, and with a "
            f"chance of {percent(float(highest))} at most.",
            figures={"people_drawn": len(candidates), "known_items": self.known},
        )


def _hierarchy(scene: Scene) -> Hierarchy | None:
    """Return what tells the items below a label: that of the recoding, or of the job."""
    made = getattr(scene.recoding, "items", None)
    if made is not None:
        found: Hierarchy = made.hierarchy
        return found
    (name,) = scene.schema.columns(Role.ITEMS)
    source, column = scene.schema[name].hierarchy, scene.schema.item_column
    if source is None or column is None or scene.people is None:
        return None
    return source.build(column.entries(scene.people.frame[name])["item"].unique(), where=f"hierarchy of {name!r}")


def _sets(entries: pl.DataFrame) -> dict[int, list[str]]:
    """Return the items of each record that has some."""
    found = entries.group_by("row").agg("item")
    return dict(zip(found["row"].to_list(), found["item"].to_list(), strict=True))


def _shown(entries: pl.DataFrame, class_of: np.ndarray[tuple[int], np.dtype[np.int64]]) -> dict[int, _Shown]:
    """Return by class which of its rows show each label."""
    found: dict[int, dict[str, set[int]]] = {}
    for row, item in entries.iter_rows():
        found.setdefault(int(class_of[row]), {}).setdefault(item, set()).add(row)
    return {own: {label: frozenset(rows) for label, rows in labels.items()} for own, labels in found.items()}


def _fitting(known: tuple[str, ...], above: Mapping[str, set[str]], shown: _Shown, size: int) -> int:
    """Count the rows of a class of so many rows that show what stands for each known item."""
    rows: frozenset[int] | None = None
    for item in known:
        if labels := above.get(item, {item}) & shown.keys():
            fitting = frozenset().union(*(shown[label] for label in labels))
            rows = fitting if rows is None else rows & fitting
    return size if rows is None else len(rows)
