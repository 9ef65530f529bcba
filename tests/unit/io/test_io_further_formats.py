"""JSON lines, Arrow, Parquet folders, zip and zstd; R's header; delimiter and encoding come out as they went in."""

from __future__ import annotations

import json
import struct
import zipfile
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import nymity as ny
from nymity.core.errors import FileError, InputError, TableError
from nymity.io import (
    ReadOptions,
    format_of,
    parquet_files,
    read_detected,
    read_table,
    read_text_cells,
    write_table,
)

TABLE = pl.DataFrame(
    {
        "n": [1, None, 3],
        "f": [0.5, 2.0, None],
        "t": ["Größe", None, "北京"],
        "b": [True, False, None],
        "d": [date(2020, 2, 29), None, date(1900, 1, 1)],
    }
)


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".arrow", ".feather", ".parquet"])
def test_types_gaps_and_unicode_come_back(suffix: str, tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / f"t{suffix}")
    assert read_table(tmp_path / f"t{suffix}").equals(TABLE)


# -- JSON lines


def lines(path: Path, *records: Any) -> Path:
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in records), encoding="utf-8")
    return path


def test_fields_may_be_absent_and_of_several_kinds(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", {"a": 1, "b": "x"}, "", {"b": "", "c": 2.5}, {"a": "two", "c": 3})
    assert read_table(path).to_dict(as_series=False) == {
        "a": ["1", None, "two"],
        "b": ["x", None, None],
        "c": [None, 2.5, 3.0],
    }


def test_long_numbers_are_codes(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", {"a": 10**20}, {"a": 5})
    assert read_table(path)["a"].to_list() == [str(10**20), "5"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"a": [1, [2]]}', "line 2, field 'a'.*a list"),
        ('{"a": {"b": 1}}', "line 2, field 'a'.*a table"),
        ("[1, 2]", "line 2.*a record"),
        ('{"a": 1', "line 2"),
        ('{"a": 1, "a": 2}', "line 2"),
        ('{"a": NaN}', "line 2"),
        ('{"": 1}', "empty"),
        ('{"a": ' + "[" * 500 + "]" * 500 + "}", "line 2"),
    ],
)
def test_what_is_no_record_is_refused_with_its_line(line: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        read_table(lines(tmp_path / "t.jsonl", {"a": 1}, line))


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(-5, 5) | st.text(max_size=3), min_size=1),
        min_size=1,
    )
)
def test_every_cell_is_one_that_stands_there(records: list[dict[str, Any]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        table = read_table(lines(Path(folder) / "t.jsonl", *records))
    for name in table.columns:
        stood = [record.get(name) for record in records]
        assert [None if cell is None else str(cell) for cell in table[name]] == [
            None if cell in (None, "") else str(cell) for cell in stood
        ]


# -- Arrow


def test_arrow_of_others_is_read(tmp_path: Path) -> None:
    for compression in ("lz4", "zstd", "uncompressed"):
        feather.write_feather(TABLE.to_arrow(), str(tmp_path / "t.feather"), compression=compression)
        assert read_table(tmp_path / "t.feather").equals(TABLE)


def test_an_arrow_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    """Each of its buffers says that it unpacks to 2⁴⁰ bytes."""
    path = tmp_path / "t.arrow"
    table = pl.DataFrame({"a": [7] * 62_500})
    table.write_ipc(path, compression="zstd")
    content = path.read_bytes()
    told = struct.pack("<q", 500_000)
    assert told in content
    path.write_bytes(content.replace(told, struct.pack("<q", 2**40)))
    with pytest.raises(FileError, match="unpacks to at most"):
        read_table(path)


def test_rows_without_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    with pyarrow.ipc.new_file(str(path), pyarrow.schema([("a", pyarrow.null())])) as writer:
        writer.write_table(pyarrow.table({"a": pyarrow.nulls(2**30)}))
    assert path.stat().st_size < 10_000
    with pytest.raises(TableError, match="cells in a file of"):
        read_table(path)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_arrow_files_are_errors_of_ours(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    write_table(TABLE, path)
    content = bytearray(path.read_bytes())
    at = 8 + seed * (len(content) - 20) // 60
    content[at : at + 4] = b"\xff\xfe\x7f\x80"
    path.write_bytes(bytes(content))
    with suppress(InputError):
        read_table(path)


def test_metadata_of_an_arrow_file_is_strange_in_a_release(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    write_table(TABLE, path)
    assert format_of(path).strangers(path) == []
    table = TABLE.to_arrow().replace_schema_metadata({"author": "me"})
    with pyarrow.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    assert "metadata" in format_of(path).strangers(path)[0]


# -- folders of Parquet files


@pytest.mark.parametrize("name", ["data", "data.parquet"])
def test_a_folder_of_parquet_files_is_a_table(name: str, tmp_path: Path) -> None:
    for year in (2020, 2021):
        place = tmp_path / name / f"year={year}" / "land=K%C3%B6ln"
        place.mkdir(parents=True)
        write_table(TABLE, place / "part-0.parquet")
    (tmp_path / name / "_SUCCESS").touch()
    (tmp_path / name / "._part.parquet").write_bytes(b"litter")
    table = read_table(tmp_path / name)
    assert table["year"].to_list() == [2020] * 3 + [2021] * 3
    assert table["land"].unique().to_list() == ["Köln"]
    assert table.select(TABLE.columns).equals(pl.concat([TABLE, TABLE]))


def test_folders_that_are_no_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a folder"):
        read_table(tmp_path)
    write_table(TABLE, tmp_path / "a.parquet")
    write_table(TABLE.drop("n"), tmp_path / "b.parquet")
    with pytest.raises(TableError, match=r"b\.parquet.*columns and types of a\.parquet"):
        read_table(tmp_path)
    (tmp_path / "b.parquet").write_text("no, it is not\n")
    with pytest.raises(FileError, match=r"b\.parquet"):
        read_table(tmp_path)


def test_parts_of_a_job_that_failed_are_no_records(tmp_path: Path) -> None:
    for place in ("part-0.parquet", "_temporary/0/part-1.parquet", ".staging/part-2.parquet", "_day=3/part-3.parquet"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        write_table(TABLE, tmp_path / place)
    assert parquet_files(tmp_path) == [tmp_path / "_day=3/part-3.parquet", tmp_path / "part-0.parquet"]
    (tmp_path / "_day=3/part-3.parquet").unlink()
    assert read_table(tmp_path).equals(TABLE)


def test_a_folder_with_other_tables_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    write_table(TABLE, tmp_path / "old/a.parquet")
    (tmp_path / "README.txt").write_text("What lies here.\n")
    assert read_table(tmp_path).equals(TABLE)
    write_table(TABLE, tmp_path / "patients.csv")
    with pytest.raises(FileError, match=r"Parquet files alone.*also patients\.csv"):
        read_table(tmp_path)


# -- packed files

GERMAN = "Alter;Ort\n34;Köln\n-9;Łódź\n"


def packed(path: Path, name: str = "folder/t.csv", content: str = GERMAN, **further: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", "")
        archive.writestr("__MACOSX/folder/._t.csv", "litter")
        archive.writestr(name, content)
        for other, text in further.items():
            archive.writestr(other, text)
    return path


def zst(path: Path, content: bytes) -> Path:
    with pyarrow.output_stream(str(path), compression="zstd") as stream:
        stream.write(content)
    return path


def test_a_packed_table_is_read_in_every_way(tmp_path: Path) -> None:
    for path in (packed(tmp_path / "t.zip"), zst(tmp_path / "t.csv.zst", GERMAN.encode())):
        assert read_table(path).rows() == [(34, "Köln"), (-9, "Łódź")]
        assert read_table(path, ReadOptions(missing=("-9",)))["Alter"].to_list() == [34, None]
        stated = ReadOptions(delimiter=";", encoding="utf-8", header=True)
        assert read_text_cells(path, stated)["Alter"].to_list() == ["34", "-9"]
        assert read_detected(path, ReadOptions())[1].options.delimiter == ";"
    write_table(TABLE, tmp_path / "p.parquet")
    assert read_table(zst(tmp_path / "p.parquet.zst", (tmp_path / "p.parquet").read_bytes())).equals(TABLE)


@pytest.mark.parametrize("name", ["README.txt", "folder/Lies-mich.txt", "LISEZMOI.TXT", "license.txt", "readme.md"])
def test_texts_for_people_beside_a_table_are_passed_over(tmp_path: Path, name: str) -> None:
    path = packed(tmp_path / "t.zip", **{name: "Please read; this first"})
    assert read_table(path).rows() == [(34, "Köln"), (-9, "Łódź")]


def test_nothing_unpacked_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    read_table(packed(tmp_path / "t.zip"))
    with pytest.raises(TableError, match=r"t\.zip, t\.csv, line 2"):
        read_table(packed(tmp_path / "t.zip", content="a,b\n1\n"))
    assert not any((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: packed(path, **{"b.csv": "a\n1\n"}), "one table"),
        (lambda path: packed(path, **{"more.txt": "a\n1\n"}), "one table"),
        (lambda path: packed(path, "readme.md"), "one table"),
        (lambda path: packed(path, "t.zip"), "packed file in a packed file|suffix .zip promises"),
        (lambda path: path.write_bytes(b"PK\x03\x04" + b"\0" * 100), "intact archive"),
    ],
)
def test_archives_that_are_no_table_are_refused(make: Any, says: str, tmp_path: Path) -> None:
    make(tmp_path / "t.zip")
    with pytest.raises(FileError, match=says):
        read_table(tmp_path / "t.zip")


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.core.unpacking.UNPACKED_BYTES", 1000)
    for path in (packed(tmp_path / "t.zip", content="a\n" * 10**6), zst(tmp_path / "t.csv.zst", b"a\n" * 10**6)):
        with pytest.raises(FileError, match="unpacks to at most"):
            read_table(path)


def test_names_in_an_archive_lead_nowhere(tmp_path: Path) -> None:
    assert read_table(packed(tmp_path / "t.zip", "../../../../tmp/evil.csv")).height == 2
    assert not Path("/tmp/evil.csv").exists()


# -- what R and pandas write, and what goes out as it came in


def test_rows_that_are_named_without_a_name(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text('"","age","sex"\n"1",34,"f"\n"2",51,"m"\n')
    assert read_table(tmp_path / "r.csv").to_dict(as_series=False) == {
        "row_names": [1, 2],
        "age": [34, 51],
        "sex": ["f", "m"],
    }
    TABLE.to_pandas().to_csv(tmp_path / "p.csv")
    assert read_table(tmp_path / "p.csv").columns == ["row_names", *TABLE.columns]
    (tmp_path / "two.csv").write_text(",age,\n1,2,3\n")
    with pytest.raises(TableError, match="an empty name for column 3"):
        read_table(tmp_path / "two.csv", ReadOptions(header=True))


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-16"])
@pytest.mark.parametrize("stated", [False, True])
def test_delimiter_and_encoding_stay(encoding: str, stated: bool, tmp_path: Path) -> None:
    rows = "".join(f"{30 + i % 2};Köln\n" for i in range(40))
    (tmp_path / "t.csv").write_bytes(f"age;town\n{rows}".encode(encoding))
    further = {"delimiter": ";", "encoding": encoding, "header": True} if stated else {}
    schema = ny.Schema({"age": ny.quasi(), "town": ny.insensitive()})
    source = ny.Source(path=str(tmp_path / "t.csv"), **further)
    release = ny.publish(source, schema, privacy=ny.KAnonymity(k=5), out=tmp_path / "r")
    text = (tmp_path / "r" / "release.csv").read_bytes().decode(encoding)
    assert text.splitlines()[:2] == ["age;town", "30;Köln"]
    assert ny.check(tmp_path / "r").holds
    assert ny.check(tmp_path / "r" / "release.csv", job=release.job).holds
    told = ny.publish(
        source,
        schema,
        privacy=ny.KAnonymity(k=5),
        output=ny.Output(delimiter=",", encoding="utf-8"),
        out=tmp_path / "s",
    )
    assert (tmp_path / "s" / "release.csv").read_text(encoding="utf-8").startswith("age,town\n30,Köln")
    assert told.frame.equals(release.frame)


def test_a_character_that_the_encoding_lacks_is_told(tmp_path: Path) -> None:
    schema = ny.Schema({"a": ny.quasi()})
    with pytest.raises(TableError, match="characters that cp1252 has"):
        ny.publish(
            pl.DataFrame({"a": ["Łódź"] * 5}),
            schema,
            privacy=ny.KAnonymity(k=5),
            output=ny.Output(encoding="cp1252"),
            out=tmp_path / "r",
        )
