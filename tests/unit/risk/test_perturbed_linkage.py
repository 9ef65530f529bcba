"""Whoever knows perturbed columns finds people among rows that look alike, whatever else the columns hold."""

from __future__ import annotations

from itertools import permutations
from operator import ne

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.risk.perturbed_linkage import KnownColumn, linked_by_perturbed

ROLES = {"age": "perturbed", "sex": "quasi", "postcode": "quasi", "diagnosis": "sensitive"}
FRAME = ny.datasets.hospital(rows=600).select(list(ROLES))


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_one_gap_hides_nobody_from_who_knows_the_numbers(gap: float | None) -> None:
    """A gap in one record of 600 once made all others look as safe as among equal texts."""
    ages = FRAME["age"].cast(pl.Float64).to_list()
    ages[7] = gap
    transforms = [ny.AdditiveNoise(columns=["age"], share=0.05)]
    whole = ny.risk.changed_columns(FRAME, ny.publish(FRAME, ROLES, k=5, transforms=transforms))
    frame = FRAME.with_columns(age=pl.Series(ages))
    found = ny.risk.changed_columns(frame, ny.publish(frame, ROLES, k=5, transforms=transforms))
    assert whole.linked_alike is not None
    assert found.linked_alike is not None
    assert found.linked_alike > 0.8 * whole.linked_alike
    assert found.linked is not None
    assert whole.linked is not None
    assert found.linked > 0.5 * whole.linked


def test_codings_are_no_secret() -> None:
    """Whoever knows that somebody is 95 looks for 90+: the record of 95 is not as far from it as from 20."""
    frame = pl.DataFrame({"age": [20, 21, 22, 23, 24, 25, 95, 96] * 5, "sex": ["f"] * 40})
    transforms = [ny.TopCoding(columns=["age"], limit=90), ny.PostRandomization(columns=["age"], share=0.2)]
    release = ny.publish(frame, {"age": "perturbed", "sex": "quasi"}, k=2, transforms=transforms)
    shown = release.frame["age"].cast(pl.String).to_list()
    coded = ["90+" if age >= 90 else str(age) for age in frame["age"].gather(release.log.source_rows)]
    assert 0 < sum(map(ne, coded, shown)) < 20
    # A record is one of those that show its value, where its own row does.
    found = sum(1 / shown.count(cell) for cell, true in zip(shown, coded, strict=True) if cell == true)
    assert ny.risk.changed_columns(frame, release).linked_alike == pytest.approx(found / 40)


def test_rows_of_all_are_given_by_the_likeliest_assignment() -> None:
    """By trying every assignment of rows to records."""
    numbers = np.random.default_rng(5)
    for _ in range(30):
        n = 6
        before = numbers.choice(1000, n, replace=False).astype(float)
        after = before + np.round(numbers.normal(0, 150, n), 6)
        other = numbers.choice(1000, n, replace=False).astype(float)
        shown = other + np.round(numbers.normal(0, 20, n), 6)
        columns = [KnownColumn(before, after, is_number=True), KnownColumn(other, shown, is_number=True)]
        spreads = [np.mean((a - b) ** 2) for a, b in ((before, after), (other, shown))]

        def lost(rows: tuple[int, ...], data=(before, after, other, shown), by=spreads) -> float:  # type: ignore[no-untyped-def]
            rows_of = list(rows)
            return float(sum(((data[0] - data[1][rows_of]) ** 2) / by[0] + ((data[2] - data[3][rows_of]) ** 2) / by[1]))

        best = min(permutations(range(n)), key=lost)
        found = linked_by_perturbed(columns, np.zeros(n, dtype=np.int64), n)
        assert found.linked_together == pytest.approx(sum(i == row for i, row in enumerate(best)) / n)


def test_records_alike_do_not_find_their_own_rows_by_their_order() -> None:
    same = np.zeros(400)
    found = linked_by_perturbed([KnownColumn(same, same, is_number=True)], np.arange(400) // 4, 400)
    assert found.by_chance == 0.25
    assert found.linked == 0.25
    assert 0.15 < found.linked_together < 0.35


def test_who_knows_everybody_finds_more() -> None:
    transforms = [ny.AdditiveNoise(columns=["age"], share=0.05)]
    found = ny.risk.changed_columns(FRAME, ny.publish(FRAME, ROLES, k=5, transforms=transforms))
    assert found.linked_together is not None
    assert found.linked_alike is not None
    assert found.linked_together > found.linked_alike
