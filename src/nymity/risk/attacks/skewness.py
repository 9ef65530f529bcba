"""skewness: the values of a class are spread otherwise than those of the table, so a guess is better than a guess."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from nymity.core.wording import percent
from nymity.risk.attacks.certainty import interval, values_hindrance, values_of_persons
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
    frequent value of all. Models that cap the share of values cap the chance. Where it is known of whom rows are, the
    guess is the value that most persons of the class have, in one of their records or more.
    """

    key = "skewness"
    title = "guessing sensitive values"

    def hindrance(self, scene: Scene) -> str | None:
        """It needs sensitive values by class, or by what fits a person."""
        return values_hindrance(scene)

    def counts_persons(self, scene: Scene) -> bool:
        """It does where it is known of whom rows are."""
        return values_of_persons(scene)

    def run(self, scene: Scene) -> list[AttackResult]:
        """Guess every sensitive attribute of everybody."""
        return [self._guess(scene, name) for name in scene.sensitive]

    def _guess(self, scene: Scene, attribute: str) -> AttackResult:
        groups = scene.values(attribute)
        largest, n = groups.histogram.largest, int(groups.people.sum())
        right = float((groups.people * (largest / groups.sizes)).sum())
        rate = right / n
        limits = value_limits(
            scene.models,
            attribute,
            groups.column,
            classes=not scene.freeform,
            persons=scene.of_persons,
            holders=groups.holders,
        )
        chances = _largest_chances(groups)
        highest, limit, exceeds = highest_chance(chances, limits)
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
            baseline=groups.commonest,
            limit=limit,
            exceeds=exceeds,
            sentence=f"Guessing {_what(groups, attribute, scene.unit)} is right for {percent(rate)}, against "
            f"{percent(groups.commonest)} for the most frequent of all, and with a chance of {percent(float(highest))} "
            "at most.",
            figures={"groups": len(groups.people)},
        )


def _what(groups: ValueGroups, attribute: str, unit: str) -> str:
    """Name the guess: of persons, who may have several values, the one that most of them have."""
    if groups.holders:
        return f"that a {unit} has the {attribute!r} that most {unit}s of the class have"
    return f"the most frequent {attribute!r} of a person's class"


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
