"""How the methods fare with many records, a large k and many attributes: figures 3.6 to 3.8 and A.1."""

from __future__ import annotations

from nymity_lab.study.exhibit import Exhibit, Panel, Value
from nymity_lab.study.exhibit_parts import PLOTTED, SECONDS, both, finding, notes, span, where
from nymity_lab.study.local_recoding.exhibit_parts import (
    CENSUS,
    FOUR,
    LOSS,
    MARGIN,
    ONE_DRAW,
    SPEED,
    at,
    by,
    grows,
    less,
    listed,
    panel,
    ratios,
)
from nymity_lab.study.local_recoding.steps import CARRIES, GROWN, LITERAL
from nymity_lab.study.study import Results

_CARRY = CARRIES[0]
_GREEDY, _MEMBER = GROWN


def figure_3_6(results: Results) -> Exhibit:
    """Figure 3.6."""
    rows = results.rows("figure-3.6")
    shown = where(rows, method=(_CARRY, _GREEDY, _MEMBER, "sorted groups"))
    loss, time = ratios(rows, _GREEDY, _MEMBER), ratios(rows, _GREEDY, _MEMBER, "seconds")
    carry = {other: ratios(rows, _CARRY, other) for other in (_GREEDY, _MEMBER)}
    carry_time = {other: ratios(rows, _CARRY, other, "seconds") for other in (_GREEDY, _MEMBER)}
    mondrian, literal = (ratios(rows, method, "sorted groups") for method in ("mondrian", LITERAL))
    chains = where(rows, method=_CARRY)
    unproved = sum(len(row["sizes"]) - row["proved"] for row in chains)
    panels = [
        panel(
            where(shown, k=k), f"{letter} {what}, k = {k}", across="n", key=key, measure=measure, log=key == "seconds"
        )
        for what, key, measure, letters in (
            ("time", "seconds", SECONDS, ("(a)", "(b)")),
            ("loss", "loss", LOSS, ("(c)", "(d)")),
        )
        for k, letter in zip((3, 5), letters, strict=True)
    ]
    extra = Panel(
        title="Mondrian, which the figure leaves out",
        across="records",
        measure="loss of Mondrian over that of sorted groups",
        values=tuple(
            Value(series=f"{cuts}, k = {k}", at=n, ours=ratio)
            for cuts, found in (("strict cuts", mondrian), ("literal cuts", literal))
            for (n, _, k), ratio in found.items()
        ),
    )
    return Exhibit(
        number="Figure 3.6",
        title="Scalability of Split & Carry and Greedy Search in n for smaller k = 3, 5 (m = 4)",
        panels=(*panels, extra),
        findings=(
            finding(
                results,
                "K-Member loses slightly less than Greedy Search.",
                f"loss of Greedy Search over K-Member's: {span(loss.values())}",
                less(1 / ratio for ratio in loss.values()),
            ),
            finding(
                results,
                "Greedy Search is faster than K-Member.",
                f"in {span(time.values())} of its time",
                less(time.values()),
            ),
            finding(
                results,
                "Split & Carry loses much less than both (here: 5% at least).",
                "; ".join(f"{span(r.values())} times the loss of {other}" for other, r in carry.items()),
                max(max(r.values()) for r in carry.values()) < 0.95,
            ),
            finding(
                results,
                "Split & Carry is also faster than both.",
                "; ".join(f"{span(r.values())} times the time of {other}" for other, r in carry_time.items()),
                less(ratio for r in carry_time.values() for ratio in r.values()),
            ),
            finding(
                results,
                "Mondrian loses 9 to 56 times as much as the initial solution.",
                f"{span(literal.values())} times as much with literal cuts (up to the median, and above it), "
                f"{span(mondrian.values())} times with ours",
                min(mondrian.values()) >= 9,
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            ONE_DRAW,
            CENSUS,
            FOUR,
            f"Each sub-problem has a limit of time, as in the thesis (there 1,000 s); {unproved:,} of "
            f"{sum(len(row['sizes']) for row in chains):,} ended without a proof.",
            "A tree of boxes finds the classes of Greedy Search and K-Member with a small share of the comparisons.",
            SPEED,
        ),
    )


def figure_3_7(results: Results) -> Exhibit:
    """Figure 3.7."""
    rows = results.rows("figure-3.7")
    member = by(ratios(rows, _GREEDY, _MEMBER), 2)
    mondrian = {row["k"]: row["loss"] for row in where(rows, method="mondrian")}
    gaps = {row["k"]: mondrian[row["k"]] - row["loss"] for row in where(rows, method=_GREEDY)}
    quicker = ratios(rows, "mondrian", _GREEDY, "seconds")
    ahead = {row["k"]: row["loss"] for row in where(rows, method=_MEMBER)}
    ahead = {row["k"]: ahead[row["k"]] - row["loss"] for row in where(rows, method=_GREEDY)}
    first, *_, last = member.values()
    return Exhibit(
        number="Figure 3.7",
        title="Scalability of Greedy Search in k (n = 20,000, m = 8)",
        panels=(
            panel(rows, f"(a) time, {rows[0]['n']:,} records", across="k", key="seconds", measure=SECONDS, log=True),
            panel(rows, f"(b) loss, {rows[0]['n']:,} records", across="k", key="loss", measure=LOSS),
        ),
        findings=(
            finding(
                results,
                "Mondrian takes next to no time (here: under a tenth of that of Greedy Search).",
                f"{span(quicker.values())} of its time",
                max(quicker.values()) < 0.1,
            ),
            finding(
                results,
                "The gap in loss to Mondrian grows with k.",
                f"loss of Mondrian minus that of Greedy Search: {listed(gaps, 'k')}",
                grows(gaps),
            ),
            finding(
                results,
                "Greedy Search loses slightly more than K-Member for k = 5, and less as k grows.",
                f"loss over K-Member's: {listed(member, 'k')}",
                both(first >= 1 - MARGIN, less([last, last / first])),
            ),
            finding(
                results,
                "That lead over K-Member widens up to the largest k.",
                f"loss of K-Member minus that of Greedy Search: {listed(ahead, 'k')}",
                both(last == min(member.values()), max(ahead.values()) == list(ahead.values())[-1]),
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            ONE_DRAW,
            CENSUS,
            "All attributes are numbers. The values of k between 5 and 200 are ours.",
            SPEED,
        ),
    )


def figure_3_8(results: Results) -> Exhibit:
    """Figure 3.8."""
    rows = results.rows("figure-3.8")
    small, large = sorted({row["k"] for row in rows})
    member = ratios(rows, _GREEDY, _MEMBER)
    few, many = by(at(member, k=small), 1), by(at(member, k=large), 1)
    gaps = {}
    for k in (small, large):
        mondrian = {row["m"]: row["loss"] for row in where(rows, method="mondrian", k=k)}
        gaps[k] = {row["m"]: mondrian[row["m"]] - row["loss"] for row in where(rows, method=_GREEDY, k=k)}
    quicker = ratios(rows, "mondrian", _GREEDY, "seconds")
    panels = [
        panel(where(rows, k=k), f"{letter} {what}, k = {k}", across="m", key=key, measure=measure, log=key == "seconds")
        for what, key, measure, letters in (
            ("time", "seconds", SECONDS, ("(a)", "(b)")),
            ("loss", "loss", LOSS, ("(c)", "(d)")),
        )
        for k, letter in zip((small, large), letters, strict=True)
    ]
    return Exhibit(
        number="Figure 3.8",
        title="Scalability of Greedy Search in m (n = 20,000 and k = 10 or 100)",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "With k = 10 Greedy Search and K-Member lose almost the same (here: within 2%).",
                f"loss over K-Member's: {listed(few, 'm')}",
                all(abs(ratio - 1) <= 0.02 for ratio in few.values()),
            ),
            finding(
                results,
                "With k = 100 Greedy Search loses slightly less, whatever the number of attributes.",
                f"loss over K-Member's: {listed(many, 'm')}",
                less(many.values()),
            ),
            finding(
                results,
                "Mondrian takes far less time than Greedy Search, and the gap in loss to it grows with the attributes.",
                "; ".join(f"gap with k = {k}: {listed(gap, 'm')}" for k, gap in gaps.items())
                + f"; {span(quicker.values())} of the time of Greedy Search",
                both(less(quicker.values()), *map(grows, gaps.values())),
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            ONE_DRAW,
            "Census tables with 15 to 35 attributes cannot be had; these are the first 15, 25 and 35 of 35 columns of "
            "hospital stays (diabetes130), words replaced by their place in the alphabet, missing first.",
            SPEED,
        ),
    )


def figure_a_1(results: Results) -> Exhibit:
    """Figure A.1."""
    rows = results.rows("figure-a.1")
    first, *_, last = sorted({row["n"] for row in rows})
    start = where(rows, n=first)
    loss = {row["method"]: row["loss"] for row in start}
    time = {row["method"]: row["seconds"] for row in start}
    near = [loss[name] / loss["freeform hungarian"] for name in (_CARRY, _GREEDY)]
    slower = [time["freeform hungarian"] / time[name] for name in (_CARRY, _GREEDY)]
    carry, carry_time = by(ratios(rows, _CARRY, _GREEDY), 0), by(ratios(rows, _CARRY, _GREEDY, "seconds"), 0)
    grown = where(rows, method=(_CARRY, _GREEDY, _MEMBER, "mondrian", "sorted groups"))
    return Exhibit(
        number="Figure A.1",
        title="Comparison using FARS database, m = 4, k = 3",
        panels=(
            panel(start, f"(a) loss, {first:,} records", across="n", key="loss", measure=LOSS),
            panel(start, f"(b) time, {first:,} records", across="n", key="seconds", measure=SECONDS),
            panel(grown, "(c) loss", across="n", key="loss", measure=LOSS),
            panel(grown, "(d) time", across="n", key="seconds", measure=SECONDS, log=True),
        ),
        findings=(
            finding(
                results,
                "Split & Carry and Greedy Search lose about as much as freeform hungarian (here: at most a fifth "
                "more), and are faster.",
                f"{span(near)} times its loss; it takes {span(slower)} times as long",
                both(max(near) <= 1.2, less(1 / ratio for ratio in slower)),
            ),
            finding(
                results,
                "Greedy Search is faster than Split & Carry with 1,000 records; with 40,000 Split & Carry is faster "
                "and loses less.",
                f"Split & Carry over Greedy Search: time {listed(carry_time, 'n')}; loss {listed(carry, 'n')}",
                less([1 / carry_time[first], carry_time[last], carry[last]]),
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            ONE_DRAW,
            "The accidents are those of the FARS table that ARX uses; the month is that of death (0 for survivors), "
            "where the thesis has that of the accident. Records with an unknown value are left out. The sizes between "
            "1,000 and 40,000 are ours.",
            SPEED,
        ),
    )
