"""The tables: the worked examples, which must agree to the letter, and the sizes of sub-problems."""

from __future__ import annotations

from collections import Counter

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import finding, notes, where
from nymity_lab.study.local_recoding import paper
from nymity_lab.study.local_recoding.exhibit_parts import CENSUS, FOUR
from nymity_lab.study.study import Results, Rows


def worked_examples(results: Results) -> list[Exhibit]:
    """Tables 3.3 to 3.5."""
    rows = results.rows("examples")
    return [_sub_problem(rows, 1), _sub_problem(rows, 2), _greedy_steps(rows)]


def _sub_problem(rows: Rows, number: int) -> Exhibit:
    printed = {record: cells for members, cells in paper.CELLS.items() for record in members}
    found = {record: row["cells"] for row in where(rows, part=f"sub-problem {number}") for record in row["records"]}
    records = paper.SUB_PROBLEMS[f"Table 3.{number + 2}"]
    values = tuple(
        Value(series="cells", at=str(record), ours=found.get(record, "not in it"), paper=printed[record])
        for record in records
    )
    same = set(found) == set(records) and all(value.difference == "same" for value in values)
    whole = where(rows, part="split and carry")[0]["joined"]
    ours = f"{_agreeing(values)}; sub-problems put together {'are' if whole else 'are not'} what split-carry returns"
    return Exhibit(
        number=f"Table 3.{number + 2}",
        title=f"Sub-problem {number} of worked example 1",
        panels=(Panel(title="Solution", across="record", measure="cells", values=values, plot="none"),),
        findings=(Finding(paper="The cells of each record's class, as printed.", ours=ours, holds=same and whole),),
        notes=(
            "The k-sets that the text lists before the table have misprints; the table follows from the sorted order.",
        ),
    )


def _greedy_steps(rows: Rows) -> Exhibit:
    found = {
        row["index"]: (_text(row["remaining"]), ",".join(f"[{_text(s)}]" for s in row["sets"]))
        for row in where(rows, part="greedy search")
    }
    values = []
    for index, remaining, sets in paper.GREEDY_STEPS:
        ours = found.get(index, ("no such step", "no such step"))
        values.append(Value(series="remaining", at=str(index), ours=f"{{{ours[0]}}}", paper=f"{{{remaining}}}"))
        values.append(Value(series="k-sets", at=str(index), ours=ours[1], paper=sets))
    same = [step[0] for step in paper.GREEDY_STEPS] == list(found) and all(v.difference == "same" for v in values)
    return Exhibit(
        number="Table 3.5",
        title="Steps of greedy search for example 2",
        panels=(Panel(title="Steps", across="record", measure="records", values=tuple(values), plot="none"),),
        findings=(Finding(paper="Each step as printed.", ours=_agreeing(tuple(values)), holds=same),),
        notes=("Algorithm 2 leaves out what becomes of the records that are left; the table says it.",),
    )


def _text(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def _agreeing(values: tuple[Value, ...]) -> str:
    return f"{sum(value.difference == 'same' for value in values)} of {len(values)} entries agree"


def sub_problem_sizes(results: Results) -> Exhibit:
    """Table A.2."""
    rows = [row for row in results.rows("figure-3.5") if "sizes" in row]
    panels, reached, usual, words = [], [], [], []
    for row in rows:
        s, counts = int(row["method"][-1]), Counter[int](row["sizes"])
        printed = paper.SIZES[s] if results.scale != "smoke" else {}
        bound = row["k"] * (2 * row["k"] - 1 + s) + row["n"] % row["k"]
        values = [
            Value(
                series="sub-problems",
                at=size,
                ours=counts.get(size, 0),
                paper=printed.get(size, 0) if printed else None,
            )
            for size in sorted({*counts, *printed})
        ]
        title = f"S = {s}: {len(row['sizes']):,} sub-problems, at most {bound} records"
        panels.append(Panel(title=title, across="size", measure="sub-problems", values=tuple(values), plot="none"))
        usual.append(counts.most_common(1)[0][0] == row["k"] * (s + 1))
        reached.append(sum(count for size, count in counts.items() if size >= bound) / len(row["sizes"]))
        words.append(f"S={s}: most often {counts.most_common(1)[0][0]}, largest {max(counts)}, bound {bound}")
    return Exhibit(
        number="Table A.2",
        title="Distributions of sub-problem sizes",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "Sub-problems rarely reach the size that lemma 2 allows (here: under 1%); most carry one class of k.",
                "; ".join(words) + f"; {max(reached):.1%} at most reach their bound",
                max(reached) < 0.01 and all(usual),
            ),
        ),
        notes=notes(
            results,
            CENSUS,
            FOUR,
            "The last k-set takes the n mod k records that are left over, by which the bound of lemma 2 grows.",
        ),
    )
