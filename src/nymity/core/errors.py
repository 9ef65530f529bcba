"""Every error nymity raises on purpose.

    NymityError
    ├── InputError (ValueError)        what came in is not what it should be       exit code 2
    │   ├── FileError                  a file cannot be read, written or understood
    │   ├── DatabaseError              a database cannot be reached, read or written
    │   ├── TableError                 the table itself: columns, rows, values
    │   ├── SchemaError                roles and attributes against the table
    │   ├── HierarchyError             a hierarchy is inconsistent or does not cover its column
    │   ├── ParameterError             a number or name outside its range
    │   └── JobError                   a field of a job file
    ├── NoSolutionError                nothing satisfies the demands               exit code 3
    ├── PromiseError                   the written release breaks a promise        exit code 1
    ├── MissingExtraError (ImportError) an optional package is not installed       exit code 2
    ├── OutOfMemoryError (MemoryError) the table does not fit into the memory      exit code 2
    ├── PanicError (RuntimeError)      a package failed in a way of its own        exit code 70
    ├── DrawingError                   a page's plots cannot be drawn              exit code 2
    ├── StepError                      steps of a study failed                     exit code 2
    └── Interrupted                    an observer asked to stop                   exit code 130

One message form: *where*, what was *expected*, what *came*, what to *try*.
"""

from __future__ import annotations

from typing import ClassVar

from nymity.core.exit_code import ExitCode
from nymity.core.quoting import MARK


class NymityError(Exception):
    """Root of the tree; carries the exit code the command line answers with.

    ``quotes_values`` says whether the message repeats values of a table (:mod:`nymity.core.quoting`).
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INPUT

    def __init__(self, message: str = "") -> None:
        self.quotes_values = MARK in message
        super().__init__(message.replace(MARK, ""))


class InputError(NymityError, ValueError):
    """What came in is not what it should be: ``where: expected …, got …. Try: …``."""

    def __init__(self, where: str, *, expected: str, got: str, hint: str = "") -> None:
        self.where, self.expected, self.got, self.hint = (
            _short(text.replace(MARK, "")) for text in (where, expected, got, hint)
        )
        message = f"{_short(where)}: expected {_short(expected)}, got {_short(got)}"
        super().__init__(f"{message}. Try: {_short(hint)}" if hint else message)


def _short(words: str, most: int = 1_000) -> str:
    """Cut what a long value would make longer than anybody reads."""
    return words if len(words) <= most else f"{words[: most - 2]} …"


class FileError(InputError):
    """A file cannot be read, written or understood."""


class DatabaseError(InputError):
    """A database cannot be reached, read or written."""


class TableError(InputError):
    """The table itself is unusable: no rows, duplicate columns, reserved values."""


class SchemaError(InputError):
    """Roles and attributes do not fit the table."""


class HierarchyError(InputError):
    """A hierarchy is inconsistent or does not cover its column."""


class ParameterError(InputError):
    """A parameter is outside its range."""


class JobError(InputError):
    """A field of a job file is wrong; ``where`` is the field's place."""


class NoSolutionError(NymityError):
    """Nothing satisfies the demands; the message says how far the best candidate was."""

    exit_code = ExitCode.NO_SOLUTION


class PromiseError(NymityError):
    """What was written does not keep what was promised."""

    exit_code = ExitCode.BROKEN


class MissingExtraError(NymityError, ImportError):
    """An optional package is not installed; the message names the extra to install."""


class OutOfMemoryError(NymityError, MemoryError):
    """What was asked for does not fit into the memory."""

    def __init__(self, detail: str = "") -> None:
        because = f" ({detail})" if detail else ""
        super().__init__(
            f"there is not enough memory for this{because}. Try: fewer records or columns, coarser hierarchies, or a "
            "machine with more memory; files of earlier runs are unchanged"
        )


class PanicError(NymityError, RuntimeError):
    """A package that nymity uses failed in a way it has no error for."""

    exit_code = ExitCode.BUG

    def __init__(self, detail: str = "") -> None:
        super().__init__(
            f"a package that nymity uses failed unexpectedly ({detail or 'it does not say why'}). Try: report it as a "
            "bug of nymity, with the kind of file or frame that it was given"
        )


class DrawingError(NymityError):
    """The plots of a page cannot be drawn; what the page is about stands."""


class StepError(NymityError):
    """Steps of a study failed; the message names them, and what the others found is kept."""


class Interrupted(NymityError):  # noqa: N818 -- an outcome, not a fault
    """An observer asked the running algorithm to stop."""

    exit_code = ExitCode.INTERRUPTED
