"""Releases in databases, to be tried under faults: table, certificate and log must belong together afterwards.

SQLite and DuckDB write files, whose calls fail like all others. A PostgreSQL server is another process: what dies is
the client, before and after its commit; ``NYMITY_TEST_POSTGRES`` is the server's URL, and without it that is not tried.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pickle
from functools import partial
from pathlib import Path

import nymity as ny
from hostile.faults import Scenario
from hostile.publishing import K, people
from nymity.core.commit import settle
from nymity.core.errors import DatabaseError, FileError
from nymity.database import DatabaseOutput, TableWriter
from nymity.publishing.custodian.custody import Custody, places
from nymity.publishing.releases.release import Release
from nymity.publishing.running.run import Run
from nymity.publishing.sealing.fingerprint import fingerprint
from nymity.table.content_order import content_order

RELEASE, LOG = "release", "release-custodian"
SERVER = "NYMITY_TEST_POSTGRES"
_FILES = {"sqlite": "people.db", "duckdb": "people.duckdb"}


def output_in(kind: str, folder: Path) -> DatabaseOutput:
    """Return the table of a scenario in a folder."""
    url = os.environ[SERVER] if kind == "postgresql" else f"{kind}:///{folder / _FILES[kind]}"
    return DatabaseOutput(url=url, table="people", mode="replace")


def made(word: str, output: DatabaseOutput) -> Release:
    """Publish a small table, in memory."""
    schema = ny.Schema({"name": ny.identifying(), "age": ny.quasi(), "sex": ny.quasi(), "illness": ny.sensitive()})
    job = ny.Job(schema=schema, privacy=(ny.KAnonymity(k=K[word]),), method=ny.SortedGroups(), output=output)
    return Run(job, people()).release()


def _prepare(kind: str, folder: Path) -> None:
    output = output_in(kind, folder)
    made("old", output).save(folder / RELEASE)
    (folder / "new.pickle").write_bytes(pickle.dumps(made("new", output)))
    (folder / "old.pickle").write_bytes(pickle.dumps(made("old", output)))
    (folder / "old.json").write_bytes((folder / RELEASE / "certificate.json").read_bytes())


def _act(kind: str, folder: Path) -> None:
    output = output_in(kind, folder)
    if kind == "postgresql":  # a folder is copied for each trial, and the database is not: it is put back
        put_back(folder, output)
    release: Release = pickle.loads((folder / "new.pickle").read_bytes())
    release = dataclasses.replace(release, job=dataclasses.replace(release.job, output=output))
    release.save(folder / RELEASE, force=True)


def put_back(folder: Path, output: DatabaseOutput) -> None:
    """Put the old table into the database."""
    release: Release = pickle.loads((folder / "old.pickle").read_bytes())
    with TableWriter(output) as writer:
        writer.put(output.table, release.frame, "", {})
        writer.record((folder / "old.json").read_bytes(), fingerprint(release.frame))
        writer.commit()


def judge(kind: str, folder: Path) -> str:
    """Let the next run recover, and say what is there."""
    output, release, log = output_in(kind, folder), folder / RELEASE, folder / LOG
    with TableWriter(output) as remote:
        settle(*places(log), release, remote=remote)
    hidden = [path for path in folder.rglob(".*") if path.name.startswith(".")]
    if hidden:
        return f"hidden files are left: {hidden}"
    certificate = (release / "certificate.json").read_bytes()
    with TableWriter(output) as remote:
        if not remote.has(hashlib.sha256(certificate).hexdigest()):
            return "the database does not know the certificate of the folder"
    stated = json.loads(certificate)
    table = output.read([output.table])[0]
    if fingerprint(table[content_order(table)]) != stated["output"]["content_sha256"]:
        return "the table is not that of the certificate"
    now = Custody(log).logs[0]
    if now.released[0]["content_sha256"] != stated["output"]["content_sha256"]:
        return "the log is of another release"
    promised = stated["promised"][0]["k"]
    earlier = len(Custody(log).logs) - 1
    word = {number: word for word, number in K.items()}[promised]
    if word == "old" and certificate != (folder / "old.json").read_bytes():
        return "another certificate"
    return word if earlier == (word == "new") else f"{earlier} earlier logs beside the {word} release"


def _scenario(kind: str) -> Scenario:
    return Scenario(
        prepare=partial(_prepare, kind),
        act=partial(_act, kind),
        judge=partial(judge, kind),
        expected=(FileError, DatabaseError),
        forwards=True,
    )


DATABASES = {
    f"publish to {kind}": _scenario(kind) for kind in (*_FILES, *(["postgresql"] if SERVER in os.environ else []))
}
