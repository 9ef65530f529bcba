"""Pages that were left go: soon where the browser says so, and with all that they held."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nicegui")

#: In a process of its own: what NiceGUI holds is the process's.
_SCRIPT = """
import asyncio, gc, html, json, re, socket, sys, time
from pathlib import Path
import aiohttp, uvicorn
from nymity.workbench.home import Home
from nymity.workbench.opening import open_demo
from nymity.workbench.server import application

home = Home(Path(sys.argv[1]))
project = open_demo(home, rows=300)
app = application(home)
from nicegui import Client
from nicegui.props import Props

async def opened(browser):
    page = await (await browser.get(f"{project.address}/promises")).text()
    number = re.search(r"'client_id': '([\\w-]+)'", html.unescape(page)).group(1)
    asked = {"EIO": "4", "transport": "websocket", "client_id": number, "next_message_id": "0",
             "implicit_handshake": "true", "tab_id": number, "document_id": number}
    one = await browser.ws_connect("/_nicegui_ws/socket.io/", params=asked)
    await one.receive(), await one.send_str("40"), await one.receive()
    return number, one

def pages():
    return sum(isinstance(one, Client) for one in gc.get_objects())

async def until(holds):
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        await asyncio.sleep(0.1)

async def look(address):
    found = {}
    async with aiohttp.ClientSession(address) as browser:
        (elsewhere, one), (cut, other) = await opened(browser), await opened(browser)
        await one.close(code=1001), await other.close(code=1000)
        await until(lambda: elsewhere not in Client.instances)
        found["left"], found["cut"] = elsewhere in Client.instances, cut in Client.instances
        gc.collect(), gc.disable()
        for _ in range(4):
            _, one = await opened(browser)
            await one.close(code=1001)
        await until(lambda: len(Client.instances) == 1)
        await asyncio.sleep(0.5)
        held = [one for one in gc.get_objects() if isinstance(one, Props) and one._element() is None]
        found["without a search"], held = len(held), None
        await until(lambda: gc.collect() >= 0 and pages() <= 3)  # tasks that are about to end still name some
        found["pages"] = pages()
    return found

async def main():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await until(lambda: server.started)
        print(json.dumps(await look(f"http://127.0.0.1:{listening.getsockname()[1]}")))
        server.should_exit = True
        await serving

asyncio.run(main())
"""


def test_a_page_whose_browser_went_elsewhere_goes_with_all_it_held_and_one_that_may_come_back_stays(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", _SCRIPT, str(tmp_path / "projects")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not found["left"]
    assert found["cut"]
    # Of four pages with 180 elements each, at most a few are left that Python must search for.
    assert found["without a search"] <= 20
    assert found["pages"] <= 3  # of six: the one that may come back, and what the server's last tasks still name
