"""Failures of the system while files are written, as errors that say what to try and name the user's own paths."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nymity.core.disk import HIDDEN_PREFIX, JOURNAL_NAME
from nymity.core.errors import FileError, InputError

#: What is said of files that a failed run would have replaced.
UNCHANGED = "earlier files are unchanged"


@contextmanager
def explained(folders: list[Path], *, at: Path | None = None) -> Iterator[None]:
    """Turn a failure of the system into a FileError that says what to try; let errors name the user's own paths.

    ``at`` is what was written where the system does not say it.
    """
    try:
        yield
    except InputError as error:
        if HIDDEN_PREFIX not in str(error):
            raise
        texts = (error.where, error.expected, error.got, error.hint)
        where, expected, got, hint = (_HIDDEN_FOLDER.sub("", text) for text in texts)
        raise type(error)(where, expected=expected, got=got, hint=hint) from error
    except Exception as error:
        number = error_number(error)
        if number is None:
            raise
        # Of a rename the second name is the one that the user gave.
        named = getattr(error, "filename2", None) or getattr(error, "filename", None) or at or folders[-1]
        told = getattr(error, "strerror", None) or str(error)
        got, hint = _REASONS.get(number, (told, "check the folder and its disk"))
        between = (folders[0] / JOURNAL_NAME).exists()  # undoing failed as well
        state = "the next run finishes or undoes what was begun" if between else UNCHANGED
        raise FileError(
            str(_shown(Path(os.fsdecode(named)))),
            expected=f"to write in {' and '.join(_HIDDEN_FOLDER.sub('', str(folder)) for folder in folders)}",
            got=_HIDDEN_FOLDER.sub("", got),
            hint=f"{hint}; {state}",
        ) from error


def error_number(error: Exception) -> int | None:
    """Return the number of a failure of the system, 0 if it has none; None for what is no such failure.

    Packages written in Rust tell it in words alone.
    """
    told = re.search(r"\(os error (\d+)\)", str(error))
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    return int(told[1]) if told else 0 if isinstance(error, OSError) else None


def _shown(path: Path) -> Path:
    """Return where a file in a hidden place was to go: the place means nothing to the user."""
    parts = path.parts
    hidden = next((i for i, part in enumerate(parts) if part.startswith(HIDDEN_PREFIX)), None)
    if hidden is None:
        return path
    folder = Path(*parts[:hidden])
    return folder if path.name.startswith(".") else folder / path.name


_HIDDEN_FOLDER = re.compile(rf"{re.escape(HIDDEN_PREFIX)}[\w.-]+([/\\]|$)")
_REASONS = {
    errno.ENOSPC: ("a full disk", "free some space or choose another disk"),
    errno.EDQUOT: ("a used-up quota", "free some space or choose another disk"),
    errno.EACCES: ("no permission", "choose a folder you may write to"),
    errno.EPERM: ("no permission", "choose a folder you may write to"),
    errno.EROFS: ("a read-only disk", "choose a folder you may write to"),
    errno.ENOTDIR: ("a file in the way", "choose another folder"),
    errno.EEXIST: ("a file in the way", "choose another folder"),
    errno.EISDIR: ("a folder in the way", "choose another file name"),
    errno.ENAMETOOLONG: ("a name that is too long", "choose a shorter name"),
}
