"""The worked examples 4 to 13 of Wang (2014), with their tables and figure 6.1: each printed figure beside ours.

They need no records but the few that are printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import where
from nymity_lab.study.study import Results, Rows

if TYPE_CHECKING:
    from nymity.bucket import Plan

#: Tables 3.3, 5.1, 5.3 and 6.1: records of each value, and theta and constant of f' = theta f + constant.
_FIVE = ([2, 2, 2, 4, 4, 4, 4, 7, 7], 3, "0.02")
_EIGHT = ([1] * 8 + [6] * 4 + [9] * 2, 2, "0.05")
_TEN = ([4, 4, 4, 8, 8], 2, "0")
_THIRTEEN = ([2] * 4 + [4] * 4 + [7, 8], 3, "0.02")
#: Table 3.2: the diseases of the two buckets.
_BUCKETS = (("Brain Tumor", "Flu", "HIV"), ("Flu", "Cancer", "HIV"))
#: Table 4.2: the values of the six buckets, by their numbers.
_DEALT = ((9, 9, 8, 6, 5, 3), (9, 8, 8, 6, 5, 3), (9, 8, 7, 6, 4, 2), (9, 8, 7, 6, 4, 2), (9, 8, 7, 5, 4, 1),
          (9, 8, 7, 5, 4, 1))  # fmt: skip
_ROW = "(14, 0) (12, 1) (10, 2) (8, 3) (6, 4) (4, 5) (2, 6) (0, 7)"

#: Number, title with the tables it has, and what is to be said of it.
_EXAMPLES = {
    "Example 4": ("A bucketization (tables 3.1 and 3.2)", ""),
    "Example 5": (
        "Optimal buckets (tables 3.3 and 3.4)",
        "The printed optimum leaves the four records of x7 out: it holds 32 of 36, so that 70 is no solution's loss.",
    ),
    "Example 6": (
        "Round-robin buckets (tables 4.1 and 4.2)",
        "Which bucket has the larger part of a value is by turns there and by another turn here; shown is how evenly.",
    ),
    "Example 7": ("Valid and invalid settings of one size", ""),
    "Example 8": ("Two sizes (tables 5.1 and 5.2)", ""),
    "Example 9": ("Settings of two sizes", "Of sizes 3 and 5 the example misses (6, 2): 6 · 3 + 2 · 5 = 28."),
    "Example 10": ("Fill constraints (table 5.3)", ""),
    "Example 11": ("The privacy constraint of x1", "It has the records of example 10, not of example 9 as it says."),
    "Example 12": ("Conditions that do not extend to three sizes", ""),
    "Example 13": (
        "Top-down bucketing (table 6.1 and figure 6.1)",
        "The losses of the printed settings are other than printed; those of the second and third round have too few "
        "buckets that x1 to x4 may go to. Top-down reaches 98 here, and 91 is the proven optimum.",
    ),
}


def worked_examples() -> Rows:
    """Compute every figure of the examples: ``paper`` is what is printed, ``ours`` what the definitions give."""
    parts = (_four, _five, _six, _seven, _eight, _nine, _ten, _eleven, _twelve, _thirteen)
    return [
        {"example": f"Example {number}", "figure": figure, "paper": paper, "ours": ours}
        for number, part in enumerate(parts, start=4)
        for figure, paper, ours in part()
    ]


def example_exhibits(results: Results) -> list[Exhibit]:
    """Return an exhibit for each example."""
    rows = results.rows("examples")
    return [_exhibit(number, *about, where(rows, example=number)) for number, about in _EXAMPLES.items()]


def _exhibit(number: str, title: str, note: str, rows: Rows) -> Exhibit:
    values = tuple(Value(series="figure", at=row["figure"], ours=row["ours"], paper=row["paper"]) for row in rows)
    others = [value for value in values if value.ours != value.paper]
    told = f"{len(values) - len(others)} of {len(values)} figures as printed"
    told += "".join(f"; {value.at}: {value.ours}, printed {value.paper}" for value in others)
    return Exhibit(
        number=number,
        title=title,
        panels=(Panel(title="Figures", across="figure", measure="value", values=values, plot="none"),),
        findings=(Finding(paper="Every figure of the example, as printed.", ours=told, holds=not others),),
        notes=(note,) if note else ("No records but the printed ones.",),
    )


# -- the examples ----------------------------------------------------------------------------------------------

_Figures = Iterator[tuple[str, Any, Any]]


def _four() -> _Figures:
    shares = [Counter(bucket).most_common(1)[0][1] / len(bucket) for bucket in _BUCKETS]
    yield "largest share in the bucket of Alice", "33.3%", f"{shares[1]:.1%}"
    yield "3-diversity", "yes", "yes" if max(shares) <= 1 / 3 else "no"


def _five() -> _Figures:
    from nymity.bucket import plan

    counts, thresholds = _given(_FIVE)
    yield "smallest sizes S*", "6 6 6 3 3 3 3 2 2", _text(-(-t.denominator // t.numerator) for t in thresholds)
    printed = _checked(_FIVE, [2, 3, 6], [4, 4, 2])
    yield "loss of the printed setting", 70, printed.loss
    yield "records that it holds", 36, sum(s * b for s, b in zip(printed.sizes, printed.buckets, strict=True))
    yield "optimal loss", 70, plan(counts, thresholds, method="optimal").loss
    yield "loss of six buckets of six", 150, plan(counts, thresholds, method="one-size").loss


def _six() -> _Figures:
    from nymity.bucket import fill

    yield "size for the strictest threshold", 6, -(-1 // _given(_FIVE)[1][0])
    slots = fill(_checked(_FIVE, [6], [6]))
    for value in range(9):
        printed = sorted((bucket.count(value + 1) for bucket in _DEALT if value + 1 in bucket), reverse=True)
        dealt = sorted(slots.records[slots.value == value].tolist(), reverse=True)
        yield f"records of x{value + 1} by bucket", _text(printed), _text(n for n in dealt if n)


def _seven() -> _Figures:
    for size, buckets, admitted, valid in ((6, 6, "6 12 18", "valid"), (4, 9, "0 9 18", "not valid")):
        thresholds = _given(_FIVE)[1]
        yield (
            f"records of x1, x4, x8 that {buckets} buckets of {size} admit",
            admitted,
            _text(int(thresholds[i] * size) * buckets for i in (0, 3, 7)),
        )
        found = "valid" if _checked(_FIVE, [size], [buckets]).valid else "not valid"
        yield f"{buckets} buckets of {size}", valid, found


def _eight() -> _Figures:
    import numpy as np

    from nymity.bucket.problem import BucketProblem

    problem = BucketProblem.of(*_given(_EIGHT), [4, 14])
    most = np.minimum(problem.caps * [9, 1], problem.counts[:, None]).T.tolist()
    yield "a for nine buckets of 4", _text([0] * 8 + [6] * 4 + [9] * 2), _text(most[0])
    yield "a for one bucket of 14", _text([1] * 8 + [4] * 4 + [5] * 2), _text(most[1])
    found = _checked(_EIGHT, [4, 14], [9, 1])
    yield "solution", "yes", "yes" if found.valid else "no"
    yield "records in buckets of 4 and of 14", "36 14", _text(found.records.sum(axis=0).tolist())


def _nine() -> _Figures:
    yield "settings of sizes 2 and 4", _ROW, _pairs_text(_settings([28], [Fraction(1)], [2, 4]))
    yield "settings of sizes 3 and 5", "(1, 5)", _pairs_text(_settings([28], [Fraction(1)], [3, 5]))


def _ten() -> _Figures:
    from nymity.bucket.problem import BucketProblem
    from nymity.bucket.two_size import most_buckets

    problem = BucketProblem.of(*_given(_TEN), [2, 4])
    small, large = most_buckets(problem).tolist()
    every = _settings(*_given(_TEN), [2, 4])
    yield (
        "settings that fill buckets of 2",
        "(8, 3) (6, 4) (4, 5) (2, 6) (0, 7)",
        _pairs_text(p for p in every if p[0] <= small),
    )
    yield "settings that do not", "(14, 0) (12, 1) (10, 2)", _pairs_text(p for p in every if p[0] > small)
    yield "settings that fill buckets of 4", _ROW, _pairs_text(p for p in every if p[1] <= large)


def _eleven() -> _Figures:
    from nymity.bucket.problem import BucketProblem

    problem = BucketProblem.of(*_given(_TEN), [2, 4])
    (small, large), records = problem.caps[0].tolist(), int(problem.counts[0])
    every = _settings(*_given(_TEN), [2, 4])
    yield "places of x1 in a bucket of 2", 0, small
    yield (
        "settings with too few places in buckets of 4",
        "(14, 0) (12, 1) (10, 2) (8, 3)",
        _pairs_text(p for p in every if large * p[1] < records),
    )
    yield (
        "settings with enough",
        "(6, 4) (4, 5) (2, 6) (0, 7)",
        _pairs_text(p for p in every if large * p[1] >= records),
    )


def _twelve() -> _Figures:
    import numpy as np

    from nymity.bucket import Violation
    from nymity.bucket.assignment import assign
    from nymity.bucket.problem import BucketProblem

    counts, caps = np.array([5] * 10 + [20]), np.array([[0, 0, 5]] * 10 + [[10, 20, 20]])
    problem = BucketProblem(tuple(range(11)), counts, (Fraction(1),) * 11, np.array([10, 20, 30]), caps)
    buckets = np.array([2, 1, 1])
    most = np.minimum(caps * buckets, counts[:, None])
    single = (most.sum(axis=1) >= counts).all() and (most.sum(axis=0) >= problem.sizes * buckets).all()
    yield "conditions on single sizes", "hold", "hold" if single else "do not hold"
    yield "solution", "no", "no" if isinstance(assign(problem, buckets), Violation) else "yes"


def _thirteen() -> _Figures:
    from nymity.bucket import plan

    rounds = ((132, [5, 6], [3, 4]), (125, [4, 5], [6, 3]), (118, [2, 4, 5], [2, 5, 3]))
    for number, (loss, sizes, buckets) in enumerate(rounds, start=1):
        found = _checked(_THIRTEEN, sizes, buckets)
        yield f"loss after round {number}", loss, found.loss
        yield f"round {number} is a solution", "yes", "yes" if found.valid else "no"
    yield "least loss of two sizes", 132, plan(*_given(_THIRTEEN), method="two-size").loss


# -- helpers ---------------------------------------------------------------------------------------------------


def _given(example: tuple[list[int], int, str]) -> tuple[list[int], list[Fraction]]:
    """Return records of each value, and thresholds min(1, theta f + constant)."""
    counts, theta, constant = example
    return counts, [min(Fraction(1), theta * Fraction(n, sum(counts)) + Fraction(constant)) for n in counts]


def _checked(example: tuple[list[int], int, str], sizes: list[int], buckets: list[int]) -> Plan:
    from nymity.bucket import check

    return check(*_given(example), sizes=sizes, buckets=buckets)


def _settings(counts: list[int], thresholds: Sequence[Fraction], sizes: list[int]) -> list[tuple[int, int]]:
    """Return all settings of two sizes, most small buckets first."""
    from nymity.bucket.pairs import Pairs
    from nymity.bucket.problem import BucketProblem

    problem = BucketProblem.of(counts, thresholds, sizes)
    pairs = Pairs.of(problem)
    return [tuple(pairs.setting(problem, 0, k).tolist()) for k in range(pairs.last[0] + 1)]


def _text(numbers: Any) -> str:
    return " ".join(map(str, numbers))


def _pairs_text(pairs: Any) -> str:
    return " ".join(f"({a}, {b})" for a, b in pairs)
