"""Opening: a project from what somebody has: a table, a job, the demo's hospital; or a release to look at."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nymity as ny
from nymity.core.errors import FileError
from nymity.core.paths import path_text, resolved
from nymity.io import FORMATS, DetectedReading, WriteOptions
from nymity.publishing import starter_job
from nymity.workbench.home import Home
from nymity.workbench.house.reach import Reach
from nymity.workbench.project import LONGEST_NAME, PROJECT_NAME, Project
from nymity.workbench.tables import LookedTable, keep

DEMO_ROWS, DEMO_NAME = 20_000, "hospital.csv"
#: Bytes of a file's name; systems have at most 255.
_LONGEST = 200


@dataclass(frozen=True, kw_only=True)
class LyingThere:
    """What lies at a path, as it can be opened: a ``project``, a ``job``, a ``release`` or a ``table``."""

    kind: str
    path: Path

    @staticmethod
    def at(text: str, reach: Reach | None = None) -> LyingThere:
        """Look at a path that somebody typed, or say why nothing can be opened there."""
        if reach is not None:
            reach.check_read("path", text.strip())
        path = resolved(os.path.expanduser(path_text("path", text.strip())))  # noqa: PTH111 -- fails for no user
        if not os.path.exists(path):  # noqa: PTH110 -- Path.exists fails with names that are too long
            raise FileError(str(path), expected="an existing file or folder", got="none", hint="the whole path")
        if (path / PROJECT_NAME).is_file() and reach is None:  # those of a house are not opened by their folder
            return LyingThere(kind="project", path=path)
        if path.suffix.lower() == ".toml":
            return LyingThere(kind="job", path=path)
        if (path.is_dir() and not any(path.glob("*.parquet"))) or (path / "certificate.json").is_file():
            return LyingThere(kind="release", path=path)
        return LyingThere(kind="table", path=path)


def address_of(home: Home, there: LyingThere, *, private: bool = False) -> str:
    """Open what lies there, and return the address of its page."""
    if there.kind == "release":
        return f"/release?path={quote(str(there.path), safe='')}"
    ways: dict[str, Callable[[], Project]] = {
        "project": lambda: Project.open(there.path, home.actor),
        "job": lambda: open_job(home, there.path),
        "table": lambda: open_table(home, there.path, private=private),
    }
    project = ways[there.kind]()
    home.remember(project)
    return project.address


def open_table(home: Home, path: Path, *, name: str = "", private: bool = False, **reading: Any) -> Project:
    """Begin a project with a table that stays where it is."""
    given = {name: value for name, value in reading.items() if value not in (None, "")}
    source = {"path": str(resolved(path)), **given}
    home.check_reach({"source": source})
    ny.Source(**source)  # refused before there is a folder
    return _begun_with(home, source, name=name or stem_of(path), private=private)


def open_database(home: Home, *, url: str, table: str, schema: str = "", private: bool = False) -> Project:
    """Begin a project with a table of a database, which is only read."""
    source: dict[str, Any] = {"url": url.strip(), "table": table.strip()}
    if schema.strip():
        source["schema"] = schema.strip()
    home.check_reach({"source": source})
    ny.DatabaseSource(**source)  # refused before there is a folder
    return _begun_with(home, source, name=table.strip(), private=private)


def _begun_with(home: Home, source: dict[str, Any], *, name: str, private: bool) -> Project:
    """Begin a project with a table that lies elsewhere; the records of a private one are not looked at."""
    if private:
        with _beginning(home, name, private=True) as project:
            project.change_job("table named", lambda _: {"source": source})
        return project
    home.actor.weigh(source)
    looked, job, asked = first_job(source)
    with _beginning(home, name) as project:
        project.change_job("table opened", lambda _: job, asked=asked)
    keep(project.source_data, looked)
    return project


@contextmanager
def _beginning(home: Home, name: str, *, private: bool = False) -> Iterator[Project]:
    """Begin a project; what fails before it has its first job, such as on a full disk, leaves none."""
    # Nobody chose the name for this: a file may be called anything.
    printed = "".join(letter for letter in " ".join(name.split()) if letter.isprintable())
    project = home.begin(printed[:LONGEST_NAME].strip() or "table", private=private)
    try:
        yield project
    except BaseException:
        project.remove()
        raise


def open_job(home: Home, path: Path) -> Project:
    """Begin a project with a job; its relative paths start at its folder."""
    job = ny.Job.load(resolved(path))
    home.check_reach(job.to_dict())
    if not job.is_private:
        home.actor.weigh(job.to_dict()["source"])
    name = path.stem if path.stem != "job" else path.parent.name or path.stem
    with _beginning(home, name, private=job.is_private) as project:
        project.change_job("job opened", lambda _: job.to_dict())
    return project


def open_demo(home: Home, *, rows: int = DEMO_ROWS) -> Project:
    """Begin a project with generated hospital stays."""
    with _beginning(home, "Demo hospital") as project:
        table = project.files / DEMO_NAME
        ny.write_table(ny.datasets.hospital(rows), table, WriteOptions(neutralize_formulas=False))
        table.chmod(0o600)
        looked, job, asked = first_job({"path": str(resolved(table))})
        project.change_job("demo opened", lambda _: job, asked=asked)
    keep(project.source_data, looked)
    return project


def first_job(source: Mapping[str, Any]) -> tuple[LookedTable, dict[str, Any], list[str]]:
    """Read a table as it seems to be meant; return it, a first job, and the columns somebody should decide on."""
    lies = ny.DatabaseSource(**source) if "url" in source else ny.Source(**source)
    cells, reading, dictionary = lies.read_detected({}, None)
    looked = LookedTable(cells=cells, reading=reading, dictionary=dictionary)
    text = starter_job(looked.inspection, dict(source), reading=reading.stated)
    return looked, tomllib.loads(text), [column.name for column in looked.inspection.questions]


def read_again(project: Project, fields: Mapping[str, Any]) -> None:
    """Let the table be read otherwise: roles that somebody decided on stay, the others are suggested anew."""
    before = project.job_data
    path = {name: value for name, value in before["source"].items() if name in ("path", "sheet")}
    source = {**path, **{name: value for name, value in fields.items() if value not in (None, "", (), [], {})}}
    read = ny.Source(**source)
    project.actor.weigh(source)
    valued = read.read_valued()
    reading = DetectedReading(options=read.options)
    looked = LookedTable(cells=valued.table, reading=reading, dictionary=valued.dictionary)
    keep(source, looked)
    made = tomllib.loads(starter_job(looked.inspection, source))
    version = project.state.version
    decided = version.decided if version is not None else frozenset()
    # Read otherwise, the table may have other columns: what was decided on those that are gone goes with them.
    for name in decided & set(made["schema"]):
        made["schema"][name] = before.get("schema", {}).get(name, made["schema"][name])
    made |= {name: value for name, value in before.items() if name not in ("source", "schema")}
    asked = [column.name for column in looked.inspection.questions]
    project.change_job("read otherwise", lambda _: made, asked=asked)


def stem_of(path: Path) -> str:
    """Return the name of a table without what says its format."""
    suffix = next((one.suffix for one in FORMATS.values() if path.name.lower().endswith(one.suffix)), path.suffix)
    return path.name[: len(path.name) - len(suffix)] or path.name


def _file_name(name: str) -> str:
    """Return what a file is called that came as ``name``: without folders, and no longer than names can be."""
    safe = Path(name.replace("\\", "/").replace("\0", "")).name.strip()
    while len(os.fsencode(safe)) > _LONGEST:
        safe = safe[1:]
    return "table.csv" if safe.strip(".") == "" else safe


def uploaded(home: Home, name: str, content: Path, *, private: bool = False) -> Project:
    """Begin a project with a file that was uploaded, which it keeps."""
    safe = _file_name(name)
    with _beginning(home, stem_of(Path(safe)), private=private) as project:
        table = project.files / safe
        content.replace(table)
        table.chmod(0o600)
        source = {"path": str(resolved(table))}
        if private:
            project.change_job("table uploaded", lambda _: {"source": source})
            return project
        home.actor.weigh(source)
        looked, job, asked = first_job(source)
        project.change_job("table uploaded", lambda _: job, asked=asked)
    keep(project.source_data, looked)
    return project
