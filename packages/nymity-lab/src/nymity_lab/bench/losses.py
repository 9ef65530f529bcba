"""What the proof of an optimum costs for every loss: k = 5, at most 5% suppressed, four public tables."""

from __future__ import annotations

from collections.abc import Iterator

from nymity.core.progress import Observer, silent
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity
from nymity.quality import LOSSES, DomainShareLoss, Loss
from nymity.table.encoding import EncodedTable, encode
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import PublicDataset, public

PROVENANCE = (
    "ARX 3.9.2, OpenJDK 17, search only, warm, CPU time of its one search thread, on two cores, in the same minutes as "
    "the unit there; loss: its Loss with the arithmetic mean"
)

TABLES = ("fars-subset", "adult", "fars", "cup")
#: What ARX takes in G, by table and loss.
ARX = {
    "adult": {
        "loss": 4.9, "loss-geometric": 5.0, "precision": 4.9, "entropy": 6.0, "entropy-normalized": 5.9,
        "average-class-size": 7.2, "discernibility": 6.7, "ambiguity": 7.9, "kl-divergence": 70, "height": 5.9,
    },
    "fars-subset": {
        "loss-geometric": 2.5, "precision": 2.4, "entropy": 2.6, "average-class-size": 2.1, "discernibility": 2.2,
        "height": 1.8,
    },
    "cup": {
        "loss-geometric": 26, "precision": 19, "entropy": 18, "entropy-normalized": 28, "average-class-size": 8.2,
        "discernibility": 14, "ambiguity": 17,
    },
}  # fmt: skip
#: Ours at most.
TARGETS = {("fars-subset", "loss"): 0.24, ("adult", "loss"): 0.4, ("cup", "loss"): 2.4}
#: Searches that take longer than this are not repeated.
_ONCE_BEYOND = 2.0


def bench_losses(observe: Observer = silent) -> BenchResult:
    """Measure every loss on every table; needs them under NYMITY_DATA."""
    return measured("losses", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    for name in TABLES:
        data = public(name)
        table = encode(data.table, data.schema())
        for loss in (loss for kind in LOSSES.values() for loss in kind.of_table(table)):
            yield _line(name, table, loss, unit)
        yield _line(name, table, DomainShareLoss(aggregation="rank"), unit)
        for loss in LOSSES["classification"].of_table(targeted := _with_target(data)):
            yield _line(f"{name} without its last column, the target", targeted, loss, unit)


def _line(name: str, table: EncodedTable, loss: Loss, unit: float) -> Line:
    method = OptimalLattice(loss=loss, suppression=0.05)
    models = (KAnonymity(k=5),)
    outcome = method.run(table, models)  # warm-up
    seconds = cpu_seconds(lambda: method.run(table, models), repeat=1)
    if seconds < _ONCE_BEYOND:
        seconds = cpu_seconds(lambda: method.run(table, models))
    return Line(
        name=f"{loss.name}, {name}",
        value=seconds / unit,
        unit="G",
        target=TARGETS.get((name, loss.name)),
        reference=ARX.get(name, {}).get(loss.name),
        note=f"{seconds:.3f} s, {outcome.checks:,} of {outcome.lattice_size:,} nodes checked, loss {outcome.loss:.6g}",
    )


def _with_target(data: PublicDataset) -> EncodedTable:
    *quasi, target = data.table.columns
    return encode(data.table, data.schema(quasi=quasi, sensitive=(target,)))
