"""Paths that somebody typed into a page: whole ones, for nobody sees from where the server was begun."""

from __future__ import annotations

import os
from pathlib import Path

from nymity.core.errors import ParameterError
from nymity.core.paths import path_text, resolved


def typed_path(where: str, text: str) -> Path:
    """Return where a path leads; ``~`` is the home of whoever runs the server."""
    path = Path(os.path.expanduser(path_text(where, text.strip())))  # noqa: PTH111 -- Path's fails for unknown users
    if not path.is_absolute():
        raise ParameterError(where, expected="a whole path", got=repr(text)[:80], hint="such as ~/release")
    return resolved(path)
