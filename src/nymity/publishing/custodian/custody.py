"""Custody: the logs in a custodian's folder, that of the release which is out now and those of releases it replaced.

A log knows the hashes of the tables it belongs to. So whoever has a delivered file finds its log again, whatever the
file is called by now, and however often the release has been replaced since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core.commit import Stage, refuse_between, settle
from nymity.core.custodian import (
    EARLIER_NAME,
    ENDED,
    LOG_FILES,
    LOG_NAME,
    MAPPING_NAME,
    RECODING_NAME,
    custody_has_ended,
)
from nymity.core.errors import FileError, InputError, ParameterError
from nymity.core.paths import is_root, path_text, resolved
from nymity.core.plain_data import read_json
from nymity.io import Dictionary, ReadOptions, read_table, strip_neutralization, to_polars
from nymity.publishing.certificates.certificate import CHILD_TABLE, SENSITIVE_TABLE, Certificate
from nymity.publishing.custodian.release_place import place_of
from nymity.publishing.jobs.job import Job
from nymity.publishing.sealing.fingerprint import file_fingerprint, fingerprint
from nymity.publishing.sealing.signing import CERTIFICATE_NAME, SIGNATURE_NAME

#: The field of a log with the hashes of the tables it belongs to.
RELEASED = "released"
#: How the name of a custodian's folder ends, where no other was chosen; before it stands the name of the release's.
_SUFFIX = "-custodian"


@dataclass(frozen=True, kw_only=True)
class KeptLog:
    """One log: the folder it lies in, its number (None: of the release that is out now) and what it belongs to.

    ``released`` has ``file``, ``file_sha256`` and ``content_sha256`` of each table; nothing for logs of earlier
    versions. ``ended`` is the day on which custody was ended.
    """

    folder: Path
    number: int | None
    released: tuple[dict[str, str], ...] = ()
    ended: str | None = None

    @property
    def recoding(self) -> Path:
        """The file of the recoding."""
        return self.folder / RECODING_NAME

    @property
    def mapping(self) -> Path:
        """The file that links released rows to source rows."""
        return self.folder / MAPPING_NAME

    def belongs_to(self, hashes: Iterable[str]) -> bool:
        """Return whether one of the tables has one of these hashes."""
        known = {one.get(name) for one in self.released for name in ("file_sha256", "content_sha256")}
        return not known.isdisjoint(hashes)

    def __str__(self) -> str:
        told = ", ".join(f"{one.get('file', 'a table')} {one['content_sha256'][:12]}" for one in self.released)
        ended = "" if self.ended is None else f", custody ended on {self.ended}"
        return f"{self.folder} ({told or 'of an unknown release'}{ended})"


@dataclass(frozen=True)
class Custody:
    """A custodian's folder: ``Custody("release-custodian").log_of("delivered.csv").recoding``."""

    folder: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(path_text("custodian", self.folder)))

    @staticmethod
    def of_release(release: Path) -> Custody:
        """Return the folder that belongs to the folder of a release, unless another was named."""
        named = release if release.name not in ("", "..") else resolved(release)
        return Custody(named.with_name(f"{named.name}{_SUFFIX}"))

    @property
    def release(self) -> Path | None:
        """The folder of the release that lies beside it, if it is called after that; None otherwise."""
        folder = resolved(self.folder)
        name = folder.name.removesuffix(_SUFFIX)
        return folder.with_name(name) if name and name != folder.name else None

    @property
    def has_logs(self) -> bool:
        """Whether there is any log to be found."""
        return (self.folder / LOG_NAME).is_file() or bool(numbered(self.folder))

    @property
    def logs(self) -> list[KeptLog]:
        """The logs that are kept: the one of now, then those before it, the last one first."""
        refuse_between(self.folder)
        kept = [_kept(place, number) for number, place in sorted(numbered(self.folder), reverse=True)]
        if (self.folder / LOG_NAME).is_file():
            kept.insert(0, _kept(self.folder, None))
        if not kept:
            raise FileError(
                str(self.folder),
                expected="a custodian's folder, with a log",
                got=f"no {LOG_NAME}",
                hint="publish puts it next to the release, with -custodian appended to its name",
            )
        return kept

    def log_of(self, release: Any = None) -> KeptLog:
        """Return the log of a delivered file (its path, or a frame of it), found by the hash of its content.

        The log of the very file comes before that of another with equal cells. Where several fit, it is the newest of
        them. Without a file it is the log of the release that is out now.
        """
        if release is None:
            return _in_custody(self.logs[0])
        # Of the bytes and of the cells: a file that was written again by another tool is still the same table.
        hashes = content_hashes(release)
        fitting = self.with_content(*hashes)
        if fitting is None:
            listed = "; ".join(map(str, self.logs))
            raise FileError(
                str(release) if isinstance(release, str | Path) else "release",
                expected=f"a table whose log {self.folder} keeps",
                got=f"one with the content hash {hashes[-1][:12]}, and logs of others: {listed}",
                hint="take the file as it was delivered, or the custodian's folder of its release",
            )
        return _in_custody(fitting)

    def with_content(self, *hashes: str) -> KeptLog | None:
        """Return the newest log that belongs to the first of these hashes that any belongs to; None if none does.

        Put the hash of a file before that of its cells: releases of one table in two formats, or of one table in two
        orders, can have equal cells, and rows of other people behind them. A log whose custody has ended counts too.
        """
        logs = self.logs
        return next((log for one in hashes for log in logs if log.belongs_to([one])), None)


def _spare_source(job: Job, target: Path) -> None:
    """Refuse to write a release over a table it is made from."""
    # The same file, not the same path: links lead to it under other names.
    if target.exists() and any(path.exists() and path.samefile(target) for path in job.inputs):
        raise ParameterError(
            "folder",
            expected="one in which the release does not replace its source",
            got=str(target),
            hint="another folder, or another name in Output",
        )


def released_tables(certificate: Certificate) -> list[dict[str, str]]:
    """Return what a log notes of the tables it belongs to."""
    output = certificate["output"]
    tables = [output, *(output[name] for name in (SENSITIVE_TABLE, CHILD_TABLE) if name in output)]
    known = ("file", "file_sha256", "content_sha256")
    return [{name: table[name] for name in known if name in table} for table in tables]


def private_folder(
    folder: Path, custodian: str | Path | None, *, names: tuple[str, str] = ("folder", "custodian")
) -> Path:
    """Return where the custodian's log goes: never into the folder that is published.

    ``names`` is what the caller calls the two folders; a log beside the release takes its name from the release.
    """
    for where, given in zip(names, (folder, custodian), strict=True):
        if given is not None and is_root(Path(given)):
            raise ParameterError(where, expected="a folder of its own", got=f"{given}, the root of the file system")
    if folder.suffix in (".csv", ".tsv", ".parquet", ".xlsx") and not folder.is_dir():
        raise ParameterError(
            names[0],
            expected="a folder for table, certificate and pages",
            got=f"the name of a table, {folder.name!r:.80}",
            hint=f"{folder.stem!r:.80}; release.to_csv({folder.name!r:.80}) in Python writes only the table",
        )
    private = Path(custodian) if custodian is not None else Custody.of_release(folder).folder
    for where, place in ((names[0], folder), (names[custodian is not None], private)):
        try:
            in_the_way = place.exists() and not place.is_dir()
        except OSError as error:  # a name that is too long
            raise ParameterError(
                where, expected="a folder that can be made", got=error.strerror or str(error), hint="another name"
            ) from error
        if in_the_way:
            raise ParameterError(where, expected="a folder", got=f"the file {place}")
    # Also below it, and through links: whatever lies in the folder is published with it.
    if resolved(folder) in (resolved(private), *resolved(private).parents):
        raise ParameterError(
            names[1],
            expected=f"a folder outside of {folder}, for it links published rows to people",
            got=str(private),
            hint="leave it out, or name a folder that is never published",
        )
    return private


def make_way(
    job: Job, folder: Path, private: Path, *, replaces: Sequence[str] = (), force: bool = False, wait: float = 0.0
) -> None:
    """Refuse places that a job's release cannot take, before any work is done: its source's, and another release's.

    What a run that died left there is finished or undone first. ``replaces`` are further names that will be taken.
    """
    for name in job.file_names:
        _spare_source(job, folder / name)
    with place_of(job.output, Dictionary()) as place:
        settle(*places(private), folder, wait=wait, remote=place.remote)
        spare_release(folder, private, [*job.file_names, *replaces], force=force)
        place.check(job.table_names)


def finish_earlier(job: Job, folder: Path, private: Path, *, wait: float = 0.0) -> bool:
    """Finish what a run that died after its commit in a database left; return whether there was such a run.

    Files that are published again replace themselves, and nobody needs to know.
    """
    with place_of(job.output, Dictionary()) as place:
        finished = settle(*places(private), folder, wait=wait, remote=place.remote)
    return finished and not job.output.in_files


def same_release(certificate: Certificate, folder: Path) -> Certificate | None:
    """Return the certificate in a folder if it is of the same job and the same cells as another one; else None."""
    there = certificate_in(folder)
    if there is None or there.get("job") != as_json(certificate["job"]):
        return None
    return there if certified_tables(folder) == released_tables(certificate) else None


def as_json(data: Any) -> Any:
    """Return plain data as it is read back from JSON, which has no tuples."""
    return json.loads(json.dumps(data))


def certificate_in(folder: Path) -> Certificate | None:
    """Return the certificate in a folder as plain data, None where there is none that can be read."""
    try:
        found: Certificate = read_json(folder / CERTIFICATE_NAME, expected="a certificate")
        return found
    except FileError:
        return None


def spare_release(folder: Path, private: Path, names: Iterable[str], *, force: bool) -> None:
    """Refuse folders that hold a release, a custodian's log or a file of these names, unless ``force`` says so."""
    if force:
        return
    places = [folder / name for name in (CERTIFICATE_NAME, *names, SIGNATURE_NAME)]
    # A dangling link counts too: writing would follow it to wherever it leads.
    there = [path for path in (*places, *(private / name for name in LOG_FILES)) if path.exists() or path.is_symlink()]
    if there:
        got = {CERTIFICATE_NAME: f"one{_made_on(there[0])}", LOG_NAME: "the custodian's log of one"}
        raise FileError(
            str(there[0]),
            expected="no release in this place yet",
            got=got.get(there[0].name, "a file of this name"),
            hint="another folder, or --force (force=True), which replaces it and keeps its custodian's log under "
            f"{private / EARLIER_NAME}",
        )


def keep_earlier(stage: Stage, folder: Path) -> None:
    """Let the log of the release that is replaced stay, numbered, with the certificate of that release."""
    private = stage.target
    files = [path for name in LOG_FILES if (path := private / name).is_file()]
    if not files:
        return
    # Of another release the certificate would tell a wrong recoding to whoever opens the kept log.
    if _belong_together(private, folder):
        files += [path for name in (CERTIFICATE_NAME, SIGNATURE_NAME) if (path := folder / name).is_file()]
    # One more than the largest, not the first that is free: numbers tell which came later.
    number = max((number for number, _ in numbered(private)), default=0) + 1
    stage.keep(files, f"{EARLIER_NAME}/{number:04d}")


def places(private: Path) -> list[Path]:
    """Return the folders of all logs of a custodian's folder, that itself first: each may have been left in between."""
    return [private, *(place for _, place in sorted(numbered(private)))]


def read_log(path: Path) -> dict[str, Any]:
    """Return what the file of a log says."""
    return read_json(path, expected="a custodian's log as nymity writes it")


def _kept(folder: Path, number: int | None) -> KeptLog:
    log = _told(folder)
    released = log.get(RELEASED) or certified_tables(folder)
    if released is None and number is None and folder.name.endswith(_SUFFIX):  # a log of 0.1.0
        released = certified_tables(folder.with_name(folder.name.removesuffix(_SUFFIX)))
    # A log may have been damaged or written by hand. It then belongs to no table, and is listed all the same.
    if not isinstance(released, list) or not all(isinstance(one, dict) and "content_sha256" in one for one in released):
        released = []
    ended = log.get(ENDED)
    return KeptLog(
        folder=folder,
        number=number,
        released=tuple({str(k): str(v) for k, v in one.items()} for one in released),
        ended=str(ended) if ended else None,
    )


def _told(folder: Path) -> dict[str, Any]:
    """Return what the log in a folder says; nothing where it is damaged, which whoever uses it finds out."""
    try:
        return read_log(folder / LOG_NAME)
    except FileError:
        return {}


def logged_tables(folder: Path) -> list[dict[str, str]]:
    """Return what the log of now says of the tables it belongs to; nothing where it does not tell."""
    return list(_kept(folder, None).released)


def _in_custody(log: KeptLog) -> KeptLog:
    if log.ended is not None:
        raise custody_has_ended(str(log.folder), log.ended)
    return log


def numbered(private: Path) -> list[tuple[int, Path]]:
    """Return the numbered logs of a custodian's folder."""
    return [
        (int(path.name), path)
        for path in (private / EARLIER_NAME).glob("*")
        # isdigit alone takes ², of which int makes no number
        if path.name.isascii() and path.name.isdigit() and path.is_dir()
    ]


def content_hashes(release: Any) -> list[str]:
    """Return the hashes by which a table is known: of the file's bytes, and of its cells in any format."""
    if not isinstance(release, str | Path):
        return [fingerprint(to_polars(release))]
    path = Path(release)
    if not path.is_file():
        raise FileError(str(path), expected="a delivered file of a release", got="no such file")
    hashes = [file_fingerprint(path)]
    try:
        table = read_table(path, ReadOptions(header=True))
        hashes.append(fingerprint(table))
        # As it was before cells that look like formulas were neutralized, which another format need not do.
        hashes.append(fingerprint(strip_neutralization(table)))
    except (InputError, pl.exceptions.DuplicateError):  # no table that can be read without its job: its bytes must do
        pass
    return hashes


def certified_tables(folder: Path) -> list[dict[str, str]] | None:
    """Return what the certificate in a folder says of its tables, None where there is none that can be read."""
    try:
        there = certificate_in(folder)
        return None if there is None else released_tables(there)
    except (KeyError, TypeError):
        return None


def _belong_together(private: Path, folder: Path) -> bool:
    """Return whether a log and a certificate are of one release, as far as they tell."""
    released, certified = _told(private).get(RELEASED), certified_tables(folder)
    return certified is not None and (released is None or released == certified)


def _made_on(certificate: Path) -> str:
    try:
        return f" of {read_json(certificate, expected='a certificate')['created']}"
    except (FileError, KeyError):
        return ""
