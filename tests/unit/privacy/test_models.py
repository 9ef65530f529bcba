"""Privacy models: what they accept, what they measure on a table, what they refuse."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import ParameterError
from nymity.privacy import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    Groups,
    KAnonymity,
    PrivacyModel,
    ProsecutorRisk,
    RecursiveDiversity,
)
from nymity.publishing.certificates.verify import verify
from nymity.table.attribute import quasi, sensitive
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import encode
from nymity.table.schema import Schema

VALUES = ("p", "q", "r", None)
ClassCounts = list[Counter[naive.Label]]


@st.composite
def class_counts(draw: st.DrawFn) -> ClassCounts:
    """Some classes, each with records of the sensitive values."""
    rows = draw(st.lists(st.lists(st.sampled_from(VALUES), min_size=1, max_size=6), max_size=6))
    return [Counter(row) for row in rows]


def as_classes(counts: ClassCounts) -> Classes:
    entries = [(i, VALUES.index(value), n) for i, counter in enumerate(counts) for value, n in counter.items()]
    columns = np.array(entries, dtype=np.uint32).reshape(-1, 3).T
    sizes = np.array([counter.total() for counter in counts], dtype=np.uint32)
    return Classes(sizes, {"s": Histogram(len(counts), len(VALUES), *columns)})


MODELS: list[tuple[PrivacyModel, naive.Judge]] = [
    *((KAnonymity(k=k), naive.at_least(k)) for k in (1, 2, 5)),
    *((DistinctLDiversity(l=l, attribute="s"), naive.diverse(l, "s")) for l in (1, 2, 4)),  # noqa: E741
    *((FrequencyLDiversity(l=l, attribute="s"), naive.frequent(l, "s")) for l in (1, 1.5, 2, 2.4, 3)),  # noqa: E741
    *((EntropyLDiversity(l=l, attribute="s"), naive.entropic(l, "s")) for l in (1, 1.5, 2, 2.8, 3)),  # noqa: E741
    *(
        (RecursiveDiversity(c=c, l=l, attribute="s"), naive.recursive(c, l, "s"))
        for c, l in ((0.3, 1), (2, 1), (1, 2), (1.5, 2), (0.5, 2), (3, 3), (2, 4))  # noqa: E741
    ),
    *(
        (AlphaKAnonymity(alpha=alpha, k=k, attribute="s"), naive.alpha_k(alpha, k, "s"))
        for alpha, k in ((1, 3), (0.5, 1), (0.5, 4), (0.34, 2), (0.75, 2))
    ),
    *((ProsecutorRisk(limit=limit), naive.prosecutor(limit)) for limit in (1, 0.5, 0.34, 0.3333333, 0.2)),
]
MONOTONE = [(model, judge) for model, judge in MODELS if model.monotone_generalization]


@pytest.mark.parametrize(
    ("model", "judge"), MODELS, ids=lambda value: repr(value) if isinstance(value, PrivacyModel) else "oracle"
)
@given(class_counts())
@settings(max_examples=30)
def test_accepts(model: PrivacyModel, judge: naive.Judge, counts: ClassCounts) -> None:
    found = model.accepts(as_classes(counts))
    assert found.dtype == np.bool_
    assert found.tolist() == [judge(counter.total(), {"s": counter}) for counter in counts]
    if model.size_only:
        assert found.tolist() == [counter.total() >= model.smallest_class for counter in counts]
    assert all(counter.total() >= model.smallest_class for counter, ok in zip(counts, found, strict=True) if ok)


@pytest.mark.parametrize(
    ("model", "judge"), MONOTONE, ids=lambda value: repr(value) if isinstance(value, PrivacyModel) else "oracle"
)
@given(st.data())
@settings(max_examples=30)
def test_declared_monotone(model: PrivacyModel, judge: naive.Judge, data: st.DataObject) -> None:
    """A class that holds an accepted one is accepted; the answer about a class does not depend on the others."""
    assert model.monotone_suppression
    counts = data.draw(class_counts())
    accepted = model.accepts(as_classes(counts))
    good = [counter for counter, ok in zip(counts, accepted, strict=True) if ok]
    assert model.accepts(as_classes(good)).all()
    if good:
        others = data.draw(st.lists(st.sampled_from(counts), max_size=4))  # accepted or not
        assert model.accepts(as_classes([sum(others, good[0])])).all()


@pytest.mark.parametrize(
    "model",
    [
        FrequencyLDiversity(l=2, attribute="s"),
        EntropyLDiversity(l=2, attribute="s"),
        RecursiveDiversity(c=2, l=2, attribute="s"),
        AlphaKAnonymity(alpha=0.5, k=2, attribute="s"),
    ],
    ids=lambda model: model.key,
)
def test_declared_not_monotone(model: PrivacyModel) -> None:
    """Merging an accepted class with a rejected one can lose it, so these models must not claim otherwise."""
    good, bad = Counter({"p": 1, "q": 1}), Counter({"p": 2})
    assert model.accepts(as_classes([good, bad, good + bad])).tolist() == [True, False, False]
    assert not model.monotone_generalization
    assert model.monotone_suppression


def test_the_others_are_declared_monotone() -> None:
    assert {type(model) for model, _ in MONOTONE} == {KAnonymity, DistinctLDiversity, ProsecutorRisk}


@pytest.mark.parametrize(
    ("model", "judge"), MODELS, ids=lambda value: repr(value) if isinstance(value, PrivacyModel) else "oracle"
)
@given(st.data())
@settings(max_examples=40)
def test_what_parts_of_a_class_can_keep(model: PrivacyModel, judge: naive.Judge, data: st.DataObject) -> None:
    """However a class is split, its accepted parts have no more records than the model says, and form a good class."""
    parts = as_classes(data.draw(class_counts()))
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts))), dtype=np.bool_)
    if not chosen.any():
        return
    good, whole = model.accepts(parts) & chosen, parts.merged(chosen)
    assert parts.sizes[good].sum() <= model.most_kept(whole, model.accepts(whole))[0] <= whole.sizes[0]
    if good.any() and model.unions:
        assert model.accepts(parts.merged(good)).all()


def test_no_classes() -> None:
    for model, _ in MODELS:
        assert model.accepts(as_classes([])).shape == (0,)


# -- on tables ---------------------------------------------------------------------------------------------------


@st.composite
def releases(draw: st.DrawFn) -> pl.DataFrame:
    """A release: text and numbers, gaps, rows of stars, cells of one star."""
    n = draw(st.integers(0, 15))
    cells = {
        "a": st.sampled_from(["x", "*", "*", None, ""]),
        "b": st.sampled_from(["1", "*", "*"]),
        "s": st.sampled_from(["p", "q", "", None]),
    }
    columns = {name: draw(st.lists(cell, min_size=n, max_size=n)) for name, cell in cells.items()}
    return pl.DataFrame(columns, schema=dict.fromkeys(cells, pl.String))


def groups_of(table: pl.DataFrame) -> dict[naive.Row, list[naive.Label]]:
    """Sensitive values by class; an empty cell is a missing one."""
    found: dict[naive.Row, list[naive.Label]] = {}
    for a, b, s in table.rows():
        found.setdefault((a or None, b or None), []).append(s or None)
    return found


@given(releases())
@settings(max_examples=120)
def test_measures_on_a_table(table: pl.DataFrame) -> None:
    groups, expected = Groups(table, ["a", "b"]), groups_of(table)
    stars = expected.get(("*", "*"), [])
    sizes = [len(values) for values in expected.values()]
    assert groups.masked == len(stars)
    assert sorted(groups.sizes.to_list()) == sorted(sizes)
    assert groups.smallest == (min(sizes) if sizes else None)
    assert KAnonymity.measure(groups) == {"k": min(sizes) if sizes else None}
    different = [len(set(values)) for values in expected.values()]
    assert DistinctLDiversity.measure(groups, "s") == {"l": min(different) if different else None}
    assert DistinctLDiversity.measure(groups, None) == {"l": None}
    for bound in (1, 2, 3):
        assert KAnonymity(k=bound).holds(groups) == (not sizes or min(sizes) >= bound)
        assert DistinctLDiversity(l=bound, attribute="s").holds(groups) == (not different or min(different) >= bound)


@given(releases())
@settings(max_examples=120)
def test_measures_of_counts_on_a_table(table: pl.DataFrame) -> None:
    groups, expected = Groups(table, ["a", "b"]), groups_of(table)
    counts = [Counter(values) for values in expected.values()]
    sizes = [len(values) for values in expected.values()]
    found = groups.value_counts("s").select("value", "records", "size").rows()
    assert sorted(map(str, found)) == sorted(str((v, n, c.total())) for c in counts for v, n in c.items())
    share = max((max(c.values()) / c.total() for c in counts), default=None)
    entropies = [-math.fsum(n / c.total() * math.log(n / c.total()) for n in c.values()) for c in counts]
    assert FrequencyLDiversity.measure(groups, "s")["l"] == (None if share is None else pytest.approx(1 / share))
    assert EntropyLDiversity.measure(groups, "s")["l"] == (
        pytest.approx(math.exp(min(entropies)), abs=2e-9) if counts else None
    )
    assert AlphaKAnonymity.measure(groups, "s") == {"alpha": share, "k": min(sizes, default=None)}
    assert ProsecutorRisk.measure(groups) == {"limit": 1 / min(sizes) if sizes else None}
    for l in (1, 2, 3):  # noqa: E741
        ordered = [sorted(c.values(), reverse=True) for c in counts]
        ratios = [r[0] / sum(r[l - 1 :]) if len(r) >= l else math.inf for r in ordered]
        c = max(ratios, default=math.inf)
        measured = {"c": None if c == math.inf else c, "l": l}
        assert RecursiveDiversity(c=1, l=l, attribute="s").reached(groups) == measured
        assert l != 2 or RecursiveDiversity.measure(groups, "s") == measured


@pytest.mark.parametrize(
    ("model", "judge"), MODELS, ids=lambda value: repr(value) if isinstance(value, PrivacyModel) else "oracle"
)
@given(table=releases())
@settings(max_examples=30)
def test_holds_on_a_table(model: PrivacyModel, judge: naive.Judge, table: pl.DataFrame) -> None:
    """What holds is what the oracle says of every class, masked rows being one."""
    verdicts = [judge(len(values), {"s": Counter(values)}) for values in groups_of(table).values()]
    assert model.holds(Groups(table, ["a", "b"])) == all(verdicts)
    assert model.holds(Groups(table.clear(), ["a", "b"]))


@pytest.mark.parametrize(
    ("model", "judge"), MODELS, ids=lambda value: repr(value) if isinstance(value, PrivacyModel) else "oracle"
)
@given(table=releases())
@settings(max_examples=20)
def test_the_masked_rows_alone_are_blamed_where_the_others_keep_it(
    model: PrivacyModel, judge: naive.Judge, table: pl.DataFrame
) -> None:
    groups = groups_of(table)
    masked = groups.pop(("*", "*"), None)
    others = all(judge(len(values), {"s": Counter(values)}) for values in groups.values())
    alone = masked is not None and others and not judge(len(masked), {"s": Counter(masked)})
    (finding,) = verify(table, ["a", "b"], [model]).findings
    assert finding.only_masked == (alone and bool(groups))
    assert (finding.why is not None) == finding.only_masked


def test_nothing_to_measure() -> None:
    table = pl.DataFrame({"a": ["x"], "s": ["p"]})
    empty, some = Groups(table.clear(), ["a"]), Groups(table, ["a"])
    for groups, attribute in ((empty, "s"), (some, None)):
        assert FrequencyLDiversity.measure(groups, attribute) == {"l": None}
        assert EntropyLDiversity.measure(groups, attribute) == {"l": None}
        assert RecursiveDiversity.measure(groups, attribute) == {"c": None, "l": 2}
        assert AlphaKAnonymity.measure(groups, attribute) == {"alpha": None, "k": groups.smallest}
    assert ProsecutorRisk.measure(empty) == {"limit": None}


def test_rows_of_stars() -> None:
    """A single masked row is a class of one: whoever fits no other is known to have it."""
    table = pl.DataFrame({"a": ["x", "x", "*"], "b": ["1", "1", "*"], "s": ["p", "q", "p"]})
    groups = Groups(table, ["a", "b"])
    assert (groups.masked, groups.smallest, len(groups.sizes)) == (1, 1, 2)
    assert not KAnonymity(k=2).holds(groups)
    assert KAnonymity(k=2).holds(groups.without_masked())
    assert not DistinctLDiversity(l=2, attribute="s").holds(groups)


def test_numbers_are_never_masked() -> None:
    table = pl.DataFrame({"a": [1, 1, 2], "b": ["*", "*", "*"]})
    groups = Groups(table, ["a", "b"])
    assert (groups.masked, groups.smallest, groups.n_records) == (0, 1, 3)


def test_gaps_of_numbers_are_one_value() -> None:
    table = pl.DataFrame({"a": [float("nan"), None], "s": [float("nan"), None]})
    groups = Groups(table, ["a"])
    assert groups.sizes.to_list() == [2]
    assert DistinctLDiversity.measure(groups, "s") == {"l": 1}


def test_columns_with_the_names_of_patterns() -> None:
    table = pl.DataFrame({"*": ["x", "x", "y"], "^s$": ["p", "q", "p"], "value": ["1", "1", "1"], "q0": [1, 1, 1]})
    groups = Groups(table, ["*", "value", "q0"])
    assert groups.smallest == 1
    assert sorted(groups.distinct_values("^s$")) == [1, 2]


# -- parameters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0, -1, True, False, 2.5, 2.0, "3", None, float("nan")])
def test_bad_numbers(bad: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        KAnonymity(k=bad)
    assert str(caught.value) == f"k-anonymity.k: expected a whole number of at least 1, got {bad!r}"
    with pytest.raises(ParameterError) as caught:
        DistinctLDiversity(l=bad, attribute="s")
    assert str(caught.value) == f"distinct-l-diversity.l: expected a whole number of at least 1, got {bad!r}"


@pytest.mark.parametrize("bad", [None, 3, ["s"]])
def test_bad_attributes(bad: Any) -> None:
    with pytest.raises(ParameterError, match=r"distinct-l-diversity\.attribute: expected the name of a sensitive"):
        DistinctLDiversity(l=2, attribute=bad)


TABLE = pl.DataFrame({"a": ["x", "y", "z"], "disease": ["flu", "flu", None]})


def test_parameters_that_do_not_fit_the_table() -> None:
    encoded = encode(TABLE, Schema({"a": quasi(), "disease": sensitive()}))
    KAnonymity(k=3).check(encoded)
    DistinctLDiversity(l=2, attribute="disease").check(encoded)  # a missing value counts as one
    with pytest.raises(ParameterError, match=r"k-anonymity\.k: expected at most 3, the number of records, got 4"):
        KAnonymity(k=4).check(encoded)
    with pytest.raises(ParameterError, match=r"l: expected at most 2, the different values of 'disease', got 3"):
        DistinctLDiversity(l=3, attribute="disease").check(encoded)
    with pytest.raises(ParameterError, match=r"expected a sensitive column \('disease'\), got 'desease'.*'disease'\?"):
        DistinctLDiversity(l=2, attribute="desease").check(encoded)
    with pytest.raises(ParameterError, match=r"expected a sensitive column .*got 'a'.*declare 'a' sensitive"):
        DistinctLDiversity(l=2, attribute="a").check(encoded)


def test_a_schema_without_sensitive_columns() -> None:
    encoded = encode(TABLE.select("a"), Schema({"a": quasi()}))
    with pytest.raises(ParameterError, match=r"a sensitive column \(the schema has none\), got 'a'"):
        DistinctLDiversity(l=2, attribute="a").check(encoded)


def test_promises_name_their_numbers() -> None:
    assert KAnonymity(k=7).promise().startswith("7-anonymity: ")
    assert "at least 6 others" in KAnonymity(k=7).promise()
    assert DistinctLDiversity(l=3, attribute="disease").promise().startswith("distinct 3-diversity of 'disease': ")
