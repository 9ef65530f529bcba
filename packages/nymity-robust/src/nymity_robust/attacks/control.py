"""Control: random perturbations as large as those of an attack; what they do is no merit of the attack."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from nymity_robust.attacks.attack import AdversarialExamples
from nymity_robust.distances import L2
from nymity_robust.seeds import generator


def random_of_same_size(made: AdversarialExamples, *, seed: int = 0) -> AdversarialExamples:
    """Move each image in a random (normal) direction, inside [0, 1], as far as its example lies away in L2.

    Where a direction meets the walls of the box before that, the image goes as far as it can.
    """
    originals = made.originals
    source = generator(originals.device, seed, "control")
    direction = torch.randn(originals.shape, generator=source, device=originals.device)
    wanted = made.distances()
    low, high = torch.zeros_like(wanted), torch.full_like(wanted, 1e4)
    for _ in range(60):  # the distance grows with the factor
        middle = (low + high) / 2
        short = L2(_moved(originals, direction, middle), originals) < wanted
        low, high = torch.where(short, middle, low), torch.where(short, high, middle)
    images = _moved(originals, direction, high)
    return replace(made, images=images, success=torch.zeros_like(made.success))


def _moved(originals: Tensor, direction: Tensor, factor: Tensor) -> Tensor:
    return (originals + factor.view(-1, 1, 1, 1) * direction).clamp(0, 1)
