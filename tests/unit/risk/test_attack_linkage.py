"""Linkage against candidates counted from the definition, the promise of k-anonymity, and originals that are others."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.confidence_intervals import clustered_interval
from nymity.core.errors import InputError, NoSolutionError, ParameterError, SchemaError, TableError
from nymity.publishing.releases.release import Release
from nymity.risk import Linkage
from nymity.risk.attacks.scene import Scene
from nymity.risk.attacks.scene_opening import open_scene
from strategies import cases


def covers(scene: Scene, name: str, cell: str | None, value: str | None) -> bool:
    """Say from the hierarchy whether a cell stands for a value."""
    assert scene.recoding is not None
    hierarchy = scene.recoding.hierarchies[name]
    if cell == "*":
        return True
    level = scene.recoding.levels[name]  # type: ignore[attr-defined]
    return bool(hierarchy.generalize(value, level) == cell)


def candidates(scene: Scene, original: pl.DataFrame, known: tuple[str, ...], person: int) -> tuple[int, bool]:
    """Count the rows that fit; masked ones where no other does, for everybody knows what is published.

    Return whether it are others, too.
    """
    rows = scene.frame.select(scene.schema.quasi).rows(named=True)
    masked = [row for row in rows if all(cell == "*" for cell in row.values())]
    fitting = [
        row
        for row in rows
        if row not in masked and all(covers(scene, name, row[name], original[name][person]) for name in known)
    ]
    return len(fitting or masked), bool(fitting)


def published(case: Any, k: int, suppression: float, method: Any = ny.OptimalLattice) -> Release | None:
    try:
        return ny.publish(case.frame, case.schema, privacy=[ny.KAnonymity(k=k)], method=method(suppression=suppression))
    except (NoSolutionError, InputError):
        return None


@settings(max_examples=20)
@given(cases(max_records=14, weighted=False), st.integers(1, 3), st.sampled_from([0.0, 0.4, 1.0]))
def test_candidates_and_the_promise_of_k(case: Any, k: int, suppression: float) -> None:
    release = published(case, k, suppression)
    if release is None:
        return
    scene = open_scene(release, original=case.frame)
    assert scene.linked
    subsets = np.array(list(product((True, False), repeat=len(case.schema.quasi)))[:-1])
    found, vain = scene.candidates(np.arange(case.frame.height), subsets)
    best = Fraction(0)
    for row, person in enumerate(release.log.source_rows.tolist()):
        cells = release.frame.select(case.schema.quasi).row(row)
        for s, subset in enumerate(subsets):
            known = tuple(name for name, chosen in zip(case.schema.quasi, subset, strict=True) if chosen)
            count, others = candidates(scene, case.frame, known, person)
            assert found[person, s] == count
            assert vain[person, s] == (others and set(cells) == {"*"})
        assert not vain[person, 0]  # with all columns nobody is looked for in the wrong place
        best = max(best, Fraction(1, int(found[person, 0])))
    result = ny.risk.attack(release, original=case.frame, targets=50, attacks=["linkage"])["linkage"]
    assert result.highest is not None
    assert result.highest <= min(best, Fraction(1, k))
    assert not result.exceeds
    assert (result.promised is None) == (k == 1)
    assert result.low <= result.rate <= result.high


@settings(max_examples=12)
@given(cases(max_records=14, weighted=False, numeric=True), st.integers(2, 3))
def test_classes_with_cells_of_their_own_keep_it_too(case: Any, k: int) -> None:
    try:
        release = ny.publish(case.frame, case.schema, privacy=[ny.KAnonymity(k=k)], method=ny.Mondrian())
    except (NoSolutionError, InputError):
        return
    for known in (release, ny.open(release.frame, job=release.job)):
        report = ny.risk.attack(known, original=case.frame, attacks=["linkage"])
        for result in report.results:
            assert not result.exceeds
            assert result.promised == 1 / k


@pytest.fixture(scope="module")
def ward() -> tuple[pl.DataFrame, Release]:
    frame = ny.datasets.hospital(600, seed=3)
    models = [ny.KAnonymity(k=5)]
    return frame, ny.publish(
        frame, ny.datasets.hospital_schema(), privacy=models, method=ny.OptimalLattice(suppression=0.1)
    )


def test_simulated_rates_agree_with_the_enumeration(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    scene = open_scene(release, original=frame)
    subsets = np.array(list(product((True, False), repeat=6))[:-1])
    found, vain = scene.candidates(scene.present, subsets)
    exact = np.where(vain, 0, 1 / found).mean()
    assert vain.any()
    for seed in range(3):
        result = ny.risk.attack(release, original=frame, attacks=["linkage"], seed=seed).results[0]
        assert result.low <= exact <= result.high
        assert result.n == 63_000


def test_the_seed_decides_and_other_attacks_do_not(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    alone = ny.risk.attack(release, original=frame, attacks=["linkage"], seed=9)
    among = ny.risk.attack(release, original=frame, seed=9)
    assert alone["linkage"] == among["linkage"]
    assert alone["linkage"].successes != ny.risk.attack(release, original=frame, seed=10)["linkage"].successes
    assert json.loads(json.dumps(among.to_dict()))["attacks"][0]["attack"] == "linkage"
    assert {one.key for one in among.not_run} == {
        "membership", "attribute-inference", "intersection", "downcoding", "known-items", "linked-records", "date-gaps"
    }  # fmt: skip


def test_few_of_many_subsets_have_all_columns_among_them() -> None:
    chosen = Linkage(subsets=20)._columns(9, np.random.Generator(np.random.PCG64(1)))
    assert chosen.shape == (20, 9)
    assert chosen[0].all()
    assert len({tuple(row) for row in chosen.tolist()}) == 20
    assert set(chosen.sum(axis=1)) <= set(range(1, 10))


def test_a_release_that_breaks_its_promise_is_caught(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    raw = ny.publish(frame, release.job.schema, privacy=[ny.KAnonymity(k=1)], method=ny.OptimalLattice())
    for recoding in (raw.recoding, None):
        known = ny.open(raw.frame, job=release.job, recoding=recoding)
        result = ny.risk.attack(known, original=frame, attacks=["linkage"]).results[0]
        assert result.exceeds
        assert result.low > 0.2 * 0.5
        assert result.highest == 1
        assert result.figures["claims"]["rate"] > 0.2


def test_one_row_too_few_is_caught() -> None:
    frame = pl.DataFrame({"q": ["a"] * 3 + ["b"] * 2})
    schema = ny.Schema({"q": ny.quasi()})
    result = ny.risk.attack(
        ny.open(frame, job=ny.Job(schema=schema, privacy=[ny.KAnonymity(k=3)])), original=frame
    ).results[0]
    assert (result.exceeds, result.highest) == (True, Fraction(1, 2))


@pytest.mark.parametrize("original", [True, False], ids=["original", "alone"])
def test_masked_people_are_attacked_like_everybody_else(original: bool) -> None:
    """A table with one masked row, as 0.1.0 published it: whoever is no a is found for certain."""
    frame = pl.DataFrame({"q": ["a"] * 4 + ["b"]})
    schema, k = ny.Schema({"q": ny.quasi()}), ny.KAnonymity(k=4)
    made = ny.publish(frame, schema, privacy=[k], method=ny.OptimalLattice(suppression=0.2))
    assert made.frame["q"].to_list() == ["a"] * 4
    bad = pl.DataFrame({"q": ["a"] * 4 + ["*"]})
    known = ny.open(bad, job=ny.Job(schema=schema, privacy=[k]), recoding=None if original else made.recoding)
    beside = frame if original else None
    result = ny.risk.attack(known, original=beside, attacks=["linkage"], targets=3)["linkage"]
    assert (result.highest, result.exceeds) == (Fraction(1), True)
    assert result.figures["masked_people"] == {"people": 1, "mean_chance": 1.0, "highest": 1.0}
    good = ny.publish(
        pl.DataFrame({"q": [*"aaaa", *"bcde"]}), schema, privacy=[k], method=ny.OptimalLattice(suppression=0.5)
    )
    assert sorted(good.frame["q"].to_list()) == ["*"] * 4 + ["a"] * 4
    assert ny.risk.attack(good, attacks=["linkage"])["linkage"].highest == Fraction(1, 4)


def test_without_the_original_people_have_values_of_their_cells(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    alone, beside = (ny.risk.attack(release, original=table, attacks=["linkage"])["linkage"] for table in (None, frame))
    assert "without the original" in alone.assumes
    assert (alone.rate, alone.highest) == pytest.approx((beside.rate, beside.highest), abs=0.02)


@pytest.mark.parametrize("method", [ny.FreeformGreedy(), ny.FreeformSortGreedy()], ids=lambda method: method.key)
def test_freeform_rows_keep_what_k_matching_promises(method: Any) -> None:
    frame = ny.datasets.hospital(120, seed=5)
    release = ny.publish(frame, ny.datasets.hospital_schema(), privacy=[ny.KMatching(k=4)], method=method)
    report = ny.risk.attack(release, original=frame, targets=200, attacks=["linkage", "skewness", "homogeneity"])
    assert report["linkage"].promised == 1 / 4
    assert not report.exceeded
    assert report["skewness"].exact is False
    assert report["skewness"].promised is None


def test_an_original_of_another_release_is_refused(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    other = ny.datasets.hospital(600, seed=4)
    with pytest.raises(TableError, match=r"\d+ of 600 released rows that no source row can explain"):
        ny.risk.attack(ny.open(release.frame, schema=release.job.schema), original=other)
    with pytest.raises(TableError, match="no source row can explain"):
        ny.risk.attack(release, original=other)
    with pytest.raises(TableError, match="fewer than the 1,200 released rows"):
        ny.risk.attack(ny.open(pl.concat([release.frame] * 2), schema=release.job.schema), original=frame)


def test_another_order_of_the_original_is_no_other_original(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    found = ny.risk.attack(release, original=frame.reverse(), attacks=["linkage"])["linkage"]
    assert "rows are not linked" in found.assumes
    assert not found.exceeds


def test_bad_input(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    schema = release.job.schema
    with pytest.raises(ParameterError, match="did you mean 'linkage'"):
        ny.risk.attack(release, attacks=["linkages"])
    with pytest.raises(ParameterError, match="a list of attacks"):
        ny.risk.attack(release, attacks="linkage")
    for threshold in (0, 1.5, -1):
        with pytest.raises(ParameterError, match=r"linkage\.threshold"):
            Linkage(threshold=threshold)
    with pytest.raises(SchemaError, match="original, column 'age'"):
        ny.risk.attack(release, original=frame.drop("age"))
    with pytest.raises(SchemaError, match="release, column 'sex'"):
        ny.risk.attack(ny.open(release.frame.drop("sex"), schema=schema), original=frame)
    with pytest.raises(SchemaError, match="release, column 'diagnosis'"):
        ny.risk.attack(ny.open(release.frame.drop("diagnosis"), schema=schema), original=frame)
    with pytest.raises(SchemaError, match="control, column 'age'"):
        ny.risk.attack(release, original=frame, control=frame.drop("age"))
    with pytest.raises(SchemaError, match="the schema the table was released by"):
        ny.risk.attack(release.frame)
    for targets in (0, 10_000_001):
        with pytest.raises(ParameterError, match="targets"):
            ny.risk.attack(release, targets=targets)


def test_clusters_that_agree_count_as_one_trial_each() -> None:
    agreeing = clustered_interval(np.array([5.0, 0.0, 5.0, 0.0]), np.full(4, 5.0))
    assert agreeing == pytest.approx(clustered_interval(np.array([1.0, 0.0, 1.0, 0.0]), np.ones(4)), abs=0.08)
    assert clustered_interval(np.ones(10), np.ones(10))[0] == pytest.approx(0.6915, abs=1e-4)
