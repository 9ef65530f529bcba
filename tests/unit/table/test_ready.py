"""Ready hierarchies: known answers, levels that only get coarser, and values of no kind."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.errors import HierarchyError, InputError, ParameterError
from nymity.table.builders import BUILDERS
from nymity.table.builders.ready import ReadyHierarchy
from nymity.table.hierarchy import Hierarchy

READY = {key: builder for key, builder in BUILDERS.items() if issubclass(builder, ReadyHierarchy)}


def labels(builder: Any, value: Any) -> list[str | None]:
    """The labels of one value between its own and the top."""
    (row,) = builder.build(pl.Series([value])).rows()
    assert row[-1] == "*"
    return row[1:-1]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("J45.0", ["J45", "J40-J47", "J00-J99"]),  # asthma: chronic lower respiratory diseases
        ("J450", ["J45", "J40-J47", "J00-J99"]),
        ("I10", ["I10", "I10-I16", "I00-I99"]),
        ("I10-", ["I10", "I10-I16", "I00-I99"]),
        ("E11.9 G", ["E11", "E08-E14", "E00-E90"]),  # German: a diagnosis that is certain
        ("A17.0+", ["A17", "A15-A19", "A00-B99"]),
        ("D45", ["D45", "D37-D48", "C00-D49"]),  # the letter does not tell the chapter
        ("D50.9", ["D50", "D50-D53", "D50-D90"]),
        ("H60.0", ["H60", "H60-H62", "H60-H95"]),
        ("T14.1", ["T14", "T08-T14", "S00-T98"]),
        ("X70", ["X70", "X60-X84", "V00-Y99"]),
        ("C50.1", ["C50", "C50", "C00-D49"]),  # a block of one category
        ("U07.1", ["U07", "U00-U49", "U00-U99"]),
        ("S72.001A", ["S72", "S70-S79", "S00-T98"]),  # US modification
        ("M1A.0", ["M1A", "M05-M14", "M00-M99"]),
        ("C4A.9", ["C4A", "C43-C44", "C00-D49"]),
        ("Z3A.01", ["Z3A", "Z30-Z39", "Z00-Z99"]),
        ("D3A.0", ["D3A", "D10-D36", "C00-D49"]),  # benign, not of uncertain behaviour
        ("D49.2", ["D49", "D49", "C00-D49"]),
        ("Z79.4", ["Z79", "Z77-Z99", "Z00-Z99"]),
        ("E08.9", ["E08", "E08-E14", "E00-E90"]),
    ],
)
def test_diagnoses(code: str, expected: list[str]) -> None:
    assert labels(Hierarchy.icd_10(), code) == expected


@pytest.mark.parametrize("text", ["A10BA02", "J4", "J4555555", "j45", "J45.", "A11", "J50.0", "45", "asthma", "K96"])
def test_what_is_no_diagnosis(text: str) -> None:
    with pytest.raises(HierarchyError, match=r"ICD-10 codes such as 'J45\.0', got 1 other value on level 0"):
        labels(Hierarchy.icd_10(), text)


@pytest.mark.parametrize(
    "category",
    [
        *(
            "D49",
            "D78",
            "E08",
            "E09",
            "E36",
            "G89",
            "I16",
            "I1A",
            "I5A",
            "K68",
            "K94",
            "K95",
            "L49",
            "L76",
            "M04",
            "M26",
        ),
        *(
            "M27",
            "M97",
            "N53",
            "N65",
            "O09",
            "O77",
            "O9A",
            "P09",
            "P19",
            "P84",
            "R97",
            "V00",
            "Y38",
            "Y99",
            "Z14",
            "Z15",
        ),
        *("Z16", "Z17", "Z18", "Z19", "Z66", "Z67", "Z68", "Z69", "Z77", "Z78", "Z79"),
    ],
)
def test_categories_of_the_us_modification(category: str) -> None:
    block, chapter = labels(Hierarchy.icd_10(), f"{category}.1")[1:]
    assert block is not None
    assert chapter is not None
    digits = category.replace("A", "9")
    assert category[2].isalpha() or block.split("-")[0] <= category <= block.split("-")[-1]
    assert chapter.split("-")[0] <= digits <= chapter.split("-")[1]


def test_blocks_follow_each_other_within_their_chapter() -> None:
    """Every category lies in one block at most, and every block in the chapter that the codes say."""
    from nymity.table.builders.icd10 import _BLOCKS

    assert all(first <= last for first, last, _ in _BLOCKS)
    assert all(before[1] < after[0] for before, after in pairwise(_BLOCKS))
    for first, last, chapter in _BLOCKS:
        start, end = chapter.split("-")
        assert start <= first <= last <= end
    assert len({chapter for _, _, chapter in _BLOCKS}) == 22


@pytest.mark.parametrize(
    ("builder", "value", "expected"),
    [
        (Hierarchy.atc(), "A10BA02", ["A10BA", "A10B", "A10", "A"]),
        (Hierarchy.atc(), "A10", ["A10", "A10", "A10", "A"]),
        (Hierarchy.atc(levels=("therapeutic group",)), "N02BE01", ["N02"]),
        (Hierarchy.isco_08(), "2211", ["221", "22", "2"]),
        (Hierarchy.isco_08(), 2211, ["221", "22", "2"]),
        (Hierarchy.isco_08(), "0110", ["011", "01", "0"]),
        (Hierarchy.nace(), "A01.11", ["01.1", "01", "A"]),
        (Hierarchy.nace(), "4711", ["47.1", "47", "G"]),
        (Hierarchy.nace(), "99", ["99", "99", "U"]),
        (Hierarchy.nace(), "G", ["G", "G", "G"]),
        (Hierarchy.nuts(), "DE212", ["DE21", "DE2", "DE"]),
        (Hierarchy.countries(), "KE", ["Eastern Africa", "Africa"]),
        (Hierarchy.countries(), "ken", ["Eastern Africa", "Africa"]),
        (Hierarchy.countries(), "United-States", ["Northern America", "Americas"]),
        (Hierarchy.countries(), "Côte d'Ivoire", ["Western Africa", "Africa"]),
        (Hierarchy.countries(levels=("region",)), "Japan", ["Asia"]),
        (Hierarchy.us_zip(), "02138-1234", ["02138", "021**", "0****"]),
        (Hierarchy.us_zip(), 2138, ["02138", "021**", "0****"]),
        (Hierarchy.us_zip(small=("036",)), "03601", ["03601", "000**", "000**"]),
    ],
)
def test_codes(builder: Any, value: Any, expected: list[str]) -> None:
    assert labels(builder, value) == expected


@pytest.mark.parametrize(
    ("builder", "value"),
    [
        (Hierarchy.atc(), "E10BA02"),
        (Hierarchy.atc(), "A10BA2"),
        (Hierarchy.isco_08(), "1999"),  # there is no sub-major group 19
        (Hierarchy.isco_08(), "22111"),
        (Hierarchy.nace(), "B01.11"),  # 01 belongs to section A
        (Hierarchy.nace(), "34"),
        (Hierarchy.nuts(), "US212"),
        (Hierarchy.countries(), "Utopia"),
        (Hierarchy.us_zip(), "81667-1"),
        (Hierarchy.ages(), "126"),
        (Hierarchy.ages(), "-1"),
        (Hierarchy.ages(), "old"),
        (Hierarchy.money(), "much"),
    ],
)
def test_values_of_another_kind_are_named_or_put_together(builder: Any, value: str) -> None:
    good = next(text for text in ("A10BA02", "2211", "DE212", "KE", "02138", "30", "01.11") if builder.place(text))
    with pytest.raises(HierarchyError, match=f"got 1 other value on level 0: '{value}'") as caught:
        builder.build(pl.Series([good, value]))
    assert "other = 'other'" in caught.value.hint
    together = type(builder)(other="elsewhere").build(pl.Series([good, value, None]))
    assert set(together.row(value)[1:-1]) == {"elsewhere"}
    assert "elsewhere" not in together.row(good)
    assert together.row(None)[:-1] == [None] * together.height


def test_250_countries_in_their_regions() -> None:
    from nymity.table.builders.countries import _places

    alone = {name: place for name, place in _places().items() if len(name) == 2}
    assert len(alone) == 250 + 2  # and EL and UK, as the European Union writes them
    regions: dict[str, set[str]] = {}
    for subregion, region in alone.values():
        regions.setdefault(region, set()).add(subregion)
    assert {region: len(found) for region, found in regions.items()} == {
        "Africa": 5,
        "Americas": 4,
        "Asia": 5,
        "Europe": 4,
        "Oceania": 4,
        "Antarctica": 1,
    }


@pytest.mark.parametrize(
    ("builder", "age", "expected"),
    [
        (Hierarchy.ages(), 78, ["75-79", "70-79", "60-79"]),
        (Hierarchy.ages(), 0.08, ["0-4", "0-9", "0-19"]),
        (Hierarchy.ages(), "4.99", ["0-4", "0-9", "0-19"]),
        (Hierarchy.ages(), 89, ["85-89", "80-89", "80-89"]),
        (Hierarchy.ages(), 90, ["90+", "90+", "90+"]),
        (Hierarchy.ages(top=None), 90, ["90-94", "90-99", "80-99"]),
        (Hierarchy.ages(bottom=18, top=65, bands=[10]), 17.9, ["under 18"]),
        (Hierarchy.ages(bottom=18, top=65, bands=[10]), 18, ["18-19"]),
        (Hierarchy.ages(bottom=18, top=65, bands=[10]), 64, ["60-64"]),
        (Hierarchy.ages(bands=[1, 5]), 33, ["33", "30-34"]),
    ],
)
def test_ages(builder: Any, age: Any, expected: list[str]) -> None:
    assert labels(builder, age) == expected


@pytest.mark.parametrize(
    ("builder", "amount", "expected"),
    [
        (Hierarchy.money(), 2500, ["2000-4999", "1000-9999", "1000-999999"]),
        (Hierarchy.money(), 1999, ["1000-1999", "1000-9999", "1000-999999"]),
        (Hierarchy.money(), 0, ["0", "0", "0"]),
        (Hierarchy.money(), 7, ["5-9", "1-9", "1-999"]),
        (Hierarchy.money(), -30, ["under 0", "under 0", "under 0"]),
        (Hierarchy.money(), 2500.5, ["2000 to under 5000", "1000 to under 10000", "1000 to under 1000000"]),
        (Hierarchy.money(lowest=100), 45, ["0-99", "0-99", "0-99"]),
        (Hierarchy.money(lowest=100, top=30000), 30000, ["30000+"] * 3),
        (Hierarchy.money(lowest=100, top=30000), 29999, ["20000-29999", "10000-29999", "100-29999"]),
    ],
)
def test_money(builder: Any, amount: Any, expected: list[str]) -> None:
    assert labels(builder, amount) == expected


def test_an_amount_with_cents_among_whole_ones_lies_between_the_ends_as_written() -> None:
    hierarchy = Hierarchy.money().build(pl.Series([100, 2500]))
    assert hierarchy.row("3000.50") == ["3000.50", "2000-4999", "1000-9999", "1000-999999", "*"]
    assert hierarchy.row("4999.50") == ["4999.50", "", "1000-9999", "1000-999999", "*"]


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "ages": st.integers(0, 125) | st.integers(0, 1250).map(lambda tenths: tenths / 10),
    "money": st.integers(-(10**6), 10**9) | st.integers(-100, 10**7).map(lambda cents: cents / 100),
    "countries": st.sampled_from(["KE", "FRA", "Japan", "Peru", "united states", "DE", "Mali", "AQ", "xk"]),
    "nuts": st.from_regex(r"(DE|FR|AT|EL)[0-9A-Z]{0,3}", fullmatch=True),
    "us-zip": st.from_regex(r"[0-9]{5}(-[0-9]{4})?", fullmatch=True),
    "icd-10": st.from_regex(r"[A-Z][0-9]{2}(\.[0-9]{1,2})?", fullmatch=True),
    "atc": st.from_regex(r"[ABCDGHJLMNPRSV]([0-9]{2}([A-Z]([A-Z]([0-9]{2})?)?)?)?", fullmatch=True),
    "isco-08": st.from_regex(r"[0-9]{1,4}", fullmatch=True),
    "nace": st.from_regex(r"[0-9]{2}(\.[0-9]{1,2})?", fullmatch=True) | st.sampled_from("ABCDEFGHIJKLMNOPQRSTU"),
}


@pytest.mark.parametrize("key", READY)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_levels_only_get_coarser_and_hold_every_value(key: str, data: st.DataObject) -> None:
    """Total, each level a function of the one below, the same in any company and with fewer levels."""
    values = data.draw(st.lists(VALUES[key], min_size=1, max_size=15))
    column = pl.Series(values, strict=False)
    builder = READY[key](other="other")
    hierarchy = builder.build(column)  # refuses levels that are no function of the one below
    assert hierarchy.height == len(builder.level_names) + 1
    sizes = [len(found) for found in hierarchy.labels]
    assert sizes == sorted(sizes, reverse=True)
    assert all(value in hierarchy.index for value in hierarchy.build(column).values)
    alone = builder.build(column[:1]).rows()[0]
    if getattr(hierarchy.rule, "fixed", None) == getattr(builder.build(column[:1]).rule, "fixed", None):
        assert hierarchy.row(alone[0]) == alone
    if builder.names:
        some = data.draw(st.lists(st.sampled_from(builder.names), min_size=1, unique=True))
        chosen = tuple(name for name in builder.names if name in some)
        fewer = READY[key](other="other", levels=chosen).build(column)
        at = [0, *(builder.names.index(name) + 1 for name in chosen), hierarchy.height]
        assert fewer.rows() == [[row[level] for level in at] for row in hierarchy.rows()]


@pytest.mark.parametrize("key", ["ages", "money"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_bands_are_in_the_order_of_their_values(key: str, data: st.DataObject) -> None:
    """Between two values of one band there is none of another."""
    values = sorted(data.draw(st.lists(VALUES[key], min_size=2, max_size=20)))
    hierarchy = READY[key]().build(pl.Series(values, dtype=pl.Float64))
    for level in range(hierarchy.height + 1):
        seen = [hierarchy.row(f"{value:.2f}".rstrip("0").rstrip("."))[level] for value in values]
        changes = [label for place, label in enumerate(seen) if place == 0 or label != seen[place - 1]]
        assert len(changes) == len(set(changes))


@pytest.mark.parametrize(
    ("key", "parameters", "message"),
    [
        ("icd-10", {"levels": ["chapter", "block"]}, "finer levels first, each once"),
        ("icd-10", {"levels": []}, "a list of category, block, chapter"),
        ("icd-10", {"levels": ["chapters"]}, "did you mean 'chapter'"),
        ("icd-10", {"other": "J45"}, "icd-10.other"),
        ("icd-10", {"other": ""}, "icd-10.other"),
        ("us-zip", {"small": "036"}, "3-digit areas as text"),
        ("us-zip", {"small": [36]}, "3-digit areas as text"),
        ("ages", {"bands": [5, 12]}, "a multiple of 5 above it, got 12"),
        ("ages", {"bands": []}, "the years of each level"),
        ("ages", {"bands": [0]}, "ages.bands"),
        ("ages", {"bottom": 65, "top": 18}, "more than bottom, 65"),
        ("ages", {"levels": ["5 years"]}, "bands are the levels"),
        ("money", {"lowest": 20}, "a power of ten, got 20"),
        ("money", {"lowest": 0}, "money.lowest"),
        ("money", {"top": 1}, "money.top"),
    ],
)
def test_wrong_parameters(key: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        READY[key](**parameters)


def test_a_name_for_other_values_that_a_group_has() -> None:
    with pytest.raises(HierarchyError, match="a name for other values that no group has, got 'Africa'"):
        Hierarchy.countries(other="Africa").build(pl.Series(["KE", "Utopia"]))


def test_levels_that_change_nothing() -> None:
    hierarchy = Hierarchy.icd_10().build(pl.Series(["J45.0", "J45.1", "I10", "K21"]))
    assert hierarchy.idle_levels() == (2, 3)  # three categories in three blocks of three chapters
    assert hierarchy.idle_levels(["J45.0", "I10"]) == (1, 2, 3)
    assert hierarchy.idle_levels(["J45.0", "J45.1", "not listed"]) == (2, 3)
    assert Hierarchy.flat(["a", "b"]).idle_levels() == ()


def test_zeros_are_put_back() -> None:
    assert labels(Hierarchy.isco_08(digits=4), 110) == ["011", "01", "0"]
    assert labels(Hierarchy.isco_08(), 110) == ["110", "11", "1"]
    assert labels(Hierarchy.nace(digits=4), 111) == ["01.1", "01", "A"]
    assert labels(Hierarchy.nace(digits=4), "C10.11") == ["10.1", "10", "C"]
    with pytest.raises(InputError, match=r"isco-08\.digits"):
        Hierarchy.isco_08(digits=5)
