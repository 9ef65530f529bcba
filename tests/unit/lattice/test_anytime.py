"""AnytimeLattice: bounds that hold, budgets that are kept, the optimum when there is time, and better than greed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import Interrupted, NoSolutionError, ParameterError
from nymity.core.progress import Progress
from nymity.lattice import anytime, exploration, frontier
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.datafly import Datafly
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.outcome import LatticeOutcome
from nymity.lattice.search import Inquiry
from nymity.lattice.space import Node
from nymity.privacy import EntropyLDiversity, KAnonymity
from nymity.quality import loss_of
from nymity.table.attribute import quasi
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity_lab.datasets import PublicDataset
from optimum import assert_optimum, limits
from strategies import Case, Demand, cases, demands
from toys import EvenClasses

LOSSES = [
    "loss",
    "loss-geometric",
    "precision",
    "height",
    "entropy",
    "discernibility",
    "average-class-size",
    "ambiguity",
]
KINDS = ["k", "k and l", "even", "entropy"]
#: More checks than any lattice of these tests has nodes.
PLENTY = 10**6


@st.composite
def problems(draw: st.DrawFn, kind: str | None = None) -> tuple[Case, Demand, float]:
    kind = kind or draw(st.sampled_from(KINDS))
    case = draw(cases(n_sensitive=1, bounded=draw(st.booleans())))
    demand = draw(demands(case, diversity=kind == "k and l"))
    if kind == "even":
        demand = Demand((EvenClasses(),), (naive.even,))
    if kind == "entropy":
        l = min(1.5, case.frame["s0"].n_unique())  # noqa: E741 -- the literature's name
        models = (*demand.models, EntropyLDiversity(l=l, attribute="s0"))
        demand = Demand(models, (*demand.judges, naive.entropic(l, "s0")))
    return case, demand, draw(limits(case, demand))


# -- what is proved ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", LOSSES)
@given(st.data())
@settings(max_examples=8)
def test_bounds_hold_for_every_budget(key: str, kind: str, data: st.DataObject) -> None:
    """Never above the optimum found by trying every node; and the node that comes with it is a solution."""
    case, demand, suppression = data.draw(problems(kind))
    limit = naive.limit_of(repr(suppression), len(case.records))
    best = naive.optimum(case.records, demand.judges, key, limit, case.low, case.high)
    for checks in (1, 2, 5, 20):
        method = AnytimeLattice(loss=key, suppression=suppression, checks=checks)
        if best is None:
            with pytest.raises(NoSolutionError):
                method.run(case.encoded, demand.models)
            continue
        outcome = run_or_none(method, case.encoded, demand)
        if outcome is None:
            continue
        assert outcome.checks <= checks
        node = tuple(outcome.levels.values())
        gone = naive.suppressed(case.records, node, demand.judges)
        assert len(gone) == outcome.suppressed <= limit
        assert math.isclose(outcome.loss, naive.loss(case.records, node, demand.judges, key), rel_tol=1e-12)
        if outcome.optimal:
            assert (node, outcome.bound) == (best.node, outcome.loss)
        elif loss_of(key).prepare(case.encoded).floor(case.low, None) is None:
            assert outcome.bound is None
            assert outcome.gap is None
        else:
            assert outcome.bound is not None
            assert outcome.bound <= float(best.loss) <= outcome.loss * (1 + 1e-12)
            assert 0 <= outcome.gap <= 1  # type: ignore[operator]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", LOSSES)
@given(st.data())
@settings(max_examples=6)
def test_with_enough_checks_it_is_the_optimum(key: str, kind: str, data: st.DataObject) -> None:
    """The same node, by the same rule for ties, and the same refusal, as trying all."""
    case, demand, suppression = data.draw(problems(kind))
    assert_optimum(case, demand, AnytimeLattice(loss=key, suppression=suppression, checks=PLENTY))  # type: ignore[arg-type]


@given(st.data())
@settings(max_examples=40)
def test_little_memory_changes_no_answer(data: st.DataObject) -> None:
    """What does not fit the queue is searched depth first, what is forgotten is checked again."""
    case, demand, suppression = data.draw(problems())
    method = AnytimeLattice(loss="loss", suppression=suppression, checks=data.draw(st.sampled_from([3, 10, PLENTY])))
    limit = naive.limit_of(repr(suppression), len(case.records))
    best = naive.optimum(case.records, demand.judges, "loss", limit, case.low, case.high)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontier, "MAX_OPEN", data.draw(st.integers(0, 2)))
        patch.setattr(frontier, "MAX_RULED_OUT", 1)
        patch.setattr(exploration, "MAX_KNOWN", 1)
        if method.checks == PLENTY:
            assert_optimum(case, demand, method)  # type: ignore[arg-type]
        elif best is not None:
            outcome = run_or_none(method, case.encoded, demand)
            assert outcome is None or outcome.bound <= float(best.loss) * (1 + 1e-12)  # type: ignore[operator]


def run_or_none(method: AnytimeLattice, table: EncodedTable, demand: Demand) -> LatticeOutcome | None:
    """Run a search that may find no solution within its budget, if it says so."""
    try:
        return method.run(table, demand.models)
    except NoSolutionError as error:
        if "within" in str(error) and "it is not proved that there is none" in str(error):
            return None
        raise


def test_a_bound_rises_and_a_loss_falls_with_the_budget() -> None:
    table = larger(1)
    outcomes = [AnytimeLattice(suppression=0.02, checks=n).run(table, [KAnonymity(k=3)]) for n in (1, 10, 100, 1000)]
    bounds, losses = [o.bound for o in outcomes], [o.loss for o in outcomes]
    assert bounds == sorted(bounds)  # type: ignore[type-var]
    assert losses == sorted(losses, reverse=True)
    assert bounds[0] < bounds[-1] <= losses[-1] < losses[0]  # type: ignore[operator]


def test_the_gap_is_the_share_of_the_loss_that_another_could_save() -> None:
    outcome = AnytimeLattice(suppression=0.02, checks=10).run(larger(1), [KAnonymity(k=3)])
    assert outcome.loss * (1 - outcome.gap) == pytest.approx(outcome.bound)  # type: ignore[operator]
    assert replace(outcome, loss=8.0, bound=6.0).gap == 0.25
    assert replace(outcome, loss=0.0, bound=0.0).gap == 0
    assert replace(outcome, bound=None).gap is None


def test_no_solution_within_the_budget_is_not_called_none() -> None:
    """Odd at the top and at most nodes: with one check nothing is found, with all it is proved."""
    table = encode(pl.DataFrame({"a": ["x"] * 3 + ["y"] * 4}), Schema({"a": quasi()}))
    with pytest.raises(NoSolutionError, match=r"within 1 checks of 2 nodes; it is not proved that there is none.*Try"):
        AnytimeLattice(checks=1, suppression=0.5).run(table, [EvenClasses()])
    assert AnytimeLattice(checks=PLENTY, suppression=0.5).run(table, [EvenClasses()]).levels == {"a": 0}
    with pytest.raises(
        NoSolutionError, match=r"no node satisfies even classes with suppression <= 0\.1; the least was"
    ):
        AnytimeLattice(checks=PLENTY, suppression=0.1).run(table, [EvenClasses()])
    fixed = encode(pl.DataFrame({"a": ["x", "y"]}), Schema({"a": quasi(level=0)}))
    with pytest.raises(NoSolutionError, match="no node satisfies 2-anonymity: even at levels a=0"):
        AnytimeLattice(checks=1).run(fixed, [KAnonymity(k=2)])


# -- budgets and going on ----------------------------------------------------------------------------------------


def essence(outcome: LatticeOutcome) -> tuple[object, ...]:
    return (
        *(outcome.levels, outcome.loss, outcome.suppressed, outcome.classes, outcome.checks, outcome.bound),
        *(outcome.optimal, outcome.nodes.levels.tolist(), outcome.recoding.to_dict()),
    )


@given(st.data())
@settings(max_examples=40)
def test_some_checks_and_then_more_are_all_at_once(data: st.DataObject) -> None:
    """Also in the same order, and for a third time; and the order of records plays no part."""
    case, demand, suppression = data.draw(problems("k and l"))
    key = data.draw(st.sampled_from(["loss", "precision", "average-class-size"]))
    parts = data.draw(st.lists(st.integers(1, 15), min_size=1, max_size=3))
    method = AnytimeLattice(loss=key, suppression=suppression, checks=sum(parts))
    try:
        whole = method.run(case.encoded, demand.models)
    except NoSolutionError:
        return
    other = case.reordered(data.draw(st.permutations(range(len(case.records)))))
    pieces = replace(method, checks=parts[0]).run(other.encoded, demand.models)
    for more in parts[1:]:
        pieces = replace(method, checks=more).resume(pieces)
    assert essence(pieces) == essence(whole)


def test_going_on_ends_in_the_optimum() -> None:
    table, models = larger(2), [KAnonymity(k=3)]
    best = OptimalLattice(suppression=0.1).run(table, models)
    method = AnytimeLattice(suppression=0.1, checks=500)
    outcome = method.run(table, models)
    while not outcome.optimal:
        bound = outcome.bound
        assert bound is not None
        assert bound <= best.loss
        outcome = method.resume(outcome)
        assert outcome.bound >= bound  # type: ignore[operator]
    assert (outcome.levels, outcome.loss, outcome.gap) == (best.levels, best.loss, 0)
    assert method.resume(outcome) is outcome
    assert outcome.exploration is None


def test_only_its_own_question_goes_on() -> None:
    table, models = larger(3), [KAnonymity(k=3)]
    outcome = AnytimeLattice(suppression=0.05, checks=5).run(table, models)
    for changed in ({"suppression": 0.1}, {"loss": "precision"}, {"outliers": "remove"}):
        method = AnytimeLattice(**{"suppression": 0.05, "checks": 5, **changed})  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match=r"anytime-lattice\.resume: expected the same loss, suppression"):
            method.resume(outcome)
    with pytest.raises(ParameterError, match=r"expected an outcome of this method, got one that cannot go on"):
        AnytimeLattice().resume(Datafly(suppression=0.05).run(table, models))


def test_seconds_end_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that ticks once whenever it is read; whichever of the two budgets ends first."""
    clock = count(1)
    monkeypatch.setattr(anytime, "monotonic", lambda: next(clock))
    table, models = larger(3), [KAnonymity(k=3)]
    assert 1 <= AnytimeLattice(seconds=10).run(table, models).checks <= 10
    assert AnytimeLattice(seconds=0.5).run(table, models).checks == 1
    assert AnytimeLattice(seconds=100, checks=7).run(table, models).checks == 7
    assert 30 < AnytimeLattice().run(table, models).checks <= anytime.DEFAULT_SECONDS


def test_an_interrupted_search_can_still_go_on() -> None:
    """Whatever check an observer stops at: nothing open is lost, so the same optimum is proved in the end."""
    table, models = larger(2), [KAnonymity(k=3)]
    best = OptimalLattice(suppression=0.1).run(table, models)
    method = AnytimeLattice(suppression=0.1, checks=PLENTY)
    outcome = replace(method, checks=60).run(table, models)
    for stop_after in (1, 3, 20, 200):
        seen: list[Progress] = []

        def stop(progress: Progress, seen: list[Progress] = seen, after: int = stop_after) -> bool:
            seen.append(progress)
            return len(seen) < after

        with pytest.raises(Interrupted, match="searching the lattice"):
            method.resume(outcome, observe=stop)
        assert len(seen) == stop_after
    assert method.resume(outcome).levels == best.levels


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"seconds": 0}, r"anytime-lattice\.seconds: expected a number above 0, got 0"),
        ({"seconds": float("inf")}, "got inf"),
        ({"seconds": True}, "got True"),
        ({"checks": 0}, r"anytime-lattice\.checks: expected a whole number of at least 1, got 0"),
        ({"checks": 1.5}, "got 1.5"),
        ({"loss": "los"}, r"anytime-lattice\.loss: .*did you mean 'loss'"),
        ({"suppression": 2}, r"anytime-lattice\.suppression: expected a number from 0 to 1, got 2"),
    ],
)
def test_bad_parameters(fields: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        AnytimeLattice(**fields)  # type: ignore[arg-type]


# -- large lattices ----------------------------------------------------------------------------------------------


def halving(values: int, prefix: str) -> Hierarchy:
    """Values in pairs, pairs of pairs, and so on."""
    height = (values - 1).bit_length()
    return Hierarchy.from_rows(
        [[f"{prefix}{v}", *(f"{prefix}{v >> s}/{s}" for s in range(1, height)), "*"] for v in range(values)]
    )


def larger(seed: int, *, n: int = 400, m: int = 7, values: int = 8, noise: float = 0.3) -> EncodedTable:
    """Records around some centres: attributes that have much to do with each other, at 4 ** m nodes."""
    rng = np.random.default_rng(seed)
    centres = rng.integers(0, values, (12, m))[rng.integers(0, 12, n)]
    cells = np.where(rng.random((n, m)) < noise, rng.integers(0, values, (n, m)), centres)
    frame = pl.DataFrame({f"q{a}": [f"q{a}-{v}" for v in cells[:, a]] for a in range(m)})
    return encode(frame, Schema({f"q{a}": quasi(halving(values, f"q{a}-")) for a in range(m)}))


@pytest.mark.parametrize("key", ["loss", "discernibility"])
def test_ten_records_and_twenty_quasi_identifiers(key: str) -> None:
    table = larger(4, n=10, m=20)
    outcome = AnytimeLattice(loss=key, suppression=0.1, checks=400).run(table, [KAnonymity(k=2)])
    assert outcome.lattice_size == 4**20
    assert outcome.suppressed <= 1
    top = AnytimeLattice(loss=key, suppression=0.1, checks=1).run(table, [KAnonymity(k=2)])
    assert outcome.loss < top.loss


@pytest.mark.parametrize("m", [41, 50])
def test_fifty_quasi_identifiers(m: int) -> None:
    """10³⁰ nodes: nothing may be as large as the lattice. All but a few attributes stay open below the top."""
    table = larger(5, n=2_000, m=m)
    outcome = AnytimeLattice(suppression=0.05, checks=600).run(table, [KAnonymity(k=5)])
    assert outcome.lattice_size == 4**m
    assert outcome.checks == 600
    assert outcome.bound is not None
    assert 0 < outcome.bound < outcome.loss < 1
    wide = larger(5, n=2_000, m=m, values=2)
    assert AnytimeLattice(suppression=1.0, checks=600).run(wide, [KAnonymity(k=5)]).loss < 1


# -- better than greed -------------------------------------------------------------------------------------------


def lowered_greedily(inquiry: Inquiry) -> None:
    """From the top to the neighbour with the least loss among the solutions, while it is smaller."""
    node, here = inquiry.space.high, inquiry.check(inquiry.space.high)
    while here is not None:
        below = []
        for lower in neighbours(node, inquiry.space.low, -1):
            there = inquiry.check(lower)
            if there is not None:
                below.append((float(inquiry.loss.value(there)[0]), lower, there))
        if not below or min(below)[0] >= float(inquiry.loss.value(here)[0]):
            return
        _, node, here = min(below, key=lambda found: found[:2])


def raised_greedily(inquiry: Inquiry) -> None:
    """From the bottom to the neighbour that suppresses the fewest records, until it is a solution."""
    node = inquiry.space.low
    inquiry.check(node)
    while inquiry.seen.best is None:
        above = []
        for higher in neighbours(node, inquiry.space.high, 1):
            statistics = inquiry.engine.check(higher)
            inquiry.seen.enter(statistics)
            above.append((int(statistics.suppressed[0]), higher))
        _, node = min(above)


def neighbours(node: Node, end: Node, step: int) -> list[Node]:
    return [(*node[:a], node[a] + step, *node[a + 1 :]) for a in range(len(node)) if node[a] != end[a]]


def varied(seed: int, *, n: int = 400, m: int = 9) -> EncodedTable:
    """Attributes of 2 to 30 values, small ones more often, that agree with one of twelve centres in most records."""
    rng = np.random.default_rng(seed)
    sizes, centre = rng.choice([2, 3, 5, 8, 16, 30], m), rng.integers(0, 12, n)
    columns, schema = {}, {}
    for a, size in enumerate(sizes.tolist()):
        usual, odd = ((rng.random(many) ** 2 * size).astype(int) for many in (12, n))
        columns[f"q{a}"] = [f"q{a}-{v}" for v in np.where(rng.random(n) < 0.4, odd, usual[centre])]
        schema[f"q{a}"] = quasi(halving(size, f"q{a}-"))
    return encode(pl.DataFrame(columns), Schema(schema))


def assert_better_than_greed(tables: list[EncodedTable], key: str, k: int, suppression: float) -> None:
    """At as many checks as each greedy search takes: never far behind, ahead of each on average."""
    models = [KAnonymity(k=k)]
    for greedy in (lowered_greedily, raised_greedily):
        shares = []
        for table in tables:
            method = AnytimeLattice(loss=key, suppression=suppression, checks=1)
            inquiry = Inquiry.open(table, models, loss_of(key), method.limit(table, models))
            greedy(inquiry)
            outcome = replace(method, checks=inquiry.checks).run(table, models)
            shares.append(outcome.loss / inquiry.seen.best_loss)
        assert max(shares) < 1.05, greedy.__name__
        assert np.mean(shares) < 1, greedy.__name__


@pytest.mark.parametrize(("key", "k", "suppression"), [("loss", 3, 0.05), ("loss", 5, 0.3), ("discernibility", 3, 0.1)])
def test_better_than_greedy_searches(key: str, k: int, suppression: float) -> None:
    assert_better_than_greed([varied(seed) for seed in range(2, 8)], key, k, suppression)


@pytest.mark.data
@pytest.mark.parametrize("name", ["adult", "diabetes130"])
def test_better_than_greedy_searches_on_real_data(name: str, load_public: Callable[[str], PublicDataset]) -> None:
    data = load_public(name)
    assert_better_than_greed([encode(data.table, data.schema())], "loss", 5, 0.05)
