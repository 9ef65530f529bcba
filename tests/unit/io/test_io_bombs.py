"""A few kilobytes that would become gigabytes are refused before they do."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nymity as ny
from memory import reading
from nymity.core.errors import FileError, TableError
from nymity.core.unpacking import most_unpacked
from nymity.io.parquet_size import check_parquet


def test_the_rule() -> None:
    assert most_unpacked(0) == most_unpacked(2**20) == 2**30
    assert most_unpacked(2**30) == 100 * 2**30


def test_a_gzip_bomb_is_refused_while_it_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.core.unpacking.UNPACKED_BYTES", 10**6)
    for content in (b"a,b\n" + b"1,2\n" * 10**6, b"a,b\n" + b"\n" * 10**7):
        (tmp_path / "t.csv.gz").write_bytes(gzip.compress(content))
        with pytest.raises(FileError, match="unpacks to at most 1,000,000 bytes"):
            ny.read_table(tmp_path / "t.csv.gz")
    (tmp_path / "h.csv.gz").write_bytes(gzip.compress(b"a;*\n" * 10**6))
    with pytest.raises(FileError, match="unpacks to at most"):
        ny.Hierarchy.read(tmp_path / "h.csv.gz")
    (tmp_path / "t.json.gz").write_bytes(gzip.compress(b" " * 10**7))
    with pytest.raises(FileError, match="unpacks to at most"):
        ny.Hierarchy.taxonomy(file=tmp_path / "t.json.gz").build(pl.Series(["a"]))


def test_what_packs_well_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 10**6))
    assert ny.read_table(tmp_path / "t.csv.gz").height == 10**6


def write(path: Path, table: pa.Table, **options: object) -> Path:
    pq.write_table(table, path, **options)
    return path


@pytest.mark.parametrize(
    "options", [{}, {"data_page_version": "2.0"}, {"use_dictionary": False}, {"compression": "zstd"}]
)
@pytest.mark.parametrize("groups", [1000, 10**6])
def test_whole_files_pass(tmp_path: Path, options: dict[str, object], groups: int) -> None:
    table = pa.table({"a": range(5_000), "b": ["x", None] * 2_500, "c": [[1, 2]] * 5_000, "d": [{"e": 1}] * 5_000})
    path = write(tmp_path / "t.parquet", table, row_group_size=groups, **options)
    check_parquet(path)
    pl.DataFrame({"a": range(3_000)}).write_parquet(tmp_path / "p.parquet", row_group_size=500)
    check_parquet(tmp_path / "p.parquet")
    pl.DataFrame({"a": []}, schema={"a": pl.Int64}).write_parquet(tmp_path / "p.parquet")
    check_parquet(tmp_path / "p.parquet")


def test_runs_of_equal_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({name: pa.array(["x"]).take(pa.array([0] * 300_000)) for name in "abc"})
    path = write(tmp_path / "t.parquet", table)
    assert ny.read_table(path).height == 300_000
    monkeypatch.setattr("nymity.io.parquet_size.PARQUET_CELLS", 1_000)
    monkeypatch.setattr("nymity.io.parquet_size.free_memory", lambda: 64 * 900_000 - 1)
    with pytest.raises(TableError, match=r"cells in a file of [\d,]+ bytes, got 900,000.*check --engine streaming"):
        ny.read_table(path)
    # What fits into memory many times is no bomb: a sorted release of many records is such a file.
    monkeypatch.setattr("nymity.io.parquet_size.free_memory", lambda: 64 * 900_000)
    assert ny.read_table(path).height == 300_000


def test_a_release_of_many_equal_rows_is_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines have a group of rows in memory; 10^8 sorted records of nine columns took two megabytes."""
    monkeypatch.setattr("nymity.io.parquet_size.PARQUET_CELLS", 100_000)
    monkeypatch.setattr("nymity.io.parquet_size.PARQUET_CELLS_A_BYTE", 1)
    monkeypatch.setattr("nymity.io.parquet_size.free_memory", lambda: None)
    monkeypatch.setattr("nymity.engines.parquet_writing._CELLS", 60_000)
    rows = 120_000
    table = pl.DataFrame({"age": [30] * rows, "zip": ["81667"] * rows, "sick": ["flu", "cold"] * (rows // 2)})
    table.write_parquet(tmp_path / "in.parquet", row_group_size=20_000)
    release = ny.publish(
        str(tmp_path / "in.parquet"),
        {"age": "quasi", "zip": "quasi", "sick": "sensitive"},
        k=5,
        output=ny.Output(format="parquet"),
        engine="streaming",
        out=tmp_path / "out",
    )
    assert release.certificate["output"]["records"] == rows
    with pytest.raises(ny.NymityError, match="check --engine streaming"):
        ny.check(tmp_path / "out")
    assert ny.check(tmp_path / "out", engine="streaming").holds
    monkeypatch.setattr("nymity.io.parquet_size.PARQUET_CELLS", 59_999)
    with pytest.raises(TableError, match="a group of rows"):
        ny.check(tmp_path / "out", engine="streaming")


def test_pages_that_unpack_beyond_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"a": ["x" * 10**6] * 20})
    path = write(tmp_path / "t.parquet", table, use_dictionary=False, compression="zstd")
    monkeypatch.setattr("nymity.core.unpacking.UNPACKED_BYTES", 10**6)
    with pytest.raises(FileError, match="unpacks to at most"):
        ny.read_table(path)


def test_more_records_than_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.parquet", pa.table({"a": range(100)}))
    monkeypatch.setattr("nymity.table.encoding.MAX_RECORDS", 99)
    with pytest.raises(TableError, match="at most 99 records, got 100"):
        ny.read_table(path)


def test_damaged_files_are_clear_errors(tmp_path: Path) -> None:
    """In a process of their own, for damage used to end it."""
    write(tmp_path / "t.parquet", pa.table({"a": range(100), "b": ["x"] * 100}))
    code = (
        "import sys, nymity as ny\n"
        "from pathlib import Path\n"
        "folder = Path(sys.argv[1])\n"
        "whole = (folder / 't.parquet').read_bytes()\n"
        "for place in range(4, len(whole) - 4):\n"
        "    damaged = whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]\n"
        "    (folder / 'u.parquet').write_bytes(damaged)\n"
        "    try:\n        ny.read_table(folder / 'u.parquet')\n"
        "    except ValueError:\n        pass\n"
    )
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2_000:]


def test_a_trillion_records_in_a_kilobyte(tmp_path: Path) -> None:
    """The footer of a small file, rewritten to promise 2^40 records: nothing is laid out for them."""
    whole = write(tmp_path / "t.parquet", pa.table({"a": [1] * 64})).read_bytes()
    length = int.from_bytes(whole[-8:-4], "little")
    footer = whole[-8 - length : -8]
    at = footer.index(bytes([0x16, 0x80, 0x01]))  # field num_rows, 64 in zigzag
    huge = footer[:at] + bytes([0x16, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]) + footer[at + 3 :]
    path = tmp_path / "huge.parquet"
    path.write_bytes(whole[: -8 - length] + huge + len(huge).to_bytes(4, "little") + b"PAR1")
    told, peak = reading(path)
    assert "an intact Parquet file, got 1,099,511,627,776 records, and 64 in its parts" in told
    assert peak < 500_000
