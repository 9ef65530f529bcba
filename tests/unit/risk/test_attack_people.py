"""Attacks that compare people inside and outside, or two releases, against counts by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings

import nymity as ny
from nymity.core.errors import InputError, NoSolutionError, SchemaError
from nymity.risk.attacks.membership import _others
from nymity.risk.attacks.scene_opening import open_scene
from strategies import cases

TREE = ny.Hierarchy.from_rows([[str(i), f"{i // 2 * 2}-{i // 2 * 2 + 1}", "*"] for i in range(8)])
SCHEMA = ny.Schema({"q": ny.quasi(TREE), "s": ny.sensitive()})


def people(values: str, sensitive: str) -> pl.DataFrame:
    return pl.DataFrame({"q": list(values), "s": list(sensitive)})


INSIDE = people("00112233", "xyxyxyxy")
METHOD = ny.OptimalLattice()


def test_membership_on_a_toy() -> None:
    release = ny.publish(INSIDE, SCHEMA, privacy=[ny.KAnonymity(k=2)], method=METHOD)
    assert release.levels == {"q": 0}
    outside = people("0445", "xxxx")  # one of four fits a row
    found = ny.risk.attack(release, original=INSIDE, control=outside, attacks=["membership"], targets=4000).results[0]
    assert found.figures["true_positive_rate"] == 1
    assert found.figures["false_positive_rate"] == pytest.approx(0.25, abs=0.03)
    assert found.low <= 0.75 <= found.high
    assert (found.promised, found.exceeds) == (None, False)
    assert found.no_promise == ("k-anonymity: it is about the people in the release, not about who is in it",)


def test_the_rest_of_the_population_is_outside() -> None:
    release = ny.publish(INSIDE, SCHEMA, privacy=[ny.KAnonymity(k=2)], method=METHOD)
    population = pl.concat([INSIDE, people("0445", "xxxx")]).sample(fraction=1, shuffle=True, seed=1)
    scene = open_scene(release, original=INSIDE, population=population)
    assert Counter(_others(scene)[:, 0].tolist()) == Counter({4: 2, 5: 1, 0: 1})
    found = ny.risk.attack(release, original=INSIDE, population=population)
    chance = found["membership-chance"]
    assert (chance.successes, chance.n, chance.highest) == (8, 9, 1)  # 0, 0 and a third 0; 1, 2 and 3 twice
    assert chance.figures["lowest"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("high", "exceeds"), [(0.5, False), (0.4, True)])
def test_presence_is_held_against_its_promise(high: float, exceeds: bool) -> None:
    subset, everyone = people("0022", "xxxx"), people("00002222", "xxxxxxxx")
    promised = ny.DeltaPresence(low=0.1, high=0.5, subset=subset)
    release = ny.publish(everyone, SCHEMA, privacy=[promised], method=METHOD)
    claimed = ny.DeltaPresence(low=0.1, high=high, subset=subset)
    known = replace(release.released, models=(claimed,))
    found = ny.risk.attack(known, original=subset, population=everyone)["membership-chance"]
    assert (found.highest, found.exceeds, found.promised) == (Fraction(1, 2), exceeds, high)


def test_people_outside_of_all_classes_are_held_against_it_too() -> None:
    subset, everyone = people("0022", "xxxx"), people("0000222244", "xxxxxxxxxx")
    release = ny.publish(subset, SCHEMA, privacy=[ny.KAnonymity(k=2)], method=METHOD)
    for low, exceeds in ((0.0, False), (0.1, True)):  # nobody with a 4 is in
        claimed = ny.DeltaPresence(low=low, high=0.5, subset=subset)
        known = replace(release.released, models=(claimed,))
        found = ny.risk.attack(known, original=subset, population=everyone)["membership-chance"]
        assert (found.exceeds, found.figures["lowest"]) == (exceeds, 0)


def test_differential_privacy_limits_the_advantage() -> None:
    frame = pl.DataFrame({"q": [str(i % 2) for i in range(600)]})
    schema = ny.Schema({"q": ny.quasi(TREE)})
    model = ny.DifferentialPrivacy(epsilon=1.0, public_records=1000)
    release = ny.publish(frame, schema, privacy=[model], method=ny.SafePub())
    found = ny.risk.attack(release, original=frame, control=frame[:100])
    assert found["membership"].promised == pytest.approx(0.4622, abs=1e-3)
    assert not found["membership"].exceeds


# -- two releases --------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(cases(max_records=12, n_sensitive=1, weighted=False, missing=False))
def test_intersection_by_brute_force(case: Any) -> None:
    one, other = (_published(case, k) for k in (2, 3))
    if one is None or other is None:
        return
    found = ny.risk.attack(one, original=case.frame, earlier=other, attacks=["intersection"])
    if found.not_run:
        return
    result, names = found.results[0], list(case.schema.quasi)
    chances, below = [], 0
    for person in range(case.frame.height):
        classes = []
        for release in (one, other):
            if person not in release.log.source_rows.tolist():
                break
            row = release.log.source_rows.tolist().index(person)
            cells = release.frame.select(names).rows()
            mates = [i for i, mate in enumerate(cells) if mate == cells[row]]
            classes.append(Counter(release.frame["s0"][mate] for mate in mates))
        if len(classes) < 2:
            continue
        both = classes[0].keys() & classes[1].keys()
        left = min(sum(values[v] for v in both) for values in classes)
        chances.append(Fraction(1, left))
        below += left < 2
    assert result.n == len(chances)
    assert result.rate == pytest.approx(float(sum(chances)) / len(chances))
    assert result.highest == max(chances)
    assert result.figures["people_below_promise"] == below
    assert result.exceeds == (below > 0)


def _published(case: Any, k: int) -> Any:
    try:
        return ny.publish(
            case.frame, case.schema, privacy=[ny.KAnonymity(k=k)], method=ny.OptimalLattice(suppression=0.3)
        )
    except (NoSolutionError, InputError):
        return None


def test_two_harmless_releases_leave_one_row() -> None:
    schema = ny.Schema({"a": ny.quasi(), "b": ny.quasi(), "s": ny.sensitive()})
    frame = pl.DataFrame({"a": ["1", "1", "2", "2"], "b": ["1", "2", "1", "2"], "s": ["x", "y", "z", "w"]})
    first, second = (
        ny.publish(
            frame,
            ny.Schema({**schema, hidden: ny.quasi(level=1)}),
            privacy=[ny.KAnonymity(k=2)],
            method=METHOD,
        )
        for hidden in ("a", "b")
    )
    found = ny.risk.attack(first, original=frame, earlier=second)["intersection"]
    assert (found.rate, found.highest, found.exceeds) == (1.0, 1, True)
    assert found.baseline == 0.5
    assert found.figures["people_with_one_value_left"] == 4
    assert found.figures["people_who_share_both_classes_with_fewer_than_promised"] == 4


# -- learning ------------------------------------------------------------------------------------------------


def test_attribute_inference_is_reproducible_and_finds_what_was_memorized() -> None:
    pytest.importorskip("sklearn")
    frame = pl.DataFrame({"q": [str(i) for i in range(300)], "s": [("x", "y")[i * 7919 % 11 % 2] for i in range(300)]})
    schema = ny.Schema({"q": ny.quasi(), "s": ny.sensitive()})
    inside, outside = frame[::2], frame[1::2]
    release = ny.publish(inside, schema, privacy=[ny.KAnonymity(k=1)], method=METHOD)
    attack = ny.risk.AttributeInference(leaf=1)
    first, again, other = (
        ny.risk.attack(release, original=inside, control=outside, attacks=[attack], seed=seed).results[0]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first.successes == first.n  # every record was seen as it is
    assert other.baseline != first.baseline
    assert first.figures["risk"] == pytest.approx(1)
    assert first.baseline is not None
    assert first.baseline < 0.75
    with pytest.raises(SchemaError, match="control, column 's'"):
        ny.risk.attack(release, original=inside, control=outside.drop("s"), attacks=[attack])


def test_attribute_inference_on_buckets_and_text() -> None:
    pytest.importorskip("sklearn")
    frame = pl.DataFrame({"q": [str(i % 8) for i in range(96)], "s": [("x", "y", "z")[i % 3] for i in range(96)]})
    release = ny.publish(frame, SCHEMA, privacy=[ny.FrequencyLDiversity(l=3, attribute="s")], method=ny.Anatomy())
    found = ny.risk.attack(release, original=frame, control=frame, attacks=["attribute-inference"]).results[0]
    assert found.low <= 1 / 3 + 0.15
    assert found.n == 1000
    generalized = ny.publish(frame, SCHEMA, privacy=[ny.KAnonymity(k=20)], method=METHOD)
    by_text = ny.risk.attack(
        ny.open(generalized.frame, schema=SCHEMA), original=frame, control=frame, attacks=["attribute-inference"]
    )
    assert by_text.results[0].rate < 0.6
