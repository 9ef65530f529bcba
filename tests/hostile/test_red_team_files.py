"""Custody, journals and pages in hostile and clumsy hands: each case once lost a file or gave a wrong answer."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli import report as report_command
from nymity.cli.main import app
from nymity.core.commit import committing, refuse_between
from nymity.core.errors import FileError, TableError
from nymity.core.locks import LOCK_NAME
from nymity.publishing.checking import check as checking
from nymity.publishing.intersecting.earlier_opening import _kept
from nymity.publishing.jobs.job import Output

OLD = Path(__file__).parents[1] / "releases-0.1.0"
SCHEMA = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)), "s": ny.sensitive()})


def _people(offset: int = 0) -> pl.DataFrame:
    return pl.DataFrame(
        {"age": [20 + offset + n % 20 for n in range(60)], "s": [("flu", "ok", "hiv")[n % 3] for n in range(60)]}
    )


def _publish(frame: pl.DataFrame, out: Path, *, k: int = 3, force: bool = False, **output: str) -> None:
    release = ny.publish(frame, SCHEMA, privacy=ny.KAnonymity(k=k), output=Output(**output))
    release.save(out, force=force)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_log_of_the_very_file_comes_before_that_of_equal_cells(tmp_path: Path) -> None:
    people = _people()
    _publish(people, tmp_path / "release")
    delivered = shutil.copy(tmp_path / "release" / "release.csv", tmp_path / "may.csv")
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text())
    _publish(people.reverse(), tmp_path / "release", force=True, format="parquet")
    custody = ny.Custody(tmp_path / "release-custodian")
    log = custody.log_of(delivered)
    assert log.number == 1
    rows = pl.read_parquet(log.mapping)["source_row"]
    assert people["s"][rows].to_list() == pl.read_csv(delivered)["s"].to_list()
    assert _kept(custody, certificate) == log.folder
    assert custody.log_of(tmp_path / "release" / "release.parquet").number is None


def test_forget_spares_the_log_of_another_release(tmp_path: Path) -> None:
    _publish(_people(), tmp_path / "one")
    _publish(_people(offset=7), tmp_path / "two")
    with pytest.raises(FileError, match="logs of other releases"):
        ny.forget(tmp_path / "one", custodian=tmp_path / "two-custodian")
    assert (tmp_path / "two-custodian" / "mapping.parquet").is_file()
    ny.forget(tmp_path / "one")
    assert not (tmp_path / "one-custodian" / "mapping.parquet").exists()


def test_forget_does_not_call_a_link_removed(tmp_path: Path) -> None:
    _publish(_people(), tmp_path / "release")
    mapping = tmp_path / "release-custodian" / "mapping.parquet"
    mapping.rename(tmp_path / "kept.parquet")
    mapping.symlink_to(tmp_path / "kept.parquet")
    with pytest.raises(FileError, match="symbolic link"):
        ny.forget(tmp_path / "release")
    assert (tmp_path / "release-custodian" / "recoding.json").is_file()


def test_forget_names_folders_it_did_not_touch(tmp_path: Path) -> None:
    _publish(_people(), tmp_path / "release")
    _publish(_people(offset=1), tmp_path / "release", force=True)
    private = tmp_path / "release-custodian"
    shutil.copytree(private / "earlier" / "0001", private / "earlier" / "copy")
    shutil.copytree(private / "earlier" / "0001", private / "backup")
    assert ny.forget(tmp_path / "release").unknown == (private / "backup", private / "earlier" / "copy")


@pytest.mark.parametrize("kind", ["levels", "buckets"])
def test_a_replaced_release_of_the_first_version_leaves_no_table(kind: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OLD / kind, tmp_path / kind)) / "release"
    _publish(_people(), folder, force=True, name="renamed")
    assert _names(folder) == ["certificate.json", "renamed.csv"]


def test_a_replaced_release_without_certificate_leaves_no_table(tmp_path: Path) -> None:
    _publish(_people(), tmp_path / "release")
    (tmp_path / "release" / "certificate.json").unlink()
    (tmp_path / "release" / "mine.csv").write_text("a\n1\n")
    _publish(_people(), tmp_path / "release", force=True, name="renamed")
    assert _names(tmp_path / "release") == ["certificate.json", "mine.csv", "renamed.csv"]


def _journal(folder: Path, moves: list[list[object]], stages: list[str], direction: str = "finish") -> None:
    content = {"format": "nymity-journal-1", "direction": direction, "moves": moves, "stages": stages}
    (folder / ".nymity-journal").write_text(json.dumps(content))


@pytest.mark.parametrize("direction", ["finish", "undo"])
@pytest.mark.parametrize(
    ("moves", "stages"),
    [
        ([["../../home/key", "../gift", None, None]], ["../.nymity-stage-x"]),
        ([["new", "../../home/profile", None, None]], ["../.nymity-stage-x"]),
        ([["../.nymity-stage-x/new", "../../home/profile", None, None]], ["../.nymity-stage-x"]),
        ([["../.nymity-stage-x/new", "../n", "../../home/key", None]], ["../.nymity-stage-x"]),
        ([], ["../../home"]),
    ],
)
def test_a_journal_of_somebody_else_reaches_no_other_files(
    moves: list[list[object]], stages: list[str], direction: str, tmp_path: Path
) -> None:
    home, release = tmp_path / "home", tmp_path / "release"
    for folder in (home, release / "evil", release / ".nymity-stage-x"):
        folder.mkdir(parents=True)
    for name in ("key", "profile"):
        (home / name).write_text("mine")
    for path in (release / "evil" / "new", release / ".nymity-stage-x" / "new"):
        path.write_text("theirs")
    (release / ".nymity-stage-x" / ".journal").write_text("evil")
    _journal(release / "evil", moves, stages, direction)
    with pytest.raises(FileError, match="nymity did not write it"):
        _publish(_people(), release)
    assert {path.name: path.read_text() for path in home.iterdir()} == {"key": "mine", "profile": "mine"}
    assert _names(release) == [".nymity-stage-x", "evil"]


def test_a_journal_in_any_of_the_folders_is_finished(tmp_path: Path) -> None:
    release, stage = tmp_path / "release", tmp_path / "release" / ".nymity-stage-x"
    stage.mkdir(parents=True)
    (stage / "table.csv").write_text("new")
    _journal(release, [[".nymity-stage-x/table.csv", "table.csv", None, None]], [".nymity-stage-x"])
    with committing(tmp_path / "custodian", release):
        pass
    assert _names(release) == ["table.csv"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to become another user")
def test_whoever_cannot_see_the_journal_is_refused_too() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        stage = folder / ".nymity-stage-x"
        stage.mkdir(mode=0o700)
        (stage / ".journal").write_text("../custodian")
        refuse_between(folder)
        os.seteuid(65534)
        try:
            with pytest.raises(FileError, match="belong together"):
                refuse_between(folder)
        finally:
            os.seteuid(0)


def test_no_page_on_a_release_that_is_being_replaced(tmp_path: Path) -> None:
    _publish(_people(), tmp_path / "release")
    seen: list[bool] = []

    def render(release: Path) -> str:
        try:
            _publish(_people(offset=5), release, force=True)
        except FileError as error:
            seen.append("under way" in str(error))
        return "page"

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("nymity.report.render_about", render)
        report_command.command(tmp_path / "release", quiet=True)
    assert seen == [True]
    assert (tmp_path / "release" / "about.html").read_text() == "page"
    assert not (tmp_path / "release" / LOCK_NAME).exists()


def test_the_full_report_on_a_release_with_another_log_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(OLD / "levels", tmp_path / "levels"))
    log = folder / "release-custodian" / "log.json"
    log.write_text(json.dumps({**json.loads(log.read_text()), "salt": "00" * 32}))
    monkeypatch.chdir(folder)
    with pytest.raises(TableError, match="a table of the same size with other cells"):
        report_command.command(
            Path("release"), reader=report_command.Reader.CUSTODIAN, job=Path("job.json"), quiet=True
        )
    assert not (folder / "release-custodian" / "findings.json").exists()


def test_check_does_not_call_a_release_broken_that_was_replaced_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = tmp_path / "release"
    _publish(_people(), release)
    read = checking.ReleasedFiles.read

    def replaced(*given: Any, **named: Any) -> checking.ReleasedFiles:  # type: ignore[name-defined]
        _publish(_people(offset=5), release, force=True)
        return read(*given, **named)

    monkeypatch.setattr(checking.ReleasedFiles, "read", replaced)
    with pytest.raises(FileError, match="while it was read"):
        ny.check(release / "release.csv", certificate=release / "certificate.json")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "[" * 100_000,
        "\udcff",
        '{"format":"nymity-journal-1","direction":"finish","moves":5,"stages":[]}',
        '{"format":"nymity-journal-1","direction":"finish","moves":[[1,2,3,4]],"stages":[]}',
        '{"format":"nymity-journal-1","direction":"finish","moves":[["a\\u0000","b",null,null]],"stages":[]}',
        '{"format":"nymity-journal-1","direction":"undo","moves":[],"stages":["\\u0000"]}',
    ],
)
def test_a_damaged_journal_is_said_to_be_one(content: str, tmp_path: Path) -> None:
    _publish(_people(), tmp_path / "release")
    (tmp_path / "release-custodian" / ".nymity-journal").write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(FileError, match="expected a journal"):
        _publish(_people(), tmp_path / "release", force=True)
    with pytest.raises(FileError, match="expected a journal"):
        ny.forget(tmp_path / "release")


def test_a_source_in_the_folder_of_the_release_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _people().write_csv("people.csv")
    job = {
        "source": {"path": "people.csv"},
        "schema": {"age": {"role": "quasi"}, "s": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 3}],
    }
    Path("job.json").write_text(json.dumps(job))
    for out, said in ((".", True), ("release", False)):
        done = CliRunner().invoke(app, ["publish", "job.json", "--out", out, "--no-report", "--quiet"])
        assert done.exit_code == 0, done.output
        assert ("people.csv in the folder of the release" in " ".join(done.stderr.split())) == said
