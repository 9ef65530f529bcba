"""The server: on this machine alone, at a port that nobody knows before, for the window that it opens."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from types import MethodType
from typing import Any
from weakref import WeakKeyDictionary

from nymity.core.errors import ParameterError
from nymity.core.extras import require
from nymity.workbench.guard import TOKEN_FIELD, WindowGuard
from nymity.workbench.home import Home, Homes
from nymity.workbench.memory import hold_little
from nymity.workbench.opening import LyingThere, address_of

#: Seconds for which a page that lost its connection keeps what it had on the server.
_RECONNECT = 60.0
#: Seconds after which a thread that computes lets another one go on: Python's own are 25 times as many.
_SWITCH = 0.0002
ADDRESS = "127.0.0.1"


def serve(
    home: Home, *, what: str | None = None, port: int = 0, open_browser: bool = True, told: Callable[[str], None]
) -> None:
    """Serve until interrupted, beginning with ``what`` lies at a path; ``told`` gets the address, which works once."""
    require("nicegui", extra="workbench", purpose="the workbench")
    import uvicorn

    os.umask(0o077)
    at = "/" if what is None else address_of(home, LyingThere.at(what))
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(listening, port)
        host = f"{ADDRESS}:{listening.getsockname()[1]}"
        guard = WindowGuard(application(home), frozenset({host}))
        address = f"http://{host}{at}?{TOKEN_FIELD}={guard.token}"
        config = uvicorn.Config(guard, log_level="warning", access_log=False, server_header=False, lifespan="on")
        server = uvicorn.Server(config)
        with suppress(KeyboardInterrupt):  # the usual end
            asyncio.run(_serve(server, listening, lambda: _announce(address, told, open_browser=open_browser)))


def _bind(listening: socket.socket, port: int) -> None:
    try:
        listening.bind((ADDRESS, port))
    except OSError as error:
        got = error.strerror or str(error)
        raise ParameterError("port", expected="a port that is free", got=f"{port}: {got}", hint="--port 0") from error


async def _serve(server: Any, listening: socket.socket, announce: Callable[[], None]) -> None:
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if server.started:
        announce()
    await serving


def _announce(address: str, told: Callable[[str], None], *, open_browser: bool) -> None:
    told(address)
    if open_browser:
        webbrowser.open(address)


def application(home: Homes) -> Any:
    """Return the application without its guard."""
    # NiceGUI reads this when it is loaded. Nothing is to be kept there; but never in the folder somebody works in.
    os.environ.setdefault("NICEGUI_STORAGE_PATH", str(Path(tempfile.gettempdir()) / f"nymity-workbench-{os.getpid()}"))
    from fastapi import FastAPI
    from nicegui import app as nicegui_app
    from nicegui import ui

    from nymity.workbench.addresses import add_addresses
    from nymity.workbench.endpoints import endpoints
    from nymity.workbench.left_pages import forgetting, leave_no_cycles
    from nymity.workbench.screens import screens

    _ask_signatures_once()
    leave_no_cycles()
    hold_little()
    # A page asks for many files, and after each its thread waits until one that computes lets go of the interpreter.
    sys.setswitchinterval(_SWITCH)
    api = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_addresses(api, home)
    nicegui_app.add_static_files("/assets", str(files("nymity.workbench") / "assets"))
    ui.run_with(
        api,
        title="nymity",
        favicon="🛡",
        reconnect_timeout=_RECONNECT,
        tailwind=False,
        gzip_middleware_factory=None,
        show_welcome_message=False,
        binding_refresh_interval=None,
    )
    screens()
    endpoints()
    gc.freeze()  # what is loaded stays: it is not looked through for cycles each time that pages are
    return forgetting(api)


def _ask_signatures_once() -> None:
    """Let NiceGUI look once at each function whether it takes arguments.

    It asks three times for each element of a page, always about the same few methods: a fifth of the time of a page.
    """
    from nicegui import helpers

    asked: Callable[[Any], bool] = helpers.expects_arguments
    if hasattr(asked, "known"):
        return
    known: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()

    def expects_arguments(function: Any) -> bool:
        # A bound method is made anew at each use; what it is of stays. Others may be short-lived: weakly.
        if not isinstance(function, MethodType):
            return asked(function)
        held = function.__func__
        if held not in known:
            known[held] = asked(function)
        return known[held]

    expects_arguments.known = known  # type: ignore[attr-defined]
    helpers.expects_arguments = expects_arguments  # type: ignore[assignment]
