"""Table 4.1: how often a metric picks the more useful of two releases."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import finding, notes
from nymity_lab.study.metrics import paper
from nymity_lab.study.metrics.duels import PAIRS
from nymity_lab.study.metrics.release_groups import THESIS, ReleaseGroup, data_sets, of, percents, release_groups_of
from nymity_lab.study.metrics.work import UTILITIES
from nymity_lab.study.study import Results

#: By data set and metric.
Rates = dict[tuple[str, str], float]


def choices(results: Results) -> Exhibit:
    """Table 4.1, and what it would be if ties counted otherwise."""
    cells = release_groups_of(results)
    rates, generous = _by_metric(cells, ReleaseGroup.rate), _by_metric(cells, _generous)
    return Exhibit(
        number="Table 4.1",
        title="How often the better of two releases by a metric is the more useful one",
        panels=(
            _panel("Ties count half", rates),
            _panel("If a pair that is equally useful counted as right", generous),
            _ties(cells),
        ),
        findings=_findings(results, cells, rates, generous),
        notes=notes(
            results,
            f"Up to {PAIRS:,} pairs of each data set and algorithm, the same for all metrics and utilities. Metrics "
            "are the corrected ones; how they are scaled makes no difference between releases of one data set.",
            "How the thesis counts ties it does not say. Where most records are of one class, classifiers learn to "
            "always name it, and many releases are exactly equally accurate.",
        ),
    )


def _findings(results: Results, cells: list[ReleaseGroup], rates: Rates, generous: Rates) -> tuple[Finding, ...]:
    others = [rate for (data, _), rate in rates.items() if data != "heart"]
    ties = {data: mean(float(cell.duels.ties.mean()) for cell in of(cells, data)) for data in data_sets(cells)}
    told = ", ".join(f"{data} {share:.0%}" for data, share in ties.items())
    best = "heart" in ties and all(
        rates["heart", name] >= max(rates[data, name] for data in ties if data != "heart") for name in THESIS
    )
    return (
        finding(
            results,
            "On birth, ring and adult every metric picks the better one in 55% to 72% of pairs.",
            f"in {percents(others)}",
            all(0.55 <= rate <= 0.72 for rate in others),
        ),
        finding(
            results,
            "Every metric does best on heart, about 75%.",
            f"pairs that are equally useful: {told}. If these counted as right, the metrics had "
            f"{_of_heart(generous)} on heart; with ties as half they have {_of_heart(rates)}",
            best,
        ),
        finding(
            results,
            "The odds are better than a coin's, but on average by no more than 15 points.",
            f"{mean(rates.values()):.1%} on average over metrics and data sets",
            0.5 < mean(rates.values()) <= 0.65,
        ),
    )


def _by_metric(cells: list[ReleaseGroup], rate: Callable[[ReleaseGroup, str], float]) -> Rates:
    return {
        (data, name): mean(rate(cell, name) for cell in of(cells, data)) for data in data_sets(cells) for name in THESIS
    }


def _generous(cell: ReleaseGroup, name: str) -> float:
    return float(cell.duels.generous[cell.names.index(name)].mean())


def _of_heart(rates: Rates) -> str:
    found = [rate for (data, _), rate in rates.items() if data == "heart"]
    return percents(found)


def _panel(title: str, rates: Rates) -> Panel:
    printed = {(d, name): rate for d, row in paper.CHOICES.items() for name, rate in zip(THESIS, row, strict=True)}
    values = [Value(series=d, at=name, ours=rate, paper=printed.get((d, name))) for (d, name), rate in rates.items()]
    return Panel(title=title, across="metric", measure="share of pairs", values=tuple(values), plot="none")


def _ties(cells: list[ReleaseGroup]) -> Panel:
    values = [
        Value(series=data, at=utility, ours=mean(float(cell.duels.ties[u]) for cell in of(cells, data)))
        for u, utility in enumerate(UTILITIES)
        for data in data_sets(cells)
    ]
    title = "Pairs that are equally useful"
    return Panel(title=title, across="utility", measure="share of pairs", values=tuple(values), plot="none")
