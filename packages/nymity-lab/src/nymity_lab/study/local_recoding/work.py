"""What the steps of this study do: draw records, run a method on them, and measure its loss and CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nymity_lab.study.study import Rows

if TYPE_CHECKING:
    from nymity.partition.geometry import Floats, Geometry, Ints
    from nymity.partition.problem import PartitionProblem


def measure(
    data: str, columns: list[str], sets: list[str], n: int, draw: int, k: int, method: str, seconds: float
) -> Rows:
    """Run one method on n records; ``sets`` are the columns without an order, all others are numbers."""
    _load_kernels(method)
    problem = _problem(data, columns, sets, n, draw, k)
    return [{"n": n, "m": len(columns), "k": k, "draw": draw, "method": method, **_run(problem, method, seconds)}]


def measure_draws(
    data: str, columns: list[str], n: int, draws: int, k: int, methods: list[str], seconds: float
) -> Rows:
    """Run some methods on each of several draws of n records, all columns being numbers."""
    return [
        row
        for draw in range(draws)
        for method in methods
        for row in measure(data, columns, [], n, draw, k, method, seconds)
    ]


def measure_optimum(
    data: str, columns: list[str], n: int, draw: int, k: int, methods: list[str], seconds: float
) -> Rows:
    """Prove the optimum of n records within so many seconds, all columns being numbers, and run methods beside it."""
    from nymity.partition.exact import ExactPartition

    problem = _problem(data, columns, [], n, draw, k)
    began = time.process_time()
    best = ExactPartition(seconds=seconds).partition(problem.geometry, k)
    about = {
        "loss": problem.assignment(best.classes).loss(),
        "gap": best.gap,
        "proved": best.optimal,
        "integral": best.integral,
        "columns": best.columns,
        "cuts": best.cuts,
        "nodes": best.nodes,
        "seconds": time.process_time() - began,
    }
    losses = {method: _run(problem, method, seconds)["loss"] for method in methods}
    return [{"n": n, "m": len(columns), "k": k, "draw": draw, **about, "losses": losses}]


def worked_examples(records: list[list[int]], k: int, sets: int) -> Rows:
    """Return the chapter's examples: the sub-problems of Split & Carry with their cells, and how classes grew."""
    import numpy as np

    from nymity.partition.exact import ExactPartition
    from nymity.partition.geometry import Geometry
    from nymity.partition.greedy_search import GreedySearch
    from nymity.partition.sorted_order import sorted_order
    from nymity.partition.split_carry import SplitCarry

    points = np.array(records, dtype=np.float64)
    geometry = Geometry.of_points(points, 1 / np.ptp(points, axis=0))
    order = sorted_order(geometry)

    def solve(members: Ints) -> list[Ints]:
        classes = ExactPartition().partition(Geometry.of_points(points[members], geometry.scales), k).classes
        return [members[classes == c] for c in np.unique(classes)]

    first = solve(order[: k * sets])
    boundary = order[k * (sets - 1) : k * sets]
    carried = [members for members in first if np.isin(members, boundary).any()]
    second = solve(np.concatenate([*carried, order[k * sets :]]))
    chain = SplitCarry(sets=sets, seconds_in_all=None).partition(geometry, k).classes
    stayed = [members for members in first if not np.isin(members, boundary).any()]
    joined = {frozenset(members.tolist()) for members in [*stayed, *second]}
    same = joined == {frozenset(np.flatnonzero(chain == c).tolist()) for c in np.unique(chain)}
    grown = GreedySearch().grow(geometry, k).members
    return [
        *({"part": "sub-problem 1", "records": c.tolist(), "cells": cells_text(points[c])} for c in first),
        *({"part": "sub-problem 2", "records": c.tolist(), "cells": cells_text(points[c])} for c in second),
        {"part": "split and carry", "joined": same},
        *({"part": "greedy search", **step} for step in _steps(order.tolist(), grown, k)),
    ]


def _steps(order: list[int], grown: list[list[int]], k: int) -> Rows:
    """Return step by step how classes grew: the record looked at, what is left afterwards, and its class in the end."""
    classes = [members[:k] for members in grown]
    later = {record: c for c, members in enumerate(grown) for record in members[k:]}
    left, steps = list(order), []
    for c, members in enumerate(classes):
        left = [record for record in left if record not in members]
        steps.append({"index": members[0], "remaining": left, "sets": classes[: c + 1]})
    for record in list(left):
        left = left[1:]
        classes = [[*members, record] if later[record] == c else members for c, members in enumerate(classes)]
        steps.append({"index": record, "remaining": left, "sets": classes})
    return steps


def cells_text(points: Floats) -> str:
    """Write the cells of a class as the thesis does: ``[25 - 55] [1 - 1]``."""
    return " ".join(f"[{low:g} - {high:g}]" for low, high in zip(points.min(axis=0), points.max(axis=0), strict=True))


# -- a method --------------------------------------------------------------------------------------------------


def _run(problem: PartitionProblem, name: str, seconds: float) -> dict[str, Any]:
    """Return the loss (3.2.21), the chapter's GCP (definition 9), both summed over records, and the CPU time."""
    from nymity.core.progress import silent
    from nymity.partition.cover import Cover, RowBoxes
    from nymity.partition.mondrian import Mondrian

    method, geometry = _method(name, seconds), problem.geometry
    if isinstance(method, Mondrian):
        divided, took = _timed(lambda: method.divide(problem, silent))
        found = divided.assignment.class_of_records()
    else:
        found, took = _timed(lambda: method.partition(geometry, problem.k))
    if isinstance(found, Cover):
        loss, values = found.loss, RowBoxes.of(geometry, found.records).values  # (n, k, s)
        several = (values != values[:, :1]).any(axis=1)
    else:
        classes = getattr(found, "classes", found)
        loss, several = problem.assignment(classes).loss(), _several(geometry, classes)
    # d values of H cost d / H in the loss and (d - 1) / H in the chapter's GCP, both nothing where d = 1
    gcp = loss - float(several.sum(axis=0) @ geometry.set_scales)
    more = {what: getattr(found, what) for what in ("optimal", "proved", "sizes") if hasattr(found, what)}
    return {"loss": loss, "gcp": gcp, "seconds": took, **more}


@lru_cache
def _load_kernels(name: str) -> None:
    """Run a method once in this process before it is timed."""
    _run(_problem("generated", ("a", "b"), (), 20, 0, 3), name, 1.0)


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call gives and its CPU time; one of less than a second is made three times, the shortest counts."""
    times: list[float] = []
    while len(times) < 3 and (not times or times[0] < 1):
        began = time.process_time()
        found = run()
        times.append(time.process_time() - began)
    return found, min(times)


def _several(geometry: Geometry, classes: Ints) -> Any:
    """Return for each record and set whether its class has two values or more (n, s)."""
    import numpy as np

    low = np.full((int(classes.max()) + 1, geometry.codes.shape[1]), np.iinfo(np.int64).max)
    high = np.full_like(low, -1)
    np.minimum.at(low, classes, geometry.codes)
    np.maximum.at(high, classes, geometry.codes)
    return (low != high)[classes]


def _method(name: str, seconds: float) -> Any:
    """Return the method of a name; ``seconds`` limit a proof: that of all records, or of each sub-problem."""
    from nymity.partition.exact import ExactPartition
    from nymity.partition.freeform import FreeformGreedy, FreeformHungarian, FreeformSortGreedy
    from nymity.partition.greedy_search import GreedySearch
    from nymity.partition.k_member import KMember
    from nymity.partition.mondrian import Mondrian
    from nymity.partition.sorted_groups import SortedGroups
    from nymity.partition.split_carry import SplitCarry

    if name.startswith("split & carry"):
        return SplitCarry(sets=int(name[-1]), seconds=seconds, seconds_in_all=None)
    return {
        "optimum": ExactPartition(seconds=seconds),
        "greedy search": GreedySearch(),
        "k-member": KMember(),
        "mondrian": Mondrian(),
        "mondrian, literal cuts": Mondrian(cuts="literal"),
        "sorted groups": SortedGroups(),
        "freeform greedy": FreeformGreedy(),
        "freeform sort-greedy": FreeformSortGreedy(),
        "freeform hungarian": FreeformHungarian(),
    }[name]


# -- records ---------------------------------------------------------------------------------------------------


def _problem(data: str, columns: Sequence[str], sets: Sequence[str], n: int, draw: int, k: int) -> PartitionProblem:
    """Lay out the first n records of a random order; those of a smaller n are among those of a larger."""
    import polars as pl

    from nymity.core.draws import KeyedDraws
    from nymity.partition.attributes import attributes_of
    from nymity.partition.problem import problem_of
    from nymity.privacy import KAnonymity
    from nymity.table.attribute import quasi
    from nymity.table.encoding import encode
    from nymity.table.schema import Schema

    table = first_records(data, columns, n, draw)
    words = [pl.format("value {}", pl.col(name).cast(pl.String).str.zfill(4)).alias(name) for name in sets]
    encoded = encode(table.with_columns(words), Schema(dict.fromkeys(columns, quasi())))
    return problem_of(encoded, attributes_of(encoded, where=f"study, {data}"), [KAnonymity(k=k)], KeyedDraws.seeded(0))


def first_records(data: str, columns: Sequence[str], n: int, draw: int = 0) -> Any:
    """Return the first n records of a random order, or all where there are fewer."""
    table = _read(data, tuple(columns))
    return table[_order(table.height, draw)[:n]]


@lru_cache(maxsize=4)
def _order(n_records: int, draw: int) -> Ints:
    import numpy as np

    return np.random.default_rng(draw).permutation(n_records)


@lru_cache(maxsize=4)
def _read(data: str, columns: tuple[str, ...]) -> Any:
    return _READERS[data](columns)


def _census(columns: Sequence[str]) -> Any:
    from nymity_lab.datasets import public

    return public("acs").table.select(columns)


def _accidents(columns: Sequence[str]) -> Any:
    """Return the codes FARS itself has for month, age, sex and injury; records with an unknown one are left out."""
    import polars as pl

    from nymity_lab.datasets import public

    fars = public("fars")
    known = {"ideathmon": 13, "isex": 2, "iinjury": 5}  # so many values of each, in the order of the hierarchy's file
    codes = [
        pl.col(name).replace_strict(
            {value: i for i, value in enumerate(fars.hierarchies[name].values[:limit])}, default=None
        )
        for name, limit in known.items()
    ]
    table = fars.table.with_columns(*codes, pl.col("iage").cast(pl.Int64))
    return table.filter(pl.col("iage") < 99).drop_nulls(list(known)).select(columns)


def _stays(columns: Sequence[str]) -> Any:
    """Return hospital stays with numbers: as they are, or the place among a column's values in alphabetic order."""
    import polars as pl

    from nymity_lab.datasets.diabetes import read_stays
    from nymity_lab.datasets.public import locate

    table = read_stays(locate("diabetes130")).select(columns).with_columns(pl.all().fill_null(""))
    numeric = {name for name in columns if table[name].str.contains(r"^\d+$").all()}
    return table.select(
        pl.col(name).cast(pl.Int64) if name in numeric else pl.col(name).rank("dense").cast(pl.Int64)
        for name in columns
    )


def _generated(columns: Sequence[str]) -> Any:
    """Return 2,000 made-up records, whose columns depend on each other, with as many values as census columns have."""
    import numpy as np
    import polars as pl

    rng, n = np.random.default_rng(20200), 2_000
    common, kinds = rng.normal(size=n), (2, 75, 6, 7, 83, 17, 7, 47)
    made = {}
    for i, name in enumerate(columns):
        mixed = 0.6 * common + 0.8 * rng.normal(size=n)
        shares = np.argsort(np.argsort(mixed)) / n
        made[name] = (shares**2 * kinds[i % len(kinds)]).astype(np.int64)
    return pl.DataFrame(made)


_READERS = {"acs": _census, "fars": _accidents, "diabetes130": _stays, "generated": _generated}
