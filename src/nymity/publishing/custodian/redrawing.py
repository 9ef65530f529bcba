"""Redrawing: which key a release draws from, and when two releases of the same records are drawn apart.

A release that draws at random is one of many that the same job could have made of the same table. Whoever gets several
of them can compare: what differs was drawn, what stays is the records. So the key of the draws lies in the custodian's
log, and a publish that is given this log draws the same again. The key in use is derived from that of the log together
with job and table, the latter without the order of its rows: another job or table under the same log has draws of its
own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core.commit import recover, refuse_between
from nymity.core.custodian import ENDED, LOG_NAME, custody_has_ended
from nymity.core.draws import DerivedDraws, Draws, KeyedDraws
from nymity.core.errors import FileError, ParameterError
from nymity.core.paths import path_text
from nymity.core.permissions import warn_if_exposed
from nymity.publishing.caveats import Caveat
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.custodian.custody import read_log
from nymity.publishing.jobs.codec import dump_piece
from nymity.publishing.jobs.job import Job, dump_attribute
from nymity.publishing.jobs.job_tables import public_model
from nymity.publishing.sealing.fingerprint import fingerprint
from nymity.publishing.sealing.signing import CERTIFICATE_NAME
from nymity.table.content_order import content_order
from nymity.table.encoding import EncodedTable
from nymity.table.recoding import Recoding

#: Fields of a column that are described otherwise, or say where something lies.
_PATHS = ("hierarchy", "pseudonym_key")
#: A custodian's log, or the folder it was written to.
Log = CustodianLog | str | Path


def root_of(job: Job, log: Log | None) -> KeyedDraws:
    """Return draws under the key of the log, under that of the job's seed, or under a new one."""
    check_log(log)
    if job.is_private:
        if log is not None:
            raise ParameterError(
                "log",
                expected="none for a differentially private method, which never draws the same twice",
                got="a log",
                hint="leave it out: the promise of each release is its own, and a ledger adds them up",
            )
        return KeyedDraws.fresh()
    if job.seed is not None:
        if log is not None:
            raise ParameterError("log", expected="a log or a seed", got="both", hint="take the seed out of the job")
        return KeyedDraws.seeded(job.seed)
    return KeyedDraws.fresh() if log is None else key_of(log)


def check_log(log: object) -> None:
    """Refuse what is neither a log nor the place of one."""
    if log is not None and not isinstance(log, CustodianLog):
        path_text("log", log, expected="a custodian's log, or its folder")


def key_of(log: Log) -> KeyedDraws:
    """Return draws under the key that a custodian's log keeps."""
    if isinstance(log, CustodianLog):
        found, where = log.draw_key, "log"
    else:
        path = Path(log) / LOG_NAME if Path(log).is_dir() else Path(log)
        found, where = _read(path).get("draw_key"), str(path)
    try:
        return KeyedDraws(key=bytes.fromhex(found or ""))
    except (ValueError, TypeError):
        raise FileError(
            where,
            expected="the log of a release that drew from a key",
            got="no key" if not found else "a key that is none",
            hint="logs of version 0.1.0 and of seeded releases have none: publish without a log, which draws a new key",
        ) from None


def mark_of(log: Log) -> str | None:
    """Return what tells the job and table of a log's release apart from others, under the same key."""
    if isinstance(log, CustodianLog):
        return log.draw_mark
    found = _read(Path(log) / LOG_NAME if Path(log).is_dir() else Path(log)).get("draw_mark")
    return str(found) if found else None


def release_draws(
    root: KeyedDraws, job: Job, table: pl.DataFrame, encoded: EncodedTable, columns: Sequence[str]
) -> DerivedDraws:
    """Return the draws of a job on a table, of which ``columns`` are published.

    What the release looks like on disk is no part of it: the same rows in another format show nothing new.
    """
    if job.is_private:
        return DerivedDraws(root, str)
    return DerivedDraws(root, partial(_context, job, table, encoded, columns))


def further_draws(recoding: Recoding, log: Log | None, table: pl.DataFrame) -> Draws:
    """Return the draws that a recoding publishes further rows with: the same for the same rows under the same log.

    Lasting ones depend on the recoding alone: whoever gets several tables with the same values has nothing to compare.
    Without a log they have no key but the recoding. They choose by quasi-identifiers, which the attacker knows, so that
    there is nothing to learn from them; a new key for each table would be something to compare.
    """

    def context() -> str:
        return json.dumps([recoding.to_dict(), fingerprint(table[content_order(table)])], ensure_ascii=False)

    def lasting() -> Draws:
        of_recoding = "further values " + json.dumps(recoding.as_function().to_dict(), ensure_ascii=False)
        return KeyedDraws.public(of_recoding) if log is None else key_of(log).derived(of_recoding)

    return DerivedDraws(KeyedDraws.fresh() if log is None else key_of(log), context, lasting=lasting)


def log_beside(recoding: str | Path) -> Path | None:
    """Return the log that lies beside a recoding's file, if it has a key."""
    path = Path(recoding).parent / LOG_NAME
    return path if path.exists() and _read(path).get("draw_key") else None


def drawn_anew(
    job: Job, drawn: Sequence[str], log: Log | None, folder: str | Path | None, *, redrawn: bool
) -> list[Caveat]:
    """Warn of a release that is drawn apart from earlier ones of the same people."""
    in_place = folder is not None and (Path(folder) / CERTIFICATE_NAME).exists()
    known = log is not None or bool(job.earlier_releases) or in_place
    if not known or not drawn or redrawn or job.seed is not None or job.is_private:
        return []
    says = DRAWN_APART[2] if log is not None else DRAWN_APART[1] if in_place else DRAWN_APART[0]
    return [Caveat(key="drawn-anew", says=says)]


_NEW_KEY = (
    ", and this one was drawn from a new key: whoever has several releases of the same records can tell what was drawn "
    "from what stays. Publish the same job with the log of the earlier one (log=..., --log), and it is drawn as before."
)
#: What is said of a release that is drawn apart from earlier ones: the job names some, one is in its place, or its log
#: was given.
DRAWN_APART = (
    f"Earlier releases are named{_NEW_KEY}",
    f"An earlier release lies in the folder{_NEW_KEY}",
    "The log is that of another job or table, so that this release was drawn apart from it: schema, privacy, method or "
    "a published cell is another.",
)


def counted_draws(root: KeyedDraws, job: Job, encoded: EncodedTable, content: Callable[[], str]) -> DerivedDraws:
    """Return the draws of a job on a table that an engine counted; ``content`` returns the hash of what it counted."""
    return DerivedDraws(root, lambda: _described(job, encoded, content()))


def _context(job: Job, table: pl.DataFrame, encoded: EncodedTable, columns: Sequence[str]) -> str:
    published = pl.DataFrame({name: table[name] for name in columns})
    return _described(job, encoded, fingerprint(published[content_order(published)]))


def _described(job: Job, encoded: EncodedTable, content: str) -> str:
    """Describe everything that a release depends on but the order of rows, paths and the form of files."""
    hierarchies = {
        **dict(zip(encoded.names, encoded.hierarchies, strict=True)),
        **{name: column.hierarchy for name, column in encoded.sensitive.items() if column.hierarchy is not None},
    }
    described = {
        "schema": {
            name: {key: value for key, value in dump_attribute(attribute).items() if key not in _PATHS}
            for name, attribute in job.schema.items()
        },
        "hierarchies": {name: hierarchy.fingerprint() for name, hierarchy in hierarchies.items()},
        "privacy": [dump_piece(public_model(model), tag="model") for model in job.privacy],
        "method": dump_piece(job.method, tag="name"),
        "table": content,
        # One draw under two strengths of noise would be two equations for each true value.
        **({"transforms": [dump_piece(one, tag="transform") for one in job.transforms]} if job.transforms else {}),
    }
    return json.dumps(described, sort_keys=True, ensure_ascii=False, default=str)


def _read(path: Path) -> dict[str, Any]:
    """Return what a log says; custodian's commands finish or undo what a run that died left there."""
    recover(path.parent)
    refuse_between(path.parent)
    data = read_log(path)  # first: the folder of a path that leads nowhere is somebody else's
    warn_if_exposed(path.parent, path)
    if ENDED in data:
        raise custody_has_ended(str(path), str(data[ENDED]))
    return data
