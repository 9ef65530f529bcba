"""Exit codes: one table for every command."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command ends with.

    1 is an answer, never a failure: a closed pipe, a full disk, a bug or a signal has a code of its own, so that a
    script that asks ``nymity check`` never takes one for "broken".
    """

    HOLDS = 0
    BROKEN = 1
    INPUT = 2
    NO_SOLUTION = 3
    UNSEEN = 4
    NOT_PRINTED = 5
    BUG = 70
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143

    @property
    def means(self) -> str:
        """The meaning of the code in a few words."""
        return _MEANS[self]

    @staticmethod
    def of_signal(number: int) -> ExitCode:
        """Return the code of a process that a signal stopped: 128 and its number, as shells have it."""
        return ExitCode(128 + number)


_MEANS = {
    ExitCode.HOLDS: "done, and everything holds",
    ExitCode.BROKEN: "a promise is broken, or an attack exceeds one",
    ExitCode.INPUT: "bad input: a file, a job, an option",
    ExitCode.NO_SOLUTION: "nothing satisfies the demands",
    ExitCode.UNSEEN: "nothing is broken, but a promise cannot be seen from what was given",
    ExitCode.NOT_PRINTED: "done, and files are written, but not all of it could be printed",
    ExitCode.BUG: "a bug in nymity",
    ExitCode.HUNG_UP: "stopped, the terminal is gone (SIGHUP)",
    ExitCode.INTERRUPTED: "stopped by Ctrl-C (SIGINT)",
    ExitCode.TERMINATED: "stopped by SIGTERM",
}
