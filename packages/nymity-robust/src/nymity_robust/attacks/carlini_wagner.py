"""The attack of Carlini & Wagner (2017) in the L2 norm, for a whole batch at once.

    minimize  ‖x' − x‖² + c · max(margin(z(x')) + κ, 0),      x' = (tanh(w) + 1) / 2

by Adam in w, with a search over c for each image on its own. One point differs from the paper: w starts at
atanh(inset · (2x − 1)). With the paper's inset next to 1 the derivative of tanh vanishes where a pixel is black or
white, and most of a digit's pixels cannot move within a few steps. A start a little inside the box lets them; the
distance is measured from the image itself, so what moved for nothing moves back. And a search goes on from where the
one before it ended, which comes nearer in as many steps.

Every search leaves a candidate. All of them are judged again in the end, on fresh noise if the surface is noisy, and
the nearest that holds by κ is the answer: a lucky draw on the way counts for nothing. Only where none holds by κ, the
one that misses it by least is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from nymity.core.validation import number, whole_number
from nymity_robust.attacks.attack import GradientAttack, Surface, averaged
from nymity_robust.criteria import Criterion
from nymity_robust.distances import L2


@dataclass(frozen=True, kw_only=True)
class CarliniWagner(GradientAttack):
    """``searches`` values of c with ``steps`` steps each, the first c ``constant``; ``confidence`` is κ.

    ``continued``: a search goes on from where the one before ended, not from the image.
    """

    key: ClassVar[str] = "carlini-wagner"
    searches: int = 6
    steps: int = 100
    rate: float = 0.1
    constant: float = 1.0
    confidence: float = 0.0
    inset: float = 0.9
    continued: bool = True

    def __post_init__(self) -> None:
        whole_number("CarliniWagner.searches", self.searches, at_least=1)
        whole_number("CarliniWagner.steps", self.steps, at_least=1)
        number("CarliniWagner.rate", self.rate, above=0)
        number("CarliniWagner.constant", self.constant, above=0)
        number("CarliniWagner.confidence", self.confidence, at_least=0)
        number("CarliniWagner.inset", self.inset, above=0, at_most=0.999999)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Search over c, then choose among the candidates."""
        candidates, _ = self._search(surface, images, criterion)
        with torch.no_grad():
            return self._choose(images, criterion, candidates, [surface(candidate) for candidate in candidates])

    def _choose(self, images: Tensor, criterion: Criterion, candidates: list[Tensor], asked: list[Tensor]) -> Tensor:
        """Take the nearest that holds by κ in answers asked anew or, if there is none, what misses κ by least."""
        holds = torch.stack([criterion.holds(logits, self.confidence) for logits in asked])  # (searches, n)
        missed = torch.stack([_missed(criterion, logits, self.confidence) for logits in asked])
        return take(images, candidates, holds, missed)

    def _search(self, surface: Surface, images: Tensor, criterion: Criterion) -> tuple[list[Tensor], list[Tensor]]:
        """Return a candidate of each search over c, and which of them held when they were passed."""
        constants = images.new_full((len(images),), self.constant)
        low, high = torch.zeros_like(constants), torch.full_like(constants, torch.inf)
        first = torch.atanh(self.inset * (2 * images - 1))
        candidates, held, w = [], [], first
        for _ in range(self.searches):
            found, granted, last = self._descend(surface, images, criterion, constants, w)
            candidates.append(found)
            held.append(granted)
            w = last if self.continued else first
            low, high = torch.where(granted, low, constants), torch.where(granted, constants, high)
            constants = torch.where(high.isinf(), constants * 10, (low + high) / 2)
        return candidates, held

    def _descend(
        self, surface: Surface, images: Tensor, criterion: Criterion, constants: Tensor, start: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Take the steps for one c each; return the nearest example that held, or the last one, which held, and w."""
        w = start.clone().requires_grad_()
        optimizer = torch.optim.Adam([w], lr=self.rate)
        best, nearest = images, images.new_full((len(images),), torch.inf)
        for _ in range(self.steps):
            moved = (torch.tanh(w) + 1) / 2
            logits = surface(moved)
            distance = (moved - images).flatten(1).square().sum(1)
            missed = _missed(criterion, logits, self.confidence)
            optimizer.zero_grad()
            (distance + constants * missed).sum().backward()
            with torch.no_grad():
                held = criterion.holds(logits, self.confidence) & (distance < nearest)
                nearest = torch.where(held, distance, nearest)
                best = torch.where(held.view(-1, 1, 1, 1), moved, best)
            optimizer.step()
        granted = nearest.isfinite()
        w = w.detach()
        return torch.where(granted.view(-1, 1, 1, 1), best, (torch.tanh(w) + 1) / 2), granted, w


@dataclass(frozen=True, kw_only=True)
class CarliniWagnerAsPublished(CarliniWagner):
    """Keeps the nearest example that held *once*, on whatever noise there was, and counts it as a success.

    The bookkeeping of the published implementations, which were written for classifiers without noise and never ask
    again. On a noisy surface hundreds of steps are hundreds of chances, and what is kept are lucky draws: examples so
    near that they mostly do not hold again. Here to measure what that does to a result.
    """

    key: ClassVar[str] = "carlini-wagner-as-published"

    def attempt(
        self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return the nearest that held once, or the last point, and which held once."""
        found, held = (torch.stack(each) for each in self._search(surface, images, criterion))  # (searches, n, …)
        distance = torch.stack([L2(candidate, images) for candidate in found]).where(held, torch.inf)
        chosen = torch.where(held.any(0), distance.argmin(0), len(found) - 1)
        return found[chosen, torch.arange(len(images), device=images.device)], held.any(0)


def take(images: Tensor, candidates: list[Tensor], holds: Tensor, missed: Tensor) -> Tensor:
    """Return for each image the nearest candidate that holds or, if there is none, what misses by least."""
    distance = torch.stack([L2(candidate, images) for candidate in candidates])
    nearest = distance.where(holds, torch.inf).argmin(0)
    chosen = torch.where(holds.any(0), nearest, missed.argmin(0))
    return torch.stack(candidates)[chosen, torch.arange(len(images), device=images.device)]


def _missed(criterion: Criterion, logits: Tensor, confidence: float) -> Tensor:
    """Return max(margin + κ, 0), averaged over members and draws."""
    return averaged((criterion.margin(logits) + confidence).clamp(min=0))
