"""Whole publishes and the end of custody, to be tried under faults: what is there afterwards must belong together."""

from __future__ import annotations

import hashlib
import json
import pickle
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

import nymity as ny

#: What every child would otherwise import first.
import nymity.cli.main
import nymity.cli.publish
import nymity.publishing.comparing.compare
from hostile.faults import Scenario
from nymity.core.commit import settle
from nymity.core.custodian import IDENTIFIED_NAME
from nymity.core.errors import FileError
from nymity.publishing.checking.check import check
from nymity.publishing.custodian.custody import Custody, KeptLog, places
from nymity.publishing.running.run import Run
from nymity.publishing.sealing.fingerprint import fingerprint
from nymity.table.recoding import Recoding

#: Tells the old release from the new one.
K = {"old": 2, "new": 3}
RELEASE, LOG, LEDGER = "release", "custodian", "ledger.json"
_SNAPSHOT = "before.json"


def people(records: int = 24) -> pl.DataFrame:
    """Return a table that is published in milliseconds."""
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(records)],
            "age": [20 + i % 6 * 5 for i in range(records)],
            "sex": [("f", "m")[i % 2] for i in range(records)],
            "illness": [("flu", "cold", "gout")[i % 3] for i in range(records)],
        }
    )


def levels(word: str, _: Path) -> ny.Job:
    """Return a job that publishes one table."""
    schema = ny.Schema(
        {"name": ny.identifying(), "age": ny.quasi(), "sex": ny.quasi(), "illness": ny.sensitive()},
    )
    return ny.Job(schema=schema, privacy=(ny.KAnonymity(k=K[word]),), method=ny.SortedGroups())


def buckets(word: str, _: Path) -> ny.Job:
    """Return a job that publishes two tables."""
    schema = ny.Schema(
        {"name": ny.identifying(), "age": ny.quasi(), "sex": ny.quasi(), "illness": ny.sensitive()},
    )
    model = ny.FPrivacy(thresholds={"*": {"old": 0.5, "new": 0.7}[word]}, attribute="illness")
    return ny.Job(schema=schema, privacy=(model,), method=ny.Buckets())


def pseudonyms(word: str, _: Path) -> ny.Job:
    """Return a job whose custodian also keeps who is who, and a key."""
    schema = ny.Schema(
        {
            "name": ny.person(pseudonym="keyed"),
            "age": ny.quasi(),
            "sex": ny.quasi(),
            "illness": ny.insensitive(),
        }
    )
    promise = ny.LinkedKAnonymity(k=K[word], knows=1)
    return ny.Job(schema=schema, privacy=(promise,), method=ny.OptimalLattice())


_AGES = ny.Hierarchy.from_rows([[str(i), f"{i // 10 * 10}s", "*"] for i in range(20, 50)])


def private(word: str, folder: Path) -> ny.Job:
    """Return a job whose budget is entered in a ledger."""
    schema = ny.Schema(
        {
            "name": ny.identifying(),
            "age": ny.quasi(_AGES),
            "sex": ny.quasi(ny.Hierarchy.flat(["f", "m"])),
            "illness": ny.identifying(),
        }
    )
    promise = ny.DifferentialPrivacy(epsilon={"old": 1.0, "new": 1.5}[word], public_records=5000, delta=1e-4)
    ledger = ny.dp.Ledger(path=str(folder / LEDGER), source="people")
    return ny.Job(schema=schema, privacy=(promise,), method=ny.SafePub(), ledger=ledger)


Make = Callable[[str, Path], ny.Job]


def write(make: Make, word: str, folder: Path, *, far: bool = False, **options: Any) -> None:
    """Publish into the folders of a scenario."""
    job = make(word, folder)
    ready = folder / f"{word}.pickle"
    release = (
        pickle.loads(ready.read_bytes()) if ready.exists() else Run(job, people(400 if job.ledger else 24)).release()
    )
    release.save(folder / RELEASE, custodian=_log(folder, far=far), **options)


def _log(folder: Path, *, far: bool) -> Path:
    return folder / "far" / LOG if far else folder / LOG


def _prepare(make: Make, folder: Path, *, far: bool, releases: int) -> None:
    if make is private:
        ny.dp.Ledger(path=str(folder / LEDGER), source="people").open(epsilon=10, delta=1e-2)
    for number in range(releases):
        write(make, "old", folder, far=far, force=number > 0)
    if make is not private:  # searching changes no file but the ledger: what was found is written again and again
        (folder / "new.pickle").write_bytes(pickle.dumps(Run(make("new", folder), people()).release()))
    (folder / _SNAPSHOT).write_text(json.dumps(snapshot(folder)))


def snapshot(folder: Path) -> dict[str, str]:
    """Return the hash of every file of release and log, by its path; the ledger stands for itself."""
    found = {}
    for place in (folder / RELEASE, folder / LOG, folder / "far" / LOG):
        for path in place.rglob("*"):
            if path.is_file():
                found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _judge(make: Make, folder: Path, *, far: bool) -> str:
    """Run the next command, and say what is there: the old state to the last byte, a new one, or what is wrong."""
    release, log = folder / RELEASE, _log(folder, far=far)
    spent = _spent(folder)
    if make is private and (shown := _shown(folder)) > spent:
        return f"{shown} releases are there, and {spent} were entered"
    try:
        _opened(release)
    except FileError as error:
        if "ended before all of them were exchanged" not in str(error):
            return f"a reader fails: {error}"
    settle(*places(log), release)
    if make is private:
        ny.dp.Ledger(path=str(folder / LEDGER), source="people").spend(epsilon=1e-9, delta=1e-9, method="later")
    hidden = [path for path in folder.rglob(".*") if path.name.startswith(".")]
    if far:
        hidden += (folder / "far").resolve().rglob(".*")
    if hidden:
        return f"hidden files are left: {hidden}"
    before, now = json.loads((folder / _SNAPSHOT).read_text()), snapshot(folder)
    if now == before:
        return "old"
    return "new" if not (wrong := _wrong_with_new(make, folder, release, log, before)) else f"mixed: {wrong}"


def _wrong_with_new(make: Make, folder: Path, release: Path, log: Path, before: dict[str, str]) -> str:
    if not _opened(release):
        return "there is no release that can be opened"
    custody = Custody(log)
    now, *earlier = custody.logs
    if wrong := _apart(make, release / "certificate.json", now, release / "release.csv"):
        return wrong
    if now.folder != log:
        return "the log of now is missing"
    was = sum(name.endswith("certificate.json") and not name.startswith(RELEASE) for name in before)
    if len(earlier) != (was + 1 if before else 0):
        return f"{len(earlier)} earlier logs"
    kept = {hashlib.sha256(path.read_bytes()).hexdigest() for one in earlier for path in one.folder.iterdir()}
    lost = [name for name, digest in before.items() if LOG in name and digest not in kept]
    if lost:
        return f"lost of the replaced log: {lost}"
    for one in earlier:
        if wrong := _apart(make, one.folder / "certificate.json", one, None):
            return wrong
    return ""


def _opened(release: Path) -> bool:
    """Read a release as anybody would; False where there is none."""
    if not (release / "certificate.json").exists() and not (release / "release.csv").exists():
        return False
    found = check(release / "release.csv", certificate=release / "certificate.json")
    if found.problems:
        raise RuntimeError(f"the release is not what its certificate says: {found.problems}")
    return True


def _apart(make: Make, certificate: Path, log: KeptLog, table: Path | None) -> str:
    """Say what does not belong together of a certificate, a log and a table."""
    stated = json.loads(certificate.read_text())
    told = json.loads((log.folder / "log.json").read_text())
    if told["released"][0]["content_sha256"] != stated["output"]["content_sha256"]:
        return f"{log.folder} is the log of another release"
    salted = stated.get("input", {}).get("salted_sha256")  # of a private release there is none
    if salted is not None and fingerprint(people(), salt=told["salt"]) != salted:
        return f"the salt of {log.folder} is another one"
    if pl.read_parquet(log.mapping).height != stated["output"]["records"]:
        return f"the mapping of {log.folder} is of another table"
    recoding = Recoding.load(log.recoding)
    described = {one["name"]: one for one in stated["columns"] if one["role"] == "quasi"}
    if not all(recoding.published_as(name).items() <= described[name].items() for name in recoding.hierarchies):
        return f"the recoding of {log.folder} is another one"
    if table is not None and fingerprint(ny.read_table(table)) != stated["output"]["content_sha256"]:
        return "the table is not the certificate's"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in log.folder.iterdir() if path.is_file()}
    if modes != {0o600} or stat.S_IMODE(log.folder.stat().st_mode) != 0o700:
        return f"{log.folder} can be read by others"
    return ""


def _spent(folder: Path) -> int:
    if not (folder / LEDGER).exists():
        return 0
    return ny.dp.Ledger(path=str(folder / LEDGER), source="people").spending().releases


def _shown(folder: Path) -> int:
    """Return how many different releases were written anywhere, hidden places included."""
    tables = [path for path in folder.rglob("*") if path.name == "release.csv"]
    return len({path.read_bytes() for path in tables if path.is_file() and path.stat().st_size})


def _forget_judge(folder: Path) -> str:
    settle(*places(folder / LOG), folder / RELEASE)
    hidden = list(folder.rglob(".*"))
    if hidden:
        return f"hidden files are left: {hidden}"
    if not _opened(folder / RELEASE):
        return "the release is gone"
    if snapshot(folder) == json.loads((folder / _SNAPSHOT).read_text()):
        return "old"
    left = sorted(str(path.relative_to(folder / LOG)) for path in (folder / LOG).rglob("*") if path.is_file())
    ended = [log.ended for log in Custody(folder / LOG).logs]
    if left == ["earlier/0001/certificate.json", "earlier/0001/log.json", "log.json"] and all(ended):
        secret = [path for path in (folder / LOG).rglob("log.json") if "salt" in path.read_text()]
        return "new" if not secret else f"keys are left: {secret}"
    return f"mixed: {left}, {ended}"


def _identify(folder: Path) -> None:
    shown = pl.read_csv(folder / RELEASE / "release.csv")["name"][0]
    found = ny.identify(folder / RELEASE, shown, reason="a test", custodian=folder / LOG)
    assert found.person.startswith("person ")


def _identify_judge(folder: Path) -> str:
    """Say whether nobody asked, or somebody did and it was noted whole, with nothing else changed."""
    settle(*places(folder / LOG), folder / RELEASE)
    if hidden := list(folder.rglob(".*")):
        return f"hidden files are left: {hidden}"
    before, now = json.loads((folder / _SNAPSHOT).read_text()), snapshot(folder)
    if now == before:
        return "old"
    if {name: digest for name, digest in now.items() if not name.endswith(IDENTIFIED_NAME)} != before:
        return "mixed: more than the note has changed"
    lines = (folder / LOG / IDENTIFIED_NAME).read_text(encoding="utf-8").splitlines()
    return "new" if [json.loads(line)["reason"] for line in lines] == ["a test"] else f"mixed: {lines}"


def _scenario(make: Make, *, far: bool = False, releases: int = 1) -> Scenario:
    return Scenario(
        prepare=partial(_prepare, make, far=far, releases=releases),
        act=partial(write, make, "new", far=far, force=releases > 0),
        judge=partial(_judge, make, far=far),
        expected=(FileError,),
        far=far,
    )


PUBLISHING = {
    "publish": _scenario(levels, releases=0),
    "publish again": _scenario(levels),
    "publish a third time": _scenario(levels, releases=2),
    "publish far": _scenario(levels, far=True),
    "publish buckets": _scenario(buckets),
    "publish privately": _scenario(private),
    "publish pseudonyms": _scenario(pseudonyms),
    "identify": Scenario(
        prepare=partial(_prepare, pseudonyms, far=False, releases=1),
        act=_identify,
        judge=_identify_judge,
        expected=(FileError,),
    ),
    "forget": Scenario(
        prepare=partial(_prepare, levels, far=False, releases=2),
        act=lambda folder: ny.forget(folder / RELEASE, custodian=folder / LOG) and None,
        judge=_forget_judge,
        expected=(FileError,),
    ),
}
