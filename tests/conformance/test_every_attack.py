"""Every model answers every attack: what it may reach at most, or why the promise sets no limit."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import nymity as ny
from conformance import examples
from nymity.privacy import PrivacyModel, Unlimited
from nymity.privacy.model import NothingOnPresence, NothingOnValues
from nymity.publishing.jobs.registry import MODELS
from nymity.risk.attacks.registry import ATTACKS
from nymity.risk.attacks.result import Limit, NoLimit
from nymity.table.encoding import encode

TREE = ny.Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]])
SCHEMA = ny.Schema({"a": ny.quasi(TREE), "s": ny.sensitive()})
INSIDE = pl.DataFrame({"a": list("112233"), "s": list("xyxyxy")})
#: With a column of sets, for the attack that knows items.
SETS = INSIDE.with_columns(i=pl.Series(["b", "b;c", "b", "c;b", "c", "b;c"]))
#: With pseudonyms, for attacks that put rows of a person together.
VISITS = INSIDE.with_columns(who=pl.Series(list("ppqqrr")), day=pl.Series(["2024-01-02", "2024-03-04"] * 3))
LINKED = ny.Schema(
    {
        "who": ny.person(pseudonym="random"),
        "a": ny.quasi(TREE),
        "s": ny.insensitive(),
        "day": ny.insensitive(shift="per person"),
    }
)
OUTSIDE = pl.DataFrame({"a": list("1244"), "s": list("xyxy")})
EVERYBODY = pl.concat([INSIDE, OUTSIDE])
KEYS = [key for key in MODELS if key in examples.MODELS]


def unanswered(model: type[PrivacyModel]) -> list[str]:
    """Name what a model does not say about attacks."""
    return sorted(getattr(model, "__abstractmethods__", ()))


def check_answers(model: type[PrivacyModel]) -> None:
    if missing := unanswered(model):
        pytest.fail(
            f"{model.__name__} does not define {', '.join(missing)}: write what an attack may reach at most, or "
            "Unlimited('why the promise sets no limit'); a model that says nothing about sensitive values, or about "
            "who is in a release, subclasses NothingOnValues or NothingOnPresence (nymity/privacy/model.py)"
        )


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_model_says_what_attacks_may_reach(model: type[PrivacyModel]) -> None:
    check_answers(model)


def test_a_model_that_says_nothing_is_told_what_to_write() -> None:
    class Silent(PrivacyModel):
        key = "silent"

    with pytest.raises(pytest.fail.Exception, match=r"Silent does not define .*fewest_values.*Unlimited\('why"):
        check_answers(Silent)
    assert inspect.isabstract(Silent)


@pytest.mark.parametrize("key", KEYS)
def test_answers_are_chances_or_reasons(key: str) -> None:
    model, column = MODELS[key](**examples.MODELS[key][0]), encode(INSIDE, SCHEMA).sensitive["s"]
    shares, fewest = model.value_shares(column), model.fewest_values(column)
    presence = model.presence_chances()
    chances = [model.presence_advantage()]
    chances += [model.row_chance(classes=c, complete=d) for c in (True, False) for d in (True, False)]
    chances += [shares] if isinstance(shares, Unlimited) else shares
    chances += [presence] if isinstance(presence, Unlimited) else presence
    for answer in (*chances, fewest):
        if isinstance(answer, Unlimited):
            assert answer.why
            assert not answer.why.endswith(".")
    assert all(isinstance(one, Unlimited) or (isinstance(one, Fraction) and 0 <= one <= 1) for one in chances)
    assert isinstance(fewest, Unlimited) or fewest >= 1
    assert isinstance(shares, Unlimited) or len(shares) == len(column.labels)
    assert model.shares_suffice <= (not isinstance(shares, Unlimited))


@pytest.fixture(scope="module")
def releases() -> Mapping[str, ny.Release]:
    plain = ny.publish(INSIDE, SCHEMA, privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice())
    schema = ny.Schema({**SCHEMA, "i": ny.items()})
    sets = ny.publish(SETS, schema, privacy=[ny.KMAnonymity(k=2, m=1)], method=ny.OptimalLattice())
    linked = ny.publish(VISITS, LINKED, privacy=[ny.LinkedKAnonymity(k=2, knows=1)], method=ny.OptimalLattice())
    return defaultdict(lambda: plain, {"known-items": sets, "linked-records": linked, "date-gaps": linked})


def attacked(release: Any, key: str) -> Any:
    if key in ("linked-records", "date-gaps"):
        return ny.risk.attack(release, attacks=[ATTACKS[key](**examples.ATTACKS[key])], targets=20)
    original = SETS if key == "known-items" else INSIDE
    beside = {"original": original, "control": OUTSIDE, "population": EVERYBODY, "earlier": release, "targets": 20}
    return ny.risk.attack(release, attacks=[ATTACKS[key](**examples.ATTACKS[key])], **beside)


@pytest.mark.parametrize("attack", [key for key in ATTACKS if key in examples.ATTACKS])
class TestEveryAttack:
    def test_it_can_be_run(self, attack: str, releases: Mapping[str, ny.Release]) -> None:
        release = releases[attack]
        found = attacked(release, attack)
        assert found.results, [one.reason for one in found.not_run]
        for result in found.results:
            assert result.key.startswith(attack)
            assert 0 <= result.low <= result.rate <= result.high <= 1 or result.key == "membership"
            assert result.sentence.endswith(".")
            assert result.assumes
            assert result.to_dict()["exceeds"] is result.exceeds
        assert found.results == attacked(release, attack).results  # the same seed draws the same

    def test_every_model_judges_it_or_says_why_not(self, attack: str, releases: Mapping[str, ny.Release]) -> None:
        release = releases[attack]
        for key in KEYS:
            model = MODELS[key](**examples.MODELS[key][0])
            found = attacked(replace(release.released, models=(model,)), attack)
            assert found.results or found.not_run[0].reason
            for result in found.results:
                if isinstance(result.limit, Limit):
                    assert result.limit.promise == model.promise()
                else:
                    assert isinstance(result.limit, NoLimit)
                    assert all(result.limit.reasons)
                    assert result.limit.reasons
                    assert not result.exceeds
                    assert "no promise was given" not in result.limit.reasons


def test_reasons_name_the_model() -> None:
    class Quiet(NothingOnValues, NothingOnPresence):
        key, title = "quiet", "quiet"

        def accepts(self, classes: Any) -> Any: ...
        def measure(self, groups: Any, attribute: Any) -> Any: ...  # type: ignore[override]
        def holds(self, groups: Any) -> bool:
            return True

        def promise(self) -> str:
            return "quiet: nothing"

    found = ny.risk.attack(
        ny.open(INSIDE, job=ny.Job(schema=SCHEMA, privacy=[Quiet()])), original=INSIDE, control=OUTSIDE
    )
    for result in found.results:
        assert result.promised is None
        assert any(reason.startswith("quiet: it ") for reason in result.no_promise) or result.key in (
            "attribute-inference",
            "downcoding",
            "minimality",
        )
