"""Tables to learn from: read as their sources hand them out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from nymity.core.errors import FileError, ParameterError
from nymity_lab.datasets.public import learning_table, public

ADULT = "39, State-gov, 77516, Bachelors, 13, Divorced, ?, Not-in-family, White, Male, 2174, 0, 40, Cuba, <=50K\n\n"
HEART = "male,age,TenYearCHD\n1,39,0\n0,NA,1\n0,,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("adult", "framingham", "cmc", "nursery"):
        (tmp_path / name).mkdir()
    (tmp_path / "adult" / "adult.data.gz").write_bytes(gzip.compress(ADULT.encode()))
    (tmp_path / "framingham" / "framingham.csv").write_text(HEART)
    (tmp_path / "cmc" / "cmc.data").write_text("24,2,3,3,1,1,2,3,0,1\n45,1,3,10,1,1,3,4,0,1\n")
    (tmp_path / "nursery" / "nursery.data").write_text("parents,classification\nusual,priority\n")
    monkeypatch.setenv("NYMITY_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_values_are_text_without_blanks_and_gaps_are_missing() -> None:
    adult = learning_table("adult-census")
    assert adult.height == 1  # the blank line at the end is no record
    assert adult.row(0, named=True) | {"occupation": None, "native-country": "Cuba", "income": "<=50K"} == adult.row(
        0, named=True
    )
    assert learning_table("framingham").rows() == [("1", "39", "0"), ("0", None, "1"), ("0", None, "1")]
    assert learning_table("cmc")["children"].to_list() == ["3", "10"]
    assert learning_table("nursery").rows(named=True) == [{"parents": "usual", "classification": "priority"}]


@pytest.mark.usefixtures("folder")
def test_as_a_public_data_set_they_have_flat_hierarchies() -> None:
    heart = public("framingham")
    assert heart.hierarchies["male"].rows() == [["0", "*"], ["1", "*"]]
    heart.schema(sensitive=["TenYearCHD"]).check(heart.table)


def test_what_is_not_there_or_not_understood_is_said(folder: Path) -> None:
    with pytest.raises(FileError, match=r"ringnorm_standardized\.csv"):
        learning_table("ringnorm")
    (folder / "cmc" / "cmc.data").write_text("")
    with pytest.raises(FileError, match=r"cmc\.data.*as its source hands it out.*fetch the file again"):
        learning_table("cmc")
    with pytest.raises(ParameterError, match="dataset"):
        learning_table("fars")
