"""Ensemble Voting: the label that most members name (section 4.2.3 of the thesis).

The thesis leaves ties open. Here the smallest label among the most frequent ones wins: it needs no randomness, anyone
can repeat it, and the certificate against poisoned training data counts with it.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import one_hot

from nymity_robust.ensemble import Ensemble


class EnsembleVoting(nn.Module):
    """A classifier whose scores are the members' votes; argmax takes the first of equal ones, the smallest label."""

    def __init__(self, ensemble: Ensemble) -> None:
        super().__init__()
        self.ensemble = ensemble

    def forward(self, images: Tensor) -> Tensor:
        """Count the votes: (n, classes)."""
        answers: Tensor = self.ensemble(images)
        return one_hot(answers.argmax(-1), answers.shape[-1]).sum(0).to(images.dtype)

    def surrogate(self, images: Tensor) -> Tensor:
        """Return what an attacker differentiates in place of votes: all members' logits, each divided by its T."""
        return self.ensemble.normalized(images)
