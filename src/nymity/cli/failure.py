"""How a command fails: one readable message, a stable exit code, no traceback for what the user can mend."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from typing import Any

import typer

from nymity.cli.console import Screen, write_json
from nymity.cli.options import NoValues
from nymity.cli.stopping import stop_code, was_stopped
from nymity.core.errors import InputError, Interrupted, NymityError
from nymity.core.permissions import ExposedWarning
from nymity.core.quoting import hidden, hiding


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that errors nymity raises on purpose are told, and end with their exit code.

    Anything else is a bug and passes. The codes are those of :class:`~nymity.core.exit_code.ExitCode`. Every command
    has the option ``--no-values`` by this.
    """

    @wraps(command)
    def guard(*args: Any, no_values: bool = False, **options: Any) -> None:
        as_json = bool(options.get("as_json"))
        with hiding(no_values), _warned():
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

    option = Parameter("no_values", Parameter.KEYWORD_ONLY, default=False, annotation=NoValues)
    known = signature(command, eval_str=True)
    guard.__signature__ = known.replace(parameters=[*known.parameters.values(), option])  # type: ignore[attr-defined]
    guard.__annotations__ = {**command.__annotations__, "no_values": NoValues}
    return guard


@contextmanager
def _warned() -> Iterator[None]:
    """Say on stderr, once each, what others can read and should not; all other warnings go their way."""
    told: set[str] = set()
    with warnings.catch_warnings():
        before = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
            if not issubclass(category, ExposedWarning):
                before(message, category, *place, **options)
            elif str(message) not in told:
                told.add(str(message))
                Screen().warn(str(message))

        warnings.simplefilter("always", ExposedWarning)
        warnings.showwarning = show
        yield


def describe_bug(bug: BaseException, *, values: bool) -> str:
    """Return what a bug report needs; without values only places in the program, for messages may quote some."""
    if values:
        return "".join(traceback.format_exception(bug))
    places = "".join(traceback.format_tb(bug.__traceback__))
    return f"{places}{type(bug).__name__} (what it says may quote values, and was left out)\n"


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


def _quotes(error: BaseException | None) -> bool:
    """Say whether an error, or the one it passes on, quotes values."""
    while error is not None:
        if getattr(error, "quotes_values", False):
            return not hidden()
        error = error.__cause__
    return False


def _tell(error: NymityError, *, as_json: bool) -> int:
    described, screen = describe(error), Screen()
    head = "stopped" if isinstance(error, Interrupted) else "error"
    screen.tell(head, described["message"])
    if described["hint"]:
        screen.tell("try", described["hint"])
    if _quotes(error):
        screen.tell("note", "this message quotes values of a table; --no-values leaves them out")
    if as_json:
        write_json({"error": described})
    return int(error.exit_code)
