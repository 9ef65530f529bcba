"""Only files are read: a pipe would wait for ever, a device has no end."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import FileError
from nymity.core.files import read_file
from nymity.core.paths import resolved
from nymity.dp import Ledger
from nymity.publishing.sealing.signing import VerifyingKey
from nymity.table.builders.file import read_text
from nymity.table.recoding import Recoding

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.fixture(params=[_pipe, _device])
def no_file(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    def make(name: str) -> Path:
        request.param(tmp_path / name)
        return tmp_path / name

    return make


def test_bytes_of_a_file_are_read_whole(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\r\n\0")
    (tmp_path / "link").symlink_to("x")
    assert read_file(tmp_path / "link") == b"a\r\n\0"


def test_a_folder_and_what_is_not_there_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_file(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("x.csv", ny.read_table),
        ("x.csv.gz", ny.read_table),
        ("x.parquet", ny.read_table),
        ("x.xlsx", ny.read_table),
        ("job.toml", ny.Job.load),
        ("job.json", ny.Job.load),
        ("recoding.json", Recoding.load),
        ("key.pub", VerifyingKey.load),
        ("tree.csv", read_text),
        ("ledger.json", lambda path: Ledger(path=str(path), source="x").spent()),
        ("certificate.json", lambda path: ny.check({"a": [1]}, certificate=path)),
    ],
)
def test_no_reader_waits_for_a_pipe_or_reads_a_device(no_file: Any, name: str, read: Any) -> None:
    with pytest.raises(FileError, match=r"a named pipe|a device"):
        read(no_file(name))


def test_publishing_over_a_certificate_that_is_a_pipe_ends(no_file: Any, tmp_path: Path) -> None:
    """Refused or replaced: either way it does not wait."""
    (tmp_path / "release").mkdir()
    no_file("release/certificate.json")
    with suppress(ny.NymityError):
        ny.publish(
            {"a": ["x", "x"]}, ny.Schema({"a": ny.quasi()}), privacy=ny.KAnonymity(k=2), out=tmp_path / "release"
        )


def test_an_error_says_what_it_is(no_file: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        app(["inspect", str(no_file("x.csv"))])
    assert "expected a readable file, got a" in capsys.readouterr().err


def test_links_in_a_circle_lead_nowhere_and_raise_nothing(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert resolved(tmp_path / "loop").parent == tmp_path.resolve()
    schema = ny.Schema({"a": ny.quasi()})
    with pytest.raises(FileError):
        ny.publish({"a": ["x", "x"]}, schema, privacy=ny.KAnonymity(k=2), out=tmp_path / "loop")
    with pytest.raises(FileError):
        ny.publish(tmp_path / "loop" / "x.csv", schema, privacy=ny.KAnonymity(k=2))


def test_a_source_that_links_to_itself_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").symlink_to("people.csv")
    Path("job.toml").write_text(
        'source = "people.csv"\nschema.a.role = "quasi"\nmethod.name = "optimal-lattice"\n'
        'privacy = [{ model = "k-anonymity", k = 2 }]\n'
    )
    with pytest.raises(SystemExit) as ended:
        app(["publish", "job.toml", "--out", "release", "--no-report"])
    assert ended.value.code == 2
    assert "people.csv: expected a readable file" in capsys.readouterr().err


def test_a_folder_that_was_removed_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SystemExit) as ended:
        app(["publish", "job.toml", "--out", "release"])
    assert ended.value.code == 2
    assert "the current folder: expected one that exists" in capsys.readouterr().err
