"""Top-down specialization and LKC-privacy: definitions, the end of the search, and who knows a few columns."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.core.errors import JobError, NoSolutionError, ParameterError
from nymity.kernels.specialization import tally
from nymity.lattice.specialization import Cuts, TopDownSpecialization
from nymity.privacy import Groups, LKCPrivacy, PrivacyModel, Unlimited
from nymity.table.encoding import encode
from nymity.table.level_recoding import LevelRecoding

TREE = ny.Hierarchy.from_rows([[v, up, "*"] for v, up in zip("abcd", ["ab", "ab", "c", "d"], strict=True)])
NAMES = ("x", "y", "z")
RECORDS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.sampled_from("ab"), st.sampled_from("pqr")),
    min_size=4,
    max_size=24,
)
SCHEMA = ny.Schema({"x": ny.quasi(TREE), "y": ny.quasi(TREE), "z": ny.quasi(), "s": ny.sensitive()})
Row = tuple[Any, ...]


def frame_of(records: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(records, schema=[*NAMES, "s"], orient="row")


def lkc(l: int, k: int, c: float = 1, values: tuple[str, ...] | None = None) -> LKCPrivacy:  # noqa: E741
    return LKCPrivacy(l=l, k=k, c=c, attribute="s", values=values)


@given(
    rows=st.lists(st.tuples(*[st.sampled_from(["a", "b", "*", None])] * 3, st.sampled_from("pqr")), max_size=10),
    listed=st.sampled_from([None, ("p",), ("p", "r")]),
)
@settings(max_examples=150, deadline=None)
def test_it_is_measured_as_it_is_defined(rows: list[Row], listed: tuple[str, ...] | None) -> None:
    """The oracle looks at sets of fewer columns, too: they follow."""
    groups = Groups(pl.DataFrame(rows, schema=dict.fromkeys([*NAMES, "s"], pl.String), orient="row"), NAMES)
    for l in (1, 2, 3, 4):  # noqa: E741
        k, c = naive.known_columns([row[:3] for row in rows], [row[3] for row in rows], min(l, 3), listed)
        model = lkc(l, 1, 1, listed)
        assert model.reached(groups) == {"l": l, "k": k, "c": None if c is None else float(c)}
        assert lkc(l, k or 1, 1, listed).holds(groups)
        assert k is None or not lkc(l, k + 1, 1, listed).holds(groups)
        for share in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
            assert lkc(l, 1, float(share), listed).holds(groups) == (c is None or c <= share)


@given(data=st.data(), n=st.integers(1, 60), wide=st.booleans())
@settings(max_examples=100, deadline=None)
def test_pairs_are_counted_in_a_table_or_by_sorting(data: st.DataObject, n: int, wide: bool) -> None:
    width = 1 << 20 if wide else 5
    group = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    cell = np.array(data.draw(st.lists(st.integers(0, width - 1) | st.just(0), min_size=n, max_size=n)))
    counts = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)))
    number, sizes = tally(group, 4, cell, width, np.arange(n), counts)
    expected = Counter[tuple[int, int]]()
    for pair, count in zip(zip(group.tolist(), cell.tolist(), strict=True), counts.tolist(), strict=True):
        expected[pair] += count
    assert len(sizes) == len(expected)
    for i in range(n):
        assert sizes[number[i]] == expected[int(group[i]), int(cell[i])]


def finer(recoding: LevelRecoding, frame: pl.DataFrame) -> list[list[Row]]:
    """Return the tables after every single further step, by the definition of a cut of TREE."""
    rows = recoding.apply(frame).table.rows()
    below = {"*": {v: ("ab" if v in "ab" else v) for v in "abcd"}, "ab": {"a": "a", "b": "b"}}
    tables = []
    for a, name in enumerate(NAMES):
        for cell in {row[a] for row in rows} & {"*", "ab"}:
            to = below[cell] if name != "z" else {"a": "a", "b": "b"}
            tables.append(
                [
                    (*row[:a], to[raw[a]], *row[a + 1 :]) if row[a] == cell else row
                    for row, raw in zip(rows, frame.rows(), strict=True)
                ]
            )
    return tables


@given(records=RECORDS, l=st.integers(1, 3), k=st.integers(1, 4), c=st.sampled_from([0.5, 0.75, 1.0]))
@settings(max_examples=150, deadline=None)
def test_the_end_keeps_the_promise_and_no_further_step_does(records: list[Row], l: int, k: int, c: float) -> None:  # noqa: E741
    frame, model = frame_of(records), lkc(l, k, c)
    most = max(Counter(row[3] for row in records).values())
    if most > Fraction(str(c)) * len(records):
        with pytest.raises(ParameterError, match=r"lkc-privacy\.c: expected at least"):
            model.check(encode(frame, SCHEMA))
        return
    outcome = TopDownSpecialization().run(encode(frame, SCHEMA), [model], columns=[*NAMES, "s"])
    assert isinstance(outcome.recoding, LevelRecoding)
    assert model.holds(Groups(outcome.recoding.apply(frame).table, NAMES))
    for rows in finer(outcome.recoding, frame):
        fewest, share = naive.known_columns([row[:3] for row in rows], [row[3] for row in rows], l)
        assert fewest is not None
        assert share is not None
        assert fewest < k or share > Fraction(str(c))


@given(records=RECORDS, k=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_all_columns_known_is_k_anonymity(records: list[Row], k: int) -> None:
    encoded = encode(frame_of(records), SCHEMA)
    levels = [
        TopDownSpecialization().run(encoded, [model]).recoding.mapping().rows()
        for model in (lkc(3, k), ny.KAnonymity(k=k), ny.SubsetKAnonymity(k=k, m=9), lkc(7, k))
    ]
    assert levels[0] == levels[1] == levels[2] == levels[3]


def test_values_of_several_levels_are_published_side_by_side_and_the_loss_is_that_of_compare(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": list("aabbccccdd"), "s": list("pqpqpqpqpq")})
    schema = ny.Schema({"x": ny.quasi(TREE), "s": ny.sensitive()})
    uneven = ny.Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]])
    for tree, k, cells in ((uneven, 2, {"a", "b", "c", "d"}), (uneven, 4, {"ab", "cd"}), (TREE, 3, {"*"})):
        one = ny.Schema({"x": ny.quasi(tree), "s": ny.sensitive()})
        release = ny.publish(frame, one, privacy=lkc(1, k), method=ny.TopDownSpecialization())
        assert set(release.table["x"]) == cells
    mixed = frame.filter(~pl.col("x").is_in(["b"])).vstack(pl.DataFrame({"x": ["b"], "s": ["p"]}))
    release = ny.publish(mixed, schema, privacy=lkc(1, 2), method=ny.TopDownSpecialization())
    assert set(release.table["x"]) == {"ab", "c", "d"}
    loss = ny.compare(mixed, release).to_frame()["value"][0]
    assert loss == pytest.approx(release.outcome.loss)
    assert loss == pytest.approx(3 / 9 / 3)  # three of nine records have one of the three other values
    release.save(tmp_path / "release")
    opened = ny.open(tmp_path / "release")
    assert str(ny.check(tmp_path / "release")).startswith("Check: holds")
    assert set(opened.recoding.apply(mixed).table["x"]) == {"ab", "c", "d"}


def test_labels_of_two_values_never_become_one() -> None:
    """A tree in which a raw value is called like the parent of others."""
    tree = ny.Hierarchy.from_rows([["a", "m", "*"], ["b", "m", "*"], ["m", "n", "*"], ["c", "n", "*"]])
    frame = pl.DataFrame({"x": list("aaabmmmccc"), "s": list("pqpqpqpqpq")})
    schema = ny.Schema({"x": ny.quasi(tree), "s": ny.sensitive()})
    table = ny.publish(frame, schema, privacy=lkc(1, 2), method=ny.TopDownSpecialization()).table
    assert Counter(table["x"]) == {"m": 4, "n": 6}


def test_a_target_decides_what_is_shown_first() -> None:
    """Either x or y can be shown, not both; y tells s."""
    rows = [(x, y, "a", "p" if y == "a" else "q") for x, y in product("ab", "ab")] * 2
    frame, schema = frame_of(rows), ny.Schema({**dict.fromkeys("xyz", ny.quasi()), "s": ny.sensitive()})
    shown = {
        target: ny.publish(
            frame, schema, privacy=ny.KAnonymity(k=4), method=ny.TopDownSpecialization(target=target)
        ).levels
        for target in (None, "s")
    }
    assert (shown["s"]["x"], shown["s"]["y"]) == (1, 0)
    assert (shown[None]["x"], shown[None]["y"]) == (0, 1)  # they are worth the same, and x is first


def test_levels_that_the_schema_asks_for() -> None:
    frame = pl.DataFrame({"x": list("aabbccdd"), "s": list("pqpqpqpq")})
    kept = ny.publish(
        frame,
        ny.Schema({"x": ny.quasi(TREE, min_level=1), "s": ny.sensitive()}),
        privacy=lkc(1, 1),
        method=ny.TopDownSpecialization(),
    )
    assert kept.levels == {"x": 1}
    bounded = ny.Schema({"x": ny.quasi(TREE, max_level=1), "s": ny.sensitive()})
    with pytest.raises(NoSolutionError, match="does not hold even at the highest levels"):
        ny.publish(frame, bounded, privacy=lkc(1, 3), method=ny.TopDownSpecialization())


# -- whoever knows up to l values ----------------------------------------------------------------------------------

KINDS = list(product("ab", "ab", "pq"))


@pytest.mark.parametrize(
    "method", [ny.TopDownSpecialization(), ny.OptimalLattice(suppression=0.5)], ids=lambda m: m.key
)
@pytest.mark.parametrize(("l", "c"), [(1, 0.5), (1, 1.0), (2, 0.5), (2, 0.75)])
def test_nobody_who_knows_up_to_l_values_finds_fewer_or_is_surer(method: Any, l: int, c: float) -> None:  # noqa: E741
    """Every table of four people; somebody knows raw values in up to l columns and keeps every row that fits."""
    schema = ny.Schema({"x": ny.quasi(), "y": ny.quasi(), "s": ny.sensitive()})
    published = 0
    for people in combinations_with_replacement(KINDS, 4):
        frame = pl.DataFrame(people, schema=["x", "y", "s"], orient="row")
        try:
            outcome = method.run(encode(frame, schema), [lkc(l, 2, c)], columns=["x", "y", "s"])
        except (ParameterError, NoSolutionError):
            continue
        made = outcome.recoding.apply(frame)
        published += 1
        for place, source in enumerate(made.source_rows.tolist()):
            for known in (some for n in range(1, l + 1) for some in combinations(range(2), n)):
                raw, row = people[source], made.table.rows()
                fit = [one for one in row if all(one[a] in (raw[a], "*") for a in known)]
                assert row[place] in fit
                assert len(fit) >= 2
                most = max(Counter(one[2] for one in fit).values())
                assert most <= Fraction(str(c)) * len(fit)
    assert published > 50


# -- what it refuses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "method", "message"),
    [
        (ny.TCloseness(0.2, attribute="s"), ny.TopDownSpecialization(), "top-down-specialization: t-closeness"),
        (lkc(1, 2), ny.TopDownSpecialization(target="t"), "top-down-specialization.target"),
        (lkc(1, 2, 0.5, ("P",)), ny.TopDownSpecialization(), "lkc-privacy.values: expected values of 's', got 'P'"),
        (lkc(1, 99), ny.TopDownSpecialization(), "lkc-privacy.k"),
        (LKCPrivacy(l=1, k=2, c=1, attribute="x"), ny.TopDownSpecialization(), "lkc-privacy.attribute"),
    ],
    ids=["another model", "no such target", "no such value", "more than there are", "not sensitive"],
)
def test_what_does_not_fit_is_refused(model: PrivacyModel, method: Any, message: str) -> None:
    frame = frame_of([("a", "b", "a", "p"), ("a", "c", "b", "q"), ("d", "b", "a", "p"), ("a", "b", "b", "q")])
    with pytest.raises(ParameterError) as error:
        ny.publish(frame, SCHEMA, privacy=model, method=method)
    assert message in str(error.value)


def test_records_of_persons_are_refused() -> None:
    schema = ny.Schema({"who": ny.person(), "x": ny.quasi(), "s": ny.sensitive()})
    frame = pl.DataFrame({"who": list("iijj"), "x": list("aabb"), "s": list("pqpq")})
    with pytest.raises(JobError, match="LKC-privacy, which counts records"):
        ny.publish(frame, schema, privacy=lkc(1, 2), method=ny.OptimalLattice())
    with pytest.raises(JobError, match="one that counts records"):
        ny.publish(frame, schema, privacy=ny.KAnonymity(k=2), method=ny.TopDownSpecialization())


def test_attacks_that_know_all_columns_have_no_limit_and_the_promise_says_whose() -> None:
    column = encode(frame_of([("a", "b", "a", "p"), ("a", "b", "a", "q")]), SCHEMA).sensitive["s"]
    model = lkc(2, 5, 0.5)
    chance = model.row_chance(classes=True, complete=True)
    for limit in (chance, model.value_shares(column), model.fewest_values(column)):
        assert isinstance(limit, Unlimited)
        assert "up to 2 columns" in limit.why
    assert "knows the value of a person in one column that is quasi" in lkc(1, 2).promise()
    assert "none of the values 'p' of 's'" in lkc(1, 2, 0.5, ("p",)).promise()


def test_columns_that_show_one_value_are_not_looked_at() -> None:
    cuts = Cuts(encode(frame_of([("a", "b", "a", "p")] * 3), SCHEMA), [])
    assert [len(nodes) for nodes in cuts.shown] == [1, 1, 1]
    assert cuts.hold_everywhere()
