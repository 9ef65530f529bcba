"""Checking a table with whatever is known of it, for tests that take that from a list."""

from __future__ import annotations

from typing import Any

import nymity as ny
from nymity.publishing.checking.check import CheckResult

#: What is given to ``check``; the rest is known of the release.
_OF_CHECK = ("original", "source", "key")


def checked(table: Any, **given: Any) -> CheckResult:
    """Open a table with what is known of it, and check it."""
    beside = {name: given.pop(name) for name in _OF_CHECK if name in given}
    return ny.check(ny.open(table, **given), **beside)
