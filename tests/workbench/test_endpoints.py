"""Endpoints: rows in any order and of any search, by neutral names; refused where a project is private or unknown."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.io import read_detected
from nymity.workbench import roles
from nymity.workbench.endpoints import ADDRESS, Endpoint, address, answering, endpoints, neutral
from nymity.workbench.endpoints.rows import rows
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table, read_again
from nymity.workbench.project import Project
from nymity.workbench.roles import exposure, set_options, set_role, triples
from nymity.workbench.tables import look_at
from nymity.workbench.uploads import receiving

NAMES = [":x", "b", "c"]
CELLS = [("zoe", 3, None), ("ann", 1, "yes"), ("Zoe", 10, "no"), ("bob", 2, "no"), ("ann", 7, None)] * 12


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def project(home: Home, tmp_path_factory: pytest.TempPathFactory) -> Project:
    path = tmp_path_factory.mktemp("data") / "people.csv"
    ny.write_table(pl.DataFrame(CELLS, schema=NAMES, orient="row"), path)
    return open_table(home, path)


class Client:
    """Asks an application without a server."""

    def __init__(self, app: Any) -> None:
        self._transport = httpx.ASGITransport(app)

    def get(self, place: str, **given: Any) -> httpx.Response:
        return asyncio.run(self._ask("GET", place, given))

    def post(self, place: str, **given: Any) -> httpx.Response:
        return asyncio.run(self._ask("POST", place, given))

    async def _ask(self, method: str, place: str, given: dict[str, Any]) -> httpx.Response:
        async with httpx.AsyncClient(transport=self._transport, base_url="http://here") as client:
            return await client.request(method, place, **given)


@pytest.fixture
def client(home: Home) -> Client:
    upload = Route("/api/upload", receiving(home), methods=["POST"])
    return Client(Starlette(routes=[Route(ADDRESS, answering(home)), upload]))


def asked(project: Project, **query: object) -> list[tuple[Any, ...]]:
    found = rows(project, {name: str(value) for name, value in query.items()})["rows"]
    return [tuple(row[f"c{place}"] for place in range(3)) for row in found]


def test_rows_are_those_of_the_table(project: Project) -> None:
    found = rows(project, {"start": "2", "end": "5"})
    assert found["total"] == 60
    assert [row["n"] for row in found["rows"]] == [3, 4, 5]
    assert asked(project, start=2, end=4) == [("Zoe", "10", "no"), ("bob", "2", "no")]
    assert asked(project, start=59, end=500) == [("ann", "7", None)]
    assert asked(project, start=60, end=70) == []


@pytest.mark.parametrize("sort", ["c0", "-c0", "c1", "-c1", "c2", "-c2"])
def test_orders_are_those_of_a_sort_with_gaps_last(project: Project, sort: str) -> None:
    place, back = int(sort[-1]), sort.startswith("-")
    known = [row for row in CELLS if row[place] is not None]
    wanted = sorted(known, key=lambda row: row[place], reverse=back)
    if back:  # rows that are alike stay in their order
        values = sorted({row[place] for row in known}, reverse=True)
        wanted = [row for value in values for row in known if row[place] == value]
    wanted += [row for row in CELLS if row[place] is None]
    found = asked(project, start=0, end=60, sort=sort)
    assert found == [tuple(None if cell is None else str(cell) for cell in row) for row in wanted]


def test_a_search_looks_into_every_cell_whatever_the_case(project: Project) -> None:
    assert {row[0] for row in asked(project, text="ZOE", end=60)} == {"zoe", "Zoe"}
    assert {row[1] for row in asked(project, text="7", end=60)} == {"7"}
    assert asked(project, text=".*", end=60) == []
    assert [row[0] for row in asked(project, text="no", sort="c1", end=60)][:2] == ["bob", "bob"]


@pytest.mark.parametrize("query", [{"start": "-1"}, {"end": "x"}, {"start": "9" * 20}, {"sort": "c3"}, {"sort": ":x"}])
def test_what_makes_no_sense_is_refused(project: Project, query: dict[str, str]) -> None:
    with pytest.raises(ParameterError):
        rows(project, query)


def test_names_of_columns_are_no_keys(project: Project, client: Client) -> None:
    answer = client.get(address(project, "rows"))
    assert answer.status_code == 200
    assert set(answer.json()["rows"][0]) == {"n", "c0", "c1", "c2"}
    assert neutral(pl.DataFrame({":a": [1], "__proto__": [2]})).columns == ["c0", "c1"]


def test_errors_have_one_form(project: Project, client: Client) -> None:
    answer = client.get(address(project, "rows"), params={"start": "x"})
    assert answer.status_code == 400
    assert answer.json()["error"] == {
        "kind": "ParameterError",
        "message": "start: expected a whole number, not below 0, got 'x'",
        "where": "start",
        "expected": "a whole number, not below 0",
        "got": "'x'",
        "hint": "",
    }


@pytest.mark.parametrize("place", ["/api/p/0000/rows", "/api/p/{id}/nothing", "/api/p/..%2f..%2f/rows"])
def test_what_nobody_has_is_not_there(project: Project, client: Client, place: str) -> None:
    assert client.get(place.format(id=project.id)).status_code == 404


def test_a_frame_is_sent_as_arrow(project: Project, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pl.DataFrame({"c0": [1, 2]})
    monkeypatch.setitem(endpoints(), "frame", Endpoint(name="frame", answer=lambda project, query: table))
    assert pl.read_ipc_stream(client.get(address(project, "frame")).content).equals(table)


def test_every_endpoint_is_refused_in_a_private_project(home: Home, project: Project, client: Client) -> None:
    private = open_table(home, Path(project.job_data["source"]["path"]), private=True)
    assert [one.name for one in endpoints().values() if one.looks]
    for one in endpoints().values():
        if one.looks:
            assert client.get(address(private, one.name)).status_code == 403


# -- what changes a project ------------------------------------------------------------------------------------


def test_an_upload_is_a_project_that_keeps_the_file(home: Home, client: Client) -> None:
    answer = client.post("/api/upload", params={"name": "../../../etc/people.csv"}, content=b"a,b\n1,2\n3,4\n")
    made = home.find(answer.json()["project"])
    assert Path(made.job_data["source"]["path"]) == made.files / "people.csv"
    assert look_at(made).height == 2
    assert not list(home.folder.glob(".upload-*"))


@pytest.mark.parametrize(
    "name",
    [
        "..\\\\..\\\\x.csv",
        "/etc/x.csv",
        "x/../../y.csv",
        "a\0b.csv",
        ".csv",
        "..",
        ".",
        "",
        "a" * 999,
        "\N{CROWN}" * 300 + ".csv",
    ],
)
def test_names_of_uploads_lead_nowhere_else(home: Home, client: Client, name: str) -> None:
    answer = client.post("/api/upload", params={"name": name}, content=b"a,b\n1,2\n3,4\n")
    assert answer.status_code in (200, 400), name
    if answer.status_code == 200:
        made = home.find(answer.json()["project"])
        assert Path(made.job_data["source"]["path"]).parent == made.files
        assert made.folder.parent == home.folder


def test_an_upload_that_is_no_table_leaves_nothing(home: Home, client: Client) -> None:
    before = set(home.folder.iterdir())
    for name, content in (("x.exe", b"MZ"), ("x.csv", b""), ("x.xlsx", b"PK\3\4 no"), ("x.parquet", b"PAR1PAR1")):
        answer = client.post("/api/upload", params={"name": name}, content=content)
        assert answer.status_code == 400, name
        assert answer.json()["error"]["message"]
    assert set(home.folder.iterdir()) - before <= {home.folder / "recent.json"}


def test_a_name_that_no_release_could_have_is_refused_with_the_file_and_leaves_nothing(
    home: Home, client: Client
) -> None:
    before = set(home.folder.iterdir())
    content = ("x" * 1001 + ",sex\n" + "20,f\n30,m\n" * 20).encode()
    answer = client.post("/api/upload", params={"name": "t.csv"}, content=content)
    assert answer.status_code == 400
    assert answer.json()["error"]["expected"] == "names of columns of at most 1,000 letters"
    assert set(home.folder.iterdir()) - before <= {home.folder / "recent.json"}


def demo(home: Home) -> Project:
    from nymity.workbench.opening import open_demo

    return open_demo(home, rows=300)


def test_a_role_brings_what_it_needs(home: Home) -> None:
    project = demo(home)
    set_role(project, "insurance", "sensitive", "test")
    assert {"model": "distinct-l-diversity", "l": 3, "attribute": "insurance"} in project.job_data["privacy"]
    assert project.problem() is None
    set_role(project, "diagnosis", "quasi", "test")
    assert not [model for model in project.job_data["privacy"] if model.get("attribute") == "diagnosis"]
    assert project.job_data["schema"]["diagnosis"]["role"] == "quasi"
    set_role(project, "patient_id", "person", "test")
    set_role(project, "name", "person", "test")
    assert project.job_data["schema"]["patient_id"] == {"role": "identifying"}
    assert project.job().schema.person == "name"
    assert project.state.version.decided == {"insurance", "diagnosis", "patient_id", "name"}
    set_role(project, "age", "quasi", "test")
    assert project.job_data["schema"]["age"]["hierarchy"]


def test_every_role_can_be_given_and_taken_back(home: Home) -> None:
    project = demo(home)
    for role in ("items", "sensitive", "weight", "household", "insensitive", "identifying", "quasi"):
        set_role(project, "length_of_stay", role, "test")
        assert project.job_data["schema"]["length_of_stay"]["role"] == role
        assert ("km-anonymity" in str(project.job_data["privacy"])) == (role == "items")


def test_options_that_do_not_fit_are_refused_and_no_version(home: Home) -> None:
    project = demo(home)
    at = project.state.at
    with pytest.raises(ny.NymityError):
        set_options(project, "age", {"pseudonym": "random"}, "test")
    assert project.state.at == at
    set_options(project, "age", {"missing": "drop"}, "test")
    assert project.job().schema["age"].missing == "drop"


def test_exposure_is_what_the_library_counts(home: Home) -> None:
    project = demo(home)
    found = exposure(project)
    table = ny.read_table(project.job_data["source"]["path"])
    quasi = [name for name, one in project.job_data["schema"].items() if one["role"] == "quasi"]
    assert found.uniqueness == ny.risk.uniqueness(table, quasi)
    assert found.drivers.combinations.equals(ny.risk.drivers(table, quasi, size=2).combinations)
    told: list[int] = []
    counted = triples(project, lambda progress: told.append(progress.done))
    assert set(counted["size"]) == {3}
    everything = ny.risk.drivers(table, quasi, size=3).combinations
    assert counted["unique"].to_list() == sorted(everything.filter(everything["size"] == 3)["unique"], reverse=True)
    assert told == list(range(1, len(quasi) + 1))
    look_at(project).memory.pop("triples")
    with pytest.raises(ny.NymityError):  # whoever leaves the page ends it
        triples(project, lambda _: False)
    for name in quasi:
        set_role(project, name, "insensitive", "test")
    assert exposure(project) is None


def test_a_page_that_asks_about_other_columns_at_once_throws_no_answer_out(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a page found was thrown out by another one before it was returned, and the page ended with an error."""
    project = demo(home)
    memory = look_at(project).memory
    # What is called when an answer was kept, and before it is returned: here the other page comes in between.
    monkeypatch.setattr(roles, "give_back", lambda: [memory.get(name, {}).clear() for name in ("exposure", "triples")])
    assert exposure(project).uniqueness.units == look_at(project).height
    assert triples(project, lambda _: None).height


def test_reading_otherwise_keeps_what_was_decided(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id;age;pay\n" + "".join(f"{i};{20 + i % 50};{i % 9},5\n" for i in range(200)))
    project = open_table(home, path)
    assert project.job_data["source"]["decimal"] == ","
    assert look_at(project).cells["pay"].dtype == pl.Float64
    set_role(project, "age", "insensitive", "test")
    noise = [{"transform": "post-randomization", "columns": ["age"]}]
    project.change_job("test", lambda data: {**data, "transforms": noise})
    read_again(project, {**project.job_data["source"], "decimal": ".", "missing": ["20"]})
    assert look_at(project).cells["pay"].dtype == pl.String
    assert look_at(project).cells["age"].null_count() == 4
    assert project.job_data["schema"]["age"] == {"role": "insensitive"}
    assert project.job_data["transforms"] == noise
    project.undo()
    assert look_at(project).cells["pay"].dtype == pl.Float64


def test_a_table_is_read_once_for_all_pages(project: Project) -> None:
    assert look_at(project) is look_at(Project.open(project.folder))
    cells, _, _ = read_detected(project.job_data["source"]["path"], project.source().options)
    assert look_at(project).height == cells.height
