"""Good releases of every kind, made once for cases that tamper with them."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

from . import jobs, tables
from .command import run

_WAYS: dict[str, tuple[str, str]] = {
    "levels": ("optimal-lattice", "csv"),
    "levels-tsv": ("datafly", "tsv"),
    "levels-gz": ("optimal-lattice", "csv.gz"),
    "levels-parquet": ("optimal-lattice", "parquet"),
    "levels-xlsx": ("optimal-lattice", "xlsx"),
    "layers": ("iterative-recoding", "csv"),
    "mondrian": ("mondrian", "csv"),
    "sets": ("k-member", "csv"),
    "freeform": ("freeform-greedy", "csv"),
    "buckets": ("anatomy", "csv"),
    "private": ("safepub", "csv"),
    "signed": ("optimal-lattice", "csv"),
}
NAMES = tuple(_WAYS)


def make(folder: Path) -> None:
    """Publish one release of each kind into a folder of its own: people.csv, job.json, release, release-custodian."""
    from nymity.core import randomness

    for name, (method, form) in _WAYS.items():
        draw = random.Random(f"stock:{name}")
        randomness.secure_bytes = random.Random(f"draws:{name}").randbytes
        place = folder / name
        place.mkdir()
        os.chdir(place)
        table = tables.tame(draw, 150 if name == "private" else 30)
        table = tables.Table(
            names=["name", "age", "zip", "job", "day", "town", "illness", "note"],
            columns=table.columns,
            shapes=table.shapes,
        )
        tables.save(random.Random(1), table, place / "people.csv")
        data = _job(draw, table, method, form)
        if name == "signed":
            _make_key(place / "hospital")
            data["sign"] = {"key": "hospital"}
        if name == "private":
            from nymity.dp import Ledger

            Ledger(path=str(place / "ledger.json"), source="people").open(epsilon=50, delta=0.5)
            data["ledger"] = {"path": "ledger.json", "source": "people"}
        (place / "job.json").write_text(json.dumps(data), encoding="utf-8")
        _ran(["publish", "job.json", "--out", "release", "--no-report", "-q"])
        (place / "kind").write_text(name)
        if name == "levels":
            _make_second(draw, place, table, data)


def _make_key(path: Path) -> None:
    """Write a key pair, the same each time."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    key = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    pem, none = serialization.Encoding.PEM, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, none))
    path.chmod(0o600)
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    path.with_name(f"{path.name}.pub").write_bytes(public)


def warm(folder: Path) -> None:
    """Publish once by every method: kernels are compiled then, which no case should have to wait for."""
    for number, method in enumerate(dict.fromkeys(jobs.METHODS)):
        draw = random.Random(f"warm:{method}")
        place = folder / str(number)
        place.mkdir(parents=True)
        os.chdir(place)
        table = tables.tame(draw)
        tables.save(draw, table, place / "people.csv")
        run(
            [
                "publish",
                str(jobs.save(draw, jobs.valid(draw, table, "people.csv", method=method), place)),
                "--out",
                "x",
                "--no-report",
                "-q",
            ]
        )


def _make_second(draw: random.Random, place: Path, table: tables.Table, data: dict[str, Any]) -> None:
    """Write the table and the job that replace the release: six people more, and words that the first has not."""
    more = tables.tame(draw, 6)
    columns = [[*cells, *added] for cells, added in zip(table.columns, more.columns, strict=True)]
    columns[table.names.index("job")] = [
        "Zqnew" if cell == "cook" else cell for cell in columns[table.names.index("job")]
    ]
    tables.save(
        random.Random(1), tables.Table(names=table.names, columns=columns, shapes=table.shapes), place / "people2.csv"
    )
    (place / "job2.json").write_text(
        json.dumps(
            {
                **data,
                "source": {"path": "people2.csv"},
                "schema": {**data["schema"], "job": {"role": "quasi", "max_level": 0}},
            }
        )
    )


def _job(draw: random.Random, table: tables.Table, method: str, form: str) -> dict[str, Any]:
    data = jobs.valid(draw, table, "people.csv", method=method, form=form)
    private = method in jobs.PRIVATE
    for name, hierarchy in (
        ("age", {"type": "intervals", "width": 10, "levels": 3}),
        ("job", None),
        ("zip", {"type": "masking"}),
    ):
        attribute: dict[str, Any] = {"role": "quasi"} | ({} if hierarchy is None else {"hierarchy": hierarchy})
        if private:
            values = sorted({cell for cell in table.column(name) if cell is not None})
            attribute |= {"hierarchy": {"type": "rows", "rows": [[value, "*"] for value in values]}, "missing": "drop"}
        data["schema"][name] = attribute
    data["schema"] |= {"day": {"role": "identifying"}, "town": {"role": "quasi" if not private else "identifying"}}
    if not private:
        data["schema"]["illness"] = {"role": "sensitive"}
    if method in (*jobs.LEVELS, *jobs.PARTITIONS):
        data["privacy"] = [
            {"model": "k-anonymity", "k": 3},
            {"model": "distinct-l-diversity", "l": 2, "attribute": "illness"},
        ]
    if method in jobs.BUCKETS:
        data["privacy"] = [{"model": "frequency-l-diversity", "l": 1.5, "attribute": "illness"}]
    data["output"] = {"format": form}
    if method in jobs.LEVELS and method != "iterative-recoding":
        data["method"] = {"name": method, "suppression": 0.3}
    data.pop("seed", None)
    return data


def _ran(arguments: list[str]) -> None:
    ended = run(arguments)
    if ended.code != 0:
        raise RuntimeError(f"the stock cannot be made: {ended.told}")
