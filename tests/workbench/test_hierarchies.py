"""Hierarchies: ladders, forms and files without a browser; the tree and its editor in a real one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from browsing import Served, shot

import nymity as ny
from nymity.core.errors import NymityError
from nymity.publishing import Ladder
from nymity.table.builders import BUILDERS
from nymity.workbench.catalogue import LANGUAGES, Texts
from nymity.workbench.endpoints.hierarchy import as_csv, tree
from nymity.workbench.hierarchy_drafts import by_hand, imported, is_by_hand, ladder_of, save, saved
from nymity.workbench.hierarchy_forms import FORMS, new_draft, shown_value, with_value
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project

HOSTILE = ":<img src=x onerror=alert(1)>"
EN = Texts.of("en")


def opened(home: Home, folder: Path, name: str = "Hierarchies", values: int = 12) -> Project:
    path = folder / "people.csv"
    rows = max(240, values)
    frame = {
        "age": [20 + number * number % 67 for number in range(rows)],
        HOSTILE: [f"<b>v{number % values:05}</b>" for number in range(rows)],
    }
    pl.DataFrame(frame).write_csv(path)
    project = open_table(home, path, name=name)

    def edit(data: dict[str, Any]) -> None:
        data["schema"] = {"age": {"role": "quasi"}, HOSTILE: {"role": "quasi"}}
        data["privacy"] = [{"model": "k-anonymity", "k": 5}]

    project.change_job("roles", edit)
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return opened(Home(tmp_path / "projects"), tmp_path)


def test_a_ladder_says_what_each_level_leaves() -> None:
    values = pl.Series([1, 5, 7, 22, 33, 33])
    found = Ladder.of(values, ny.Hierarchy.intervals(width=5, levels=3), ":x")
    assert [rung.cells for rung in found.rungs] == [5, 4, 3, 1]
    assert [rung.fewest for rung in found.rungs] == [1, 1, 1, 6]
    assert found.rungs[1].examples[0] == ("5-9", 2)
    assert (found.rungs[0].cost, found.rungs[-1].cost) == (0, 1)
    assert sum(found.counts) == 6


def test_an_incomplete_hierarchy_says_what_it_lacks(project: Project) -> None:
    with pytest.raises(NymityError, match="unknown value"):
        ladder_of(project, "age", {"type": "rows", "rows": [["20", "*"]]})


def test_a_draft_is_a_version_and_undo_works(project: Project) -> None:
    before = project.job_data
    draft = with_value(new_draft("intervals"), "width", "number", 5.0)
    save(project, "age", draft, EN)
    assert saved(project, "age") == {"type": "intervals", "levels": 3, "width": 5}
    assert ladder_of(project, "age", saved(project, "age")).rungs[1].examples[0][0].count("-") == 1
    save(project, "age", None, EN)
    assert saved(project, "age") is None
    assert project.undo()
    assert project.undo()
    assert project.job_data == before


def test_forms_read_and_write_lists() -> None:
    draft = with_value(new_draft("ages"), "bands", "numbers", "5, 10")
    assert draft == {"type": "ages", "bands": [5, 10]}
    assert shown_value(draft, "bands") == "5, 10"
    assert with_value(draft, "bands", "numbers", "") == {"type": "ages"}
    assert with_value({"type": "masking"}, "levels", "whole", 3.0) == {"type": "masking", "levels": 3}
    for texts in map(Texts.of, LANGUAGES):
        assert all(texts.has(f"hierarchies.kind.{key}") for key in FORMS)
        assert all(texts.has(f"hierarchies.field.{name}") for form in FORMS.values() for name in form)


def test_what_is_long_lies_in_a_file_that_never_changes(project: Project) -> None:
    short = ny.Hierarchy.from_rows([[str(n), "*"] for n in range(3)])
    long = ny.Hierarchy.from_rows([[str(n), "*"] for n in range(300)])
    assert by_hand(project, short)["type"] == "rows"
    kept = by_hand(project, long)
    assert kept["type"] == "file"
    assert is_by_hand(project, kept)
    assert Path(kept["path"]).parent == project.files
    assert by_hand(project, long) == kept
    assert not is_by_hand(project, {"type": "file", "path": "/elsewhere.csv"})
    assert not is_by_hand(project, {"type": "file", "path": str(project.files / "uploaded.csv")})


def test_files_of_arx_come_in_and_go_out(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "age.csv"
    path.write_text("".join(f"{age};{age // 10 * 10}s;*\n" for age in range(20, 90)), encoding="utf-8")
    save(project, "age", imported(project, str(path)), EN)
    assert as_csv(project, {"column": "age"}).body == path.read_bytes()
    levels = tree(project, {"column": "age"})["levels"]
    assert [len(level["labels"]) for level in levels] == [70, 7, 1]
    assert sum(levels[1]["records"]) == 240
    assert levels[1]["labels"][levels[0]["above"][levels[0]["labels"].index("37")]] == "30s"
    with pytest.raises(NymityError):
        tree(project, {"column": "nothing"})


def test_a_private_project_has_no_tree(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    made = open_table(Home(tmp_path / "projects"), path, private=True)
    with pytest.raises(NymityError, match="lists every possible value"):
        ladder_of(made, "a", None)


# -- in a browser ----------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_values_are_moved_in_the_page(page: Any, workbench: Served, tmp_path: Path) -> None:
    page.set_default_timeout(60_000)
    made = opened(Home(workbench.projects), tmp_path)
    Home(workbench.projects).remember(made)
    page.goto(f"{workbench.address}{made.address}/hierarchies")
    page.get_by_role("heading", name="Levels of age").wait_for()
    page.get_by_label("Kind of hierarchy").click()
    page.get_by_role("option", name="intervals of numbers").click()
    page.get_by_label("Width").wait_for()
    page.get_by_text("20-29").first.wait_for()
    shot(page, "hierarchies", full=True)
    page.get_by_role("button", name="Apply").click()
    page.wait_for_timeout(1500)
    assert saved(Project.open(made.folder), "age") == {"type": "intervals", "width": 10, "levels": 3}
    page.locator(".column-choice", has_text="img").click()
    page.get_by_role("button", name="Edit by hand").click()
    page.get_by_role("button", name="Add a level").click()
    row = page.locator(".tree-row", has_text="v00001").last
    row.wait_for()
    page.wait_for_timeout(1500)
    page.locator(".tree-row", has_text="v00001").first.drag_to(page.locator(".tree-row").first)  # nothing goes there
    page.wait_for_timeout(1500)
    page.locator(".tree-row", has_text="v00002").first.click()
    page.get_by_role("button", name="Rename …").click()
    page.get_by_label("Name", exact=True).fill("<i>low</i>")
    page.locator(".dialog").get_by_role("button", name="Apply").click()
    page.locator(".tree-row", has_text="<i>low</i>").wait_for()
    page.locator(".tree-row", has_text="v00001").first.locator(".tree-toggle").click()
    page.wait_for_timeout(500)
    page.locator(".tree-row[aria-level='3']", has_text="v00001").drag_to(
        page.locator(".tree-row", has_text="<i>low</i>")
    )
    page.wait_for_timeout(2500)
    shot(page, "hierarchies-tree", full=True)
    rows = {row[0]: row[1] for row in saved(Project.open(made.folder), HOSTILE)["rows"]}
    assert rows["<b>v00001</b>"] == rows["<b>v00002</b>"] == "<i>low</i>"


@pytest.mark.browser
def test_twenty_thousand_values_at_a_phones_width(page: Any, workbench: Served, tmp_path: Path) -> None:
    page.set_default_timeout(60_000)
    made = opened(Home(workbench.projects), tmp_path, name="Many", values=20_000)
    Home(workbench.projects).remember(made)
    flat = ny.Hierarchy.from_rows([[f"<b>v{n:05}</b>", f"g{n // 100}", "*"] for n in range(20_000)])
    save(made, HOSTILE, by_hand(made, flat), EN)
    page.goto(f"{workbench.address}/settings?theme=dark")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{workbench.address}{made.address}/hierarchies")
    page.locator(".column-choice", has_text="img").click()
    page.locator(".tree-row", has_text="g0").first.wait_for()
    page.get_by_placeholder("Find a value").fill("v19999")
    page.locator(".tree-row", has_text="v19999").wait_for()
    assert page.locator(".tree-row").count() < 60
    page.locator(".tree-row", has_text="v19999").click()
    page.get_by_role("button", name="Move to …").click()
    page.locator(".dialog").get_by_label("Group", exact=True).fill("g7")
    page.get_by_role("option", name="g7", exact=True).click()
    page.locator(".dialog").get_by_role("button", name="Apply").click()
    page.wait_for_timeout(3000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "hierarchies-390-dark", full=True)
    now = Project.open(made.folder)
    assert ny.Hierarchy.read(saved(now, HOSTILE)["path"]).row("<b>v19999</b>") == ["<b>v19999</b>", "g7", "*"]
    page.goto(f"{workbench.address}/settings?theme=auto")


@pytest.mark.browser
def test_many_values_are_chosen_and_moved_by_touch(
    chromium: Any, context: Any, workbench: Served, tmp_path: Path
) -> None:
    """Twenty thousand values on a phone: scrolled by a finger, several chosen by taps, and moved together."""
    made = opened(Home(workbench.projects), tmp_path, name="Touched", values=20_000)
    Home(workbench.projects).remember(made)
    flat = ny.Hierarchy.from_rows([[f"<b>v{n:05}</b>", f"g{n // 100}", "*"] for n in range(20_000)])
    save(made, HOSTILE, by_hand(made, flat), EN)
    phone = chromium.new_context(
        viewport={"width": 390, "height": 800},
        has_touch=True,
        is_mobile=True,
        storage_state=context.storage_state(),
        locale="en-US",
    )
    page = phone.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{workbench.address}{made.address}/hierarchies")
    page.wait_for_function("() => window.did_handshake")
    page.locator(".column-choice", has_text="img").tap()
    page.locator(".tree-row", has_text="g0").first.wait_for()
    page.locator(".tree-view").scroll_into_view_if_needed()
    at = page.locator(".tree-view").bounding_box()
    finger = phone.new_cdp_session(page)
    x, bottom = at["x"] + at["width"] / 2, at["y"] + at["height"] - 20
    for _ in range(4):
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": bottom}]})
        for step in range(1, 11):
            points = [{"x": x, "y": bottom - 35 * step}]
            finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("() => document.querySelector('.tree-view').scrollTop > 900")
    page.wait_for_function("() => !document.querySelector('.tree-row').innerText.includes('*')")  # others are drawn
    assert page.locator(".tree-row").count() < 60
    page.get_by_placeholder("Find a value").fill("v0450")
    page.locator(".tree-row", has_text="v04502").wait_for()
    page.get_by_label("Choose several").tap()
    for number in (4500, 4501, 4502):
        page.locator(".tree-row", has_text=f"v{number:05}").tap()
    assert page.locator(".tree-row.chosen").count() == 3
    page.get_by_role("button", name="Move to …").tap()
    page.locator(".dialog").get_by_label("Group", exact=True).fill("g7")
    page.get_by_role("option", name="g7", exact=True).tap()
    page.locator(".dialog").get_by_role("button", name="Apply").tap()
    page.locator(".dialog").wait_for(state="hidden")
    for _ in range(100):
        found = ny.Hierarchy.read(saved(Project.open(made.folder), HOSTILE)["path"])
        if found.row("<b>v04501</b>")[1] == "g7":
            break
        page.wait_for_timeout(100)
    assert [found.row(f"<b>v{number:05}</b>")[1] for number in (4499, 4500, 4501, 4502, 4503)] == [
        "g44", "g7", "g7", "g7", "g45",
    ]  # fmt: skip
    phone.close()


#: What a column can hold for each builder, and what is typed into its form; studies alone use those of ``OTHERWISE``.
BUILT: dict[str, tuple[list[str], dict[str, str]]] = {
    "flat": (["a", "b"], {}),
    "intervals": (["1", "25"], {"Width": "20"}),
    "ages": (["31", "67"], {"Years of bands": "5, 10"}),
    "dates": (["2021-03-04", "2022-05-06"], {"Levels": "month, year"}),
    "masking": (["01069", "01099"], {"Levels": "2"}),
    "ordering": (["a", "b", "c"], {"Neighbours in a group": "2"}),
    "money": (["1200", "52000"], {"Smallest amount": "100"}),
    "countries": (["DE", "FR"], {}),
    "nuts": (["DE212", "FR101"], {}),
    "us-zip": (["02139", "10001"], {}),
    "icd-10": (["I10", "E11"], {}),
    "atc": (["A10BA02", "C09AA02"], {}),
    "isco-08": (["2211", "2212"], {"Name for what is unknown": "other"}),
    "nace": (["86.10", "86.21"], {"Name for what is unknown": "other"}),
    "file": (["low", "high"], {"Path of the file": "rows.csv"}),
    "taxonomy": (["Fundus", "Iris"], {"Path of the file of concepts": "concepts.csv"}),
}
#: By hand (the tree is its form), proposed when a table is opened, and drawn at random for studies.
OTHERWISE = {"rows", "suggested", "random-tree", "shuffled"}


def test_every_builder_has_a_form() -> None:
    assert set(FORMS) | OTHERWISE == set(BUILDERS)
    assert set(BUILT) == set(FORMS)


@pytest.fixture(scope="module")
def columns_for_builders(workbench: Served, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A table with a column for each builder."""
    folder = tmp_path_factory.mktemp("builders")
    (folder / "rows.csv").write_text("low;few;*\nhigh;many;*\n")
    (folder / "concepts.csv").write_text("Fundus,Eye\nIris,Eye\nEye,Body\n")
    frame = {key: [values[row % len(values)] for row in range(60)] for key, (values, _) in BUILT.items()}
    pl.DataFrame(frame).write_csv(folder / "codes.csv")
    made = open_table(Home(workbench.projects), folder / "codes.csv", name="Builders")

    def edit(data: dict[str, Any]) -> None:
        data["schema"] = {key: {"role": "quasi"} for key in BUILT}
        data["privacy"] = [{"model": "k-anonymity", "k": 5}]

    made.change_job("roles", edit)
    return made


@pytest.mark.browser
@pytest.mark.parametrize("key", FORMS)
def test_every_builder_makes_levels_in_the_page(
    page: Any, workbench: Served, columns_for_builders: Project, key: str
) -> None:
    made, (_, typed) = columns_for_builders, BUILT[key]
    folder = Path(made.job_data["source"]["path"]).parent
    page.goto(f"{workbench.address}{made.address}/hierarchies")
    page.locator(".column-choice").get_by_text(key, exact=True).click()
    page.get_by_role("heading", name=f"Levels of {key}", exact=True).wait_for()
    page.get_by_label("Kind of hierarchy").click()
    page.get_by_role("option", name=EN(f"hierarchies.kind.{key}"), exact=True).click()
    for label, words in typed.items():
        field = page.locator(".hierarchy-form").get_by_label(label, exact=True)
        field.fill(str(folder / words) if words.endswith(".csv") else words)
    page.wait_for_timeout(800)  # what is typed is sent half a second later
    page.get_by_role("button", name="Apply").click()
    page.wait_for_function("() => document.querySelectorAll('.ladder-rung').length > 1")
    page.wait_for_timeout(500)
    found = saved(Project.open(made.folder), key)
    assert (found or {"type": "flat"})["type"] == key, page.locator(".error-card").all_inner_texts()
    assert page.locator(".ladder-rung").count() == len(ladder_of(made, key, found).rungs)
