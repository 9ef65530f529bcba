"""The site: every page is in its navigation, every name in its reference, and nothing is loaded from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

import pytest
import yaml

import nymity
from in_browser import chromium

assert chromium  # a fixture

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

#: What a page of the site would load by itself; a link is followed by people alone.
LOADED = re.compile(r'<(?:script|img|iframe|source|link(?=[^>]*stylesheet))\b[^>]*?(?:src|href)="(?:https?:)?//[^"]*"')


def pages(nav: Any) -> Iterator[str]:
    for entry in nav:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [value] if isinstance(value, str) else pages(value)


def test_every_page_is_in_the_navigation_once() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = list(pages(settings["nav"]))
    assert len(listed) == len(set(listed))
    assert set(listed) == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}


def test_every_name_is_in_the_reference_once() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
    named = re.findall(r"^::: nymity\.(\w+)$", text, flags=re.MULTILINE)
    packages = {name for name, home in nymity._HOMES.items() if home == "nymity"}
    assert len(named) == len(set(named))
    assert set(named) == set(nymity.__all__) - packages - {"__version__"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site from a copy, as ``make docs`` does."""
    place = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "mkdocs.yml", place)
    shutil.copytree(DOCS, place / "docs")
    (place / "src").symlink_to(ROOT / "src")
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return place / "site"


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    built = list(site.rglob("*.html"))
    assert len(built) > 80
    for page in built:
        assert not LOADED.findall(page.read_text(encoding="utf-8")), page.name
    for style in site.rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text(encoding="utf-8")), style.name


def test_the_reference_shows_signatures_and_docstrings(site: Path) -> None:
    shown = re.sub(r"<[^>]+>", "", (site / "reference" / "models.html").read_text(encoding="utf-8"))
    assert re.search(r"KAnonymity\(\s*\*,\s*k:\s*int\s*\)", shown)
    assert "shares its published quasi-identifiers with at least" in shown
    assert ":class:" not in shown
    for page in (site / "reference").glob("*.html"):
        text = re.sub(r"<(pre|code)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        marks = re.findall(r"\s(?:::|``|:\w+:)\s", re.sub(r"<[^>]+>", " ", text))
        assert marks == [], page.name
    published = re.sub(r"<[^>]+>", "", (site / "reference" / "publishing.html").read_text(encoding="utf-8"))
    assert len(re.findall(r"^publish\(", published, flags=re.MULTILINE)) == 1  # overloads are for type checkers


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    ids: dict[Path, set[str]] = {}
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        ids[page.resolve()] = set(re.findall(r'\bid="([^"]+)"', text))
    links = 0
    for page in ids:
        if page.name == "404.html":  # served at any address
            continue
        for target in re.findall(r'<a\b[^>]*?\bhref="([^"]*)"', page.read_text(encoding="utf-8")):
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = unescape(target).partition("#")
            found = (page.parent / path).resolve() if path else page
            found = found / "index.html" if found.is_dir() else found
            assert found.exists(), f"{page.name}: {target}"
            assert not anchor or found not in ids or unquote(anchor) in ids[found], f"{page.name}: no {target}"
            links += 1
    assert links > 5_000


#: Where people come in: each of the ways, and pages with tables, pictures and long lines.
ENTRANCES = (
    "index", "steward/is-my-table-at-risk", "steward/which-k", "data-scientist", "researcher", "developer", "story",
    "coming-from-arx", "coming-from-sdcmicro", "faq", "reference/publishing",
)  # fmt: skip
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_site_in_a_browser(site: Path, chromium: Any, width: int) -> None:
    """Pages fit the screen, follow light and dark, show their pictures, and ask nobody else for anything."""
    papers = set()
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))  # noqa: B023 -- called within this round
        for name in ENTRANCES:
            page.goto((site / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0, (
                name
            )
            assert (
                page.evaluate("[...document.images].filter(one => !one.complete || !one.naturalWidth).length") == 0
            ), name
        papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
        context.close()
    assert len(papers) == 2


@pytest.fixture
def address(request: pytest.FixtureRequest, site: Path) -> Iterator[str]:
    """Where the site is: in a folder, or served."""
    if request.param == "in a folder":
        yield f"{site.as_uri()}/"
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.browser
@pytest.mark.parametrize("address", ["in a folder", "served"], indirect=True)
def test_the_site_can_be_searched(address: str, chromium: Any) -> None:
    """In a folder, too, where browsers start no worker: ``docs/iframe-worker.js`` is one."""
    page = chromium.new_page(viewport={"width": 1280, "height": 844})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}index.html")
    for section in ("Steward", "Data scientist", "Researcher", "Developer"):
        assert page.locator(".md-tabs__link", has_text=section).count() == 1
    before = page.get_by_text("Coming from sdcMicro").count()
    page.keyboard.press("Control+k")
    page.wait_for_timeout(300)
    page.keyboard.type("sdcMicro", delay=20)
    page.get_by_text("Coming from sdcMicro").nth(before).wait_for(timeout=10_000)
    page.close()
    assert [url for url in asked if not url.startswith((address, "data:", "blob:", "about:"))] == []


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing of it."""

    def log_message(self, *_: object) -> None:
        pass
