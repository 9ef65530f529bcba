"""The configuration of a house: what would let somebody in who should not be is refused before it listens."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from houses import described, password_of, write_passwords

from nymity.core.errors import InputError, NymityError
from nymity.workbench.house.configuration import HouseConfiguration
from nymity.workbench.house.house_server import _check_files
from nymity.workbench.house.passwords import PasswordFile
from nymity.workbench.house.rights import HouseRole

TLS = {"certificate": "c.pem", "key": "tls/k.pem"}
PROXY = {"addresses": ["10.0.0.2"]}
HEADER = {**PROXY, "user_header": "X-Remote-User"}
OUTSIDE = {"address": "0.0.0.0", "names": ["nymity.example.org"]}


def read(folder: Path, data: dict[str, Any]) -> HouseConfiguration:
    import tomli_w

    (folder / "house.toml").write_text(tomli_w.dumps(data))
    return HouseConfiguration.load(folder / "house.toml")


def without_passwords(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "house": {name: one for name, one in data["house"].items() if name != "passwords"}}


@pytest.mark.parametrize(
    ("further", "where"),
    [
        ({"house": OUTSIDE}, "house.address"),  # passwords in clear text
        ({"house": {**OUTSIDE, "address": "::"}}, "house.address"),
        ({"house": {**OUTSIDE, "address": "192.168.1.4"}}, "house.address"),
        ({"house": {"address": "0.0.0.0"}, "tls": TLS}, "house.names"),
        ({"proxy": PROXY}, "house.names"),
        ({"house": OUTSIDE, "proxy": HEADER}, "house.passwords"),  # two ways in
        ({"house": OUTSIDE, "proxy": PROXY, "tls": TLS}, "tls"),
        ({"house": OUTSIDE, "proxy": {"addresses": []}}, "proxy.addresses"),
        ({"house": OUTSIDE, "proxy": {"addresses": ["0.0.0.0"]}}, "proxy.addresses"),
        ({"house": OUTSIDE, "proxy": {"addresses": ["10.0.0.0/8"]}}, "proxy.addresses"),
        ({"house": OUTSIDE, "proxy": {"addresses": ["proxy.example.org"]}}, "proxy.addresses"),
        ({"house": OUTSIDE, "proxy": {**PROXY, "user_header": "Cookie"}}, "proxy.user_header"),
        ({"house": OUTSIDE, "proxy": {**PROXY, "user_header": "X Remote"}}, "proxy.user_header"),
        ({"house": OUTSIDE, "proxy": {**PROXY, "logout": "javascript:alert(1)"}}, "proxy.logout"),
        ({"house": {"address": "localhost"}}, "house.address"),
        ({"house": {"names": ["*"]}}, "house.names"),
        ({"house": {"names": ["a b"]}}, "house.names"),
        ({"house": {"port": "8443"}}, "house.port"),
        ({"house": {"port": 70_000}}, "house.port"),
        ({"house": {"adress": "127.0.0.1"}}, "house.adress"),
        ({"doors": {}}, "doors"),
        ({"users": {"../ada": {"role": "viewer"}}}, "users"),
        ({"users": {"a..b": {"role": "viewer"}}}, "users"),
        ({"users": {"Ada": {"role": "viewer"}}}, "users"),
        ({"users": {"zoe": {"role": "admin"}}}, "users.role"),
        ({"users": {"zoe": {}}}, "users.zoe.role"),
        ({"users": {"zoe": {"role": "viewer", "groups": ["../x"]}}}, "users.groups"),
        ({"limits": {"runs": 0}}, "limits.runs"),
        ({"limits": {"memory_mb": 1.5}}, "limits.memory_mb"),
        ({"folders": {"tables": ["."]}}, "folders"),  # projects and passwords would lie in it
        ({"folders": {"tables": ["projects/ada"]}}, "folders"),
        ({"folders": {"releases": "projects"}}, "folders"),
        ({"folders": {"keys": "projects/keys"}}, "folders.keys"),
        ({"folders": {"databases": ["postgresql://u:secret@h/d"]}}, "folders.databases"),
    ],
)
def test_what_lets_somebody_in_is_refused(tmp_path: Path, further: dict[str, Any], where: str) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, described(tmp_path, **further))
    assert refused.value.where == where
    assert "secret" not in str(refused.value)


def test_there_is_no_house_without_a_way_to_tell_who_somebody_is(tmp_path: Path) -> None:
    for further in ({}, {"proxy": PROXY, "house": OUTSIDE}, {"tls": TLS, "house": OUTSIDE}):
        with pytest.raises(InputError, match="one way to tell who somebody is"):
            read(tmp_path, without_passwords(described(tmp_path, **further)))
    with pytest.raises(InputError, match="at least one user"):
        read(tmp_path, {**described(tmp_path), "users": {}})


def test_what_is_safe_is_read(tmp_path: Path) -> None:
    house = read(tmp_path, described(tmp_path))
    assert (house.scheme, house.is_loopback, house.projects) == ("http", True, tmp_path / "projects")
    assert house.users["eve"].role is HouseRole.VIEWER
    assert read(tmp_path, described(tmp_path, house=OUTSIDE, tls=TLS)).scheme == "https"
    assert read(tmp_path, described(tmp_path, house=OUTSIDE, proxy=PROXY)).scheme == "https"
    named = read(tmp_path, without_passwords(described(tmp_path, house=OUTSIDE, proxy=HEADER)))
    assert named.proxy.user_header == "X-Remote-User"


def test_a_password_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    house = read(tmp_path, described(tmp_path))
    _check_files(house)
    tmp_path.chmod(0o755)
    house.passwords.chmod(0o644)
    with pytest.raises(InputError, match="only its owner"):
        _check_files(house)
    house.passwords.unlink()
    with pytest.raises(InputError, match="a password file"):
        _check_files(house)


@pytest.mark.parametrize("line", ["ada:plain\n", "ada\n", "../x:$argon2id$v=19$\n", "ada:$argon2i$v=19$x\n"])
def test_a_password_file_with_something_else_in_it_is_refused_without_repeating_it(tmp_path: Path, line: str) -> None:
    path = tmp_path / "passwords"
    path.write_text(line)
    with pytest.raises(NymityError) as refused:
        PasswordFile(path).stamp_of("ada")
    assert line.strip() not in str(refused.value)


def test_passwords_are_put_changed_and_removed(tmp_path: Path) -> None:
    entries = PasswordFile(tmp_path / "passwords")
    entries.put("ada", "a long password")
    before = entries.stamp_of("ada")
    assert (tmp_path / "passwords").stat().st_mode & 0o777 == 0o600
    assert "a long password" not in (tmp_path / "passwords").read_text()
    assert entries.accepts("ada", "a long password")
    assert not entries.accepts("ada", "a long passwore")
    assert not entries.accepts("zoe", "a long password")
    entries.put("ada", "another password")
    assert not PasswordFile(tmp_path / "passwords").accepts("ada", "a long password")
    assert entries.stamp_of("ada") != before
    for name, password in (("ada", "short"), ("ada", "x" * 1001), ("A da", "a long password"), ("a:b", "long enough!")):
        with pytest.raises(InputError):
            entries.put(name, password)
    entries.remove("ada")
    assert not entries.accepts("ada", "another password")
    with pytest.raises(InputError):
        entries.remove("ada")


def test_an_unknown_name_is_compared_with_a_hash_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nymity.workbench.house import passwords

    compared = []
    monkeypatch.setattr(passwords, "_matches", lambda held, password: compared.append(held) or False)
    entries = write_passwords(tmp_path / "passwords", "ada")
    for name in ("ada", "nobody", "", "../ada"):
        assert not entries.accepts(name, "x")
    assert len(compared) == 4
    assert len({one.split("$")[1] for one in compared}) == 1  # argon2id, all of them


def test_the_command_never_takes_a_password_as_an_argument(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nymity", "workbench-password", str(tmp_path / "passwords"), "ada"]
    done = subprocess.run(command, input=password_of("ada") + "\n", capture_output=True, text=True, check=True)
    assert password_of("ada") not in done.stdout + done.stderr
    assert PasswordFile(tmp_path / "passwords").accepts("ada", password_of("ada"))
    more = subprocess.run([*command, "secret"], input="", capture_output=True, text=True, check=False)
    assert more.returncode == 2
    weak = subprocess.run(command, input="short\n", capture_output=True, text=True, check=False)
    assert (weak.returncode, "short" in weak.stderr) == (2, False)
    assert PasswordFile(tmp_path / "passwords").accepts("ada", password_of("ada"))


def test_the_configuration_that_is_delivered_is_one() -> None:
    deploy = Path(__file__).parents[2] / "deploy"
    house = HouseConfiguration.load(deploy / "house.toml")
    unit, container = (deploy / name for name in ("nymity-workbench.service", "Containerfile"))
    for text in (unit.read_text(), container.read_text()):
        assert str(house.folders.releases) in text
        assert str(house.folders.tables[0]) in text
    assert "KillMode=process" in unit.read_text()
    assert f"127.0.0.1:{house.metrics_port}/health" in container.read_text()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd: the unit was not verified")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    deploy = Path(__file__).parents[2] / "deploy"
    unit = (deploy / "nymity-workbench.service").read_text()

    def complaints(text: str) -> str:
        path = tmp_path / "nymity-workbench.service"
        path.write_text(text.replace("/opt/nymity/bin/nymity", sys.executable))
        done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
        return "".join(line for line in done.stderr.splitlines(keepends=True) if "nymity-workbench" in line)

    assert complaints(unit) == ""
    assert "KilMode" in complaints(unit.replace("KillMode", "KilMode"))


def test_what_the_container_asks_to_change_is_a_configuration(tmp_path: Path) -> None:
    deploy = Path(__file__).resolve().parents[2] / "deploy"
    asked = "".join(line.lstrip("# ") + " " for line in (deploy / "Containerfile").read_text().split("\n"))
    address = re.search(r'address = "([\d.]+)"', asked)
    assert address is not None
    data = described(tmp_path, house={"address": address.group(1), "names": ["nymity.example.org"]})
    house = HouseConfiguration.of({**data, "proxy": {"addresses": ["10.88.0.1"]}}, tmp_path)
    assert not house.is_loopback
    assert house.proxy is not None
    with pytest.raises(NymityError):  # without a named proxy it would be open to all
        HouseConfiguration.of(data, tmp_path)


def test_every_extra_and_every_file_of_the_container_is_there() -> None:
    root = Path(__file__).parents[2]
    container = (root / "deploy" / "Containerfile").read_text()
    known = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    asked = re.search(r"/source\[([a-z,]+)\]", container)
    assert asked is not None
    assert set(asked.group(1).split(",")) <= set(known["optional-dependencies"])
    assert "nymity" in known["scripts"]
    served = json.loads(container.partition("ENTRYPOINT ")[2])
    in_unit = re.search("ExecStart=(.*)", (root / "deploy" / "nymity-workbench.service").read_text())
    assert in_unit is not None
    assert served == in_unit.group(1).split()
    for place in re.findall(r"-v \S+:(/[^:\s]+)", container):  # what is mounted is made, or lies in what is made
        assert re.search(rf"mkdir -p .*{re.escape(str(Path(place).parent))}|mkdir -p .*{re.escape(place)}", container)


def test_the_configuration_of_the_documentation_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "workbench-house.md").read_text(encoding="utf-8")
    (tmp_path / "house.toml").write_text(page.partition("```toml\n")[2].partition("```")[0])
    assert set(HouseConfiguration.load(tmp_path / "house.toml").users) == {"ada", "eve"}
