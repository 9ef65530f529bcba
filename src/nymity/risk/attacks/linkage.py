"""linkage: who knows some columns of a person picks the person's row among those that fit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.confidence_intervals import clustered_interval
from nymity.core.progress import Progress, report
from nymity.core.validation import exact_fraction, number, whole_number
from nymity.core.wording import percent
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import linkage_limit
from nymity.risk.attacks.released_rows import Ints
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene


@dataclass(frozen=True, kw_only=True)
class Linkage(Attack):
    """Someone knows a person's values in a subset of the quasi-identifiers, and that the person is in the table.

    The candidates are the rows whose cells cover these values. The attacker knows which combinations are published: who
    fits none of them has one of the masked rows, which are the candidates then; who fits one is not looked for there.
    One of the candidates is picked at random, so the chance is 1 / candidates where the person's own row is one of
    them, and 0 where it is masked and the columns known fit other rows. Targets are drawn at random from all people who
    have a row. Each is attacked once with every one of ``subsets`` sets of columns: all there are if there are no more,
    else all columns and others at random, of any size alike. A careful attacker claims a row only where the chance is
    at least ``threshold``. People with masked rows are few, so all of them count for the highest chance.

    Where records are of persons, and the original and the custodian's link tell of whom rows are, targets are persons,
    with one of their records each: the chance is the share of the candidates that are theirs. Whoever has the largest
    shares of a class counts for the highest chance, too. Otherwise records are counted.

    Attempts on one person are not independent, so the interval treats persons as clusters.
    """

    subsets: int = 100
    threshold: float = 0.2

    key = "linkage"
    title = "linkage to a row"

    def __post_init__(self) -> None:
        whole_number("linkage.subsets", self.subsets, at_least=1)
        number("linkage.threshold", self.threshold, above=0, at_most=1)

    def hindrance(self, scene: Scene) -> str | None:
        """It needs people, and cells that hide something."""
        if scene.counts is not None:
            return "buckets publish quasi-identifiers as they are: anybody finds a row, and its value is what is hidden"
        if scene.people is None:
            return "it needs the original, or the recoding, which tells what cells stand for"
        return None if len(scene.present) else "nobody has a row"

    def counts_persons(self, scene: Scene) -> bool:
        """It does where it is known of whom rows are."""
        return scene.row_owners is not None

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count the candidates of every target in every subset of columns."""
        report(scene.observe, Progress(stage="linkage"))
        persons = self.counts_persons(scene)
        subsets = self._columns(len(scene.rows.labels), scene.random("linkage.columns"))
        chosen = scene.drawn_records(self.key)
        own, candidates = scene.shares(chosen, subsets)
        # own, candidates (n_people, n_subsets): a pick among the candidates is one of the person's rows.
        hits = scene.random("linkage.picks").random(candidates.shape) * candidates < own
        n, successes = hits.size, int(hits.sum())
        low, high = clustered_interval(hits.sum(axis=1).astype(float), np.full(len(hits), float(len(subsets))))
        masked = _masked(scene)
        highest = max(_highest(own, candidates), masked.highest, _highest(*scene.shares(scene.heaviest)))
        whom, whose = (f"{scene.unit}s", f"a row of that {scene.unit}") if persons else (scene.whom, "the right row")
        limit = linkage_limit(
            scene.models, classes=not scene.freeform, complete=scene.complete, persons=scene.of_persons
        )
        return [
            AttackResult(
                key=self.key,
                title=self.title,
                assumes=_assumes(scene),
                n=n,
                successes=successes,
                rate=successes / n,
                interval=(low, high),
                highest=highest,
                limit=limit,
                exceeds=limit.exceeded_by(highest),
                sentence=f"Whoever knows some columns of a {scene.unit if persons else 'person'} picks {whose} in "
                f"{percent(successes / n)} of {n:,} attempts on {whom} drawn {len(chosen):,} times, and with a chance "
                f"of {percent(float(highest))} at most.",
                figures={
                    f"{whom}_drawn": len(chosen),
                    "column_sets": len(subsets),
                    "mean_chance_by_known_columns": _by_size(own / candidates, subsets),
                    "claims": self._claims(candidates, hits),
                    f"masked_{scene.whom}": masked.to_dict(scene.whom),
                },
            )
        ]

    def _columns(self, m: int, random: np.random.Generator) -> NDArray[np.bool_]:
        """Return the subsets that are known, (n_subsets, m): all, or all columns and some drawn at random."""
        if 2**m - 1 <= self.subsets:
            return np.array(list(product((True, False), repeat=m))[:-1], dtype=np.bool_)
        found = dict.fromkeys([(True,) * m])
        while len(found) < self.subsets:
            size = 1 + int(random.random() * (m - 1))
            order = np.argsort(random.random(m))
            found[tuple(bool(place < size) for place in np.argsort(order))] = None
        return np.array(list(found), dtype=np.bool_)

    def _claims(self, candidates: Ints, hits: NDArray[np.bool_]) -> dict[str, Any]:
        """Return how often a row is claimed, and how often rightly; each person counts as one cluster."""
        # Who claims a row only if sure enough: not more candidates than the threshold allows.
        claimed = candidates <= int(1 / exact_fraction(self.threshold))
        made, right = int(claimed.sum()), int((hits & claimed).sum())
        facts = {"threshold": self.threshold, "made": made, "right": right, "rate": right / made if made else None}
        if not made:
            return {**facts, "interval": None}
        by_person = claimed.sum(axis=1)
        some = by_person > 0
        return {
            **facts,
            "interval": list(
                clustered_interval((hits & claimed).sum(axis=1)[some].astype(float), by_person[some].astype(float))
            ),
        }


def _assumes(scene: Scene) -> str:
    words = "the attacker knows that the person is in the table, and the exact values of some quasi-identifiers"
    if scene.drawn:
        return f"{words}; without the original, {scene.whom} have any of the values that their cells stand for"
    return words if scene.linked else f"{words}; everybody who fits a row is taken to have one, for rows are not linked"


def _by_size(chances: NDArray[np.float64], subsets: NDArray[np.bool_]) -> dict[int, float]:
    """Return the mean chance by how many columns are known."""
    sizes = subsets.sum(axis=1)
    return {int(size): float(chances[:, sizes == size].mean()) for size in np.unique(sizes)}


def _highest(own: Ints, candidates: Ints) -> Fraction:
    """Return the best chance, exactly."""
    pairs = np.unique(np.stack([own.ravel(), candidates.ravel()]), axis=1).T
    return max((Fraction(mine, of) for mine, of in pairs.tolist()), default=Fraction(0))


@dataclass(frozen=True, kw_only=True)
class _Masked:
    """What someone finds who knows all columns of people whose rows are masked."""

    people: int
    mean: float | None = None
    highest: Fraction = Fraction(0)

    def to_dict(self, whom: str) -> dict[str, Any]:
        """Return plain JSON types."""
        highest = float(self.highest) if self.people else None
        return {whom: self.people, "mean_chance": self.mean, "highest": highest}


def _masked(scene: Scene) -> _Masked:
    """Attack the people whose rows are masked, all of them unless they are many."""
    everyone = scene.masked_people
    if not len(everyone):
        return _Masked(people=0)
    chosen = scene.drawn_from("linkage.masked", everyone) if len(everyone) > scene.targets else everyone
    own, candidates = scene.shares(chosen)
    return _Masked(people=len(everyone), mean=float((own / candidates).mean()), highest=_highest(own, candidates))
