"""Individual and household risk: known answers, the definition summed exactly, and balls around 2F1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import SchemaError, TableError
from nymity.risk.household_risk import household_risk
from nymity.risk.individual_risk import approximated_inverse, expected_inverse

FIFTH = Fraction(1, 5)
#: f, F^, r: worked out beforehand; the first three are one household.
KNOWN = [
    (1, 17, 0.17707583),
    (1, 541, 0.01165448),
    (1, 8, 0.29706308),
    (2, 110, 0.01714426),
    (2, 84.5, 0.02204233),
    (3, 108, 0.01355297),
]


def risk(f: float, people: float) -> float:
    return float(expected_inverse(np.array([f]), np.array([people]))[0])


def in_balls(f: int, people: float) -> Any:
    """p^f / f 2F1(f, f; f + 1; 1 - p), enclosed by python-flint."""
    ctx.prec = 400
    p = arb(f) / arb(people)
    return p**f / f * (1 - p).hypgeom_2f1(f, f, f + 1)


@pytest.mark.parametrize(("f", "people", "answer"), KNOWN)
def test_known_answers(f: int, people: float, answer: float) -> None:
    assert risk(f, people) == pytest.approx(answer, abs=5e-9)


def test_sdcmicros_approximation_is_beside_it() -> None:
    assert approximated_inverse(np.array([3]), np.array([108]))[0] == pytest.approx(0.01369863, abs=5e-9)
    for f, people, answer in KNOWN[:5]:  # f = 1 and 2 it has exactly
        assert approximated_inverse(np.array([f]), np.array([people]))[0] == pytest.approx(answer, abs=5e-9)
    assert approximated_inverse(np.array([1, 2, 4]), np.array([1, 0.5, 3])).tolist() == [1, 0.5, 0.25]


@pytest.mark.parametrize("f", [1, 2, 3, 5, 12, 29, 30, 31, 100, 10_000])
@pytest.mark.parametrize("times", [1 + 1e-9, 1.01, 1.5, 1.999, 2.0, 2.001, 3, 50, 1e4, 1e8, 1e12])
def test_ten_digits_and_more_everywhere(f: int, times: float) -> None:
    truth = in_balls(f, f * times)
    assert truth.rel_accuracy_bits() > 60
    assert abs(float(((arb(risk(f, f * times)) - truth) / truth).mid())) < 1e-14


@given(st.integers(1, 12), st.fractions(Fraction(21, 20), 6, max_denominator=40))
def test_it_is_the_expected_inverse_of_a_negative_binomial_number(f: int, times: Fraction) -> None:
    """Sum of C(F - 1, f - 1) p^f q^(F - f) / F over F from f on, exactly, until the rest is below 1e-13."""
    p = 1 / times
    total, chance = Fraction(0), p**f
    mass, people = Fraction(0), f
    while 1 - mass > Fraction(1, 10**13):
        total += chance / people
        mass += chance
        chance = chance * people / (people - f + 1) * (1 - p)
        people += 1
        if people % 50 == 0:
            chance, total, mass = (x.limit_denominator(10**40) for x in (chance, total, mass))
    assert risk(f, float(f * times)) == pytest.approx(float(total), rel=1e-10)


@given(st.integers(1, 50), st.floats(0.01, 1))
def test_weights_that_sum_to_no_more_than_the_records_are_a_population(f: int, share: float) -> None:
    assert risk(f, f * share) == 1 / f


@given(st.integers(1, 200), st.floats(1, 1e6))
def test_it_is_a_risk_and_falls_with_the_population(f: int, times: float) -> None:
    here, more = risk(f, f * times), risk(f, f * times * 1.1)
    assert 1 / (f * times) * (1 - 1e-12) <= here <= 1 / f  # Jensen: E[1/F] >= 1/E[F]
    assert more <= here * (1 + 1e-12)


def test_a_household_is_found_by_one_member() -> None:
    risks = expected_inverse(np.array([1, 1, 1]), np.array([17, 541, 8]))
    found = household_risk(risks, np.array([7, 7, 7]), FIFTH)
    assert found.highest == pytest.approx(0.42827791, abs=5e-9)
    assert (found.households, found.members, found.largest, found.above) == (1, 3, 3, 3)
    assert household_risk(np.array([1.0, 0.1, 0.2]), np.array([1, 1, 2]), FIFTH).of_households.tolist() == [
        1,
        pytest.approx(0.2),
    ]


ROLES = {"age": ny.quasi(), "w": ny.weight(), "home": ny.household()}


def survey() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [30, 30, 41, 52, 63],
            "w": [10.0, 100.0, 17.0, 541.0, 8.0],
            "home": ["a", "b", "c", "c", "c"],
            "who": ["p", "q", "r", "s", "t"],
        }
    )


def test_a_profile_has_both_risks() -> None:
    found = ny.measure_risk(survey().drop("who"), ny.Schema(ROLES), threshold=0.2)
    assert found.individual is not None
    assert found.households is not None
    each = [0.01714426, 0.01714426, 0.17707583, 0.01165448, 0.29706308]
    assert found.individual.of_rows == pytest.approx(each, abs=5e-9)
    assert found.individual.expected == pytest.approx(sum(each), abs=1e-7)
    assert (found.individual.unit, found.individual.units, found.individual.above) == ("records", 5, 1)
    assert found.individual.population == 676
    assert found.households.of_households == pytest.approx([0.01714426, 0.01714426, 0.42827791], abs=5e-9)
    assert found.households.mean == pytest.approx((2 * 0.01714426 + 3 * 0.42827791) / 5, abs=1e-8)
    told = found.to_dict()
    assert told["individual"]["average"] == found.individual.mean
    assert told["households"]["members_above_threshold"] == 3


def test_a_person_with_two_records_counts_once_and_at_most_risk() -> None:
    visits = pl.concat([survey(), survey().head(1), survey().tail(1).with_columns(age=pl.lit(30, pl.Int64))])
    found = ny.measure_risk(visits, ny.Schema({**ROLES, "who": ny.person()})).individual
    assert found is not None
    assert (found.unit, found.units) == ("persons", 5)
    three = risk(3, 10 + 100 + 8)  # p twice at 30 counts once; t is there, too
    assert found.of_rows == pytest.approx([three, three, 0.17707583, 0.01165448, 0.29706308, three, three], abs=5e-9)
    assert found.expected == pytest.approx(2 * three + 0.17707583 + 0.01165448 + 0.29706308, abs=1e-7)


def test_without_weights_there_is_no_individual_risk() -> None:
    found = ny.measure_risk(survey().drop("w", "who"), ny.Schema({k: v for k, v in ROLES.items() if k != "w"}))
    assert (found.individual, found.households) == (None, None)
    assert ny.measure_risk(survey(), ["age"]).individual is None


def test_released_rows_have_the_same_sums_and_so_the_same_risk() -> None:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"age": rng.integers(0, 30, 400), "w": rng.lognormal(4, 1, 400)})
    schema = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=2)), "w": ny.weight()})
    release = ny.publish(table, schema, privacy=[ny.KAnonymity(k=20)], method=ny.OptimalLattice())
    found = ny.measure_risk(release.frame, schema).individual
    rows = release.frame.with_columns(own=table["w"].gather(release.log.source_rows))
    again = rows.group_by("age").agg(f=pl.len(), own=pl.col("own").sum())
    truth = expected_inverse(again["f"].to_numpy(), again["own"].to_numpy())
    assert found is not None
    assert found.highest == pytest.approx(truth.max())
    assert found.expected == pytest.approx(float((truth * again["f"].to_numpy()).sum()))


def test_bad_weights_and_households_are_refused_with_their_number_and_place() -> None:
    schema = ny.Schema({**ROLES, "who": ny.person()})
    with pytest.raises(TableError, match=r"column 'w'.*1 not above 0 \(record 2\)"):
        ny.measure_risk(survey().with_columns(w=pl.Series([1.0, 0.0, 1, 1, 1])), schema)
    twice = pl.concat([survey(), survey().with_columns(home=pl.lit("z"))])
    with pytest.raises(TableError, match="several for 5 people: 'p', 'q', 'r', 's', 't'"):
        ny.measure_risk(twice, schema)
    with pytest.raises(TableError, match=r"column 'home'.*1 of them"):
        ny.measure_risk(survey().with_columns(home=pl.Series(["a", None, "c", "c", "c"])), schema)
    with pytest.raises(SchemaError, match="at most one household column"):
        ny.Schema({"a": ny.household(), "b": ny.household()})


def test_records_dropped_for_a_gap_are_counted_and_carry_no_risk() -> None:
    dropping = ny.Schema({"age": ny.quasi(), "w": ny.weight(missing="drop"), "home": ny.household(missing="drop")})
    gaps = (
        survey()
        .drop("who")
        .with_columns(w=pl.Series([10.0, 100, None, 541, 8]), home=pl.Series(["a", "b", "c", None, "c"]))
    )
    found = ny.measure_risk(gaps, dropping)
    assert (found.records, found.dropped, found.counted) == (5, 2, 3)
    assert found.individual is not None
    assert found.individual.units == 3
