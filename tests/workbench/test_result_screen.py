"""Result: rows that belong together, figures of a trial, what is refused; and the screen in a real browser."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from browsing import Served, shot

import nymity as ny
from nymity.core.errors import NymityError, ParameterError
from nymity.workbench.analyses import RowsBeside, analyse, analysis_of, figures_of, open_log, open_trial
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import endpoints
from nymity.workbench.home import Home
from nymity.workbench.project import Project
from nymity.workbench.promise_words import of_records
from nymity.workbench.runs import BackgroundRun, RunState
from nymity.workbench.screens import screens
from nymity.workbench.trials import TriedRelease, newest_done

HOSTILE = ":evil", "<img src=x onerror=alert(1)>", "a.b"
WAIT = 120.0


def ended(run: BackgroundRun) -> BackgroundRun:
    end = time.monotonic() + WAIT
    while run.state is RunState.RUNNING and time.monotonic() < end:
        time.sleep(0.1)
    assert run.state is RunState.DONE, (run.result, run.errors)
    return run


def table(rows: int = 400) -> pl.DataFrame:
    draw = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            HOSTILE[0]: draw.integers(20, 60, rows),
            HOSTILE[1]: draw.choice(["x", "y", "<b>z</b>"], rows),
            HOSTILE[2]: draw.choice(["flu", "cold", "alert(1)", "none"], rows),
        }
    )


def job(path: Path, method: dict[str, Any]) -> dict[str, Any]:
    return {
        "source": {"path": str(path)},
        "schema": {
            "id": {"role": "identifying"},
            HOSTILE[0]: {"role": "quasi", "hierarchy": {"type": "intervals", "width": 5, "levels": 3}},
            HOSTILE[1]: {"role": "quasi"},
            HOSTILE[2]: {"role": "sensitive"},
        },
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": method,
    }


def begun(folder: Path, method: dict[str, Any]) -> tuple[Project, TriedRelease]:
    project = Project.begin(folder / "project", name="people")
    path = project.files / "people.csv"
    ny.write_table(table(), path)
    project.change_job("opened", lambda _: job(path, method))
    ended(project.runs.start("publish", job=project.job_path, version=project.state.at))
    trial = newest_done(project)
    assert trial is not None
    return project, trial


@pytest.fixture(scope="module")
def on_levels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, TriedRelease]:
    """A trial on levels, analysed."""
    project, trial = begun(tmp_path_factory.mktemp("levels"), {"name": "optimal-lattice", "suppression": 0.05})
    ended(analyse(project, trial))
    return project, trial


def asked(project: Project, name: str, **query: Any) -> Any:
    return endpoints()[name].answer(project, {key: str(value) for key, value in query.items()})


def test_rows_that_belong_together_by_the_custodians_mapping() -> None:
    original = pl.DataFrame({"a": [1, 2, 3, 4], "name": ["w", "x", "y", "z"]})
    released = pl.DataFrame({"a": ["3-4", "*", "1-2"]})
    beside = RowsBeside.of(original, released, np.array([3, 0, 1]), np.array([False, True, False]))
    assert beside.names == ["a", "name"]
    assert beside.rows(beside.numbers("all")) == [
        ["1", "1", "*", "w", None],
        ["2", "2", "1-2", "x", None],
        ["3", "3", None, "y", None],
        ["4", "4", "3-4", "z", None],
    ]
    assert beside.numbers("masked").tolist() == [0]
    assert beside.numbers("left_out").tolist() == [2]


def test_rows_come_with_neutral_keys_and_right_cells(on_levels: tuple[Project, TriedRelease]) -> None:
    project, trial = on_levels
    one = open_trial(project, trial)
    found = asked(project, "result-rows", trial=trial.number, **{"from": 0, "to": 400, "show": "all"})
    assert found["total"] == 400
    names = one.beside.names
    assert set(found["rows"][0]) == {f"c{place}" for place in range(1 + 2 * len(names))}
    original, log = table(), one.opened.custodian_log
    place = names.index(HOSTILE[0])
    assert [row[f"c{1 + 2 * place}"] for row in found["rows"]] == original[HOSTILE[0]].cast(pl.String).to_list()
    after = {int(row["c0"]) - 1: row[f"c{2 + 2 * place}"] for row in found["rows"]}
    assert [after[source] for source in log.source_rows.tolist()] == one.opened.table[HOSTILE[0]].to_list()
    some = asked(project, "result-rows", trial=trial.number, **{"from": 10, "to": 13})
    assert [row["c0"] for row in some["rows"]] == ["11", "12", "13"]


def test_charts_count_every_record_and_name_no_column_as_a_key(on_levels: tuple[Project, TriedRelease]) -> None:
    project, trial = on_levels
    names = figures_of(project, trial)["names"]
    assert names == list(HOSTILE)
    original, released = table(), open_trial(project, trial).opened.table
    sick = asked(project, "result-distribution", trial=trial.number, column=2)
    counts = dict(original[HOSTILE[2]].value_counts().iter_rows())
    assert dict(zip(sick["labels"], sick["before"], strict=True)) == counts
    pair = asked(project, "result-contingency", trial=trial.number, first=1, second=2)
    assert np.array(pair["before"]).sum() == original.height
    assert np.array(pair["after"]).sum() == released.height
    row, column = pair["rows"].index("x"), pair["columns"].index("flu")
    both = original.filter((pl.col(HOSTILE[1]) == "x") & (pl.col(HOSTILE[2]) == "flu")).height
    assert pair["before"][row][column] == both
    turned = asked(project, "result-contingency", trial=trial.number, first=2, second=1)
    assert np.array_equal(np.array(turned["after"]).T, np.array(pair["after"]))
    sizes = asked(project, "result-classes", trial=trial.number)
    assert sum(sizes["before"]) == original.height
    assert sizes["smallest"][1] >= 5
    for found in (sick, pair, sizes):
        assert not set(found) & set(HOSTILE)


def test_the_analysis_says_what_the_library_says(on_levels: tuple[Project, TriedRelease]) -> None:
    project, trial = on_levels
    run = analysis_of(project, trial)
    found = run.result["answer"]
    compared = ny.compare(table(), open_trial(project, trial).opened)
    assert [one["value"] for one in found["measured"]] == [one.value for one in compared.measured]
    assert found["shape"] == "levels"
    assert found["risk"]["after"]["prosecutor"]["highest"] <= 0.2
    assert found["attempts"]
    assert not any(one["exceeds"] for one in found["attempts"])
    assert analyse(project, trial).number == run.number  # once for each trial
    assert analyse(project, trial, again=True).number == run.number


@pytest.mark.parametrize(
    "query",
    [
        {"trial": "x"},
        {"trial": "999"},
        {"trial": "-1"},
        {"trial": "2"},  # the analysis is no trial
        {"trial": "../1"},
        {"trial": "1", "column": "3"},
        {"trial": "1", "column": "²"},
    ],
)
def test_strange_questions_are_refused(on_levels: tuple[Project, TriedRelease], query: dict[str, str]) -> None:
    with pytest.raises(NymityError):
        endpoints()["result-distribution"].answer(on_levels[0], query)


def test_classes_with_cells_of_their_own(tmp_path: Path) -> None:
    project, trial = begun(tmp_path, {"name": "mondrian"})
    found = ended(analyse(project, trial)).result["answer"]
    assert found["shape"] == "cells"
    ages = asked(project, "result-distribution", trial=trial.number, column=0)
    assert ages["spread"]
    assert sum(ages["before"]) + ages["pooled_before"] == 400
    assert abs(sum(ages["after"]) + ages["pooled_after"] - 400) <= len(ages["after"])  # rounded
    pair = asked(project, "result-contingency", trial=trial.number, first=0, second=1)
    assert abs(np.array(pair["after"]).sum() - 400) <= np.array(pair["after"]).size


def test_a_table_that_has_changed_is_not_shown_beside_the_release(tmp_path: Path) -> None:
    project, trial = begun(tmp_path, {"name": "optimal-lattice", "suppression": 0.05})
    ny.write_table(table().with_columns(pl.lit(3).alias(HOSTILE[0])), project.files / "people.csv")
    with pytest.raises(NymityError, match="other cells"):
        _ = open_trial(project, trial).beside


def test_a_private_project_shows_nothing_of_a_release_that_is_not(tmp_path: Path) -> None:
    project, trial = begun(tmp_path, {"name": "optimal-lattice", "suppression": 0.05})
    project.turn_private()
    for look in (open_trial, analyse, figures_of, open_log):
        with pytest.raises(ParameterError, match="void"):
            look(project, trial)
    with pytest.raises(ParameterError, match="void"):
        asked(project, "result-released", trial=trial.number, **{"from": 0, "to": 5})
    assert [name for name, one in endpoints().items() if name.startswith("result") and not one.looks] == [
        "result-released"
    ]
    assert analysis_of(project, trial) is None


@pytest.mark.parametrize(
    ("records", "suppressed", "says"),
    [
        ({"in": 1500, "out": 1500}, {"records": 53}, "of 1,500, 53 of them suppressed"),
        ({"in": 1500, "out": 1447}, {"records": 53}, "of 1,500"),  # removed: they are not among those
        ({"in": 1500, "out": 1500}, {"records": 0}, "of 1,500"),
        ({"in": None, "out": 700}, None, ""),  # a private release does not say of how many it is
    ],
)
def test_how_many_records_tell_nothing_is_said(records: Any, suppressed: Any, says: str) -> None:
    answer = {"records": records, "suppressed": suppressed}
    assert of_records(TriedRelease(SimpleNamespace(result={"answer": answer})), Texts.of("en")) == says


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, TriedRelease]:
    """A private project with a private release."""
    project = Project.begin(tmp_path_factory.mktemp("private") / "project", name="private", private=True)
    path = project.files / "people.csv"
    ny.write_table(table(2000), path)
    ages = [[str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*"] for age in range(20, 60)]
    kinds = [[kind, "*"] for kind in ("x", "y", "<b>z</b>")]
    data = {
        "source": {"path": str(path), "delimiter": ",", "encoding": "utf-8", "header": True},
        "schema": {
            "id": {"role": "identifying"},
            HOSTILE[0]: {"role": "quasi", "hierarchy": {"type": "rows", "rows": ages}},
            HOSTILE[1]: {"role": "quasi", "hierarchy": {"type": "rows", "rows": kinds}},
            HOSTILE[2]: {"role": "identifying"},
        },
        "privacy": [{"model": "differential-privacy", "epsilon": 2.0, "delta": 1e-4, "public_records": 2000}],
        "method": {"name": "safepub"},
    }
    project.change_job("opened", lambda _: data)
    ended(project.runs.start("publish", job=project.job_path, version=project.state.at))
    return project, newest_done(project)


def test_a_private_release_shows_what_is_in_it_and_nothing_beside(private: tuple[Project, TriedRelease]) -> None:
    project, trial = private
    one = open_trial(project, trial)
    found = asked(project, "result-released", trial=trial.number, **{"from": 0, "to": 7})
    table = one.opened.table
    assert found["total"] == table.height
    assert [list(row.values()) for row in found["rows"]] == [list(row) for row in table.head(7).cast(pl.String).rows()]
    assert all(set(row) == {"c0", "c1"} for row in found["rows"])
    with pytest.raises(ParameterError, match="next to the table"):
        _ = one.beside
    for look in (analyse, figures_of):
        with pytest.raises(ParameterError, match="void"):
            look(project, trial)
    assert not screens()["result"].looks


def test_whoever_opens_the_log_is_written_down(private: tuple[Project, TriedRelease]) -> None:
    project, trial = private
    before = len(project.audit.entries())
    assert "not_released" in open_log(project, trial)
    (entry,) = project.audit.entries()[before:]
    assert (entry.what, entry.details) == ("log opened", {"run": trial.number})
    assert project.audit.broken_at() is None


# -- in a browser --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served_projects(workbench: Served, on_levels: Any, private: Any) -> dict[str, Project]:
    """Both projects among those that the workbench serves."""
    for project, _ in (on_levels, private):
        Home(workbench.projects).remember(project)
    return {"levels": on_levels[0], "private": private[0]}


@pytest.mark.browser
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_the_screen(page: Any, workbench: Served, served_projects: dict[str, Project], width: int, theme: str) -> None:
    page.set_default_timeout(60_000)
    page.set_viewport_size({"width": width, "height": 860})
    page.goto(f"{workbench.address}/settings?theme={theme}")
    page.goto(f"{workbench.address}{served_projects['levels'].address}/result")
    page.get_by_text("Attacks that were tried").wait_for()
    assert page.locator("h2").first.inner_text() == "Warnings"
    page.locator("[data-drawn=paired]").wait_for()
    page.locator("[data-drawn=heat]").nth(1).wait_for()
    page.locator("[data-drawn=sizes]").wait_for()
    page.locator(".rows-grid .ag-row").first.wait_for()
    page.get_by_text(HOSTILE[1]).first.wait_for()  # as text
    page.get_by_label("Column", exact=True).click()
    page.get_by_role("option", name=HOSTILE[2]).click()
    page.get_by_label("Show").click()
    page.get_by_role("option", name="Records left out").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shot(page, f"result-{width}-{theme}", full=True)
    page.goto(f"{workbench.address}/settings?theme=auto")


@pytest.mark.browser
def test_a_private_release_and_its_log(page: Any, workbench: Served, served_projects: dict[str, Project]) -> None:
    page.set_default_timeout(60_000)
    project = served_projects["private"]
    page.goto(f"{workbench.address}{project.address}/result")
    page.get_by_text("compared with nothing").wait_for()
    assert page.get_by_text("Original beside release").count() == 0
    page.get_by_role("button", name="Open the log").click()
    before = len(project.audit.entries())
    page.get_by_role("button", name="Open it, and write that down").click()
    page.get_by_text("not released").wait_for()
    assert [entry.what for entry in project.audit.entries()[before:]] == ["log opened"]
    shot(page, "result-private", full=True)
