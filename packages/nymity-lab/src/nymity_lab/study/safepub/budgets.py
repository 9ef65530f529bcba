"""How much of epsilon the search should have: beyond the paper."""

from __future__ import annotations

from nymity_lab.study.exhibit import Exhibit, Panel, Value
from nymity_lab.study.exhibit_parts import both, finding, notes, where
from nymity_lab.study.mean_interval import MeanInterval
from nymity_lab.study.safepub.exhibit_parts import PUBLISHED_FORM, TREES, scaled, task
from nymity_lab.study.safepub.learning import TREE
from nymity_lab.study.safepub.releases import PUBLISHED
from nymity_lab.study.safepub.steps import ANONYMIZATION, STEPS
from nymity_lab.study.study import Results, Row

#: The part that is held against the published form: what was best on the same table in the run of version 0.2.0.
BETTER = 0.3


def budgets(results: Results) -> Exhibit:
    """Return relative accuracies by the part of epsilon 1 that the search has, beside the published form."""
    rows = where(results.rows("budget"), classifier=TREE)
    first = {row["data"] for row in rows}
    published = [
        row
        for row in where(results.rows("learned"), way=PUBLISHED, steps=STEPS, classifier=TREE)
        if row["anonymization"] == ANONYMIZATION and row["data"] in first
    ]
    theirs = {task(row): _relative(results, row) for row in published}
    ours = {task(row): _relative(results, row) for row in where(rows, search=BETTER)}
    gains = {name: ours[name] - theirs[name] for name in ours}
    series = [("one draw", row["search"], row) for row in rows] + [("as published", 0.1, row) for row in published]
    values = [
        Value(series=f"{name}, {task(row)}{end}", at=search, ours=value)
        for name, search, row in series
        for end, value in _ends(_relative(results, row))
    ]
    return Exhibit(
        number="Beyond the paper, budget",
        title="What the search should have of epsilon 1",
        panels=(
            Panel(
                title="Relative accuracies of trees, with 95% intervals over draws",
                across="epsilon of the search, of 1",
                measure="relative accuracy",
                values=tuple(values),
                plot="none",
            ),
        ),
        findings=(
            finding(
                results,
                f"Ours: with {BETTER:g} of epsilon 1 for the search, one private draw is better than the published "
                "form (in every task).",
                "; ".join(f"{name} {ours[name].told('.3f')}, {gain.told('+.3f')}" for name, gain in gains.items()),
                both(*(gain.above(0) for gain in gains.values())),
            ),
        ),
        notes=notes(results, PUBLISHED_FORM, TREES, "By the score classification, at a total epsilon of 1."),
    )


def _relative(results: Results, row: Row) -> MeanInterval:
    same = where(results.rows("original"), data=row["data"], target=row["target"], classifier=row["classifier"])[0]
    return MeanInterval.of([scaled(each, same["accuracy"], same["zero_r"]) for each in row["each"]])


def _ends(interval: MeanInterval) -> list[tuple[str, float]]:
    ends = [(", from", interval.low), (", to", interval.high)] if interval.draws > 1 else []
    return [("", interval.mean), *ends]
