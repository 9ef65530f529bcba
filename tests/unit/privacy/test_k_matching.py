"""k-matching against its definition: matchings enumerated one by one."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.errors import InputError, ParameterError
from nymity.privacy import Groups, KAnonymity, KMatching, consistency
from nymity.privacy.consistency import Consistency, Originals
from nymity.table.attribute import quasi
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import Layer, LevelRecoding
from nymity.table.schema import Schema

AGES, SEXES = ("30", "31", "32", "40"), ("f", "m")
AGE_CELLS = (*AGES, "[30, 31]", "[30, 32]", "{30, 40}", "[31, 40]", "*")
SEX_CELLS = (*SEXES, "{f, m}")
HIERARCHIES = {"age": Hierarchy.flat(AGES), "sex": Hierarchy.flat(SEXES)}

records = st.tuples(st.sampled_from(AGES), st.sampled_from(SEXES))


def rows(source: list[tuple[str, ...]], ages: tuple[str, ...] = AGE_CELLS) -> st.SearchStrategy[tuple[str, ...]]:
    """Rows with these cells; sets name values of the source alone."""
    present = {value for record in source for value in record}
    ages, sexes = ([c for c in cells if c[0] != "{" or stands_for(c) <= present] for cells in (ages, SEX_CELLS))
    return st.tuples(st.sampled_from(ages), st.sampled_from(sexes))


def stands_for(cell: str) -> set[str]:
    """What the cells above cover, written out by hand."""
    written = {"[30, 31]": "30 31", "[30, 32]": "30 31 32", "{30, 40}": "30 40", "[31, 40]": "31 32 40"}
    return set({**written, "*": "30 31 32 40", "{f, m}": "f m"}.get(cell, cell).split())


def fits(record: tuple[str, ...], row: tuple[str, ...]) -> bool:
    return all(value in stands_for(cell) for value, cell in zip(record, row, strict=True))


def most_matchings(source: list[tuple[str, ...]], released: list[tuple[str, ...]]) -> int:
    """The largest k by trying all matchings: permutations of records, those at the rows' places are used."""
    found = {
        frozenset(enumerate(order))
        for order in permutations(range(len(source)), len(released))
        if all(fits(source[record], released[row]) for row, record in enumerate(order))
    }

    def grow(chosen: int, free: list[frozenset[tuple[int, int]]]) -> int:
        best = chosen
        for at, matching in enumerate(free):
            best = max(best, grow(chosen + 1, [other for other in free[at + 1 :] if not matching & other]))
        return best

    return grow(0, sorted(found, key=sorted))


def frame(cells: list[tuple[str, ...]]) -> pl.DataFrame:
    return pl.DataFrame(cells, schema={"age": pl.String, "sex": pl.String}, orient="row")


def groups(source: list[tuple[str, ...]], released: list[tuple[str, ...]]) -> Groups:
    return Groups(frame(released), ("age", "sex"), originals=Originals(frame(source), HIERARCHIES))


@settings(max_examples=200, deadline=None)
@given(
    source=st.lists(records, min_size=1, max_size=4),
    data=st.data(),
)
def test_the_largest_k_is_that_of_all_matchings(source: list[tuple[str, ...]], data: st.DataObject) -> None:
    """Rows as many as records, or fewer (records removed), or more (which nothing can match)."""
    released = data.draw(st.lists(rows(source), min_size=1, max_size=4))
    expected = most_matchings(source, released) if len(released) <= len(source) else 0
    found = groups(source, released)
    assert KMatching.measure(found) == {"k": expected}
    assert [KMatching(k=k).holds(found) for k in range(1, 6)] == [k <= expected for k in range(1, 6)]


@settings(max_examples=200, deadline=None)
@given(source=st.lists(records, min_size=2, max_size=7), data=st.data())
def test_repeated_rows_and_records_are_counted_together(source: list[tuple[str, ...]], data: st.DataObject) -> None:
    """A flow between all rows and records one by one, no two put together, says the same."""
    wide = rows(source, ("*", "[30, 32]", "[31, 40]"))
    released = data.draw(st.lists(wide, min_size=len(source), max_size=len(source)))
    k = data.draw(st.integers(1, len(source)))
    assert KMatching(k=k).holds(groups(source, released)) == has_k_factor(source, released, k)


def has_k_factor(source: list[tuple[str, ...]], released: list[tuple[str, ...]], k: int) -> bool:
    """Ford and Fulkerson on pairs that carry one unit each."""
    n, m = len(released), len(source)
    used: set[tuple[int, int]] = set()
    pairs = {(i, j) for i in range(n) for j in range(m) if fits(source[j], released[i])}

    def widen(row: int, seen: set[int]) -> bool:
        for record in range(m):
            if (row, record) not in pairs - used or record in seen:
                continue
            seen.add(record)
            holders = [i for i in range(n) if (i, record) in used]
            if len(holders) < k:
                used.add((row, record))
                return True
            for holder in holders:
                if widen(holder, seen):
                    used.remove((holder, record))
                    used.add((row, record))
                    return True
        return False

    return all(widen(row, set()) for row in range(n) for _ in range(k))


def test_a_row_may_be_unique() -> None:
    """Three records on a line: each row fits two of them, and no two rows are equal."""
    source = [("30", "f"), ("31", "f"), ("32", "f")]
    released = [("[30, 31]", "f"), ("[30, 32]", "f"), ("[31, 40]", "f")]
    found = groups(source, released)
    assert found.sizes.to_list() == [1, 1, 1]
    assert KMatching(k=2).holds(found)
    assert not KMatching(k=3).holds(found)
    assert not KAnonymity(k=2).holds(found)


def test_enough_fits_are_not_enough() -> None:
    """Every row fits two records and every record two rows, but three rows have only two records to go to."""
    source = [("30", "f"), ("31", "f"), ("32", "f"), ("40", "f"), ("40", "f")]
    released = [("[30, 31]", "f")] * 3 + [("*", "f")] * 2
    assert min(sum(fits(record, row) for record in source) for row in released) == 2
    assert min(sum(fits(record, row) for row in released) for record in source) == 2
    assert KMatching.measure(groups(source, released)) == {"k": 0}


def test_masked_rows_are_rows() -> None:
    source = [("30", "f"), ("30", "f"), ("40", "m")]
    assert KMatching.measure(groups(source, [("30", "f"), ("30", "f"), ("*", "*")])) == {"k": 1}
    assert KMatching.measure(groups(source, [("30", "f"), ("30", "f")])) == {"k": 2}  # the third was removed


def test_classes_of_k_equal_rows_keep_it() -> None:
    source = [("30", "f")] * 3 + [("31", "m")] * 4
    released = [("[30, 31]", "f")] * 3 + [("31", "{f, m}")] * 4
    assert KMatching.measure(groups(source, released)) == {"k": 3}


def test_without_the_source_there_is_no_verdict() -> None:
    alone = Groups(frame([("30", "f")]), ("age", "sex"))
    assert KMatching.measure(alone) == {"k": None}
    with pytest.raises(InputError, match="the original as well as the table"):
        KMatching(k=1).holds(alone)


def test_values_that_the_hierarchies_lack() -> None:
    other = Originals(frame([("99", "f")]), HIERARCHIES)
    with pytest.raises(InputError, match="original, column 'age'"):
        KMatching(k=1).holds(Groups(frame([("30", "f")]), ("age", "sex"), originals=other))


def test_k_beyond_the_table_is_refused() -> None:
    table = encode(frame([("30", "f")] * 3), Schema({"age": quasi(), "sex": quasi()}))
    KMatching(k=3).check(table)
    with pytest.raises(ParameterError, match=r"k-matching\.k: expected at most 3"):
        KMatching(k=4).check(table)


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "MOST_FITS", 3)
    with pytest.raises(InputError, match="at most 3 pairs"):
        KMatching(k=1).holds(groups([("30", "f"), ("31", "f")], [("[30, 31]", "f"), ("*", "f")]))


def test_a_flow_is_not_believed_unless_sums_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that claims too much is found out."""

    def boast(net: consistency.Network, _: object) -> None:  # type: ignore[name-defined]
        net.flow[:] = 1
        net.need[:] = 0

    found = groups([("30", "f"), ("31", "f"), ("32", "f")], [("[30, 32]", "f"), ("30", "f"), ("[30, 31]", "f")])
    assert not KMatching(k=2).holds(found)
    monkeypatch.setattr(consistency, "saturate", boast)
    assert not found.consistency.holds(1)


def test_a_pair_that_does_not_fit_is_not_believed() -> None:
    found = groups([("30", "f"), ("40", "m")], [("{30, 40}", "{f, m}"), ("{30, 40}", "m")]).consistency
    assert isinstance(found, Consistency)
    row, record = np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32)
    assert found._all_fit(row, record)
    assert not found._all_fit(np.array([1], np.int32), np.array([0], np.int32))


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_the_largest_k_below_what_fits(copies: int) -> None:
    """Every row fits two records and every record two rows, or twice and thrice as many, and fewer can be matched."""
    source = [(age, "f") for age in ("30", "30", "31", "32", "32")] * copies
    released = [(age, "f") for age in ("30", "30", "32", "[30, 31]", "[30, 32]")] * copies
    assert min(sum(fits(record, row) for record in source) for row in released) == 2 * copies
    assert min(sum(fits(record, row) for row in released) for record in source) == 2 * copies
    expected = max(k for k in range(1, 2 * copies) if has_k_factor(source, released, k))
    assert not has_k_factor(source, released, 2 * copies)
    assert KMatching.measure(groups(source, released)) == {"k": expected}


ODD = Hierarchy.from_rows([[str(i), ("even", "odd")[i % 2], "*"] for i in range(1, 8)])


def test_values_of_a_node_that_no_record_has_make_no_other_fit() -> None:
    """``odd`` is 1, 3, 5 and 7, and stands for 1 and 3 here: not for 2, which lies between them."""
    originals = Originals(pl.DataFrame({"v": ["1", "2", "3"]}), {"v": ODD})
    found = Consistency.of([pl.Series(["odd", "odd", "*"])], ["v"], originals)
    assert found.records_of_rows.tolist() == [2, 3]
    assert sorted(found.rows_of_records.tolist()) == [1, 3, 3]
    assert Consistency.of([pl.Series(["odd", "odd"])], ["v"], originals).largest == 2


UNEVEN = Hierarchy.from_rows([[*"axx*"], [*"bxx*"], [*"cyx*"], [*"dzz*"]])


@pytest.mark.parametrize(("levels", "largest"), [((1,), 2), ((2,), 3), ((0, 1), 2), ((0, 2), 3), ((2, 3), 3)])
def test_a_label_of_two_levels_stands_for_the_values_of_the_level_it_was_published_at(
    levels: Any, largest: Any
) -> None:
    """``x`` is a and b at level 1, and a, b and c at level 2: two rows of it fit two records or three, in as many ways.

    Whichever layer of a recoding published the rows, the last one included.
    """
    nobody = np.zeros((0, 1), dtype=np.int64)
    layers = tuple(Layer({"v": level}, nobody) for level in levels)
    recoding = LevelRecoding(("v",), {"v": UNEVEN}, layers, "remove")
    originals = Originals.of(pl.DataFrame({"v": list("abc")}), recoding)
    assert Consistency.of([pl.Series(["x", "x"])], ["v"], originals).largest == largest
