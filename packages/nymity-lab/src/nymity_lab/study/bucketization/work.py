"""What the steps of this study do: plan buckets, fill them, ask queries, and take times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil
from typing import TYPE_CHECKING, Any

from nymity_lab.study.study import Row, Rows

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from nymity.bucket import Plan, Slots
    from nymity.utility import QueryError, Released, Workload

#: How plans are made, by the names of the exhibits.
PLANNERS = {"two-size": "two-size", "multi-size": "top-down", "optimal": "optimal"}
#: What is timed: two sizes pruned in three ways, several sizes, and the integer program.
TIMED = {
    "no pruning": "two-size-exhaustive",
    "loss pruning": "two-size-loss",
    "full pruning": "two-size",
    "multi-size": "top-down",
    "integer program": "optimal",
}
#: Table 7.2: the share added to theta times a value's own, the largest size of a bucket, the queries' selectivity.
CONSTANT, LARGEST, SELECTIVITY = Fraction("0.02"), 50, 0.01


def domains(data: str, columns: list[str]) -> Rows:
    """Count the different values of each column in the whole table."""
    table = _read(data)
    return [{"attribute": name, "values": table[name].n_unique(), "records": table.height} for name in columns]


def distribution(data: str, name: str, sensitive: str, seed: int, n: int) -> Rows:
    """Count the records of each sensitive value, the most frequent first."""
    counts = _counts(_records(data, n, seed)[sensitive].to_numpy())
    return [{"data": name, "rank": rank, "records": found} for rank, found in enumerate(sorted(counts)[::-1], start=1)]


def losses(data: str, name: str, sensitive: str, seed: int, n: int, theta: int, seconds: float) -> Rows:
    """Plan buckets by each method; Anatomy's loss is computed whether or not its buckets can be filled."""
    from nymity.bucket import anatomy_loss

    counts = _counts(_records(data, n, seed)[sensitive].to_numpy())
    shares, anatomy = thresholds(counts, theta), anatomy_loss(counts, needed_l(counts, theta))
    shared: Row = {"data": name, "n": n, "theta": theta}
    found = [shared | {"method": "anatomy", "loss": anatomy, "information_loss": anatomy**0.5 / (n - 1)}]
    for method, planner in PLANNERS.items():
        plan = _plan(counts, shares, planner, seconds)
        measured = {"loss": plan.loss, "information_loss": plan.information_loss, "sizes": len(plan.sizes)}
        found.append(shared | {"method": method, **measured, "bound": plan.bound})
    return found


def errors(
    data: str, name: str, columns: list[str], sensitive: str, seed: int, n: int, theta: int, queries: int,
    seconds: float,
) -> Rows:  # fmt: skip
    """Ask buckets of each plan, and classes of Mondrian that keep the same thresholds, the same random queries."""
    table = _records(data, n, seed).select(*(column for column in columns if column != sensitive), sensitive)
    workload = _workload(table, queries, seed)
    return [
        {"data": name, "n": n, "theta": theta, "method": method, **_described(error)}
        for method, error in _asked(table, theta, workload, seed, seconds)
    ]


def unlinked(data: str, name: str, columns: list[str], sensitive: str, seed: int, n: int, queries: int) -> Rows:
    """Ask the same queries of one bucket with all records, which tells nothing of who has which value."""
    import numpy as np

    from nymity.utility import count_queries

    table = _records(data, n, seed).select(*(column for column in columns if column != sensitive), sensitive)
    one = _bucketized(table, np.zeros(n, dtype=np.int64))
    error = count_queries(table, one, queries=_workload(table, queries, seed))
    return [{"data": name, "n": n, **_described(error)}]


def times(data: str, name: str, sensitive: str, seed: int, n: int, gamma: int, theta: int, seconds: float) -> Rows:
    """Take the CPU time of each search, with ``gamma`` values in place of each, drawn at random (section 7.3.2)."""
    import numpy as np

    codes = _records(data, n, seed)[sensitive].rank("dense").to_numpy().astype(np.int64) - 1
    counts = _counts(gamma * codes + np.random.default_rng(seed).integers(0, gamma, n))
    shares, found = thresholds(counts, theta), []
    for method, planner in TIMED.items():
        _plan([3, 2], [Fraction(1), Fraction(1)], planner, seconds)  # loads what it needs
        plan, took = _timed(partial(_plan, counts, shares, planner, seconds))
        measured = {"seconds": took, "loss": plan.loss, "proved": plan.optimal}
        found.append({"data": name, "n": n, "gamma": gamma, "values": len(counts), "method": method, **measured})
    return found


# -- thresholds and plans --------------------------------------------------------------------------------------


def thresholds(counts: Sequence[int], theta: int) -> list[Fraction]:
    """Return f' = min(1, theta f + 0.02) of each value, exactly."""
    total = sum(counts)
    return [min(Fraction(1), theta * Fraction(records, total) + CONSTANT) for records in counts]


def needed_l(counts: Sequence[int], theta: int) -> int:
    """Return the least l for which l-diversity keeps every threshold, ceil(1 / min f')."""
    return ceil(1 / min(thresholds(counts, theta)))


def _plan(counts: Sequence[int], shares: Sequence[Fraction], planner: str, seconds: float) -> Plan:
    from nymity.bucket import plan

    return plan(counts, shares, sizes=(ceil(1 / max(shares)), LARGEST), method=planner, seconds=seconds)


def _counts(values: NDArray[np.int64]) -> list[int]:
    import numpy as np

    found: list[int] = np.unique(values, return_counts=True)[1].tolist()
    return found


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call gives and its CPU time; one of less than a second is made three times, the shortest counts."""
    took: list[float] = []
    while len(took) < 3 and (not took or took[0] < 1):
        began = time.process_time()
        found = run()
        took.append(time.process_time() - began)
    return found, min(took)


# -- releases and their errors ---------------------------------------------------------------------------------


def _asked(
    table: pl.DataFrame, theta: int, workload: Workload, seed: int, seconds: float
) -> Iterator[tuple[str, QueryError]]:
    """Yield the error of each release of a table whose last column is sensitive."""
    from nymity.bucket import fill
    from nymity.utility import count_queries

    _, codes = _coded(table[:, -1])
    counts = _counts(codes)
    shares = thresholds(counts, theta)
    for method, planner in PLANNERS.items():
        slots = fill(_plan(counts, shares, planner, seconds))
        yield method, count_queries(table, _bucketized(table, _dealt(slots, codes, seed)), queries=workload)
    yield "optimal, similar", count_queries(table, _alike(table, slots), queries=workload)
    yield "mondrian", _mondrian(table, theta, workload)


def _workload(table: pl.DataFrame, queries: int, seed: int) -> Workload:
    from nymity.table.text import as_text
    from nymity.utility import Workload

    values = {name: as_text(table[name].unique().sort()).to_list() for name in table.columns}
    return Workload.drawn(values, table.columns[-1], n=queries, selectivity=SELECTIVITY, seed=seed)


def _described(error: QueryError) -> Row:
    return {name: getattr(error, name) for name in ("mean", "median", "normalized", "zero_answers")}


def _coded(column: pl.Series) -> tuple[list[Any], NDArray[np.int64]]:
    import numpy as np

    values, codes = np.unique(column.to_numpy(), return_inverse=True)
    return values.tolist(), codes


def _dealt(slots: Slots, codes: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Return the bucket of each record, drawn at random among the places of its value; from a seed, to be repeated."""
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(codes))
    records = order[np.argsort(codes[order], kind="stable")]
    by_value = np.argsort(slots.value, kind="stable")
    buckets = np.empty(len(codes), dtype=np.int64)
    buckets[records] = np.repeat(slots.bucket[by_value], slots.records[by_value])
    return buckets


def _bucketized(table: pl.DataFrame, buckets: NDArray[np.int64]) -> Released:
    import polars as pl

    from nymity.table.bucket_recoding import BUCKET, COUNT
    from nymity.utility import Released

    *quasi, sensitive = table.columns
    numbered = table.with_columns(pl.Series(BUCKET, buckets))
    counts = numbered.group_by(BUCKET, sensitive).len(COUNT)
    return Released(frame=numbered.select(*quasi, BUCKET), counts=counts)


def _alike(table: pl.DataFrame, slots: Slots) -> Released:
    """Fill the buckets with records that look alike. Not to be published: it can be run backwards."""
    *quasi, sensitive = table.columns
    codes = [_coded(table[name])[1] for name in quasi]
    return _bucketized(table, alike_buckets(codes, _coded(table[sensitive])[1], slots))


def alike_buckets(looks: list[NDArray[np.int64]], values: NDArray[np.int64], slots: Slots) -> NDArray[np.int64]:
    """Return the bucket of each record: those of a value in the order of their looks take its places in turn.

    The column with the fewest values counts first. Places are in the order of where their bucket stands among those of
    its size. It needs no draw, for ties are between equal records. The method did so until version 0.1.0; whoever knows
    everybody's quasi-identifiers, which are published as they are, can run it backwards.
    """
    import numpy as np

    different = [len(np.unique(column)) for column in looks]
    order = np.lexsort([looks[a] for a in sorted(range(len(looks)), key=lambda a: -different[a])])
    records = order[np.argsort(values[order], kind="stable")]
    sizes = slots.sizes
    _, size_of, n_alike = np.unique(sizes, return_inverse=True, return_counts=True)
    turn = np.empty(len(sizes))
    for size, n in enumerate(n_alike):
        turn[size_of == size] = (np.arange(n) + 0.5) / n
    places = np.lexsort((turn[slots.bucket], slots.value))
    buckets = np.empty(len(values), dtype=np.int64)
    buckets[records] = np.repeat(slots.bucket[places], slots.records[places])
    return buckets


def _mondrian(table: pl.DataFrame, theta: int, workload: Workload) -> QueryError:
    """Generalize so that every class keeps the thresholds; all columns are numbers in their order."""
    from nymity.partition.mondrian import Mondrian
    from nymity.privacy import FPrivacy
    from nymity.table.attribute import quasi, sensitive
    from nymity.table.encoding import encode
    from nymity.table.schema import Schema
    from nymity.utility import Released, count_queries

    *others, last = table.columns
    schema = Schema({**dict.fromkeys(others, quasi()), last: sensitive()})
    model = FPrivacy(thresholds={"a": theta, "c": float(CONSTANT)}, attribute=last)
    recoding = Mondrian().run(encode(table, schema), [model], columns=table.columns).recoding
    released = Released(frame=recoding.apply(table).table, schema=schema, recoding=recoding)
    return count_queries(table, released, queries=workload)


# -- records ---------------------------------------------------------------------------------------------------


def _records(data: str, n: int, seed: int) -> pl.DataFrame:
    """Return the first n records of a random order; those of a smaller n are among those of a larger."""
    import numpy as np

    table = _read(data)
    return table[np.random.default_rng(seed).permutation(table.height)[:n]]


@lru_cache(maxsize=1)
def _read(data: str) -> pl.DataFrame:
    return _READERS[data]()


def _census() -> pl.DataFrame:
    from nymity_lab.datasets import public

    return public("acs").table


def _generated() -> pl.DataFrame:
    """Return 3,000 made-up records of which the sensitive values are skewed and depend on age."""
    import numpy as np
    import polars as pl

    rng, n = np.random.default_rng(20140), 3_000
    age = rng.integers(17, 67, n)
    made = {"Age": age, "Gender": rng.integers(1, 3, n)}
    for name, size in {"Marital": 5, "Race": 9, "WorkClass": 8, "Birthplace": 40}.items():
        made[name] = (rng.random(n) ** 2 * size).astype(np.int64)
    for name, size in {"Education": 12, "Occ200": 25}.items():
        made[name] = ((0.8 * rng.random(n) ** 2 + 0.2 * (age - 17) / 50) * size).astype(np.int64)
    return pl.DataFrame(made)


_READERS = {"acs": _census, "generated": _generated}
