"""SafePub: its promise, its draws and its samples. Seeded, so these tests always end the same way.

Audits bound epsilon from below by Clopper and Pearson. A private method would fail one with probability 1e-6 under a
fresh seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from math import expm1, inf, log1p

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.bits import Bits, Drawn, NotPrivate, coins
from nymity.core.errors import FileError, ParameterError
from nymity.dp import choice
from nymity.dp.choice import Drawing
from nymity.dp.exponential import exponential_mechanism, lazy_exponential_mechanism
from nymity.dp.private_method import sampled
from nymity.dp.scores import SCORES, Granularity
from nymity.lattice.space import Space
from nymity.privacy import Groups
from nymity.table.encoding import encode
from nymity.table.recoding import Recoding
from nymity.table.sampled_recoding import SampledRecoding

AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
SEX = ny.Hierarchy.flat(["m", "f"])
SCHEMA = ny.Schema({"age": ny.quasi(AGE), "sex": ny.quasi(SEX)})
PROMISE = ny.DifferentialPrivacy(epsilon=1.0, public_records=5000, delta=1e-4)


def people(n: int = 600, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"age": rng.integers(0, 20, n), "sex": [("m", "f")[i] for i in rng.integers(0, 2, n)]})


# -- the promise ---------------------------------------------------------------------------------------------------


def test_parameters_follow_from_the_budget() -> None:
    model = ny.DifferentialPrivacy(epsilon=1.0, delta=1e-5, public_records=30_162)
    assert model.epsilon_anonymization == Fraction(9, 10)
    assert model.beta == ny.dp.largest_beta(0.9) == Fraction(59343, 100_000)
    assert model.k == ny.dp.smallest_k(epsilon=0.9, delta=1e-5) == 44
    assert replace(model, notion="probabilistic").k == 58


@pytest.mark.parametrize("search", [0.001, 0.1, 0.5, 0.9])
def test_draws_on_a_sample_cost_what_they_may(search: float) -> None:
    model = ny.DifferentialPrivacy(epsilon=1.0, public_records=100, epsilon_search=search)
    cost = log1p(float(model.beta) * expm1(float(model.draw_epsilon)))
    assert search * (1 - 1e-5) < cost <= search


@pytest.mark.parametrize(
    ("records", "delta"), [(1, 1e-2), (100, 1e-4), (101, 1e-5), (10_000, 1e-6), (10_001, 1e-7), (10**6, 1e-8)]
)
def test_delta_follows_from_the_public_number_of_records(records: int, delta: float) -> None:
    assert ny.DifferentialPrivacy(epsilon=1, public_records=records).delta == delta


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epsilon", 0),
        ("epsilon", -1.0),
        ("epsilon", float("nan")),
        ("epsilon", "1"),
        ("epsilon", 1000),
        ("epsilon_search", 0),
        ("epsilon_search", 1.0),
        ("epsilon_search", 2.0),
        ("delta", 0),
        ("delta", 1),
        ("delta", 1 / 5000),
        ("public_records", 0),
        ("public_records", 2.5),
        ("notion", "usual"),
    ],
)
def test_bad_parameters_of_the_promise(field: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        ny.DifferentialPrivacy(**{"epsilon": 1.0, "public_records": 5000, field: value})
    assert caught.value.where == f"differential-privacy.{field}"


def test_any_epsilon_below_1000_is_one() -> None:
    assert ny.DifferentialPrivacy(epsilon=999.9, public_records=5000).epsilon == 999.9
    assert ny.dp.delta(k=2, beta=0.5, epsilon=999.9).epsilon == Fraction("999.9")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("score", "gran"),
        ("target", "age"),
        ("steps", 0),
        ("steps", 1.5),
        ("final_share", 0),
        ("final_share", 1),
        ("not_private_seed", "x"),
    ],
)
def test_bad_parameters_of_the_method(field: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        ny.SafePub(**{field: value})  # type: ignore[arg-type]
    assert caught.value.where == f"safepub.{field}"
    with pytest.raises(ParameterError, match=r"safepub\.target: expected the attribute to classify by"):
        ny.SafePub(score="classification")


@pytest.mark.parametrize(
    ("ages", "sexes", "holds"),
    [
        ([], [], True),
        (["0-4"] * 32, ["m"] * 32, True),
        (["0-4"] * 31, ["m"] * 31, False),
        (["*"] * 32, ["*"] * 32, True),  # the only class of the top
        (["*"] * 31, ["*"] * 31, False),
        (["0-4"] * 32 + ["*"] * 32, ["m"] * 32 + ["*"] * 32, False),  # suppressed records that are shown
        (["0-4"] * 32 + ["*"] * 32, ["m"] * 64, True),
    ],
)
def test_what_a_table_shows_of_the_promise(ages: list[str], sexes: list[str], holds: bool) -> None:
    assert PROMISE.k == 32
    table = pl.DataFrame({"age": ages, "sex": sexes}, schema={"age": pl.String, "sex": pl.String})
    assert PROMISE.holds(Groups(table, ["age", "sex"])) is holds


# -- samples -------------------------------------------------------------------------------------------------------


def test_a_sampled_table_has_part_of_every_combination() -> None:
    whole = encode(people(3000), SCHEMA)
    part = sampled(whole, Fraction(1, 3), NotPrivate(1))
    assert part.n_records == part.counts.sum()
    assert abs(part.n_records - 1000) < 5 * (3000 * 2 / 9) ** 0.5
    of = {tuple(row): count for row, count in zip(whole.combinations.tolist(), whole.counts.tolist(), strict=True)}
    for row, count in zip(part.combinations.tolist(), part.counts.tolist(), strict=True):
        assert 0 < count <= of[tuple(row)]


def recoding(k: int = 5, seed: int = 1, **levels: int) -> SampledRecoding:
    chosen = {"age": 1, "sex": 0} | levels
    return SampledRecoding(("age", "sex"), {"age": AGE, "sex": SEX}, chosen, k, Fraction(1, 2), NotPrivate(seed))


def test_small_classes_are_left_out_and_nothing_is_masked() -> None:
    source = people(300)
    found = recoding(k=20).apply(source)
    kept = coins(Fraction(1, 2), 300, NotPrivate(1))
    general = source.select((pl.col("age") // 5).alias("age"), "sex").with_row_index("row").filter(kept)
    large = general.filter(pl.len().over("age", "sex") >= 20)
    assert 0 < large.height < general.height
    assert sorted(found.source_rows.tolist()) == large["row"].to_list()
    for (age, sex), row in zip(found.table.iter_rows(), found.source_rows.tolist(), strict=True):
        start = source["age"][row] // 5 * 5
        assert (age, sex) == (f"{start}-{start + 4}", source["sex"][row])
    assert not found.masked.any()


def test_the_order_of_rows_tells_nothing() -> None:
    """Rows that look the same follow one another, whatever the order of the table."""
    source, orders = people(300), []
    for frame in (source, source.reverse()):
        rows = list(recoding(k=10).apply(frame).table.iter_rows())
        assert len(set(rows)) > 1
        assert len(list(groupby(rows))) == len(set(rows))
        orders.append([row for row, _ in groupby(rows)])
    common = [[row for row in order if row in orders[0] and row in orders[1]] for order in orders]
    assert common[0] == common[1]


def test_each_application_draws_anew() -> None:
    again = recoding()
    first, second = again.apply(people()), again.apply(people())
    assert first.source_rows.tolist() != second.source_rows.tolist()


def test_cells_are_text_whatever_type_a_column_has() -> None:
    """The categories of a column tell which values others had, and its type does too."""
    source = people().with_columns(pl.col("sex").cast(pl.Enum(["m", "f"])))
    assert recoding().apply(source).table["sex"].dtype == pl.String
    assert recoding(age=0).apply(source).table["age"].dtype == pl.String


def test_other_records_cannot_be_shown() -> None:
    for outliers in ("mask", "keep"):
        with pytest.raises(ParameterError, match="the number of other records is private"):
            recoding().apply(people(), outliers=outliers)  # type: ignore[arg-type]
    strange = pl.concat([people(200), pl.DataFrame({"age": [99] * 50, "sex": ["m"] * 50})])
    assert recoding().apply(strange).source_rows.max() < 200


def test_a_recoding_goes_to_a_file_and_back() -> None:
    one = recoding()
    again = Recoding.from_dict(one.to_dict())
    assert isinstance(again, SampledRecoding)
    assert again.to_dict() == one.to_dict()
    assert again.bits.private
    assert again.mapping().equals(one.mapping())
    for broken in ({"beta": "1"}, {"k": 0}, {"levels": {"age": 9, "sex": 0}}, {"outliers": "mask"}, {"columns": ["x"]}):
        with pytest.raises((FileError, ParameterError)):
            Recoding.from_dict(one.to_dict() | broken)


def test_the_release_is_not_the_sample_that_levels_were_chosen_on() -> None:
    rows = pl.DataFrame({"age": [3] * 400, "sex": ["m"] * 400})
    outcome = ny.SafePub(not_private_seed=4).run(encode(rows, SCHEMA), [PROMISE])
    chosen_on = np.flatnonzero(coins(PROMISE.beta, 400, NotPrivate(4)))
    assert outcome.sample_records == len(chosen_on)
    released_rows = outcome.recoding.apply(rows).source_rows
    both = np.intersect1d(chosen_on, released_rows)
    assert abs(len(both) - 400 * float(PROMISE.beta) ** 2) < 5 * 10  # as many as independent samples share


# -- choices -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("steps", [None, 4])
def test_every_score_and_search_chooses_a_node(score: str, steps: int | None) -> None:
    target = "sex" if score == "classification" else None
    method = ny.SafePub(score=score, target=target, steps=steps, not_private_seed=2)
    outcome = method.run(encode(people(), SCHEMA), [PROMISE])
    assert outcome.levels.keys() == {"age", "sex"}
    assert target is None or outcome.levels["sex"] == 0
    assert outcome.foreseen
    trace = outcome.trace()
    assert trace.height <= (5 if steps is not None else 3 if target else 6)
    chosen = trace.filter(*(pl.col(f"level of {name}") == level for name, level in outcome.levels.items()))
    assert chosen["score"].to_list() == [-outcome.loss]


def test_a_large_budget_finds_the_best_node() -> None:
    table = encode(people(), SCHEMA)
    for method in (ny.SafePub(), ny.SafePub(steps=20)):
        outcome = method.run(table, [ny.DifferentialPrivacy(epsilon=900, public_records=2, epsilon_search=899)])
        assert -outcome.loss == outcome.trace()["score"].max()


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("steps", [None, 1, 4])
def test_draws_spend_the_budget_and_no_more(score: str, steps: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = []

    def recorded(mechanism: Callable[..., Drawn[int]]) -> Callable[..., Drawn[int]]:
        def draw(*candidates: object, epsilon: Fraction, interval: Fraction, bits: Bits) -> Drawn[int]:
            spent.append((epsilon, interval))
            return mechanism(*candidates, epsilon=epsilon, interval=interval, bits=bits)

        return draw

    for mechanism in (exponential_mechanism, lazy_exponential_mechanism):
        monkeypatch.setattr(choice, mechanism.__name__, recorded(mechanism))
    target = "sex" if score == "classification" else None
    method = ny.SafePub(score=score, target=target, steps=steps, final_share=0.3)
    outcome = method.run(encode(people(), SCHEMA), [PROMISE])
    low, high = SCORES[score].changes(PROMISE.k, Fraction(2))
    assert {interval for _, interval in spent} == {(high - low) * outcome.scale}
    total = sum(epsilon for epsilon, _ in spent)
    assert total == PROMISE.draw_epsilon if len(spent) == 1 + (steps or 0) else total < PROMISE.draw_epsilon


def test_a_walk_ends_where_no_candidate_is_left() -> None:
    outcome = ny.SafePub(steps=1000).run(encode(people(), SCHEMA), [PROMISE])
    assert outcome.trace().height == 6


@pytest.mark.parametrize("lazy_from", [0, inf])
def test_probabilities_of_one_draw_are_those_of_the_exponential_mechanism(
    lazy_from: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether all nodes are scored, or those that bounds leave a chance."""
    monkeypatch.setattr(Granularity, "lazy_from", lazy_from)
    table = encode(people(60), SCHEMA)
    score, space = Granularity(table, 3), Space((0, 0), (2, 1))
    low, high = Granularity.changes(3, Fraction(2))
    scores = score.everywhere(space) / score.scale
    weights = np.exp((scores - scores.max()) / float(high - low))
    drawing = Drawing(score=score, space=space, interval=high - low, bits=NotPrivate(3))
    runs = 800
    nodes = [drawing.from_all(epsilon=Fraction(1)).node for _ in range(runs)]
    for number, share in enumerate(weights / weights.sum()):
        found = nodes.count(space.node(number)) / runs
        assert abs(found - share) < 5 * (share * (1 - share) / runs) ** 0.5 + 1e-9


def test_what_cannot_be_published() -> None:
    table = encode(people(), SCHEMA)
    for models in ([], [ny.KAnonymity(k=2)], [PROMISE, ny.KAnonymity(k=2)]):
        with pytest.raises(ParameterError, match="differential-privacy as the only model"):
            ny.SafePub().run(table, models)
    with pytest.raises(ParameterError, match="every published column to be a quasi-identifier"):
        ny.SafePub().run(table, [PROMISE], columns=["age", "sex", "note"])
    with pytest.raises(ParameterError, match="target"):
        ny.SafePub(score="classification", target="note").run(table, [PROMISE])


def test_scoring_some_nodes_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever watches a long search can tell how far it is, and stop it."""
    monkeypatch.setattr(Granularity, "lazy_from", 0)
    seen: list[tuple[str, int]] = []
    method = ny.SafePub(score="granularity")
    ny.publish(people(), SCHEMA, privacy=PROMISE, method=method, observe=lambda p: seen.append((p.stage, p.done)))
    scored = [done for stage, done in seen if stage == "scoring nodes"]
    assert scored == sorted(scored)
    assert scored
