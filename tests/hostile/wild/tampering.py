"""Tampering: a good release, something in it changed, and the commands that read it."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import random
import shutil
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from . import judge, stock, texts
from .case import Case
from .command import Ended, run
from .outcome import Outcome, Verdict, worst
from .publishing import broken, forced, found, judged


def tampering(case: Case) -> Verdict:
    """Change a file of a release or of its custodian, and read it again."""
    draw = case.draw
    name = draw.choice(stock.NAMES)
    place = case.folder / "place"
    shutil.copytree(case.stock / name, place, symlinks=True)
    os.chdir(place)
    table = next(path for path in (place / "release").iterdir() if path.name.startswith("release."))
    before = judge.read(table)
    for _ in range(draw.choice([1, 1, 1, 2])):
        _tamper(draw, place, table, case)
    if draw.random() < 0.25 and table.is_file():
        _forge_hashes(place, table)
    asked = draw.choice(
        ["check"] * 6 + ["compare", "query", "apply", "risk", "attack", "log", "again", "measure", "key"]
    )
    if asked == "attack" and name in ("freeform", "sets"):  # every draw of these is tried, which takes minutes
        asked = "risk"
    return _ASKED[asked](draw, place, table, before, case)


# -- what is changed -------------------------------------------------------------------------------------------------


def _tamper(draw: random.Random, place: Path, table: Path, case: Case) -> None:
    files = [
        path
        for folder in ("release", "release-custodian")
        for path in sorted((place / folder).iterdir())
        if path.is_file()
    ]
    files += (
        [table] * 4
        + [place / "release/certificate.json"] * 3
        + [path for name in ("ledger.json", "hospital.pub", "hospital") if (path := place / name).exists()]
    )
    path = draw.choice([path for path in files if path.is_file()])  # one may be a folder or a device by now
    how = draw.choice(["bytes", "bytes", "inside", "inside", "inside", "inside", "inside", "gone", "other", "kind"])
    if how == "bytes":
        path.write_bytes(
            draw.choice(
                [
                    texts.spoiled(draw, path.read_bytes()),
                    texts.spoiled(draw, path.read_bytes()),
                    b"",
                    b"{}",
                    b"[]",
                    b"null",
                    path.read_bytes() * 2,
                ]
            )
        )
    elif how == "gone":
        path.unlink()
    elif how == "other":
        others = [
            other / path.relative_to(place)
            for other in case.stock.iterdir()
            if (other / path.relative_to(place)).is_file()
        ]
        shutil.copy(draw.choice(others), path)
    elif how == "kind":
        path.unlink()
        draw.choice(
            [
                path.mkdir,
                lambda: os.mkfifo(path),
                lambda: path.symlink_to("/dev/zero"),
                lambda: path.symlink_to("nowhere"),
                lambda: path.symlink_to(path.name),
            ]
        )()
    elif path.suffix in (".json", ".sig"):
        try:
            data = json.loads(path.read_text(encoding="utf-8", errors="replace"))
        except ValueError:  # it was broken before
            return
        path.write_text(json.dumps(texts.changed(draw, data)), encoding="utf-8", errors="replace")
    elif path.suffix == ".parquet":
        _other_column(draw, path)
    elif path.name.endswith((".csv", ".tsv", ".csv.gz")):
        _other_cells(draw, path)
    else:
        path.write_bytes(texts.spoiled(draw, path.read_bytes()))


def _other_cells(draw: random.Random, path: Path) -> None:
    packed = path.name.endswith(".gz")
    delimiter = "\t" if ".tsv" in path.name else ","
    try:
        raw = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
        header, *rows = csv.reader(io.StringIO(raw.decode(errors="replace"), newline=""), delimiter=delimiter)
    except (ValueError, OSError, EOFError, zlib.error, csv.Error):  # it was broken before
        return
    if rows and header:
        at, column = draw.randrange(len(rows)), draw.randrange(len(header))
        how = draw.choice(["cell", "cell", "swap", "drop", "again", "order", "rename", "less", "more", "same"])
        if how == "cell":
            rows[at][column : column + 1] = [draw.choice([*texts.VALUES, "*", "", rows[0][0]])]
        elif how == "swap":
            other = draw.choice(rows)
            if len(other) > column < len(rows[at]):
                rows[at][column], other[column] = other[column], rows[at][column]
        elif how == "drop":
            del rows[at]
        elif how == "again":
            rows.insert(at, rows[at])
        elif how == "order":
            draw.shuffle(rows)
        elif how == "rename":
            header[column] = draw.choice([*texts.NAMES, header[0]])
        elif how in ("less", "more"):
            for row in (header, *rows):
                row[column : column + 1] = [] if how == "less" else [*row[column : column + 1], "extra"]
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=draw.choice(["\n", "\n", "\r\n"])).writerows([header, *rows])
    data = out.getvalue().encode(errors="replace")
    path.write_bytes(gzip.compress(data) if packed else data)


def _other_column(draw: random.Random, path: Path) -> None:
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError):
        return
    if not table.num_rows or not table.num_columns:
        return
    at, row = draw.randrange(table.num_columns), draw.randrange(table.num_rows)
    values = table.column(at).to_pylist()
    name = table.schema.names[at]
    how = draw.choice(["cell", "cell", "text", "drop", "rename", "less", "null", "metadata", "category"])
    if how == "cell":
        values[row] = draw.choice([*values, None])
        table = table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))
    elif how == "text":
        table = table.set_column(at, name, pa.array([None if value is None else str(value) for value in values]))
    elif how == "drop":
        table = pa.concat_tables([table.slice(0, row), table.slice(row + 1)])
    elif how == "rename":
        table = table.rename_columns(
            [draw.choice(texts.NAMES) if n == at else other for n, other in enumerate(table.schema.names)]
        )
    elif how == "less":
        table = table.drop_columns([name])
    elif how == "null":
        table = table.set_column(at, name, pa.nulls(table.num_rows))
    elif how == "metadata":
        table = table.replace_schema_metadata({"hidden": "people"})
    elif pa.types.is_string(table.schema.field(at).type) or pa.types.is_large_string(table.schema.field(at).type):
        table = table.set_column(at, name, table.column(at).dictionary_encode())
    pq.write_table(table, path)


def _forge_hashes(place: Path, table: Path) -> None:
    """Do what somebody would who changes the table and knows that its hash is in the certificate."""
    path = place / "release/certificate.json"
    if not path.is_file():
        return
    try:
        told = json.loads(path.read_text())
        found = hashlib.sha256(table.read_bytes()).hexdigest()
        told["output"]["file_sha256"] = found
        for item in told["files"]:
            if item["file"] == table.name:
                item["sha256"] = found
        path.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except (ValueError, KeyError, TypeError, OSError):
        return


# -- what is asked ---------------------------------------------------------------------------------------------------


def _check(draw: random.Random, place: Path, table: Path, before: judge.Cells, case: Case) -> Verdict:
    with_job, with_key = draw.random() < 0.4, (place / "hospital.pub").exists() and draw.random() < 0.8
    stated = not with_job or with_key or draw.random() < 0.5
    given = ["check", f"release/{table.name}"]
    given += ["--job", "job.json"] if with_job else []
    given += (
        ["--certificate", "release/certificate.json"]
        if (stated and draw.random() < 0.5) or (with_job and stated and not with_key)
        else []
    )
    given += ["--key", "hospital.pub"] if with_key else []
    given += ["--recoding", "release-custodian/recoding.json"] if draw.random() < 0.2 else []
    given += ["--original", "people.csv"] if with_job and draw.random() < 0.2 else []
    ended = run([*given, *draw.choice([[], ["--json"]])])
    verdicts = [ended.verdict()]
    if ended.code in (0, 4, 5):
        verdicts += found(
            Outcome.WRONG, _wrongly_right(place, table, before, case, stated=stated, signed=with_key), ended
        )
    return worst(verdicts)


def _wrongly_right(
    place: Path, table: Path, before: judge.Cells, case: Case, *, stated: bool, signed: bool
) -> list[str]:
    """Say why a check should not have been content."""
    try:
        after = judge.read(table)
    except judge.Unreadable as error:
        return [f"the table cannot be read: {error}"]
    good = next(path for path in case.stock.rglob("certificate.json") if path.parents[1].name == _kind_of(place))
    certificate = place / "release/certificate.json"
    faults = []
    if stated and not certificate.is_file():
        return ["there is no certificate"]
    told = json.loads(certificate.read_text()) if stated else None
    if not stated:
        return [*broken({**json.loads((place / "job.json").read_text()), "output": _output(table)}, table.parent)]
    if certificate.read_bytes() == good.read_bytes() and after != before:
        faults.append("the table is not the certified one")
    if signed and certificate.read_bytes() != good.read_bytes():
        faults.append("the certificate is not the one that was signed")
    shown = told["output"]
    if shown["records"] != len(after[1]):
        faults.append(f"{shown['records']} records are certified, and there are {len(after[1])}")
    if shown.get("file_sha256") not in (None, hashlib.sha256(table.read_bytes()).hexdigest()):
        faults.append("the hash of the file is another one")
    promised = {**told["job"], "privacy": told["promised"]}
    kind = json.loads((place / "job.json").read_text())["method"]["name"]
    faults += broken({**promised, "method": {"name": kind}, "output": _output(table)}, table.parent)
    return faults


def _output(table: Path) -> dict[str, str]:
    name, _, form = table.name.partition(".")
    return {"name": name, "format": form}


def _kind_of(place: Path) -> str:
    return (place / "kind").read_text()


def _read(command: str, *further: str) -> Any:
    def ask(draw: random.Random, place: Path, table: Path, before: judge.Cells, case: Case) -> Verdict:
        given = [
            word.format(table=f"release/{table.name}", recoding="release-custodian/recoding.json") for word in further
        ]
        return run(
            [
                command,
                *given,
                *draw.choice(
                    [
                        [],
                        ["--json"],
                        ["--recoding", "release-custodian/recoding.json"] if command in ("compare", "query") else [],
                    ]
                ),
            ]
        ).verdict()

    return ask


def _apply(draw: random.Random, place: Path, table: Path, before: judge.Cells, case: Case) -> Verdict:
    given = [
        "apply",
        "release-custodian/recoding.json",
        "people.csv",
        "--out",
        "new.csv",
        *draw.choice([[], ["--unseen", "mask"], ["--outliers", "keep"], ["--export-mapping", "map.csv"]]),
    ]
    ledger = []
    if (place / "ledger.json").exists():
        given += ["--ledger", "ledger.json", "--source", "people", "--delimiter", ",", "--encoding", "utf-8"]
        ledger = _entries(place)
    ended = run(given)
    verdicts = [ended.verdict()]
    if ended.code == 0 and (place / "ledger.json").exists() and len(_entries(place)) <= len(ledger):
        verdicts += found(Outcome.WRONG, ["a private table was drawn, and the ledger has no further entry"], ended)
    return worst(verdicts)


def _entries(place: Path) -> list[Any]:
    if not (place / "ledger.json").is_file():
        return []
    try:
        told = json.loads((place / "ledger.json").read_text())
        return list(told["releases"])
    except (ValueError, KeyError, TypeError, OSError):
        return []


def _publish(further: list[str], out: str) -> Any:
    def ask(draw: random.Random, place: Path, table: Path, before: judge.Cells, case: Case) -> Verdict:
        again = out == "release"
        ended: Ended = run(
            ["publish", "job.json", "--out", out, "--no-report", "-q", *further, *(forced() if again else [])]
        )
        data = json.loads((place / "job.json").read_text())
        if again and ended.code != 0:  # what was there, and tampered with, stays
            return worst(
                [
                    ended.verdict(),
                    *found(Outcome.LEAK, judge.left_lying(place / out, place / f"{out}-custodian"), ended),
                ]
            )
        return worst(judged(ended, data, None, place / out))

    return ask


_ASKED = {
    "check": _check,
    "compare": _read("compare", "people.csv", "{table}", "--job", "job.json"),
    "query": _read("query", "people.csv", "{table}", "--job", "job.json", "--n", "20"),
    "risk": _read("risk", "{table}", "--job", "job.json"),
    "attack": _read("attack", "{table}", "--job", "job.json", "--original", "people.csv", "--targets", "10"),
    "measure": _read("measure", "{table}", "--job", "job.json"),
    "key": _read("key", "show", "hospital.pub"),
    "apply": _apply,
    "log": _publish(["--log", "release-custodian"], "new"),
    "again": _publish([], "release"),
}
