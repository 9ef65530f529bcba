"""A page in headless Chromium: opened, and every plot of it drawn."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --enable-logging=stderr --log-level=0 --window-size=1100,6000 "
    "--virtual-time-budget=20000 --dump-dom"
)
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
#: What the browser writes to its log for an uncaught error, a failed assertion of the policy, or console.error.
COMPLAINT = re.compile(r"CONSOLE.*?(?:Uncaught|Error|Refused|violates|WARN).*")


@pytest.fixture(scope="module")
def browser() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium or Chrome is installed: the report was not opened in a browser")
    return found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Start Chromium, or skip with one line; its end lets other tests have a loop of their own."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: nothing was opened in a browser")
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium or Chrome is installed: nothing was opened in a browser")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS.split())
        yield browser
        browser.close()


def opened(browser: str, page: Path, profile: Path) -> tuple[str, str]:
    """Return the page after its scripts ran, and what the browser logged."""
    command = [browser, *OPTIONS.split(), f"--user-data-dir={profile}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


def check_drawn(document: str, log: str) -> None:
    body = document[document.index("<body") : document.index("<script", document.index("<body"))]
    drawings = re.findall(r'<div class="chart[^"]*" id="chart-\d+".*?<figcaption>', body, flags=re.DOTALL)
    assert len(drawings) == body.count("<figcaption>") > 3
    assert len(re.findall(r'<div class="chart[^"]* drawn"', body)) == len(drawings)
    for drawing in drawings:
        assert drawing.count("<svg") == 1
        assert re.search(r'<g class="mark-(rect|symbol)[^>]*>.*?<path', drawing, flags=re.DOTALL)
        assert "could not be drawn" not in drawing
    assert "chart-failed" not in body
    assert COMPLAINT.findall(log) == []


def tags(document: str) -> set[str]:
    found: set[str] = set()
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, _: found.add(tag)  # type: ignore[method-assign]
    reader.feed(document)
    return found
