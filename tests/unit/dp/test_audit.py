"""Audits: what runs prove about methods that keep their promise, and about those that do not.

Draws are seeded, so these tests always end the same way. A private method would fail an audit here with probability
1e-6 under fresh seeds. The flawed ones are audited at 1e-3.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import count
from math import exp, log, log1p

import numpy as np
import polars as pl
import pytest
from scipy.stats import beta as beta_distribution
from scipy.stats import binom

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.dp.audit import Audit, audit, least_epsilon
from nymity.dp.scores import SCORES
from nymity.table.encoding import EncodedTable, encode

#: A promise with a small k, so that single records matter.
TINY = ny.DifferentialPrivacy(epsilon=1.0, public_records=4, delta=0.05, epsilon_search=0.5)
assert TINY.delta is not None


# -- the audit itself ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("often", "seldom"), [(0, 0), (40, 0), (100, 3), (100, 100), (77, 12)])
def test_intervals_are_those_of_clopper_and_pearson(often: int, seldom: int) -> None:
    low = beta_distribution.ppf(0.005, often, 101 - often) if often else 0.0
    high = beta_distribution.ppf(0.995, seldom + 1, 100 - seldom) if seldom < 100 else 1.0
    expected = log((low - 0.1) / high) if low > 0.1 * (1 + high) else 0.0
    assert least_epsilon(often, seldom, 100, delta=0.1, error=0.01) == pytest.approx(max(expected, 0.0))


def responses(epsilon: float, delta: float, seed: int) -> Callable[[bool], Hashable]:
    """Randomized response that tells the truth with certainty in one of 1 / delta runs."""
    rng = np.random.default_rng(seed)

    def respond(truth: bool) -> Hashable:
        if rng.random() < delta:
            return f"certainly {truth}"
        return bool(rng.random() < exp(epsilon) / (1 + exp(epsilon))) is truth

    return respond


def test_a_known_epsilon_is_nearly_found_and_not_exceeded() -> None:
    found = audit(responses(1.5, 0, 1), True, False, runs=10_000)
    assert 1.2 < found.epsilon <= 1.5
    assert found.event in ({True}, {False})
    assert found.refutes(1.2)
    assert not found.refutes(1.5)


def test_delta_excuses_what_it_covers_and_no_more() -> None:
    excused, caught = (audit(responses(0.5, 0.1, 2), True, False, runs=4_000, delta=delta) for delta in (0.1, 0.02))
    assert excused.epsilon <= 0.5
    assert caught.epsilon > 0.5
    assert caught.event == {"certainly True"} or caught.event == {"certainly False"}


def test_a_constant_and_a_fresh_number_prove_nothing() -> None:
    numbers = count()
    for mechanism in (lambda _: "same", lambda _: next(numbers)):
        assert audit(mechanism, 0, 1, runs=200).epsilon == 0.0
    assert audit(lambda _: "same", 0, 1, runs=200).event == frozenset()  # no outcome speaks for either table


def test_honest_responses_are_hardly_ever_refuted() -> None:
    """With an error of 0.2, 200 audits of randomized response refute far fewer than 40 times."""
    refuted = sum(audit(responses(1, 0, seed), True, False, runs=60, error=0.2).refutes(1) for seed in range(200))
    assert refuted < 40


@pytest.mark.parametrize(
    ("field", "value"), [("runs", 3), ("runs", 1.5), ("delta", -0.1), ("delta", 1.5), ("error", 0), ("error", 1)]
)
def test_bad_parameters_of_an_audit(field: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        audit(lambda table: table, 0, 1, **{"runs": 10, field: value})  # type: ignore[arg-type]
    assert caught.value.where == field


# -- releases that keep their promise ------------------------------------------------------------------------------

SEX = ny.Schema({"sex": ny.quasi(ny.Hierarchy.flat(["m", "f"]))})
BOTH = ny.Schema({"sex": ny.quasi(ny.Hierarchy.flat(["m", "f"])), "ill": ny.quasi(ny.Hierarchy.flat(["y", "n"]))})


def released(method: ny.SafePub, schema: ny.Schema, seeds: count[int]) -> Callable[[pl.DataFrame], Hashable]:
    """A run of the whole method; it shows the levels and the number of rows."""
    fields = {"score": method.score, "target": method.target, "steps": method.steps}

    tables: dict[int, EncodedTable] = {}

    def run(rows: pl.DataFrame) -> Hashable:
        table = tables.setdefault(rows.height, tables.get(rows.height) or encode(rows, schema))
        outcome = ny.SafePub(**fields, not_private_seed=next(seeds)).run(table, [TINY])  # type: ignore[arg-type]
        return tuple(outcome.levels.values()), outcome.recoding.apply(rows).table.height

    return run


def completed(schema: ny.Schema) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tables without and with the record that makes a class large enough: its influence is greatest there."""
    without = pl.DataFrame({"sex": ["m"] * (2 * TINY.k - 1), "ill": ["y"] * (2 * TINY.k - 1)}).select(list(schema))
    return without, pl.concat([without, without.head(1)])


def test_one_draw_keeps_the_promise() -> None:
    found = audit(released(ny.SafePub(), SEX, count()), *completed(SEX), runs=200, delta=0.05)
    assert not found.refutes(1.0)


@pytest.mark.parametrize("steps", [None, 3])
@pytest.mark.parametrize("score", SCORES)
def test_every_score_and_search_keeps_the_promise(score: str, steps: int | None) -> None:
    method = ny.SafePub(score=score, steps=steps, target="ill" if score == "classification" else None)
    found = audit(released(method, BOTH, count()), *completed(BOTH), runs=40, delta=0.05)
    assert not found.refutes(1.0)


# -- and the published forms, which do not --------------------------------------------------------------------------

#: A chain of three levels: a crowd's value and another one are two of 60 that the first level joins.
CHAIN = ny.Hierarchy.from_rows([[f"{i}", "pair" if i < 2 else f"{i} alone", "*"] for i in range(60)])


def test_the_corrected_selection_passes_where_the_published_one_is_caught() -> None:
    """The tables by which the selection of Bild, Kuhn and Prasser (2018) is refuted (tests of nymity-lab)."""
    schema = ny.Schema({"word": ny.quasi(CHAIN, missing="error")})
    crowd = pl.DataFrame({"word": ["0"] * 40})
    with_one_more = pl.concat([crowd, pl.DataFrame({"word": ["1"]})])
    corrected = audit(released(ny.SafePub(steps=10), schema, count()), crowd, with_one_more, runs=160, delta=0.05)
    assert not corrected.refutes(TINY.epsilon)


def shared_or_fresh(*, k: int, beta: float, search: float, fresh: bool, seed: int) -> Callable[[int], Hashable]:
    """Choose by a sample's #b - #a, privately, and show how many records of the one class that have both are sampled.

    The table has 32 records of type b and perhaps one of type a. Geometric noise on a number that one record changes
    by 1 is private; so is a number of records that is hidden below k.
    """
    rng = np.random.default_rng(seed)

    def run(extra: int) -> Hashable:
        b, a = rng.binomial(32, beta), rng.binomial(extra, beta)
        noise = rng.geometric(-np.expm1(-search)) - rng.geometric(-np.expm1(-search))
        chosen = b - a + noise
        if fresh:
            b, a = rng.binomial(32, beta), rng.binomial(extra, beta)
        shown = b + a if b + a >= k else None
        return None if shown is None else int(chosen) - int(shown)

    return run


def test_a_shared_sample_costs_more_than_is_claimed() -> None:
    """Where the number shown is the same with and without the record, #b - #a differs by 2 and not by 1."""
    k, beta, search = 12, 0.7, 3.0
    claim, delta = search - log(1 - beta), float(ny.dp.delta(k=k, beta=beta))

    def audited(*, fresh: bool) -> Audit:
        mechanism = shared_or_fresh(k=k, beta=beta, search=search, fresh=fresh, seed=5)
        return audit(mechanism, 1, 0, runs=20_000, delta=delta, error=1e-3)

    assert audited(fresh=False).refutes(claim)
    assert not audited(fresh=True).refutes(log1p(beta * (exp(search) - 1)) - log(1 - beta))


def test_a_shared_sample_costs_more_than_is_claimed_exactly() -> None:
    """The same for the k of a real release, by exact probabilities: delta is 9e-4 where 3e-7 is claimed."""
    k, beta, search, n = 75, 0.7, 1.0, 93
    shown = np.arange(n + 1)  # of the class
    mapped = np.arange(-30, n + 30)[:, None]

    def noise(distance: np.ndarray) -> np.ndarray:
        return np.tanh(search / 2) * np.exp(-search * np.abs(distance))

    def hidden_below_k(table: np.ndarray) -> np.ndarray:
        return np.hstack([table[:, :k].sum(axis=1, keepdims=True), table[:, k:]])

    others = binom.pmf(shown, n - 1, beta)
    without = others * noise(mapped - shown)
    having = (1 - beta) * without + beta * binom.pmf(shown - 1, n - 1, beta) * noise(mapped - (shown - 2))
    factor = exp(search) / (1 - beta)
    delta = np.maximum(hidden_below_k(having) - factor * hidden_below_k(without), 0).sum()
    assert delta > 9e-4
    assert float(ny.dp.delta(k=k, beta=beta).upper) < 3e-7


def test_no_job_reaches_the_published_form() -> None:
    for key in ("safepub-as-published", "as-published"):
        with pytest.raises(ny.NymityError):
            ny.Job.from_dict({"schema": {}, "method": {"name": key}})
