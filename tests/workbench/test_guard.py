"""The guard: what does not come from the window that was opened is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from nymity.workbench.guard import MOST_BODY, WindowGuard

HOST = "127.0.0.1:4321"
PAGE = b"<html><script>1</script><script src='x'></script></html>"


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    kind = b"text/html" if scope["path"] == "/" else b"application/json"
    headers = [(b"content-type", kind), (b"content-length", str(len(PAGE)).encode()), (b"server", b"x")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": PAGE})
    app.scope, app.body = scope, body  # type: ignore[attr-defined]


def ask(
    guard: WindowGuard,
    path: str = "/",
    *,
    method: str = "GET",
    query: str = "",
    kind: str = "http",
    pieces: tuple[bytes, ...] = (b"",),
    **headers: str,
) -> tuple[int, dict[str, str], bytes]:
    given = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value is not None],
    }
    sent: list[Any] = []
    waiting = [
        {"type": "http.request", "body": piece, "more_body": place < len(pieces) - 1}
        for place, piece in enumerate(pieces)
    ]

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    if kind == "websocket":
        return (101 if sent[0]["type"] == "websocket.accept" else 403), {}, b""
    answered = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], answered, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.fixture
def guard() -> WindowGuard:
    return WindowGuard(app, frozenset({HOST}))


def let_in(guard: WindowGuard) -> str:
    status, headers, _ = ask(guard, query=f"token={guard.token}")
    assert status == 303
    return headers["set-cookie"].partition(";")[0]


def test_the_token_is_exchanged_for_a_cookie_once(guard: WindowGuard) -> None:
    status, headers, body = ask(guard, "/p/abc", query=f"a=1&token={guard.token}")
    assert (status, headers["location"], body) == (303, "/p/abc?a=1", b"")
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Strict" in headers["set-cookie"]
    assert guard.token not in str(headers)
    assert ask(guard, query=f"token={guard.token}")[0] == 401
    assert ask(guard, cookie=headers["set-cookie"].partition(";")[0])[0] == 200


@pytest.mark.parametrize("query", ["", "token=", "token=wrong", "Token={token}"])
def test_without_the_token_there_is_nothing(guard: WindowGuard, query: str) -> None:
    assert ask(guard, query=query.format(token=guard.token))[0] == 401
    assert ask(guard, query=f"token={guard.token}")[0] == 303  # and trying costs nobody the token


def test_a_cookie_of_somebody_else_is_none(guard: WindowGuard) -> None:
    cookie = let_in(guard)
    other = WindowGuard(app, frozenset({HOST}))
    assert ask(other, cookie=cookie)[0] == 401
    assert ask(guard, cookie=cookie[:-1])[0] == 401
    assert ask(guard, cookie="\"'=;;;")[0] == 401


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:4321", "", None])
def test_another_host_is_refused_with_the_cookie_and_the_token(guard: WindowGuard, host: str | None) -> None:
    assert ask(guard, query=f"token={guard.token}", host=host)[0] == 421
    assert ask(guard, cookie=let_in(guard), host=host)[0] == 421


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", f"https://{HOST}", f"http://{HOST}.evil.example"]
)
def test_what_another_page_sends_is_refused(guard: WindowGuard, origin: str | None) -> None:
    cookie = let_in(guard)
    assert ask(guard, method="POST", cookie=cookie, origin=origin)[0] == 403
    assert ask(guard, kind="websocket", cookie=cookie, origin=origin)[0] == 403
    assert ask(guard, method="POST", cookie=cookie, origin=f"http://{HOST}")[0] == 200
    assert ask(guard, kind="websocket", cookie=cookie, origin=f"http://{HOST}")[0] == 101
    assert ask(guard, kind="websocket", origin=f"http://{HOST}")[0] == 403


@pytest.mark.parametrize("site", ["same-site", "cross-site"])
def test_a_page_of_another_port_gets_nothing_by_the_cookie_that_browsers_send_along(
    guard: WindowGuard, site: str
) -> None:
    """Ports are no sites: whoever else serves something on this machine could open connections in somebody's name."""
    cookie = let_in(guard)
    for path, mode in (("/_nicegui_ws/socket.io/", "no-cors"), ("/api/p/0/rows", "cors")):
        assert ask(guard, path, cookie=cookie, sec_fetch_site=site, sec_fetch_mode=mode)[0] == 403
    assert ask(guard, cookie=cookie, sec_fetch_site=site, sec_fetch_mode="navigate")[0] == 200
    for own in ("same-origin", "none"):
        assert ask(guard, cookie=cookie, sec_fetch_site=own, sec_fetch_mode="cors")[0] == 200


def test_bodies_are_limited_whatever_their_length_is_said_to_be(guard: WindowGuard) -> None:
    sent = {"method": "POST", "cookie": let_in(guard), "origin": f"http://{HOST}"}
    assert ask(guard, **sent, content_length=str(MOST_BODY + 1))[0] == 413
    piece = b"x" * (MOST_BODY // 2)
    assert ask(guard, **sent, pieces=(piece, piece))[0] == 200
    assert len(app.body) == MOST_BODY  # type: ignore[attr-defined]
    assert ask(guard, **sent, pieces=(piece, piece, b"x"))[0] == 413
    assert ask(guard, **sent, content_length="many")[0] == 413


def test_every_script_of_a_page_has_the_nonce_and_the_policy_names_it(guard: WindowGuard) -> None:
    cookie = let_in(guard)
    seen = set()
    for _ in range(2):
        _, headers, body = ask(guard, cookie=cookie)
        policy = headers["content-security-policy"]
        nonce = policy.partition("'nonce-")[2].partition("'")[0]
        assert body.count(f'<script nonce="{nonce}"'.encode()) == 2 == body.count(b"<script")
        assert headers["content-length"] == str(len(body))
        assert "default-src 'none'" in policy
        assert "server" not in headers
        seen.add(nonce)
    assert len(seen) == 2
    assert ask(guard, "/data", cookie=cookie)[2] == PAGE


def test_nobody_speaks_as_a_proxy(guard: WindowGuard) -> None:
    ask(guard, cookie=let_in(guard), x_forwarded_prefix="/evil", forwarded="for=1", X_Real_IP="1", accept="*/*")
    assert {name for name, _ in app.scope["headers"]} == {b"host", b"cookie", b"accept"}  # type: ignore[attr-defined]


def test_a_header_that_stands_twice_is_nobodys(guard: WindowGuard) -> None:
    cookie = let_in(guard)
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b""}
    twice = [(b"host", HOST.encode()), (b"Host", b"evil.example"), (b"cookie", cookie.encode())]
    assert guard._refusal({**scope, "headers": twice}) == 421
