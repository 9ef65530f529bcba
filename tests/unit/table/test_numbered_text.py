"""A large table whose text is numbers is published as the same table is with its text."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.io import ReadOptions, read_valued
from nymity.publishing.sealing.fingerprint import fingerprint
from nymity.table.encoding import codes_of, distinct_values
from nymity.table.numbered_text import with_numbered_text, with_plain_text

SCHEMA = {
    "name": ny.identifying(),
    "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=3)),
    "zip": ny.quasi(ny.Hierarchy.masking()),
    "town": ny.quasi(),
    "sick": ny.sensitive(),
    "note": ny.insensitive(),
}


def table(seed: int, rows: int = 400) -> pl.DataFrame:
    draw = np.random.default_rng(seed)

    def words(values: list[str | None]) -> pl.Series:
        return pl.Series(values).gather(draw.integers(0, len(values), rows))

    return pl.DataFrame(
        {
            "name": [f"n{i}" for i in range(rows)],
            "age": draw.integers(20, 60, rows),
            "zip": words(["81667", "81675", "89312", "8", "", None]),
            "town": words(["ß", "a", "Z", "*x", " ", None] if seed % 2 else ["only"]),
            "sick": words(["flu", "cold", "Flu", "ü", "", None]),
            "note": words(["b", "", "a", None, "10", "9"]),
        }
    )


@pytest.fixture
def numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.table.numbered_text.MANY_ROWS", 0)


def test_a_column_without_a_name_stays_without_one(numbered: None) -> None:
    found = with_numbered_text(pl.DataFrame({"": ["a", "b"], "q": [1, 2]}))
    assert found.columns == with_plain_text(found).columns == ["", "q"]


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_same_table(numbered: None, seed: int) -> None:
    plain = table(seed)
    found = with_numbered_text(plain)
    assert [isinstance(dtype, pl.Enum) for dtype in found.dtypes] == [True, False, True, True, True, True]
    assert with_plain_text(found).equals(plain)
    for name in ("zip", "town", "sick", "note"):
        texts = sorted({cell or "" for cell in plain[name]})
        index: dict[str | None, int] = {text or None: i for i, text in enumerate(texts) if i != 1}
        expected = [index.get(cell or None, -7) for cell in plain[name]]
        assert codes_of(found[name], None, index, unknown=-7).tolist() == expected
        assert set(distinct_values(found[name]).cast(pl.String)) == set(plain[name])


@pytest.mark.parametrize("method", [ny.OptimalLattice(suppression=0.3), ny.Mondrian(), ny.IterativeRecoding()])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("engine", [None, "memory"])
def test_it_is_published_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Any, seed: int, engine: str | None
) -> None:
    def published(out: str) -> Any:
        return ny.publish(
            table(seed),
            SCHEMA,
            privacy=[ny.KAnonymity(k=3), ny.DistinctLDiversity(l=2, attribute="sick")],
            method=method,
            output=ny.Output(format="parquet", row_order="shuffled"),
            engine=engine,
            seed=1,
            out=tmp_path / out,
        )

    plain = published("plain")
    monkeypatch.setattr("nymity.table.numbered_text.MANY_ROWS", 0)
    found = published("numbered")
    assert found.frame.equals(plain.frame)
    assert found.frame.schema == plain.frame.schema
    # Hashes of what was read are salted anew by each run, and so are those of hierarchies.
    for name in ("promised", "measured", "loss", "suppressed", "output", "not_protected", "files"):
        assert found.certificate[name] == plain.certificate[name], name
    assert (tmp_path / "plain" / "release.parquet").read_bytes() == (
        tmp_path / "numbered" / "release.parquet"
    ).read_bytes()
    assert ny.compare(table(seed), found).to_dict() == ny.compare(table(seed), plain).to_dict()
    assert ny.check(tmp_path / "numbered", original=table(seed)).holds


def test_columns_of_names_stay_text(numbered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.table.numbered_text._MOST_TEXTS", 100)
    found = with_numbered_text(table(0))
    assert found["name"].dtype == pl.String
    assert isinstance(found["zip"].dtype, pl.Enum)
    late = pl.DataFrame({"a": ["x"] * 300 + [f"n{i}" for i in range(101)]})  # more texts come after a look at the first
    assert with_numbered_text(late).equals(late)


WORDS = st.sampled_from(
    [None, "", "1", "1.0", "-0.0", "2.5", "nan", "1e-7", "a", "ä", "a,b", 'a"b', '"', " ", ",0", "x,0"]
)
LINES = st.sampled_from(["a\nb", "\r", "a,0\nb", "\n"])


@given(
    st.lists(st.tuples(WORDS, WORDS, st.integers(-3, 3) | st.none()), max_size=9),
    st.lists(st.one_of(WORDS, WORDS, LINES), min_size=9, max_size=9),
    st.booleans(),
)
def test_its_hash_is_that_of_its_text(rows: list[tuple[Any, ...]], last: list[str | None], has_lines: bool) -> None:
    plain = pl.DataFrame(rows, schema={"a": pl.String, "^b$": pl.String, "n": pl.Int16}, orient="row")
    if has_lines:
        plain = plain.with_columns(pl.Series("last", last[: plain.height], dtype=pl.String))
    for table in (plain, plain.select("a"), plain.select("n", "a")):
        numbered = pl.DataFrame([_numbered(column) for column in table.get_columns()])
        assert fingerprint(numbered, salt="00ff") == fingerprint(table, salt="00ff")


def _numbered(column: pl.Series) -> pl.Series:
    """Return text as numbers, of which some stand for what does not occur."""
    if column.dtype != pl.String:
        return column
    listed = sorted({*filter(None, column.to_list()), "", "0", "zz"})
    return column.alias("c").cast(pl.Enum(listed)).alias(column.name)


def test_a_large_file_is_read_as_numbers_where_these_are_asked_for(tmp_path: Path, numbered: None) -> None:
    plain = table(0)
    plain.write_csv(tmp_path / "table.csv")
    with mock.patch("nymity.io.delimited.LARGE", 0):
        text, found = (
            read_valued(tmp_path / "table.csv", ReadOptions(), text_as_numbers=n).table for n in (False, True)
        )
    assert found.equals(with_numbered_text(text))
    assert found.schema == with_numbered_text(text).schema
    assert isinstance(found["town"].dtype, pl.Enum)
    assert text["town"].dtype == pl.String
