"""The server of a house: what its configuration says, behind its guard, until somebody ends it."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from nymity.cli import describe_bug
from nymity.core.errors import FileError, ParameterError
from nymity.core.extras import require
from nymity.workbench.guard import MOST_BODY
from nymity.workbench.house.configuration import HouseConfiguration
from nymity.workbench.house.house import House, make_folders
from nymity.workbench.house.house_guard import HouseGuard
from nymity.workbench.house.page_binding import bind_pages
from nymity.workbench.house.passwords import PasswordFile
from nymity.workbench.house.server_metrics import ServerMetrics
from nymity.workbench.left_pages import pages_held
from nymity.workbench.server import application

METRICS_ADDRESS = "127.0.0.1"
log = logging.getLogger("nymity.house")


def serve_house(configuration: HouseConfiguration, *, told: Callable[[str], None]) -> None:
    """Serve until interrupted; ``told`` gets the address."""
    require("nicegui", extra="workbench", purpose="the workbench")
    import uvicorn

    os.umask(0o077)
    _leave_no_dumps()
    _log_without_values()
    _check_files(configuration)
    make_folders(configuration)
    with _listening(configuration.address, configuration.port) as listening:
        house = House(configuration)
        guard = house_guard(house, port=listening.getsockname()[1])
        tls = configuration.tls
        settings: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False, "lifespan": "on"}
        if tls is not None:
            settings |= {"ssl_certfile": str(tls.certificate), "ssl_keyfile": str(tls.key)}
        # proxy_headers: the guard alone decides whose word about an address is believed.
        server = uvicorn.Server(uvicorn.Config(guard, proxy_headers=False, ws_max_size=MOST_BODY, **settings))
        servers = [(server, listening)]
        if configuration.metrics_port:
            own = uvicorn.Config(guard.metrics, log_config=None, access_log=False, server_header=False, lifespan="off")
            servers.append((uvicorn.Server(own), _listening(METRICS_ADDRESS, configuration.metrics_port)))
        house.queue.begin()
        try:
            with suppress(KeyboardInterrupt):  # the usual end
                asyncio.run(_serve(servers, lambda: told(f"{configuration.scheme}://{min(guard.hosts)}/")))
        finally:
            house.queue.end()
            for _, one in servers[1:]:
                one.close()


def house_guard(house: House, *, port: int) -> HouseGuard:
    """Return the whole application behind its guard."""
    configuration = house.configuration
    app = application(house)
    bind_pages(house)
    own = f"[{configuration.address}]" if ":" in configuration.address else configuration.address
    hosts = frozenset(configuration.names) or frozenset({f"{own}:{port}"})
    guard = HouseGuard(
        app,
        hosts,
        configuration.scheme,
        configuration.limits.upload,
        configuration=configuration,
        actors=house.actors,
        metrics=ServerMetrics(),
    )
    guard.metrics.gauges = {
        "sessions": lambda: len(guard.sessions),
        "websockets": lambda: guard.sockets,
        "pages": pages_held,
        "runs_running": lambda: house.queue.running,
        "runs_waiting": lambda: house.queue.waiting,
    }
    guard.metrics.problem = lambda: _problem(house)
    return guard


def _problem(house: House) -> str:
    if not house.queue.works:
        return "runs do not get their turn"
    return "" if os.access(house.configuration.projects, os.W_OK) else "the folder of projects cannot be written"


def _check_files(configuration: HouseConfiguration) -> None:
    if configuration.passwords is not None:
        PasswordFile(configuration.passwords).check()
    for path in (configuration.tls.certificate, configuration.tls.key) if configuration.tls is not None else ():
        if not os.access(path, os.R_OK):
            raise FileError(str(path), expected="a file of TLS that can be read", got="none")


def _listening(address: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address, port))
    except OSError as error:
        listening.close()
        got = f"{address} {port}: {error.strerror or error}"
        raise ParameterError("house.port", expected="an address and a port that are free", got=got) from error
    return listening


async def _serve(servers: list[tuple[Any, socket.socket]], announce: Callable[[], None]) -> None:
    tasks = [asyncio.create_task(server.serve(sockets=[listening])) for server, listening in servers]
    while not all(server.started or task.done() for (server, _), task in zip(servers, tasks, strict=True)):
        await asyncio.sleep(0.02)
    if servers[0][0].started:
        announce()
    await tasks[0]
    for server, _ in servers[1:]:
        server.should_exit = True
    await asyncio.gather(*tasks)


def _leave_no_dumps() -> None:
    """Keep a crash from writing the memory to a disk."""
    with suppress(ImportError):  # Windows has none
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class WithoutValues(logging.Formatter):
    """Writes where errors happened, not what they say: that may quote a table, or what somebody typed."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one line, and where it comes from an error that nobody foresaw, its way."""
        ours = record.name.startswith("nymity.")
        plain = record.name.startswith("uvicorn.") and record.exc_info is None  # others quote what browsers ask for
        words = record.getMessage() if ours or plain else "an error that nobody foresaw"
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {words}".replace("\n", " ").replace(
            "\r", " "
        )
        error = record.exc_info[1] if record.exc_info else None
        return line if error is None else f"{line}\n{describe_bug(error, values=False)}"


class FewAMinute(logging.Filter):
    """Lets a few errors that nobody foresaw through in a minute: a user who makes them at will fills no disk."""

    def __init__(self, most: int = 30) -> None:
        super().__init__()
        self._most, self._minute, self._seen = most, -1, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written; what this program says itself always is."""
        if record.name.startswith("nymity."):
            return True
        minute = int(record.created // 60)
        if minute != self._minute:
            self._minute, self._seen = minute, 0
        self._seen += 1
        if self._seen == self._most + 1:
            log.warning("further errors of this minute are not written")
        return self._seen <= self._most


def _log_without_values() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(WithoutValues())
    handler.addFilter(FewAMinute())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    log.setLevel(logging.INFO)
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # each address that is not there would be a line
    for name in ("engineio", "socketio"):  # each message that makes no sense would be a page of the log
        logging.getLogger(f"{name}.server").setLevel(logging.CRITICAL)
