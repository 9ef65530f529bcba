"""Loaders of public data: found where NYMITY_DATA says, and clear when absent."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from nymity.core.errors import FileError, HierarchyError, ParameterError, SchemaError
from nymity.table.attribute import Role
from nymity_lab.datasets import PUBLIC_NAMES, available, public
from nymity_lab.datasets.diabetes import HIERARCHIES, MEMBER

TABLE = "sex;age\r\nMale;39\r\nFemale;07\r\nFemale;\r\n"
SEX = "Male;*\r\nFemale;*\r\n"
AGE = "39;30-49;*\n07;0-29;*\n99;>=50;*\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    hierarchies = tmp_path / "adult_arx" / "hierarchies"
    hierarchies.mkdir(parents=True)
    (tmp_path / "adult_arx" / "adult.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    (hierarchies / "adult_hierarchy_sex.csv").write_text(SEX, newline="")
    (hierarchies / "adult_hierarchy_age.csv.gz").write_bytes(gzip.compress(AGE.encode()))
    monkeypatch.setenv("NYMITY_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_everything_is_text() -> None:
    adult = public("adult")
    assert adult.name == "adult"
    assert adult.table.rows() == [("Male", "39"), ("Female", "07"), ("Female", None)]
    assert adult.hierarchies["age"].rows() == [["39", "30-49", "*"], ["07", "0-29", "*"], ["99", ">=50", "*"]]
    assert adult.hierarchies["sex"].generalize("Male", 1) == "*"


def test_a_plain_table_is_preferred_to_a_compressed_one(folder: Path) -> None:
    (folder / "adult_arx" / "adult.csv").write_text("sex;age\nMale;39\n")
    assert public("adult").table.height == 1


@pytest.mark.usefixtures("folder")
def test_the_schema_takes_all_columns_as_quasi_unless_told() -> None:
    adult = public("adult")
    assert adult.schema().quasi == ("sex", "age")
    assert adult.schema()["age"].hierarchy == adult.hierarchies["age"]
    assert adult.schema(sensitive=["sex"]).quasi == ("age",)
    assert adult.schema(sensitive=["sex"]).sensitive == ("sex",)
    only_age = adult.schema(quasi=["age"])
    assert (only_age.quasi, only_age.columns(Role.INSENSITIVE)) == (("age",), ("sex",))
    assert adult.schema(quasi=[]).quasi == ()
    adult.schema().check(adult.table)


@pytest.mark.usefixtures("folder")
def test_the_schema_refuses_columns_it_does_not_have() -> None:
    adult = public("adult")
    with pytest.raises(SchemaError, match=r"adult\.schema\.quasi: .*got 'agee'\. Try: did you mean 'age'\?"):
        adult.schema(quasi=["agee"])
    with pytest.raises(SchemaError, match=r"adult\.schema\.sensitive: .*got 'salary'"):
        adult.schema(sensitive=["salary"])
    with pytest.raises(SchemaError, match="one role per column, got 'sex' in both"):
        adult.schema(quasi=["sex", "age"], sensitive=["sex"])


@pytest.mark.usefixtures("folder")
def test_available_says_what_is_there() -> None:
    assert available("adult")
    assert not available("cup")
    assert not available("nonsense")


@pytest.mark.usefixtures("folder")
def test_an_absent_file_is_named_with_its_folder() -> None:
    with pytest.raises(
        FileError, match=r"cup\.csv or cup\.csv\.gz in the folder .*cup_arx, got no such folder.*NYMITY_DATA"
    ):
        public("cup")


def test_an_absent_hierarchy_is_named(folder: Path) -> None:
    (folder / "adult_arx" / "hierarchies" / "adult_hierarchy_sex.csv").unlink()
    with pytest.raises(FileError, match=r"adult_hierarchy_sex\.csv .*adult_arx.hierarchies, got no such file"):
        public("adult")


def test_a_hierarchy_that_is_inconsistent_names_its_file(folder: Path) -> None:
    (folder / "adult_arx" / "hierarchies" / "adult_hierarchy_sex.csv").write_text("Male;*\nFemale;all\n")
    with pytest.raises(HierarchyError, match=r"adult_hierarchy_sex\.csv"):
        public("adult")


@pytest.mark.parametrize(
    "content", [gzip.compress(AGE.encode())[:-9], gzip.compress(b"\xff\xfe;*")], ids=["cut", "not utf-8"]
)
def test_a_damaged_hierarchy_is_a_file_error(folder: Path, content: bytes) -> None:
    (folder / "adult_arx" / "hierarchies" / "adult_hierarchy_age.csv.gz").write_bytes(content)
    with pytest.raises(FileError, match=r"adult_hierarchy_age\.csv\.gz"):
        public("adult")


def test_a_damaged_table_is_a_file_error(folder: Path) -> None:
    (folder / "adult_arx" / "adult.csv.gz").write_bytes(b"")
    with pytest.raises(FileError, match=r"adult\.csv\.gz.*fetch the file again"):
        public("adult")


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_a_damaged_archive_is_a_file_error(folder: Path, content: bytes) -> None:
    (folder / "diabetes130").mkdir()
    (folder / "diabetes130" / "dataset_diabetes.zip").write_bytes(content)
    with pytest.raises(FileError, match=r"dataset_diabetes\.zip: expected the archive of the UCI repository.*again"):
        public("diabetes130")


def test_an_archive_becomes_a_table_with_hierarchies(folder: Path) -> None:
    """Of the columns those that have a hierarchy; a question mark is a gap."""
    names = ["encounter_id", *HIERARCHIES]
    cells = ["9", "Asian", "Male", "[0-10)", "1", "25", "7", "3", "?", "?", "41", "0", "13", "0", "9", "250.83"]
    (folder / "diabetes130").mkdir()
    with zipfile.ZipFile(folder / "diabetes130" / "dataset_diabetes.zip", "w") as archive:
        archive.writestr(MEMBER, "\n".join(",".join(row) for row in (names, cells, cells)))
    found = public("diabetes130")
    assert found.table.columns == list(HIERARCHIES)
    assert found.table.height == 2
    assert found.table["payer_code"].to_list() == [None, None]
    found.schema().check(found.table)
    assert [found.hierarchies[name].generalize(value, 1) for name, value in found.table.row(0, named=True).items()] == [
        *("minority", "*", "[0-10) - [10-20)", "unplanned", "not known", "emergency", "3-4"),
        *("*", "*", "40-49", "0-1", "10-14", "under 1", "9-10", "250.8*"),
    ]


def test_without_a_folder_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NYMITY_DATA", raising=False)
    assert not available("adult")
    with pytest.raises(
        FileError, match=r"adult\.csv in the folder adult_arx.*NYMITY_DATA is not set.*set the environment"
    ):
        public("adult")


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(ParameterError, match="did you mean 'adult'"):
        public("adults")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "records", "nodes"),
    [
        ("adult", 30_162, 12_960),
        ("cup", 63_441, 45_000),
        ("fars", 100_937, 20_736),
        ("fars-subset", 10_093, 20_736),
        ("diabetes130", 101_766, 233_280_000),
        ("acs", 665_800, 4_096),
    ],
)
def test_the_real_data(name: str, records: int, nodes: int) -> None:
    """Records as the benchmark papers count them, every value in its hierarchy, the lattice of the known size."""
    if not available(name):
        pytest.skip(f"the data set {name!r} is not under NYMITY_DATA")
    dataset = public(name)
    assert dataset.table.height == records
    schema, size = dataset.schema(), 1
    for column in dataset.table.columns:
        size *= schema.hierarchy(column, dataset.table[column].unique()).height + 1
    assert size == nodes


def test_every_name_is_known_to_available() -> None:
    assert all(isinstance(available(name), bool) for name in PUBLIC_NAMES)
