"""OLA against checking every node: the k-minimal nodes, the best of them, and what is claimed to be optimal."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import Interrupted, NoSolutionError, ParameterError
from nymity.core.progress import Progress
from nymity.datasets import hospital, hospital_schema
from nymity.lattice import border, ola, optimal
from nymity.lattice.mingen import MinGen
from nymity.lattice.ola import OLA
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity
from nymity.quality import LOSSES
from nymity.table.attribute import quasi
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from optimum import limits
from strategies import Case, Demand, cases, demands
from toys import Boundless, EvenClasses


def k_minimal(case: Case, demand: Demand, limit: int) -> set[naive.Node]:
    """Solutions below which there is no other, from the definition."""
    gone = {n: len(naive.suppressed(case.records, n, demand.judges)) for n in naive.nodes(case.low, case.high)}
    solutions = [node for node, lost in gone.items() if lost <= limit and lost < len(case.records)]
    return {
        node
        for node in solutions
        if not any(other != node and all(a <= b for a, b in zip(other, node, strict=True)) for other in solutions)
    }


@pytest.mark.parametrize("diversity", [False, True], ids=["by size", "by sensitive values"])
@given(st.data())
@settings(max_examples=150)
def test_the_k_minimal_nodes(diversity: bool, data: st.DataObject) -> None:
    case = data.draw(cases(max_attributes=4, n_sensitive=int(diversity), bounded=data.draw(st.booleans())))
    demand = data.draw(demands(case, diversity=diversity))
    suppression = data.draw(limits(case, demand))
    key = data.draw(st.sampled_from(["loss", "height", "precision", "discernibility", "entropy"]))
    expected = k_minimal(case, demand, naive.limit_of(repr(float(suppression)), len(case.records)))
    method = OLA(loss=key, suppression=suppression)
    if not expected:
        with pytest.raises(NoSolutionError):
            method.run(case.encoded, demand.models)
        return
    outcome = method.run(case.encoded, demand.models)
    assert outcome.minimal is not None
    assert set(outcome.minimal) == expected
    assert len(outcome.minimal) == len(expected)
    losses = {node: float(naive.loss(case.records, node, demand.judges, key)) for node in expected}
    chosen = tuple(outcome.levels.values())
    assert math.isclose(losses[chosen], min(losses.values()), rel_tol=1e-12, abs_tol=1e-13)
    assert outcome.checks <= outcome.lattice_size + len(expected)


@pytest.mark.parametrize("key", [key for key in LOSSES if key != "classification"])
@given(st.data())
@settings(max_examples=25)
def test_what_is_called_optimal_is_so(key: str, data: st.DataObject) -> None:
    case = data.draw(cases(bounded=data.draw(st.booleans())))
    demand = data.draw(demands(case, diversity=False))
    suppression = data.draw(limits(case, demand))
    try:
        found = OLA(loss=key, suppression=suppression).run(case.encoded, demand.models)
    except NoSolutionError:
        return
    best = OptimalLattice(loss=key, suppression=suppression).run(case.encoded, demand.models)
    if found.optimal:
        assert math.isclose(found.loss, best.loss, rel_tol=1e-11, abs_tol=1e-13)
    assert found.loss >= best.loss * (1 - 1e-11)
    limit = naive.limit_of(repr(float(suppression)), len(case.records))
    if key == "height" or limit == 0:
        assert found.optimal


def test_a_higher_node_can_lose_less() -> None:
    """Raw values suppress two records of ten: 0.2. Merging just those two covers half of what is left to lose: 0.1."""
    rows = [["1", "1", "*"], ["2", "other", "*"], ["3", "other", "*"]]
    table = pl.DataFrame({"x": ["1"] * 8 + ["2", "3"]})
    encoded = encode(table, Schema({"x": quasi(Hierarchy.from_rows(rows))}))
    found = OLA(suppression=0.2).run(encoded, [KAnonymity(k=2)])
    assert (found.minimal, found.levels, found.optimal) == (((0,),), {"x": 0}, False)
    assert found.loss == pytest.approx(0.2)
    best = OptimalLattice(suppression=0.2).run(encoded, [KAnonymity(k=2)])
    assert (best.levels, best.loss) == ({"x": 1}, pytest.approx(0.1))


def random_table(seed: int, widths: tuple[int, ...], n: int) -> EncodedTable:
    """Attributes whose values are merged three at a time, level by level."""
    rng = np.random.default_rng(seed)
    columns, schema = {}, {}
    for a, width in enumerate(widths):
        columns[f"q{a}"] = [str(v) for v in np.minimum(rng.geometric(0.3, n) - 1, width - 1)]
        schema[f"q{a}"] = quasi(Hierarchy.ordering(order=[str(v) for v in range(width)], group=3))
    return encode(pl.DataFrame(columns), Schema(schema))


@pytest.mark.parametrize("suppression", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("k", [3, 200])
@pytest.mark.parametrize("bytes_a_class", [0, 1, 10**6])
def test_groupings_and_cubes_find_the_same_border(
    bytes_a_class: int, k: int, suppression: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's two forms of classes, small and large cells, against the search node by node."""
    table = random_table(k, (30, 9, 5, 4), 1_500)
    monkeypatch.setattr(border, "BYTES_A_CLASS", bytes_a_class)
    method = OLA(suppression=suppression)
    fast = method.run(table, [KAnonymity(k=k)])
    monkeypatch.setattr(ola, "decided_by_size", lambda _: False)
    slow = method.run(table, [KAnonymity(k=k)])
    assert fast.minimal == slow.minimal
    assert fast.levels == slow.levels
    assert fast.checks < fast.lattice_size


@pytest.mark.parametrize("suppression", [0.0, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("k", [3, 200])
@pytest.mark.parametrize("bytes_a_class", [0, 1, 10**6])
def test_most_classes_along_the_border(
    bytes_a_class: int, k: int, suppression: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel against evaluating every node and against branch and bound, also where it stops on its way."""
    table, models = random_table(k, (30, 9, 5, 4), 1_500), [KAnonymity(k=k)]
    method = OptimalLattice(loss="average-class-size", suppression=suppression)
    whole = OptimalLattice(loss=Boundless(), suppression=suppression).run(table, models)
    monkeypatch.setattr(border, "BYTES_A_CLASS", bytes_a_class)
    fast = method.run(table, models)
    monkeypatch.setattr(border, "CHECKS_A_REPORT", 7)
    parts = method.run(table, models)
    monkeypatch.setattr(optimal, "decided_by_size", lambda _: False)
    slow = method.run(table, models)
    for outcome in (fast, parts, slow):
        assert (outcome.levels, outcome.suppressed, outcome.loss) == (whole.levels, whole.suppressed, whole.loss)
        assert outcome.checks <= outcome.lattice_size
    assert fast.checks < fast.lattice_size == whole.checks


@pytest.mark.parametrize("suppression", [0.0, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("k", [3, 200])
def test_the_lowest_sum_of_levels_along_the_border(k: int, suppression: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against branch and bound, which also knows that ties go to fewer suppressed records."""
    table, models = random_table(k + 1, (30, 9, 5, 4), 1_500), [KAnonymity(k=k)]
    method = OptimalLattice(loss="height", suppression=suppression)
    fast = method.run(table, models)
    monkeypatch.setattr(optimal, "decided_by_size", lambda _: False)
    slow = method.run(table, models)
    assert (fast.levels, fast.suppressed, fast.loss) == (slow.levels, slow.suppressed, slow.loss)


def test_the_border_is_left_alone_where_levels_are_higher_than_those_of_a_solution() -> None:
    table, models = encode(hospital(rows=2_000), hospital_schema()), [KAnonymity(k=5)]
    lowest, whole = (kind(loss="height", suppression=0.05).run(table, models) for kind in (OptimalLattice, OLA))
    assert lowest.loss == whole.loss
    assert lowest.checks < 0.8 * whole.checks


@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_lowest_weighted_levels(data: st.DataObject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights whose sums are rounded, a kernel that stops after every third node; every node is the oracle."""
    case = data.draw(cases(bounded=data.draw(st.booleans())))
    weights = tuple(data.draw(st.sampled_from([0.1, 0.2, 0.3, 1.0])) for _ in case.encoded.names)
    table, models = replace(case.encoded, weights=weights), [KAnonymity(k=data.draw(st.integers(1, 2)))]
    limit = data.draw(st.sampled_from([0.0, 0.2, 1.0]))
    found = []
    for method in (OptimalLattice(loss="height", suppression=limit), MinGen(loss="height", suppression=limit)):
        with monkeypatch.context() as patch:
            patch.setattr(border, "CHECKS_A_REPORT", 3)
            try:
                outcome = method.run(table, models)
            except NoSolutionError:
                found.append(None)
            else:
                found.append((outcome.levels, outcome.suppressed, pytest.approx(outcome.loss, rel=1e-12)))
    assert found[0] == found[1]


def test_keys_of_several_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven columns of a thousand possible values each do not fit 64 bits; two values of each occur."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({f"q{a}": [str(v) for v in rng.choice([1, 999], 60, p=[0.8, 0.2])] for a in range(7)})
    hierarchy = Hierarchy.flat([str(v) for v in range(1_000)])
    table = encode(frame, Schema({name: quasi(hierarchy) for name in frame.columns}))
    fast = OLA(suppression=0.1).run(table, [KAnonymity(k=3)])
    monkeypatch.setattr(ola, "decided_by_size", lambda _: False)
    slow = OLA(suppression=0.1).run(table, [KAnonymity(k=3)])
    assert fast.minimal == slow.minimal
    assert len(fast.minimal or ()) > 1


def test_the_kernel_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    table, seen = random_table(1, (30, 9, 5, 4), 1_500), []

    def observe(progress: Progress) -> None:
        seen.append(progress.done)

    whole = OLA(suppression=0.02).run(table, [KAnonymity(k=3)])
    monkeypatch.setattr(border, "CHECKS_A_REPORT", 7)
    parts = OLA(suppression=0.02).run(table, [KAnonymity(k=3)], observe=observe)
    assert parts.minimal == whole.minimal
    assert parts.checks == whole.checks
    assert len(seen) > whole.checks / 7
    with pytest.raises(Interrupted):
        OLA(suppression=0.02).run(table, [KAnonymity(k=3)], observe=lambda progress: progress.done < 20)


def test_a_model_that_generalization_can_break_is_refused() -> None:
    encoded = encode(pl.DataFrame({"a": ["x", "y"]}), Schema({"a": quasi()}))
    with pytest.raises(ParameterError, match=r"ola: even: .*Try: use the method 'optimal-lattice'"):
        OLA().run(encoded, [EvenClasses()])


def test_a_lattice_too_large_to_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ola, "MAX_TAGGED", 3)
    encoded = encode(pl.DataFrame({"a": ["x", "y"], "b": ["x", "y"]}), Schema({"a": quasi(), "b": quasi()}))
    with pytest.raises(ParameterError, match=r"at most 3 nodes, got 4\. Try: 'anytime-lattice'"):
        OLA().run(encoded, [KAnonymity(k=2)])
