"""Home: the folder of somebody's projects, and which were opened last."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from nymity.core.disk import make_folder
from nymity.core.errors import FileError, NymityError
from nymity.core.paths import resolved
from nymity.core.plain_data import read_json
from nymity.workbench.house.rights import Actor, Right
from nymity.workbench.project import PROJECT_NAME, Project
from nymity.workbench.runs import write_json

RECENT_NAME = "recent.json"
#: Names of the environment's variable and of the folder that it replaces.
HOME_VARIABLE, HOME_NAME = "NYMITY_PROJECTS", "nymity-projects"
#: Projects that are remembered.
_MOST = 30


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
            except NymityError:
                folder.rmdir()
                raise
            self.remember(project)
            return project
        raise FileError(str(self.folder / stem), expected="a folder that is not there yet", got="ten thousand of them")

    def recent(self) -> list[Project]:
        """Return the projects that were opened last, newest first; what is gone is left out."""
        return [project for folder in self._folders() if (project := opened(Path(folder), self.actor)) is not None]

    def find(self, project_id: str) -> Project | None:
        """Return the project with this id, if it was opened before."""
        return next((project for project in self.recent() if project.id == project_id), None)

    def remember(self, project: Project) -> None:
        """Put a project first."""
        folders = [
            str(resolved(project.folder)),
            *(one for one in self._folders() if one != str(resolved(project.folder))),
        ]
        make_folder(self.folder, [], private=True)
        write_json(self.folder / RECENT_NAME, {"projects": folders[:_MOST]})

    def _folders(self) -> list[str]:
        path = self.folder / RECENT_NAME
        if not path.exists():
            return []
        return [str(one) for one in read_json(path, expected="a list of projects", most=2**20).get("projects", [])]


def opened(folder: Path, actor: Actor) -> Project | None:
    """Open the project in a folder for somebody; None where there is none."""
    if not (folder / PROJECT_NAME).is_file():
        return None
    try:
        return Project.open(folder, actor)
    except NymityError:
        return None
