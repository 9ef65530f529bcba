"""How a command fails: one readable message, a stable exit code, no traceback for what the user can mend."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from nymity.cli.console import Screen, write_json
from nymity.cli.stopping import stop_code
from nymity.core.boundary import bounded, check_address_space
from nymity.core.errors import FileError, InputError, Interrupted, NymityError
from nymity.core.paths import unnameable


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that errors nymity raises on purpose are told, and end with their exit code.

    Anything else is a bug and passes. The codes are those of :class:`~nymity.core.exit_code.ExitCode`.
    """

    @wraps(command)
    def guard(*args: Any, **options: Any) -> None:
        as_json = bool(options.get("as_json"))
        try:
            _check_folder()
            check_address_space()
            with bounded():
                command(*args, **options)
        except NymityError as error:
            raise typer.Exit(_tell(error, as_json=as_json)) from None
        except UnicodeEncodeError as error:
            raise typer.Exit(_tell(unnameable("a name", error), as_json=as_json)) from None
        except OSError as error:
            if error.errno is None:  # none of the system's: a package means something else by it
                raise
            raise typer.Exit(_tell(_refused(error), as_json=as_json)) from None
        except KeyboardInterrupt:
            raise typer.Exit(_tell(_stopped(), as_json=as_json)) from None
        except typer.Abort:
            nobody = InputError("question", expected="an answer", got="the end of the input")
            raise typer.Exit(_tell(nobody, as_json=as_json)) from None

    return guard


def _check_folder() -> None:
    """Refuse to work in a folder that was removed: no relative path leads anywhere there."""
    try:
        Path.cwd()
    except OSError as error:
        raise FileError(
            "the current folder", expected="one that is there", got=error.strerror or str(error), hint="cd elsewhere"
        ) from error


def _stopped() -> Interrupted:
    stopped = Interrupted("interrupted; no file is left half-written")
    stopped.exit_code = stop_code()  # type: ignore[misc] # of this one, not of its class
    return stopped


def _refused(error: OSError) -> FileError:
    """Explain what the system would not do: a name that is too long, a disk that fails."""
    names = [os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    return FileError(
        " and ".join(names) or "the system",
        expected="a file or folder that can be used",
        got=error.strerror or str(error),
        hint="check the path, its permissions and the disk",
    )


def describe(error: NymityError) -> dict[str, Any]:
    """Return an error as plain data."""
    message, _, hint = str(error).partition(". Try: ")
    described: dict[str, Any] = {"kind": type(error).__name__, "message": message}
    if isinstance(error, InputError):
        described["message"] = f"{error.where}: expected {error.expected}, got {error.got}"
        described |= {"where": error.where, "expected": error.expected, "got": error.got}
        hint = error.hint
    return described | {"hint": hint or None, "exit_code": int(error.exit_code)}


def _tell(error: NymityError, *, as_json: bool) -> int:
    described, screen = describe(error), Screen()
    head = "stopped" if isinstance(error, Interrupted) else "error"
    screen.tell(head, described["message"])
    if described["hint"]:
        screen.tell("try", described["hint"])
    if as_json:
        write_json({"error": described})
    return int(error.exit_code)
