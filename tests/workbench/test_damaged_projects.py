"""Projects whose files are not as they were written: their pages say so, and every other project is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from browsing import Served
from houses import configured

import nymity as ny
from nymity.core.errors import NymityError
from nymity.workbench.home import Home
from nymity.workbench.house.house import House
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project
from nymity.workbench.runs import write_json
from nymity.workbench.screens import ORDER

DAMAGED = {
    "gone": None,
    "empty": b"",
    "cut": b'{"version": 1, "par',
    "bytes": b"\xff\xfe\x00[\n",
    "null": b"null\n",
    "list": b"[]\n",
    "object": b"{}\n",
}
FILES = ("audit.jsonl", "jobs/0001.toml", "runs/0001/spec.json", "runs/0001/result.json")


def begun(home: Home, folder: Path, name: str) -> Project:
    """A project with a run that has ended."""
    table = folder / f"{name}.csv"
    ny.write_table(ny.datasets.hospital(200).select("age", "sex", "diagnosis"), table)
    project = open_table(home, table)
    run = project.runs.folder / "0001"
    run.mkdir()
    write_json(run / "spec.json", {"task": "analyse", "version": 1, "settings": {}})
    write_json(run / "result.json", {"state": "failed", "error": {"message": "no"}})
    return project


@pytest.fixture(scope="module")
def projects(workbench: Served, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Project]:
    home, folder = Home(workbench.projects), tmp_path_factory.mktemp("damaged")
    return begun(home, folder, "first"), begun(home, folder, "second")


@pytest.fixture(scope="module")
def client(workbench: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=workbench.address, timeout=60) as made:
        made.get(workbench.opening)
        yield made


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("file", FILES)
def test_one_damaged_project_is_told_and_the_others_are_there(
    projects: tuple[Project, Project], client: httpx.Client, file: str, damage: str
) -> None:
    project, other = projects
    path, content = project.folder / file, DAMAGED[damage]
    kept = path.read_bytes()
    try:
        path.unlink() if content is None else path.write_bytes(content)
        start = client.get("/")
        assert start.status_code == 200
        assert other.address in start.text
        assert project.address in start.text
        assert client.get(f"{other.address}/history").status_code == 200
        shown = [client.get(f"{project.address}/{key}") for key in ORDER if key != "overview"]
        assert {page.status_code for page in shown} == {200}
        if file in FILES[:2] or damage not in ("gone",):
            assert all("cannot be shown" in page.text for page in shown), damage
            assert "damaged" in start.text
        assert client.get(f"/api{project.address}/rows").status_code in (200, 400)
    finally:
        path.write_bytes(kept)
    assert "cannot be shown" not in client.get(f"{project.address}/columns").text


@pytest.mark.parametrize(
    "about",
    [{"id": "'));window.hacked=1;//"}, {"id": "../../x"}, {"id": 5}, {"name": 7}, {"name": None}, {"id": "A" * 16}],
)
def test_a_folder_that_somebody_else_made_names_itself_in_no_address(tmp_path: Path, about: dict[str, object]) -> None:
    project = Project.begin(tmp_path / "project", name="x")
    path = project.folder / "project.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **about}))
    with pytest.raises(NymityError, match="16 hexadecimal digits"):
        Project.open(project.folder)


@pytest.mark.parametrize("damage", [name for name in DAMAGED if name not in ("gone", "empty", "cut")])
def test_in_a_house_it_is_nobodys_and_keeps_nobody_out(tmp_path: Path, damage: str) -> None:
    house = House(configured(tmp_path))
    ada = house.home_of(house.actors["ada"])
    damaged, whole = ada.begin("damaged"), ada.begin("whole")
    for project in (damaged, whole):
        project.share(["oncology"])
    damaged.audit.path.write_bytes(DAMAGED[damage] or b"")
    for name in ("ada", "ben", "eve"):
        theirs = house.home_of(house.actors[name])
        assert [one.name for one in theirs.recent()] == ["whole"]
        assert theirs.find(damaged.id) is None
        assert theirs.find(whole.id) is not None
