"""skewness: the values of a class are spread otherwise than those of the table, so a guess is better than a guess."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from nymity.core.wording import percent
from nymity.risk.attacks.certainty import interval, values_hindrance
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import highest_chance, value_limits
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene, ValueGroups

#: Shares that are nearer to each other than this are compared as fractions.
_NEAR = 1e-9


@dataclass(frozen=True, kw_only=True)
class Skewness(Attack):
    """Someone finds a person's class or bucket and guesses its most frequent value (Li et al. 2007).

    The guess is right for as many of a class as have that value; without the release the best guess is the most
    frequent value of all. Models that cap the share of values cap the chance.
    """

    key = "skewness"
    title = "guessing sensitive values"

    def hindrance(self, scene: Scene) -> str | None:
        """It needs sensitive values by class, or by what fits a person."""
        return values_hindrance(scene)

    def run(self, scene: Scene) -> list[AttackResult]:
        """Guess every sensitive attribute of everybody."""
        return [self._guess(scene, name) for name in scene.sensitive]

    def _guess(self, scene: Scene, attribute: str) -> AttackResult:
        groups = scene.values(attribute)
        largest, n = groups.histogram.largest, int(groups.people.sum())
        right = float((groups.people * (largest / groups.sizes)).sum())
        rate = right / n
        limits = value_limits(
            scene.models, attribute, groups.column, classes=not scene.freeform, persons=scene.of_persons
        )
        chances = _largest_chances(groups)
        highest, limit, exceeds = highest_chance(chances, limits)
        overall = groups.column.totals if groups.exact else _overall(scene, attribute)
        baseline = float(overall.max() / overall.sum())
        return AttackResult(
            key=self.key,
            title=self.title,
            assumes="the attacker knows all quasi-identifiers of a person, and so the person's class",
            attribute=attribute,
            n=n,
            successes=round(right, 9),
            rate=rate,
            interval=interval(groups, right, n),
            highest=highest,
            baseline=baseline,
            limit=limit,
            exceeds=exceeds,
            sentence=f"Guessing the most frequent {attribute!r} of a person's class is right for {percent(rate)}, "
            f"against {percent(baseline)} for the most frequent of all, and with a chance of "
            f"{percent(float(highest))} at most.",
            figures={"groups": len(groups.people)},
        )


def _largest_chances(groups: ValueGroups) -> dict[int, Fraction]:
    """Return the largest share of a group that each value has, exactly: those that look largest are compared."""
    entries, shares = groups.histogram, groups.histogram.counts / groups.sizes[groups.histogram.classes]
    most = np.zeros(entries.n_values)
    np.maximum.at(most, entries.codes, shares)
    near = np.flatnonzero(shares > most[entries.codes] - _NEAR)
    rows = np.stack([entries.codes[near], entries.counts[near], groups.sizes[entries.classes[near]]], axis=1)
    found: dict[int, Fraction] = {}
    for value, count, size in np.unique(rows, axis=0).tolist():
        found[value] = max(found.get(value, Fraction(0)), Fraction(count, size))
    return found


def _overall(scene: Scene, attribute: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Count the values of all rows."""
    return scene.frame[attribute].value_counts()["count"].to_numpy().astype(np.int64)
