"""Rights: what each role may do, on which screen and at which endpoint. What no table names is the custodian's alone.

A right is asked three times: a screen or endpoint that somebody may not have is not there for them
(:data:`SCREENS`, :data:`ENDPOINTS`); a project is handed out bound to an :class:`Actor`; and whatever changes it, looks
at its records or begins a run asks that actor again, so that a page which forgets to ask gives nothing away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from nymity.core.errors import ParameterError
from nymity.workbench.audit_trail import this_user
from nymity.workbench.house.reach import Reach
from nymity.workbench.runs import launch_now


class Right(StrEnum):
    """Something that somebody may do or not; the value completes "somebody who may …"."""

    SEE = "see that a project is there, and what it promises"
    LOOK = "look at records and what is computed from them"
    CHANGE = "change a project"
    RUN = "begin and stop runs"
    TRACE = "see who did what"
    BEGIN = "begin projects"
    RELEASE = "write releases, and open a custodian's log"
    SHARE = "share projects"


class HouseRole(StrEnum):
    """What somebody is in the house."""

    CUSTODIAN = "custodian"
    ANALYST = "analyst"
    VIEWER = "viewer"


ROLES: Mapping[HouseRole, frozenset[Right]] = {
    HouseRole.CUSTODIAN: frozenset(Right),
    HouseRole.ANALYST: frozenset({Right.SEE, Right.LOOK, Right.CHANGE, Right.RUN, Right.TRACE, Right.BEGIN}),
    # Never raw rows, values, histograms, hierarchies, small counts or logs.
    HouseRole.VIEWER: frozenset({Right.SEE}),
}

SCREENS: Mapping[str, Right] = {
    "overview": Right.SEE,
    "data": Right.LOOK,
    "columns": Right.LOOK,
    "hierarchies": Right.LOOK,
    "promises": Right.CHANGE,  # beside the sentences it counts
    "search": Right.RUN,
    "explore": Right.LOOK,
    "result": Right.LOOK,
    "release": Right.RELEASE,
    "history": Right.TRACE,
}

ENDPOINTS: Mapping[str, Right] = {
    "rows": Right.LOOK,
    "hierarchy": Right.LOOK,
    "hierarchy-csv": Right.LOOK,
    "explore-nodes": Right.LOOK,
    "result-rows": Right.LOOK,
    "result-released": Right.LOOK,
    "result-distribution": Right.LOOK,
    "result-contingency": Right.LOOK,
    "result-classes": Right.LOOK,
    "result-roc": Right.LOOK,
    "release-page": Right.RELEASE,  # also the custodian's report
    "passphrase": Right.RELEASE,
}

#: What is asked for where no table says it.
UNNAMED = Right.RELEASE


class Launcher(Protocol):
    """Begins the processes of runs, at once or in turn."""

    def admit(self, who: str) -> None:
        """Refuse a run that may not even wait."""

    def launch(self, folder: Path, who: str, secret: str | None) -> None:
        """Begin the run in a folder, or let it wait."""

    def weigh(self, source: Mapping[str, Any], who: str) -> None:
        """Refuse a table that would take more than somebody may have, before the server reads it."""


class AtOnce:
    """Begins every run at once."""

    def admit(self, who: str) -> None:
        """Refuse nothing."""

    def launch(self, folder: Path, who: str, secret: str | None) -> None:
        """Begin the run."""
        launch_now(folder, secret=secret)

    def weigh(self, source: Mapping[str, Any], who: str) -> None:
        """Refuse nothing: the machine is theirs."""


@dataclass(frozen=True, kw_only=True)
class Actor:
    """Who acts: what they may, which files and databases they reach, and how their runs begin."""

    name: str
    role: HouseRole = HouseRole.CUSTODIAN
    groups: frozenset[str] = frozenset()
    reach: Reach | None = None  #: None: all that the system lets this process reach
    launcher: Launcher = field(default_factory=AtOnce, compare=False, repr=False)

    @staticmethod
    def alone() -> Actor:
        """Return whoever runs the program, who may do everything: the workbench on their own machine."""
        return Actor(name=this_user())

    def weigh(self, source: Mapping[str, Any]) -> None:
        """Refuse a table that would take more than they may have, before the server reads it."""
        self.launcher.weigh(source, self.name)

    @property
    def in_house(self) -> bool:
        """Whether this is one of several."""
        return self.reach is not None

    def may(self, right: Right) -> bool:
        """Return whether the role has a right."""
        return right in ROLES[self.role]

    def require(self, right: Right, where: str) -> None:
        """Refuse what the role may not."""
        if not self.may(right):
            raise ParameterError(where, expected=f"somebody who may {right.value}", got=f"a {self.role.value}")

    def sees_screen(self, key: str) -> bool:
        """Return whether a screen is there for them; the overview is for those who have no other."""
        if key == "overview":
            return not self.may(Right.LOOK)
        return self.may(SCREENS.get(key, UNNAMED))

    def gets(self, endpoint: str) -> bool:
        """Return whether an endpoint is there for them."""
        return self.may(ENDPOINTS.get(endpoint, UNNAMED))
