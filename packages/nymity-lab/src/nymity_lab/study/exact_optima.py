"""Exact optima: how far Split & Carry and Greedy Search are from the cheapest partition, up to 100 records.

Figure 3.2 of Liang (2020) asks this of fewer records, with optima by a solver of integer programs. Here they are proved
by column generation, cuts and branching on pairs (:mod:`nymity.partition.column_generation`), or have a bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import finding, notes, where
from nymity_lab.study.local_recoding.exhibit_parts import CENSUS as THE_CENSUS
from nymity_lab.study.local_recoding.exhibit_parts import FOUR
from nymity_lab.study.local_recoding.steps import CARRIES, CENSUS, GROWN
from nymity_lab.study.local_recoding.work import measure_optimum
from nymity_lab.study.mean_interval import MeanInterval
from nymity_lab.study.study import Results, Rows, Scale, Step, Study

#: What is held against the optimum.
METHODS = (CARRIES[0], CARRIES[2], GROWN[0])


@dataclass(frozen=True, kw_only=True)
class OptimaScale:
    """What differs between scales; ``limit`` is in seconds of the clock, for the proof of one draw."""

    data: str = "acs"
    sizes: tuple[int, ...] = (60, 80, 100)
    k: tuple[int, ...] = (3, 5)
    draws: int = 3
    limit: float = 600.0


SCALES = {
    "smoke": OptimaScale(data="generated", sizes=(12, 18), k=(3,), draws=2, limit=5.0),
    "quick": OptimaScale(),
    "full": OptimaScale(sizes=(60, 70, 80, 90, 100), draws=10, limit=7_200.0),
}


def steps(scale: str) -> list[Step]:
    """Return a step for each draw: all settings by their first draw before any by its second."""
    sizes = SCALES[scale]
    return [
        Step(
            id=f"optimum.n={n}.k={k}.draw={draw}",
            run=measure_optimum,
            parameters={
                "data": sizes.data,
                "columns": list(CENSUS[:4]),
                "n": n,
                "draw": draw,
                "k": k,
                "methods": list(METHODS),
                "seconds": sizes.limit,
            },
            seconds=sizes.limit * n / 600,
        )
        for draw, n, k in product(range(sizes.draws), sizes.sizes, sizes.k)
    ]


def exhibits(results: Results) -> list[Exhibit]:
    """Return one exhibit: losses over the optimum's, or over its bound where it is not proved."""
    rows, sizes = results.rows("optimum"), SCALES[results.scale]
    settings = [(n, k) for k in sizes.k for n in sizes.sizes if where(rows, n=n, k=k)]
    proved = sum(row["proved"] for row in rows)
    planned = len(sizes.sizes) * len(sizes.k) * sizes.draws
    return [
        Exhibit(
            number="Beyond the thesis",
            title="Exact optima of 60 to 100 records",
            panels=(
                Panel(
                    title="mean loss over the optimum's",
                    across="setting",
                    measure="loss, best partition known = 1",
                    values=tuple(_over(rows, settings)),
                    plot="none",
                ),
                Panel(
                    title="proofs",
                    across="setting",
                    measure="draws",
                    values=tuple(_proofs(rows, settings)),
                    plot="none",
                ),
            ),
            findings=(_nearer(results, rows), _within(results, rows)),
            notes=notes(
                results,
                f"{len(rows)} of {planned} draws were run; of these {proved} optima are proved, within "
                f"{sizes.limit:,.0f} seconds of the clock each. Where one is not, the gap says how much cheaper "
                "another partition could be at most.",
                THE_CENSUS,
                FOUR,
            ),
        )
    ]


def _over(rows: Rows, settings: Sequence[tuple[int, int]]) -> Iterator[Value]:
    for n, k in settings:
        for method in METHODS:
            shares = [row["losses"][method] / row["loss"] for row in where(rows, n=n, k=k)]
            yield Value(series=method, at=f"n = {n}, k = {k}", ours=sum(shares) / len(shares))


def _proofs(rows: Rows, settings: Sequence[tuple[int, int]]) -> Iterator[Value]:
    for n, k in settings:
        of = where(rows, n=n, k=k)
        setting = f"n = {n}, k = {k}"
        yield Value(series="draws", at=setting, ours=len(of))
        yield Value(series="proved", at=setting, ours=sum(row["proved"] for row in of))
        yield Value(series="proved by the linear program alone", at=setting, ours=sum(row["integral"] for row in of))
        yield Value(series="most nodes", at=setting, ours=max(row["nodes"] for row in of))
        yield Value(series="largest gap, %", at=setting, ours=100 * max(row["gap"] for row in of))
        yield Value(series="largest CPU time, seconds", at=setting, ours=max(row["seconds"] for row in of))


def _nearer(results: Results, rows: Rows) -> Finding:
    """Compare draw by draw; what is not proved counts too, as both are held against the same partition."""
    carry, greedy = CARRIES[0], GROWN[0]
    nearer = sum(row["losses"][carry] < row["losses"][greedy] for row in rows)
    return finding(
        results,
        "Ours: Split & Carry is nearer to the optimum than Greedy Search (here: in every draw).",
        f"in {nearer} of {len(rows)} draws",
        nearer == len(rows),
    )


def _within(results: Results, rows: Rows) -> Finding:
    proved = where(rows, proved=True)
    shares = [row["losses"][CARRIES[0]] / row["loss"] for row in proved]
    if len(shares) < 2:
        return finding(results, _WITHIN, "too few optima are proved", None)
    interval = MeanInterval.of(shares)
    told = f"{interval.told('.3f')} times the optimum over {len(shares)} proved draws"
    return finding(results, _WITHIN, told, interval.below(1.2))


_WITHIN = "Ours: Split & Carry loses at most a fifth more than the optimum (here: on average)."

STUDY = Study(
    name="exact-optima",
    title="Exact optima of 60 to 100 records beside Split & Carry",
    source="Liang (2020), figure 3.2, which has fewer records",
    version="2",
    scales={
        "smoke": Scale(takes="seconds"),
        "quick": Scale(takes="a quarter of an hour on one core", needs=("acs",)),
        "full": Scale(takes="days", needs=("acs",)),
    },
    steps=steps,
    exhibits=exhibits,
)
