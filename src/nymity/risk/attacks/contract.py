"""Attack: what all attacks have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene


class CannotRunError(Exception):
    """An attack found out only while it ran why it cannot; the text is the reason."""


class Attack(ABC):
    """Someone who tries to learn about people from a release. Subclasses are frozen dataclasses of their parameters."""

    key: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def hindrance(self, scene: Scene) -> str | None:
        """Return why the attack cannot be run on this release with what is given; None if it can."""

    @abstractmethod
    def run(self, scene: Scene) -> list[AttackResult]:
        """Attack, once for each sensitive attribute where the attack is about them.

        Raise :class:`CannotRunError` where a hindrance comes to light late.
        """

    def counts_persons(self, scene: Scene) -> bool:
        """Whether it counts persons where records are of persons; others count records."""
        del scene
        return False
