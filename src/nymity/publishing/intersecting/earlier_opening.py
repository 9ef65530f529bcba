"""Opening an earlier release: its rows with the records they are of, from its folder and the custodian's log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nymity.core.commit import refuse_between
from nymity.core.custodian import ENDED, LOG_NAME, MAPPING_NAME, RECODING_NAME, custody_has_ended
from nymity.core.errors import FileError, InputError, JobError
from nymity.core.files import read_file
from nymity.core.permissions import warn_if_exposed
from nymity.core.plain_data import read_json
from nymity.core.quoting import as_given
from nymity.io import read_table, to_polars
from nymity.publishing.certificates.certificate import CHILD_TABLE, SENSITIVE_TABLE, Certificate
from nymity.publishing.custodian.custody import Custody
from nymity.publishing.custodian.reading_back import read_release
from nymity.publishing.intersecting.earlier_rows import Ints, LinkedRows
from nymity.publishing.jobs.earlier_release import EarlierRelease
from nymity.publishing.jobs.job import Output, parse_method
from nymity.publishing.jobs.registry import MODELS
from nymity.publishing.jobs.withheld import divides_equals
from nymity.publishing.sealing.fingerprint import content_hash, fingerprint
from nymity.publishing.sealing.signing import CERTIFICATE_NAME
from nymity.table.attribute import Role
from nymity.table.encoding import distinct_values
from nymity.table.recoding import Recoding
from nymity.table.text import all_as_known, as_text


@dataclass(frozen=True, eq=False, kw_only=True)
class Opened:
    """An earlier release: what the certificate says of it, and its rows unless it is a mere name or private.

    ``secret``: who is in its classes was drawn, or who is in it is what it protects.
    """

    entry: dict[str, Any]
    rows: LinkedRows | None = None
    private: bool = False
    secret: bool = False


def open_earlier(number: int, one: str | EarlierRelease, source: pl.DataFrame, person: str | None) -> Opened:
    """Open what a job names as its ``number``-th earlier release; ``source`` is the job's own table."""
    if isinstance(one, str):
        return Opened(entry={"name": one, "smallest_group": None})
    where = f"earlier_releases[{number}]"
    certificate, frame, counts, link, salt, recoding = _in_memory(one) if one.in_memory else _in_folder(one, where)
    content = certificate["output"]["content_sha256"]
    name = one.name or f"release of {certificate['created']}"
    entry = {"name": name, "content_sha256": content, "smallest_group": None}
    if "differential_privacy" in certificate:
        return Opened(entry=entry, private=True)
    roles = {role: tuple(c["name"] for c in certificate["columns"] if c["role"] == role.value) for role in Role}
    stated = certificate["job"].get("schema", {})
    sensitive = tuple(name for name, attribute in stated.items() if attribute.get("role") == Role.SENSITIVE.value)
    made_from = _source(one, where, source, certificate, salt, person)
    names = [name for name in (*roles[Role.QUASI], *sensitive) if name in made_from.columns]
    # Texts are read as the source has its values: a file of text may show a number in another way.
    known = {name: set(as_text(distinct_values(made_from[name]))) for name in names}
    rows = LinkedRows(
        frame=all_as_known(frame, known),
        quasi=roles[Role.QUASI],
        sensitive=sensitive,
        source=made_from,
        source_rows=link,
        recoding=recoding,
        counts=None if counts is None else all_as_known(counts, known),
    )
    return Opened(entry=entry, rows=rows, secret=_keeps_secrets(certificate, where))


def _keeps_secrets(certificate: Certificate, where: str) -> bool:
    """Return whether its own certificate withholds what is counted by who is in which class, or in it at all."""
    try:
        presence = any(MODELS[promise["model"]].hides_presence for promise in certificate["promised"])
        return presence or divides_equals(parse_method(certificate["job"]["method"]))
    except (KeyError, TypeError) as error:
        raise FileError(
            where, expected="a certificate that names its promises and its method", got=f"no field {error}"
        ) from error


_Parts = tuple[Certificate, pl.DataFrame, pl.DataFrame | None, Ints, str, Recoding]


def _in_memory(one: EarlierRelease) -> _Parts:
    release = one.release
    log = release.log
    return release.certificate, release.frame, release.counts, log.source_rows, log.salt, release.recoding


def _in_folder(one: EarlierRelease, where: str) -> _Parts:
    """Read a release folder and the custodian's folder, and refuse them where they do not belong together."""
    folder = Path(one.release)
    custody = Custody.of_release(folder) if one.custodian is None else Custody(Path(one.custodian))
    for place in (folder, custody.folder):
        refuse_between(place)
    warn_if_exposed(custody.folder)
    certificate = _json(folder / CERTIFICATE_NAME, where)
    kept = _kept(custody, certificate)
    log = _json(kept / LOG_NAME, where)
    if ENDED in log:
        raise custody_has_ended(where, str(log[ENDED]))
    try:
        output, stated = certificate["output"], certificate["job"].get("output", {})
        if CHILD_TABLE in output:
            raise FileError(
                where, expected="a release of one table", got="one with children, which is not intersected with others"
            )
        if "database" in output:
            raise FileError(
                where,
                expected="a release in files",
                got="one in a database, which is not intersected with others",
                hint="only its name, which is repeated with a warning; or the release in Python",
            )
        settings = Output(**{**stated, "name": "release"})
        frame = read_release(folder / Path(output["file"]).name, settings)
        apart = output.get(SENSITIVE_TABLE)
        counts = None if apart is None else read_release(folder / Path(apart["file"]).name, settings)
        link = pl.read_parquet(read_file(kept / MAPPING_NAME))["source_row"].to_numpy().astype(np.int64)
        salt, content = str(log["salt"]), output["content_sha256"]
    except InputError:
        raise
    except (KeyError, TypeError, AttributeError, OSError, pl.exceptions.PolarsError) as error:
        raise FileError(
            where,
            expected=f"a release and its custodian's log as nymity writes them ({folder}, {kept})",
            got=f"no field {error}" if isinstance(error, KeyError) else str(error).partition("\n")[0],
        ) from error
    # A mapping of another run would say of each row that it is of somebody else, and all groups would be wrong.
    if content_hash(frame, output.get("content_format")) != content or len(link) != frame.height:
        raise FileError(
            where,
            expected=f"the table of {folder} as it was certified, and the log of the same run",
            got="other cells than the certificate's hash is of"
            if len(link) == frame.height
            else "another number of rows",
            hint='name the custodian\'s folder of this release: custodian = "..."',
        )
    return certificate, frame, counts, link, salt, Recoding.load(kept / RECODING_NAME).with_values(str(kept))


def _kept(custody: Custody, certificate: Certificate) -> Path:
    """Return the folder of a release's log, also if it was replaced; where none is known to fit, the last one's."""
    try:
        output = certificate["output"]
        fitting = custody.with_content(*(str(output[name]) for name in ("file_sha256", "content_sha256")))
    except (FileError, KeyError, TypeError):  # said by whoever reads them
        fitting = None
    return custody.folder if fitting is None else fitting.folder


def _json(path: Path, where: str) -> dict[str, Any]:
    try:
        return read_json(path, expected=f"the file {path}, as nymity writes it")
    except FileError as error:
        hint = 'a plain name in place of a folder is only repeated; custodian = "..." says where the log lies'
        raise FileError(where, expected=error.expected, got=error.got, hint=hint) from error


def _source(
    one: EarlierRelease, where: str, source: pl.DataFrame, certificate: Certificate, salt: str, person: str | None
) -> pl.DataFrame:
    """Return the table that an earlier release was made from; its salted hash proves that it is the one."""
    given = source
    if one.source is not None:
        given = read_table(one.source) if isinstance(one.source, str) else to_polars(one.source)
    stated = certificate.get("input", {})
    # Number first, which is cheap; the salted hash then proves cell by cell that it is this table.
    if given.height != stated.get("records") or fingerprint(given, salt=salt) != stated.get("salted_sha256"):
        raise JobError(
            where,
            expected="the table that the earlier release was made from",
            got="another one" if one.source is not None else "the job's own table, which is another one",
            hint='source = "table.csv" names it, and [earlier] person the column that tells people in both',
        )
    if person is not None and person not in given.columns:
        raise JobError("earlier.person", expected=f"a column of the table of {where} too", got=as_given(person))
    if person is None and one.source is not None and not _same_table(given, source):
        raise JobError(
            "earlier.person",
            expected="the column that tells people in both tables",
            got="none",
            hint='[earlier] person = "patient"',
        )
    return given


def _same_table(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    return one.height == other.height and fingerprint(one) == fingerprint(other)
