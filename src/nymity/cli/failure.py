"""How a command fails: one readable message, a stable exit code, no traceback for what the user can mend."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import typer

from nymity.cli.console import Screen, write_json
from nymity.cli.shared_options import NoValues
from nymity.cli.stopping import stop_code, was_stopped
from nymity.core.boundary import bounded
from nymity.core.errors import FileError, InputError, Interrupted, NymityError
from nymity.core.memory import check_address_space
from nymity.core.paths import unnameable
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
                _check_folder()
                check_address_space()
                with bounded():
                    command(*args, **options)
            except (typer.Exit, SystemExit):
                raise
            # A panic of polars is no Exception, and may still be told in a line.
            except BaseException as error:
                told = _foreseen(error)
                if told is None:
                    raise
                raise typer.Exit(_tell(told, as_json=as_json)) from None

    option = Parameter("no_values", Parameter.KEYWORD_ONLY, default=False, annotation=NoValues)
    known = signature(command, eval_str=True)
    # typer reads options from the signature: the further one is added to it.
    guard.__signature__ = known.replace(parameters=[*known.parameters.values(), option])  # type: ignore[attr-defined]
    guard.__annotations__ = {**command.__annotations__, "no_values": NoValues}
    return guard


@contextmanager
def _warned() -> Iterator[None]:
    """Print on stderr, once each, what others can read and should not; leave all other warnings as they are."""
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


def _foreseen(error: BaseException) -> NymityError | None:
    """Return what is told of an error, None of a bug."""
    if isinstance(error, KeyboardInterrupt) or was_stopped():  # packages make other errors of an interrupt
        return _stopped()
    if isinstance(error, NymityError):
        return error
    if isinstance(error, typer.Abort):
        return InputError("question", expected="an answer", got="the end of the input")
    if isinstance(error, UnicodeEncodeError):
        return unnameable("a name", error)
    if isinstance(error, OSError) and error.errno is not None:  # else a package means something else by it
        return _refused(error)
    return None


def _check_folder() -> None:
    """Refuse to work in a folder that was removed: no relative path leads anywhere there."""
    try:
        Path.cwd()
    except OSError as error:
        raise FileError(
            "the current folder", expected="one that exists", got=error.strerror or str(error), hint="cd elsewhere"
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


def _quotes(error: BaseException | None) -> bool:
    """Return whether an error, or the one it passes on, quotes values."""
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
