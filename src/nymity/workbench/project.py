"""Project: a folder with everything about one table on its way to a release, for its owner alone.

    project.json        format, id, name
    audit.jsonl         who did what and when (:mod:`nymity.workbench.audit_trail`); the project's state follows from it
    jobs/0001.toml      the versions of the job; undo moves a pointer and removes nothing
    runs/0001/          what was computed by a process of its own (:mod:`nymity.workbench.runs`)
    files/              what was uploaded, and the demo's table; other files stay where they are

A project that was begun as differentially private shows nothing that is computed from records: whoever chose
parameters by a look at them would void the promise. Every screen and endpoint asks :attr:`Project.may_look`.
"""

from __future__ import annotations

import copy
import re
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import nymity as ny
from nymity.core.disk import make_folder
from nymity.core.errors import FileError, NymityError, ParameterError
from nymity.core.format_numbers import PROJECT
from nymity.core.paths import resolved
from nymity.core.permissions import close, warn_if_exposed
from nymity.core.plain_data import MOST_JOB_BYTES, parse_toml, read_content, read_json
from nymity.core.randomness import secure_bytes
from nymity.publishing import toml_job
from nymity.workbench.audit_trail import AuditEntry, AuditTrail
from nymity.workbench.house.rights import Actor, Right
from nymity.workbench.kept_reads import read_once
from nymity.workbench.runs import Runs, write_json, write_text

PROJECT_NAME, AUDIT_NAME, JOBS_NAME, RUNS_NAME, FILES_NAME = "project.json", "audit.jsonl", "jobs", "runs", "files"
#: Characters of a project's name, and what its id is like, which stands in addresses.
LONGEST_NAME, ID = 100, re.compile(r"[0-9a-f]{16}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class JobVersion:
    """One version of the job: what changed by whom, from which one it came, and which columns a person decided on."""

    number: int
    parent: int | None
    what: str
    who: str
    when: str
    sha256: str
    decided: frozenset[str] = frozenset()
    asked: tuple[str, ...] = ()  #: columns that somebody should decide on, what is most at stake first

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns that somebody should decide on and nobody has."""
        return tuple(name for name in self.asked if name not in self.decided)


@dataclass(frozen=True, kw_only=True)
class Note:
    """What somebody wrote down."""

    text: str
    who: str
    when: str


@dataclass(kw_only=True)
class ProjectState:
    """What the lines of the audit log add up to."""

    at: int = 0  #: the version of the job that holds
    versions: dict[int, JobVersion] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    private: bool = False
    explored: bool = False  #: turned private after it had been looked at
    owner: str = ""  #: who began it
    groups: frozenset[str] = frozenset()  #: with whom it is shared, in a house

    def take(self, entry: AuditEntry) -> None:
        """Go one line further; lines of other kinds change nothing here."""
        details = entry.details
        if entry.what == "begun":
            self.private, self.owner = bool(details["private"]), entry.who
        elif entry.what == "job":
            self.at = details["version"]
            self.versions[self.at] = JobVersion(
                number=self.at,
                parent=details["parent"],
                what=details["change"],
                who=entry.who,
                when=entry.when,
                sha256=details["sha256"],
                decided=frozenset(details["decided"]),
                asked=tuple(details["asked"]),
            )
        # No version is made or lost: another one holds.
        elif entry.what in ("undo", "redo"):
            self.at = details["version"]
        elif entry.what == "note":
            self.notes.append(Note(text=details["text"], who=entry.who, when=entry.when))
        elif entry.what == "turned private":
            self.private, self.explored = True, bool(details["explored"])
        elif entry.what == "shared":
            self.groups = frozenset(details["groups"])

    @property
    def version(self) -> JobVersion | None:
        """The version that holds, None while there is none."""
        return self.versions.get(self.at)

    @property
    def earlier(self) -> int | None:
        """The version that undo goes to."""
        return None if self.version is None else self.version.parent

    @property
    def later(self) -> int | None:
        """The version that redo goes to: the newest that was made of this one."""
        return max((one.number for one in self.versions.values() if one.parent == self.at), default=None)


#: What projects' logs add up to, with the stamp of the log that said so.
_states: dict[Path, tuple[tuple[int, ...], ProjectState]] = {}
_MOST_STATES = 1000


@dataclass(eq=False)
class Project:
    """A project's folder, as somebody has it who may do some things with it, or all.

    It keeps nothing that is not in the folder: several pages may have it open.
    """

    folder: Path
    actor: Actor = field(default_factory=Actor.alone)

    @staticmethod
    def begin(folder: Path, *, name: str, private: bool = False, actor: Actor | None = None) -> Project:
        """Make the folder of a new project, for its owner alone."""
        name = " ".join(name.split())
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise ParameterError(
                "name", expected=f"a name of 1 to {LONGEST_NAME} printable characters", got=repr(name)[:80]
            )
        if folder.exists() and any(folder.iterdir()):
            raise FileError(str(folder), expected="a new folder, or an empty one", got="one that has something in it")
        make_folder(folder, [], private=True)
        close(folder)
        for inside in (JOBS_NAME, RUNS_NAME, FILES_NAME):
            (folder / inside).mkdir(mode=0o700)
        about = {"format": PROJECT.tag, "id": secure_bytes(8).hex(), "name": name}
        write_json(folder / PROJECT_NAME, about)
        project = Project(folder) if actor is None else Project(folder, actor)
        with project.audit.writing():
            project.audit.append("begun", {"name": name, "private": private})
        return project

    @staticmethod
    def open(folder: str | Path, actor: Actor | None = None) -> Project:
        """Open the project in a folder."""
        project = Project(resolved(folder)) if actor is None else Project(resolved(folder), actor)
        about, where = project._about, str(project.folder / PROJECT_NAME)
        PROJECT.number_of(about, where)
        if not ID.fullmatch(str(about.get("id"))) or not isinstance(about.get("name"), str):
            raise FileError(where, expected="a project's name, and its id of 16 hexadecimal digits", got="others")
        warn_if_exposed(project.folder)
        return project

    # -- what it is ------------------------------------------------------------------------------------------

    @cached_property
    def _about(self) -> dict[str, Any]:
        return read_once(self.folder / PROJECT_NAME, _read_about)

    @property
    def id(self) -> str:
        """What addresses call it."""
        return str(self._about["id"])

    @property
    def address(self) -> str:
        """Where its pages are."""
        return f"/p/{self.id}"

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self._about["name"])

    @property
    def audit(self) -> AuditTrail:
        """Who did what, when."""
        return AuditTrail(self.folder / AUDIT_NAME, self.actor.name)

    @property
    def files(self) -> Path:
        """The folder for files that belong to the project alone."""
        return self.folder / FILES_NAME

    @property
    def runs(self) -> Runs:
        """What was computed for it, and is being computed."""
        return Runs(
            self.folder / RUNS_NAME,
            on_start=self._run_started,
            may_start=self._may_start,
            launch=lambda folder, secret: self.actor.launcher.launch(folder, self.actor.name, secret),
        )

    @property
    def state(self) -> ProjectState:
        """What holds now; read again when another page or run has added to the log. It is every page's: only read."""
        stamp, path = self.audit.stamp, self.audit.path
        held = _states.get(path)
        if held is not None and held[0] == stamp:
            return held[1]
        state = ProjectState()
        for entry in self.audit.entries():
            try:
                state.take(entry)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                where = f"{path}, line {entry.number}"
                got = f"{type(error).__name__}: {str(error)[:200]}"
                raise FileError(where, expected="a line of an audit log", got=got) from error
        if len(_states) >= _MOST_STATES:
            _states.clear()
        _states[path] = (stamp, state)
        return state

    @property
    def stamp(self) -> tuple[object, ...]:
        """Something that changes whenever the project does, by whomever."""
        return (self.audit.stamp, self.runs.stamp)

    def check_folder(self) -> None:
        """Refuse a folder whose files are not as they were written, so that whoever opens a page learns why."""
        try:
            _ = self.source_data
            for run in self.runs.all():
                _ = run.task, run.state
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise FileError(
                str(self.folder),
                expected="a project as the workbench wrote it",
                got=f"{type(error).__name__}: {str(error)[:200]}",
                hint="put its files back from a copy",
            ) from error

    def remove(self) -> None:
        """Remove the project with all that is in its folder; files elsewhere stay."""
        self.require(Right.BEGIN, "remove")
        shutil.rmtree(self.folder)

    # -- others of a house ---------------------------------------------------------------------------------

    @property
    def is_theirs(self) -> bool:
        """Whether it is there for its actor: they began it, or it is shared with a group of theirs."""
        return self.state.owner == self.actor.name or bool(self.state.groups & self.actor.groups)

    def require(self, right: Right, where: str) -> None:
        """Refuse what its actor may not, or not any more: pages stay open when a project is not shared any longer."""
        if self.actor.in_house and not self.is_theirs:
            raise ParameterError(where, expected="a project that you may open", got="none")
        self.actor.require(right, where)

    def check_reach(self, data: Mapping[str, Any], known: Mapping[str, Any] | None = None) -> None:
        """Refuse a job, or a part of one, that names files or databases out of reach.

        What stood there before, by somebody else of the group, may stay: those of ``known``.
        """
        if self.actor.reach is not None:
            self.actor.reach.check_job(data, inside=self.files, known=known or {})

    def share(self, groups: Iterable[str]) -> None:
        """Share it with these groups of the actor and no other; what it was shared with otherwise stays."""
        self.require(Right.SHARE, "share")
        wanted = frozenset(groups)
        if not wanted <= self.actor.groups:
            raise ParameterError("share", expected="groups that you belong to", got="another one")
        with self.audit.writing():
            kept = wanted | (self.state.groups - self.actor.groups)
            if kept != self.state.groups:
                self.audit.append("shared", {"groups": sorted(kept)})

    # -- records ---------------------------------------------------------------------------------------------

    @property
    def may_look(self) -> bool:
        """Whether anything computed from records may be shown."""
        return not self.state.private and self.actor.may(Right.LOOK)

    def refuse_looking(self, where: str) -> None:
        """Refuse to compute anything from records that is not a release: in a private project, or for some roles."""
        self.require(Right.LOOK, where)
        if not self.may_look:
            raise ParameterError(
                where,
                expected="a project that promises no differential privacy",
                got=f"{self.name!r}, whose promise a look at the records would void",
                hint="the public schema, a forecast and the ledger are all that parameters may follow from",
            )

    def turn_private(self) -> None:
        """Let nothing of records be shown from now on; that they were looked at before is marked for good."""
        self.require(Right.CHANGE, "turn private")
        with self.audit.writing():
            if not self.state.private:
                self.audit.append("turned private", {"explored": self.state.at > 0})

    # -- the job ---------------------------------------------------------------------------------------------

    @property
    def job_path(self) -> Path | None:
        """The file of the version that holds, None while there is none."""
        return self._version_path(self.state.at) if self.state.at else None

    @property
    def job_data(self) -> dict[str, Any]:
        """The job as plain data; it may lack what nobody has said yet."""
        return {} if self.job_path is None else self.version_data(self.state.at)

    def version_data(self, number: int) -> dict[str, Any]:
        """Return a version of the job as plain data."""
        return read_once(self._version_path(number), _read_job)

    def job(self) -> ny.Job:
        """Return the job, or say what it lacks."""
        return ny.Job.from_dict(self.job_data, folder=self.folder / JOBS_NAME)

    @property
    def source_data(self) -> dict[str, Any]:
        """Where the table lies and how it is read, as plain data."""
        data = self.job_data.get("source")
        if not isinstance(data, dict):
            where = str(self.job_path or self.audit.path)
            raise FileError(where, expected="a job that names its table", got="none", hint="open the table again")
        return data

    def source(self) -> ny.Source | ny.DatabaseSource:
        """Return where the table lies and how it is read."""
        data = self.source_data
        return ny.DatabaseSource(**data) if "url" in data else ny.Source(**data)

    def problem(self) -> NymityError | None:
        """Return why the job cannot be run as it is, None where it can."""
        try:
            self.job()
        except NymityError as error:
            return error
        return None

    def change_job(
        self,
        what: str,
        edit: Callable[[dict[str, Any]], Mapping[str, Any] | None],
        *,
        decided: Iterable[str] = (),
        asked: Iterable[str] | None = None,
    ) -> int:
        """Make a new version of the job, and return its number; ``what`` says in a few words what changes.

        ``edit`` gets the plain data of the version that holds, and changes it or returns other. Nothing is written
        where nothing changes. ``decided`` are columns that a person has decided on by this; ``asked`` those on which
        somebody should, where that is found out anew.
        """
        self.require(Right.CHANGE, "job")
        with self.audit.writing():
            state, before = self.state, self.job_data
            data = copy.deepcopy(before)
            given = edit(data)
            data = data if given is None else dict(given)
            self.check_reach(data, before)
            known = state.version.decided if state.version is not None else frozenset()
            decided = known | frozenset(decided)
            if asked is None:
                asked = () if state.version is None else state.version.asked
            text = toml_job(data)
            # Compared as it will be read: an edit may leave what TOML writes alike.
            if tomllib.loads(text) == before and decided == known and state.at:
                return state.at
            number = max(state.versions, default=0) + 1
            # The file comes first: without its line it is no version, but a line without its file would be one.
            write_text(self._version_path(number), text)
            self.audit.append(
                "job",
                {
                    "version": number,
                    "parent": state.at or None,
                    "change": what,
                    "decided": sorted(decided),
                    "asked": list(asked),
                    "sha256": sha256(text.encode()).hexdigest(),
                },
            )
            return number

    def undo(self) -> bool:
        """Go back to the version before; say whether there was one."""
        return self._go("undo", lambda state: state.earlier)

    def redo(self) -> bool:
        """Go to the newest version that was made of this one; say whether there was one."""
        return self._go("redo", lambda state: state.later)

    def _go(self, what: str, where: Callable[[ProjectState], int | None]) -> bool:
        self.require(Right.CHANGE, what)
        with self.audit.writing():
            number = where(self.state)
            if number is not None:
                self.audit.append(what, {"version": number})
            return number is not None

    def add_note(self, text: str) -> None:
        """Write something down."""
        self.require(Right.CHANGE, "note")
        with self.audit.writing():
            self.audit.append("note", {"text": text})

    def _may_start(self, task: str, settings: Mapping[str, Any], job: Path | None) -> None:
        """Refuse a run that is not theirs to begin, or that would write, sign or read out of reach."""
        data = {} if job is None else _read_job(job)  # that of the run: the one that holds may be another
        # A database is elsewhere, too.
        writes = settings.get("out") or settings.get("database") or "url" in data.get("output", {})
        self.require(Right.RELEASE if writes else Right.RUN, task)
        if (reach := self.actor.reach) is not None:
            if settings.get("out"):
                reach.check_written("out", settings["out"], inside=self.folder)
            key = settings.get("key") or (data.get("sign", {}).get("key") if settings.get("out") else None)
            if key:  # also one that somebody else of the group named in the job
                reach.check_key("key", key)
            reach.check_job({"output": settings.get("database") or {}}, inside=self.folder)
        self.actor.launcher.admit(self.actor.name)

    def _run_started(self, number: int, task: str) -> None:
        with self.audit.writing():
            self.audit.append("run", {"run": number, "task": task, "version": self.state.at})

    def _version_path(self, number: int) -> Path:
        return self.folder / JOBS_NAME / f"{number:04d}.toml"


def _read_about(path: Path) -> dict[str, Any]:
    return read_json(path, expected="a project of the workbench", most=2**20)


def _read_job(path: Path) -> dict[str, Any]:
    content = read_content(path, most=MOST_JOB_BYTES, expected="a version of the job")
    return parse_toml(content.decode("utf-8"), where=str(path), expected="a version of the job")
