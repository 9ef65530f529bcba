"""How a command fails: one readable message, a stable exit code, no traceback for what the user can mend."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from nymity.cli.console import Screen, write_json
from nymity.cli.stopping import stop_code, was_stopped
from nymity.core.errors import InputError, Interrupted, NymityError


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that errors nymity raises on purpose are told, and end with their exit code.

    Anything else is a bug and passes. The codes are those of :class:`~nymity.core.exit_code.ExitCode`.
    """

    @wraps(command)
    def guard(*args: Any, **options: Any) -> None:
        as_json = bool(options.get("as_json"))
        try:
            command(*args, **options)
        except (typer.Exit, SystemExit):
            raise
        except KeyboardInterrupt:
            raise typer.Exit(_tell(_stopped(), as_json=as_json)) from None
        except BaseException as error:
            if was_stopped():  # packages make other errors of an interrupt
                told: NymityError = _stopped()
            elif isinstance(error, NymityError):
                told = error
            elif isinstance(error, typer.Abort):
                told = InputError("question", expected="an answer", got="the end of the input")
            else:
                raise
            raise typer.Exit(_tell(told, as_json=as_json)) from None

    return guard


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
