"""How long planning takes: figures 7.5 and 7.6."""

from __future__ import annotations

from nymity_lab.study.bucketization.exhibit_parts import CENSUS, Figures, figures, growth, over, panel
from nymity_lab.study.bucketization.steps import SENSITIVE, THETA
from nymity_lab.study.bucketization.work import TIMED
from nymity_lab.study.exhibit import Exhibit, Finding, Panel
from nymity_lab.study.exhibit_parts import PLOTTED, SECONDS, finding, notes, span, where
from nymity_lab.study.study import Results, Rows

_NONE, _LOSS, _FULL, _MULTI, _PROGRAM = TIMED
_SPEED = (
    "Times are CPU seconds on one thread, the shortest of three where that takes less than a second; reading the table "
    "is not part of them. Searches check many settings at once by NumPy; the thesis has C++ and checks one at a time."
)
_PRUNED = (
    "Full pruning is not the thesis's binary search: along the settings of two sizes each condition cuts off one end "
    "at a place that integer division gives."
)


def figure_7_5(results: Results) -> Exhibit:
    """Figure 7.5."""
    rows = results.rows("rows")
    time = _times(rows, "n")
    order = [time[d][_FULL][n] < time[d][_LOSS][n] < time[d][_NONE][n] for d in time for n in time[d][_NONE]]
    pruned = _ratios(time, _LOSS, _NONE)
    program = _ratios(time, _PROGRAM, _NONE)
    rising = {method: [growth(time[data][method]) for data in time] for method in (_LOSS, _FULL)}
    full = [1000 * seconds for data in time for seconds in time[data][_FULL].values()]
    return Exhibit(
        number="Figure 7.5",
        title="Runtime vs cardinality |T|",
        panels=tuple(_panels(rows, "n")),
        findings=(
            finding(
                results,
                "Full pruning takes the least time and no pruning the most.",
                f"so at {sum(order)} of {len(order)} settings; full pruning takes {span(full)} ms",
                all(order),
            ),
            finding(
                results,
                "Loss pruning takes significantly less time than no pruning (here: at most half).",
                f"{span(pruned)} of it",
                max(pruned) <= 0.5,
            ),
            finding(
                results,
                "More records make loss pruning slower, and hardly full pruning (here: by more and by less than half).",
                f"from fewest to most records: loss pruning {span(rising[_LOSS])} times the time, full pruning "
                f"{span(rising[_FULL])}",
                min(rising[_LOSS]) > 1.5 > max(rising[_FULL]),
            ),
            finding(
                results,
                "The integer program takes less time than no pruning.",
                f"{span(program)} of it",
                max(program) < 1,
            ),
        ),
        notes=notes(results, PLOTTED, CENSUS, f"theta = {THETA}.", _PRUNED, _about_the_program(rows), _SPEED),
    )


def figure_7_6(results: Results) -> Exhibit:
    """Figure 7.6."""
    rows = results.rows("scale-up")
    time = _times(rows, "gamma")
    rising = {method: [growth(time[data][method]) for data in time] for method in TIMED}
    values = {data: figures(rows, data, _NONE, across="gamma", key="values") for data in SENSITIVE}
    more = [growth(of) for of in values.values()]
    others = [r for method in (_LOSS, _FULL, _MULTI) for r in rising[method]]
    counted = "; ".join(f"{data} {', '.join(f'{v:,}' for v in of.values())}" for data, of in values.items())
    return Exhibit(
        number="Figure 7.6",
        title="Runtime vs scale-up factor gamma for |SA|",
        panels=tuple(_panels(rows, "gamma")),
        findings=(
            _growth_of_the_program(results, rows),
            finding(
                results,
                "That of loss pruning, full pruning and several sizes rises little (here: less than the number of "
                "values does, being linear in it).",
                "; ".join(f"{method} {span(rising[method])} times" for method in (_LOSS, _FULL, _MULTI))
                + f"; values {span(more)} times",
                max(others) < min(more),
            ),
            finding(
                results,
                "That of no pruning falls, because sizes below M drop out.",
                f"{span(rising[_NONE])} times",
                max(rising[_NONE]) < 1,
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            CENSUS,
            f"Each record's value is replaced by one of gamma, drawn at random, as in section 7.3.2; {rows[0]['n']:,} "
            f"records. Values that occur: {counted}.",
            _PRUNED,
            _about_the_program(rows),
            _SPEED,
        ),
    )


def _growth_of_the_program(results: Results, rows: Rows) -> Finding:
    """A program that was stopped would have taken longer: too little growth then decides nothing."""
    time = _times(rows, "gamma")
    rising = {data: growth(time[data][_PROGRAM]) for data in time}
    slow = [data for data in rising if rising[data] < 4]
    stopped = [data for data in time if not where(rows, data=data, method=_PROGRAM)[-1]["proved"]]
    undecided = bool(slow) and set(slow) <= set(stopped)
    return finding(
        results,
        "The integer program's time rises quickly with the number of values (here: at least fourfold).",
        "; ".join(f"{data} {r:.3g} times{' or more' * (data in stopped)}" for data, r in rising.items())
        + ", from the smallest gamma to the largest",
        None if undecided else not slow,
    )


def _times(rows: Rows, across: str) -> dict[str, dict[str, Figures]]:
    return {d: {m: figures(rows, d, m, across=across, key="seconds") for m in TIMED} for d in SENSITIVE}


def _ratios(time: dict[str, dict[str, Figures]], above: str, below: str) -> list[float]:
    return [ratio for of in time.values() for ratio in over(of[above], of[below])]


def _panels(rows: Rows, across: str) -> list[Panel]:
    return [
        panel(where(rows, data=d), f"{d}, time", across=across, key="seconds", measure=SECONDS, plot="log")
        for d in SENSITIVE
    ]


def _about_the_program(rows: Rows) -> str:
    programs = where(rows, method=_PROGRAM)
    return (
        "The integer program is that of several sizes, in numbers of buckets alone, by HiGHS, where the thesis solves "
        f"that of two by Gurobi; {sum(row['proved'] for row in programs)} of {len(programs)} end with a proof within "
        "their limit of time (a minute in quick, ten in full); the others would take longer. Several sizes are ours: "
        "the thesis times two."
    )
