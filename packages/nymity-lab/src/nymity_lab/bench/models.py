"""What further privacy models cost beside k-anonymity alone, and local recoding beside ARX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from nymity.core.errors import NoSolutionError
from nymity.core.progress import Observer, silent
from nymity.lattice.iterative import IterativeRecoding
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import (
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveDiversity,
    TCloseness,
)
from nymity.table.attribute import sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.schema import Schema
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public

PROVENANCE = (
    "ARX 3.9.2, OpenJDK 17, local recoding on Adult, warm, two shared cores: GCP 0.1911 in 3.6 to 4.5 CPU seconds "
    "(eight quasi-identifiers), geometric Loss 0.058 in 28 G (nine), 0.0531 in 110 G with steps of 0.1%; "
    "searches with models of occupation: CPU time of its one search thread"
)

_K = KAnonymity(k=5)
#: (model of occupation beside k = 5, at most so many times the cost of k = 5 alone)
_BESIDE_K: tuple[tuple[str, PrivacyModel, float | None], ...] = (
    ("3 distinct values", DistinctLDiversity(l=3, attribute="occupation"), 3),
    ("entropy 3-diversity", EntropyLDiversity(l=3, attribute="occupation"), 3),
    ("recursive (3, 3)-diversity", RecursiveDiversity(c=3, l=3, attribute="occupation"), 3),
    ("frequency 3-diversity", FrequencyLDiversity(l=3, attribute="occupation"), None),
    ("0.2-closeness", TCloseness(t=0.2, attribute="occupation"), 5),
)
#: (name, model of occupation, {suppression limit: ARX in G}); k = 5 beside it, geometric Loss. ARX's delta-disclosure
#: takes another logarithm: only its cost compares.
_BESIDE_ARX: tuple[tuple[str, Callable[[], PrivacyModel], dict[float, float]], ...] = (
    ("2 distinct values", partial(DistinctLDiversity, l=2, attribute="occupation"), {0.05: 2.4}),
    ("3 distinct values", partial(DistinctLDiversity, l=3, attribute="occupation"), {0.05: 2.3}),
    ("4 distinct values", partial(DistinctLDiversity, l=4, attribute="occupation"), {0.05: 2.7}),
    ("5 distinct values", partial(DistinctLDiversity, l=5, attribute="occupation"), {0.05: 2.7}),
    ("entropy 3-diversity", partial(EntropyLDiversity, l=3, attribute="occupation"), {0.05: 3.1}),
    ("recursive (4, 3)-diversity", partial(RecursiveDiversity, c=4, l=3, attribute="occupation"), {0.05: 3.1}),
    ("0.2-closeness", partial(TCloseness, t=0.2, attribute="occupation"), {0.0: 0.05, 0.05: 5.3, 1.0: 10.5}),
    ("2-likeness", partial(BetaLikeness, beta=2, attribute="occupation"), {0.05: 5.2, 1.0: 10}),
    ("enhanced 2-likeness", partial(EnhancedBetaLikeness, beta=2, attribute="occupation"), {0.05: 5.3, 1.0: 10.6}),
    ("1-disclosure", partial(DeltaDisclosure, delta=1, attribute="occupation"), {0.05: 5.4, 1.0: 10.8}),
)


def bench_models(observe: Observer = silent) -> BenchResult:
    """Measure everything on Adult; needs it under NYMITY_DATA."""
    return measured("models", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    yield from _beside_k(_adult("occupation"), unit)
    yield from _beside_arx(_adult("occupation"), unit)
    yield from _local(_adult("salary-class"), "gcp", unit, target=0.15, reference=0.1911)
    yield from _local(_adult(None), "loss-geometric", unit, target=None, reference=0.058)
    yield from _local(_adult(None), "loss-geometric", unit, target=0.0531, reference=0.0531, share=0.0003)


def _beside_k(table: EncodedTable, unit: float) -> Iterator[Line]:
    method = OptimalLattice(suppression=0.05)
    alone = cpu_seconds(lambda: method.run(table, [_K]))
    yield Line(name="search adult, 8 attributes, k=5, 5% suppression", value=alone / unit, unit="G")
    for name, model, most in _BESIDE_K:
        outcome = method.run(table, [_K, model])  # warm-up
        alone = cpu_seconds(lambda: method.run(table, [_K]))  # again: the machine may be busier now
        cost = cpu_seconds(lambda model=model: method.run(table, [_K, model]))  # type: ignore[misc]
        note = f"{outcome.checks:,} checks, loss {outcome.loss:.4f}, {outcome.suppressed:,} suppressed"
        yield Line(name=f"k=5 and {name}, against k=5", value=cost / alone, unit="times", target=most, note=note)


def _beside_arx(table: EncodedTable, unit: float) -> Iterator[Line]:
    for name, model, costs in _BESIDE_ARX:
        for limit, arx in costs.items():
            search = partial(OptimalLattice(loss="loss-geometric", suppression=limit).run, table, [_K, model()])
            line = f"search adult, 8 attributes, k=5 and {name}, {limit:.0%} suppression"
            try:
                outcome = search()  # warm-up
            except NoSolutionError:
                note = "no node satisfies it"
            else:
                note = f"{outcome.checks:,} checks, loss {outcome.loss:.4f}"
            yield Line(name=line, value=cpu_seconds(partial(_tried, search)) / unit, unit="G", reference=arx, note=note)


def _tried(search: Callable[[], object]) -> None:
    with suppress(NoSolutionError):
        search()


def _local(
    table: EncodedTable, loss: str, unit: float, *, target: float | None, reference: float, share: float = 0.01
) -> Iterator[Line]:
    method = IterativeRecoding(loss=loss, share=share)
    name = f"iterative recoding of adult, {len(table.names)} attributes, share {share}"
    outcome = method.run(table, [_K])
    seconds = cpu_seconds(lambda: method.run(table, [_K]), repeat=3)
    note = f"{len(outcome.recoding.layers)} layers, {outcome.classes:,} classes, nothing suppressed"
    yield Line(name=f"{name}: {loss}", value=outcome.loss, unit="", target=target, reference=reference, note=note)
    yield Line(name=name, value=seconds, unit="s", target=1 if share == 0.01 else None, note=f"{seconds / unit:.1f} G")


def _adult(secret: str | None) -> EncodedTable:
    adult = public("adult")
    schema = {name: sensitive() if name == secret else attribute for name, attribute in adult.schema().items()}
    return encode(adult.table, Schema(schema))
