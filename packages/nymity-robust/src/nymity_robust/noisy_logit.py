"""Noisy Logit: every query is answered from its input plus fresh noise (section 4.2.2 of the thesis).

    answer at layer i  =  F_i ∘ … ∘ F_1 (z + g),   g drawn anew for each query      (equations 4.2.3 and 4.2.4)

The noise acts on the *input*, so whatever layer is asked for, the answer is noisy. It hides gradients from an attacker
who takes answers at their word; it does not hide them from one who averages: see the adaptive attacks.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from nymity.core.errors import ParameterError
from nymity.core.validation import nearest
from nymity_robust.ensemble import Ensemble
from nymity_robust.noise import Noise, NoiseSource


class NoisyLogit(nn.Module):
    """Any torch module, asked at noisy inputs."""

    def __init__(self, module: nn.Module, noise: Noise) -> None:
        super().__init__()
        self.module = module
        self.source = NoiseSource(noise)

    def forward(self, images: Tensor) -> Tensor:
        """Answer a query."""
        answer: Tensor = self.module(self.source.disturb(images))
        return answer

    def at(self, layer: str, images: Tensor) -> Tensor:
        """Answer a query with what a layer (its name among the module's ``named_modules``) puts out."""
        layers = dict(self.module.named_modules())
        if layer not in layers:
            known = [name for name in layers if name]
            raise ParameterError(
                "NoisyLogit.at", expected="the name of a layer", got=repr(layer), hint=nearest(layer, known)
            )
        seen: list[Tensor] = []

        def keep(_module: nn.Module, _inputs: Any, output: Tensor) -> None:
            seen.append(output)

        handle = layers[layer].register_forward_hook(keep)
        try:
            self(images)
        finally:
            handle.remove()
        return seen[-1]


class NoisyEnsemble(Ensemble):
    """Members that each answer from a noisy input of their own, or all from the same one (``shared``).

    The thesis wraps every network; so each draws its own noise by default. One draw for all gives certificates a
    larger radius: see :mod:`nymity_robust.certificates`.
    """

    def __init__(self, ensemble: Ensemble, noise: Noise, *, shared: bool = False) -> None:
        super().__init__(ensemble.temperatures)
        self.ensemble = ensemble
        self.source = NoiseSource(noise)
        self.shared = shared

    def forward(self, images: Tensor) -> Tensor:
        """Answer a query with one row of logits per member."""
        if images.ndim == 4 and not self.shared:
            images = images.expand(len(self), *images.shape)
        answer: Tensor = self.ensemble(self.source.disturb(images))
        return answer

    def subset(self, members: list[int]) -> NoisyEnsemble:
        """Return some of the members, with the same source of noise."""
        chosen = NoisyEnsemble(self.ensemble.subset(members), self.source.noise, shared=self.shared)
        chosen.source = self.source
        return chosen
