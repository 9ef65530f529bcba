"""Address: where a database is, by a URL without a password.

    postgresql://clinic.example:5432/patients     a server; what is left out comes from libpq's environment
    postgresql:///?service=clinic                 a service of ~/.pg_service.conf
    sqlite:///patients.db  duckdb:////abs/p.duckdb  a file: three slashes and a relative path, four and an absolute one

Whoever can read a job must not learn a password by it, so that one in a URL is refused: libpq has its own places for
passwords (``PGPASSWORD``, ``~/.pgpass``, ``PGPASSFILE``, service files). Users are accepted, and never repeated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from nymity.core.errors import ParameterError

#: Schemes, and the kind of database each names.
SCHEMES = {"postgresql": "postgresql", "postgres": "postgresql", "sqlite": "sqlite", "duckdb": "duckdb"}
#: Parameters of a URL that say where a server is; all others may say who somebody is.
_PLACES = ("host", "hostaddr", "port", "dbname", "service")
#: Names of parameters that are secrets: password, sslpassword, oauth_client_secret, scram_client_key, and their like.
_SECRET = re.compile(r"password|passphrase|secret|token|scram")
WAY_OUT = "leave it out: libpq takes it from PGPASSWORD, ~/.pgpass (PGPASSFILE) or a service file (PGSERVICE)"


@dataclass(frozen=True)
class Address:
    """A checked URL; ``kind`` is one of postgresql, sqlite and duckdb, ``file`` the file of the latter two."""

    url: str
    kind: str
    file: Path | None = None

    @staticmethod
    def of(where: str, url: object) -> Address:
        """Read a URL, or say what is wrong with it without repeating it: it may hold a password."""
        if not isinstance(url, str) or "\0" in url:
            raise _unlike(where, type(url).__name__ if not isinstance(url, str) else "one with a NUL character")
        scheme, there, rest = url.partition("://")
        kind = SCHEMES.get(scheme.lower())
        if not there or kind is None:
            raise _unlike(where, f"the scheme {scheme!r:.40}" if there else "a text without '://'")
        if kind == "postgresql":
            try:
                urlsplit(url)
            except ValueError:  # such as a host in half a pair of brackets; its text would repeat the URL
                raise _unlike(where, "one that cannot be read") from None
            _refuse_secrets(where, url)
            return Address(url, kind)
        path = unquote(rest.removeprefix("/"))
        if not rest.startswith("/") or not path or "?" in rest or "#" in rest:
            raise ParameterError(
                where,
                expected=f"{kind}:///relative/path or {kind}:////absolute/path",
                got="a URL without a path" if "?" not in rest and "#" not in rest else "one with parameters",
                hint="write ? and # in a name as %3F and %23",
            )
        return Address(url, kind, Path(path))

    def within(self, folder: Path) -> Address:
        """Let a relative path start at a folder."""
        if self.file is None:
            return self
        file = folder / self.file
        return Address(f"{self.kind}:///{quote(str(file))}", self.kind, file)

    @property
    def shown(self) -> str:
        """The address without anything that says who somebody is, as errors and logs have it."""
        if self.file is not None:
            return f"{self.kind}:///{self.file}"
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        places = [(name, value) for name, value in parse_qsl(parts.query) if name in _PLACES]
        return f"postgresql://{host}{parts.path}{'?' if places else ''}{urlencode(places, safe='/')}"

    @property
    def users(self) -> tuple[str, ...]:
        """Who the URL says that somebody is, so that it can be left out of what a server answers."""
        if self.file is not None:
            return ()
        parts = urlsplit(self.url)
        named = [unquote(parts.netloc.rpartition("@")[0]), *(v for n, v in parse_qsl(parts.query) if n == "user")]
        return tuple(name for name in named if name)

    def without_users(self, text: str) -> str:
        """Return what a driver says, without the names of users and roles."""
        text = re.sub(r'\b(user|role) "[^"]*"', r'\1 "…"', text)
        for name in self.users:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", text)
        return text


def _refuse_secrets(where: str, url: str) -> None:
    """Refuse a password before the host, or among the parameters, in whichever way it is written."""
    authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
    user = authority.rpartition("@")[0]
    # A password may hold a slash or an @ that should have been escaped: then the user ends at the last one.
    whole = url.partition("://")[2].rpartition("@")[0]
    # libpq knows no fragment: parameters go on behind a #.
    named = [name.lower() for name, _ in parse_qsl(url.partition("?")[2], keep_blank_values=True)]
    if ":" in user or (":" in whole.partition("/")[0] and "@" in url) or any(map(_SECRET.search, named)):
        raise ParameterError(where, expected="a URL without a password or key", got="one with it", hint=WAY_OUT)


def _unlike(where: str, got: str) -> ParameterError:
    return ParameterError(
        where,
        expected="the URL of a database: postgresql://host/database, sqlite:///file or duckdb:///file",
        got=got,
    )
