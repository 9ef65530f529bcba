"""Known items: candidates counted from the definition, and the promise that limits them."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

import nymity as ny
from nymity.risk import KnownItems

ROWS = [["a1", "A", "*"], ["a2", "A", "*"], ["b", "b", "*"], ["c", "c", "*"]]
SETS = ["a1;b", "a2;b", "a1", "a2", "b;c", "b;c", "a1;c", ""] * 4


def release(k: int, m: int) -> tuple[ny.Release, pl.DataFrame]:
    frame = pl.DataFrame({"age": [20 + row % 2 for row in range(len(SETS))], "ills": SETS})
    schema = ny.Schema({"age": ny.quasi(), "ills": ny.items(ny.Hierarchy.from_rows(ROWS))})
    return ny.publish(frame, schema, privacy=ny.KMAnonymity(k=k, m=m)), frame


@pytest.mark.parametrize(("k", "m"), [(2, 1), (4, 2), (6, 2)])
def test_the_promise_limits_who_knows_no_more_than_m_items(k: int, m: int) -> None:
    made, frame = release(k, m)
    found = ny.risk.attack(made, original=frame, attacks=[KnownItems(known=m)])["known-items"]
    assert found.promised == 1 / k
    assert not found.exceeds
    assert found.highest is not None
    assert found.highest <= Fraction(1, k)
    more = ny.risk.attack(made, original=frame, attacks=[KnownItems(known=m + 1)])["known-items"]
    assert more.promised is None
    assert f"up to {m} item" in more.no_promise[0]


def test_a_broken_release_is_told() -> None:
    """Someone is the only one of its class with both items: known, they are found."""
    frame = pl.DataFrame({"age": [20] * 5, "ills": ["a1;c", "a1", "c", "a1", "c"]})
    schema = ny.Schema({"age": ny.quasi(), "ills": ny.items(ny.Hierarchy.from_rows(ROWS))})
    job = ny.Job(schema=schema, privacy=(ny.KMAnonymity(k=2, m=2),))
    raw = ny.open(frame, job=job)
    found = ny.risk.attack(raw, original=frame, attacks=["known-items"])["known-items"]
    assert found.highest == 1
    assert found.exceeds
    one = ny.risk.attack(raw, original=frame, attacks=[KnownItems(known=1)])["known-items"]
    assert one.highest == Fraction(1, 3)


def test_what_it_needs_is_said() -> None:
    made, frame = release(2, 1)
    assert "needs the original" in ny.risk.attack(made, attacks=["known-items"]).not_run[0].reason
    plain = ny.publish(frame, ny.Schema({"age": ny.quasi(), "ills": ny.identifying()}), privacy=ny.KAnonymity(k=2))
    assert "no column of items" in ny.risk.attack(plain, original=frame, attacks=["known-items"]).not_run[0].reason
