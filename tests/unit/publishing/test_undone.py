"""Columns that tell what a transform changed are warned of by name, whatever form they have, and others are not."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.publishing.checking.check import Answer

N = 300
RNG = np.random.default_rng(4)
AGE = RNG.integers(18, 90, N)
JOB = RNG.choice(["clerk", "cook", "nurse", "smith"], N, p=[0.55, 0.2, 0.15, 0.1])
BASE = pl.DataFrame({"age": AGE, "job": JOB, "sex": RNG.choice(["f", "m"], N)})
ROLES: dict[str, Any] = {"age": "perturbed", "job": "insensitive", "sex": "quasi"}
NOISE = ny.AdditiveNoise(columns=["age"], share=0.2)
JOBS = ny.PostRandomization(columns=["job"], share=0.3)

TELLING: dict[str, Any] = {
    "a copy": AGE,
    "a copy as text": [f" {age}" for age in AGE.tolist()],
    "the year of birth": 2020 - AGE,
    "the day of birth": [
        date(2020, 1, 1) - timedelta(days=365 * age + day)
        for age, day in zip(AGE.tolist(), RNG.integers(0, 365, N).tolist(), strict=True)
    ],
    "a scale of its own": np.exp(AGE / 7.0),
    "bands of ten years": [f"{age // 10 * 10}s" for age in AGE.tolist()],
    "a copy with gaps": [None if i % 40 == 0 else age for i, age in enumerate(AGE.tolist())],
    "infinities in place of the ends": [np.inf if age > 88 else float(age) for age in AGE.tolist()],
    "names for ages": [f"name {age * 7919 % 97}" for age in AGE.tolist()],
}
SILENT: dict[str, Any] = {
    "drawn numbers": RNG.random(N),
    "drawn whole numbers": RNG.integers(0, 90, N),
    "identifiers": [f"id {i * 7919 % 997}" for i in range(N)],
    "one value": ["x"] * N,
    "gaps alone": pl.Series([None] * N, dtype=pl.Int64),
    "half of it": AGE > 50,
    "something like it": AGE + RNG.normal(0, 12, N),
}


def released(other: Any, *transforms: Any, role: str = "insensitive", frame: pl.DataFrame = BASE) -> ny.Release:
    table = frame.with_columns(pl.Series("other", list(other)))
    return ny.publish(table, {**ROLES, "other": role}, k=3, transforms=list(transforms))


def undone(release: ny.Release) -> list[Any]:
    return [one.figures for one in release.warnings if one.key == "changes-undone"]


@pytest.mark.parametrize("name", TELLING)
@pytest.mark.parametrize("transform", [NOISE, ny.Shuffling(columns=["age"]), ny.RankSwapping(columns=["age"])])
def test_whatever_tells_a_changed_number_is_named(name: str, transform: Any) -> None:
    nearer = name == "bands of ten years" and isinstance(transform, ny.RankSwapping)  # than bands are
    told = [] if nearer else [{"column": "age", "told_by": ["other"]}]
    assert undone(released(TELLING[name], transform)) == told


INCOMES = 20_000 + 173 * RNG.permutation(N)  # all are different, so that only their order tells of others
WRITTEN: dict[str, Any] = {
    "a gap in words": ["n/a", *map(str, INCOMES[1:].tolist())],
    "thousands": [f"{income:,}" for income in INCOMES.tolist()],
    "a decimal comma": [f"{income},00" for income in INCOMES.tolist()],
    "a currency": [f"{income} EUR" for income in INCOMES.tolist()],
    "a code": [f"id{income}" for income in INCOMES.tolist()],
    "an interval": [f"[{income}, {income + 10})" for income in INCOMES.tolist()],
    "a day": [(date(1900, 1, 1) + timedelta(days=income)).isoformat() for income in INCOMES.tolist()],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_numbers_in_texts_tell_by_their_order(name: str) -> None:
    frame = BASE.with_columns(age=pl.Series(INCOMES))
    shuffled = [WRITTEN[name][i] for i in RNG.permutation(N)]
    assert undone(released(WRITTEN[name], NOISE, frame=frame)) == [{"column": "age", "told_by": ["other"]}]
    assert undone(released(shuffled, NOISE, frame=frame)) == []


@pytest.mark.parametrize("name", SILENT)
def test_other_columns_are_not(name: str) -> None:
    for transform in (NOISE, ny.AdditiveNoise(columns=["age"], share=2), ny.Shuffling(columns=["age"])):
        assert not undone(released(SILENT[name], transform))


def test_a_band_that_is_wider_than_the_noise_hides_more_than_that() -> None:
    bands = TELLING["bands of ten years"]
    assert not undone(released(bands, ny.AdditiveNoise(columns=["age"], share=0.03)))
    assert undone(released(AGE, ny.AdditiveNoise(columns=["age"], share=0.03)))


def test_categories_are_told_by_what_they_follow_from() -> None:
    wards = [f"{job[:2]}{i % 3}" for i, job in enumerate(JOB.tolist())]
    transforms = (NOISE, JOBS)
    for other in (JOB, wards, [ord(job[1]) for job in JOB.tolist()]):
        assert undone(released(other, *transforms)) == [{"column": "job", "told_by": ["other"]}]
    for other in (SILENT["identifiers"], ["x" if job == "clerk" else "y" for job in JOB.tolist()], BASE["sex"]):
        assert not undone(released(other, *transforms))


def test_only_what_is_published_as_it_is_tells() -> None:
    def found(role: Any, *transforms: Any) -> list[Any]:
        table = BASE.with_columns(other=2020 - BASE["age"])
        return undone(ny.publish(table, {**ROLES, "other": role}, k=3, transforms=list(transforms)))

    told = [{"column": "age", "told_by": ["other"]}]
    assert found("insensitive", NOISE) == told
    assert found("sensitive", NOISE) == told
    assert found("insensitive", NOISE, ny.Rounding(columns=["other"], base=2)) == told
    assert not found("insensitive", NOISE, ny.Rounding(columns=["other"], base=40))
    assert found(ny.quasi(ny.Hierarchy.intervals(width=2, levels=4), level=1), NOISE) == told
    assert not found(ny.quasi(ny.Hierarchy.intervals(width=40, levels=2), level=1), NOISE)
    assert not found("identifying", NOISE)
    assert not found("perturbed", ny.AdditiveNoise(columns=["age", "other"], share=0.2))
    several = BASE.with_columns(other=2020 - BASE["age"], more=BASE["age"] * 2)
    roles = {**ROLES, "other": "insensitive", "more": "insensitive"}
    release = ny.publish(several, roles, k=3, transforms=[NOISE])
    assert undone(release) == [{"column": "age", "told_by": ["other", "more"]}]
    (says,) = [one.says for one in release.warnings if one.key == "changes-undone"]
    assert says.startswith("What 'age' held before it was changed is nearly told, row by row, by 'other' and by 'more'")


def test_the_order_of_rows_has_no_part_and_few_rows_tell_nothing() -> None:
    near = AGE + RNG.normal(0, 1, N)
    table = BASE.with_columns(other=pl.Series(near))
    roles = {**ROLES, "other": "insensitive"}
    answers = {
        bool(undone(ny.publish(frame, roles, k=3, transforms=[NOISE])))
        for frame in (table, table.reverse(), table.sample(N, shuffle=True, seed=1))
    }
    assert answers == {True}
    few = pl.DataFrame({"age": [1, 2, 3, 4], "job": ["a"] * 4, "sex": ["f"] * 4, "other": [1, 2, 3, 4]})
    assert not undone(ny.publish(few, roles, k=2, transforms=[ny.Shuffling(columns=["age"])]))
    gaps = BASE.with_columns(age=pl.Series([None] * (N - 20) + list(range(20)), dtype=pl.Int64), other=pl.Series(AGE))
    assert not undone(ny.publish(gaps, roles, k=3, transforms=[NOISE]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "other",
    [["", " "] * 150, [None] * N, [float("nan")] * N, [float("inf"), -float("inf")] * 150, [True, False] * 150, JOB],
)
@pytest.mark.parametrize("job", [["", "a"] * 150, [None, "b"] * 150, ["1", "2"] * 150, ["x"] * N])
def test_gaps_empty_texts_and_infinities_are_no_error(other: Any, job: Any) -> None:
    frame = BASE.with_columns(job=pl.Series(job))
    told = undone(released(other, ny.PostRandomization(columns=["job"], share=0.5), NOISE, frame=frame))
    assert told == [{"column": "job", "told_by": ["other"]}] * (
        len({*job} - {None, ""}) > 1 and len({*map(str, other)}) == 2
    )


TOLD = {"told_by": ["other"]}


def edited(folder: Path, edit: Any) -> Path:
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    (warning,) = [one for one in certificate["not_protected"] if one["warning"] == "changes-undone"]
    edit(warning)
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("edit", "right"),
    [
        (lambda one: None, True),
        (lambda one: one.update(says="Nothing."), False),
        (lambda one: one["figures"].update(told_by=["sex"]), False),
        (lambda one: one["figures"].update(told_by=[]), False),
        (lambda one: one["figures"].update(told_by=["age"]), False),
        (lambda one: one["figures"].update(told_by="other"), False),
        (lambda one: one["figures"].update(told_by=[["other"]]), False),
        (lambda one: one["figures"].update(column="sex"), False),
        (lambda one: one.update(says=one["says"].replace("'age'", "'sex'"), figures={"column": "sex", **TOLD}), False),
    ],
)  # fmt: skip
def test_check_takes_its_own_words_alone(edit: Any, right: bool, tmp_path: Path) -> None:
    released(2020 - AGE, NOISE).save(tmp_path / "release")
    found = ny.check(edited(tmp_path / "release", edit))
    assert (found.answer is not Answer.BROKEN) is right
    assert [one.key for one in found.warnings if one.key == "changes-undone"] == ["changes-undone"] * right or not right


@pytest.mark.parametrize("names", [("^age$", "^.*$"), ("column_0", " "), ("a", "literal")])
def test_any_name_and_type_of_a_column(names: tuple[str, str]) -> None:
    place = np.arange(40) % 17
    columns = {
        names[0]: place,
        names[1]: 2020 - place,
        "day": [date(2020, 1, 1) + timedelta(days=i) for i in place.tolist()],
        "words": pl.Series([f"w{i}" for i in place.tolist()], dtype=pl.Categorical),
        "exact": [Decimal(i) / 4 for i in place.tolist()],
        "large": pl.Series([2**63 + i * 2**20 for i in place.tolist()], dtype=pl.UInt64),
        "nothing": [None] * 40,
        "q": ["x", "y"] * 20,
        "length": [timedelta(days=i) for i in place.tolist()],  # these have no text to compare by
        "list": [[i] for i in place.tolist()],
        "bytes": [bytes([i]) for i in place.tolist()],
    }
    roles = {**dict.fromkeys(columns, "insensitive"), "q": "quasi"}
    silent = {"nothing", "q", "length", "list", "bytes"}
    for drawn in (names[0], "words", "exact"):
        (found,) = undone(ny.publish(pl.DataFrame(columns), roles, k=3, transforms=[ny.Shuffling(columns=[drawn])]))
        assert found == {"column": drawn, "told_by": [name for name in columns if name not in {drawn, *silent}]}
