"""Raw Adult: its hierarchies give the thesis' lattices, and its parts are read as they come."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from nymity.core.errors import FileError
from nymity.lattice.space import Space
from nymity.table.encoding import encode
from nymity_lab.datasets.adult import LEVELS, TARGET, census_hierarchies, census_parts, census_schema

TRAIN = """39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, \
United-States, <=50K
50, ?, 83311, HS-grad, 9, Divorced, ?, Husband, Black, Male, 0, 0, 13, Cuba, >50K

"""
TEST = """|1x3 Cross validator
25, Private, 226802, 11th, 7, Never-married, Sales, Own-child, Black, Female, 0, 0, 40, ?, <=50K.
38, Private, 89814, HS-grad, 9, Divorced, Sales, Husband, White, Male, 0, 0, 50, Hong, >50K.

"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "adult").mkdir()
    monkeypatch.setenv("NYMITY_DATA", str(tmp_path))
    return tmp_path / "adult"


def test_hierarchies_have_the_levels_they_should() -> None:
    hierarchies = census_hierarchies()
    assert {name: hierarchies[name].height + 1 for name in LEVELS} == LEVELS
    assert hierarchies["native-country"].generalize("Hong", 1) == "Asia"
    assert hierarchies["native-country"].generalize("Puerto-Rico", 2) == "home"
    assert hierarchies["age"].generalize("90", 1) == "65+"
    assert [hierarchies[name].domain_size for name in ("occupation", "native-country", "workclass")] == [14, 41, 8]


@pytest.mark.parametrize(("attributes", "nodes"), [(4, 108), (6, 648), (8, 7776), (10, 62_208)])
def test_lattices_are_those_of_the_thesis(attributes: int, nodes: int) -> None:
    schema = census_schema(attributes)
    row = {name: [census_hierarchies()[name].values[0]] for name in schema}
    assert Space.of(encode(pl.DataFrame(row), schema)).size == nodes


@pytest.mark.parametrize("packed", [False, True])
def test_both_parts_are_complete_records(folder: Path, packed: bool) -> None:
    for name, text in (("adult.data", TRAIN), ("adult.test", TEST)):
        if packed:
            (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / name).write_text(text)
    train, test = census_parts()
    assert train.columns == test.columns == [*LEVELS, TARGET]
    assert train.rows(named=True)[0]["hours-per-week"] == "40"
    assert (train.height, test.height) == (1, 1)
    assert test.row(0)[-2:] == ("Hong", ">50K")
    assert encode(test, census_schema()).n_records == 1


def test_a_missing_test_part_is_named(folder: Path) -> None:
    (folder / "adult.data").write_text(TRAIN)
    with pytest.raises(FileError, match=r"adult\.test next to adult\.data"):
        census_parts()
