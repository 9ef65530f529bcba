"""Tables B.1 and B.2, figures B.1 to B.4, and equation 4.2.5."""

from __future__ import annotations

from nymity_lab.study.exhibit import Exhibit, Panel, Value
from nymity_lab.study.exhibit_parts import finding, notes, where
from nymity_lab.study.study import Results, Row
from nymity_robust import thesis
from nymity_robust.samples import FIRST_FIGURE
from nymity_robust.study.exhibit_parts import DATA, data_of, one
from nymity_robust.vote_probability import majority_success, printed_success

#: Way and count of each column, its name, and which of the thesis's columns it stands beside.
_COLUMNS = (
    ("plain", 2, "SI (2×)", 0),
    ("noisy", 2, "SI-NL (2×)", 1),
    ("as-published", 2, "SI-NL (2×), as published", 1),
    ("plain", 3, "SI (3×)", 2),
    ("noisy", 3, "SI-NL (3×)", 3),
    ("as-published", 3, "SI-NL (3×), as published", 3),
)
_TABLES = {"mnist": "Table B.1", "cifar10": "Table B.2", "generated": "Table B.1"}
_NOT_RUN = "not run: older than samples; python -m nymity_robust.review MEMBERS.pt --parts samples --out OUT makes them"


def appendix(results: Results) -> list[Exhibit]:
    """The table and the two figures of each data set."""
    return [
        exhibit
        for data in data_of(results)
        for exhibit in (_table(results, data), _figure(results, data, 1), _figure(results, data, 2))
    ]


def equation_4_2_5(results: Results) -> Exhibit:
    """The success probability of a vote, as printed and as it is."""
    panels, two = [], {}
    for data in data_of(results):
        facts = one(results, data, "facts")
        single, members = facts["single"], facts["members"]
        values = []
        for m in sorted({1, 2, 3, 5, 10, members}):
            if m <= 10:  # beyond, the sum has dozens of digits
                values.append(Value(series="as printed", at=m, ours=float(printed_success(single, m))))
            independent = float(majority_success([single] * m))
            values.append(Value(series="more than half right, independent", at=m, ours=independent))
        values.append(Value(series="vote, measured", at=members, ours=facts["vote"]["share"]))
        title = f"{DATA[data]}: members that are right with probability {single:.3f}"
        panels.append(
            Panel(title=title, across="members", measure="success probability", values=tuple(values), plot="none")
        )
        two[data] = float(printed_success(single, 2))
    said = ", ".join(f"{value:.3f} on {DATA[data]}" for data, value in two.items())
    return Exhibit(
        number="Equation 4.2.5",
        title="The probability that a vote is right",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "Equation 4.2.5 is the probability of success by voting (here: at most 1).",
                f"for two members {said}",
                max(two.values()) <= 1,
            ),
        ),
        notes=notes(
            results,
            "The sum over all partitions counts one outcome many times. Members err together on hard images, so that "
            "the measured vote is below what independent members would reach.",
        ),
    )


def _table(results: Results, data: str) -> Exhibit:
    rows = _rows(results, data)
    panels = []
    for sample, label in enumerate(_labels(data, rows), start=1):
        printed = thesis.SAMPLES.get(data, {}).get(label, {})
        values = []
        for way, count, name, place in _COLUMNS:
            ours = _answers(rows, sample, way, count)
            for target in ours or printed:
                theirs = printed.get(target)
                values.append(
                    Value(
                        series=name,
                        at=target,
                        ours=None if ours is None else str(ours[target]),
                        paper=None if theirs is None else str(theirs[place]),
                    )
                )
        title = f"sample {sample}, a {label}"
        panels.append(
            Panel(title=title, across="target", measure="answer of the vote", values=tuple(values), plot="none")
        )
    told = [] if rows else [_NOT_RUN]
    return Exhibit(
        number=_TABLES[data],
        title=f"{DATA[data]}: how the vote classifies two samples with superimposed perturbations",
        panels=tuple(panels),
        notes=notes(
            results,
            *told,
            "With noise the most frequent of many answers is printed. As published: examples that held once were kept.",
        ),
    )


def _figure(results: Results, data: str, sample: int) -> Exhibit:
    rows = where(_rows(results, data), sample=sample)
    values = tuple(
        Value(series=name, at=target, ours=100 * size)
        for way, count, name, _ in _COLUMNS
        for row in where(rows, way=way, count=count)
        for target, size in zip(row["targets"], row["perturbation"], strict=True)
    )
    number = FIRST_FIGURE[data] + sample - 1
    files = f"The images are OUT/work/{data}/figures/figure-b{number}-*.png: rows are targets; columns the image, the "
    told = f"{files}smallest examples, their sum." if rows else _NOT_RUN
    measure = "% of the image's norm"
    return Exhibit(
        number=f"Figure B.{number}",
        title=f"{DATA[data]} sample {sample}: images with superimposed perturbations",
        panels=(Panel(title="size of the sum", across="target", measure=measure, values=values, plot="none"),)
        if rows
        else (),
        notes=notes(results, told),
    )


def _rows(results: Results, data: str) -> list[Row]:
    return where([row for row in results.rows(data) if row["kind"] == "sample"])


def _labels(data: str, rows: list[Row]) -> list[int]:
    printed = list(thesis.SAMPLES.get(data, {}))
    return printed or [
        int(where(rows, sample=sample)[0]["label"]) for sample in sorted({row["sample"] for row in rows})
    ]


def _answers(rows: list[Row], sample: int, way: str, count: int) -> dict[int, int] | None:
    found = where(rows, sample=sample, way=way, count=count)
    return dict(zip(found[0]["targets"], found[0]["answers"], strict=True)) if found else None
