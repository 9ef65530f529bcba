"""Search, Release and History in a real browser: a trial, the release of it, and what the project says of both."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from browsing import Served, go, shot

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project
from nymity.workbench.trials import TASK, newest_done
from nymity.workbench.typed_path import typed_path

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def project(workbench: Served, context: Any) -> Project:
    """The demo hospital, with a search that takes a moment."""
    page = context.new_page()
    page.goto(workbench.address)
    page.get_by_role("button", name="Open the demo hospital").click()
    page.wait_for_url("**/p/*/data")
    page.close()
    (folder,) = (path for path in workbench.projects.iterdir() if (path / "project.json").exists())
    return Project.open(folder)


def test_a_trial_is_written_as_it_was_looked_at(page: Any, workbench: Served, project: Project, tmp_path: Path) -> None:
    page.goto(f"{workbench.address}{project.address}/search")
    shot(page, "search-empty")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("all hold").wait_for(timeout=120_000)
    shot(page, "search")
    go(page, "Release")
    out = tmp_path / "given"
    page.get_by_label("Folder of the release").fill(str(out))
    shot(page, "release")
    page.get_by_role("button", name="Write the release").click()
    page.get_by_text(f"nymity check {out}").wait_for(timeout=120_000)
    shot(page, "release-written", full=True)
    trial = project.folder / "runs" / "0001" / "release"
    (table,) = ny.open(out).file_names
    assert (out / table).read_bytes() == (trial / table).read_bytes()  # what was tried, not another draw
    assert ny.open(out).holds
    assert sorted(path.name for path in out.iterdir() if not path.name.startswith(".")) == sorted(
        ["about.html", "certificate.json", table]
    )
    assert (tmp_path / "given-custodian" / "report.html").exists()


def test_a_folder_that_has_a_release_is_spared(page: Any, workbench: Served, project: Project, tmp_path: Path) -> None:
    out = tmp_path / "given"
    out.mkdir()
    (out / "table.csv").write_text("mine")
    (out / "certificate.json").write_text("mine")
    page.goto(f"{workbench.address}{project.address}/release")
    page.get_by_label("Folder of the release").fill(str(out))
    page.get_by_role("button", name="Write the release").click()
    page.get_by_role("alert").first.wait_for(timeout=120_000)
    assert (out / "certificate.json").read_text() == "mine"


@pytest.mark.parametrize("typed", ["", "  ", "release", "../release", "~nobody-has-this-name/release"])
def test_a_release_goes_nowhere_that_nobody_named(
    page: Any, workbench: Served, project: Project, typed: str, tmp_path: Path
) -> None:
    if newest_done(project) is None:
        project.runs.start(TASK, job=project.job_path, version=project.state.at)
        while newest_done(project) is None:
            page.wait_for_timeout(500)
    runs = len(project.runs.all())
    page.goto(f"{workbench.address}{project.address}/release")
    page.wait_for_function("() => window.did_handshake")
    page.get_by_label("Folder of the release").fill(typed)
    page.get_by_role("button", name="Write the release").click()
    page.locator(".dialog .error-card").wait_for()
    assert len(project.runs.all()) == runs


def test_what_is_typed_as_a_path() -> None:
    assert typed_path("out", " ~/a ") == Path.home().resolve() / "a"
    for text in ("", " ", "a", "./a", "a\0b", "~nobody-has-this-name/a", "\ud800"):
        with pytest.raises(ParameterError, match="out"):
            typed_path("out", text)


def test_history_shows_versions_and_goes_back(page: Any, workbench: Served, project: Project) -> None:
    before, versions = project.job_data, len(project.state.versions)

    def edit(data: dict[str, Any]) -> None:
        data["privacy"][0]["k"] = 7

    project.change_job("k is <b>7</b>", edit)
    page.goto(f"{workbench.address}{project.address}/history")
    page.get_by_text("k is <b>7</b>").first.wait_for()  # as text
    page.locator("details pre.code", has_text="k = 7").wait_for(state="attached")
    page.get_by_label("Note").fill("because <script>alert(1)</script>")
    page.get_by_role("button", name="Add").click()
    page.get_by_text("because <script>alert(1)</script>").first.wait_for()
    page.get_by_text("The log is whole").wait_for()
    shot(page, "history", full=True)
    page.get_by_role("button", name="Go back to this").first.click()
    page.get_by_text("Back to version").first.wait_for()
    assert Project.open(project.folder).job_data == before
    assert len(project.state.versions) == versions + 2


def test_a_changed_log_is_noticed(page: Any, workbench: Served, project: Project) -> None:
    path = project.folder / "audit.jsonl"
    kept = path.read_bytes()
    try:
        path.write_bytes(kept.replace(b'"change": "demo', b'"change": "Demo'))
        page.goto(f"{workbench.address}{project.address}/history")
        page.get_by_text("Somebody has changed the log").wait_for()
    finally:
        path.write_bytes(kept)


def test_a_search_that_is_stopped_keeps_the_best(page: Any, workbench: Served, tmp_path: Path) -> None:
    """A search that would take for ever ends within a second or two of the click, and its best so far is a trial."""
    table, drawn = tmp_path / "wide.csv", np.random.default_rng(7)
    pl.DataFrame({f"c{i}": drawn.integers(0, 12, 3000) ** 2 // 12 for i in range(14)}).write_csv(table)
    project = open_table(Home(workbench.projects), table)

    def edit(data: dict[str, Any]) -> None:
        levels = {"type": "intervals", "width": 2, "levels": 3}
        data["schema"] = {f"c{i}": {"role": "quasi", "hierarchy": levels} for i in range(14)}
        data["privacy"] = [{"model": "k-anonymity", "k": 5}]
        data["method"] = {"name": "anytime-lattice", "seconds": 600.0, "suppression": 0.05}

    project.change_job("slow", edit)
    page.goto(f"{workbench.address}{project.address}/search")
    page.get_by_role("button", name=re.compile("Search")).click()
    page.get_by_text("proved: none below").wait_for(timeout=120_000)
    shot(page, "search-under-way")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("You stopped this search.").wait_for(timeout=120_000)
    shot(page, "search-stopped")
    trial = newest_done(project)
    assert trial is not None
    assert trial.was_stopped
    assert ny.open(trial.folder).holds
    levels = trial.stopped_levels
    assert levels is not None
    go(page, "Release")
    page.get_by_label("Folder of the release").fill(str(tmp_path / "stopped"))
    page.get_by_role("button", name="Write the release").click()
    page.get_by_text(f"nymity check {tmp_path / 'stopped'}").wait_for(timeout=120_000)
    assert ny.open(tmp_path / "stopped").table.equals(ny.open(trial.folder).table)  # no other search was made


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_at_a_phones_width(page: Any, workbench: Served, project: Project, theme: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{workbench.address}/settings?theme={theme}")
    for screen in ("search", "release", "history"):
        page.goto(f"{workbench.address}{project.address}/{screen}")
        page.locator("h1").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        shot(page, f"{screen}-390-{theme}", full=True)
    page.goto(f"{workbench.address}/settings?theme=auto")
