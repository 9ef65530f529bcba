"""In tables of few records, names and numbers of people are left out or asked about, however columns are called."""

from __future__ import annotations

import random

import polars as pl
import pytest

from nymity.risk.suggestion import ColumnRisk, suggest
from nymity.table.attribute import Role

#: Names that no list of frequent ones has.
SURNAMES = "Ostvik Brunsell Tarquay Melbo Hollund Friskerud Undstad Wergedal Askim Rudi Kvam Sletten".split()
NAMES = ["c3", "Fagbehandler", "procteam", "NumProc", "xincomeq", "Betreuungsart", "diagteam"]


def looked_at(name: str, values: list[object]) -> ColumnRisk:
    """Return what is suggested for a column beside others that are sure."""
    draw = random.Random(8)
    table = pl.DataFrame(
        {
            "age": [draw.randrange(18, 90) for _ in values],
            "sex": [draw.choice("mf") for _ in values],
            name: values,
            "diagnosis": [draw.choice(["I10", "E11.9", "J45.0"]) for _ in values],
        }
    )
    return next(one for one in suggest(table) if one.name == name)


def drawn(kind: str, records: int) -> list[object]:
    draw = random.Random(f"few {kind}")
    return {
        "surnames": draw.sample(SURNAMES, 12)[:records],
        "initials": [f"{one[0]}.{one[-1].upper()}." for one in SURNAMES][:records],
        "full names": [f"{one[2:].title()} {one}" for one in SURNAMES][:records],
        "staff": [draw.choice(SURNAMES[:4]) for _ in range(records)],
        "codes": [f"QX{draw.randrange(10**5):05}" for _ in range(records)],
        "telephones": [draw.randrange(15_000_000, 99_000_000) for _ in range(records)],
        "numbers of cases": [4100 + 13 * i for i in range(records)],
        "counted through": list(range(1, records + 1)),
    }[kind]


@pytest.mark.parametrize("records", [2, 3, 5, 12, 19])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "kind",
    ["surnames", "initials", "full names", "staff", "codes", "telephones", "numbers of cases", "counted through"],
)
def test_nothing_that_may_name_or_number_people_is_published_unasked(kind: str, name: str, records: int) -> None:
    values = drawn(kind, 12)
    values = (values * 2)[:records]
    one = looked_at(name, values)
    assert one.is_question or not one.role.is_published, f"{one.role.value}: {one.reason}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["surnames", "full names", "codes", "telephones", "numbers of cases"])
def test_until_somebody_decides_they_are_left_out(kind: str, name: str) -> None:
    one = looked_at(name, drawn(kind, 12))
    assert not one.role.is_published, f"{one.role.value}: {one.reason}"


def test_so_are_those_of_a_few_records_of_many() -> None:
    """A column that few records fill is as one of a small table."""
    table = pl.DataFrame({"Fagbehandler": [*SURNAMES, *[None] * 988], "age": [i % 70 + 18 for i in range(1000)]})
    assert not suggest(table)[0].role.is_published


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("age", [31, 45, 62, 28, 77, 53, 40, 36, 81, 22, 59, 68], Role.QUASI),
        ("city", "Ulm Jena Trier Ulm Kiel Jena Bonn Ulm Gera Hof Suhl Ulm".split(), Role.QUASI),
        ("diagnosis", "I10 E11.9 J45.0 I10 M54.5 K35.3 F32.1 C50.9 I10 N17 E11.9 R55".split(), Role.SENSITIVE),
        ("birth date", [f"{i + 10}.0{i % 9 + 1}.19{50 + 3 * i}" for i in range(12)], Role.QUASI),
        ("income", [1800 + 173 * i for i in range(12)], Role.SENSITIVE),
        ("postcode", [f"890{70 + i}" for i in range(12)], Role.QUASI),
        ("sex", list("mfmmffmfmfmm"), Role.QUASI),
    ],
)
def test_what_names_and_values_say_is_believed(name: str, values: list[object], role: Role) -> None:
    table = pl.DataFrame({name: values, "c2": [i % 2 for i in range(12)]})
    one = suggest(table)[0]
    assert one.role is role, one.reason
    assert not one.is_question, one.reason
