"""Figures 4.1, 4.2, 4.6, 4.7, 4.8 and appendix A: lines through metrics and utilities, and effect sizes."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import TYPE_CHECKING

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import PLOTTED, finding, notes
from nymity_lab.study.metrics.release_groups import PARTS, THESIS, ReleaseGroup, data_sets, of, release_groups_of
from nymity_lab.study.metrics.work import UTILITIES
from nymity_lab.study.study import Results

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Releases of each data set and algorithm that are drawn as points.
_DRAWN = 25
_STEADY = ("classification", "diameter", "average-class-size")
_UNSTEADY = ("hellinger", "information-loss", "squared-distance")
_FLAT = ("bivariate-correlation", "diameter", "discernibility")
#: Metrics in the order of figures A.1 to A.11.
_APPENDIX = (
    "entropy-conditional", "classification", "diameter", "ambiguity", "average-class-size", "bivariate-correlation",
    "discernibility", "squared-distance", "granularity", "hellinger", "information-loss",
)  # fmt: skip


def scatterplots(results: Results) -> list[Exhibit]:
    """Figures 4.1 and 4.2: each metric against each utility, a line for each data set."""
    cells = release_groups_of(results)
    found = []
    for part, (number, names) in enumerate(zip(("4.1", "4.2"), PARTS, strict=True)):
        panels = [_points(cells, name, utility, by_algorithm=False) for name in names for utility in UTILITIES]
        slopes = [_slopes(cells, names, utility) for utility in UTILITIES]
        found.append(
            Exhibit(
                number=f"Figure {number}",
                title=f"Metrics and utilities, a line for each data set (part {part + 1})",
                panels=(*panels, *slopes),
                findings=(_steadiness(results, cells),) if part == 0 else (_flatness(results, cells),),
                notes=notes(
                    results,
                    PLOTTED,
                    f"Of each data set and algorithm {_DRAWN} releases are drawn; the tables have correlations of all.",
                ),
            )
        )
    return found


def by_algorithm(results: Results) -> list[Exhibit]:
    """Figures 4.6 and 4.7: a line for each data set and algorithm."""
    cells = release_groups_of(results)
    agreement = {name: _agreement(cells, name) for name in THESIS}
    found = []
    for number, name, paper, holds in (
        ("4.6", "granularity", "Lines of one data set agree between algorithms.", agreement["granularity"] > 0.5),
        (
            "4.7",
            "hellinger",
            "Lines of one data set agree less between algorithms than granularity's do.",
            agreement["hellinger"] < agreement["granularity"],
        ),
    ):
        told = (
            f"all three algorithms have a line of the same direction in {agreement[name]:.0%} of cases (data set and "
        )
        told += f"utility; by chance 25%), granularity in {agreement['granularity']:.0%}"
        found.append(
            Exhibit(
                number=f"Figure {number}",
                title=f"{name.capitalize()} and utilities, a line for each data set and algorithm",
                panels=tuple(_points(cells, name, utility, by_algorithm=True) for utility in UTILITIES),
                findings=(finding(results, paper, told, holds),),
                notes=notes(results, PLOTTED),
            )
        )
    return found


def appendix(results: Results) -> Exhibit:
    """Figures A.1 to A.11: the lines of all metrics by data set and algorithm, as correlations."""
    cells = release_groups_of(results)
    agreement = {name: _agreement(cells, name) for name in _APPENDIX}
    panels = [
        Panel(
            title=f"A.{number}: {name}",
            across="utility",
            measure="correlation with a better metric",
            values=tuple(
                Value(series=f"{cell.data}, {cell.algorithm}", at=utility, ours=_correlation([cell], name, utility))
                for cell in cells
                for utility in UTILITIES
            ),
        )
        for number, name in enumerate(_APPENDIX, start=1)
    ]
    told = ", ".join(f"{name} {share:.0%}" for name, share in agreement.items())
    return Exhibit(
        number="Appendix A",
        title="Lines of all metrics, for each data set and algorithm",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "On one data set, the lines of a metric do not always agree between algorithms.",
                f"all three of the same direction in so many of the cases (by chance 25%): {told}",
                min(agreement.values()) < 0.9,
            ),
        ),
        notes=notes(results, PLOTTED, "Correlations, which are the slopes of standardized figures, instead of lines."),
    )


def effect_sizes(results: Results) -> Exhibit:
    """Figure 4.8: regressions of each utility on all metrics together."""
    effects = _effects(release_groups_of(results))
    order = sorted(effects, key=lambda name: -effects[name][0])
    values = [Value(series=name, at="all", ours=effects[name][0]) for name in order]
    intervals = [
        Value(series=series, at=name, ours=bound)
        for name in order
        for series, bound in zip(("effect", "from", "to"), effects[name], strict=True)
    ]
    measure = "mean |coefficient|"
    return Exhibit(
        number="Figure 4.8",
        title="Average effect size of metrics in linear regressions",
        panels=(
            Panel(title="Effect sizes", across="regressions", measure=measure, values=tuple(values)),
            Panel(title="95% intervals", across="metric", measure=measure, values=tuple(intervals), plot="none"),
        ),
        findings=_of_effects(results, order, min(low for _, low, _ in effects.values())),
        notes=notes(
            results,
            PLOTTED,
            "Metrics of one data set and algorithm are nearly multiples of each other, so that single coefficients of "
            "such regressions mean little: they depend on which metrics are in the sum.",
        ),
    )


# -- panels ----------------------------------------------------------------------------------------------------


def _points(cells: list[ReleaseGroup], name: str, utility: str, *, by_algorithm: bool) -> Panel:
    values = [
        Value(series=f"{cell.data}, {cell.algorithm}" if by_algorithm else cell.data, at=float(x), ours=float(y))
        for cell in cells
        for x, y in list(zip(cell.metric(name), cell.utilities[utility], strict=True))[:_DRAWN]
    ]
    return Panel(title=f"{name}, {utility}", across=name, measure=utility, values=tuple(values), plot="points")


def _slopes(cells: list[ReleaseGroup], names: Sequence[str], utility: str) -> Panel:
    values = [
        Value(series=data, at=name, ours=_correlation(of(cells, data), name, utility))
        for name in names
        for data in data_sets(cells)
    ]
    title = f"Correlation of a better metric with {utility}, over all algorithms"
    return Panel(title=title, across="metric", measure="correlation", values=tuple(values), plot="none")


# -- findings --------------------------------------------------------------------------------------------------


def _steadiness(results: Results, cells: list[ReleaseGroup]) -> Finding:
    steady, unsteady = (mean(_same_direction(cells, name) for name in names) for names in (_STEADY, _UNSTEADY))
    return finding(
        results,
        "Lines of classification, diameter and average class size agree between data sets, those of Hellinger, "
        "information loss and squared distance do not.",
        f"of two data sets, the lines have the same direction in {steady:.0%} and {unsteady:.0%} of cases",
        steady > unsteady + 0.05,
    )


def _flatness(results: Results, cells: list[ReleaseGroup]) -> Finding:
    def strength(names: Sequence[str]) -> float:
        found = [abs(_correlation([cell], n, u)) for n in names for cell in cells for u in UTILITIES]
        return mean(found)

    flat, others = strength(_FLAT), strength([name for name in THESIS if name not in _FLAT])
    return finding(
        results,
        "Bivariate correlation, diameter and discernibility have no linear correlation with utility.",
        f"within data set and algorithm, the mean |correlation| is {flat:.2f}; of the other metrics {others:.2f}",
        flat < 0.1,
    )


def _of_effects(results: Results, order: Sequence[str], least: float) -> tuple[Finding, ...]:
    largest = {"average-class-size", "granularity", "discernibility"}
    smallest = {"hellinger", "bivariate-correlation", "squared-distance"}
    return (
        finding(
            results,
            "Average class size, granularity and discernibility have the largest effects.",
            f"the largest are {', '.join(order[:3])}",
            set(order[:3]) == largest,
        ),
        finding(
            results,
            "Hellinger, bivariate correlation and squared distance have the smallest.",
            f"the smallest are {', '.join(order[-3:])}",
            set(order[-3:]) == smallest,
        ),
        finding(results, "No interval reaches 0.", f"the least lower end is {least:.4f}", least > 0),
    )


def _same_direction(cells: list[ReleaseGroup], name: str) -> float:
    """The share of pairs of data sets whose lines, over all algorithms, point the same way; flat ones have no way."""
    found = []
    for utility in UTILITIES:
        lines = [_correlation(of(cells, data), name, utility) for data in data_sets(cells)]
        found += [lines[i] * lines[j] >= 0 for j in range(len(lines)) for i in range(j)]
    return mean(found) if found else 1.0


def _agreement(cells: list[ReleaseGroup], name: str) -> float:
    """The share of data sets and utilities in which no two lines of algorithms point opposite ways."""
    found = []
    for data in data_sets(cells):
        for utility in UTILITIES:
            lines = [_correlation([cell], name, utility) for cell in of(cells, data)]
            found.append(min(lines) >= 0 or max(lines) <= 0)
    return mean(found)


def _correlation(cells: list[ReleaseGroup], name: str, utility: str) -> float:
    """Of a metric with its sign turned, so that more is better, and a utility; 0 where one of them does not vary."""
    import numpy as np

    x = -np.concatenate([cell.metric(name) for cell in cells])
    y = np.concatenate([cell.utilities[utility] for cell in cells])
    if x.std() < 1e-12 or y.std() < 1e-12:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _effects(cells: list[ReleaseGroup]) -> dict[str, tuple[float, float, float]]:
    """Mean |coefficient| of each standardized metric over the regressions of each utility, and its 95% interval."""
    import numpy as np

    found = np.array([_coefficients(cell, utility) for cell in cells for utility in UTILITIES])  # (fits, metrics)
    middle, error = found.mean(axis=0), 1.96 * found.std(axis=0, ddof=1) / len(found) ** 0.5
    return {name: (float(m), float(m - e), float(m + e)) for name, m, e in zip(THESIS, middle, error, strict=True)}


def _coefficients(cell: ReleaseGroup, utility: str) -> NDArray[np.float64]:
    """Least squares on standardized metrics; of several solutions the shortest, so that one without variance has 0."""
    import numpy as np

    x = np.stack([cell.metric(name) for name in THESIS], axis=1)
    width = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(width > 1e-12, width, np.inf)
    y = cell.utilities[utility]
    return np.asarray(np.abs(np.linalg.lstsq(x, y - y.mean(), rcond=1e-10)[0]))
