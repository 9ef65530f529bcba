"""RollUp against counting: every node, from any predecessor, in any order, with any budget and any models."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import naive
from nymity.core.errors import Interrupted
from nymity.core.progress import Progress
from nymity.lattice import rollup
from nymity.lattice.rollup import RollUp
from nymity.lattice.snapshots import Grouping, Snapshot, SnapshotStore
from nymity.lattice.space import Space
from nymity.privacy import DistinctLDiversity, KAnonymity, PrivacyModel
from nymity.quality import Needs, NodeStatistics
from nymity.table.attribute import quasi, sensitive
from nymity.table.classes import Classes
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, Demand, cases, demands, node_between
from toys import EvenClasses

ALL = frozenset({"covered", "spread", "lost_entropy"})
BUDGETS = [0, 300, 2**20]
PARTS = (
    "levels",
    "suppressed",
    "accepted_classes",
    "squares",
    "classes",
    "smallest",
    "lost_leaves",
    "covered",
    "spread",
    "lost_entropy",
)


@st.composite
def problems(draw: st.DrawFn, *, bounded: bool = False) -> tuple[Case, Demand]:
    """Size-only models, sensitive models on two columns, a model that looks at sizes its own way, none at all."""
    case = draw(cases(n_sensitive=2, bounded=bounded))
    kind = draw(st.sampled_from(["k", "k and l", "even", "none"]))
    if kind == "none":
        return case, Demand((), ())
    demand = draw(demands(case, diversity=kind == "k and l"))
    if kind == "even":
        demand = Demand((*demand.models, EvenClasses()), (*demand.judges, naive.even))
    return case, demand


def assert_counts(found: NodeStatistics, case: Case, demand: Demand, needs: frozenset[str] = frozenset()) -> None:
    for i, levels in enumerate(found.levels.tolist()):
        expected = naive.statistics(case.records, tuple(levels), demand.judges)
        for name in ("suppressed", "accepted_classes", "squares", "classes", "smallest"):
            assert getattr(found, name)[i] == getattr(expected, name), (name, levels)
        assert tuple(found.lost_leaves[i]) == expected.lost_leaves
        if "covered" in needs:
            assert tuple(found.covered[i]) == expected.covered  # whole numbers below 2^53
        if "spread" in needs:
            assert found.spread[i].tolist() == pytest.approx(expected.spread, rel=1e-12, abs=1e-12)
        if "lost_entropy" in needs:
            assert found.lost_entropy[i].tolist() == pytest.approx(expected.lost_entropy, rel=1e-12, abs=1e-12)


@contextmanager
def waypoints(entries: int | None) -> Iterator[None]:
    """Let the engine keep nodes of small tables too, which it would derive anew otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        if entries is not None:
            patch.setattr(rollup, "WAYPOINT_ENTRIES", entries, raising=False)
        yield


@given(st.data())
@settings(max_examples=100)
def test_check_in_any_order_with_any_budget(data: st.DataObject) -> None:
    """Every node in a random order: each starts from whatever was materialized below it."""
    case, demand = data.draw(problems())
    needs = data.draw(st.sampled_from([frozenset(), frozenset({"covered"}), ALL]))
    engine = RollUp(
        case.encoded, demand.models, needs=Needs(statistics=needs), budget=data.draw(st.sampled_from(BUDGETS))
    )
    every = list(naive.nodes((0,) * len(case.top), case.top))
    order = data.draw(st.permutations(every)) if len(every) < 40 else every[::-1]
    with waypoints(data.draw(st.sampled_from([None, 0, 5]))):
        for node in order:
            found = engine.check(node)
            assert found.levels.tolist() == [list(node)]
            assert_counts(found, case, demand, needs)
    assert engine.checks == len(every)


@given(st.data())
@settings(max_examples=60)
def test_a_chosen_predecessor(data: st.DataObject) -> None:
    """From one materialized node straight to another, any number of levels of any attributes higher."""
    case, demand = data.draw(problems())
    engine = RollUp(case.encoded, demand.models)
    start = data.draw(node_between((0,) * len(case.top), case.top))
    with waypoints(0):
        engine.snapshot(start)
        for node in naive.nodes(start, case.top):
            assert_counts(engine.check(node), case, demand)


@given(problems())
@settings(max_examples=60)
def test_classes(problem: tuple[Case, Demand]) -> None:
    case, demand = problem
    engine, labels = RollUp(case.encoded, demand.models), [h.labels for h in case.encoded.hierarchies]
    used = {name for model in demand.models for name in model.sensitive}
    for node in naive.nodes((0,) * len(case.top), case.top):
        found, expected = engine.classes(node), naive.classes(case.records, node)
        rows = [tuple(labels[a][node[a]][c] for a, c in enumerate(codes)) for codes in found.codes.tolist()]
        assert dict(zip(rows, found.classes.sizes.tolist(), strict=True)) == {r: len(m) for r, m in expected.items()}
        assert len(rows) == len(expected)
        gone = set(naive.suppressed(case.records, node, demand.judges))
        assert found.decision.published.tolist() == [expected[row][0] not in gone for row in rows]
        assert set(found.classes.histograms) == used
        for name, histogram in found.classes.histograms.items():
            names = case.encoded.sensitive[name].labels
            for i, row in enumerate(rows):
                mine = histogram.classes == i
                counts = Counter(case.records.sensitive[name][r] for r in expected[row])
                entries = zip(histogram.codes[mine], histogram.counts[mine].tolist(), strict=True)
                assert {names[code]: count for code, count in entries} == counts
                assert histogram.distinct[i] == len(counts)


def walked(engine: RollUp, space: Space, threads: int) -> NodeStatistics:
    return NodeStatistics.concatenate(list(engine.walk(space, threads=threads)))


@given(st.data())
@settings(max_examples=50)
def test_walk(data: st.DataObject) -> None:
    """Every node of a bounded space once; the same arrays in the same order with any number of threads."""
    case, demand = data.draw(problems(bounded=True))
    needs = data.draw(st.sampled_from([frozenset(), frozenset({"lost_entropy"}), ALL]))
    space, engine = Space.of(case.encoded), RollUp(case.encoded, demand.models, needs=Needs(statistics=needs))
    assert (space.low, space.high) == (case.low, case.high)
    found = walked(engine, space, 1)
    assert sorted(map(tuple, found.levels.tolist())) == list(naive.nodes(case.low, case.high))
    assert_counts(found, case, demand, needs)
    assert engine.checks == space.size
    for threads in (1, 2):
        again = walked(RollUp(case.encoded, demand.models, needs=Needs(statistics=needs), budget=0), space, threads)
        for name in PARTS:
            assert np.array_equal(getattr(again, name), getattr(found, name)), name


def test_walk_equals_check_on_many_attributes() -> None:
    """Twelve attributes of 200 values need several key words; a walk and single checks agree with counting."""
    rng = np.random.default_rng(3)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 200, 400) // (150 if i < 9 else 1) for i in range(12)})
    schema = Schema({name: quasi(level=None if i % 2 else 1) for i, name in enumerate(table.columns)})
    encoded = encode(table, schema)
    space = Space.of(encoded)
    engine = RollUp(encoded, [KAnonymity(k=3)])
    found = walked(engine, space, 1)
    assert len(found) == 64
    for i in range(0, 64, 7):
        node = tuple(found.levels[i].tolist())
        single = engine.check(node)
        shown = [name for name, level in zip(table.columns, node, strict=True) if level == 0]
        sizes = table.group_by(shown).len()["len"].to_numpy() if shown else np.array([400])
        assert found.suppressed[i] == single.suppressed[0] == sizes[sizes < 3].sum()
        assert found.classes[i] == len(sizes)
        assert np.array_equal(found.lost_leaves[i], single.lost_leaves[0])


def test_a_hundred_attributes() -> None:
    """100 quasi-identifiers: one step raises them all."""
    rng = np.random.default_rng(5)
    rows = np.repeat(rng.integers(0, 30, (50, 100)), 2, axis=0)
    rows[0, 99] = 30
    table = pl.DataFrame({f"q{i}": rows[:, i] for i in range(100)})
    engine = RollUp(encode(table, Schema({name: quasi() for name in table.columns})), [KAnonymity(k=2)])
    assert (engine.check((0,) * 100).suppressed[0], engine.check((1,) * 100).classes[0]) == (2, 1)
    assert engine.check((0,) * 99 + (1,)).suppressed[0] == 0
    assert engine.classes((0,) * 100).decision.published.sum() == 49


@pytest.mark.parametrize("budget", [0, 200_000])
@pytest.mark.parametrize("diversity", [False, True])
def test_a_large_table(budget: int, diversity: bool) -> None:
    """30,000 records, 50 bits of key and more: neighbours along a random path, against group-bys of labels."""
    rng = np.random.default_rng(17)
    widths = (2, 500, 40, 7, 3000)
    hierarchies = [
        Hierarchy.from_rows([[f"{v}", f"{v // 5}-", f"{v // 50}=", "*"] for v in range(width)]) for width in widths
    ]
    columns = {f"q{i}": (rng.random(30_000) ** 3 * width).astype(int) for i, width in enumerate(widths)}
    table = pl.DataFrame(columns).with_columns(s=pl.Series(rng.integers(0, 4, 30_000)))
    attributes = {name: quasi(h) for name, h in zip(columns, hierarchies, strict=True)}
    encoded = encode(table, Schema({**attributes, "s": sensitive()}))
    models: list[PrivacyModel] = [KAnonymity(k=3)]
    engine = RollUp(encoded, [*models, DistinctLDiversity(l=2, attribute="s")] if diversity else models, budget=budget)
    for _ in range(6):
        node = tuple(int(level) for level in rng.integers(0, 4, 5))
        for near in {node, *(tuple(min(3, v + (i == a)) for i, v in enumerate(node)) for a in range(5))}:
            found = engine.check(near)
            labels = {
                name: np.array([h.generalize(v, level) for v in h.values])[table[name]]
                for (name, h), level in zip(zip(columns, hierarchies, strict=True), near, strict=True)
            }
            groups = (
                pl.DataFrame(labels)
                .with_columns(table["s"])
                .group_by(list(columns))
                .agg(size=pl.len(), different=pl.col("s").n_unique())
            )
            good = (groups["size"] >= 3) & ((groups["different"] >= 2) | (not diversity))
            assert found.suppressed[0] == groups.filter(~good)["size"].sum()
            assert (found.classes[0], found.accepted_classes[0]) == (len(groups), good.sum())
            assert found.squares[0] == (groups.filter(good)["size"].cast(pl.Int64) ** 2).sum()


# -- stopping ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CountingModel(EvenClasses):
    """Counts how often it is asked; takes its time, so that a stop comes before the work is done anyway."""

    asked: list[int]

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        self.asked.append(len(classes))
        time.sleep(1e-4)
        return np.ones(len(classes), dtype=np.bool_)


def big_table(n_attributes: int = 9) -> pl.DataFrame:
    rng = np.random.default_rng(11)
    return pl.DataFrame({f"q{i}": rng.integers(0, 4, 200) for i in range(n_attributes)})


def stopped(models: Sequence[PrivacyModel], threads: int, after: int) -> list[Progress]:
    table, seen = big_table(), []

    def observe(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) < after

    encoded = encode(table, Schema({name: quasi() for name in table.columns}))
    engine = RollUp(encoded, models)
    with pytest.raises(Interrupted, match="stopped by the caller during evaluating the lattice"):
        list(engine.walk(Space.of(encoded), threads=threads, observe=observe))
    return seen


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("after", [1, 3])
def test_an_observer_stops_a_walk(threads: int, after: int) -> None:
    seen = stopped([KAnonymity(k=2)], threads, after)
    assert len(seen) == after
    assert all(p.total == 2**9 and 0 < p.done < 2**9 for p in seen)
    assert [p.done for p in seen] == sorted({p.done for p in seen})


@pytest.mark.parametrize(
    "threads",
    [1, 2],
)
def test_a_stopped_walk_does_not_go_on(threads: int) -> None:
    asked: list[int] = []
    stopped([CountingModel(asked=asked)], threads, 1)
    assert len(asked) <= 2**9 * 3 // 4  # what was under way is finished, the rest is not begun


def test_an_observer_that_answers_none_or_true_changes_nothing() -> None:
    table = big_table(3)
    encoded = encode(table, Schema({name: quasi() for name in table.columns}))
    for answer in (None, True):
        seen: list[int] = []

        def observe(progress: Progress, seen: list[int] = seen, answer: bool | None = answer) -> bool | None:
            seen.append(progress.done)
            return answer

        parts = list(RollUp(encoded, [KAnonymity(k=2)]).walk(Space.of(encoded), observe=observe))
        assert sum(map(len, parts)) == seen[-1] == 8


def test_the_node_that_was_not_used_for_longest_is_forgotten_first() -> None:
    """There is room for two; the one that served a search in between stays, and the table itself always does."""

    def materialized(levels: tuple[int, int], entries: int) -> Snapshot:
        empty = np.zeros(entries, dtype=np.uint32)
        return Snapshot(levels, (Grouping(empty.astype(np.uint64), empty, empty, empty),))

    store = SnapshotStore(materialized((0, 0), 9), budget=2 * materialized((0, 0), 5).nbytes)
    store.put(materialized((1, 0), 5))
    store.put(materialized((0, 1), 5))
    assert store.smallest_below((2, 0)).levels == (1, 0)
    store.put(materialized((0, 2), 5))
    assert store.smallest_below((0, 1)).levels == (0, 0)  # forgotten, so the table serves it
    assert store.smallest_below((1, 0)).levels == (1, 0)
    assert store.smallest_below((0, 2)).levels == (0, 2)
