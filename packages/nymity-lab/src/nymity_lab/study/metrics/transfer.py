"""Figure 4.9 and tables 4.2 to 4.5: Meta-Metrics, and whether they are of use elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import finding, notes, span, where
from nymity_lab.study.metrics import paper
from nymity_lab.study.metrics.duels import PAIRS
from nymity_lab.study.metrics.meta import INNER, OUTER
from nymity_lab.study.metrics.release_groups import THESIS, data_sets, everywhere, of, percents, release_groups_of
from nymity_lab.study.study import Results, Rows

Rates = Mapping[tuple[str, str], float]


def meta_metrics(results: Results) -> list[Exhibit]:
    """Return the exhibits on Meta-Metrics."""
    return [_predictions(results), _own(results), _algorithms(results), _data(results), _utilities(results)]


def own_rates(results: Results) -> dict[str, float]:
    """How often Meta-Metrics pick the better of two releases they have not seen, by data set."""
    rows = [row for row in where(results.rows("meta"), by="utility") if row["to"] == row["utility"]]
    return {data: _weighted(where(rows, data=data)) for data in dict.fromkeys(row["data"] for row in rows)}


def transferred(results: Results, by: str) -> dict[tuple[str, str], float]:
    """The same where the ``algorithm``, ``data`` or ``utility`` is another: by what they were trained and used on."""
    rows = [row for row in where(results.rows("meta"), by=by) if row["to"] != row[by]]
    pairs = dict.fromkeys((row[by], row["to"]) for row in rows)
    return {(trained, used): _weighted(where(rows, **{by: trained, "to": used})) for trained, used in pairs}


def _predictions(results: Results) -> Exhibit:
    rows = where(results.rows("meta"), by="prediction")
    by_data = {data: where(rows, data=data) for data in dict.fromkeys(row["data"] for row in rows)}
    correlations = {data: _correlation(found) for data, found in by_data.items()}
    told = ", ".join(f"{data} {value:.2f}" for data, value in correlations.items())
    return Exhibit(
        number="Figure 4.9",
        title="Utility as Meta-Metrics predict it, and as it is",
        panels=tuple(_scatter(data, found) for data, found in by_data.items()),
        findings=(
            finding(
                results,
                "Most Meta-Metrics predict utility reasonably well; exceptions are on heart.",
                f"mean correlation of predicted and measured utility: {told}",
                correlations.get("heart", 1) == min(correlations.values()) and max(correlations.values()) > 0.5,
            ),
        ),
        notes=notes(
            results,
            "Points of all six utilities. Each release is predicted by a model that has not seen it.",
        ),
    )


def _scatter(data: str, rows: Rows) -> Panel:
    """Some releases of each Meta-Metric."""
    values = [
        Value(series=row["algorithm"], at=x, ours=y)
        for row in rows
        for x, y in list(zip(row["predicted"], row["measured"], strict=True))[:20]
    ]
    return Panel(title=data, across="predicted utility", measure="utility", values=tuple(values), plot="points")


def _correlation(rows: Rows) -> float:
    """The mean correlation of what Meta-Metrics predict with what was measured, where both vary."""
    import numpy as np

    varied = [row for row in rows if np.std(row["predicted"]) > 0 and np.std(row["measured"]) > 0]
    found = [float(np.corrcoef(row["predicted"], row["measured"])[0, 1]) for row in varied]
    return mean(found) if found else 0.0


def _own(results: Results) -> Exhibit:
    cells, rates = release_groups_of(results), own_rates(results)
    single = {d: [mean(cell.rate(name) for cell in of(cells, d)) for name in THESIS] for d in data_sets(cells)}
    values = [Value(series="Meta-Metric", at=d, ours=rate, paper=paper.META.get(d)) for d, rate in rates.items()]
    values += [Value(series="mean of the metrics", at=d, ours=mean(single[d])) for d in rates]
    values += [Value(series="best metric, in hindsight", at=d, ours=max(single[d])) for d in rates]
    gains = {data: 100 * (rate - mean(single[data])) for data, rate in rates.items()}
    over_best = {data: 100 * (rate - max(single[data])) for data, rate in rates.items()}
    panel = Panel(title="By data set", across="data set", measure="share of pairs", values=tuple(values), plot="none")
    return Exhibit(
        number="Table 4.2",
        title="How often Meta-Metrics pick the more useful of two releases",
        panels=(panel,),
        findings=(
            finding(
                results,
                "Meta-Metrics are better than the average metric, by less than 10 points.",
                f"by {span(gains.values())} points",
                min(gains.values()) > 0 and mean(gains.values()) < 10,
            ),
            finding(
                results,
                "On ring they are hardly better than the best metric; on birth much.",
                ", ".join(f"{data} {gain:+.1f} points" for data, gain in over_best.items()),
                over_best["ring"] < 1 and over_best["birth"] > 5 if {"ring", "birth"} <= set(rates) else None,
            ),
        ),
        notes=notes(results, *_budget(results, len(everywhere(cells)))),
    )


def _budget(results: Results, n_metrics: int) -> tuple[str, str]:
    """Return what the models had to learn from, and in which time."""
    models = where(results.rows("meta"), by="model")
    chosen = [kind for row in models for kind in row["chosen"]]
    kinds = sorted(set(chosen), key=lambda kind: -chosen.count(kind))
    told = ", ".join(f"{kind} {chosen.count(kind) / len(chosen):.0%}" for kind in kinds)
    seconds = mean(row["seconds"] for row in models)
    return (
        f"The budget: at most five kinds of models, compared by {INNER} parts of the training releases for each of "
        f"{OUTER} parts of the releases: {seconds:.1f} CPU seconds for a Meta-Metric and its tests; there, 24 hours. "
        f"Chosen were: {told}.",
        f"They learn from {n_metrics} metrics, all that are defined for every release. All releases are tested, each "
        "by a model of the other parts; pairs are of one part. There, a tenth of the releases is tested.",
    )


def _algorithms(results: Results) -> Exhibit:
    rates = transferred(results, "algorithm")
    twins = [rate for (a, b), rate in rates.items() if "mondrian" not in (a, b)]
    across = [rate for (a, b), rate in rates.items() if "mondrian" in (a, b)]
    return _table(
        results,
        "Table 4.3",
        "Meta-Metrics of one algorithm, used on another",
        rates,
        paper.ALGORITHMS,
        finding(
            results,
            "Meta-Metrics are of little use between Mondrian and Datafly (61% to 67%), of more between the two kinds "
            "of Datafly (77%, 82%).",
            f"{percents(across)} from or to Mondrian, {percents(twins)} between the two kinds of Datafly",
            mean(twins) > mean(across) + 0.02,
        ),
    )


def _data(results: Results) -> Exhibit:
    rates = transferred(results, "data")
    return _table(
        results,
        "Table 4.4",
        "Meta-Metrics of one data set, used on another",
        rates,
        paper.DATA,
        finding(
            results,
            "Meta-Metrics are specific to a data set: never above 78%.",
            f"{percents(rates.values())}, {mean(rates.values()):.1%} on average",
            max(rates.values()) <= 0.781,
        ),
    )


def _utilities(results: Results) -> Exhibit:
    rates = transferred(results, "utility")
    return _table(
        results,
        "Table 4.5",
        "Meta-Metrics of one utility, used for another",
        rates,
        paper.UTILITIES,
        finding(
            results,
            "Meta-Metrics are specific to a utility: never above 73%.",
            f"{percents(rates.values())}, {mean(rates.values()):.1%} on average",
            max(rates.values()) <= 0.73,
        ),
    )


def _table(
    results: Results, number: str, title: str, rates: Rates, printed: Mapping[tuple[str, str], float], finding: Finding
) -> Exhibit:
    values = [
        Value(series=f"used on {used}", at=trained, ours=rate, paper=printed.get((trained, used)))
        for (trained, used), rate in rates.items()
    ]
    panel = Panel(title=title, across="trained on", measure="share of pairs", values=tuple(values), plot="none")
    return Exhibit(
        number=number,
        title=title,
        panels=(panel,),
        findings=(finding,),
        notes=notes(results, f"Up to {PAIRS:,} pairs for each Meta-Metric, ties counted half; means over all of them."),
    )


def _weighted(rows: Rows) -> float:
    """The share of all pairs."""
    pairs = sum(row["pairs"] for row in rows)
    return float(sum(row["rate"] * row["pairs"] for row in rows) / pairs) if pairs else 0.5
