"""The text of a released file is numbers inside of a run, and text to whoever is given the release."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
import nymity.io.parquet as parquet_module
from nymity.cli.long_cells import values_listed
from nymity.core.row_runs import counted, counted_runs
from nymity.io import ReadOptions, WriteOptions, as_meant, compact, reread_table, write_table
from nymity.io.neutralize import neutralize
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats.of_table import caveats_of_table
from nymity.publishing.certificates.verify import verify
from nymity.publishing.jobs.job import Job, Source
from nymity.publishing.running.run import Run
from nymity.table.numbered_text import with_plain_text
from nymity.table.text import as_floats, as_known, as_text, is_missing

WORDS = st.sampled_from(
    [None, "", "*", "a", "ä", "=1", "'=1", "3", "3.0", "1e3", "{a, b, c}", "a, longer text of one cell"]
)
CELLS = st.lists(WORDS, max_size=12)


def numbers(cells: list[str | None]) -> pl.Series:
    """Text as numbers of those texts that occur, in no order."""
    column = pl.Series("^x$", cells, dtype=pl.String)
    return column.alias("c").cast(pl.Enum(column.alias("c").unique().drop_nulls())).alias("^x$")


@given(CELLS, st.sets(st.sampled_from(["3", "a", "*", "1000"])))
def test_numbers_are_read_as_their_text(cells: list[str | None], known: set[str]) -> None:
    text, found = pl.Series("^x$", cells, dtype=pl.String), numbers(cells)
    assert as_text(found).equals(as_text(text))
    assert is_missing(found).equals(is_missing(text))
    for read in (as_floats, lambda one: as_known(one, known)):
        assert with_plain_text(read(found).to_frame()).equals(read(text).to_frame())
        assert with_plain_text(read(found).to_frame()).schema == read(text).to_frame().schema
    assert values_listed(found) == values_listed(text)
    assert dict(counted(found, as_text).iter_rows()) == dict(counted(as_text(text)).iter_rows())


@given(CELLS)
def test_numbers_are_neutralized_as_their_text(cells: list[str | None]) -> None:
    text = pl.DataFrame([pl.Series("=x", cells, dtype=pl.String)])
    found = pl.DataFrame([numbers(cells).alias("=x")])
    assert with_plain_text(neutralize(found)).equals(neutralize(text))
    for table in (text, neutralize(text)):
        meant, expected = (
            as_meant(pl.DataFrame([numbers(table.to_series().to_list()).alias(table.columns[0])])),
            as_meant(table),
        )
        assert (meant is None) == (expected is None)
        assert meant is None or expected is None or with_plain_text(meant).equals(expected)


@given(st.lists(st.tuples(WORDS, st.none() | st.integers(0, 2)), min_size=1), st.randoms(use_true_random=False))
def test_only_what_rows_have_stays_in_a_frame(cells: list[tuple[Any, ...]], random: Any) -> None:
    table = pl.DataFrame(cells, schema={"a": pl.String, "n": pl.Int64}, orient="row")
    rows = np.array(random.choices(range(len(cells)), k=5), dtype=np.int64)
    wide = pl.Enum(sorted({"secret", *filter(None, table["a"]), ""}))
    found = compact(table.cast({"a": wide}), rows, as_numbers=True)
    assert isinstance(found["a"].dtype, pl.Enum)
    assert set(found["a"].dtype.categories) == set(table["a"].gather(rows).drop_nulls())
    assert with_plain_text(found).equals(table[rows])


@pytest.mark.parametrize("rows", [1, 14, 15, 16, 29, 30, 31, 45, 57, 200])
def test_a_large_file_is_written_in_parts_as_it_is_in_one(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of each part are those that polars puts together itself, which is seen where parts are of its size."""
    draw = np.random.default_rng(rows)
    plain = pl.DataFrame(
        {"a": draw.choice(["x", "y", None, "a longer text of one cell"], rows).tolist(), "n": range(rows)}
    )
    numbered = plain.with_columns(pl.Series("a", numbers(plain["a"].to_list())))
    monkeypatch.setattr(parquet_module, "_GROUP", 10)
    written = {}
    for name, table in {"plain": plain, "numbered": numbered}.items():
        path = tmp_path / f"{name}.parquet"
        write_table(table, path, WriteOptions())
        written[name] = path.read_bytes()
        assert pl.read_parquet(path).equals(plain)
        assert pl.read_parquet_schema(path) == plain.schema
    assert written["plain"] == written["numbered"]
    parts = [part.stop - part.start for part in parquet_module._groups(rows)]
    assert sum(parts) == rows
    assert max(parts) - min(parts) <= 1
    assert len(parts) == 1 or 20 / 3 <= min(parts) <= max(parts) < 15


def test_parts_are_those_of_polars(tmp_path: Path) -> None:
    rows = 3 * 122_880 + 1
    table = pl.DataFrame({"a": pl.Series(["x", "y", "z"]).gather(np.arange(rows) % 3)})
    write_table(table, tmp_path / "parts.parquet", WriteOptions())
    table.write_parquet(tmp_path / "whole.parquet")
    assert (tmp_path / "parts.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_a_large_file_is_read_back_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever differs from what was to be written is read whole, and seen."""
    monkeypatch.setattr(parquet_module, "_GROUP", 10)
    plain = pl.DataFrame({"a": ["x", "y", None, "z"] * 10, "n": range(40)})
    numbered = plain.with_columns(pl.Series("a", numbers(plain["a"].to_list())))
    path = tmp_path / "release.parquet"
    write_table(numbered, path, WriteOptions())
    assert reread_table(path, ReadOptions(), numbered) is numbered
    assert reread_table(path, ReadOptions(), plain) is plain
    with monkeypatch.context() as patched:
        patched.setattr("nymity.io.columnar.MAX_CELL_BYTES", 0)  # nobody could read it
        with pytest.raises(ny.NymityError, match="a longer one"):
            reread_table(path, ReadOptions(), numbered)
    last = pl.int_range(pl.len()) == 39
    for other in (
        plain.with_columns(a=pl.when(last).then(pl.lit("other")).otherwise("a")),
        plain.with_columns(a=pl.when(last).then(None).otherwise("a")),
        plain.with_columns(n=pl.when(last).then(7).otherwise("n")),
        plain.cast({"n": pl.Int32}),
        plain.rename({"n": "m"}),
        plain.select("n", "a"),
        plain.head(39),
        pl.concat([plain, plain.tail(1)]),
    ):
        other.write_parquet(path)
        assert reread_table(path, ReadOptions(), numbered).equals(other)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ny.NymityError, match="expected"):
        reread_table(path, ReadOptions(), numbered)


SCHEMA = {
    "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=3)),
    "town": ny.quasi(),
    "sick": ny.sensitive(),
    "note": ny.insensitive(),
}


def people(rows: int = 300) -> pl.DataFrame:
    draw = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": draw.integers(20, 60, rows),
            "town": draw.choice(["ß", "a", "Z"], rows),
            "sick": draw.choice(["flu", "cold", None], rows).tolist(),
            "note": draw.choice(["", "=1", "9", None], rows).tolist(),
        }
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_who_is_given_a_release_has_text(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"people.{suffix}"
    write_table(people(), path, WriteOptions())
    job = Job(schema=ny.Schema(SCHEMA), privacy=(ny.KAnonymity(k=3),), source=Source(path=str(path)), seed=1)
    inside = Run(job).release()
    assert isinstance(inside.frame["age"].dtype, pl.Enum)
    for release in (ny.publish(job), ny.publish(job, out=tmp_path / "release"), inside.with_text()):
        assert pl.Enum not in [type(dtype) for dtype in release.frame.dtypes]
        assert release.table is release.frame
        assert release.frame.equals(inside.frame)
    assert ny.publish(people(), SCHEMA, k=3, seed=1).frame["age"].dtype == pl.String


MODELS: list[PrivacyModel] = [
    ny.KAnonymity(k=2),
    ny.DistinctLDiversity(l=2, attribute="s"),
    ny.EntropyLDiversity(l=1.5, attribute="s"),
    ny.RecursiveDiversity(c=2.0, l=2, attribute="s"),
    ny.TCloseness(t=0.4, attribute="s"),
    ny.BetaLikeness(beta=0.5, attribute="s"),
    ny.SubsetKAnonymity(k=2, m=1),
    ny.WildcardKAnonymity(k=2),
    ny.LKCPrivacy(l=1, k=2, c=0.8, attribute="s"),
    ny.AverageRisk(limit=0.5),
    ny.SampleUniques(limit=0.05),
]


@given(
    st.lists(
        st.tuples(st.sampled_from(["*", "a", "b", None]), st.sampled_from(["*", "c"]), st.sampled_from("pqr")),
        min_size=2,
        max_size=20,
    ),
    st.randoms(use_true_random=False),
)
def test_equal_rows_are_measured_as_one_wherever_they_stand(rows: list[tuple[Any, ...]], random: Any) -> None:
    """Rows that stand apart are single ones, in sorted rows they are runs with a count: it is the same table."""

    def measured(rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        table = pl.DataFrame(rows, schema={"q": pl.String, "r": pl.String, "s": pl.String}, orient="row")
        beside: dict[str, Any] = {"quasi": ["q", "r"], "sensitive": ["s"], "insensitive": [], "models": MODELS}
        both = [(verify(one, ["q", "r"], MODELS), caveats_of_table(one, **beside)) for one in (table, numbered(table))]
        assert both[0] == both[1]
        return both[0]

    def numbered(table: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame([numbers(column.to_list()).alias(column.name) for column in table])

    expected = measured(rows)
    assert expected[0].records == len(rows)
    ordered = sorted(rows, key=repr)
    shuffled = random.sample(rows, len(rows))
    assert measured(ordered) == measured(shuffled) == expected


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2])), min_size=1))
def test_rows_that_follow_each_other_are_counted(rows: list[tuple[str, int]]) -> None:
    table = pl.DataFrame(rows, schema={"^a$": pl.String, "b": pl.Int64}, orient="row")
    found, often = counted_runs(table, ["b", "^a$", "absent"])
    assert often is not None
    runs = [(key, len(list(same))) for key, same in itertools.groupby(rows)]
    assert found.rows() == [(b, a) for (a, b), _ in runs]
    assert often.to_list() == [times for _, times in runs]
    with_floats = table.with_columns(pl.col("b").cast(pl.Float64))
    assert counted_runs(with_floats, ["b"]) == (with_floats, None)
