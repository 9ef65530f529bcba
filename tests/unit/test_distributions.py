"""The wheels: what they hold, how large they are, what they ask for."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from email import message_from_string
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
DISTRIBUTIONS = {
    "nymity": ROOT,
    "nymity_lab": ROOT / "packages/nymity-lab",
    "nymity_robust": ROOT / "packages/nymity-robust",
}


@pytest.fixture(scope="module", params=DISTRIBUTIONS)
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ZipFile, int]:
    """Build a wheel with what is installed, and open it."""
    out = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    done = subprocess.run([*command, str(DISTRIBUTIONS[request.param])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return request.param, ZipFile(path), path.stat().st_size


def test_a_wheel_holds_its_package_and_nothing_else(wheel: tuple[str, ZipFile, int]) -> None:
    package, archive, size = wheel
    names = archive.namelist()
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {package}
    assert f"{package}/py.typed" in names
    assert package != "nymity" or "nymity/__init__.pyi" in names  # the list of its names
    assert not [name for name in names if "__pycache__" in name or "test" in name.lower()]
    assert size < 2_000_000
    source = DISTRIBUTIONS[package] / "src" / package
    files = [*source.rglob("*.py"), *source.rglob("templates/*")]
    assert {f"{package}/{path.relative_to(source).as_posix()}" for path in files} <= set(names)


def test_nymity_asks_for_little(wheel: tuple[str, ZipFile, int]) -> None:
    package, archive, _ = wheel
    metadata = message_from_string(
        archive.read(next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))).decode()
    )
    asked = {
        requirement.split(";")[0].split(">")[0].split("[")[0].strip()
        for requirement in metadata.get_all("Requires-Dist", [])
    }
    plain = {r.split(">")[0] for r in metadata.get_all("Requires-Dist", []) if "extra ==" not in r}
    if package == "nymity":
        # tomli-w writes what tomllib reads, in 230 lines without dependencies: our own writer got some keys wrong.
        base = {"numpy", "numba", "polars", "pydantic", "typer", "rich", "filelock", "scipy", "jinja2"}
        assert plain == base | {"tomli-w"}
        assert "torch" not in asked
    else:
        assert "nymity" in asked


def test_the_oldest_versions_that_are_tried_are_those_that_are_promised() -> None:
    """``make oldest`` runs with tests/oldest.txt: each is the lower bound of pyproject.toml, and none is left out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [own for name, own in project["optional-dependencies"].items() if name not in ("all", "dev")]
    others = [one for one in chain.from_iterable(extras) if not one.startswith("nymity[")]
    asked = dict(one.partition(",")[0].split(">=") for one in [*project["dependencies"], *others])
    lines = (ROOT / "tests/oldest.txt").read_text(encoding="utf-8").splitlines()
    tried = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert set(asked) <= set(tried)
    for name, version in asked.items():
        assert re.fullmatch(rf"{re.escape(version)}(\.0)*", tried[name]), (name, version, tried[name])


def test_all_distributions_are_of_one_version_that_the_changelog_dates() -> None:
    versions = {
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
        for folder in DISTRIBUTIONS.values()
    }
    sections = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sections[0] == "[Unreleased]"
    newest, date = re.fullmatch(r"\[(.+)\] - (\d{4}-\d\d-\d\d)", sections[1]).groups()
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {newest}\ndate-released: {date}\n" in cited
    assert versions == {newest}
