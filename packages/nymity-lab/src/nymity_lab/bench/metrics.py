"""Metrics: what it costs to compare a release with its original by everything, to make one for the study, to learn.

Costs are the CPU time of all threads from frames to figures, kernels loaded: the original is encoded and measured too,
as ``ny.compare`` does it. Adult for the study is the training file of UCI with twelve quasi-identifiers and random
trees; a release there is a search and the recoded table, the original encoded before.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from nymity.core.progress import Observer, silent
from nymity.lattice.datafly import Datafly
from nymity.lattice.optimal import OptimalLattice
from nymity.partition.mondrian import Mondrian
from nymity.privacy import KAnonymity
from nymity.publishing.comparing.compare import Comparer, Comparison, compare
from nymity.publishing.jobs.registry import Method
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import quasi, sensitive
from nymity.table.builders import RandomTree
from nymity.table.encoding import encode
from nymity.table.recoding import Recoded, Recoding
from nymity.table.schema import Schema
from nymity.utility import LearningResult, Released, learn
from nymity_lab.bench.measuring import in_new_process, measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public

PROVENANCE = "none"

_CENSUS = ("Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Birthplace")
#: Releases of the study at full scale.
_RELEASES = 2400
_METHODS: dict[str, Method] = {"optimal lattice": OptimalLattice(suppression=0.05), "Mondrian": Mondrian()}


def bench_metrics(observe: Observer = silent) -> BenchResult:
    """Measure on Adult and the census; needs them under NYMITY_DATA."""
    return measured("metrics", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    adult = public("adult")
    for name, method in _METHODS.items():
        release = publish(adult.table, adult.schema(), privacy=KAnonymity(k=5), method=method)
        yield from _compared(f"adult, 9 columns, {name}", adult.table, release, unit, target=2.4)
    census, schema = _census()
    for name, method in _METHODS.items():
        release = publish(census, schema, privacy=KAnonymity(k=10), method=method)
        yield next(_compared(f"665,800 records of the census, 7 columns, {name}", census, release, unit, target=48))
    note = "beyond both tables and what the release took"
    yield Line(name="memory, census, Mondrian", value=float(in_new_process(_MEMORY)), unit="MB", note=note)
    yield from _released(unit)
    yield _learned(unit)


def _compared(name: str, table: pl.DataFrame, release: Release, unit: float, *, target: float) -> Iterator[Line]:
    """Compare once and for all, then as one of many releases."""
    found: list[Comparison] = []

    def work() -> None:
        found.append(compare(table, release))

    work()  # warm-up
    seconds = cpu_seconds(work, repeat=3)
    n, without = len(found[0].measured), sum(m.value is None for m in found[0].measured)
    note = f"{n} losses and metrics, {without} of them undefined, {seconds:.2f} s"
    yield Line(name=f"all metrics, {name}", value=seconds / unit, unit="G", target=target, note=note)
    comparer = Comparer(table, release.job.schema)
    comparer.compare(release)
    again = cpu_seconds(lambda: comparer.compare(release))
    yield Line(name=f"a further release of it, {name}", value=again / unit, unit="G", note=f"{again:.3f} s")


def _released(unit: float) -> Iterator[Line]:
    """Make releases of Adult with twelve quasi-identifiers: one, and as many as the study with all metrics."""
    table = public("adult-census").table.drop("fnlwgt", "education", "income").drop_nulls()
    trees = Schema({name: quasi(RandomTree(seed=number)) for number, name in enumerate(table.columns)})
    encoded, models, whole = encode(table, trees), [KAnonymity(k=3)], 0.0
    for method in (Datafly(), Mondrian()):

        def released(method: Datafly | Mondrian = method) -> tuple[Recoding, Recoded]:
            recoding = method.run(encoded, models, columns=table.columns).recoding
            return recoding, recoding.apply(table)

        def compared() -> None:
            recoding, made = released()
            Comparer(table, trees).compare(Released(frame=made.table, recoding=recoding, source_rows=made.source_rows))

        compared()  # warm-up
        seconds = cpu_seconds(released)
        name = f"one {method.key} release, adult, {len(table.columns)} quasi-identifiers"
        yield Line(name=name, value=seconds / unit, unit="G", target=0.4, note=f"{seconds:.3f} s")
        whole += cpu_seconds(compared, repeat=3) / 2
    minutes = _RELEASES * whole / 2 / 60
    name = f"{_RELEASES:,} such releases with all metrics, on two cores"
    yield Line(name=name, value=minutes, unit="min", target=30, note=f"from {whole:.2f} s for one, hierarchies new")


def _learned(unit: float) -> Line:
    """Learn the salary class of Adult from the original and from a release, by all defaults."""
    adult = public("adult")
    schema = adult.schema(sensitive=["salary-class"])
    release = publish(adult.table, schema, privacy=KAnonymity(k=5), method=OptimalLattice(suppression=0.05))
    found: list[LearningResult] = []
    seconds = cpu_seconds(lambda: found.append(learn(adult.table, release, target="salary-class")), repeat=1)
    folds, classifiers = found[0].folds, ", ".join(result.classifier for result in found[0].results)
    name = f"learning from original and release, adult, 8 columns, {folds} folds"
    return Line(name=name, value=seconds / unit, unit="G", note=f"{seconds:.1f} s; {classifiers}")


def _census() -> tuple[pl.DataFrame, Schema]:
    table = public("acs").table.select(*_CENSUS, "Occ200")
    return table, Schema({**dict.fromkeys(_CENSUS, quasi()), "Occ200": sensitive()})


_MEMORY = """
from nymity_lab.bench.measuring import peak_megabytes
from nymity_lab.bench.metrics import _METHODS, _census
from nymity.privacy import KAnonymity
from nymity.publishing.comparing.compare import compare
from nymity.table.encoding import encode
table, schema = _census()
recoding = _METHODS["Mondrian"].run(encode(table, schema), [KAnonymity(k=10)], columns=table.columns).recoding
released = recoding.apply(table).table
before = peak_megabytes()
compare(table, released, schema, recoding=recoding)
print(peak_megabytes() - before)
"""
