"""HouseGuard: the guard of a workbench with several users. It knows who asks, or asks them to log in.

Beside what every guard does:

- with a named proxy, whatever does not come from its address is refused, and the header that names users is believed
  from there alone; it never reaches the application;
- otherwise people log in with their password; a session is a cookie (HttpOnly, SameSite=Strict, Secure under TLS) whose
  value is new at every login;
- a session ends by logging out, after a time in which nothing was done, after some hours, and when the password
  changes; with it end its websockets, which would otherwise go on for as long as a window is open;
- pages and data are not to be stored by browsers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import parse_qs, quote

from nymity.workbench.guard import (
    Guard,
    Message,
    Receive,
    Scope,
    Send,
    TooMuch,
    answer,
    close,
    cookie,
    counted,
    header,
)
from nymity.workbench.house.configuration import HouseConfiguration
from nymity.workbench.house.login_limit import LoginLimit
from nymity.workbench.house.login_page import login_page
from nymity.workbench.house.login_sessions import LoginSession, LoginSessions
from nymity.workbench.house.passwords import LONGEST, PasswordFile
from nymity.workbench.house.rights import Actor
from nymity.workbench.house.server_metrics import ServerMetrics

log = logging.getLogger("nymity.house")

#: Where the application finds who asks.
ACTOR, _SESSION, _ADDRESS = "nymity.actor", "nymity.session", "nymity.address"
LOGIN, LOGOUT, HEALTH = "/login", "/logout", "/health"
#: Transports of socket.io that are no websocket: not needed, and known by a number alone.
_POLLING = "/_nicegui_ws"
_MOST_FORM = 8 * 2**10
#: Websockets of one user at once, and seconds between looks whether a session goes on.
_MOST_SOCKETS, _PAUSE = 60, 1.0
#: What socket.io sends when somebody does something; the rest keeps a connection open.
_EVENT = "42"


@dataclass
class HouseGuard(Guard):
    """Lets in the users of a house."""

    configuration: HouseConfiguration = field(kw_only=True)
    actors: Mapping[str, Actor] = field(kw_only=True)
    metrics: ServerMetrics = field(kw_only=True)
    limit: LoginLimit = field(default_factory=LoginLimit)
    _sockets: dict[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        held = self.configuration
        self.passwords = None if held.passwords is None else PasswordFile(held.passwords)
        self.sessions = LoginSessions(
            idle=60.0 * held.limits.idle_minutes,
            longest=3600.0 * held.limits.session_hours,
            # Whom a proxy names has no password here that could change.
            stamp_of=(lambda _: "-") if self.passwords is None else self.passwords.stamp_of,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] == "http":
            send = self._counting(scope, send)
            if scope["path"] == HEALTH and scope["method"] == "GET":
                await self.metrics.answer_health(send)
                return
        if not self._comes_by_the_proxy(scope):
            await (close(receive, send) if scope["type"] == "websocket" else self._refuse(scope, send, 403))
            return
        await super().__call__(scope, receive, send)

    # -- who asks --------------------------------------------------------------------------------------------

    def _comes_by_the_proxy(self, scope: Scope) -> bool:
        """Return whether it comes from where it may, and remember whose address it is."""
        came_from = (scope.get("client") or ("",))[0]
        scope[_ADDRESS] = came_from
        proxy = self.configuration.proxy
        if proxy is None:
            return True
        # The last one is the proxy's own word, in a line of its own or not; those before it are anybody's.
        told = [value for name, value in scope["headers"] if name.lower() == b"x-forwarded-for"]
        scope[_ADDRESS] = _place(b"".join(told[-1:]).decode("latin-1").rpartition(",")[2].strip()) or came_from
        return came_from in proxy.addresses

    def knows(self, scope: Scope) -> bool:
        """Return whether it is a user, and tell the application which; nobody else's word about that gets there."""
        scope.pop(ACTOR, None)
        proxy = self.configuration.proxy
        if proxy is not None and proxy.user_header:
            name = proxy.user_header.lower().encode()
            user = header(scope, name)
            scope["headers"] = [one for one in scope["headers"] if one[0].lower() != name]
            session = self.sessions.beside(user) if user in self.actors else None
        else:
            session = self.sessions.find(cookie(scope, self.cookie_name) or "", uses=scope["type"] == "http")
        if session is None or session.user not in self.actors:
            return False
        scope[ACTOR], scope[_SESSION] = self.actors[session.user], session
        return True

    @property
    def cookie_name(self) -> str:
        """One that no other host can set, where there is TLS."""
        return "__Host-nymity" if self.scheme == "https" else "nymity-house"

    def _cookie(self, value: str, *further: str) -> bytes:
        secure = ("Secure",) if self.scheme == "https" else ()
        return "; ".join(
            [f"{self.cookie_name}={value}", "HttpOnly", "SameSite=Strict", "Path=/", *secure, *further]
        ).encode()

    # -- in and out ------------------------------------------------------------------------------------------

    async def _knocked(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.passwords is None:
            await self._refuse(scope, send, 401)
        elif scope["path"] == LOGIN:
            await (self._log_in(scope, receive, send) if scope["method"] == "POST" else self._ask(scope, send, 200))
        elif scope["method"] == "GET" and "text/html" in header(scope, b"accept"):
            there = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
            await answer(send, 303, [(b"location", f"{LOGIN}?next={quote(there, safe='')}".encode())])
        else:
            await self._refuse(scope, send, 401)

    async def _hand_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, posted = scope["path"], scope["method"] == "POST"
        if path == LOGIN and self.passwords is not None:
            await (self._log_in(scope, receive, send) if posted else answer(send, 303, [(b"location", b"/")]))
        elif path == LOGOUT:
            await (self._log_out(scope, send) if posted else self._refuse(scope, send, 404))
        elif path.startswith(_POLLING):
            await self._refuse(scope, send, 404)
        else:
            await super()._hand_on(scope, receive, send)

    async def _ask(self, scope: Scope, send: Send, status: int, word: str = "", wait: float = 0.0) -> None:
        await login_page(scope, send, status, word=word, there=_next(scope), wait=wait)

    async def _log_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Compare a password, in a time that tells nothing, unless it was tried too often."""
        assert self.passwords is not None
        try:
            name, password = await _form(receive)
        except (TooMuch, ValueError):
            await self._refuse(scope, send, 413)
            return
        wait = self.limit.attempt(name, scope[_ADDRESS])
        if wait:
            self.metrics.count("logins_delayed")
            await self._ask(scope, send, 429, "delayed", wait)
            return
        if not await asyncio.to_thread(self.passwords.accepts, name, password) or name not in self.actors:
            self.metrics.count("logins_refused")
            # A name that nobody has may be a password that was typed into the wrong field.
            log.warning(
                "login refused: %s from %s", name if name in self.actors else "an unknown user", scope[_ADDRESS]
            )
            await self._ask(scope, send, 401, "refused")
            return
        self.limit.succeeded(name, scope[_ADDRESS])
        self.sessions.end(cookie(scope, self.cookie_name) or "")
        self.metrics.count("logins")
        log.info("login: %s from %s", name, scope[_ADDRESS])
        held = self._cookie(self.sessions.begin(name))
        await answer(send, 303, [(b"location", _next(scope).encode("latin-1", "replace")), (b"set-cookie", held)])

    async def _log_out(self, scope: Scope, send: Send) -> None:
        self.sessions.end(cookie(scope, self.cookie_name) or "")
        log.info("logout: %s", scope[ACTOR].name)
        proxy = self.configuration.proxy
        there = (proxy.logout if proxy is not None else "") or ("/" if self.passwords is None else LOGIN)
        await answer(send, 303, [(b"location", there.encode()), (b"set-cookie", self._cookie("", "Max-Age=0"))])

    # -- websockets ------------------------------------------------------------------------------------------

    async def _hand_on_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a websocket live as long as its session."""
        user, session = scope[ACTOR].name, scope[_SESSION]
        if self._sockets.get(user, 0) >= _MOST_SOCKETS:
            await close(receive, send)
            return
        self._sockets[user] = self._sockets.get(user, 0) + 1
        socket = _Socket(self.sessions, session, receive, send)
        watching = asyncio.create_task(socket.watch())
        try:
            await self.app(scope, socket.receive, socket.send)
        finally:
            watching.cancel()
            self._sockets[user] -= 1

    @property
    def sockets(self) -> int:
        """Websockets that are open."""
        return sum(self._sockets.values())

    # -- answers ---------------------------------------------------------------------------------------------

    async def _refuse(self, scope: Scope, send: Send, status: int) -> None:
        self.metrics.count(f"refused_{status}")
        await answer(send, status, words=_WORDS.get(status))

    def _counting(self, scope: Scope, send: Send) -> Send:
        """Count answers, and add what every one has."""
        kept = scope["path"].startswith(("/assets/", "/_nicegui/"))

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.metrics.count(f"answers_{message['status'] // 100}xx")
                headers = [] if kept else [(b"cache-control", b"no-store")]
                if self.scheme == "https":
                    headers.append((b"strict-transport-security", b"max-age=31536000"))
                names = {name for name, _ in headers}
                message["headers"] = [*(one for one in message["headers"] if one[0].lower() not in names), *headers]
            await send(message)

        return sent


class _Socket:
    """A websocket that ends with its session."""

    def __init__(self, sessions: LoginSessions, session: LoginSession, receive: Receive, send: Send) -> None:
        self._sessions, self._session, self._receive, self._send = sessions, session, receive, send
        self._is_open = self._closed = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "websocket.receive":
            if not self._sessions.holds(self._session):
                await self._close()
                return {"type": "websocket.disconnect", "code": 1008}
            if (message.get("text") or "").startswith(_EVENT):
                self._sessions.use(self._session)
        return message

    async def send(self, message: Message) -> None:
        if self._closed or (message["type"] == "websocket.send" and not self._sessions.holds(self._session)):
            await self._close()
            return
        self._is_open = self._is_open or message["type"] == "websocket.accept"
        self._closed = message["type"] == "websocket.close"
        await self._send(message)

    async def watch(self) -> None:
        """End it when its session has ended, also where nothing is said."""
        while self._sessions.holds(self._session):
            await asyncio.sleep(_PAUSE)
        await self._close()

    async def _close(self) -> None:
        if self._is_open and not self._closed:
            self._closed = True
            with suppress(RuntimeError):  # it is closed already, by the other side
                await self._send({"type": "websocket.close", "code": 1008})


def _place(told: str) -> str:
    """Return an address without its port, which is another one at each connection; empty for what is none."""
    bare = told[1:].partition("]")[0] if told.startswith("[") else told.partition(":")[0] if "." in told else told
    try:
        return str(ip_address(bare))
    except ValueError:
        return ""


async def _form(receive: Receive) -> tuple[str, str]:
    """Read name and password; a field that stands twice is none."""
    limited, body = counted(receive, _MOST_FORM), b""
    while True:
        message = await limited()
        if message["type"] == "http.disconnect":
            raise ValueError
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    fields = parse_qs(body.decode("ascii", "replace"), max_num_fields=8)
    name, password = (fields[one][0] if len(fields.get(one, ())) == 1 else "" for one in ("name", "password"))
    return name.strip().lower()[:64], password[: LONGEST + 1]


def _next(scope: Scope) -> str:
    """Return where somebody wanted to go: an address of this server, and no other."""
    given = parse_qs(scope["query_string"].decode("latin-1")).get("next", ["/"])[-1]
    is_ours = given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable() and given.isascii()
    return given if is_ours and not given.startswith((LOGIN, LOGOUT)) else "/"


_WORDS = {
    401: b"This is a nymity workbench. You are not logged in.\n",
    404: b"There is nothing here.\n",
}
