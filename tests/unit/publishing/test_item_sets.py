"""Sets of items from a table to a checked release: what is promised holds, and what was forged is seen."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.publishing.checking.check import CheckResult
from nymity.table.attribute import Attribute, Role
from nymity.table.item_cells import ItemColumn
from nymity.table.recoding import Recoding

ROWS = [
    ["a1", "A", "*"],
    ["a2", "A", "*"],
    ["b1", "B", "*"],
    ["b2", "B", "*"],
    ["b3", "B", "*"],
    ["c", "c", "*"],
]
ITEMS = [row[0] for row in ROWS]
TREE = ny.Hierarchy.from_rows(ROWS)
SETS = ["a1;b1", "a2;b1", "a1;b2", "a2;b1;b2", "a1;a2;c", "", "b1", "a1;b1;c", "a2", "b3;a1"] * 3


def schema(**items: Any) -> ny.Schema:
    ages = ny.Hierarchy.intervals(width=10, levels=2)
    return ny.Schema({"age": ny.quasi(ages), "ills": ny.items(TREE, **items)})


def table(sets: list[str] = SETS) -> pl.DataFrame:
    return pl.DataFrame({"age": [20 + 10 * (row % 2) for row in range(len(sets))], "ills": sets})


@st.composite
def jobs(draw: st.DrawFn) -> tuple[pl.DataFrame, ny.KMAnonymity, ny.OptimalLattice]:
    n = draw(st.integers(3, 14))
    sets = st.frozensets(st.sampled_from(ITEMS), max_size=4)
    frame = pl.DataFrame(
        {
            "age": draw(st.lists(st.sampled_from([21, 25, 34]), min_size=n, max_size=n)),
            "ills": [";".join(sorted(draw(sets))) for _ in range(n)],
        }
    )
    promise = ny.KMAnonymity(k=draw(st.integers(1, 3)), m=draw(st.integers(1, 3)))
    return frame, promise, ny.OptimalLattice(suppression=draw(st.sampled_from([0.0, 0.4])))


@settings(max_examples=120, deadline=None)
@given(jobs())
def test_who_knows_m_items_of_anybody_finds_k_records(job: tuple[pl.DataFrame, ny.KMAnonymity, Any]) -> None:
    """The attacker knows everything but who is who: the quasi-identifiers of a person, and any m true items."""
    frame, promise, method = job
    if not any(frame["ills"]):
        with pytest.raises(ny.NymityError, match="items in some record"):
            ny.publish(frame, schema(), privacy=promise, method=method)
        return
    release = ny.publish(frame, schema(), privacy=promise, method=method)
    shown = [
        (str(age), frozenset((cell or "").split(";")) - {""})
        for age, cell in zip(release.frame["age"], release.frame["ills"], strict=True)
    ]
    assert (naive.fewest_holding(shown, promise.m) or promise.k) >= promise.k
    above = {label: {row[0] for row in ROWS if label in row} for row in ROWS for label in row}
    for (age, _), source in zip(shown, release.log.source_rows.tolist(), strict=True):
        true = (frame["ills"][source] or "").split(";") if frame["ills"][source] else []
        for size in range(min(promise.m, len(true)) + 1):
            for known in combinations(true, size):
                # an item stands for what it is published as somewhere, unless it is nowhere in the class
                labels = {label for own, items in shown if own == age for label in items}
                seen = {label for item in known for label in labels if item in above[label]}
                assert sum(own == age and seen <= items for own, items in shown) >= promise.k


def test_a_release_is_checked_by_anybody(tmp_path: Path) -> None:
    release = ny.publish(table(), schema(), privacy=ny.KMAnonymity(k=3, m=2), out=tmp_path / "r")
    checked = ny.check(tmp_path / "r")
    assert checked.answer == "holds", checked.problems
    (promise,) = checked.promises
    assert promise.measured is not None
    assert promise.measured["k"] >= 3
    told = release.certificate["items"]
    entries = ItemColumn("ills", ";").entries(release.frame["ills"])
    assert told["published"] == entries.height
    assert release.log.figures["items"]["occurrences"] == sum(
        len([item for item in cell.split(";") if item]) for cell in SETS
    )
    assert [one["item"] for one in told["cut"]] == sorted(set(entries["item"]))
    assert [one.key for one in release.warnings] == ["items-beyond-those-known"]
    again = Recoding.from_dict(json.loads(json.dumps(release.recoding.to_dict())))
    assert again.apply(table()).table["ills"].sort().to_list() == release.frame["ills"].sort().to_list()


def _forged(folder: Path, cells: list[str | None]) -> CheckResult:
    frame = pl.read_csv(folder / "release.csv").with_columns(pl.Series("ills", cells))
    return ny.check(frame, certificate=folder / "certificate.json")


def test_forged_sets_and_certificates_are_seen(tmp_path: Path) -> None:
    release = ny.publish(table(), schema(), privacy=ny.KMAnonymity(k=3, m=2), out=tmp_path / "r")
    cells = release.frame["ills"].to_list()
    rare = [*cells[:-1], "c;zzz"]
    found = _forged(tmp_path / "r", rare)
    assert found.answer == "does not hold"
    assert any(one.answer == "does not hold" for one in found.promises)
    assert any("names other items" in one for one in found.problems)
    place = next(row for row, cell in enumerate(cells) if cell and ";" in cell)
    turned = [";".join(reversed(cell.split(";"))) if row == place else cell for row, cell in enumerate(cells)]
    assert any("not written in their one form" in one for one in _forged(tmp_path / "r", turned).problems)
    honest = json.loads((tmp_path / "r" / "certificate.json").read_text())
    for change in (
        {"published": honest["items"]["published"] + 1},
        {"column": "age"},
        {"cut": honest["items"]["cut"][1:]},
        {"cut": [*honest["items"]["cut"], honest["items"]["cut"][0]]},
    ):
        told = {**honest, "items": {**honest["items"], **change}}
        assert ny.check(tmp_path / "r", certificate=told).answer == "does not hold", change
    without = {name: value for name, value in honest.items() if name != "items"}
    assert ny.check(tmp_path / "r", certificate=without).answer == "does not hold"
    weaker = json.loads(json.dumps(honest))
    weaker["job"]["schema"]["ills"]["separator"] = "|"  # then a set would be one item
    assert ny.check(tmp_path / "r", certificate=weaker).answer == "does not hold"


def test_lists_and_text_are_published_alike() -> None:
    texts = ny.publish(table(), schema(), privacy=ny.KMAnonymity(k=3, m=2))
    lists = table().with_columns(pl.col("ills").str.split(";").list.eval(pl.element().filter(pl.element() != "")))
    spaced = table([cell.replace(";", " ; ;") + ";" for cell in SETS])
    doubled = table([";".join([*reversed(cell.split(";")), cell]) for cell in SETS])
    for other in (lists, spaced, doubled):
        assert ny.publish(other, schema(), privacy=ny.KMAnonymity(k=3, m=2)).frame.equals(texts.frame)


def test_a_long_table_is_folded_to_one_record_for_each_person(tmp_path: Path) -> None:
    pieces = [(row, 20 + 10 * (row % 2), item) for row, cell in enumerate(SETS) for item in (cell.split(";"))]
    long = pl.DataFrame(pieces, schema=["who", "age", "ills"], orient="row").sample(fraction=1, shuffle=True, seed=3)
    roles = ny.Schema({"who": ny.person(), **schema()})
    folded = ny.publish(long, roles, privacy=ny.KMAnonymity(k=3, m=2), out=tmp_path / "r")
    wide = ny.publish(table(), schema(), privacy=ny.KMAnonymity(k=3, m=2))
    assert folded.frame.equals(wide.frame)
    assert folded.certificate["unit"]["persons"] == len(SETS)
    assert ny.check(tmp_path / "r").answer == "cannot be seen"  # of whom rows are
    assert ny.check(tmp_path / "r", original=long).answer == "holds"
    assert ny.measure(long, roles).models["km-anonymity"] == ny.measure(table(), schema()).models["km-anonymity"]
    torn = long.with_columns(pl.when(pl.int_range(pl.len()) == 0).then(99).otherwise("age").alias("age"))
    with pytest.raises(ny.NymityError, match="one value for each person of 'who'"):
        ny.publish(torn, roles, privacy=ny.KMAnonymity(k=3, m=2))


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"frame": table(["a1;zz"] * 9)}, "unknown value"),
        ({"frame": table([""] * 9)}, "items in some record"),
        ({"frame": table(["a1;*"] * 9)}, "stands for suppressed cells"),
        ({"privacy": ny.KMAnonymity(k=99, m=2)}, "at most 30, the number of records"),
        ({"privacy": ny.KAnonymity(k=3)}, "km-anonymity once"),
        ({"privacy": [ny.KMAnonymity(k=3, m=1), ny.KMAnonymity(k=2, m=2)]}, "2 times"),
        ({"privacy": [ny.KMAnonymity(k=3, m=1), ny.KMap(k=2, population={"age": [20]})]}, "sizes of classes"),
        ({"method": ny.Mondrian()}, "one level for each column"),
        ({"method": ny.IterativeRecoding()}, "one level for each column"),
        ({"schema": ny.Schema({"age": ny.quasi(), "ills": ny.identifying()})}, "a column of items"),
        ({"schema": schema(missing="error")}, "no missing values"),
        ({"schema": schema(separator="|"), "frame": table(["a1;b1"] * 9)}, "unknown value"),
    ],
)
def test_what_cannot_be_published_is_refused(given: dict[str, Any], match: str) -> None:
    with pytest.raises(ny.NymityError, match=match):
        ny.publish(
            given.get("frame", table()),
            given["schema"] if "schema" in given else schema(),
            privacy=given.get("privacy", ny.KMAnonymity(k=3, m=2)),
            method=given.get("method"),
        )


def test_a_separator_that_is_none_is_refused() -> None:
    for separator in ("", "A", "*", '"', "a;", "      ", 7, None):
        with pytest.raises(ny.NymityError, match="separator: expected"):
            ny.items(separator=separator)  # type: ignore[arg-type]
    with pytest.raises(ny.NymityError, match="none but for a column of items"):
        Attribute(role=Role.QUASI, separator="|")


def test_more_items_known_than_anybody_has_asks_for_whole_sets() -> None:
    release = ny.publish(table(), schema(), privacy=ny.KMAnonymity(k=3, m=50))
    shown = [
        (str(a), frozenset((b or "").split(";")) - {""})
        for a, b in zip(release.frame["age"], release.frame["ills"], strict=True)
    ]
    assert (naive.fewest_holding(shown, 50) or 0) >= 3
