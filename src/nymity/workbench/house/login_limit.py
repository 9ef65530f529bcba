"""LoginLimit: how often somebody may try to log in. Counted for a user at an address, for an address and for a user.

Whoever tries out one user's password is stopped soon, and so is whoever tries many users. A user whom somebody else
tries to guess can still log in from their own address, unless it comes from very many.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address

#: Failures that are free within :data:`WINDOW` seconds.
PER_USER_AND_ADDRESS, PER_ADDRESS, PER_USER = 5, 20, 100
WINDOW = 15 * 60.0
#: Names and addresses that are remembered.
_MOST = 20_000


@dataclass(eq=False)
class LoginLimit:
    """Counts failures."""

    clock: Callable[[], float] = time.monotonic
    _failures: OrderedDict[tuple[str, ...], list[float]] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def attempt(self, user: str, address: str) -> float:
        """Count an attempt, and return the seconds that it must wait; 0 lets it be made.

        It is counted before the password is compared: many at once are no way round.
        """
        now = self.clock()
        with self._lock:
            waits = [self._wait(key, most, now) for key, most in _keys(user, address)]
            if not any(waits):
                for key, _ in _keys(user, address):
                    self._failures.setdefault(key, []).append(now)
                    self._failures.move_to_end(key)
                while len(self._failures) > _MOST:
                    self._failures.popitem(last=False)
            return max(waits)

    def succeeded(self, user: str, address: str) -> None:
        """Take back what was counted for this user at this address: it was no failure."""
        with self._lock:
            for key, _ in _keys(user, address):
                if len(key) == 3:
                    self._failures.pop(key, None)
                elif self._failures.get(key):
                    self._failures[key].pop()

    def _wait(self, key: tuple[str, ...], most: int, now: float) -> float:
        times = [one for one in self._failures.get(key, ()) if now - one < WINDOW]
        if times:
            self._failures[key] = times
        return WINDOW - (now - times[-most]) if len(times) >= most else 0.0


def _keys(user: str, address: str) -> tuple[tuple[tuple[str, ...], int], ...]:
    address = _network(address)
    return (
        (("both", user, address), PER_USER_AND_ADDRESS),
        (("address", address), PER_ADDRESS),
        (("user", user), PER_USER),
    )


def _network(address: str) -> str:
    """Return whose an address is: under IPv6, everybody has the last 64 bits to choose from."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
