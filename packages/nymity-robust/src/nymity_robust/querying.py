"""Asking a classifier about many images: in batches, without gradients, answers on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

#: What is asked at a time unless the caller says otherwise.
BATCH = 500


def answers(model: Callable[[Tensor], Tensor], images: Tensor, *, batch: int = BATCH, axis: int = 0) -> Tensor:
    """Return a model's answers to all images; ``axis`` is where images lie in an answer (1 for an ensemble's)."""
    with torch.no_grad():
        return torch.cat([model(part) for part in images.split(batch)], dim=axis)


def labels(model: Callable[[Tensor], Tensor], images: Tensor, *, batch: int = BATCH) -> Tensor:
    """Return the label of each image; the smallest one where scores are equal."""
    return answers(model, images, batch=batch).argmax(-1)
