"""What is tried under faults."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from hostile.databases import DATABASES
from hostile.faults import Scenario
from hostile.publishing import PUBLISHING
from nymity.core.commit import committing
from nymity.core.errors import FileError
from nymity.core.journal import Move, journal_of

_RELEASE, _LOG = ("a.csv", "b.csv", "certificate.json"), ("log.json", "mapping.parquet")


def _write(folder: Path, word: str, *, again: bool) -> None:
    with committing(folder / "custodian", folder / "release", private=[folder / "custodian"]) as (log, release):
        for stage, names in ((log, _LOG), (release, _RELEASE)):
            for name in names:
                if (word, name) != ("new", "b.csv"):  # the new release has one file less
                    (stage / name).write_text(f"{word} {name}")
        if again:
            log.keep([folder / "custodian" / name for name in _LOG], "earlier/0001")
        release.remove("b.csv")
        log.commit(_LOG)
        release.commit(name for name in _RELEASE if (release / name).exists())


def _judge(folder: Path) -> str:
    with committing(folder / "custodian", folder / "release"):
        pass  # the next run: it finishes or undoes, and cleans
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    hidden = [name for name in found if "/." in name or name.startswith(".")]
    if hidden:
        return f"hidden files are left: {hidden}"
    states = {
        "old": {f"custodian/{name}": f"old {name}" for name in _LOG}
        | {f"release/{name}": f"old {name}" for name in _RELEASE},
        "new": {f"custodian/{name}": f"new {name}" for name in _LOG}
        | {f"release/{name}": f"new {name}" for name in _RELEASE if name != "b.csv"}
        | {f"custodian/earlier/0001/{name}": f"old {name}" for name in _LOG},
    }
    there = {name: path.read_text() for name, path in found.items()}
    for word, state in states.items():
        if there == state:
            return word
    return f"mixed: {there}"


def _die_between(folder: Path, *, undoing: bool) -> None:
    """Leave a journal behind: a run that died after its first move, forwards or while it took that back."""
    _write(folder, "old", again=False)
    child = os.fork()
    if child == 0:
        real, calls = Move.make, []

        def make(move: Move) -> None:
            if len(calls) == 3:
                if not undoing:
                    os._exit(0)
                raise OSError(errno.EACCES, "denied")
            calls.append(move)
            real(move)

        Move.make = make  # type: ignore[method-assign]
        Move.take_back = lambda _: os._exit(0)  # type: ignore[method-assign]
        _write(folder, "new", again=True)
        os._exit(1)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or not journal_of(folder / "custodian").exists():
        raise RuntimeError("the run did not die in between")


def _next_run(folder: Path) -> None:
    with committing(folder / "custodian", folder / "release"):
        pass


SCENARIOS = {
    "finish": Scenario(
        prepare=lambda folder: _die_between(folder, undoing=False),
        act=_next_run,
        judge=_judge,
        expected=(FileError,),
        always="new",
    ),
    "undo": Scenario(
        prepare=lambda folder: _die_between(folder, undoing=True),
        act=_next_run,
        judge=_judge,
        expected=(FileError,),
        always="old",
    ),
    "commit": Scenario(
        prepare=lambda folder: _write(folder, "old", again=False),
        act=lambda folder: _write(folder, "new", again=True),
        judge=_judge,
        expected=(FileError,),
    ),
    **PUBLISHING,
    **DATABASES,
}
