"""A toy: pick any row."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import linkage_limit
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene


@dataclass(frozen=True, kw_only=True)
class ToyGuess(Attack):
    """Someone who knows nothing picks a row."""

    key = "toy-guess"
    title = "a guess"

    def hindrance(self, scene: Scene) -> str | None:
        """It needs a row."""
        return None if scene.frame.height else "no row is published"

    def run(self, scene: Scene) -> list[AttackResult]:
        """One of all rows."""
        chance = Fraction(1, scene.frame.height)
        limit = linkage_limit(scene.models, classes=not scene.freeform, complete=scene.complete)
        return [
            AttackResult(
                key=self.key,
                title=self.title,
                assumes="nothing",
                n=1,
                successes=float(chance),
                rate=float(chance),
                highest=chance,
                limit=limit,
                exceeds=limit.exceeded_by(chance),
                sentence="A guess is a guess.",
            )
        ]
