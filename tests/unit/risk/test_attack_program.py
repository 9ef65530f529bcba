"""The attack that knows the program: known answers, tables too large to weigh, and what cannot be weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import factorial, inf
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import nymity as ny
from adversary.oracle import outcomes
from nymity.core.draws import Draws, KeyedDraws
from nymity.core.errors import ParameterError
from nymity.risk import AttackResult, Minimality
from nymity.risk.attacks.enumerated import Orders, TooManyWaysError, all_alike, every_way
from nymity.risk.attacks.exchange import Compared, Exchange
from nymity.risk.attacks.scene_opening import open_scene
from nymity.risk.attacks.worlds import Worlds

SCHEMA = ny.Schema({"q": ny.quasi(), "s": ny.sensitive()})


def attacked(release: Any, frame: pl.DataFrame, attack: Minimality | None = None) -> tuple[AttackResult, ...]:
    found = ny.risk.attack(release, original=frame, attacks=[attack or Minimality()])
    assert not found.not_run, found.not_run
    return found.results


# -- who goes into which class ---------------------------------------------------------------------------------


def six() -> pl.DataFrame:
    """Six people of whom all but one are 30; a program that is run backwards used to tell the last one's value."""
    return pl.DataFrame({"q": [30] * 5 + [31], "s": list("abdefc")})


THREE: list[Any] = [ny.KAnonymity(k=3), ny.FrequencyLDiversity(l=3, attribute="s")]


@dataclass(frozen=True, kw_only=True)
class KnownOrder(ny.SortedGroups):
    """Sorted groups of records whose order anybody can repeat, as it was before the order was drawn."""

    key: ClassVar[str] = "known-order"

    def run(self, table: Any, models: Sequence[Any], *, draws: Draws | None = None, **settings: Any) -> Any:
        return super().run(table, models, draws=KeyedDraws.seeded(1), **settings)


def test_a_known_order_gives_the_last_one_away() -> None:
    values, rows = attacked(ny.publish(six(), SCHEMA, privacy=THREE, method=KnownOrder()), six())
    assert (values.highest, values.promised, values.exceeds) == (1, pytest.approx(1 / 3), True)
    assert values.figures["tables"]["left"] < values.figures["tables"]["before"]
    assert (rows.highest, rows.exceeds, rows.attribute) == (1, True, None)


@pytest.mark.parametrize("method", [ny.SortedGroups(), ny.GreedySearch(), ny.KMember(), ny.Mondrian(cuts="relaxed")])
def test_a_drawn_order_keeps_everybody_within_the_promise(method: Any) -> None:
    values, rows = attacked(ny.publish(six(), SCHEMA, privacy=THREE, method=method), six())
    assert values.exact
    assert values.highest is not None
    assert values.highest <= Fraction(1, 3)
    assert rows.highest is not None
    assert rows.highest <= Fraction(1, 3)
    assert not values.exceeds
    assert not rows.exceeds


# -- suppressed for lack of diversity ---------------------------------------------------------------------------


def wards() -> pl.DataFrame:
    """Both of ward a have x; b and c have one person each; the two of d differ."""
    return pl.DataFrame({"q": list("aabcdd"), "s": list("xxyzxy")})


@pytest.mark.parametrize(("outliers", "highest"), [("mask", Fraction(1)), ("remove", Fraction(1, 2))])
def test_masked_rows_of_a_class_without_diversity_give_its_value_away(outliers: Any, highest: Fraction) -> None:
    two: list[Any] = [ny.KAnonymity(k=2), ny.FrequencyLDiversity(l=2, attribute="s")]
    release = ny.publish(wards(), SCHEMA, privacy=two, method=ny.OptimalLattice(suppression=0.7, outliers=outliers))
    assert release.frame["q"].to_list().count("d") == 2
    values = attacked(release, wards())[0]
    # ward a has two people and could be published, had they different values; of all that is masked only x comes twice
    assert values.highest == highest
    assert values.exceeds == (highest > Fraction(1, 2))
    suppressed = values.figures["suppressed_people"]
    assert suppressed == {"people": 4, "highest": 1.0 if outliers == "mask" else pytest.approx(1 / 3)}
    assert values.figures.get("removed", 0) == (4 if outliers == "remove" else 0)


def test_fewer_values_than_promised_exceed_the_promise() -> None:
    frame = pl.DataFrame({"q": list("aabbbb"), "s": list("xxyyyy")})
    release = ny.publish(frame, SCHEMA, privacy=[ny.DistinctLDiversity(l=2, attribute="s")], method=ny.OptimalLattice())
    assert release.levels == {"q": 1}
    values = attacked(release, frame)[0]
    # a class of one value forced it: both of a have x, or both have y and two of b x
    assert values.figures["fewest_values"] == 2
    assert not values.exceeds
    certain = pl.DataFrame({"q": list("aabcdd"), "s": list("xxyzxy")})
    two: list[Any] = [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="s")]
    masked = ny.publish(certain, SCHEMA, privacy=two, method=ny.OptimalLattice(suppression=0.7))
    values = attacked(masked, certain)[0]
    assert (values.highest, values.exceeds, values.figures["fewest_values"]) == (1, True, 1)
    assert "1 possible values left, and 2 were promised" in values.sentence


# -- too many tables --------------------------------------------------------------------------------------------


def wong() -> pl.DataFrame:
    return pl.DataFrame({"q": ["q1"] * 2 + ["q2"] * 4, "s": ["cancer"] * 2 + ["none"] * 4})


def test_exchanges_that_the_method_rules_out() -> None:
    cap = ny.FPrivacy(thresholds={"cancer": 0.5}, attribute="s")
    for models, rate, ratio in (
        ([cap], 1.0, {"infinite": 20, "one": 0}),
        ([ny.KAnonymity(k=3)], 0.0, {"infinite": 0, "one": 20}),
    ):
        release = ny.publish(wong(), SCHEMA, privacy=models, method=ny.OptimalLattice())
        (found,) = attacked(release, wong(), Minimality(tables=1))
        assert (found.exact, found.rate, found.n) == (False, rate, 20)
        assert found.figures["ratio"] == ratio
        assert (found.low, found.high) == (pytest.approx(0.8316 if rate else 0, abs=1e-3), 1 if rate else found.high)


def test_the_ratio_of_an_exchange_covers_the_exact_one() -> None:
    frame = pl.DataFrame({"q": [30, 30, 30, 31], "s": list("xxyy")}, schema={"q": pl.Int64, "s": pl.String})
    models: list[Any] = [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="s")]
    release = None
    while release is None or release.frame["q"].n_unique() != 2:  # two classes, which some draws allow
        release = ny.publish(frame, SCHEMA, privacy=models, method=ny.SortedGroups())
    scene = open_scene(release, original=frame)
    exchange, runs = Exchange(Worlds.of(scene), pairs=5, draws=400), 400
    exact = [_two_classes(frame, models), _two_classes(frame.with_columns(s=pl.Series(list("yxyx"))), models)]
    assert exact[0] == Fraction(2, 3)  # y beside the 31-year-old's y is merged
    found = exchange.compared(0, 3, runs)
    low, high = found.interval(error=0.001)
    assert low <= exact[0] / exact[1] <= high
    assert abs(found.ratio() - float(exact[0] / exact[1])) < 0.2
    assert 0.5 < low < high < 2.5


def _two_classes(frame: pl.DataFrame, models: Sequence[Any]) -> Fraction:
    chances = ((r.table["q"].n_unique(), c) for r, c in outcomes(frame, SCHEMA, ny.SortedGroups(), models))
    return sum((chance for classes, chance in chances if classes == 2), Fraction(0))


def test_ratios_and_their_intervals() -> None:
    assert Compared(both=10, before=0, after=0).ratio() == 1
    assert Compared(both=0, before=3, after=0).ratio() == inf
    assert Compared(both=6, before=2, after=1).ratio() == pytest.approx(8 / 7)
    assert Compared(both=0, before=0, after=0).interval(error=0.05) == (0, inf)
    low, high = Compared(both=1000, before=0, after=0).interval(error=0.05)
    assert 0.99 < low < 1 < high < 1.01
    low, high = Compared(both=0, before=30, after=0).interval(error=0.05)
    assert low > 5
    assert high == inf


def test_drawn_buckets_hide_exchanges() -> None:
    frame = ny.datasets.hospital(60, seed=3)
    models = [ny.FrequencyLDiversity(l=2, attribute="diagnosis")]
    release = ny.publish(frame, ny.datasets.hospital_schema(), privacy=models, method=ny.Anatomy())
    (proved,) = attacked(release, frame)
    assert proved.exact
    assert proved.figures["ratio"]["largest"] == 1.0


# -- what cannot be weighed, and how draws are enumerated ---------------------------------------------------------


def test_a_method_that_does_not_publish_this_release_is_told() -> None:
    release = ny.publish(six(), SCHEMA, privacy=THREE, method=ny.Mondrian())
    method = ny.OptimalLattice(suppression=1.0)
    known = replace(release.released, models=(ny.KAnonymity(k=1),), method=method)
    found = ny.risk.attack(known, original=six(), attacks=["minimality"])
    (one,) = found.not_run
    assert "from none of the tables" in one.reason


def test_parameters() -> None:
    for name in ("tables", "runs", "pairs", "draws"):
        with pytest.raises(ParameterError, match=f"minimality.{name}"):
            Minimality(**{name: 0})


def test_every_way_is_drawn_once() -> None:
    def run(draws: Draws) -> tuple[Any, ...]:
        below = draws.below("number")
        first = below(3)
        return (*draws.permutation("order", 3).tolist(), first, below(2) if first else None)

    found = list(every_way(run))
    assert len({answer for answer, _ in found}) == len(found) == 6 * 5
    assert sum(chance for _, chance in found) == 1
    assert {chance for answer, chance in found if answer[-1] is None} == {Fraction(1, 18)}
    with pytest.raises(TooManyWaysError):
        list(every_way(run, most=20))


def test_orders_that_make_no_difference_are_drawn_once() -> None:
    orders = Orders(np.array([0, 0, 1, 2, 3]), np.array([0, 0, 0, 1, 1]))
    assert orders.count == factorial(3) // 2 * 2
    listed = {tuple(orders[number].tolist()) for number in range(orders.count)}
    assert len(listed) == orders.count
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in listed)
    assert all(order.index(0) < order.index(1) for order in listed)
    assert all_alike(7).count == 1


def test_one_purpose_is_one_draw() -> None:
    (answers, *_) = every_way(lambda draws: [draws.permutation("order", 2).tolist() for _ in range(2)])
    assert answers[0][0] == answers[0][1]
    with pytest.raises(ValueError, match="two draws"):
        list(every_way(lambda draws: (draws.permutation("order", 2), draws.permutation("order", 3))))
