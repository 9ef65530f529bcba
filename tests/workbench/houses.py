"""Houses for tests: a configuration, users whose passwords are known, and a server of its own."""

from __future__ import annotations

import re
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from nymity.workbench.house.configuration import HouseConfiguration
from nymity.workbench.house.passwords import PasswordFile

#: Two who share a group, one who only sees, and one who has nothing to do with them.
USERS = {
    "ada": {"role": "custodian", "groups": ["oncology"]},
    "ben": {"role": "analyst", "groups": ["oncology"]},
    "eve": {"role": "viewer", "groups": ["oncology"]},
    "mal": {"role": "custodian", "groups": ["cardiology"]},
}
HOST = "nymity.example.org"


def password_of(name: str) -> str:
    return f"correct horse of {name}"


@cache
def _hashed(name: str) -> str:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=1, memory_cost=64).hash(password_of(name))  # quick: it is the code that is tested


def write_passwords(path: Path, *names: str) -> PasswordFile:
    path.write_text("".join(f"{name}:{_hashed(name)}\n" for name in names))
    path.chmod(0o600)
    return PasswordFile(path)


def described(folder: Path, **further: Any) -> dict[str, Any]:
    """A house on this machine, with passwords."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    write_passwords(folder / "passwords", *USERS)
    for name in ("tables", "keys/ada"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    data: dict[str, Any] = {
        "house": {"port": 0, "projects": "projects", "passwords": "passwords"},
        "folders": {"tables": ["tables"], "releases": "releases", "keys": "keys"},
        "users": USERS,
    }
    for name, value in further.items():
        data[name] = {**data.get(name, {}), **value}
    return data


def configured(folder: Path, **further: Any) -> HouseConfiguration:
    return HouseConfiguration.of(described(folder, **further), folder)


class ServedHouse:
    """A server in a process of its own, as an administrator starts it."""

    trust: ssl.SSLContext | bool = True  #: how clients know its certificate

    def __init__(self, folder: Path, **further: Any) -> None:
        import tomli_w

        self.folder, self.file, self.errors = folder, folder / "house.toml", folder / "errors.txt"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(tomli_w.dumps(described(folder, **further)))
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "nymity", "workbench", "--serve", str(self.file)]
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        said = self.process.stdout.readline()
        found = re.search(r"https?://[\w.:]+", said)
        assert found is not None, said + self.errors.read_text()
        self.address = found.group()

    def stop(self, signal: int = 2) -> str:
        self.process.send_signal(signal)
        self.process.wait(20)
        self.process.stdout.close()
        return self.errors.read_text()

    @contextmanager
    def client(self, name: str | None = None) -> Iterator[httpx.Client]:
        """Somebody with a browser's headers, logged in if they have a name."""
        sent = {"origin": self.address}
        with httpx.Client(base_url=self.address, headers=sent, timeout=60, verify=self.trust) as made:
            if name is not None:
                answer = made.post("/login", data={"name": name, "password": password_of(name)})
                assert answer.status_code == 303, answer.text
            yield made


def cookie_of(headers: Mapping[str, str]) -> str:
    return headers["set-cookie"].partition(";")[0]
