"""Explore: nodes of the lattice as a run leaves them, what is refused, one node as a trial; and the screen itself."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from browsing import Served, shot

import nymity as ny
from nymity.core.errors import NymityError, ParameterError
from nymity.publishing import at_levels
from nymity.workbench.endpoints import endpoints
from nymity.workbench.explorations import LevelExploration, begin, newest, publish_choice
from nymity.workbench.home import Home
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun, RunState
from nymity.workbench.screens import screens
from nymity.workbench.screens.explore import SORTED

HOSTILE = ":evil", "<img src=x onerror=alert(1)>", "a.b"
#: Where the first solution of a loss is drawn, in the window.
WHERE = """(loss) => {
    const plot = document.querySelector(".space-plot");
    plot.scrollIntoView({block: "center"});
    const chart = getElement(Number(plot.id.slice(1))).chart, at = plot.getBoundingClientRect();
    const dot = chart.getOption().series[1].data.find((one) => Math.abs(one[0] - loss) < 1e-9);
    const [x, y] = chart.convertToPixel({seriesIndex: 1}, dot);
    return [at.x + x, at.y + y];
}"""


def ended(run: BackgroundRun) -> BackgroundRun:
    end = time.monotonic() + 120
    while run.state is RunState.RUNNING and time.monotonic() < end:
        time.sleep(0.1)
    return run


def begun(folder: Path, method: dict[str, Any] | None) -> Project:
    draw, rows = np.random.default_rng(7), 600
    table = pl.DataFrame(
        {
            HOSTILE[0]: draw.integers(20, 60, rows),
            HOSTILE[1]: draw.choice(["x", "y", "<b>z</b>"], rows),
            HOSTILE[2]: draw.integers(0, 16, rows),
            "sick": draw.choice(["flu", "cold"], rows),
        }
    )
    project = Project.begin(folder / "project", name="people")
    path = project.files / "people.csv"
    ny.write_table(table, path)
    steps = {"type": "intervals", "width": 2, "levels": 4}
    data = {
        "source": {"path": str(path)},
        "schema": {
            HOSTILE[0]: {"role": "quasi", "hierarchy": steps},
            HOSTILE[1]: {"role": "quasi"},
            HOSTILE[2]: {"role": "quasi", "hierarchy": steps},
            "sick": {"role": "sensitive"},
        },
        "privacy": [{"model": "k-anonymity", "k": 5}],
        **({} if method is None else {"method": method}),
    }
    project.change_job("opened", lambda _: data)
    return project


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = begun(tmp_path_factory.mktemp("explored"), {"name": "optimal-lattice", "suppression": 0.05})
    assert ended(begin(project)).state is RunState.DONE
    return project


@pytest.mark.parametrize("what", SORTED)
def test_solutions_are_sorted_by_what_is_least(explored: Project, what: str) -> None:
    found = newest(explored)
    listed = [getattr(found.choice(number), what) for number in found.best_by(what, 10)]
    solutions = [found.choice(number) for number in found.nodes["node"].to_list()]
    assert listed == sorted(getattr(one, what) for one in solutions if one.solution)[:10]


def test_the_nodes_are_those_of_the_library(explored: Project) -> None:
    nodes, found = ny.explore(explored.job()), newest(explored)
    assert found.answer["nodes"] == len(nodes)
    assert found.answer["solutions"] == int(nodes.solution.sum())
    assert found.answer["best"] == nodes.best(25).numbers.tolist()
    best = found.choice(found.answer["best"][0])
    assert list(best.levels) == list(HOSTILE)
    assert list(best.levels.values()) == nodes.best().levels[0].tolist()
    assert (best.loss, best.k) == (nodes.best().loss[0], nodes.best().smallest[0])
    assert best.risk == 1 / best.k
    after = at_levels(explored.job(), best.levels)
    risk = ny.measure_risk(ny.publish(after).frame, after.schema)
    kept = risk.records - risk.masked  # masked rows are one class more
    assert best.average == pytest.approx((risk.classes - (risk.masked > 0)) / kept)
    with pytest.raises(ParameterError):
        found.choice(10**9)


def test_the_plot_gets_numbers_alone(explored: Project) -> None:
    sent = endpoints()["explore-nodes"].answer(explored, {})
    assert set(sent) == {"node", "loss", "suppressed", "k", "average", "solution"}
    assert len({len(values) for values in sent.values()}) == 1
    assert all(isinstance(one, int | float) for values in sent.values() for one in values)
    assert min(sent["k"]) >= 1
    assert not any(name in json.dumps(sent) for name in HOSTILE)


def test_a_node_is_published_as_fixed_levels(tmp_path: Path) -> None:
    project = begun(tmp_path, {"name": "optimal-lattice", "suppression": 0.05, "loss": "entropy"})
    assert ended(begin(project)).state is RunState.DONE
    found = newest(project)
    choice = found.choice(found.answer["best"][2])
    run = ended(publish_choice(project, "levels of a node", choice))
    assert run.state is RunState.DONE, (run.result, run.errors)
    assert project.job_data["method"]["name"] == "fixed-levels"
    assert project.job_data["method"]["suppression"] == 0.05
    assert ny.open(run.folder / "release").levels == choice.levels
    assert run.spec["version"] == project.state.at == 2
    assert found.is_of_now(project)  # the method alone is another

    def edit(data: dict[str, Any]) -> None:
        data["privacy"][0]["k"] = 9

    project.change_job("k", edit)
    assert not found.is_of_now(project)


def test_a_method_that_chooses_no_levels_is_looked_at_as_if_it_did(tmp_path: Path) -> None:
    project = begun(tmp_path, {"name": "mondrian"})
    assert ended(begin(project)).state is RunState.DONE
    assert not newest(project).answer["by_levels"]


def test_a_private_project_refuses(tmp_path: Path, explored: Project) -> None:
    project = begun(tmp_path, None)
    choice = newest(explored).choice(newest(explored).answer["best"][0])
    project.turn_private()
    assert screens()["explore"].looks
    assert endpoints()["explore-nodes"].looks
    with pytest.raises(ParameterError, match="void"):
        begin(project)
    with pytest.raises(ParameterError, match="void"):
        publish_choice(project, "node", choice)
    with pytest.raises(ParameterError, match="void"):
        endpoints()["explore-nodes"].answer(project, {})
    assert project.runs.all() == []


def test_nothing_is_shown_of_a_run_that_did_not_end(tmp_path: Path) -> None:
    project = begun(tmp_path, None)
    with pytest.raises(NymityError):
        endpoints()["explore-nodes"].answer(project, {})
    with pytest.raises(NymityError):
        _ = LevelExploration(BackgroundRun(tmp_path)).nodes


@pytest.mark.browser
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_the_screen(page: Any, workbench: Served, explored: Project, width: int, theme: str) -> None:
    page.set_default_timeout(60_000)
    Home(workbench.projects).remember(explored)
    page.set_viewport_size({"width": width, "height": 860})
    page.goto(f"{workbench.address}/settings?theme={theme}")
    page.goto(f"{workbench.address}{explored.address}/explore")
    shown = newest(explored).answer["shown"]
    page.locator(f"[data-shown='{shown}']").wait_for()
    page.get_by_text("Solutions only").click()
    page.locator(f"[data-shown='{newest(explored).answer['solutions']}']").wait_for()
    page.get_by_role("button", name="Look").first.click()
    page.get_by_role("button", name="Pin to compare").click()
    page.get_by_role("button", name="Look").nth(3).click()
    page.locator(".choice-cards .card").nth(1).wait_for()
    page.locator(".choice-cards dd.other").first.wait_for()
    page.get_by_text(HOSTILE[1]).first.wait_for()  # as text
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shot(page, f"explore-{width}-{theme}", full=True)
    page.goto(f"{workbench.address}/settings?theme=auto")


@pytest.mark.browser
def test_a_dot_is_clicked_and_published(page: Any, workbench: Served, tmp_path: Path) -> None:
    page.set_default_timeout(60_000)
    project = begun(tmp_path, {"name": "optimal-lattice", "suppression": 0.05})
    Home(workbench.projects).remember(project)
    page.goto(f"{workbench.address}{project.address}/explore")
    page.get_by_role("button", name="Explore").click()
    page.locator("[data-shown]").wait_for()
    best = newest(project).answer["best"][0]
    page.mouse.click(*page.evaluate(WHERE, newest(project).choice(best).loss))
    page.get_by_text(f"Node {best}", exact=True).wait_for()
    page.get_by_role("button", name="Publish this node").click()
    page.wait_for_url("**/search")
    page.get_by_text("all hold").wait_for()
    assert Project.open(project.folder).job_data["method"]["name"] == "fixed-levels"
