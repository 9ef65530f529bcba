"""Every screen with something in it, at two widths, light and dark: it fits, and axe finds nothing serious."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Served, opened, shot

import nymity as ny
from nymity.workbench import explorations, learnings
from nymity.workbench.analyses import analyse
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun, RunState
from nymity.workbench.screens import ORDER
from nymity.workbench.trials import TASK, newest_done

pytestmark = pytest.mark.browser

#: A name and a cell that some program somewhere runs.
HOSTILE = "<img src=x onerror=window.hacked=1>"
#: What is there when a screen is drawn.
THERE = {
    "start": ".project",
    "data": ".ag-cell[col-id=c0]",
    "columns": ".driver",
    "hierarchies": ".ladder-rung",
    "promises": ".beside .tile",
    "search": ".tile",
    "explore": ".lattice-node.solution",
    "result": "[data-drawn=curves] canvas",
    "release": ".release-form",
    "history": ".audit td",
}


def ended(run: BackgroundRun) -> BackgroundRun:
    until = time.monotonic() + 120
    while run.state is RunState.RUNNING and time.monotonic() < until:
        time.sleep(0.1)
    assert run.state is RunState.DONE, run.result
    return run


@pytest.fixture(scope="module")
def project(workbench: Served, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that has been everywhere."""
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    columns = ["patient_id", "age", "sex", "postcode", "department", "diagnosis"]
    ny.write_table(ny.datasets.hospital(1500).select(columns).rename({"department": HOSTILE}), path)
    project = open_table(Home(workbench.projects), path)
    project.add_note("Age by ten years, as the ethics board asked.")
    trial = project.runs.start(TASK, job=project.job_path, version=project.state.at)
    seen = explorations.begin(project)
    ended(trial)
    done = newest_done(project)
    assert done is not None
    ended(analyse(project, done))
    out = {"out": str(path.parent / "release"), "log": str(done.custodian)}
    ended(project.runs.start(TASK, job=trial.folder / "job.toml", version=done.version, **out))
    ended(seen)
    ended(learnings.begin(project, done, "diagnosis"))
    ended(project.runs.start("recommend", job=project.job_path, version=project.state.at, seconds=2))
    return project


@pytest.fixture(scope="module", params=[(1280, "light"), (390, "dark")], ids=["wide-light", "narrow-dark"])
def window(request: pytest.FixtureRequest, chromium: Any, context: Any) -> Iterator[tuple[Any, int]]:
    width, scheme = request.param
    made = chromium.new_context(
        viewport={"width": width, "height": 860},
        color_scheme=scheme,
        storage_state=context.storage_state(),
        locale="en-US" if scheme == "light" else "de-DE",
    )
    yield made, width
    made.close()


#: The overview is for those who may see nothing else: tests/workbench/test_house_browser.py.
@pytest.mark.parametrize("key", ["start", *(key for key in ORDER if key != "overview")])
def test_a_screen_fits_and_can_be_read(workbench: Served, project: Project, window: tuple[Any, int], key: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe: screens were not checked").Axe()
    made, width = window
    with opened(made, workbench) as page:
        page.goto(f"{workbench.address}{'/' if key == 'start' else f'{project.address}/{key}'}")
        page.locator(THERE[key]).first.wait_for()
        page.wait_for_timeout(500)
        shot(page, f"{key}-{width}", full=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = axe.run(page).response["violations"]
        assert page.evaluate("window.hacked") is None
        assert page.locator("img[src=x]").count() == 0
    serious = [
        (one["id"], one["help"], [node["html"][:200] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_every_style_is_of_one_screen() -> None:
    """All styles are loaded on every page: two screens that call something alike would draw each other's."""
    owners: dict[str, set[str]] = {}
    for path in Path(ny.__file__).parent.joinpath("workbench", "assets").glob("*.css"):
        for name in re.findall(r"^\s*\.([a-z][a-z-]*)\s*\{", path.read_text(), re.MULTILINE):
            owners.setdefault(name, set()).add(path.name)
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}
