"""Home: the folder of somebody's projects, and which were opened last."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from nymity.core.disk import make_folder
from nymity.core.errors import FileError, NymityError
from nymity.core.locks import locked
from nymity.core.paths import resolved
from nymity.core.plain_data import read_json
from nymity.workbench.house.rights import Actor, Right
from nymity.workbench.project import PROJECT_NAME, Project
from nymity.workbench.runs import write_json

RECENT_NAME = "recent.json"
#: Names of the environment's variable and of the folder that it replaces.
HOME_VARIABLE, HOME_NAME = "NYMITY_PROJECTS", "nymity-projects"
#: Projects that are remembered, and that are listed.
_MOST, _LISTED = 30, 200
#: Seconds to wait for another page that opens a project.
_PATIENCE = 10.0


class Homes(Protocol):
    """Tells whose projects are meant."""

    def of(self, request: Any) -> Home:
        """Return the home of whoever asks."""


@dataclass(frozen=True)
class Home:
    """Where projects lie, for the one who asks."""

    folder: Path
    actor: Actor = field(default_factory=Actor.alone)

    def of(self, request: Any) -> Home:
        """Return the home of whoever asks: here there is one alone."""
        return self

    def check_reach(self, data: Mapping[str, Any]) -> None:
        """Refuse a job, or a part of one, that names files or databases out of reach."""
        if self.actor.reach is not None:
            self.actor.reach.check_job(data, inside=self.folder)

    def check_room(self) -> None:
        """Refuse more where somebody has taken their share of the disk; here all of it is theirs."""

    @staticmethod
    def usual() -> Home:
        """Return the one of this user."""
        return Home(Path(os.environ.get(HOME_VARIABLE) or Path.home() / HOME_NAME))

    def begin(self, name: str, *, private: bool = False) -> Project:
        """Begin a project in a new folder that is called like it."""
        self.actor.require(Right.BEGIN, "project")
        make_folder(self.folder, [], private=True)
        stem = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.")[:60] or "project"
        for number in range(1, 10_000):
            folder = self.folder / (stem if number == 1 else f"{stem}-{number}")
            try:
                folder.mkdir(mode=0o700)  # whoever makes it has it: two may begin at once
            except FileExistsError:
                continue
            try:
                project = Project.begin(folder, name=name, private=private, actor=self.actor)
                self.remember(project)
            except BaseException:
                shutil.rmtree(folder)
                raise
            return project
        raise FileError(str(self.folder / stem), expected="a folder that is not there yet", got="ten thousand of them")

    def recent(self) -> list[Project]:
        """Return the projects that were opened last, newest first, then others that lie here; not what is gone."""
        return [project for folder in self._folders()[:_LISTED] if (project := opened(folder, self.actor)) is not None]

    def find(self, project_id: str) -> Project | None:
        """Return the project with this id, if it lies here or was opened before."""
        there = (opened(folder, self.actor) for folder in self._folders())
        return next((project for project in there if project is not None and project.id == project_id), None)

    def remember(self, project: Project) -> None:
        """Put a project first."""
        make_folder(self.folder, [], private=True)
        path, first = self.folder / RECENT_NAME, resolved(project.folder)
        with locked(path.with_suffix(".lock"), what=str(path), wait=_PATIENCE):  # several may be opened at once
            folders = [first, *(one for one in self._remembered() if one != first)]
            write_json(path, {"projects": [str(one) for one in folders[:_MOST]]})

    def _folders(self) -> list[Path]:
        remembered = self._remembered()
        others = {resolved(about.parent) for about in self.folder.glob(f"*/{PROJECT_NAME}")} - set(remembered)
        return [*remembered, *sorted(others)]

    def _remembered(self) -> list[Path]:
        """Return what was opened last; the list is a help, and one that cannot be read is begun anew."""
        path = self.folder / RECENT_NAME
        try:
            told = read_json(path, expected="a list of projects", most=2**20)["projects"] if path.exists() else []
            return [Path(one) for one in told]
        except (NymityError, LookupError, TypeError):
            return []


def opened(folder: Path, actor: Actor) -> Project | None:
    """Open the project in a folder for somebody; None where there is none."""
    if not (folder / PROJECT_NAME).is_file():
        return None
    try:
        return Project.open(folder, actor)
    except NymityError:
        return None
