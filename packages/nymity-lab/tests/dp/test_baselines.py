"""What SafePub is compared with, and the paper's own form of it, on tables small enough to go through."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.bits import NotPrivate, coins
from nymity.dp.choice import Drawing
from nymity.dp.scores import SCORES
from nymity.table.encoding import encode
from nymity_lab.dp.as_published import published_sensitivity, safepub_as_published, with_suppressed_rows
from nymity_lab.dp.baselines import (
    NotPrivateRelease,
    best_node,
    optimal_k_anonymity,
    safepub_optimum,
    sampled_k_anonymity,
    sampling_only,
)

AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
SEX = ny.Hierarchy.flat(["m", "f"])
SCHEMA = ny.Schema({"age": ny.quasi(AGE, missing="error"), "sex": ny.quasi(SEX, missing="error")})
PROMISE = ny.DifferentialPrivacy(epsilon=1.0, public_records=5000)
METHOD = ny.SafePub()


def people(n: int = 600, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {"age": rng.integers(0, 20, n) ** 2 // 20, "sex": [("m", "f")[i] for i in rng.integers(0, 2, n)]}
    )


def method_for(score: str) -> ny.SafePub:
    return ny.SafePub(score=score, target="sex" if score == "classification" else None)


@pytest.mark.parametrize("score", SCORES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 200), k=st.integers(1, 30))
def test_the_best_node_is_the_best_of_all(score: str, seed: int, n: int, k: int) -> None:
    method, table = method_for(score), encode(people(n, seed), SCHEMA)
    scored, space = method.scored(table, k), method.space(table)
    nodes = product(*(range(low, high + 1) for low, high in zip(space.low, space.high, strict=True)))
    assert scored.at(best_node(scored, space)) == max(scored.at(node) for node in nodes)


def check_rows(found: NotPrivateRelease, source: pl.DataFrame, k: int) -> None:
    """Every row is its source row at the levels, and every class has k of them."""
    assert not found.private
    assert found.k == k
    for row, number in zip(found.rows.iter_rows(named=True), found.source_rows.tolist(), strict=True):
        raw = source.row(number, named=True)
        assert all(
            str(row[name]) == h.generalize(str(raw[name]), found.levels[name]) for name, h in HIERARCHIES.items()
        )
    sizes = found.rows.group_by("age", "sex").len()["len"]
    assert sizes.is_empty() or int(sizes.min()) >= k  # type: ignore[arg-type]


HIERARCHIES = {"age": AGE, "sex": SEX}


def test_baselines_publish_what_they_say() -> None:
    source, beta = people(), PROMISE.beta
    everybody = optimal_k_anonymity(source, SCHEMA, method=METHOD)
    sample = sampling_only(source, SCHEMA, beta=beta, seed=3)
    both = sampled_k_anonymity(source, SCHEMA, method=METHOD, beta=beta, seed=3)
    best = safepub_optimum(source, SCHEMA, PROMISE, method=METHOD, seed=3)
    for found, k in ((everybody, 5), (sample, 1), (both, 5), (best, PROMISE.k)):
        check_rows(found, source, k)
    kept = int(coins(beta, source.height, NotPrivate(3)).sum())
    assert everybody.sampled_records == source.height
    assert [found.sampled_records for found in (sample, both, best)] == [kept] * 3
    assert (sample.levels, sample.suppressed) == ({"age": 0, "sex": 0}, 0)
    assert both.suppressed <= kept


@pytest.mark.parametrize("score", SCORES)
def test_the_published_form_releases_the_sample_that_it_chose_on(score: str) -> None:
    source = people()
    found = safepub_as_published(source, SCHEMA, PROMISE, method=method_for(score), seed=4)
    check_rows(found, source, PROMISE.k)
    kept = coins(PROMISE.beta, source.height, NotPrivate(4))
    assert kept[found.source_rows].all()
    best = safepub_optimum(source, SCHEMA, PROMISE, method=method_for(score), seed=4)
    sample = encode(source.filter(pl.Series(kept)), SCHEMA)
    scored = method_for(score).scored(sample, PROMISE.k)  # 300 steps walk over all six nodes
    assert scored.at(tuple(found.levels.values())) == scored.at(tuple(best.levels.values()))
    shown = with_suppressed_rows(found)
    assert shown.height == int(kept.sum())
    assert shown.filter(pl.all_horizontal(pl.all() == "*")).height >= found.suppressed


@pytest.mark.parametrize(
    ("score", "k", "expected"),
    [
        ("granularity", 1, 9),
        ("granularity", 44, 43 * 9),
        ("intensity", 2, 9),
        ("discernibility", 1, 5),
        ("discernibility", 5, Fraction(29, 4)),
        ("entropy", 5, 9 * Fraction(29, 4)),
        ("group-size", 44, 1),
        ("classification", 44, 44),
    ],
)
def test_published_sensitivities_and_how_much_sharper_intervals_are(score: str, k: int, expected: Fraction) -> None:
    published = published_sensitivity(score, k, Fraction(9))
    assert published == expected
    low, high = SCORES[score].changes(k, Fraction(9))
    assert max(-low, high) <= published
    assert high - low <= 2 * published


@pytest.mark.parametrize(("steps_given", "taken"), [(None, 300), (7, 7)])
def test_a_walk_as_published_has_three_hundred_steps_unless_it_is_said(
    steps_given: int | None, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bild, Kuhn and Prasser (2018), section 8.4."""
    steps: list[int] = []
    walk = Drawing.as_published

    def watched(self: Drawing, **parameters: Any) -> Any:
        steps.append(parameters["steps"])
        return walk(self, **{**parameters, "steps": 1})

    monkeypatch.setattr(Drawing, "as_published", watched)
    safepub_as_published(people(), SCHEMA, PROMISE, method=ny.SafePub(steps=steps_given), seed=1)
    assert steps == [taken]
