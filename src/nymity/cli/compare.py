"""``nymity compare``: what a release lost against the original, by every loss and metric."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from nymity.cli import learning
from nymity.cli.console import Screen, add_row, bar, table
from nymity.cli.given import Given, Original, read_original_given, refuse_release
from nymity.cli.inputs import load_job, open_released
from nymity.cli.private import about_private
from nymity.cli.shared_options import AsJson, JobOption, Quiet, RecodingOption, ReleaseArgument
from nymity.core.wording import count, percent

if TYPE_CHECKING:
    from nymity.publishing.comparing.compare import Comparison
    from nymity.publishing.comparing.estimates import Estimate
    from nymity.publishing.releases.opened import OpenedRelease
    from nymity.risk.changed_columns import ChangedColumns

EXAMPLES = (
    "nymity compare patients.csv release",
    "nymity compare job.toml release",
    "nymity compare patients.csv received.csv --job job.toml --recoding release-custodian",
    "nymity compare patients.csv release --target diagnosis --classifier decision-tree",
)

_ARROWS = {"lower": "↓", "higher": "↑"}
_BAR = 14


def command(
    original: Original,
    release: ReleaseArgument,
    job: JobOption = None,
    recoding: RecodingOption = None,
    target: learning.Target = None,
    classifier: learning.Classifiers = None,
    folds: learning.Folds = 5,
    links: learning.Links = None,
    test: learning.Holdout = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show what a release lost against the original.

    Begins with what was kept, what was lost most, and what that means for the job's target, or for counting. Then every
    loss and metric is shown raw, and scaled from 0% (the original) to 100% (everything suppressed).
    Columns that transforms changed are measured beside the custodian's folder.
    With --target classifiers are trained on both tables, too, and tested on original records.
    """
    from nymity.publishing.comparing.compare import compare
    from nymity.quality.metric import GROUPS
    from nymity.quality.trust import ENCODING

    screen = Screen(quiet=quiet, as_json=as_json)
    refuse_release("compare", original)
    opened = open_released(release, job, recoding=recoding, links=links)
    before = read_original_given("compare", original, opened)
    found = compare(before, opened)
    asked = target if target is not None else _target(original, opened)
    plainly = found.plainly(before, opened, target=asked)
    private, changed = about_private(screen, opened), _changed_columns(before, opened)
    screen.line(f"{original} against {release}", style="bold")
    screen.show(*plainly, "")
    screen.show(
        f"{found.suppressed:,} of {count(found.records, 'record')} suppressed "
        f"({percent(found.suppressed / found.records)}). Scaled: 0% is the original, 100% is everything suppressed.",
        "",
        *(part for group in GROUPS for part in (_measured(found, group), "")),
        _picks(found),
        "",
        *_undefined(found),
        _attributes(found),
        "",
        *_estimates(found),
        *_changed(changed, opened),
        "↓ lower is better, ↑ higher is better:",
        _legend(found),
    )
    learned = learning.compare_learning(
        screen,
        target,
        before,
        opened,
        test=test,
        classifiers=classifier,
        folds=folds,
    )
    screen.answer(
        {
            **private,
            "plainly": list(plainly),
            **found.to_dict(),
            **learned,
            **({} if changed is None else {"changed_columns": asdict(changed)}),
            "picks": _rates(found),
            "picks_encoding": ENCODING,
        }
    )


def _target(original: Path, opened: OpenedRelease) -> str | None:
    """Return the target that a job names, of the two that may have been given."""
    named = opened.job if opened.job is not None else load_job(original) if Given.of(original).kind == "job" else None
    return None if named is None else named.target


def _measured(comparison: Comparison, group: str) -> Table:
    """Show what has a value; scaled values may lie below 0% and above 100%."""
    from nymity.quality.trust import picked

    shown = table(group, "value", "", "scaled", "", "picks", right=("value", "", "picks"))
    for m in comparison.measured:
        if m.group == group and m.value is not None:
            scale = (None, None) if m.scaled is None else (bar(m.scaled, _BAR), percent(m.scaled))
            add_row(shown, m.name, m.value, _ARROWS[m.better], *scale, picked(m.key))
    return shown


def _rates(comparison: Comparison) -> dict[str, Any]:
    """How often each metric picked the better of two releases in our study; None if it is not studied yet."""
    from nymity.quality.trust import measured_trust

    trust = measured_trust()
    return {m.key: asdict(trust[m.key].overall) if m.key in trust else None for m in comparison.measured}


def _picks(comparison: Comparison) -> str:
    """Return how far metrics can be trusted."""
    from nymity.quality.trust import measured_trust, trust_source

    about, rates = trust_source(), {key: share["rate"] for key, share in _rates(comparison).items() if share}
    best = max(rates, key=lambda key: rates[key])
    published = measured_trust("as published")[best].overall.rate
    return (
        f"picks: in how many pairs of releases of our study {about['name']!r} the metric picked the one that "
        f"classifiers learned more from ({about['releases']:,} releases of {len(about['data'])} data sets), features "
        f"that no cell tells apart being joined. A coin picks 50%, the best of these {rates[best]:.0%} ({best}; by the "
        f"literature's encoding {published:.0%}): use with care, and measure your own task (--target)."
    )


def _undefined(comparison: Comparison) -> list[Table | str]:
    """Return what has no value or no scale, and why, those with the same reason together."""
    reasons: dict[str, list[str]] = {}
    for m in comparison.measured:
        if m.undefined is not None:
            reasons.setdefault(m.undefined, []).append(m.name)
    shown = table("undefined", "because")
    for why, names in reasons.items():
        add_row(shown, ", ".join(names), why)
    return [shown, ""] if reasons else []


def _legend(comparison: Comparison) -> Table:
    shown = Table.grid(padding=(0, 3, 0, 0))
    shown.add_column(no_wrap=True)
    shown.add_column()
    for m in comparison.measured:
        add_row(shown, m.name, f"{m.title} ({m.unit})", style="dim")
    return shown


def _estimates(comparison: Comparison) -> list[Table | str]:
    """Return what the sample says of the population, before and after."""
    if not comparison.estimates:
        return []
    shown = table("estimate", "original", "published", "change", right=("original", "published", "change"))
    for one in comparison.estimates:
        what = " ".join(part for part in (one.figure, one.column, one.value) if part)
        figures = [None if f is None else _figure(one, f) for f in (one.original, one.published)]
        add_row(shown, what, *figures, None if one.change is None else f"{100 * one.change:+.2f}%")
    return [shown, ""]


def _changed_columns(original: Any, opened: OpenedRelease) -> ChangedColumns | None:
    """Measure what transforms made of columns; None without any, or without the link from rows to records."""
    from nymity.risk import changed_columns

    released = opened.released
    names = {name for one in released.transforms for name in one.columns if name in released.frame.columns}
    if not names or released.source_rows is None:
        return None
    return changed_columns(original, opened, columns=[name for name in released.frame.columns if name in names])


def _changed(found: ChangedColumns | None, opened: OpenedRelease) -> list[Table | str]:
    """Return what is left of changed columns, and what is left to find in them."""
    if found is None:
        unmeasured = "Columns that transforms changed are not measured: that takes the custodian's folder."
        return [unmeasured, ""] if opened.released.transforms else []
    shown = table("changed column", "as they were", "IL1s", "near", "dominance", right=("IL1s",))
    for one in found.columns:
        shares = [None if share is None else percent(share) for share in (one.near, one.dominance)]
        add_row(shown, one.name, percent(one.kept), one.il1s, *shares)
    says: list[Table | str] = [shown]
    if found.linked is not None:
        told = (
            f"by distance with a chance of {percent(found.linked)}; by a guess it would be {percent(found.by_chance)}."
        )
        says.append(f"Whoever knows the true numbers of a record in these columns finds its row {told}")
    if found.linked_alike is not None and found.by_chance_alike is not None:
        together, chance = percent(found.linked_together or 0), percent(found.by_chance_alike)
        says.append(
            "Whoever knows a record's perturbed columns and its quasi-identifiers finds its row with a chance of "
            f"{percent(found.linked_alike)}; whoever knows them of everybody, with one of {together}; one of those "
            f"that look alike would be {chance}. No promise limits that."
        )
    return [*says, ""]


def _figure(estimate: Estimate, value: float) -> str:
    return percent(value) if estimate.figure == "share" else f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _attributes(comparison: Comparison) -> Table:
    shown = table("attribute", "level", "share of its domain a cell covers", "", right=("level", ""))
    for name, share in comparison.attribute_loss.items():
        add_row(shown, name, comparison.levels.get(name), bar(share), percent(share))
    return shown
