"""Standing: what a noisy defence answers to each example, over many fresh draws of its noise.

One answer says little of an example near the boundary, and the best of many answers says what luck does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from nymity_robust.attacks.attack import AdversarialExamples
from nymity_robust.criteria import Criterion
from nymity_robust.distances import L2
from nymity_robust.noise import replayable
from nymity_robust.querying import labels
from nymity_robust.rates import measured_rate


@dataclass(frozen=True, kw_only=True, eq=False)
class Standing:
    """One entry per example: how many of ``draws`` answers are ``right`` and ``wished``, its L2 size, its image."""

    draws: int
    right: Tensor
    wished: Tensor
    l2: Tensor
    image: Tensor

    def __len__(self) -> int:
        return len(self.image)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "draws": self.draws,
            "right": self.right.tolist(),
            "wished": self.wished.tolist(),
            "l2": [round(value, 5) for value in self.l2.tolist()],
            "image": self.image.tolist(),
        }

    @classmethod
    def of(cls, parts: list[dict[str, Any]]) -> Standing:
        """Join what :meth:`to_dict` returned."""
        joined = {
            name: torch.tensor([value for part in parts for value in part[name]])
            for name in ("right", "wished", "l2", "image")
        }
        return cls(draws=parts[0]["draws"], **joined)

    def summary(self) -> dict[str, Any]:
        """Return shares with intervals.

        ``right`` and ``wished`` are shares of all answers; ``held_once`` the share of examples of which any answer
        was as wished, ``held_mostly`` of which most were.
        """
        return {
            "examples": len(self),
            "draws": self.draws,
            "right": measured_rate(self.right / self.draws, self.image).to_dict(),
            "wished": measured_rate(self.wished / self.draws, self.image).to_dict(),
            "held_once": measured_rate(self.wished > 0, self.image).to_dict(),
            "held_mostly": measured_rate(2 * self.wished > self.draws, self.image).to_dict(),
            "mean_l2": float(self.l2.double().mean()),
            "median_l2": float(self.l2.median()),
        }

    def right_within(self, radius: float, clean: Standing) -> dict[str, Any]:
        """Return the share of right answers when an attacker may move an image by ``radius`` in L2 and no farther.

        Where the example lies farther away the clean image is submitted. ``clean`` has every image once, in order.
        """
        unmoved = clean.right[self.image] / clean.draws
        values = torch.where(self.l2 <= radius, self.right / self.draws, unmoved)
        return {"l2": radius, **measured_rate(values, self.image).to_dict()}


def stand(defence: nn.Module, made: AdversarialExamples, *, image: Tensor, draws: int, seed: int) -> Standing:
    """Submit each example ``draws`` times; ``image`` numbers the image behind each wish."""
    right, wished = count_answers(defence, made.images, made.criterion, draws=draws, seed=seed)
    size = L2(made.images, made.originals)
    return Standing(draws=draws, right=right.cpu(), wished=wished.cpu(), l2=size.cpu(), image=image[made.source].cpu())


def count_answers(
    defence: nn.Module, images: Tensor, criterion: Criterion, *, draws: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Return how many of ``draws`` answers to each image are right, and how many are as wished."""
    right = torch.zeros(len(images), dtype=torch.int64, device=images.device)
    wished = torch.zeros_like(right)
    with replayable(defence, seed):
        for _ in range(draws):
            answered = labels(defence, images)
            right += answered == criterion.labels
            wished += criterion.reached(answered)
    return right, wished
