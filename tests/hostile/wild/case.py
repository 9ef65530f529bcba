"""One case: its number and seed draw everything about it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .outcome import Verdict


@dataclass(frozen=True, kw_only=True)
class Case:
    """A case, with a folder of its own, in which it runs, and the stock of good releases."""

    seed: int
    number: int
    kind: str
    draw: random.Random
    folder: Path
    stock: Path


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of cases. ``alone`` runs each in a process of its own, forked from one that has only imported things."""

    run: Callable[[Case], Verdict]
    share: int
    alone: bool = False


def draw_of(seed: int, number: int) -> random.Random:
    """Return what draws a case; the first draw is its kind."""
    return random.Random(f"wild:{seed}:{number}")
