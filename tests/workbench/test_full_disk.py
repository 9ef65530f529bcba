"""A disk that is full: nothing that was said to be done is missing, and the page says why something was not done."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsing import Served, go, opened

import nymity as ny
from nymity.core.errors import FileError
from nymity.workbench.audit_trail import AuditTrail
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project

#: Only Linux lets a process set the limits of another one, or of itself for a while.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no prlimit: no disk was full")


@contextmanager
def files_of_at_most(size: int, process: int) -> Iterator[None]:
    """Let a process write no file beyond a size, as on a full disk: what fits is written, what comes then is not."""
    before = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, before)


@pytest.fixture(autouse=True)
def no_signal() -> Iterator[None]:
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGXFSZ, before)


def begun(home: Home, folder: Path) -> Project:
    table = folder / "patients.csv"
    ny.write_table(ny.datasets.hospital(300).select("age", "sex", "department").rename({"department": "zz"}), table)
    return open_table(home, table)


@pytest.mark.parametrize("room", [0, 1, 100])
def test_a_line_that_is_not_whole_on_the_disk_is_no_line(tmp_path: Path, room: int) -> None:
    trail = AuditTrail(tmp_path / "audit.jsonl", "ada")
    with trail.writing():
        trail.append("note", {"text": "kept"})
        before = trail.path.read_bytes()
        with (
            files_of_at_most(len(before) + room, os.getpid()),
            pytest.raises(FileError, match="write in"),
        ):
            trail.append("note", {"text": "long " * 100})
        assert trail.path.read_bytes() == before
        trail.append("note", {"text": "later"})
    assert [one.details["text"] for one in trail.entries()] == ["kept", "later"]
    assert trail.broken_at() is None


def test_a_change_that_finds_no_room_is_refused_and_the_version_before_holds(tmp_path: Path) -> None:
    project = begun(Home(tmp_path / "projects"), tmp_path)
    before = project.job_data

    def edit(data: dict[str, Any]) -> None:
        data["privacy"] = [{"model": "k-anonymity", "k": 7}]

    with files_of_at_most(project.audit.stamp[0] + 40, os.getpid()), pytest.raises(FileError):
        project.change_job("k is 7", edit)
    assert project.job_data == before
    assert project.change_job("k is 7", edit) == 2
    assert project.job_data["privacy"][0]["k"] == 7


def test_an_upload_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    workbench = Served(tmp_path / "projects")
    with httpx.Client(base_url=workbench.address, timeout=60, headers={"origin": workbench.address}) as client:
        client.get(workbench.opening)
        there = sorted(workbench.projects.glob("*"))
        with files_of_at_most(1000, workbench.process.pid):
            answer = client.post("/api/upload?name=large.csv", content=b"age,sex\n" + b"41,m\n" * 10_000)
        assert answer.status_code == 400
        assert "large" in json.dumps(answer.json()) or "write in" in json.dumps(answer.json())
        assert sorted(workbench.projects.glob("*")) == there
        assert client.post("/api/upload?name=small.csv", content=b"age,sex\n41,m\n").status_code == 200
    assert "Traceback" not in workbench.stop()


@pytest.mark.browser
def test_the_page_says_why_nothing_was_changed(workbench: Served, context: Any, tmp_path: Path) -> None:
    project = begun(Home(workbench.projects), tmp_path)
    with opened(context, workbench) as page:
        page.goto(f"{workbench.address}{project.address}/columns")
        page.wait_for_function("() => window.did_handshake")
        page.locator(".question").first.wait_for()
        asked = page.locator(".question").count()
        with files_of_at_most(100, workbench.process.pid):
            page.locator(".question").first.get_by_role("button", name="Keep").click()
            page.locator(".dialog .error-card").wait_for()
            assert page.locator(".dialog .error-card").count() == 1
        page.locator(".dialog").get_by_role("button", name="Close").click()
        page.locator(".question").first.get_by_role("button", name="Keep").click()
        page.wait_for_function("before => document.querySelectorAll('.question').length < before", arg=asked)
        go(page, "Search")
        with files_of_at_most(100, workbench.process.pid):
            page.locator("main .main-button").click()
            page.locator(".dialog .error-card").wait_for()
