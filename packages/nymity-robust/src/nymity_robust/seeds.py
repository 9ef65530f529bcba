"""Seeds: one number from which every random choice of a run follows, each from a stream of its own."""

from __future__ import annotations

import hashlib

import torch


def derive(seed: int, *path: str | int) -> int:
    """Return the seed of one purpose, such as ``derive(7, "member", 3, "epoch", 12)``.

    Streams of different purposes are independent, and none depends on how much another has drawn. So a member is
    trained the same way whoever is trained beside it, and a resumed run needs no saved state.
    """
    text = "/".join([str(seed), *map(str, path)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(device: torch.device, seed: int, *path: str | int) -> torch.Generator:
    """Return a source of random numbers on a device for one purpose."""
    return torch.Generator(device=device).manual_seed(derive(seed, *path))
