"""What drivers of databases say, in the one form of nymity's errors.

A driver's message may name the user, repeat the query, and quote the row that did not fit. Its first line is passed on
without users, after a sentence of ours by its SQLSTATE (SQL:2023, PostgreSQL's appendix A), and nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from nymity.core.errors import DatabaseError
from nymity.core.extras import require
from nymity.core.quoting import hidden, relayed
from nymity.database.address import Address

_LOST = ("a lost connection", "look whether the server runs, and run again: nothing is left half-written")
_RIGHTS = ("no right to do this", "ask who owns the database for the right, or name another schema")

#: By SQLSTATE, or the class that its first two characters are: what came, and what to try.
_STATES = {
    "08": _LOST,
    "57P01": _LOST,
    "57P02": _LOST,
    "57P03": ("a server that is starting or stopping", "wait a moment and run again"),
    "57014": (
        "a statement that was stopped, by a timeout or by somebody",
        "a longer statement_timeout, such as PGOPTIONS='-c statement_timeout=10min'; nothing is left half-written",
    ),
    "25006": (
        "a statement that writes where one may only read",
        "of a source a query that selects; for a release a database that can be written, no standby",
    ),
    "28": ("a user whom the server does not let in", "PGUSER and PGPASSWORD, ~/.pgpass, or a service file"),
    "42501": _RIGHTS,
    "42P07": ("a table of this name, made by somebody in the meantime", "another table, or mode = 'replace'"),
    "42P01": ("no such table", "check its name and schema; letters of quoted names keep their case"),
    "3F000": ("no such schema", "create it first, or name another one"),
    "3D000": ("no such database", "check its name in the URL"),
    "53100": ("a full disk of the server", "free some space there"),
    "55P03": ("a table that somebody else has locked", "wait for them and run again"),
    "2BP01": ("other things that rest on the table, such as a view", "drop them first, or publish to another table"),
    "22021": ("text that the database's encoding cannot hold", "a database in UTF-8"),
    "22P05": ("text that the database's encoding cannot hold", "a database in UTF-8"),
}
#: Classes of states whose messages quote cells: data exceptions, and broken constraints.
_OF_CELLS = ("22", "23")
#: What came and what to try by words of a message without a state: it names hosts, files and tables, and no cells.
_WORDS = {
    "server closed the connection": _LOST,
    "terminating connection": _LOST,
    "no connection to the server": _LOST,
    "connection not open": _LOST,
    "password authentication failed": _STATES["28"],
    "no password supplied": _STATES["28"],
    "no pg_hba.conf entry": _STATES["28"],
    'role "…" does not exist': _STATES["28"],
    "is starting up": _STATES["57P03"],
    "is shutting down": _STATES["57P03"],
    "connection refused": ("no server that answers", "check host and port, and whether the server runs"),
    "no such file or directory": ("nothing that answers there", "check the path, or host and port"),
    "could not translate host name": ("a host that nobody knows", "check the host in the URL"),
    "does not exist!": _STATES["42P01"],
    "no such table": _STATES["42P01"],
    "database is locked": ("a file that another program has locked", "end that program, or wait for it"),
    "could not set lock": ("a file that another program has locked", "end that program, or wait for it"),
    "readonly database": ("a file that may not be written, or a statement that writes", "check its permissions"),
    "not a database": ("a file that is no such database", "check the path and the scheme of the URL"),
    "cannot launch in-memory": ("a file that is no such database", "check the path and the scheme of the URL"),
    "not a valid duckdb": ("a file that is no such database", "check the path and the scheme of the URL"),
    "read-only": _STATES["25006"],
}


@contextmanager
def told(address: Address, where: str, expected: str, *, cells: bool = True) -> Iterator[None]:
    """Turn what a driver raises into a DatabaseError; without ``cells`` nothing was sent that it could quote."""
    drivers = require("adbc_driver_manager", extra="database", purpose="a database")
    try:
        yield
    except drivers.Error as error:
        raise explained(error, address, where, expected, cells=cells) from error
    except OSError as error:  # of a stream of batches, whose error is Arrow's
        raise explained(error, address, where, expected, cells=cells) from error


def explained(error: Exception, address: Address, where: str, expected: str, *, cells: bool = True) -> DatabaseError:
    """Return an error of ours for one of a driver's."""
    message = address.without_users(str(error))
    state = getattr(error, "sqlstate", None) or _state_in(message)
    known = _STATES.get(state or "") or _STATES.get((state or "")[:2]) or _by_words(message)
    said = _first(message)
    if cells and (known is None or (state or "").startswith(_OF_CELLS)):
        said = relayed(said, "an error that quotes values")
    got, hint = known or (said, "check the URL, the names and the query")
    detail = f"{got} ({said})" if known and not hidden() else got
    return DatabaseError(f"{where} ({address.shown})", expected=expected, got=detail, hint=hint)


def _state_in(message: str) -> str | None:
    found = re.search(r"SQLSTATE: ([0-9A-Z]{5})", message)
    return found[1] if found else None


def _by_words(message: str) -> tuple[str, str] | None:
    low = message.lower()
    return next((told for words, told in _WORDS.items() if words in low), None)


def _first(message: str) -> str:
    """Return the first line that says something, without the driver's name of its own layers and without the query."""
    line = next((line for line in message.splitlines() if line.strip()), "no reason")
    line = re.sub(r"^[A-Z_]+: ", "", line)
    line = re.sub(r"^\[[A-Za-z]+\] ", "", line)
    line = re.sub(r"Failed to execute (query|COPY statement) '.*': ERROR", "ERROR", line)
    return re.sub(r"\. SQLSTATE: [0-9A-Z]{5}$", "", line).strip()
