"""Files that appear whole or not at all.

Everything is written into a hidden folder inside the destination, flushed to the disk, and only then moved into place
by :func:`os.replace`, which is atomic within one file system. Whatever happens before leaves the earlier files as they
were; when a move fails, the moves before it are taken back.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from nymity.core.errors import FileError

#: How the names of staging folders start.
STAGING_PREFIX = ".nymity-"

#: Staging folders of killed runs are removed when nothing in them changed for this long.
STALE_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A hidden folder in which files wait for their place: ``stage / "name.csv"`` is where to write one."""

    folder: Path
    _names: list[str] = field(default_factory=list, repr=False)

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    def commit(self, names: Iterable[str]) -> None:
        """Say which staged files move into place, and in which order, once the block has ended well."""
        for name in names:
            if name != Path(name).name or not (self.folder / name).is_file():
                raise FileError(
                    str(self.folder / name),
                    expected="a file written in the staging folder",
                    got="none of this name",
                    hint="write stage / name before commit",
                )
            self._names.append(name)


@contextmanager
def staging(folder: str | os.PathLike[str]) -> Iterator[Stage]:
    """Give a fresh hidden folder inside ``folder``; what is committed there moves into ``folder`` at the end.

        with staging("release") as stage:
            table.write_csv(stage / "table.csv")
            (stage / "certificate.json").write_text(certificate)
            stage.commit(["table.csv", "certificate.json"])

    The block's failure (also an interrupt) removes the staging folder, and ``folder`` itself if it was made here;
    files that were there before stay untouched. What is not committed is discarded. A failure of the system (full disk,
    missing permission) is a FileError.
    """
    target = Path(folder)
    made: list[Path] = []
    try:
        with _explained(target):
            _make(target, made)
            _remove_stale(target)
            stage = Stage(folder=Path(tempfile.mkdtemp(prefix=STAGING_PREFIX, dir=target)))
            try:
                yield stage
                _move(stage, target)
            finally:
                shutil.rmtree(stage.folder, ignore_errors=True)
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir()
        raise


def replace_file(path: str | os.PathLike[str], write: Callable[[Path], object]) -> None:
    """Let ``write`` make a file somewhere else and put it at ``path`` when it is whole."""
    target = Path(path)
    if target.is_dir():
        raise FileError(str(target), expected="the name of a file", got="a folder", hint="add a file name")
    with staging(target.parent) as stage:
        write(stage / target.name)
        stage.commit([target.name])


def _move(stage: Stage, target: Path) -> None:
    """Move the committed files into place, all or (as far as the system lets us) none."""
    for name in stage._names:
        _flush(stage / name)
    earlier = Path(tempfile.mkdtemp(dir=stage.folder))  # second names of the files that are replaced
    begun: list[str] = []
    try:
        for name in stage._names:
            if (target / name).is_file():
                _second_name(target / name, earlier / name)
            begun.append(name)
            os.replace(stage / name, target / name)  # noqa: PTH105 -- the call the guarantee rests on
        _flush(target)
    except BaseException:
        for name in reversed(begun):
            _take_back(stage / name, target / name, earlier / name)
        raise


def _take_back(staged: Path, target: Path, earlier: Path) -> None:
    if staged.exists():  # it never moved
        return
    if not earlier.exists():
        target.unlink(missing_ok=True)
        return
    try:
        os.replace(earlier, target)  # noqa: PTH105
    except OSError:
        shutil.copy2(earlier, target)


def _second_name(path: Path, other: Path) -> None:
    try:
        os.link(path, other)
    except OSError:  # a file system without links
        shutil.copy2(path, other)


def _flush(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on the disk."""
    if path.is_dir() and os.name == "nt":  # Windows cannot flush folders
        return
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot flush
            raise
    finally:
        os.close(handle)


def _make(folder: Path, made: list[Path]) -> None:
    """Create a folder and those above it, noting each in ``made``."""
    missing = []
    for path in (folder, *folder.parents):
        if path.exists():
            break
        missing.append(path)
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        made.append(path)


def _remove_stale(folder: Path) -> None:
    """Remove staging folders that a killed run left behind."""
    oldest = time.time() - STALE_SECONDS
    for path in folder.glob(f"{STAGING_PREFIX}*"):
        if path.is_symlink() or not path.is_dir():
            continue
        with suppress(OSError):
            if all(entry.lstat().st_mtime < oldest for entry in (path, *path.iterdir())):
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn a failure of the system into a FileError that says what to try."""
    try:
        yield
    except OSError as error:
        got, hint = _REASONS.get(error.errno or 0, (error.strerror or str(error), "check the folder and its disk"))
        path = Path(os.fsdecode(error.filename2 or error.filename or folder))
        if path.parent.name.startswith(STAGING_PREFIX):
            path = folder / path.name  # where the file was to go; its hidden place means nothing to the caller
        raise FileError(
            str(path), expected=f"to write in {folder}", got=got, hint=f"{hint}; earlier files are unchanged"
        ) from error


_REASONS = {
    errno.ENOSPC: ("a full disk", "free some space or choose another disk"),
    errno.EDQUOT: ("a used-up quota", "free some space or choose another disk"),
    errno.EACCES: ("no permission", "choose a folder you may write to"),
    errno.EPERM: ("no permission", "choose a folder you may write to"),
    errno.EROFS: ("a read-only disk", "choose a folder you may write to"),
    errno.ENOTDIR: ("a file in the way", "choose another folder"),
    errno.EEXIST: ("a file in the way", "choose another folder"),
    errno.EISDIR: ("a folder in the way", "choose another file name"),
    errno.ENAMETOOLONG: ("a name that is too long", "choose a shorter name"),
}
