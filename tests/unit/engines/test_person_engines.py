"""Promises to persons by engines: pairs of combination and person are counted, and everything is as in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from engine_tables import in_files, plain_hash

import nymity as ny
from nymity.core.errors import InputError, JobError

KINDS = ("streaming", "duckdb")
SCHEMA = ny.Schema(
    {
        "who": ny.person(),
        "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)),
        "zip": ny.quasi(ny.Hierarchy.masking()),
        "sick": ny.sensitive(),
        "visit": ny.insensitive(),
    }
)
METHODS = [
    ny.OptimalLattice(suppression=0.3),
    ny.OptimalLattice(suppression=0.3, suppression_persons=0.4, outliers="remove"),
    ny.IterativeRecoding(),
    ny.Mondrian(),
]
PROMISES: list[list[Any]] = [
    [ny.KAnonymity(k=3), ny.TCloseness(t=0.5, attribute="sick")],
    [ny.KAnonymity(k=2), ny.EntropyLDiversity(l=1.5, attribute="sick")],
    [ny.KAnonymity(k=4)],
    [ny.KAnonymity(k=3), ny.DistinctLDiversity(l=2, attribute="sick")],
]


def visits(seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    of_person = np.repeat(np.arange(90), draw.integers(1, 5, 90))
    spelled = ["{}", " {} ", "é{}", "e\u0301{}"]  # some spellings are one person, others look alike
    names = [
        spelled[i].format(f"p{n // 2 if i > 1 else n}")
        for n, i in zip(of_person, draw.integers(0, 4, 999), strict=False)
    ]
    rows = len(of_person)
    return pl.DataFrame(
        {
            "who": names,
            "age": draw.integers(20, 60, rows),
            "zip": draw.choice(["81667", "81675", "89312"], rows),
            "sick": draw.choice(["flu", "cold", "ü", None], rows),
            "visit": draw.choice(["a", "b"], rows) if seed % 2 else ["same"] * rows,
        }
    )[draw.permutation(rows)]


def published(source: Any, folder: Path, kind: str, turn: int, **more: Any) -> Any:
    return ny.publish(
        str(source) if isinstance(source, Path) else source,
        more.pop("schema", SCHEMA),
        privacy=more.pop("privacy", PROMISES[turn]),
        method=more.pop("method", METHODS[turn]),
        output=ny.Output(format="parquet"),
        engine=kind,
        out=folder / kind,
        **more,
    )


@pytest.mark.parametrize("turn", range(4))
def test_everything_is_said_of_persons_as_in_memory(tmp_path: Path, turn: int) -> None:
    source = in_files(visits(turn), tmp_path / "in")
    memory = published(source, tmp_path, "memory", turn)
    assert memory.certificate["unit"]["counts"] == "persons"
    for kind in KINDS:
        found = published(source, tmp_path, kind, turn)
        same = ("promised", "measured", "unit", "suppressed", "loss", "job", "not_protected")
        assert {name: found.certificate[name] for name in same} == {name: memory.certificate[name] for name in same}
        assert found.certificate["output"]["content_sha256"] == plain_hash(memory.frame)
        assert "who" not in pl.read_parquet(found.path).columns
        assert "who" not in found.frame.columns
        assert not ny.check(found.folder).problems
        with pytest.raises(InputError, match="promises to persons"):
            ny.check(found.folder, engine=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_persons_are_counted_in_what_was_written(tmp_path: Path, kind: str) -> None:
    """One person fills a class: by records it is large enough, by persons it is not."""
    table = pl.DataFrame(
        {
            "who": ["one"] * 5 + [f"p{i}" for i in range(5)],
            "age": [20] * 5 + [40] * 5,
            "zip": "1",
            "sick": "x",
            "visit": "v",
        }
    )
    source = in_files(table, tmp_path / "in", cuts=(3,))
    exact = ny.FixedLevels(levels={"age": 0, "zip": 0}, suppression=0.0)
    with pytest.raises(ny.NymityError):
        published(source, tmp_path, kind, 2, method=exact, privacy=[ny.KAnonymity(k=2)])
    assert not (tmp_path / kind).exists()
    found = published(source, tmp_path, kind, 2, privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice(suppression=0))
    assert found.certificate["unit"]["fewest_in_a_class"] == 6


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_that_is_not_constant_is_found(tmp_path: Path, kind: str) -> None:
    source = in_files(visits(1), tmp_path / "in")
    described = ny.Schema({**SCHEMA, "visit": ny.insensitive(constant=True)})
    with pytest.raises(ny.NymityError, match="one value in all records of a person"):
        published(source, tmp_path, kind, 0, schema=described)


def test_what_needs_rows_of_persons_is_refused(tmp_path: Path) -> None:
    source = in_files(visits(1), tmp_path / "in")
    named = ny.Schema({**SCHEMA, "who": ny.person(pseudonym="random")})
    linked = [ny.LinkedKAnonymity(k=2, knows=1)]
    for given, said in (
        ({"schema": named, "privacy": linked}, "pseudonyms"),
        ({"privacy": linked}, "single records of persons"),
        ({"schema": ny.Schema({**SCHEMA, "visit": ny.household()})}, "household"),
    ):
        with pytest.raises(JobError, match=said):
            published(source, tmp_path, "streaming", 0, **given)


@pytest.mark.parametrize("kind", ["memory", *KINDS])
@pytest.mark.parametrize("dtype", [pl.String(), pl.Categorical()], ids=["text", "categories"])
def test_spaces_name_nobody_in_any_engine(tmp_path: Path, kind: str, dtype: pl.DataType) -> None:
    """Three records of two persons, and three whose identifier is of spaces: they make no class of three persons."""
    names = ["a", "a ", "b", "  ", "\u2003\t", " "]
    table = pl.DataFrame({"who": pl.Series(names, dtype=dtype), "age": [30] * 6, "zip": "1", "sick": "x", "visit": "v"})
    source = in_files(table, tmp_path / "in", cuts=(3,))
    with pytest.raises(ny.NymityError, match=r"column 'who': expected no missing values .*, got 3 of them"):
        published(source, tmp_path, kind, 2, privacy=[ny.KAnonymity(k=2)])
    dropping = {"schema": ny.Schema({**SCHEMA, "who": ny.person(missing="drop")})}
    found = published(source, tmp_path, kind, 2, privacy=[ny.KAnonymity(k=2)], **dropping)
    assert (found.certificate["unit"]["persons"], found.certificate["output"]["records"]) == (2, 3)
    assert ny.check(tmp_path / kind, original=source).answer == "holds"
    with pytest.raises(ny.NymityError, match="at most 2, the number of persons"):
        published(source, tmp_path, kind, 2, privacy=[ny.KAnonymity(k=3)], force=True, **dropping)


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_column_of_lists_is_named(tmp_path: Path, kind: str) -> None:
    source = in_files(visits(1).with_columns(who=pl.concat_list("who")), tmp_path / "in")
    with pytest.raises(ny.NymityError, match="column 'who': expected one number"):
        published(source, tmp_path, kind, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_attacks_count_persons_as_in_memory(tmp_path: Path, kind: str) -> None:
    """Rows of an engine have no numbers; the recoding and the original tell whose they are."""
    table = visits(2)
    source = in_files(table, tmp_path / "in")
    found = []
    for each in ("memory", kind):
        published(source, tmp_path, each, 3)
        report = ny.risk.attack(ny.open(tmp_path / each), original=table, targets=100)
        found.append({result.key: (result.rate, result.highest, result.counts) for result in report.results})
        assert not report.by_records
    assert found[0] == found[1]
    assert "linkage" in found[0]
