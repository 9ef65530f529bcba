"""Twenty users of one workbench at once: each with the demo's job, and all of them begin its search together.

Nineteen speak the browsers' protocol (pages, data, a websocket for each page, clicks as its messages); the last one is
a real browser, whose waiting is what counts. The load stays on this machine, and ends by itself.
"""

from __future__ import annotations

import asyncio
import html
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

import numpy as np

from nymity.core.extras import require
from nymity_lab.bench.result import Line

USERS = 20
#: Seconds that a user looks at a page, that all of them work, and that their runs may take after that.
_LOOKS, _WORK, _LONGEST = (1.0, 4.0), 100.0, 1200.0
_SCREENS = ("data", "columns", "hierarchies", "promises", "search", "result", "history")
_PASSWORD = "twenty users at once"
#: The code by which browsers close the websocket of a page that they leave.
_GOING_AWAY = 1001
#: What is on a screen when it can be used.
_THERE = {
    "data": ".ag-cell[col-id=c0]", "columns": ".column-row", "hierarchies": ".ladder-rung", "promises": ".consequences",
    "search": ".main-button", "result": "h1", "history": ".audit td",
}  # fmt: skip


@dataclass
class BusyHouse:
    """A served house, whose users each have a project with the demo's job."""

    address: str
    process: int
    projects: Path
    paths: dict[str, str]  #: the address of each user's project

    def searches(self, *states: str) -> int:
        """Return how many searches stand so: ``done`` ended with a release."""
        from nymity.workbench.runs import BackgroundRun

        runs = [BackgroundRun(path.parent) for path in self.projects.glob("*/*/runs/*/spec.json")]
        return sum(run.task == "publish" and run.state in states for run in runs)

    @property
    def cpu(self) -> float:
        """Seconds of CPU that the server took, without its runs."""
        fields = Path(f"/proc/{self.process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100


@dataclass
class Waits:
    """How long users waited, in milliseconds."""

    pages: list[float] = field(default_factory=list)
    data: list[float] = field(default_factory=list)
    clicks: list[float] = field(default_factory=list)
    by_screen: dict[str, list[float]] = field(default_factory=lambda: {key: [] for key in _SCREENS})  #: in the browser

    @property
    def screens(self) -> list[float]:
        """Those of all screens in the browser."""
        return [wait for waits in self.by_screen.values() for wait in waits]

    @contextmanager
    def counted(self, what: list[float]) -> Iterator[None]:
        """Count a wait."""
        begun = perf_counter()
        yield
        what.append(1000 * (perf_counter() - begun))


def users_lines(browsed: Callable[[str], Any], users: int = USERS) -> Iterator[Line]:
    """Measure what users wait for while everybody's run is under way."""
    with tempfile.TemporaryDirectory() as folder, served_house(Path(folder), users) as house:
        waits, ended, began = Waits(), threading.Event(), monotonic()
        with ThreadPoolExecutor(1) as others, browsed(f"{house.address}/login") as page:
            _log_in(page)
            load = others.submit(lambda: asyncio.run(_load(house, waits, ended)))
            _browse(page, house, waits, load.done)
            ended.set()
            load.result()
        seconds, cpu, asked = monotonic() - began, house.cpu, len(waits.pages) + len(waits.data) + len(waits.clicks)
        for name, what in (("screens in the browser", waits.screens), ("pages by protocol", waits.pages)):
            yield Line(name=f"{users} users: {name}, p50", value=_share(what, 0.5), unit="ms")
            yield Line(name=f"{users} users: {name}, p95", value=_share(what, 0.95), unit="ms", target=1000)
        for key, what in waits.by_screen.items():
            yield Line(
                name=f"{users} users: screen {key} in the browser, p95 of {len(what)}",
                value=_share(what, 0.95),
                unit="ms",
            )
        for name, what in (("rows by protocol", waits.data), ("clicks by protocol", waits.clicks)):
            yield Line(name=f"{users} users: {name}, p95", value=_share(what, 0.95), unit="ms", target=1000)
        yield Line(name=f"{users} users: interactions in a second", value=asked / seconds, unit="1/s")
        yield Line(name=f"{users} users: CPU of an interaction", value=1000 * cpu / asked, unit="ms")
        until = monotonic() + _LONGEST
        while house.searches("running") and monotonic() < until:
            sleep(1)
        lost, done = house.searches("lost", "failed", "stopped"), house.searches("done")
        yield Line(name=f"{users} users: runs that are lost", value=lost, unit="runs", target=0)
        yield Line(name=f"{users} users: runs that are not done", value=users - done, unit="runs", target=0)


def _share(times: list[float], share: float) -> float:
    return float(np.quantile(times, share)) if times else float("nan")


# -- the house -----------------------------------------------------------------------------------------------


@contextmanager
def served_house(folder: Path, users: int) -> Iterator[BusyHouse]:
    """Serve a house on loopback in a process of its own."""
    import tomli_w

    from nymity.workbench.house.configuration import HouseConfiguration
    from nymity.workbench.house.house import House, make_folders
    from nymity.workbench.house.passwords import PasswordFile
    from nymity.workbench.opening import open_demo

    folder.chmod(0o700)
    names = [f"user{number}" for number in range(users)]
    for name in names:
        PasswordFile(folder / "passwords").put(name, _PASSWORD)
    data = {
        "house": {"port": 0, "projects": "projects", "passwords": "passwords"},
        "users": {name: {"role": "custodian"} for name in names},
    }
    configuration = HouseConfiguration.of(data, folder)
    make_folders(configuration)
    house = House(configuration)
    paths = {name: open_demo(house.home_of(house.actors[name])).address for name in names}
    (folder / "house.toml").write_text(tomli_w.dumps(data), encoding="utf-8")
    command = [sys.executable, "-m", "nymity", "workbench", "--serve", str(folder / "house.toml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://[\w.:]+", process.stdout.readline())
            assert found is not None, "the house did not start"
            yield BusyHouse(found.group(), process.pid, configuration.projects, paths)
        finally:
            process.terminate()
            process.wait()
            _end_runs(configuration.projects)


def _end_runs(projects: Path) -> None:
    """End what still runs, such as the analysis of a result: it would write into a folder that is being removed."""
    from nymity.workbench.runs import BackgroundRun

    under_way = [BackgroundRun(path) for path in projects.glob("*/*/runs/[0-9]*") if (path / "spec.json").exists()]
    for run in under_way:
        run.kill()
    while any(run.is_alive for run in under_way):
        sleep(0.1)


# -- one real browser ----------------------------------------------------------------------------------------


def _log_in(page: Any) -> None:
    page.locator("[name=name]").fill("user0")
    page.locator("[name=password]").fill(_PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/")


def _browse(page: Any, house: BusyHouse, waits: Waits, failed: Callable[[], bool]) -> None:
    """Begin a search, then go from screen to screen."""
    drawn, until = random.Random(1), monotonic() + _WORK
    page.goto(f"{house.address}{house.paths['user0']}/search")
    page.locator(".main-button").first.click()
    while monotonic() < until and not failed():
        key = drawn.choice(_SCREENS)
        with waits.counted(waits.by_screen[key]):
            page.locator(f"nav.steps a[href$='/{key}']").click()
            page.wait_for_url(f"**/{key}")
            page.locator(_THERE[key]).first.wait_for()
        sleep(drawn.uniform(*_LOOKS))


# -- the others ----------------------------------------------------------------------------------------------


async def _load(house: BusyHouse, waits: Waits, ended: threading.Event) -> None:
    others = [name for name in house.paths if name != "user0"]
    await asyncio.gather(*(_User(name, house, waits).work(ended) for name in others))


class _User:
    """Somebody with a browser, as far as the server can tell."""

    def __init__(self, name: str, house: BusyHouse, waits: Waits) -> None:
        self._name, self._house, self._waits = name, house, waits
        self._draw = random.Random(name)

    async def work(self, ended: threading.Event) -> None:
        """Log in, begin the search, and go from screen to screen."""
        aiohttp = require("aiohttp", extra="workbench", purpose="clients of a server")
        address, until = self._house.address, monotonic() + 2 * _WORK
        jar = aiohttp.CookieJar(unsafe=True)  # cookies of an address in numbers
        async with aiohttp.ClientSession(address, headers={"origin": address}, cookie_jar=jar) as session:
            await session.post("/login", data={"name": self._name, "password": _PASSWORD}, allow_redirects=False)
            await self._open(session, "search", click="play_arrow")
            while not ended.is_set() and monotonic() < until:
                key = self._draw.choice(_SCREENS)
                await self._open(session, key)
                if key == "data":
                    with self._waits.counted(self._waits.data):
                        await (await session.get(self._rows, params={"start": "0", "end": "200"})).read()

    @property
    def _path(self) -> str:
        return self._house.paths[self._name]

    @property
    def _rows(self) -> str:
        return f"/api{self._path}/rows"

    async def _open(self, session: Any, key: str, click: str = "") -> None:
        """Open a page and its websocket, look at it for a while, and leave."""
        with self._waits.counted(self._waits.pages):
            page = await (await session.get(f"{self._path}/{key}")).text()
            client = re.search(r"'client_id': '([\w-]+)'", html.unescape(page))
            assert client is not None, page[:500]
            asked = {
                "EIO": "4", "transport": "websocket", "client_id": client.group(1), "next_message_id": "0",
                "implicit_handshake": "true", "tab_id": self._name, "document_id": client.group(1),
            }  # fmt: skip
            socket = await session.ws_connect("/_nicegui_ws/socket.io/", params=asked)
            await socket.receive()
            await socket.send_str("40")
            await socket.receive()
        if click:
            with self._waits.counted(self._waits.clicks):
                await socket.send_str("42" + json.dumps(["event", _click(page, client.group(1), click)]))
                while "update" not in (await socket.receive_str()):
                    pass
        await self._look(socket)
        await socket.close(code=_GOING_AWAY)

    async def _look(self, socket: Any) -> None:
        """Hear what the page is told meanwhile."""
        until = monotonic() + self._draw.uniform(*_LOOKS)
        while (left := until - monotonic()) > 0:
            try:
                heard = await socket.receive(timeout=left)
            except TimeoutError:
                return
            if heard.data == "2":  # a ping
                await socket.send_str("3")


def _click(page: str, client: str, icon: str) -> dict[str, Any]:
    """Return the message of a click on the button with an icon."""
    found = re.search(r"parseElements\(String\.raw`(.*?)`\)", page, re.DOTALL)
    assert found is not None
    elements = json.loads(html.unescape(found.group(1)))
    number, element = next(
        (number, one) for number, one in elements.items() if one.get("props", {}).get("icon") == icon
    )
    listener = next(one["listener_id"] for one in element["events"] if one["type"] == "click")
    return {"id": int(number), "client_id": client, "listener_id": listener, "args": ["{}"]}
