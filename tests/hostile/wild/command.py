"""Runs the command line in this process, with real streams, and classifies how it ended."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from .outcome import Outcome, Verdict

#: Every exit code that docs/concepts/errors.md lists, but for 70.
KNOWN = {0, 1, 2, 3, 4, 5, 129, 130, 143}
_TRACE = "Traceback (most recent call last)"


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a command ended."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def told(self) -> str:
        """The command, its code and the end of what it said."""
        return f"nymity {' '.join(map(repr, self.arguments))}\n  exit code {self.code}\n{_end(self.err)}"

    def verdict(self) -> Verdict:
        """Classify it by its code and words alone; what it did is for others to judge."""
        if self.code == 70 or _TRACE in self.err:
            return Verdict(outcome=Outcome.TRACEBACK, said=self.told)
        if self.code not in KNOWN:
            return Verdict(outcome=Outcome.TRACEBACK, said=f"unknown exit code\n{self.told}")
        if self.code in (2, 3):
            asked_nothing = self.arguments == ("nothing",)  # the help then stands where help stands
            silent = not (self.err.strip() or (asked_nothing and self.out.strip()))
            return Verdict(outcome=Outcome.TRACEBACK if silent else Outcome.ERROR, said=self.told)
        if self.code == 1 and self.arguments[0] == "publish" and "--fail-on-warnings" not in self.arguments:
            return Verdict(outcome=Outcome.WRONG, said=f"publish made what breaks its promise\n{self.told}")
        if "--json" in self.arguments and self.code in (0, 1, 4) and not _is_json(self.out):
            return Verdict(outcome=Outcome.WRONG, said=f"no JSON was written: {self.out[:200]!r}\n{self.told}")
        return Verdict(outcome=Outcome.OK, said=self.told)


def run(arguments: Sequence[str], *, encoding: str = "utf-8") -> Ended:
    """Run a command in this process; its stdout and stderr are files."""
    from nymity.cli import main

    given = tuple(map(str, arguments))
    kept = sys.argv, sys.stdout, sys.stderr, os.dup(1), os.dup(2)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.argv = ["nymity", *given]
            sys.stdout, sys.stderr = _stream(1, encoding), _stream(2, encoding)
            try:
                code = main.run()
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 0
        finally:
            sys.argv, sys.stdout, sys.stderr = kept[:3]
            for copy, number in ((kept[3], 1), (kept[4], 2)):
                os.dup2(copy, number)
                os.close(copy)
            for number, handler in handlers.items():
                signal.signal(number, handler)
        return Ended(arguments=given, code=code, out=_content(out), err=_content(err))


def _stream(number: int, encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(number, "w", closefd=False), encoding=encoding, errors="backslashreplace")


def _content(file: io.BufferedRandom) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _end(text: str) -> str:
    return "\n".join(f"  | {line[:300]}" for line in text.strip().splitlines()[-14:])


def _is_json(text: str) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True
