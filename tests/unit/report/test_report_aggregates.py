"""The counts behind the plots, against slow oracles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.publishing.caveats.of_table import unique_rows
from nymity.report.class_size import bin_labels, bin_starts, records_per_bin
from nymity.report.distribution import pooled
from nymity.report.holders import Holders
from nymity.report.ladder import example_path
from nymity.report.page_wording import amount, axis_labels, count, listed, percent, shortened
from nymity.report.risk import homogeneity
from nymity.report.search import sampled
from nymity.table.hierarchy import Hierarchy


def own_records(counts: Sequence[int]) -> Holders:
    """So many records of each value, the last being no category, each of its own person."""
    return Holders(np.repeat([*range(len(counts) - 1), -1], counts), None)


@given(st.lists(st.integers(-1, 4), max_size=30), st.lists(st.booleans(), min_size=5, max_size=5))
def test_records_of_their_own_are_counted_as_persons_who_have_one_each(codes: list[int], chosen: list[bool]) -> None:
    records = np.array(codes, dtype=np.int64)
    own, persons = Holders(records, None), Holders(records, np.arange(len(records)))
    values = np.array(chosen)
    assert own.among(values) == persons.among(values)
    assert own.outside(values) == persons.outside(values)
    assert own.each(5).tolist() == persons.each(5).tolist()


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.integers(1, 12), st.integers(0, 6), st.data())
def test_pooling_hides_small_categories_and_loses_nothing(
    before: list[int], threshold: int, unlisted: int, data: st.DataObject
) -> None:
    after = [data.draw(st.integers(0, number)) for number in before]
    labels = [f"v{i}" for i in range(len(before))]
    holders = own_records([*before, unlisted])
    found = pooled(labels, np.array(before), np.array(after), holders, threshold=threshold, shown=8)
    assert len(found.labels) <= 8
    assert list(found.labels) == sorted(found.labels, key=labels.index)
    assert all(number >= threshold for number in found.before)
    assert sum(found.before) + found.pooled_before == sum(before) + unlisted
    assert sum(found.after) + found.pooled_after == sum(after)
    if found.labels:  # the pool hides what is in it, or is empty
        assert found.pooled_before == 0 or found.pooled_before >= threshold
    hidden = [before[i] for i, label in enumerate(labels) if label not in found.labels]
    assert max(hidden, default=0) <= min(found.before, default=10**9)


def test_a_single_small_category_takes_the_next_one_with_it() -> None:
    counts = [50, 6, 1]
    found = pooled(["a", "b", "c"], np.array(counts), np.array([50, 6, 0]), own_records([*counts, 0]), threshold=5)
    assert found.labels == ("a",)
    assert (found.pooled, found.pooled_before, found.pooled_after) == (2, 7, 6)


@given(st.lists(st.integers(1, 4000), min_size=1, max_size=60), st.integers(1, 60))
def test_bins_cover_every_size_and_part_at_the_threshold(sizes: list[int], threshold: int) -> None:
    starts = bin_starts(max(sizes), threshold)
    assert starts[0] == 1
    assert threshold in starts
    assert starts == sorted(set(starts))
    found = records_per_bin(np.array(sizes), starts)
    ends = [*starts[1:], 10**9]
    assert found.tolist() == [
        sum(s for s in sizes if start <= s < end) for start, end in zip(starts, ends, strict=True)
    ]
    assert len(set(bin_labels(starts))) == len(starts)


def test_bins_read_well() -> None:
    assert bin_labels(bin_starts(130, 5)) == ["1", "2–4", "5–9", "10–19", "20–49", "50–99", "100+"]
    assert bin_labels(bin_starts(12, 7)) == ["1", "2–4", "5–6", "7–9", "10+"]
    assert bin_labels(bin_starts(1, 3)) == ["1", "2", "3+"]
    assert records_per_bin(np.empty(0, dtype=np.int64), [1, 2]).tolist() == [0, 0]


AGES = Hierarchy.from_rows(
    [[str(a), f"{a // 5 * 5}+", f"{a // 20 * 20}+", "*"] for a in range(40)] + [[None] * 3 + ["*"]]
)


def test_the_example_is_common_on_every_level() -> None:
    counts = np.zeros(41, dtype=np.int64)
    counts[[3, 25, 26, 27, 40]] = [20, 9, 12, 8, 500]
    assert example_path(AGES, own_records([*counts, 0]), 5) == ["26", "25+", "20+", "*"]


def test_rare_values_are_no_example() -> None:
    holders = own_records([*np.ones(41, dtype=np.int64), 0])
    assert example_path(AGES, holders, 5) == [None, "0+", "0+", "*"]
    assert example_path(AGES, holders, 6) == [None, None, "0+", "*"]
    assert example_path(AGES, own_records([0] * 42), 1) == [None, None, None, "*"]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from(["u", "v", None])), min_size=1))
def test_homogeneity_and_uniqueness_agree_with_counting(rows: list[tuple[str, str, str | None]]) -> None:
    frame = pl.DataFrame(rows, schema={"^q.*$": str, "*": str, "value": str}, orient="row")
    classes: dict[tuple[str, str], Counter[str | None]] = defaultdict(Counter)
    for q, r, s in rows:
        classes[q, r][s] += 1
    shares = sorted(max(c.values()) / c.total() for c in classes.values())
    found = homogeneity(frame, ["^q.*$", "*"], "value")
    assert found.shares.tolist() == shares
    assert found.above(0.5) == sum(share > 0.5 for share in shares)
    assert found.certain == sum(share == 1 for share in shares)
    assert unique_rows(frame, frame.columns) == sum(n == 1 for n in Counter(rows).values())


@given(st.integers(1, 300), st.integers(1, 50), st.data())
def test_the_sample_keeps_the_chosen_node_and_the_fronts(n_nodes: int, limit: int, data: st.DataObject) -> None:
    chosen = data.draw(st.integers(-1, n_nodes - 1))
    fronts = data.draw(st.lists(st.integers(0, n_nodes - 1), max_size=30, unique=True))
    drawn = sampled(n_nodes, np.array(fronts, dtype=np.int64), chosen, limit=limit).tolist()
    assert len(drawn) == len(set(drawn)) == min(n_nodes, limit)
    assert set(drawn) <= set(range(n_nodes))
    assert chosen == -1 or drawn[-1] == chosen
    asked = {*fronts, chosen} - {-1}
    assert asked <= set(drawn) if len(asked) <= limit else set(drawn) <= asked


@given(st.lists(st.one_of(st.none(), st.text(max_size=60))))
def test_axis_labels_are_short_and_different(values: list[str | None]) -> None:
    labels = axis_labels(values)
    assert len(labels) == len(set(labels)) == len(values)
    assert all(0 < len(label) <= 34 for label in labels)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0%"),
        (1, "100%"),
        (0.05, "5%"),
        (0.1234, "12.3%"),
        (0.0004, "0.040%"),
        (0.000001, "under 0.001%"),
        (0.999999, "over 99.999%"),
        (0.9994, "99.940%"),
        (-0.05, "-5%"),
        (1.5, "150%"),
    ],
)
def test_percent_never_rounds_to_nothing_or_all(share: float, words: str) -> None:
    assert percent(share) == words


def test_words() -> None:
    assert percent(1, 0) == "0%"
    assert count(1, "class", "classes") == "1 class"
    assert count(2000, "class", "classes") == "2,000 classes"
    assert listed([]) == "none"
    assert listed(["a"]) == "a"
    assert listed("abc") == "a, b and c"
    assert listed("abcdef", limit=3) == "a, b and 4 more"
    assert shortened("a\n b" + "c" * 50 + "end", 10) == "a bccc…end"
    assert [amount(x) for x in (0.27486, 0, 1234567.8, 12.0)] == ["0.2749", "0", "1,234,568", "12"]
    assert shortened(" ") == "' '"
