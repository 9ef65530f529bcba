"""A private project from public knowledge: columns, values and hierarchies that no record was read for."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from browsing import Served, go, shot

import nymity as ny
from nymity.core.errors import NymityError
from nymity.workbench.hierarchy_drafts import ladder_of, save, saved
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project
from nymity.workbench.public_columns import named, public_values, set_columns, state_reading, write_out
from nymity.workbench.runs import RunState
from nymity.workbench.trials import TASK


class English:
    def __call__(self, key: str, **_: Any) -> str:
        return key


@pytest.fixture
def project(tmp_path: Path) -> Project:
    table = tmp_path / "patients.csv"
    table.write_text("age,illness\n" + "".join(f"{20 + i % 60},flu\n" for i in range(4000)))
    return open_table(Home(tmp_path / "projects"), table, private=True)


def test_values_are_what_is_publicly_known() -> None:
    assert public_values("numbers", "3", "6", "").to_list() == [3, 4, 5, 6]
    assert [str(day) for day in public_values("dates", "2024-02-28", "2024-03-01", "")] == [
        "2024-02-28",
        "2024-02-29",
        "2024-03-01",
    ]
    assert public_values("listed", "", "", "m, w\nd, m").to_list() == ["m", "w", "d"]
    assert named(" a ,b,,a\n c") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("kind", "first", "last", "listed"),
    [
        ("numbers", "6", "3", ""),
        ("numbers", "0", "9999999", ""),
        ("numbers", "x", "3", ""),
        ("dates", "3", "4", ""),
        ("listed", "", "", " , "),
        ("other", "", "", ""),
    ],
)
def test_what_is_no_list_of_values_is_refused(kind: str, first: str, last: str, listed: str) -> None:
    with pytest.raises(NymityError):
        public_values(kind, first, last, listed)


def test_a_private_release_needs_no_look_at_records(project: Project) -> None:
    set_columns(project, {"age": "quasi", "illness": "identifying"}, "columns")
    state_reading(project, {"delimiter": ",", "encoding": "utf-8", "header": True}, "reading")
    with pytest.raises(NymityError, match="lists every possible value"):
        ladder_of(project, "age", saved(project, "age"))
    builder = {"type": "intervals", "width": 10, "levels": 2}
    save(project, "age", write_out(project, "age", builder, public_values("numbers", "0", "99", "")), English())
    found = ladder_of(project, "age", saved(project, "age"))
    assert found.rungs[0].cells == 100  # ages that nobody has, too: it says nothing of records
    assert sum(found.counts) == 100

    def promise(data: dict[str, Any]) -> None:
        data["privacy"] = [{"model": "differential-privacy", "epsilon": 2.0, "public_records": 4000}]
        data["method"] = {"name": "safepub"}

    project.change_job("promise", promise)
    run = project.runs.start(TASK, job=project.job_path, version=project.state.at)
    until = time.monotonic() + 120
    while run.state is RunState.RUNNING and time.monotonic() < until:
        time.sleep(0.1)
    assert run.state is RunState.DONE, run.result
    assert ny.open(run.folder / "release").is_private


@pytest.mark.browser
def test_public_values_are_given_in_the_browser(page: Any, workbench: Served, tmp_path: Path) -> None:
    table = tmp_path / "secret.csv"
    table.write_text("age,illness\n41,flu\n")
    page.get_by_role("checkbox", name="Differentially private from the start").click()
    page.get_by_label("Path of a file or folder").fill(str(table))
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_url("**/p/*/data")
    go(page, "Columns")
    page.get_by_label("Names of columns, separated by commas").fill("age, sex")
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator(".public-column", has_text="sex").wait_for()
    shot(page, "private-columns")
    page.get_by_role("button", name="Apply").click()
    go(page, "Hierarchies")
    page.get_by_text("Its values are not listed yet.").wait_for()
    page.get_by_label("From", exact=True).fill("0")
    page.get_by_label("To", exact=True).fill("99")
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("100 different cells").wait_for()
    page.locator(".tree-row").first.wait_for()
    shot(page, "private-hierarchies", full=True)
    assert "flu" not in page.content()
    (project,) = [one for one in Home(workbench.projects).recent() if one.name == "secret"]
    data = project.job_data
    assert data["source"]["delimiter"] == ","
    assert data["schema"]["age"]["hierarchy"]["type"] == "rows"
