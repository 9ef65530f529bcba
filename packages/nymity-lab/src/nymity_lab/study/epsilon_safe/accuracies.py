"""What is learned from releases: tables 5.2, 5.4, 5.6 and 5.7, and what more can be had."""

from __future__ import annotations

from nymity_lab.study.epsilon_safe import paper
from nymity_lab.study.epsilon_safe.draws import PRIVATE, PUBLISHED
from nymity_lab.study.epsilon_safe.exhibit_parts import CENSUS, HIERARCHIES, SPLIT, TWO_FORMS, attributes
from nymity_lab.study.epsilon_safe.steps import EDUCATION
from nymity_lab.study.exhibit import Exhibit, Panel, Value
from nymity_lab.study.exhibit_parts import SECONDS, both, finding, notes, where
from nymity_lab.study.mean_interval import MeanInterval
from nymity_lab.study.study import Results, Row, Rows

ACCURACY = "accuracy on the test part"
#: What exhibits call the ways, and the thesis's name for each.
_WAYS = {
    "functional": "functional",
    "functional, norm": None,
    PUBLISHED: "release",
    PRIVATE: "release",
    "ola": "ola",
    "raw": "raw",
    "baseline": "baseline",
}


def _plain(rows: Rows) -> dict[str, Row]:
    """Return the row of each way, without interpolation and weights."""
    return {
        row["way"]: row for row in rows if row.get("interpolation", "none") == "none" and row.get("education", 1) == 1
    }


def _interval(row: Row) -> MeanInterval:
    """The interval over draws; a value that nothing is drawn for is exact."""
    return MeanInterval.of(row["each"]) if "each" in row else MeanInterval.exactly(row["accuracy"])


def _largest(results: Results) -> dict[str, Row]:
    return _plain(results.rows(f"accuracy.{attributes(results)[-1]}"))


def table_5_2(results: Results) -> Exhibit:
    """Table 5.2."""
    found = _plain(results.rows(f"accuracy.{attributes(results)[1]}"))
    known = results.scale != "smoke"
    values, sizes = [], []
    for way in (PUBLISHED, PRIVATE, "raw", "baseline"):
        name = _WAYS[way]
        values.append(
            Value(
                series="accuracy",
                at=way,
                ours=found[way]["accuracy"],
                paper=paper.SIX[name] if known and name else None,
            )
        )
        printed = paper.SIX_RECORDS.get(name or "") if known else None
        sizes.append(Value(series="records", at=way, ours=found[way]["rows"], paper=printed))
    published, private = (_interval(found[way]) for way in (PUBLISHED, PRIVATE))
    baseline = found["baseline"]["accuracy"]
    return Exhibit(
        number="Table 5.2",
        title="Logistic regression on six attributes",
        panels=(
            Panel(title="Accuracy", across="trained on", measure=ACCURACY, values=tuple(values), plot="none"),
            Panel(title="Records trained on", across="trained on", measure="records", values=tuple(sizes), plot="none"),
        ),
        findings=(
            finding(
                results,
                "The release is slightly worse than always answering the more frequent class.",
                f"as published {published.told()}, private {private.told()}, baseline {baseline:.4f}",
                published.below(baseline),
            ),
        ),
        notes=notes(results, HIERARCHIES, SPLIT, TWO_FORMS, "The raw table here is the whole training part."),
    )


def table_5_4(results: Results) -> Exhibit:
    """Table 5.4."""
    rows = [r for r in results.rows(f"accuracy.{attributes(results)[-1]}") if r.get("education") == 1]
    known = results.scale != "smoke"
    values = [
        Value(
            series=row["way"],
            at=row["interpolation"],
            ours=row["accuracy"],
            paper=paper.INTERPOLATED.get(row["interpolation"]) if known and row["way"] == PUBLISHED else None,
        )
        for row in rows
    ]
    gaps = {}
    for form in (PUBLISHED, PRIVATE):
        each = {row["interpolation"]: row["each"] for row in where(rows, way=form)}
        gaps[form] = MeanInterval.of([100 * (a - b) for a, b in zip(each["level"], each["none"], strict=True)])
    return Exhibit(
        number="Table 5.4",
        title="Accuracies with and without interpolation",
        panels=(
            Panel(title="Ten attributes", across="interpolation", measure=ACCURACY, values=tuple(values), plot="none"),
        ),
        findings=(
            finding(
                results,
                "Interpolation changes the accuracy very little (here: by less than one point).",
                ", ".join(f"{form} {gap.told('+.2f')} points" for form, gap in gaps.items()),
                both(*(gap.within(-1, 1) for gap in gaps.values())),
            ),
        ),
        notes=notes(results, HIERARCHIES, SPLIT, TWO_FORMS),
    )


def table_5_6(results: Results) -> Exhibit:
    """Table 5.6."""
    found = _largest(results)
    census = _plain(results.rows("census.accuracy")) or {}
    known = results.scale != "smoke"
    panels = [_compared(found, paper.TEN if known else {}, "Adult")]
    panels.append(
        _compared(census, paper.IPUMS if known else {}, "IPUMS in the thesis, American Community Survey here")
    )
    reached = {way: _interval(row) for way, row in found.items()}
    return Exhibit(
        number="Table 5.6",
        title="Accuracies of different algorithms",
        panels=tuple(panel for panel in panels if panel.values),
        findings=(
            finding(
                results,
                "A release of ten attributes of Adult has 0.759 (here: the private one at least as much).",
                f"private {reached[PRIVATE].told()}, as published {reached[PUBLISHED].told()}",
                reached[PRIVATE].above(paper.TEN["release"]),
            ),
            finding(
                results,
                "On Adult functional logistic regression is far worse than the release (here: by ten points).",
                f"functional {reached['functional'].told()}, with the norm of one-hot columns "
                f"{reached['functional, norm'].told()}, private release {reached[PRIVATE].told()}",
                (reached[PRIVATE] - reached["functional"]).above(0.1),
            ),
            finding(
                results,
                "Optimal lattice anonymization is a little better than the release (here: by 0 to 3 points).",
                f"{reached['ola'].mean:.4f} against {reached[PUBLISHED].told()} as published and "
                f"{reached[PRIVATE].told()} private",
                (reached["ola"] - reached[PUBLISHED]).within(0, 0.03),
            ),
        ),
        notes=notes(
            results,
            HIERARCHIES,
            CENSUS,
            SPLIT,
            TWO_FORMS,
            "Functional logistic regression here has public bounds, a proved sensitivity and a repair where noise "
            "leaves no minimum; the thesis scales by private means, and says nothing of bounds.",
        ),
    )


def _compared(found: dict[str, Row], printed: dict[str, float], title: str) -> Panel:
    values = [
        Value(series="accuracy", at=way, ours=found[way]["accuracy"], paper=printed.get(name or ""))
        for way, name in _WAYS.items()
        if way in found
    ]
    return Panel(title=title, across="trained by", measure=ACCURACY, values=tuple(values), plot="none")


def table_5_7(results: Results) -> Exhibit:
    """Table 5.7."""
    found, known = _largest(results), results.scale != "smoke"
    columns, seconds = [], []
    for way, name in _WAYS.items():
        if way == "baseline":
            continue
        row = found[way]
        columns.append(
            Value(series="columns", at=way, ours=row["columns"], paper=paper.COLUMNS[name] if known and name else None)
        )
        seconds.append(
            Value(series="seconds", at=way, ours=row["seconds"], paper=paper.TIMES[name] if known and name else None)
        )
    took = {way: row["seconds"] for way, row in found.items()}
    return Exhibit(
        number="Table 5.7",
        title="Columns after one-hot encoding, and times",
        panels=(
            Panel(title="Columns", across="algorithm", measure="columns", values=tuple(columns), plot="none"),
            Panel(title=SECONDS, across="algorithm", measure="seconds", values=tuple(seconds), plot="none"),
        ),
        findings=(
            finding(
                results,
                "Optimal lattice anonymization takes longer than epsilon-safe lattice anonymization.",
                f"{took['ola']:.1f} against {took[PRIVATE]:.1f} CPU seconds",
                took["ola"] > took[PRIVATE],
            ),
        ),
        notes=notes(results, "Seconds of the thesis are of its machine. IPUMS took it 3 to 4 hours.", HIERARCHIES),
    )


def beyond(results: Results) -> Exhibit:
    """What more attributes and a weight for what matters bring: beyond the thesis."""
    rows = [row for row in results.rows("accuracy") if row.get("interpolation", "none") == "none"]
    values = [Value(series=_told(row), at=row["attributes"], ours=row["accuracy"]) for row in rows]
    weighted = {row["attributes"]: row["accuracy"] for row in rows if row.get("education") == EDUCATION}
    plain = {row["attributes"]: row["accuracy"] for row in where(rows, way=PRIVATE) if row["education"] == 1}
    levels = [row["levels"] for row in rows if row.get("education") == EDUCATION]
    return Exhibit(
        number="Beyond the thesis",
        title="Accuracies by attributes, and with a weight",
        panels=(Panel(title="Adult", across="attributes", measure=ACCURACY, values=tuple(values)),),
        findings=(
            finding(
                results,
                "Few levels and few suppressed records are not what a task needs: a weight for the column that matters "
                "helps (our question; here: at every number of attributes).",
                "; ".join(
                    f"{m}: {plain[m]:.4f}, {weighted[m]:.4f} if education counts {EDUCATION} times" for m in weighted
                )
                or "no such column",
                bool(weighted) and all(weighted[m] > plain[m] for m in weighted),
            ),
        ),
        notes=notes(
            results,
            SPLIT,
            "That education tells about incomes is common knowledge, and no look at these records. Levels drawn then: "
            + "; ".join(", ".join(dict.fromkeys(each)) for each in levels),
        ),
    )


def _told(row: Row) -> str:
    return f"private, education counts {EDUCATION} times" if row.get("education") == EDUCATION else row["way"]
