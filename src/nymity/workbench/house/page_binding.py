"""Pages belong to whoever opened them: NiceGUI knows a page by its id alone, whoever sends it.

Every message of a websocket names a page. Here it is handed on if the page was opened by the user whose websocket this
is, and if its project is there for them still: a page that stays open may show what it has, and do nothing.
What browsers would write into the server's log is dropped, and so is a message that has another form than theirs:
NiceGUI handles errors of what a message leads to by itself, so one that comes back here is the message's own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import isawaitable
from typing import Any

from nymity.workbench.house.house import House
from nymity.workbench.house.house_guard import ACTOR

_BOUND = ("handshake", "event", "javascript_response", "ack")


def bind_pages(house: House) -> None:
    """Ask at every message."""
    from nicegui import core

    handlers = core.sio.handlers["/"]
    for name in _BOUND:
        handlers[name] = bound(handlers[name], core.sio, house)
    handlers["connect"] = _connecting(handlers["connect"], core.sio, house)
    handlers["log"] = lambda *_: None


def bound(handle: Callable[..., Any], sio: Any, house: House) -> Callable[..., Any]:
    """Return a handler that hears messages about its sender's own pages alone."""

    @wraps(handle)
    async def handler(sid: str, message: dict[str, Any]) -> Any:
        if not is_senders(sio.get_environ(sid), message, house):
            return False
        try:
            done = handle(sid, message)
            return await done if isawaitable(done) else done
        except (AttributeError, LookupError, TypeError, ValueError):
            return False

    return handler


def is_senders(environ: Any, message: Any, house: House) -> bool:
    """Return whether the page that a message names was opened by the user whose websocket it came by, and is theirs."""
    from nicegui import Client

    client = Client.instances.get(str(message.get("client_id"))) if isinstance(message, dict) else None
    sender = ((environ or {}).get("asgi.scope") or {}).get(ACTOR)
    if client is None or sender is None or client.request.scope.get(ACTOR) != sender:
        return False
    project = client.request.path_params.get("project_id")
    return project is None or house.home_of(sender).find(project) is not None


def _connecting(handle: Callable[..., Any], sio: Any, house: House) -> Callable[..., Any]:
    """Let no page be taken over while a websocket opens, or by a message that pretends to be one that opens."""
    from urllib.parse import parse_qs

    from socketio.exceptions import ConnectionRefusedError as Refused  # type: ignore[import-untyped]

    @wraps(handle)
    async def connecting(sid: str, environ: dict[str, Any], auth: Any = None) -> Any:
        if sio.get_environ(sid) is not environ:
            return False
        query = {name: values[0] for name, values in parse_qs(environ.get("QUERY_STRING", "")).items()}
        if "client_id" in query and not is_senders(environ, query, house):
            raise Refused("no such page")
        return await handle(sid, environ, auth)

    return connecting
