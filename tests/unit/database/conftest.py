"""A server for all tests of a process, a database for each test, and the same test on every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from postgres import Server, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


@pytest.fixture(params=["postgresql", "sqlite", "duckdb"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty database of each kind."""
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("server")
        return server.url(server.new_database())
    return f"{request.param}:///{tmp_path / 'a database.file'}"


@pytest.fixture
def execute(url: str) -> Callable[[str], None]:
    """Run statements in the database of a test, each by itself."""
    from nymity.database.address import Address
    from nymity.database.session import Session

    def run_all(*statements: str) -> None:
        with Session(Address.of("test", url), "test") as session:
            for statement in statements:
                session.run(statement)
            session.commit()

    return run_all
