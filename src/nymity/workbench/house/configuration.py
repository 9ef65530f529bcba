"""HouseConfiguration: everything that a workbench for a house is told, in one TOML file, checked before it listens.

What would let somebody in who should not be is refused here: an address that others reach without a way to tell who
they are, or without TLS or a named proxy; a header that anybody could send; folders that hold other people's projects.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from nymity.core import validation
from nymity.core.errors import JobError
from nymity.core.paths import path_text, resolved
from nymity.core.plain_data import parse_toml, read_content
from nymity.database import Address
from nymity.workbench.house.rights import HouseRole

_EXPECTED = "the configuration of a workbench for a house"
#: What people, groups and headers can be called: a name is also that of a folder.
NAME = re.compile(r"[a-z0-9][a-z0-9_.@-]{0,63}", re.ASCII)
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,63}", re.ASCII)
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:[0-9]{1,5})?|\[[0-9a-f:]+\](:[0-9]{1,5})?", re.ASCII)
#: Headers that every browser sends or every proxy sets for other ends.
_NOBODYS = {"host", "origin", "cookie", "user-agent", "referer", "accept", "connection", "x-forwarded-for"}
_MEGABYTE = 10**6


@dataclass(frozen=True, kw_only=True)
class Tls:
    """Files of a certificate and its key, in PEM."""

    certificate: Path
    key: Path


@dataclass(frozen=True, kw_only=True)
class Proxy:
    """The proxy in front: requests come from its ``addresses`` alone, and it speaks TLS with browsers.

    ``user_header`` is where it names whom it let in; without it people log in here. ``logout`` is where they log out.
    """

    addresses: tuple[str, ...]
    user_header: str = ""
    logout: str = ""

    def __post_init__(self) -> None:
        if not self.addresses:
            raise JobError("proxy.addresses", expected="the addresses that the proxy connects from", got="none")
        object.__setattr__(self, "addresses", tuple(_address("proxy.addresses", one) for one in self.addresses))
        if any(ip_address(one).is_unspecified for one in self.addresses):
            raise JobError("proxy.addresses", expected="the proxy's own address", got="one that stands for all")
        if self.user_header and (not _HEADER.fullmatch(self.user_header) or self.user_header.lower() in _NOBODYS):
            raise JobError("proxy.user_header", expected="a header of the proxy's own", got=repr(self.user_header)[:80])
        if self.logout and not self.logout.startswith("https://"):
            raise JobError("proxy.logout", expected="an address that begins with https://", got=repr(self.logout)[:80])


@dataclass(frozen=True, kw_only=True)
class Folders:
    """Where tables may come from beside uploads; where releases go and keys lie, a folder for each user in them."""

    tables: tuple[Path, ...] = ()
    releases: Path | None = None
    keys: Path | None = None
    databases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for url in self.databases:
            Address.of("folders.databases", url)


def _cores() -> int:
    """Return how many cores this process may use: runs leave some of them to those who click."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much one user, and all of them, may take."""

    upload_mb: int = 1_000  #: of one file
    storage_mb: int = 20_000  #: of all projects of a user
    memory_mb: int = 4_000  #: of one run, and of a table that is opened
    threads: int = field(default_factory=lambda: min(2, max(1, _cores() // 2)))  #: of one run
    runs_per_user: int = 2  #: at once
    runs: int = field(default_factory=lambda: max(1, (_cores() - 1) // 2))  #: at once, of all users
    openings: int = 4  #: tables that are opened at once, of all users
    waiting_per_user: int = 20
    idle_minutes: int = 30  #: until a session ends that nothing was done in
    session_hours: int = 12  #: until every session ends

    def __post_init__(self) -> None:
        for one in fields(self):
            validation.whole_number(f"limits.{one.name}", getattr(self, one.name), at_least=1)

    @property
    def upload(self) -> int:
        """Bytes of a file that is uploaded."""
        return self.upload_mb * _MEGABYTE

    @property
    def storage(self) -> int:
        """Bytes of all projects of a user."""
        return self.storage_mb * _MEGABYTE

    @property
    def memory(self) -> int:
        """Bytes of memory of one run."""
        return self.memory_mb * _MEGABYTE


@dataclass(frozen=True, kw_only=True)
class User:
    """One person of the house."""

    role: HouseRole
    groups: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        validation.one_of("users.role", self.role, [one.value for one in HouseRole])
        object.__setattr__(self, "role", HouseRole(self.role))
        object.__setattr__(self, "groups", frozenset(_name("users.groups", one) for one in self.groups))


@dataclass(frozen=True, kw_only=True)
class HouseConfiguration:
    """All of it. ``names`` are what browsers call the server (``Host``), with the port unless it is TLS's own."""

    projects: Path
    users: Mapping[str, User]
    address: str = "127.0.0.1"
    port: int = 8443
    names: tuple[str, ...] = ()
    passwords: Path | None = None
    metrics_port: int = 0  #: on 127.0.0.1, for health and metrics; 0: none
    tls: Tls | None = None
    proxy: Proxy | None = None
    folders: Folders = field(default_factory=Folders)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        object.__setattr__(self, "address", _address("house.address", self.address))
        for name in ("port", "metrics_port"):
            validation.whole_number(f"house.{name}", getattr(self, name), at_least=0, at_most=65_535)
        for one in self.names:
            if not isinstance(one, str) or not _HOST.fullmatch(one):
                raise JobError("house.names", expected="names such as nymity.example.org", got=repr(one)[:80])
        if not self.users:
            raise JobError("users", expected="at least one user", got="none", hint='[users.ada]\nrole = "custodian"')
        for name in self.users:
            _name("users", name)
        self._check_doors()
        self._check_folders()

    def _check_doors(self) -> None:
        """Refuse an address that somebody could come in by."""
        trusted = self.proxy is not None and bool(self.proxy.user_header)
        if trusted == (self.passwords is not None):
            raise JobError(
                "house.passwords",
                expected="one way to tell who somebody is: a password file, or a proxy that names them",
                got="both" if trusted else "none",
                hint="nymity workbench-password writes one; or [proxy] user_header",
            )
        if self.tls is not None and self.proxy is not None:
            raise JobError("tls", expected="TLS here, or at a named proxy", got="both")
        if not self.is_loopback and self.tls is None and self.proxy is None:
            raise JobError(
                "house.address",
                expected="127.0.0.1 where there is neither TLS nor a named proxy",
                got=self.address,
                hint="[tls] certificate and key, or [proxy] addresses",
            )
        if not self.names and not (self.is_loopback and self.proxy is None):
            raise JobError("house.names", expected="what browsers call the server", got="nothing")

    def _check_folders(self) -> None:
        """Keep what users may name apart from projects, passwords, keys and each other."""
        shared = [*self.folders.tables, *([self.folders.releases] if self.folders.releases else [])]
        secret = [one for one in (self.projects, self.folders.keys, self.passwords) if one is not None]
        secret += [] if self.tls is None else [self.tls.key]
        for place in shared:
            for other in secret:
                if place == other or place in other.parents or other in place.parents:
                    raise JobError("folders", expected=f"folders apart from {other}", got=str(place))
        if self.folders.keys is not None and (
            self.folders.keys in (self.projects, *self.projects.parents) or self.projects in self.folders.keys.parents
        ):
            raise JobError("folders.keys", expected=f"a folder apart from {self.projects}", got=str(self.folders.keys))

    @property
    def is_loopback(self) -> bool:
        """Whether this machine alone reaches it."""
        return ip_address(self.address).is_loopback

    @property
    def scheme(self) -> str:
        """What browsers speak with it, or with its proxy."""
        return "http" if self.tls is None and self.proxy is None else "https"

    @staticmethod
    def load(path: str | Path) -> HouseConfiguration:
        """Read the file; relative paths in it start at its folder."""
        place = Path(path_text("--serve", path))
        content = read_content(place, most=2**20, expected=_EXPECTED)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise JobError(str(place), expected=_EXPECTED, got="a file that is not UTF-8") from error
        data = parse_toml(text, where=str(place), expected=_EXPECTED)
        return HouseConfiguration.of(data, resolved(place).parent)

    @staticmethod
    def of(data: Mapping[str, Any], folder: Path) -> HouseConfiguration:
        """Make it of plain data."""
        parts: dict[str, type[Any]] = {"tls": Tls, "proxy": Proxy, "folders": Folders, "limits": Limits}
        _known("", data, {"house", "users", *parts})
        users = data.get("users", {})
        validation.instance("users", users, dict, expected="a table for each user")
        made = {name: _made(part, name, data[name], folder) for name, part in parts.items() if name in data}
        made["users"] = {name: _made(User, f"users.{name}", one, folder) for name, one in users.items()}
        house = data.get("house", {})
        _known("house", house, {one.name for one in fields(HouseConfiguration)} - set(made) - set(parts))
        if "projects" not in house:
            raise JobError("house.projects", expected="the folder of all projects", got="none")
        return HouseConfiguration(**_read(HouseConfiguration, "house", house, folder), **made)


def _made(kind: type[Any], where: str, data: Any, folder: Path) -> Any:
    validation.instance(where, data, dict, expected="a table of fields")
    _known(where, data, {one.name for one in fields(kind)})
    missing = [one.name for one in fields(kind) if one.name not in data and one.name in _NEEDED.get(kind.__name__, ())]
    if missing:
        raise JobError(f"{where}.{missing[0]}", expected="a value", got="none")
    return kind(**_read(kind, where, data, folder))


_NEEDED = {"Tls": ("certificate", "key"), "Proxy": ("addresses",), "User": ("role",)}


def _read(kind: type[Any], where: str, data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return fields as their type says: paths start at the folder, lists are tuples of texts."""
    types = {one.name: str(one.type) for one in fields(kind)}
    read: dict[str, Any] = {}
    for name, value in data.items():
        place, wanted = f"{where}.{name}", types[name]
        if wanted.startswith(("tuple", "frozenset")):
            validation.instance(place, value, list, expected="a list")
            for one in value:
                validation.instance(place, one, str, expected="texts")
            read[name] = tuple(_path(place, one, folder) if "Path" in wanted else one for one in value)
        elif "Path" in wanted:
            read[name] = _path(place, value, folder)
        else:
            validation.instance(
                place, value, int if wanted == "int" else str, expected="a number" if wanted == "int" else "text"
            )
            read[name] = value
    return read


def _path(where: str, value: object, folder: Path) -> Path:
    return resolved(folder / path_text(where, value))


def _known(where: str, data: Any, names: set[str]) -> None:
    validation.instance(where or "the file", data, dict, expected="a table of fields")
    for name in data:
        if name not in names:
            place = f"{where}.{name}" if where else str(name)
            raise JobError(
                place, expected="a field of the configuration", got="another", hint=validation.nearest(name, names)
            )


def _name(where: str, name: object) -> str:
    if not isinstance(name, str) or not NAME.fullmatch(name) or ".." in name:
        raise JobError(where, expected="names of small letters, digits and _ . @ -", got=repr(name)[:80])
    return name


def _address(where: str, text: object) -> str:
    try:
        return str(ip_address(str(text)))
    except ValueError as error:
        raise JobError(where, expected="an IP address", got=repr(text)[:80]) from error
