"""A PostgreSQL server for tests; where none can be started, they are skipped with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from nymity.core.errors import FileError
from nymity_lab.bench.postgresql_server import GUEST as GUEST
from nymity_lab.bench.postgresql_server import Server as Server
from nymity_lab.bench.postgresql_server import running_server as started


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server that keeps nothing, and stop it at the end."""
    with ExitStack() as held:
        try:
            server = held.enter_context(started("fsync=off"))
        except FileError as error:
            pytest.skip(f"no PostgreSQL server: {error.got}")
        yield server
