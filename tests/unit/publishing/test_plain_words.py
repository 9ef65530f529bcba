"""The sentences that a comparison begins with: each says what counting by hand gives."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

import nymity as ny
from nymity.publishing.comparing.compare import compare
from nymity.table.builders import Intervals

SCHEMA = ny.Schema(
    {
        "age": ny.quasi(Intervals(width=10, levels=2)),
        "sex": ny.quasi(),
        "town": ny.quasi(),
        "ill": ny.sensitive(),
    }
)


def people(n: int = 120) -> pl.DataFrame:
    """Everybody lives in another town; who is older is ill."""
    rng = np.random.default_rng(3)
    age = 20 + 5 * rng.integers(0, 8, n)
    return pl.DataFrame(
        {
            "age": age,
            "sex": np.array(["f", "m"])[np.arange(n) % 2],
            "town": [f"town {i}" for i in range(n)],
            "ill": np.where(age >= 40, "yes", "no"),
        }
    )


def said(table: pl.DataFrame, schema: ny.Schema = SCHEMA, *, target: str | None = None, **how: object) -> list[str]:
    settings = {"privacy": ny.KAnonymity(k=5), "method": ny.OptimalLattice(suppression=0)} | how
    release = ny.publish(table, schema, **settings)  # type: ignore[arg-type]
    return list(compare(table, release).plainly(table, release, target=target))


def test_what_was_kept_and_what_was_lost() -> None:
    kept, lost, meaning = said(people(), method=ny.FixedLevels(levels={"age": 1, "sex": 0, "town": 1}))
    assert kept == "Kept: 120 of 120 records (100%) have a row that tells about them; sex as it was."
    assert lost.startswith("Lost most: town, of which nothing is left; then age (")
    assert meaning.startswith(
        "For counting: half of 1,000 random count queries over quasi-identifiers and ill are off by"
    )


def test_suppressed_records_are_not_kept() -> None:
    table = pl.concat([people(100).with_columns(town=pl.lit("here")), people(1).with_columns(sex=pl.lit("x"))])
    kept, lost, _ = said(table, method=ny.FixedLevels(levels={"age": 0, "sex": 0, "town": 0}, suppression=1))
    assert re.match(r"Kept: \d+ of 101 records .* have a row that tells about them, with every quasi-identifier", kept)
    assert lost == "Lost most: nothing but the suppressed records."


def test_nothing_was_lost() -> None:
    table = pl.DataFrame({"age": [30] * 6, "sex": ["f"] * 6, "town": ["a"] * 6, "ill": ["yes", "no"] * 3})
    kept, lost, meaning = said(table)
    assert kept.endswith("with every quasi-identifier as it was.")
    assert lost == "Lost most: nothing, every cell says what it said."
    assert "are off by 0% or less, a quarter by 0% or more" in meaning


def test_a_target_is_spoken_of_where_there_is_one() -> None:
    for levels, words in (
        ({"age": 1, "sex": 0, "town": 1}, "no less than|% of what"),
        ({}, ": 0% of what naive Bayes"),
    ):
        _, _, meaning = said(people(400), method=ny.FixedLevels(levels=levels), target="ill")
        assert meaning.startswith("For predicting 'ill'")
        assert re.search(words, meaning)
    noise = people(400).with_columns(ill=pl.Series(np.random.default_rng(1).choice(["yes", "no"], 400)))
    _, _, meaning = said(noise, target="ill")
    assert "hardly anything can be learned from the original either" in meaning


def test_buckets_lose_the_link() -> None:
    schema = ny.Schema({name: SCHEMA[name] for name in ("age", "sex", "ill")})
    buckets = {"privacy": ny.FrequencyLDiversity(l=1.5, attribute="ill"), "method": ny.Buckets()}
    _, lost, meaning = said(people().drop("town"), schema, target="ill", **buckets)
    assert "by bucket" in lost
    assert meaning.startswith("For counting")


def test_what_cannot_be_said_is_said() -> None:
    """A target that is not in the table."""
    _, _, meaning = said(people(), target="weight")
    assert meaning.startswith("What that means for its use cannot be said here: ")
