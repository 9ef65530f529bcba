"""What is lost: figures 12 to 14, and what keeping the promise costs."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import finding, not_comparable, notes, where
from nymity_lab.study.safepub import paper
from nymity_lab.study.safepub.exhibit_parts import DATA, PLOTTED, PUBLISHED_FORM, listed
from nymity_lab.study.safepub.releases import BEST, BEST_HERE, DRAW, PUBLISHED, SAMPLING
from nymity_lab.study.safepub.work import BINS
from nymity_lab.study.study import Results, Rows

LOSS = "information lost"


def figure_12(results: Results) -> Exhibit:
    """Figure 12."""
    rows = results.rows("space")
    models = list(dict.fromkeys(row["model"] for row in rows))
    gaps = Panel(
        title="Loss beyond the best node's, mean of several draws",
        across="draw",
        measure=LOSS,
        values=tuple(
            Value(series=f"{row['model']}, {of}", at=_drawn(row["epsilon"]), ours=row[key])
            for row in rows
            for key, of in (("gap", "of the table"), ("share", "of what the best node keeps"))
        ),
        plot="none",
    )
    return Exhibit(
        number="Figure 12",
        title="Single draws from all nodes",
        panels=(*(_masses(where(rows, model=model), model) for model in models), gaps),
        findings=_single_draws(results, rows),
        notes=notes(
            results,
            PLOTTED,
            "One sample of the first table; draws with the paper's sensitivity. Gaps are shown as shares of the "
            "table, and of what the best node keeps; what the paper's percentages are of it does not say.",
            DATA,
        ),
    )


def _masses(rows: Rows, model: str) -> Panel:
    values = [
        Value(series=_drawn(row["epsilon"]), at=(i + 0.5) / BINS, ours=mass)
        for row in rows
        for i, mass in enumerate(row["masses"])
    ]
    across = "score, from the worst node to the best"
    return Panel(title=f"{model}: scores of draws", across=across, measure="probability", values=tuple(values))


def _single_draws(results: Results, rows: Rows) -> tuple[Finding, ...]:
    means, gap, share = (
        {m: {row["epsilon"]: row[key] for row in where(rows, model=m)} for m in ("entropy", "group-size")}
        for key in ("score", "gap", "share")
    )
    told = {
        m: f"by other denominators {gap[m][0.1]:.1%} and {gap[m][0.0001]:.1%} of the table, {share[m][0.1]:.1%} and "
        f"{share[m][0.0001]:.1%} of what the best node keeps, at 0.1 and 0.0001"
        for m in gap
    }
    return (
        finding(
            results,
            "At 0.1 draws are clearly better than by lot (here: mean score at least a tenth of the range higher).",
            "; ".join(f"{m}: {of[None]:.2f} by lot, {of[0.1]:.2f} at 0.1" for m, of in means.items()),
            all(of[0.1] - of[None] >= 0.1 for of in means.values()),
        ),
        not_comparable(
            f"Group size: on average less than {paper.GROUP_GAP:.0%} is lost beyond the best node.", told["group-size"]
        ),
        not_comparable(
            f"Entropy: from {paper.ENTROPY_GAPS[0]:.0%} at 0.1 to {paper.ENTROPY_GAPS[1]:.0%} at 0.0001.",
            told["entropy"],
        ),
    )


def _drawn(epsilon: float | None) -> str:
    return "by lot" if epsilon is None else f"epsilon {epsilon:g}"


def figure_13(results: Results) -> Exhibit:
    """Figure 13."""
    rows = [row for row in results.rows("losses") if row["model"] != "group-size"]
    panels = [
        Panel(
            title=f"{data}, {model}",
            across="model",
            measure=LOSS,
            values=tuple(
                Value(series=row["way"], at=model, ours=row["loss"]) for row in where(rows, data=data, model=model)
            ),
        )
        for data, model in dict.fromkeys((row["data"], row["model"]) for row in rows)
    ]
    return Exhibit(
        number="Figure 13",
        title="Information lost by SafePub and by what it is compared with",
        panels=tuple(panels),
        findings=(*_ranges(results, rows), *_gap(results, rows), _group_size(results)),
        notes=notes(
            results,
            PLOTTED,
            DATA,
            PUBLISHED_FORM,
            "Each way is judged by the model that its score stands for. Losses are defined in "
            "nymity_lab/study/safepub/lost.py; entropy counts records with a published value in the whole table.",
        ),
    )


def _ranges(results: Results, rows: Rows) -> Iterator[Finding]:
    for model, (low, high) in paper.LOSSES.items():
        ours = {row["data"]: row["loss"] for row in where(rows, way=PUBLISHED, model=model)}
        yield finding(
            results,
            f"SafePub loses {low:.0%} to {high:.0%} by {model} (here: within two points of that).",
            listed(ours),
            all(low - 0.02 <= loss <= high + 0.02 for loss in ours.values()),
        )
    sampling = {row["data"]: row["loss"] for row in where(rows, way=SAMPLING, model="discernibility")}
    yield finding(
        results,
        "Sampling alone takes 41% (here: within a point).",
        listed(sampling),
        all(abs(loss - paper.SAMPLING_LOSS) <= 0.01 for loss in sampling.values()),
    )


def _gap(results: Results, rows: Rows) -> Iterator[Finding]:
    """Compare with the best node, by data set and model."""
    found = {(row["data"], row["model"], row["way"]): row["loss"] for row in rows}
    gaps = {
        f"{data} {model}": loss - found[data, model, BEST]
        for (data, model, way), loss in found.items()
        if way == PUBLISHED
    }
    yield finding(
        results,
        "On average SafePub is less than 3% from the best that it could have published.",
        f"as published {mean(gaps.values()):.1%} on average: " + listed(gaps),
        mean(gaps.values()) < paper.GAP,
    )


def _group_size(results: Results) -> Finding:
    rows = [row for row in results.rows("losses") if row["model"] == "group-size"]
    return finding(
        results,
        "By group size every way loses less than 2%.",
        f"{max(row['loss'] for row in rows):.2%} at most",
        all(row["loss"] < paper.GROUP_SIZE for row in rows),
    )


def figure_14(results: Results) -> Exhibit:
    """Figure 14."""
    rows = results.rows("searches")
    models = list(dict.fromkeys(row["model"] for row in rows))
    best = {m: min(where(rows, model=m, way=DRAW), key=lambda row: row["loss"]) for m in models}
    return Exhibit(
        number="Figure 14",
        title="Steps, and the part of epsilon 1 that the search has",
        panels=tuple(_by_search(where(rows, model=model), model) for model in models),
        findings=_steps_and_budget(results, where(rows, way=PUBLISHED), models),
        notes=notes(
            results,
            PLOTTED,
            "On the first table; the paper shows Health interviews and calls them representative.",
            PUBLISHED_FORM,
            "The default loses least with a search of "
            + "; ".join(f"{row['search']:g} by {m} ({row['loss']:.1%})" for m, row in best.items()),
        ),
    )


def _by_search(rows: Rows, model: str) -> Panel:
    values = [
        Value(
            series=f"as published, {row['steps']} steps" if row["way"] == PUBLISHED else row["way"],
            at=row["search"],
            ours=row["loss"],
        )
        for row in rows
    ]
    return Panel(title=model, across="epsilon of the search", measure=LOSS, values=tuple(values))


def _steps_and_budget(results: Results, walks: Rows, models: list[str]) -> tuple[Finding, ...]:
    few, many = min(row["steps"] for row in walks), max(row["steps"] for row in walks)
    largest = max(row["search"] for row in walks)
    loss = {(row["model"], row["search"], row["steps"]): row["loss"] for row in walks}
    by_steps = {m: (loss[m, 0.1, few], loss[m, 0.1, many]) for m in models}
    by_search = {m: (loss[m, 0.1, many], loss[m, largest, many]) for m in models}
    return (
        finding(
            results,
            "More steps lose less.",
            "; ".join(f"{m}: {a:.1%} with {few} steps, {b:.1%} with {many}" for m, (a, b) in by_steps.items()),
            all(b < a for a, b in by_steps.values()),
        ),
        finding(
            results,
            "0.1 for the search loses less than a large part of epsilon.",
            "; ".join(f"{m}: {a:.1%} at 0.1, {b:.1%} at {largest:g}" for m, (a, b) in by_search.items()),
            all(a < b for a, b in by_search.values()),
        ),
    )


def honesty(results: Results) -> Exhibit:
    """What keeping the promise costs: beyond the paper."""
    rows = results.rows("losses")
    loss = {(row["data"], row["model"], row["way"]): row["loss"] for row in rows}
    keys = list(dict.fromkeys((row["data"], row["model"]) for row in rows))
    parts = {
        "one draw less as published": (DRAW, PUBLISHED),
        "our k less the published one, at best": (BEST_HERE, BEST),
        "one draw less the best for our k": (DRAW, BEST_HERE),
    }
    values = tuple(
        Value(series=name, at=f"{data}, {model}", ours=loss[data, model, above] - loss[data, model, below])
        for data, model in keys
        for name, (above, below) in parts.items()
    )
    costs = {f"{data} {model}": loss[data, model, DRAW] - loss[data, model, PUBLISHED] for data, model in keys}
    return Exhibit(
        number="Beyond the paper",
        title="What keeping the promise costs",
        panels=(
            Panel(title="Differences of losses", across="table and model", measure=LOSS, values=values, plot="none"),
        ),
        findings=(
            finding(
                results,
                "A release that keeps the promise loses about as much as the published form (our question; at most two "
                "points more on average).",
                f"{mean(costs.values()):+.1%} on average: " + listed(costs, "+.1%"),
                mean(costs.values()) <= 0.02,
            ),
        ),
        notes=notes(
            results,
            PUBLISHED_FORM,
            "Below 0 a release that keeps the promise loses less.",
        ),
    )
