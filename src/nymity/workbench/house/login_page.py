"""The page to log in. It is the guard's own: nothing of the application is reached before somebody is known."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template
from urllib.parse import quote

from nymity.core.randomness import secure_bytes
from nymity.workbench.catalogue import Texts
from nymity.workbench.guard import Scope, Send, cookie, header

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src 'nonce-{nonce}'"

_PAGE = Template(files("nymity.workbench.house").joinpath("login.html").read_text(encoding="utf-8"))


async def login_page(scope: Scope, send: Send, status: int, *, word: str, there: str, wait: float) -> None:
    """Send the page; ``word`` is what went wrong, ``there`` where somebody wanted to go."""
    texts = Texts.of(cookie(scope, "nymity-language") or header(scope, b"accept-language")[:2].lower())
    nonce = secure_bytes(16).hex()
    told = "" if not word else f'<p role="alert">{escape(texts(f"login.{word}", n=max(1, round(wait / 60))))}</p>'
    names = ("title", "lead", "name", "password", "enter")
    words = {name: escape(texts(f"login.{name}")) for name in names}
    page = _PAGE.substitute(
        language=texts.language, nonce=nonce, told=told, there=escape(quote(there, safe="")), **words
    ).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(page)).encode()),
        (b"content-security-policy", _POLICY.format(nonce=nonce).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        # With no referrer at all, a form would be sent with no origin either.
        (b"referrer-policy", b"same-origin"),
    ]
    if wait:
        headers.append((b"retry-after", str(int(wait) + 1).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": page})
