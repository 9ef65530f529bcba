"""Partition: which samples each member is trained on."""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor

from nymity.core.errors import ParameterError
from nymity.core.validation import whole_number
from nymity_robust.seeds import generator


def disjoint_parts(count: int, members: int, *, size: int | None = None, seed: int = 0) -> list[Tensor]:
    """Divide ``count`` samples at random into parts of equal size (default: as large as possible)."""
    whole_number("members", members, at_least=1)
    room = count // members
    whole_number("size", room if size is None else size, at_least=1, at_most=room)
    order = torch.randperm(count, generator=generator(torch.device("cpu"), seed, "parts"))
    return [part.sort().values for part in order.split(size or room)[:members]]


def hashed_parts(images: Tensor, members: int) -> list[Tensor]:
    """Divide images by a hash of their pixels, so that where one goes does not depend on the others.

    Levine & Feizi (2021), section 3: with such parts the certificate covers samples that were added or removed, not
    only replaced ones. Parts differ in size.
    """
    whole_number("members", members, at_least=1)
    pixels = images.cpu().contiguous().numpy()
    digests = [hashlib.sha256(image.tobytes()).digest() for image in pixels]
    home = torch.tensor([int.from_bytes(digest[:8], "big") % members for digest in digests])
    parts = [(home == member).nonzero().flatten() for member in range(members)]
    if any(len(part) == 0 for part in parts):
        raise ParameterError("members", expected=f"few enough that {len(images)} images fill all", got=str(members))
    return parts


def shared_parts(count: int, members: int) -> list[Tensor]:
    """Give every member all samples."""
    whole_number("members", members, at_least=1)
    return [torch.arange(count)] * members
