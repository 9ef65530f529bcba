"""Which parameters: tables 5.1, 5.3 and 5.5, figures 5.1 to 5.5."""

from __future__ import annotations

from statistics import mean

from nymity_lab.study.epsilon_safe import paper
from nymity_lab.study.epsilon_safe.draws import PRIVATE, PUBLISHED
from nymity_lab.study.epsilon_safe.exhibit_parts import CENSUS, FORMS, HIERARCHIES, PERCENT, attributes
from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import SECONDS, both, finding, notes, span, where
from nymity_lab.study.mean_interval import MeanInterval
from nymity_lab.study.study import Results, Row, Rows

PROBABILITY = "probability of good nodes"


def table_5_1(results: Results) -> Exhibit:
    """Table 5.1."""
    rows = results.rows("deltas.adult")
    return _deltas(rows, "Table 5.1", paper.ADULT_DELTAS, 1e-5, paper.ADULT_PAIR)


def table_5_5(results: Results) -> Exhibit:
    """Table 5.5."""
    rows = results.rows("deltas.ipums")
    return _deltas(rows, "Table 5.5", paper.IPUMS_DELTAS, 1e-6, paper.IPUMS_PAIR)


def _deltas(
    rows: Rows, number: str, printed: dict[int, dict[float, float]], unit: float, pair: tuple[int, float]
) -> Exhibit:
    """Compare every delta by the digits that are printed, and say which colours the standard notion would give."""
    values, same, ties = [], 0, []
    for row in rows:
        theirs = printed[row["k"]][row["beta"]]
        ours = row["delta"] / unit
        at = f"k = {row['k']}, beta = {row['beta']:.2f}"
        values.append(Value(series="delta", at=at, ours=ours, paper=theirs))
        values.append(Value(series="colour", at=at, ours=f"{row['colour']} (standard: {row['standard colour']})"))
        if abs(ours - theirs) <= _digit(theirs):
            same += 1
        else:
            ties.append(f"{at}: {ours:.3g} for {theirs:g}")
    chosen = where(rows, k=pair[0], beta=pair[1])[0]
    safe = {key: sum(row[key] == "green" for row in rows) for key in ("colour", "standard colour")}
    return Exhibit(
        number=number,
        title="The largest delta by k and beta",
        panels=(
            Panel(title=f"In units of {unit:g}", across="pair", measure="delta", values=tuple(values), plot="none"),
        ),
        findings=(
            Finding(
                paper="Deltas, to the digits that are printed (here: within one unit of the last).",
                ours=f"{same} of {len(rows)}; " + "; ".join(ties),
                holds=not ties,
            ),
            Finding(
                paper=f"k = {pair[0]} and beta = {pair[1]:g} are green.",
                ours=f"{chosen['colour']}, {chosen['delta']:.2e}; the standard delta is {chosen['standard delta']:.2e}",
                holds=chosen["colour"] == "green",
            ),
        ),
        notes=(
            "Where ours are smaller, gamma n is a whole number for the n that attains delta, and the thesis adds the "
            "probability of j = gamma n, which its own condition j > gamma n leaves out.",
            f"Of {len(rows)} pairs {safe['colour']} are green by the thesis's notion, {safe['standard colour']} by the "
            "standard one.",
        ),
    )


def _digit(printed: float) -> float:
    """One unit of the last printed digit: two decimals below ten, one above."""
    return 0.01 if printed < 10 else 0.1


def figure_5_1(results: Results) -> Exhibit:
    """Figure 5.1."""
    all_m = attributes(results)
    rows = where(results.rows("good"), way="none")
    small = dict(zip((4, 6), all_m, strict=False))
    panels = [
        _chances(where(rows, attributes=m, form=form), f"{m} attributes, {form}")
        for m in small.values()
        for form in FORMS
    ]
    best = {m: _best(where(rows, attributes=small[m], form=PUBLISHED)) for m in small}
    ours = {m: _best(where(rows, attributes=small[m], form=PRIVATE)) for m in small}
    reached = {m: MeanInterval.of(best[m]["each"]) for m in small}
    # A seed samples the same records for every number of attributes.
    apart = MeanInterval.of([six - four for four, six in zip(best[4]["each"], best[6]["each"], strict=True)])
    everywhere = {m: _best(where(rows, attributes=m, form=PRIVATE)) for m in all_m}
    return Exhibit(
        number="Figure 5.1",
        title="Good nodes by epsilon and penalty",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "With more attributes good nodes are less probable.",
                f"six attributes less four, as published: {apart.told('+.3f')}",
                apart.below(0),
            ),
            finding(
                results,
                "They have a probability of at best 0.8 for four and 0.3 for six (here: within 0.05).",
                f"as published {reached[4].told('.2f')} and {reached[6].told('.2f')}; "
                f"private {ours[4]['probability']:.2f} and {ours[6]['probability']:.2f}",
                both(*(reached[m].within(p - 0.05, p + 0.05) for m, p in paper.PROBABILITIES.items())),
            ),
            finding(
                results,
                "They are most probable with the largest epsilon, 0.5.",
                "; ".join(f"{m} attributes: epsilon {row['epsilon']:g}" for m, row in best.items()),
                all(row["epsilon"] == paper.EPSILON for row in best.values()),
            ),
            finding(
                results,
                "The best penalties are 0.01 for four attributes and 0.02 for six (here: within a factor of two).",
                "; ".join(f"{m} attributes: {row['penalty'] / 100:g}" for m, row in best.items()),
                all(0.5 <= best[m]["penalty"] / 100 / theirs <= 2 for m, theirs in paper.PENALTIES.items()),
            ),
        ),
        notes=notes(
            results,
            HIERARCHIES,
            PERCENT,
            "Private draws, best penalty: "
            + "; ".join(
                f"{m} attributes {row['probability']:.3f} at {row['penalty']:g}" for m, row in everywhere.items()
            ),
        ),
    )


def _chances(rows: Rows, title: str) -> Panel:
    values = [Value(series=f"epsilon {row['epsilon']:g}", at=row["penalty"], ours=row["probability"]) for row in rows]
    return Panel(title=title, across="penalty", measure=PROBABILITY, values=tuple(values))


def _best(rows: Rows) -> Row:
    return max(rows, key=lambda row: row["probability"])


def figure_5_2(results: Results) -> Exhibit:
    """Figure 5.2."""
    rows = results.rows("differences")
    values = [
        Value(series=measure, at=row["way"], ours=row[key])
        for row in rows
        for measure, key in (("mean", "mean"), ("largest", "largest"), ("nodes that differ", "changed"))
    ]
    level, dictionary = (where(rows, way=way)[0] for way in ("level", "dictionary"))
    return Exhibit(
        number="Figure 5.2",
        title="How far interpolation is from counting",
        panels=(
            Panel(
                title=f"{rows[0]['attributes']} attributes, suppressed share of the records",
                across="interpolation",
                measure="difference",
                values=tuple(values),
                plot="none",
            ),
        ),
        findings=(
            finding(
                results,
                "By level is nearer to what is counted than by dictionary (here: mean over nodes).",
                f"{level['mean']:.1%} against {dictionary['mean']:.1%} of the records; at most {level['largest']:.0%} "
                f"and {dictionary['largest']:.0%}",
                level["mean"] < dictionary["mean"],
            ),
        ),
        notes=notes(
            results, "Suppressed records are interpolated and not scores: G of every node is known.", _DICTIONARY
        ),
    )


_DICTIONARY = (
    "By dictionary every second level of the attribute with most levels is counted. The thesis leaves out one level of "
    "one attribute at a time, which is also shown, by its number and depth; its means are of means, ours of counts."
)


def figure_5_3(results: Results) -> Exhibit:
    """Figure 5.3."""
    rows = _curves(results)
    panels = [
        Panel(
            title=f"{rows[0]['attributes']} attributes, {form}",
            across="penalty",
            measure=PROBABILITY,
            values=tuple(
                Value(series=row["way"], at=row["penalty"], ours=row["probability"]) for row in where(rows, form=form)
            ),
        )
        for form in FORMS
    ]
    return Exhibit(
        number="Figure 5.3",
        title="Good nodes with and without interpolation",
        panels=tuple(panels),
        notes=notes(results, f"Epsilon {paper.EPSILON:g}. Which nodes are good is decided by counts.", _DICTIONARY),
    )


def figure_5_4(results: Results) -> Exhibit:
    """Figure 5.4."""
    rows = where(_curves(results), form=PUBLISHED)
    counted = {row["penalty"]: row["probability"] for row in where(rows, way="none")}
    away = {
        way: {row["penalty"]: abs(row["probability"] - counted[row["penalty"]]) for row in where(rows, way=way)}
        for way in ("level", "dictionary")
    }
    values = [Value(series=way, at=at, ours=gap) for way, gaps in away.items() for at, gap in gaps.items()]
    means = {way: mean(gaps.values()) for way, gaps in away.items()}
    return Exhibit(
        number="Figure 5.4",
        title="How much interpolation changes the probability of good nodes",
        panels=(Panel(title="As published", across="penalty", measure="difference", values=tuple(values)),),
        findings=(
            finding(
                results,
                "By level changes it less than by dictionary (here: mean over penalties).",
                f"{means['level']:.3f} against {means['dictionary']:.3f}",
                means["level"] < means["dictionary"],
            ),
        ),
        notes=notes(results, _DICTIONARY),
    )


def _curves(results: Results) -> Rows:
    m = attributes(results)[1]
    return where(results.rows("good"), attributes=m, epsilon=paper.EPSILON)


def table_5_3(results: Results) -> Exhibit:
    """Table 5.3."""
    rows, known = results.rows("times"), results.scale != "smoke"
    values = [
        Value(
            series=row["way"],
            at=row["attributes"],
            ours=row["seconds"],
            paper=paper.SECONDS.get(row["way"], {}).get(row["attributes"]) if known else None,
        )
        for row in rows
    ]
    nodes = [
        Value(
            series="nodes",
            at=row["attributes"],
            ours=row["nodes"],
            paper=paper.NODES.get(row["attributes"]) if known else None,
        )
        for row in where(rows, way="none")
    ]
    last = {row["way"]: row["seconds"] for row in where(rows, attributes=max(row["attributes"] for row in rows))}
    factors = {way: last["none"] / last[way] for way in ("level", "dictionary")}
    return Exhibit(
        number="Table 5.3",
        title="Time to score every node",
        panels=(
            Panel(title=SECONDS, across="attributes", measure="seconds", values=tuple(values), plot="log"),
            Panel(title="Lattice", across="attributes", measure="nodes", values=tuple(nodes), plot="none"),
        ),
        findings=(
            finding(
                results,
                "By level takes about half the time on the largest lattice (here: 1.5 times as fast at least).",
                f"{factors['level']:.2f} times as fast by level, {factors['dictionary']:.2f} by dictionary",
                factors["level"] >= 1.5,
            ),
        ),
        notes=notes(
            results,
            HIERARCHIES,
            "Nodes are rolled up from one another here, which comes by every node: so by level saves nothing.",
            "Seconds of the thesis are of its machine and of a group-by in Python for each node. Unsampled are those "
            "of all training records, where a sample has 70% of them.",
        ),
    )


def figure_5_5(results: Results) -> Exhibit:
    """Figure 5.5."""
    rows = results.rows("census.good")
    best = {form: _best(where(rows, form=form)) for form in FORMS}
    near = [r["penalty"] for r in where(rows, form=PUBLISHED, epsilon=paper.EPSILON) if r["probability"] > 0.99]
    return Exhibit(
        number="Figure 5.5",
        title="Good nodes of a census by epsilon and penalty",
        panels=tuple(_chances(where(rows, form=form), form) for form in FORMS),
        findings=(
            finding(
                results,
                "At epsilon 0.5 and a penalty of 0.03 good nodes are almost certain (here: above 0.99 somewhere).",
                f"penalties {span(p / 100 for p in near)}" if near else f"at most {best[PUBLISHED]['probability']:.3f}",
                bool(near),
            ),
        ),
        notes=notes(results, CENSUS, PERCENT),
    )
