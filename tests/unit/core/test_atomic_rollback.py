"""Taking back what was moved: every file, also the last, and whatever fails after it."""

from __future__ import annotations

import errno
import os
import shutil
import time
from pathlib import Path

import pytest

from nymity.core.errors import FileError
from nymity.io import STAGING_PREFIX, replace_file, staging

NAMES = ["a.csv", "b.json", "c.txt"]


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def stage_all(folder: Path) -> None:
    with staging(folder) as stage:
        for name in NAMES:
            (stage / name).write_text(f"new {name}")
        stage.commit(NAMES)


def fail_at_the_end(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let the flush of the destination fail, which comes when every file is in its place."""
    real, moved = os.fsync, os.replace
    moves: list[str] = []

    def flush(handle: int) -> None:
        if len(moves) == len(NAMES):
            raise error
        real(handle)

    monkeypatch.setattr(os, "replace", lambda a, b: (moves.append(str(b)), moved(a, b)))
    monkeypatch.setattr(os, "fsync", flush)


@pytest.mark.parametrize("earlier", [[], NAMES[:1], NAMES[1:], NAMES])
def test_a_failure_after_the_last_move_takes_every_file_back(tmp_path, monkeypatch, earlier):
    for name in earlier:
        (tmp_path / name).write_text(f"earlier {name}")
    before = content(tmp_path)
    fail_at_the_end(monkeypatch, OSError(errno.EIO, "I/O error"))
    with pytest.raises(FileError, match="I/O error"):
        stage_all(tmp_path)
    assert content(tmp_path) == before


@pytest.mark.parametrize("at", [0, 1, 2])
def test_an_interrupt_just_after_a_move_takes_that_file_back_too(tmp_path, monkeypatch, at):
    """The move has happened when the interrupt comes, so the file that is moved last must be taken back as well."""
    (tmp_path / NAMES[at]).write_text("earlier")
    moved, moves = os.replace, []

    def replace(source, target):
        moved(source, target)
        moves.append(Path(target).name)
        if len(moves) == at + 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        stage_all(tmp_path)
    assert content(tmp_path) == {NAMES[at]: "earlier"}


def test_where_files_cannot_be_moved_back_they_are_copied(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("earlier")
    moved, failed = os.replace, []

    def replace(source, target):
        if failed or Path(target).name == "b.json":
            failed.append(target)
            raise OSError(errno.EIO, "I/O error")
        moved(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(FileError):
        stage_all(tmp_path)
    assert len(failed) == 2, "the second failure is the move back"
    assert content(tmp_path) == {"a.csv": "earlier"}


@pytest.mark.parametrize(("hours", "stays"), [(23.9, True), (24.1, False)])
def test_what_a_killed_run_left_goes_after_a_day(tmp_path, hours, stays):
    left = tmp_path / f"{STAGING_PREFIX}left"
    left.mkdir()
    (left / "half").write_text("x")
    then = time.time() - hours * 3600
    for path in (left / "half", left):
        os.utime(path, (then, then))
    with staging(tmp_path):
        pass
    assert left.exists() is stays


def test_a_staging_folder_that_cannot_be_removed_is_no_failure(tmp_path, monkeypatch):
    """The files are in place by then; what stays behind is removed by a later run."""
    removed = []

    def rmtree(path, ignore_errors=False, **_):
        removed.append(Path(path).name)
        if not ignore_errors:
            raise OSError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(shutil, "rmtree", rmtree)
    stage_all(tmp_path)
    assert len(removed) == 1
    assert {name: (tmp_path / name).read_text() for name in NAMES} == {name: f"new {name}" for name in NAMES}


def test_a_folder_is_refused_as_the_name_of_a_file_before_anything_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    written = []
    with pytest.raises(FileError, match="the name of a file"):
        replace_file(tmp_path / "folder", written.append)
    assert not written
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_what_is_taken_back_is_the_earlier_file_itself(tmp_path, monkeypatch):
    """Not a copy of it: whoever has it open, or another name for it, still has the same file."""
    (tmp_path / "a.csv").write_text("earlier")
    before = (tmp_path / "a.csv").stat().st_ino
    fail_at_the_end(monkeypatch, OSError(errno.EIO, "I/O error"))
    with pytest.raises(FileError):
        stage_all(tmp_path)
    assert (tmp_path / "a.csv").stat().st_ino == before


def test_a_file_system_without_links_takes_files_all_the_same(tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    for name in NAMES:
        (tmp_path / name).write_text("earlier")
    monkeypatch.setattr(os, "link", no_links)
    stage_all(tmp_path)
    assert content(tmp_path) == {name: f"new {name}" for name in NAMES}


def test_a_new_file_that_somebody_removed_does_not_stop_the_taking_back(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("earlier")
    moved = os.replace

    def replace(source, target):
        if Path(target).name == "c.txt":
            (tmp_path / "b.json").unlink()  # moved before, and gone
            raise OSError(errno.EIO, "I/O error")
        moved(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(FileError, match="I/O error"):
        stage_all(tmp_path)
    assert content(tmp_path) == {"a.csv": "earlier"}


def test_every_file_that_is_opened_to_be_flushed_is_closed(tmp_path, monkeypatch):
    opened, closed, begin, end = [], [], os.open, os.close

    def opening(path, *rest, **named):
        opened.append(begin(path, *rest, **named))
        return opened[-1]

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(os, "close", lambda handle: (closed.append(handle), end(handle)))
    stage_all(tmp_path)
    assert len(opened) >= len(NAMES) + 1
    assert sorted(opened) == sorted(closed)


def test_a_folder_that_another_run_makes_at_the_same_time_is_no_failure(tmp_path, monkeypatch):
    make = Path.mkdir

    def made_by_both(path, *rest, **named):
        os.mkdir(path)  # noqa: PTH102 -- the other run is faster
        make(path, *rest, **named)

    monkeypatch.setattr(Path, "mkdir", made_by_both)
    stage_all(tmp_path / "new" / "deep")
    assert content(tmp_path / "new" / "deep") == {name: f"new {name}" for name in NAMES}
