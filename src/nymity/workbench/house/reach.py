"""Reach: which files and databases the people of a house may name. Everything else is refused before it is looked at,
so that nobody learns whether it is there.

A job names files in many places: the table, hierarchies, a population, keys, a ledger, earlier releases. All of them
are found by what their field is called, whatever stands around it; so is every address of a database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nymity.core.errors import ParameterError
from nymity.core.paths import path_text, resolved
from nymity.database import Address

#: Fields of a job that name a file or folder: of a source, a hierarchy, a column, a model, a ledger, a release.
_READ = {
    "path", "file", "pseudonym_key", "population", "subset", "release", "custodian", "dictionary", "recoding", "log",
    "folder",
}  # fmt: skip
#: Engines that read no address of their own and write nowhere else.
_ENGINES = ("memory", "streaming")


@dataclass(frozen=True, kw_only=True)
class Reach:
    """Folders that tables may come from, and this person's own for releases and keys; addresses of databases."""

    tables: tuple[Path, ...] = ()
    releases: Path | None = None
    keys: Path | None = None
    databases: frozenset[str] = frozenset()

    def check_read(self, where: str, path: object, *, inside: Path | None = None) -> Path:
        """Return where a path leads, if that may be read; ``inside`` is the folder of a project that is theirs."""
        own = [one for one in (self.releases, inside) if one is not None]
        return _within(where, path, [*self.tables, *own], "a file that was uploaded, or in a folder of the house")

    def check_written(self, where: str, path: object, *, inside: Path) -> Path:
        """Return where a path leads, if a release may be written there."""
        folders = [inside] if self.releases is None else [self.releases, inside]
        found = _within(where, path, folders, "a folder in yours for releases")
        if found in folders:
            raise ParameterError(where, expected="a folder inside of yours for releases", got="that folder itself")
        return found

    def check_key(self, where: str, path: object) -> Path:
        """Return where a path leads, if it is a key of this person."""
        return _within(where, path, [] if self.keys is None else [self.keys], "a key in your folder for keys")

    def check_job(self, data: Mapping[str, Any], *, inside: Path, known: Mapping[str, Any] | None = None) -> None:
        """Refuse a job that names what is out of reach, other than where a ``known`` one names it."""
        stood = set(_named(known or {}))
        for where, value in _named(data):
            if (where, value) in stood:
                continue
            if where.endswith(".url"):
                self._check_database(where, value)
            elif where == "sign.key":
                self.check_key(where, value)
            elif where == "ledger.path":
                self.check_written(where, value, inside=inside)
            else:
                self.check_read(where, value, inside=inside)
        self._check_engine(data.get("engine") or {}, (known or {}).get("engine") or {})
        self._check_query(data.get("source") or {}, (known or {}).get("source") or {})

    def _check_engine(self, engine: Mapping[str, Any], known: Mapping[str, Any]) -> None:
        plain = engine.get("kind", "memory") in _ENGINES and set(engine) <= {"kind", "memory", "mapping"}
        if engine != known and not plain:
            expected = f"one of {', '.join(_ENGINES)}, without settings, in a workbench for a house"
            raise ParameterError("engine", expected=expected, got=repr(engine.get("kind"))[:40])

    def _check_database(self, where: str, url: object) -> None:
        if Address.of(where, url).url not in self.databases:
            raise ParameterError(where, expected="an address that the house lists", got="another one")

    def _check_query(self, source: Mapping[str, Any], known: Mapping[str, Any]) -> None:
        """Refuse a query in a database that is a file: it can read every other file of the server."""
        if source.get("query") and source != known and Address.of("source.url", source.get("url")).file is not None:
            raise ParameterError("source.query", expected="a table of this database", got="a query")


def _within(where: str, path: object, folders: list[Path], expected: str) -> Path:
    text = path_text(where, path)
    found = resolved(Path(text)) if Path(text).is_absolute() else None
    if found is None or not any(found == folder or folder in found.parents for folder in folders):
        raise ParameterError(where, expected=expected, got=repr(text)[:80])
    return found


def _named(data: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Yield every text in a job that names a file, a folder or a database, with its place."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            place = f"{where}.{name}" if where else str(name)
            yield from ((place, value),) if isinstance(value, str) and _names(name, where) else _named(value, place)
    elif isinstance(data, list | tuple):
        for number, value in enumerate(data):
            yield from _named(value, f"{where}[{number}]")


def _names(name: str, where: str) -> bool:
    if name == "url" or (name == "key" and where == "sign"):
        return True
    if where.startswith("source."):  # by column, such as the form of its dates
        return False
    return name in _READ or (name == "source" and where.startswith("earlier_releases"))
