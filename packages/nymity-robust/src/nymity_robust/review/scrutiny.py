"""Scrutiny: how closely a review looks."""

from __future__ import annotations

from dataclasses import dataclass, field

from nymity.core.validation import number, whole_number
from nymity_robust.attacks import CarliniWagner


@dataclass(frozen=True, kw_only=True)
class Scrutiny:
    """Everything that a piece's figures depend on, but for the members and the images.

    ``pgd_steps`` and ``pgd_draws`` are those of PGD and Auto-PGD; ``masking_steps`` and ``masking_draws`` what the
    checks for masked gradients hold against them; ``grid`` how many points a loss surface has to each side of an image.
    """

    attack: CarliniWagner = field(default_factory=lambda: CarliniWagner(searches=6, steps=200, continued=False))
    wishes: str = "every-target"
    known: int = 10
    judged: int = 100
    l2: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0)
    linf: tuple[float, ...] = (0.1, 0.2, 0.3)
    pgd_draws: int = 16
    pgd_steps: int = 50
    square_draws: int = 4
    square_queries: int = 500
    masking_steps: tuple[int, ...] = (10, 20, 100, 200)
    masking_draws: tuple[int, ...] = (1, 4, 64)
    grid: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("known", "judged", "pgd_draws", "pgd_steps", "square_draws", "square_queries", "grid"):
            whole_number(f"Scrutiny.{name}", getattr(self, name), at_least=1)
        for radius in (*self.l2, *self.linf):
            number("Scrutiny radius", radius, above=0)
        whole_number("Scrutiny.masking_steps", max(self.masking_steps, default=0), at_least=self.pgd_steps + 1)
        whole_number("Scrutiny.masking_draws", max(self.masking_draws, default=0), at_least=self.pgd_draws + 1)

    def middle(self, norm: str) -> float:
        """Return the middle radius of a norm, the lower one of two: where checks for masked gradients look."""
        radii = sorted(self.l2 if norm == "l2" else self.linf)
        return radii[(len(radii) - 1) // 2]
