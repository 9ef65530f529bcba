"""Only files are read: a pipe would wait for ever, a device has no end."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import FileError
from nymity.core.files import read_file
from nymity.dp import Ledger
from nymity.publish.signing import VerifyingKey
from nymity.table.builders.file import read_text
from nymity.table.recoding import Recoding

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.fixture(params=[_pipe, _device])
def no_file(request, tmp_path):
    def make(name: str) -> Path:
        request.param(tmp_path / name)
        return tmp_path / name

    return make


def test_bytes_of_a_file_are_read_whole(tmp_path):
    (tmp_path / "x").write_bytes(b"a\r\n\0")
    (tmp_path / "link").symlink_to("x")
    assert read_file(tmp_path / "link") == b"a\r\n\0"


def test_a_folder_and_what_is_not_there_are_told_apart(tmp_path):
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
def test_no_reader_waits_for_a_pipe_or_reads_a_device(no_file, name, read):
    with pytest.raises(FileError, match="a named pipe|a device"):
        read(no_file(name))


def test_publishing_over_a_certificate_that_is_a_pipe_ends(no_file, tmp_path):
    """Refused or replaced: either way it does not wait."""
    (tmp_path / "release").mkdir()
    no_file("release/certificate.json")
    with suppress(ny.NymityError):
        ny.publish({"a": ["x", "x"]}, ny.Schema({"a": ny.quasi()}), privacy=ny.KAnonymity(k=2), out=tmp_path / "release")


def test_an_error_says_what_it_is(no_file, capsys):
    with pytest.raises(SystemExit):
        app(["inspect", str(no_file("x.csv"))])
    assert "expected a readable file, got a" in capsys.readouterr().err
