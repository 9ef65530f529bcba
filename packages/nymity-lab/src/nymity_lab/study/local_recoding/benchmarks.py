"""How near the methods come to the optimum, and to each other: figures 3.2 to 3.5."""

from __future__ import annotations

from itertools import chain
from statistics import mean

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
    less,
    listed,
    panel,
    ratios,
)
from nymity_lab.study.local_recoding.steps import CARRIES, FREEFORM, GROWN
from nymity_lab.study.study import Results, Rows

_CARRY = CARRIES[0]
_GREEDY, _MEMBER = GROWN
_GCP = "GCP, summed over records"


def figure_3_2(results: Results) -> Exhibit:
    """Figure 3.2."""
    rows = results.rows("figure-3.2")
    optima = {(row["n"], row["m"], row["draw"]): row for row in where(rows, method="optimum")}
    shares: Rows = []
    for method in (_CARRY, _GREEDY):
        for n, m in dict.fromkeys((row["n"], row["m"]) for row in rows):
            pairs = [(row, optima[n, m, row["draw"]]) for row in where(rows, n=n, m=m, method=method)]
            over = {key: mean(row[key] / best[key] for row, best in pairs) for key in ("loss", "seconds")}
            shares.append({"n": n, "m": m, "k": 3, "method": method, **over})
    by_n, by_m = where(shares, m=4), where(shares, n=20)
    carry, greedy = (where(shares, method=method) for method in (_CARRY, _GREEDY))
    nearer = less(a["loss"] / b["loss"] for a, b in zip(carry, greedy, strict=True))
    growth = {method: {row["m"]: row["loss"] for row in where(by_m, method=method)} for method in (_CARRY, _GREEDY)}
    times = {method: {row["n"]: row["seconds"] for row in where(by_n, method=method)} for method in (_CARRY, _GREEDY)}
    ends = [(values[min(values)], values[max(values)]) for values in times.values()]
    proved = sum(row["optimal"] for row in optima.values())
    ratio, time = "mean loss, optimum = 1", "mean CPU time, optimum = 1"
    return Exhibit(
        number="Figure 3.2",
        title="Optimality and performance of Split & Carry and Greedy Search (k = 3)",
        panels=(
            panel(by_n, "(a) loss, 4 attributes", across="n", key="loss", measure=ratio),
            panel(by_n, "(b) time, 4 attributes", across="n", key="seconds", measure=time, log=True),
            panel(by_m, "(c) loss, 20 records", across="m", key="loss", measure=ratio),
            panel(by_m, "(d) time, 20 records", across="m", key="seconds", measure=time, log=True),
        ),
        findings=(
            finding(
                results,
                "Split & Carry always comes nearer to the optimum than Greedy Search.",
                f"loss over the optimum's: split & carry {span(row['loss'] for row in carry)}, greedy search "
                f"{span(row['loss'] for row in greedy)}",
                nearer,
            ),
            finding(
                results,
                "More attributes do not take either of them further from the optimum.",
                "; ".join(f"{name} {listed(values, 'm')}" for name, values in growth.items()),
                all(max(v.values()) <= (1 + MARGIN) * next(iter(v.values())) for v in growth.values()),
            ),
            finding(
                results,
                "Both are much faster than the optimum (here: twice, with most records), the more so the more records.",
                "share of its time: " + "; ".join(f"{name} {listed(values, 'n')}" for name, values in times.items()),
                both(less(2 * last for _, last in ends), less(last / first for first, last in ends)),
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            CENSUS,
            FOUR + " Further ones follow in the order of table 3.6.",
            f"The optimum is that of exact-partition (set partitioning), not of the big-M program in Gurobi; {proved} "
            f"of {len(optima)} optima are proved within the limit of time, the others are the best that was found.",
            "Up to 24 different records exact-partition searches depth-first, beyond it generates columns, which takes "
            "longer: hence the step in (b).",
            SPEED,
        ),
    )


def figure_3_3(results: Results) -> Exhibit:
    """Figure 3.3."""
    rows = results.rows("figure-3.3")
    sizes = sorted({row["n"] for row in rows})
    best = {
        s: max(ratios(rows, _GREEDY, other, "gcp")[s] for other in FREEFORM) for s in ratios(rows, _GREEDY, _MEMBER)
    }
    slower = [r for other in FREEFORM for r in ratios(rows, other, _GREEDY, "seconds").values()]
    mondrian, quicker = ratios(rows, "mondrian", _GREEDY, "gcp"), ratios(rows, "mondrian", _GREEDY, "seconds")
    member = by(ratios(rows, _GREEDY, _MEMBER, "gcp"), 2)
    first, *_, last = member.values()
    hungarian = by(ratios(rows, _GREEDY, "freeform hungarian", "gcp"), 0)
    panels = [
        panel(where(rows, n=n), f"{letter} {what}, {n:,} records", across="k", key=key, measure=measure, log=log)
        for what, key, measure, log, letters in (
            ("GCP", "gcp", _GCP, False, ("(a)", "(b)")),
            ("time", "seconds", SECONDS, True, ("(c)", "(d)")),
        )
        for n, letter in zip(sizes, letters, strict=True)
    ]
    return Exhibit(
        number="Figure 3.3",
        title="Benchmarking Greedy Search against other algorithms (m = 8)",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "Greedy Search comes near the freeform algorithms of Doka et al. (here: at most half as much again as "
                "the best of them) and is much faster.",
                f"its GCP is {span(best.values())} times the best freeform one; freeform takes {span(slower)} times "
                "as long",
                both(max(best.values()) <= 1.5, less(1 / ratio for ratio in slower)),
            ),
            finding(
                results,
                "Mondrian is quickest and loses far more (here: a tenth at least).",
                f"{span(mondrian.values())} times the GCP of Greedy Search in {span(quicker.values())} of its time",
                both(min(mondrian.values()) >= 1.1, less(quicker.values())),
            ),
            finding(
                results,
                "Greedy Search is like K-Member, with a slight advantage as k grows.",
                f"its GCP over K-Member's, mean of both sizes: {listed(member, 'k')}",
                less([last, last / first]),
            ),
            finding(
                results,
                "From 1,000 to 2,000 records the gap to the freeform algorithms narrows.",
                f"GCP over that of freeform hungarian: {listed(hungarian, 'n')}",
                less([hungarian[sizes[1]] / hungarian[sizes[0]]]),
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            ONE_DRAW,
            CENSUS,
            "Gender, marital status, race, birthplace, work class and occupation are categories, age and education "
            "numbers, as in table 3.6. GCP is the chapter's, (values - 1) / domain; methods minimize values / domain "
            "(section 3.2.5).",
            "Freeform is a weaker promise: rows need not be equal. The values of k are ours; the thesis names none.",
            SPEED,
        ),
    )


def figure_3_4(results: Results) -> Exhibit:
    """Figure 3.4."""
    rows = results.rows("figure-3.3")
    sizes, others = sorted({row["n"] for row in rows}), ("mondrian", _MEMBER, *FREEFORM)
    over = {other: ratios(rows, _GREEDY, other, "gcp") for other in others}
    panels = [
        Panel(
            title=f"{letter} {n:,} records",
            across="k",
            measure="GCP of Greedy Search over the other's",
            values=tuple(
                Value(series=other, at=k, ours=ratio)
                for other in others
                for (_, _, k), ratio in at(over[other], n=n).items()
            ),
        )
        for n, letter in zip(sizes, ("(a)", "(b)"), strict=True)
    ]
    greedy = by(over["freeform greedy"], 2)
    means = {other: by(over[other], 0) for other in others}
    first, *_, last = greedy.values()
    return Exhibit(
        number="Figure 3.4",
        title="Ratios of objective values of Greedy Search over other algorithms",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "For small k Greedy Search beats freeform greedy; as k grows, freeform greedy gets the advantage.",
                f"ratio to freeform greedy, mean of both sizes: {listed(greedy, 'k')}",
                less([first, 1 / last]),
            ),
            finding(
                results,
                "With twice the records Greedy Search gains on all others.",
                "; ".join(f"{other} {listed(values, 'n')}" for other, values in means.items()),
                less(values[sizes[1]] / values[sizes[0]] for values in means.values()),
            ),
        ),
        notes=notes(results, PLOTTED, "Made from the results of figure 3.3; what is said there holds here, too."),
    )


def figure_3_5(results: Results) -> Exhibit:
    """Figure 3.5."""
    rows = results.rows("figure-3.5")
    ours = (_CARRY, "split & carry, S=4", "split & carry, S=5", _GREEDY)
    loss = {row["method"]: row["loss"] for row in rows}
    time = {row["method"]: row["seconds"] for row in rows}
    near = [loss[name] / loss["freeform hungarian"] for name in ours]
    faster = [time["freeform hungarian"] / time[name] for name in ours]
    beaten = {other: [loss[name] / loss[other] for name in ours] for other in FREEFORM[:2]}
    quicker = {other: [time[other] / time[name] for name in ours] for other in FREEFORM[:2]}
    initial = (loss["sorted groups"] / loss["mondrian"], time["sorted groups"] / time["mondrian"])
    return Exhibit(
        number="Figure 3.5",
        title="Benchmarking Split & Carry and Greedy Search against other algorithms (n = 5000, m = 4)",
        panels=(
            panel(rows, f"(a) loss, {rows[0]['n']:,} records", across="n", key="loss", measure=LOSS),
            panel(rows, f"(b) time, {rows[0]['n']:,} records", across="n", key="seconds", measure=SECONDS),
        ),
        findings=(
            finding(
                results,
                "Split & Carry and Greedy Search lose about as much as freeform hungarian (here: at most a fifth "
                "more), and are faster; freeform took 3 to 24 hours.",
                f"{span(near)} times its loss; freeform hungarian takes {time['freeform hungarian']:.1f} s, "
                f"{span(faster)} times as long as they",
                both(max(near) <= 1.2, less(1 / ratio for ratio in faster)),
            ),
            finding(
                results,
                "Both beat freeform greedy and freeform sort-greedy in loss and in time.",
                "; ".join(
                    f"{span(beaten[o])} times the loss of {o}, which takes {span(quicker[o])} times as long"
                    for o in beaten
                ),
                less([*chain(*beaten.values()), *(1 / ratio for ratio in chain(*quicker.values()))]),
            ),
            finding(
                results,
                "The initial solution, sorted groups, is better than Mondrian in loss and time.",
                f"{initial[0]:.2f} times Mondrian's loss in {initial[1]:.2f} times its time",
                less(initial),
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            ONE_DRAW,
            CENSUS,
            FOUR,
            "k = 3, as in table A.2 and its bounds; the text beside the figure says 4.",
            "Mondrian is ours, with strict cuts at the median of the widest attribute; the thesis ran a toolbox.",
            SPEED,
        ),
    )
