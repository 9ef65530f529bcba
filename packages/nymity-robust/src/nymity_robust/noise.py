"""Noise: what is added to the input of a query, and where it is drawn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from nymity.core.validation import number
from nymity_robust.seeds import derive


class Noise(ABC):
    """A distribution from which every pixel's noise is drawn independently, with mean 0."""

    @abstractmethod
    def draw(self, shape: torch.Size, device: torch.device, source: torch.Generator) -> Tensor:
        """Draw the noise of a batch."""


@dataclass(frozen=True, kw_only=True)
class LaplaceNoise(Noise):
    """Laplace(0, b): density exp(−|x| / b) / 2b, standard deviation √2 b. The thesis: 0.5 for MNIST, 0.03 for CIFAR."""

    b: float

    def __post_init__(self) -> None:
        number("LaplaceNoise.b", self.b, at_least=0)

    def draw(self, shape: torch.Size, device: torch.device, source: torch.Generator) -> Tensor:
        """Draw the difference of two exponential variables, which has this distribution and no infinite values."""
        one, other = (torch.empty(shape, device=device).exponential_(generator=source) for _ in range(2))
        return self.b * (one - other)


@dataclass(frozen=True, kw_only=True)
class GaussianNoise(Noise):
    """Normal(0, sigma²)."""

    sigma: float

    def __post_init__(self) -> None:
        number("GaussianNoise.sigma", self.sigma, at_least=0)

    def draw(self, shape: torch.Size, device: torch.device, source: torch.Generator) -> Tensor:
        """Draw normal variables."""
        return self.sigma * torch.randn(shape, device=device, generator=source)


class NoiseSource:
    """Draws anew at every query: from the system's entropy, or in a replayable order while a seed is set."""

    def __init__(self, noise: Noise) -> None:
        self.noise = noise
        self._generators: dict[torch.device, torch.Generator] = {}
        self._seed: int | None = None

    def disturb(self, images: Tensor) -> Tensor:
        """Return the images with fresh noise; pixels may leave [0, 1], nothing is clipped."""
        device = images.device
        if device not in self._generators:
            made = torch.Generator(device=device)
            made.seed() if self._seed is None else made.manual_seed(self._seed)
            self._generators[device] = made
        return images + self.noise.draw(images.shape, device, self._generators[device])


@contextmanager
def replayable(module: object, seed: int) -> Iterator[None]:
    """Let everything inside a module draw in an order that follows from the seed; afterwards it is as it was."""
    parts = module.modules() if isinstance(module, nn.Module) else ()
    found = [getattr(part, "source", None) for part in parts]
    sources = list(dict.fromkeys(source for source in found if isinstance(source, NoiseSource)))
    earlier = [(source._generators, source._seed) for source in sources]
    for position, source in enumerate(sources):
        source._generators, source._seed = {}, derive(seed, "noise", position)
    try:
        yield
    finally:
        for source, (generators, old) in zip(sources, earlier, strict=True):
            source._generators, source._seed = generators, old
