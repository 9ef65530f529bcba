"""Small things that the robustness tests share."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor, nn

from nymity_robust import Architecture, LabelledImages, StackedEnsemble, Training, disjoint_parts, generated, train

TINY = Architecture(shape=(1, 16, 16), channels=(2, 2), hidden=16, classes=4)
EIGHT = Architecture(shape=(1, 16, 16), channels=(8, 8), hidden=32, classes=4)
QUICK = Training(epochs=25, learning_rate=0.02, dropout=0, batch=16)


@cache
def tiny_data(split: str = "train") -> LabelledImages:
    return generated(300 if split == "train" else 60, classes=4, split=split)


@cache
def trained(members: int = 3) -> StackedEnsemble:
    """Members with temperatures 10, 20, ... that classify nearly all generated images."""
    data = tiny_data()
    parts = disjoint_parts(len(data), members)
    temperatures = [10.0 * (i + 1) for i in range(members)]
    return train(EIGHT, data, parts, temperatures, QUICK)


class Linear(nn.Module):
    """z = W x + b on flattened pixels: the minimal perturbation is known in closed form."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.weight, self.bias = weight, bias

    def forward(self, images: Tensor) -> Tensor:
        return images.flatten(1) @ self.weight.T + self.bias


def linear(classes: int = 4, pixels: int = 16, seed: int = 0) -> Linear:
    source = torch.Generator().manual_seed(seed)
    return Linear(torch.randn((classes, pixels), generator=source), 0.1 * torch.randn(classes, generator=source))
