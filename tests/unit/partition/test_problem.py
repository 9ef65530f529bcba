"""PartitionProblem, Assignment and Geometry: three ways to count the same loss, and classes as models see them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.partition.attributes import attributes_of
from nymity.partition.geometry import Geometry
from nymity.partition.merging import _Boxes
from nymity.partition.mondrian import Mondrian
from nymity.partition.problem import ClassValues, PartitionProblem, problem_of
from nymity.privacy import DistinctLDiversity, KAnonymity, ProsecutorRisk
from nymity.publishing.comparing.compare import compare
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from nymity.table.value_order import numbers
from strategies import Case, cases


def problem(case: Case, **layout: str) -> PartitionProblem:
    models = (KAnonymity(k=1), *(DistinctLDiversity(l=1, attribute=name) for name in case.schema.sensitive))
    return problem_of(case.encoded, attributes_of(case.encoded, where="test", **layout), models)  # type: ignore[arg-type]


def weighted(case: Case) -> bool:
    return sum(case.schema[name].weight for name in case.schema.quasi) > 0


def loss_of(case: Case, classes: list[list[int]], categorical: str) -> float:
    """The widths of all cells from the definition, for numbers without gaps and for other values."""
    total, m = 0.0, len(case.schema.quasi)
    weights = [case.schema[name].weight for name in case.schema.quasi]
    shares = [w * m / sum(weights) for w in weights]
    for name, share, hierarchy in zip(case.schema.quasi, shares, case.encoded.hierarchies, strict=True):
        column = case.frame[name].to_list()
        known = numbers(column)
        if known is None and categorical == "set":
            widths = [Fraction(d, len(set(column))) if (d := len({column[r] for r in c})) > 1 else 0 for c in classes]
        else:
            if known is None:
                ordered = sorted(set(column), key=lambda v: (v is not None, _path(hierarchy.rows(), v)))
                places = {value: Fraction(i) for i, value in enumerate(ordered)}
            else:
                gap = min(known.values()) - (max(known.values()) - min(known.values()) or 1)
                places = {value: known.get(value, gap) for value in column}
            full = max(places.values()) - min(places.values())
            found = [[places[column[r]] for r in c] for c in classes]
            widths = [(max(at) - min(at)) / full if full else 0 for at in found]
        total += share * float(sum(w * len(c) for w, c in zip(widths, classes, strict=True)))
    return total


def _path(rows: list[list[str | None]], value: str | None) -> list[int]:
    """Where a value and the values above it are first listed, the coarsest first."""
    own = next(row for row in rows if row[0] == value)
    return [[row[level] for row in rows].index(cell) for level, cell in list(enumerate(own))[-2::-1]] or [0]


@given(case=cases(numeric=True, n_sensitive=1), data=st.data(), categorical=st.sampled_from(["set", "order"]))
@settings(max_examples=100)
def test_geometry_and_assignment_agree_with_the_definition(case: Case, data: st.DataObject, categorical: str) -> None:
    if not weighted(case):
        return
    described = problem(case, categorical=categorical)
    n = case.frame.height
    classes = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    classes = np.unique(classes, return_inverse=True)[1]
    assignment, geometry = described.assignment(classes), described.geometry
    assert assignment.loss() == pytest.approx(geometry.total(classes))
    assert geometry.expanded().total(classes) == pytest.approx(geometry.total(classes))
    assert geometry.expanded().codes.shape == (n, 0)
    rows, left = {}, case.frame.rows()
    for record, profile in enumerate(described.profile_of_records.tolist()):
        rows[record] = _row(described, profile)
    assert Counter(rows.values()) == Counter(left)
    frame = pl.DataFrame(list(rows.values()), schema=case.frame.schema, orient="row")
    members = [np.flatnonzero(classes == c).tolist() for c in range(classes.max() + 1)]
    again = Case(frame, case.schema, case.hierarchies)
    assert assignment.loss() == pytest.approx(loss_of(again, members, categorical))


def _row(described: PartitionProblem, profile: int) -> tuple[str | None, ...]:
    """The raw values of a record of some profile."""
    table, known = described.table, described.table.profiles
    codes = table.combinations[known.combination[profile]].tolist()
    values = [h.values[code] for h, code in zip(table.hierarchies, codes, strict=True)]
    labels = [c.labels[known.sensitive[profile, i]] for i, c in enumerate(table.sensitive.values())]
    return (*values, *labels)


@given(case=cases(numeric=True, n_sensitive=2), data=st.data())
@settings(max_examples=50)
def test_classes_as_models_see_them(case: Case, data: st.DataObject) -> None:
    if not weighted(case):
        return
    described, n = problem(case), case.frame.height
    classes = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    classes = np.unique(classes, return_inverse=True)[1]
    assignment = described.assignment(classes)
    seen = assignment.as_classes()
    assert seen.sizes.tolist() == np.bincount(classes).tolist()
    for i, name in enumerate(case.schema.sensitive):
        column, counted = case.encoded.sensitive[name], seen.histograms[name]
        found = {
            (c, column.labels[v]): k for c, v, k in zip(counted.classes, counted.codes, counted.counts, strict=True)
        }
        rows = [_row(described, p) for p in described.profile_of_records.tolist()]
        assert found == Counter((c, row[len(case.schema.quasi) + i]) for c, row in zip(classes, rows, strict=True))
    everything = assignment.merged(np.zeros(assignment.n_classes, dtype=np.int64))
    whole = described.assignment_of_combinations(np.zeros(len(case.encoded.counts), dtype=np.int64))
    assert everything.n_classes == whole.n_classes == 1
    assert everything.loss() == pytest.approx(whole.loss())
    assert everything.as_classes().sizes.tolist() == whole.as_classes().sizes.tolist() == [n]


@given(case=cases(numeric=True, n_sensitive=1), data=st.data())
@settings(max_examples=60)
def test_the_price_of_a_union_is_what_it_adds_to_the_loss(case: Case, data: st.DataObject) -> None:
    """A class that fails joins the one with which it loses least more than apart."""
    if not weighted(case):
        return
    described, n = problem(case), case.frame.height
    classes = np.unique(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), return_inverse=True)[1]
    apart = described.assignment(classes.astype(np.int64))
    for c in range(apart.n_classes):
        others = np.array([other for other in range(apart.n_classes) if other != c], dtype=np.int64)
        each = np.arange(apart.n_classes)
        unions = [np.where(each == max(c, o), min(c, o), each) for o in others.tolist()]
        added = [apart.merged(np.unique(union, return_inverse=True)[1]).loss() - apart.loss() for union in unions]
        assert _Boxes(apart).price(c, others).tolist() == pytest.approx(added, abs=1e-9)


@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 8)), min_size=1), far=st.sampled_from([0, 2**17]))
def test_different_values_of_classes(pairs: list[tuple[int, int]], far: int) -> None:
    """A class number and a value above ``far`` take more than 32 bits together."""
    classes, ranks = np.array(pairs).T + far
    found = ClassValues.of(ranks, classes, far + 9)
    assert len(found.starts) == int(classes.max()) + 2
    held = {c: found.ranks[found.starts[c] : found.starts[c + 1]].tolist() for c in {c + far for c, _ in pairs}}
    assert held == {c: sorted({r + far for d, r in pairs if d + far == c}) for c in held}
    assert len(found.ranks) == len(set(pairs))


def test_what_classes_need() -> None:
    table = encode(pl.DataFrame({"x": [1, 2, 3, 4], "s": list("ppqq")}), Schema({"x": quasi(), "s": sensitive()}))
    attributes = attributes_of(table, where="test")
    size = problem_of(table, attributes, [KAnonymity(k=2), ProsecutorRisk(limit=0.3)])
    assert (size.k, size.size_only) == (4, True)
    diverse = problem_of(table, attributes, [DistinctLDiversity(l=2, attribute="s")])
    assert (diverse.k, diverse.size_only) == (2, False)
    assert problem_of(table, attributes, []).k == 1
    halves = diverse.assignment_of_combinations(np.array([0, 0, 1, 1]))
    mixed = diverse.assignment_of_combinations(np.array([0, 1, 1, 0]))
    assert (halves.accepted().tolist(), mixed.accepted().tolist()) == ([False, False], [True, True])


def test_no_records_cost_nothing() -> None:
    geometry = Geometry.of_points(np.array([[0.0], [4.0]]), np.array([0.25]))
    assert (len(geometry), geometry.cost(np.array([], dtype=np.int64)), geometry.cost(np.array([0, 1]))) == (
        2,
        0.0,
        2.0,
    )


@given(case=cases(numeric=True, weighted=False, missing=False, n_sensitive=1), k=st.integers(1, 4))
@settings(max_examples=60)
def test_the_loss_is_the_certainty_penalty_of_the_release(case: Case, k: int) -> None:
    """gcp is the mean over cells of what the loss sums, counted from the released table."""
    if case.frame.height < k:
        return
    release = publish(case.frame, case.schema, privacy=KAnonymity(k=k), method=Mondrian())
    gcp = next(loss for loss in compare(case.frame, release).losses if loss.name == "gcp")
    cells = case.frame.height * len(case.schema.quasi)
    assert gcp.value == pytest.approx(release.loss / cells, abs=1e-12)
