"""Models that compare a class with the table: t-closeness in its three distances, and delta-disclosure privacy."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import HierarchyError, InputError, ParameterError
from nymity.core.powers_of_e import exceeds_exp
from nymity.privacy import DeltaDisclosure, Groups, TCloseness, closeness, t_closeness
from nymity.privacy.t_closeness import CELLS
from nymity.table.attribute import quasi, sensitive
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import SensitiveColumn, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import hierarchies

Counts = list[Counter[naive.Label]]
DISTANCES = ("equal", "ordered", "hierarchical")

#: Respiratory and digestive diseases, the hierarchy of figure 1 of Li, Li and Venkatasubramanian (2007).
DISEASES = Hierarchy.from_rows(
    [
        [disease, organ, system, "*"]
        for system, organs in {
            "respiratory": {
                "respiratory infection": ["flu", "pneumonia", "bronchitis"],
                "vascular lung disease": ["pulmonary edema", "pulmonary embolism"],
            },
            "digestive": {
                "stomach disease": ["gastric ulcer", "stomach cancer", "gastritis"],
                "colon disease": ["colitis", "colon cancer"],
            },
        }.items()
        for organ, diseases in organs.items()
        for disease in diseases
    ]
)


def as_classes(counts: Counts, hierarchy: Hierarchy | None, overall: Counter[naive.Label] | None = None) -> Classes:
    """The same classes as arrays; values are coded in the order of their text, as encoding does."""
    table = sum(counts, Counter()) if overall is None else overall
    labels = sorted(set(table) | set(sum(counts, Counter())), key=lambda label: (label is not None, label))
    entries = [(i, labels.index(value), n) for i, counter in enumerate(counts) for value, n in counter.items() if n]
    columns = np.array(entries, dtype=np.uint32).reshape(-1, 3).T
    nothing = np.array([], dtype=np.uint32)
    column = SensitiveColumn(tuple(labels), nothing, nothing, nothing, hierarchy)
    totals = np.array([table[label] for label in labels], dtype=np.int64)
    sizes = np.array([counter.total() for counter in counts], dtype=np.uint32)
    return Classes(sizes, {"s": Histogram(len(counts), len(labels), *columns, column, totals)})


def as_groups(counts: Counts, hierarchy: Hierarchy | None) -> Groups:
    rows = [(f"class {i}", value) for i, counter in enumerate(counts) for value in counter.elements()]
    table = pl.DataFrame(rows, schema={"q": pl.String, "s": pl.String}, orient="row")
    return Groups(table, ["q"], hierarchies={} if hierarchy is None else {"s": hierarchy})


def apart(distance: str, hierarchy: Hierarchy) -> Callable[[Counter[naive.Label]], naive.Apart]:
    if distance == "equal":
        return naive.equally_apart
    if distance == "ordered":
        return naive.apart_in_order(list(dict.fromkeys((None, *hierarchy.values))))
    return naive.apart_in_tree(hierarchy)


@st.composite
def problems(draw: st.DrawFn, max_records: int = 6) -> tuple[Counts, Hierarchy]:
    """Some classes over the values of a hierarchy, one of them missing perhaps, and the hierarchy."""
    hierarchy = draw(hierarchies(max_values=5))
    if hierarchy.height and draw(st.booleans()):
        hierarchy = hierarchy.with_missing()
    rows = st.lists(st.sampled_from(hierarchy.values), min_size=1, max_size=max_records)
    return [Counter(row) for row in draw(st.lists(rows, min_size=1, max_size=5))], hierarchy


LIMITS = st.sampled_from([0, 0.1, 0.2, 0.25, 0.3, 0.375, 0.5, 0.6, 0.75, 1])
DELTAS = st.sampled_from([0.01, 0.3, 0.6931, 0.6932, 1, 1.5, 3, 100])


# -- against the definitions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", DISTANCES)
@given(problem=problems(), data=st.data())
@settings(max_examples=60)
def test_t_closeness_is_the_least_work(distance: Any, problem: tuple[Counts, Hierarchy], data: st.DataObject) -> None:
    """Arrays and tables say what a transport problem says, with any limit and with the distance itself as limit."""
    counts, hierarchy = problem
    table = sum(counts, Counter())
    work = [naive.earth_mover(counter, table, apart(distance, hierarchy)(table)) for counter in counts]
    classes, groups = as_classes(counts, hierarchy), as_groups(counts, hierarchy)
    found = closeness.closeness(classes, "s", distance)
    assert [Fraction(int(a), int(b)) for a, b in zip(found.work, found.whole, strict=True)] == work
    model = TCloseness(t=data.draw(LIMITS), attribute="s", distance=distance)
    judge = naive.close(model.t, apart(distance, hierarchy))
    assert model.accepts(classes).tolist() == [judge(counter, table) for counter in counts]
    assert model.holds(groups) == all(judge(counter, table) for counter in counts)
    assert model.reached(groups) == {"t": pytest.approx(float(max(work)))}
    for limit in {*work, Fraction(1, 3)}:
        assert found.within(limit).tolist() == [distance <= limit for distance in work]


@given(problem=problems(max_records=8), delta=DELTAS)
@settings(max_examples=80)
def test_delta_disclosure_by_its_definition(problem: tuple[Counts, Hierarchy], delta: float) -> None:
    counts, _ = problem
    table, judge = sum(counts, Counter()), naive.disclosing(delta)
    model, groups = DeltaDisclosure(delta=delta, attribute="s"), as_groups(counts, None)
    accepted = [judge(counter, table) for counter in counts]
    assert model.accepts(as_classes(counts, None)).tolist() == accepted
    assert model.holds(groups) == all(accepted)
    ratios = [Fraction(c[v] * table.total(), c.total() * table[v]) for c in counts for v in table]
    largest = math.inf if 0 in ratios else max(abs(math.log(r)) for r in ratios)
    assert model.reached(groups) == {"delta": pytest.approx(largest)}


MODELS = [
    *(TCloseness(t=t, attribute="s", distance=d) for d in DISTANCES for t in (0, 0.15, 0.3, 0.5)),  # type: ignore[arg-type]
    *(DeltaDisclosure(delta=delta, attribute="s") for delta in (0.2, 0.7, 1.5)),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(problem=problems(max_records=4), others=st.lists(st.integers(0, 4), max_size=6))
@settings(max_examples=20)
def test_no_choice_of_records_beats_the_bound(model: Any, problem: tuple[Counts, Hierarchy], others: list[int]) -> None:
    """All ways to choose records of a class: accepted choices are not larger than ``most_kept``, and can be joined."""
    (whole, *rest), hierarchy = problem
    overall = sum(rest, whole) + Counter(hierarchy.values[i % len(hierarchy.values)] for i in others)
    values = list(whole)
    choices = [
        Counter(dict(zip(values, chosen, strict=True)))
        for chosen in itertools.product(*(range(whole[value] + 1) for value in values))
        if any(chosen)
    ]
    classes = as_classes([whole], hierarchy, overall)
    (most,) = model.most_kept(classes, model.accepts(classes))
    accepted = model.accepts(as_classes(choices, hierarchy, overall))
    good = [choice for choice, ok in zip(choices, accepted, strict=True) if ok]
    assert max((choice.total() for choice in good), default=0) <= most <= whole.total()
    if good:
        joined = [a + b for a, b in itertools.product(good[:6], good[-6:])]
        assert model.accepts(as_classes(joined, hierarchy, overall)).all()
    assert model.unions
    assert model.bounds_parts


@pytest.mark.parametrize("t", [0.05, 0.2, 0.5])
def test_the_bound_for_equal_distances_is_the_best_there_is(t: float) -> None:
    """It is the largest s with sum of max(0, q_v s - c_v) <= t s, rounded down."""
    rng = np.random.default_rng(7)
    for _ in range(60):
        overall = Counter({f"v{i}": int(n) for i, n in enumerate(rng.integers(1, 40, 6))})
        whole = Counter({v: int(rng.integers(0, n + 1)) for v, n in overall.items()})
        if not whole.total():
            continue
        n, limit = overall.total(), Fraction(str(t))
        possible = [
            s
            for s in range(1, whole.total() + 1)
            if sum(max(0, Fraction(q * s, n) - whole[v]) for v, q in overall.items()) <= limit * s
        ]
        classes = as_classes([whole], None, overall)
        assert closeness.most_within(classes, "s", "equal", limit)[0] == max(possible, default=0)


@pytest.mark.parametrize("model", [TCloseness(t=0.2, attribute="s"), DeltaDisclosure(delta=0.6, attribute="s")])
def test_declared_not_monotone(model: Any) -> None:
    """In a table with as many p as q, merging {p, q} with {p, p} loses it; taking classes out changes the table."""
    overall = Counter({"p": 4, "q": 4})
    good, bad = Counter({"p": 1, "q": 1}), Counter({"p": 2})
    assert model.accepts(as_classes([good, bad, good + bad], None, overall)).tolist() == [True, False, False]
    assert not model.monotone_generalization
    left = as_classes([Counter({"p": 5, "q": 5}), Counter({"q": 30}), Counter({"p": 30})], None)
    assert model.accepts(left)[0]
    assert not model.accepts(left.compared_with(np.array([True, True, False])))[0]
    assert not model.monotone_suppression
    assert model.compares
    assert not model.size_only
    assert model.sensitive == ("s",)


# -- the literature ----------------------------------------------------------------------------------------------

SALARIES = Hierarchy.from_rows([[f"{n}K", "*"] for n in range(3, 12)])


@pytest.mark.parametrize(("salaries", "expected"), [((3, 4, 5), Fraction(3, 8)), ((6, 8, 11), Fraction(1, 6))])
def test_salaries_of_li_et_al(salaries: tuple[int, ...], expected: Fraction) -> None:
    """Section 4.3: {3k, 4k, 5k} is 0.375 and {6k, 8k, 11k} 0.167 from the nine salaries."""
    counts = [Counter(map(str, salaries))]
    found = closeness.closeness(as_classes(counts, None, Counter(map(str, range(3, 12)))), "s", "ordered")
    assert Fraction(int(found.work[0]), int(found.whole[0])) == expected
    listed = as_classes([Counter(f"{n}K" for n in salaries)], SALARIES, Counter(SALARIES.values))
    assert closeness.closeness(listed, "s", "ordered").value == pytest.approx([float(expected)])


def test_the_close_table_of_li_et_al() -> None:
    """Table 5: 0.167-close in the salary."""
    table = pl.DataFrame(
        {
            "zip": ["4767*"] * 3 + ["4790*"] * 3 + ["4760*"] * 3,
            "salary": [3, 5, 9, 6, 11, 8, 4, 7, 10],
        }
    )
    groups = Groups(table, ["zip"])
    model = TCloseness(t=0.17, attribute="salary", distance="ordered")
    assert model.reached(groups) == {"t": pytest.approx(1 / 6)}
    assert model.holds(groups)
    assert not TCloseness(t=0.16, attribute="salary", distance="ordered").holds(groups)


def test_diseases_of_li_et_al() -> None:
    """Section 4.3: flu is 1/3 from bronchitis, 2/3 from pulmonary embolism and 1 from stomach cancer."""
    for other, expected in (("bronchitis", 1 / 3), ("pulmonary embolism", 2 / 3), ("stomach cancer", 1)):
        classes = as_classes([Counter(["flu"])], DISEASES, Counter([other]))
        assert closeness.closeness(classes, "s", "hierarchical").value == pytest.approx([expected])


# -- equality and size -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hundredth", range(51))
def test_every_hundredth_as_a_limit(hundredth: int) -> None:
    """0.29 * 100 is less than 29 in floating point; the limit is the decimal written."""
    model, half = TCloseness(t=hundredth / 100, attribute="s"), Counter({"p": 500, "q": 500})
    at_limit, beyond = 50 + hundredth, 51 + hundredth
    (accepted,) = model.accepts(as_classes([+Counter({"p": at_limit, "q": 100 - at_limit})], None, half))
    assert accepted
    if hundredth < 50:
        assert not model.accepts(as_classes([+Counter({"p": beyond, "q": 100 - beyond})], None, half))[0]
    one, other = Counter({"p": at_limit, "q": 100 - at_limit}), Counter({"q": at_limit, "p": 100 - at_limit})
    assert model.holds(as_groups([one, other], None))
    if hundredth:
        below = TCloseness(t=(hundredth - 1) / 100, attribute="s")
        assert not below.holds(as_groups([one, other], None))


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_largest_numbers(distance: Any) -> None:
    """Two thousand million records: sums over values or levels leave 64 bits, the answer does not change."""
    n = 2**31 - 1
    m = 40
    listed = Hierarchy.from_rows([[f"v{i:02d}", f"g{i % 4}", "*"] for i in range(m)])
    each = n // m
    overall = Counter({f"v{i:02d}": each for i in range(m)})
    first, last = "v00", f"v{m - 1:02d}"
    overall[first] += n - each * m
    moved = Counter(overall)
    moved[first] -= 7
    moved[last] += 7
    work = 7 * apart(distance, listed)(overall)(first, last) / n
    classes = as_classes([moved, overall, Counter({first: n})], listed, overall)
    found = closeness.closeness(classes, "s", distance)
    assert Fraction(int(found.work[0]), int(found.whole[0])) == work
    assert found.work[1] == 0
    assert found.within(work).tolist()[:2] == [True, True]
    assert not found.within(work * Fraction(999, 1000))[0]
    assert found.within(Fraction(2**31 - 2, 2**31 - 1)).tolist() == [True, True, True]
    assert (
        TCloseness(t=0.5, attribute="s", distance=distance).most_kept(classes, found.within(Fraction(1, 2)))[:2] == n
    ).all()


def test_the_order_of_values() -> None:
    """Numbers by size, not by text; a missing value first; others as the hierarchy lists them."""
    overall = Counter(["10", "9", "-1", "2.5", None])
    work = {
        value: closeness.closeness(as_classes([Counter([value])], None, overall), "s", "ordered").work[0]
        for value in overall
    }
    assert work["2.5"] < work["-1"] == work["9"] < work["10"] == work[None]
    table = pl.DataFrame({"q": ["a", "b", "b", "b", "b"], "s": [None, 10.0, 9.0, -1.0, 2.5]})
    model = TCloseness(t=0.5, attribute="s", distance="ordered")
    assert model.reached(Groups(table, ["q"])) == {"t": 0.5}
    assert model.reached(Groups(table.with_columns(q=pl.Series(["b", "a", "b", "b", "b"])), ["q"])) == {"t": 0.5}
    assert model.holds(Groups(table, ["q"]))


def test_many_classes_are_measured_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    counts = [Counter(str(v) for v in rng.integers(0, 9, 12)) for _ in range(40)]
    model = TCloseness(t=0.2, attribute="s", distance="ordered")
    at_once = model.reached(as_groups(counts, None))
    monkeypatch.setattr(t_closeness, "CELLS", 50)
    assert model.reached(as_groups(counts, None)) == at_once
    assert CELLS > 50
    monkeypatch.setattr(t_closeness, "CELLS", 1)
    assert model.reached(as_groups(counts, None)) == at_once


def test_values_of_every_type_are_measured() -> None:
    """Numbers and truths as well as text, with gaps, by each distance."""
    for values in ([1, 2, None, 2], [1.5, float("nan"), 2.0, None], [True, False, None, True]):
        table = pl.DataFrame({"q": ["a", "a", "b", "b"], "s": pl.Series(values, strict=False)})
        rows = [[label, "*"] for label in pl.Series(naive.texts(values)).drop_nulls().unique()]
        groups = Groups(table, ["q"], hierarchies={"s": Hierarchy.from_rows(rows)})
        expected = TCloseness.measure(groups, "s")["t"]
        for distance in DISTANCES:
            found = TCloseness(t=1, attribute="s", distance=distance).reached(groups)["t"]  # type: ignore[arg-type]
            assert found == expected if distance == "hierarchical" else 0 < found <= 1


def test_two_or_one_value() -> None:
    counts = [Counter({"p": 3}), Counter({"p": 1})]
    for distance in DISTANCES:
        model = TCloseness(t=0, attribute="s", distance=distance)  # type: ignore[arg-type]
        only = Hierarchy.from_rows([["p"]])
        assert model.accepts(as_classes(counts, only)).all()
        assert model.reached(as_groups(counts, only)) == {"t": 0}
    assert DeltaDisclosure(delta=0.001, attribute="s").accepts(as_classes(counts, None)).all()


# -- the edge of delta -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", range(1, 17))
def test_logarithms_next_to_delta(digits: int) -> None:
    """ln 2 with ever more digits, rounded down and up: {p, q, q, q} has half the p of a table with as many of both."""
    down = math.floor(math.log(2) * 10**digits) / 10**digits
    up = math.ceil(math.log(2) * 10**digits) / 10**digits
    counts = [Counter({"p": 1, "q": 3}), Counter({"p": 3, "q": 1})]
    for delta, expected in ((down, False), (up, True)):
        if Fraction(repr(delta)) == Fraction(repr(math.log(2))):
            expected = Fraction(repr(delta)) > Fraction("0.693147180559945309417232121458")
        model = DeltaDisclosure(delta=delta, attribute="s")
        assert model.accepts(as_classes(counts, None)).all() == expected
        assert model.holds(as_groups(counts, None)) == expected


def test_a_value_that_is_not_there_is_infinite() -> None:
    """However large delta is; other tools skip what a class lacks."""
    counts = [Counter({"p": 5}), Counter({"p": 4, "q": 1})]
    model = DeltaDisclosure(delta=1e300, attribute="s")
    assert model.accepts(as_classes(counts, None)).tolist() == [False, True]
    assert model.most_kept(as_classes(counts, None), np.array([False, True])).tolist() == [0, 5]
    assert model.reached(as_groups(counts, None)) == {"delta": math.inf}
    assert not model.holds(as_groups(counts, None))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 10**12])
def test_fractions_beside_powers_of_e(n: int) -> None:
    exponent = Fraction(1, n)
    convergent = Fraction(math.exp(1 / n))
    assert exceeds_exp(convergent * (1 + Fraction(1, 2**50)), exponent)
    assert not exceeds_exp(convergent * (1 - Fraction(1, 2**50)), exponent)
    assert exceeds_exp(1 / convergent * (1 + Fraction(1, 2**50)), -exponent)
    assert not exceeds_exp(1 / convergent * (1 - Fraction(1, 2**50)), -exponent)


def test_forty_digits_are_not_always_enough() -> None:
    """e to sixty digits, rounded down and up."""
    digits = 271828182845904523536028747135266249775724709369995957496696
    assert not exceeds_exp(Fraction(digits, 10**59), Fraction(1))
    assert exceeds_exp(Fraction(digits + 1, 10**59), Fraction(1))


# -- parameters --------------------------------------------------------------------------------------------------


def test_distances_that_a_table_does_not_have() -> None:
    table = pl.DataFrame({"a": ["x", "y"], "disease": ["flu", "cold"], "age": [3, 20]})
    bare = encode(table, Schema({"a": quasi(), "disease": sensitive(), "age": sensitive()}))
    rows = Hierarchy.from_rows([["flu", "*"], ["cold", "*"]])
    listed = encode(table, Schema({"a": quasi(), "disease": sensitive(rows), "age": sensitive()}))
    for distance, said in (("ordered", "numbers, or a hierarchy that lists"), ("hierarchical", "a hierarchy of the")):
        model = TCloseness(t=0.2, attribute="disease", distance=distance)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match=rf"t-closeness\.distance: expected {said}.*distance = 'equal'"):
            model.check(bare)
        model.check(listed)
    TCloseness(t=0.2, attribute="age", distance="ordered").check(bare)
    TCloseness(t=0.2, attribute="disease").check(bare)
    for model in (TCloseness(t=0.2, attribute="desease"), DeltaDisclosure(delta=1, attribute="desease")):
        with pytest.raises(ParameterError, match=rf"{model.key}\.attribute: .*did you mean 'disease'\?"):
            model.check(bare)


def test_a_table_without_the_hierarchy_of_a_promise() -> None:
    groups = as_groups([Counter(["flu"]), Counter(["gout"])], None)
    for distance in ("ordered", "hierarchical"):
        with pytest.raises(
            InputError, match=r"hierarchy of 's': expected the hierarchy by which .* check against the job"
        ):
            TCloseness(t=0.2, attribute="s", distance=distance).holds(groups)  # type: ignore[arg-type]
    unknown = as_groups([Counter(["flu"]), Counter(["gout"])], DISEASES)
    with pytest.raises(HierarchyError, match=r"hierarchy of 's': .*1 unknown value: 'gout'"):
        TCloseness(t=0.2, attribute="s", distance="hierarchical").holds(unknown)


@pytest.mark.parametrize("distance", DISTANCES)
def test_nothing_to_measure(distance: Any) -> None:
    empty = Groups(pl.DataFrame({"q": [], "s": []}, schema={"q": pl.String, "s": pl.String}), ["q"])
    for model in (TCloseness(t=0.2, attribute="s", distance=distance), DeltaDisclosure(delta=1, attribute="s")):
        (name, _) = next(iter(model.reached(empty).items()))
        assert model.reached(empty) == {name: None}
        assert model.measure(as_groups([Counter("p")], None), None) == {name: None}
        assert model.holds(empty)
        assert model.accepts(as_classes([], DISEASES, Counter(["flu"]))).shape == (0,)
        assert model.most_kept(as_classes([], DISEASES, Counter(["flu"])), np.array([], dtype=bool)).shape == (0,)


def test_promises_name_their_numbers() -> None:
    assert TCloseness(t=0.2, attribute="s").promise().startswith("0.2-closeness of 's': in every group")
    ordered = TCloseness(t=0.2, attribute="s", distance="ordered").promise()
    assert ordered.startswith("0.2-closeness of 's', ordered distance: ")
    promise = DeltaDisclosure(delta=1.5, attribute="s").promise()
    assert promise.startswith("1.5-disclosure privacy of 's': ")
    assert "within a factor of 4.482 of" in promise
    assert "factor" in DeltaDisclosure(delta=1e300, attribute="s").promise()
