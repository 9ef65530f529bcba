"""Projected gradient descent (Madry et al. 2018): from a random point of a ball, steps projected back into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from nymity.core.validation import number, one_of, whole_number
from nymity_robust.attacks.attack import GradientAttack, Surface, cross_entropy, gradient
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
        one_of("PGD.norm", self.norm, ("linf", "l2"))

    def start(self, images: Tensor, source: torch.Generator) -> Tensor:
        """Draw a point of the ball: uniform in the cube, or in a random direction at a uniform share of the radius."""
        if self.norm == "linf":
            return self.epsilon * (2 * torch.rand(images.shape, generator=source, device=images.device) - 1)
        direction = torch.randn(images.shape, generator=source, device=images.device)
        share = torch.rand((len(images), 1, 1, 1), generator=source, device=images.device)
        return self.epsilon * share * direction / _length(direction)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Take the steps."""
        moved = images if start is None else self._inside(images + start, images)
        for _ in range(self.steps):
            slope = gradient(surface, moved, cross_entropy(criterion))
            direction = slope.sign() if self.norm == "linf" else slope / _length(slope)
            moved = self._inside(moved - self.step * direction, images)
        return moved

    def _inside(self, moved: Tensor, images: Tensor) -> Tensor:
        """Project into the ball, then into [0, 1]; the second never leaves the ball, for images lie in [0, 1]."""
        change = moved - images
        if self.norm == "linf":
            change = change.clamp(-self.epsilon, self.epsilon)
        else:
            change = change * (self.epsilon / _length(change)).clamp(max=1)
        return (images + change).clamp(0, 1)


def _length(change: Tensor) -> Tensor:
    """Return each image's L2 norm, shaped to divide by."""
    return torch.linalg.vector_norm(change.flatten(1), dim=1).clamp(min=1e-12).view(-1, 1, 1, 1)
