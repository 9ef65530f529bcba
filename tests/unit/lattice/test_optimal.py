"""OptimalLattice against trying every node."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import Interrupted, NoSolutionError, ParameterError
from nymity.core.progress import Progress
from nymity.lattice import optimal
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.outcome import LatticeOutcome
from nymity.privacy import DistinctLDiversity, Groups, KAnonymity, PrivacyModel
from nymity.quality import LOSSES, Loss
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from optimum import assert_optimum, limits
from strategies import Case, Demand, cases, demands
from toys import Boundless, EvenClasses

#: Losses that ask for no sensitive attribute.
UNTARGETED = [key for key in LOSSES if key != "classification"]


@st.composite
def problems(draw: st.DrawFn, kind: str, *, bounded: bool = True) -> tuple[Case, Demand, float]:
    case = draw(cases(n_sensitive=1, bounded=bounded and draw(st.booleans())))
    demand = draw(demands(case, diversity=kind == "k and l"))
    if kind == "even":
        demand = Demand((EvenClasses(),), (naive.even,))
    return case, demand, draw(limits(case, demand))


@pytest.mark.parametrize("kind", ["k", "k and l", "even"])
@pytest.mark.parametrize("key", LOSSES)
@given(st.data())
@settings(max_examples=30)
def test_the_same_node_as_trying_all(key: str, kind: str, data: st.DataObject) -> None:
    """Thrice 30 random lattices for every loss: monotone models and one that is not; every kind of limit and bounds."""
    case, demand, suppression = data.draw(problems(kind))
    outliers = data.draw(st.sampled_from(["mask", "remove"]))
    assert_optimum(case, demand, OptimalLattice(loss=key, suppression=suppression, outliers=outliers))


@pytest.mark.parametrize("key", LOSSES)
@given(st.data())
@settings(max_examples=10)
def test_threads_change_nothing(key: str, data: st.DataObject) -> None:
    case, demand, suppression = data.draw(problems("k and l"))
    assert_optimum(case, demand, OptimalLattice(loss=key, suppression=suppression, threads=2))


@given(st.data())
@settings(max_examples=40)
def test_evaluated_nodes_are_true(data: st.DataObject) -> None:
    """Whatever a search looked at is reported as it is, and as a solution only if it is one."""
    case, demand, suppression = data.draw(problems("k", bounded=False))
    key = data.draw(st.sampled_from(sorted(LOSSES)))
    try:
        outcome = OptimalLattice(loss=key, suppression=suppression).run(case.encoded, demand.models)
    except NoSolutionError:
        return
    limit = naive.limit_of(repr(suppression), len(case.records))
    frame = outcome.nodes.frame()
    names = [f"level of {name}" for name in case.schema.quasi]
    assert frame.select(names).n_unique() == len(frame) <= outcome.checks  # some nodes are looked at twice
    for suppressed, loss, solution, *levels in frame.select("suppressed", "loss", "solution", *names).rows():
        gone = naive.suppressed(case.records, tuple(levels), demand.judges)
        assert suppressed == len(gone)
        assert math.isclose(loss, naive.loss(case.records, tuple(levels), demand.judges, key), rel_tol=1e-12)
        assert solution == (len(gone) <= limit and len(gone) < len(case.records))


# -- the limit ---------------------------------------------------------------------------------------------------


def stairs(n: int, s: int) -> EncodedTable:
    """``n`` records of which ``s`` are alone in their class at level 0; one level suppresses none."""
    values = [f"u{i}" for i in range(s)] + ["many"] * (n - s)
    return encode(pl.DataFrame({"a": values}), Schema({"a": quasi()}))


@pytest.mark.parametrize("hundredth", range(1, 100))
def test_every_hundredth_of_a_hundred_records(hundredth: int) -> None:
    """0.29 * 100 is 28.999… in floating point; the limit is 29 all the same, and not one more."""
    method = OptimalLattice(suppression=hundredth / 100, loss="height")
    models = [KAnonymity(k=2)]
    if hundredth < 99:
        assert method.run(stairs(100, hundredth), models).suppressed == hundredth
        if hundredth < 98:
            assert method.run(stairs(100, hundredth + 1), models).levels == {"a": 1}


@pytest.mark.parametrize(("suppression", "n", "limit"), [(0.07, 100, 7), (0.145, 1000, 145), (1e-3, 999, 0), (1, 9, 7)])
def test_limits_as_they_are_written(suppression: float, n: int, limit: int) -> None:
    method = OptimalLattice(suppression=suppression, loss="height")
    assert method.run(stairs(n, limit), [KAnonymity(k=2)]).suppressed == limit
    if limit + 2 < n:
        assert method.run(stairs(n, limit + 1), [KAnonymity(k=2)]).suppressed == 0 or suppression == 1


def test_a_limit_computed_with_numpy() -> None:
    assert OptimalLattice(suppression=np.float64(0.29)).run(stairs(100, 29), [KAnonymity(k=2)]).suppressed >= 0


@pytest.mark.parametrize("key", UNTARGETED)
def test_never_all_records(key: str) -> None:
    """With a limit of 100% there is always the top, and a table without one has no solution."""
    table = pl.DataFrame({"a": ["x", "y", "z"]})
    outcome = OptimalLattice(loss=key, suppression=1.0).run(encode(table, Schema({"a": quasi()})), [KAnonymity(k=2)])
    assert (outcome.levels, outcome.suppressed) == ({"a": 1}, 0)
    fixed = encode(table, Schema({"a": quasi(level=0)}))
    with pytest.raises(NoSolutionError, match=r"2-anonymity: even at levels a=0 every record would have to be supp"):
        OptimalLattice(loss=key, suppression=1.0).run(fixed, [KAnonymity(k=2)])


def test_no_solution_says_how_far() -> None:
    h = Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]])
    table = pl.DataFrame({"age": ["1", "2", "3", "1"], "sex": ["f", "f", "f", "f"]})
    encoded = encode(table, Schema({"age": quasi(h, max_level=1), "sex": quasi()}))
    message = (
        r"no node satisfies 2-anonymity with suppression <= 0\.02; the least was 25\.0% \(1 of 4 records\) "
        r"at levels age=1, sex=1\. Try: "
    )
    for key in UNTARGETED:
        with pytest.raises(NoSolutionError, match=r"least was 25\.0% \(1 of 4 records\) at levels age=1, sex=\d"):
            OptimalLattice(loss=key, suppression=0.02).run(encoded, [KAnonymity(k=2)])
    with pytest.raises(NoSolutionError, match=message):
        OptimalLattice(suppression=0.02).run(encoded, [KAnonymity(k=2)])
    both = encode(
        table.with_columns(s=pl.Series(["p", "q", "p", "p"])),
        Schema({"age": quasi(h, level=0), "sex": quasi(), "s": sensitive()}),
    )
    with pytest.raises(NoSolutionError, match=r"2-anonymity and distinct 2-diversity of 's'"):
        OptimalLattice().run(both, [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="s")])


# -- ties --------------------------------------------------------------------------------------------------------


def run(table: pl.DataFrame, schema: Schema, models: Sequence[PrivacyModel], **fields: object) -> LatticeOutcome:
    return OptimalLattice(**fields).run(encode(table, schema), models)  # type: ignore[arg-type]


def test_ties_go_to_fewer_suppressed_records() -> None:
    """Height does not count suppressed records: of (0, 1) and (1, 0) the one that suppresses fewer wins."""
    table = pl.DataFrame({"a": ["x", "x", "x", "x", "y"], "b": ["p", "p", "q", "r", "p"]})
    schema = Schema({"a": quasi(), "b": quasi()})
    outcome = run(table, schema, [KAnonymity(k=2)], loss="height", suppression=1.0)
    assert (outcome.levels, outcome.suppressed) == ({"a": 0, "b": 0}, 3)
    weightless = Schema({"a": quasi(weight=0), "b": quasi(weight=0)})
    outcome = run(table, weightless, [KAnonymity(k=2)], loss="height", suppression=0.5)
    assert (outcome.levels, outcome.suppressed) == ({"a": 1, "b": 1}, 0)


def test_ties_go_to_the_lower_sum_of_levels() -> None:
    """Weightless attributes cost nothing at any level: the lowest node that suppresses nobody."""
    h = Hierarchy.from_rows([["1", "1-2", "1-4", "*"], ["2", "1-2", "1-4", "*"], ["3", "3-4", "1-4", "*"]])
    table = pl.DataFrame({"a": ["1", "2", "3", "3"], "b": ["p", "p", "q", "q"]})
    schema = Schema({"a": quasi(h, weight=0), "b": quasi(weight=0)})
    for key in ("loss", "loss-geometric", "precision", "height", "entropy"):
        assert run(table, schema, [KAnonymity(k=2)], loss=key).levels == {"a": 1, "b": 0}


def test_ties_go_to_the_first_levels() -> None:
    """Two columns that say the same: (0, 1) before (1, 0)."""
    table = pl.DataFrame({"a": ["x", "y", "z", "z"], "b": ["x", "z", "y", "z"]})
    schema = Schema({"a": quasi(), "b": quasi()})
    for key in UNTARGETED:
        assert run(table, schema, [KAnonymity(k=1)], loss=key).levels == {"a": 0, "b": 0}
    pairs = pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"]})
    for key in UNTARGETED:
        assert run(pairs, schema, [KAnonymity(k=2)], loss=key).levels == {"a": 0, "b": 1}


@given(st.data())
@settings(max_examples=60)
def test_ties_on_random_symmetric_tables(data: st.DataObject) -> None:
    """Columns that are copies of each other, in another order: rounding must not decide between equal nodes."""
    m, n = data.draw(st.integers(2, 3)), data.draw(st.integers(2, 20))
    rows = [
        ["1", "a", "x", "*"],
        ["2", "a", "x", "*"],
        ["3", "b", "x", "*"],
        ["4", "b", "x", "*"],
        ["5", "c", "y", "*"],
    ]
    values = data.draw(st.lists(st.sampled_from("12345"), min_size=n, max_size=n))
    frame = pl.DataFrame({f"q{i}": values for i in range(m)})
    schema = Schema({name: quasi(Hierarchy.from_rows(rows)) for name in frame.columns})
    case = Case(frame, schema, ())
    k = data.draw(st.integers(1, min(4, n)))
    demand = Demand((KAnonymity(k=k),), (naive.at_least(k),))
    key = data.draw(st.sampled_from(["loss", "loss-geometric", "precision", "entropy"]))
    assert_optimum(case, demand, OptimalLattice(loss=key, suppression=data.draw(st.sampled_from([0.0, 0.2, 1.0]))))


# -- invariance --------------------------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=30)
def test_the_order_of_records_does_not_matter(data: st.DataObject) -> None:
    case, demand, suppression = data.draw(problems("k and l"))
    other = case.reordered(data.draw(st.permutations(range(len(case.records)))))
    method = OptimalLattice(loss=data.draw(st.sampled_from(sorted(LOSSES))), suppression=suppression)
    try:
        one = method.run(case.encoded, demand.models)
    except NoSolutionError as error:
        with pytest.raises(NoSolutionError, match=re.escape(str(error))):
            method.run(other.encoded, demand.models)
        return
    again = method.run(other.encoded, demand.models)
    assert (one.levels, one.loss, one.suppressed, one.checks) == (
        again.levels,
        again.loss,
        again.suppressed,
        again.checks,
    )
    assert one.recoding.to_dict() == again.recoding.to_dict()


# -- suppressed records ------------------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=60)
def test_masked_rows_keep_every_promise(data: st.DataObject) -> None:
    """Rows published as stars are a class: unless it is large and diverse enough, they are removed instead."""
    case, demand, _ = data.draw(problems("k and l"))
    try:
        outcome = OptimalLattice(loss="height", suppression=1.0).run(
            case.encoded, demand.models, columns=case.frame.columns
        )
    except NoSolutionError:
        return
    gone = naive.suppressed(case.records, tuple(outcome.levels.values()), demand.judges)
    counts = naive.histogram(case.records, gone)
    kept = all(judge(len(gone), counts) for judge in demand.judges)
    assert outcome.recoding.outliers == ("mask" if kept or not gone else "remove")
    published = outcome.recoding.apply(case.frame).table
    assert all(model.holds(Groups(published, case.schema.quasi)) for model in demand.models)


@pytest.mark.parametrize(("last", "outliers"), [("p", "remove"), ("q", "mask")])
def test_masked_rows_that_would_tell(last: str, outliers: str) -> None:
    """Two records are suppressed; masked, both would show the same sensitive value unless they differ."""
    table = pl.DataFrame({"a": ["x", "x", "y", "z"], "s": ["p", "q", "p", last]})
    encoded = encode(table, Schema({"a": quasi(), "s": sensitive()}))
    models = [DistinctLDiversity(l=2, attribute="s")]
    outcome = OptimalLattice(loss="height", suppression=0.5).run(encoded, models, columns=["a", "s"])
    assert (outcome.levels, outcome.suppressed, outcome.recoding.outliers) == ({"a": 0}, 2, outliers)
    assert models[0].holds(Groups(outcome.recoding.apply(table).table, ["a"]))


def test_the_columns_to_publish() -> None:
    table = pl.DataFrame({"note": [1, 2], "a": ["x", "x"]})
    encoded = encode(table.select("a"), Schema({"a": quasi()}))
    outcome = OptimalLattice(outliers="remove").run(encoded, [KAnonymity(k=2)], columns=["a", "note"])
    assert outcome.recoding.columns == ("a", "note")
    assert outcome.recoding.outliers == "remove"
    assert OptimalLattice().run(encoded, [KAnonymity(k=2)]).recoding.columns == ("a",)


def test_without_models_the_raw_table_is_best() -> None:
    for key in UNTARGETED:
        outcome = run(pl.DataFrame({"a": ["x", "y"]}), Schema({"a": quasi()}), [], loss=key)
        assert (outcome.levels, outcome.suppressed, outcome.classes) == ({"a": 0}, 0, 2)


# -- parameters and stopping -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"loss": "los"}, r"optimal-lattice\.loss: expected one of .*, got 'los'.*did you mean 'loss'"),
        ({"suppression": -0.1}, r"optimal-lattice\.suppression: expected a number from 0 to 1, got -0\.1"),
        ({"suppression": 1.01}, "got 1.01"),
        ({"suppression": float("nan")}, "got nan"),
        ({"suppression": True}, "got True"),
        ({"suppression": "5%"}, "got '5%'"),
        ({"outliers": "keep"}, r"optimal-lattice\.outliers: expected one of 'mask', 'remove', got 'keep'"),
        ({"threads": 0}, r"optimal-lattice\.threads: expected a whole number of at least 1, got 0"),
        ({"threads": 1.0}, "got 1.0"),
    ],
)
def test_bad_parameters(fields: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        OptimalLattice(**fields)  # type: ignore[arg-type]


def test_models_are_checked_first() -> None:
    with pytest.raises(ParameterError, match="expected at most 2, the number of records, got 3"):
        run(pl.DataFrame({"a": ["x", "y"]}), Schema({"a": quasi()}), [KAnonymity(k=3)])


@pytest.mark.parametrize("key", ["loss", "average-class-size", Boundless()])
def test_an_observer_stops_a_search(key: str | Loss) -> None:
    rng = np.random.default_rng(2)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 4, 100) for i in range(6)})
    seen: list[Progress] = []
    encoded = encode(table, Schema({name: quasi() for name in table.columns}))
    with pytest.raises(Interrupted, match="stopped by the caller"):
        OptimalLattice(loss=key, suppression=0.5).run(
            encoded, [KAnonymity(k=2)], observe=lambda progress: seen.append(progress) or len(seen) < 2
        )
    assert len(seen) == 2


def test_the_bounds_are_used() -> None:
    """A search with a bound looks at few nodes of a large lattice, and at all of them without one."""
    rng = np.random.default_rng(9)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 3, 300) for i in range(10)})
    schema = Schema({name: quasi() for name in table.columns})
    assert run(table, schema, [KAnonymity(k=3)], loss="loss", suppression=0.1).checks < 2**10 // 2
    assert run(table, schema, [KAnonymity(k=3)], loss=Boundless(), suppression=0.1).checks == 2**10
    assert run(table, schema, [KAnonymity(k=3)], loss="average-class-size", suppression=0.1).checks < 2**10 * 3 // 4


def test_a_hopeless_search_ends_at_once() -> None:
    """If the top node suppresses every record, so does every other one."""
    table = pl.DataFrame({"fixed": range(50), **{f"q{i}": [0, 1] * 25 for i in range(8)}})
    schema = Schema({"fixed": quasi(level=0), **{f"q{i}": quasi() for i in range(8)}})
    checks: list[int] = []
    with pytest.raises(NoSolutionError, match="every record would have to be suppressed"):
        OptimalLattice(suppression=1.0).run(
            encode(table, schema), [KAnonymity(k=2)], observe=lambda progress: checks.append(progress.done)
        )
    assert len(checks) <= 2


def test_a_lattice_too_large_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal, "MAX_EXHAUSTIVE", 3)
    with pytest.raises(ParameterError, match=r"at most 3 nodes for 'average-class-size'.*got 4 nodes"):
        run(pl.DataFrame({"a": [1], "b": [2]}), Schema({"a": quasi(), "b": quasi()}), [], loss=Boundless())
