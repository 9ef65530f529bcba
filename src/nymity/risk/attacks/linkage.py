"""linkage: who knows some columns of a person picks the person's row among those that fit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.intervals import clustered_interval
from nymity.core.progress import Progress, report
from nymity.core.validation import exact_fraction, number, whole_number
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import linkage_limit
from nymity.risk.attacks.result import AttackResult, share
from nymity.risk.attacks.rows import Ints
from nymity.risk.attacks.scene import Scene


@dataclass(frozen=True, kw_only=True)
class Linkage(Attack):
    """Someone knows a person's values in a subset of the quasi-identifiers, and that the person is in the table.

    The candidates are the rows whose cells cover these values. Masked rows fit everybody; looking among them only where
    no other row fits is the better choice for the attacker, who thereby gives up the people whose rows they are. One of
    the candidates is picked at random, so the chance is 1 / candidates, since a person's own row always is one. Targets
    are drawn at random from the people in classes. Each is attacked once with every one of ``subsets`` sets of columns:
    all there are if there are no more, else all columns and others at random, of any size alike. A careful attacker
    claims a row only where the chance is at least ``threshold``.

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
        if scene.buckets is not None:
            return "buckets publish quasi-identifiers as they are: anybody finds a row, and its value is what is hidden"
        if scene.people is None:
            return "it needs the original, or the recoding, which tells what cells stand for"
        return None if len(scene.in_classes) else "nobody is in a class"

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count the candidates of every target in every subset of columns."""
        report(scene.observe, Progress(stage="linkage"))
        assert scene.people is not None
        assert scene.matcher is not None
        subsets = self._columns(len(scene.rows.labels), scene.random("linkage.columns"))
        chosen = scene.drawn_from(self.key, scene.in_classes)
        candidates = scene.matcher.counts(scene.people.codes[:, chosen], scene.rows.published, subsets)
        hits = scene.random("linkage.picks").random(candidates.shape) * candidates < 1
        n, successes = hits.size, int(hits.sum())
        low, high = clustered_interval(hits.sum(axis=1).astype(float), np.full(len(hits), float(len(subsets))))
        highest = Fraction(1, int(candidates.min()))
        limit = linkage_limit(scene.models, classes=not scene.freeform, complete=scene.complete)
        return [
            AttackResult(
                key=self.key,
                title=self.title,
                assumes=_assumes(scene),
                n=n,
                successes=successes,
                rate=successes / n,
                low=low,
                high=high,
                exact=False,
                highest=highest,
                limit=limit,
                exceeds=limit is not None and highest > limit.chance,
                sentence=f"Whoever knows some columns of a person picks the right row in {share(successes / n)} of "
                f"{n:,} attempts on {len(chosen):,} people, and with a chance of {share(float(highest))} at most.",
                figures={
                    "people_drawn": len(chosen),
                    "column_sets": len(subsets),
                    "mean_chance_by_known_columns": _by_size(candidates, subsets),
                    "claims": self._claims(candidates, hits),
                    "masked_people": _masked(scene),
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
        """Say how often a row is claimed, and how often rightly; each person counts as one cluster."""
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
        return f"{words}; without the original, people have any of the values that their cells stand for"
    return words if scene.linked else f"{words}; everybody who fits a row is taken to have one, for rows are not linked"


def _by_size(candidates: Ints, subsets: NDArray[np.bool_]) -> dict[int, float]:
    """Return the mean chance by how many columns are known."""
    sizes = subsets.sum(axis=1)
    return {int(size): float((1 / candidates[:, sizes == size]).mean()) for size in np.unique(sizes)}


def _masked(scene: Scene) -> dict[str, Any]:
    """Say what someone finds who knows all columns of a person whose row is masked; no promise covers them.

    Where a class fits the person, the attacker looks there, in vain.
    """
    assert scene.people is not None
    assert scene.matcher is not None
    everyone = scene.suppressed_people
    if not len(everyone):
        return {"people": 0, "mean_chance": None, "highest": None}
    chosen = scene.drawn_from("linkage.masked", everyone) if len(everyone) > scene.targets else everyone
    misled = scene.matcher.counts(scene.people.codes[:, chosen], scene.rows.published)[:, 0] > 0
    chance = np.where(misled, 0, 1 / scene.rows.sizes[scene.rows.suppressed])
    return {"people": len(everyone), "mean_chance": float(chance.mean()), "highest": float(chance.max())}
