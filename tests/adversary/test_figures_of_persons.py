"""What a certificate tells of persons must not tell who has which value, or who is in the table.

The attacker knows everybody's quasi-identifiers, of all of their records, and tries every way in which the released
rows may be theirs; ways whose certificate would say something else are left out.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import polars as pl
import pytest

import nymity as ny

WHO = ["Ann", *(name for name in ("Bob", "Cy", "Di", "Ed") for _ in range(2))]
VALUES = ["HIV", *["flu"] * 4, *["cold"] * 4]
ROLES = {"patient": ny.person(), "age": ny.quasi(), "diag": ny.sensitive()}
MODELS = {
    "entropy": ny.EntropyLDiversity(l=2, attribute="diag"),
    "recursive": ny.RecursiveDiversity(c=4, l=2, attribute="diag"),
    "frequency": ny.FrequencyLDiversity(l=1, attribute="diag"),
    "alpha": ny.AlphaKAnonymity(alpha=1.0, k=2, attribute="diag"),
    "closeness": ny.TCloseness(t=0.9, attribute="diag"),
    "likeness": ny.BetaLikeness(beta=9, attribute="diag"),
    "enhanced": ny.EnhancedBetaLikeness(beta=9, attribute="diag"),
    "disclosure": ny.DeltaDisclosure(delta=5, attribute="diag"),
}


def _told(values: list[str], model: Any) -> Any:
    """What a certificate says of people, if the rows of nine records have these values."""
    table = pl.DataFrame({"patient": WHO, "age": [34] * 9, "diag": values})
    release = ny.publish(table, ROLES, privacy=[ny.KAnonymity(k=5), model])
    return {name: release.certificate[name] for name in ("measured", "unit", "not_protected")}


@pytest.mark.parametrize("name", MODELS)
def test_figures_do_not_tell_whose_a_value_is(name: str) -> None:
    """All assignments of the values to the nine records look alike; they must read alike, too."""
    of_ann, of_bob = VALUES, ["flu", "HIV", *VALUES[2:]]
    assert sorted(of_ann) == sorted(of_bob)
    assert _told(of_ann, MODELS[name]) == _told(of_bob, MODELS[name])


def test_numbers_of_persons_do_not_tell_who_is_in_the_table() -> None:
    """Four ways to choose people give the same rows; delta-presence promises that nobody can tell them apart."""
    people = {"A": "ab", "B": "a", "C": "b", "D": "a", "E": "b"}
    rows = [(who, q, "x") for who, own in people.items() for q in own]
    everyone = pl.DataFrame(rows, schema=["who", "q", "ill"], orient="row")
    roles = {"who": ny.person(), "q": ny.quasi(), "ill": ny.sensitive()}
    told = []
    for number in range(1, 6):
        for chosen in combinations(people, number):
            table = everyone.filter(pl.col("who").is_in(chosen))
            if sorted(table["q"]) != ["a", "b", "b"]:
                continue
            model = ny.DeltaPresence(low=0.3, high=0.7, subset=table)
            privacy = [model, ny.KAnonymity(k=1)]
            try:
                release = ny.publish(everyone, roles, privacy=privacy)
            except ny.NymityError:
                continue
            if release.frame["q"].sort().to_list() == ["a", "b", "b"]:
                told.append(
                    (chosen, {name: release.certificate[name] for name in ("measured", "unit", "not_protected")})
                )
    assert len(told) > 1
    assert all(one == told[0][1] for _, one in told)


def test_pages_of_such_a_release_say_nothing_of_numbers_of_persons() -> None:
    people = pl.DataFrame({"who": list("AABCDE"), "q": list("ababab")})
    subset = people.filter(pl.col("who").is_in(["A", "C"]))
    roles = {"who": ny.person(), "q": ny.quasi()}
    release = ny.publish(people, roles, privacy=[ny.DeltaPresence(low=0, high=0.9, subset=subset)])
    opened = ny.open(release)
    assert (opened.highest_risk, opened.average_risk, opened.class_sizes[0]) == (None, None, None)
    assert release.certificate["unit"] == {"counts": "persons"}


def test_attacks_that_count_records_say_so() -> None:
    """Ann has 19 of 20 rows: a row picked at random is hers nearly always."""
    table = pl.DataFrame({"who": ["Ann"] * 19 + ["Bob"], "q": [1] * 20, "ill": ["flu", "cold"] * 10})
    release = ny.publish(
        table, {"who": ny.person(), "q": ny.quasi(), "ill": ny.sensitive()}, privacy=ny.KAnonymity(k=2)
    )
    for original, counted in ((None, "records"), (table, "persons")):
        found = ny.risk.attack(release, original=original, attacks=["linkage", "homogeneity", "skewness"])
        assert [result.counts for result in found.results] == [counted] * 3
        for result in found.results:
            assert "people" not in result.sentence
            assert not any("people" in key for key in result.to_dict())
            if result.counts == "records":
                assert "a person may have several of them, and most rows of a class" in result.sentence
                assert "records are counted here, not persons" in result.assumes
    assert found["linkage"].highest == Fraction(19, 20)
    assert "picks a row of that person" in found["linkage"].sentence
    assert {key: found.to_dict()[key] for key in ("records", "persons")} == {"records": 20, "persons": 2}
    assert "people" not in found.to_dict()


def test_a_household_warning_does_not_tell_who_shares_a_value() -> None:
    """Two homes, rows alike: whether members of one have the same illness is nobody's to know."""
    roles = {"home": ny.household(), "q": ny.quasi(), "ill": ny.sensitive()}
    told = []
    for ills in (["flu", "flu", "cold", "cold"], ["flu", "cold", "flu", "cold"]):
        table = pl.DataFrame({"home": list("hhgg"), "q": [1] * 4, "ill": ills})
        release = ny.publish(table, roles, privacy=[ny.KAnonymity(k=4)])
        told.append((sorted(release.frame["ill"]), release.certificate["not_protected"]))
    assert told[0] == told[1]


def test_a_column_named_people_keeps_its_name() -> None:
    table = pl.DataFrame({"who": list("aabb"), "q": [1] * 4, "people": list("xxyy")})
    release = ny.publish(
        table, {"who": ny.person(), "q": ny.quasi(), "people": ny.sensitive()}, privacy=ny.KAnonymity(k=2)
    )
    found = ny.risk.attack(release, original=table, attacks=["homogeneity"])["homogeneity"]
    assert "'people'" in found.sentence
    assert "2 persons" in found.sentence
