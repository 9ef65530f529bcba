"""What buckets lose: information loss, errors of count queries, and those beside generalization."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean

from nymity_lab.study.bucketization.exhibit_parts import CENSUS, Figures, figures, over, panel
from nymity_lab.study.bucketization.steps import SENSITIVE, THETA, THETAS
from nymity_lab.study.bucketization.work import PLANNERS
from nymity_lab.study.exhibit import Exhibit, Panel
from nymity_lab.study.exhibit_parts import PLOTTED, finding, notes, span, where
from nymity_lab.study.study import Results, Rows

_TWO, _MULTI, _OPTIMAL = PLANNERS
_ALIKE, _MONDRIAN, _ONE = "optimal, similar", "mondrian", "one bucket"
_DRAWN = (
    "Records, queries and who of a value goes to which bucket are drawn once, from a seed. A mean moves with the draw "
    "by a percentage point or more, so what is near a limit could fall on its other side; methods are asked the same "
    "queries, so their order is surer. Queries whose answer is 0 have no "
    "relative error and are left out; the thesis does not say what it does with them."
)


def figure_7_3(results: Results) -> Exhibit:
    """Figure 7.3."""
    rows = results.rows("loss")
    loss = {
        data: {
            method: figures(rows, data, method, across="theta", key="information_loss")
            for method in ("anatomy", *PLANNERS)
        }
        for data in SENSITIVE
    }
    anatomy = {data: [r for m in PLANNERS for r in over(of["anatomy"], of[m])] for data, of in loss.items()}
    two = {data: over(of[_TWO], of[_MULTI]) for data, of in loss.items()}
    multi = {data: over(of[_MULTI], of[_OPTIMAL]) for data, of in loss.items()}
    programs = where(rows, method=_OPTIMAL)
    gaps = [1 - row["bound"] / row["loss"] for row in programs if row["bound"] < row["loss"]]
    proof = f"{len(programs) - len(gaps)} of {len(programs)} optima are proved" + (
        f"; the others may be up to {max(gaps):.2%} from theirs (of the sum of squares)" if gaps else ""
    )
    return Exhibit(
        number="Figure 7.3",
        title="Information loss vs privacy coefficient theta",
        panels=tuple(_by_theta(rows, key="information_loss", measure="information loss (definition 7)")),
        findings=(
            finding(
                results,
                "Anatomy loses significantly more than all others at every theta (here: at least a fifth more).",
                _each(anatomy, "{} times as much as the others"),
                min(map(min, anatomy.values())) >= 1.2,
            ),
            finding(
                results,
                "Two sizes lose only slightly more than several (here: at most a tenth more).",
                _each(two, "{} times as much"),
                max(map(max, two.values())) <= 1.1,
            ),
            finding(
                results,
                "Several sizes by dividing top-down lose only slightly more than the optimum (here: at most a tenth "
                "more).",
                _each(multi, "{} times as much"),
                max(map(max, multi.values())) <= 1.1,
            ),
        ),
        notes=notes(
            results,
            PLOTTED,
            CENSUS,
            "Anatomy is computed as in the thesis, from buckets of l or l + 1 records, whether or not they can be "
            "filled. Where l is above the largest with a solution (figure 7.2), nobody could publish such a release.",
            f"The optimum is that of an integer program in numbers of buckets, by HiGHS; {proof}.",
            "Multi-size tries two orders of values where program 6.1 leaves the order open, and takes the better.",
        ),
    )


def figure_7_4(results: Results) -> Exhibit:
    """Figure 7.4."""
    rows = where(results.rows("error"), method=tuple(PLANNERS))
    error = _errors(rows, PLANNERS)
    occ, edu = error["OCC"], error["EDU"]
    largest = {data: max(max(of.values()) for of in methods.values()) for data, methods in error.items()}
    together = [[of[theta] for of in occ.values()] for theta in occ[_TWO]]
    apart = 100 * max(max(those) - min(those) for those in together)
    first, second = _points(edu[_TWO], edu[_MULTI]), _points(edu[_MULTI], edu[_OPTIMAL])
    every = [row["mean"] for row in rows]
    below = sum(value < 0.1 for value in every)
    medians = {data: [row["median"] for row in where(rows, data=data)] for data in SENSITIVE}
    return Exhibit(
        number="Figure 7.4",
        title="Relative error vs privacy coefficient theta",
        panels=(
            *_by_theta(rows, key="mean", measure="mean relative error"),
            *_by_theta(rows, key="median", measure="median relative error"),
        ),
        findings=(
            finding(
                results,
                "Occupation: the largest error is slightly over 10% (here: at most 12%).",
                f"largest {largest['OCC']:.1%}",
                largest["OCC"] <= 0.12,
            ),
            finding(
                results,
                "Occupation: two-size, multi-size and optimal are relatively close (here: within 2 percentage points "
                "at each theta).",
                f"at most {apart:.1f} points apart",
                apart <= 2,
            ),
            finding(
                results,
                "Education: no error is above 10%.",
                f"largest {largest['EDU']:.1%}",
                largest["EDU"] <= 0.1,
            ),
            finding(
                results,
                "Education: several sizes improve on two by about 2%, the optimum on several by about 2% (here: 1 to "
                "3 percentage points, as a mean over theta).",
                f"{first:.1f} and {second:.1f} points",
                1 <= first <= 3 and 1 <= second <= 3,
            ),
            finding(
                results,
                "The error is below 10% for most policies.",
                f"{below} of {len(every)} means are; medians are "
                + ", ".join(f"{span(100 * m for m in of)}% ({data})" for data, of in medians.items()),
                2 * below > len(every),
            ),
        ),
        notes=notes(results, PLOTTED, CENSUS, _records(rows), _zero(rows), _DRAWN),
    )


def beyond(results: Results) -> Exhibit:
    """Not in the thesis: buckets filled at random or by likeness, beside Mondrian with the same thresholds."""
    compared = (_OPTIMAL, _ALIKE, _MONDRIAN)
    one = [row | {"method": _ONE, "theta": theta} for row in results.rows("one-bucket") for theta in THETAS]
    rows = [*where(results.rows("error"), method=compared), *one]
    error = _errors(rows, (*compared, _ONE))
    worse = {data: over(of[_MONDRIAN], of[_OPTIMAL]) for data, of in error.items()}
    alike = {data: over(of[_ALIKE], of[_OPTIMAL]) for data, of in error.items()}
    left = {data: over(of[_OPTIMAL], of[_ONE]) for data, of in error.items()}
    medians = "; ".join(
        f"{method} {span(100 * row['median'] for row in where(rows, method=method))}%" for method in compared
    )
    return Exhibit(
        number="Beyond the thesis",
        title="Relative error of buckets and of generalization that keep the same thresholds",
        panels=(
            *_by_theta(rows, key="mean", measure="mean relative error"),
            *_by_theta(rows, key="median", measure="median relative error"),
        ),
        findings=(
            finding(
                results,
                "Xiao and Tao (2006): buckets answer counts far better than generalization (here: at most half the "
                "mean error of Mondrian at every theta).",
                f"Mondrian: {_each(worse, '{} times the mean error')}. Medians: {medians}",
                min(map(min, worse.values())) >= 2,
            ),
            finding(
                results,
                "Ours: counts are answered better if people in a bucket look alike.",
                "over buckets at random: " + _each(alike, "{} times the mean error"),
                max(map(max, alike.values())) < 1,
            ),
            finding(
                results,
                "Ours: at every theta buckets answer better than one bucket with all records, which says nothing of "
                "who has which value (here: by a tenth at least).",
                "; ".join(
                    f"{data} {', '.join(f'{r:.2f} (theta={t})' for t, r in zip(THETAS, ratios, strict=True))} of its "
                    f"mean error, {error[data][_ONE][THETA]:.1%}"
                    for data, ratios in left.items()
                ),
                max(map(max, left.values())) <= 0.9,
            ),
        ),
        notes=notes(
            results,
            CENSUS,
            _records(rows),
            "Buckets are the optimal plan's. Mondrian has strict cuts at the median of the widest column and F-privacy "
            "with the same thresholds as its only model; all columns are numbers, codes in their order. It also hides "
            "in part who is in the table, which buckets do not: what is compared is the cost of the common promise.",
            "A query admits random values, not ranges, which suits no order of values. Alike are records that are near "
            "each other in the order of their quasi-identifiers among those of the same value; the ends of that order "
            "are other people for other values.",
            _zero(rows),
        ),
    )


# -- figures ---------------------------------------------------------------------------------------------------


def _by_theta(rows: Rows, *, key: str, measure: str) -> list[Panel]:
    return [
        panel(where(rows, data=data), f"{data}, {measure.partition(' (')[0]}", across="theta", key=key, measure=measure)
        for data in SENSITIVE
    ]


def _errors(rows: Rows, methods: Iterable[str]) -> dict[str, dict[str, Figures]]:
    return {
        data: {method: figures(rows, data, method, across="theta", key="mean") for method in methods}
        for data in SENSITIVE
    }


def _points(before: Figures, after: Figures) -> float:
    """Return by how many percentage points one is below the other, as a mean."""
    return 100 * mean(before[theta] - after[theta] for theta in before)


def _each(found: dict[str, list[float]], words: str) -> str:
    return "; ".join(f"{data} {words.format(span(values))}" for data, values in found.items())


def _records(rows: Rows) -> str:
    return f"Queries are asked of {rows[0]['n']:,} records; the thesis asks 300,000."


def _zero(rows: Rows) -> str:
    return f"At most {max(row['zero_answers'] for row in rows):,} of a data set's queries have the answer 0."
