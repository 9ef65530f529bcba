"""Releases whose promises compare shares in which every person weighs one: published, certified, checked, attacked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny

#: Ann has nine of twelve records, all of flu: by records flu is 3/4 of the table, by persons 1/4.
RECORDS = [("Ann", "1", "flu")] * 9 + [("Bob", "1", "cold"), ("Cid", "2", "cold"), ("Dan", "2", "none")]
TABLE = pl.DataFrame(RECORDS, schema=["who", "q", "ill"], orient="row")
SCHEMA = {"who": ny.person(), "q": ny.quasi(), "ill": ny.sensitive()}


def visits(people: int = 60) -> pl.DataFrame:
    rows = [
        (f"P{p:03}", 20 + p % 40, "mf"[p % 2], f"area {p % 3}", "abc"[(p + v * v) % 3])
        for p in range(people)
        for v in range(1 + p * 5 % 7)
    ]
    return pl.DataFrame(rows, schema=["who", "age", "sex", "area", "ill"], orient="row")


VISITS = {
    "who": ny.person(),
    "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=3)),
    "sex": ny.quasi(),
    "area": ny.quasi(),
    "ill": ny.sensitive(),
}
MODELS: list[Any] = [
    ny.EntropyLDiversity(l=2.5, attribute="ill"),
    ny.RecursiveDiversity(c=2, l=2, attribute="ill"),
    ny.TCloseness(t=0.1, attribute="ill"),
    ny.BetaLikeness(beta=0.3, attribute="ill"),
    ny.EnhancedBetaLikeness(beta=0.3, attribute="ill"),
    ny.DeltaDisclosure(delta=0.5, attribute="ill"),
]
by_key = [model.key for model in MODELS]


@pytest.mark.parametrize("model", MODELS, ids=by_key)
def test_what_is_published_is_certified_and_checked_by_persons(model: Any, tmp_path: Path) -> None:
    release = ny.publish(visits(), VISITS, privacy=[model], method=ny.OptimalLattice(suppression=0.1))
    assert release.certificate["unit"]["counts"] == "persons"
    (promised,) = release.certificate["promised"]
    assert "person" in promised["means"]
    release.save(tmp_path / "release")
    seen = ny.check(ny.open(tmp_path / "release"), original=visits())
    assert seen.answer == "holds", seen
    alone = ny.check(ny.open(tmp_path / "release", custodian=tmp_path / "nobody"))
    assert alone.answer == "cannot be seen"
    # the same rows with other people behind them: whoever has a value has it alone
    other = visits().with_columns((pl.col("ill") + pl.col("who").str.slice(3)).alias("who"))
    assert ny.check(ny.open(tmp_path / "release"), original=other).answer == "does not hold"


@pytest.mark.parametrize("model", MODELS, ids=by_key)
@pytest.mark.parametrize("method", [ny.Mondrian(), ny.KMember(), ny.IterativeRecoding(), ny.GreedySearch()])
def test_methods_that_join_classes_refuse_them(model: Any, method: Any) -> None:
    with pytest.raises(ny.NymityError, match="classes that keep it may break it together"):
        ny.publish(visits(), VISITS, privacy=[model], method=method)


def test_the_table_that_classes_are_compared_with_weighs_persons_alike() -> None:
    """In class 1 flu has 1/2 by persons, twice its share of the table; by records 9/10, not much more than 3/4."""
    by_persons = ny.publish(TABLE, SCHEMA, privacy=[ny.BetaLikeness(beta=0.9, attribute="ill")])
    assert by_persons.frame["q"].unique().to_list() == ["*"]
    assert by_persons.verification.findings[0].measured["beta"] == 0
    loose = ny.publish(TABLE, SCHEMA, privacy=[ny.BetaLikeness(beta=1, attribute="ill")])
    assert loose.frame["q"].n_unique() == 2
    assert loose.verification.findings[0].measured["beta"] == 1


def test_measure_weighs_persons_alike() -> None:
    models = ny.measure(TABLE, SCHEMA).models
    assert models["beta-likeness"]["ill"] == {"beta": 1}
    assert models["t-closeness"]["ill"] == {"t": 0.25}
    assert models["entropy-l-diversity"]["ill"] == {"l": pytest.approx(2)}
    assert models["recursive-diversity"]["ill"] == {"c": 1, "l": 2}
    assert models["delta-disclosure"]["ill"] == {"delta": float("inf")}


def test_no_attack_takes_shares_of_persons_for_shares_of_rows() -> None:
    release = ny.publish(TABLE, SCHEMA, privacy=[ny.TCloseness(t=0.3, attribute="ill")])
    for found in ny.risk.attack(release, original=TABLE).results:
        assert not found.exceeds, found
        assert found.limit.chance is None, found
    diverse = ny.publish(TABLE, SCHEMA, privacy=[ny.EntropyLDiversity(l=2, attribute="ill")])
    found_all = ny.risk.attack(diverse, original=TABLE)
    limits = {found.key: found.limit for found in found_all.results}
    # replayed by records, the method would have published another table
    assert "minimality" not in limits
    # so many different values are there, but everybody of a class may have one of them, beside others
    assert limits["homogeneity"].chance is None
    assert "everybody of a class may have a value" in limits["homogeneity"].reasons[0]


def test_a_promise_is_not_called_empty_by_shares_of_rows() -> None:
    """By records the rarest value has 1/12, so that t = 0.92 would be nothing; by persons 1/4, and 0.75 is."""
    for t in (0.5, 0.92):
        release = ny.publish(TABLE, SCHEMA, privacy=[ny.TCloseness(t=t, attribute="ill")])
        assert all(caveat["warning"] != "empty-promise" for caveat in release.certificate["not_protected"])
    release = ny.publish(TABLE, SCHEMA, privacy=[ny.TCloseness(t=1, attribute="ill")])
    assert any(caveat["warning"] == "empty-promise" for caveat in release.certificate["not_protected"])
    assert ny.check(release, original=TABLE).answer == "holds"
