"""What the thesis does not run: attackers who know of the defence, and certificates."""

from __future__ import annotations

from collections.abc import Iterator

from nymity_lab.study.exhibit import Exhibit, Panel, Value
from nymity_lab.study.exhibit_parts import notes, where
from nymity_lab.study.study import Results
from nymity_robust.study.exhibit_parts import DATA, DEFENCES, data_of, one, panels_of


def adaptive(results: Results) -> Exhibit:
    """Every attack on both defences, those that know of the defence among them."""

    def values(data: str) -> Iterator[tuple[str, str, float, None]]:
        rows = where([row for row in results.rows(data) if row["kind"] == "outcome"])
        for row in rows:
            name = f"{row['name']}, {DEFENCES[row['defence']]}" + (" (adaptive)" if row["adaptive"] else "")
            for at in ("correct", "target"):
                for what, key in ((at, "share"), (f"{at}, from", "low"), (f"{at}, to", "high")):
                    yield name, what, 100 * row[at][key], None
            yield name, "mean L2", row["mean_l2"], None

    known = {data: one(results, data, "facts") for data in data_of(results)}
    return Exhibit(
        number="Beyond the thesis",
        title="Attackers who know of the defence",
        panels=panels_of(results, "all attacks", "% of examples, with intervals", values),
        notes=notes(
            results,
            *(
                f"{DATA[data]}: {facts['images']} images, {facts['pairs']} pairs; partial knowledge is of "
                f"{facts['known']} of {facts['members']} members. {facts['remark']}".strip()
                for data, facts in known.items()
            ),
            "Adaptive attacks aim beyond the boundary (κ = 5 in logits divided by T), but for whole-ensemble-nearest.",
        ),
    )


def certified(results: Results) -> Exhibit:
    """Accuracy that is proved, by radius."""
    panels = []
    for data in data_of(results):
        for row in where([row for row in results.rows(data) if row["kind"] == "certificate"]):
            points = tuple(
                Value(series=row["certificate"], at=point["radius"], ours=100 * point["accuracy"])
                for point in row["curve"]
            )
            across = f"radius ({row['unit']})"
            title = f"{DATA[data]}: {row['certificate']}"
            panels.append(Panel(title=title, across=across, measure="certified accuracy, %", values=points))
    return Exhibit(
        number="Certificates",
        title="Accuracy that no attack within a radius can lower",
        panels=tuple(panels),
        notes=notes(
            results, "Smoothing certifies the majority of many noisy answers, with Clopper-Pearson bounds at 0.1%."
        ),
    )
