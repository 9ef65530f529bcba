"""Journal: what a commit was about to do, so that the next run finishes or undoes it; see :mod:`nymity.core.commit`.

A journal may lie in a folder that somebody handed over. So whatever it asks for is looked at before it is done.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from nymity.core.disk import JOURNAL_NAME, flush, is_there, mark_of
from nymity.core.errors import FileError
from nymity.core.paths import resolved
from nymity.core.plain_data import parse_json

_FORMAT = "nymity-journal-1"
#: How the names of stages begin.
STAGE_PREFIX = ".nymity-stage-"


class Remote(Protocol):
    """Somewhere else that changes together with files, by a transaction of its own that is ready to be committed."""

    @property
    def place(self) -> str:
        """Where it is, in words that may stand in a journal."""

    @property
    def mark(self) -> str | None:
        """What :meth:`has` knows the transaction by; None where there is nothing to commit."""

    def commit(self) -> None:
        """Commit the transaction."""

    def has(self, mark: str) -> bool:
        """Return whether the transaction of a mark was committed; one that is still under way is waited for."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """One step of a commit: ``source`` becomes ``target``; ``earlier`` is the second name of the file it replaces.

    ``mark`` is the size and the time of the source, by which a move that was made can be told from a source that
    somebody removed.
    """

    source: Path
    target: Path
    earlier: Path | None = None
    mark: tuple[int, int] | None = None

    def make(self) -> None:
        """Move, unless that was done before."""
        if is_there(self.source):
            os.replace(self.source, self.target)  # noqa: PTH105 -- the call the guarantee rests on
        elif mark_of(self.target) != self.mark:
            raise FileError(
                str(self.target),
                expected="what an earlier run was about to put there",
                got="neither the old nor the new file: its hidden folder was removed or changed",
                hint="take both folders from a backup, or publish again into new ones",
            )

    def take_back(self) -> None:
        """Put everything back, as far as it moved."""
        if not is_there(self.source) and is_there(self.target):
            os.replace(self.target, self.source)  # noqa: PTH105
        if self.earlier is not None and is_there(self.earlier):
            os.replace(self.earlier, self.target)  # noqa: PTH105


def journal_of(folder: Path) -> Path:
    """Return where the journal of commits lies whose first folder this is."""
    return folder / JOURNAL_NAME


def write_journal(
    path: Path,
    direction: str,
    moves: list[Move],
    stages: list[Path],
    first: Path,
    question: dict[str, str] | None = None,
) -> None:
    """Write which moves will be made or taken back, every place by its way from the first folder."""

    def told(place: Path | None) -> str | None:
        return None if place is None else relative(place, first)

    content = {
        "format": _FORMAT,
        "direction": direction,
        "moves": [[told(move.source), told(move.target), told(move.earlier), move.mark] for move in moves],
        "stages": [told(stage) for stage in stages],
        **({} if question is None else {"question": question}),
    }
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")
    # It names files of the custodian.
    path.chmod(0o600)
    flush(path)


def follow_journal(first: Path, remote: Remote | None = None) -> str | None:
    """Finish or undo by the journal, if there is one, and say which; the lock is held."""
    journal = journal_of(first)
    if not journal.exists():
        return None
    try:
        content: dict[str, Any] = parse_json(journal.read_bytes(), where=str(journal), expected="a journal")
        if content["format"] != _FORMAT or content["direction"] not in ("finish", "undo", "ask"):
            raise ValueError(f"format {content['format']!r}")
        moves = [
            Move(
                source=_named(first, source),
                target=_named(first, target),
                earlier=None if earlier is None else _named(first, earlier),
                mark=None if mark is None else (int(mark[0]), int(mark[1])),
            )
            for source, target, earlier, mark in content["moves"]
        ]
        stages = [_named(first, name) for name in content["stages"]]
        question = content["question"] if content["direction"] == "ask" else {}
        place, mark = str(question.get("place")), str(question.get("mark"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(
            str(journal),
            expected=f"a journal ({_FORMAT})",
            got=f"something else: {error.got if isinstance(error, FileError) else error}",
            hint="keep a copy of both folders, remove the journal, and check the release",
        ) from error
    # Before the first move: the journal is a file like any other, and may have come with the folder.
    _spare_others(journal, moves, stages)
    undoing = content["direction"] == "undo"
    if content["direction"] == "ask":
        undoing = not _asked(journal, remote, place, mark)
    if undoing:
        undo_moves(moves)
    else:
        for move in moves:
            move.make()
    end_journal(first, moves)
    for stage in stages:
        shutil.rmtree(stage, ignore_errors=True)
    return "undone" if undoing else "finished"


def _asked(journal: Path, remote: Remote | None, place: str, mark: str) -> bool:
    """Ask the remote place whether a run got as far as its commit there.

    It is asked where the caller says it is, and never where a journal says so: whoever hands over a folder can put one
    there, and would be sent the credentials of who opens it.
    """
    if remote is None or remote.place != place:
        raise FileError(
            str(journal.parent),
            expected=f"to know whether a run that ended before its time was committed in {place}",
            got="a command that does not ask there",
            hint="publish again with the job of that run, which asks and then finishes or undoes what is left",
        )
    return remote.has(mark)


def _named(first: Path, name: str) -> Path:
    if "\0" in name:
        raise ValueError("a name with a NUL")
    return first / name


def _spare_others(journal: Path, moves: list[Move], stages: list[Path]) -> None:
    """Refuse a journal that moves or removes anything but files of a folder that its stage lies in.

    Whoever hands over a folder can put one there. A stage outside of what was handed over is not theirs to make.
    """
    ours = [resolved(stage) for stage in stages]
    for move in moves:
        places = [_place(path) for path in (move.source, move.target, move.earlier) if path is not None]
        if not any(_between(places, stage) for stage in ours):
            break
    else:
        if all(stage.name.startswith(STAGE_PREFIX) for stage in ours):
            return
    raise FileError(
        str(journal),
        expected="a journal that moves files between a folder and the hidden folder in it",
        got="one that reaches for other files: nymity did not write it",
        hint="ask who gave you the folder, and take another one; nothing was moved",
    )


def _between(places: list[Path], stage: Path) -> bool:
    """Return whether a move stays in the folder of a stage, with one end in the stage."""
    return any(stage in place.parents for place in places[:2]) and all(
        stage.parent in place.parents for place in places
    )


def _place(path: Path) -> Path:
    """Return where a name stands, without following it."""
    return resolved(path.parent) / path.name


def undo_moves(moves: list[Move]) -> None:
    """Take back all moves, the last first."""
    for move in reversed(moves):
        move.take_back()


def end_journal(first: Path, moves: list[Move]) -> None:
    """Remove the journal once everything it speaks of is on the disk."""
    for folder in {place.parent for move in moves for place in (move.source, move.target)}:
        if folder.exists():
            flush(folder)
    journal_of(first).unlink()
    with suppress(OSError):  # if the journal comes back after a crash, what it asks for is done already
        flush(first)


def relative(path: Path, start: Path) -> str:
    """Name a place by the way from ``start``, so that both may be moved together; whole on another drive."""
    try:
        return os.path.relpath(resolved(path), resolved(start))
    except ValueError:
        return str(resolved(path))
