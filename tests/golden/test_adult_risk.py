"""Risk of raw Adult, nine columns, 317,238,626 people.

Provenance: ARX 3.9.2, whose Pitman estimate (12,339,373) takes the limit for large populations, and whose iteration for
the slide negative binomial does not converge. The minimal sample uniques were counted by definition, without the
kernel.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from nymity.risk import drivers, measure_risk
from nymity_lab.datasets import PublicDataset

pytestmark = pytest.mark.data

PEOPLE = 317_238_626


@pytest.fixture(scope="module")
def adult(load_public: Callable[[str], PublicDataset]) -> pl.DataFrame:
    return load_public("adult").table


def test_attackers_and_population(adult: pl.DataFrame) -> None:
    found = measure_risk(adult, adult.columns, population_size=PEOPLE, threshold=0.2)
    assert (found.classes, found.unique_records) == (19_502, 15_512)
    assert float(found.marketer or 0) == pytest.approx(0.6465751608, abs=5e-11)
    assert float(found.prosecutor.share_above or 0) == pytest.approx(0.778, abs=5e-4)
    people = found.population
    assert people is not None
    assert people.chosen == "pitman"
    assert people.estimates["pitman"] == pytest.approx(12_339_373, rel=5e-6)
    assert people.estimates["zayatz"] == pytest.approx(83_930_148, abs=0.5)
    assert people.share == pytest.approx(0.0389, abs=5e-5)


def test_minimal_uniques_of_two_columns_by_plain_group_bys(adult: pl.DataFrame) -> None:
    found = drivers(adult, adult.columns, size=2)
    alone = {name: adult.select(pl.len().over(name) == 1).to_series() for name in adult.columns}
    expected = {1: sum(int(flags.sum()) for flags in alone.values()), 2: 0}
    for i, first in enumerate(adult.columns):
        for second in adult.columns[i + 1 :]:
            both = adult.select(pl.len().over(first, second) == 1).to_series()
            expected[2] += int((both & ~alone[first] & ~alone[second]).sum())
    assert found.minimal_uniques == expected
