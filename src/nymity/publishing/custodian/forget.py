"""forget: the end of custody. What links a release to its source goes; what shows that it keeps its promises stays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nymity.core.card import Card, Carded, CardTable
from nymity.core.commit import Stage, committing, settle
from nymity.core.custodian import EARLIER_NAME, ENDED, LOG_FILES, LOG_NAME, REPORT_NAME, ended_on
from nymity.core.errors import FileError
from nymity.core.format_numbers import LOG
from nymity.core.paths import path_text
from nymity.publishing.custodian.custody import RELEASED, Custody, KeptLog, certified_tables, places, private_folder
from nymity.publishing.sealing.signing import CERTIFICATE_NAME, SIGNATURE_NAME

#: What nobody can do any more.
LOST = (
    "apply the recoding to further rows",
    "publish the same table again with the same draws (--log)",
    "link released rows to the rows of the source, for this release or beside later ones (earlier_releases)",
    "compare, attack or read cells with the help of the recoding, and draw the report again",
    "prove by the salt which table the release was made from",
)
#: What removing files cannot reach.
NOT_PROMISED = (
    "Removed files may still lie in backups, in snapshots and copy-on-write file systems, on disks that spread what is "
    "written, and wherever they were copied to. Keyed pseudonyms are made again by whoever has their key, which lies "
    "in the custodian's folder of every delivery with it: end custody of those, too. The source, the job, ledgers and "
    "signing keys are not touched."
)
#: What a report says whose figures are of the original.
_OF_THE_ORIGINAL = b"report for the data custodian"


@dataclass(frozen=True, kw_only=True, repr=False)
class Forgotten(Carded):
    """What came of it: the custodian's folder, the day custody ended, and the files that were removed or emptied.

    ``unknown`` are files there that nymity does not put there, and left alone.
    """

    folder: Path
    ended: str
    removed: tuple[Path, ...]
    unknown: tuple[Path, ...] = ()
    lost: tuple[str, ...] = LOST
    not_promised: str = NOT_PROMISED

    def card(self) -> Card:
        """Return what is shown: what is gone, what can no longer be done, and what was left alone."""
        return Card(
            title="Custody ended",
            verdict=self.ended,
            facts=[("folder", self.folder), ("left alone", ", ".join(path.name for path in self.unknown) or None)],
            sentences=[*self.lost, self.not_promised],
            tables=[CardTable(columns=("removed or emptied",), rows=[(path.name,) for path in self.removed])],
        )


def forget(release: str | Path, *, custodian: str | Path | None = None, wait: float = 0.0) -> Forgotten:
    """End custody of a release, and of those it replaced: remove row mapping, keys, salt, nodes and recodings.

    ``release`` is its folder, or the custodian's; ``custodian`` is where the log lies, if not beside the release. All
    of it goes in one commit: after a crash everything is there or everything is gone. A recoding goes whole, whatever
    its kind: hierarchies list the raw values of columns, classes and buckets those of records, sensitive ones too.
    Certificates and signatures stay, and of each log the hashes of its tables and the day on which custody ended. That
    cannot be undone.
    """
    folder, private = _places(
        Path(path_text("release", release)), None if custodian is None else path_text("custodian", custodian)
    )
    # What a run that died left half done is finished or undone first: nothing may come back after custody has ended.
    settle(*places(private), *([] if folder is None else [folder]), wait=wait)
    logs, emptied = Custody(private).logs, places(private)
    if folder is not None:
        _spare_others(folder, private, logs)
    _spare_links(emptied)
    before = ended_on(private)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    # A report of an earlier version shows aggregates of the original, and lies in the folder that is given away.
    telling = [] if folder is None or not _tells_of_the_original(folder / REPORT_NAME) else [folder]
    removed: list[Path] = []
    with committing(*emptied, *telling, private=emptied, wait=wait) as stages:
        for stage in stages[: len(emptied)]:
            log = next((log for log in logs if log.folder == stage.target), None)
            removed += _empty(stage, log, today)
        for stage in stages[len(emptied) :]:
            stage.remove(REPORT_NAME)
            removed.append(stage.target / REPORT_NAME)
    ended = before if before is not None and not removed else today
    return Forgotten(folder=private, ended=ended, removed=tuple(removed), unknown=_unknown(private, emptied))


def _spare_others(folder: Path, private: Path, logs: list[KeptLog]) -> None:
    """Refuse to end custody of releases that are not the one that was named, as far as they tell."""
    certified = certified_tables(folder)
    if certified is None or not all(log.released for log in logs):
        return
    hashes = [table["content_sha256"] for table in certified]
    if not any(log.belongs_to(hashes) for log in logs):
        raise FileError(
            str(private),
            expected=f"the custodian's folder of {folder}",
            got=f"logs of other releases: {'; '.join(map(str, logs))}",
            hint=f"--custodian names the right one; nymity forget {private} ends custody of what lies there",
        )


def _spare_links(emptied: list[Path]) -> None:
    """Refuse to remove a symbolic link, for what it leads to would stay."""
    for path in (place / name for place in emptied for name in LOG_FILES):
        if path.is_symlink():
            raise FileError(
                str(path),
                expected="a file of its own, to be removed",
                got=f"a symbolic link to {path.readlink()}, which would stay",
                hint="remove what it leads to, and then the link; or move that file here, in place of the link",
            )


def _unknown(private: Path, emptied: list[Path]) -> tuple[Path, ...]:
    """Return what else lies in the folders, also what could not be removed."""
    known = {*LOG_FILES, CERTIFICATE_NAME, SIGNATURE_NAME}
    folders = [*emptied, *([earlier] if (earlier := private / EARLIER_NAME).is_dir() else [])]
    there = [path for place in folders for path in sorted(place.iterdir()) if path not in (*emptied, earlier)]
    return tuple(path for path in there if path.name not in known)


def _empty(stage: Stage, log: KeptLog | None, today: str) -> list[Path]:
    """Remove what lies in a folder of one log, and leave what may be known."""
    there = [path for name in LOG_FILES if name != LOG_NAME and (path := stage.target / name).is_file()]
    # Ended before, and nothing has come since: the day on which it ended stays.
    if log is not None and log.ended is not None and not there:
        return []
    for path in there:
        stage.remove(path.name)
    left = {
        "format": LOG.tag,
        "note": "Custody has ended: what linked this release to its source was removed.",
        ENDED: today if log is None or log.ended is None else log.ended,
        **({RELEASED: list(log.released)} if log is not None and log.released else {}),
    }
    (stage / LOG_NAME).write_text(json.dumps(left, indent=2) + "\n", encoding="utf-8")
    stage.commit([LOG_NAME])
    return [*there, stage.target / LOG_NAME]


def _places(given: Path, custodian: str | Path | None) -> tuple[Path | None, Path]:
    """Return the folder of the release, if it is known, and that of the custodian."""
    if not given.is_dir():
        raise FileError(
            str(given),
            expected="the folder of a release, or that of its custodian",
            got="a file" if given.exists() else "no such folder",
            hint="its name without the file, such as release",
        )
    if custodian is None and (given / LOG_NAME).exists() and not (given / CERTIFICATE_NAME).exists():
        return None, given
    return given, private_folder(given, custodian)


def _tells_of_the_original(report: Path) -> bool:
    """Return whether a page is the one for the custodian, which earlier versions put beside the release."""
    try:
        return _OF_THE_ORIGINAL in report.read_bytes()
    except OSError:
        return False
