"""The exhibit: accuracies, counts and true rows of both, with intervals over draws."""

from __future__ import annotations

from collections.abc import Iterator

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import finding, notes, where
from nymity_lab.study.mean_interval import MeanInterval
from nymity_lab.study.study import Results, Rows
from nymity_lab.study.truthfulness.work import MST, SAFEPUB

#: Parts of epsilon 1 that SafePub's search has: the paper's, and the better one.
SEARCHES = (0.1, 0.3)


def exhibits(results: Results) -> list[Exhibit]:
    """Return one exhibit."""
    counted, learned = results.rows("counted"), results.rows("learned")
    panels = [
        Panel(
            title="relative accuracy of trees",
            across="task",
            measure="0: most frequent class, 1: a tree of the records themselves",
            values=tuple(_relative(learned)),
            plot="none",
        ),
        Panel(
            title="distance of counts",
            across="what",
            measure="mean total variation distance",
            values=tuple(_distances(counted)),
            plot="none",
        ),
        Panel(
            title="rows of people",
            across="what",
            measure="share of published rows",
            values=tuple(_true_rows(counted)),
            plot="none",
        ),
    ]
    return [
        Exhibit(
            number="Beyond the paper",
            title="True records and synthetic ones at the same promise",
            panels=tuple(panels),
            findings=(*_of_trees(results, learned), _of_counts(results, counted)),
            notes=notes(
                results,
                "Both have epsilon 1, and for delta the largest power of ten below 1 / n: for one record more or less.",
                "Trees are trained on a release of two thirds of the records and tested on the others. SafePub's score "
                "is classification there, which knows the target; MST does not.",
                "Counts are of releases of all records, SafePub's by granularity. A generalized cell counts as equal "
                "shares of the values it stands for.",
                "A row is a person's if every cell is what the hierarchy says of the record it came from; a synthetic "
                "one, if such a record exists.",
            ),
        )
    ]


def _name(way: str, search: float) -> str:
    return way if way == MST else f"{way}, search {search}"


def _ways(rows: Rows) -> list[tuple[str, float]]:
    return list(dict.fromkeys((row["way"], row["search"]) for row in rows))


def relative(rows: Rows) -> MeanInterval:
    """Return the relative accuracy over draws."""
    return MeanInterval.of([(r["accuracy"] - r["zero_r"]) / (r["original"] - r["zero_r"]) for r in rows])


def _relative(rows: Rows) -> Iterator[Value]:
    for way, search in _ways(rows):
        for data, target in dict.fromkeys((row["data"], row["target"]) for row in rows):
            of = where(rows, way=way, search=search, data=data, target=target)
            if of:
                yield from _with_ends(_name(way, search), f"{data}, {target}", relative(of))


def _distances(rows: Rows) -> Iterator[Value]:
    for way, search in _ways(rows):
        for data in dict.fromkeys(row["data"] for row in rows):
            of = where(rows, way=way, search=search, data=data)
            for key, what in (("one", "single columns"), ("two", "pairs of columns")):
                if of:
                    yield from _with_ends(_name(way, search), f"{data}, {what}", _mean(of, key))


def _true_rows(rows: Rows) -> Iterator[Value]:
    for way, search in _ways(rows):
        for data in dict.fromkeys(row["data"] for row in rows):
            of = where(rows, way=way, search=search, data=data)
            if of:
                yield Value(series=_name(way, search), at=f"{data}, true rows", ours=_mean(of, "true").mean)
                yield Value(series=_name(way, search), at=f"{data}, rows", ours=_mean(of, "rows").mean)


def _with_ends(series: str, at: str, interval: MeanInterval) -> Iterator[Value]:
    yield Value(series=series, at=at, ours=interval.mean)
    if interval.draws > 1:
        yield Value(series=series, at=f"{at}, from", ours=interval.low)
        yield Value(series=series, at=f"{at}, to", ours=interval.high)


def _mean(rows: Rows, key: str) -> MeanInterval:
    return MeanInterval.of([float(row[key]) for row in rows])


def _of_trees(results: Results, rows: Rows) -> Iterator[Finding]:
    best = SEARCHES[-1]
    for data, target in dict.fromkeys((row["data"], row["target"]) for row in rows):
        ours = where(rows, data=data, target=target, way=SAFEPUB, search=best)
        theirs = where(rows, data=data, target=target, way=MST)
        if ours and theirs:
            a, b = relative(ours), relative(theirs)
            yield finding(
                results,
                f"Ours: on {data}, {target}, trees learn at least as much from true rows (SafePub, search {best}).",
                f"SafePub {a.told('.3f')}, MST {b.told('.3f')}; difference {(a - b).told('+.3f')}",
                (a - b).above(0),
            )


def _of_counts(results: Results, rows: Rows) -> Finding:
    said, verdicts = [], []
    for data in dict.fromkeys(row["data"] for row in rows):
        ours, theirs = where(rows, data=data, way=SAFEPUB, search=SEARCHES[0]), where(rows, data=data, way=MST)
        if ours and theirs:
            a, b = _mean(ours, "two"), _mean(theirs, "two")
            said.append(f"{data}: SafePub {a.told('.3f')}, MST {b.told('.3f')}")
            verdicts.append((a - b).above(0))
    return finding(
        results,
        "Ours: counts of pairs are nearer to the table's in synthetic rows.",
        "; ".join(said) or "not run",
        None if not verdicts or None in verdicts else all(verdicts),
    )
