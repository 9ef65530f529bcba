"""Ensemble: several classifiers of the same images, each with the softmax temperature it was trained at.

A network trained at temperature T puts out logits about T times as large as one trained at 1, because training sees
softmax(z / T). Dividing by T makes members comparable; the label, argmax z, does not depend on T.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from nymity.core.errors import ParameterError
from nymity.core.validation import number
from nymity_robust.architectures import Architecture, Weights


class Ensemble(nn.Module, ABC):
    """Members that answer together: logits of shape (members, n, classes)."""

    temperatures: Tensor

    def __init__(self, temperatures: Tensor) -> None:
        super().__init__()
        if len(temperatures) == 0:
            raise ParameterError("ensemble", expected="at least one member", got="none")
        for temperature in temperatures.tolist():
            number("temperature", temperature, above=0)
        self.register_buffer("temperatures", temperatures.float())

    def __len__(self) -> int:
        return len(self.temperatures)

    @abstractmethod
    def forward(self, images: Tensor) -> Tensor:
        """Answer images (n, …) that all members see, or (members, n, …), one batch for each."""

    @abstractmethod
    def subset(self, members: list[int]) -> Ensemble:
        """Return some of the members."""

    def normalized(self, images: Tensor) -> Tensor:
        """Return the logits divided by each member's temperature."""
        answer: Tensor = self(images)
        return answer / self.temperatures.view(-1, 1, 1)


class Committee(Ensemble):
    """Any torch modules that classify the same images."""

    def __init__(self, members: Sequence[nn.Module], temperatures: Sequence[float] | None = None) -> None:
        given = [1.0] * len(members) if temperatures is None else list(temperatures)
        if len(given) != len(members):
            raise ParameterError("temperatures", expected=f"one for each of {len(members)}", got=str(len(given)))
        super().__init__(torch.tensor(given))
        self.members = nn.ModuleList(members)

    def forward(self, images: Tensor) -> Tensor:
        """Ask one member after the other."""
        batches = images if images.ndim == 5 else [images] * len(self)
        return torch.stack([member(batch) for member, batch in zip(self.members, batches, strict=True)])

    def subset(self, members: list[int]) -> Committee:
        """Return some of the members."""
        return Committee([self.members[i] for i in members], [float(self.temperatures[i]) for i in members])


class StackedEnsemble(Ensemble):
    """Members of one architecture whose weights lie in one stack, computed side by side.

    ``at_once`` members share one pass: all of them on a GPU, where many small networks do not fill it; one by one on
    a CPU, where grouped convolutions were measured slower (``nymity bench robust``).
    """

    def __init__(
        self, architecture: Architecture, weights: Weights, temperatures: Tensor, *, at_once: int | None = None
    ) -> None:
        super().__init__(temperatures)
        self.architecture = architecture
        self.at_once = at_once
        self.names = list(weights)
        for name, weight in weights.items():
            self.register_buffer(name.replace(".", "_"), weight.detach())

    @property
    def weights(self) -> dict[str, Tensor]:
        """All weights by name, each with a leading axis of members."""
        return {name: getattr(self, name.replace(".", "_")) for name in self.names}

    def forward(self, images: Tensor) -> Tensor:
        """Compute the members in groups."""
        weights, answers = self.weights, []
        step = self.at_once or (len(self) if images.is_cuda else 1)
        for first in range(0, len(self), step):
            group = {name: weight[first : first + step] for name, weight in weights.items()}
            seen = images[first : first + step] if images.ndim == 5 else images
            answers.append(self.architecture.logits(group, seen))
        return torch.cat(answers)

    def subset(self, members: list[int]) -> StackedEnsemble:
        """Return some of the members."""
        chosen = {name: weight[members] for name, weight in self.weights.items()}
        return StackedEnsemble(self.architecture, chosen, self.temperatures[members], at_once=self.at_once)

    def member(self, index: int) -> nn.Sequential:
        """Return one member as plain torch layers, to wrap, look into or export."""
        return self.architecture.network(self.weights, index)
