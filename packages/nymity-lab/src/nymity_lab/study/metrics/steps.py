"""The steps: releases of each data set by each algorithm, some at a time, then Meta-Metrics trained on these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nymity_lab.study.metrics.data import GENERATED, SOURCES
from nymity_lab.study.metrics.meta import MODELS, meta_metrics, pooled_metrics
from nymity_lab.study.metrics.release_groups import ReleaseGroup, by_encoding, everywhere, release_groups_of
from nymity_lab.study.metrics.releases import ALGORITHMS
from nymity_lab.study.metrics.work import PROXY, accuracy_by_k, measure_original, measure_releases
from nymity_lab.study.study import Results, Step


@dataclass(frozen=True, kw_only=True)
class MetricsScale:
    """What differs between scales: releases of each data set by each algorithm, records at most of each data set."""

    data: tuple[str, ...] = tuple(SOURCES)
    releases: int = 200
    at_a_time: int = 10
    records: int | None = None
    trees: int = 100
    k: tuple[int, ...] = (*range(2, 21), 25, 30, 35, 40)
    draws: int = 20
    models: tuple[str, ...] = tuple(MODELS)


SCALES = {
    "smoke": MetricsScale(
        data=GENERATED,
        releases=6,
        at_a_time=3,
        trees=3,
        k=(2, 10, 20),
        draws=2,
        models=("single metric", "linear regression"),
    ),
    "quick": MetricsScale(releases=60, records=2_000, trees=50, draws=8),
    "full": MetricsScale(),
}

#: Roughly the seconds that a release takes by both encodings, for 2,000 records.
_SECONDS = dict.fromkeys(GENERATED, 0.2) | {"birth": 0.4, "ring": 0.7, "adult": 0.5, "heart": 0.5}


def steps(scale: str) -> list[Step]:
    """Return the first steps of a scale."""
    sizes = SCALES[scale]
    return [*_originals(sizes), *_figure_3_4(sizes), *_releases(sizes)]


def later(results: Results) -> list[Step]:
    """Return a step for the Meta-Metrics of each data set and algorithm, with the metrics of all releases they need."""
    return [step for encoding, part in by_encoding(results).items() for step in _meta(encoding, part)]


def _meta(encoding: str, results: Results) -> list[Step]:
    """Return the steps for one encoding."""
    cells, models, short = release_groups_of(results), SCALES[results.scale].models, encoding.replace(" ", "-")
    names = everywhere(cells)
    found = [
        Step(
            id=f"meta.{short}.{cell.data}.{cell.algorithm}",
            run=meta_metrics,
            parameters={
                **_numbers(cell, names),
                "encoding": encoding,
                "others": [_numbers(other, names) for other in cells if _differs_once(cell, other)],
                "models": list(models),
                "seed": number,
            },
            seconds=len(cell.rows) * len(models) / 40,
        )
        for number, cell in enumerate(cells)
    ]
    for kind, used in (("metrics", names), ("with-learnability", [*names, PROXY])):
        places = [_numbers(cell, used) for cell in cells]
        found.append(
            Step(
                id=f"pooled.{kind}.{short}",
                run=pooled_metrics,
                parameters={"encoding": encoding, "places": places, "seed": 0},
                seconds=20,
            )
        )
    return found


def _numbers(cell: ReleaseGroup, names: list[str]) -> dict[str, object]:
    return {
        "data": cell.data,
        "algorithm": cell.algorithm,
        "metrics": [[row[f"metric {name}"] for name in names] for row in cell.rows],
        "utilities": {name: values.tolist() for name, values in cell.utilities.items()},
    }


def _differs_once(cell: ReleaseGroup, other: ReleaseGroup) -> bool:
    """Whether only the data set or only the algorithm is another."""
    return (cell.data == other.data) != (cell.algorithm == other.algorithm)


def _originals(sizes: MetricsScale) -> Iterator[Step]:
    for data in sizes.data:
        parameters = {"data": data, "records": sizes.records, "trees": sizes.trees}
        yield Step(id=f"original.{data}", run=measure_original, parameters=parameters, seconds=5)


def _figure_3_4(sizes: MetricsScale) -> Iterator[Step]:
    for k in sizes.k:
        parameters = {"data": sizes.data[0], "k": k, "draws": sizes.draws, "records": sizes.records}
        yield Step(id=f"figure-3.4.k={k}", run=accuracy_by_k, parameters=parameters, seconds=0.2 * sizes.draws)


def _releases(sizes: MetricsScale) -> Iterator[Step]:
    """Give the first releases of all data sets and algorithms, then the next: what is there of a run is even."""
    for first in range(0, sizes.releases, sizes.at_a_time):
        for data in sizes.data:
            for algorithm in ALGORITHMS:
                yield Step(
                    id=f"releases.{data}.{algorithm}.{first:03d}",
                    run=measure_releases,
                    parameters={
                        "data": data,
                        "algorithm": algorithm,
                        "first": first,
                        "count": min(sizes.at_a_time, sizes.releases - first),
                        "records": sizes.records,
                        "trees": sizes.trees,
                    },
                    seconds=sizes.at_a_time * _SECONDS[data] * (1 if sizes.records else 4),
                )
