"""Files that change together: after a crash at any moment, all of them are as before or all are new.

What is to be written lies first in *stages*: hidden folders inside the folders it is for, so that moving a file into
place is one rename. Then

1. every staged file is flushed to the disk, and each file to be replaced gets a second name in its stage;
2. a *journal* is put into the first folder. It lists the moves. From now on they will be made, whatever happens;
3. the moves are made, the folders flushed, the journal and the stages removed.

A run that dies before 2 changed nothing; one that dies after it is finished by the next run, which finds the journal.
A move that fails takes back those before it: the journal is first exchanged for its twin, which says *undo*. Both
directions may be repeated any number of times, so dying again does no harm.

Something outside of the folders can change with them, such as a table of a database (a ``Remote``). Its
transaction is ready when the journal is put there, which says *ask* until it is committed: whoever finds
that asks the remote place whether the mark of the transaction is there, finishes if it is, and undoes otherwise. From
the commit on there is no way back, so that a move that fails then is left to the next run.

Writers hold a lock on each folder. So whatever stage a writer finds belongs to a run that died, and is removed.
Readers look at the journal alone (:func:`refuse_between`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nymity.core.disk import (
    HIDDEN_PREFIX,
    flush,
    make_folder,
    mark_of,
    second_name,
    spare_devices,
    unmake,
)
from nymity.core.errors import FileError
from nymity.core.journal import (
    STAGE_PREFIX,
    Move,
    Remote,
    end_journal,
    follow_journal,
    journal_of,
    relative,
    undo_moves,
    write_journal,
)
from nymity.core.locks import LOCK_NAME, locked
from nymity.core.paths import is_root, resolved
from nymity.core.permissions import close, warn_if_exposed
from nymity.core.signals import held_back
from nymity.core.system_errors import explained

#: Names the file in a stage that tells in which folder the journal lies.
_POINTER = ".journal"
#: Seconds to wait for another run that writes the same file.
_PATIENCE = 10.0


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A hidden folder in which files wait for their place: ``stage / "name.csv"`` is where to write one.

    ``private`` files can be read by their owner alone.
    """

    folder: Path
    target: Path
    private: bool = False
    _moves: list[Move] = field(default_factory=list, repr=False)
    _made: list[Path] = field(default_factory=list, repr=False)

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    def commit(self, names: Iterable[str]) -> None:
        """Plan which staged files move into place, and in which order, once the block has ended without an error."""
        for name in names:
            if name != Path(name).name or not (self.folder / name).is_file():
                raise FileError(
                    str(self.folder / name),
                    expected="a file written in the staging folder",
                    got="none of this name",
                    hint="write stage / name before commit",
                )
            spare_devices(self.target / name)
            self._moves.append(Move(source=self.folder / name, target=self.target / name))

    def remove(self, name: str) -> None:
        """Plan that a file of the folder is removed, if it is there."""
        if (self.target / name).is_file():
            self._moves.append(Move(source=self.target / name, target=self._second_folder("removed") / name))

    def keep(self, files: Iterable[Path], into: str) -> None:
        """Plan that files are also kept as they are now, in a new folder ``into`` inside this one."""
        copies = self.folder / "kept"
        copies.mkdir(mode=0o700)
        for file in files:
            if file.parent == self.target:
                second_name(file, copies / file.name)
            else:  # one of another folder keeps its permissions there
                shutil.copyfile(file, copies / file.name)
            if self.private:
                (copies / file.name).chmod(0o600)
            flush(copies / file.name)
        make_folder((self.target / into).parent, self._made, private=self.private)
        self._moves.insert(0, Move(source=copies, target=self.target / into))

    def _second_folder(self, name: str) -> Path:
        folder = self.folder / f".{name}"
        folder.mkdir(exist_ok=True)
        return folder

    def _prepared(self) -> list[Move]:
        """Flush what was written, and give what is to be replaced a second name."""
        prepared = []
        for move in self._moves:
            earlier = None
            if move.target.is_file():
                earlier = self._second_folder("earlier") / move.target.name
                # The file that is replaced keeps a second name until the commit is over, so that undoing is a rename,
                # too.
                second_name(move.target, earlier)
            if self.private and move.source.is_file():
                close(move.source)
            flush(move.source)
            prepared.append(Move(source=move.source, target=move.target, earlier=earlier, mark=mark_of(move.source)))
        for folder in (path for path in self.folder.rglob("*") if path.is_dir()):
            flush(folder)
        flush(self.folder)
        return prepared


@contextmanager
def committing(
    *folders: str | os.PathLike[str],
    private: Iterable[str | os.PathLike[str]] = (),
    wait: float = 0.0,
    remote: Remote | None = None,
) -> Iterator[list[Stage]]:
    """Give a stage for each folder; what is committed in them moves into place together at the end of the block.

        with committing("custodian", "release", private=["custodian"]) as (log, release):
            (log / "mapping.csv").write_text(...)
            (release / "table.csv").write_text(...)
            log.commit(["mapping.csv"])
            release.commit(["table.csv"])

    The journal lies in the first folder. ``private`` folders and their files are for their owner alone. Another run in
    one of the folders makes this one fail, after ``wait`` seconds. The block's failure (also an interrupt) leaves the
    folders as they were, and removes those that were made here. A failure of the system (full disk, missing permission)
    is a FileError. What is ready in a ``remote`` place at the end of the block is committed with the files.
    """
    with _running([Path(folder) for folder in folders], {Path(folder) for folder in private}, wait, remote) as run:
        yield run.stages


@contextmanager
def _running(targets: list[Path], closed: set[Path], wait: float, remote: Remote | None) -> Iterator[_Run]:
    """Lock the folders, settle what runs that died left there, and commit what the block puts into the stages."""
    for target in targets:
        if is_root(target):
            raise FileError(str(target), expected="a folder of its own", got="the root of the file system")
    run = _Run(first=targets[0])
    try:
        try:
            with explained(targets):
                with held_back():
                    for target in targets:
                        make_folder(target, run.made, private=target in closed)
                # In one order for everybody: two runs that want the same folders cannot each wait for the other.
                for target in sorted(set(targets), key=lambda path: str(resolved(path))):
                    run.locks.enter_context(locked(target / LOCK_NAME, what=str(target), wait=wait))
                with held_back():
                    for target in targets:
                        run.recovered.append(follow_journal(target, remote))
                    for target in targets:
                        _remove_stages(target, wait, remote)
                        run.stages.append(_stage(target, private=target in closed))
                yield run
                with held_back():
                    _commit(run.stages, targets[0], remote)
                    run.made.clear()
        finally:
            run.end()
    finally:
        run.end()  # again: an interrupt may have come before the first had begun


@dataclass(kw_only=True)
class _Run:
    """What a commit has made and holds: the folders that were not there before, the locks and the stages."""

    first: Path
    made: list[Path] = field(default_factory=list)
    locks: ExitStack = field(default_factory=ExitStack)
    stages: list[Stage] = field(default_factory=list)
    recovered: list[str | None] = field(default_factory=list)
    ended: bool = False

    def end(self) -> None:
        """Leave nothing behind but what was committed, and what a journal still speaks of."""
        with held_back():
            if self.ended:
                return
            if not journal_of(self.first).exists():
                for stage in self.stages:
                    shutil.rmtree(stage.folder, ignore_errors=True)
                    unmake(stage._made)
            self.locks.close()
            unmake(self.made)
            self.ended = True


@contextmanager
def staging(folder: str | os.PathLike[str], *, wait: float = _PATIENCE) -> Iterator[Stage]:
    """Give a stage for one folder: see :func:`committing`."""
    with committing(folder, wait=wait) as (stage,):
        yield stage


def replace_file(path: str | os.PathLike[str], write: Callable[[Path], object], *, private: bool = False) -> None:
    """Let ``write`` make a file somewhere else and put it at ``path`` when it is whole.

    One rename is all it takes, so there is no journal. Its hidden folder has a name that follows from the file's: what
    a killed run left there is removed by the next one that writes the same file.
    """
    target = Path(path)
    if target.is_dir():
        raise FileError(str(target), expected="the name of a file", got="a folder", hint="add a file name")
    spare_devices(target)
    hidden = target.parent / f"{HIDDEN_PREFIX}{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}"
    made: list[Path] = []
    try:
        with explained([target.parent], at=target):
            with held_back():
                make_folder(target.parent, made)
            with locked(hidden.with_suffix(".lock"), what=str(target), wait=_PATIENCE):
                try:
                    shutil.rmtree(hidden, ignore_errors=True)
                    hidden.mkdir(mode=0o700)
                    write(hidden / target.name)
                    if private:
                        close(hidden / target.name)
                    # The content must be on the disk before the name points to it: a crash may otherwise leave an empty
                    # file.
                    flush(hidden / target.name)
                    os.replace(hidden / target.name, target)  # noqa: PTH105
                    flush(target.parent)
                    if private:
                        warn_if_exposed(target)
                finally:
                    with held_back():
                        shutil.rmtree(hidden, ignore_errors=True)
    except BaseException:
        unmake(made)
        raise


def recover(folder: str | os.PathLike[str], *, wait: float = 0.0, remote: Remote | None = None) -> str | None:
    """Finish or undo what a run that died left in between; say what was done, None if there was nothing to do."""
    first = Path(folder)
    if not journal_of(first).exists():
        return None
    with explained([first]), locked(first / LOCK_NAME, what=str(first), wait=wait):
        return follow_journal(first, remote)


def settle(*folders: Path, wait: float = 0.0, remote: Remote | None = None) -> bool:
    """Finish, undo and remove what runs that died left in folders, so that the next one sees what there is.

    Return whether one of them was finished.
    """
    there = [folder for folder in folders if folder.is_dir()]
    left = (journal_of(folder).exists() or (folder / LOCK_NAME).exists() or _stages_in(folder) for folder in there)
    if not any(left):
        return False
    with _running(there, set(), wait, remote) as run:
        return "finished" in run.recovered


def refuse_between(folder: Path) -> None:
    """Refuse to read a folder whose files are being exchanged, or were when a run died."""
    if journal_of(folder).exists() or any(map(_may_be_moving, _stages_in(folder))):
        raise FileError(
            str(folder),
            expected="files that belong together",
            got="a run under way, or one that ended before all of them were exchanged",
            hint="wait for it, or publish again: the next run finishes or undoes what is left",
        )


# -- all moves or none ---------------------------------------------------------------------------------------


def _commit(stages: list[Stage], first: Path, remote: Remote | None) -> None:
    """Make all moves, or none."""
    moves = [move for stage in stages for move in stage._prepared()]
    if not moves:
        return
    folders = [stage.folder for stage in stages]
    twin = folders[0] / ".undo"  # complete before it is needed, so that undoing takes no space
    write_journal(twin, "undo", moves, folders, first)
    written = folders[0] / ".finish"
    write_journal(written, "finish", moves, folders, first)
    asking = None
    if remote is not None and remote.mark is not None:
        asking = folders[0] / ".ask"
        write_journal(asking, "ask", moves, folders, first, question={"place": remote.place, "mark": remote.mark})
    for stage in stages[1:]:
        (stage / _POINTER).write_text(relative(first, stage.target), encoding="utf-8")
        flush(stage / _POINTER)
    for stage in stages:
        flush(stage.folder)
    if remote is not None and asking is not None:
        os.replace(asking, journal_of(first))  # noqa: PTH105
        _commit_remote(remote, first, moves)
        os.replace(written, journal_of(first))  # noqa: PTH105
        flush(first)
        for move in moves:  # one that fails is left to the next run: what is committed elsewhere stays
            move.make()
        end_journal(first, moves)
        return
    os.replace(written, journal_of(first))  # noqa: PTH105
    try:
        flush(first)
        for move in moves:
            move.make()
        end_journal(first, moves)
    except BaseException:
        os.replace(twin, journal_of(first))  # noqa: PTH105
        undo_moves(moves)
        end_journal(first, moves)
        raise


def _commit_remote(remote: Remote, first: Path, moves: list[Move]) -> None:
    """Commit what is ready elsewhere; where that fails, it may have been done all the same, and the place is asked."""
    assert remote.mark is not None
    try:
        flush(first)
        remote.commit()
    except BaseException:
        if not remote.has(remote.mark):  # an error of its own leaves the journal, and the question, to the next run
            end_journal(first, moves)
            raise


# -- folders and files ---------------------------------------------------------------------------------


def _stage(target: Path, *, private: bool) -> Stage:
    return Stage(folder=Path(tempfile.mkdtemp(prefix=STAGE_PREFIX, dir=target)), target=target, private=private)


def _remove_stages(folder: Path, wait: float, remote: Remote | None) -> None:
    """Remove the stages of runs that died: whoever holds the lock is the only one who may have any.

    One that belongs to a journal in a folder which is not part of this run is finished or undone first.
    """
    for path in _stages_in(folder):
        if (other := _journal_folder(path)) is not None:
            recover(other, wait=wait, remote=remote)
        shutil.rmtree(path, ignore_errors=True)


def _stages_in(folder: Path) -> list[Path]:
    return [path for path in folder.glob(f"{STAGE_PREFIX}*") if path.is_dir() and not path.is_symlink()]


def _journal_folder(stage: Path) -> Path | None:
    """Return the folder whose journal speaks of a stage, if there is one that does."""
    try:
        folder = stage.parent / (stage / _POINTER).read_text(encoding="utf-8")
        return folder if journal_of(folder).exists() else None
    except (OSError, ValueError):
        return None


def _may_be_moving(stage: Path) -> bool:
    """Return whether a journal speaks of a stage; it may, where somebody else than its owner cannot see that."""
    try:
        return journal_of(stage.parent / (stage / _POINTER).read_text(encoding="utf-8")).exists()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
