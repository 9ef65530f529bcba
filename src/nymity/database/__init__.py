"""Databases: tables read from them, and releases written to them in one transaction."""

from __future__ import annotations

from nymity.database.address import Address
from nymity.database.database_kind import qualified
from nymity.database.database_output import DatabaseOutput
from nymity.database.database_source import DatabaseSource
from nymity.database.session import Session
from nymity.database.table_writer import TableWriter

__all__ = ["Address", "DatabaseSource", "DatabaseOutput", "TableWriter", "Session", "qualified"]
