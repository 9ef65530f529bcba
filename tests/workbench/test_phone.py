"""A window as narrow as a phone: what matters is in sight, with a way back; long histories are shown in parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import Served, opened

import nymity as ny
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def project(workbench: Served, tmp_path_factory: pytest.TempPathFactory) -> Project:
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    columns = ["age", "sex", "postcode", "department", "diagnosis"]
    ny.write_table(ny.datasets.hospital(300).select(columns).rename({"department": "\u202exes\u202c"}), path)
    return open_table(Home(workbench.projects), path)


@pytest.fixture
def phone(chromium: Any, workbench: Served, context: Any) -> Iterator[Any]:
    made = chromium.new_context(
        viewport={"width": 390, "height": 860}, storage_state=context.storage_state(), locale="en-US", has_touch=True
    )
    with opened(made, workbench) as page:
        yield page
    made.close()


def test_who_stands_out_is_in_sight_while_columns_are_decided(phone: Any, workbench: Served, project: Project) -> None:
    phone.goto(f"{workbench.address}{project.address}/columns")
    line = phone.locator(".in-sight")
    line.locator("strong").first.wait_for()
    place = line.bounding_box()
    assert 0 < place["y"] < place["y"] + place["height"] <= 860
    assert "Unique" in line.inner_text()
    line.tap()
    phone.get_by_role("heading", name="Who stands out").wait_for()
    phone.wait_for_function("() => document.querySelector('#who-stands-out').getBoundingClientRect().top < 800")


def test_there_is_a_way_back_to_the_projects(phone: Any, workbench: Served, project: Project) -> None:
    phone.goto(f"{workbench.address}{project.address}/columns")
    brand = phone.get_by_role("link", name="nymity", exact=True)
    brand.wait_for()
    assert brand.bounding_box()["width"] > 10
    brand.tap()
    phone.get_by_role("heading", name="Projects", exact=True).wait_for()


def test_a_column_passes_for_no_other(page: Any, workbench: Served, project: Project) -> None:
    page.goto(f"{workbench.address}{project.address}/columns")
    page.locator(".column-name strong", has_text="⟨U+202E⟩xes").wait_for()
    page.goto(f"{workbench.address}{project.address}/data")
    page.locator(".ag-header-cell-text", has_text="⟨U+202E⟩xes").wait_for()


def test_a_long_history_is_shown_in_parts(page: Any, workbench: Served, project: Project) -> None:
    def promised(k: int) -> Any:
        return lambda data: data.update(privacy=[{"model": "k-anonymity", "k": k}])

    for k in range(2, 52):
        project.change_job(f"k is {k}", promised(k))
    page.goto(f"{workbench.address}{project.address}/history")
    page.wait_for_function("() => window.did_handshake")
    page.locator(".version-line", has_text="k is 51").wait_for()
    assert page.locator(".version-line").count() == 40
    page.get_by_role("button", name="Show 11 more versions").click()
    page.locator(".version-line", has_text="table opened").wait_for()
    assert page.locator(".version-line").count() == 51
