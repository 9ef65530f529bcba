"""EarlierRelease: a release of the same people that is already out, as a job names it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from nymity.core import pieces
from nymity.core.errors import JobError
from nymity.core.paths import path_text
from nymity.core.quoting import as_given
from nymity.core.validation import whole_number
from nymity.utility.released import Released


@dataclass(frozen=True, kw_only=True)
class EarlierRelease:
    """Where an earlier release lies, with the custodian's log that tells whose its rows are.

    ``release`` is its folder, or in Python a :class:`~nymity.Release`. ``custodian`` is the folder of the log (default:
    beside ``release``, with ``-custodian`` appended to its name). ``source`` is the table it was made from, if that is
    not the job's own: a path, or in Python a frame. ``name`` is what the certificate calls it.
    """

    release: Any
    custodian: str | None = None
    source: Any = None
    name: str | None = None

    def __post_init__(self) -> None:
        for name in ("release", "custodian", "source"):
            if isinstance(value := getattr(self, name), str | Path) and value != "":
                object.__setattr__(self, name, path_text(f"earlier_releases.{name}", value))
        if not (isinstance(self.release, str) and self.release) and not isinstance(
            getattr(self.release, "released", None), Released
        ):
            raise JobError(
                "earlier_releases",
                expected="the folder of a release, or a Release",
                got=as_given(self.release),
            )

    @property
    def in_memory(self) -> bool:
        """Whether the release is an object and no folder."""
        return not isinstance(self.release, str)

    def below(self, folder: Path) -> EarlierRelease:
        """Let relative paths start at a folder."""
        paths = {
            name: str(folder / value)
            for name in ("release", "custodian", "source")
            if isinstance(value := getattr(self, name), str)
        }
        return replace(self, **paths)

    def to_data(self) -> str | dict[str, str]:
        """Return what a job file says; of a release in memory that is its name."""
        if self.in_memory or not isinstance(self.source, str | None):
            return self.name or "a release in memory"
        return {item.name: value for item in fields(self) if (value := getattr(self, item.name)) is not None}


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """What a job asks beside earlier releases.

    ``smallest_group``: everybody who is in earlier releases shares all their classes with at least this many people,
    themselves included; otherwise nothing is published. ``person`` names the column by which people are known again in
    tables of different dates; without it releases must be of the very same table.
    """

    smallest_group: int | None = None
    person: str | None = None

    def __post_init__(self) -> None:
        if self.smallest_group is not None:
            whole_number("earlier.smallest_group", self.smallest_group, at_least=2)
        if self.person is not None and not isinstance(self.person, str):
            raise JobError("earlier.person", expected="the name of a column", got=as_given(self.person))


def secret_group(which: str) -> JobError:
    """Return the error of a demand by which whoever sees that nothing was refused learns a secret of a release."""
    return JobError(
        "earlier.smallest_group",
        expected=f"none: who is in which class of {which} is drawn, or who is in the table is a secret",
        got="a demand, and that it was met would tell of that",
        hint="leave it out: the custodian's log says what is left; or a search of the lattice, which draws nothing",
    )


def read_earlier(given: Any) -> str | EarlierRelease:
    """Read what was given for an earlier release: a name, a path, a release, or all of it said in full."""
    if isinstance(given, str | EarlierRelease):
        return given
    return EarlierRelease(release=given)


def parse_earlier(data: Any, folder: Path | None) -> tuple[str | EarlierRelease, ...]:
    """Read the earlier releases of a job file: names, and tables with the place of a release."""
    if not isinstance(data, list | tuple):
        raise JobError("earlier_releases", expected="a list of names and of tables", got=as_given(data))
    found: list[str | EarlierRelease] = []
    for number, item in enumerate(data):
        where = f"earlier_releases[{number}]"
        if isinstance(item, str):
            found.append(item)
            continue
        if not isinstance(item, dict):
            raise JobError(where, expected='a name, or a table such as { release = "folder" }', got=as_given(item))
        for key, value in item.items():
            if not isinstance(value, str):
                raise JobError(f"{where}.{key}", expected="text", got=as_given(value))
        one: EarlierRelease = pieces.built(EarlierRelease, item, where)
        found.append(one if folder is None else one.below(folder))
    return tuple(found)
