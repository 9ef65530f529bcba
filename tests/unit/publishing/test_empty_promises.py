"""Promises that any table keeps are told apart from those that say something."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.privacy import MODELS, Groups, PrivacyModel

CASES: list[tuple[type[PrivacyModel], dict[str, Any], dict[str, Any]]] = [
    (ny.KAnonymity, {"k": 1}, {"k": 2}),
    (ny.LinkedKAnonymity, {"k": 1, "knows": 2}, {"k": 2, "knows": "all"}),
    (ny.KMAnonymity, {"k": 1, "m": 2}, {"k": 2, "m": 1}),
    (ny.LKCPrivacy, {"l": 1, "k": 1, "c": 1}, {"l": 1, "k": 2, "c": 1}),
    (ny.SubsetKAnonymity, {"k": 1, "m": 1}, {"k": 2, "m": 1}),
    (ny.WildcardKAnonymity, {"k": 1}, {"k": 2}),
    (ny.ProsecutorRisk, {"limit": 1}, {"limit": 0.99}),
    (ny.AverageRisk, {"limit": 1}, {"limit": 0.99}),
    (ny.SampleUniques, {"limit": 1}, {"limit": 0.99}),
    (ny.Dominance, {"limit": 1}, {"limit": 0.99}),
    (ny.DistinctLDiversity, {"l": 1}, {"l": 2}),
    (ny.FrequencyLDiversity, {"l": 1}, {"l": 1.01}),
    (ny.EntropyLDiversity, {"l": 1}, {"l": 1.01}),
    (ny.RecursiveDiversity, {"c": 1.5, "l": 1}, {"c": 1000, "l": 2}),
    (ny.AlphaKAnonymity, {"alpha": 1, "k": 1}, {"alpha": 0.99, "k": 1}),
    (ny.TCloseness, {"t": 1}, {"t": 0.01}),
    (ny.BetaLikeness, {"beta": 1_000_000}, {"beta": 0.01}),
    (ny.FPrivacy, {"thresholds": {"a": 0, "c": 1}}, {"thresholds": {"a": 0, "c": 0.99}}),
]


@pytest.mark.parametrize(("kind", "empty", "some"), CASES, ids=lambda case: getattr(case, "__name__", ""))
@given(values=st.lists(st.sampled_from("abc"), min_size=2, max_size=8).filter(lambda v: len(set(v)) > 1))
def test_what_everybody_alone_keeps_is_empty(
    kind: type[PrivacyModel], empty: dict[str, Any], some: dict[str, Any], values: list[str]
) -> None:
    """The oracle is the definition: each record is a class of its own."""
    alone = Groups(pl.DataFrame({"q": list(range(len(values))), "s": values}), ("q",), hierarchies={})
    rarest = min(Fraction(values.count(v), len(values)) for v in values)
    attribute = {"attribute": "s"} if "attribute" in kind.__dataclass_fields__ else {}  # type: ignore[attr-defined]
    for parameters in (empty, some):
        model = kind(**parameters, **attribute)
        assert model.is_empty(rarest) == model.holds(alone)
    assert kind(**empty, **attribute).is_empty(rarest)


@given(
    values=st.lists(st.sampled_from("abc"), min_size=2, max_size=12).filter(lambda v: len(set(v)) > 1),
    t=st.integers(0, 100),
    beta=st.integers(1, 2000),
)
def test_at_the_boundary(values: list[str], t: int, beta: int) -> None:
    alone = Groups(pl.DataFrame({"q": list(range(len(values))), "s": values}), ("q",), hierarchies={})
    rarest = min(Fraction(values.count(v), len(values)) for v in values)
    for model in (
        ny.TCloseness(t=t / 100, attribute="s"),
        ny.BetaLikeness(beta=beta / 100, attribute="s"),
        ny.EnhancedBetaLikeness(beta=beta / 100, attribute="s"),
        ny.DeltaDisclosure(delta=beta, attribute="s"),
        ny.FPrivacy(thresholds={"a": beta / 100, "c": t / 100}, attribute="s"),
    ):
        assert model.is_empty(rarest) == model.holds(alone), model


def test_of_populations_and_matchings() -> None:
    people = {"q": [1]}
    assert ny.KMap(k=1, population=people).is_empty(None)
    assert not ny.KMap(k=2, population=people).is_empty(None)
    assert ny.KMatching(k=1).is_empty(None)
    assert not ny.KMatching(k=2).is_empty(None)
    assert ny.DeltaPresence(low=0, high=1, subset=people).is_empty(None)
    assert not ny.DeltaPresence(low=0, high=0.9, subset=people).is_empty(None)
    assert ny.DifferentialPrivacy(epsilon=10, public_records=100).is_empty(None)
    assert not ny.DifferentialPrivacy(epsilon=2, public_records=100).is_empty(None)


def test_every_model_is_among_the_cases() -> None:
    apart = {"k-map", "k-matching", "delta-presence", "delta-disclosure", "enhanced-beta-likeness"}
    assert {kind.key for kind, *_ in CASES} | apart == set(MODELS)


FRAME = {"age": [30, 30, 40, 40], "ill": ["a", "b", "a", "b"]}
SCHEMA = ny.Schema({"age": ny.quasi(), "ill": ny.sensitive()})


def test_publish_and_check_warn(tmp_path: Any) -> None:
    models = [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=1, attribute="ill")]
    release = ny.publish(FRAME, SCHEMA, privacy=models, out=tmp_path / "release")
    found = next(warning for warning in release.warnings if warning.key == "empty-promise")
    assert found.says.startswith("distinct 1-diversity of 'ill' promises nothing")
    assert "nothing else" not in found.says
    checked = ny.check(tmp_path / "release/release.csv", certificate=tmp_path / "release/certificate.json")
    assert checked.answer == "holds"
    assert "empty-promise" in [warning.key for warning in checked.warnings]
    by_job = ny.check(tmp_path / "release/release.csv", job=release.job)
    assert "empty-promise" in [warning.key for warning in by_job.warnings]


def test_a_certificate_that_leaves_it_out_is_noticed() -> None:
    release = ny.publish(FRAME, SCHEMA, privacy=[ny.KAnonymity(k=1)])
    assert "and nothing else is promised" in release.warnings[0].says
    forged = {
        **release.certificate,
        "not_protected": [one for one in release.certificate["not_protected"] if one["warning"] != "empty-promise"],
    }
    assert any("leaves out a warning" in problem for problem in ny.check(release.table, certificate=forged).problems)


def test_of_a_promise_that_says_something_nothing_is_said() -> None:
    release = ny.publish(FRAME, SCHEMA, privacy=[ny.KAnonymity(k=2)])
    assert "empty-promise" not in [warning.key for warning in release.warnings]
