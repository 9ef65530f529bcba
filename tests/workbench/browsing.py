"""A workbench of its own, and a page in headless Chromium; what the page complains of fails the test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: Where pictures are kept, if somebody wants to look at them.
SHOTS_VARIABLE = "NYMITY_SHOTS"


class Served:
    """A server in a process of its own, as a user starts it."""

    def __init__(self, projects: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "nymity", "workbench", *arguments, "--no-browser", "--projects", str(projects)]
        self.projects = projects
        self.errors = projects.parent / "server-errors.txt"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        said = self.process.stdout.readline()
        found = re.search(r"http://[\d.]+:\d+", said)
        assert found is not None, said + self.errors.read_text()
        self.address, self.opening = found.group(), said.split()[-1]

    def stop(self) -> str:
        """End it as Ctrl-C does, and return what it wrote to stderr."""
        self.process.send_signal(2)
        self.process.wait(20)
        self.process.stdout.close()
        return self.errors.read_text()


class Seen:
    """What a page asked for and complained of."""

    def __init__(self, page: Any, address: str) -> None:
        self.address, self.outside, self.complaints = address, [], []
        page.on("request", self._asked)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.outside.append(request.url)

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve projects of this module's tests."""
    pytest.importorskip("nicegui", reason="no nicegui: the workbench was not opened")
    served = Served(tmp_path_factory.mktemp("workbench") / "projects")
    yield served
    errors = served.stop()
    assert "Traceback" not in errors, errors
    assert "has been deleted" not in errors, errors  # what was left was drawn on


@pytest.fixture(scope="module")
def context(chromium: Any, workbench: Served) -> Iterator[Any]:
    """A browser's window that was let in."""
    made = chromium.new_context(viewport={"width": 1280, "height": 860}, locale="en-US")
    page = made.new_page()
    page.goto(workbench.opening)
    page.close()
    yield made
    made.close()


@pytest.fixture
def page(context: Any, workbench: Served) -> Iterator[Any]:
    """A new page of that window."""
    with opened(context, workbench) as made:
        yield made


@contextmanager
def opened(context: Any, workbench: Served) -> Iterator[Any]:
    """Open a page; at the end nothing may have been asked for elsewhere, and nothing complained of."""
    made = context.new_page()
    made.set_default_timeout(60_000)  # two tests share two cores
    seen = Seen(made, workbench.address)
    made.goto(workbench.address)
    made.wait_for_function("() => window.did_handshake")  # what is clicked and typed before is told to nobody
    yield made
    made.close()
    assert seen.outside == []
    assert [one for one in seen.complaints if "favicon" not in one] == []


def go(page: Any, screen: str) -> None:
    """Go to a screen of the project by the navigation."""
    page.locator("nav.steps a", has_text=screen).click()
    page.wait_for_selector(f"h1:has-text('{screen}')")


def shot(page: Any, name: str, *, full: bool = False) -> None:
    """Keep a picture, if somebody wants to look at it."""
    if folder := os.environ.get(SHOTS_VARIABLE):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(300)
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=full)
