"""Transforms on the screen: each has a form that follows from its fields, and what it did is shown with the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import Served, shot

import nymity as ny
from nymity.core.errors import NymityError
from nymity.transforms import TRANSFORMS
from nymity.workbench.analyses import analyse
from nymity.workbench.catalogue import LANGUAGES, Texts
from nymity.workbench.foresights import consequences_of
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project
from nymity.workbench.roles import set_role
from nymity.workbench.runs import RunState
from nymity.workbench.transform_forms import TransformEdits, fields_of, new_transform, offered_columns, with_field
from nymity.workbench.trials import TASK, newest_done

EN = Texts.of("en")


def begun(home: Home, folder: Path) -> Project:
    """A project with two insensitive columns, one of which has a name that some program somewhere runs."""
    table = ny.datasets.hospital(600).select("age", "sex", "postcode", "diagnosis")
    table = table.with_columns(cost=table["age"] * 37 + 100).rename({"cost": ":cost"})
    ny.write_table(table.with_columns(days=table["age"] % 30), folder / "patients.csv")
    project = open_table(home, folder / "patients.csv")

    def edit(data: dict[str, Any]) -> None:
        roles = {"age": "quasi", "sex": "quasi", "postcode": "quasi", "diagnosis": "sensitive"}
        data["schema"] = {name: {"role": roles.get(name, "insensitive")} for name in data["schema"]}
        data["privacy"] = [{"model": "k-anonymity", "k": 5}]

    project.change_job("roles", edit)
    return project


@pytest.mark.parametrize("key", TRANSFORMS)
def test_every_transform_has_a_form_that_makes_one(tmp_path: Path, key: str) -> None:
    project = begun(Home(tmp_path / "projects"), tmp_path)
    fields = {one.name: one for one in fields_of(key)}
    for language in LANGUAGES:
        texts = Texts.of(language)
        for field in fields.values():
            assert texts.has(f"transforms.field.{field.name}")
            assert all(texts.has(f"transforms.choice.{one}") for one in field.choices)
    names = offered_columns(project.job_data, "columns")
    assert names == [":cost", "days"]
    with pytest.raises(NymityError, match="at least one column"):
        TransformEdits(project, EN).put(None, new_transform(key))
    TransformEdits(project, EN).put(None, with_field(new_transform(key), fields["columns"], names[:1]))
    assert [one.key for one in project.job().transforms] == [key]
    TransformEdits(project, EN).remove(0, key)
    assert project.job().transforms == ()


def test_what_promises_cost_is_shown_beside_transforms(tmp_path: Path) -> None:
    project = begun(Home(tmp_path / "projects"), tmp_path)
    TransformEdits(project, EN).put(None, {"transform": "rounding", "columns": ["days"], "base": 10})
    assert consequences_of(project).nodes is not None


def test_a_column_that_promises_are_about_is_changed_no_more(tmp_path: Path) -> None:
    project = begun(Home(tmp_path / "projects"), tmp_path)
    TransformEdits(project, EN).put(None, {"transform": "rounding", "columns": [":cost", "days"], "base": 10})
    TransformEdits(project, EN).put(None, {"transform": "additive-noise", "columns": [":cost"]})
    set_role(project, ":cost", "identifying", "left out")
    assert [(one.key, one.columns) for one in project.job().transforms] == [("rounding", ("days",))]
    set_role(project, "days", "sensitive", "a sensitive column")
    assert project.job().transforms == ()


def test_another_pages_change_is_not_removed(tmp_path: Path) -> None:
    project = begun(Home(tmp_path / "projects"), tmp_path)
    TransformEdits(project, EN).put(None, {"transform": "rounding", "columns": ["days"], "base": 10})
    TransformEdits(project, EN).remove(0, "top-coding")
    TransformEdits(project, EN).remove(1, "rounding")
    assert [one.key for one in project.job().transforms] == ["rounding"]


def test_a_result_says_what_became_of_changed_columns(tmp_path: Path) -> None:
    project = begun(Home(tmp_path / "projects"), tmp_path)
    TransformEdits(project, EN).put(None, {"transform": "rounding", "columns": ["days"], "base": 10})
    trial = project.runs.start(TASK, job=project.job_path, version=project.state.at)
    assert wait(trial) is RunState.DONE, trial.result
    done = newest_done(project)
    assert done is not None
    run = analyse(project, done)
    assert wait(run) is RunState.DONE, run.result
    changed = run.result["answer"]["changed"]
    table = ny.open(done.folder).table
    assert [one["name"] for one in changed["columns"]] == ["days"]
    assert changed["records"] == table.height
    assert set(table["days"].to_list()) <= {0, 10, 20, 30}
    assert 0 < changed["columns"][0]["kept"] < 0.3


def wait(run: Any) -> RunState:
    import time

    until = time.monotonic() + 120
    while run.state is RunState.RUNNING and time.monotonic() < until:
        time.sleep(0.1)
    return run.state


@pytest.mark.browser
def test_a_steward_adds_changes_and_removes_one(workbench: Served, page: Any, tmp_path: Path) -> None:
    project = begun(Home(workbench.projects), tmp_path)
    page.goto(f"{workbench.address}{project.address}/promises")
    panel = page.locator(".card.transforms")
    panel.get_by_role("button", name="Change columns").click()
    page.get_by_role("button", name="Choose: rounding", exact=True).click()
    page.get_by_label("Multiples of").fill("5")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("at least one column").wait_for()  # refused in our one form, and nothing is changed
    assert "transforms" not in project.job_data
    page.get_by_label("Columns that are changed").click()
    page.get_by_role("option", name="days").click()
    page.keyboard.press("Escape")
    shot(page, "transform-form")
    page.get_by_role("button", name="Save", exact=True).click()
    panel.get_by_text("rounding: days").wait_for()
    shot(page, "transforms", full=True)
    assert project.job_data["transforms"] == [{"transform": "rounding", "columns": ["days"], "base": 5}]
    panel.get_by_role("button", name="Edit: rounding").click()
    page.get_by_label("Multiples of").fill("10")
    page.get_by_role("button", name="Save", exact=True).click()
    panel.get_by_text("base 10").wait_for()
    panel.get_by_role("button", name="Remove: rounding").click()
    panel.get_by_text("No column is changed").wait_for()
    assert "transforms" not in project.job_data
