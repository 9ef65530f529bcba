"""The Jacobian-based saliency map attack (Papernot et al. 2016b): few pixels, changed completely, two at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from nymity.core.errors import ParameterError
from nymity.core.validation import number
from nymity_robust.attacks.attack import GradientAttack, Surface, averaged
from nymity_robust.criteria import Criterion, Targeted


@dataclass(frozen=True, kw_only=True)
class JSMA(GradientAttack):
    """Raises the pair of pixels with the largest −αβ to white, until the target is reached.

    α is what raising both adds to the target's logit, β what it adds to all others together; only pairs with α > 0 and
    β < 0 count. At most the share ``gamma`` of the pixels is changed. Targeted only, as defined.
    """

    key: ClassVar[str] = "jsma"
    gamma: float = 0.145

    def __post_init__(self) -> None:
        number("JSMA.gamma", self.gamma, above=0, at_most=1)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Change one pair of pixels at a time."""
        if not isinstance(criterion, Targeted):
            raise ParameterError("JSMA", expected="a targeted criterion", got=type(criterion).__name__)
        moved, pixels = images.flatten(1).clone(), images[0].numel()
        free = moved < 1
        active = torch.ones(len(images), dtype=torch.bool, device=images.device)
        for _ in range(int(self.gamma * pixels) // 2):
            active &= ~_holds(surface, moved.view_as(images), criterion)
            if not active.any():
                break
            toward, away = _jacobian(surface, moved.view_as(images), criterion.targets)
            first, second, useful = _best_pair(toward.flatten(1), away.flatten(1), free)
            active &= useful
            rows = active.nonzero().flatten()
            for chosen in (first[rows], second[rows]):
                moved[rows, chosen] = 1.0
                free[rows, chosen] = False
        return moved.view_as(images)


def _best_pair(toward: Tensor, away: Tensor, free: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the two pixels with the largest −αβ for each image, and whether there is such a pair."""
    alpha = toward[:, :, None] + toward[:, None, :]  # (n, pixels, pixels)
    beta = away[:, :, None] + away[:, None, :]
    possible = free[:, :, None] & free[:, None, :] & (alpha > 0) & (beta < 0)
    possible &= ~torch.eye(toward.shape[1], dtype=torch.bool, device=toward.device)
    saliency, place = (-alpha * beta).where(possible, -torch.inf).flatten(1).max(1)
    return place // toward.shape[1], place % toward.shape[1], saliency > 0


def _jacobian(surface: Surface, images: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of the target's logit and of the sum of all others."""
    images = images.detach().requires_grad_()
    logits = surface(images)
    index = targets.expand(logits.shape[:-1]).unsqueeze(-1)
    wanted = averaged(logits.gather(-1, index).squeeze(-1)).sum()
    (toward,) = torch.autograd.grad(wanted, images, retain_graph=True)
    (whole,) = torch.autograd.grad(averaged(logits.sum(-1)).sum(), images)
    return toward, whole - toward


def _holds(surface: Surface, images: Tensor, criterion: Criterion) -> Tensor:
    with torch.no_grad():
        return criterion.holds(surface(images))
