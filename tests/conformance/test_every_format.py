"""What every file format has in common: what is written is read again, and a wrong file is refused."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError, TableError
from nymity.io import FORMATS, RELEASED, ReadOptions, WriteOptions, format_of, read_table, read_text_cells, write_table
from nymity.io.format import Format

TABLE = pl.DataFrame({"age": [31, 42, None], "note": ["a;b", 'say "x"', "=1+1"], "who": ["ü", None, "z"]})


WRITTEN = {name: form for name, form in FORMATS.items() if form.written}


@pytest.mark.parametrize("form", [form for form in FORMATS.values() if not form.written], ids=str)
def test_what_can_only_be_read_is_not_written(form: Format, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="can only be read"):
        write_table(TABLE, tmp_path / f"t{form.suffix}")
    assert form.name not in RELEASED


@pytest.mark.parametrize("form", WRITTEN.values(), ids=WRITTEN)
class TestEveryFormat:
    def test_its_suffix_tells_it(self, form: Format) -> None:
        assert FORMATS[form.name] is form
        assert form.suffix == f".{form.name}"
        assert format_of(Path(f"table{form.suffix}")) is format_of(Path(f"TABLE{form.suffix.upper()}")) is form

    def test_what_is_written_is_read_again(self, form: Format, tmp_path: Path) -> None:
        path, options = tmp_path / f"t{form.suffix}", WriteOptions(neutralize_formulas=False)
        write_table(TABLE, path, options)
        assert read_table(path, form.read_back(options)).equals(TABLE)
        assert read_table(path).columns == TABLE.columns
        texts = read_text_cells(path, form.read_back(options))
        assert texts.equals(TABLE.with_columns(pl.col("age").cast(pl.String)))

    def test_the_same_table_gives_the_same_bytes(self, form: Format, tmp_path: Path) -> None:
        for name in ("one", "two"):
            write_table(TABLE, tmp_path / f"{name}{form.suffix}")
        assert (tmp_path / f"one{form.suffix}").read_bytes() == (tmp_path / f"two{form.suffix}").read_bytes()

    def test_text_that_a_spreadsheet_would_run(self, form: Format, tmp_path: Path) -> None:
        path = tmp_path / f"t{form.suffix}"
        write_table(TABLE, path)
        assert ("=1+1" in read_table(path, form.read_back(WriteOptions()))["note"].to_list()) == form.keeps_types

    def test_another_content_is_refused(self, form: Format, tmp_path: Path) -> None:
        for other in WRITTEN.values():
            if other.signature != form.signature:
                write_table(TABLE, tmp_path / f"other{other.suffix}")
                (tmp_path / f"other{other.suffix}").rename(path := tmp_path / f"t{form.suffix}")
                with pytest.raises(FileError, match=f"suffix {form.suffix} promises"):
                    read_table(path)

    def test_what_is_guessed_is_found_and_can_be_stated(self, form: Format, tmp_path: Path) -> None:
        assert set(form.guesses) <= {field.name for field in fields(ReadOptions)}
        write_table(TABLE, path := tmp_path / f"t{form.suffix}")
        assert form.unstated(ReadOptions()) == list(form.guesses)
        found = form.found_options(path, ReadOptions())
        assert form.unstated(found) == []
        assert form.unstated(form.read_back(WriteOptions())) == []
        assert read_table(path, found).equals(read_table(path))


@pytest.mark.parametrize("name", RELEASED)
def test_a_release_is_written_in_it(name: str, tmp_path: Path) -> None:
    people = pl.DataFrame({"age": [31, 31, 42, 42], "s": list("xyxy")})
    schema = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=10)), "s": ny.sensitive()})
    release = ny.publish(people, schema, privacy=[ny.KAnonymity(k=2)], output=ny.Output(format=name))
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release" / f"release.{name}", job=release.job).holds


#: Cells that some formats do not hold as they are.
ODD = {
    "infinite": [float("nan"), float("inf"), float("-inf")],
    "digits": [0.1 + 0.2, 1 / 3, -1e-7],
    "beyond": [1e308, 5e-324, 1.0],
    "nul": ["a\0b", "c", None],
    "marks": ["\ufeffx", "\u2028y", "a\r\nb"],
    "long": ["ä" * 40_000, "b", ""],
    "formulas": ["=1+1", "-inf", "'=x"],
    "numbers": ["007", "1.10", "1e5"],
}


@pytest.mark.parametrize("name", RELEASED)
@pytest.mark.parametrize("cells", ODD.values(), ids=ODD)
def test_a_release_of_odd_cells_is_refused_or_holds(name: str, cells: list[object], tmp_path: Path) -> None:
    people = pl.DataFrame({"odd": cells, "sex": ["f"] * len(cells)})
    schema = ny.Schema({"odd": ny.insensitive(free_text="published"), "sex": ny.quasi()})
    refused = ""
    try:
        ny.publish(people, schema, k=2, output=ny.Output(format=name), out=tmp_path / "release")
    except TableError as error:
        refused = str(error)
    if refused:
        assert name in refused or "column 'odd'" in refused
        assert list(tmp_path.iterdir()) == []
    else:
        assert ny.check(tmp_path / "release").holds
