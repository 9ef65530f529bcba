"""Figures 3.4, 4.3, 4.4 and 4.5: what k does, and how metrics and utilities are distributed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nymity_lab.study.exhibit import Exhibit, Panel, Value
from nymity_lab.study.exhibit_parts import PLOTTED, figure, finding, notes, where
from nymity_lab.study.mean_interval import MeanInterval
from nymity_lab.study.metrics.release_groups import PARTS, THESIS, ReleaseGroup, data_sets, release_groups_of
from nymity_lab.study.metrics.releases import DATAFLY, MONDRIAN, SHUFFLED
from nymity_lab.study.metrics.work import UTILITIES
from nymity_lab.study.study import Results, Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The k up to which accuracy falls in figure 3.4.
_FALLS = 20
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def k_and_accuracy(results: Results) -> Exhibit:
    """Figure 3.4."""
    rows = results.rows("figure-3.4")
    baseline = where(results.rows("original"), data=rows[0]["data"])[0]["most frequent class"]
    reached = {
        k: MeanInterval.of([row["accuracy"] for row in where(rows, k=k)]) for k in dict.fromkeys(r["k"] for r in rows)
    }
    values = [
        Value(series=series, at=k, ours=ours)
        for k, found in reached.items()
        for series, ours in (
            ("kNN", found.mean), ("from", found.low), ("to", found.high), ("most frequent class", baseline),
        )
    ]  # fmt: skip
    # A number has the same orders for every k, so that differences between k are taken within one number.
    orders = [where(rows, number=number) for number in dict.fromkeys(row["number"] for row in rows)]
    slope = MeanInterval.of([100 * _slope([row for row in order if row["k"] <= _FALLS]) for order in orders])
    beyond = MeanInterval.of([100 * (_mean([r["accuracy"] for r in o if r["k"] >= _FALLS]) - baseline) for o in orders])
    return Exhibit(
        number="Figure 3.4",
        title="Accuracy of kNN on Mondrian releases of birth, by k",
        panels=(Panel(title="kNN accuracy", across="k", measure="accuracy", values=tuple(values)),),
        findings=(
            finding(
                results,
                "Accuracy falls with k up to about 20 (here: the line through these has a slope below 0).",
                f"slope {slope.told('+.3f')} points for each k more",
                slope.below(0),
            ),
            finding(
                results,
                "From 20 on, results are noise around the baseline (here: on average within two points of it).",
                f"{beyond.told('+.2f')} points from the most frequent class, which has {figure(baseline)}",
                beyond.within(-2, 2),
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            f"Means of {len(orders)} releases with different orders for each k, with 95% intervals; there, one.",
        ),
    )


def _slope(rows: Rows) -> float:
    """The least-squares line of accuracy over k."""
    middle, level = _mean([row["k"] for row in rows]), _mean([row["accuracy"] for row in rows])
    steep = sum((row["k"] - middle) * (row["accuracy"] - level) for row in rows)
    return float(steep / sum((row["k"] - middle) ** 2 for row in rows))


def distributions(results: Results) -> list[Exhibit]:
    """Figures 4.3 and 4.4 of metrics, and 4.5 of utilities."""
    cells = release_groups_of(results)
    found = []
    for number, names in zip(("4.3", "4.4"), PARTS, strict=True):
        panels = [_spread(f"{THESIS[name]}: {name}", "scaled value", cells, name) for name in names]
        found.append(_figure(results, f"Figure {number}", "Metrics by algorithm", panels, cells, names))
    utilities = [_spread(name, name, cells, name) for name in UTILITIES]
    found.append(_utilities(results, utilities, cells))
    return found


def _figure(
    results: Results, number: str, title: str, panels: list[Panel], cells: list[ReleaseGroup], names: Sequence[str]
) -> Exhibit:
    twins, apart = (_separated(cells, names, pair) for pair in ((DATAFLY, SHUFFLED), (DATAFLY, MONDRIAN)))
    return Exhibit(
        number=number,
        title=title,
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "The two kinds of Datafly overlap, Mondrian stands apart.",
                f"a threshold tells the two kinds of Datafly apart in {twins:.0%} of cases on average, Datafly and "
                f"Mondrian in {apart:.0%} (50% would be by chance)",
                twins < 0.75 and apart > 0.9,
            ),
        ),
        notes=notes(
            results, PLOTTED, "Quantiles of the releases instead of histograms; metrics as nymity scales them."
        ),
    )


def _utilities(results: Results, panels: list[Panel], cells: list[ReleaseGroup]) -> Exhibit:
    twins = _separated(cells, UTILITIES, (DATAFLY, SHUFFLED))
    higher = [
        float(_of(cells, data, MONDRIAN, name).mean() - _of(cells, data, DATAFLY, name).mean())
        for data in data_sets(cells)
        for name in UTILITIES
    ]
    return Exhibit(
        number="Figure 4.5",
        title="Utilities by algorithm",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "Releases with shuffled hierarchies are as useful as the others.",
                f"a threshold tells the two kinds of Datafly apart in {twins:.0%} of cases on average",
                twins < 0.75,
            ),
            finding(
                results,
                "Mondrian's releases tend to be slightly more useful than Datafly's.",
                f"on average so in {sum(gap > 0 for gap in higher)} of {len(higher)} cases (data set and utility), "
                f"by {_mean(higher):.3f}",
                sum(gap > 0 for gap in higher) > len(higher) / 2 and _mean(higher) > 0,
            ),
        ),
        notes=notes(results, PLOTTED, "Quantiles of the releases instead of histograms."),
    )


def _spread(title: str, measure: str, cells: list[ReleaseGroup], name: str) -> Panel:
    """Quantiles of a metric or utility in each data set, by algorithm."""
    import numpy as np

    values = [
        Value(series=f"{cell.data}, {cell.algorithm}", at=f"{quantile:.0%}", ours=float(found))
        for cell in cells
        for quantile, found in zip(_QUANTILES, np.quantile(cell.figures(name), _QUANTILES), strict=True)
    ]
    return Panel(title=title, across="of the releases below", measure=measure, values=tuple(values))


def _separated(cells: list[ReleaseGroup], names: Sequence[str], pair: tuple[str, str]) -> float:
    """How well a threshold on one figure tells two algorithms apart: the mean of max(AUROC, 1 - AUROC)."""
    found = []
    for data in data_sets(cells):
        for name in names:
            first, second = (_of(cells, data, algorithm, name) for algorithm in pair)
            higher = (first[:, None] > second[None]).mean() + (first[:, None] == second[None]).mean() / 2
            found.append(max(higher, 1 - higher))
    return _mean(found)


def _of(cells: list[ReleaseGroup], data: str, algorithm: str, name: str) -> NDArray[np.float64]:
    return next(cell.figures(name) for cell in cells if (cell.data, cell.algorithm) == (data, algorithm))


def _mean(values: Sequence[float]) -> float:
    return float(sum(values) / len(values)) if values else float("nan")
