"""Tables that Liang (2020) prints in full: 3.1, 3.2 and A.1 on few records, 3.6, A.3 and A.4 on whole data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import finding, not_comparable, notes, where
from nymity_lab.study.local_recoding import paper
from nymity_lab.study.local_recoding.exhibit_parts import CENSUS
from nymity_lab.study.local_recoding.work import cells_text, first_records
from nymity_lab.study.study import Results, Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: By how much variances of fewer and more records may differ and still be similar.
_SIMILAR = 0.05


# -- steps -----------------------------------------------------------------------------------------------------


def small_tables() -> Rows:
    """Anonymize tables 3.1 and A.1 by the proven optimum, and sort table 3.2: a row for each record or place."""
    import numpy as np

    from nymity.partition.geometry import Geometry
    from nymity.partition.sorted_order import sorted_order

    people = np.array(paper.PATIENTS, dtype=np.float64)
    crashes = np.array(paper.RECORDS, dtype=np.float64)
    order = sorted_order(Geometry.of_points(crashes, 1 / np.ptp(crashes, axis=0)))
    return [
        *_anonymized("Table 3.1", people, np.ones(3), paper.PATIENT_CELLS),
        *(
            {"table": "Table 3.2", "record": place, "paper": printed, "ours": int(found)}
            for place, (printed, found) in enumerate(zip(paper.SORTED, order, strict=True), start=1)
        ),
        *_anonymized("Table A.1b", crashes, np.ones(4), _by_record(paper.CELLS)),
        *_anonymized("Table A.1c", crashes, np.array(paper.WEIGHTS), _by_record(paper.WEIGHTED_CELLS)),
    ]


def _anonymized(
    table: str, points: NDArray[np.float64], weights: NDArray[np.float64], printed: Sequence[str]
) -> list[dict[str, Any]]:
    import numpy as np

    from nymity.partition.exact import ExactPartition
    from nymity.partition.geometry import Geometry

    found = ExactPartition().partition(Geometry.of_points(points, weights / np.ptp(points, axis=0)), 3)
    assert found.optimal
    cells = [cells_text(points[found.classes == c]) for c in found.classes]
    return [
        {"table": table, "record": record, "paper": theirs, "ours": ours}
        for record, (theirs, ours) in enumerate(zip(printed, cells, strict=True))
    ]


def described(data: str, columns: list[str], many: list[int]) -> Rows:
    """Describe columns of the first records of a random order: values, least and largest, and variances."""
    rows = []
    for n in many:
        table = first_records(data, columns, n)
        rows += [
            {"n": table.height, "attribute": name, "values": table[name].n_unique(), "variance": table[name].var()}
            | {"least": table[name].min(), "largest": table[name].max()}
            for name in columns
        ]
    return rows


# -- exhibits --------------------------------------------------------------------------------------------------


def small_exhibits(results: Results) -> list[Exhibit]:
    """Tables 3.1, 3.2 and A.1."""
    titles = {
        "Table 3.1": ("Example of an anonymized health record", "cells"),
        "Table 3.2": ("Records sorted by variance", "record"),
        "Table A.1": ("Records anonymized by equal and unequal weights", "cells"),
    }
    rows = results.rows("small-tables")
    return [
        _printed(number, title, measure, [row for row in rows if row["table"].startswith(number)])
        for number, (title, measure) in titles.items()
    ]


def _printed(number: str, title: str, measure: str, rows: Rows) -> Exhibit:
    panels = tuple(
        Panel(
            title=table,
            across="place" if measure == "record" else "record",
            measure=measure,
            values=tuple(
                Value(series=measure, at=row["record"], ours=row["ours"], paper=row["paper"])
                for row in where(rows, table=table)
            ),
            plot="none",
        )
        for table in dict.fromkeys(row["table"] for row in rows)
    )
    same = sum(row["ours"] == row["paper"] for row in rows)
    return Exhibit(
        number=number,
        title=title,
        panels=panels,
        findings=(
            Finding(
                paper="Every entry as printed.", ours=f"{same} of {len(rows)} entries agree", holds=same == len(rows)
            ),
        ),
        notes=("k = 3. The thesis solves its program by Gurobi; here the optimum is proved by set partitioning.",),
    )


def table_3_6(results: Results) -> Exhibit:
    """Table 3.6."""
    rows = results.rows("described.census")
    largest = max(row["n"] for row in rows)
    known = results.scale != "smoke"
    values = []
    for row, (name, printed) in zip(where(rows, n=largest), paper.ATTRIBUTES.items(), strict=True):
        theirs = printed if known else (None, None, None)
        for series, key, value in zip(
            ("values", "least", "largest"), ("values", "least", "largest"), theirs, strict=True
        ):
            values.append(Value(series=series, at=name, ours=row[key], paper=value))
    return Exhibit(
        number="Table 3.6",
        title="The census with eight attributes",
        panels=(Panel(title="Attributes", across="attribute", measure="value", values=tuple(values), plot="none"),),
        findings=(
            not_comparable(
                "Values, least and largest of eight attributes.", "another census with other codes stands in"
            ),
        ),
        notes=notes(results, CENSUS),
    )


def table_a_3(results: Results) -> Exhibit:
    """Table A.3."""
    rows, known = results.rows("described.census"), results.scale != "smoke"
    names = list(dict.fromkeys(row["attribute"] for row in rows))
    shown = dict(zip(names, paper.ATTRIBUTES, strict=True))
    values = [
        Value(
            series=shown[row["attribute"]],
            at=row["n"],
            ours=row["variance"],
            paper=paper.VARIANCES.get(row["n"], {}).get(shown[row["attribute"]]) if known else None,
        )
        for row in rows
    ]
    spans = {}
    for name in names:
        found = [row["variance"] for row in where(rows, attribute=name)]
        spans[shown[name]] = max(found) / min(found) - 1
    return Exhibit(
        number="Table A.3",
        title="Variances of the census by records",
        panels=(Panel(title="Variances", across="records", measure="variance", values=tuple(values), plot="none"),),
        findings=(
            finding(
                results,
                "Variances are similar across sizes (here: within 5% of one another).",
                "largest over smallest: " + ", ".join(f"{name} +{gap:.1%}" for name, gap in spans.items()),
                all(gap <= _SIMILAR for gap in spans.values()),
            ),
        ),
        notes=notes(results, CENSUS, "Variances of codes: those of another census are of other codes."),
    )


def table_a_4(results: Results) -> Exhibit:
    """Table A.4."""
    rows = results.rows("described.stays")
    ours = [
        Value(series=series, at=row["attribute"], ours=row[series])
        for row in rows
        for series in ("variance", "least", "largest")
    ]
    theirs = [
        Value(series=series, at=name, ours=None, paper=value)
        for name, printed in paper.WIDE.items()
        for series, value in zip(("variance", "least", "largest"), printed, strict=True)
    ]
    return Exhibit(
        number="Table A.4",
        title="Data sets with 15 to 35 attributes",
        panels=(
            Panel(title="Hospital stays", across="attribute", measure="value", values=tuple(ours), plot="none"),
            Panel(title="Census of the thesis", across="attribute", measure="value", values=tuple(theirs), plot="none"),
        ),
        findings=(
            not_comparable("Variance, least and largest of 35 attributes.", "hospital stays stand in for the census"),
        ),
        notes=notes(results, "Hospital stays of 130 hospitals have as many attributes as the thesis's census."),
    )


def _by_record(classes: dict[tuple[int, ...], str]) -> list[str]:
    found = {record: cells for members, cells in classes.items() for record in members}
    return [found[record] for record in sorted(found)]
