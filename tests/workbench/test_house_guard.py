"""The guard of a house, attacked from outside: logins, sessions, cookies, proxies, websockets."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from houses import HOST, USERS, configured, cookie_of, password_of, write_passwords

from nymity.workbench.house import login_limit
from nymity.workbench.house.house import House
from nymity.workbench.house.house_guard import ACTOR, HouseGuard
from nymity.workbench.house.house_server import WithoutValues
from nymity.workbench.house.server_metrics import ServerMetrics

PROXY = "10.0.0.2"
OUTSIDE = {"address": "0.0.0.0", "names": [HOST]}


class Asked:
    """An application that remembers what reached it."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            while (await receive())["type"] != "websocket.disconnect":
                await send({"type": "websocket.send", "text": "answered"})
            return
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": b"inside"})


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def guarded(folder: Path, **further: Any) -> HouseGuard:
    """A house behind a proxy that speaks TLS, and people who log in."""
    further = {"house": OUTSIDE, "proxy": {"addresses": [PROXY]}, **further}
    configuration = configured(folder, **further)
    house = House(configuration)
    names = frozenset(configuration.names)
    made = HouseGuard(
        Asked(),
        names,
        configuration.scheme,
        configuration=configuration,
        actors=house.actors,
        metrics=ServerMetrics(),
    )
    clock = Clock()
    made.sessions.clock = made.limit.clock = clock
    return made


@pytest.fixture
def guard(tmp_path: Path) -> HouseGuard:
    return guarded(tmp_path / "house")


def scope_of(path: str, method: str, query: str, kind: str, came_from: str, headers: dict[str, str]) -> Any:
    given = {"host": HOST, "origin": f"https://{HOST}", **headers}
    return {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "client": (came_from, 5000),
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value is not None],
    }


def ask(
    guard: HouseGuard,
    path: str = "/",
    *,
    method: str = "GET",
    query: str = "",
    came_from: str = PROXY,
    body: bytes = b"",
    **headers: Any,
) -> tuple[int, dict[str, str], str]:
    sent: list[Any] = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    asyncio.run(guard(scope_of(path, method, query, "http", came_from, headers), receive, send))
    answered = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], answered, b"".join(message.get("body", b"") for message in sent[1:]).decode()


def log_in(guard: HouseGuard, name: str = "ada", password: str | None = None, **further: Any) -> Any:
    form = urlencode({"name": name, "password": password_of(name) if password is None else password})
    return ask(guard, "/login", method="POST", body=form.encode(), **further)


def test_nobody_gets_anywhere_without_a_login(guard: HouseGuard) -> None:
    for path in ("/", "/p/0123456789abcdef/data", "/api/p/0123456789abcdef/rows", "/assets/workbench.css", "/settings"):
        assert ask(guard, path)[0] == 401
        assert ask(guard, path, method="POST")[0] == 401
    status, headers, _ = ask(guard, "/p/x/data", query="a=1", accept="text/html")
    assert (status, headers["location"]) == (303, "/login?next=%2Fp%2Fx%2Fdata%3Fa%3D1")
    assert guard.app.scopes == []


def test_a_login_is_a_cookie_that_scripts_and_other_sites_never_get(guard: HouseGuard) -> None:
    status, headers, _ = log_in(guard, query="next=%2Fp%2Fx")
    assert (status, headers["location"]) == (303, "/p/x")
    name, *marks = headers["set-cookie"].split("; ")
    assert name.startswith("__Host-nymity=")
    assert set(marks) == {"HttpOnly", "SameSite=Strict", "Path=/", "Secure"}
    assert headers["strict-transport-security"]
    status, headers, body = ask(guard, cookie=name)
    assert (status, body, headers["cache-control"]) == (200, "inside", "no-store")
    assert guard.app.scopes[-1][ACTOR].name == "ada"


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("ada", "wrong"),
        ("ada", ""),
        ("", ""),
        ("nobody", "xyzzy"),
        ("ada\0", password_of("ada")),
        ("ada", password_of("ben")),
        ("ada", password_of("ada") + "x" * 2000),
    ],
)
def test_a_wrong_password_and_a_wrong_name_look_the_same(guard: HouseGuard, name: str, password: str) -> None:
    status, headers, body = log_in(guard, name, password)
    assert status == 401
    assert "set-cookie" not in headers
    assert "do not belong together" in body
    assert "password" not in headers["content-security-policy"]
    if password:
        assert password not in body


def test_a_name_that_stands_twice_in_the_form_is_none(guard: HouseGuard) -> None:
    form = f"name=ada&name=mal&password={password_of('ada').replace(' ', '+')}"
    assert ask(guard, "/login", method="POST", body=form.encode())[0] == 401
    assert ask(guard, "/login", method="POST", body=b"x" * 20_000)[0] == 413
    assert ask(guard, "/login", method="POST", body=b"&".join(b"a=1" for _ in range(100)))[0] == 413


def test_a_user_who_is_not_of_the_house_does_not_get_in_with_a_password(tmp_path: Path) -> None:
    guard = guarded(tmp_path / "house")
    write_passwords(tmp_path / "house" / "passwords", "ada", "zoe")
    assert log_in(guard, "zoe")[0] == 401
    assert log_in(guard, "ada")[0] == 303


def test_a_session_that_somebody_else_chose_is_not_taken(guard: HouseGuard) -> None:
    """Fixation: a cookie that was put into a browser before its user logged in is worth nothing afterwards."""
    chosen = f"{guard.cookie_name}={'a' * 64}"
    assert ask(guard, cookie=chosen)[0] == 401
    _, headers, _ = log_in(guard, cookie=chosen)
    assert cookie_of(headers) != chosen
    assert ask(guard, cookie=chosen)[0] == 401
    mine = cookie_of(headers)
    _, headers, _ = log_in(guard, "eve", cookie=mine)  # in the same browser: the one before ends
    assert ask(guard, cookie=mine)[0] == 401
    assert ask(guard, cookie=cookie_of(headers))[0] == 200
    assert guard.app.scopes[-1][ACTOR].name == "eve"


def test_a_session_ends_by_logging_out_by_time_and_by_another_password(guard: HouseGuard, tmp_path: Path) -> None:
    clock, limits = guard.sessions.clock, guard.configuration.limits
    mine = cookie_of(log_in(guard)[1])
    status, headers, _ = ask(guard, "/logout", method="POST", cookie=mine)
    assert (status, headers["location"], "Max-Age=0" in headers["set-cookie"]) == (303, "/login", True)
    assert ask(guard, cookie=mine)[0] == 401
    mine = cookie_of(log_in(guard)[1])
    assert ask(guard, "/logout", cookie=mine)[0] == 404  # a link of another site must not log anybody out
    clock.now += 60 * limits.idle_minutes - 1
    assert ask(guard, cookie=mine)[0] == 200
    clock.now += 60 * limits.idle_minutes + 1
    assert ask(guard, cookie=mine)[0] == 401
    mine, begun = cookie_of(log_in(guard)[1]), clock.now
    while clock.now < begun + 3600 * limits.session_hours - 600:
        clock.now += 600
        assert ask(guard, cookie=mine)[0] == 200
    clock.now += 700
    assert ask(guard, cookie=mine)[0] == 401
    mine = cookie_of(log_in(guard)[1])
    assert ask(guard, cookie=mine)[0] == 200
    guard.passwords.put("ada", "another password")
    assert ask(guard, cookie=mine)[0] == 401
    mine = cookie_of(log_in(guard, password="another password")[1])
    guard.passwords.remove("ada")
    assert ask(guard, cookie=mine)[0] == 401


def test_guessing_is_stopped_for_the_guesser(guard: HouseGuard) -> None:
    for _ in range(login_limit.PER_USER_AND_ADDRESS):
        assert log_in(guard, "ada", "guess", x_forwarded_for="9.9.9.9")[0] == 401
    status, headers, body = log_in(guard, "ada", x_forwarded_for="9.9.9.9")  # the right one does not help either
    assert (status, int(headers["retry-after"]) > 800) == (429, True)
    assert "Too many attempts" in body
    # Whoever says that they come from elsewhere, in front of what the proxy says, is still there.
    assert log_in(guard, "ada", "guess", x_forwarded_for="1.2.3.4, 9.9.9.9")[0] == 429
    assert log_in(guard, "ada", x_forwarded_for="8.8.8.8")[0] == 303  # Ada herself gets in
    guard.limit.clock.now += login_limit.WINDOW + 1
    assert log_in(guard, "ada", x_forwarded_for="9.9.9.9")[0] == 303


@pytest.mark.parametrize(
    "addresses",
    [
        [{"x-forwarded-for": f"9.9.9.9:{port}"} for port in range(4000, 4005)],  # some proxies tell the port, too
        [{"x-forwarded-for": f"2001:db8::{end:x}"} for end in range(5)],  # one network of IPv6 is one household
        [{"x-forwarded-for": f"[2001:db8::{end:x}]:443"} for end in range(5)],
        [{"X-Forwarded-For": f"1.2.3.{end}", "x-forwarded-for": "9.9.9.9"} for end in range(5)],  # in two lines
    ],
)
def test_another_word_for_the_same_address_is_no_way_round(guard: HouseGuard, addresses: list[dict[str, str]]) -> None:
    for headers in addresses:
        assert log_in(guard, "ada", "guess", **headers)[0] == 401
    assert log_in(guard, "ada", "guess", **addresses[0])[0] == 429
    plain = "9.9.9.9" if "9.9.9.9" in str(addresses) else "2001:db8::ffff"
    assert log_in(guard, "ada", "guess", x_forwarded_for=plain)[0] == 429
    assert log_in(guard, "ada", x_forwarded_for="2001:db8:0:1::1")[0] == 303


def test_trying_many_users_is_stopped_and_so_are_many_addresses(guard: HouseGuard) -> None:
    statuses = [log_in(guard, f"user{i}", "guess", x_forwarded_for="9.9.9.9")[0] for i in range(25)]
    assert statuses == [401] * login_limit.PER_ADDRESS + [429] * 5
    limit = guard.limit
    waits = [limit.attempt("ben", f"10.1.{i // 250}.{i % 250}") for i in range(login_limit.PER_USER + 1)]
    assert not any(waits[:-1])
    assert waits[-1] > 0


def test_logging_in_often_is_no_failure(guard: HouseGuard) -> None:
    for _ in range(3 * login_limit.PER_ADDRESS):
        assert log_in(guard, x_forwarded_for="7.7.7.7")[0] == 303
    assert len(guard.sessions) <= 20


@pytest.mark.parametrize(
    "there", ["//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nx: y", "/login", ""]
)
def test_a_login_leads_nowhere_else(guard: HouseGuard, there: str) -> None:
    status, headers, _ = log_in(guard, query=urlencode({"next": there}))
    assert (status, headers["location"]) == (303, "/")
    _, _, page = ask(guard, "/login", query=urlencode({"next": '"><script>alert(1)</script>'}))
    assert "<script" not in page


def test_the_login_page_runs_no_script_and_loads_nothing(guard: HouseGuard) -> None:
    status, headers, page = ask(guard, "/login", accept_language="de")
    policy = headers["content-security-policy"]
    assert status == 200
    assert "Anmelden" in page
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'none'" in policy


def test_other_hosts_and_other_pages_are_refused_before_anything(guard: HouseGuard) -> None:
    mine = cookie_of(log_in(guard)[1])
    for host in ("evil.example", f"{HOST}:8443", "127.0.0.1", None):
        assert ask(guard, cookie=mine, host=host)[0] == 421
    for origin in ("null", "https://evil.example", f"http://{HOST}", f"https://{HOST}.evil.example"):
        assert ask(guard, cookie=mine, origin=origin)[0] == 403
        assert log_in(guard, origin=origin)[0] == 403  # nobody is logged in by another page
        assert ask(guard, "/logout", method="POST", cookie=mine, origin=origin)[0] == 403
    assert ask(guard, "/logout", method="POST", cookie=mine, origin=None)[0] == 403


def test_what_does_not_come_by_the_proxy_is_refused(guard: HouseGuard) -> None:
    mine = cookie_of(log_in(guard)[1])
    for came_from in ("10.0.0.3", "127.0.0.1", ""):
        assert ask(guard, cookie=mine, came_from=came_from)[0] == 403
        assert ask(guard, cookie=mine, came_from=came_from, x_forwarded_for=PROXY)[0] == 403
        assert log_in(guard, came_from=came_from)[0] == 403


def trusting(folder: Path) -> HouseGuard:
    proxy = {"addresses": [PROXY], "user_header": "X-Remote-User", "logout": "https://login.example.org/out"}
    data = {"house": {**OUTSIDE}, "proxy": proxy}
    from houses import described

    from nymity.workbench.house.configuration import HouseConfiguration

    plain = described(folder, **data)
    del plain["house"]["passwords"]
    configuration = HouseConfiguration.of(plain, folder)
    return HouseGuard(
        Asked(),
        frozenset({HOST}),
        configuration.scheme,
        configuration=configuration,
        actors=House(configuration).actors,
        metrics=ServerMetrics(),
    )


def test_a_header_names_users_from_the_proxy_alone(tmp_path: Path) -> None:
    guard = trusting(tmp_path)
    assert ask(guard, **{"X-Remote-User": "ada"})[0] == 200
    scope = guard.app.scopes[-1]
    assert scope[ACTOR].name == "ada"
    assert not [name for name, _ in scope["headers"] if b"remote" in name.lower()]
    assert ask(guard, came_from="10.0.0.9", **{"X-Remote-User": "ada"})[0] == 403
    assert ask(guard, came_from="127.0.0.1", **{"X-Remote-User": "ada"})[0] == 403
    for nobody in ("zoe", "", "ADA", "ada,mal", "ada\0"):
        assert ask(guard, **{"X-Remote-User": nobody})[0] == 401
    assert ask(guard)[0] == 401
    assert ask(guard, "/login", method="POST", body=b"name=ada&password=x")[0] == 401  # there is no second way in
    status, headers, _ = ask(guard, "/logout", method="POST", **{"X-Remote-User": "ada"})
    assert (status, headers["location"]) == (303, "https://login.example.org/out")


def test_a_header_that_stands_twice_names_nobody(tmp_path: Path) -> None:
    """A browser sends its own, and the proxy adds another."""
    guard = trusting(tmp_path)
    scope = scope_of("/", "GET", "", "http", PROXY, {"X-Remote-User": "ada"})
    scope["headers"].append((b"x-remote-user", b"mal"))
    assert not guard.knows(scope)
    assert not [name for name, _ in scope["headers"] if name.lower() == b"x-remote-user"]


def test_polling_is_no_way_in(guard: HouseGuard) -> None:
    mine = cookie_of(log_in(guard)[1])
    assert ask(guard, "/_nicegui_ws/socket.io/", query="EIO=4&transport=polling", cookie=mine)[0] == 404


def talk(guard: HouseGuard, script: list[Any], **headers: Any) -> list[str]:
    """Open a websocket, and do what a script says in turn: a text is sent, a function is called."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    sent: list[Any] = []

    async def run() -> None:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        await queue.put({"type": "websocket.connect"})

        async def send(message: Any) -> None:
            sent.append(message)
            if message["type"] == "websocket.close":
                await queue.put({"type": "websocket.disconnect", "code": 1008})

        task = asyncio.create_task(
            guard(scope_of("/_nicegui_ws/", "GET", "", "websocket", PROXY, headers), queue.get, send)
        )
        for step in script:
            await asyncio.sleep(0.01)
            if callable(step):
                step()
            else:
                await queue.put({"type": "websocket.receive", "text": step})
        await asyncio.sleep(0.05)
        await queue.put({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait_for(task, 5)

    asyncio.run(run())
    return [one.get("text") or one["type"].partition(".")[2] for one in sent]


def test_a_websocket_ends_with_its_session(guard: HouseGuard) -> None:
    mine = cookie_of(log_in(guard)[1])
    assert talk(guard, ["42", "42"], cookie=mine) == ["accept", "answered", "answered"]
    assert talk(guard, ["42"]) == ["close"]
    assert talk(guard, ["42"], cookie=mine, origin="https://evil.example") == ["close"]
    ended = talk(guard, ["42", lambda: guard.sessions.end(mine.partition("=")[2]), "42", "42"], cookie=mine)
    assert ended == ["accept", "answered", "close"]
    assert guard.sockets == 0


def test_a_websocket_that_says_nothing_does_not_keep_a_session(guard: HouseGuard) -> None:
    """A window that is left open sends a sign of life every few seconds; that is nothing that somebody does."""
    clock, idle = guard.sessions.clock, 60 * guard.configuration.limits.idle_minutes
    mine = cookie_of(log_in(guard)[1])

    def later() -> None:
        clock.now += idle / 2 + 1

    assert talk(guard, ["3", later, "3", later, "3"], cookie=mine)[-1] == "close"
    assert ask(guard, cookie=mine)[0] == 401
    mine = cookie_of(log_in(guard)[1])
    assert talk(guard, ["42", later, "42", later, "42"], cookie=mine) == ["accept", *["answered"] * 3]
    assert ask(guard, cookie=mine)[0] == 200


def test_uploads_are_limited_by_the_house(tmp_path: Path) -> None:
    guard = guarded(tmp_path / "house", limits={"upload_mb": 1})
    guard.most_upload = guard.configuration.limits.upload
    mine = cookie_of(log_in(guard)[1])
    assert ask(guard, "/api/upload", method="POST", cookie=mine, content_length="1000001")[0] == 413
    assert ask(guard, "/api/upload", method="POST", cookie=mine, body=b"x" * 1_000_000)[0] == 200
    assert ask(guard, "/api/upload", method="POST", cookie=mine, body=b"x" * 1_000_001)[0] == 413


def test_metrics_know_nobody(guard: HouseGuard) -> None:
    for name in USERS:
        log_in(guard, name)
    log_in(guard, "ada", "wrong", x_forwarded_for="203.0.113.7")
    guard.metrics.gauges = {"sessions": lambda: len(guard.sessions)}
    told = guard.metrics.lines()
    assert "nymity_logins_total 4" in told
    assert "nymity_logins_refused_total 1" in told
    assert "nymity_sessions 4" in told
    assert not [name for name in (*USERS, "203.0.113", "oncology") if name in told]
    guard.metrics.problem = lambda: "the disk of ada is full"
    status, _, body = ask(guard, "/health", host="10.1.1.1", came_from="10.9.9.9")
    assert (status, body) == (503, '{"works": false}')


def test_names_that_nobody_has_are_not_logged(guard: HouseGuard, caplog: pytest.LogCaptureFixture) -> None:
    """Somebody may type a password where the name belongs."""
    with caplog.at_level("INFO", logger="nymity.house"):
        log_in(guard, "my secret password", "x")
        log_in(guard, "ada", "hunter2hunter2")
        log_in(guard, "ada")
    assert "an unknown user" in caplog.text
    assert "login: ada" in caplog.text
    assert "secret" not in caplog.text
    assert "hunter2" not in caplog.text
    assert password_of("ada") not in caplog.text


def test_what_browsers_ask_for_is_not_logged() -> None:
    """An address may have anything in it, such as a password that was pasted there."""
    arguments = (logging.WARNING, "", 0, "https://nymity.example.org/?hunter2 not found", (), None)
    assert "hunter2" not in WithoutValues().format(logging.LogRecord("nicegui", *arguments))
    assert "hunter2" in WithoutValues().format(logging.LogRecord("nymity.house", *arguments))
