"""identify: whose a pseudonym is, from the custodian's folder; for a reason, and not without a trace."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from nymity.core.commit import committing, settle
from nymity.core.custodian import IDENTIFIED_NAME, PSEUDONYMS_NAME, custody_has_ended
from nymity.core.errors import FileError, InputError, ParameterError
from nymity.core.paths import path_text
from nymity.core.permissions import warn_if_exposed
from nymity.core.quoting import as_given
from nymity.io import read_table
from nymity.publishing.custodian.custody import KeptLog, places, private_folder
from nymity.publishing.releases.opened import open as open_release

#: Characters that a reason, or what is asked for, may have.
_LONGEST = 2_000


@dataclass(frozen=True, kw_only=True)
class Identified:
    """Whose a pseudonym is, and where it was noted that somebody asked."""

    pseudonym: str
    person: str = field(repr=False)
    noted: Path


def identify(
    release: str | Path, pseudonym: str, *, reason: str, custodian: str | Path | None = None, wait: float = 0.0
) -> Identified:
    """Return whose a pseudonym of a release is, by what its custodian keeps.

    ``release`` is its folder or its table; ``custodian`` is where the log lies, if not beside the release. The question
    is noted first, with time and ``reason``, in ``identified.jsonl`` of the custodian's folder: one line for each, also
    where the pseudonym is of nobody. The answer is no part of the note. Lines are added in a commit, so that none is
    lost to a crash.
    """
    _check_reason(reason)
    if not isinstance(pseudonym, str) or not 0 < len(pseudonym.strip()) <= _LONGEST:
        raise ParameterError("pseudonym", expected="a pseudonym of the release", got=as_given(pseudonym))
    wanted = pseudonym.strip()
    log = _log_of(Path(path_text("release", release)), custodian, wait)
    known = log.folder / PSEUDONYMS_NAME
    if not known.is_file():
        raise FileError(
            str(known),
            expected="pseudonyms of the release, and whose they are",
            got="no such file",
            hint="a release whose person column has a pseudonym keeps them there",
        )
    warn_if_exposed(log.folder, known)
    table = read_table(known)
    found = dict(zip(table["pseudonym"].to_list(), table["person"].to_list(), strict=True)).get(wanted)
    # Noted before the answer is given: whoever breaks off now has left a trace all the same.
    _note(log.folder, wanted, reason.strip(), found=found is not None, wait=wait)
    if found is None:
        raise InputError(
            "pseudonym",
            expected=f"one of the {table.height:,} pseudonyms of this release",
            got="another text",
            hint="copy the whole cell; random pseudonyms hold for one release only",
        )
    return Identified(pseudonym=wanted, person=str(found), noted=log.folder / IDENTIFIED_NAME)


def _log_of(release: Path, custodian: str | Path | None, wait: float) -> KeptLog:
    """Return the log of a release, after finishing or undoing what a run that died left there."""
    folder = release if release.is_dir() else release.parent
    private = private_folder(folder, None) if custodian is None else Path(path_text("custodian", custodian))
    settle(*places(private), wait=wait)
    log = open_release(release, custodian=None if custodian is None else private).log
    if log is None:
        raise FileError(
            str(private),
            expected="the custodian's log of this release",
            got="none",
            hint="--custodian names the folder it lies in",
        )
    if log.ended is not None:
        raise custody_has_ended(str(private), log.ended)
    return log


def _note(folder: Path, pseudonym: str, reason: str, *, found: bool, wait: float) -> None:
    """Add a line to what was asked for; those that are there stay."""
    line = {
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "pseudonym": pseudonym,
        "reason": reason,
        "found": found,
    }
    with committing(folder, private=[folder], wait=wait) as (stage,):
        earlier = folder / IDENTIFIED_NAME
        lines = earlier.read_bytes() if earlier.is_file() else b""
        (stage / IDENTIFIED_NAME).write_bytes(lines + (json.dumps(line) + "\n").encode("ascii"))
        stage.commit([IDENTIFIED_NAME])


def _check_reason(reason: object) -> None:
    if not isinstance(reason, str) or not reason.strip() or len(reason) > _LONGEST:
        raise ParameterError(
            "reason",
            expected=f"why this person is to be known, in at most {_LONGEST:,} characters; it is noted",
            got=as_given(reason),
        )
