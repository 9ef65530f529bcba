"""beta-likeness and F-privacy: caps on the share of each value, exact at equality, against their definitions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product
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
    BetaLikeness,
    EnhancedBetaLikeness,
    FPrivacy,
    FrequencyLDiversity,
    Groups,
    PrivacyModel,
)
from nymity.privacy.shares import Caps
from nymity.table.attribute import quasi, sensitive
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import SensitiveColumn, encode
from nymity.table.schema import Schema

VALUES = ("p", "q", "r", None)
NONE = np.zeros(0, dtype=np.uint32)
COLUMN = SensitiveColumn(VALUES, NONE, NONE, NONE)
ClassCounts = list[Counter[naive.Label]]

MODELS: list[tuple[PrivacyModel, naive.Likeness]] = [
    *((BetaLikeness(beta=b, attribute="s"), naive.alike(b)) for b in (0.001, 0.25, 0.5, 1, 1.5, 100)),
    *((EnhancedBetaLikeness(beta=b, attribute="s"), naive.alike(b, enhanced=True)) for b in (0.25, 1, 1.5, 100)),
    *(
        (FPrivacy(thresholds=t, attribute="s"), naive.below_thresholds(*oracle))
        for t, oracle in (
            ({"p": 0.5}, ({"p": 0.5},)),
            ({"p": 0.5, "": 0.25, "*": 0.75}, ({"p": 0.5, None: 0.25}, 0, 0.75)),
            ({"*": 0.4}, ({}, 0, 0.4)),
            ({"a": 1, "c": 0}, ({}, 1, 0)),
            ({"a": 1.5, "c": 0.1}, ({}, 1.5, 0.1)),
            ({"q": 0.3, "*": {"a": 0.5, "c": 0.25}}, ({"q": 0.3}, 0.5, 0.25)),
        )
    ),
]


def named(value: object) -> str:
    return repr(value) if isinstance(value, PrivacyModel) else "oracle"


@st.composite
def class_counts(draw: st.DrawFn, *, least: int = 0) -> ClassCounts:
    """Some classes, each with records of the sensitive values."""
    rows = draw(st.lists(st.lists(st.sampled_from(VALUES), min_size=1, max_size=6), min_size=least, max_size=6))
    return [Counter(row) for row in rows]


def as_classes(counts: ClassCounts, overall: Counter[naive.Label] | None = None) -> Classes:
    """The classes as arrays, compared with a table; with all of them together unless given."""
    entries = [(i, VALUES.index(value), n) for i, counter in enumerate(counts) for value, n in counter.items()]
    columns = np.array(entries, dtype=np.uint32).reshape(-1, 3).T
    sizes = np.array([counter.total() for counter in counts], dtype=np.uint32)
    table = None if overall is None else np.array([overall[value] for value in VALUES], dtype=np.int64)
    return Classes(sizes, {"s": Histogram(len(counts), len(VALUES), *columns, COLUMN, table)})  # type: ignore[arg-type]


@pytest.mark.parametrize(("model", "likeness"), MODELS, ids=named)
@given(counts=class_counts(), others=class_counts())
@settings(max_examples=25)
def test_accepts(model: PrivacyModel, likeness: naive.Likeness, counts: ClassCounts, others: ClassCounts) -> None:
    """The answer about a class depends on it and on the table, and on nothing else."""
    overall = sum(counts + others, Counter())
    classes = as_classes(counts, overall)
    found = model.accepts(classes)
    assert found.dtype == np.bool_
    assert found.tolist() == [likeness(counter, overall) for counter in counts]
    assert all(counter.total() >= model.smallest_class for counter, ok in zip(counts, found, strict=True) if ok)
    if found.any():
        assert model.accepts(classes.merged(found)).all()  # unions of accepted classes
    assert not model.size_only


@pytest.mark.parametrize(("model", "likeness"), MODELS, ids=named)
@given(data=st.data())
@settings(max_examples=20)
def test_no_split_of_a_class_keeps_more_than_the_bound(
    model: PrivacyModel, likeness: naive.Likeness, data: st.DataObject
) -> None:
    """Accepted parts together are accepted, so the largest accepted part is the most that any split can keep."""
    one = Counter(data.draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=9)))
    overall = sum(data.draw(class_counts()), one)
    parts = [Counter(dict(zip(one, part, strict=True))) for part in product(*(range(n + 1) for n in one.values()))]
    most = max((+part).total() for part in parts if likeness(+part, overall))
    classes = as_classes([one], overall)
    bound = model.most_kept(classes, model.accepts(classes))[0]
    assert most <= bound <= one.total()


@given(st.lists(st.integers(0, 12), min_size=3, max_size=3), st.lists(st.integers(1, 9), min_size=3, max_size=3))
@settings(max_examples=80)
def test_the_bound_of_caps_is_the_largest_part_that_keeps_them(counts: list[int], tenths: list[int]) -> None:
    """By trying all parts of a class: what any split keeps is one of them, and one of them is a split."""
    if not any(counts):
        return
    one = Counter({value: n for value, n in zip("pqr", counts, strict=True) if n})
    caps = Caps.of([*((t, 10) for t in tenths), (1, 1)])
    parts = product(*(range(n + 1) for n in counts))
    most = max(sum(part) for part in parts if all(10 * n <= t * sum(part) for n, t in zip(part, tenths, strict=True)))
    assert caps.most_kept(as_classes([one]), "s")[0] == most


def test_bounds_that_are_tight() -> None:
    """Two values that may have 0.3 each cannot fill any class; five of one value need five others at half."""
    third = FrequencyLDiversity(l=3, attribute="s")
    classes = as_classes([Counter(p=5, q=4), Counter(p=5, q=3, r=1), Counter(p=5, q=5, r=5)])
    assert third.most_kept(classes, third.accepts(classes)).tolist() == [0, 3, 15]
    half = AlphaKAnonymity(alpha=0.5, k=2, attribute="s")
    classes = as_classes([Counter(p=9, q=2, r=1), Counter(p=9)])
    assert half.most_kept(classes, half.accepts(classes)).tolist() == [6, 0]


@pytest.mark.parametrize(
    "model",
    [
        BetaLikeness(beta=0.5, attribute="s"),
        EnhancedBetaLikeness(beta=0.5, attribute="s"),
        FPrivacy(thresholds={"p": 0.6}, attribute="s"),
        FPrivacy(thresholds={"a": 1.5, "c": 0}, attribute="s"),
    ],
    ids=repr,
)
def test_declared_not_monotone(model: PrivacyModel) -> None:
    """The classes of the counterexample: {p, q} is accepted, with {p} beside it p holds too much."""
    good, bad, rest = Counter("pq"), Counter("p"), Counter("qq")
    assert model.accepts(as_classes([good, bad, rest])).tolist() == [True, False, not model.compares]
    assert model.accepts(as_classes([good + bad, rest])).tolist() == [False, not model.compares]
    assert not model.monotone_generalization
    assert not model.monotone_suppression


@pytest.mark.parametrize(
    ("thresholds", "size"),
    [({"*": 0.4}, 3), ({"*": 0.5}, 2), ({"p": 0.25, "*": 0.25}, 4), ({"p": 0.9, "*": 0.3}, 2), ({"*": 1}, 1)],
)
def test_the_smallest_class_that_thresholds_allow(thresholds: dict[str, float], size: int) -> None:
    """Over all ways to fill a class of four values or fewer: none below it is accepted."""
    model = FPrivacy(thresholds=thresholds, attribute="s")
    assert model.smallest_class == size
    ways = [Counter(dict(zip(VALUES, way, strict=True))) for way in product(range(4), repeat=4) if any(way)]
    ways = [Counter({value: n for value, n in way.items() if n}) for way in ways]
    accepted = model.accepts(as_classes(ways, sum(ways, Counter())))
    assert min(way.total() for way, ok in zip(ways, accepted, strict=True) if ok) >= size


def test_what_is_compared_with_the_table() -> None:
    assert BetaLikeness(beta=1, attribute="s").compares
    assert EnhancedBetaLikeness(beta=1, attribute="s").compares
    assert FPrivacy(thresholds={"a": 1, "c": 0}, attribute="s").compares
    assert FPrivacy(thresholds={"p": 0.2, "*": {"a": 1, "c": 0}}, attribute="s").compares
    assert not FPrivacy(thresholds={"p": 0.2, "*": 0.3}, attribute="s").compares
    assert not FPrivacy(thresholds={"a": 0, "c": 0.5}, attribute="s").compares


# -- equality ----------------------------------------------------------------------------------------------------


def one_class(counts: dict[naive.Label, int], overall: dict[naive.Label, int]) -> Classes:
    return as_classes([Counter(counts)], Counter(overall))


@pytest.mark.parametrize("hundredth", range(1, 100))
def test_every_hundredth_as_a_beta(hundredth: int) -> None:
    """q = 1/10, so a class of 1,000 may hold 100 + beta of them and not one more."""
    model, most = BetaLikeness(beta=hundredth / 100, attribute="s"), 100 + hundredth
    assert model.accepts(one_class({"p": most, "q": 1000 - most}, {"p": 1000, "q": 9000}))[0]
    assert not model.accepts(one_class({"p": most + 1, "q": 999 - most}, {"p": 1000, "q": 9000}))[0]


@given(st.integers(1, 2**31 - 1), st.integers(2, 2**31 - 1), st.data())
@settings(max_examples=60)
def test_products_beyond_64_bits(size: int, term: int, data: st.DataObject) -> None:
    """Caps with terms of 62 bits and classes of 31: one record decides."""
    denominator = term * (2**31 - 1)
    numerator = data.draw(st.integers(0, denominator))
    caps, most = Caps.of([(numerator, denominator), (1, 1), (1, 1), (1, 1)]), numerator * size // denominator
    for count in range(most, min(most + 1, size) + 1):
        classes = as_classes([Counter({"p": count, "q": size - count})])
        assert caps.accept(classes, "s")[0] == (count == most)


class Counted:
    """Counts as if they came from a table too large to make."""

    persons = None

    def __init__(self, counts: dict[naive.Label, int], overall: dict[naive.Label, int]) -> None:
        self.n_records, size = sum(overall.values()), sum(counts.values())
        rows = [(0, value, n, size, overall[value]) for value, n in counts.items()]
        self._counts = pl.DataFrame(rows, schema=["class", "value", "records", "size", "overall"], orient="row")

    def value_counts(self, attribute: str) -> pl.DataFrame:
        return self._counts


@pytest.mark.parametrize("records", [1, 1_000, 123_456_789, 2**30, 1_900_000_000])
def test_both_sides_of_the_logarithm(records: int) -> None:
    """A search accepts what keeps the definition, verification breaks what does not, and both are within 10**-9."""
    model, total, size = EnhancedBetaLikeness(beta=2_000_000_000, attribute="s"), 2**31 - 1, 2**31 - 1
    overall: dict[naive.Label, int] = {"p": records, "q": total - records}
    most = int(size * (1 - math.log(records / total)) * records / total)  # up to what the logarithm is rounded by
    decided = 2 + math.ceil(3e-9 * size * records / total)
    for step in range(-2 * decided, 2 * decided + 1):
        counts: dict[naive.Label, int] = {"p": most + step, "q": size - most - step}
        if min(counts.values()) < 0:
            continue
        accepted = bool(model.accepts(one_class(counts, overall))[0])
        holds = model.holds(Counted(counts, overall))  # type: ignore[arg-type]
        assert accepted <= (step <= 1)
        assert holds >= (step <= -1)
        assert holds or not accepted
        assert accepted or step > -decided
        assert not holds or step < decided


def test_a_logarithm_of_small_numbers() -> None:
    """q = 1/4 caps p at (1 + ln 4) / 4 = 0.5966 however large beta is; q = 1 caps nothing."""
    model, overall = EnhancedBetaLikeness(beta=100, attribute="s"), {"p": 250, "q": 750}
    assert model.accepts(one_class({"p": 596, "q": 404}, overall))[0]
    assert not model.accepts(one_class({"p": 597, "q": 403}, overall))[0]
    assert model.accepts(one_class({"p": 5}, {"p": 9}))[0]
    assert BetaLikeness(beta=100, attribute="s").accepts(one_class({"p": 5}, {"p": 250, "q": 750}))[0]


def test_a_value_that_the_table_lost() -> None:
    """Once records are removed a value may be in classes only that are not published: these stay rejected."""
    for model in (BetaLikeness(beta=9, attribute="s"), EnhancedBetaLikeness(beta=9, attribute="s")):
        assert model.accepts(as_classes([Counter("pq"), Counter("pr")], Counter("pq"))).tolist() == [True, False]
        assert model.accepts(as_classes([])).shape == (0,)


# -- on tables ---------------------------------------------------------------------------------------------------


@st.composite
def releases(draw: st.DrawFn) -> pl.DataFrame:
    """A release: two columns with stars, and a sensitive one with gaps."""
    n = draw(st.integers(0, 15))
    cells = {"a": ["x", "*", None], "b": ["1", "*", "*"], "s": ["p", "q", "r", "", None]}
    columns = {name: draw(st.lists(st.sampled_from(c), min_size=n, max_size=n)) for name, c in cells.items()}
    return pl.DataFrame(columns, schema=dict.fromkeys(cells, pl.String))


def tabulated(table: pl.DataFrame) -> tuple[ClassCounts, Counter[naive.Label]]:
    """The sensitive values of each class, masked rows among them, and of the table."""
    found: dict[naive.Row, Counter[naive.Label]] = {}
    for a, b, s in table.rows():
        found.setdefault((a, b), Counter())[s or None] += 1
    return list(found.values()), Counter(s or None for s in table["s"])


@pytest.mark.parametrize(("model", "likeness"), MODELS, ids=named)
@given(table=releases())
@settings(max_examples=20)
def test_holds_on_a_table(model: PrivacyModel, likeness: naive.Likeness, table: pl.DataFrame) -> None:
    counts, overall = tabulated(table)
    groups = Groups(table, ["a", "b"])
    assert model.holds(groups) == all(likeness(counter, overall) for counter in counts)


@given(releases())
@settings(max_examples=60)
def test_measures_on_a_table(table: pl.DataFrame) -> None:
    counts, overall = tabulated(table)
    groups, n = Groups(table, ["a", "b"]), overall.total()
    shares = [(v, Fraction(c[v], c.total()), Fraction(overall[v], n)) for c in counts for v in c]
    beta = max(((p - q) / q for _, p, q in shares), default=None)
    assert BetaLikeness.measure(groups, "s") == {
        "beta": None if beta is None else pytest.approx(float(beta), abs=1e-15)
    }
    unbounded = any(p > q and float((p - q) / q) > -math.log(q) for _, p, q in shares)
    expected = {"beta": math.inf} if unbounded else BetaLikeness.measure(groups, "s")
    assert EnhancedBetaLikeness.measure(groups, "s") == expected
    if beta is None:
        assert FPrivacy.measure(groups, "s") == {"thresholds": None}
        return
    assert FPrivacy.measure(groups, "s") == {"thresholds": {"a": pytest.approx(1 + float(beta)), "c": 0}}
    listed = FPrivacy(thresholds={"p": 0.9, "": 0.8, "*": 0.7}, attribute="s").reached(groups)["thresholds"]
    assert listed == {
        "p": max((float(p) for v, p, _ in shares if v == "p"), default=0),
        "": max((float(p) for v, p, _ in shares if v is None), default=0),
        "*": max((float(p) for v, p, _ in shares if v in ("q", "r")), default=0),
    }
    formula = FPrivacy(thresholds={"a": 9, "c": 0.25}, attribute="s").reached(groups)["thresholds"]
    least = max(0.0, *(float((p - Fraction(1, 4)) / q) for _, p, q in shares))
    assert formula == {"a": pytest.approx(least), "c": 0.25}
    both = FPrivacy(thresholds={"p": 0.9, "*": {"a": 9, "c": 0}}, attribute="s").reached(groups)["thresholds"]
    others = max((float(p / q) for v, p, q in shares if v != "p"), default=0.0)
    assert both == {"p": listed["p"], "*": {"a": pytest.approx(others), "c": 0}}


def test_nothing_to_measure() -> None:
    table = pl.DataFrame({"a": ["x"], "s": ["p"]})
    empty, some = Groups(table.clear(), ["a"]), Groups(table, ["a"])
    for groups, attribute in ((empty, "s"), (some, None)):
        assert BetaLikeness.measure(groups, attribute) == {"beta": None}
        assert EnhancedBetaLikeness.measure(groups, attribute) == {"beta": None}
        assert FPrivacy.measure(groups, attribute) == {"thresholds": None}
    for model, _ in MODELS:
        assert model.holds(empty)
        assert set(model.reached(empty).values()) == {None}


def test_values_are_known_by_their_text() -> None:
    """A file does not tell numbers from text: 1, 1.0 and '1' are one value."""
    model = FPrivacy(thresholds={"1": 0.5}, attribute="s")
    for cells in ([1, 1, 2], [1.0, 1.0, 2.0], ["1", "1", "2"]):
        groups = Groups(pl.DataFrame({"a": ["x"] * 3, "s": cells}), ["a"])
        assert model.reached(groups) == {"thresholds": {"1": 2 / 3}}
        assert not model.holds(groups)


# -- parameters --------------------------------------------------------------------------------------------------

TABLE = pl.DataFrame({"a": ["x", "x", "y", "y", "z"], "disease": ["flu", "flu", "HIV", None, "a"]})
ENCODED = encode(TABLE, Schema({"a": quasi(), "disease": sensitive()}))


@pytest.mark.parametrize(
    ("thresholds", "said"),
    [
        ({"hiv": 0.5}, r"thresholds: expected values of 'disease', or '\*' for all others, got 'hiv'.*mean 'HIV'\?"),
        (
            {"flu": 0.39},
            r"thresholds, 'flu': expected at least 0\.4, the share of 2 of 5 records .*, got 0\.39\. Try: raise",
        ),
        ({"*": 0.3}, r"thresholds, 'flu': expected at least 0\.4, .*, got 0\.3"),
        ({"*": {"a": 0.5, "c": 0.1}}, r"thresholds, 'flu': expected at least 0\.4, .*, got 0\.3"),
        ({"": 0.1}, r"thresholds, \(missing\): expected at least 0\.2, the share of 1 of 5 records"),
        ({"*": {"a": 0, "c": 0}}, r"thresholds, \(missing\): expected at least 0\.2, .* got 0\."),
        ({"a": 2, "c": 0.1}, r"expected either a formula or values of 'disease', which has 'a'.*\{'\*': \{'a': 2, 'c'"),
    ],
)
def test_thresholds_that_do_not_fit_the_table(thresholds: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        FPrivacy(thresholds=thresholds, attribute="disease").check(ENCODED)


def test_thresholds_that_fit() -> None:
    for thresholds in ({"flu": 0.4, "": 0.2}, {"*": {"a": 1, "c": 0}}, {"a": 0.2, "*": 1}, {"flu": 0.5, "*": 0.2}):
        FPrivacy(thresholds=thresholds, attribute="disease").check(ENCODED)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"f-privacy\.attribute: .*got 'desease'.*'disease'\?"):
        FPrivacy(thresholds={"a": 1, "c": 0}, attribute="desease").check(ENCODED)
    for model in (BetaLikeness(beta=0.1, attribute="a"), EnhancedBetaLikeness(beta=0.1, attribute="a")):
        with pytest.raises(ParameterError, match=rf"{model.key}\.attribute: .*got 'a'.*declare 'a' sensitive"):
            model.check(ENCODED)


@pytest.mark.parametrize(
    ("thresholds", "said"),
    [
        (0.5, "f-privacy.thresholds: expected a table of values with their thresholds, or a formula"),
        ({}, "or a formula such as {'a': 2, 'c': 0.1}, got {}"),
        ({"x": 0}, "f-privacy.thresholds, 'x': expected a number above 0 and at most 1, got 0"),
        ({"x": 1.1}, "f-privacy.thresholds, 'x': expected a number above 0 and at most 1, got 1.1"),
        ({"": True}, "f-privacy.thresholds, (missing): expected a number"),
        ({"x": {"a": 1, "c": 0}}, "f-privacy.thresholds, 'x': expected a number above 0"),
        ({"x": 1 / 3}, "f-privacy.thresholds, 'x': expected a number of at most nine digits"),
        ({"*": "0.5"}, "f-privacy.thresholds, '*': expected a number above 0 and at most 1, got '0.5'"),
        ({"*": {"a": 1}}, "f-privacy.thresholds: expected a formula of 'a' and 'c' for min(1, a f + c), got {'a': 1}"),
        ({"a": -1, "c": 0.5}, "f-privacy.thresholds, a: expected a number of at least 0, got -1"),
        ({"a": 1, "c": 1e-10}, "f-privacy.thresholds, c: expected a number of at most nine digits"),
        ({"a": 2**-30, "c": 5**-13}, "f-privacy.thresholds"),
        ({3: 0.5}, "f-privacy.thresholds: expected values as text, a missing one as '', got 3. Try: '3'"),
        ({None: 0.5}, "got None. Try: ''"),
    ],
)
def test_what_is_no_threshold(thresholds: Any, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        FPrivacy(thresholds=thresholds, attribute="s")
    assert str(caught.value).startswith("f-privacy.thresholds")
    assert said in str(caught.value)


def test_fractions_without_a_common_short_denominator() -> None:
    terms: Any = {"a": Fraction(1, 2**30), "c": Fraction(1, 5**13)}
    with pytest.raises(ParameterError, match="a and c of at most nine digits"):
        FPrivacy(thresholds=terms, attribute="s")


def test_thresholds_are_copied() -> None:
    given: dict[str, Any] = {"p": 0.5, "*": {"a": 2, "c": 0.1}}
    model = FPrivacy(thresholds=given, attribute="s")
    given["p"], given["*"]["a"] = 0.1, 0
    assert model == FPrivacy(thresholds={"p": 0.5, "*": {"a": 2, "c": 0.1}}, attribute="s")
    assert model.compares


def test_promises_name_their_numbers() -> None:
    assert BetaLikeness(beta=1.5, attribute="s").promise().startswith("1.5-likeness of 's': ")
    assert EnhancedBetaLikeness(beta=2, attribute="s").promise().startswith("enhanced 2-likeness of 's': ")
    words = FPrivacy(thresholds={"HIV": 0.1, "": 0.2}, attribute="s").promise()
    assert words.startswith("F-privacy of 's': ")
    assert words.endswith("its share, 'HIV' at most 0.1, (missing) at most 0.2")
    words = FPrivacy(thresholds={"HIV": 0.1, "*": 0.5}, attribute="s").promise()
    assert words.endswith("'HIV' at most 0.1, every other value at most 0.5")
    words = FPrivacy(thresholds={"a": 2, "c": 0.1}, attribute="s").promise()
    assert words.endswith("every value at most 2 f + 0.1, f being its share of the whole table")


# -- tables of the literature ------------------------------------------------------------------------------------


def test_the_buckets_of_wang() -> None:
    """Wang 2014, examples 5 and 6: 36 records, f' = 3 f + 0.02, the smallest bucket of each value and round robin."""
    occurrences = {f"x{i}": n for i, n in enumerate((2, 2, 2, 4, 4, 4, 4, 7, 7), start=1)}
    values = [value for value, n in occurrences.items() for _ in range(n)]
    model = FPrivacy(thresholds={"a": 3, "c": 0.02}, attribute="s")
    schema = Schema({"q": quasi(), "s": sensitive()})
    encoded = encode(pl.DataFrame({"q": ["x"] * 36, "s": values}), schema)
    model.check(encoded)
    for value, smallest in (("x1", 6), ("x3", 6), ("x4", 3), ("x7", 3), ("x8", 2), ("x9", 2)):
        for size in range(1, 7):
            bucket = [value, *[v for v in ("x8", "x9", "x4", "x5", "x6", "x7") if v != value][: size - 1]]
            rest = Counter(values) - Counter(bucket)
            table = pl.DataFrame({"q": ["x"] * size + ["y"] * rest.total(), "s": [*bucket, *rest.elements()]})
            assert model.holds(Groups(table, ["q"])) == (size >= smallest)
    for buckets, valid in ((6, True), (9, False)):  # six of six records, nine of four
        bucket = [str(i % buckets) for i in range(36)]
        assert model.holds(Groups(pl.DataFrame({"q": bucket, "s": values}), ["q"])) == valid


def test_a_threshold_is_a_fraction_not_its_rounding() -> None:
    """NOTES on Wang: f' = 2/7 allows two of seven records, the rounded 0.2857 allows one."""
    for threshold, holds in ((Fraction(2, 7), True), (0.2857, False)):
        model = FPrivacy(thresholds={"p": threshold}, attribute="s")  # type: ignore[dict-item]
        assert model.accepts(one_class({"p": 2, "q": 5}, {"p": 2, "q": 5}))[0] == holds
