"""Pages that were left: they go soon, and whole.

Each is some thousand objects. Kept for as long as a lost connection, or in cycles that only Python's search for them
finds, they are so many that this search stops everybody for seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any
from urllib.parse import parse_qs

from nymity.workbench.guard import App, Message, Receive, Scope, Send
from nymity.workbench.house.house_guard import ACTOR

#: The code with which browsers close a websocket because its page goes away (RFC 6455, section 7.4.1).
_GOING_AWAY = 1001
#: Seconds until such a page is forgotten: it may come back, as one from a browser's memory does.
_PAUSE = 2.0


#: Pages of one user that are open and nobody is at: the oldest go.
_MOST = 40


def pages_held() -> int:
    """Return how many pages the server holds."""
    from nicegui import Client

    return len(Client.instances)


def hold_few(client: Any) -> None:
    """Let pages go of somebody who opens one after another and looks at none: each takes a megabyte."""
    who = client.request.scope.get(ACTOR)
    others = [one for one in type(client).instances.values() if one.request.scope.get(ACTOR) == who]
    for one in [one for one in others if one is not client and not one.has_socket_connection][:-_MOST]:
        one.delete()


def forgetting(app: App) -> App:
    """Let pages go soon whose browser says that it goes elsewhere, which it does not when it loses its connection."""
    from nicegui import Client

    async def hand_on(scope: Scope, receive: Receive, send: Send) -> None:
        async def heard() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect" and message.get("code") == _GOING_AWAY:
                named = parse_qs(scope["query_string"].decode("latin-1")).get("client_id", [""])[0]
                client = Client.instances.get(named)
                if client is not None and client.request.scope.get(ACTOR) == scope.get(ACTOR):
                    client.page = copy(client.page)
                    client.page.reconnect_timeout = _PAUSE
            return message

        await app(scope, heard if scope["type"] == "websocket" else receive, send)

    return hand_on


def leave_no_cycles() -> None:
    """Let elements that are removed go at once: NiceGUI's hold themselves by what hears of their changes."""
    from nicegui import Client

    removed: Any = Client.remove_elements
    deleted = Client.delete
    if hasattr(removed, "leaves_none"):
        return

    def remove_elements(self: Client, elements: Iterable[Any]) -> None:
        gone = list(elements)
        removed(self, gone)
        for one in gone:
            for held in (one.classes, one.style, one.props):
                held._change_handlers.clear()

    def delete(self: Client) -> None:
        if not self.is_deleted:  # by whatever else waited for it
            deleted(self)
            self.outbox.updates.clear()  # nobody is told any more that they are gone

    remove_elements.leaves_none = True  # type: ignore[attr-defined]
    Client.remove_elements, Client.delete = remove_elements, delete  # type: ignore[method-assign]
