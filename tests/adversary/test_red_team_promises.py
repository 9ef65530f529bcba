"""Attacks of an independent red team on draws, differential privacy, ledgers and certificates."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import InputError, NymityError, TableError
from nymity.io import text_cells

PAIR = ny.Schema({"age": ny.quasi(), "s": ny.sensitive()})


@pytest.mark.parametrize(
    "method",
    [ny.SortedGroups(), ny.GreedySearch(), ny.KMember(), ny.Mondrian(cuts="relaxed"), ny.Refine()],
    ids=lambda method: method.key,
)
def test_equal_rows_have_equal_certificates_but_for_hashes(method: object) -> None:
    """Whatever table lies behind the same rows, the random sources named are the same."""
    named = defaultdict(set)
    for values in set(itertools.permutations("aabc")):
        for _ in range(4):
            frame = pl.DataFrame({"age": [30, 30, 30, 31], "s": list(values)})
            privacy = [ny.KAnonymity(k=2), ny.FrequencyLDiversity(l=2, attribute="s")]
            release = ny.publish(frame, PAIR, privacy=privacy, method=method)  # type: ignore[arg-type]
            named[tuple(release.frame.rows())].add(tuple(release.certificate["random_sources"]))
    assert all(len(sources) == 1 for sources in named.values())


def test_figures_of_the_search_tell_no_more_than_the_rows() -> None:
    """The best guess at anybody's value is not better for anyone who reads the certificate too."""
    ages, z = [30, 31, 32, 34, 34, 34], list("vvuuvv")
    schema = ny.Schema(
        {"age": ny.quasi(ny.Hierarchy.intervals(width=2, levels=2)), "z": ny.quasi(), "s": ny.sensitive()}
    )
    privacy = [ny.KAnonymity(k=2), ny.FrequencyLDiversity(l=2, attribute="s")]
    worlds = defaultdict(list)
    for values in sorted(set(itertools.permutations("aabbcc"))):
        frame = pl.DataFrame({"age": ages, "z": z, "s": list(values)})
        try:
            found = ny.publish(frame, schema, privacy=privacy, method=ny.OptimalLattice(suppression=0.5))
        except NymityError:
            continue
        worlds[tuple(found.frame.rows())].append((str(found.certificate["loss"]), values))

    def best(tables: list[tuple[str, ...]]) -> Fraction:
        return max(Fraction(max(Counter(column).values()), len(tables)) for column in zip(*tables, strict=True))

    for told in worlds.values():
        by_rows = best([values for _, values in told])
        for figures in {figures for figures, _ in told}:
            assert best([values for said, values in told if said == figures]) <= by_rows


def _private(cells: object) -> int:
    rows = [["1", "*"], ["2", "*"]]
    schema = ny.Schema({"a": ny.quasi(ny.Hierarchy.from_rows(rows))})
    promise = ny.DifferentialPrivacy(epsilon=1, public_records=1000)
    frame = cells if isinstance(cells, pl.DataFrame) else {"a": cells}
    return ny.publish(frame, schema, privacy=promise, method=ny.SafePub()).frame.height


def test_a_decimal_is_written_by_itself() -> None:
    """A record 1.0 before others changes none of them."""
    one = Decimal("1")
    for cells in ([one] * 3, [Decimal("1.0"), *[one] * 3]):  # refused alike, whatever the others are
        with pytest.raises(TableError, match="text, whole numbers"):
            text_cells({"a": cells})


def test_a_large_integer_stops_no_private_run() -> None:
    """One record of 2**63 is left out like any other without a place."""
    assert _private([*[1] * 500, 2**63]) > 0


@pytest.mark.parametrize("dtype", [pl.Int8, pl.Int32, pl.UInt8, pl.UInt64])
def test_narrow_integers_are_published_privately(dtype: pl.DataType) -> None:
    """Columns of any kind of integer are text cells."""
    assert _private(pl.DataFrame({"a": pl.Series([1] * 500, dtype=dtype)})) > 0


def test_one_record_does_not_decide_on_refusal() -> None:
    """Timestamps of a pandas column are refused with and without a text among them, or never."""
    pandas = pytest.importorskip("pandas")
    moments = [pandas.Timestamp("2024-05-31")] * 2

    def refused(cells: list[object]) -> bool:
        try:
            text_cells(pandas.DataFrame({"a": cells}))
        except InputError:
            return True
        return False

    assert refused(moments) == refused([*moments, "x"])


ZEROS = pl.Series([0.0, -0.0, 0.0, -0.0, 0.0, 0.0])
NANS = pl.Series(np.array([0x7FF8 << 48, 0xFFF8 << 48] * 3, dtype=np.uint64).view(np.float64))
NESTED = {
    "plain": ZEROS,
    "narrow": ZEROS.cast(pl.Float32),
    "none": NANS,
    "list": pl.Series([[zero, 1.0] for zero in ZEROS]),
    "list of lists": pl.Series([[[zero], []] for zero in ZEROS]),
    "array": pl.Series([[zero, 1.0] for zero in ZEROS], dtype=pl.Array(pl.Float64, 2)),
    "struct": pl.Series([{"^a$": zero, "b": "x"} for zero in ZEROS]),
    "list of structs": pl.Series([[{"a": [zero]}, None] for zero in ZEROS]),
}


@pytest.mark.parametrize("method", [ny.OptimalLattice(), ny.SortedGroups()], ids=lambda method: method.key)
@pytest.mark.parametrize("cells", NESTED.values(), ids=NESTED)
def test_two_zeros_do_not_show_the_order_of_the_source(cells: pl.Series, method: object, tmp_path: Path) -> None:
    """The reversed source gives the same file, wherever the numbers lie."""
    frame = pl.DataFrame({"age": [30] * 6, "i": cells})
    schema = ny.Schema({"age": ny.quasi(), "i": ny.insensitive()})
    first = ny.publish(frame, schema, privacy=ny.KAnonymity(k=3), method=method)  # type: ignore[arg-type]
    again = ny.publish(frame.reverse(), schema, privacy=ny.KAnonymity(k=3), method=method, log=first.log)  # type: ignore[arg-type]
    assert first.frame.schema["i"] == frame.schema["i"]
    assert first.frame["i"].to_list() != [None] * 6
    for name, release in {"first": first, "again": again}.items():
        release.frame.write_parquet(tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "again").read_bytes()


def test_a_ledger_behind_a_link_is_one_ledger(tmp_path: Path) -> None:
    """What is spent over a link is spent in the ledger."""
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="patients")
    ledger.open(epsilon=3, delta=1e-2)
    (tmp_path / "link.json").symlink_to(tmp_path / "ledger.json")
    promise = ny.DifferentialPrivacy(epsilon=1, public_records=1000)
    ny.dp.Ledger(path=str(tmp_path / "link.json"), source="patients").enter(promise, "safepub")
    assert ledger.spent()[0] == 1


def test_a_further_row_tells_nothing_of_the_people_before() -> None:
    """Where somebody of 30 is published does not depend on which of two others had the same value."""
    privacy = [ny.KAnonymity(k=2), ny.FrequencyLDiversity(l=2, attribute="s")]
    told = Counter()
    for values in itertools.permutations("abcd"):
        for _ in range(6):
            frame = pl.DataFrame({"age": [30, 30, 30, 31], "s": list(values)})
            release = ny.publish(frame, PAIR, privacy=privacy, method=ny.SortedGroups())
            mine = release.frame.filter(pl.col("age") != "30")["s"].sort()[0]
            further = ny.apply(release.recoding, pl.DataFrame({"age": [30], "s": [mine]}))
            told[further["age"][0], values[3] == mine] += 1
    # Of those published as 30, the 31-year-old has the value in about half; all of them with chance 2^-20 at most.
    assert told["30", False] > 0


def test_the_highest_chance_is_the_highest() -> None:
    """Both masked people certainly have b, and the attack says so."""
    schema = ny.Schema({"age": ny.quasi(), "z": ny.quasi(), "s": ny.sensitive()})
    frame = pl.DataFrame({"age": [33, 31, 33, 30, 33], "z": list("vvvuv"), "s": list("bbaba")})
    privacy = [ny.KAnonymity(k=2), ny.TCloseness(t=0.4, attribute="s")]
    release = ny.publish(frame, schema, privacy=privacy, method=ny.OptimalLattice(suppression=0.8))
    assert release.frame.filter(pl.col("age") == "*")["s"].to_list() == ["b", "b"]
    found = ny.risk.attack(release, original=frame, attacks=["minimality", "skewness"])
    for key in ("minimality", "skewness"):
        assert found[key].highest == found[key].promised == 1  # three of five have b, and 0.4 more are allowed
        assert not found[key].exceeds


def test_classes_of_one_person_are_warned_of() -> None:
    """Each quarter has the three stays of one patient; numbers of stays change nothing about that."""
    days = [date(2024, month, month) for month in range(1, 10)]
    patients = [f"p{i // 3}" for i in range(9)]
    frame = pl.DataFrame({"stay": range(9), "patient": patients, "day": days, "s": list("abcabcabc")})
    schema = ny.Schema(
        {
            "stay": ny.identifying(),
            "patient": ny.identifying(),
            "day": ny.quasi(ny.Hierarchy.dates(levels=["quarter", "year"])),
            "s": ny.sensitive(),
        }
    )
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=3))
    assert release.levels["day"] == 1
    assert "several-records-of-one-person" in {warning.key for warning in release.warnings}
