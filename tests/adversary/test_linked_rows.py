"""Whoever knows true records of a person looks for the pseudonym in the release: k of them must be left.

The attacker knows the program, the job, every level and hierarchy, and up to so many raw records of the target; the
release is what a publish made of a random table. Rows are compared cell by cell, by what the hierarchies say.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.table.schema import Schema
from nymity.table.text import as_text
from strategies import cases


@st.composite
def releases(draw: st.DrawFn) -> tuple[Any, pl.DataFrame, ny.LinkedKAnonymity] | None:
    case = draw(cases(n_sensitive=1, missing=False, max_records=16))
    n = case.frame.height
    who = draw(st.lists(st.integers(0, draw(st.integers(1, 7))), min_size=n, max_size=n))
    table = case.frame.with_columns(pl.Series("who", [f"p{number}" for number in who]))
    k = draw(st.integers(1, min(3, len(set(who)))))
    promise = ny.LinkedKAnonymity(k=k, knows=draw(st.sampled_from([1, 2, 3, "all"])))
    person = ny.person(pseudonym=draw(st.sampled_from(["random", "keyed"])))
    method = ny.OptimalLattice(suppression=draw(st.sampled_from([0.0, 0.5, 0.9])))
    try:
        release = ny.publish(table, Schema({**case.schema, "who": person}), privacy=[promise], method=method)
    except ny.NoSolutionError:
        return None
    return release, table, promise


@given(releases())
@settings(max_examples=150, deadline=None)
def test_what_is_known_of_anybody_fits_k_pseudonyms(found: Any) -> None:
    if found is None:
        return
    release, table, promise = found
    quasi = release.job.schema.quasi
    shown: dict[str, Counter[Any]] = {}
    for row in release.frame.select("who", *(as_text(release.frame[name]).alias(name) for name in quasi)).iter_rows():
        shown.setdefault(row[0], Counter())[row[1:]] += 1
    published = set(table["who"].gather(release.log.source_rows).to_list())
    for target in sorted(published):
        true = table.filter(pl.col("who") == target)
        columns = [as_text(true[name]).to_list() for name in quasi]
        seen = [
            tuple(
                release.recoding.hierarchies[name].generalize(value, release.levels[name])
                for name, value in zip(quasi, row, strict=True)
            )
            for row in zip(*columns, strict=True)
        ]
        if promise.knows == "all":
            assert sum(rows == Counter(seen) for rows in shown.values()) >= promise.k
            continue
        for size in range(1, min(promise.knows, len(seen)) + 1):
            for known in combinations(seen, size):
                assert sum(Counter(known) <= rows for rows in shown.values()) >= promise.k


def test_masked_rows_would_be_undone() -> None:
    """Why no row is masked: the sex and year in a person's other row fill in the stars of the masked one."""
    people = [(f"p{i}", "f" if i % 2 else "m", ward) for i in range(6) for ward in ("A", "A")]
    table = pl.DataFrame([*people, ("x", "m", "A"), ("x", "m", "B")], schema=["who", "sex", "ward"], orient="row")
    schema = Schema({"who": ny.person(pseudonym="random"), "sex": ny.quasi(level=0), "ward": ny.quasi(level=0)})
    promise, method = ny.LinkedKAnonymity(k=3, knows=1), ny.OptimalLattice(suppression=0.5, outliers="mask")
    release = ny.publish(table, schema, privacy=[promise], method=method)
    assert "*" not in release.frame["sex"].to_list()
    assert release.frame["who"].n_unique() == 6  # all rows of x are gone, not the one on ward B alone
    with pytest.raises(ny.NymityError, match="which rows are of one person"):
        ny.publish(table, schema, privacy=[ny.KAnonymity(k=3)], method=method)
