"""The statistics office's toolbox: speed, and how many cells are suppressed beside the optimum and sdcMicro's way.

Costs are the CPU time of all threads for deciding and making the published table, from a table that is encoded and
kernels that are loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from nymity.core.draws import KeyedDraws
from nymity.core.progress import Observer, silent
from nymity.partition.exact_suppression import ExactSuppression
from nymity.partition.generalized_suppression import GeneralizedSuppression
from nymity.partition.outcome import GeneralizedOutcome, PartitionOutcome
from nymity.partition.row_suppression import SubsetSuppression, WildcardSuppression
from nymity.partition.suppression import CellSuppression, Suppression
from nymity.privacy import KAnonymity, PrivacyModel, SubsetKAnonymity, WildcardKAnonymity
from nymity.table.attribute import quasi
from nymity.table.encoding import EncodedTable, encode
from nymity.table.schema import Schema
from nymity.transforms import Microaggregation
from nymity_lab.bench import known_columns
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public
from nymity_lab.toolbox.local_suppression import local_suppression

PROVENANCE = (
    "targets are our own; sdcMicro's heuristic is rewritten from its description "
    "(nymity_lab.toolbox.local_suppression), and counts * as a wildcard"
)
_DRAWS = KeyedDraws.seeded(0)
_EIGHT = ("Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Birthplace", "Occupation")
#: Samples of so many records, drawn with these seeds; seconds for a proof of each.
_SAMPLE, _SEEDS, _SECONDS = 60, range(5), 60.0
#: Records of Adult on which sdcMicro's heuristic is run.
_BESIDE = 2000


def bench_toolbox(observe: Observer = silent) -> BenchResult:
    """Measure everything on Adult and the census; needs them under NYMITY_DATA."""
    return measured("toolbox", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    for rows, columns, target in ((30_000, 3, 8.0), (100_000, 5, 45.0)):
        yield _microaggregation(rows, columns, unit, target)
    adult, census = _adult(), public("acs").table.select(_EIGHT)
    for k in (3, 5):
        yield from _cost(CellSuppression(), [KAnonymity(k=k)], adult, f"adult, k={k}", unit, target=4)
    for k in (3, 5):
        yield from _generalized(k, unit)
    for k in (3, 5):
        yield from _cost(CellSuppression(), [KAnonymity(k=k)], census, f"census, k={k}", unit, target=110)
    yield from _cost(SubsetSuppression(), [SubsetKAnonymity(k=5, m=2)], adult, "adult, k=5, m=2", unit)
    yield from _cost(WildcardSuppression(), [WildcardKAnonymity(k=3)], adult, "adult, k=3", unit)
    yield from known_columns.lines(unit)
    for k in (3, 5):
        yield from _gaps(adult, k)
    for k in (3, 5):
        yield from _beside(adult, k)


def _microaggregation(rows: int, columns: int, unit: float, target: float) -> Line:
    """Measure MDAV on normal numbers, k = 3, with how much of their sum of squares the groups lose."""
    names = [f"x{i}" for i in range(columns)]
    table = pl.DataFrame(np.random.default_rng(0).normal(size=(rows, columns)).round(6), schema=names)
    one, made = Microaggregation(columns=tuple(names), k=3), list[Mapping[str, pl.Series]]()
    one.changed(table.head(20), _DRAWS, "warm-up")
    seconds = cpu_seconds(lambda: made.append(one.changed(table, _DRAWS, "bench")), repeat=1)
    lost = sum(float(((made[-1][name] - table[name]) ** 2).sum()) for name in names)
    whole = sum(float(((table[name] - table[name].mean()) ** 2).sum()) for name in names)
    note = f"SSE/SST {100 * lost / whole:.2f}%"
    return Line(
        name=f"microaggregation, {rows:,} x {columns}, k=3", value=seconds / unit, unit="G", target=target, note=note
    )


def _cost(
    method: Suppression,
    models: list[PrivacyModel],
    table: pl.DataFrame,
    data: str,
    unit: float,
    *,
    target: float | None = None,
) -> Iterator[Line]:
    encoded, found = _encoded(table), list[PartitionOutcome]()
    method.run(_encoded(table.head(200)), models, draws=_DRAWS)  # warm-up

    def work() -> None:
        found.append(method.run(encoded, models, draws=_DRAWS))
        found[-1].recoding.apply(table, draws=_DRAWS)

    seconds = cpu_seconds(work, repeat=3 if target == 4 else 1)
    loss, bound = found[-1].loss, found[-1].bound
    proved = "" if bound is None else f", at least {bound:,.0f} of any"
    note = f"{loss:,.0f} of {table.height * table.width:,} cells{proved}"
    yield Line(name=f"{method.key}, {data}", value=seconds / unit, unit="G", target=target, note=note)


def _generalized(k: int, unit: float) -> Iterator[Line]:
    """Measure what cells of Adult lose on levels that are stated, and on those that are searched for."""
    adult = public("adult")
    names = [name for name in adult.schema() if name != "salary-class"]
    schema = Schema({name: adult.schema()[name] for name in names})
    encoded = encode(adult.table.select(names), schema)
    stated = {"no column": dict.fromkeys(names, 0), "age on 2": {**dict.fromkeys(names, 0), "age": 2}}
    ways = {**{f"{what}, stated": levels for what, levels in stated.items()}, "searched": {}}
    for what, levels in ways.items():
        found, method = list[GeneralizedOutcome](), GeneralizedSuppression(levels=levels)

        def work(method: GeneralizedSuppression = method, found: list[GeneralizedOutcome] = found) -> None:
            outcome = method.run(encoded, [KAnonymity(k=k)], draws=_DRAWS)
            assert isinstance(outcome, GeneralizedOutcome)
            found.append(outcome)

        seconds, outcome = cpu_seconds(work, repeat=1), found[-1]
        raised = ", ".join(f"{name} on {level}" for name, level in outcome.levels.items() if level)
        proof = f"; {'exhaustive' if outcome.exhaustive else outcome.stopped}" if what == "searched" else ""
        note = f"{outcome.loss:,.0f} of {len(names) * encoded.n_records:,} cells lost ({raised or 'raw values'}{proof})"
        yield Line(
            name=f"generalized-suppression, adult, k={k}, levels: {what}", value=seconds / unit, unit="G", note=note
        )


def _gaps(table: pl.DataFrame, k: int) -> Iterator[Line]:
    """Compare the heuristic with what is proved on small samples: the worst of them, and each in the note."""
    gaps, told, proved = [], [], 0
    for seed in _SEEDS:
        sample = _encoded(table.sample(_SAMPLE, seed=seed))
        found = CellSuppression().run(sample, [KAnonymity(k=k)], draws=_DRAWS).loss
        best = ExactSuppression(seconds=_SECONDS).run(sample, [KAnonymity(k=k)], draws=_DRAWS)
        least = best.loss if best.optimal else best.bound
        assert least is not None
        gaps.append(found / least - 1)
        told.append(f"{found:.0f}/{least:.0f}" + ("" if best.optimal else " (a bound)"))
        proved += best.optimal
    name = f"cell-suppression, adult, {_SAMPLE} records, k={k}: worst above the optimum"
    note = f"{', '.join(told)}; {proved} of {len(gaps)} proved within {_SECONDS:.0f} s"
    yield Line(name=name, value=100 * max(gaps), unit="%", target=15, note=note)


def _beside(table: pl.DataFrame, k: int) -> Iterator[Line]:
    """Compare with sdcMicro's heuristic, in both readings of a suppressed cell."""
    sample = _encoded(table.sample(_BESIDE, seed=0))
    codes = np.repeat(sample.combinations.astype(np.int64), sample.counts, axis=0)
    ways: tuple[tuple[Suppression, PrivacyModel, bool], ...] = (
        (WildcardSuppression(), WildcardKAnonymity(k=k), True),
        (CellSuppression(), KAnonymity(k=k), False),
    )
    for method, model, wildcard in ways:
        theirs = int(local_suppression(codes, k, wildcard=wildcard).sum())
        ours = method.run(sample, [model], draws=_DRAWS).loss
        reading = "a wildcard" if wildcard else "a value"
        name = f"{method.key}, adult, {_BESIDE:,} records, k={k}: cells, * as {reading}"
        yield Line(name=name, value=ours, unit="cells", target=theirs, reference=theirs)


def _adult() -> pl.DataFrame:
    adult = public("adult")
    return adult.table.select([name for name in adult.schema() if name != "salary-class"])


def _encoded(table: pl.DataFrame) -> EncodedTable:
    return encode(table, Schema(dict.fromkeys(table.columns, quasi())))
