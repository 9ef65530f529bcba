"""The custodian's folder: the names of what lies in it, and what is said once custody has ended."""

from __future__ import annotations

from pathlib import Path

from nymity.core.errors import FileError
from nymity.core.plain_data import read_json

LOG_NAME = "log.json"
MAPPING_NAME = "mapping.parquet"
#: The published cells of each row by a key of the source, where an engine knows no numbers of rows.
KEYED_MAPPING_NAME = "mapping-by-key.parquet"
NODES_NAME = "nodes.parquet"
RECODING_NAME = "recoding.json"
#: The values that a recoding was decided on, which further rows do not need.
SEEN_NAME = "seen.json"
#: Who is who where pseudonyms are published, the key they were made with, and who was asked for, when and why.
PSEUDONYMS_NAME, PSEUDONYM_KEY_NAME, IDENTIFIED_NAME = "pseudonyms.parquet", "pseudonym-key.json", "identified.jsonl"
#: By how many days the dates of each person were moved.
SHIFTS_NAME = "shifts.parquet"
#: Pages for the custodian and for a board, and what was measured on the original for them.
REPORT_NAME, BOARD_NAME, FINDINGS_NAME = "report.html", "board.html", "findings.json"
#: Files that are made once the release is there, and speak of that release alone.
DRAWN_LATER = (REPORT_NAME, BOARD_NAME, FINDINGS_NAME)
#: All that may lie there of one release; the log last, which tells that the others are there.
LOG_FILES = (
    MAPPING_NAME,
    KEYED_MAPPING_NAME,
    NODES_NAME,
    RECODING_NAME,
    SEEN_NAME,
    PSEUDONYMS_NAME,
    PSEUDONYM_KEY_NAME,
    IDENTIFIED_NAME,
    SHIFTS_NAME,
    *DRAWN_LATER,
    LOG_NAME,
)
#: The folder inside it with the logs of releases that were replaced, numbered: ``earlier/0001``.
EARLIER_NAME = "earlier"
#: The field of a log that tells when custody of its release was ended.
ENDED = "custody_ended"


def ended_on(folder: Path) -> str | None:
    """Return the day on which custody of the log in a folder was ended, None if it was not."""
    try:
        found = read_json(folder / LOG_NAME, expected="a custodian's log").get(ENDED)
    except FileError:
        return None
    return str(found) if found else None


def refuse_ended(path: Path) -> None:
    """Refuse a file of the custodian's folder that is gone because custody was ended, and say when."""
    when = None if path.exists() else ended_on(path.parent)
    if when is not None:
        raise custody_has_ended(str(path), when)


def custody_has_ended(where: str, when: str) -> FileError:
    """Return the error of whoever asks for what is gone."""
    return FileError(
        where,
        expected="what links the release to its source",
        got=f"none: custody of this release was ended on {when}, and row mapping, keys and raw values were removed",
        hint="publish the table again; a release whose custody has ended can be checked, and nothing else",
    )
