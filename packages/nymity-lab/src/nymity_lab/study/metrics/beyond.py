"""Beyond the thesis: how far any metric could get, our candidate for one that predicts, and figures for users."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import finding, notes, where
from nymity_lab.study.metrics.duels import Duels, mean_with_interval
from nymity_lab.study.metrics.release_groups import ReleaseGroup, release_groups_of
from nymity_lab.study.metrics.transfer import own_rates, transferred
from nymity_lab.study.metrics.work import PROXY, UTILITIES
from nymity_lab.study.study import Results, Row, Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def beyond(results: Results) -> list[Exhibit]:
    """Return what the thesis does not have."""
    return [_ceiling(results), _candidate(results)]


def trust(results: Results) -> Rows:
    """How often each metric picked the more useful of two releases: over all utilities and for each, with intervals."""
    cells = release_groups_of(results)
    rows: Rows = []
    for score, name in enumerate(cells[0].names):
        defined = [cell for cell in cells if cell.defined(name)]
        for at, utility in ((None, "all"), *enumerate(UTILITIES)) if defined else ():
            rate, low, high = mean_with_interval([cell.duels for cell in defined], score, at)
            row: Row = {"metric": name, "utility": utility, "rate": rate, "low": low, "high": high}
            row |= {"releases": sum(len(cell.rows) for cell in defined)}
            rows.append(row | {"pairs": sum(len(cell.duels.pairs) for cell in defined)})
    return rows


# -- how far one could get -------------------------------------------------------------------------------------


def _ceiling(results: Results) -> Exhibit:
    """How far utilities agree with each other, and what a score could reach at most that does not know which counts."""
    cells = release_groups_of(results)
    agree = {
        (first, second): mean(_agreement(cell, i, j) for cell in cells)
        for i, first in enumerate(UTILITIES)
        for j, second in enumerate(UTILITIES)
        if i != j
    }
    reached = {
        "mean metric": mean(row["rate"] for row in where(trust(results), utility="all")),
        "another utility": mean(agree.values()),
        "the same utility, on other records": mean(_repeated(cell) for cell in cells),
        "best possible for all six at once": mean(_most(cell.duels) for cell in cells),
    }
    table = [Value(series=f"for {second}", at=first, ours=rate) for (first, second), rate in agree.items()]
    bars = [Value(series=series, at="all", ours=rate) for series, rate in reached.items()]
    measure = "share of pairs"
    return Exhibit(
        number="Beyond 1",
        title="How often one utility picks the more useful of two releases by another",
        panels=(
            Panel(title="Utilities", across="utility", measure=measure, values=tuple(table), plot="none"),
            Panel(title="How far one could get", across="utilities", measure=measure, values=tuple(bars)),
        ),
        findings=(_fault(results, *reached.values()),),
        notes=notes(
            results,
            "The best possible score sides with the majority of utilities in each pair. It is known only afterwards.",
            "Releases have cells of many values, records to test have single ones, so that a classifier meets vectors "
            "unlike those it learned from. What it makes of them depends on the classifier more than on the release.",
        ),
    )


def _fault(results: Results, metric: float, utility: float, again: float, most: float) -> Finding:
    return finding(
        results,
        "Metrics are poor predictors of utility (section 6.1; here: worse than another utility, by 5 points).",
        f"one utility picks the better release by another in {utility:.1%} of pairs, metrics on average in "
        f"{metric:.1%}; a score that is the same for all six utilities can reach {most:.1%} at most. A utility "
        f"measured on one half of the tested records picks the better release by the other half in {again:.1%}",
        utility > metric + 0.05,
    )


def _agreement(cell: ReleaseGroup, first: int, second: int) -> float:
    """How often one utility, taken as a score, picks the better release by another."""
    measured = cell.duels.utilities
    return float(Duels(scores=measured[[first]], utilities=measured[[second]]).rates[0, 0])


def _repeated(cell: ReleaseGroup) -> float:
    """How often a utility on one half of the tested records picks the better release by the other half."""
    import numpy as np

    one, other = (np.stack(list(half.values())) for half in cell.halves)
    return float(np.diagonal(Duels(scores=one, utilities=other).rates).mean())


def _most(duels: Duels) -> float:
    """What siding with the majority of utilities in each pair is credited with on average."""
    import numpy as np

    first, second = duels.pairs.T
    gaps = np.sign(np.round(duels.utilities[:, first] - duels.utilities[:, second], 12))
    return float(np.mean((1 + np.abs(gaps.mean(axis=0))) / 2))


# -- our candidate ---------------------------------------------------------------------------------------------


def _candidate(results: Results) -> Exhibit:
    rows = trust(results)
    overall = {row["metric"]: row for row in where(rows, utility="all")}
    by_utility = {(row["metric"], row["utility"]): row["rate"] for row in rows}
    order = sorted(overall, key=lambda name: -overall[name]["rate"])
    bars = [Value(series=name, at="all", ours=overall[name]["rate"]) for name in order]
    parts = ("rate", "low", "high", "pairs")
    exact = [Value(series=part, at=name, ours=overall[name][part]) for name in order for part in parts]
    split = [Value(series=used, at=name, ours=by_utility[name, used]) for name in order for used in UTILITIES]
    measure = "share of pairs"
    return Exhibit(
        number="Beyond 2",
        title="A metric that predicts usefulness?",
        panels=(
            Panel(title="All metrics", across="utilities", measure=measure, values=tuple(bars)),
            _elsewhere(results, overall[PROXY]["rate"]),
            Panel(title="With 95% intervals", across="metric", measure=measure, values=tuple(exact), plot="none"),
            Panel(title="By utility", across="metric", measure=measure, values=tuple(split), plot="none"),
        ),
        findings=(_question(results, overall, by_utility),),
        notes=notes(
            results,
            f"{PROXY}: the held-out AUROC of naive Bayes on released cells. It knows the column to predict, but "
            "neither the classifiers nor the records they are tested on. It was chosen on releases of other numbers.",
            "The best of the metrics is known only afterwards, which favours it. Metrics of levels are defined for "
            "Datafly alone, and have fewer pairs.",
        ),
    )


def _question(results: Results, overall: dict[str, Row], by_utility: dict[tuple[str, str], float]) -> Finding:
    everywhere = [name for name in overall if name != PROXY and overall[name]["pairs"] == overall[PROXY]["pairs"]]
    best = max(everywhere, key=lambda name: overall[name]["rate"])
    gap, low, high = (100 * value for value in _gain(release_groups_of(results), best))
    ours, theirs = (by_utility[name, "LR AUROC"] for name in (PROXY, best))
    return finding(
        results,
        "Open question (section 6.3): could there be a metric that predicts utility?",
        f"{PROXY} picks the better release in {overall[PROXY]['rate']:.1%} of pairs, {best}, the best of the metrics, "
        f"in {overall[best]['rate']:.1%}: {gap:+.1f} points ({low:+.1f} to {high:+.1f}). By the AUROC of logistic "
        f"regression it is {ours:.1%} and {theirs:.1%}",
        True if low > 0 else False if high < 0 else None,
    )


def _elsewhere(results: Results, proxy: float) -> Panel:
    """Scores that are trained: where they were trained, and elsewhere; beside ours, which has no training."""
    reached = {"Meta-Metric, where it was trained": mean(own_rates(results).values())}
    for by in ("algorithm", "data", "utility"):
        what = "data set" if by == "data" else by
        reached[f"Meta-Metric of another {what}"] = mean(transferred(results, by).values())
    for kind, title in (("metrics", "sum of metrics"), ("with-learnability", f"sum of metrics and {PROXY}")):
        for by, told in (("data", "data sets"), ("algorithm", "algorithms")):
            found = where(results.rows(f"pooled.{kind}"), by=f"other {by}")
            reached[f"{title}, of all other {told}"] = mean(row["rate"] for row in found)
    values = [Value(series=series, at="all", ours=rate) for series, rate in (reached | {PROXY: proxy}).items()]
    return Panel(title="Where it was not trained", across="utilities", measure="share of pairs", values=tuple(values))


def _gain(cells: list[ReleaseGroup], other: str) -> tuple[float, float, float]:
    """How many more pairs our candidate tells than another metric, as a share, and the 95% interval of that."""
    import numpy as np

    def difference(rates: NDArray[np.float64], cell: ReleaseGroup) -> NDArray[np.float64]:
        ours, theirs = cell.names.index(PROXY), cell.names.index(other)
        return (rates[..., ours, :] - rates[..., theirs, :]).mean(axis=-1)  # type: ignore[no-any-return]

    gap = float(np.mean([difference(cell.duels.rates, cell) for cell in cells]))
    drawn = np.mean([difference(cell.duels.resampled, cell) for cell in cells], axis=0)
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return gap, float(low), float(high)
