"""Searches for linked rows, against every node tried by the definition: whole persons are left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.core.errors import ParameterError
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Space
from nymity.table.encoding import encode
from nymity.table.level_recoding import LevelRecoding
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from strategies import Case, cases, node_between


@st.composite
def linked_cases(draw: st.DrawFn, **options: Any) -> tuple[Case, naive.Records, list[int]]:
    """A table whose records are of few persons, the same for the oracle, and of whom each record is."""
    case = draw(cases(n_sensitive=1, missing=False, max_records=14, **options))
    n = case.frame.height
    who = draw(st.lists(st.integers(0, draw(st.integers(0, 5))), min_size=n, max_size=n))
    frame = case.frame.with_columns(pl.Series("who", [f"p{number}" for number in who]))
    return Case(frame, Schema({**case.schema, "who": ny.person()}), case.hierarchies), case.records, who


@st.composite
def demands(draw: st.DrawFn, who: list[int]) -> ny.LinkedKAnonymity:
    k = draw(st.integers(1, min(3, len(set(who)))))
    return ny.LinkedKAnonymity(k=k, knows=draw(st.sampled_from([1, 2, 3, "all"])))


def gone(records: naive.Records, who: list[int], node: naive.Node, model: ny.LinkedKAnonymity) -> set[int]:
    """The records of all persons who are not in the largest set that keeps the promise."""
    persons: dict[int, Counter[Any]] = {}
    for person, row in zip(who, records.at(node), strict=True):
        persons.setdefault(person, Counter())[row] += 1
    kept = naive.linked(persons, model.k, model.knows)
    return {record for record, person in enumerate(who) if person not in kept}


def lost(records: naive.Records, node: naive.Node, gone: set[int], key: str) -> naive.Number:
    """A loss where some records of a class may be gone."""
    left = Counter(row for record, row in enumerate(records.at(node)) if record not in gone)
    if key == "discernibility":
        return Fraction(sum(n * n for n in left.values()) + len(records) * len(gone))
    if key == "average-class-size":
        return Fraction(len(records), len(left) + (1 if gone else 0))
    return naive.compared(records, node, gone, key)[0]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_every_node_leaves_out_whole_persons(data: st.DataObject) -> None:
    case, records, who = data.draw(linked_cases())
    model = data.draw(demands(who))
    engine = RollUp(case.encoded, [model])
    node = data.draw(node_between((0,) * len(case.schema.quasi), case.top))
    found, expected = engine.check(node), gone(records, who, node, model)
    assert int(found.suppressed[0]) == len(expected)
    left = Counter(row for record, row in enumerate(records.at(node)) if record not in expected)
    assert int(found.accepted_classes[0]) == len(left)
    assert int(found.smallest[0]) == min(left.values(), default=0)
    assert int(found.classes[0]) == len(set(records.at(node)))
    walked = {
        tuple(levels): suppressed
        for batch in engine.walk(Space.of(case.encoded))
        for levels, suppressed in zip(batch.levels.tolist(), batch.suppressed.tolist(), strict=True)
    }
    for one in naive.nodes(case.low, case.high):
        assert walked[one] == len(gone(records, who, one, model))


LOSSES = ["loss", "precision", "discernibility", "average-class-size", "ambiguity", "entropy"]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_optimum_is_that_of_all_nodes(data: st.DataObject) -> None:
    case, records, who = data.draw(linked_cases(bounded=True))
    model = data.draw(demands(who))
    suppression = data.draw(st.sampled_from(["0", "0.3", "0.6", "1"]))
    limit = naive.limit_of(suppression, len(records))
    key = data.draw(st.sampled_from(LOSSES))
    possible = []
    for node in naive.nodes(case.low, case.high):
        without = gone(records, who, node, model)
        if len(without) <= limit and len(without) < len(records):
            possible.append(float(lost(records, node, without, key)))
    method = ny.OptimalLattice(suppression=float(suppression), loss=key)
    if not possible:
        with pytest.raises(ny.NoSolutionError):
            method.run(case.encoded, [model])
        return
    found = method.run(case.encoded, [model])
    assert found.loss == pytest.approx(min(possible))
    levels = tuple(found.levels.values())
    assert found.suppressed == len(gone(records, who, levels, model))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_other_searches_find_what_there_is(data: st.DataObject) -> None:
    case, records, who = data.draw(linked_cases())
    model = data.draw(demands(who))
    suppression = data.draw(st.sampled_from(["0", "0.3"]))
    limit = naive.limit_of(suppression, len(records))
    kind = data.draw(st.sampled_from([ny.OLA, ny.Samarati, ny.Datafly, ny.MinGen, ny.AnytimeLattice]))
    least = min(len(gone(records, who, node, model)) for node in naive.nodes(case.low, case.high))
    try:
        found = kind(suppression=float(suppression)).run(case.encoded, [model])
    except ny.NoSolutionError:
        assert not (least <= limit and least < len(records)) or kind is ny.Datafly
        return
    assert found.suppressed == len(gone(records, who, tuple(found.levels.values()), model)) <= limit


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_published_is_what_was_decided(data: st.DataObject) -> None:
    """Through the recoding, and through its file."""
    case, records, who = data.draw(linked_cases())
    model = data.draw(demands(who))
    try:
        found = ny.OptimalLattice(suppression=0.7).run(case.encoded, [model])
    except ny.NoSolutionError:
        return
    again = Recoding.from_dict(found.recoding.to_dict())
    without = gone(records, who, tuple(found.levels.values()), model)
    for recoding in (found.recoding, again):
        recoded = recoding.apply(case.frame)
        assert set(recoded.source_rows.tolist()) == set(range(len(records))) - without
        assert not recoded.masked.any()
        for outliers in ("mask", "keep"):
            assert len(recoding.apply(case.frame, outliers=outliers).source_rows) == len(records) - len(without)


def visits() -> tuple[pl.DataFrame, Schema]:
    table = pl.DataFrame(
        {"who": ["a", "a", "b", "b", "c", "c", "d"], "q": ["1", "2", "1", "2", "1", "1", "1"], "s": ["x"] * 7}
    )
    return table, Schema({"who": ny.person(), "q": ny.quasi(), "s": ny.sensitive()})


def test_two_promises_about_links_are_both_kept() -> None:
    table, schema = visits()
    encoded = encode(table, schema)
    models = [ny.LinkedKAnonymity(k=3, knows=1), ny.LinkedKAnonymity(k=2, knows=2)]
    classes = RollUp(encoded, models).classes((0,))
    assert classes.decision.persons is not None
    assert classes.decision.persons.tolist() == [False] * 4  # 2 has two persons; without them {1} and {1, 1} are left
    alone = RollUp(encoded, models[1:]).classes((0,)).decision.persons
    assert alone is not None
    assert alone.tolist() == [True, True, False, True]


def test_promises_on_values_are_refused_beside_it() -> None:
    table, schema = visits()
    linked, diverse = ny.LinkedKAnonymity(k=2, knows=2), ny.DistinctLDiversity(l=1, attribute="s")
    with pytest.raises(ParameterError, match="finds some of them only"):
        ny.OptimalLattice().run(encode(table, schema), [linked, diverse])
    with pytest.raises(ParameterError, match="finds some of them only"):
        ny.publish(table, schema, privacy=[diverse, linked])


def test_a_loss_of_values_is_refused() -> None:
    table, schema = visits()
    with pytest.raises(ParameterError, match="counts values of a class"):
        ny.OptimalLattice(loss="classification", suppression=0.9).run(
            encode(table, schema), [ny.LinkedKAnonymity(k=2, knows=2)]
        )


@pytest.mark.parametrize("method", [ny.IterativeRecoding(), ny.Mondrian(), ny.Anatomy()], ids=lambda m: m.key)
def test_methods_that_publish_a_value_in_several_ways_are_refused(method: Any) -> None:
    table, schema = visits()
    with pytest.raises(ny.NymityError, match=r"several ways|counts persons|rows of a person"):
        ny.publish(table, schema, privacy=[ny.LinkedKAnonymity(k=2, knows=2)], method=method)


def test_records_of_nobody_are_not_linked() -> None:
    table, schema = visits()
    with pytest.raises(ny.NymityError, match="role = 'person'"):
        ny.publish(table, Schema({**schema, "who": ny.identifying()}), privacy=[ny.LinkedKAnonymity(k=2, knows=2)])


def test_further_rows_are_refused() -> None:
    table, schema = visits()
    release = ny.publish(
        table, schema, privacy=[ny.LinkedKAnonymity(k=2, knows=2)], method=ny.OptimalLattice(suppression=0.5)
    )
    assert isinstance(release.recoding, LevelRecoding)
    with pytest.raises(ParameterError, match="whose rows are linked"):
        ny.apply(release.recoding, table)
    assert replace(release.recoding, left_out=None).for_further_rows() is not None


def test_a_person_too_many_is_refused() -> None:
    table, schema = visits()
    with pytest.raises(ParameterError, match="at most 4, the number of persons"):
        ny.publish(table, schema, privacy=[ny.LinkedKAnonymity(k=5, knows=2)])
