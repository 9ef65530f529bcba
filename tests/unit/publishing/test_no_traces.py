"""What is released holds no value that no published row has: neither files nor frames, in no corner of them.

One person is an outlier in every column. Values of hers that no published row shows are looked for in the bytes of all
files, unpacked, and in the memory of the frames that are given back.
"""

from __future__ import annotations

import base64
import getpass
import gzip
import io
import pickle
import platform
import socket
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nymity as ny
from nymity.io.compact import compact
from nymity.publishing.jobs.job import Job, Output, Source
from nymity.publishing.jobs.registry import METHODS
from nymity.publishing.running.run import Run
from nymity.publishing.sealing.signing import new_key
from nymity.report import write_about

WARD, TOWN, ILL, NOTE, NAME = (
    f"trace of the {what} of the one person" for what in ("ward", "town", "ill", "note", "name")
)
TRACES = (WARD, TOWN, ILL, NOTE, NAME)
TOWNS = ny.Hierarchy.from_rows([[t, "*"] for t in ("a town with a long name", "another town with a long name", TOWN)])
WARDS = ny.Hierarchy.from_rows(
    [[w, "*"] for w in ("the first ward of the house", "the second ward of the house", WARD)]
)
FORMATS = ("csv", "csv.gz", "tsv", "parquet", "xlsx")
PRIVATE = ("safepub", "epsilon-safe-lattice")


def people(n: int = 40) -> pl.DataFrame:
    """People of two towns and two wards with several illnesses, and one who is like nobody."""
    rows = {
        "name": [f"n{i}" for i in range(n)],
        "ward": [("the first ward of the house", "the second ward of the house")[i % 2] for i in range(n)],
        "town": [("a town with a long name", "another town with a long name")[i // 2 % 2] for i in range(n)],
        "ill": [f"illness number {i // 4 % 6} of the long list" for i in range(n)],
        "note": [f"note number {i % 7} on a long sheet" for i in range(n)],
    }
    alone = {"name": NAME, "ward": WARD, "town": TOWN, "ill": ILL, "note": NOTE}
    return pl.DataFrame({name: [*values[:9], alone[name], *values[9:]] for name, values in rows.items()})


def job_of(key: str, format: Any = "csv", source: Source | None = None) -> Job:
    quasi = {"ward": ny.quasi(WARDS), "town": ny.quasi(TOWNS)}
    if key in PRIVATE:
        schema = {"name": ny.identifying(), **quasi, "ill": ny.identifying(), "note": ny.identifying()}
        models: list[Any] = [ny.DifferentialPrivacy(epsilon=1, public_records=400, delta=1e-3)]
    else:
        schema = {
            "name": ny.identifying(),
            **quasi,
            "ill": ny.sensitive(),
            "note": ny.insensitive(free_text="published"),
        }
        models = (
            [ny.KAnonymity(k=4)]
            if key not in ("buckets", "anatomy")
            else [ny.FrequencyLDiversity(l=2, attribute="ill")]
        )
        models = [ny.KMatching(k=4)] if key.startswith("freeform") else models
        models = [ny.SubsetKAnonymity(k=4, m=1)] if key == "subset-suppression" else models
        models = [ny.WildcardKAnonymity(k=4)] if key == "wildcard-suppression" else models
    method = METHODS[key]
    fields = getattr(method, "__dataclass_fields__", {})
    settings = {"suppression": 0.05} if "suppression" in fields else {}
    settings |= {"outliers": "remove"} if "outliers" in fields else {}
    return Job(
        schema=ny.Schema(schema),
        privacy=tuple(models),
        method=method(**settings),
        source=source,
        output=Output(format=format),
    )


# -- looking for traces --------------------------------------------------------------------------------------------


def pieces(path: Path) -> Iterator[bytes]:
    """Return all there is in a file."""
    content = path.read_bytes()
    yield content
    if path.suffix == ".gz":
        yield gzip.decompress(content)
    elif path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                yield name.encode() + packed.read(name)
    elif path.suffix == ".parquet":
        for value in (pq.read_metadata(path).metadata or {}).values():
            yield value
            yield base64.b64decode(value)


def memory(frame: Any) -> Iterator[bytes]:
    """Return all there is in a frame: as it is pickled, and every buffer of its Arrow form."""
    if isinstance(frame, dict):
        yield repr(frame).encode()
        return
    yield pickle.dumps(frame)
    if isinstance(frame, pl.DataFrame):
        written = io.BytesIO()
        frame.write_ipc(written)
        yield written.getvalue()
        frame = frame.to_arrow(compat_level=pl.CompatLevel.newest())
    if isinstance(frame, pa.Table):
        yield frame.schema.to_string(show_schema_metadata=True, truncate_metadata=False).encode()
        for column in frame.columns:
            for chunk in column.chunks:
                yield from (buffer.to_pybytes() for buffer in chunk.buffers() if buffer is not None)


def traces(found: Iterator[bytes], shown: str) -> list[str]:
    content = list(found)
    return [t for t in TRACES if t not in shown and any(t.encode() in piece for piece in content)]


def cells(release: ny.Release) -> str:
    """Return all that the published rows show."""
    frames = [release.frame, *([] if release.counts is None else [release.counts])]
    return " ".join(str(cell) for frame in frames for row in frame.iter_rows() for cell in row)


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Parquet pages be written as they are, to be searched."""
    write = pl.DataFrame.write_parquet
    monkeypatch.setattr(
        pl.DataFrame, "write_parquet", lambda frame, file: write(frame, file, compression="uncompressed")
    )


# -- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("unpacked")
@pytest.mark.parametrize("key", METHODS)
def test_no_file_holds_what_no_row_shows(key: str, tmp_path: Path) -> None:
    """The source lists its values: columns of types that name all of them."""
    table = people(240 if key in PRIVATE else 40)
    named = ("ward", "town", "ill", "note")
    listed = table.with_columns(pl.col(name).cast(pl.Enum(table[name].unique().sort())) for name in named)
    listed.write_parquet(tmp_path / "people.parquet")
    release = Run(job_of(key, "parquet", Source(path=str(tmp_path / "people.parquet")))).release()
    assert release.frame.height
    release.save(tmp_path / "out", further_files=write_about)
    for path in (tmp_path / "out").iterdir():
        assert traces(pieces(path), cells(release)) == [], path.name
    assert traces(memory(release.table), cells(release)) == []
    if release.sensitive_table is not None:
        assert traces(memory(release.sensitive_table), cells(release)) == []


@pytest.mark.usefixtures("unpacked")
@pytest.mark.parametrize("format", FORMATS)
def test_in_no_format(format: str, tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "people.parquet")
    for key in ("optimal-lattice", "mondrian", "anatomy", "safepub"):
        release = Run(job_of(key, format), people(240 if key in PRIVATE else 40)).release()
        release.save(tmp_path / key, further_files=write_about)
        for path in (tmp_path / key).iterdir():
            assert traces(pieces(path), cells(release)) == [], (key, path.name)


@pytest.mark.usefixtures("unpacked")
@pytest.mark.parametrize("format", FORMATS)
def test_nothing_tells_where_and_by_whom_it_was_made(format: str, tmp_path: Path) -> None:
    """Neither paths nor the names of user and machine: in tables, certificate, page and signature."""
    place = tmp_path / "folder of the one who publishes"
    place.mkdir()
    people(240).write_parquet(place / "source of it.parquet")
    new_key(place / "key of it")
    names = {getpass.getuser(), platform.node(), socket.gethostname(), Path.home().name} - {"root", "localhost"}
    told = {str(tmp_path), tmp_path.name, place.name, "source of it", "key of it", f"{Path.home()}/", ".nymity-"}
    secrets = [*told, *(name for name in names if len(name) > 3)]
    for key in ("optimal-lattice", "mondrian", "freeform-greedy", "anatomy", "safepub"):
        source = Source(path=str(place / "source of it.parquet"))
        release = Run(job_of(key, format, source)).release()
        release.save(place / key, further_files=write_about, sign=place / "key of it")
        written = sorted((place / key).iterdir())
        assert {"about.html", "certificate.json", "certificate.json.sig"} <= {path.name for path in written}
        for path in written:
            content = b"".join(pieces(path))
            assert [secret for secret in secrets if secret.encode() in content] == [], (key, path.name)


@pytest.mark.usefixtures("unpacked")
def test_nor_inside_of_lists_and_records(tmp_path: Path) -> None:
    inner = pl.Enum(people()["note"].unique().sort())
    nested = people().with_columns(
        pl.concat_list(pl.col("note").cast(inner)).alias("note"),
        pl.struct(pl.col("ill").cast(inner, strict=False)).alias("name"),
    )
    nested.write_parquet(tmp_path / "people.parquet")
    job = job_of("optimal-lattice", "parquet", Source(path=str(tmp_path / "people.parquet")))
    release = Run(job).release()
    release.save(tmp_path / "out")
    assert release.frame["note"].dtype == pl.List(pl.String)
    assert traces(pieces(tmp_path / "out" / "release.parquet"), "") == []


# -- frames --------------------------------------------------------------------------------------------------------


def as_pandas(frame: pl.DataFrame) -> Any:
    return frame.to_pandas().astype(dict.fromkeys(frame.columns, "category"))


def as_arrow(frame: pl.DataFrame) -> Any:
    table = pa.table({name: pa.array(frame[name].to_list()).dictionary_encode() for name in frame.columns})
    return table.replace_schema_metadata({"trace": " ".join(TRACES)})


def as_dict(frame: pl.DataFrame) -> Any:
    return frame.to_dict(as_series=False)


def as_categories(frame: pl.DataFrame) -> Any:
    return frame.with_columns(pl.all().cast(pl.Categorical))


def as_is(frame: pl.DataFrame) -> Any:
    return frame


@pytest.mark.parametrize("make", [as_is, as_categories, as_pandas, as_arrow, as_dict])
@pytest.mark.parametrize("key", ["optimal-lattice", "mondrian", "anatomy", "freeform-greedy", "safepub"])
def test_no_frame_holds_what_no_row_shows(key: str, make: Any) -> None:
    given = make(people(240 if key in PRIVATE else 40))
    release = Run(job_of(key), given).release()
    assert type(release.table) is type(given)
    assert traces(memory(release.table), cells(release)) == []


def test_applying_leaves_no_trace_either() -> None:
    release = Run(job_of("optimal-lattice"), people()).release()
    again = ny.apply(release.recoding, people())
    shown = " ".join(str(cell) for row in again.iter_rows() for cell in row)
    assert traces(memory(again), shown) == []


def test_compact_keeps_every_cell() -> None:
    frame = pl.DataFrame(
        {
            "text": ["a", None, "", "a long text that lies elsewhere"],
            "number": [1, None, 3, 4],
            "float": [0.5, None, float("nan"), -0.0],
            "list": [[1], None, [], [2, None]],
            "record": [{"x": "a"}, None, {"x": None}, {"x": "b"}],
            "^x$": [True, None, False, True],
        }
    )
    for part in (frame, frame.head(0), frame.filter(pl.Series([False, True, True, True])), pl.concat([frame, frame])):
        again = compact(part)
        assert again.equals(part)
        assert again.schema == part.schema
        assert again.n_chunks() <= 1


def test_numbers_below_gaps_are_gone() -> None:
    values = pd.Series(pd.arrays.IntegerArray(np.array([7_777_777, 1]), np.array([True, False])))
    frame = pl.DataFrame({"n": pl.from_pandas(values)})
    secret = (7_777_777).to_bytes(8, "little")
    assert not any(secret in piece for piece in memory(compact(frame)))
