"""Draws: what a release decides at random, all of it a function of one key.

The key comes from the operating system and stays with the custodian. Publishing the same job on the same table again
with that key gives the same release, so that nobody can average over repetitions; without it every release is drawn
anew. Differentially private methods never draw from a key that was used before: theirs are :mod:`nymity.core.bits`.

Each draw has a purpose, a name that no other draw of the same release has. A draw does not depend on how many others
there were before it. What is permuted must be listed in an order that the source's row order has no part in, otherwise
the same key would give another release for the same table.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nymity.core import randomness
from nymity.core.bits import Bits
from nymity.core.validation import whole_number

_KEY_BYTES = 32


class Draws(ABC):
    """Uniform draws, each under a purpose of its own."""

    @property
    @abstractmethod
    def origin(self) -> str:
        """Where the draws come from, in the words of a certificate: ``operating system`` or ``a known seed``."""

    @property
    def lasting(self) -> Draws:
        """Draws that are the same for every table, where there are such."""
        return self

    @abstractmethod
    def permutation(self, purpose: str, n: int) -> NDArray[np.int64]:
        """Return an order of n things, (n,), each order as likely as any other."""

    @abstractmethod
    def below(self, purpose: str) -> Callable[[int], int]:
        """Return a function that draws a whole number from 0 to below its argument, anew with every call."""

    def numbers(self, purpose: str, limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return independent whole numbers, each from 0 to below its limit, (n,)."""
        below = self.below(purpose)
        return np.array([below(limit) for limit in limits.tolist()], dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class KeyedDraws(Draws):
    """Draws by SHAKE-256 of a key and the purpose: the same key gives the same draws on every machine.

    ``seed`` is the public number that the key was made from, in tests, studies and benchmarks; None where nobody can
    know the key.
    """

    key: bytes = field(repr=False)
    seed: int | None = None

    def __post_init__(self) -> None:
        if len(self.key) != _KEY_BYTES:
            raise ValueError(f"a key has {_KEY_BYTES} bytes, not {len(self.key)}")

    @staticmethod
    def fresh() -> KeyedDraws:
        """Return draws under a new key from the operating system."""
        return KeyedDraws(key=randomness.secure_bytes(_KEY_BYTES))

    @staticmethod
    def seeded(seed: int) -> KeyedDraws:
        """Return draws that anyone who knows the seed can repeat: for tests, studies and benchmarks."""
        whole_number("seed", seed)
        return KeyedDraws(key=hashlib.sha3_256(f"nymity known seed {seed}".encode()).digest(), seed=int(seed))

    @property
    def origin(self) -> str:
        """Where the draws come from."""
        return "operating system" if self.seed is None else "a known seed"

    def permutation(self, purpose: str, n: int) -> NDArray[np.int64]:
        """Return an order of n things: that of independent 128-bit numbers, which have no practical chance of a tie."""
        keys = np.frombuffer(self.bytes(purpose, 16 * n), dtype="<u8").reshape(2, n)
        order = np.argsort(keys[0])
        if (np.diff(keys[0][order]) == 0).any():  # the second halves decide between equal first ones
            order = np.lexsort((keys[1], keys[0]))
        return order.astype(np.int64)

    def below(self, purpose: str) -> Callable[[int], int]:
        """Return a function that draws whole numbers below its argument."""
        return _KeyedBits(self, purpose).below

    def numbers(self, purpose: str, limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return independent whole numbers below their limits: 64 bits modulo the limit.

        What lies beyond the last whole multiple of the limit is drawn again.
        """
        sizes, drawn = limits.astype(np.uint64), np.zeros(len(limits), dtype=np.uint64)
        left, turn = np.arange(len(limits)), 0
        while len(left):
            words = np.frombuffer(self.bytes(f"{purpose}:{turn}", 8 * len(left)), dtype="<u8").astype(np.uint64)
            beyond = (np.uint64(2**64 - 1) % sizes[left] + np.uint64(1)) % sizes[left]  # 2^64 modulo the limit
            fine = words <= np.uint64(2**64 - 1) - beyond
            drawn[left[fine]] = words[fine] % sizes[left[fine]]
            left, turn = left[~fine], turn + 1
        return drawn.astype(np.int64)

    @staticmethod
    def public(context: str) -> KeyedDraws:
        """Return draws that whoever knows the context can repeat, for choices that look at nothing secret."""
        return KeyedDraws(key=hashlib.sha3_256(b"nymity public " + context.encode()).digest())

    def derived(self, context: str) -> KeyedDraws:
        """Return draws that have nothing in common with those of another context under the same key."""
        return replace(self, key=hashlib.sha3_256(self.key + b"nymity context " + context.encode()).digest())

    def bytes(self, purpose: str, size: int) -> bytes:
        """Return so many bytes of the stream that belongs to a purpose."""
        return hashlib.shake_256(self.key + purpose.encode()).digest(size)


class DerivedDraws(Draws):
    """Draws under a key that is derived from another one and a context, once something is drawn.

    To say what a release depends on takes a pass over the table, which those that draw nothing are spared.
    """

    def __init__(
        self, root: KeyedDraws, context: Callable[[], str], *, lasting: Callable[[], Draws] | None = None
    ) -> None:
        self._root, self._context, self._lasting = root, context, lasting

    @cached_property
    def lasting(self) -> Draws:
        """Draws of a context that does not depend on the table."""
        return self if self._lasting is None else self._lasting()

    @property
    def origin(self) -> str:
        """Where the draws come from."""
        return self._root.origin

    def permutation(self, purpose: str, n: int) -> NDArray[np.int64]:
        """Return an order of n things."""
        return self._draws.permutation(purpose, n)

    def below(self, purpose: str) -> Callable[[int], int]:
        """Return a function that draws whole numbers below its argument."""
        return self._draws.below(purpose)

    def numbers(self, purpose: str, limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return independent whole numbers below their limits."""
        return self._draws.numbers(purpose, limits)

    @property
    def mark(self) -> str | None:
        """What tells whether two releases drew from the same key, and not the key; None if nothing was drawn."""
        drew = "_draws" in self.__dict__
        return hashlib.sha3_256(b"nymity mark " + self._draws.key).hexdigest() if drew else None

    @cached_property
    def _draws(self) -> KeyedDraws:
        return self._root.derived(self._context())


class _KeyedBits(Bits):
    """Bits under one purpose of keyed draws; the n-th reading is a purpose of its own."""

    private = True

    def __init__(self, draws: KeyedDraws, purpose: str) -> None:
        self._draws, self._purpose, self._reading = draws, purpose, 0

    def read(self, size: int) -> bytes:
        """Return so many bytes."""
        self._reading += 1
        return self._draws.bytes(f"{self._purpose}:{self._reading}", size)
