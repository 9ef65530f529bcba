"""Architecture: the convolutional networks of the study, one network or many stacked side by side.

Many members of one architecture are computed at once by giving every weight a leading axis of members: convolutions
become grouped ones, fully connected layers become batched products. One member is a stack of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod, sqrt
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812 -- torch's own name for it
from torch import Tensor, nn

from nymity.core.errors import ParameterError
from nymity.core.validation import whole_number

#: Weights by name, each with a leading axis of members.
Weights = Mapping[str, Tensor]


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """Two pairs of 3 × 3 convolutions, each followed by 2 × 2 max pooling, two hidden layers, ``classes`` logits.

    Carlini & Wagner (2017), table I, as printed in table 4.1 of the thesis: there the second pair of convolutions has
    as many channels as the first. Convolutions are not padded; every layer but the last ends with a ReLU.
    """

    shape: tuple[int, int, int]
    channels: tuple[int, int]
    hidden: int
    classes: int = 10

    def __post_init__(self) -> None:
        for value in (*self.channels, self.hidden, *self.shape):
            whole_number("Architecture", value, at_least=1)
        whole_number("Architecture.classes", self.classes, at_least=2)
        if min(self._pooled) < 1:
            raise ParameterError(
                "Architecture.shape", expected="images of at least 16 × 16 pixels", got=str(self.shape)
            )

    @property
    def layers(self) -> dict[str, tuple[int, ...]]:
        """Shape of each layer's weight, without the axis of members: (out, in) or (out, in, 3, 3)."""
        first, second = self.channels
        return {
            "conv1": (first, self.shape[0], 3, 3),
            "conv2": (first, first, 3, 3),
            "conv3": (second, first, 3, 3),
            "conv4": (second, second, 3, 3),
            "hidden1": (self.hidden, second * prod(self._pooled)),
            "hidden2": (self.hidden, self.hidden),
            "logits": (self.classes, self.hidden),
        }

    def initial(
        self, generators: list[torch.Generator], scales: Tensor, start: Literal["he", "glorot"] = "he"
    ) -> dict[str, Tensor]:
        """Draw the weights of one member per generator: uniform, biases zero; the last layer times its member's scale.

        ``he``: variance 2 / inputs (He et al. 2015). A ReLU halves the mean square of what passes it; this makes up for
        it, so that images still differ at the last layer, which no ReLU follows and which has variance 1 / inputs.
        ``glorot``: variance 2 / (inputs + outputs) (Glorot & Bengio 2010). Six layers leave an eighth of the signal,
        and a network may answer the same to everything for most of a short training.
        """
        members = [self._initial(source, start) for source in generators]
        drawn = {name: torch.stack([member[name] for member in members]) for name in members[0]}
        return drawn | {"logits.weight": drawn["logits.weight"] * scales.view(-1, 1, 1)}

    def logits(self, weights: Weights, images: Tensor, keep: Tensor | None = None) -> Tensor:
        """Return logits (members, n, classes) for images (n, …) that all members see, or (members, n, …), their own.

        ``keep`` (members, n, hidden) multiplies the first hidden layer: dropout while training.
        """
        members = len(weights["logits.bias"])
        if images.ndim == 5:  # beside each other in the axis of channels
            images = images.transpose(0, 1).flatten(1, 2)
        if images.is_cuda:  # channels last in memory: a quarter faster there, as measured
            images = images.contiguous(memory_format=torch.channels_last)
        layer = self._conv(weights, "conv1", images, members if images.shape[1] > self.shape[0] else 1)
        layer = F.max_pool2d(self._conv(weights, "conv2", layer, members), 2)
        layer = self._conv(weights, "conv3", layer, members)
        layer = F.max_pool2d(self._conv(weights, "conv4", layer, members), 2)
        flat = layer.unflatten(1, (members, -1)).flatten(2).transpose(0, 1)  # (members, n, features)
        hidden = torch.relu(_connect(weights, "hidden1", flat))
        hidden = hidden if keep is None else hidden * keep
        return _connect(weights, "logits", torch.relu(_connect(weights, "hidden2", hidden)))

    def network(self, weights: Weights, member: int) -> nn.Sequential:
        """Return one member as plain torch layers."""
        parts: dict[str, nn.Module] = {}
        for name, shape in self.layers.items():
            layer = nn.Conv2d(shape[1], shape[0], 3) if len(shape) == 4 else nn.Linear(shape[1], shape[0])
            layer.weight, layer.bias = (
                nn.Parameter(weights[f"{name}.{kind}"][member].detach(), requires_grad=False)
                for kind in ("weight", "bias")
            )
            parts[name] = layer
            if name != "logits":
                parts[f"{name}_relu"] = nn.ReLU()
            if name in ("conv2", "conv4"):
                parts[f"{name}_pool"] = nn.MaxPool2d(2)
            if name == "conv4":
                parts["flat"] = nn.Flatten()
        network = nn.Sequential()
        for name, part in parts.items():
            network.add_module(name, part)
        return network

    @property
    def _pooled(self) -> tuple[int, int]:
        """Height and width after both pairs."""
        height, width = (((side - 4) // 2 - 4) // 2 for side in self.shape[1:])
        return height, width

    def _initial(self, source: torch.Generator, start: Literal["he", "glorot"]) -> dict[str, Tensor]:
        drawn = {}
        for name, (out, *rest) in self.layers.items():
            if start == "glorot":
                variance = 2 / (prod(rest) + out * prod(rest[1:]))
            else:
                variance = (1 if name == "logits" else 2) / prod(rest)
            limit = sqrt(3 * variance)  # of a uniform variable
            uniform = torch.rand((out, *rest), generator=source, device=source.device)
            drawn[f"{name}.weight"] = (2 * uniform - 1) * limit
            drawn[f"{name}.bias"] = torch.zeros(out, device=source.device)
        return drawn

    def _conv(self, weights: Weights, name: str, images: Tensor, groups: int) -> Tensor:
        kernel, bias = weights[f"{name}.weight"].flatten(0, 1), weights[f"{name}.bias"].flatten()
        return torch.relu(F.conv2d(images, kernel, bias, groups=groups))


def _connect(weights: Weights, name: str, features: Tensor) -> Tensor:
    return torch.baddbmm(weights[f"{name}.bias"].unsqueeze(1), features, weights[f"{name}.weight"].transpose(1, 2))


#: The networks of table 4.1 as printed, and with the channels of Carlini & Wagner.
ARCHITECTURES = {
    "mnist": Architecture(shape=(1, 28, 28), channels=(32, 32), hidden=200),
    "mnist-carlini-wagner": Architecture(shape=(1, 28, 28), channels=(32, 64), hidden=200),
    "cifar10": Architecture(shape=(3, 32, 32), channels=(64, 64), hidden=256),
    "cifar10-carlini-wagner": Architecture(shape=(3, 32, 32), channels=(64, 128), hidden=256),
    "generated": Architecture(shape=(1, 16, 16), channels=(8, 8), hidden=32),
}
