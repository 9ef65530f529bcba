"""The first attack (Szegedy et al. 2014): minimize c · ‖x' − x‖² + cross entropy by L-BFGS (equation 4.1.2).

The paper keeps x' in its box by L-BFGS-B. torch has L-BFGS without a box, so x' = (tanh(w) + 1) / 2 keeps it there, as
Carlini & Wagner do. A line search over c looks for the largest one that still reaches the goal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from nymity.core.validation import number, whole_number
from nymity_robust.attacks.attack import GradientAttack, Surface, averaged, cross_entropy
from nymity_robust.criteria import Criterion

_INSET = 0.98


@dataclass(frozen=True, kw_only=True)
class LBFGS(GradientAttack):
    """``searches`` values of c, halved until the goal is reached and then bisected, ``steps`` iterations each.

    Images are worked on one after the other, because a step of L-BFGS couples all its variables.
    """

    key: ClassVar[str] = "l-bfgs"
    searches: int = 8
    steps: int = 30
    constant: float = 0.1

    def __post_init__(self) -> None:
        whole_number("LBFGS.searches", self.searches, at_least=1)
        whole_number("LBFGS.steps", self.steps, at_least=1)
        number("LBFGS.constant", self.constant, above=0)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Search over c for one image after the other."""
        rows = (slice(row, row + 1) for row in range(len(images)))
        return torch.cat([self._search(surface, images[row], criterion.take(row)) for row in rows])

    def _search(self, surface: Surface, image: Tensor, wish: Criterion) -> Tensor:
        low, high, constant = 0.0, None, self.constant  # low reaches the goal, high does not
        best = None
        last = image
        for _ in range(self.searches):
            last = self._minimize(surface, image, wish, constant)
            with torch.no_grad():
                granted = bool(wish.holds(surface(last)))
            if granted:
                low = constant
                best = last if best is None or _nearer(last, best, image) else best
            else:
                high = constant
            constant = constant * 2 if high is None else (low + high) / 2
        return last if best is None else best

    def _minimize(self, surface: Surface, image: Tensor, wish: Criterion, constant: float) -> Tensor:
        w = torch.atanh(_INSET * (2 * image - 1)).requires_grad_()
        optimizer = torch.optim.LBFGS([w], max_iter=self.steps, line_search_fn="strong_wolfe")
        loss = cross_entropy(wish)

        def closure() -> Tensor:
            optimizer.zero_grad()
            moved = (torch.tanh(w) + 1) / 2
            value = constant * (moved - image).square().sum() + averaged(loss(surface(moved))).sum()
            value.backward()
            return value

        optimizer.step(closure)
        return ((torch.tanh(w) + 1) / 2).detach()


def _nearer(one: Tensor, other: Tensor, image: Tensor) -> bool:
    return bool((one - image).norm() < (other - image).norm())
