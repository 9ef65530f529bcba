"""Rights: the table, and what holds where no table is asked: at the project itself, for every role."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from houses import USERS, configured
from starlette.requests import Request

import nymity as ny
from nymity.core.errors import InputError, NymityError
from nymity.privacy import MODELS
from nymity.workbench.analyses import analyse, figures_of, open_log, open_trial
from nymity.workbench.endpoints import endpoints
from nymity.workbench.explorations import begin, publish_choice
from nymity.workbench.hierarchy_drafts import imported, ladder_of, source_of
from nymity.workbench.home import Home
from nymity.workbench.house.house import House, HouseHome, _size
from nymity.workbench.house.house_guard import ACTOR
from nymity.workbench.house.page_binding import _connecting
from nymity.workbench.house.reach import Reach
from nymity.workbench.house.rights import ENDPOINTS, ROLES, SCREENS, Actor, HouseRole, Right
from nymity.workbench.keys import keys_of, make_key
from nymity.workbench.opening import LyingThere, address_of, open_demo, open_job, open_table, uploaded
from nymity.workbench.project import Project
from nymity.workbench.roles import exposure
from nymity.workbench.runs import BackgroundRun
from nymity.workbench.screens import ORDER, screens, screens_for
from nymity.workbench.tables import look_at
from nymity.workbench.trials import TriedRelease
from nymity.workbench.uploads import receiving


class Written:
    """Begins no process, and remembers which it would have begun."""

    def __init__(self) -> None:
        self.began: list[tuple[Path, str]] = []

    def admit(self, who: str) -> None:
        pass

    def launch(self, folder: Path, who: str, secret: str | None) -> None:
        self.began.append((folder, who))

    def weigh(self, source: object, who: str) -> None:
        pass


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    made = House(configured(tmp_path_factory.mktemp("house"), folders={"databases": [DATABASE]}))
    for name, actor in made.actors.items():
        made.actors[name] = Actor(**{**vars(actor), "launcher": Written()})
    return made


@pytest.fixture(scope="module")
def shared(house: House) -> Project:
    project = open_demo(home(house, "ada"), rows=300)
    project.share(["oncology"])
    return project


def home(house: House, name: str) -> HouseHome:
    return house.home_of(house.actors[name])


def as_seen_by(house: House, name: str, project: Project) -> Project:
    found = home(house, name).find(project.id)
    assert found is not None
    return found


# -- the table -------------------------------------------------------------------------------------------------


def test_every_screen_and_every_endpoint_is_in_the_table() -> None:
    assert set(SCREENS) == set(ORDER) == set(screens())
    assert set(ENDPOINTS) == {*endpoints(), "passphrase"}


#: What is there for whom, written out: a change of the table is a change here.
SEEN = {
    "custodian": "data columns hierarchies promises search explore result release history",
    "analyst": "data columns hierarchies promises search explore result history",
    "viewer": "overview",
}


@pytest.mark.parametrize("role", SEEN)
def test_screens_of_a_role(role: str) -> None:
    actor = Actor(name="x", role=HouseRole(role))
    assert list(screens_for(actor)) == SEEN[role].split()
    assert not actor.sees_screen("one-that-nobody-named") or role == "custodian"
    assert not actor.gets("one-that-nobody-named") or role == "custodian"
    assert {name for name in ENDPOINTS if actor.gets(name)} == {
        "custodian": set(ENDPOINTS),
        "analyst": set(ENDPOINTS) - {"passphrase", "release-page"},
        "viewer": set(),
    }[role]


def test_a_viewer_may_nothing_but_see() -> None:
    assert ROLES[HouseRole.VIEWER] == {Right.SEE}
    assert ROLES[HouseRole.ANALYST] == set(Right) - {Right.RELEASE, Right.SHARE}


def fake_trial(project: Project) -> TriedRelease:
    return TriedRelease(BackgroundRun(project.folder / "runs" / "9999"))


DATABASE = "postgresql://db.example.org/registry"

#: Each action, and the roles that may; the others are refused before anything is done.
ACTIONS: dict[str, tuple[Callable[[Project], Any], str]] = {
    "change the job": (lambda one: one.change_job("x", lambda data: data), "custodian analyst"),
    "undo": (lambda one: one.undo(), "custodian analyst"),
    "redo": (lambda one: one.redo(), "custodian analyst"),
    "note": (lambda one: one.add_note("x"), "custodian analyst"),
    "look at the table": (look_at, "custodian analyst"),
    "exposure": (exposure, "custodian analyst"),
    "hierarchy": (lambda one: ladder_of(one, "age", {"type": "flat"}), "custodian analyst"),
    "explore": (begin, "custodian analyst"),
    "search": (lambda one: one.runs.start("publish", job=one.job_path, version=1), "custodian analyst"),
    "write": (
        lambda one: one.runs.start("publish", job=one.job_path, version=1, out=str(one.folder / "out")),
        "custodian",
    ),
    "write to a database": (
        lambda one: one.runs.start("publish", job=one.job_path, version=1, database={"url": DATABASE, "table": "t"}),
        "custodian",
    ),
    "make a key": (lambda one: make_key(one, f"key-{one.actor.name}", "a passphrase"), "custodian"),
    "share": (lambda one: one.share(["oncology"]), "custodian"),
}


@pytest.mark.parametrize("name", ["ada", "ben", "eve"])
@pytest.mark.parametrize("action", ACTIONS)
def test_actions_of_a_role(house: House, shared: Project, name: str, action: str) -> None:
    act, roles = ACTIONS[action]
    project = as_seen_by(house, name, shared)
    role, before = USERS[name]["role"], shared.audit.stamp
    if role in roles.split():
        act(project)
    else:
        with pytest.raises(InputError, match=f"somebody who may .*got a {role}"):
            act(project)
        assert shared.audit.stamp == before


@pytest.mark.parametrize("name", ["ben", "eve"])
def test_the_custodians_log_is_the_custodians(house: House, shared: Project, name: str) -> None:
    with pytest.raises(InputError, match="somebody who may write releases"):
        open_log(as_seen_by(house, name, shared), fake_trial(shared))


@pytest.mark.parametrize(
    "look",
    [
        lambda one: open_trial(one, fake_trial(one)),
        lambda one: analyse(one, fake_trial(one)),
        lambda one: figures_of(one, fake_trial(one)),
        lambda one: publish_choice(one, "x", None),
        lambda one: one.turn_private(),
    ],
)
def test_a_viewer_looks_into_no_result(house: House, shared: Project, look: Callable[[Project], Any]) -> None:
    with pytest.raises(InputError, match="got a viewer"):
        look(as_seen_by(house, "eve", shared))


def test_every_endpoint_refuses_a_viewer_also_where_it_is_asked_past_the_table(house: House, shared: Project) -> None:
    viewed = as_seen_by(house, "eve", shared)
    for one in endpoints().values():
        with pytest.raises(NymityError):
            one.answer(viewed, {"column": "age", "trial": "1", "from": "0", "to": "1", "first": "0", "second": "1"})


def test_a_viewer_begins_nothing(house: House, tmp_path: Path) -> None:
    eve = home(house, "eve")
    table = house.configuration.folders.tables[0] / "t.csv"
    ny.write_table(ny.datasets.hospital(50), table)
    (tmp_path / "u.csv").write_text("a,b\n1,2\n")
    for act in (lambda: open_demo(eve), lambda: open_table(eve, table), lambda: uploaded(eve, "u", tmp_path / "u.csv")):
        with pytest.raises(InputError, match="got a viewer"):
            act()
    assert not list(eve.folder.glob("*/project.json"))


# -- whose projects ---------------------------------------------------------------------------------------------


def test_a_project_is_there_for_its_owner_and_its_groups_alone(house: House, shared: Project) -> None:
    own = open_demo(home(house, "ada"), rows=100)
    assert home(house, "ada").find(own.id) is not None
    for name in ("ben", "eve", "mal"):
        assert home(house, name).find(own.id) is None
        assert own.id not in [one.id for one in home(house, name).recent()]
    own.share(["oncology"])
    assert [bool(home(house, name).find(own.id)) for name in ("ben", "eve", "mal")] == [True, True, False]
    own.share([])
    assert [bool(home(house, name).find(own.id)) for name in ("ben", "eve", "mal")] == [False, False, False]
    with pytest.raises(InputError, match="groups that you belong to"):
        own.share(["cardiology"])


@pytest.mark.parametrize(
    "given", ["", "..", "../ada", "%2e%2e", "0" * 16, "0" * 15, "g" * 16, "A" * 16, "*", "\0" * 16]
)
def test_an_id_that_is_guessed_is_nobodys(house: House, shared: Project, given: str) -> None:
    assert home(house, "mal").find(given) is None


def test_an_id_that_nobody_has_opens_no_project_again(
    house: House, shared: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr("nymity.workbench.house.house.opened", lambda folder, actor: asked.append(folder))
    house.place_of(shared.id)
    asked.clear()
    for number in range(50):
        assert house.place_of(f"{number:016x}") is None
    assert shared.folder not in asked


def test_who_did_it_is_in_the_log_whoever_runs_the_server(house: House, shared: Project) -> None:
    as_seen_by(house, "ben", shared).add_note("from Ben")
    as_seen_by(house, "ada", shared).undo()
    run = as_seen_by(house, "ben", shared).runs.start("publish", job=shared.job_path, version=1)
    last = shared.audit.entries()[-1]
    assert (last.who, last.what, last.details["run"]) == ("ben", "run", run.number)
    assert {entry.who for entry in shared.audit.entries()} <= {"ada", "ben"}
    assert shared.state.owner == "ada"
    assert shared.audit.broken_at() is None
    assert house.actors["ben"].launcher.began[-1] == (run.folder, "ben")


# -- files and databases ---------------------------------------------------------------------------------------


def reach(folder: Path) -> Reach:
    return Reach(
        tables=(folder / "tables",), releases=folder / "releases", keys=folder / "keys", databases=frozenset({DATABASE})
    )


@pytest.mark.parametrize(
    "job",
    [
        {"source": {"path": "/etc/passwd"}},
        {"source": {"path": "relative.csv"}},
        {"source": {"path": "{tables}/../secret.csv"}},
        {"source": {"path": "{tables}/link.csv"}},
        {"source": {"path": "{tables}x/t.csv"}},
        {"source": {"url": "postgresql://db.example.org/other", "table": "t"}},
        {"source": {"url": "postgresql://127.0.0.1:1/registry", "table": "t"}},
        {"source": {"url": DATABASE + "?host=evil.example", "table": "t"}},
        {"source": {"url": "duckdb:////etc/passwd", "table": "t"}},
        {"output": {"url": "postgresql://evil.example/x", "table": "t"}},
        {"schema": {"age": {"hierarchy": {"type": "file", "path": "/etc/passwd"}}}},
        {"schema": {"age": {"hierarchy": {"type": "taxonomy", "file": "/etc/passwd"}}}},
        {"schema": {"age": {"pseudonym_key": "/etc/passwd"}}},
        {"privacy": [{"model": "k-map", "k": 5, "population": "/etc/passwd"}]},
        {"privacy": [{"model": "delta-presence", "subset": "/etc/passwd"}]},
        {"children": {"path": "/etc/passwd"}},
        {"ledger": {"path": "/var/ledger.json", "source": "x"}},
        {"ledger": {"path": "{tables}/ledger.json", "source": "x"}},  # it would be written
        {"sign": {"key": "{tables}/key"}},
        {"sign": {"key": "/etc/ssl/private/key.pem"}},
        {"earlier_releases": [{"release": "/srv/other"}]},
        {"earlier_releases": [{"release": "{tables}/r", "custodian": "/srv/other-custodian"}]},
        {"earlier_releases": [{"release": "{tables}/r", "source": "/etc/passwd"}]},
        {"engine": {"kind": "spark", "master": "spark://evil.example:7077"}},
        {"engine": {"kind": "duckdb"}},
        {"engine": {"kind": "streaming", "temporary": "/etc"}},
        {"engine": {"kind": "memory", "settings": {"x": "y"}}},
    ],
)
def test_a_job_that_names_what_is_out_of_reach_is_refused(tmp_path: Path, job: dict[str, Any]) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "link.csv").symlink_to("/etc/passwd")

    def placed(data: Any) -> Any:
        if isinstance(data, dict):
            return {name: placed(one) for name, one in data.items()}
        if isinstance(data, list):
            return [placed(one) for one in data]
        return data.replace("{tables}", str(tmp_path / "tables")) if isinstance(data, str) else data

    with pytest.raises(InputError):
        reach(tmp_path).check_job(placed(job), inside=tmp_path / "project")


def test_every_second_table_of_a_model_is_known_to_be_a_file(tmp_path: Path) -> None:
    named = {model.second_table for model in MODELS.values() if model.second_table}
    assert named
    for name in named:
        with pytest.raises(InputError):
            reach(tmp_path).check_job({"privacy": [{name: "/etc/passwd"}]}, inside=tmp_path / "project")


def test_what_is_in_reach_is_not_refused(tmp_path: Path) -> None:
    inside, tables = tmp_path / "project", tmp_path / "tables"
    job = {
        "source": {"path": str(tables / "t.csv"), "dates_in": {"path": "%d.%m.%Y"}},
        "schema": {"path": {"role": "quasi", "hierarchy": {"type": "rows", "rows": [["/etc/passwd", "*"]]}}},
        "privacy": [{"model": "k-map", "k": 5, "population": str(inside / "files" / "p.csv")}],
        "ledger": {"path": str(inside / "ledger.json"), "source": "registry"},
        "sign": {"key": str(tmp_path / "keys" / "key")},
        "earlier_releases": ["the one of May"],
        "engine": {"kind": "streaming"},
    }
    reach(tmp_path).check_job(job, inside=inside)
    reach(tmp_path).check_job({"source": {"url": DATABASE, "query": "select 1"}}, inside=inside)
    listed = Reach(databases=frozenset({"duckdb:////srv/r.duckdb"}))
    listed.check_job({"source": {"url": "duckdb:////srv/r.duckdb", "table": "t"}}, inside=inside)
    with pytest.raises(InputError):  # a query there reads any file: select * from read_csv('/etc/passwd')
        listed.check_job({"source": {"url": "duckdb:////srv/r.duckdb", "query": "select 1"}}, inside=inside)
    before = {"source": {"url": "duckdb:////srv/r.duckdb", "table": "t"}}
    after = {"source": {"url": "duckdb:////srv/r.duckdb", "query": "select 1"}}
    with pytest.raises(InputError):
        listed.check_job(after, inside=inside, known=before)


def test_nothing_out_of_reach_is_opened_and_nobody_learns_whether_it_is_there(house: House, shared: Project) -> None:
    mal, told = home(house, "mal"), set()
    theirs = str(shared.folder / "files" / "hospital.csv")
    for path in (
        "/etc/passwd",
        "/nowhere/at/all",
        theirs,
        str(shared.folder),
        "~root/.ssh",
        "t.csv",
        "/proc/self/environ",
    ):
        for act in (
            lambda path=path: LyingThere.at(path, mal.actor.reach),
            lambda path=path: open_table(mal, Path(path)),
        ):
            with pytest.raises(InputError) as refused:
                act()
            told.add(refused.value.expected)
    assert told == {"a file that was uploaded, or in a folder of the house"}
    assert not list(mal.folder.glob("*/project.json"))


def test_a_job_in_a_folder_of_the_house_reaches_no_further(house: House, shared: Project, tmp_path: Path) -> None:
    mal, tables = home(house, "mal"), house.configuration.folders.tables[0]
    job = tables / "job.toml"
    text = (shared.folder / "jobs" / "0001.toml").read_text()
    job.write_text(text)  # its table is Ada's
    with pytest.raises(InputError, match="uploaded"):
        open_job(mal, job)
    with pytest.raises(InputError, match="uploaded"):
        address_of(mal, LyingThere.at(str(job), mal.actor.reach))
    assert not list(mal.folder.glob("*/project.json"))


def test_hierarchies_and_drafts_read_no_other_files(house: House, shared: Project) -> None:
    project = as_seen_by(house, "ben", shared)
    at = project.state.at
    for act in (
        lambda: imported(project, "/etc/passwd"),
        lambda: source_of(project, "age", {"type": "file", "path": "/etc/passwd"}),
        lambda: ladder_of(project, "age", {"type": "taxonomy", "file": "/etc/passwd"}),
        lambda: project.change_job("x", lambda data: {**data, "source": {"path": "/etc/passwd"}}),
    ):
        with pytest.raises(InputError, match="uploaded"):
            act()
    assert project.state.at == at


@pytest.mark.parametrize("out", ["/srv/x", "{releases}", "{releases}/../mal/x", "{mal}", "relative", "{tables}/x"])
def test_releases_are_written_into_ones_own_folder_alone(house: House, shared: Project, out: str) -> None:
    folders = house.configuration.folders
    place = out.format(releases=folders.releases / "ada", mal=folders.releases / "mal" / "x", tables=folders.tables[0])
    with pytest.raises(InputError):
        shared.runs.start("publish", job=shared.job_path, version=1, out=place)
    key, own = str(folders.keys / "mal" / "key"), str(folders.releases / "ada" / "x")
    with pytest.raises(InputError, match="a key in your folder"):
        shared.runs.start("publish", job=shared.job_path, version=1, out=own, key=key)
    assert not [one for one in shared.runs.all() if one.spec["settings"].get("out") == place]


def test_a_user_takes_no_more_than_their_share_of_the_disk(tmp_path: Path) -> None:
    small = House(configured(tmp_path, limits={"storage_mb": 1}))
    ada = home(small, "ada")
    project = ada.begin("first")
    (project.files / "big").write_bytes(b"x" * 1_100_000)
    with pytest.raises(InputError, match="at most 1 MB"):
        ada.begin("second")
    home(small, "mal").begin("of another")


def test_one_user_does_not_fill_the_disk_with_uploads_that_are_under_way(tmp_path: Path) -> None:
    """They count before they are there: each may be as long as the house allows, and would be refused at its end."""
    house = House(configured(tmp_path / "uploads", limits={"storage_mb": 1}))
    answer = receiving(house)

    async def upload(name: str, body: list[bytes], go_on: asyncio.Event, came: list[int]) -> Any:
        async def receive() -> Any:
            if came:
                await go_on.wait()
            came.append(1)
            return {"type": "http.request", "body": body.pop(0), "more_body": bool(body)}

        scope = {"type": "http", "method": "POST", "query_string": b"name=t.csv&private=1", "headers": []}
        return await answer(Request({**scope, ACTOR: house.actors[name]}, receive))

    async def all_of_them() -> None:
        go_on = asyncio.Event()
        slow = [asyncio.create_task(upload("ada", [b"a\n", b"1\n"], go_on, [])) for _ in range(4)]
        await asyncio.sleep(0.2)
        one_more = await asyncio.wait_for(upload("ada", [b"a\n"], go_on, []), 20)
        assert one_more.status_code == 429
        assert (await upload("ben", [b"a\n"], go_on, [])).status_code == 200  # it is not in the way of others
        go_on.set()
        assert [one.status_code for one in await asyncio.gather(*slow)] == [200] * 4
        (home(house, "ada").folder / "much").write_bytes(bytes(1_100_000))
        came: list[int] = []
        assert (await upload("ada", [b"a\n"], go_on, came)).status_code == 400
        assert not came  # nothing of it was taken

    asyncio.run(all_of_them())


def test_alone_nothing_is_refused(tmp_path: Path) -> None:
    alone = Home(tmp_path / "home")
    project = open_demo(alone, rows=50)
    assert not project.actor.in_house
    assert list(screens_for(project.actor)) == SEEN["custodian"].split()
    assert LyingThere.at("/etc").kind == "release"
    project.change_job("x", lambda data: {**data, "source": {"path": "/etc/passwd"}})


# -- what changes meanwhile ------------------------------------------------------------------------------------


def test_a_page_that_stays_open_is_worth_nothing_when_the_project_is_not_shared_any_more(house: House) -> None:
    own = open_demo(home(house, "ada"), rows=100)
    own.share(["oncology"])
    held = as_seen_by(house, "ben", own)  # what Ben's page has
    held.add_note("while it is shared")
    look_at(held)
    own.share([])
    for act in (
        lambda: held.add_note("x"),
        lambda: held.undo(),
        lambda: look_at(held),
        lambda: held.runs.start("publish", job=held.job_path, version=1),
        lambda: held.change_job("x", lambda data: {**data, "target": "age"}),
    ):
        with pytest.raises(InputError, match="a project that you may open"):
            act()


def test_what_a_custodian_named_does_not_keep_others_of_the_group_from_working(house: House) -> None:
    own = open_demo(home(house, "ada"), rows=100)
    own.share(["oncology"])
    key = str(house.configuration.folders.keys / "ada" / "key")
    own.change_job("key named", lambda data: {**data, "sign": {"key": key}})
    ben = as_seen_by(house, "ben", own)
    ben.change_job("target", lambda data: {**data, "target": "age"})
    with pytest.raises(InputError, match="a key in your folder"):
        ben.change_job("another key of hers", lambda data: {**data, "sign": {"key": key + "2"}})
    with pytest.raises(InputError, match="uploaded"):  # nor is her key a table
        ben.change_job("key as table", lambda data: {**data, "source": {"path": key}})


def test_a_trial_that_would_write_into_a_database_is_a_release(tmp_path: Path) -> None:
    listed = House(configured(tmp_path, folders={"databases": [DATABASE]}))
    own = open_demo(home(listed, "ada"), rows=100)
    own.share(["oncology"])
    own.change_job("database", lambda data: {**data, "output": {"url": DATABASE, "table": "released"}})
    ben = as_seen_by(listed, "ben", own)
    with pytest.raises(InputError, match="somebody who may write releases"):
        ben.runs.start("publish", job=ben.job_path, version=2)


def test_keys_are_those_of_whoever_asks(house: House, shared: Project) -> None:
    """In a project that is shared, too: another custodian of the group does not sign with the owner's."""
    path = make_key(shared, "own", "a passphrase")
    assert path.parent == house.configuration.folders.keys / "ada"
    assert path in keys_of(shared)
    other = Project(shared.folder, Actor(**{**vars(house.actors["mal"]), "groups": frozenset({"oncology"})}))
    assert keys_of(other) == []
    with pytest.raises(InputError, match="a key in your folder"):
        other.runs.start("publish", job=shared.job_path, version=1, key=str(path))
    signed = shared.folder / "signed.toml"
    signed.write_text(f'{shared.job_path.read_text()}\n[sign]\nkey = "{path}"\n')
    with pytest.raises(InputError, match="a key in your folder"):  # nor where the owner's job names it
        other.runs.start("publish", job=signed, version=1, out=str(house.configuration.folders.releases / "mal" / "r"))


def test_a_release_goes_into_listed_databases_alone(shared: Project) -> None:
    elsewhere = {"url": "postgresql://evil.example/x", "table": "t"}
    with pytest.raises(InputError, match="an address that the house lists"):
        shared.runs.start("publish", job=shared.job_path, version=1, database=elsewhere)


def test_a_message_that_pretends_to_open_a_websocket_is_not_heard() -> None:
    """python-socketio hands events of any name to handlers, also those of its own."""
    own: dict[str, Any] = {"QUERY_STRING": ""}
    heard = []

    async def handle(sid: str, environ: dict[str, Any], auth: Any) -> str:
        heard.append((sid, environ, auth))
        return "connected"

    connecting = _connecting(handle, SimpleNamespace(get_environ=lambda _: own), SimpleNamespace())
    assert asyncio.run(connecting("s", {"QUERY_STRING": "", "asgi.scope": {}})) is False
    assert heard == []
    assert asyncio.run(connecting("s", own)) == "connected"


def test_files_of_runs_are_no_hierarchies(shared: Project) -> None:
    """A custodian's log lies there; an analyst of the group may not have it read as something else."""
    path = shared.folder / "runs" / "0001" / "release-custodian" / "mapping.csv"
    with pytest.raises(InputError, match="a file that was uploaded"):
        shared.check_reach({"schema": {"age": {"hierarchy": {"type": "file", "path": str(path)}}}})
    shared.check_reach({"schema": {"age": {"hierarchy": {"type": "file", "path": str(shared.files / "h.csv")}}}})


def test_folders_that_vanish_while_they_are_summed_up_are_passed_over(tmp_path: Path) -> None:
    """An upload becomes a project in the middle of it."""
    for number in range(300):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "content").write_bytes(b"1")
    ended = threading.Event()

    def vanish() -> None:
        for number in range(300):
            shutil.rmtree(tmp_path / f"{number}")
        ended.set()

    threading.Thread(target=vanish).start()
    while not ended.is_set():
        assert 0 <= _size(tmp_path) <= 300
    assert _size(tmp_path) == 0
