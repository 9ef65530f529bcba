"""Auto-PGD (Croce & Hein 2020, algorithm 1): projected gradient steps whose size follows from how they fare.

    z_k     = P(x_k − η_k s(∇f(x_k))),      x_{k+1} = P(x_k + α (z_k − x_k) + (1 − α) (x_k − x_{k−1})),      α = 0.75

with s the sign (L∞) or the unit vector (L2), η = 2ε at first. At checkpoints η is halved for each image on its own, and
the search goes on from its best point so far, if fewer than three quarters of the steps since the last checkpoint were
better than the one before, or if neither η nor the best point changed since. There is no step size to choose, so a
weak figure cannot be blamed on it.

On a noisy surface the least loss ever seen is a lucky draw: no later point beats it, and steps are halved for nothing.
Here the best point is asked about again at every checkpoint. Without noise that changes nothing, and this is the
published algorithm. As in its authors' implementation, a point that held on the way is taken where the best one does
not hold; both are asked about again for that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from nymity.core.errors import ParameterError
from nymity.core.validation import number, one_of, whole_number
from nymity_robust.attacks.attack import GradientAttack, Look, Surface, cross_entropy, look
from nymity_robust.attacks.ball import BALLS, Ball
from nymity_robust.criteria import Criterion

_MOMENTUM = 0.75
_ENOUGH = 0.75


@dataclass(frozen=True, kw_only=True)
class APGD(GradientAttack):
    """``steps`` moves inside the ball of radius epsilon, by the ``loss`` ``cross-entropy`` or ``dlr``.

    Each move takes one pass over the surface; the start and each checkpoint (8 of them for 100 steps) take one more,
    and the choice in the end takes two.
    """

    key: ClassVar[str] = "apgd"
    epsilon: float = 0.3
    steps: int = 100
    norm: str = "linf"
    loss: str = "cross-entropy"

    def __post_init__(self) -> None:
        number("APGD.epsilon", self.epsilon, above=0)
        whole_number("APGD.steps", self.steps, at_least=1)
        one_of("APGD.norm", self.norm, BALLS)
        one_of("APGD.loss", self.loss, LOSSES)

    def start(self, images: Tensor, source: torch.Generator) -> Tensor:
        """Draw a point of the ball."""
        return self._ball.draw(images, source)

    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Take the steps; return the point of least loss or, where it does not hold, one that did."""
        ball, loss = self._ball, LOSSES[self.loss](criterion)
        before = here = images if start is None else ball.project(images + start, images)
        seen = look(surface, here, loss)
        best = _Best(here, seen)
        fooling = _Best(here, seen, among=criterion.holds(seen.logits))
        step = images.new_full((len(images), 1, 1, 1), 2 * self.epsilon)
        halved = torch.zeros_like(seen.loss, dtype=torch.bool)
        better, slope, loss_here, last = torch.zeros_like(seen.loss), seen.slope, seen.loss, 0
        checkpoints = _checkpoints(self.steps)
        for move in range(1, self.steps + 1):
            towards = ball.project(here - step * ball.steepest(slope), images)
            if move > 1:
                towards = here + _MOMENTUM * (towards - here) + (1 - _MOMENTUM) * (here - before)
            before, here = here, ball.project(towards, images)
            seen = look(surface, here, loss)
            better += seen.loss < loss_here
            slope, loss_here = seen.slope, seen.loss
            best.update(here, seen)
            fooling.update(here, seen, among=criterion.holds(seen.logits))
            if move in checkpoints:
                best.ask_again(look(surface, best.point, loss))
                halved = (better < _ENOUGH * (move - last)) | (~halved & ~best.changed)
                step = torch.where(_each(halved), step / 2, step)
                here = torch.where(_each(halved), best.point, here)
                slope = torch.where(_each(halved), best.slope, slope)
                loss_here = torch.where(halved, best.loss, loss_here)
                better, last, best.changed = torch.zeros_like(better), move, torch.zeros_like(halved)
        with torch.no_grad():
            held, other = (criterion.holds(surface(kept.point)) for kept in (best, fooling))
        return torch.where(_each(other & ~held), fooling.point, best.point)

    @property
    def _ball(self) -> Ball:
        return Ball(norm=self.norm, radius=self.epsilon)


class _Best:
    """The point of least loss so far of each image, or of least loss ``among`` those that held where they were seen."""

    def __init__(self, point: Tensor, seen: Look, *, among: Tensor | None = None) -> None:
        self.point, self.slope = point, seen.slope
        self.loss = seen.loss if among is None else seen.loss.where(among, torch.inf)
        self.changed = torch.zeros_like(seen.loss, dtype=torch.bool)

    def update(self, point: Tensor, seen: Look, *, among: Tensor | None = None) -> None:
        """Take the points that are better."""
        better = seen.loss < self.loss
        if among is not None:
            better &= among
        self.changed |= better
        self.loss = torch.where(better, seen.loss, self.loss)
        self.point, self.slope = (
            torch.where(_each(better), new, old) for new, old in ((point, self.point), (seen.slope, self.slope))
        )

    def ask_again(self, seen: Look) -> None:
        """Replace what was seen of the points by another look."""
        self.loss, self.slope = seen.loss, seen.slope


def logits_ratio(criterion: Criterion) -> Callable[[Tensor], Tensor]:
    """Return the difference of logits ratio, which an attack lowers (Croce & Hein 2020, equations 6 and 7).

        any wrong label:  (z_y − max over i ≠ y of z_i) / (z_(1) − z_(3))
        a target:         (z_y − z_t) / (z_(1) − (z_(3) + z_(4)) / 2)

    with z_(1) ≥ z_(2) ≥ … the sorted logits. Unlike cross entropy it does not vanish where logits are large.
    """
    goal, sign = criterion.goal()

    def loss(logits: Tensor) -> Tensor:
        needed = 3 if sign < 0 else 4
        if logits.shape[-1] < needed:
            got = f"{logits.shape[-1]}"
            raise ParameterError("loss 'dlr'", expected=f"at least {needed} classes", got=got, hint="'cross-entropy'")
        ordered = logits.sort(-1, descending=True).values
        if sign < 0:
            return criterion.margin(logits) / (ordered[..., 0] - ordered[..., 2]).clamp(min=1e-12)
        lead = _of(logits, criterion.labels) - _of(logits, goal)
        return lead / (ordered[..., 0] - (ordered[..., 2] + ordered[..., 3]) / 2).clamp(min=1e-12)

    return loss


#: What is lowered, by name.
LOSSES: dict[str, Callable[[Criterion], Callable[[Tensor], Tensor]]] = {
    "cross-entropy": cross_entropy,
    "dlr": logits_ratio,
}


def _checkpoints(steps: int) -> set[int]:
    """Return after which moves step sizes are judged: 22, 41, 57, 70, 80, 87, 93 and 99% of all, rounded up."""
    before, percent, found = 0, 22, set[int]()
    while percent <= 100:
        found.add(-(-percent * steps // 100))
        before, percent = percent, percent + max(percent - before - 3, 6)
    return found


def _of(logits: Tensor, labels: Tensor) -> Tensor:
    return logits.gather(-1, labels.expand(logits.shape[:-1]).unsqueeze(-1)).squeeze(-1)


def _each(chosen: Tensor) -> Tensor:
    return chosen.view(-1, 1, 1, 1)
