"""What is still to do: the navigation counts it, and a search that cannot begin leads there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import Served

import nymity as ny
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table

pytestmark = pytest.mark.browser


def test_a_private_project_says_that_its_columns_are_to_be_named(page: Any, workbench: Served, tmp_path: Path) -> None:
    ny.write_table(ny.datasets.hospital(100).select("age", "sex"), tmp_path / "people.csv")
    project = open_table(Home(workbench.projects), tmp_path / "people.csv", private=True)
    page.goto(f"{workbench.address}{project.address}/search")
    step = page.locator("nav.steps a", has_text="Columns")
    step.locator(".warned").wait_for()
    assert step.locator(".done").count() == 0
    page.locator("#content").get_by_role("link", name="First: Columns").click()
    page.get_by_label("Names of columns").wait_for()
