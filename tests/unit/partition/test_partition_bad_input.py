"""Odd and bad input, the same for every registered method that publishes cells."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from nymity.core.draws import KeyedDraws
from nymity.core.errors import NymityError, ParameterError, SchemaError
from nymity.partition.freeform import Freeform
from nymity.partition.method import CellMethod, CoveringMethod
from nymity.partition.outcome import PartitionOutcome
from nymity.partition.row_suppression import RowSuppression
from nymity.privacy import KAnonymity, KMatching, PrivacyModel, SubsetKAnonymity, WildcardKAnonymity
from nymity.publishing.jobs.registry import METHODS
from nymity.table.attribute import quasi
from nymity.table.encoding import encode
from nymity.table.schema import Schema

KEYS = [key for key, method in METHODS.items() if issubclass(method, CellMethod)]
COVERING = [key for key in KEYS if issubclass(METHODS[key], CoveringMethod)]
#: Cells of all others stand for the values of their records, as they are written; centres do not.
COVERED = [key for key in KEYS if METHODS[key].makes.is_readable]
by_method = pytest.mark.parametrize("key", KEYS)

PEOPLE = pl.DataFrame(
    {
        "age": [64, 29, 42, 41, 53, 59, 49, 59, 80, 50, 64, 55],
        "job": ["nurse", "pupil", "nurse", "cook", "cook", "smith", "smith", "nurse", "pupil", "cook", "nurse", "cook"],
        "sex": [2, 1, 2, 2, 1, 1, 1, 1, 1, 1, 2, 1],
    }
)


#: The same draws wherever these tests run.
DRAWS = KeyedDraws.seeded(1)


def run(key: str, table: pl.DataFrame, k: int, *, weight: float = 1.0, **options: Any) -> PartitionOutcome:
    """Publish all columns as quasi-identifiers of one weight, with the promise the method is made for."""
    method: Any = METHODS[key]
    model: PrivacyModel = KMatching(k=k) if issubclass(method, Freeform) else KAnonymity(k=k)
    if issubclass(method, RowSuppression):
        model = SubsetKAnonymity(k=k, m=table.width) if key == "subset-suppression" else WildcardKAnonymity(k=k)
    schema = Schema({name: quasi(weight=weight) for name in table.columns})
    found: PartitionOutcome = method(**options).run(encode(table, schema), [model], draws=DRAWS)
    return found


def published(key: str, table: pl.DataFrame, k: int) -> pl.DataFrame:
    return run(key, table, k).recoding.apply(table).table


@by_method
def test_fewer_than_k_records_are_refused(key: str) -> None:
    with pytest.raises(NymityError, match=r"12|13"):
        run(key, PEOPLE, 13)


@by_method
def test_alone_in_its_class_a_record_is_published_as_it_is(key: str) -> None:
    assert run(key, PEOPLE, 1).loss == 0
    assert published(key, PEOPLE, 1).equals(PEOPLE)


@pytest.mark.parametrize("key", [key for key in COVERED if key != "wildcard-suppression"])
def test_all_records_in_one_class(key: str) -> None:
    outcome = run(key, PEOPLE, 12)
    assert outcome.loss == pytest.approx(12 * 3)
    everything = "29-80" if key in COVERING else "*"
    assert published(key, PEOPLE, 12)["age"].unique().to_list() == [everything]


def test_all_records_in_one_group_lose_everything() -> None:
    assert run("group-means", PEOPLE, 12).loss == pytest.approx(1)
    (row,) = published("group-means", PEOPLE, 12).unique().rows()
    assert row == (53.75, "cook", 1.33)


@by_method
def test_constant_columns_cost_nothing_and_stay(key: str) -> None:
    constant = PEOPLE.with_columns(one=pl.lit(1), word=pl.lit("same"))
    table = published(key, constant, 3)
    assert table["one"].to_list() == [1] * 12
    assert table["word"].to_list() == ["same"] * 12
    assert run(key, constant.select("one", "word"), 3).loss == 0


@by_method
def test_equal_records_stay_as_they_are(key: str) -> None:
    equal = pl.concat([PEOPLE.head(1)] * 7)
    assert run(key, equal, 3).loss == 0
    assert published(key, equal, 3).equals(equal)


GAPS = PEOPLE.with_columns(
    age=pl.when(pl.col("age") > 55).then(None).otherwise("age"),
    job=pl.when(pl.col("job") == "cook").then(None).otherwise("job"),
)


@pytest.mark.parametrize("key", COVERED)
def test_missing_values_are_values(key: str) -> None:
    gaps = GAPS
    outcome = run(key, gaps, 3)
    table = outcome.recoding.apply(gaps).table
    assert table.height == 12
    for name in gaps.columns:
        for raw, cell in zip(gaps[name], table[name], strict=True):
            assert covers(cell, raw), (raw, cell)
    nothing = gaps.with_columns(age=pl.lit(None, dtype=pl.Int64))
    assert published(key, nothing, 3)["age"].null_count() == 12


def test_numbers_with_gaps_have_no_mean_and_other_gaps_are_counted() -> None:
    with pytest.raises(SchemaError, match="expected a number in every record, to take means or medians of"):
        run("group-means", GAPS, 3)
    on_level = run("group-means", GAPS, 3, levels={"age": 0}).recoding.apply(GAPS).table
    for raw, cell in zip(GAPS["age"], on_level["age"], strict=True):
        assert covers(cell, raw), (raw, cell)
    known = GAPS.with_columns(PEOPLE["age"])
    table = published("group-means", known, 3)
    rows = table.with_columns(raw=known["job"]).rows()
    for age, job, sex, _ in rows:
        raws = Counter(raw for *cells, raw in rows if cells == [age, job, sex])
        assert raws[job] == max(raws.values())
    assert None in table["job"]


def covers(cell: object, raw: object) -> bool:
    """Read a cell as a person would: ``*``, a value, an interval, a set, and "missing" in words or as nothing."""
    if cell == "*":
        return True
    text = "missing" if raw is None else str(raw)
    words = ["missing" if cell is None else str(cell)]
    if words[0].startswith("missing or "):
        words = ["missing", words[0].removeprefix("missing or ")]
    if "-" in words[-1]:
        low, high = map(int, words[-1].split("-"))
        return text in words or (raw is not None and low <= int(str(raw)) <= high)
    return text in {value for word in words for value in word.strip("{}").split(", ")}


@by_method
def test_weights_are_checked(key: str) -> None:
    with pytest.raises(ParameterError, match="weight: expected a number of at least 0, got -1"):
        run(key, PEOPLE, 3, weight=-1)
    with pytest.raises(ParameterError, match="a quasi-identifier with a weight above 0"):
        run(key, PEOPLE, 3, weight=0)


@pytest.mark.parametrize("key", COVERING)
def test_bounds_include_every_record(key: str) -> None:
    for bounds in ([30, 100], [0, 79]):
        with pytest.raises(ParameterError, match=rf"{key}\.bounds, age: expected bounds that include 29 to 80"):
            run(key, PEOPLE, 3, bounds={"age": bounds})
    assert run(key, PEOPLE, 12, bounds={"age": [0, 102]}).loss == pytest.approx(12 * 2.5)


def test_compiling_and_threads_change_no_class() -> None:
    """Kernels of all methods once more as plain Python, and with one thread; all draws are the same."""
    script = "from test_partition_bad_input import *\nprint('\\n'.join(of_every_method()), end='')"
    folder = Path(__file__).parent
    here = "\n".join(of_every_method())
    for setting in ({"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_NUM_THREADS": "1"}):
        elsewhere = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": str(folder), **setting},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert elsewhere == here


def of_every_method() -> list[str]:
    """What each method makes of one table, a line each."""
    table = pl.concat([PEOPLE, PEOPLE.with_columns(age=pl.col("age") + 3, sex=3 - pl.col("sex"))])
    told = []
    for key in KEYS:
        outcome = run(key, table, 3)
        rows = outcome.recoding.apply(table, draws=DRAWS).table.rows()
        told.append(f"{key} {outcome.loss} {outcome.classes} {rows}")
    return told
