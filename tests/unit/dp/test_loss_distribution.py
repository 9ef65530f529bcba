"""Composition of private releases: upper bounds that brute force never exceeds, and that are sharp."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb, exp, log
from pathlib import Path

import numpy as np
import pytest

import nymity as ny
from nymity.core.errors import FileError, ParameterError
from nymity.dp.binomial import ball, precision
from nymity.dp.loss_distribution import Cost, LossDistribution, composed_delta, composed_epsilon, curve

Outcomes = dict[object, float]


def shown(n: int, k: int, beta: float) -> Outcomes:
    """What a class of n records shows: a count from k on, or nothing."""
    counts = [comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(n + 1)]
    return {"nothing": sum(counts[:k]), **{j: counts[j] for j in range(k, n + 1)}}


def response(epsilon: float) -> tuple[Outcomes, Outcomes]:
    likely = exp(epsilon) / (1 + exp(epsilon))
    return {1: likely, 0: 1 - likely}, {1: 1 - likely, 0: likely}


def product(one: Outcomes, other: Outcomes) -> Outcomes:
    return {(a, b): p * q for a, p in one.items() for b, q in other.items()}


def divergence(one: Outcomes, other: Outcomes, epsilon: float) -> float:
    return sum(max(0.0, p - exp(epsilon) * other.get(o, 0.0)) for o, p in one.items())


@pytest.mark.parametrize(("k", "beta"), [(1, 0.3), (2, 0.5), (5, 0.25), (9, 0.6), (12, 0.1)])
def test_the_curves_are_those_of_the_worst_class(k: int, beta: float) -> None:
    """All n are looked at, in both directions, by the definition."""
    cost = Cost(k=k, beta=Fraction(str(beta)))
    pairs = [(shown(n, k, beta), shown(n - 1, k, beta)) for n in range(1, 20 * k + 40)]
    for step in (0, 1, 5, 10, 30, 35, 50, 90, 150, 300):
        epsilon = step / 100
        with precision(320):
            alpha = ball(Fraction(step, 100)).exp()
            present, missing = (float(curve(cost, missing=m)(alpha).mid()) for m in (False, True))
        assert present == pytest.approx(max(divergence(p, q, epsilon) for p, q in pairs), rel=1e-6, abs=1e-13)
        brute = max(divergence(q, p, epsilon) for p, q in pairs)
        assert missing >= brute - 1e-13
        if missing > 1e-3:  # else the worst class has more records than were tried
            assert missing == pytest.approx(brute, rel=1e-6)


@pytest.mark.parametrize(("k", "beta", "search"), [(2, 0.4, 0.2), (4, 0.6, 0.1), (3, 0.25, 0.5)])
@pytest.mark.parametrize("epsilon", [0.1, 0.7, 1.5])
def test_no_table_exceeds_the_composed_delta(k: int, beta: float, search: float, epsilon: float) -> None:
    """Two and three releases of every class, multiplied out."""
    cost = Cost(k=k, beta=Fraction(str(beta)), search=Fraction(str(search)))
    first, second = response(search)
    for times in (1, 2, 3):
        bound = composed_delta([cost] * times, Fraction(str(epsilon)))
        worst = 0.0
        for n in range(max(1, k - 1), 4 * k):
            one, other = product(first, shown(n, k, beta)), product(second, shown(n - 1, k, beta))
            p, q = one, other
            for _ in range(times - 1):
                p, q = product(p, one), product(q, other)
            worst = max(worst, divergence(p, q, epsilon), divergence(q, p, epsilon))
        assert bound >= worst * (1 - 1e-9)
        if times == 1:
            assert bound <= 1.3 * worst + 1e-3  # sharp, but that no one class is the worst at every epsilon


def test_releases_together_cost_less_than_their_sum() -> None:
    promise = ny.DifferentialPrivacy(epsilon=1.0, public_records=6000)
    cost = Cost(k=promise.k, beta=promise.beta, search=Fraction(1, 10))
    found = [composed_epsilon([cost] * times, times * Fraction(1, 10**6)) for times in (1, 2, 4, 8)]
    assert all(epsilon is not None for epsilon in found)
    assert found == sorted(found)  # type: ignore[type-var]
    assert found[0] <= 1  # type: ignore[operator]
    assert found[3] < Fraction(5, 2)  # type: ignore[operator]
    assert composed_delta([], Fraction(0)) == 0
    assert composed_epsilon([], Fraction(1, 10**9)) == 0
    assert composed_epsilon([cost] * 8, Fraction(1, 10**30)) is None  # below what losses without end come to


def test_another_accountant_agrees() -> None:
    pld = pytest.importorskip(
        "dp_accounting.pld.privacy_loss_distribution", reason="dp-accounting is not installed: a cross-check only"
    )
    common = pytest.importorskip("dp_accounting.pld.common")
    k, beta, times = 56, 0.59343, 4
    bound = composed_epsilon([Cost(k=k, beta=Fraction("0.59343"), search=Fraction(1, 10))] * times, Fraction(4, 10**6))
    assert bound is not None
    search = pld.from_privacy_parameters(common.DifferentialPrivacyParameters(0.1, 0))
    theirs = []
    for n in range(68, 110, 6):
        upper, lower = ({o: log(p) for o, p in shown(m, k, beta).items() if p} for m in (n, n - 1))
        pair = pld.from_two_probability_mass_functions(lower, upper, symmetric=False)
        theirs.append(pair.compose(search).self_compose(times).get_epsilon_for_delta(4e-6))
    assert max(theirs) <= float(bound) + 1e-3
    assert float(bound) <= 1.2 * max(theirs)


@pytest.mark.parametrize("cut", [False, True], ids=["near", "far"])
def test_no_mass_is_lost_when_losses_are_joined(cut: bool) -> None:
    """Each joint mass is at least the exact sum of products, also where small ones are put together or cut off."""
    masses = [np.array([1 / 3, 0.1, 1e-9, *[(i + 1) ** -2.0 for i in range(40)]]), np.array([0.7, 0.2, *[0.001] * 30])]
    lowest = -2030 if cut else 5
    one, other = (LossDistribution(lowest, mass, 1e-7) for mass in masses)
    found = one.then(other)
    exact: dict[int, Fraction] = {}
    for i, a in enumerate(masses[0].tolist()):
        for j, b in enumerate(masses[1].tolist()):
            place = max(2 * lowest + i + j, found.lowest)
            exact[place] = exact.get(place, Fraction(0)) + Fraction(a) * Fraction(b)
    assert len(found.masses) == len(exact) == (14 if cut else 74)
    for place, mass in exact.items():
        assert mass <= Fraction(found.masses[place - found.lowest]) <= mass * (1 + Fraction(1, 10**9))
    assert Fraction(found.endless) >= 2 * Fraction(1e-7)


# -- the plan of a ledger ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", None, 3, "a\0b", "lone \ud800"])
def test_a_ledger_needs_a_path_that_a_file_can_have(path: object) -> None:
    """Before a budget is spent on a release that could not be entered."""
    with pytest.raises(ParameterError, match=r"ledger\.path"):
        ny.dp.Ledger(path=path, source="people")  # type: ignore[arg-type]


YEARLY = ny.DifferentialPrivacy(epsilon=1.0, public_records=6000)


def test_a_plan_is_covered_by_a_smaller_budget(tmp_path: Path) -> None:
    kept = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    with pytest.raises(ParameterError, match=r"ledger\.plan: expected releases that cost at most epsilon = 1 "):
        kept.open(epsilon=1, delta=4e-6, plan=[YEARLY] * 4)
    kept.open(epsilon=1.5, delta=4e-6, plan=[YEARLY] * 4)
    spent = [float(kept.enter(YEARLY, "safepub").epsilon) for _ in range(4)]
    assert spent == sorted(spent)
    assert spent[0] < 1
    assert spent[-1] <= 1.5
    assert kept.spent()[1] == Fraction("0.000004")
    with pytest.raises(ParameterError, match="one of the 0 releases"):
        kept.enter(YEARLY, "safepub")


def test_a_plan_may_cost_all_of_the_budget(tmp_path: Path) -> None:
    """At the very delta that releases cost together they are covered, at any less they are not."""
    cost = Cost(k=YEARLY.k, beta=YEARLY.beta, search=Fraction(1, 10))
    needed = Fraction(composed_delta([cost] * 2, Fraction(1)))
    kept = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    with pytest.raises(ParameterError, match=r"ledger\.plan"):
        kept.open(epsilon=1, delta=needed * (1 - Fraction(1, 10**12)), plan=[YEARLY] * 2)
    kept.open(epsilon=1, delta=needed, plan=[YEARLY] * 2)


def test_what_a_plan_does_not_name_is_refused(tmp_path: Path) -> None:
    other = ny.DifferentialPrivacy(epsilon=0.5, public_records=6000)
    kept = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    kept.open(epsilon=2, delta=1e-5, plan=[YEARLY, other, YEARLY])
    with pytest.raises(ParameterError, match="one of the 3 releases"):
        kept.check(ny.DifferentialPrivacy(epsilon=0.6, public_records=6000))
    with pytest.raises(ParameterError, match="one of the 3 releases"):
        kept.spend(epsilon=0.01, delta=1e-9, method="mine")
    kept.enter(other, "safepub")  # the first one is given up
    with pytest.raises(ParameterError, match="one of the 1 releases"):
        kept.enter(other, "safepub")
    kept.spend(epsilon=0.9, delta=1e-6, method="apply", k=YEARLY.k, beta=YEARLY.beta)
    places = [entry["planned"] for entry in json.loads((tmp_path / "ledger.json").read_text())["releases"]]
    assert places == [1, 2]


def test_ledgers_of_before_plans_are_read_and_stay_as_they_are(tmp_path: Path) -> None:
    old = {
        "format": "nymity-ledger-1",
        "source": "people",
        "budget": {"epsilon": "2", "delta": "1/1000"},
        "releases": [{"entered": "2024-05-31", "method": "safepub", "epsilon": "1/2", "delta": "1/10000"}],
    }
    (tmp_path / "ledger.json").write_text(json.dumps(old))
    kept = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    assert kept.spent() == (Fraction(1, 2), Fraction(1, 10_000))
    assert kept.enter(YEARLY, "safepub").epsilon == Fraction(3, 2)
    assert json.loads((tmp_path / "ledger.json").read_text())["format"] == "nymity-ledger-1"
    for broken in (
        {"plan": []},
        {"format": "nymity-ledger-2", "plan": [{}]},
        {"format": "nymity-ledger-2", "plan": []},
    ):
        (tmp_path / "ledger.json").write_text(json.dumps(old | broken))
        with pytest.raises(FileError):
            kept.spent()
