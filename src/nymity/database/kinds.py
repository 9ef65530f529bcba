"""Every kind of database by its name, one line each."""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from nymity.database.address import Address
from nymity.database.database_kind import DatabaseKind

from nymity.database.postgresql import POSTGRESQL as POSTGRESQL
from nymity.database.sqlite import SQLITE as SQLITE
from nymity.database.duckdb import DUCKDB as DUCKDB

KINDS: dict[str, DatabaseKind] = {one.name: one for one in tuple(vars().values()) if isinstance(one, DatabaseKind)}


def kind_of(address: Address) -> DatabaseKind:
    """Return the kind of database that an address names."""
    return KINDS[address.kind]
