"""Attacks on sensitive values against their definitions: homogeneity, skewness, background knowledge, minimality."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.privacy import Groups, PrivacyModel
from nymity.risk import ATTACKS, BackgroundKnowledge, Downcoding
from nymity.risk.attacks.promises import advantage_limit, highest_chance, least_values, value_limits
from nymity.risk.attacks.result import Limit, NoLimit
from nymity.table.encoding import encode

SCHEMA = ny.Schema({"q": ny.quasi(), "s": ny.sensitive()})
NOTHING = NoLimit(("no promise was given",))
rows = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=20)


def table(records: list[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(records, schema=["q", "s"], orient="row")


@settings(max_examples=40)
@given(rows, st.integers(1, 2))
def test_values_of_classes_are_counted(records: list[tuple[str, str]], excluded: int) -> None:
    found = ny.risk.attack(
        ny.open(table(records), schema=SCHEMA),
        attacks=["homogeneity", "skewness", BackgroundKnowledge(excluded=excluded)],
    )
    classes = {q: Counter(s for other, s in records if other == q) for q, _ in records}
    n = len(records)
    for key, most in (("homogeneity", 1), ("background-knowledge", excluded + 1)):
        certain = sum(sum(values.values()) for values in classes.values() if len(values) <= most)
        assert (found[key].successes, found[key].n, found[key].rate) == (certain, n, certain / n)
    guess = found["skewness"]
    assert guess.rate == pytest.approx(sum(max(values.values()) for values in classes.values()) / n)
    assert guess.highest == max(Fraction(max(values.values()), sum(values.values())) for values in classes.values())
    assert guess.baseline == max(Counter(s for _, s in records).values()) / n
    assert guess.limit == NOTHING


MODELS: list[PrivacyModel] = [
    ny.DistinctLDiversity(l=2, attribute="s"),
    ny.EntropyLDiversity(l=1.8, attribute="s"),
    ny.FrequencyLDiversity(l=1.5, attribute="s"),
    ny.RecursiveDiversity(c=2, l=2, attribute="s"),
    ny.RecursiveDiversity(c=0.8, l=1, attribute="s"),
    ny.AlphaKAnonymity(alpha=0.6, k=2, attribute="s"),
    ny.TCloseness(t=0.3, attribute="s"),
    ny.BetaLikeness(beta=0.5, attribute="s"),
    ny.EnhancedBetaLikeness(beta=3, attribute="s"),
    ny.DeltaDisclosure(delta=0.7, attribute="s"),
    ny.FPrivacy(thresholds={"x": 0.7, "*": 0.9}, attribute="s"),
]


@settings(max_examples=30)
@given(rows)
def test_no_release_that_keeps_a_model_exceeds_its_limits(records: list[tuple[str, str]]) -> None:
    frame = table(records)
    groups = Groups(frame, ["q"])
    column = encode(frame, SCHEMA).sensitive["s"]
    for model in MODELS:
        if isinstance(model, ny.FPrivacy) and "x" not in column.labels:
            continue
        if model.holds(groups):
            found = ny.risk.attack(ny.open(frame, job=ny.Job(schema=SCHEMA, privacy=[model])))
            assert not [one for one in found.exceeded if one.key != "linkage"], model
        elif model.shares_suffice:
            known = ny.open(frame, job=ny.Job(schema=SCHEMA, privacy=[model]))
            assert ny.risk.attack(known, attacks=["skewness"]).exceeded, model


def test_limits_of_models() -> None:
    column = encode(table([("a", s) for s in "xxyyz"]), SCHEMA).sensitive["s"]

    def most(model: PrivacyModel) -> list[Fraction] | None:
        limits = value_limits([model], "s", column)
        return None if isinstance(limits, NoLimit) else [limit.chance for limit in limits]

    assert most(ny.KAnonymity(k=3)) is None
    assert most(ny.DistinctLDiversity(l=3, attribute="s")) is None
    assert most(ny.FrequencyLDiversity(l=4, attribute="s")) == [Fraction(1, 4)] * 3
    assert most(ny.RecursiveDiversity(c=2, l=2, attribute="s")) == [Fraction(2, 3)] * 3
    assert most(ny.TCloseness(t=0.1, attribute="s")) == [Fraction(1, 2), Fraction(1, 2), Fraction(3, 10)]
    assert most(ny.AlphaKAnonymity(alpha=0.5, k=2, attribute="s")) == [Fraction(1, 2)] * 3
    entropy = most(ny.EntropyLDiversity(l=3, attribute="s"))
    assert entropy is not None
    assert float(entropy[0]) == pytest.approx(1 / 3, abs=1e-4)
    assert least_values([ny.DistinctLDiversity(l=3, attribute="s")], "s", column)[0] == 3
    assert least_values([ny.FrequencyLDiversity(l=2, attribute="s")], "s", column)[0] == 2
    assert least_values([ny.BetaLikeness(beta=0.25, attribute="s")], "s", column)[0] == 2
    assert least_values([ny.DeltaDisclosure(delta=9, attribute="s")], "s", column)[0] == 3
    private = ny.DifferentialPrivacy(epsilon=1.0, public_records=1000, delta=1e-6)
    limit = advantage_limit([private])
    assert isinstance(limit, Limit)
    assert float(limit.chance) == pytest.approx((2.718281828 - 1 + 2e-6) / 3.718281828, abs=1e-8)


def test_buckets_are_attacked_by_their_counts() -> None:
    frame = pl.DataFrame({"q": [str(i) for i in range(12)], "s": ["x"] * 4 + ["y"] * 4 + ["z"] * 4})
    release = ny.publish(frame, SCHEMA, privacy=[ny.FrequencyLDiversity(l=3, attribute="s")], method=ny.Anatomy())
    found = ny.risk.attack(release, original=frame)
    assert (found["skewness"].rate, found["skewness"].highest) == (pytest.approx(1 / 3), Fraction(1, 3))
    assert (found["homogeneity"].successes, found["homogeneity"].promised) == (0, 0)
    assert not found.exceeded
    assert "quasi-identifiers as they are" in next(one.reason for one in found.not_run if one.key == "linkage")


# -- minimality ----------------------------------------------------------------------------------------------


def wong() -> pl.DataFrame:
    """The example of Wong, Fu, Wang and Pei (2007): both with q1 have cancer, none of four with q2."""
    return table([("q1", "cancer")] * 2 + [("q2", "none")] * 4)


def test_minimality_finds_out_the_published_example() -> None:
    frame, model = wong(), ny.FPrivacy(thresholds={"cancer": 0.5}, attribute="s")
    release = ny.publish(frame, SCHEMA, privacy=[model], method=ny.OptimalLattice())
    assert release.levels == {"q": 1}
    found = ny.risk.attack(release, original=frame)
    result, rows = [one for one in found.results if one.key == "minimality"]
    assert (result.attribute, rows.attribute) == ("s", None)
    assert result.figures["tables"] == {"before": 15, "left": 1}
    assert (result.rate, result.highest, result.promised, result.exceeds) == (1.0, 1, 0.5, True)
    assert result.baseline == pytest.approx(4 / 6)
    assert not found["skewness"].exceeds


def test_minimality_learns_nothing_where_only_sizes_count() -> None:
    frame = wong()
    release = ny.publish(frame, SCHEMA, privacy=[ny.KAnonymity(k=3)], method=ny.OptimalLattice())
    result = ny.risk.attack(release, original=frame, attacks=["minimality"]).results[0]
    assert result.figures["tables"] == {"before": 15, "left": 15}
    assert result.rate == result.baseline
    assert result.limit == NoLimit(("k-anonymity: it does not look at sensitive values",))


@settings(max_examples=8)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=3, max_size=5))
def test_minimality_against_all_permutations(records: list[tuple[str, str]]) -> None:
    frame, models = table(records), [ny.DistinctLDiversity(l=2, attribute="s")]
    if frame["s"].n_unique() < 2:
        return
    method = ny.OptimalLattice()
    release = ny.publish(frame, SCHEMA, privacy=models, method=method)
    result = ny.risk.attack(release, original=frame, attacks=["minimality"]).results[0]
    quasi, beliefs = frame["q"].to_list(), [Counter[str]() for _ in records]
    left = 0
    for order in permutations(frame["s"].to_list()):  # every order counts as often as every other
        world = pl.DataFrame({"q": quasi, "s": order})
        try:
            same = ny.publish(world, SCHEMA, privacy=models, method=method).frame.equals(release.frame)
        except ny.NoSolutionError:
            same = False
        if same:
            left += 1
            for belief, value in zip(beliefs, order, strict=True):
                belief[value] += 1
    assert result.highest == max(Fraction(count, left) for belief in beliefs for count in belief.values())


def test_downcoding_rules_out_what_would_have_been_published() -> None:
    tree = ny.Hierarchy.from_rows([["a1", "A", "*"], ["a2", "A", "*"], ["b", "B", "*"]])
    schema = ny.Schema({"q": ny.quasi(tree)})
    frame = pl.DataFrame({"q": ["a1", "a2", "b", "b"]})
    release = ny.publish(frame, schema, privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice())
    assert release.levels == {"q": 1}
    result = ny.risk.attack(release, original=frame, attacks=["downcoding"]).results[0]
    # two equal values of A would have been published as they are: of four tables two are left
    assert result.figures["tables"] == {"before": 4, "left": 2}
    assert (result.rate, result.baseline) == (0.75, 0.75)


def test_large_releases_are_refused_and_limits_checked() -> None:
    frame = ny.datasets.hospital(300)
    release = ny.publish(frame, ny.datasets.hospital_schema(), privacy=[ny.KAnonymity(k=5)], method=ny.OptimalLattice())
    found = ny.risk.attack(release, original=frame, attacks=[Downcoding(tables=10)])
    assert [one.key for one in found.not_run] == ["downcoding"]
    assert all("tables would have to be tried out" in one.reason for one in found.not_run)
    with pytest.raises(ParameterError, match="tables"):
        Downcoding(tables=0)
    with pytest.raises(ParameterError, match="excluded"):
        BackgroundKnowledge(excluded=0)


@pytest.mark.parametrize("key", ATTACKS)
def test_attacks_are_frozen_pieces_with_a_place_in_the_docs(key: str) -> None:
    attack = ATTACKS[key]()
    assert attack == ATTACKS[key]()
    assert hash(attack) == hash(ATTACKS[key]())
    with pytest.raises(FrozenInstanceError):
        attack.key = "other"  # type: ignore[misc]
    page = Path(__file__).parents[3] / "docs/concepts/attacks.md"
    assert f"| `{key}` |" in page.read_text(encoding="utf-8")


def test_what_cannot_be_run_says_why() -> None:
    found = ny.risk.attack(ny.open(table([("a", "x")] * 3), schema=SCHEMA))
    reasons: dict[str, Any] = {one.key: one.reason for one in found.not_run}
    assert "the original, or the recoding" in reasons["linkage"]
    assert "the method" in reasons["minimality"]
    assert "another release" in reasons["intersection"]
    alone = ny.risk.attack(ny.open(pl.DataFrame({"q": ["a"]}), schema=ny.Schema({"q": ny.quasi()})))
    assert {one.reason for one in alone.not_run if one.key == "skewness"} == {"no sensitive column is published"}


def test_what_is_certain_because_it_is_missing_is_told_apart() -> None:
    frame = pl.DataFrame({"q": ["a"] * 3 + ["b"] * 2, "s": [None, "", None, "x", "x"]})
    (found,) = ny.risk.attack(ny.open(frame, schema=SCHEMA), attacks=["homogeneity"]).results
    assert found.sentence == "The value of 's' is certain for 100% of 5 people; for 60% it is a missing value."
    assert found.figures["certain_missing"] == 3


@pytest.mark.parametrize(
    ("chances", "limits", "highest", "promised", "exceeds"),
    [
        # the likelier value may have any chance, the other one is within its limit
        (("1", "1/2"), (("1", "t"), ("1/2", "t")), "1", ("1", "t"), False),
        # the likelier value is within its limit, the other one is not
        (("1", "3/5"), (("1", "t"), ("1/2", "t")), "1", ("1/2", "t"), True),
        # no promise speaks of the likelier value
        (("1", "1/2"), (("1", ""), ("1/2", "t")), "1", ("1", "t"), False),
        (("1", "3/5"), (("1", ""), ("1/2", "t")), "1", ("1/2", "t"), True),
        # of two as likely ones the stricter limit is told
        (("1/2", "1/2"), (("2/3", "u"), ("1/2", "t")), "1/2", ("1/2", "t"), False),
        # nothing is promised
        (("1/3", "2/3"), None, "2/3", None, False),
    ],
)
def test_the_highest_chance_beside_limits_that_differ_by_value(
    chances: tuple[str, ...],
    limits: tuple[tuple[str, str], ...] | None,
    highest: str,
    promised: tuple[str, str] | None,
    exceeds: bool,
) -> None:
    """``highest`` is the chance with anybody; ``exceeds`` compares every value with its own limit."""

    def limit(chance: str, promise: str) -> Limit:
        return Limit(chance=Fraction(chance), promise=promise)

    found = highest_chance(
        {value: Fraction(chance) for value, chance in enumerate(chances)},
        NOTHING if limits is None else [limit(*one) for one in limits],
    )
    assert found == (Fraction(highest), NOTHING if promised is None else limit(*promised), exceeds)
