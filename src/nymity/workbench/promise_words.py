"""Promises and warnings of a release as a title and a sentence; what the library says of them stays as it is."""

from __future__ import annotations

from typing import Any

from nymity.report import titled


def promise_words(promised: Any) -> tuple[str, str]:
    """Return the name of a promise, and its sentence."""
    name, _, sentence = promised.means.rpartition(": ")
    return name or promised.model, f"{sentence[:1].upper()}{sentence[1:]}."


def warning_title(warning: Any) -> tuple[str, str]:
    """Return the title of a warning, and what it says beyond it."""
    title = titled(warning.key)
    if warning.says.lower().startswith(title.lower()):
        further = warning.says[len(title) :]
        return (f"{title}:", further[1:].lstrip()) if further.startswith(":") else (title, further)
    return f"{title}.", warning.says
