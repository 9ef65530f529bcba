"""Attacks on sensitive values where it is known of whom rows are: persons are counted, from the definition.

A person has every value of its records. Whoever finds a class guesses the value that most of its persons have, and is
certain of one that all of them have, whatever else is there.
"""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import nymity as ny

ROLES = {
    "who": ny.person(),
    "a": ny.quasi(ny.Hierarchy.intervals(width=2, levels=3)),
    "b": ny.quasi(),
    "s": ny.sensitive(),
}
ATTACKS = ["homogeneity", "skewness", "background-knowledge"]


def visits(seed: int) -> pl.DataFrame:
    draw = random.Random(seed)
    whose = [f"p{who}" for who in range(14) for _ in range(draw.choice([1, 2, 5]))]
    rows = [(who, draw.randint(0, 5), draw.randint(0, 2), draw.choice([*"xxyz", None])) for who in whose]
    return pl.DataFrame(rows, schema={"who": pl.String, "a": pl.Int64, "b": pl.Int64, "s": pl.String}, orient="row")


def holders(table: pl.DataFrame, release: Any) -> list[dict[str | None, set[str]]]:
    """Who has which value, class by class."""
    owners = table["who"].gather(release.log.source_rows).to_list()
    classes: dict[Any, dict[str | None, set[str]]] = defaultdict(lambda: defaultdict(set))
    for who, a, b, value in zip(owners, *(release.frame[name] for name in "abs"), strict=True):
        classes[a, b][value].add(who)
    return list(classes.values())


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("method", [ny.OptimalLattice(suppression=0.4), ny.Mondrian()], ids=["levels", "partition"])
def test_values_are_told_of_persons(seed: int, method: Any) -> None:
    table = visits(seed)
    release = ny.publish(table, ROLES, privacy=[ny.KAnonymity(k=2)], method=method)
    found = ny.risk.attack(release, original=table, attacks=ATTACKS)
    classes = holders(table, release)
    persons = [set().union(*values.values()) for values in classes]
    most = [max(len(who) for who in values.values()) for values in classes]
    n = sum(map(len, persons))

    guess = found["skewness"]
    assert (guess.counts, guess.n) == ("persons", n)
    assert guess.successes == sum(most)
    assert guess.highest == max(Fraction(m, len(who)) for m, who in zip(most, persons, strict=True))
    shown = [sum(len(values.get(value, ())) for values in classes) for value in [*"xyz", None]]
    assert guess.baseline == pytest.approx(max(shown) / n)

    for key, excluded in (("homogeneity", 0), ("background-knowledge", 1)):
        certain = sum(
            len(who)
            for who, values, m in zip(persons, classes, most, strict=True)
            if m == len(who) or len(values) <= excluded + 1
        )
        assert (found[key].counts, found[key].n, found[key].successes) == ("persons", n, certain)


def test_a_value_that_everybody_has_is_certain_whatever_else_they_have() -> None:
    """Four persons who all have flu and three other values each: by rows it is one in four."""
    rows = [(who, 1, value) for who in "abcd" for value in ("flu", f"{who}1", f"{who}2", f"{who}3")]
    table = pl.DataFrame(rows, schema=["who", "q", "s"], orient="row")
    roles = {"who": ny.person(), "q": ny.quasi(), "s": ny.sensitive()}
    release = ny.publish(table, roles, privacy=[ny.KAnonymity(k=4), ny.DistinctLDiversity(l=4, attribute="s")])
    found = ny.risk.attack(release, original=table, attacks=ATTACKS)
    for key in ATTACKS:
        assert (found[key].rate, found[key].highest) == (1, 1)
        assert not found[key].exceeds
        assert found[key].promised is None
    assert "everybody of a class may have a value" in " ".join(found["homogeneity"].no_promise)
    assert "everybody of the class has it" in found["homogeneity"].sentence
    by_rows = ny.risk.attack(release, attacks=ATTACKS)
    assert (by_rows["skewness"].counts, by_rows["skewness"].highest) == ("records", Fraction(1, 4))


@pytest.mark.parametrize("seed", range(6))
def test_limits_on_shares_of_persons_are_held_against_persons(seed: int) -> None:
    table = visits(seed)
    model = ny.AlphaKAnonymity(alpha=0.9, k=2, attribute="s")
    release = ny.publish(table, ROLES, privacy=[model], method=ny.OptimalLattice(suppression=1.0))
    found = ny.risk.attack(release, original=table, attacks=ATTACKS)
    assert found["skewness"].promised == 0.9
    assert found["skewness"].limit.promise == model.promise_to_persons()  # type: ignore[union-attr]
    assert found["homogeneity"].promised == 0
    assert found["background-knowledge"].promised is None  # two values may be all there are
    assert not found.exceeded


def test_a_broken_limit_is_told() -> None:
    table = pl.DataFrame({"who": list("aabbcc"), "q": [1] * 6, "s": ["flu", "x", "flu", "y", "flu", "z"]})
    roles = {"who": ny.person(), "q": ny.quasi(), "s": ny.sensitive()}
    model = ny.FrequencyLDiversity(l=2, attribute="s")
    release = ny.publish(table, roles, privacy=[ny.KAnonymity(k=3)])
    job = ny.Job(schema=ny.Schema(roles), privacy=(model,))
    opened = ny.open(release.frame, job=job, links=release.log.source_rows)
    found = ny.risk.attack(opened, original=table, attacks=ATTACKS)
    assert found["skewness"].exceeds
    assert found["homogeneity"].exceeds


def test_shares_in_which_persons_weigh_alike_limit_no_guess() -> None:
    """Entropy of four persons with flu and three other values each is high, and flu is certain."""
    rows = [(who, 1, value) for who in "abcd" for value in ("flu", f"{who}1", f"{who}2", f"{who}3")]
    table = pl.DataFrame(rows, schema=["who", "q", "s"], orient="row")
    roles = {"who": ny.person(), "q": ny.quasi(), "s": ny.sensitive()}
    release = ny.publish(table, roles, privacy=[ny.EntropyLDiversity(l=3, attribute="s")])
    found = ny.risk.attack(release, original=table, attacks=ATTACKS)
    assert all(found[key].promised is None and not found[key].exceeds for key in ATTACKS)


def test_pseudonyms_tell_whose_rows_are() -> None:
    """Without the original: everybody who gets the release can count persons by them."""
    table = visits(3).with_columns(b=pl.lit(0))
    roles = ROLES | {"who": ny.person(pseudonym="random")}
    method = ny.OptimalLattice(suppression=0.4)
    release = ny.publish(table, roles, privacy=[ny.LinkedKAnonymity(k=2, knows=1)], method=method)
    alone = ny.risk.attack(release, attacks=ATTACKS)
    beside = ny.risk.attack(release, original=table, attacks=ATTACKS)
    for key in ATTACKS:
        assert (alone[key].counts, alone[key].rate, alone[key].highest) == (
            "persons",
            beside[key].rate,
            beside[key].highest,
        )
    assert alone.persons is None
    assert beside.persons == table["who"].n_unique()
