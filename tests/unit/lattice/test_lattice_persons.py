"""Searches that count persons, against every node tried by the definitions on lists of records.

A class C has persons P(C); P_s(C) are those with value s in a record of C. The oracle sees who and (who, value) as
two more columns and computes nothing from records.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.lattice.rollup import RollUp
from nymity.privacy import PrivacyModel
from nymity.privacy.decision import decide, most_kept
from nymity.table.encoding import encode
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


@given(st.data())
@settings(max_examples=300)
def test_the_optimum_is_that_of_all_nodes(data: st.DataObject) -> None:
    case, records = data.draw(person_cases(bounded=True))
    pairs = [data.draw(person_demands(case)) for _ in range(data.draw(st.integers(1, 2)))]
    models, judges = [model for model, _ in pairs], [judge for _, judge in pairs]
    suppression = data.draw(st.sampled_from(["0", "0.1", "0.4", "1"]))
    limit = naive.limit_of(suppression, len(records))
    loss = data.draw(st.sampled_from(["loss", "discernibility", "average-class-size"]))
    best = naive.optimum(records, judges, loss, limit, case.low, case.high)
    method = ny.OptimalLattice(suppression=float(suppression), loss=loss)
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
    possible = naive.least_suppressed(records, [judge], case.low, case.high) <= limit < len(records)
    method = kind(suppression=float(suppression))
    if kind in (ny.OLA, ny.Samarati) and not model.monotone_generalization:
        with pytest.raises(ny.NymityError, match="stay satisfied"):
            method.run(case.encoded, [model])
        return
    try:
        found = method.run(case.encoded, [model])
    except ny.NoSolutionError:
        assert not possible or kind is ny.Datafly
        return
    gone = naive.suppressed(records, tuple(found.levels.values()), [judge])
    assert found.suppressed == len(gone) <= limit


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
    most = int(most_kept(classes.classes, [model]).sum())
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
