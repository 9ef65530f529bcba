"""Replacing releases, choosing among their logs, ending custody and being stopped, on the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli_fixtures import Run

FORCED = ("publish", "job.toml", "--out", "release", "--no-report", "--force")


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def replaced(published: Path, nymity: Run) -> Path:
    """The same folder after publishing again by other settings; the first table was delivered as may.csv."""
    shutil.copy(published / "release/release.csv", published / "may.csv")
    shutil.copy(published / "release-custodian/recoding.json", published / "recoding-of-may.json")
    shutil.copy(published / "release-custodian/seen.json", published / "seen.json")
    assert nymity(*FORCED, "--set", "privacy[0].k=12").exit_code == 0
    assert (published / "release/release.csv").read_bytes() != (published / "may.csv").read_bytes()
    return published


def test_publish_needs_to_be_forced(published: Path, nymity: Run) -> None:
    before = everything(published)
    done = nymity("publish", "job.toml", "--out", "release")
    assert done.exit_code == 2
    assert "release/certificate.json: expected no release in this place yet, got one of 20" in done.stderr
    assert "--force" in done.stderr
    assert everything(published) == before
    assert nymity(*FORCED).exit_code == 0
    assert (published / "release-custodian/earlier/0001/log.json").read_bytes() == before["release-custodian/log.json"]


def test_a_page_of_somebody_else_is_spared(folder: Path, nymity: Run) -> None:
    (folder / "release").mkdir()
    (folder / "release/about.html").write_text("mine")
    done = nymity("publish", "job.toml", "--out", "release", "--no-report")
    assert done.exit_code == 2
    assert "about.html" in done.stderr
    assert (folder / "release/about.html").read_text() == "mine"


def test_apply_needs_to_be_forced(published: Path, nymity: Run) -> None:
    arguments = ("apply", "release-custodian", "people.csv", "--out", "rows.csv", "--export-mapping", "mapping.csv")
    for there in ("rows.csv", "mapping.csv"):
        (published / there).write_text("mine")
        done = nymity(*arguments)
        assert done.exit_code == 2
        assert "--force" in done.stderr
        assert (published / there).read_text() == "mine"
        (published / there).unlink()
    assert nymity(*arguments).exit_code == 0
    assert nymity(*arguments, "--force").exit_code == 0


def test_a_delivered_file_chooses_the_log(replaced: Path, nymity: Run) -> None:
    apply = ("apply", "release-custodian", "people.csv", "--force", "--out")
    assert nymity("apply", "recoding-of-may.json", "people.csv", "--out", "wanted.csv").exit_code == 0
    assert nymity(*apply, "rows.csv", "--delivered", "may.csv").exit_code == 0
    assert (replaced / "rows.csv").read_bytes() == (replaced / "wanted.csv").read_bytes()
    assert nymity(*apply, "rows.csv").exit_code == 0  # by the release that is out now
    assert (replaced / "rows.csv").read_bytes() != (replaced / "wanted.csv").read_bytes()
    done = nymity(*apply, "rows.csv", "--delivered", "people.csv")
    assert done.exit_code == 2
    assert "release-custodian/earlier/0001 (release.csv " in done.stderr
    again = ("publish", "job.toml", "--out", "again", "--no-report", "--log", "release-custodian")
    assert nymity(*again, "--delivered", "may.csv").exit_code == 0
    assert (replaced / "again/release.csv").read_bytes() == (replaced / "may.csv").read_bytes()
    assert nymity("publish", "job.toml", "--out", "b", "--delivered", "may.csv").exit_code == 2


def test_commands_with_a_released_file_take_the_custodians_folder(replaced: Path, nymity: Run) -> None:
    for arguments in (
        ("check", "may.csv", "--job", "job.toml"),
        ("compare", "people.csv", "may.csv", "--job", "job.toml"),
        ("query", "people.csv", "may.csv", "--job", "job.toml", "--n", "50"),
        ("attack", "may.csv", "--job", "job.toml", "--original", "people.csv", "--targets", "20"),
    ):
        folder, file = (
            nymity(*arguments, "--json", "--recoding", place) for place in ("release-custodian", "recoding-of-may.json")
        )
        assert folder.exit_code == file.exit_code, folder.output
        if arguments[0] == "attack":  # the folder tells, too, which record a row came from
            assert "rows are not linked" in file.stdout
            assert "rows are not linked" not in folder.stdout
        else:
            assert folder.stdout == file.stdout
    done = nymity("compare", "people.csv", "people.csv", "--job", "job.toml", "--recoding", "release-custodian")
    assert done.exit_code == 2
    assert "earlier/0001" in done.stderr


def test_links_are_those_of_the_file(replaced: Path, nymity: Run) -> None:
    shutil.copytree(replaced / "release", replaced / "delivered")
    shutil.copy(replaced / "may.csv", replaced / "delivered/release.csv")
    (replaced / "delivered-custodian").symlink_to("release-custodian")
    learn = ("--job", "job.toml", "--target", "illness", "--classifier", "decision-tree", "--folds", "2", "--json")
    found = nymity("compare", "people.csv", "delivered/release.csv", *learn)
    named = nymity(
        "compare", "people.csv", "may.csv", *learn, "--links", "release-custodian/earlier/0001/mapping.parquet"
    )
    assert found.exit_code == named.exit_code == 0, found.output
    assert json.loads(found.stdout)["learning"] == json.loads(named.stdout)["learning"]


def test_forget_wants_to_be_sure(published: Path, nymity: Run) -> None:
    before = everything(published)
    done = nymity("forget", "release")
    assert done.exit_code == 2
    assert "--yes" in done.stderr
    assert everything(published) == before


def test_forget_says_what_can_no_longer_be_done(replaced: Path, nymity: Run) -> None:
    done = nymity("forget", "release", "--yes")
    assert done.exit_code == 0, done.output
    words = " ".join(done.stdout.split())
    for told in ("Custody of release has ended", "apply the recoding", "--log", "link released rows", "backups"):
        assert told in words
    left = sorted(everything(replaced / "release-custodian"))
    assert left == ["earlier/0001/certificate.json", "earlier/0001/log.json", "log.json"]
    assert nymity("check", "release/release.csv").exit_code == 0
    for arguments in (
        ("apply", "release-custodian", "people.csv", "--out", "x.csv"),
        ("apply", "release-custodian", "people.csv", "--out", "x.csv", "--delivered", "may.csv"),
        ("publish", "job.toml", "--out", "b", "--log", "release-custodian"),
        ("compare", "people.csv", "may.csv", "--job", "job.toml", "--recoding", "release-custodian"),
    ):
        refused = nymity(*arguments)
        assert refused.exit_code == 2
        assert "custody of this release was ended on 20" in refused.stderr
    again = nymity("forget", "release", "--yes", "--json")
    assert json.loads(again.stdout)["removed"] == []
    told = nymity("compare", "people.csv", "release/release.csv", "--job", "job.toml", "--target", "illness")
    assert "its rows have no links any more" in told.stderr


def test_the_demo_replaces_only_its_own_release(folder: Path, nymity: Run) -> None:
    demo = ("demo", "--rows", "300", "--no-report", "--out", "demo/release")
    for _ in range(2):
        assert nymity(*demo).exit_code == 0
    assert (folder / "demo/release-custodian/earlier/0001/log.json").exists()
    shutil.rmtree(folder / "demo/release")
    shutil.rmtree(folder / "demo/release-custodian")
    assert nymity("publish", "job.toml", "--out", "demo/release", "--no-report").exit_code == 0
    before = everything(folder)
    assert nymity(*demo).exit_code == 2
    assert everything(folder) == before
    assert nymity(*demo, "--force").exit_code == 0


# -- stopped -----------------------------------------------------------------------------------------------------

_WHILE_LOADING = """
import builtins, os, signal, sys
real, module, number = builtins.__import__, sys.argv[1], int(sys.argv[2])
def load(name, *rest, **options):
    if name == module:
        os.kill(os.getpid(), number)
    return real(name, *rest, **options)
builtins.__import__ = load
sys.argv = ["nymity", "publish", "job.toml", "--out", "release", "--no-report"]
from nymity.cli.start import run
run()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals between processes")
@pytest.mark.parametrize(("number", "code"), [(2, 130), (15, 143), (1, 129)])
@pytest.mark.parametrize("module", ["typer", "polars"])
def test_a_signal_while_packages_are_loaded(folder: Path, module: str, number: int, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WHILE_LOADING, module, str(number)], cwd=folder, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (code, b"stopped: interrupted; no file is left half-written\n")
    assert sorted(path.name for path in folder.iterdir()) == ["job.toml", "people.csv"]


_DROPPED = """
import os, signal, sys, time
import nymity.publishing.preparing.inspect as inspection
from nymity.cli.start import run
class Drops:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
def inspect(*_, **__):
    Drops()  # Python can only report what is raised here, and go on
    time.sleep(30)
inspection.inspect = inspect
sys.argv = ["nymity", "inspect", "people.csv"]
run()
"""


_TURNED = """
import os, signal, sys, time
import nymity.publishing.preparing.inspect as inspection
from nymity.cli.start import run
def inspect(*_, **__):
    try:
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(30)
    except KeyboardInterrupt:
        raise SystemError("a result with an exception set")
inspection.inspect = inspect
sys.argv = ["nymity", "inspect", "people.csv"]
run()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals between processes")
def test_an_error_that_a_package_makes_of_an_interrupt(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _TURNED], cwd=folder, capture_output=True, check=False, timeout=25)
    assert (done.returncode, done.stderr) == (129, b"stopped: interrupted; no file is left half-written\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals between processes")
def test_a_signal_that_python_drops_comes_again(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _DROPPED], cwd=folder, capture_output=True, check=False, timeout=25)
    assert (done.returncode, done.stderr) == (143, b"stopped: interrupted; no file is left half-written\n")
