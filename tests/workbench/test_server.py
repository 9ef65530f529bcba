"""The server as a user starts it: what it refuses to begin with, how it ends, and what outlives it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from browsing import Served

import nymity as ny
from nymity.workbench.home import Home
from nymity.workbench.opening import open_demo
from nymity.workbench.runs import RunState


def refused(*arguments: str, projects: Path) -> str:
    command = [sys.executable, "-m", "nymity", "workbench", *arguments, "--no-browser", "--projects", str(projects)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_what_cannot_be_opened_is_told_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()
    (tmp_path / "folder").mkdir()
    for what in ("", "nowhere.csv", "x" * 5000, str(tmp_path / "empty.csv")):
        assert "expected" in refused(what, projects=tmp_path / "projects")
    assert not list((tmp_path / "projects").glob("*/project.json"))


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "a port that is free" in refused("--port", str(taken.getsockname()[1]), projects=tmp_path)


def test_it_begins_with_a_table_and_ends_quietly_while_its_run_goes_on(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    ny.write_table(ny.datasets.hospital(300), table)
    served = Served(tmp_path / "projects", str(table))
    assert httpx.get(served.address).status_code == 401
    assert httpx.get(served.address, headers={"host": "evil.example"}).status_code == 421
    with httpx.Client() as client:
        opened = client.get(served.opening, follow_redirects=True)
        assert opened.status_code == 200
        assert opened.url.path.endswith("/data")
        assert "token" not in str(opened.url)
    project = Home(tmp_path / "projects").recent()[0]
    assert project.job_data["source"]["path"] == str(table)
    assert (served.stop(), served.process.returncode) == ("", 0)
    assert not Path(".nicegui").exists()


def test_a_run_outlives_whoever_began_it(tmp_path: Path) -> None:
    """A process begins a run and is gone; the next one finds it again, and its result."""
    project = open_demo(Home(tmp_path / "home"), rows=400)
    code = (
        "import sys\nfrom nymity.workbench.project import Project\n"
        "project = Project.open(sys.argv[1])\n"
        "project.runs.start('publish', job=project.job_path, version=1)\n"
        "import os; os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(project.folder)], check=True, timeout=60)
    run = project.runs.get(1)
    end = time.monotonic() + 60
    while run.state is RunState.RUNNING and time.monotonic() < end:
        time.sleep(0.1)
    assert run.state is RunState.DONE, run.errors
    assert project.audit.entries()[-1].what == "run"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_what_it_writes_is_its_owners_alone(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    ny.write_table(ny.datasets.hospital(50), table)
    Served(tmp_path / "projects", str(table)).stop()
    for path in (tmp_path / "projects").rglob("*"):
        assert not path.stat().st_mode & 0o077, path
