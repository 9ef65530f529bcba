"""A house as it is served, attacked: by an outsider, by a viewer, and by a user with projects of their own.

The table has a value that occurs nowhere else: whatever shows it to somebody who may not see it fails the test.
"""

from __future__ import annotations

import html
import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest
from houses import USERS, ServedHouse, password_of
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import nymity as ny
from nymity.workbench.endpoints import endpoints
from nymity.workbench.house.configuration import HouseConfiguration
from nymity.workbench.house.house import House
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun, RunState, write_json
from nymity.workbench.screens import ORDER

CANARY = "Zyxwvut"
#: Ids that are drawn anew for every page, in which any three digits stand some day.
RANDOM_IDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}")


def until(done: Callable[[], Any], seconds: float = 180.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


class Shared(ServedHouse):
    """A house in which Ada has a project that she shares with her group."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.metrics = f"http://127.0.0.1:{free.getsockname()[1]}"
        super().__init__(folder, house={"metrics_port": int(self.metrics.rpartition(":")[2])})
        table = ny.datasets.hospital(300).with_columns(name=pl.lit(CANARY) + pl.int_range(300).cast(str))
        path = folder / "mine.csv"
        ny.write_table(table, path)
        with self.client("ada") as ada:
            answer = ada.post("/api/upload", params={"name": "mine.csv"}, content=path.read_bytes())
        path.unlink()
        self.id = answer.json()["project"]
        self.project.share(["oncology"])

    @property
    def project(self) -> Project:
        """Ada's project, as she has it, in this process."""
        house = House(HouseConfiguration.load(self.file))
        found = house.home_of(house.actors["ada"]).find(self.id)
        assert found is not None
        return found


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    made = Shared(tmp_path_factory.mktemp("house"))
    yield made
    errors = made.stop()
    assert "Traceback" not in errors
    assert CANARY not in errors
    assert not [name for name in USERS if password_of(name) in errors]


@pytest.fixture(scope="module")
def trial(house: Shared) -> int:
    """A trial that was published and analysed, so that there is something to look at."""
    project = house.project
    run = project.runs.start("publish", job=project.job_path, version=1)
    until(lambda: run.state is not RunState.RUNNING)
    assert run.state is RunState.DONE, run.errors
    return run.number


def everywhere(house: Shared, trial: int) -> Iterator[str]:
    """Every address that shows something of the project."""
    yield from (f"/p/{house.id}/{key}" for key in ORDER)
    query = f"column=name&trial={trial}&from=0&to=9&first=0&second=1&start=0&end=9"
    yield from (f"/api/p/{house.id}/{name}?{query}" for name in endpoints())
    folder = house.project.folder
    for path in ("jobs/0001.toml", "audit.jsonl", "files/mine.csv", f"runs/{trial:04d}/release", f"runs/{trial:04d}"):
        yield f"/release?path={folder / path}"
        yield f"/assets/../../{folder / path}"
        yield f"/assets/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e{folder / path}"


def test_the_owner_sees_it(house: Shared, trial: int) -> None:
    """The other tests would pass of a server that shows nothing to anybody."""
    with house.client("ada") as ada:
        assert CANARY in ada.get(f"/api/p/{house.id}/rows").text
        for key in ORDER:
            assert ada.get(f"/p/{house.id}/{key}").status_code == (404 if key == "overview" else 200), key
    with house.client("ben") as ben:
        assert CANARY in ben.get(f"/api/p/{house.id}/rows").text
        assert ben.get(f"/p/{house.id}/data").status_code == 200
        assert ben.get(f"/p/{house.id}/release").status_code == 404
        assert house.id in ben.get("/").text


def test_an_outsider_gets_nothing(house: Shared, trial: int) -> None:
    with house.client() as outsider:
        for place in (*everywhere(house, trial), "/", "/settings", "/metrics", "/assets/workbench.css", "/_nicegui/x"):
            for method in ("GET", "POST"):
                answer = outsider.request(method, place)
                assert answer.status_code in (401, 403, 404), (method, place)
                assert CANARY not in answer.text


def test_a_viewer_gets_the_overview_and_nothing_else(house: Shared, trial: int) -> None:
    """Never raw rows, values, histograms, hierarchies, small counts or logs."""
    with house.client("eve") as eve:
        shown = eve.get(f"/p/{house.id}", follow_redirects=True)
        assert (shown.status_code, shown.url.path) == (200, f"/p/{house.id}/overview")
        assert "5-anonymity" in shown.text
        start = eve.get("/").text
        assert house.id in start
        assert "hospital" not in start
        for page in (RANDOM_IDS.sub("", shown.text), RANDOM_IDS.sub("", start)):
            for word in (CANARY, "audit", "mine.csv", str(house.folder), "20,000", "300"):
                assert word not in page, word
        for place in everywhere(house, trial):
            answer = eve.get(place)
            assert CANARY not in answer.text, place
            if not place.endswith("/overview"):
                assert answer.status_code == 404, place
        refused = eve.post("/api/upload", params={"name": "x.csv"}, content=b"a,b\n1,2\n")
        assert refused.status_code == 404
        assert eve.post(f"/api/p/{house.id}/passphrase/1", content=b"x").status_code == 404


def test_what_somebody_else_has_is_not_there(house: Shared, trial: int) -> None:
    """An answer about a project of others is the very answer about one that nobody has."""
    with house.client("mal") as mal:
        assert house.id not in mal.get("/").text
        nobodys = "0123456789abcdef"
        for place in everywhere(house, trial):
            answer = mal.get(place)
            assert CANARY not in answer.text, place
            if house.id in place.partition("?")[0]:
                assert answer.status_code == 404, place
                other = mal.get(place.replace(house.id, nobodys))
                assert (other.status_code, other.text) == (404, answer.text), place
        assert mal.post(f"/api/p/{house.id}/passphrase/{trial}", content=b"x").status_code == 404


@pytest.mark.parametrize("number", ["0", "2", "9999", "-1", "1.5", "../1", "%2e%2e", "1%00", "١", "9" * 40])
def test_runs_that_are_guessed_are_not_there(house: Shared, trial: int, number: str) -> None:
    with house.client("ada") as ada:
        answer = ada.get(f"/api/p/{house.id}/result-rows?trial={number}&from=0&to=1")
        assert answer.status_code == 400
        assert ada.post(f"/api/p/{house.id}/passphrase/{number}", content=b"x").status_code in (404, 409)


def test_an_upload_is_a_project_of_whoever_sends_it(house: Shared) -> None:
    with house.client("mal") as mal:
        answer = mal.post("/api/upload", params={"name": "../../ada/x.csv"}, content=b"a,b\n1,2\n3,4\n")
        assert mal.get(f"/api/p/{answer.json()['project']}/rows").json()["total"] == 2
        assert mal.post("/api/upload", params={"name": ".."}, content=b"").status_code == 400
    assert [path.parents[2].name for path in (house.folder / "projects").glob("*/*/files/x.csv")] == ["mal"]


def test_other_hosts_and_other_origins_are_refused(house: Shared) -> None:
    with house.client("ada") as ada:
        assert ada.get("/", headers={"host": "evil.example"}).status_code == 421
        assert ada.post("/api/upload", headers={"origin": "http://evil.example"}, content=b"a").status_code == 403
        assert ada.post("/logout", headers={"origin": "null"}).status_code == 403
        assert ada.get("/", headers={"X-Forwarded-Prefix": "/evil"}).text.count("/evil") == 0
        assert ada.get("/").status_code == 200


# -- websockets ------------------------------------------------------------------------------------------------


def page_of(client: httpx.Client, place: str) -> str:
    """Open a page, and return the id by which its websocket names it."""
    found = re.search("'client_id': '([^']+)'", client.get(place).text)
    assert found is not None
    return found.group(1)


def spoken(house: Shared, client: httpx.Client, page: str | None, *, origin: str | None = None) -> Any:
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    named = (
        "" if page is None else f"&client_id={page}&implicit_handshake=true&tab_id=t&document_id=d&next_message_id=0"
    )
    address = house.address.replace("http", "ws") + f"/_nicegui_ws/socket.io/?EIO=4&transport=websocket{named}"
    return connect(address, origin=origin or house.address, additional_headers={"cookie": cookies})


def greeted(opened: Any) -> str:
    """Begin to speak socket.io, and return what the server says to that: 40 lets in, 44 does not."""
    assert opened.recv(timeout=10).startswith("0")
    opened.send("40")
    while (said := opened.recv(timeout=10)) == "2":
        pass
    return said[:2]


def test_a_page_is_answered_to_its_own_user(house: Shared) -> None:
    with house.client("ada") as ada, spoken(house, ada, page_of(ada, f"/p/{house.id}/data")) as opened:
        assert greeted(opened) == "40"


@pytest.mark.parametrize("thief", ["mal", "eve", "ben"])
def test_a_page_of_somebody_else_is_not_taken_over(house: Shared, thief: str) -> None:
    """Whoever learned the id of a page, from a log or over a shoulder, has nothing by it."""
    with house.client("ada") as ada, house.client(thief) as other:
        page = page_of(ada, f"/p/{house.id}/data")
        with spoken(house, other, page) as opened:
            assert greeted(opened) == "44"
        with spoken(house, other, None) as opened:  # a websocket of their own, and the page in a message
            assert greeted(opened) == "40"
            told = {"client_id": page, "tab_id": "t", "document_id": "d", "next_message_id": "0"}
            opened.send("421" + json.dumps(["handshake", told]))
            assert opened.recv(timeout=10) == "431[false]"
            opened.send("42" + json.dumps(["event", {"client_id": page, "id": 5, "listener_id": "x", "args": []}]))
            opened.send("42" + json.dumps(["log", {"client_id": page, "level": "error", "message": "forged line"}]))
            with pytest.raises(TimeoutError):
                opened.recv(timeout=0.5)
        with spoken(house, ada, page) as opened:
            assert greeted(opened) == "40"
    assert "forged line" not in house.errors.read_text()


@pytest.mark.parametrize(
    "broken", ["42", "42[", '42["event"]', '42["event",null]', '42["event",{}]', '42["handshake",[]]', "9"]
)
def test_messages_that_make_no_sense_end_at_most_their_own_connection(house: Shared, broken: str) -> None:
    with house.client("mal") as mal:
        with spoken(house, mal, None) as opened:
            assert greeted(opened) == "40"
            opened.send(broken)
            with pytest.raises((TimeoutError, ConnectionClosed)):
                opened.recv(timeout=0.2)
        assert mal.get("/").status_code == 200


@pytest.mark.parametrize(
    "further",
    [{}, {"id": []}, {"id": 3, "args": 7}, {"id": 3, "args": ["{"], "listener_id": "x"}, {"id": 3, "args": [[]]}],
)
@pytest.mark.parametrize("name", ["event", "ack", "javascript_response", "handshake"])
def test_messages_about_an_own_page_that_make_no_sense_write_no_log(
    house: Shared, name: str, further: dict[str, Any]
) -> None:
    with house.client("mal") as mal:
        page, before = page_of(mal, "/"), house.errors.read_text()
        with spoken(house, mal, page) as opened:
            assert greeted(opened) == "40"
            for _ in range(20):
                opened.send("42" + json.dumps([name, {"client_id": page, **further}]))
            opened.send("421" + json.dumps(["handshake", {"client_id": "nobody"}]))
            until(lambda: opened.recv(timeout=10).startswith("431"), 20)
        said = house.errors.read_text()[len(before) :].splitlines()
        assert [line for line in said if "login" not in line] == []


def test_a_refusal_does_not_say_where_projects_lie(house: Shared) -> None:
    project = house.project
    gone = next(project.files.iterdir())
    hidden = gone.rename(gone.with_name("gone"))
    try:
        with house.client("ben") as ben:
            refused = ben.get(f"/api/p/{house.id}/rows?sort=c0&from=0&to=5")
    finally:
        hidden.rename(gone)
    assert refused.status_code == 400
    assert gone.name in refused.text
    assert str(house.folder) not in refused.text


def test_an_upload_that_is_refused_does_not_say_where_projects_lie(house: Shared) -> None:
    with house.client("ada") as ada:
        refused = ada.post("/api/upload", params={"name": "patients.xlsx"}, content=b"no sheet at all")
    assert refused.status_code == 400
    assert "patients.xlsx" in refused.text
    assert str(house.folder) not in refused.text


def test_websockets_of_other_pages_and_of_nobody_are_refused(house: Shared) -> None:
    with house.client("ada") as ada, house.client() as outsider:
        page = page_of(ada, "/")
        for client, origin in ((ada, "http://evil.example"), (ada, "null"), (outsider, None)):
            with pytest.raises(InvalidStatus) as refused:
                spoken(house, client, page, origin=origin)
            assert refused.value.response.status_code == 403


def test_logging_out_closes_what_is_open(house: Shared) -> None:
    with house.client("ada") as ada, spoken(house, ada, page_of(ada, f"/p/{house.id}/data")) as opened:
        assert greeted(opened) == "40"
        stolen = dict(ada.cookies)
        assert ada.post("/logout").status_code == 303

        def drained() -> bool:
            try:
                opened.recv(timeout=5)
            except ConnectionClosed:
                return True
            return False

        until(drained, 10)
        with httpx.Client(base_url=house.address, cookies=stolen) as thief:
            assert thief.get(f"/api/p/{house.id}/rows").status_code == 401


def click_on(page: str, icon: str) -> dict[str, Any]:
    """The message of a click on a button of a page."""
    shown = re.search(r"parseElements\(String\.raw`(.*?)`\)", page, re.DOTALL)
    assert shown is not None
    elements = json.loads(html.unescape(shown.group(1)))
    number, element = next(one for one in elements.items() if one[1].get("props", {}).get("icon") == icon)
    listener = next(heard["listener_id"] for heard in element["events"] if heard["type"] == "click")
    return {"id": int(number), "listener_id": listener, "args": ["{}"]}


def job_shown(house: Shared, client: httpx.Client, between: Callable[[], None]) -> str:
    """Open a page, ask it for the job after something happened, and return all that is heard then."""
    page = client.get(f"/p/{house.id}/search").text
    found = re.search("'client_id': '([^']+)'", html.unescape(page))
    assert found is not None
    heard = ""
    with spoken(house, client, found.group(1)) as opened:
        assert greeted(opened) == "40"
        between()
        opened.send("42" + json.dumps(["event", {"client_id": found.group(1), **click_on(page, "code")}]))
        end = time.monotonic() + 3
        while (left := end - time.monotonic()) > 0:  # such a page is sent away again and again
            with suppress(TimeoutError):
                heard += opened.recv(timeout=left)
    return heard


def test_a_page_that_stays_open_answers_nothing_when_its_project_is_not_shared_any_more(house: Shared) -> None:
    """It still showed the job, which lists values, and read the table anew for a preview."""
    project, secret = house.project, "listed-in-the-job"
    project.change_job("x", lambda data: {**data, "source": {**data["source"], "missing": [secret]}})
    try:
        with house.client("ben") as ben:
            assert secret in job_shown(house, ben, lambda: None)
            assert secret not in job_shown(house, ben, lambda: project.share([]))
    finally:
        project.share(["oncology"])
        project.undo()


def test_nobody_fills_the_memory_with_pages_that_they_do_not_look_at(house: Shared) -> None:
    """Each is a megabyte, and stays for a minute."""

    def held() -> int:
        found = re.search(r"^nymity_pages (\d+)", httpx.get(f"{house.metrics}/metrics").text, re.MULTILINE)
        assert found is not None
        return int(found.group(1))

    with house.client("mal") as mal, house.client("ada") as ada:
        page = page_of(ada, f"/p/{house.id}/search")
        before = held()
        for _ in range(100):
            assert mal.get("/").status_code == 200
        assert held() <= before + 42
        with spoken(house, ada, page) as opened:  # those of others stay
            assert greeted(opened) == "40"


# -- health, metrics, restarts ---------------------------------------------------------------------------------


def test_metrics_are_at_a_port_of_their_own_and_know_nobody(house: Shared) -> None:
    told = httpx.get(f"{house.metrics}/metrics").text
    assert "nymity_up 1" in told
    assert "nymity_logins_total" in told
    assert not [word for word in (*USERS, house.id, CANARY, "oncology", "mine") if re.search(rf"\b{word}\b", told)]
    assert httpx.get(f"{house.metrics}/").status_code == 404
    assert httpx.get(f"{house.address}/health").json() == {"works": True}
    with house.client("ada") as ada:
        assert ada.get("/metrics").status_code == 404


def waiting_run(project: Project, out: Path) -> BackgroundRun:
    """A run that waits for its turn, as the queue leaves it."""
    folder = project.runs._new_folder()
    (folder / "job.toml").write_bytes(project.job_path.read_bytes())
    write_json(folder / "spec.json", {"task": "publish", "version": 1, "settings": {"out": str(out)}})
    write_json(folder / "waiting.json", {"who": "ada", "since": time.time(), "again": False})
    return BackgroundRun(folder)


def test_killing_the_server_loses_neither_project_nor_run(house: Shared) -> None:
    """What waits is begun by the next server; what that one has begun goes on when it is killed, too."""
    before, out = house.project.state.at, house.folder / "releases" / "ada"
    runs = [waiting_run(house.project, out / f"kept{i}") for i in range(3)]  # one more than may run at once
    house.stop(9)
    house.start()
    until(lambda: not all(run.is_waiting for run in runs))
    house.stop(9)
    assert [run.is_waiting for run in runs].count(True) >= 1
    house.start()
    until(lambda: all(run.state is not RunState.RUNNING for run in runs))
    assert [run.state for run in runs] == [RunState.DONE] * 3, "".join(run.errors for run in runs)
    assert all(ny.check(out / f"kept{i}").holds for i in range(3))
    assert house.project.state.at == before
    assert house.project.audit.broken_at() is None
    with house.client("ada") as ada:
        assert ada.get(f"/p/{house.id}/history").status_code == 200
