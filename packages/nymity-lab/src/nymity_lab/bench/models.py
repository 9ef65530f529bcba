"""What further privacy models cost beside k-anonymity alone, and local recoding beside ARX."""

from __future__ import annotations

from collections.abc import Iterator

from nymity.core.progress import Observer, silent
from nymity.datasets import public
from nymity.lattice.iterative import IterativeRecoding
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveDiversity,
    TCloseness,
)
from nymity.table.encoding import EncodedTable, encode
from nymity.table.schema import Schema, sensitive
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds

PROVENANCE = (
    "ARX 3.9.2, OpenJDK 17, local recoding on Adult, warm, two shared cores: GCP 0.1911 in 3.6 to 4.5 CPU seconds "
    "(eight quasi-identifiers), geometric Loss 0.058 in 28 sort units (nine)"
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


def bench_models(observe: Observer = silent) -> BenchResult:
    """Measure everything on Adult; needs it under NYMITY_DATA."""
    return measured("models", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    yield from _beside_k(_adult("occupation"), unit)
    yield from _local(_adult("salary-class"), "gcp", unit, target=0.15, reference=0.1911)
    yield from _local(_adult(None), "loss-geometric", unit, target=None, reference=0.058)


def _beside_k(table: EncodedTable, unit: float) -> Iterator[Line]:
    method = OptimalLattice(suppression=0.05)
    alone = cpu_seconds(lambda: method.run(table, [_K]))
    yield Line(name="search adult, 8 attributes, k=5, 5% suppression", value=alone / unit, unit="U")
    for name, model, most in _BESIDE_K:
        outcome = method.run(table, [_K, model])  # warm-up
        alone = cpu_seconds(lambda: method.run(table, [_K]))  # again: the machine may be busier now
        cost = cpu_seconds(lambda model=model: method.run(table, [_K, model]))  # type: ignore[misc]
        note = f"{outcome.checks:,} checks, loss {outcome.loss:.4f}, {outcome.suppressed:,} suppressed"
        yield Line(name=f"k=5 and {name}, against k=5", value=cost / alone, unit="times", target=most, note=note)


def _local(table: EncodedTable, loss: str, unit: float, *, target: float | None, reference: float) -> Iterator[Line]:
    method, name = IterativeRecoding(loss=loss), f"iterative recoding of adult, {len(table.names)} attributes"
    outcome = method.run(table, [_K])
    seconds = cpu_seconds(lambda: method.run(table, [_K]), repeat=3)
    note = f"{len(outcome.recoding.layers)} layers, {outcome.classes:,} classes, nothing suppressed"
    yield Line(name=f"{name}: {loss}", value=outcome.loss, unit="", target=target, reference=reference, note=note)
    yield Line(name=name, value=seconds, unit="s", target=1, note=f"{seconds / unit:.1f} U")


def _adult(secret: str | None) -> EncodedTable:
    adult = public("adult")
    schema = {name: sensitive() if name == secret else attribute for name, attribute in adult.schema().items()}
    return encode(adult.table, Schema(schema))
