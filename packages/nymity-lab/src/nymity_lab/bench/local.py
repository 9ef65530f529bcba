"""Local recoding: speed and loss beside what users would pick instead.

Costs are the CPU time of all threads for deciding the classes and making the published table, from a table that is
encoded and kernels that are loaded, median of five. GCP is the mean over all cells of the normalized certainty penalty.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from nymity.core.draws import KeyedDraws
from nymity.core.progress import Observer, silent
from nymity.partition.exact import ExactPartition
from nymity.partition.freeform import Freeform, FreeformGreedy, FreeformSortGreedy
from nymity.partition.greedy_search import GreedySearch
from nymity.partition.k_member import KMember
from nymity.partition.method import PartitionMethod
from nymity.partition.mondrian import Mondrian
from nymity.partition.outcome import PartitionOutcome
from nymity.partition.refine import Refine
from nymity.partition.sorted_groups import SortedGroups
from nymity.partition.split_carry import SplitCarry
from nymity.privacy import DistinctLDiversity, Groups, KAnonymity, KMatching, PrivacyModel, TCloseness
from nymity.privacy.consistency import Originals
from nymity.publishing.comparing.compare import compare
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from nymity.utility import Released
from nymity_lab.bench.measuring import in_new_process, measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public

PROVENANCE = (
    "anonypy and anonypyx (Mondrian, k=5) on Adult with eight quasi-identifiers: GCP 0.0463, 100 and 117 CPU seconds; "
    "ARX local recoding 0.1911 in 3.6 to 4.5 s; exact full-domain optimum 0.3098"
)

#: Figures are to be repeated.
_DRAWS = KeyedDraws.seeded(0)
_K = KAnonymity(k=5)
_BESIDE_K: tuple[tuple[PrivacyModel, str], ...] = (
    (DistinctLDiversity(l=2, attribute="salary-class"), "2 distinct values"),
    (TCloseness(t=0.2, attribute="salary-class"), "0.2-closeness"),
)
_EIGHT = ("Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Birthplace", "Occupation")


def bench_local(observe: Observer = silent) -> BenchResult:
    """Measure everything on Adult, the census and FARS; needs them under NYMITY_DATA."""
    return measured("local", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    yield from _adult(Mondrian(), [_K], "Mondrian", unit, cost=0.4, gcp=0.0463)
    yield from _adult(Mondrian(choose="gain"), [_K], "Mondrian by gain", unit, gcp=0.0463)
    for cuts in (Mondrian(cuts="relaxed"), Mondrian(cuts="relaxed", choose="gain")):
        yield from _adult(cuts, [_K], f"Mondrian, relaxed, {cuts.choose}", unit)
    yield from _adult(Mondrian(cells="hierarchy", choose="gain"), [_K], "Mondrian on nodes, by gain", unit)
    for method in (SortedGroups(), GreedySearch(), KMember(), Refine()):
        yield from _adult(method, [_K], method.key, unit, gcp=0.0463)
    for model, name in _BESIDE_K:
        yield from _adult(Mondrian(), [_K, model], f"Mondrian, k=5 and {name}", unit, cost=1.2)
        yield from _adult(Mondrian(choose="gain"), [_K, model], f"Mondrian by gain, k=5 and {name}", unit)
    census = public("acs").table
    yield from _numbers(Mondrian(), "census", census.select(_EIGHT), 10, unit, cost=12)
    yield _census_memory()
    for grown in (GreedySearch(), KMember()):
        yield from _numbers(grown, "census", census.select(_EIGHT).head(20_000), 10, unit, cost=48)
        yield from _numbers(grown, "census", census.select(_EIGHT[:4]).head(100_000), 3, unit, cost=320)
    yield from _numbers(SplitCarry(sets=3), "census", census.select(_EIGHT[:4]).head(100_000), 3, unit, cost=480)
    fars = public("fars").table
    yield from _numbers(Mondrian(), "fars", fars, 10, unit)
    for grown in (GreedySearch(), KMember()):
        yield from _numbers(grown, "fars", fars.head(20_000), 10, unit)
    for freeform in (FreeformGreedy(), FreeformSortGreedy()):
        yield from _freeform(freeform, unit)
    yield _exact(unit)


def _freeform(method: Freeform, unit: float) -> Iterator[Line]:
    """Measure a freeform method on Adult, which promises 5-matching and not 5-anonymity, and verifying its result."""
    adult, models = public("adult"), [KMatching(k=5)]
    schema, columns = _adult_schema(), adult.table.columns
    method.run(encode(adult.table.head(200), schema), models)  # warm-up
    table, found = encode(adult.table, schema), list[PartitionOutcome]()
    seconds = cpu_seconds(lambda: found.append(method.run(table, models, columns=columns, draws=_DRAWS)), repeat=1)
    recoding = found[0].recoding
    frame, name = recoding.apply(adult.table, draws=_DRAWS).table, f"{method.key}, adult, 8 attributes"
    gcp = compare(adult.table, Released(frame=frame, schema=schema, recoding=recoding)).value("gcp")
    originals = Originals.of(adult.table, recoding)

    def verify() -> None:
        assert Groups(frame, schema.quasi, originals=originals).consistency.largest >= 5

    verify()  # warm-up
    yield Line(name=name, value=seconds / unit, unit="G", target=None, note=f"{found[0].classes:,} different rows")
    yield Line(name=f"{name}: GCP", value=gcp, unit="", target=None, note="5-matching, not 5-anonymity")
    yield Line(name=f"{name}: verifying", value=cpu_seconds(verify, repeat=3) / unit, unit="G", target=None)


def _exact(unit: float) -> Line:
    """Prove the optimum of a hundred records that lie evenly over the census."""
    table = public("acs").table.select(_EIGHT).gather_every(6_658).head(100)
    encoded, method = encode(table, Schema(dict.fromkeys(_EIGHT, quasi()))), ExactPartition(seconds=600)
    found: list[PartitionOutcome] = []
    method.run(encoded, [KAnonymity(k=3)])  # warm-up
    seconds = cpu_seconds(lambda: found.append(method.run(encoded, [KAnonymity(k=3)], draws=_DRAWS)), repeat=1)
    proof = "proved optimal" if found[0].optimal else f"gap {found[0].gap:.2%}"
    note = f"loss {found[0].loss:.4f}, {proof}, {seconds / unit:.1f} G"
    return Line(name="exact-partition, census, 100 x 8, k=3", value=seconds, unit="s", target=600, note=note)


def _numbers(
    method: PartitionMethod, data: str, table: pl.DataFrame, k: int, unit: float, *, cost: float | None = None
) -> Iterator[Line]:
    """Measure a method on a table of numbers."""
    schema, models = Schema(dict.fromkeys(table.columns, quasi())), [KAnonymity(k=k)]
    encoded = encode(table, schema)
    method.run(encode(table.head(500), schema), models)  # warm-up
    found: list[PartitionOutcome] = []

    def work() -> None:
        found.append(method.run(encoded, models, draws=_DRAWS))
        found[-1].recoding.apply(table, draws=_DRAWS)

    seconds = cpu_seconds(work, repeat=1)
    outcome = found[-1]
    note = f"{outcome.classes:,} classes, loss {outcome.loss:,.2f}, {seconds:.1f} s"
    name = f"{method.key}, {data}, {table.height:,} x {table.width}, k={k}"
    yield Line(name=name, value=seconds / unit, unit="G", target=cost, note=note)


def _census_memory() -> Line:
    """Measure a process that does nothing else than the whole census."""
    code = f"""
from nymity_lab.bench.measuring import peak_megabytes
from nymity_lab.datasets import public
from nymity.partition.mondrian import Mondrian
from nymity.privacy import KAnonymity
from nymity.table.encoding import encode
from nymity.table.attribute import quasi
from nymity.table.schema import Schema
table = public("acs").table.select({_EIGHT})
Mondrian().run(encode(table, Schema(dict.fromkeys(table.columns, quasi()))), [KAnonymity(k=10)]).recoding.apply(table)
print(peak_megabytes())
"""
    peak = float(in_new_process(code))
    return Line(name="mondrian, census: peak memory of the process", value=peak, unit="MB", target=2000)


def _adult(
    method: PartitionMethod,
    models: list[PrivacyModel],
    name: str,
    unit: float,
    *,
    cost: float | None = None,
    gcp: float | None = None,
) -> Iterator[Line]:
    adult = public("adult")
    schema, columns = _adult_schema(), adult.table.columns
    table = encode(adult.table, schema)

    def work() -> None:
        method.run(table, models, columns=columns, draws=_DRAWS).recoding.apply(adult.table, draws=_DRAWS)

    work()  # warm-up
    release = publish(adult.table, schema, privacy=models, method=method, seed=0)
    found = compare(adult.table, release).value("gcp")
    note = f"{release.verification.classes:,} classes"
    yield Line(name=f"{name}, adult, 8 attributes", value=cpu_seconds(work) / unit, unit="G", target=cost, note=note)
    yield Line(name=f"{name}, adult, 8 attributes: GCP", value=found, unit="", target=gcp, reference=0.0463)


def _adult_schema() -> Schema:
    """Return Adult with eight quasi-identifiers and a sensitive salary."""
    return Schema({n: sensitive() if n == "salary-class" else a for n, a in public("adult").schema().items()})
