"""What the proof of an optimum costs for every loss: k = 5, at most 5% suppressed, four public tables."""

from __future__ import annotations

from collections.abc import Iterator

from nymity.core.progress import Observer, silent
from nymity.datasets import PublicDataset, public
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity
from nymity.quality import LOSSES, DomainShareLoss, Loss
from nymity.table.encoding import EncodedTable, encode
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds

PROVENANCE = (
    "ARX 3.9.2, OpenJDK 17, search only, warm, CPU time of its one search thread, measured on two shared cores and "
    "given in the sort units of that machine; its Loss with the arithmetic mean"
)

TABLES = ("fars-subset", "adult", "fars", "cup")
#: (table, loss) -> ours at most, ARX
KNOWN: dict[tuple[str, str], tuple[float | None, float]] = {
    ("fars-subset", "loss"): (0.3, 3.4),
    ("adult", "loss"): (0.5, 8),
    ("cup", "loss"): (3, 50),
}
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
    target, reference = KNOWN.get((name, loss.name), (None, None))
    return Line(
        name=f"{loss.name}, {name}",
        value=seconds / unit,
        unit="U",
        target=target,
        reference=reference,
        note=f"{seconds:.3f} s, {outcome.checks:,} of {outcome.lattice_size:,} nodes checked, loss {outcome.loss:.6g}",
    )


def _with_target(data: PublicDataset) -> EncodedTable:
    *quasi, target = data.table.columns
    return encode(data.table, data.schema(quasi=quasi, sensitive=(target,)))
