"""Models that compare shares in which every person weighs one: searches against every node tried by the definitions.

q_s(C) = (1 / |P(C)|) sum over p of n_psC / n_pC; that of the table is the same of all its records as one class. The
oracle counts (who, value) and makes fractions of that; it never sees parts.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.lattice.rollup import RollUp
from nymity.privacy import Groups, PrivacyModel
from nymity.privacy.decision import accepted_and_most_kept
from nymity.table import person_parts
from nymity.table.classes import Classes, Histogram, PairHistogram
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.person_parts import Parts
from nymity.table.recoding import Outliers
from nymity.table.schema import Schema
from strategies import Case, cases

WHO, PAIRS = "who", "who and s0"
#: A tree and an order of the values that cases have, a missing one first.
TREE = Hierarchy.from_rows([["x", "xy", "*"], ["y", "xy", "*"], ["z", "z", "*"]])
ORDER = [None, "x", "y", "z"]

Piece = tuple[PrivacyModel, naive.Rules]


def by_persons(likeness: naive.Likeness) -> naive.Rules:
    """The same of shares in which every person weighs one."""
    return naive.Rules(
        likeness=((PAIRS, lambda one, all_: likeness(naive.each_person_one(one), naive.each_person_one(all_))),)  # type: ignore[arg-type]
    )


def with_persons(judge: naive.Judge, least: int) -> naive.Rules:
    """A judge of such shares, and as many persons."""

    def judged(_: int, counts: Any) -> bool:
        parts = naive.each_person_one(counts[PAIRS])
        return len(counts[WHO]) >= least and judge(parts.total(), {"s0": parts})

    return naive.Rules(judges=(judged,))


def entropy(draw: st.DrawFn, case: Case) -> Piece:
    l = draw(st.sampled_from([x for x in (1, 1.5, 2, 2.5, 3) if math.ceil(x) <= case.frame["s0"].n_unique()]))  # noqa: E741
    return ny.EntropyLDiversity(l=l, attribute="s0"), with_persons(naive.entropic(l, "s0"), math.ceil(l))


def recursive(draw: st.DrawFn, case: Case) -> Piece:
    values = case.frame["s0"].n_unique()
    least = {(c, m): m + math.floor(1 / Fraction(str(c))) for c in (0.6, 1, 1.5, 2, 3) for m in (1, 2, 3)}
    c, l = draw(st.sampled_from([pair for pair in least if least[pair] <= values] or [(1.5, 1)]))  # noqa: E741
    return ny.RecursiveDiversity(c=c, l=l, attribute="s0"), with_persons(naive.recursive(c, l, "s0"), least[c, l])


def close_equal(draw: st.DrawFn, case: Case) -> Piece:
    t = draw(st.sampled_from([0, 0.1, 0.25, 0.5, 1]))
    return ny.TCloseness(t=t, attribute="s0"), by_persons(naive.close(t, naive.equally_apart))


def close_ordered(draw: st.DrawFn, case: Case) -> Piece:
    t = draw(st.sampled_from([0, 0.1, 0.25, 0.5]))
    rules = by_persons(naive.close(t, naive.apart_in_order(ORDER)))
    return ny.TCloseness(t=t, attribute="s0", distance="ordered"), rules


def close_in_tree(draw: st.DrawFn, case: Case) -> Piece:
    t = draw(st.sampled_from([0, 0.1, 0.25, 0.5]))
    tree = case.schema.hierarchy("s0", case.frame["s0"].unique())
    return ny.TCloseness(t=t, attribute="s0", distance="hierarchical"), by_persons(
        naive.close(t, naive.apart_in_tree(tree))
    )


def likeness(draw: st.DrawFn, case: Case) -> Piece:
    beta = draw(st.sampled_from([0.2, 0.5, 1, 2]))
    return ny.BetaLikeness(beta=beta, attribute="s0"), by_persons(naive.alike(beta))


def enhanced(draw: st.DrawFn, case: Case) -> Piece:
    beta = draw(st.sampled_from([0.5, 1, 10]))
    return ny.EnhancedBetaLikeness(beta=beta, attribute="s0"), by_persons(naive.alike(beta, enhanced=True))


def disclosure(draw: st.DrawFn, case: Case) -> Piece:
    delta = draw(st.sampled_from([0.1, 0.5, 0.7, 1.2, 2]))
    return ny.DeltaDisclosure(delta=delta, attribute="s0"), by_persons(naive.disclosing(delta))


def k_of_persons(draw: st.DrawFn, case: Case) -> Piece:
    k = draw(st.integers(1, min(3, case.frame["who"].n_unique())))
    return ny.KAnonymity(k=k), naive.Rules(judges=(lambda _, counts: len(counts[WHO]) >= k,))


MODELS = [entropy, recursive, close_equal, close_ordered, close_in_tree, likeness, enhanced, disclosure]
ids = [piece.__name__ for piece in MODELS]


@dataclass(frozen=True)
class Problem:
    """A table whose records are of few persons, and the same demands as models and as rules."""

    case: Case
    records: naive.Records
    models: tuple[PrivacyModel, ...]
    rules: naive.Rules
    suppression: float
    outliers: Outliers

    def gone(self, node: naive.Node) -> naive.Decided:
        return naive.decided(self.records, node, self.rules, mask=self.outliers == "mask")

    @property
    def nodes(self) -> list[naive.Node]:
        return list(naive.nodes(self.case.low, self.case.high))


@st.composite
def problems(draw: st.DrawFn, first: Any, **options: Any) -> Problem:
    case = draw(cases(n_sensitive=1, max_attributes=2, max_records=14, uneven=draw(st.booleans()), **options))
    n = case.frame.height
    who = draw(st.lists(st.integers(0, draw(st.integers(0, 5))), min_size=n, max_size=n))
    frame = case.frame.with_columns(pl.Series("who", [f"p{number}" for number in who]))
    columns = {**case.schema, "who": ny.person(), "s0": ny.sensitive(TREE)}
    case = Case(frame, Schema(columns), case.hierarchies)
    values = case.records.sensitive["s0"]
    further: dict[str, Any] = {WHO: who, PAIRS: list(zip(who, values, strict=True))}
    records = replace(case.records, sensitive={**case.records.sensitive, **further})
    pieces = [first(draw, case), *(draw(st.lists(st.just(k_of_persons), max_size=1)) and [k_of_persons(draw, case)])]
    rules = naive.Rules(
        judges=tuple(judge for _, ruled in pieces for judge in ruled.judges),
        likeness=tuple(one for _, ruled in pieces for one in ruled.likeness),
    )
    suppression = draw(st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    outliers: Outliers = draw(st.sampled_from(["mask", "remove"]))
    return Problem(case, records, tuple(model for model, _ in pieces), rules, suppression, outliers)


@pytest.mark.parametrize("first", MODELS, ids=ids)
@given(data=st.data())
@settings(max_examples=100)
def test_every_node_suppresses_what_the_definition_says(first: Any, data: st.DataObject) -> None:
    problem = data.draw(problems(first))
    engine = RollUp(problem.case.encoded, problem.models, outliers=problem.outliers)
    # few parts in 64 bits, or Python's integers as if there were more than fit
    with patch.object(person_parts, "MAX_PARTS", data.draw(st.sampled_from([person_parts.MAX_PARTS, 1]))):
        for node in problem.nodes:
            expected = problem.gone(node)
            assert int(engine.check(node).suppressed[0]) == len(expected.gone)
            decision = engine.classes(node).decision
            assert (decision.outliers == "remove") == (expected.removed or problem.outliers == "remove")


@pytest.mark.parametrize("first", MODELS, ids=ids)
@given(data=st.data())
@settings(max_examples=150)
def test_the_optimum_is_that_of_all_nodes(first: Any, data: st.DataObject) -> None:
    problem = data.draw(problems(first, bounded=True))
    loss = data.draw(st.sampled_from(["loss", "discernibility"]))
    limit = naive.limit_of(repr(problem.suppression), len(problem.records))
    share, who = data.draw(st.sampled_from([None, None, 0, 0.34, 0.5])), problem.records.sensitive[WHO]
    tied = []
    for node in problem.nodes:
        gone = problem.gone(node).gone
        touched = Fraction(len({who[record] for record in gone}), len(set(who)))
        if len(gone) <= limit and len(gone) < len(problem.records) and (share is None or touched <= share):
            value = float(naive.compared(problem.records, node, gone, loss)[0])
            tied.append((value, len(gone), sum(node), node))
    method = ny.OptimalLattice(
        suppression=problem.suppression, loss=loss, outliers=problem.outliers, suppression_persons=share
    )
    if not tied:
        with pytest.raises(ny.NoSolutionError):
            method.run(problem.case.encoded, problem.models)
        return
    least = min(tied)[0]
    best = min((entry for entry in tied if entry[0] <= least * (1 + 1e-12)), key=lambda entry: entry[1:])
    found = method.run(problem.case.encoded, problem.models)
    assert (tuple(found.levels.values()), found.suppressed) == (best[3], best[1])
    assert found.optimal


@pytest.mark.parametrize("first", MODELS, ids=ids)
@given(data=st.data())
@settings(max_examples=60)
def test_other_searches_find_solutions_or_refuse(first: Any, data: st.DataObject) -> None:
    problem = data.draw(problems(first))
    kind = data.draw(st.sampled_from([ny.OLA, ny.Samarati, ny.Datafly, ny.MinGen, ny.AnytimeLattice]))
    method = kind(suppression=problem.suppression, outliers=problem.outliers)
    if kind in (ny.OLA, ny.Samarati):
        with pytest.raises(ny.NymityError, match="stay satisfied"):
            method.run(problem.case.encoded, problem.models)
        return
    limit = naive.limit_of(repr(problem.suppression), len(problem.records))
    fewest = min(len(problem.gone(node).gone) for node in problem.nodes)
    try:
        found = method.run(problem.case.encoded, problem.models)
    except ny.NoSolutionError:
        assert fewest > limit or fewest == len(problem.records) or kind is ny.Datafly
        return
    assert found.suppressed == len(problem.gone(tuple(found.levels.values())).gone) <= limit


@pytest.mark.parametrize("first", MODELS, ids=ids)
@given(data=st.data())
@settings(max_examples=60)
def test_verification_says_what_the_definition_says(first: Any, data: st.DataObject) -> None:
    """On rows as they are, without any search: every class of the raw table must keep it."""
    problem = data.draw(problems(first))
    table, quasi = problem.case.frame, problem.case.schema.quasi
    groups = Groups(table, quasi, hierarchies={"s0": TREE}, persons=table["who"])
    (model, *_) = problem.models
    everyone = list(range(len(problem.records)))
    rules = replace(problem.rules, judges=problem.rules.judges[:1]) if problem.rules.judges else problem.rules
    if first not in (entropy, recursive):
        rules = replace(rules, judges=())
    raw = naive.classes(problem.records, (0,) * len(quasi)).values()
    assert model.holds(groups) == all(naive._keeps(problem.records, members, everyone, rules) for members in raw)
    reached = model.reached(groups)
    name = {"entropy-l-diversity": "l", "recursive-diversity": "c"}.get(model.key)
    value = reached[name or next(iter(reached))]
    if value is not None and model.holds(groups):
        limit = getattr(model, name or next(iter(reached)))
        assert value >= limit * (1 - 1e-9) if name == "l" else value <= limit


@pytest.mark.parametrize("first", MODELS, ids=ids)
@given(data=st.data())
@settings(max_examples=60)
def test_nothing_below_a_node_publishes_more_than_its_bound(first: Any, data: st.DataObject) -> None:
    problem = data.draw(problems(first))
    engine = RollUp(problem.case.encoded, problem.models, outliers=problem.outliers)
    for node in problem.nodes:
        most = int(accepted_and_most_kept(engine.classes(node).classes, problem.models)[1].sum())
        for below in naive.nodes(problem.case.low, node):
            assert len(problem.records) - len(problem.gone(below).gone) <= most


# -- shares in which persons weigh alike are no mixtures ----------------------------------------------------------

#: 1 and 2 are one class a level up.
MERGES = Hierarchy.from_rows([["1", "12", "*"], ["2", "12", "*"], ["3", "3", "*"]])


@pytest.mark.parametrize(
    ("rows", "model"),
    [
        # half has y in {a, c} and in {b, c}, two of three in {a, b, c}: c is in both, and weighs one
        ("1ay 1cx 2by 2cx", ny.EntropyLDiversity(l=2, attribute="s0")),
        ("1ay 1cx 2by 2cx", ny.RecursiveDiversity(c=2, l=2, attribute="s0")),
        ("1ax 1ay 2ax 2cy 3bx", ny.TCloseness(t=0.1, attribute="s0")),
        ("1cx 1cy 2ay 2cx 3bx", ny.BetaLikeness(beta=0.2, attribute="s0")),
        ("1cx 1cy 2ay 2cx 3bx", ny.EnhancedBetaLikeness(beta=0.2, attribute="s0")),
        ("1bx 1cy 2ay 2bx 3cx", ny.DeltaDisclosure(delta=0.3, attribute="s0")),
    ],
)
def test_the_union_of_two_good_classes_need_not_be_good(rows: str, model: PrivacyModel) -> None:
    cells = [tuple(row) for row in rows.split()]
    table = pl.DataFrame(cells, schema=["q", "who", "s0"], orient="row")
    schema = Schema({"q": ny.quasi(MERGES), "who": ny.person(), "s0": ny.sensitive()})
    engine = RollUp(encode(table, schema), [model])
    apart, together = (engine.classes((level,)) for level in (0, 1))
    assert model.accepts(apart.classes)[:2].all()
    assert not model.accepts(together.classes)[0]


def test_one_person_with_every_value_is_a_class_of_one() -> None:
    """Her values are spread evenly, and certain: diversity asks for persons, too."""
    table = pl.DataFrame({"q": ["1"] * 2 + ["2"] * 2, "who": ["a", "a", "b", "c"], "s0": ["x", "y", "x", "y"]})
    schema = Schema({"q": ny.quasi(), "who": ny.person(), "s0": ny.sensitive()})
    encoded = encode(table, schema)
    for model in (ny.EntropyLDiversity(l=2, attribute="s0"), ny.RecursiveDiversity(c=2, l=2, attribute="s0")):
        classes = RollUp(encoded, [model]).classes((0,)).classes
        assert model.accepts(classes).tolist() == [False, True]
        groups = Groups(table, ["q"], persons=table["who"])
        assert not model.holds(groups)
    assert ny.EntropyLDiversity.measure(groups, "s0") == {"l": 1}
    assert ny.RecursiveDiversity.measure(groups, "s0") == {"c": None, "l": 2}


# -- exact, however many parts --------------------------------------------------------------------------------------


def wide(most: int) -> tuple[Classes, Counter[Any], Counter[Any]]:
    """Two classes, with persons of 1 to ``most`` records of which the first has another value; the pairs of both."""
    rows = [(person, "y" if record else "x") for person in range(most) for record in range(person + 1)]
    one, other = Counter(rows), Counter([(most, "x"), (most + 1, "y")])
    pairs = sorted({*one, *other})
    entries = [(c, pairs.index(pair), n) for c, counts in enumerate((one, other)) for pair, n in sorted(counts.items())]
    owner, codes, counts = (np.array(column, dtype=np.uint32) for column in zip(*entries, strict=True))
    value_of = np.array(["xy".index(value) for _, value in pairs])
    person_of = np.array([who for who, _ in pairs])
    found = PairHistogram(2, len(pairs), owner, codes, counts, value_of=value_of, person_of=person_of)
    owner, persons = np.array([0] * most + [1, 1], np.uint32), np.arange(most + 2, dtype=np.uint32)
    who = Histogram(2, most + 2, owner, persons, np.ones(most + 2, np.uint32))
    values = Histogram(2, 2, np.array([0, 0, 1, 1], np.uint32), np.array([0, 1] * 2, np.uint32), np.ones(4, np.uint32))
    sizes = np.array([one.total(), other.total()], dtype=np.uint32)
    return (
        Classes(
            sizes,
            {"s0": values},
            persons=who,
            pairs={"s0": found},
            wholes={"s0": found.merged(np.array([True, True])).parts},
        ),
        one,
        other,
    )


@pytest.mark.parametrize(("most", "few"), [(6, True), (60, False), (400, False)])
def test_shares_of_any_number_of_parts_are_exact(most: int, few: bool) -> None:
    classes, one, other = wide(most)
    weighed = classes.weighing_persons_alike("s0")
    assert (weighed.sizes.dtype != object) == few
    histogram = weighed.histograms["s0"]
    shares = [Fraction(int(n), int(weighed.sizes[c])) for c, n in zip(histogram.classes, histogram.counts, strict=True)]
    for counts, found in ((one, shares[:2]), (other, shares[2:])):
        expected = naive.each_person_one(counts)
        assert found == [Fraction(expected[v], expected.total()) for v in "xy"]
    whole = naive.each_person_one(one + other)
    assert Fraction(int(histogram.overall[0]), int(histogram.overall.sum())) == Fraction(whole["x"], whole.total())


@pytest.mark.parametrize("most", [6, 60])
def test_decisions_at_the_limit_are_exact(most: int) -> None:
    """The class is as far from the table as t says, or by less than any floating-point number could tell."""
    classes, one, other = wide(most)
    p, q = (Fraction(c["x"], c.total()) for c in map(naive.each_person_one, (one, one + other)))
    distance = max(abs(p - q), abs(Fraction(1, 2) - q))
    exact = Fraction(str(round(float(distance), 8)))
    model = ny.TCloseness(t=float(exact), attribute="s0")
    assert bool(model.accepts(classes).all()) == (distance <= exact)
    gain = max((p - q) / q, (q - p) / (1 - q), (Fraction(1, 2) - q) / q, (q - Fraction(1, 2)) / (1 - q))
    beta = Fraction(str(round(float(gain), 8)))
    assert bool(ny.BetaLikeness(beta=float(beta), attribute="s0").accepts(classes).all()) == (gain <= beta)
    for c in (Fraction(9, 10), Fraction(11, 10)):
        top, rest = max(p, 1 - p), min(p, 1 - p)
        ratio = Fraction(str(round(float(top / rest * c), 6)))
        recursive = ny.RecursiveDiversity(c=float(ratio), l=2, attribute="s0")
        assert bool(recursive.accepts(classes)[0]) == (top < ratio * rest)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2), st.integers(1, 90)), max_size=20))
def test_parts_are_what_the_definition_says(rows: list[tuple[int, int, int, int]]) -> None:
    entries = {(c, who, value): n for c, who, value, n in rows}
    classes, persons, codes = (np.array([key[i] for key in entries], dtype=np.int64) for i in range(3))
    counts = np.array(list(entries.values()), dtype=np.uint32)
    found = Parts.of(classes.astype(np.uint32), persons, codes, counts, 3)
    for number in range(3):
        pairs: Counter[Any] = Counter({(who, value): n for (c, who, value), n in entries.items() if c == number})
        expected = naive.each_person_one(pairs)
        inside = found.classes == number
        shares = {
            int(code): Fraction(int(parts), int(found.wholes[number]))
            for code, parts in zip(found.codes[inside], found.parts[inside], strict=True)
        }
        assert shares == {value: Fraction(n, expected.total()) for value, n in expected.items()}
