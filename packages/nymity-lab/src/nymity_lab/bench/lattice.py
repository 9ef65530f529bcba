"""Speed of the lattice search, beside ARX.

Search costs are the CPU time of all threads for the search call alone on an encoded table with kernels loaded, median
of five, in G. Reading, encoding and the rest are lines of their own.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator

import polars as pl

from nymity.core.progress import Observer, silent
from nymity.lattice.datafly import Datafly
from nymity.lattice.ola import OLA
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.lattice.search import LatticeSearch
from nymity.lattice.space import Space
from nymity.privacy import KAnonymity
from nymity.publishing.comparing.measure import measure
from nymity.table.encoding import EncodedTable, encode
from nymity_lab.bench.measuring import in_new_process, measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import PublicDataset, public

PROVENANCE = (
    "ARX 3.9.2, OpenJDK 17, search only, warm, CPU time of its one search thread, on two cores, in the "
    "same minutes as the unit there; geometric Loss on both sides"
)

_ADULT = {0.0: (0, 4, 1, 1, 3, 2, 2, 1, 0), 0.05: (0, 3, 0, 0, 2, 1, 1, 2, 0), 1.0: (0, 3, 0, 0, 2, 1, 1, 1, 0)}
#: (data set, suppression limit, ours at most, ARX, ARX's optimum where it is known)
SEARCHES: tuple[tuple[str, float, float | None, float, tuple[int, ...] | None], ...] = (
    ("adult", 0.0, None, 0.2, _ADULT[0.0]),
    ("adult", 0.05, 0.4, 5.0, _ADULT[0.05]),
    ("adult", 1.0, 1.6, 18, _ADULT[1.0]),
    ("fars-subset", 0.0, None, 0.1, None),
    ("fars-subset", 0.05, 0.24, 2.5, None),
    ("fars-subset", 1.0, None, 17, None),
    ("cup", 0.0, None, 0.25, None),
    ("cup", 0.05, 2.4, 26, None),
    ("cup", 1.0, None, 191, None),
)

_MODELS = (KAnonymity(k=5),)
_COPIES = 33


def bench_lattice(observe: Observer = silent) -> BenchResult:
    """Measure everything; needs the data sets under NYMITY_DATA."""
    return measured("lattice", PROVENANCE, _all_lines, observe)


def _all_lines(unit: float) -> Iterator[Line]:
    adult = public("adult")
    encoded = encode(adult.table, adult.schema())
    tables = {"adult": encoded, "fars-subset": _encoded("fars-subset"), "cup": _encoded("cup")}
    for name, limit, target, arx, optimum in SEARCHES:
        yield _search_line(name, tables[name], limit, unit, target, arx, optimum)
    for method in (OLA(suppression=0.05), Datafly(suppression=0.05)):
        yield _classic_line(method, encoded, unit)
    yield _whole_lattice_line(encoded, unit)
    yield from _scaling_lines(adult, encoded, unit)
    yield _measure_line(adult)
    yield from _process_lines()


def _encoded(name: str) -> EncodedTable:
    data = public(name)
    return encode(data.table, data.schema())


def _search_line(
    name: str,
    table: EncodedTable,
    limit: float,
    unit: float,
    target: float | None,
    arx: float,
    optimum: tuple[int, ...] | None,
) -> Line:
    method = OptimalLattice(loss="loss-geometric", suppression=limit)
    outcome = method.run(table, _MODELS)  # warm-up
    cost = cpu_seconds(lambda: method.run(table, _MODELS))
    levels = tuple(outcome.levels.values())
    note = f"{outcome.checks:,} of {outcome.lattice_size:,} nodes checked, loss {outcome.loss:.6f}"
    if optimum is not None:
        note += ", same optimum as ARX" if levels == optimum else f", ARX has {optimum}, we {levels}"
    return Line(
        name=f"search {name}, k=5, {limit:.0%} suppression",
        value=cost / unit,
        unit="G",
        target=target,
        reference=arx,
        note=note,
    )


def _classic_line(method: LatticeSearch, table: EncodedTable, unit: float) -> Line:
    outcome = method.run(table, _MODELS)  # warm-up
    cost = cpu_seconds(lambda: method.run(table, _MODELS))
    minimal = "" if outcome.minimal is None else f", {len(outcome.minimal):,} k-minimal nodes"
    return Line(
        name=f"{method.key} adult, k=5, {method.suppression:.0%} suppression",
        value=cost / unit,
        unit="G",
        target=0.24,
        note=f"{outcome.checks:,} of {outcome.lattice_size:,} nodes checked, loss {outcome.loss:.6f}{minimal}",
    )


def _whole_lattice_line(table: EncodedTable, unit: float) -> Line:
    space = Space.of(table)

    def evaluate() -> int:
        return sum(len(batch) for batch in RollUp(table, _MODELS).walk(space))

    nodes = evaluate()
    return Line(
        name="whole adult lattice, every node",
        value=cpu_seconds(evaluate) / unit,
        unit="G",
        target=3.2,
        note=f"{nodes:,} nodes; a plain single-threaded prototype took about 4.6 G",
    )


def _scaling_lines(adult: PublicDataset, encoded: EncodedTable, unit: float) -> Iterator[Line]:
    schema = adult.schema()
    large = pl.concat([adult.table] * _COPIES, rechunk=True)
    yield Line(name="compact adult", value=cpu_seconds(lambda: encode(adult.table, schema)) / unit, unit="G")
    yield Line(
        name=f"compact adult x {_COPIES}",
        value=cpu_seconds(lambda: encode(large, schema)) / unit,
        unit="G",
        target=1.6,
        note=f"{large.height:,} records",
    )
    method, bigger = OptimalLattice(loss="loss", suppression=0.05), encode(large, schema)
    once = cpu_seconds(lambda: method.run(encoded, _MODELS))
    many = cpu_seconds(lambda: method.run(bigger, (KAnonymity(k=5 * _COPIES),)))
    yield Line(
        name=f"search adult x {_COPIES} against adult",
        value=many / once,
        unit="times",
        target=1.3,
        note=f"k = {5 * _COPIES}, so that both search the same classes; cost follows distinct combinations",
    )


def _measure_line(adult: PublicDataset) -> Line:
    schema = adult.schema(sensitive=("occupation",), quasi=[c for c in adult.table.columns if c != "occupation"])
    measure(adult.table, schema)
    return Line(
        name="measure raw adult, every model",
        value=cpu_seconds(lambda: measure(adult.table, schema)),
        unit="s",
        target=0.1,
        reference=82,
        note="reference: nine checks by pycanon",
    )


def _process_lines() -> Iterator[Line]:
    """Figures that need a process of their own."""
    yield Line(name="import nymity", value=_median_wall("import nymity"), unit="s", target=0.5)
    yield Line(
        name="import nymity and load publish",
        value=_median_wall("import nymity; nymity.publish"),
        unit="s",
        note="what the first call of publish adds: numpy, polars, numba",
    )
    with tempfile.TemporaryDirectory() as cache:
        cold = _first_search(cache)
        warm = _first_search(cache)
    yield Line(name="first search after installation (compiles)", value=cold[0], unit="s", target=20)
    yield Line(name="first search of a later process (kernels cached)", value=warm[0], unit="s")
    yield Line(
        name="peak memory of that process, adult, k=5, 5%", value=warm[1], unit="MB", target=300, reference=520,
        note="reference: ARX's whole process",
    )  # fmt: skip


def _median_wall(code: str) -> float:
    timed = f"import time; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"
    return statistics.median(float(in_new_process(timed)) for _ in range(5))


def _first_search(cache: str) -> tuple[float, float]:
    code = """
import time
from nymity_lab.datasets import public
data = public("adult")
t = time.perf_counter()
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity
from nymity.table.encoding import encode
OptimalLattice(loss="loss", suppression=0.05).run(encode(data.table, data.schema()), [KAnonymity(k=5)])
seconds = time.perf_counter() - t
from nymity_lab.bench.measuring import peak_megabytes
print(seconds, peak_megabytes())
"""
    seconds, megabytes = in_new_process(code, {"NUMBA_CACHE_DIR": cache}).split()
    return float(seconds), float(megabytes)
