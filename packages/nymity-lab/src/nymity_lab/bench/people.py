"""What it costs to count persons in place of records, on a generated table of visits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial

import numpy as np
import polars as pl

import nymity as ny
from nymity.core.progress import Observer, silent
from nymity.core.validation import one_of
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Space
from nymity.privacy import PrivacyModel
from nymity.privacy.links import PersonRows
from nymity.table.attribute import identifying, items, person, quasi, sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.schema import Schema
from nymity_lab.bench.measuring import in_new_process, measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds

PROVENANCE = (
    "generated visits: a million records of 200,000 persons with 1 to 60 each, 8 quasi-identifiers, 36,000 nodes; "
    "targets are those set for persons, by records 5, 11 and 12 G were seen"
)
RECORDS = 1_000_000
_K = ny.KAnonymity(k=5)
#: What a process of its own does to publish the visits; it prints the most memory that it had.
_PUBLISHING = """
import nymity as ny
from nymity_lab.bench.measuring import peak_megabytes
from nymity_lab.bench.people import RECORDS, visits, visits_schema
method = ny.OptimalLattice(suppression=0.05)
ny.publish(visits(RECORDS), visits_schema(by_persons=True), privacy=[ny.KAnonymity(k=5)], method=method)
print(peak_megabytes())
"""
#: Most G of a search with persons, by suppression limit.
_SEARCHES = {0.0: 12, 0.05: 22, 1.0: 25}
#: Widths and numbers of the levels of intervals, and the levels that leave about 140,000 combinations.
_LEVELS = {"age": (5, 5), "zip": (10, 5), "nationality": (2, 4), "month": (2, 4), "ward": (2, 4)}
_COARSE = {"age": 2, "zip": 4, "nationality": 4, "month": 3, "ward": 2}


def bench_people(observe: Observer = silent, only: str | None = None) -> BenchResult:
    """Measure searches by records and by persons, Mondrian, measuring, a whole publish and more; ``only`` one part."""
    if only is not None:
        one_of("bench people: only", only, PARTS)
    chosen = [part for name, part in PARTS.items() if only in (None, name)]
    table = Visits()
    return measured("people", PROVENANCE, lambda unit: (line for part in chosen for line in part(table, unit)), observe)


class Visits:
    """The generated table, and what methods make of it; all parts share it."""

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The visits."""
        return visits(RECORDS)

    @cached_property
    def persons(self) -> EncodedTable:
        """The same, encoded with the persons that they are of."""
        return encode(self.frame, visits_schema(by_persons=True))


def visits(records: int, seed: int = 7) -> pl.DataFrame:
    """Generate visits: what is the person's is the same in all records of a person."""
    drawn, persons = np.random.default_rng(seed), records // 5
    who = np.repeat(np.arange(persons), np.minimum(60, drawn.geometric(0.2, persons)))[:records]
    own = {"age": 90, "sex": 2, "zip": 1000, "marital": 5, "nationality": 30}
    others = {"month": 24, "ward": 20, "arrival": 4, "diagnosis": 40}
    columns = {name: drawn.integers(0, size, persons)[who] for name, size in own.items()}
    columns |= {name: drawn.integers(0, size, len(who)) for name, size in others.items()}
    return pl.DataFrame({"person": who, **columns})


def coarse_visits(table: pl.DataFrame) -> pl.DataFrame:
    """Put the values of intervals in place of all that they stand for."""
    widths = {name: _LEVELS[name][0] << (level - 1) for name, level in _COARSE.items()}
    return table.with_columns(pl.col(name) // width * width for name, width in widths.items())


def visits_schema(*, by_persons: bool, coarse: bool = False) -> Schema:
    """Return the roles of the generated columns, or of coarse ones with the levels that are left."""
    levels = {name: (w << _COARSE[name], n - _COARSE[name]) if coarse else (w, n) for name, (w, n) in _LEVELS.items()}
    hierarchies = {name: ny.Hierarchy.intervals(width=width, levels=n) for name, (width, n) in levels.items() if n}
    names = ("age", "sex", "zip", "marital", "nationality", "month", "ward", "arrival")
    return Schema(
        {
            "person": person() if by_persons else identifying(),
            **{name: quasi(hierarchies.get(name)) for name in names},
            "diagnosis": sensitive(),
        }
    )


def _searches(table: Visits, unit: float) -> Iterator[Line]:
    records = encode(table.frame, visits_schema(by_persons=False))
    for limit, most in _SEARCHES.items():
        yield _search(records, [_K], unit, f"by records, {limit:.0%}", limit)
        yield _search(table.persons, [_K], unit, f"by persons, {limit:.0%}", limit, most)
    coarse = encode(coarse_visits(table.frame), visits_schema(by_persons=True, coarse=True))
    for limit in _SEARCHES:
        yield _search(coarse, [_K], unit, f"by persons of {len(coarse.counts):,} combinations, {limit:.0%}", limit, 1)
    shares = [ny.AlphaKAnonymity(alpha=0.5, k=5, attribute="diagnosis")]
    yield _search(table.persons, shares, unit, "(0.5, 5)-anonymity by persons, 5%", 0.05, 70)


def _whole(table: Visits, unit: float) -> Iterator[Line]:
    """Divide, publish, check and measure."""
    schema = visits_schema(by_persons=True)
    publish = partial(ny.publish, table.frame, schema, privacy=[_K], method=ny.OptimalLattice(suppression=0.05))
    yield _cost("mondrian by persons", unit, 22, partial(ny.Mondrian().run, table.persons, [_K]))
    release = publish()
    yield _cost("check of a release, with the original", unit, 12, partial(ny.check, release, original=table.frame))
    yield _cost("measure by persons", unit, 12, partial(ny.measure, table.frame, schema))
    yield _cost("publish by persons", unit, 60, publish)
    yield Line(name="memory of a publish by persons", value=float(in_new_process(_PUBLISHING)), unit="MB", target=1500)


def _linked(table: Visits, unit: float) -> Iterator[Line]:
    """Decide k^2 and k^3 of linked rows at the levels of a solution, and search for one by k^2."""
    persons = table.persons
    links = [ny.LinkedKAnonymity(k=5, knows=knows) for knows in (2, 3)]
    search = partial(ny.OptimalLattice(suppression=0.05).run, persons, links[:1])
    outcome = search()
    classes = RollUp(persons, links[:1]).classes(tuple(outcome.levels.values())).classes
    assert classes.persons is not None
    rows = PersonRows.of(classes.persons)
    for links_known, most in ((2, 4), (3, 15)):
        yield _cost(f"k^{links_known} of linked rows", unit, most, partial(rows.kept, 5, links_known))
    yield _cost("search by k^2, 5%", unit, 400, search)


def _sets(_: Visits, unit: float) -> Iterator[Line]:
    """Publish 100,000 sets of some of 400 items, frequent and rare ones, in 20 groups."""
    drawn, n = np.random.default_rng(7), 100_000
    number = np.minimum(399, drawn.zipf(1.3, (n, 6)) - 1)
    sizes = drawn.integers(1, 7, n)
    cells = [";".join({f"i{item}" for item in row[:size]}) for row, size in zip(number, sizes, strict=True)]
    table = pl.DataFrame({"sex": drawn.integers(0, 2, n), "items": cells})
    tree = ny.Hierarchy.from_rows([[f"i{item}", f"g{item // 20}", "*"] for item in range(400)])
    schema = Schema({"sex": quasi(), "items": items(tree)})
    for m in (1, 2, 3):
        work = partial(ny.publish, table, schema, privacy=[ny.KMAnonymity(k=5, m=m)])
        loss = work().log.figures["items"]["loss"]
        yield Line(
            name=f"publish sets of items, m = {m}", value=cpu_seconds(work) / unit, unit="G", note=f"NCP {loss:.3f}"
        )


def _private(_: Visits, __: float) -> Iterator[Line]:
    """Publish 20,000 persons with few visits each privately, so many records of each taking part; means of three."""
    drawn, n = np.random.default_rng(7), 20_000
    who = np.repeat(np.arange(n), np.minimum(12, drawn.geometric(1 / 3, n)))
    table = pl.DataFrame({"who": who, "age": drawn.integers(20, 90, n)[who], "ward": drawn.integers(0, 6, len(who))})
    ages = ny.Hierarchy.intervals(width=5, levels=4).build(pl.Series(range(100)))
    wards = ny.Hierarchy.flat([str(ward) for ward in range(6)])
    schema = Schema(
        {"who": person(missing="drop"), "age": quasi(ages, missing="drop"), "ward": quasi(wards, missing="drop")}
    )
    for epsilon in (1.0, 2.0):
        for most in (1, 2, 3, 4, 5):
            promise = ny.DifferentialPrivacy(epsilon=epsilon, public_records=100_000, records_per_person=most)
            made = [ny.publish(table, schema, privacy=promise, method=ny.SafePub()).frame.height for _ in range(3)]
            name = f"rows of {len(who):,} published, epsilon {epsilon:g}, {most} of each person"
            yield Line(
                name=name, value=sum(made) / 3, unit="rows", note=f"beta {float(promise.beta):.3f}, k {promise.k}"
            )


def _search(
    table: EncodedTable, models: Sequence[PrivacyModel], unit: float, name: str, limit: float, most: float | None = None
) -> Line:
    search = partial(ny.OptimalLattice(suppression=limit).run, table, models)
    outcome = search()  # warm-up
    note = f"{outcome.checks:,} of {Space.of(table).size:,} nodes, loss {outcome.loss:.4f}"
    return Line(name=f"search {name}", value=cpu_seconds(search) / unit, unit="G", target=most, note=note)


def _cost(name: str, unit: float, most: float, work: Callable[[], object]) -> Line:
    return Line(name=name, value=cpu_seconds(work, repeat=1) / unit, unit="G", target=most)


#: The parts, each of which can be measured alone.
PARTS: dict[str, Callable[[Visits, float], Iterator[Line]]] = {
    "searches": _searches,
    "whole": _whole,
    "linked": _linked,
    "sets": _sets,
    "private": _private,
}
