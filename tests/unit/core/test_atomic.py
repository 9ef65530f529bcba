"""Files appear whole or not at all, whatever goes wrong."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nymity.core.errors import FileError
from nymity.io import STAGING_PREFIX, replace_file, staging


@pytest.fixture
def folder(tmp_path):
    """A destination with one earlier file."""
    (tmp_path / "a.csv").write_text("earlier a")
    return tmp_path


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def stage_both(folder: Path) -> None:
    with staging(folder) as stage:
        (stage / "b.json").write_text("new b")
        (stage / "a.csv").write_text("new a")
        stage.commit(["a.csv", "b.json"])


def failing(error: BaseException, on_call: int):
    """Stand in for os.replace that fails once, at the given call."""
    calls, real = [], os.replace

    def replace(source, target):
        calls.append(Path(target).name)
        if len(calls) == on_call:
            raise error
        real(source, target)

    return replace


def test_files_are_moved_in_the_order_given(folder, monkeypatch):
    moved, real = [], os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (moved.append(Path(b).name), real(a, b)))
    stage_both(folder)
    assert moved == ["a.csv", "b.json"]
    assert content(folder) == {"a.csv": "new a", "b.json": "new b"}


def test_staging_is_hidden_inside_the_destination(folder):
    with staging(folder) as stage:
        assert stage.folder.parent == folder
        assert stage.folder.name.startswith(STAGING_PREFIX)
        assert list(stage.folder.iterdir()) == []


def test_nothing_moves_before_the_block_ends(folder):
    with staging(folder) as stage:
        (stage / "a.csv").write_text("new")
        stage.commit(["a.csv"])
        assert (folder / "a.csv").read_text() == "earlier a"
    assert content(folder) == {"a.csv": "new"}


def test_what_is_not_committed_is_discarded(folder):
    with staging(folder) as stage:
        (stage / "b.json").write_text("scratch")
    assert content(folder) == {"a.csv": "earlier a"}


@pytest.mark.parametrize("name", ["absent.csv", "../a.csv", "", "sub/x"])
def test_only_staged_files_can_be_committed(folder, name):
    with pytest.raises(FileError, match="staging folder"), staging(folder) as stage:
        stage.commit([name])
    assert content(folder) == {"a.csv": "earlier a"}


@pytest.mark.parametrize("error", [ValueError("bad"), KeyboardInterrupt(), SystemExit(3)])
def test_a_failing_block_leaves_everything_as_it_was(folder, error):
    def work() -> None:
        with staging(folder) as stage:
            (stage / "a.csv").write_text("half")
            stage.commit(["a.csv"])
            raise error

    with pytest.raises(type(error)):
        work()
    assert content(folder) == {"a.csv": "earlier a"}


@pytest.mark.parametrize("on_call", [1, 2])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failing_move_takes_the_others_back(folder, monkeypatch, on_call, error):
    monkeypatch.setattr(os, "replace", failing(error, on_call))
    with pytest.raises(FileError if isinstance(error, OSError) else KeyboardInterrupt):
        stage_both(folder)
    assert content(folder) == {"a.csv": "earlier a"}


def test_taking_back_removes_files_that_were_not_there(folder, monkeypatch):
    monkeypatch.setattr(os, "replace", failing(OSError(errno.EIO, "I/O error"), 2))

    def work() -> None:
        with staging(folder) as stage:
            (stage / "new.csv").write_text("new")
            (stage / "a.csv").write_text("new")
            stage.commit(["new.csv", "a.csv"])

    with pytest.raises(FileError, match="I/O error"):
        work()
    assert content(folder) == {"a.csv": "earlier a"}


def test_file_systems_without_links(folder, monkeypatch):
    def no_links(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "replace", failing(OSError(errno.ENOSPC, "No space left on device"), 2))
    with pytest.raises(FileError):
        stage_both(folder)
    assert content(folder) == {"a.csv": "earlier a"}


def test_a_full_disk_is_explained(folder):
    with pytest.raises(FileError) as caught, staging(folder):
        raise OSError(errno.ENOSPC, "No space left on device", str(folder / "a.csv"))
    assert (caught.value.got, caught.value.where) == ("a full disk", str(folder / "a.csv"))
    assert "earlier files are unchanged" in caught.value.hint
    assert content(folder) == {"a.csv": "earlier a"}


def test_a_folder_without_permission(folder, monkeypatch):
    def deny(**_):
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr("tempfile.mkdtemp", deny)
    with pytest.raises(FileError, match=r"no permission.*a folder you may write to"):
        stage_both(folder)
    assert content(folder) == {"a.csv": "earlier a"}


def test_a_file_where_the_folder_should_be(folder):
    with pytest.raises(FileError, match="a file in the way"), staging(folder / "a.csv"):
        pass
    with pytest.raises(FileError, match="a file in the way"), staging(folder / "a.csv" / "deeper"):
        pass
    assert content(folder) == {"a.csv": "earlier a"}


def test_missing_folders_are_made_and_kept(tmp_path):
    stage_both(tmp_path / "new" / "deep")
    assert content(tmp_path / "new" / "deep") == {"a.csv": "new a", "b.json": "new b"}


def test_missing_folders_are_removed_after_a_failure(tmp_path):
    with pytest.raises(ZeroDivisionError), staging(tmp_path / "new" / "deep") as stage:
        (stage / "a").write_text(str(1 // 0))
    assert list(tmp_path.iterdir()) == []


def test_flushed_before_moved(folder, monkeypatch):
    events, replace, fsync = [], os.replace, os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (events.append("flush"), fsync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (events.append("move"), replace(a, b)))
    stage_both(folder)
    assert events == ["flush", "flush", "move", "move", "flush"]


KILLED = """
import os, signal, sys
from pathlib import Path
from nymity.io import staging
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with staging(sys.argv[1]) as stage:
    (stage / "a.csv").write_text("half")
    stage.commit(["a.csv"])
"""


def test_a_killed_run_leaves_the_earlier_file_and_is_cleaned_up_later(folder):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = folder.glob(f"{STAGING_PREFIX}*")
    assert (folder / "a.csv").read_text() == "earlier a"

    stage_both(folder)
    assert left.exists(), "it may belong to a run that still works"

    yesterday = time.time() - 25 * 3600
    for path in (*left.rglob("*"), left):
        os.utime(path, (yesterday, yesterday))
    stage_both(folder)
    assert content(folder) == {"a.csv": "new a", "b.json": "new b"}


def test_only_old_staging_folders_are_removed(folder):
    long_ago = time.time() - 10 * 24 * 3600
    (folder / f"{STAGING_PREFIX}file").write_text("not a folder")
    (folder / f"{STAGING_PREFIX}busy").mkdir()
    (folder / f"{STAGING_PREFIX}busy" / "growing").write_text("x")
    (folder / "other").mkdir()
    for name in (f"{STAGING_PREFIX}file", f"{STAGING_PREFIX}busy", "other"):
        os.utime(folder / name, (long_ago, long_ago))
    with staging(folder):
        pass
    assert {path.name for path in folder.iterdir()} == {
        "a.csv",
        "other",
        f"{STAGING_PREFIX}file",
        f"{STAGING_PREFIX}busy",
    }


def test_replace_file(folder):
    replace_file(folder / "a.csv", lambda path: path.write_text("new") and None)
    assert content(folder) == {"a.csv": "new"}


def test_replace_file_takes_relative_names(folder, monkeypatch):
    monkeypatch.chdir(folder)
    replace_file("b.txt", lambda path: path.write_text("new") and None)
    assert content(folder) == {"a.csv": "earlier a", "b.txt": "new"}


@pytest.mark.parametrize(
    ("error", "expected"),
    [(OSError(errno.ENOSPC, "No space left on device"), FileError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
def test_replace_file_that_fails(folder, error, expected):
    def write(path: Path) -> None:
        path.write_text("half")
        raise error

    with pytest.raises(expected):
        replace_file(folder / "a.csv", write)
    assert content(folder) == {"a.csv": "earlier a"}


def test_replace_file_that_writes_nothing(folder):
    with pytest.raises(FileError, match="staging folder"):
        replace_file(folder / "a.csv", lambda path: None)
    assert content(folder) == {"a.csv": "earlier a"}


def test_permissions_follow_the_umask(folder):
    earlier = os.umask(0o022)
    try:
        replace_file(folder / "a.csv", lambda path: path.write_text("new") and None)
    finally:
        os.umask(earlier)
    assert stat.S_IMODE((folder / "a.csv").stat().st_mode) == 0o644
