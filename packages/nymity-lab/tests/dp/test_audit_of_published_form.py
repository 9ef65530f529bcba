"""Audits of SafePub as it was published: both of its faults are caught."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count

import polars as pl

import nymity as ny
from nymity.dp.audit import audit
from nymity_lab.dp.as_published import safepub_as_published, with_suppressed_rows

#: A promise with a small k, so that single records matter.
TINY = ny.DifferentialPrivacy(epsilon=1.0, public_records=4, delta=0.05, epsilon_search=0.5)
#: A chain of three levels: the crowd's value and another one are two of 60 that the first level joins.
CHAIN = ny.Hierarchy.from_rows([[f"{i}", "pair" if i < 2 else f"{i} alone", "*"] for i in range(60)])
WORD = ny.Schema({"word": ny.quasi(CHAIN, missing="error")})
CROWD = pl.DataFrame({"word": ["0"] * 40})
WITH_ONE_MORE = pl.concat([CROWD, pl.DataFrame({"word": ["1"]})])


def test_the_published_selection_is_not_private() -> None:
    """Bild, Kuhn and Prasser (2018), theorem 10 fails: the best of the nodes walked over is what one record decides.

    All nodes of the chain are walked over. Without the other record the lowest is best: 40 records lose 1 / 60 each.
    With it in the sample, the level above is best, where that record need not be suppressed, which costs 1.
    """
    seeds = count()

    def published(rows: pl.DataFrame) -> Hashable:
        return safepub_as_published(rows, WORD, TINY, method=ny.SafePub(steps=10), seed=next(seeds)).levels["word"]

    caught = audit(published, CROWD, WITH_ONE_MORE, runs=320, delta=TINY.delta, error=1e-3)  # type: ignore[arg-type]
    assert caught.refutes(TINY.epsilon)
    assert caught.event == {1}
    assert caught.seldom == 0


def test_rows_of_stars_betray_a_unique_record() -> None:
    """Section 4 shows suppressed records as rows of '*': one unique record is a row with probability beta."""
    seeds = count()

    def starred(rows: pl.DataFrame) -> Hashable:
        schema = ny.Schema({"word": ny.quasi(CHAIN, level=0, missing="error")})
        found = safepub_as_published(rows, schema, TINY, method=ny.SafePub(steps=1), seed=next(seeds))
        return int((with_suppressed_rows(found)["word"] == "*").sum())

    caught = audit(starred, CROWD, WITH_ONE_MORE, runs=320, delta=TINY.delta, error=1e-3)  # type: ignore[arg-type]
    assert caught.refutes(TINY.epsilon)
    assert caught.event == {1}


def test_its_releases_say_that_they_are_not_private() -> None:
    assert not safepub_as_published(CROWD, WORD, TINY, method=ny.SafePub(), seed=0).private
