"""How a command fails: one readable message, a stable exit code, no traceback for what the user can mend."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import typer

from nymity.cli.console import Screen, write_json
from nymity.core.errors import FileError, InputError, Interrupted, NymityError
from nymity.core.exit_code import ExitCode

#: The signal that stopped this process, in the order they came; Ctrl-C is Python's own and is not among them.
_received: list[int] = []


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that errors nymity raises on purpose are told, and end with their exit code.

    Anything else is a bug and passes. The codes are those of :class:`~nymity.core.exit_code.ExitCode`.
    """

    @wraps(command)
    def guard(*args: Any, **options: Any) -> None:
        as_json = bool(options.get("as_json"))
        try:
            _check_folder()
            command(*args, **options)
        except NymityError as error:
            raise typer.Exit(_tell(error, as_json=as_json)) from None
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


def watch_signals() -> None:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does: cleaned up, told, and with a code of their own."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores it
            signal.signal(number, _stop)


def stop_code() -> ExitCode:
    """Return the exit code of a command that was stopped."""
    return ExitCode.of_signal(_received[0]) if _received else ExitCode.INTERRUPTED


def _stop(number: int, _: FrameType | None) -> NoReturn:
    _received.append(number)
    signal.signal(number, signal.SIG_IGN)  # a second one must not break off the cleaning up
    raise KeyboardInterrupt


def _stopped() -> Interrupted:
    stopped = Interrupted("interrupted; no file is left half-written")
    stopped.exit_code = stop_code()  # type: ignore[misc] # of this one, not of its class
    return stopped


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
