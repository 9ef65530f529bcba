"""Large text is read by the different cells of its columns: the same table, findings and figures as by its rows."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

from nymity.core.errors import NymityError
from nymity.io import CodedTable, ReadOptions, coder, delimited, file_content, read_detected, read_table, read_valued
from nymity.publishing.preparing.inspect import inspect

#: Cells of many kinds: short, of eight, nine, sixteen and seventeen bytes, numbers, dates, codes, quoted, wild.
CELLS = st.one_of(
    st.sampled_from(
        [
            *[
                "",
                "a",
                "NA",
                "-9",
                "007",
                "67",
                "67.0",
                "1.5",
                "1,5",
                "1.234,5",
                "12345678",
                "123456789",
                "x" * 16,
                "x" * 17,
            ],
            *[
                "x" * 16 + "y",
                "x" * 40,
                "x" * 39 + "z",
                "2020-02-01",
                "01.02.2020",
                "31.12.1999",
                " a",
                "ä" * 8,
                "日本語",
            ],
            *['"a"', '""', '"a;b"', '"say ""x"""', '"line\nend"', '"one\r\ntwo"', "caf\u00e9", "value 12", "value 21"],
        ]
    ),
    st.integers(-1000, 1000).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.dates().map(str),
)
#: … and some that are not regular: there the other reader decides.
WILD = st.sampled_from(['5" pipe', '"open', "a\rb", '"a"b', 'x"y"', "\r"])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Draw delimited text, mostly regular, with any kind of line ends."""
    fields = draw(st.integers(1, 4))
    kinds = [draw(st.lists(CELLS, min_size=1, max_size=6)) for _ in range(fields)]
    rows = draw(st.integers(0, 60))
    cells = [[draw(st.sampled_from(kind)) for kind in kinds] for _ in range(rows)]
    if cells and draw(st.integers(0, 9)) == 0:
        cells[draw(st.integers(0, rows - 1))][draw(st.integers(0, fields - 1))] = draw(WILD)
    if cells and draw(st.integers(0, 9)) == 0:
        cells[draw(st.integers(0, rows - 1))] = draw(st.lists(CELLS, max_size=5))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    names = [draw(st.sampled_from(["{}", '"{}"'])).format(f"c{place}") for place in range(fields)]
    last = draw(st.sampled_from([end, "", end + end]))
    return (end.join(";".join(row) for row in [names, *cells]) + last).encode()


@pytest.fixture
def by_values(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let the smallest files count as large, in blocks of a few rows."""
    monkeypatch.setattr(coder, "_BLOCK", 128)
    return monkeypatch


def _both(change: pytest.MonkeyPatch, read: object) -> tuple[object, object]:
    """Call twice: by values, then by rows; errors are answers, too."""
    found = []
    for size in (0, 2**60):
        change.setattr(delimited, "LARGE", size)
        change.setattr(delimited, "PACKED_LARGE", size)
        try:
            found.append(read())  # type: ignore[operator]
        except NymityError as error:
            found.append(str(error))
    return found[0], found[1]


def _same(one: object, other: object) -> None:
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    assert isinstance(one, pl.DataFrame)
    assert isinstance(other, pl.DataFrame)
    assert one.schema == other.schema
    assert one.equals(other)


#: Bytes that are read at once.
CHUNKS = st.sampled_from([40, 64, 2**20])
OPTIONS = st.builds(
    ReadOptions,
    delimiter=st.just(";"),
    header=st.sampled_from([None, True, False]),
    missing=st.sampled_from([(), ("NA", "-9"), ("67",)]),
    decimal=st.sampled_from([None, ","]),
    dates=st.sampled_from([None, "%d.%m.%Y"]),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=texts(), options=OPTIONS, chunk=CHUNKS)
def test_the_same_table_by_values_as_by_rows(
    tmp_path: Path, by_values: pytest.MonkeyPatch, content: bytes, options: ReadOptions, chunk: int
) -> None:
    by_values.setattr(file_content, "CHUNK_BYTES", chunk)
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    one, other = _both(by_values, lambda: read_valued(path, options))
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    _same(one.table, other.table)  # type: ignore[attr-defined]
    assert one.taken == other.taken  # type: ignore[attr-defined]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=texts(), chunk=CHUNKS)
def test_the_same_is_found_out_by_values_as_by_rows(
    tmp_path: Path, by_values: pytest.MonkeyPatch, content: bytes, chunk: int
) -> None:
    by_values.setattr(file_content, "CHUNK_BYTES", chunk)
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    one, other = _both(by_values, lambda: read_detected(path, ReadOptions(delimiter=";")))
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    (table, found, _), (rows, seen, _) = one, other  # type: ignore[misc]
    _same(table.frame() if isinstance(table, CodedTable) else table, rows)
    assert found.options == seen.options
    assert [(p.field, p.value, p.columns, p.sure) for p in found.proposals] == [
        (p.field, p.value, p.columns, p.sure) for p in seen.proposals
    ]


def _table(rows: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "patient_nr": [f"P{i // 3:05}" for i in range(rows)],
            "sex": ["mf"[i // 3 % 2] for i in range(rows)],
            "birth": [f"19{i // 3 % 80 + 10}-0{i // 3 % 9 + 1}-11" for i in range(rows)],
            "age": [i * 7 % 91 if i % 50 else -9 for i in range(rows)],
            "cost": [round(i * 1.37 % 900, 2) for i in range(rows)],
            "note": [f"called about the matter of {i % 90} again" for i in range(rows)],
            "code": [f"{i % 7:03}" for i in range(rows)],
            "city": [["Ulm", "Bonn", "Kiel", ""][i % 4] for i in range(rows)],
        }
    )


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_an_inspection_is_the_same_by_values_as_by_rows(
    tmp_path: Path, by_values: pytest.MonkeyPatch, suffix: str
) -> None:
    content = _table(3000).write_csv().encode()
    path = tmp_path / f"t{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)

    def inspected() -> object:
        table, found, known = read_detected(path, ReadOptions())
        seen = inspect(table, dictionary=known, reading=found)
        return isinstance(table, CodedTable), replace(seen, reading=None), found.options  # type: ignore[arg-type]

    (coded_one, one, options), (coded_other, other, others) = _both(by_values, inspected)  # type: ignore[misc]
    assert coded_one
    assert not coded_other
    assert one == other
    assert options == others
    assert one.person is not None
    assert one.person.column == "patient_nr"


def test_values_are_told_apart_whatever_their_length(tmp_path: Path, by_values: pytest.MonkeyPatch) -> None:
    """Every length around the words of eight bytes, and texts that differ in their last byte alone."""
    values = [("abcdefgh" * 6)[:length] + last for length in range(40) for last in "xy"]
    table = pl.DataFrame({"a": values * 30, "b": range(len(values) * 30)})
    table.write_csv(tmp_path / "t.csv")
    by_values.setattr(delimited, "LARGE", 0)
    (column, _), _ = delimited.CSV.read_coded(tmp_path / "t.csv", ReadOptions())  # type: ignore[misc]
    assert column.values.to_list() == [None, *values]
    assert column.times.to_list() == [0, *[30] * len(values)]
    assert read_table(tmp_path / "t.csv").equals(table)


def test_numbers_and_dates_are_told_apart_whatever_their_length(tmp_path: Path, by_values: pytest.MonkeyPatch) -> None:
    """Cells of up to 14 characters from ``+`` to ``:`` are one word; those beside them, and longer ones, are not."""
    digits = ["0" * length for length in range(1, 20)] + [("9876543210" * 2)[:length] for length in range(1, 20)]
    marked = [f"1{'0' * place}{mark}{'0' * rest}" for mark in '+,-./:*;<?@0"' for place in range(9) for rest in (0, 5)]
    beyond = ["1234567é", "12345678é", "2020-02-01é", "é2345678", "1234567\u00bf", "12345678\u07ff", "-+,./:-+,./:"]
    beyond += ["abcdefЦ", "1626364656660-"]  # the same halves of bytes, but for the topmost
    values = list(dict.fromkeys([*digits, *marked, *beyond]))
    table = pl.DataFrame({"a": values * 3, "b": values[::-1] * 3}, schema={"a": pl.String, "b": pl.String})
    table.write_csv(tmp_path / "t.csv")
    by_values.setattr(delimited, "LARGE", 0)
    columns, _ = delimited.CSV.read_coded(tmp_path / "t.csv", ReadOptions())  # type: ignore[misc]
    assert [column.values.to_list() for column in columns] == [[None, *values], [None, *values[::-1]]]
    assert CodedTable(columns).frame().equals(table)


def test_a_column_of_a_table_may_have_many_values(tmp_path: Path, by_values: pytest.MonkeyPatch) -> None:
    by_values.undo()
    by_values.setattr(delimited, "LARGE", 0)
    table = pl.DataFrame({"a": [f"value number {i}" for i in range(70_000)], "b": [i * 31 for i in range(70_000)]})
    table.write_csv(tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv").equals(table)


@pytest.mark.parametrize("block", [2**12, 2**16, 2**23])
def test_columns_get_more_and_longer_values_on_the_way(
    tmp_path: Path, by_values: pytest.MonkeyPatch, block: int
) -> None:
    """Few and short at first, where cells are numbered as they are cut: then too many, too long, or both, anywhere."""
    by_values.setattr(coder, "_BLOCK", block)
    by_values.setattr(delimited, "LARGE", 0)
    rows = 70_000
    table = pl.DataFrame(
        {
            "few": [f"v{i % 5}" for i in range(rows)],
            "limit": [f"v{i % 2048}" for i in range(rows)],
            "beyond": [f"v{i % 2049}" for i in range(rows)],
            "each": [f"v{i}" for i in range(rows)],
            "later_many": [f"v{i if i > 40_000 else i % 7}" for i in range(rows)],
            "later_long": ["v" * (i % 8 + 1 if i < 30_011 else i % 20 + 1) for i in range(rows)],
            "once_long": ["abcdefghi" if i == 50_001 else f"v{i % 3000}" for i in range(rows)],
            "once_longer": ["abcdefgh" * 3 if i == 50_002 else f"v{i % 9}" for i in range(rows)],
            "all_long": [f"text of some length {i % 5000}" for i in range(rows)],
            "later_dates": [
                f"{i % 9}" if i < 20_003 else f"20{i % 90 + 10}-0{i % 9 + 1}-{i % 71 + 10}" for i in range(rows)
            ],
            "gaps": [None if i % 3 else f"v{i % 2500}" for i in range(rows)],
            "nothing": [None] * rows,
        },
        schema=dict.fromkeys(
            "few limit beyond each later_many later_long once_long once_longer all_long later_dates gaps "
            "nothing".split(),
            pl.String,
        ),
    )
    table.write_csv(tmp_path / "t.csv")
    columns, _ = delimited.CSV.read_coded(tmp_path / "t.csv", ReadOptions())  # type: ignore[misc]
    assert CodedTable(columns).frame().equals(table)
    for column in columns:
        counted = table[column.name].drop_nulls().unique_counts().to_list()
        assert column.values.to_list() == [None, *table[column.name].drop_nulls().unique(maintain_order=True)]
        assert column.times.to_list() == [table[column.name].null_count(), *counted]


def test_quotes_are_closed_in_later_bytes_than_they_are_opened(tmp_path: Path, by_values: pytest.MonkeyPatch) -> None:
    """Of 64 bytes that are compared at once, and of blocks."""
    by_values.setattr(delimited, "LARGE", 0)
    cells = [("a;" * (i % 70)) + "\n" * (i % 3) + '"' * (i % 4) + "b" for i in range(900)]
    table = pl.DataFrame({"a": cells, "b": [f"c{i}" for i in range(900)], "c": cells[::-1]})
    table.write_csv(tmp_path / "t.csv", separator=";")
    columns, _ = delimited.CSV.read_coded(tmp_path / "t.csv", ReadOptions(delimiter=";"))  # type: ignore[misc]
    assert CodedTable(columns).frame().equals(table)


@pytest.mark.parametrize(
    ("cells", "distinct"),
    [
        (("67", "67.0", "68"), 2),
        (("67.0", "68.0", "0.0"), 3),
        (("0", "-0", "1"), None),
        (("0.0", "-0.0", "1.5"), 2),
        (("0.5", "1.25", "7"), 3),
        (("0.1", "0.10000000000000001", "0.25"), 2),  # more digits than a number tells apart
        (("-0.5", "0.5", "-12.0"), 3),
    ],
)
def test_texts_that_are_one_number_are_one_value(
    tmp_path: Path, by_values: pytest.MonkeyPatch, cells: tuple[str, ...], distinct: int | None
) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"{cells[i % len(cells)]},{'ab'[i % 2]}\n" for i in range(600))
    path.write_text("number,letter\n" + rows, encoding="utf-8")

    def inspected() -> object:
        table, found, _ = read_detected(path, ReadOptions())
        return replace(inspect(table, reading=found), reading=None)  # type: ignore[arg-type]

    one, other = _both(by_values, inspected)
    assert one == other
    assert distinct is None or one["number"].distinct == distinct  # type: ignore[index]


def test_codes_are_sought_on_the_scale_that_marks_give(tmp_path: Path, by_values: pytest.MonkeyPatch) -> None:
    """999 is an income where 1.500 is one thousand and a half; 9999 is none where 1.234 is the most."""
    rows = [f"{'64,8' if i % 2 else ''};{('1.500', '2.750', '999', '')[i % 4]};{('1.234', '9.999')[i % 9 == 0]}"
            for i in range(400)]  # fmt: skip
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["kg;income;gross", *rows]), encoding="utf-8")
    one, other = _both(by_values, lambda: read_detected(path, ReadOptions(delimiter=";")))
    assert isinstance(one[0], CodedTable)  # type: ignore[index]
    assert one[1].stated == other[1].stated  # type: ignore[index]
    assert "income" not in [name for told in one[1].proposals if told.field == "missing" for name in told.columns]  # type: ignore[index]


def test_a_table_without_quasi_identifiers(tmp_path: Path, by_values: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "\n".join(["id,income", *(f"{i:012d},{1000 + i * 37 % 9000}.5" for i in range(300))]), encoding="utf-8"
    )
    by_values.setattr(delimited, "LARGE", 0)
    table, found, _ = read_detected(path, ReadOptions())
    assert isinstance(table, CodedTable)
    inspected = inspect(table, reading=found)
    assert not inspected.quasi
    assert inspected.smallest_class == 300
