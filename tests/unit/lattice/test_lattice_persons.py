"""Searches that count persons, against every node tried by the definitions on lists of records.

A class C has persons P(C); P_s(C) are those with value s in a record of C. The oracle sees who and (who, value) as
two more columns and computes nothing from records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
from nymity.privacy import PrivacyModel
from nymity.privacy.decision import accepted_and_most_kept, decide
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, cases, node_between

WHO, PAIRS = "who", "who and s0"


def persons(counts: Any) -> int:
    return len(counts[WHO])


def largest_share(counts: Any) -> Fraction:
    having: dict[object, set[object]] = {}
    for who, value in counts[PAIRS]:
        having.setdefault(value, set()).add(who)
    return max(Fraction(len(those), persons(counts)) for those in having.values())


def share_of(counts: Any, value: object) -> Fraction:
    return Fraction(len({who for who, own in counts[PAIRS] if own == value}), persons(counts))


@st.composite
def person_cases(draw: st.DrawFn, **options: Any) -> tuple[Case, naive.Records]:
    """A table whose records are of few persons, with the same for the oracle."""
    case = draw(cases(n_sensitive=1, missing=False, **options))
    n = case.frame.height
    who = draw(st.lists(st.integers(0, draw(st.integers(0, 7))), min_size=n, max_size=n))
    frame = case.frame.with_columns(pl.Series("who", [f"p{number}" for number in who]))
    found = Case(frame, Schema({**case.schema, "who": ny.person()}), case.hierarchies)
    seen = case.records
    values = seen.sensitive["s0"]
    further: dict[str, Any] = {WHO: who, PAIRS: list(zip(who, values, strict=True))}
    return found, replace(seen, sensitive={**seen.sensitive, **further})


@st.composite
def person_demands(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, naive.Judge]:
    """One promise, as a model and as a judge."""
    people = case.frame["who"].n_unique()
    values = case.frame["s0"].n_unique()
    k = draw(st.integers(1, min(4, people)))
    l = draw(st.integers(1, min(3, values)))  # noqa: E741
    alpha = draw(st.sampled_from(["0.34", "0.5", "0.7", "1"]))
    kind = draw(st.sampled_from(["k", "risk", "distinct", "frequency", "alpha", "f", "dominance"]))
    if kind == "dominance" and Fraction(alpha) * people >= 1:
        return ny.Dominance(
            limit=float(alpha)
        ), lambda size, counts: max(Fraction(rows, size) for rows in counts[WHO].values()) <= Fraction(alpha)
    if kind == "k":
        return ny.KAnonymity(k=k), lambda _, counts: persons(counts) >= k
    if kind == "risk":
        limit = draw(st.sampled_from(["0.3", "0.5", "1"]))
        if Fraction(limit) * people < 1:
            limit = "1"
        return ny.ProsecutorRisk(limit=float(limit)), lambda _, c: Fraction(1, persons(c)) <= Fraction(limit)
    if kind == "distinct":
        model: PrivacyModel = ny.DistinctLDiversity(l=l, attribute="s0")
        return model, lambda _, counts: len(counts["s0"]) >= l and persons(counts) >= l
    if kind == "frequency":
        return ny.FrequencyLDiversity(l=l, attribute="s0"), lambda _, counts: largest_share(counts) <= Fraction(1, l)
    if kind == "alpha" and Fraction(alpha) * values >= 1:
        return ny.AlphaKAnonymity(
            alpha=float(alpha), k=k, attribute="s0"
        ), lambda _, counts: persons(counts) >= k and largest_share(counts) <= Fraction(alpha)
    value = draw(st.sampled_from(sorted(case.frame["s0"].drop_nulls().unique().to_list()) or [""]))
    return ny.FPrivacy(
        thresholds={value: float(alpha)}, attribute="s0"
    ), lambda _, counts: share_of(counts, value or None) <= Fraction(alpha)


@given(st.data())
@settings(max_examples=300)
def test_every_node_suppresses_what_the_definition_says(data: st.DataObject) -> None:
    case, records = data.draw(person_cases())
    model, judge = data.draw(person_demands(case))
    engine = RollUp(case.encoded, [model])
    node = data.draw(node_between((0,) * len(case.schema.quasi), case.top))
    gone = naive.suppressed(records, node, [judge])
    assert int(engine.check(node).suppressed[0]) == len(gone)
    walked = {
        tuple(levels): suppressed
        for batch in engine.walk(ny_space(case))
        for levels, suppressed in zip(batch.levels.tolist(), batch.suppressed.tolist(), strict=True)
    }
    for one in naive.nodes(case.low, case.high):
        assert walked[one] == len(naive.suppressed(records, one, [judge]))


def ny_space(case: Case) -> Any:
    from nymity.lattice.space import Space

    return Space.of(case.encoded)


def few_persons(records: naive.Records, share: str | None) -> Callable[[set[int]], bool]:
    """Whether records may be suppressed that are of no more than this share of the persons."""
    who = records.sensitive[WHO]
    return lambda gone: share is None or len({who[r] for r in gone}) <= Fraction(share) * len(set(who))


@given(st.data())
@settings(max_examples=300)
def test_the_optimum_is_that_of_all_nodes(data: st.DataObject) -> None:
    case, records = data.draw(person_cases(bounded=True))
    pairs = [data.draw(person_demands(case)) for _ in range(data.draw(st.integers(1, 2)))]
    models, judges = [model for model, _ in pairs], [judge for _, judge in pairs]
    suppression = data.draw(st.sampled_from(["0", "0.1", "0.4", "1"]))
    limit = naive.limit_of(suppression, len(records))
    loss = data.draw(st.sampled_from(["loss", "discernibility", "average-class-size"]))
    share = data.draw(st.sampled_from([None, None, "0", "0.2", "0.5", "0.9"]))
    best = naive.optimum(records, judges, loss, limit, case.low, case.high, few_persons(records, share))
    persons = None if share is None else float(share)
    method = ny.OptimalLattice(suppression=float(suppression), loss=loss, suppression_persons=persons)
    if best is None:
        with pytest.raises(ny.NoSolutionError):
            method.run(case.encoded, models)
        return
    found = method.run(case.encoded, models)
    assert (tuple(found.levels.values()), found.suppressed) == (best.node, best.suppressed)
    assert found.loss == pytest.approx(float(best.loss))


@given(st.data())
@settings(max_examples=200)
def test_other_searches_find_solutions_and_never_worse_than_they_say(data: st.DataObject) -> None:
    case, records = data.draw(person_cases())
    model, judge = data.draw(person_demands(case))
    suppression = data.draw(st.sampled_from(["0", "0.2"]))
    limit = naive.limit_of(suppression, len(records))
    kind = data.draw(st.sampled_from([ny.OLA, ny.Samarati, ny.Datafly, ny.MinGen, ny.AnytimeLattice]))
    share = data.draw(st.sampled_from([None, "0", "0.34", "0.5"]))
    allowed = few_persons(records, share)
    possible = naive.optimum(records, [judge], "loss", limit, case.low, case.high, allowed) is not None
    method = kind(suppression=float(suppression), suppression_persons=None if share is None else float(share))
    if kind in (ny.OLA, ny.Samarati) and not model.monotone_generalization:
        with pytest.raises(ny.NymityError, match="stay satisfied"):
            method.run(case.encoded, [model])
        return
    try:
        found = method.run(case.encoded, [model])
    except ny.NoSolutionError:
        assert not possible or (kind is ny.Datafly and not model.monotone_generalization)
        return
    assert possible
    gone = naive.suppressed(records, tuple(found.levels.values()), [judge])
    assert found.suppressed == len(gone) <= limit
    assert allowed(set(gone))


@given(st.data())
@settings(max_examples=200)
def test_fewer_persons_lose_records_further_up_where_promises_are_monotone(data: st.DataObject) -> None:
    case, records = data.draw(person_cases())
    model, judge = data.draw(person_demands(case))
    engine = RollUp(case.encoded, [model], every_person=True)
    who = records.sensitive[WHO]
    nodes = list(naive.nodes(case.low, case.high))
    touched = {node: int(engine.check(node).touched[0]) for node in nodes}
    for node in nodes:
        assert touched[node] == len({who[r] for r in naive.suppressed(records, node, [judge])})
        below = [touched[other] for other in nodes if all(a <= b for a, b in zip(other, node, strict=True))]
        assert not model.monotone_generalization or touched[node] <= min(below)


def test_a_limit_of_persons_needs_persons() -> None:
    table = pl.DataFrame({"q": ["1", "2"], "who": ["a", "b"]})
    schema = Schema({"q": ny.quasi(), "who": ny.identifying()})
    with pytest.raises(ny.NymityError, match="whose records are of persons"):
        ny.OptimalLattice(suppression_persons=0.5).run(encode(table, schema), [ny.KAnonymity(k=2)])
    for wrong in (-0.1, 1.5, "much", True):
        with pytest.raises(ny.NymityError, match="suppression_persons"):
            ny.OptimalLattice(suppression_persons=wrong)  # type: ignore[arg-type]


def test_what_a_limit_of_persons_refuses_is_told() -> None:
    """One record of everybody is an outlier: a tenth of the records, and all persons."""
    rows = [(who, q) for who in "abcde" for q in ["1"] * 9 + [who]]
    table = pl.DataFrame(rows, schema=["who", "q"], orient="row")
    fixed = ny.quasi(Hierarchy.from_rows([[q, "*"] for q in "1abcde"]), max_level=0)
    encoded = encode(table, Schema({"q": fixed, "who": ny.person()}))
    assert ny.OptimalLattice(suppression=0.1).run(encoded, [ny.KAnonymity(k=5)]).suppressed == 5
    limited = ny.OptimalLattice(suppression=0.1, suppression_persons=0.8)
    with pytest.raises(ny.NoSolutionError, match=r"suppression_persons <= 0.8; the least was .* which 5 of 5 persons"):
        limited.run(encoded, [ny.KAnonymity(k=5)])


#: At a=0, b=1 half of two has s in either class; Datafly raises a first, and y with s and t makes it two of three.
BESIDE = ["12xs", "21ys", "22zt", "11yt"]


def test_datafly_says_where_it_passed_by() -> None:
    """Its path has one node of each height; it does not say that there is none where one is beside it."""
    table = pl.DataFrame([tuple(row) for row in BESIDE], schema=["a", "b", "who", "s"], orient="row")
    schema = Schema({"a": ny.quasi(), "b": ny.quasi(), "who": ny.person(), "s": ny.sensitive()})
    model = ny.AlphaKAnonymity(alpha=0.5, k=2, attribute="s")
    with pytest.raises(ny.NoSolutionError, match="there is one beside its path, at levels a=0, b=1") as caught:
        ny.Datafly().run(encode(table, schema), [model])
    assert "no node satisfies" not in str(caught.value)
    assert "'optimal-lattice'" in str(caught.value)
    assert dict(ny.OptimalLattice().run(encode(table, schema), [model]).levels) == {"a": 0, "b": 1}
    alone = encode(table.filter(pl.col("who") == "y"), schema)
    with pytest.raises(ny.NoSolutionError, match="no node satisfies"):
        ny.Datafly().run(alone, [ny.FrequencyLDiversity(l=2, attribute="s")])
    with (
        patch("nymity.lattice.search.NEAREST_OF", 0),
        pytest.raises(ny.NoSolutionError, match="there may be one beside its path"),
    ):
        ny.Datafly().run(alone, [ny.FrequencyLDiversity(l=2, attribute="s")])


@given(st.data())
@settings(max_examples=300)
def test_masked_rows_are_a_class_of_persons(data: st.DataObject) -> None:
    case, records = data.draw(person_cases())
    model, judge = data.draw(person_demands(case))
    node = data.draw(node_between((0,) * len(case.schema.quasi), case.top))
    engine = RollUp(case.encoded, [model])
    found = engine.classes(node).decision
    expected = naive.decided(records, node, naive.Rules(judges=(judge,)), mask=True)
    assert (found.outliers == "remove") == (expected.removed and bool(expected.gone))


@given(st.data())
@settings(max_examples=300)
def test_nothing_below_a_node_publishes_more_than_its_bound(data: st.DataObject) -> None:
    case, records = data.draw(person_cases(max_records=12))
    model, judge = data.draw(person_demands(case))
    node = data.draw(node_between((0,) * len(case.schema.quasi), case.top))
    classes = RollUp(case.encoded, [model]).classes(node)
    most = int(accepted_and_most_kept(classes.classes, [model])[1].sum())
    for below in naive.nodes((0,) * len(node), node):
        assert len(records) - len(naive.suppressed(records, below, [judge])) <= most


def test_shares_of_persons_are_no_mixtures() -> None:
    """{a: s, b: t} and {a: t, b: s}: half of each class has s, and all of both together."""
    table = pl.DataFrame({"q": ["1", "1", "2", "2"], "who": ["a", "b", "a", "b"], "s": ["s", "t", "t", "s"]})
    schema = Schema({"q": ny.quasi(), "who": ny.person(), "s": ny.sensitive()})
    encoded, model = encode(table, schema), ny.FrequencyLDiversity(l=2, attribute="s")
    engine = RollUp(encoded, [model])
    assert engine.check((0,)).suppressed[0] == 0
    assert engine.check((1,)).suppressed[0] == 4
    found = ny.OptimalLattice(suppression=0.0).run(encoded, [model])
    assert dict(found.levels) == {"q": 0}


def test_one_person_with_every_value_is_not_diverse() -> None:
    """Four persons who all have flu and three other values each: a share of 4/4, not 4/16."""
    rows = [(who, value) for who in "abcd" for value in ("flu", f"x{who}", f"y{who}", f"z{who}")]
    table = pl.DataFrame({"q": ["1"] * 16, "who": [w for w, _ in rows], "s": [v for _, v in rows]})
    schema = Schema({"q": ny.quasi(), "who": ny.person(), "s": ny.sensitive()})
    classes = RollUp(encode(table, schema), [model := ny.FrequencyLDiversity(l=2, attribute="s")]).classes((0,))
    assert classes.classes.holders("s").largest.tolist() == [4]
    assert not decide(classes.classes, [model], "mask").published.any()


def test_persons_listed_are_no_more_than_models_ask_for() -> None:
    table = pl.DataFrame({"q": ["1"] * 50, "who": [f"p{i}" for i in range(50)], "s": ["x"] * 50})
    schema = Schema({"q": ny.quasi(), "who": ny.person(), "s": ny.sensitive()})
    engine = RollUp(encode(table, schema), [ny.KAnonymity(k=3)])
    (grouping,) = engine.snapshot((1,)).groupings
    assert grouping.weights.tolist() == [48, 1, 1]
    assert np.sum(grouping.weights) == 50


def kept_together(records: naive.Records, node: naive.Node, model: PrivacyModel, limit: Fraction) -> list[list[int]]:
    """The classes that may be published under a limit on all of them, by the definitions."""
    who = records.sensitive[WHO]
    kept = list(naive.classes(records, node).values())
    if isinstance(model, ny.SampleUniques):
        alone = [members for members in kept if len({who[r] for r in members}) == 1]
        few = {who[r] for members in alone for r in members}
        everyone = {who[r] for members in kept for r in members}
        return kept if Fraction(len(few), len(everyone)) <= limit else [m for m in kept if m not in alone]
    while kept and Fraction(len(kept), sum(len({who[r] for r in members}) for members in kept)) > limit:
        fewest = min(len({who[r] for r in members}) for members in kept)
        kept = [members for members in kept if len({who[r] for r in members}) > fewest]
    return kept


@given(st.data())
@settings(max_examples=300)
def test_limits_on_all_classes_together_count_persons(data: st.DataObject) -> None:
    case, records = data.draw(person_cases())
    share = data.draw(st.sampled_from(["0", "0.2", "0.34", "0.5", "1"]))
    uniques = share == "0" or data.draw(st.booleans())
    model: PrivacyModel = (ny.SampleUniques if uniques else ny.AverageRisk)(limit=float(share))
    engine = RollUp(case.encoded, [model], outliers="remove")
    for node in naive.nodes(case.low, case.high):
        kept = kept_together(records, node, model, Fraction(share))
        assert int(engine.check(node).suppressed[0]) == len(records) - sum(map(len, kept))
