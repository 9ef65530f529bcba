"""Images: pixels in [0, 1] with their labels, checked once before anything is computed from them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from nymity.core.errors import ParameterError


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledImages:
    """A data set: ``images`` of shape (n, channels, height, width) in [0, 1] and ``labels`` from 0 to classes − 1."""

    name: str
    images: Tensor
    labels: Tensor
    classes: int = 10
    remark: str = ""

    def __post_init__(self) -> None:
        check_images(self.images)
        check_labels("labels", self.labels, classes=self.classes, count=len(self.images))

    def __len__(self) -> int:
        return len(self.images)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width."""
        channels, height, width = self.images.shape[1:]
        return channels, height, width

    def take(self, index: Tensor | slice) -> LabelledImages:
        """Return some of the images."""
        return LabelledImages(
            name=self.name,
            images=self.images[index],
            labels=self.labels[index],
            classes=self.classes,
            remark=self.remark,
        )

    def to(self, device: torch.device) -> LabelledImages:
        """Return the same images on a device."""
        return LabelledImages(
            name=self.name,
            images=self.images.to(device),
            labels=self.labels.to(device),
            classes=self.classes,
            remark=self.remark,
        )


def check_images(images: Tensor, *, shape: tuple[int, int, int] | None = None, where: str = "images") -> None:
    """Refuse anything but floating-point images of one shape with pixels in [0, 1]."""
    if not isinstance(images, Tensor) or images.ndim != 4 or not images.is_floating_point():
        got = f"{images.dtype} of shape {tuple(images.shape)}" if isinstance(images, Tensor) else type(images).__name__
        raise ParameterError(where, expected="a float tensor (images, channels, height, width)", got=got)
    if shape is not None and tuple(images.shape[1:]) != tuple(shape):
        raise ParameterError(where, expected=f"images of shape {tuple(shape)}", got=str(tuple(images.shape[1:])))
    if len(images) == 0:
        raise ParameterError(where, expected="at least one image", got="none")
    low, high = images.min().item(), images.max().item()
    if not (low >= 0 and high <= 1):  # also refuses what is not a number
        raise ParameterError(
            where, expected="pixels from 0 to 1", got=f"pixels from {low:g} to {high:g}", hint="divide bytes by 255"
        )


def check_labels(where: str, labels: Tensor, *, classes: int, count: int) -> None:
    """Refuse anything but one label in range for each image."""
    if labels.dtype != torch.int64 or labels.shape != (count,):
        raise ParameterError(
            where, expected=f"{count} labels of type int64", got=f"{labels.dtype} of shape {tuple(labels.shape)}"
        )
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= classes:
        raise ParameterError(where, expected=f"labels from 0 to {classes - 1}", got=str(low if low < 0 else high))
