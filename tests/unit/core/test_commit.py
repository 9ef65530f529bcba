"""Files appear whole or not at all, whatever goes wrong."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nymity.core.commit import committing, recover, refuse_between, replace_file, staging
from nymity.core.disk import HIDDEN_PREFIX, JOURNAL_NAME
from nymity.core.errors import FileError


@pytest.fixture
def folder(tmp_path: Path) -> Any:
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


def failing(error: BaseException, on_call: int) -> Any:
    """Stand in for os.replace that fails once, at the given call."""
    calls, real = [], os.replace

    def replace(source: Any, target: Any) -> None:
        calls.append(Path(target).name)
        if len(calls) == on_call:
            raise error
        real(source, target)

    return replace


def test_files_are_moved_in_the_order_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved, real = [], os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (moved.append(Path(b).name), real(a, b)))
    stage_both(folder)
    assert moved == [JOURNAL_NAME, "a.csv", "b.json"]
    assert content(folder) == {"a.csv": "new a", "b.json": "new b"}


def test_staging_is_hidden_inside_the_destination(folder: Path) -> None:
    with staging(folder) as stage:
        assert stage.folder.parent == folder
        assert stage.folder.name.startswith(HIDDEN_PREFIX)
        assert list(stage.folder.iterdir()) == []
    assert content(folder) == {"a.csv": "earlier a"}


def test_nothing_moves_before_the_block_ends(folder: Path) -> None:
    with staging(folder) as stage:
        (stage / "a.csv").write_text("new")
        stage.commit(["a.csv"])
        assert (folder / "a.csv").read_text() == "earlier a"
    assert content(folder) == {"a.csv": "new"}


def test_what_is_not_committed_is_discarded(folder: Path) -> None:
    with staging(folder) as stage:
        (stage / "b.json").write_text("scratch")
    assert content(folder) == {"a.csv": "earlier a"}


@pytest.mark.parametrize("name", ["absent.csv", "../a.csv", "", "sub/x"])
def test_only_staged_files_can_be_committed(folder: Path, name: str) -> None:
    with pytest.raises(FileError, match="staging folder"), staging(folder) as stage:
        stage.commit([name])
    assert content(folder) == {"a.csv": "earlier a"}


@pytest.mark.parametrize("error", [ValueError("bad"), KeyboardInterrupt(), SystemExit(3)])
def test_a_failing_block_leaves_everything_as_it_was(folder: Path, error: Any) -> None:
    def work() -> None:
        with staging(folder) as stage:
            (stage / "a.csv").write_text("half")
            stage.commit(["a.csv"])
            raise error

    with pytest.raises(type(error)):
        work()
    assert content(folder) == {"a.csv": "earlier a"}


@pytest.mark.parametrize("on_call", [1, 2, 3])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failing_move_takes_the_others_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch, on_call: Any, error: Any
) -> None:
    monkeypatch.setattr(os, "replace", failing(error, on_call))
    with pytest.raises(FileError if isinstance(error, OSError) else KeyboardInterrupt):
        stage_both(folder)
    assert content(folder) == {"a.csv": "earlier a"}


def test_taking_back_removes_files_that_were_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", failing(OSError(errno.EIO, "I/O error"), 3))

    def work() -> None:
        with staging(folder) as stage:
            (stage / "new.csv").write_text("new")
            (stage / "a.csv").write_text("new")
            stage.commit(["new.csv", "a.csv"])

    with pytest.raises(FileError, match="I/O error"):
        work()
    assert content(folder) == {"a.csv": "earlier a"}


def test_file_systems_without_links(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "replace", failing(OSError(errno.ENOSPC, "No space left on device"), 3))
    with pytest.raises(FileError):
        stage_both(folder)
    assert content(folder) == {"a.csv": "earlier a"}


def test_a_full_disk_is_explained(folder: Path) -> None:
    with pytest.raises(FileError) as caught, staging(folder):
        raise OSError(errno.ENOSPC, "No space left on device", str(folder / "a.csv"))
    assert (caught.value.got, caught.value.where) == ("a full disk", str(folder / "a.csv"))
    assert "earlier files are unchanged" in caught.value.hint
    assert content(folder) == {"a.csv": "earlier a"}


def test_a_folder_without_permission(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(**_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr("tempfile.mkdtemp", deny)
    with pytest.raises(FileError, match=r"no permission.*a folder you may write to"):
        stage_both(folder)
    assert content(folder) == {"a.csv": "earlier a"}


def test_a_file_where_the_folder_should_be(folder: Path) -> None:
    with pytest.raises(FileError, match="a file in the way"), staging(folder / "a.csv"):
        pass
    with pytest.raises(FileError, match="a file in the way"), staging(folder / "a.csv" / "deeper"):
        pass
    assert content(folder) == {"a.csv": "earlier a"}


def test_missing_folders_are_made_and_kept(tmp_path: Path) -> None:
    stage_both(tmp_path / "new" / "deep")
    assert content(tmp_path / "new" / "deep") == {"a.csv": "new a", "b.json": "new b"}


def test_missing_folders_are_removed_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), staging(tmp_path / "new" / "deep") as stage:
        (stage / "a").write_text(str(1 // 0))
    assert list(tmp_path.iterdir()) == []


def test_everything_is_flushed_before_the_journal_and_the_journal_before_the_moves(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, replace, fsync = [], os.replace, os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (events.append("flush"), fsync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (events.append(Path(b).name), replace(a, b)))
    stage_both(folder)
    kinds = [event for event, before in zip(events, ["", *events], strict=False) if event != before]
    assert kinds == ["flush", JOURNAL_NAME, "flush", "a.csv", "b.json", "flush"]


KILLED = """
import os, signal, sys
from nymity.core.commit import staging
real = os.replace
os.replace = lambda a, b: os.kill(os.getpid(), signal.SIGKILL) if str(b).endswith(sys.argv[2]) else real(a, b)
with staging(sys.argv[1]) as stage:
    (stage / "b.json").write_text("new b")
    (stage / "a.csv").write_text("new a")
    stage.commit(["a.csv", "b.json"])
"""


@pytest.mark.parametrize(
    ("dies_at", "before", "after"),
    [
        (JOURNAL_NAME, {"a.csv": "earlier a"}, {"a.csv": "earlier a"}),
        ("a.csv", {"a.csv": "earlier a"}, {"a.csv": "new a", "b.json": "new b"}),
        ("b.json", {"a.csv": "new a"}, {"a.csv": "new a", "b.json": "new b"}),
    ],
)
def test_what_a_killed_run_left_is_finished_or_removed_by_the_next(
    folder: Path, dies_at: Any, before: Any, after: Any
) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder), dies_at], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert {path.name: path.read_text() for path in folder.glob("[!.]*")} == before
    assert list(folder.glob(f"{HIDDEN_PREFIX}*"))
    if dies_at == JOURNAL_NAME:
        refuse_between(folder)
    else:
        with pytest.raises(FileError, match="before all of them were exchanged"):
            refuse_between(folder)
    with staging(folder):
        pass
    assert content(folder) == after


def test_a_killed_run_can_be_recovered_without_writing_anything_else(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(folder), "b.json"], check=False)
    assert recover(folder) == "finished"
    assert content(folder) == {"a.csv": "new a", "b.json": "new b"}
    assert recover(folder) is None


DIES_UNDOING = """
import errno, os, signal, sys
from nymity.core.commit import staging
real, failed = os.replace, []
def replace(a, b):
    if str(b).endswith("b.json"):
        failed.append(b)
        raise OSError(errno.ENOSPC, "No space left on device")
    if failed and str(b).endswith("a.csv"):
        os.kill(os.getpid(), signal.SIGKILL)
    real(a, b)
os.replace = replace
with staging(sys.argv[1]) as stage:
    (stage / "b.json").write_text("new b")
    (stage / "a.csv").write_text("new a")
    stage.commit(["a.csv", "b.json"])
"""


def test_a_run_killed_while_it_takes_back_is_undone_by_the_next(folder: Path) -> None:
    """The move of b.json failed, and the process died before the earlier a.csv was in its place again."""
    killed = subprocess.run([sys.executable, "-c", DIES_UNDOING, str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert "earlier a" not in {path.read_text() for path in folder.glob("[!.]*")}
    with pytest.raises(FileError, match="before all of them were exchanged"):
        refuse_between(folder)
    assert recover(folder) == "undone"
    assert content(folder) == {"a.csv": "earlier a"}
    assert recover(folder) is None


def test_a_stage_that_somebody_removed_is_not_taken_for_a_finished_move(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(folder), "a.csv"], check=False)
    for hidden in folder.glob(".nymity-stage-*"):
        shutil.rmtree(hidden)
    with pytest.raises(FileError, match="neither the old nor the new file"):
        recover(folder)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "other"}', '{"format": "nymity-journal-1"}'])
def test_a_damaged_journal_is_refused(folder: Path, text: str) -> None:
    (folder / JOURNAL_NAME).write_text(text)
    with pytest.raises(FileError, match="a journal"):
        recover(folder)


def test_a_journal_in_another_folder_is_finished_before_its_stage_goes(tmp_path: Path) -> None:
    first, second, other = tmp_path / "first", tmp_path / "second", tmp_path / "other"
    script = KILLED.replace("staging(sys.argv[1]) as stage", "committing(sys.argv[1], sys.argv[3]) as (_, stage)")
    script = script.replace("commit import staging", "commit import committing")
    subprocess.run([sys.executable, "-c", script, str(first), "b.json", str(second)], check=False)
    with pytest.raises(FileError, match="before all of them were exchanged"):
        refuse_between(second)
    with committing(other, second):
        pass
    assert content(second) == {"a.csv": "new a", "b.json": "new b"}
    assert content(first) == {}


def test_a_second_writer_is_refused_or_waits(folder: Path) -> None:
    with staging(folder) as stage:
        (stage / "a.csv").write_text("new a")
        stage.commit(["a.csv"])
        with pytest.raises(FileError, match="one that is under way"), staging(folder, wait=0):
            pass
    stage_both(folder)
    assert content(folder) == {"a.csv": "new a", "b.json": "new b"}


def test_many_writers_at_once_leave_one_of_their_states(tmp_path: Path) -> None:
    script = """
import sys
from nymity.core.commit import committing
for turn in range(5):
    with committing(sys.argv[1], sys.argv[2], wait=60) as stages:
        for stage in stages:
            (stage / "word").write_text(sys.argv[3] + str(turn))
            stage.commit(["word"])
"""
    places = [str(tmp_path / "one"), str(tmp_path / "two")]
    running = [subprocess.Popen([sys.executable, "-c", script, *places, str(i)]) for i in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    one, two = (content(Path(place)) for place in places)
    assert one == two
    assert one.keys() == {"word"}


def test_interrupts_wait_until_a_commit_is_through(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.replace

    def interrupted(source: Any, target: Any) -> None:
        if Path(target).name == "a.csv":
            os.kill(os.getpid(), signal.SIGINT)
        real(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stage_both(folder)
    assert content(folder) == {"a.csv": "new a", "b.json": "new b"}


def test_private_folders_are_for_their_owner_whatever_the_umask(tmp_path: Path) -> None:
    earlier = os.umask(0)
    try:
        for _ in range(2):
            with committing(tmp_path / "log", tmp_path / "release", private=[tmp_path / "log"]) as (log, release):
                assert stat.S_IMODE(log.folder.stat().st_mode) == 0o700
                (log / "key").write_text("secret")
                (release / "table").write_text("public")
                log.keep([key], "earlier/1") if (key := tmp_path / "log" / "key").exists() else None
                log.commit(["key"])
                release.commit(["table"])
    finally:
        os.umask(earlier)
    modes = {str(p.relative_to(tmp_path)): stat.S_IMODE(p.stat().st_mode) for p in tmp_path.rglob("*")}
    assert modes == {
        "log": 0o700,
        "log/key": 0o600,
        "log/earlier": 0o700,
        "log/earlier/1": 0o700,
        "log/earlier/1/key": 0o600,
        "release": 0o777,
        "release/table": 0o666,
    }


def test_files_can_be_removed_and_kept(folder: Path) -> None:
    with staging(folder) as stage:
        stage.keep([folder / "a.csv"], "earlier/0001")
        stage.remove("a.csv")
        stage.remove("absent")
    assert not (folder / "a.csv").exists()
    assert (folder / "earlier" / "0001" / "a.csv").read_text() == "earlier a"
    assert [path.name for path in folder.iterdir()] == ["earlier"]


def test_a_file_of_another_folder_is_kept_for_the_owner_alone_and_stays_as_it_was(tmp_path: Path) -> None:
    log, release = tmp_path / "log", tmp_path / "release"
    release.mkdir()
    (release / "certificate").write_text("published")
    (release / "certificate").chmod(0o644)
    with committing(log, release, private=[log]) as (private, _):
        private.keep([release / "certificate"], "earlier/0001")
    kept, published = log / "earlier/0001/certificate", release / "certificate"
    assert (kept.read_text(), stat.S_IMODE(kept.stat().st_mode)) == ("published", 0o600)
    assert (published.read_text(), stat.S_IMODE(published.stat().st_mode)) == ("published", 0o644)
    assert not kept.samefile(published)


def test_nobody_else_can_read_the_journals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They name the files of the custodian's folder, and whoever can write one decides what is moved."""
    modes, real = {}, os.replace

    def replace(source: Any, target: Any) -> None:
        modes[Path(source).name] = stat.S_IMODE(Path(source).stat().st_mode)
        if Path(target).name == "b.json":
            raise OSError(errno.EIO, "I/O error")  # so that the journal which undoes is put in its place too
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    earlier = os.umask(0)
    try:
        with pytest.raises(FileError):
            stage_both(folder)
    finally:
        os.umask(earlier)
    assert {name: modes[name] for name in (".finish", ".undo")} == {".finish": 0o600, ".undo": 0o600}


def test_a_killed_replace_file_is_cleaned_up_by_the_next(folder: Path) -> None:
    script = """
import os, signal, sys
from nymity.core.commit import replace_file
replace_file(sys.argv[1], lambda path: path.write_text("half") and os.kill(os.getpid(), signal.SIGKILL))
"""
    subprocess.run([sys.executable, "-c", script, str(folder / "a.csv")], check=False)
    assert list(folder.glob(f"{HIDDEN_PREFIX}*"))
    replace_file(folder / "a.csv", lambda path: path.write_text("new"))
    assert content(folder) == {"a.csv": "new"}


def test_replace_file(folder: Path) -> None:
    replace_file(folder / "a.csv", lambda path: path.write_text("new") and None)
    assert content(folder) == {"a.csv": "new"}


def test_replace_file_takes_relative_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    replace_file("b.txt", lambda path: path.write_text("new") and None)
    assert content(folder) == {"a.csv": "earlier a", "b.txt": "new"}


@pytest.mark.parametrize(
    ("error", "expected"),
    [(OSError(errno.ENOSPC, "No space left on device"), FileError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
def test_replace_file_that_fails(folder: Path, error: Any, expected: Any) -> None:
    def write(path: Path) -> None:
        path.write_text("half")
        raise error

    with pytest.raises(expected):
        replace_file(folder / "a.csv", write)
    assert content(folder) == {"a.csv": "earlier a"}


def test_replace_file_that_writes_nothing(folder: Path) -> None:
    with pytest.raises(FileError, match="file"):
        replace_file(folder / "a.csv", lambda path: None)
    assert content(folder) == {"a.csv": "earlier a"}


def test_permissions_follow_the_umask(folder: Path) -> None:
    earlier = os.umask(0o022)
    try:
        replace_file(folder / "a.csv", lambda path: path.write_text("new") and None)
    finally:
        os.umask(earlier)
    assert stat.S_IMODE((folder / "a.csv").stat().st_mode) == 0o644


def test_replace_file_asks_for_the_name_of_a_file(folder: Path) -> None:
    with pytest.raises(FileError, match="add a file name"):
        replace_file(folder, lambda path: path.write_text("new"))


def test_one_stage_of_a_dead_commit_is_enough_to_refuse(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    script = KILLED.replace("staging(sys.argv[1]) as stage", "committing(sys.argv[1], sys.argv[3]) as (_, stage)")
    script = script.replace("commit import staging", "commit import committing")
    subprocess.run([sys.executable, "-c", script, str(first), "b.json", str(second)], check=False)
    (second / ".nymity-stage-other").mkdir()  # of a run that died earlier, and had not begun to move
    with pytest.raises(FileError, match="before all of them were exchanged"):
        refuse_between(second)


def test_both_journals_are_on_the_disk_before_the_first_move(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed, fsync = [], os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (flushed.append(Path(f"/proc/self/fd/{handle}").resolve()), fsync(handle))
    )
    stage_both(folder)
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux tells which file is flushed")
    assert {".undo", ".finish", "a.csv", "b.json"} <= {path.name for path in flushed}


def test_commits_need_no_links(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    stage_both(folder)
    assert content(folder) == {"a.csv": "new a", "b.json": "new b"}


@pytest.mark.parametrize("links", [True, False])
def test_everything_written_is_on_the_disk_before_the_journal_speaks_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, links: Any
) -> None:
    """Without links the files to be replaced are copied, and a copy that is not flushed may be gone after a crash."""
    flushed, unflushed, fsync, replace = set(), [], os.fsync, os.replace
    before = {path.stat().st_ino for path in folder.iterdir()}

    def no_links(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    def replacing(source: Any, target: Any) -> None:
        if Path(target).name == JOURNAL_NAME:
            known = flushed | before
            unflushed.extend(path for path in folder.rglob("*") if _is_work(path) and path.stat().st_ino not in known)
        replace(source, target)

    monkeypatch.setattr(os, "fsync", lambda handle: (flushed.add(os.fstat(handle).st_ino), fsync(handle)))
    monkeypatch.setattr(os, "replace", replacing)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    stage_both(folder)
    assert unflushed == []


def _is_work(path: Path) -> bool:
    return ".nymity-stage-" in str(path)


@pytest.mark.parametrize("names", [["a.csv"], ["absent"]])
def test_a_folder_in_the_way_stays_as_it_is(folder: Path, names: Any) -> None:
    """What is to be kept goes into a new folder; if it is not new, nothing changes, and least of all that folder."""
    (folder / "earlier").mkdir()
    (folder / "earlier" / "a.csv").write_text("of a run before")

    def work() -> None:
        with staging(folder) as stage:
            (stage / "a.csv").write_text("new a")
            stage.keep([folder / name for name in names], "earlier")
            stage.commit(["a.csv"])

    with pytest.raises(FileError):
        work()
    assert (folder / "earlier" / "a.csv").read_text() == "of a run before"
    assert (folder / "a.csv").read_text() == "earlier a"
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "earlier"]


@pytest.mark.parametrize("fails", [False, True])
def test_the_folders_may_be_on_two_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: Any) -> None:
    """Files move within their folder alone, the journal and its twin too: between disks nothing can be renamed."""
    first, second, replace = tmp_path / "first", tmp_path / "second", os.replace

    def on_one_disk(source: Any, target: Any) -> None:
        disks = {Path(path).relative_to(tmp_path).parts[0] for path in (source, target)}
        if len(disks) > 1:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        if fails and Path(target).name == "b":
            raise OSError(errno.EIO, "I/O error")
        replace(source, target)

    def work() -> None:
        with committing(first, second) as stages:
            for stage, name in zip(stages, "ab", strict=True):
                (stage / name).write_text("new")
                stage.commit([name])

    for folder in (first, second):
        folder.mkdir()
    monkeypatch.setattr(os, "replace", on_one_disk)
    if fails:
        with pytest.raises(FileError, match="I/O error"):
            work()
    else:
        work()
    expected = ({}, {}) if fails else ({"a": "new"}, {"b": "new"})
    assert (content(first), content(second)) == expected
