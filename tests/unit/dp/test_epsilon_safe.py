"""Epsilon-safe lattice: its score from the definition, all its changes on a small domain, its draws, good nodes.

The audit is seeded; a private method would fail it with probability 1e-6 under a fresh seed.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import count, product
from math import exp, log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.bits import Bits, Drawn, NotPrivate
from nymity.core.errors import ParameterError
from nymity.dp import choice
from nymity.dp.choice import Drawing
from nymity.dp.epsilon_safe import LevelsAndSuppression
from nymity.dp.exponential import exponential_mechanism
from nymity.dp.good_nodes import good_node_probability, good_nodes
from nymity.dp.interpolation import INTERPOLATIONS
from nymity.lattice.space import Node, Space
from nymity.table.encoding import EncodedTable, encode

A = ny.Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]])
B = ny.Hierarchy.from_rows([["x", "*"], ["y", "*"]])
HEIGHTS = (2, 1)
NODES: list[Node] = list(product(range(3), range(2)))
SPACE = Space((0, 0), HEIGHTS)
ROWS = list(product(("1", "2", "3"), ("x", "y")))
WAYS = [None, "level", "dictionary"]

Row = tuple[str, str]
Table = Counter[Row]

GENERAL = {
    (row, node): (A.generalize(row[0], node[0]), B.generalize(row[1], node[1])) for row in ROWS for node in NODES
}


def suppressed(table: Table, node: Node, k: int) -> int:
    classes: Counter[object] = Counter()
    for row, records in table.items():
        classes[GENERAL[row, node]] += records
    return sum(size for size in classes.values() if size < k)


def is_counted(node: Node, way: str | None) -> bool:
    """Every second level of the lattice, or of the first attribute, which has most."""
    return way is None or (sum(node) if way == "level" else node[0]) % 2 == 0


def beside(node: Node) -> list[Node]:
    """Nodes that differ by one level of one attribute."""
    return [other for other in NODES if sum(abs(a - b) for a, b in zip(node, other, strict=True)) == 1]


def oracle(table: Table, node: Node, k: int, penalty: Fraction, way: str | None) -> Fraction:
    """-(n G + f S), S the mean of counted neighbours if the node is not counted."""
    near = [node] if is_counted(node, way) else [other for other in beside(node) if is_counted(other, way)]
    mean = Fraction(sum(suppressed(table, other, k) for other in near), len(near))
    general = sum((Fraction(level, height) for level, height in zip(node, HEIGHTS, strict=True)), Fraction(0)) / 2
    return -(table.total() * general + penalty * mean)


def encoded(table: Table, weights: tuple[float, float] = (1.0, 1.0)) -> EncodedTable:
    frame = pl.DataFrame(list(table.elements()), schema={"a": pl.String, "b": pl.String}, orient="row")
    return encode(frame, ny.Schema({"a": ny.quasi(A, weight=weights[0]), "b": ny.quasi(B, weight=weights[1])}))


tables = st.lists(st.sampled_from(ROWS), min_size=1, max_size=25).map(Counter)


# -- the score -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=30, deadline=None)
@given(table=tables, k=st.integers(1, 6), penalty=st.sampled_from([0.01, 0.3, 1.0, 2.5]))
def test_scores_are_those_of_the_definition(way: str | None, table: Table, k: int, penalty: float) -> None:
    score = LevelsAndSuppression(encoded(table), k, penalty, way)
    for number, (node, value) in enumerate(zip(NODES, score.everywhere(SPACE).tolist(), strict=True)):
        assert SPACE.node(number) == node
        assert Fraction(value, score.scale) == oracle(table, node, k, Fraction(str(penalty)), way)
        assert Fraction(score.at(node), score.scale) == oracle(table, node, k, Fraction(str(penalty)), None)


def test_weights_say_what_levels_count() -> None:
    table = encoded(Counter({("1", "x"): 3, ("2", "y"): 1}), (3, 1))
    score = LevelsAndSuppression(table, 1, 1)
    assert [Fraction(score.at(node), score.scale) for node in ((1, 0), (0, 1), (2, 1))] == [
        -4 * Fraction(3, 8), -4 * Fraction(1, 4), -4,
    ]  # fmt: skip
    none = LevelsAndSuppression(encoded(Counter({("1", "x"): 3}), (0, 0)), 1, 1)
    assert none.everywhere(SPACE).tolist() == [0] * 6


@pytest.mark.parametrize("way", WAYS)
def test_an_empty_sample_has_scores(way: str | None) -> None:
    """A run that ended here would tell that nobody was sampled."""
    whole = encoded(Counter(ROWS))
    empty = whole.restricted(np.zeros(len(whole.counts), dtype=np.bool_))
    assert LevelsAndSuppression(empty, 2, 1, way).everywhere(SPACE).tolist() == [0] * 6


@pytest.mark.parametrize("way", WAYS)
def test_scores_beyond_64_bits_stay_exact(way: str | None) -> None:
    table = Counter({("1", "x"): 5, ("2", "y"): 1})
    penalty = Fraction(1, 10**21)
    score = LevelsAndSuppression(encoded(table), 2, penalty, way)
    assert score.scale > 2**62
    found = [Fraction(value, score.scale) for value in score.everywhere(SPACE).tolist()]
    assert found == [oracle(table, node, 2, penalty, way) for node in NODES]


@pytest.mark.parametrize("way", INTERPOLATIONS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_means_are_of_counted_neighbours(way: str, data: st.DataObject) -> None:
    low = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=4))
    space = Space(tuple(low), tuple(level + data.draw(st.integers(0, 3)) for level in low))
    counts = data.draw(st.lists(st.integers(0, 99), min_size=space.size, max_size=space.size))
    interpolation = INTERPOLATIONS[way]
    counted = interpolation.counted(space).reshape(-1)
    denominator = interpolation.denominator(space)
    means = interpolation.means(np.array(counts), space, denominator)
    nodes = [space.node(number) for number in range(space.size)]
    in_parts = {part.node(number) for part in interpolation.parts(space) for number in range(part.size)}
    for node, known, own, mean in zip(nodes, counted, counts, means.tolist(), strict=True):
        assert not known or node in in_parts
        near = [own] if known else [
            counts[i] for i, other in enumerate(nodes)
            if counted[i] and sum(abs(a - b) for a, b in zip(node, other, strict=True)) == 1
        ]  # fmt: skip
        assert Fraction(mean, denominator) == Fraction(sum(near), len(near))


def test_interpolation_leaves_out_half_of_the_lattice() -> None:
    space = Space((0,) * 3, (3, 2, 1))
    assert INTERPOLATIONS["level"].counted(space).sum() == 12
    parts = list(INTERPOLATIONS["dictionary"].parts(space))
    assert sum(part.size for part in parts) == INTERPOLATIONS["dictionary"].counted(space).sum() == 12


# -- changes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("k", "penalty"), [(1, Fraction(1)), (2, Fraction(1, 4)), (3, Fraction(2))])
def test_no_record_changes_a_score_by_more(way: str | None, k: int, penalty: Fraction) -> None:
    """Every table over four different rows, up to three of each, and every further record.

    No node gets more than e^epsilon times as likely by it."""
    rows = [("1", "x"), ("1", "y"), ("2", "x"), ("3", "y")]
    found = {
        counts: [oracle(Counter(dict(zip(rows, counts, strict=True))), node, k, penalty, way) for node in NODES]
        for counts in product(range(4), repeat=4)
    }
    pairs = [
        (scores, found[(*counts[:i], counts[i] + 1, *counts[i + 1 :])])
        for counts, scores in found.items()
        for i in range(4)
        if counts[i] < 3
    ]
    changes = [after - before for pair in pairs for before, after in zip(*pair, strict=True)]
    interval = ny.EpsilonSafeLattice(penalty=float(penalty)).interval(k, Fraction(2))
    assert interval == 1 + penalty * k
    assert -1 - penalty <= min(changes)
    assert max(changes) <= penalty * (k - 1)
    assert max(changes) - min(changes) > interval / 3, "the interval is far too wide"
    for before, after in pairs:
        one, other = (log_shares([3.0 * float(score / interval) for score in scores]) for scores in (before, after))
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 3.0 + 1e-9  # epsilon = 3


def log_shares(exponents: list[float]) -> list[float]:
    total = log(sum(exp(value - max(exponents)) for value in exponents)) + max(exponents)
    return [value - total for value in exponents]


def log_probabilities(table: Table, k: int, penalty: Fraction, rate: float) -> list[float]:
    return log_shares([rate * float(oracle(table, node, k, penalty, None)) for node in NODES])


def test_the_published_sensitivity_is_too_small() -> None:
    """f k / n takes n for fixed. With f k < 1/2 one more record makes a node more than e^epsilon times less likely."""
    k, penalty, epsilon = 2, Fraction(1, 100), 0.5
    without = Counter({("1", "x"): 10})
    having = Counter({("1", "x"): 11})
    worst = []
    for rate in (epsilon / float(2 * penalty * k), epsilon / float(1 + penalty * k)):
        sides = [log_probabilities(table, k, penalty, rate) for table in (without, having)]
        worst.append(max(abs(one - other) for one, other in zip(*sides, strict=True)))
    assert worst[0] > 10 * epsilon
    assert worst[1] <= epsilon


def test_a_draw_from_good_nodes_alone_is_not_private() -> None:
    """Whether a node is good depends on single records: here one decides whether it can be drawn at all."""
    without, having = Counter({("1", "x"): 17, ("3", "y"): 3}), Counter({("1", "x"): 18, ("3", "y"): 3})
    assert good_nodes(encoded(without), k=4)[0] != good_nodes(encoded(having), k=4)[0]


# -- the method ----------------------------------------------------------------------------------------------------

AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
SCHEMA = ny.Schema({"age": ny.quasi(AGE), "sex": ny.quasi(ny.Hierarchy.flat(["m", "f"]))})
PROMISE = ny.DifferentialPrivacy(epsilon=1.0, public_records=5000)


def people(n: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame({"age": rng.integers(0, 20, n), "sex": [("m", "f")[i] for i in rng.integers(0, 2, n)]})


@pytest.mark.parametrize("way", WAYS)
def test_one_draw_from_all_nodes_spends_the_budget(way: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = []

    def recorded(scores: object, *, epsilon: Fraction, interval: Fraction, bits: Bits) -> Drawn[int]:
        spent.append((epsilon, interval))
        return exponential_mechanism(scores, epsilon=epsilon, interval=interval, bits=bits)  # type: ignore[arg-type]

    monkeypatch.setattr(choice, "exponential_mechanism", recorded)
    method = ny.EpsilonSafeLattice(penalty=0.5, interpolation=way, not_private_seed=3)
    outcome = method.run(encode(people(), SCHEMA), [PROMISE])
    assert spent == [(PROMISE.draw_epsilon, (1 + Fraction(PROMISE.k, 2)) * outcome.scale)]
    assert outcome.interval == 1 + Fraction(PROMISE.k, 2)
    assert outcome.minimized.name == "levels-and-suppression"
    trace = outcome.trace()
    assert trace.height == 6
    chosen = trace.filter(*(pl.col(f"level of {name}") == level for name, level in outcome.levels.items()))
    assert chosen["score"].to_list() == [-outcome.loss]


def test_a_large_budget_finds_the_best_node() -> None:
    lavish = ny.DifferentialPrivacy(epsilon=900, public_records=2, epsilon_search=899)
    outcome = ny.EpsilonSafeLattice().run(encode(people(), SCHEMA), [lavish])
    assert -outcome.loss == outcome.trace()["score"].max()


def test_probabilities_are_those_of_the_exponential_mechanism() -> None:
    table = Counter({("1", "x"): 5, ("2", "y"): 4, ("3", "y"): 3})
    score = LevelsAndSuppression(encoded(table), 4, 0.5)
    drawing = Drawing(score=score, space=SPACE, interval=Fraction(3), bits=NotPrivate(5))
    runs = 600
    nodes = [drawing.from_all(epsilon=Fraction(2)).node for _ in range(runs)]
    for node, logarithm in zip(NODES, log_probabilities(table, 4, Fraction(1, 2), 2 / 3), strict=True):
        share = exp(logarithm)
        assert abs(nodes.count(node) / runs - share) < 5 * (share * (1 - share) / runs) ** 0.5 + 1e-9


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("penalty", 0), ("penalty", -1.0), ("penalty", "2"), ("penalty", float("inf")), ("penalty", None),
        ("interpolation", "levels"), ("interpolation", 1), ("not_private_seed", 0.5),
    ],
)  # fmt: skip
def test_bad_parameters(field: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        ny.EpsilonSafeLattice(**{field: value})  # type: ignore[arg-type]
    assert caught.value.where == f"epsilon-safe-lattice.{field}"


def test_what_cannot_be_published() -> None:
    table = encode(people(), SCHEMA)
    for models in ([], [ny.KAnonymity(k=2)], [PROMISE, ny.KAnonymity(k=2)]):
        with pytest.raises(ParameterError, match="differential-privacy as the only model"):
            ny.EpsilonSafeLattice().run(table, models)
    with pytest.raises(ParameterError, match="every published column to be a quasi-identifier"):
        ny.EpsilonSafeLattice().run(table, [PROMISE], columns=["age", "note"])
    deep = ny.Hierarchy.from_rows([["x", *(f"{i}" for i in range(90)), "*"], ["y", *(f"{i}" for i in range(90)), "*"]])
    wide = ny.Schema({name: ny.quasi(deep) for name in "abcd"})
    with pytest.raises(ParameterError, match="at most 4,194,304 nodes to score"):
        ny.EpsilonSafeLattice().run(encode(pl.DataFrame({name: ["x"] for name in "abcd"}), wide), [PROMISE])


# -- good nodes ----------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(table=tables, k=st.integers(1, 6))
def test_good_nodes_by_their_definition(table: Table, k: int) -> None:
    found = good_nodes(encoded(table), k=k).tolist()
    for node, good in zip(NODES, found, strict=True):
        general = (Fraction(node[0], 2) + node[1]) / 2
        few = Fraction(suppressed(table, node, k), table.total()) < Fraction(15, 100)
        assert good == (few and general < Fraction(6, 10))


def test_limits_of_good_nodes_are_not_good() -> None:
    hundred = Counter({("1", "x"): 85, ("3", "y"): 15})  # at the bottom 15 records are suppressed for k = 16
    assert not good_nodes(encoded(hundred), k=16)[0]
    assert good_nodes(encoded(Counter({("1", "x"): 86, ("3", "y"): 14})), k=15)[0]


@pytest.mark.parametrize("way", WAYS)
def test_probability_of_good_nodes(way: str | None) -> None:
    table = Counter({("1", "x"): 9, ("2", "y"): 2, ("3", "y"): 4})
    found = good_node_probability(encoded(table), k=3, epsilons=[0.5, 1], penalties=[0.1, 2], interpolation=way)
    assert found.select("epsilon", "penalty").rows() == [(0.5, 0.1), (0.5, 2), (1, 0.1), (1, 2)]
    good = good_nodes(encoded(table), k=3)
    for epsilon, penalty, probability in found.rows():
        factor = Fraction(str(penalty))
        weights = [exp(epsilon / (1 + penalty * 3) * oracle(table, node, 3, factor, way)) for node in NODES]
        expected = sum(weight for weight, is_good in zip(weights, good, strict=True) if is_good) / sum(weights)
        assert probability == pytest.approx(expected, rel=1e-9)
    with pytest.raises(ParameterError, match="epsilon"):
        good_node_probability(encoded(table), k=3, epsilons=[0], penalties=[1])
    with pytest.raises(ParameterError, match="penalty"):
        good_node_probability(encoded(table), k=3, epsilons=[1], penalties=[0])


# -- audit ---------------------------------------------------------------------------------------------------------


def test_audit_of_the_whole_method() -> None:
    """A class that the record completes, where its influence on choice and release is greatest."""
    tiny = ny.DifferentialPrivacy(epsilon=1.0, public_records=4, delta=0.05, epsilon_search=0.5)
    seeds = count()

    def shown(side: tuple[pl.DataFrame, EncodedTable]) -> tuple[int, int]:
        rows, table = side
        outcome = ny.EpsilonSafeLattice(interpolation="level", not_private_seed=next(seeds)).run(table, [tiny])
        return outcome.levels["a"], outcome.recoding.apply(rows).table.height

    frames = [pl.DataFrame({"a": ["1"] * n}) for n in (2 * tiny.k - 1, 2 * tiny.k)]
    without, having = ((rows, encode(rows, ny.Schema({"a": ny.quasi(A)}))) for rows in frames)
    assert not ny.dp.audit(shown, without, having, runs=300, delta=0.05).refutes(1.0)


def test_scores_beyond_64_bits_are_exact() -> None:
    """Twelve people who all differ are suppressed at the lowest node, and each costs the whole penalty."""
    rows = pl.DataFrame({"a": [str(i) for i in range(12)]})
    table = encode(rows, ny.Schema({"a": ny.quasi(ny.Hierarchy.flat(rows["a"].to_list()))}))
    score = LevelsAndSuppression(table, 2, 10**18)
    assert score.at((0,)) == -12 * 10**18 * score.scale
