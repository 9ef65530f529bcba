"""Releases of the epsilon-safe lattice: generalized samples, and certificates without private figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import JobError, SchemaError
from nymity.publishing.running import run

AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
SEX = ny.Hierarchy.flat(["m", "f"])
SCHEMA = ny.Schema({"name": ny.identifying(), "age": ny.quasi(AGE), "sex": ny.quasi(SEX)})
PROMISE = ny.DifferentialPrivacy(epsilon=1.0, public_records=5000)


def people(n: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    sexes = [("m", "f")[i] for i in rng.integers(0, 2, n)]
    return pl.DataFrame({"name": [f"n{i}" for i in range(n)], "age": rng.integers(0, 20, n), "sex": sexes})


@pytest.mark.parametrize("way", [None, "level", "dictionary"])
def test_a_release_is_a_generalized_sample(way: str | None, tmp_path: Path) -> None:
    method = ny.EpsilonSafeLattice(interpolation=way)
    found, source = ny.publish(people(), SCHEMA, privacy=PROMISE, method=method, out=tmp_path / "out"), people()
    assert all(size >= PROMISE.k for size in found.frame.group_by("age", "sex").len()["len"])
    for row, came_from in zip(found.frame.iter_rows(), found.log.source_rows.tolist(), strict=True):
        raw = source.row(came_from)
        assert row == (AGE.generalize(str(raw[1]), found.levels["age"]), SEX.generalize(raw[2], found.levels["sex"]))
    assert ny.check(tmp_path / "out" / "release.csv", certificate=tmp_path / "out" / "certificate.json").problems == ()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["certificate.json", "release.csv"]
    log = json.loads((tmp_path / "out-custodian" / "log.json").read_text())
    assert log["records"] == 600
    assert pl.read_parquet(tmp_path / "out-custodian" / "nodes.parquet").height == 6


def test_neighbours_differ_in_nothing_but_what_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "salt", lambda: "00" * 32)
    certificates = []
    for records in (600, 601):
        found = ny.publish(people(records), SCHEMA, privacy=PROMISE, method=ny.EpsilonSafeLattice())
        certificate = dict(found.certificate)
        assert {"input", "suppressed", "loss"}.isdisjoint(certificate)
        assert (
            ny.check(found.table, certificate=certificate).problems == ()
        )  # measured and output follow from the table
        for part in ("measured", "output"):
            certificate.pop(part)
        for column in certificate["columns"]:
            assert column.pop("level") == found.levels[column["name"]]
        certificates.append(certificate)
    assert certificates[0] == certificates[1]
    choosing = certificates[0]["differential_privacy"]["budget"]["choosing_levels"]
    assert choosing["interval_of_score_changes"] == str(1 + PROMISE.k)


def test_a_seed_voids_the_promise() -> None:
    found = ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.EpsilonSafeLattice(not_private_seed=1))
    assert found.certificate["promised"][0]["means"].startswith("NOT PRIVATE")
    assert not ny.check(found.table, certificate=found.certificate).holds


def test_the_ledger_adds_up(tmp_path: Path) -> None:
    kept = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    kept.open(epsilon=2, delta=1e-3)
    ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.EpsilonSafeLattice(), ledger=kept)
    assert kept.left()[0] == 1
    seeded = ny.EpsilonSafeLattice(not_private_seed=1)
    with pytest.raises(JobError, match="a differentially private release to enter"):
        ny.publish(people(), SCHEMA, privacy=PROMISE, method=seeded, ledger=kept)


def test_what_is_refused_before_a_record_is_read() -> None:
    derived = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=5)), "sex": ny.quasi(SEX)})
    with pytest.raises(SchemaError, match="a hierarchy that lists every possible value"):
        ny.publish("no such file.csv", derived, privacy=PROMISE, method=ny.EpsilonSafeLattice())
    weightless = ny.Schema({"age": ny.quasi(AGE, weight=0), "sex": ny.quasi(SEX, weight=0)})
    with pytest.raises(JobError, match="a weight above 0"):
        ny.publish("no such file.parquet", weightless, privacy=PROMISE, method=ny.EpsilonSafeLattice())
