"""What usefulness is counted in: AUROC against its definition over pairs, and which measure a table gets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import TableError
from nymity.recommending.query_examination import N_QUERIES, QueryExamination
from nymity.recommending.usefulness import LEAST_OF_CLASS
from nymity.recommending.yardstick import AveragedValue, area_under_curve
from nymity.table.builders import Intervals
from nymity.utility.workload import Workload

QUICK: dict[str, Any] = {"classifiers": ["decision-tree"], "seconds": 600}
SCHEMA = ny.Schema({"age": ny.quasi(Intervals(width=10, levels=3)), "sex": ny.quasi(), "ill": ny.sensitive()})
ranked = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=6, max_size=24)


@given(ranked)
def test_the_area_is_the_share_of_pairs_in_the_right_order(rows: list[tuple[int, int]]) -> None:
    labels = np.array([0, 0, 1, 1, 2, 2] + [label for label, _ in rows])
    marks = np.array([0, 1, 2, 3, 4, 0] + [mark for _, mark in rows], dtype=np.float64)
    scores = np.stack([marks, -marks, marks % 3], axis=1)

    def by_pairs(c: int) -> Fraction:
        own, others = scores[labels == c, c], scores[labels != c, c]
        won = sum(2 * (a > b) + (a == b) for a, b in product(own, others))
        return Fraction(int(won), 2 * len(own) * len(others))

    value, _ = area_under_curve(labels, scores, [0, 1, 2])
    assert value == sum(map(by_pairs, range(3)), Fraction(0)) / 3


@given(ranked)
def test_the_error_is_that_of_delong(rows: list[tuple[int, int]]) -> None:
    """The variance of the mean of each record's share of pairs won, of one class and of the other."""
    labels = np.array([0, 0, 1, 1] + [label % 2 for label, _ in rows])
    marks = np.array([0, 1, 2, 3] + [mark for _, mark in rows], dtype=np.float64)
    own, others = marks[labels == 1], marks[labels == 0]
    won = (own[:, None] > others) + (own[:, None] == others) / 2
    variance = won.mean(axis=1).var(ddof=1) / len(own) + won.mean(axis=0).var(ddof=1) / len(others)
    _, adds = area_under_curve(labels, np.stack([-marks, marks], axis=1), [1])
    assert float(adds @ adds) == pytest.approx(variance)


def test_an_interval_where_all_cases_agree_has_a_width() -> None:
    """20 of 20: Clopper and Pearson's lower end is 0.025 ** (1 / 20)."""
    low, high = AveragedValue(exact=Fraction(1), error=0.0, cases=20, records=400).interval
    assert (low, high) == (pytest.approx(0.025 ** (1 / 20)), 1.0)


def people(n: int, ill: Callable[[np.random.Generator, Any], Any], seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = 5 * rng.integers(4, 16, n)
    sex = np.array(["f", "m"])[rng.integers(0, 2, n)]
    return pl.DataFrame({"age": age, "sex": sex, "ill": np.where(ill(rng, age), "yes", "no")})


def test_an_imbalanced_target_is_measured_by_auroc() -> None:
    """5% are ill, nearly all of them old: who answers no to everybody is right for 95%, and has learned nothing."""
    table = people(1200, lambda rng, age: rng.random(1200) < np.where(age > 60, 0.16, 0.01))
    found = ny.recommend(table, SCHEMA, target="ill", k=[5, 50], trials=4, **QUICK)
    assert found.measure.key == "auroc"
    assert found.zero_r.confirming.rate == 0.5
    assert found.best_original.choosing.rate > 0.7
    assert all(0.5 <= choice.trial.score.choosing.rate <= 1 for choice in found.choices)
    assert found.to_dict()["knee"] == found.knee.number


def test_what_accuracy_does_not_see_auroc_may() -> None:
    """30% are ill, of the old 45% and of the young 15%: no answer is better for anybody, but some are likelier."""
    table = people(1500, lambda rng, age: rng.random(1500) < np.where(age > 45, 0.45, 0.15))
    found = ny.recommend(table, SCHEMA, target="ill", k=[5], trials=1, **QUICK)
    assert found.measure.key == "auroc"
    assert found.best_original.choosing.interval[0] > 0.5


@pytest.mark.parametrize("share", [0.5, 0.05])
def test_it_stops_where_nothing_can_be_learned(share: float) -> None:
    table = people(1000, lambda rng, age: rng.random(1000) < share)
    with pytest.raises(TableError, match=r"target 'ill': expected something .* nothing that can be told from chance"):
        ny.recommend(table, SCHEMA, target="ill", k=[5], trials=1, **QUICK)


def test_it_stops_where_a_class_has_too_few_records() -> None:
    table = people(400, lambda rng, age: np.arange(400) < LEAST_OF_CLASS - 1)
    with pytest.raises(TableError, match=r"at least two classes of 8 records or more.*7 of 'yes'"):
        ny.recommend(table, SCHEMA, target="ill", k=[5], trials=1, **QUICK)


# -- without a target --------------------------------------------------------------------------------------------------


def test_without_a_target_queries_are_asked() -> None:
    table = people(600, lambda rng, age: age > 50)
    found = ny.recommend(table, SCHEMA, k=[3, 30, 200], trials=8, seconds=600)
    assert (found.target, found.measure.key) == (None, "count-queries")
    assert found.best_original.confirming.rate == 1
    assert found.zero_r.choosing.rate < min(choice.trial.score.choosing.rate for choice in found.choices)
    assert any(trial.distances["age"] > 0 for trial in found.trials)
    assert all(ny.publish(table, c.job.schema, privacy=c.job.privacy, method=c.job.method) for c in found.choices)
    assert not any("'None'" in note for note in found.notes)


def test_queries_and_distances_are_what_counting_by_hand_gives() -> None:
    """A release whose ages stand for ten years each: ages of a cell are taken to be equally likely."""
    table = pl.DataFrame({"age": [20] * 6 + [25] * 2 + [30] * 3 + [35], "sex": ["f", "m"] * 6, "ill": ["no"] * 12})
    schema = ny.Schema({"age": ny.quasi(Intervals(width=10, levels=3)), "sex": ny.quasi(), "ill": ny.sensitive()})
    release = ny.publish(table, schema, privacy=ny.KAnonymity(k=2), method=ny.OptimalLattice(suppression=0))
    assert release.levels == {"age": 1, "sex": 0}
    examination = QueryExamination(table=table, schema=schema, seed=0)
    assert examination.distances(release) == {"age": pytest.approx((2 + 2 + 1 + 1) / 2 / 12), "sex": 0.0}

    domains = {"age": ["20", "25", "30", "35"], "sex": ["f", "m"], "ill": ["no"]}
    (score,) = examination.of_release(release)
    drawn = Workload.drawn(domains, n=N_QUERIES, selectivity=0.05, seed=0)
    right = []
    for query in map(drawn.query, range(N_QUERIES)):
        asks = {name: set(query.get(name, domains[name])) for name in domains}
        answer = sum(str(a) in asks["age"] and s in asks["sex"] and i in asks["ill"] for a, s, i in table.rows())
        told = 0.0
        for age, sex, ill in table.rows():
            decade = ["20", "25"] if age < 30 else ["30", "35"]
            told += len(asks["age"] & set(decade)) / 2 * (sex in asks["sex"]) * (ill in asks["ill"])
        right.append(1 - min(1, abs(told - answer) / max(answer, 0.001 * 12)))
    assert score.choosing.rate == pytest.approx(np.mean(right))


def test_everything_suppressed_is_the_lower_end() -> None:
    table = people(300, lambda rng, age: age > 50)
    examination = QueryExamination(table=table, schema=SCHEMA, seed=1)
    release = ny.publish(table, SCHEMA, privacy=ny.KAnonymity(k=300), method=ny.OptimalLattice(suppression=0))
    assert set(release.frame["age"].to_list()) == {"*"}
    assert examination.zero_r().choosing.rate == pytest.approx(examination.of_release(release)[0].choosing.rate)
