"""Differentially private releases by engines: numbers of records are drawn by the driver, whatever counted them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import JobError
from nymity.publishing.checking.check import Answer

KINDS = ("streaming", "duckdb")
AGES = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
SCHEMA = ny.Schema(
    {
        "name": ny.identifying(),
        "age": ny.quasi(AGES),
        "sex": ny.quasi(ny.Hierarchy.flat(["m", "f", "0"]), missing="drop", unlisted="0"),
    }
)
PROMISE = ny.DifferentialPrivacy(epsilon=1.0, public_records=5000, delta=1e-4)


def people(n: int = 900) -> pl.DataFrame:
    rng = np.random.default_rng(n)
    ages = pl.Series(rng.integers(0, 24, n)).cast(pl.Float64)  # some have no place
    table = pl.DataFrame({"name": [f"n{i}" for i in range(n)], "age": ages, "sex": rng.choice(["m", "f", "x", ""], n)})
    gaps = pl.Series(rng.random(n) < 0.1)
    return table.with_columns(pl.when(~gaps).then(pl.col("age")).alias("age"))


def published(source: Path, folder: Path, kind: str, seed: int | None = 1, **more: Any) -> Any:
    given = {"schema": SCHEMA, "privacy": PROMISE, "output": ny.Output(format="parquet"), **more}
    described = given.pop("schema")
    return ny.publish(
        given.pop("read", str(source)),
        described,
        method=ny.SafePub(not_private_seed=seed),
        engine=kind,
        out=folder / kind,
        **given,
    )


def test_engines_draw_alike_and_say_what_memory_says(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    people().write_parquet(source)
    memory = published(source, tmp_path, "memory")
    found = {kind: published(source, tmp_path, kind) for kind in KINDS}
    assert len({one.certificate["output"]["content_sha256"] for one in found.values()}) == 1
    for kind, release in found.items():
        told = release.certificate
        same = ("promised", "unit", "job", "random_sources", "not_protected", "differential_privacy", "seeded")
        assert {name: told[name] for name in same} == {name: memory.certificate[name] for name in same}
        assert told.keys() == memory.certificate.keys()
        assert "input" not in told
        assert "suppressed" not in told
        rows = pl.read_parquet(release.path)
        assert rows.equals(rows.sort(rows.columns))
        assert all(size >= PROMISE.k for size in rows.group_by(rows.columns).len()["len"])
        log = release.log
        assert log.draw_key is None
        kept = {name: memory.log.figures[name] for name in ("records", "without_a_listed_value")}
        kept["dropped_for_missing_values"] = memory.log.figures["dropped_for_missing_values"]
        assert {name: log.figures[name] for name in kept} == kept
        assert log.figures["records"] - log.figures["not_released"] == rows.height == release.scan().collect().height
        assert release.suppressed == log.figures["not_released"]
        assert release.is_foreseeable
        problems = "all draws were from a known seed, so nothing is private"
        assert problems in ny.check(release.folder, engine=kind).problems
        assert not (tmp_path / f"{kind}-custodian" / "mapping-by-key.parquet").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_is_a_sample_and_a_check_says_what_it_sees(tmp_path: Path, kind: str) -> None:
    source = tmp_path / "in.parquet"
    people(3000).write_parquet(source)
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    ledger.open(epsilon=2, delta=1e-2)
    output = ny.Output(format="parquet", row_order="shuffled")
    release = published(source, tmp_path, kind, None, ledger=ledger, output=output)
    assert release.certificate["differential_privacy"]["ledger"]["releases"] == 1
    assert float(ledger.left()[0]) == 1.0
    assert not release.is_foreseeable
    for checked in (ny.check(release.folder), ny.check(release.folder, engine=kind)):
        assert checked.answer is Answer.UNSEEN, [one for one in checked.findings if one.answer is Answer.BROKEN]
    again = published(source, tmp_path / "again", kind, None, ledger=ledger, output=output)
    assert again.certificate["output"]["content_sha256"] != release.certificate["output"]["content_sha256"]
    with pytest.raises(ny.NymityError, match="budget"):
        published(source, tmp_path / "third", kind, None, ledger=ledger)


@pytest.mark.parametrize("kind", KINDS)
def test_no_record_stops_a_run(tmp_path: Path, kind: str) -> None:
    source = tmp_path / "in.parquet"
    for i, table in enumerate((people().clear(), people(40), people().with_columns(age=pl.lit(99.0)))):
        table.write_parquet(source)
        release = published(source, tmp_path / str(i), kind, None)
        assert pl.read_parquet(release.path).columns == ["age", "sex"]
        assert pl.read_parquet(release.path).is_empty()
        checked = ny.check(release.folder, engine=kind)
        assert checked.answer is Answer.UNSEEN, checked.findings


@pytest.mark.parametrize("kind", KINDS)
def test_text_stays_text(tmp_path: Path, kind: str) -> None:
    """A column of numbers is not found out to be one: cells that look like others by their value have no place."""
    source = tmp_path / "in.csv"
    rows = [f"n{i},{'7' if i % 3 else '07'},m" for i in range(900)]
    source.write_text("\n".join(["name,age,sex", *rows]) + "\n")
    stated = ny.Source(path=str(source), delimiter=",", encoding="utf-8", header=True)
    release = published(source, tmp_path, kind, None, read=stated)
    assert release.log.figures["without_a_listed_value"] == 300
    assert release.log.figures["records"] == 600
    with pytest.raises(JobError, match="stated in the job"):
        published(source, tmp_path / "other", kind, None)


@pytest.mark.parametrize("kind", KINDS)
def test_persons_by_pairs(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(1500), rng.integers(1, 4, 1500))
    table = pl.DataFrame(
        {"name": [None if n == 7 else f" {n} " for n in who], "age": rng.integers(0, 20, len(who)), "sex": "m"}
    )
    source = tmp_path / "in.parquet"
    table.write_parquet(source)
    described = ny.Schema({**SCHEMA, "name": ny.person(missing="drop")})
    promise = ny.DifferentialPrivacy(epsilon=2.0, public_records=5000, delta=1e-4, records_per_person=2)
    given: dict[str, Any] = {"schema": described, "privacy": promise}
    memory = published(source, tmp_path, "memory", **given)
    found = published(source, tmp_path, kind, **given)
    same = ("promised", "unit", "job", "differential_privacy")
    assert {name: found.certificate[name] for name in same} == {name: memory.certificate[name] for name in same}
    assert found.log.figures["persons"] == memory.log.figures["persons"] == 1499
    sizes = pl.read_parquet(found.path).group_by("age", "sex").len()["len"]
    assert len(sizes)
    assert all(size >= promise.k for size in sizes)


def test_no_mapping_is_kept_of_what_was_never_decided_by_record(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="numbers of records are drawn"):
        ny.publish(
            str(tmp_path / "in.parquet"),
            SCHEMA,
            privacy=PROMISE,
            method=ny.SafePub(),
            output=ny.Output(format="parquet"),
            engine=ny.Engine(kind="streaming", mapping="name"),
            out=tmp_path / "out",
        )
