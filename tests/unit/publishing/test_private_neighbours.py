"""Neighbours with the same draws: whatever a record that is not drawn holds, the same bytes are published.

The record more stands last and is never drawn, and levels are fixed. So the rows drawn are the same, and anything that
differs in files, frames, certificates or on the screen is something that no draw hides: its delta is about 1 - beta.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xlsxwriter
from numpy.typing import NDArray
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core import bits as random_bits
from nymity.core.errors import JobError, SchemaError, TableError
from nymity.io.text_cells import BEYOND, text_cells
from nymity.publishing.jobs.job import Job, Output, Source
from nymity.publishing.running import run
from nymity.publishing.running.run import Run
from nymity.table import sampled_recoding
from nymity.table.attribute import Attribute, Role

FORMATS = ("csv", "csv.gz", "tsv", "parquet", "xlsx")
DOSE = ny.Hierarchy.flat(["1", "2", "0.5", "3 to 4 tablets, halved"])
SCHEMA = ny.Schema({"name": ny.identifying(), "dose": ny.quasi(DOSE, level=0)})
PROMISE = ny.DifferentialPrivacy(epsilon=1.0, public_records=5000)
RECORDS = 1000
#: What one record more may hold: another type, a gap, a mask, a long cell, a value nobody listed.
STRANGE = ["1", "0.5", "", "*", "3 to 4 tablets, halved", "not listed", "9007199254740993", "007", "1.0", "x" * 4000]


@pytest.fixture(autouse=True)
def draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw seven of ten among the first records, and nobody behind them; fix the salt."""

    def coins(probability: Fraction, size: int, bits: object) -> NDArray[np.bool_]:
        places = np.arange(size)
        return (places < RECORDS) & (places % 10 < 7)

    for module in (random_bits, sampled_recoding):
        monkeypatch.setattr(module, "coins", coins)
    monkeypatch.setattr(run, "salt", lambda: "00" * 32)


def doses() -> list[str]:
    return [str(1 + i % 2) for i in range(RECORDS)]


def as_csv(folder: Path, cells: list[str]) -> tuple[Any, ny.Schema]:
    path = folder / "people.csv"
    path.write_text("name,dose\n" + "".join(f'n{i},"{cell}"\n' for i, cell in enumerate(cells)))
    return path, SCHEMA


def as_xlsx(folder: Path, cells: list[str]) -> tuple[Any, ny.Schema]:
    path = folder / "people.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for row, values in enumerate([("name", "dose"), *((f"n{i}", typed(cell)) for i, cell in enumerate(cells))]):
            sheet.write_row(row, 0, values)
    return path, SCHEMA


def as_parquet(folder: Path, cells: list[str]) -> tuple[Any, ny.Schema]:
    path = folder / "people.parquet"
    pl.DataFrame({"name": [f"n{i}" for i in range(len(cells))], "dose": inferred(cells)}).write_parquet(path)
    return path, SCHEMA


def as_polars(folder: Path, cells: list[str]) -> tuple[Any, ny.Schema]:
    return pl.DataFrame({"name": [f"n{i}" for i in range(len(cells))], "dose": inferred(cells)}), SCHEMA


def as_pandas(folder: Path, cells: list[str]) -> tuple[Any, ny.Schema]:
    return pd.DataFrame({"name": [f"n{i}" for i in range(len(cells))], "dose": [typed(c) for c in cells]}), SCHEMA


def as_read(folder: Path, cells: list[str]) -> tuple[Any, ny.Schema]:
    """Read by nymity, with types where nothing is lost."""
    return ny.read_table(as_csv(folder, cells)[0]), SCHEMA


def as_dict(folder: Path, cells: list[str]) -> tuple[Any, ny.Schema]:
    return {"name": [f"n{i}" for i in range(len(cells))], "dose": [typed(cell) for cell in cells]}, SCHEMA


def as_arrow(folder: Path, cells: list[str]) -> tuple[Any, ny.Schema]:
    values = pa.array(cells).dictionary_encode()
    return pa.table({"name": [f"n{i}" for i in range(len(cells))], "dose": values}), SCHEMA


def typed(cell: str) -> Any:
    """Return a cell as somebody may have typed it."""
    for kind in (int, float):
        try:
            return kind(cell) if str(kind(cell)) == cell else cell
        except ValueError:
            continue
    return cell or None


def inferred(cells: list[str]) -> pl.Series:
    """Return a column as a reader that infers types gives it."""
    values = [typed(cell) for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int}:
        return pl.Series(values, dtype=pl.Int64)
    return pl.Series(values, dtype=pl.Float64, strict=False) if kinds <= {int, float} else pl.Series(cells)


KINDS = (as_csv, as_xlsx, as_parquet, as_read, as_polars, as_pandas, as_dict, as_arrow)


def job_for(source: Any, schema: ny.Schema, format: Any, **fields: Any) -> tuple[Job, Any]:
    is_path = isinstance(source, Path)
    stated: dict[str, Any] = {"delimiter": ",", "encoding": "utf-8"} if is_path and source.suffix == ".csv" else {}
    stated |= {"header": True} if is_path and source.suffix != ".parquet" else {}
    job = Job(
        schema=schema,
        privacy=(PROMISE,),
        method=ny.SafePub(),
        source=Source(path=str(source), **stated) if is_path else None,
        output=Output(format=format),
        **fields,
    )
    return job, None if is_path else source


def published(folder: Path, make: Callable[..., Any], cells: list[str], format: Any) -> tuple[dict[str, bytes], Any]:
    folder.mkdir()
    source, schema = make(folder, cells)
    release = Run(*job_for(source, schema, format)).release()
    release.save(folder / "out")
    return {path.name: path.read_bytes() for path in (folder / "out").iterdir()}, release.table


# -- the attack ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", KINDS)
def test_a_record_that_is_not_drawn_changes_no_byte(make: Callable[..., Any], tmp_path: Path) -> None:
    for format in FORMATS if make is as_csv else ("parquet",):
        files, table = published(tmp_path / f"before {format}", make, doses(), format)
        for number, strange in enumerate(STRANGE):
            other, frame = published(tmp_path / f"{format} {number}", make, [*doses(), strange], format)
            assert other == files, (format, strange)
            assert_alike(frame, table)


def assert_alike(one: Any, other: Any) -> None:
    """Compare frames, with their types and metadata."""
    assert type(one) is type(other)
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
    elif isinstance(one, pa.Table):
        assert one.equals(other, check_metadata=True)
    elif isinstance(one, pl.DataFrame):
        assert one.schema == other.schema
        assert one.equals(other)
    else:
        assert one == other


@pytest.mark.parametrize("cells", [[], [""], ["*"], ["not listed"], ["1"], [""] * 50])
@pytest.mark.parametrize("missing", ["category", "drop"])
def test_preparing_fails_for_no_record(cells: list[str], missing: Any, tmp_path: Path) -> None:
    """An error would tell of the records; too few of them give an empty release."""
    schema = ny.Schema({"name": ny.identifying(), "dose": ny.quasi(DOSE, missing=missing)})
    names = pl.Series("name", [f"n{i}" for i in range(len(cells))], dtype=pl.String)
    frame = pl.DataFrame([names, pl.Series("dose", cells, dtype=pl.String)])
    for method in (ny.SafePub(), ny.EpsilonSafeLattice(), ny.SafePub(steps=3)):
        release = ny.publish(frame, schema, privacy=PROMISE, method=method, out=tmp_path / "out", force=True)
        assert release.frame.schema == {"dose": pl.String}
        assert set(release.frame["dose"]) <= {None, "*"}
    folder = tmp_path / "file"
    folder.mkdir()
    path, _ = as_csv(folder, cells)
    assert Run(job_for(path, schema, "csv")[0]).release().with_text().frame.schema == {"dose": pl.String}


def test_records_without_a_place_are_dropped_or_counted_as_another(tmp_path: Path) -> None:
    cells = [*doses(), *["0.75"] * 100, *["*"] * 100]
    kept = {
        unlisted: ny.publish(
            {"dose": cells},
            ny.Schema({"dose": ny.quasi(DOSE, level=0, unlisted=unlisted)}),
            privacy=PROMISE,
            method=ny.SafePub(),
        )
        for unlisted in (None, "0.5")
    }
    assert kept[None].log.figures["without_a_listed_value"] == 200
    assert kept["0.5"].log.figures["without_a_listed_value"] == 0
    assert kept[None].log.source_rows.max() < RECORDS
    again = ny.apply(kept["0.5"].recoding, {"dose": ["0.75"] * 100}, unaccounted=True)
    assert again == {"dose": ["0.5"] * 70}
    loaded = ny.Recoding.from_dict(json.loads(json.dumps(kept["0.5"].recoding.to_dict())))
    assert ny.apply(loaded, {"dose": ["0.75"] * 100}, unaccounted=True) == again


def test_numbers_are_the_same_text_whatever_their_column_is() -> None:
    """Also long ones, which a column of floats rounds."""
    ids = [7, -3, 10**15 - 1, 10**15, 2**53 + 1, -(2**60)]
    columns = [
        pl.Series(ids),
        pl.Series([*ids, None]).head(6),
        pl.Series(ids, dtype=pl.Float64, strict=False),
        pl.Series(list(map(str, ids))),
    ]
    found = [text_cells(pl.DataFrame({"id": column}))["id"].to_list() for column in columns]
    found += [text_cells({"id": ids})["id"].to_list(), text_cells({"id": list(map(str, ids))})["id"].to_list()]
    found += [text_cells(pd.DataFrame({"id": [*ids, None]}))["id"].to_list()[:6]]
    assert found == [["7", "-3", "999999999999999", BEYOND, BEYOND, BEYOND]] * 7
    mixed = {"x": [1, 1.0, 0.5, True, float("nan"), None, "", "1.0"]}
    assert text_cells(mixed)["x"].to_list() == ["1", "1", "0.5", "true", None, None, None, "1.0"]


def test_a_source_says_how_it_is_read(tmp_path: Path) -> None:
    path, schema = as_csv(tmp_path, doses())
    source = ny.Source(path=str(path), delimiter=",", encoding="utf-8", header=True)
    assert ny.publish(source, schema, privacy=PROMISE, method=ny.SafePub()).frame.height == 700


def test_applying_fails_for_no_record() -> None:
    release = ny.publish({"dose": doses()}, ny.Schema({"dose": SCHEMA["dose"]}), privacy=PROMISE, method=ny.SafePub())
    expected = ny.apply(release.recoding, {"dose": doses()}, unaccounted=True)
    for strange in [*map(typed, STRANGE), None]:
        assert ny.apply(release.recoding, {"dose": [*doses(), strange]}, unaccounted=True) == expected


# -- what must stand in the job ------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["delimiter", "encoding", "header"])
def test_what_would_be_found_out_from_the_records_must_be_stated(missing: str, tmp_path: Path) -> None:
    stated = {"delimiter": ",", "encoding": "utf-8", "header": True}
    fields = {name: value for name, value in stated.items() if name != missing}
    source = Source(path="there is no such file.csv", **fields)  # type: ignore[arg-type]
    job = Job(schema=SCHEMA, privacy=(PROMISE,), method=ny.SafePub(), source=source)
    with pytest.raises(JobError, match=rf"source\.{missing}: expected .* stated"):
        ny.publish(job)
    with pytest.raises(JobError, match=r"source\.delimiter"):
        ny.publish("there is no such file.csv", SCHEMA, privacy=PROMISE, method=ny.SafePub())
    with pytest.raises(JobError, match=r"source\.header"):
        ny.publish("there is no such file.xlsx", SCHEMA, privacy=PROMISE, method=ny.SafePub())


def test_errors_about_gaps_are_refused() -> None:
    for schema in (
        ny.Schema({"dose": ny.quasi(DOSE, missing="error")}),
        ny.Schema({"dose": ny.quasi(DOSE), "name": Attribute(role=Role.IDENTIFYING, missing="error")}),
    ):
        with pytest.raises(SchemaError, match=r"missing: expected 'category' or 'drop'"):
            Job(schema=schema, privacy=(PROMISE,), method=ny.SafePub())


def test_another_must_be_listed_and_is_for_private_methods() -> None:
    schema = ny.Schema({"dose": ny.quasi(DOSE, unlisted="7")})
    with pytest.raises(SchemaError, match=r"schema\.dose\.unlisted: expected a value of its hierarchy"):
        ny.publish({"dose": ["1"]}, schema, privacy=PROMISE, method=ny.SafePub())
    with pytest.raises(SchemaError, match=r"schema\.dose\.unlisted: expected a differentially private method"):
        Job(schema=schema, privacy=(ny.KAnonymity(k=2),), method=ny.OptimalLattice())


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([0.1], dtype=pl.Float32),
        pl.Series(["2024-01-01"]).str.to_datetime(),
        pl.Series(["1.50"]).cast(pl.Decimal(10, 2)),
        pl.Series([[1]]),
    ],
)
def test_types_whose_text_depends_on_other_records_are_refused(values: pl.Series) -> None:
    with pytest.raises(TableError, match=r"column 'dose': expected text"):
        ny.publish({"dose": values}, ny.Schema({"dose": SCHEMA["dose"]}), privacy=PROMISE, method=ny.SafePub())


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    DOSE.save(tmp_path / "dose.csv")
    said = []
    for number, more in enumerate(([], ["0.5"], [""], ["not listed"])):
        folder = tmp_path / str(number)
        folder.mkdir()
        as_csv(folder, [*doses(), *more])
        (folder / "job.toml").write_text(
            """
            source = { path = "people.csv", delimiter = ",", encoding = "utf-8", header = true }
            [schema]
            name = { role = "identifying" }
            dose = { role = "quasi", hierarchy = { type = "file", path = "../dose.csv" }, min_level = 0, max_level = 0 }
            [[privacy]]
            model = "differential-privacy"
            epsilon = 1.0
            public_records = 5000
            [method]
            name = "safepub"
            """
        )
        done = CliRunner().invoke(app, ["publish", str(folder / "job.toml"), "--out", str(folder / "out")])
        files = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
        said.append((done.exit_code, done.output.replace(str(folder), ""), files))
    assert said[0][0] == 0, said[0][1]
    for other in said[1:]:
        assert other == said[0]
