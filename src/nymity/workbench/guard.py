"""The guard: the outermost layer of the server. What does not come from the opened window is refused before anything.

A page of somebody else's that is open in the same browser can send requests to this machine, and may have made its own
name lead here. So:

- the ``Host`` must be the address that was opened (421), the ``Origin`` of websockets and of what changes something too
  (403);
- a one-time token in the opened address is exchanged for a cookie (HttpOnly, SameSite=Strict) and removed from the
  address; without the cookie there is nothing to see (401);
- bodies are limited, also those whose length nobody said (413);
- headers by which a proxy would speak are removed: the application believes none;
- every page gets a policy by which nothing is loaded from elsewhere, and scripts run with this answer's nonce alone.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from nymity.core.randomness import secure_bytes

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN_FIELD = "token"
#: Bytes of a body; a file that is uploaded may have more.
MOST_BODY, MOST_UPLOAD = 8 * 2**20, 4 * 2**30
UPLOAD_PATH = "/api/upload"
#: Digits of a length.
_LONGEST_LENGTH = 15
_PROXIED = (b"forwarded", b"x-real-ip")
#: What browsers call a page that is not this server's.
_OTHERS = ("same-site", "cross-site")

#: ``'unsafe-eval'`` is what NiceGUI cannot do without; the rest is as strict as it works.
_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; "
    "connect-src 'self'; font-src 'self'; img-src 'self' data:; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'"
)

#: The policy of pages that are shown and not ours: they are a site of their own, and ask for nothing.
SANDBOX = (
    "sandbox allow-scripts allow-popups; default-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline' 'unsafe-eval'"
)


@dataclass
class Guard:
    """Refuses what comes from elsewhere; ``hosts`` are the server's names. Who is let in, a kind of guard says."""

    app: App
    hosts: frozenset[str]
    scheme: str = "http"
    most_upload: int = MOST_UPLOAD

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refused = self._refusal(scope)
        scope["headers"] = [(name, value) for name, value in scope["headers"] if not is_proxied(name)]
        if scope["type"] == "websocket":
            await (self._hand_on_socket(scope, receive, send) if refused is None else close(receive, send))
        elif refused is None:
            await self._hand_on(scope, receive, send)
        elif refused == 401:
            await self._knocked(scope, receive, send)
        else:
            await self._refuse(scope, send, refused)

    def knows(self, scope: Scope) -> bool:
        """Return whether this comes from somebody who was let in."""
        raise NotImplementedError

    async def _knocked(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer somebody who was not let in yet."""
        await self._refuse(scope, send, 401)

    def _refusal(self, scope: Scope) -> int | None:
        """Return the status of what is refused; None for what is let through."""
        if header(scope, b"host") not in self.hosts:
            return 421
        origin = header(scope, b"origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if (changes or origin) and origin not in {f"{self.scheme}://{host}" for host in self.hosts}:
            return 403
        # Another port of this machine is the same site to a browser, which sends it the cookie, too.
        if header(scope, b"sec-fetch-site") in _OTHERS and header(scope, b"sec-fetch-mode") != "navigate":
            return 403
        return None if self.knows(scope) else 401

    async def _refuse(self, scope: Scope, send: Send, status: int) -> None:
        await answer(send, status)

    async def _hand_on_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)

    async def _hand_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self.most_upload if scope["path"] == UPLOAD_PATH else MOST_BODY
        length = header(scope, b"content-length") or "0"
        if not length.isdecimal() or len(length) > _LONGEST_LENGTH or int(length) > most:
            await self._refuse(scope, send, 413)
            return
        reply = _Reply(send)
        try:
            await self.app(scope, counted(receive, most), reply)
        except TooMuch:
            if not reply.begun:
                await self._refuse(scope, send, 413)


@dataclass
class WindowGuard(Guard):
    """Lets through what comes from the window that was opened with the token."""

    token: str = field(default_factory=lambda: secure_bytes(32).hex(), repr=False)
    _session: str = field(default_factory=lambda: secure_bytes(32).hex(), repr=False)
    _used: bool = False

    @property
    def cookie_name(self) -> str:
        """One for each port, for cookies know none: two workbenches may be open."""
        return "nymity-" + min(self.hosts).rpartition(":")[2]

    def knows(self, scope: Scope) -> bool:
        """Return whether the window's cookie comes with it."""
        held = cookie(scope, self.cookie_name)
        return held is not None and hmac.compare_digest(held.encode(), self._session.encode())

    async def _knocked(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._let_in(scope, send) if self._opens(scope) else answer(send, 401))

    def _opens(self, scope: Scope) -> bool:
        """Return whether this is the first use of the token."""
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get(TOKEN_FIELD, "")
        return not self._used and hmac.compare_digest(given.encode(), self.token.encode())

    async def _let_in(self, scope: Scope, send: Send) -> None:
        """Exchange the token for a cookie, and take it out of the address."""
        self._used = True
        rest = [one for one in parse_qsl(scope["query_string"].decode("latin-1")) if one[0] != TOKEN_FIELD]
        address = scope["path"] + ("?" + urlencode(rest) if rest else "")
        held = f"{self.cookie_name}={self._session}; HttpOnly; SameSite=Strict; Path=/"
        await answer(send, 303, [(b"location", address.encode("latin-1", "replace")), (b"set-cookie", held.encode())])


class _Reply:
    """Adds the policy to an answer, and its nonce to the scripts of a page."""

    def __init__(self, send: Send) -> None:
        self._send, self._nonce = send, secure_bytes(16).hex()
        self._start: Message | None = None
        self._body = b""
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            kept = [(name, value) for name, value in message["headers"] if name.lower() not in _OURS]
            boxed = (b"content-security-policy", SANDBOX.encode()) in message["headers"]
            message["headers"] = [*kept, *_headers(self._nonce, SANDBOX if boxed else _POLICY)]
            if not boxed and any(one == b"content-type" and value[:9] == b"text/html" for one, value in kept):
                self._start = message
            else:
                await self._send(message)
        elif self._start is None:
            await self._send(message)
        else:
            await self._collect(message)

    async def _collect(self, message: Message) -> None:
        """Hold a page back until it is whole, for its scripts are to be marked."""
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        assert self._start is not None
        body = self._body.replace(b"<script", b'<script nonce="%s"' % self._nonce.encode())
        others = [(name, value) for name, value in self._start["headers"] if name.lower() != b"content-length"]
        self._start["headers"] = [*others, (b"content-length", str(len(body)).encode())]
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})


_OURS = {b"content-security-policy", b"x-content-type-options", b"referrer-policy", b"x-frame-options", b"server"}


def _headers(nonce: str, policy: str = _POLICY) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-security-policy", policy.format(nonce=nonce).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"x-frame-options", b"DENY"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
    ]


class TooMuch(Exception):  # noqa: N818 -- it never leaves the guards
    """A body is longer than it may be."""


def counted(receive: Receive, most: int) -> Receive:
    """Count what comes: its length may have been said wrongly, or not at all."""
    came = 0

    async def counted() -> Message:
        nonlocal came
        message = await receive()
        came += len(message.get("body", b""))
        if came > most:
            raise TooMuch
        return message

    return counted


_WORDS = {
    401: b"This is a nymity workbench. Open it with the address that its terminal shows.\n",
    403: b"Refused: the request comes from another page.\n",
    413: b"Refused: too large.\n",
    421: b"Refused: this server is called otherwise.\n",
}


async def answer(
    send: Send, status: int, headers: list[tuple[bytes, bytes]] | None = None, *, words: bytes | None = None
) -> None:
    """Answer in a few words of the guard's own."""
    body = _WORDS.get(status, b"") if words is None else words
    plain = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*plain, *_headers(""), *(headers or [])]})
    await send({"type": "http.response.body", "body": body})


async def close(receive: Receive, send: Send) -> None:
    """Refuse a websocket before it is one: the server answers 403."""
    await receive()
    await send({"type": "websocket.close", "code": 1008})


def header(scope: Scope, wanted: bytes) -> str:
    """Return a header that stands once; one that stands twice is nobody's."""
    found = [value for name, value in scope["headers"] if name.lower() == wanted]
    return found[0].decode("latin-1") if len(found) == 1 else ""


def cookie(scope: Scope, name: str) -> str | None:
    """Return the value of a cookie, None where there is none."""
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(header(scope, b"cookie"))
    except CookieError:
        return None
    held = cookies.get(name)
    return None if held is None else held.value


def is_proxied(name: bytes) -> bool:
    """Return whether a header is one by which proxies speak."""
    return name.lower() in _PROXIED or name.lower().startswith(b"x-forwarded-")
