"""Mondrian against a recursive one written from the definition, and what every partition of it must be."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.draws import KeyedDraws
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.core.progress import silent
from nymity.partition.attributes import attributes_of
from nymity.partition.mondrian import Mondrian
from nymity.partition.problem import Assignment, PartitionProblem, problem_of
from nymity.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FPrivacy,
    FrequencyLDiversity,
    Groups,
    KAnonymity,
    PrivacyModel,
    ProsecutorRisk,
    RecursiveDiversity,
    SampleUniques,
    TCloseness,
)
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, cases

LETTERS = Hierarchy.from_rows([["a", "1", "*"], ["c", "1", "*"], ["b", "2", "*"], ["d", "2", "*"]])
#: Widths and gains of these are exact in binary, so that ties of the oracle are ties of the kernel.
SCHEMA = Schema({"x": quasi(), "y": quasi(), "c": quasi(LETTERS), "s": sensitive()})
BOUNDS = {"x": (0, 8), "y": (-4, 4)}
Class = tuple[tuple[int, int], ...]


@st.composite
def tables(draw: st.DrawFn, *, max_records: int = 40) -> pl.DataFrame:
    """Numbers within their bounds, letters of which all occur, and a sensitive value."""
    row = st.tuples(
        st.sampled_from([0, 1, 2, 5, 8]),
        st.integers(-4, 4),
        st.sampled_from("abcd"),
        st.sampled_from(["p", "q", "q", "r"]),
    )
    rows = draw(st.lists(row, min_size=1, max_size=max_records))
    rows += [(0, 0, letter, "pqrq"[i]) for i, letter in enumerate("abcd")]
    return pl.DataFrame(rows, schema=["x", "y", "c", "s"], orient="row")


@dataclass(frozen=True)
class Naive:
    """Records in the order of the problem, and what a class of them must keep."""

    records: list[tuple[int, int, int, str]]
    judge: Callable[[list[int]], bool]
    k: int
    by_gain: bool = False
    cuts_as: str = "strict"

    @staticmethod
    def of(
        problem: PartitionProblem, judge: Callable[[list[tuple[Any, ...]]], bool] | None = None, **how: Any
    ) -> Naive:
        table, values = problem.table, []
        for profile in problem.profile_of_records.tolist():
            codes = table.combinations[table.profiles.combination[profile]].tolist()
            raw = [h.values[code] for h, code in zip(table.hierarchies, codes, strict=True)]
            label = table.sensitive["s"].labels[table.profiles.sensitive[profile, 0]]
            values.append((int(raw[0] or 0), int(raw[1] or 0), "acbd".index(raw[2] or ""), label or ""))
        return Naive(values, (lambda m: judge([values[r] for r in m])) if judge else lambda _: True, **how)

    def width(self, members: Sequence[int], axis: int) -> Fraction:
        values = {self.records[r][axis] for r in members}
        if axis < 2:
            return Fraction(max(values) - min(values), 8)  # type: ignore[operator]
        return Fraction(len(values), 4) if len(values) > 1 else Fraction(0)

    def cost(self, members: Sequence[int]) -> Fraction:
        return sum((self.width(members, axis) for axis in range(3)), Fraction(0)) * len(members)

    def cut(self, members: list[int], axis: int) -> tuple[list[int], list[int]] | None:
        """The parts nearest to halves, with enough records in both."""
        if self.width(members, axis) == 0:
            return None
        if self.cuts_as == "strict":
            return max(self.cuts(members, axis), key=lambda parts: min(map(len, parts)), default=None)
        if self.cuts_as == "literal":
            return self.at_median(members, axis)
        half = len(members) // 2
        first = set(sorted(members, key=lambda r: self.records[r][axis])[: len(members) - half])
        parts = [r for r in members if r in first], [r for r in members if r not in first]
        return parts if half >= self.k else None

    def at_median(self, members: list[int], axis: int) -> tuple[list[int], list[int]] | None:
        """Up to the median, and above it; the median is the middle one in order, of an even number the lower one."""
        values = {r: self.records[r][axis] for r in members}
        median = sorted(values.values())[(len(members) - 1) // 2]  # type: ignore[type-var]
        lower, upper = [r for r in members if values[r] <= median], [r for r in members if values[r] > median]  # type: ignore[operator]
        return (lower, upper) if min(len(lower), len(upper)) >= self.k else None

    def cuts(self, members: list[int], axis: int) -> list[tuple[list[int], list[int]]]:
        """All parts with enough records that keep equal values together."""
        values = {r: self.records[r][axis] for r in members}
        cuts = [
            ([r for r in members if values[r] <= bound], [r for r in members if values[r] > bound])  # type: ignore[operator]
            for bound in sorted(set(values.values()))
        ]
        return [parts for parts in cuts if min(map(len, parts)) >= self.k]

    def classes(self, members: list[int]) -> list[list[int]]:
        axes = sorted(range(3), key=lambda axis: -self.width(members, axis))
        cuts = [parts for axis in axes if (parts := self.cut(members, axis)) is not None]
        if self.by_gain:
            cuts.sort(key=lambda parts: -(self.cost(members) - sum(map(self.cost, parts))))
        others = [parts for axis in axes for parts in self.cuts(members, axis)]
        cuts += sorted(others, key=lambda parts: -min(map(len, parts))) if self.cuts_as != "literal" else []
        for parts in cuts:
            if all(self.judge(part) for part in parts):
                return [found for part in parts for found in self.classes(part)]
        return [members]

    def partition(self, problem: PartitionProblem) -> list[Class]:
        profiles = problem.profile_of_records
        found = self.classes(list(range(len(self.records))))
        return sorted(tuple(sorted(Counter(profiles[members].tolist()).items())) for members in found)


def problem(table: pl.DataFrame, *models: PrivacyModel) -> PartitionProblem:
    encoded = encode(table, SCHEMA)
    return problem_of(encoded, attributes_of(encoded, bounds=BOUNDS, where="test"), models)


def partition(found: Assignment) -> list[Class]:
    """Each class as its profiles with their records."""
    entries = sorted(zip(found.classes.tolist(), found.profiles.tolist(), found.records.tolist(), strict=True))
    assert (found.records > 0).all()
    return sorted(tuple((p, n) for _, p, n in of_class) for _, of_class in groupby(entries, key=lambda entry: entry[0]))


def divided(described: PartitionProblem, **parameters: Any) -> list[Class]:
    return partition(Mondrian(**parameters).divide(described, silent).assignment)


HOW = [{"choose": choose, "cuts": cuts} for choose in ("widest", "gain") for cuts in ("strict", "relaxed", "literal")]


@pytest.mark.parametrize("how", HOW, ids=lambda how: "-".join(how.values()))
@given(table=tables(), k=st.integers(1, 6))
@settings(max_examples=30)
def test_k_alone(how: dict[str, str], table: pl.DataFrame, k: int) -> None:
    """In one go, and asking the model: l = 1 says nothing, but it is no matter of size alone."""
    if table.height < k:
        return
    model = KAnonymity(k=k)
    at_once, asking = problem(table, model), problem(table, model, DistinctLDiversity(l=1, attribute="s"))
    assert (at_once.size_only, asking.size_only) == (True, False)
    expected = Naive.of(at_once, k=k, by_gain=how["choose"] == "gain", cuts_as=how["cuts"])
    assert divided(at_once, **how) == divided(asking, **how) == expected.partition(at_once)


def judged(judge: naive.Judge) -> Callable[[list[tuple[Any, ...]]], bool]:
    return lambda members: judge(len(members), {"s": Counter(member[3] for member in members)})


def beside(likeness: naive.Likeness, table: pl.DataFrame) -> Callable[[list[tuple[Any, ...]]], bool]:
    return lambda members: likeness(Counter(member[3] for member in members), Counter(table["s"].to_list()))


JUDGED: dict[str, tuple[PrivacyModel, naive.Judge]] = {
    "distinct": (DistinctLDiversity(l=2, attribute="s"), naive.diverse(2, "s")),
    "entropy": (EntropyLDiversity(l=1.6, attribute="s"), naive.entropic(1.6, "s")),
    "frequency": (FrequencyLDiversity(l=1.5, attribute="s"), naive.frequent(1.5, "s")),
    "recursive": (RecursiveDiversity(c=2, l=2, attribute="s"), naive.recursive(2, 2, "s")),
    "alpha": (AlphaKAnonymity(alpha=0.7, k=3, attribute="s"), naive.alpha_k(0.7, 3, "s")),
    "prosecutor": (ProsecutorRisk(limit=0.3), naive.prosecutor(0.3)),
}
COMPARED: dict[str, tuple[PrivacyModel, naive.Likeness]] = {
    "t-closeness": (TCloseness(t=0.25, attribute="s"), naive.close(0.25, naive.equally_apart)),
    "beta": (BetaLikeness(beta=0.8, attribute="s"), naive.alike(0.8)),
    "enhanced": (EnhancedBetaLikeness(beta=1.2, attribute="s"), naive.alike(1.2, enhanced=True)),
    "delta": (DeltaDisclosure(delta=0.9, attribute="s"), naive.disclosing(0.9)),
    "f-privacy": (FPrivacy(thresholds={"p": 0.5}, attribute="s"), naive.below_thresholds({"p": 0.5})),
}


@pytest.mark.parametrize("how", HOW, ids=lambda how: "-".join(how.values()))
@given(table=tables(), k=st.integers(1, 4), name=st.sampled_from([*JUDGED, *COMPARED]))
@settings(max_examples=30)
def test_models_of_a_class(how: dict[str, str], table: pl.DataFrame, k: int, name: str) -> None:
    if name in JUDGED:
        model, judge = JUDGED[name][0], judged(JUDGED[name][1])
    else:
        model, judge = COMPARED[name][0], beside(COMPARED[name][1], table)
    described = problem(table, KAnonymity(k=k), model)
    if not described.assignment_of_combinations(np.zeros(len(described.table.counts), np.int64)).accepted().all():
        with pytest.raises((NoSolutionError, ParameterError)):
            Mondrian(**how).run(described.table, described.models)  # type: ignore[arg-type]
        return
    smallest = max(k, model.smallest_class)
    expected = Naive.of(described, judge, k=smallest, by_gain=how["choose"] == "gain", cuts_as=how["cuts"])
    assert divided(described, **how) == expected.partition(described)


@pytest.mark.parametrize("cuts", ["strict", "relaxed"])
@pytest.mark.parametrize(
    ("model", "overview"),
    [
        (AverageRisk(limit=0.2), naive.seldom_found(0.2)),
        (AverageRisk(limit=0.55), naive.seldom_found(0.55)),
        (SampleUniques(limit=0.1), naive.seldom_alone(0.1)),
        (SampleUniques(limit=0), naive.seldom_alone(0)),
    ],
    ids=["average 0.2", "average 0.55", "uniques 0.1", "no uniques"],
)
@given(table=tables(max_records=60))
@settings(max_examples=15)
def test_models_of_all_classes(model: PrivacyModel, overview: naive.Overview, cuts: str, table: pl.DataFrame) -> None:
    """They hold for the partition as a whole, and no further balanced cut would keep them."""
    described = problem(table, model)
    found = divided(described, cuts=cuts)
    sizes = [sum(n for _, n in members) for members in found]
    assert overview(sizes)
    oracle = Naive.of(described, k=1, cuts_as=cuts)
    for i, members in enumerate(found):
        records = [int(r) for p, n in members for r in np.flatnonzero(described.profile_of_records == p)[:n]]
        for axis in range(3):
            parts = oracle.cut(records, axis)
            assert parts is None or not overview([*sizes[:i], *sizes[i + 1 :], *map(len, parts)])


# -- any table ----------------------------------------------------------------------------------------------------

DEMANDS: list[list[PrivacyModel]] = [
    [KAnonymity(k=1)],
    [KAnonymity(k=3)],
    [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="s0")],
    [KAnonymity(k=2), EntropyLDiversity(l=1.5, attribute="s0")],
    [KAnonymity(k=2), TCloseness(t=0.4, attribute="s0")],
]


@pytest.mark.parametrize("models", DEMANDS, ids=lambda models: "+".join(model.key for model in models))
@given(
    case=cases(n_sensitive=1, numeric=True),
    how=st.sampled_from(HOW),
    cells=st.sampled_from(["tight", "set", "hierarchy"]),
    categorical=st.sampled_from(["set", "order"]),
)
@settings(max_examples=30)
def test_every_release_keeps_every_promise(
    models: list[PrivacyModel], case: Case, how: dict[str, Any], cells: Any, categorical: Any
) -> None:
    if not sum(case.schema[name].weight for name in case.schema.quasi):
        with pytest.raises(ParameterError, match="a weight above 0"):
            Mondrian().run(case.encoded, [KAnonymity(k=1)])
        return
    try:
        for model in models:
            model.check(case.encoded)
    except ParameterError:
        return
    try:
        method = Mondrian(cells=cells, categorical=categorical, **how)
        outcome = method.run(case.encoded, models, columns=case.frame.columns)
    except NoSolutionError:
        whole = Groups(case.frame.with_columns(pl.lit("").alias(n) for n in case.schema.quasi), case.schema.quasi)
        assert not all(model.holds(whole) for model in models)
        return
    recoded = outcome.recoding.apply(case.frame)
    assert recoded.source_rows.tolist() == list(range(case.frame.height))
    assert not recoded.masked.any()
    groups = Groups(recoded.table, case.schema.quasi)
    assert all(model.holds(groups) for model in models)
    assert len(groups.sizes) <= outcome.classes
    assert (outcome.optimal, outcome.bound, outcome.suppressed) == (False, None, 0)
    if how["cuts"] == "strict":
        released = pl.concat([case.frame, recoded.table.rename(lambda name: f"out {name}")], how="horizontal")
        together = released.group_by(case.schema.quasi).agg(pl.struct(f"out {n}" for n in case.schema.quasi).n_unique())
        assert together.select(pl.last()).to_series().to_list() == [1] * together.height


@given(case=cases(n_sensitive=1, numeric=True), data=st.data(), how=st.sampled_from(HOW))
@settings(max_examples=30)
def test_the_order_of_rows_does_not_matter(case: Case, data: st.DataObject, how: dict[str, Any]) -> None:
    if not sum(case.schema[name].weight for name in case.schema.quasi):
        return
    order = data.draw(st.permutations(range(case.frame.height)))
    models = [KAnonymity(k=min(2, case.frame.height))]
    draws = KeyedDraws.fresh()
    one = Mondrian(**how).run(case.encoded, models, columns=case.frame.columns, draws=draws)
    other = Mondrian(**how).run(case.reordered(order).encoded, models, columns=case.frame.columns, draws=draws)
    assert one.recoding.to_dict() == other.recoding.to_dict()
    assert one.loss == other.loss
    published = one.recoding.apply(case.frame, draws=draws).table
    assert Counter(published.rows()) == Counter(other.recoding.apply(case.frame[order], draws=draws).table.rows())


def test_two_forms_of_a_gap_are_one_profile() -> None:
    """NaN and null look alike in a release, so relaxed cuts take them for one."""
    table = pl.DataFrame({"x": [1.0, float("nan"), None, float("nan"), 2.0, None], "s": ["", None, "", None, "", ""]})
    encoded = encode(table, Schema({"x": quasi(), "s": sensitive()}))
    assert encoded.profiles.counts.tolist() == [4, 1, 1]
    found = Mondrian(cuts="relaxed").run(encoded, [KAnonymity(k=3)], columns=["x"]).recoding.apply(table).table
    assert Counter(found["x"].to_list()) == {None: 3, "missing or 1-2": 3}


# -- corner cases --------------------------------------------------------------------------------------------------


def run(table: dict[str, list[Any]], k: int, **parameters: Any) -> tuple[EncodedTable, Any]:
    encoded = encode(pl.DataFrame(table), Schema({name: quasi() for name in table}))
    return encoded, Mondrian(**parameters).run(encoded, [KAnonymity(k=k)])


@pytest.mark.parametrize("how", HOW, ids=lambda how: "-".join(how.values()))
@settings(max_examples=15, deadline=None)
@given(table=tables(), k=st.integers(1, 3))
def test_how_many_cuts_are_tried_at_once_does_not_matter(how: dict[str, Any], table: pl.DataFrame, k: int) -> None:
    asked = problem(table, KAnonymity(k=k), TCloseness(t=0.3, attribute="s"))
    many = Mondrian(**how).divide(asked, silent).assignment
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nymity.partition.mondrian.BATCH", 1)
        one = Mondrian(**how).divide(asked, silent).assignment
    assert many.classes.tolist() == one.classes.tolist()


@pytest.mark.parametrize("cuts", ["strict", "relaxed"])
def test_all_rows_equal(cuts: Any) -> None:
    encoded, outcome = run({"x": [7] * 9, "y": ["a"] * 9}, 2, cuts=cuts)
    assert (outcome.classes, outcome.loss, outcome.gap) == (1, 0.0, 0.0)
    assert outcome.recoding.apply(pl.DataFrame({"x": [7], "y": ["a"]})).table.rows() == [(7, "a")]
    assert encoded.n_records == 9


def test_fewer_than_k_records() -> None:
    with pytest.raises(ParameterError, match=r"k-anonymity\.k: expected at most 2, the number of records, got 3"):
        run({"x": [1, 2]}, 3)


def test_a_table_that_cannot_keep_the_promise() -> None:
    table = encode(pl.DataFrame({"x": [1, 2, 3], "s": ["p", "p", "q"]}), Schema({"x": quasi(), "s": sensitive()}))
    with pytest.raises(NoSolutionError, match="no partition satisfies entropy 2-diversity of 's': all 3 records"):
        Mondrian().run(table, [EntropyLDiversity(l=2, attribute="s")])


def test_k_of_one_publishes_every_value() -> None:
    _, outcome = run({"x": [1, 2, 3, 4], "y": list("abcd")}, 1)
    assert (outcome.classes, outcome.loss) == (4, 0.0)


def test_the_median_of_ties() -> None:
    """Strict cuts cannot halve equal records, and leave no part empty; relaxed ones halve them."""
    values = {"x": [1, 5, 5, 5, 5, 9]}
    assert run(values, 2)[1].classes == 1
    _, outcome = run(values, 2, cuts="relaxed")
    assert sorted(outcome.recoding.cells["x"].labels) == ["1-5", "5-9"]
    assert outcome.loss == 6 * 0.5


def test_a_literal_cut_keeps_ties_below() -> None:
    """The median of seven records is 1, and nobody is above it: strict cuts divide them at 0, literal ones do not."""
    values: dict[str, list[Any]] = {"x": [0, 0, 0, 1, 1, 1, 1]}
    assert run(values, 2)[1].classes == 2
    assert run(values, 2, cuts="literal")[1].classes == 1
    other: dict[str, list[Any]] = {"x": [0, 0, 0, 1, 1, 1, 1], "y": [0, 0, 1, 0, 0, 1, 1]}
    assert run(other, 2, cuts="literal")[1].classes == 3  # by y, and then those of x = 0, 0, 1, 1 by x


def test_an_attribute_of_no_weight_is_not_cut() -> None:
    table = pl.DataFrame({"x": [1, 2, 3, 4], "y": [1, 2, 1, 2]})
    encoded = encode(table, Schema({"x": quasi(weight=0), "y": quasi(weight=2)}))
    outcome = Mondrian().run(encoded, [KAnonymity(k=1)])
    assert outcome.recoding.apply(table).table.rows() == [("1-3", 1), ("2-4", 2)] * 2


def test_the_gain_loses_less_where_the_widest_misleads() -> None:
    """x is the widest, but cutting it leaves y as it is; after a cut at y both are narrow."""
    table = {"x": [0, 0, 0, 9, 9, 10, 0, 10], "y": [0, 0, 0, 8, 8, 8, 0, 8], "z": [1, 2, 1, 2, 1, 2, 1, 2]}
    widest, gain = run(table, 4)[1], run(table, 4, choose="gain")[1]
    assert gain.loss <= widest.loss
    assert math.isclose(gain.loss, 4 * 1 + 4 * (0.1 + 1))


def test_parameters() -> None:
    with pytest.raises(ParameterError, match=r"mondrian\.choose: expected one of 'widest', 'gain'"):
        Mondrian(choose="wide")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"mondrian\.cuts: expected one of 'strict', 'relaxed', 'literal'"):
        Mondrian(cuts="lax")  # type: ignore[arg-type]


PLAIN = """
import json
import polars as pl
import nymity as ny
from nymity.table.encoding import encode

table = pl.DataFrame({"x": [i * 7 % 13 for i in range(60)], "c": ["abcd"[i * i % 4] for i in range(60)],
                      "s": ["pq"[i % 2] for i in range(60)]})
encoded = encode(table, ny.Schema({"x": ny.quasi(), "c": ny.quasi(), "s": ny.sensitive()}))
found = []
for choose in ("widest", "gain"):
    for cuts in ("strict", "relaxed"):
        for models in ([ny.KAnonymity(k=3)], [ny.KAnonymity(k=3), ny.DistinctLDiversity(l=2, attribute="s")]):
            outcome = ny.Mondrian(choose=choose, cuts=cuts).run(encoded, models)
            found.append([outcome.loss, outcome.classes, outcome.recoding.to_dict()])
print(json.dumps(found))
"""


def test_without_compiling_the_same_comes_out() -> None:
    command = [sys.executable, "-c", PLAIN]
    plain = subprocess.run(
        command, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True
    )
    compiled = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=True)
    assert json.loads(plain.stdout) == json.loads(compiled.stdout)
    assert len(json.loads(plain.stdout)) == 8
