"""background-knowledge: who can rule some values out is left with one."""

from __future__ import annotations

from dataclasses import dataclass

from nymity.core.validation import whole_number
from nymity.risk.attacks.certainty import certain_results, values_hindrance, values_of_persons
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene


@dataclass(frozen=True, kw_only=True)
class BackgroundKnowledge(Attack):
    """Someone finds a person's class and knows of ``excluded`` values there that the person does not have them.

    A person's value is certain if the class has at most excluded + 1 different ones (Machanavajjhala et al. 2007).
    """

    excluded: int = 1

    key = "background-knowledge"
    title = "background knowledge of sensitive values"

    def __post_init__(self) -> None:
        whole_number("background-knowledge.excluded", self.excluded, at_least=1)

    def hindrance(self, scene: Scene) -> str | None:
        """It needs sensitive values by class, or by what fits a person."""
        return values_hindrance(scene)

    def counts_persons(self, scene: Scene) -> bool:
        """It does where it is known of whom rows are."""
        return values_of_persons(scene)

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count the people whose class has too few values."""
        assumes = (
            f"the attacker knows all quasi-identifiers of a person, and {self.excluded} "
            f"{'value' if self.excluded == 1 else 'values'} of the class that the person does not have"
        )
        return [certain_results(self, scene, name, excluded=self.excluded, assumes=assumes) for name in scene.sensitive]
