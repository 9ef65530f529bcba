"""Ball: where a bounded attack may go, the points of [0, 1] at most a radius away from an image in L∞ or L2."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from nymity.core.validation import number, one_of

#: Norms in which attacks can be bounded.
BALLS = ("linf", "l2")


@dataclass(frozen=True, kw_only=True)
class Ball:
    """The ball of a ``radius`` around an image, cut by the box of all images."""

    norm: str
    radius: float

    def __post_init__(self) -> None:
        one_of("Ball.norm", self.norm, BALLS)
        number("Ball.radius", self.radius, above=0)

    def draw(self, images: Tensor, source: torch.Generator) -> Tensor:
        """Draw a change: uniform in the cube, or in a random direction at a uniform share of the radius."""
        if self.norm == "linf":
            return self.radius * (2 * torch.rand(images.shape, generator=source, device=images.device) - 1)
        direction = torch.randn(images.shape, generator=source, device=images.device)
        share = torch.rand((len(images), 1, 1, 1), generator=source, device=images.device)
        return self.radius * share * direction / length(direction)

    def steepest(self, slope: Tensor) -> Tensor:
        """Return the change of size 1 along which a linear function with this slope rises most."""
        return slope.sign() if self.norm == "linf" else slope / length(slope)

    def project(self, moved: Tensor, images: Tensor) -> Tensor:
        """Return the nearest point, in L2, that lies both in the ball and in the box.

        In L∞ both are boxes. In L2 the nearest point moves an image x by clip(t · c, −x, 1 − x), where c is the change
        wanted and t the largest factor up to 1 that keeps it in the ball. (Ball first, box second stays in both, but
        stops short of the radius wherever pixels are black or white.)
        """
        change = moved - images
        if self.norm == "linf":
            return (images + change.clamp(-self.radius, self.radius)).clamp(0, 1)
        room = torch.where(change > 0, 1 - images, images)
        factor = _largest_factor(change.flatten(1).abs(), room.flatten(1), self.radius).view(-1, 1, 1, 1)
        return (images + (factor * change).clamp(-room, room)).clamp(0, 1)


def length(change: Tensor) -> Tensor:
    """Return each image's L2 norm, shaped to divide by."""
    return torch.linalg.vector_norm(change.flatten(1), dim=1).clamp(min=1e-12).view(-1, 1, 1, 1)


def _largest_factor(size: Tensor, room: Tensor, radius: float) -> Tensor:
    """Return for each row the largest t ≤ 1 with ‖min(t · size, room)‖ ≤ radius.

    ‖·‖² grows with t: Σ room² over pixels that t sends to a wall, plus t² Σ size² over the others. Pixels meet their
    walls in the order of room / size, so sums over that order give t in closed form between any two of them.
    """
    meets, order = (room / size.clamp(min=1e-30)).sort(1)
    room, size = room.gather(1, order).double(), size.gather(1, order).double()
    stopped = room.square().cumsum(1) - room.square()  # pixels before this one are at their walls
    moving = size.square().flip(1).cumsum(1).flip(1)  # this one and those after it are not
    factor = ((radius**2 - stopped).clamp(min=0) / moving.clamp(min=1e-30)).sqrt()
    # The pixel at which t still comes before the wall is met; where there is none, everything fits.
    fits = factor <= meets
    first = fits.double().argmax(1, keepdim=True)
    chosen = torch.where(fits.any(1, keepdim=True), factor.gather(1, first), torch.inf)
    return chosen.clamp(max=1).squeeze(1).to(meets.dtype)
