"""Criterion: what an attacker wants of each image, and how far a row of logits is from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from nymity.core.errors import ParameterError


class Criterion(ABC):
    """One wish per image. Logits may have leading axes, such as members or draws of noise: (…, n, classes)."""

    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    @abstractmethod
    def margin(self, logits: Tensor) -> Tensor:
        """Return by how much the wish is missed, (…, n): negative where it is granted."""

    @abstractmethod
    def reached(self, labels: Tensor) -> Tensor:
        """Return which labels grant the wish."""

    @abstractmethod
    def take(self, index: Tensor | slice) -> Self:
        """Return the wishes of some images."""

    @abstractmethod
    def goal(self) -> tuple[Tensor, int]:
        """Return the labels whose cross entropy an attack changes, and 1 to lower it or −1 to raise it."""

    def holds(self, logits: Tensor, confidence: float = 0.0) -> Tensor:
        """Return for which images the label grants the wish, also when it is ``confidence`` harder to reach.

        Over leading axes the label is that of a vote: what most members, or most draws, name.
        """
        labels, sign = self.goal()
        harder = logits - sign * confidence * one_hot(labels, logits.shape[-1])
        named = one_hot(harder.reshape(-1, *logits.shape[-2:]).argmax(-1), logits.shape[-1])
        return self.reached(named.sum(0).argmax(-1))


@dataclass(frozen=True, kw_only=True, eq=False)
class Targeted(Criterion):
    """The classifier shall answer ``targets``, none of which may be the true label."""

    labels: Tensor
    targets: Tensor

    def __post_init__(self) -> None:
        _same_length(self.labels, self.targets)
        equal = (self.labels == self.targets).nonzero().flatten()
        if len(equal):
            raise ParameterError(
                "Targeted.targets",
                expected="targets other than the true label",
                got=f"label {int(self.labels[equal[0]])} as target of image {int(equal[0])}",
            )

    def margin(self, logits: Tensor) -> Tensor:
        """Return max over i ≠ t of z_i, minus z_t (Carlini & Wagner 2017, f6)."""
        return -_lead(logits, self.targets)

    def reached(self, labels: Tensor) -> Tensor:
        """Return where the target was answered."""
        return labels == self.targets

    def take(self, index: Tensor | slice) -> Targeted:
        """Return the wishes of some images."""
        return Targeted(labels=self.labels[index], targets=self.targets[index])

    def goal(self) -> tuple[Tensor, int]:
        """Lower the cross entropy of the targets."""
        return self.targets, 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Misclassified(Criterion):
    """The classifier shall answer anything but the true ``labels``."""

    labels: Tensor

    def margin(self, logits: Tensor) -> Tensor:
        """Return z_y, minus max over i ≠ y of z_i."""
        return _lead(logits, self.labels)

    def reached(self, labels: Tensor) -> Tensor:
        """Return where another label was answered."""
        return labels != self.labels

    def take(self, index: Tensor | slice) -> Misclassified:
        """Return the wishes of some images."""
        return Misclassified(labels=self.labels[index])

    def goal(self) -> tuple[Tensor, int]:
        """Raise the cross entropy of the labels."""
        return self.labels, -1


def every_target(labels: Tensor, classes: int) -> tuple[Tensor, Targeted]:
    """Return an index of images and their wishes: every image with each of the other labels as target."""
    offsets = torch.arange(1, classes, device=labels.device)
    index = torch.arange(len(labels), device=labels.device).repeat_interleave(classes - 1)
    targets = (labels[:, None] + offsets).remainder(classes).sort(1).values.flatten()
    return index, Targeted(labels=labels[index], targets=targets)


def _lead(logits: Tensor, labels: Tensor) -> Tensor:
    """Return by how much each label's logit leads the largest other one."""
    chosen = one_hot(labels, logits.shape[-1]).bool()
    own = logits.masked_fill(~chosen, 0).sum(-1)
    return own - logits.masked_fill(chosen, -torch.inf).amax(-1)


def _same_length(labels: Tensor, targets: Tensor) -> None:
    if labels.shape != targets.shape or targets.dtype != torch.int64:
        raise ParameterError(
            "Targeted.targets", expected=f"{len(labels)} targets of type int64", got=f"{targets.dtype} {targets.shape}"
        )
