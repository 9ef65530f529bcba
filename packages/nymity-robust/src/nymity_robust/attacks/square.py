"""The square attack (Andriushchenko et al. 2020) in the L∞ norm: random squares, no gradient.

An attack that needs no gradient tells a defence that resists from one that only hides its gradients: where it does
better than gradient attacks of the same radius, they were blinded.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import torch
from torch import Tensor

from nymity.core.validation import number, whole_number
from nymity_robust.attacks.attack import GradientAttack, Surface, averaged
from nymity_robust.criteria import Criterion

#: Shares of all queries after which the share of pixels in a square is halved (the paper's, for 10,000 queries).
_HALVED_AFTER = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, kw_only=True)
class Square(GradientAttack):
    """``queries`` squares of ±epsilon, the first of them covering the share ``covered`` of the image.

    A square stays where it lowers the margin. Here the point before it is asked about again beside it, so that on a
    noisy surface a lucky draw is not what all later squares have to beat.
    """

    key: ClassVar[str] = "square"
    epsilon: float = 0.3
    queries: int = 500
    covered: float = 0.8

    def __post_init__(self) -> None:
        number("Square.epsilon", self.epsilon, above=0)
        whole_number("Square.queries", self.queries, at_least=1)
        number("Square.covered", self.covered, above=0, at_most=1)

    def start(self, images: Tensor, source: torch.Generator) -> Tensor:
        """Draw the stripes of the first point and, for each query, the square's place and signs."""
        _, channels, _, width = images.shape
        longest = max(channels * width, 2 + channels)
        return torch.rand((len(images), self.queries + 1, longest), generator=source, device=images.device)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Try the squares one after the other."""
        assert start is not None
        n, channels, height, width = images.shape
        stripes = _signs(start[:, -1, : channels * width]).view(n, channels, 1, width)
        moved = (images + self.epsilon * stripes).clamp(0, 1)
        both = criterion.take(torch.arange(n, device=images.device).repeat(2))
        for query in range(self.queries):
            side = self._side(query, height, width)
            inside = _inside(start[:, query, :2], side, height, width)
            signs = _signs(start[:, query, 2 : 2 + channels]).view(n, channels, 1, 1)
            tried = torch.where(inside, (images + self.epsilon * signs).clamp(0, 1), moved)
            with torch.no_grad():
                old, new = averaged(both.margin(surface(torch.cat([moved, tried])))).view(2, n)
            moved = torch.where((new < old).view(n, 1, 1, 1), tried, moved)
        return moved

    def _side(self, query: int, height: int, width: int) -> int:
        """Return the side of a square: the share it covers falls as queries go on."""
        halvings = sum(query >= share * self.queries for share in _HALVED_AFTER)
        wanted = round(sqrt(self.covered / 2**halvings * height * width))
        return max(1, min(wanted, height, width))


def _signs(uniform: Tensor) -> Tensor:
    return torch.where(uniform < 0.5, -1.0, 1.0)


def _inside(place: Tensor, side: int, height: int, width: int) -> Tensor:
    """Return a mask (n, 1, height, width) of one square for each image."""
    n = len(place)
    top = (place[:, 0] * (height - side + 1)).long().view(n, 1, 1, 1)
    left = (place[:, 1] * (width - side + 1)).long().view(n, 1, 1, 1)
    row = torch.arange(height, device=place.device).view(1, 1, height, 1)
    column = torch.arange(width, device=place.device).view(1, 1, 1, width)
    return (row >= top) & (row < top + side) & (column >= left) & (column < left + side)
