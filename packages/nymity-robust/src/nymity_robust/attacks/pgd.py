"""Projected gradient descent (Madry et al. 2018): from a random point of a ball, steps projected back into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from nymity.core.validation import number, one_of, whole_number
from nymity_robust.attacks.attack import GradientAttack, Surface, cross_entropy, gradient
from nymity_robust.attacks.ball import BALLS, Ball
from nymity_robust.criteria import Criterion


@dataclass(frozen=True, kw_only=True)
class PGD(GradientAttack):
    """``steps`` steps of size ``step`` inside the ball of radius epsilon in the norm ``linf`` or ``l2``."""

    key: ClassVar[str] = "pgd"
    epsilon: float = 0.3
    step: float = 0.03
    steps: int = 40
    norm: str = "linf"

    def __post_init__(self) -> None:
        number("PGD.epsilon", self.epsilon, above=0)
        number("PGD.step", self.step, above=0)
        whole_number("PGD.steps", self.steps, at_least=1)
        one_of("PGD.norm", self.norm, BALLS)

    def start(self, images: Tensor, source: torch.Generator) -> Tensor:
        """Draw a point of the ball."""
        return self._ball.draw(images, source)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Take the steps."""
        ball = self._ball
        moved = images if start is None else ball.project(images + start, images)
        for _ in range(self.steps):
            slope = gradient(surface, moved, cross_entropy(criterion))
            moved = ball.project(moved - self.step * ball.steepest(slope), images)
        return moved

    @property
    def _ball(self) -> Ball:
        return Ball(norm=self.norm, radius=self.epsilon)
