"""The fast gradient sign method (Goodfellow et al. 2015), and its iterated form (Kurakin et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from nymity.core.validation import number, whole_number
from nymity_robust.attacks.attack import GradientAttack, Surface, cross_entropy, gradient
from nymity_robust.criteria import Criterion


@dataclass(frozen=True, kw_only=True)
class FGSM(GradientAttack):
    """One step of size epsilon against the sign of the gradient: the largest change the L∞ ball allows."""

    key: ClassVar[str] = "fgsm"
    epsilon: float = 0.3

    def __post_init__(self) -> None:
        number("FGSM.epsilon", self.epsilon, above=0, at_most=1)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Take the step."""
        return (images - self.epsilon * gradient(surface, images, cross_entropy(criterion)).sign()).clamp(0, 1)


@dataclass(frozen=True, kw_only=True)
class IterativeFGSM(GradientAttack):
    """Many steps of size ``step`` that never leave the L∞ ball of radius epsilon around the image."""

    key: ClassVar[str] = "iterative-fgsm"
    epsilon: float = 0.3
    step: float = 0.02
    steps: int = 40

    def __post_init__(self) -> None:
        number("IterativeFGSM.epsilon", self.epsilon, above=0, at_most=1)
        number("IterativeFGSM.step", self.step, above=0, at_most=1)
        whole_number("IterativeFGSM.steps", self.steps, at_least=1)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Take the steps."""
        low, high = (images - self.epsilon).clamp(min=0), (images + self.epsilon).clamp(max=1)
        moved = images
        for _ in range(self.steps):
            direction = gradient(surface, moved, cross_entropy(criterion)).sign()
            moved = (moved - self.step * direction).clamp(low, high)
        return moved
