"""Paths: what can be said of one before anything is read from it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given


def path_text(where: str, path: object, *, expected: str = "a path") -> str:
    """Return a path as text, so that it can stand in a job file; refuse what no file can be called."""
    try:
        text = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        text = None
    if not isinstance(text, str) or not text:
        raise ParameterError(where, expected=expected, got=as_given(path))
    if "\0" in text:
        raise ParameterError(where, expected=expected, got=f"{text!r:.80}, with a NUL character")
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise unnameable(where, error) from error
    return text


def unnameable(where: str, error: UnicodeEncodeError) -> ParameterError:
    """Explain a text that cannot be a path, or be written, where the locale is not UTF-8."""
    return ParameterError(
        where,
        expected=f"text that can be written in {error.encoding}",
        got=ascii(error.object)[:80],
        hint="a UTF-8 locale (LC_ALL=C.UTF-8), or PYTHONUTF8=1"
        if sys.getfilesystemencoding() != "utf-8"
        else "correct the characters that are none (lone surrogates)",
    )


def resolved(path: str | os.PathLike[str]) -> Path:
    """Return where a path leads, also where links go in a circle (``Path.resolve`` fails there)."""
    return Path(os.path.realpath(path))


def seen_from(folder: Path, path: Path) -> str:
    """Write a path as seen from a folder, as a job file there has it."""
    try:
        return Path(os.path.relpath(resolved(path), resolved(folder))).as_posix()
    except ValueError:  # another drive
        return resolved(path).as_posix()


def is_root(folder: Path) -> bool:
    """Return whether a folder is the root of its file system, which is nobody's to publish into or to close."""
    place = resolved(folder)
    return place == place.parent
