"""Where random bits come from: the operating system, and for tests a seed that nobody can take for it."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nymity.core import randomness
from nymity.core.validation import whole_number

T = TypeVar("T")
#: Coins that are in memory together.
_TOSSED_AT_ONCE = 2**22


class Bits(ABC):
    """Independent fair bits."""

    #: Whether an outsider cannot foresee them.
    private: ClassVar[bool]

    @abstractmethod
    def read(self, size: int) -> bytes:
        """Return so many random bytes."""

    def integer(self, width: int) -> int:
        """Return a whole number of so many bits, each as likely as any other."""
        return int.from_bytes(self.read((width + 7) // 8), "little") & ((1 << width) - 1)

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to below the limit, each as likely as any other."""
        while (drawn := self.integer((limit - 1).bit_length())) >= limit:
            pass
        return drawn


class SystemBits(Bits):
    """The operating system's cryptographic source."""

    private = True

    def read(self, size: int) -> bytes:
        """Return so many random bytes."""
        return randomness.secure_bytes(size)


class NotPrivate(Bits):
    """Bits that anyone who knows the seed can repeat: for tests and studies, never for a release.

    The n-th reading is SHAKE-256 of seed and n, the same on every machine and in every version.
    """

    private = False

    def __init__(self, seed: int) -> None:
        whole_number("seed", seed)
        self._seed, self._reading = int(seed), count()

    def read(self, size: int) -> bytes:
        """Return so many bytes that only look random."""
        return hashlib.shake_256(f"{self._seed}:{next(self._reading)}".encode()).digest(size)


@dataclass(frozen=True, kw_only=True)
class Drawn(Generic[T]):
    """What was drawn, and whether from a source that nobody can foresee."""

    value: T
    private: bool


#: What every mechanism draws from unless it is told otherwise.
SYSTEM = SystemBits()


def coins(probability: Fraction, size: int, bits: Bits) -> NDArray[np.bool_]:
    """Return independent coins that are true exactly with this probability, which is below 1.

    A coin is true if U < probability, for U uniform on [0, 1). The first eight bits of U decide unless they equal those
    of the probability; then the same question is left for the bits that follow.
    """
    leading, rest = divmod(probability * 256, 1)
    drawn = np.frombuffer(bits.read(size), dtype=np.uint8)
    true = drawn < leading
    if rest and (ties := np.flatnonzero(drawn == leading)).size:
        true[ties] = coins(rest, ties.size, bits)
    return true


def binomials(sizes: NDArray[np.integer[Any]], probability: Fraction, bits: Bits) -> NDArray[np.int64]:
    """Return how many of so many independent coins are true, (n,): exact binomial draws, independent of each other.

    The coins are tossed, some at a time, one after another for all sizes: there is no distribution to be computed, and
    so none to be rounded. What that takes is small beside counting as many records.
    """
    ends = np.cumsum(sizes, dtype=np.int64)
    until = np.zeros(len(ends) + 1, dtype=np.int64)  # true ones among all coins up to the end of each size
    tossed, found = 0, 0
    while tossed < (0 if not len(ends) else ends[-1]):
        now = min(_TOSSED_AT_ONCE, int(ends[-1]) - tossed)
        true = np.cumsum(coins(probability, now, bits), dtype=np.int64)
        first, last = np.searchsorted(ends, [tossed, tossed + now], side="right")
        until[first + 1 : last + 1] = found + true[ends[first:last] - tossed - 1]
        tossed, found = tossed + now, found + int(true[-1])
    return np.diff(until)


def at_most_each(owners: NDArray[np.integer[Any]], most: int, bits: Bits) -> NDArray[np.bool_]:
    """Keep at most so many entries of each owner, each choice of an owner's entries as likely as any other.

    Every entry draws 64 bits, and the entries with the lowest are kept. So what is kept of an owner follows from the
    draws for that owner's entries alone. Should two of them draw alike, the first is kept, which nobody else sees.
    """
    marks = np.frombuffer(bits.read(8 * len(owners)), dtype="<u8")
    order = np.lexsort((marks, owners))
    ordered = owners[order]
    places = np.arange(len(ordered))
    begins = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    rank = places - np.maximum.accumulate(np.where(begins, places, 0))
    kept = np.zeros(len(owners), dtype=np.bool_)
    kept[order[rank < most]] = True
    return kept
