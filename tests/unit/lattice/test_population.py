"""Tables beside a population: what is counted of it at every node, and the optimum against trying every node."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.lattice.samarati import Samarati
from nymity.privacy import DeltaPresence, DistinctLDiversity, Groups, KAnonymity, KMap, PrivacyModel
from nymity.publishing.jobs.job_tables import Population
from nymity.table.attribute import quasi
from nymity.table.encoding import EncodedTable, encode
from nymity.table.schema import Schema
from strategies import Case, cases, node_between

#: One loss with a bound, one without.
LOSSES = ("loss", "discernibility")


@dataclass(frozen=True)
class Sample:
    """A table and the population it was taken from."""

    case: Case
    population: pl.DataFrame

    @cached_property
    def encoded(self) -> EncodedTable:
        return encode(self.case.frame, self.case.schema, self.population)

    @cached_property
    def records(self) -> naive.Records:
        plain = self.case.records
        return naive.Records(plain.rows, self.encoded.hierarchies, plain.sensitive, plain.weights)

    @property
    def people(self) -> list[naive.Row]:
        return list(self.population.rows())

    @property
    def low(self) -> naive.Node:
        return self.encoded.min_levels

    @property
    def high(self) -> naive.Node:
        return self.encoded.max_levels


@st.composite
def samples(draw: st.DrawFn, *, bounded: bool = False) -> Sample:
    """A random table, and other people who look like its records or like nobody in it."""
    case = draw(cases(n_sensitive=1, max_records=16, bounded=bounded, uneven=draw(st.booleans())))
    names = case.schema.quasi
    likes = st.sampled_from(case.frame.select(names).rows())
    strangers = st.tuples(*(st.sampled_from(h.values) for h in case.hierarchies))
    others = draw(st.lists(likes | strangers, max_size=20))
    rows = draw(st.permutations([*case.frame.select(names).rows(), *others]))
    return Sample(case, pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"))


# -- what is counted -----------------------------------------------------------------------------------------------


@given(samples())
@settings(max_examples=30)
def test_the_encoding_counts_both_tables(sample: Sample) -> None:
    encoded = sample.encoded
    values = [
        [h.values[code] for h, code in zip(encoded.hierarchies, row, strict=True)] for row in encoded.combinations
    ]
    records, people = naive.Counter(sample.records.rows), naive.Counter(sample.people)
    assert {tuple(row): n for row, n in zip(values, encoded.counts.tolist(), strict=True) if n} == records
    assert {tuple(row): n for row, n in zip(values, encoded.population.tolist(), strict=True)} == people
    assert encoded.n_records == len(sample.records)
    assert sum(map(sum, encoded.frequencies)) == len(sample.records) * len(encoded.names)
    backwards = encode(sample.case.frame[::-1], sample.case.schema, sample.population[::-1])
    assert np.array_equal(backwards.population, encoded.population)
    assert np.array_equal(backwards.combinations, encoded.combinations)


@given(samples(), st.data())
@settings(max_examples=30)
def test_every_node_counts_the_people_of_its_classes(sample: Sample, data: st.DataObject) -> None:
    """With and without sensitive attributes beside, from whatever was materialized before."""
    models: list[PrivacyModel] = [KMap(k=1, population="-")]
    if data.draw(st.booleans()):
        models.append(DistinctLDiversity(l=1, attribute="s0"))
    engine = RollUp(sample.encoded, models)
    for _ in range(3):
        node = data.draw(node_between(sample.low, sample.high))
        found, expected = engine.classes(node), naive.classes(sample.records, node)
        people = naive.people_in(sample.records, sample.people, node)
        labels = [
            tuple(h.labels[level][code] for h, level, code in zip(sample.encoded.hierarchies, node, row, strict=True))
            for row in found.codes
        ]
        assert dict(zip(labels, found.classes.sizes, strict=True)) == {r: len(m) for r, m in expected.items()}
        assert found.classes.population is not None
        assert dict(zip(labels, found.classes.population, strict=True)) == {row: people[row] for row in expected}
        assert found.classes.outside == sum(n for row, n in people.items() if row not in expected)
        if len(models) > 1:
            values = found.classes.histograms["s0"]
            counted = np.bincount(values.classes, weights=values.counts, minlength=len(labels))
            assert counted.tolist() == found.classes.sizes.tolist()
            assert values.distinct.tolist() == [
                len(naive.histogram(sample.records, expected[row])["s0"]) for row in labels
            ]


@given(samples(), st.integers(1, 4))
@settings(max_examples=30)
def test_other_models_do_not_notice_the_population(sample: Sample, k: int) -> None:
    """Combinations of the population alone are no classes, whatever the engine groups by."""
    for models in ([KAnonymity(k=k)], [KAnonymity(k=k), DistinctLDiversity(l=1, attribute="s0")]):
        beside = RollUp(sample.encoded, models)
        for node in naive.nodes(sample.low, sample.high):
            expected = naive.statistics(sample.records, node, [naive.at_least(k)])
            found = beside.check(node)
            for name in ("suppressed", "accepted_classes", "squares", "classes"):
                assert getattr(found, name)[0] == getattr(expected, name), (name, node)


# -- the optimum ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """A sample, models with the oracles for them, and a limit."""

    sample: Sample
    models: tuple[PrivacyModel, ...]
    judges: tuple[naive.Judge, ...]
    beside: naive.Beside
    presence: bool
    suppression: float

    def gone(self, node: naive.Node) -> set[int]:
        return naive.suppressed_beside(
            self.sample.records, self.sample.people, node, self.judges, self.beside, presence=self.presence
        )

    def best(self, key: str) -> tuple[naive.Number, int, int, naive.Node] | None:
        """Try every node."""
        n, found = len(self.sample.records), []
        limit = min(naive.limit_of(repr(self.suppression), n), n - 1)
        for node in naive.nodes(self.sample.low, self.sample.high):
            gone = self.gone(node)
            if len(gone) <= limit:
                loss = naive.LOSSES[key](self.sample.records, node, gone)
                found.append((loss, len(gone), sum(node), node))
        if not found:
            return None
        least = min(float(loss) for loss, *_ in found)
        return min((entry for entry in found if float(entry[0]) <= least * (1 + 1e-12)), key=lambda e: e[1:])


@st.composite
def problems(draw: st.DrawFn, kind: str) -> Problem:
    """The model alone or beside k-anonymity and diversity."""
    sample = draw(samples(bounded=draw(st.booleans())))
    n, everyone = len(sample.records), len(sample.people)
    model: PrivacyModel
    if kind == "k-map":
        k = draw(st.integers(1, min(6, everyone)))
        model, beside = KMap(k=k, population="-"), naive.mapped(k)
    else:
        low = draw(st.sampled_from([x for x in (0.0, 0.1, 0.2, 0.33, 0.5) if x * everyone <= n]))
        high = draw(st.sampled_from([x for x in (0.3, 0.5, 0.66, 0.8, 1.0) if n <= x * everyone]))
        model, beside = DeltaPresence(low=low, high=high, subset="-"), naive.present(low, high)
    least = draw(st.integers(1, min(3, n)))
    models, judges = (KAnonymity(k=least), model), (naive.at_least(least),)
    if draw(st.booleans()):
        values = draw(st.integers(1, min(2, sample.case.frame["s0"].n_unique())))
        models += (DistinctLDiversity(l=values, attribute="s0"),)
        judges += (naive.diverse(values, "s0"),)
    suppression = draw(st.sampled_from([0.0, 0.1, 0.29, 0.5, 1.0]))
    return Problem(sample, models, judges, beside, kind == "presence", suppression)


@pytest.mark.parametrize("key", LOSSES)
@pytest.mark.parametrize("kind", ["k-map", "presence"])
@given(st.data())
@settings(max_examples=30)
def test_the_same_node_as_trying_all(kind: str, key: str, data: st.DataObject) -> None:
    problem = data.draw(problems(kind))
    method, best = OptimalLattice(loss=key, suppression=problem.suppression), problem.best(key)
    if best is None:
        with pytest.raises(NoSolutionError):
            method.run(problem.sample.encoded, problem.models)
        return
    outcome = method.run(problem.sample.encoded, problem.models)
    loss, suppressed, _, node = best
    assert tuple(outcome.levels.values()) == node
    assert outcome.suppressed == suppressed
    assert math.isclose(outcome.loss, loss, rel_tol=1e-12, abs_tol=1e-13)


@pytest.mark.parametrize("outliers", ["mask", "remove"])
@pytest.mark.parametrize("kind", ["k-map", "presence"])
@given(st.data())
@settings(max_examples=25)
def test_what_is_published_holds(kind: str, outliers: str, data: st.DataObject) -> None:
    """Arrays inside the search, group-bys on what was published and on the population generalized alike."""
    problem = data.draw(problems(kind))
    sample, method = problem.sample, OptimalLattice(suppression=problem.suppression, outliers=outliers)  # type: ignore[arg-type]
    try:
        outcome = method.run(sample.encoded, problem.models, columns=sample.case.frame.columns)
    except NoSolutionError:
        return
    table = outcome.recoding.apply(sample.case.frame).table
    beside = Population.of(sample.population, outcome.recoding, sample.case.frame)
    groups = Groups(table, sample.case.schema.quasi, population=beside.cells, members=beside.members)
    assert all(model.holds(groups) for model in problem.models)
    # trees of uneven depth have rows of stars below their top, which nobody suppressed
    assert groups.suppressed == outcome.suppressed or groups.masked > outcome.suppressed


@given(st.data())
@settings(max_examples=25)
def test_a_sample_of_everyone_makes_k_map_k_anonymity(data: st.DataObject) -> None:
    case = data.draw(cases(max_records=20, bounded=data.draw(st.booleans())))
    k = data.draw(st.integers(1, min(5, case.frame.height)))
    method = OptimalLattice(suppression=data.draw(st.sampled_from([0.0, 0.1, 0.5])))
    beside = encode(case.frame, case.schema, case.frame[::-1])

    def found(table: EncodedTable, model: PrivacyModel) -> object:
        try:
            outcome = method.run(table, [model])
        except NoSolutionError as error:
            return str(error).replace("k-map", "").partition("satisfies")[0]
        return outcome.levels, outcome.loss, outcome.suppressed, sorted(outcome.recoding.layers[0].classes.tolist())

    assert found(beside, KMap(k=k, population="-")) == found(case.encoded, KAnonymity(k=k))


@given(samples(), st.integers(1, 5))
@settings(max_examples=25)
def test_a_higher_node_never_suppresses_more_for_k_map(sample: Sample, k: int) -> None:
    engine = RollUp(sample.encoded, [KMap(k=k, population="-")])
    found = {node: engine.check(node).suppressed[0] for node in naive.nodes(sample.low, sample.high)}
    for low, suppressed in found.items():
        assert all(found[high] <= suppressed for high in naive.nodes(low, sample.high))


def test_samarati_takes_k_map_and_refuses_presence() -> None:
    frame = pl.DataFrame({"a": ["x", "x", "y"]})
    encoded = encode(frame, Schema({"a": quasi()}), pl.DataFrame({"a": ["x", "x", "x", "y", "y", "z"]}))
    assert Samarati().run(encoded, [KMap(k=2, population="-")]).levels == {"a": 0}
    assert Samarati().run(encoded, [KMap(k=3, population="-")]).levels == {"a": 1}
    with pytest.raises(ParameterError, match="delta-presence"):
        Samarati().run(encoded, [DeltaPresence(low=0, high=0.9, subset="-")])
