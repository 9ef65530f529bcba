"""Searches that begin above the lowest levels, because there are more combinations than may be kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from engine_tables import in_files, random_table, schema

import nymity as ny
from nymity.core.errors import JobError, TableError
from nymity.publishing.steps.starting_levels import RawColumn, Start

KINDS = ("memory", "streaming", "duckdb")


def small_table(seed: int, rows: int = 120) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(0, 24, rows),
            "zip": pl.Series(["811", "812", "825", "931", None]).gather(draw.integers(0, 5, rows)),
            "job": draw.choice(["a", "b", "c", "d"], rows),
            "sick": draw.choice(["flu", "cold", "cough"], rows),
        }
    )


def small_schema(**more: Any) -> ny.Schema:
    return ny.Schema(
        {
            "age": ny.quasi(ny.Hierarchy.intervals(width=3, levels=3), **more),
            "zip": ny.quasi(ny.Hierarchy.masking()),
            "job": ny.quasi(),
            "sick": ny.sensitive(),
        }
    )


def published(table: pl.DataFrame, folder: Path, kind: str, most: int | None, **more: Any) -> Any:
    source = folder / "in"
    if not source.exists():
        in_files(table, source)
    return ny.publish(
        str(source),
        more.pop("schema", small_schema()),
        privacy=more.pop("privacy", [ny.KAnonymity(k=4)]),
        method=more.pop("method", ny.OptimalLattice(suppression=0.1)),
        output=ny.Output(format="parquet"),
        engine=ny.Engine(kind=kind, combinations=most),
        out=folder / f"{kind}-{most}",
        force=True,
    )


def combinations_at(table: pl.DataFrame, columns: list[RawColumn], levels: tuple[int, ...]) -> int:
    """How many there are, by a loop over rows."""
    seen = set()
    for row in table.select([column.name for column in columns]).iter_rows():
        cells = [None if cell is None else str(cell) for cell in row]
        seen.add(tuple(c.hierarchy.generalize(v, level) for c, v, level in zip(columns, cells, levels, strict=True)))
    return len(seen)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("most", [1, 6, 30, 90])
def test_no_level_could_be_lower(seed: int, most: int) -> None:
    table, of = small_table(seed), small_schema()
    columns = []
    for name in of.quasi:
        counted = table[name].value_counts()
        columns.append(RawColumn.of(name, counted[name], counted["count"].to_numpy(), of))

    def number(levels: tuple[int, ...]) -> int | None:
        found = combinations_at(table, columns, levels)
        return found if found <= most else None

    start = Start.of(columns, most, number)
    assert start.combinations == combinations_at(table, columns, start.levels) <= most
    for a, level in enumerate(start.levels):
        if level:
            lower = (*start.levels[:a], level - 1, *start.levels[a + 1 :])
            assert combinations_at(table, columns, lower) > most


@pytest.mark.parametrize("loss", ["loss", "gcp", "precision", "entropy", "loss-geometric", "height", "discernibility"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [5, 25, 70])
def test_what_it_may_cost_is_never_exceeded(tmp_path: Path, seed: int, most: int, loss: str) -> None:
    table = small_table(seed)
    begun = published(table, tmp_path, "memory", most, method=ny.OptimalLattice(loss=loss, suppression=0.1))
    told = begun.certificate["loss"]
    assert told["begun"]["combinations"] <= most == told["begun"]["most_combinations"]
    assert not told["proven_optimal"]
    assert all(begun.levels[name] >= level for name, level in told["begun"]["levels"].items())
    best = least_loss(table, loss)
    if told["begun"]["may_cost"] is None:
        assert loss == "discernibility"
        assert told["proven_bound"] is None
        return
    assert begun.loss - best <= told["begun"]["may_cost"] + 1e-9
    assert told["proven_bound"] <= best + 1e-9


def least_loss(table: pl.DataFrame, loss: str) -> float:
    """The least loss of all nodes, by looking at each of them."""
    method = ny.MinGen(loss=loss, suppression=0.1)
    return ny.publish(table, small_schema(), privacy=[ny.KAnonymity(k=4)], method=method).loss


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "method",
    [
        ny.OptimalLattice(suppression=0.3),
        ny.OptimalLattice(suppression=0.3, loss="entropy", outliers="remove"),
        ny.IterativeRecoding(),
        ny.IterativeRecoding(loss="gcp"),
    ],
)
def test_every_engine_begins_at_the_same_levels(tmp_path: Path, seed: int, method: Any) -> None:
    table = random_table(seed)
    privacy = [ny.KAnonymity(k=3), ny.DistinctLDiversity(l=2, attribute="sick")]
    found = [published(table, tmp_path, kind, 60, schema=schema(), privacy=privacy, method=method) for kind in KINDS]
    first = found[0].certificate
    assert first["loss"]["begun"]["levels"]
    for one in found[1:]:
        assert one.certificate["output"]["content_sha256"] == first["output"]["content_sha256"]
        for name in ("promised", "measured", "loss", "suppressed", "job"):
            assert one.certificate[name] == first[name], name
        assert ny.check(one.folder).holds
        told = ny.check(one.folder, original=str(tmp_path / "in"))
        assert told.holds, str(told)


def test_levels_that_the_schema_asks_for_lose_nothing(tmp_path: Path) -> None:
    table = small_table(1)
    of = small_schema(min_level=3)
    for kind in KINDS:
        found = published(table, tmp_path, kind, 40, schema=of)
        assert "begun" not in found.certificate["loss"]
        assert found.certificate["loss"]["proven_optimal"]


@pytest.mark.parametrize("missing", ["drop", "category"])
def test_persons_and_gaps_have_the_same_beginning(tmp_path: Path, missing: Any) -> None:
    table = small_table(3).with_columns(pl.Series("who", [f"p{i % 70}" if i % 9 else "  " for i in range(120)]))
    described = dict(small_schema().items())
    described["who"] = ny.person(missing="drop")
    described["zip"] = ny.quasi(ny.Hierarchy.masking(), missing=missing)
    of = ny.Schema({name: described[name] for name in table.columns})
    found = [published(table, tmp_path, kind, 20, schema=of).certificate for kind in KINDS]
    assert found[0]["loss"]["begun"]["combinations"] <= 20
    for one in found[1:]:
        assert one["loss"] == found[0]["loss"]
        assert one["output"]["content_sha256"] == found[0]["output"]["content_sha256"]


def test_what_a_certificate_says_of_it_is_held_against_the_rest(tmp_path: Path) -> None:
    folder = published(small_table(1), tmp_path, "streaming", 20).folder
    path = folder / "certificate.json"
    told = json.loads(path.read_text())
    assert ny.check(folder).holds
    name, level = next(iter(told["loss"]["begun"]["levels"].items()))
    lies: list[dict[str, Any]] = [
        {"levels": {name: level + 9}},
        {"levels": {"sick": 1}},
        {"levels": {name: 0}},
        {"combinations": 21},
        {"may_cost": 2.0},
        {"may_cost": -1.0},
    ]
    for lie in lies:
        loss = {**told["loss"], "begun": {**told["loss"]["begun"], **lie}}
        path.write_text(json.dumps({**told, "loss": loss}))
        assert not ny.check(folder).holds, lie
    path.write_text(json.dumps({**told, "loss": {**told["loss"], "proven_optimal": True}}))
    assert not ny.check(folder).holds


def test_few_combinations_change_nothing(tmp_path: Path) -> None:
    table = small_table(2)
    for kind in KINDS:
        with_limit, without = (published(table, tmp_path, kind, most).certificate for most in (200, None))
        assert with_limit["loss"] == without["loss"]
        assert with_limit["output"]["content_sha256"] == without["output"]["content_sha256"]


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_the_highest_levels_have_is_refused(tmp_path: Path, kind: str) -> None:
    of = small_schema(max_level=0)
    with pytest.raises(TableError, match="at most 10 combinations of quasi-identifiers"):
        published(small_table(0), tmp_path, kind, 10, schema=of)
    assert not (tmp_path / f"{kind}-10").exists()


def test_private_levels_are_not_chosen_by_a_look_at_records() -> None:
    with pytest.raises(JobError, match=r"engine\.combinations"):
        ny.Job(
            schema=small_schema(),
            privacy=[ny.DifferentialPrivacy(epsilon=1.0, public_records=5000, delta=1e-4)],
            method=ny.SafePub(),
            output=ny.Output(format="parquet"),
            engine=ny.Engine(kind="streaming", combinations=10),
        )
