"""linked-records: who knows several records of a person finds the rows of one in a release that links them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.confidence_intervals import clustered_interval
from nymity.core.progress import Progress, report
from nymity.core.validation import whole_number
from nymity.core.wording import percent
from nymity.privacy.links import MOST_SETS, Knows, number_of_sets
from nymity.privacy.shared_rows import fewest_sharing
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import linked_limit
from nymity.risk.attacks.released_rows import Ints
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene
from nymity.table.text import plainly_named


@dataclass(frozen=True, kw_only=True)
class LinkedRecords(Attack):
    """Someone knows the quasi-identifiers of some records of a person, in a release whose pseudonyms link rows.

    The candidates are the persons who have rows in the classes of the records known, as often as they are known; one of
    them is picked at random. ``records``: how many are known, drawn at random from the rows of each target; without it,
    as many as a promise reckons with, two otherwise. The highest chance is that with anybody, whichever records are
    known; what other numbers of them, and all, give is told beside it.
    """

    records: int | None = None

    key = "linked-records"
    title = "linkage by several records"

    def __post_init__(self) -> None:
        if self.records is not None:
            whole_number(f"{self.key}.records", self.records, at_least=1)

    def counts_persons(self, scene: Scene) -> bool:
        """It is about persons."""
        del scene
        return True

    def hindrance(self, scene: Scene) -> str | None:
        """It needs pseudonyms."""
        if scene.schema.unit is None or scene.schema.unit not in scene.frame.columns:
            return "no pseudonym shows which rows are of one person"
        if not scene.frame.height:
            return "nobody has a row"
        known, rows = self._known(scene), plainly_named(scene.frame[scene.schema.unit]).value_counts()["count"]
        if known != "all" and (sets := number_of_sets(rows.to_numpy().astype(np.int64), known)) > MOST_SETS:
            return f"{known} records of one person can be known in {sets:,} ways, too many to look at"
        return None

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count the persons who share what is known of each target."""
        report(scene.observe, Progress(stage=self.key))
        rows, known = _Rows.of(scene), self._known(scene)
        targets = scene.drawn_from(self.key, np.arange(len(rows.classes)))
        chances = {number: rows.chances(targets, number, scene) for number in (1, 2, 3, "all", known)}
        mine = chances[known]
        fewest = fewest_sharing(rows.frame, known)
        assert fewest is not None
        highest, limit, rate = Fraction(1, fewest), linked_limit(scene.models, known), float(mine.mean())
        words = "all records" if known == "all" else "one record" if known == 1 else f"{known} records"
        whose = scene.schema.counts[:-1]
        return [
            AttackResult(
                key=self.key,
                title=self.title,
                assumes=f"the attacker knows the quasi-identifiers of {words} of a {whose}, and that the {whose} is in "
                "the table",
                n=len(targets),
                successes=round(rate * len(targets), 9),
                rate=rate,
                interval=clustered_interval(mine, np.ones(len(mine))),
                highest=highest,
                limit=limit,
                exceeds=limit.exceeded_by(highest),
                sentence=f"Whoever knows {words} of a {whose} finds the {whose}'s rows in {percent(rate)} of "
                f"{len(targets):,} attempts, and with a chance of {percent(float(highest))} at most.",
                figures={"mean_chance_by_known_records": {str(n): float(one.mean()) for n, one in chances.items()}},
            )
        ]

    def _known(self, scene: Scene) -> Knows:
        if self.records is not None:
            return self.records
        linking = [model.links_known for model in scene.models if model.links_known is not None]
        return "all" if "all" in linking else max((n for n in linking if isinstance(n, int)), default=2)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of linked persons: the classes of each one's, and who has rows in each class."""

    frame: pl.DataFrame  #: the person and class of every row
    classes: list[Ints]  #: of the rows of each person
    holders: dict[int, dict[int, int]]  #: of each class: rows by person

    @staticmethod
    def of(scene: Scene) -> _Rows:
        """Return those of a release."""
        assert scene.schema.unit is not None
        frame = pl.DataFrame({"person": scene.frame[scene.schema.unit], "class": scene.rows.class_of})
        classes = [np.array(one) for one in frame.group_by("person", maintain_order=True).agg("class")["class"]]
        holders: dict[int, dict[int, int]] = {}
        for person, mine in enumerate(classes):
            for of_class, number in Counter(mine.tolist()).items():
                holders.setdefault(of_class, {})[person] = number
        return _Rows(frame, classes, holders)

    def chances(self, targets: Ints, known: Knows, scene: Scene) -> NDArray[np.float64]:
        """Return the chance to pick each target, some of whose rows are known, (n_targets,)."""
        if known == "all":
            wholes = [tuple(sorted(mine.tolist())) for mine in self.classes]
            alike = Counter(wholes)
            return np.array([1 / alike[wholes[person]] for person in targets])
        draws = scene.random(f"linked-records.{known}")
        return np.array([1 / self._sharing(self._some(person, known, draws)) for person in targets])

    def _some(self, person: int, known: int, draws: np.random.Generator) -> Counter[int]:
        mine = self.classes[person]
        return Counter(mine[np.argsort(draws.random(len(mine)))[:known]].tolist())

    def _sharing(self, rows: Counter[int]) -> int:
        rarest, *others = sorted(rows, key=lambda of_class: len(self.holders[of_class]))
        return sum(
            number >= rows[rarest] and all(self.holders[one].get(person, 0) >= rows[one] for one in others)
            for person, number in self.holders[rarest].items()
        )
