"""DiffGen: sensitivities over all small tables, what it counts against plain group-bys, its draws, and an audit."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, count, product
from math import exp, log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import nymity as ny
from nymity.core.errors import HierarchyError, NymityError, ParameterError, TableError
from nymity.dp.audit import audit
from nymity_lab.dp.comparators import DiffGen, GeneralizedCounts
from nymity_lab.dp.comparators.specialization import SCORES, UNITS, Node, children, information_gain, label, root

#: One group of two, and a value that is a group of its own.
WARD = ny.Hierarchy.from_rows([["A", "AB", "*"], ["B", "AB", "*"], ["C", "C", "*"]])
SEX = ny.Hierarchy.flat(["f", "m"])
HIERARCHIES = {"ward": WARD, "sex": SEX}
CLASSES = ["no", "yes"]
#: Noise of such a scale is 0 but for one draw in e^1000.
SURE = Fraction(4000)


# -- sensitivity, by brute force -----------------------------------------------------------------------------------


def tables(children: int, classes: int, records: int) -> Iterator[np.ndarray]:
    """All counts (children, classes) of up to so many records."""
    for n in range(records + 1):
        for cells in combinations_with_replacement(range(children * classes), n):
            yield np.bincount(np.array(cells, dtype=np.int64), minlength=children * classes).reshape(children, classes)


def changes(score: str, children: int, classes: int, records: int) -> set[int]:
    of = SCORES[score].of
    found = set()
    for counts in tables(children, classes, records):
        for cell in product(range(children), range(classes)):
            more = counts.copy()
            more[cell] += 1
            found.add(of(more) - of(counts))
    return found


@pytest.mark.parametrize(("children", "classes"), [(2, 2), (3, 2), (2, 3)])
def test_a_further_record_changes_max_by_0_or_1(children: int, classes: int) -> None:
    assert changes("max", children, classes, 5) == {0, 1}
    assert SCORES["max"].interval(classes) == 1


@pytest.mark.parametrize(("children", "classes"), [(2, 2), (3, 2), (2, 3)])
def test_changes_of_information_gain_lie_in_their_interval_and_need_most_of_it(children: int, classes: int) -> None:
    found = changes("information-gain", children, classes, 4)
    bound = SCORES["information-gain"].interval(classes) // 2
    assert max(found) <= bound
    assert min(found) >= -bound
    assert max(found) == UNITS  # from one record to two that are divided
    assert max(found) - min(found) > 1.7 * UNITS


@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=4))
def test_information_gain_is_that_of_the_definition(counts: list[list[int]]) -> None:
    pairs = [(i, j) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]

    def entropy(some: list[tuple[int, int]]) -> float:
        shares = [sum(j == c for _, j in some) / len(some) for c in range(3)]
        return -sum(p * log2(p) for p in shares if p)

    parts = [[pair for pair in pairs if pair[0] == i] for i in range(len(counts))]
    gain = entropy(pairs) - sum(len(part) / len(pairs) * entropy(part) for part in parts if part) if pairs else 0.0
    assert information_gain(np.array(counts)) == pytest.approx(gain * UNITS, abs=1)


# -- specializations ----------------------------------------------------------------------------------------------


def test_values_with_one_child_are_that_child() -> None:
    assert [label(WARD, node) for node in children(WARD, root(WARD))] == ["AB", "C"]
    assert children(WARD, Node(0, 2)) == ()
    assert root(ny.Hierarchy.from_rows([["only", "*"]])) == Node(0, 0)


def rows(*records: str) -> pl.DataFrame:
    """Records such as ``Af+``: ward, sex and class."""
    return pl.DataFrame(
        {
            "ward": [record[0] for record in records],
            "sex": [record[1] for record in records],
            "ill": ["yes" if record[2] == "+" else "no" for record in records],
        }
    )


RECORD = st.tuples(st.sampled_from("ABC"), st.sampled_from("fm"), st.sampled_from("+-")).map("".join)


def run(table: pl.DataFrame, **fields: object) -> GeneralizedCounts:
    fields = {"epsilon": SURE, "not_private_seed": 1, **fields}
    return DiffGen(**fields).run(table, HIERARCHIES, target="ill", classes=CLASSES)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=40)
@given(st.lists(RECORD, min_size=1, max_size=12), st.integers(1, 5), st.sampled_from(list(SCORES)), st.integers(0, 99))
def test_counts_are_those_of_a_group_by(records: list[str], steps: int, score: str, seed: int) -> None:
    """With hardly any noise, the table is that of the generalized records; every combination has its count."""
    table = rows(*records)
    found = run(table, steps=steps, score=score, not_private_seed=seed)
    expected = found.generalize(table).with_columns(table["ill"]).group_by("ward", "sex", "ill").len("count")
    assert sorted(found.to_table().rows()) == sorted(expected.rows())
    sizes = [len(found.cuts["ward"]), len(found.cuts["sex"])]
    assert len(found.counts) == sizes[0] * sizes[1] * 2
    assert sum(sizes) == 2 + min(steps, 3)
    for name, hierarchy in HIERARCHIES.items():
        masks = [hierarchy.codes[node.level] == node.code for node in found.cuts[name]]
        assert (np.sum(masks, axis=0) == 1).all()  # each raw value has one value in use


@pytest.mark.parametrize("score", SCORES)
def test_it_divides_what_tells_classes_apart(score: str) -> None:
    found = run(rows(*["Cf+", "Cm+", "Af-", "Bm-"] * 20), steps=1, score=score)
    assert [label(WARD, node) for node in found.cuts["ward"]] == ["AB", "C"]
    found = run(rows(*["Cf+", "Am-", "Bf+", "Cm-"] * 20), steps=1, score=score)
    assert [label(SEX, node) for node in found.cuts["sex"]] == ["f", "m"]


def test_specializations_that_would_make_too_many_counts_are_no_candidates() -> None:
    for seed in range(10):
        assert len(run(rows("Af+"), steps=9, max_cells=4, not_private_seed=seed).counts) == 4
    assert len(run(rows("Af+"), steps=9, max_cells=1).counts) == 2


def test_an_empty_table_is_a_table() -> None:
    assert run(rows("Af+").clear()).to_table().is_empty()


# -- what is drawn ------------------------------------------------------------------------------------------------


def test_steps_are_drawn_with_their_share_of_epsilon() -> None:
    """The first of four steps: P ∝ e^(epsilon / 8 · Max). Fails with probability 1e-3 under fresh seeds."""
    table = rows(*["Cf+"] * 3, *["Cm-"] * 3)  # Max is 3 for ward, 6 for sex
    drawn = [run(table, epsilon=2, steps=4, max_cells=4, not_private_seed=seed) for seed in range(600)]
    ward = sum(len(found.cuts["ward"]) == 2 for found in drawn)
    share = 1 / (1 + exp(2 / 8 * 3))
    assert chisquare([ward, 600 - ward], [600 * share, 600 * (1 - share)]).pvalue > 1e-3


def test_noise_has_the_scale_of_the_rest() -> None:
    """Shares of count 0 among many cells of an empty table: (1 - q) / (1 + q), q = e^(-epsilon / 4)."""
    wide = {"number": ny.Hierarchy.flat([f"{i}" for i in range(4000)])}
    empty = pl.DataFrame({"number": [], "ill": []}, schema={"number": pl.String, "ill": pl.String})
    method = DiffGen(epsilon=2, steps=1, selection_share=0.75, not_private_seed=4)
    counts = method.run(empty, wide, target="ill", classes=CLASSES).counts
    q = exp(-2 / 4)
    zero = (1 - q) / (1 + q) * len(counts)
    assert len(counts) == 8000
    assert chisquare([(counts == 0).sum(), (counts != 0).sum()], [zero, len(counts) - zero]).pvalue > 1e-3


@pytest.mark.parametrize("score", SCORES)
def test_it_keeps_its_promise(score: str) -> None:
    """Seeded; fresh seeds would refute a private method with probability 1e-6."""
    seeds = count()
    hierarchies = {"ward": WARD}

    def outcome(table: pl.DataFrame) -> Hashable:
        method = DiffGen(epsilon=1, steps=1, score=score, not_private_seed=next(seeds))
        return tuple(np.clip(method.run(table, hierarchies, target="ill", classes=CLASSES).counts, -2, 3))

    table = rows("Cf+")
    found = audit(outcome, table, table.clear(), runs=300)
    assert not found.refutes(1)


def test_an_audit_sees_noise_that_is_too_small() -> None:
    """The same with a claim of 1 and a budget of 5: an audit that cannot fail would prove nothing."""
    seeds = count()

    def outcome(table: pl.DataFrame) -> Hashable:
        return int(run(table, epsilon=5, steps=1, max_cells=1, not_private_seed=next(seeds)).counts[1])

    assert audit(outcome, rows("Cf+"), rows("Cf+").clear(), runs=300, error=1e-3).refutes(1)


def test_only_a_secure_source_is_private() -> None:
    method = DiffGen(epsilon=1, steps=1)
    assert method.run(rows("Af+"), HIERARCHIES, target="ill", classes=CLASSES).private
    assert not run(rows("Af+")).private


# -- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epsilon", 0), ("epsilon", float("nan")), ("steps", 0), ("steps", 1.5), ("score", "gain"),
        ("selection_share", 0), ("selection_share", 1), ("max_cells", 0), ("not_private_seed", "x"),
    ],
)  # fmt: skip
def test_bad_parameters(field: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        DiffGen(**{"epsilon": 1, field: value})  # type: ignore[arg-type]
    assert caught.value.where == field


@pytest.mark.parametrize(
    ("changed", "error", "where"),
    [
        ({"hierarchies": {}}, ParameterError, "hierarchies"),
        ({"hierarchies": {"ward": ny.Hierarchy.masking()}}, HierarchyError, "hierarchy of 'ward'"),
        ({"hierarchies": {"ward": ny.Hierarchy.flat(["A"])}}, TableError, "column 'ward'"),
        ({"hierarchies": {"job": SEX}}, TableError, "table"),
        ({"target": "ward"}, ParameterError, "target"),
        ({"target": "job"}, TableError, "table"),
        ({"classes": ["yes"]}, ParameterError, "classes"),
        ({"classes": ["yes", "yes"]}, ParameterError, "classes"),
        ({"classes": ["yes", "perhaps"]}, TableError, "column 'ill'"),
    ],
)
def test_bad_tables(changed: dict[str, object], error: type[NymityError], where: str) -> None:
    given = {"hierarchies": HIERARCHIES, "target": "ill", "classes": CLASSES, **changed}
    with pytest.raises(error) as caught:
        DiffGen(epsilon=1).run(rows("Bf-", "Cm+"), **given)  # type: ignore[arg-type]
    assert caught.value.where == where  # type: ignore[attr-defined]


def test_the_count_has_a_name_of_its_own() -> None:
    with pytest.raises(ParameterError, match="name of no other column"):
        run(rows("Af+")).to_table(count="sex")
    assert run(rows("Af+")).to_table(count="weight").columns == ["ward", "sex", "ill", "weight"]
