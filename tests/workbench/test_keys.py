"""Keys and their passphrases, pages in a sandbox, tables of databases: what a run is told, and what nobody keeps."""

from __future__ import annotations

import os
import time
from pathlib import Path

import httpx
import pytest
from browsing import Served

import nymity as ny
from nymity.core.errors import NymityError
from nymity.workbench.home import Home
from nymity.workbench.keys import asks_passphrase, keys_of, make_key
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun, RunState
from nymity.workbench.trials import TASK, TriedRelease

SECRET = "correct horse battery staple"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    table = tmp_path_factory.mktemp("tables") / "people.csv"
    ny.write_table(ny.datasets.hospital(400).select("age", "sex", "diagnosis"), table)
    return open_table(Home(tmp_path_factory.mktemp("home") / "projects"), table)


@pytest.fixture(scope="module")
def trial(project: Project) -> TriedRelease:
    run = project.runs.start(TASK, job=project.job_path, version=project.state.at)
    assert ended(run) is RunState.DONE, run.result
    return TriedRelease(run)


def ended(run: BackgroundRun) -> RunState:
    until = time.monotonic() + 120
    while run.state is RunState.RUNNING and time.monotonic() < until:
        time.sleep(0.05)
    return run.state


def written(
    project: Project, trial: TriedRelease, out: Path, secret: str | None = None, **more: object
) -> BackgroundRun:
    settings = {"out": str(out), "log": str(trial.custodian), **more}
    run = project.runs.start(TASK, job=trial.run.folder / "job.toml", version=trial.version, secret=secret, **settings)
    ended(run)
    return run


def test_a_passphrase_goes_to_the_process_and_stays_nowhere(
    project: Project, trial: TriedRelease, tmp_path: Path
) -> None:
    path = make_key(project, "locked", SECRET)
    assert keys_of(project) == [path]
    assert asks_passphrase(str(path))
    assert not path.stat().st_mode & 0o077
    run = written(project, trial, tmp_path / "signed", SECRET, key=str(path))
    assert run.state is RunState.DONE, run.result
    assert ny.check(tmp_path / "signed", key=f"{path}.pub").holds
    for file in [*project.folder.parent.rglob("*"), *tmp_path.rglob("*")]:
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file
    for wrong in ("another one", ""):
        failed = written(project, trial, tmp_path / "unsigned", wrong, key=str(path))
        assert failed.state is RunState.FAILED
        assert not (tmp_path / "unsigned" / "certificate.json").exists()


def test_a_key_has_a_plain_name_and_replaces_none(project: Project) -> None:
    make_key(project, "open", "")
    for name in ("open", "../evil", "", ".hidden", "a" * 61):
        with pytest.raises(NymityError):
            make_key(project, name, "")
    assert not asks_passphrase(str(project.folder.parent / "keys" / "open"))
    assert not asks_passphrase("/nowhere")


def test_a_release_goes_into_a_database(project: Project, trial: TriedRelease, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    database = {"url": f"duckdb:///{tmp_path / 'house.duckdb'}", "table": "released"}
    run = written(project, trial, tmp_path / "out", database=database)
    assert run.state is RunState.DONE, run.result
    there = ny.DatabaseSource(**database).read()
    assert there.height == ny.open(trial.folder).table.height
    assert (tmp_path / "out" / "certificate.json").is_file()


def test_a_page_of_a_release_is_a_site_of_its_own(tmp_path: Path) -> None:
    """Whoever could write into the release's folder must not get into the workbench by its page."""
    table = tmp_path / "people.csv"
    ny.write_table(ny.datasets.hospital(300).select("age", "sex", "diagnosis"), table)
    served = Served(tmp_path / "projects", str(table))
    try:
        project = Home(tmp_path / "projects").recent()[0]
        trial = project.runs.start(TASK, job=project.job_path, version=1)
        ended(trial)
        run = written(project, TriedRelease(trial), tmp_path / "out")
        assert run.state is RunState.DONE, run.result
        with httpx.Client() as client:
            client.get(served.opening, follow_redirects=True)
            where = f"{served.address}/api/p/{project.id}/release-page"
            page = client.get(where, params={"run": run.number, "page": "report"})
            assert page.status_code == 200
            assert page.headers["content-security-policy"].startswith("sandbox allow-scripts")
            assert "allow-same-origin" not in page.headers["content-security-policy"]
            assert "nonce=" not in page.text
            for wrong in ({"run": run.number, "page": "custodian"}, {"run": 99, "page": "about"}, {"run": "../1"}):
                assert client.get(where, params=wrong).status_code == 400
    finally:
        served.stop()


@pytest.mark.skipif(os.name == "nt", reason="Windows ends processes otherwise")
def test_a_release_that_is_killed_while_it_is_written_leaves_none_or_all(
    project: Project, trial: TriedRelease, tmp_path: Path
) -> None:
    """At any moment: what is there afterwards is a whole release or nothing, and the project opens as before."""
    for pause in (0.0, 0.4, 0.9, 1.3):
        out = tmp_path / f"out-{pause}"
        settings = {"out": str(out), "log": str(trial.custodian)}
        run = project.runs.start(TASK, job=trial.run.folder / "job.toml", version=trial.version, **settings)
        time.sleep(pause)
        run.kill()
        ended(run)
        assert run.state in (RunState.LOST, RunState.DONE)
        assert not (out / "certificate.json").exists() or ny.open(out).holds
        again = Project.open(project.folder)
        assert again.audit.broken_at() is None
        assert again.job_data == project.job_data
