"""House: everybody's projects, and which of them are there for whom.

    PROJECTS/ada/registry/          a project of Ada's, as every other (:mod:`nymity.workbench.project`)
    RELEASES/ada/, KEYS/ada/        where she writes releases, and where her keys lie

A project is there for whoever began it and for the groups that it is shared with. For all others it is not there, as
one that nobody has.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nymity.core.disk import make_folder
from nymity.core.errors import NymityError, ParameterError
from nymity.workbench.home import Home, opened
from nymity.workbench.house.configuration import HouseConfiguration
from nymity.workbench.house.house_guard import ACTOR
from nymity.workbench.house.reach import Reach
from nymity.workbench.house.rights import Actor
from nymity.workbench.house.run_queue import RunQueue
from nymity.workbench.project import ID, PROJECT_NAME, Project

#: Projects that are listed.
_MOST = 200


class House:
    """The house that a configuration describes."""

    def __init__(self, configuration: HouseConfiguration) -> None:
        self.configuration = configuration
        self.queue = RunQueue(configuration.projects, configuration.limits)
        self.actors = {name: self._actor(name) for name in configuration.users}
        self._places: dict[str, Path] = {}
        self._looking = threading.Lock()

    def of(self, request: Any) -> HouseHome:
        """Return the home of whoever asks; the guard has said who that is."""
        return self.home_of(request.scope[ACTOR])

    def home_of(self, actor: Actor) -> HouseHome:
        """Return the home of a user."""
        return HouseHome(self.configuration.projects / actor.name, actor, self)

    def _actor(self, name: str) -> Actor:
        user, folders = self.configuration.users[name], self.configuration.folders
        reach = Reach(
            tables=folders.tables,
            releases=None if folders.releases is None else folders.releases / name,
            keys=None if folders.keys is None else folders.keys / name,
            databases=frozenset(folders.databases),
        )
        return Actor(name=name, role=user.role, groups=user.groups, reach=reach, launcher=self.queue)

    def folders(self) -> Iterator[Path]:
        """Yield the folders of all projects."""
        for about in self.configuration.projects.glob(f"*/*/{PROJECT_NAME}"):
            yield about.parent

    def place_of(self, project_id: str) -> Path | None:
        """Return the folder of a project; folders do not move."""
        if not ID.fullmatch(project_id):
            return None
        with self._looking:
            if project_id not in self._places:
                # An id that nobody has costs a listing: what is known is not opened again.
                nobody, known = next(iter(self.actors.values())), set(self._places.values())
                for folder in self.folders():
                    if folder not in known and (project := opened(folder, nobody)) is not None:
                        self._places[project.id] = folder
            return self._places.get(project_id)


@dataclass(frozen=True)
class HouseHome(Home):
    """What is there for one user."""

    house: House = field(kw_only=False, default=None)  # type: ignore[assignment]

    def begin(self, name: str, *, private: bool = False) -> Project:
        """Begin a project of this user, who may not take more than their share of the disk."""
        self.check_room()
        return super().begin(name, private=private)

    def check_room(self) -> None:
        """Refuse more where this user has taken their share of the disk."""
        limits = self.house.configuration.limits
        if _size(self.folder) > limits.storage:
            raise ParameterError("project", expected=f"at most {limits.storage_mb:,} MB in your projects", got="more")

    def recent(self) -> list[Project]:
        """Return the projects that are there for this user, those that changed last first."""
        theirs = [one for folder in self.house.folders() if (one := self._theirs(folder)) is not None]
        return sorted(theirs, key=lambda one: one.audit.stamp[1], reverse=True)[:_MOST]

    def find(self, project_id: str) -> Project | None:
        """Return a project that is there for this user."""
        folder = self.house.place_of(project_id)
        return None if folder is None else self._theirs(folder)

    def remember(self, project: Project) -> None:
        """Do nothing: what changed last comes first."""

    def _theirs(self, folder: Path) -> Project | None:
        project = opened(folder, self.actor)
        try:
            return project if project is not None and project.is_theirs else None
        except NymityError:  # whose it is cannot be read: it is nobody's, and all others are there
            return None


def make_folders(configuration: HouseConfiguration) -> None:
    """Make what is not there yet, for the server alone."""
    for name in configuration.users:
        make_folder(configuration.projects / name, [], private=True)
        if configuration.folders.releases is not None:
            make_folder(configuration.folders.releases / name, [], private=True)


def _size(folder: Path) -> int:
    """Return the bytes of all files in it; an upload that has just become a project may be gone meanwhile."""
    size = 0
    for inside, _, names in os.walk(folder):  # which passes over folders that are gone, as Path.rglob does not
        for name in names:
            with suppress(FileNotFoundError):
                size += (Path(inside) / name).lstat().st_size
    return size
