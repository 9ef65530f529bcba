"""Sessions: who is logged in. An id is made at a login and never taken from a browser; only its hash is kept.

They live in memory: a restart of the server logs everybody out, and loses nothing else.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from nymity.core.randomness import secure_bytes

#: Sessions of one user at a time; the oldest ends.
_MOST = 20


@dataclass(eq=False)
class LoginSession:
    """One login: of whom, since when, and when something was last done."""

    user: str
    stamp: str = field(repr=False)  #: of the password that it began with
    begun: float
    used: float
    ended: bool = False


@dataclass(eq=False)
class LoginSessions:
    """All logins that hold; ``idle`` and ``longest`` are seconds, ``stamp_of`` says what a password is now."""

    idle: float
    longest: float
    stamp_of: Callable[[str], str]
    clock: Callable[[], float] = time.monotonic
    _held: dict[str, LoginSession] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def begin(self, user: str) -> str:
        """Log somebody in, and return the id for their browser alone."""
        given = secure_bytes(32).hex()
        now = self.clock()
        with self._lock:
            self._held = {key: one for key, one in self._held.items() if self._holds(one)}
            theirs = [key for key, one in self._held.items() if one.user == user]
            for key in theirs[: max(0, len(theirs) - _MOST + 1)]:
                self._held.pop(key).ended = True
            self._held[_hashed(given)] = LoginSession(user=user, stamp=self.stamp_of(user), begun=now, used=now)
        return given

    def find(self, given: str, *, uses: bool = True) -> LoginSession | None:
        """Return the session of an id, if it holds; by default this counts as something that is done in it."""
        session = self._held.get(_hashed(given))
        if session is None or not self._holds(session):
            return None
        if uses:
            session.used = self.clock()
        return session

    def beside(self, user: str) -> LoginSession:
        """Return a session of somebody whom others let in, for one request or websocket."""
        now = self.clock()
        return LoginSession(user=user, stamp=self.stamp_of(user), begun=now, used=now)

    def holds(self, session: LoginSession) -> bool:
        """Return whether a session goes on."""
        return self._holds(session)

    def use(self, session: LoginSession) -> None:
        """Note that something is done in it."""
        session.used = self.clock()

    def end(self, given: str) -> None:
        """Log out."""
        with self._lock:
            session = self._held.pop(_hashed(given), None)
            if session is not None:
                session.ended = True

    def __len__(self) -> int:
        with self._lock:
            return sum(self._holds(one) for one in self._held.values())

    def _holds(self, session: LoginSession) -> bool:
        now = self.clock()
        if session.ended or now - session.used > self.idle or now - session.begun > self.longest:
            session.ended = True
            return False
        return bool(session.stamp) and session.stamp == self.stamp_of(session.user)


def _hashed(given: str) -> str:
    """Return what is kept of an id: to look it up tells nothing of it, in whatever time that takes."""
    return hashlib.sha256(given.encode()).hexdigest()
