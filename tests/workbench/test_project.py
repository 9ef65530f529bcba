"""Projects: versions of the job, undo, notes, who did what; whole after a crash, and closed to others."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError, ParameterError
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table, uploaded
from nymity.workbench.project import Project
from nymity.workbench.unturned import unturned, unturned_cells

JOB = {
    "source": {"path": "/data/people.csv"},
    "schema": {"age": {"role": "quasi"}},
    "privacy": [{"model": "k-anonymity", "k": 5}],
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.begin(tmp_path / "p", name="people")


def with_k(k: int) -> object:
    def edit(data: dict) -> None:
        data["privacy"][0]["k"] = k

    return edit


def test_each_change_is_a_version_and_undo_moves_a_pointer(project: Project) -> None:
    assert project.job_data == {}
    assert project.change_job("opened", lambda data: JOB) == 1
    assert project.change_job("k", with_k(7)) == 2
    assert project.job() == ny.Job.from_dict({**JOB, "privacy": [{"model": "k-anonymity", "k": 7}]})
    assert project.undo()
    assert project.job_data == JOB
    assert project.redo()
    assert project.job_data["privacy"][0]["k"] == 7
    project.undo()
    assert project.change_job("k", with_k(9)) == 3  # another way from version 1: version 2 stays
    assert project.version_data(2)["privacy"][0]["k"] == 7
    assert project.undo()
    assert project.state.later == 3
    assert not project.undo()


def test_a_change_that_changes_nothing_is_no_version(project: Project) -> None:
    project.change_job("opened", lambda data: JOB)
    assert project.change_job("again", lambda data: None) == 1
    assert project.change_job("decided", lambda data: None, decided=["age"]) == 2
    assert project.state.version.decided == {"age"}
    project.undo()
    assert project.state.version.decided == frozenset()


def test_what_is_asked_and_not_decided_is_open(project: Project) -> None:
    project.change_job("opened", lambda data: JOB, asked=["age", "zip"])
    assert project.state.version.undecided == ("age", "zip")
    project.change_job("decided", lambda data: None, decided=["zip"])
    assert project.state.version.undecided == ("age",)


def test_an_edit_that_fails_leaves_everything_as_it_was(project: Project) -> None:
    project.change_job("opened", lambda data: JOB)
    before = project.audit.stamp

    def edit(data: dict) -> None:
        data.clear()
        raise ParameterError("x", expected="y", got="z")

    with pytest.raises(ParameterError):
        project.change_job("wrong", edit)
    assert project.job_data == JOB
    assert project.audit.stamp == before


def test_another_page_sees_changes(project: Project) -> None:
    other = Project.open(project.folder)
    project.change_job("opened", lambda data: JOB)
    assert other.job_data == JOB
    other.add_note("looks fine")
    assert [note.text for note in project.state.notes] == ["looks fine"]
    assert Project.open(project.folder).id == project.id


def test_an_incomplete_job_says_what_it_lacks(project: Project) -> None:
    project.change_job("named", lambda data: {"source": {"path": "/data/people.csv"}})
    assert "a field 'schema'" in str(project.problem())
    project.change_job("described", lambda data: JOB)
    assert project.problem() is None


def test_the_log_tells_who_did_what_and_notices_an_edit(project: Project) -> None:
    project.change_job("opened", lambda data: JOB)
    project.add_note("one")
    assert project.audit.broken_at() is None
    assert [entry.what for entry in project.audit.entries()] == ["begun", "job", "note"]
    lines = project.audit.path.read_text().splitlines(keepends=True)
    for wrong, place in [
        (lines[0] + lines[1].replace("opened", "opEned") + lines[2], 2),
        (lines[0] + lines[2], 2),
        (lines[1] + lines[0] + lines[2], 1),
        (lines[0] + lines[1] + lines[1] + lines[2], 3),
    ]:
        project.audit.path.write_text(wrong)
        assert project.audit.broken_at() == place


def test_a_line_that_a_crash_cut_off_is_removed_by_the_next_writer(project: Project) -> None:
    project.change_job("opened", lambda data: JOB)
    whole = project.audit.path.read_bytes()
    project.audit.path.write_bytes(whole + b'{"number": 3, "wh')
    assert project.job_data == JOB
    project.add_note("after")
    assert project.audit.broken_at() is None
    assert project.audit.path.read_bytes().startswith(whole)
    assert [entry.number for entry in project.audit.entries()] == [1, 2, 3]


def test_a_version_that_was_written_before_a_crash_and_never_held_is_written_over(project: Project) -> None:
    project.change_job("opened", lambda data: JOB)
    (project.folder / "jobs" / "0002.toml").write_text("left = 1")
    assert project.change_job("k", with_k(8)) == 2
    assert project.version_data(2)["privacy"][0]["k"] == 8


def test_a_private_project_shows_nothing_of_records(tmp_path: Path) -> None:
    from nymity.workbench.tables import look_at

    project = Project.begin(tmp_path / "p", name="secret", private=True)
    assert not project.may_look
    project.change_job("named", lambda data: JOB)
    with pytest.raises(ParameterError, match="whose promise a look at the records would void"):
        look_at(project)
    assert not project.state.explored


def test_turning_an_explored_project_private_is_marked_for_good(project: Project) -> None:
    project.change_job("opened", lambda data: JOB)
    project.turn_private()
    project.turn_private()
    assert not project.may_look
    assert project.state.explored
    project.undo()
    assert not Project.open(project.folder).may_look
    assert [entry.what for entry in project.audit.entries()].count("turned private") == 1


def test_everything_is_its_owners_alone(project: Project) -> None:
    project.change_job("opened", lambda data: JOB)
    for path in [project.folder, *project.folder.rglob("*")]:
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "x" * 101])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError):
        Project.begin(tmp_path / "p", name=name)
    assert not (tmp_path / "p").exists()


def test_a_folder_with_something_in_it_is_no_new_project(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(FileError, match="an empty one"):
        Project.begin(tmp_path, name="x")


def test_a_home_remembers_projects_and_leaves_out_what_is_gone(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert home.recent() == []
    one, other = home.begin("../../etc/passwd"), home.begin("../../etc/passwd")
    assert one.folder.parent == other.folder.parent == home.folder
    assert [project.id for project in home.recent()] == [other.id, one.id]
    home.remember(one)
    assert [project.id for project in home.recent()] == [one.id, other.id]
    assert home.find(other.id).folder == other.folder
    assert home.find("") is None
    other.remove()
    assert [project.id for project in home.recent()] == [one.id]
    (one.folder / "project.json").write_text(json.dumps({"format": "nymity-project-99", "id": "x", "name": "y"}))
    assert home.recent() == []


def test_projects_that_begin_at_once_under_one_name_are_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, begin = Home(tmp_path / "home"), Project.begin
    meanwhile: list[Project] = []

    def late(folder: Path, **given: Any) -> Project:
        monkeypatch.setattr(Project, "begin", staticmethod(begin))
        meanwhile.append(home.begin("registry"))  # when the first has its name and not yet its folder
        return begin(folder, **given)

    monkeypatch.setattr(Project, "begin", staticmethod(late))
    first = home.begin("registry")
    assert {first.folder.name, meanwhile[0].folder.name} == {"registry", "registry-2"}


def test_every_project_of_the_folder_is_there_however_many_were_opened(tmp_path: Path) -> None:
    home = Home(tmp_path / "projects")
    begun = [home.begin(f"number {number}") for number in range(33)]
    assert [home.find(one.id) for one in begun].count(None) == 0
    assert {one.id for one in home.recent()} == {one.id for one in begun}
    assert home.recent()[0].id == begun[-1].id


def test_projects_that_are_opened_at_once_are_all_remembered(tmp_path: Path) -> None:
    home, elsewhere = Home(tmp_path / "projects"), Home(tmp_path / "elsewhere")
    begun = [elsewhere.begin(f"number {number}") for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(home.remember, begun))
    assert {one.id for one in home.recent()} == {one.id for one in begun}


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"projects": null}', b'{"projects": [1]}'])
def test_a_list_of_recent_projects_that_is_damaged_hides_no_project(tmp_path: Path, content: bytes) -> None:
    home = Home(tmp_path / "projects")
    begun = home.begin("mine")
    (home.folder / "recent.json").write_bytes(content)
    assert [one.id for one in home.recent()] == [begun.id]
    home.remember(begun)
    assert [one.id for one in home.recent()] == [begun.id]


def test_letters_that_are_turned_by_force_are_shown_as_they_are_read() -> None:
    assert unturned("\u202exes\u202c") == "⟨U+202E⟩xes⟨U+202C⟩"
    assert unturned("שלום, Zoë") == "שלום, Zoë"
    assert unturned_cells(pl.Series(["a\u2066b", None, "c"])).to_list() == ["a⟨U+2066⟩b", None, "c"]


@pytest.mark.parametrize(
    "name", ["a" * 150, "bidi\u202e", "zero\u200bwidth", "soft\u00adhyphen", "   ", "😀" * 50, "..", "tab\there"]
)
def test_a_file_may_be_called_anything(tmp_path: Path, name: str) -> None:
    home, path, staged = Home(tmp_path / "projects"), tmp_path / f"{name}.csv", tmp_path / "staged"
    for there in (path, staged):
        there.write_text("age,sex\n41,m\n42,f\n")
    for project in (open_table(home, path), uploaded(home, f"{name}.csv", staged)):
        assert project.name.isprintable()
        assert 1 <= len(project.name) <= 100
        assert project.folder.parent == home.folder
        assert list(project.job_data["schema"]) == ["age", "sex"]
