"""Tables of persons beside a population of persons, or of records: every node and the optimum by the definitions.

k-map: the persons of the population in every class are at least k. Delta-presence: the persons of the release in a
class are a share of those of the population from low to high, and so are those with a record outside of all classes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.lattice.rollup import RollUp
from nymity.privacy import Groups, PrivacyModel
from nymity.publishing.jobs.job_tables import Population
from nymity.table.encoding import EncodedTable, encode
from nymity.table.recoding import Outliers
from nymity.table.schema import Schema
from strategies import Case, cases

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Sample:
    """Rows of quasi-identifiers with who they are of, here and in the population; nobody knows who where ``told`` is
    False.
    """

    case: Case
    here: list[tuple[Row, str]]
    there: list[tuple[Row, str]]
    told: bool

    @property
    def population(self) -> pl.DataFrame:
        names = self.case.schema.quasi
        frame = pl.DataFrame([row for row, _ in self.there], schema=dict.fromkeys(names, pl.String), orient="row")
        return frame.with_columns(pl.Series("who", [who for _, who in self.there])) if self.told else frame

    @property
    def encoded(self) -> EncodedTable:
        return encode(self.case.frame, self.case.schema, self.population)

    def people(self, rows: Iterable[int]) -> int:
        """Persons of the population with one of these rows, or as many as rows."""
        return len({self.there[r][1] for r in rows}) if self.told else len(list(rows))

    def members(self, rows: Iterable[int]) -> int:
        return len({self.here[r][1] for r in rows})


@st.composite
def samples(draw: st.DrawFn, **options: Any) -> Sample:
    case = draw(cases(max_attributes=2, max_records=9, uneven=draw(st.booleans()), **options))
    names, told = case.schema.quasi, draw(st.booleans())
    who = draw(st.lists(st.sampled_from("abcd"), min_size=case.frame.height, max_size=case.frame.height))
    here = list(zip(case.frame.select(names).rows(), who, strict=True))
    likes = st.sampled_from([row for row, _ in here]) | st.tuples(
        *(st.sampled_from(h.values) for h in case.hierarchies)
    )
    others = draw(st.lists(st.tuples(likes, st.sampled_from("abcdefgh")), max_size=10))
    # whoever is here is there, with five visits or one
    there = draw(st.permutations([*sorted(set(here), key=repr), *others]))
    frame = case.frame.with_columns(pl.Series("who", who))
    return Sample(Case(frame, Schema({**case.schema, "who": ny.person()}), case.hierarchies), here, there, told)


def classes(sample: Sample, rows: list[tuple[Row, str]], node: naive.Node) -> dict[Row, list[int]]:
    records = naive.Records(rows=[row for row, _ in rows], hierarchies=sample.encoded.hierarchies)
    return naive.classes(records, node)


@dataclass(frozen=True)
class Problem:
    """A sample, and one promise as numbers: k of a k-map, or the bounds of presence."""

    sample: Sample
    model: PrivacyModel

    def accepts(self, members: int, people: int) -> bool:
        if isinstance(self.model, ny.KMap):
            return people >= self.model.k
        assert isinstance(self.model, ny.DeltaPresence)
        low, high = Fraction(str(self.model.low)), Fraction(str(self.model.high))
        return low * people <= members <= high * people

    def gone(self, node: naive.Node) -> set[int]:
        """The records that are suppressed; as one class, removed where that is refused."""
        sample = self.sample
        found, beside = classes(sample, sample.here, node), classes(sample, sample.there, node)
        kept = {
            row: (sample.members(members), sample.people(beside[row]))
            for row, members in found.items()
            if self.accepts(sample.members(members), sample.people(beside[row]))
        }
        while isinstance(self.model, ny.DeltaPresence) and kept:
            members, people = self._outside(found, beside, kept)
            if self.accepts(members, people):
                break
            rising = members < Fraction(str(self.model.low)) * people
            left = sorted(kept.items(), key=lambda part: (Fraction(*part[1]) * (-1 if rising else 1), part[1][0]))
            while left and not self.accepts(*self._outside(found, beside, dict(left))):
                left = [part for part in left if part[1] != left[0][1]]  # those like it, too
            kept = dict(left)
        return {record for row, members in found.items() if row not in kept for record in members}

    def _outside(
        self, found: dict[Row, list[int]], beside: dict[Row, list[int]], kept: dict[Row, Any]
    ) -> tuple[int, int]:
        members = [r for row, inside in found.items() if row not in kept for r in inside]
        people = [r for row, inside in beside.items() if row not in kept for r in inside]
        return self.sample.members(members), self.sample.people(people)


@st.composite
def problems(draw: st.DrawFn, kind: str, **options: Any) -> Problem:
    sample = draw(samples(**options))
    if kind == "k-map":
        k = draw(st.integers(1, min(5, sample.people(range(len(sample.there))))))
        return Problem(sample, ny.KMap(k=k, population="-"))
    low, high = draw(st.sampled_from([(0, 0.5), (0, 0.8), (0.2, 0.7), (0.25, 1), (0.5, 0.5), (0.1, 0.9), (0, 1)]))
    return Problem(sample, ny.DeltaPresence(low=low, high=high, subset="-"))


@pytest.mark.parametrize("kind", ["k-map", "presence"])
@given(data=st.data())
@settings(max_examples=200)
def test_every_node_and_the_optimum_are_those_of_the_definition(kind: str, data: st.DataObject) -> None:
    problem = data.draw(problems(kind, bounded=data.draw(st.booleans())))
    sample = problem.sample
    encoded, n = sample.encoded, len(sample.here)
    engine = RollUp(encoded, [problem.model])
    gone = {}
    for node in naive.nodes(encoded.min_levels, encoded.max_levels):
        gone[node] = len(problem.gone(node))
        assert int(engine.check(node).suppressed[0]) == gone[node]
    suppression = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    method = ny.OptimalLattice(suppression=suppression)
    solutions = [node for node in gone if gone[node] <= naive.limit_of(repr(suppression), n) and gone[node] < n]
    if not solutions:
        with pytest.raises(ny.NoSolutionError):
            method.run(encoded, [problem.model])
        return
    found = method.run(encoded, [problem.model])
    records = naive.Records([row for row, _ in sample.here], encoded.hierarchies, weights=encoded.weights)
    losses = {node: float(naive.compared(records, node, problem.gone(node), "loss")[0]) for node in solutions}
    assert found.loss == pytest.approx(min(losses.values()), abs=1e-12)
    assert found.suppressed == gone[tuple(found.levels.values())]


@pytest.mark.parametrize("outliers", ["mask", "remove"])
@pytest.mark.parametrize("kind", ["k-map", "presence"])
@given(data=st.data())
@settings(max_examples=60)
def test_what_is_published_holds(kind: str, outliers: Outliers, data: st.DataObject) -> None:
    """Arrays inside the search, group-bys on what was published and on the population generalized alike."""
    problem = data.draw(problems(kind))
    sample, frame = problem.sample, problem.sample.case.frame
    method = ny.OptimalLattice(suppression=data.draw(st.sampled_from([0.0, 0.5])), outliers=outliers)
    try:
        outcome = method.run(sample.encoded, [problem.model], columns=sample.case.schema.quasi)
    except ny.NoSolutionError:
        return
    recoded = outcome.recoding.apply(frame)
    beside = Population.of(sample.population, outcome.recoding, frame, "who")
    groups = Groups(
        recoded.table,
        sample.case.schema.quasi,
        population=beside.cells,
        members=beside.members,
        people=beside.people,
        persons=frame["who"][recoded.source_rows],
        owners=beside.owners,
    )
    assert problem.model.holds(groups)


@given(st.data())
@settings(max_examples=60)
def test_searches_by_solutions_above_solutions_take_k_map(data: st.DataObject) -> None:
    problem = data.draw(problems("k-map"))
    encoded = problem.sample.encoded
    engine = RollUp(encoded, [problem.model])
    gone = {n: int(engine.check(n).suppressed[0]) for n in naive.nodes(encoded.min_levels, encoded.max_levels)}
    for node, suppressed in gone.items():
        above = [gone[other] for other in gone if all(a >= b for a, b in zip(other, node, strict=True))]
        assert max(above) == suppressed
    for method in (ny.OLA(), ny.Samarati()):
        try:
            assert method.run(encoded, [problem.model]).suppressed == 0
        except ny.NoSolutionError:
            assert min(gone.values()) > 0


def test_shares_of_the_population_are_no_mixtures() -> None:
    """Half of each class is in the release, of both together two of three: a and c are in one class each, b in both."""
    schema = Schema({"q": ny.quasi(), "who": ny.person()})
    subset = pl.DataFrame({"q": ["1", "2"], "who": ["a", "c"]})
    everyone = pl.DataFrame({"q": ["1", "1", "2", "2"], "who": ["a", "b", "c", "b"]})
    engine = RollUp(encode(subset, schema, everyone), [ny.DeltaPresence(low=0, high=0.5, subset="-")])
    assert [int(engine.check((level,)).suppressed[0]) for level in (0, 1)] == [0, 2]


def test_persons_who_are_not_in_the_population_are_refused() -> None:
    schema = Schema({"q": ny.quasi(), "who": ny.person()})
    table = pl.DataFrame({"q": ["1"] * 5 + ["2"], "who": ["a"] * 5 + ["b"]})
    model = ny.KMap(k=1, population="-")
    register = pl.DataFrame({"q": ["1", "2"]})  # five visits of one person are one of a register
    model.check(encode(table, schema, register))
    with pytest.raises(ny.NymityError, match="every person of the source in the population, as a record"):
        model.check(encode(table, schema, register[:1]))
    told = register.with_columns(pl.Series("who", ["a", "b"]))
    model.check(encode(table, schema, told))
    for other in (["b", "a"], ["a", "x"]):
        with pytest.raises(ny.NymityError, match=r"(1|2) of 2"):
            model.check(encode(table, schema, told.with_columns(pl.Series("who", other))))
    with pytest.raises(ny.NymityError, match="at most 2, the number of persons of the population"):
        ny.KMap(k=3, population="-").check(encode(table, schema, pl.concat([told, told])))
