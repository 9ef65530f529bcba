"""Distance: how far an adversarial example lies from its image."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from nymity.core.validation import one_of


@dataclass(frozen=True, kw_only=True)
class Norm:
    """A norm of the difference: ``l0`` (changed pixels), ``l1``, ``l2`` or ``linf``."""

    name: str = "l2"

    def __post_init__(self) -> None:
        one_of("Norm.name", self.name, _ORDERS)

    def __call__(self, images: Tensor, originals: Tensor) -> Tensor:
        """Return one distance per image."""
        return torch.linalg.vector_norm((images - originals).flatten(1), ord=_ORDERS[self.name], dim=1)


@dataclass(frozen=True, kw_only=True)
class RelativePerturbation:
    """‖a − s‖ / ‖s‖ in the L2 norm (equation 4.3.1); infinite for a black image that was changed."""

    def __call__(self, images: Tensor, originals: Tensor) -> Tensor:
        """Return one share per image."""
        moved = L2(images, originals)
        return torch.where(moved == 0, moved, moved / torch.linalg.vector_norm(originals.flatten(1), dim=1))


_ORDERS = {"l0": 0.0, "l1": 1.0, "l2": 2.0, "linf": float("inf")}

L2 = Norm(name="l2")
