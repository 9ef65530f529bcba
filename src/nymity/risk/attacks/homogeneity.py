"""homogeneity: everybody in a class has the same sensitive value, so nobody has to be found."""

from __future__ import annotations

from dataclasses import dataclass

from nymity.risk.attacks.certainty import certain_results, values_hindrance, values_of_persons
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene


@dataclass(frozen=True, kw_only=True)
class Homogeneity(Attack):
    """Someone finds a person's class or bucket and reads the only value there (Machanavajjhala et al. 2007)."""

    key = "homogeneity"
    title = "homogeneity of sensitive values"

    def hindrance(self, scene: Scene) -> str | None:
        """It needs sensitive values by class, or by what fits a person."""
        return values_hindrance(scene)

    def counts_persons(self, scene: Scene) -> bool:
        """It does where it is known of whom rows are."""
        return values_of_persons(scene)

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count the people whose class has one value."""
        assumes = "the attacker knows all quasi-identifiers of a person, and so the person's class"
        return [certain_results(self, scene, name, excluded=0, assumes=assumes) for name in scene.sensitive]
