"""The classification metric: majorities by hand, and which target it takes."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from nymity.core.errors import ParameterError
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publishing.comparing.compare import compare
from nymity.publishing.releases.opened import open as open_release
from nymity.quality import ClassificationLoss
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.schema import Schema

TABLE = pl.DataFrame(
    {
        "a": ["x", "x", "x", "y", "y", "z"],
        "s": ["p", "p", "q", "p", "q", "q"],
        "t": ["1", "2", "3", "1", "1", "1"],
    }
)
SCHEMA = Schema({"a": quasi(), "s": sensitive(), "t": sensitive()})
ENCODED = encode(TABLE, SCHEMA)


@pytest.mark.parametrize(
    ("target", "k", "level", "errors"),
    [
        ("s", 1, 0, 1 + 1 + 0),  # one q beside two p, one of two, none alone
        ("s", 2, 0, 1 + 1 + 1),  # the record of z is suppressed
        ("s", 3, 0, 1 + 2 + 1),
        ("s", 1, 1, 3),
        ("t", 1, 0, 2),
        ("t", 1, 1, 2),
    ],
)
def test_by_hand(target: str, k: int, level: int, errors: int) -> None:
    bound = ClassificationLoss(target=target).prepare(ENCODED)
    found = RollUp(ENCODED, [KAnonymity(k=k)], needs=bound.needs).check((level,))
    assert bound.value(found)[0] == errors / 6


def test_a_model_may_ask_for_another_attribute() -> None:
    loss, models = ClassificationLoss(target="t"), [DistinctLDiversity(l=2, attribute="s")]
    outcome = OptimalLattice(loss=loss, suppression=0.2).run(ENCODED, models)
    assert (outcome.levels, outcome.suppressed, outcome.loss) == ({"a": 1}, 0, 2 / 6)
    assert outcome.optimal


def test_the_only_sensitive_attribute_need_not_be_named() -> None:
    one = encode(TABLE.drop("t"), Schema({"a": quasi(), "s": sensitive()}))
    assert ClassificationLoss().prepare(one).target == "s"
    assert ClassificationLoss.of_table(one) == (ClassificationLoss(),)
    assert ClassificationLoss.of_table(ENCODED) == (ClassificationLoss(target="s"), ClassificationLoss(target="t"))
    assert ClassificationLoss.of_table(encode(TABLE.select("a"), Schema({"a": quasi()}))) == ()


@pytest.mark.parametrize(
    ("schema", "target", "said"),
    [
        (
            SCHEMA,
            None,
            r"classification\.target: expected a sensitive attribute to predict \('s', 't'\), got none named",
        ),
        (SCHEMA, "a", "got 'a'"),
        (SCHEMA, "u", "got 'u'"),
        (Schema({"a": quasi()}), None, "the schema has none"),
    ],
)
def test_a_target_that_is_missing(schema: Schema, target: Any, said: str) -> None:
    encoded = encode(TABLE.select(list(schema)), schema)
    with pytest.raises(ParameterError, match=said):
        OptimalLattice(loss=ClassificationLoss(target=target)).run(encoded, [KAnonymity(k=2)])


def test_a_target_that_is_no_name() -> None:
    with pytest.raises(
        ParameterError, match=r"classification\.target: expected the name of a sensitive attribute, got"
    ):
        ClassificationLoss(target=5)  # type: ignore[arg-type]


def test_compare_tells_it_for_every_sensitive_attribute() -> None:
    found = {
        loss.name: loss
        for loss in compare(TABLE, open_release(TABLE.with_columns(a=pl.Series([*"xxxyy", "*"])), schema=SCHEMA)).losses
    }
    assert found["classification (target=s)"].value == 3 / 6
    assert found["classification (target=s)"].original == 2 / 6
    assert found["classification (target=s)"].suppressed == 1
    assert found["classification (target=t)"].value == 3 / 6
    without = compare(TABLE, open_release(TABLE.drop("t"), schema=SCHEMA))
    assert [loss.name for loss in without.losses if loss.key == "classification"] == ["classification (target=s)"]
