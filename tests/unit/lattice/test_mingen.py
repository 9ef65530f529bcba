"""MinGen against the definition: every node, the strictly least distorted, and the preference among equals."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.lattice import mingen
from nymity.lattice.mingen import PREFERENCES, MinGen
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity
from nymity.quality import PrecisionLoss
from nymity.table.attribute import quasi
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from optimum import limits
from strategies import Demand, cases, demands
from toys import EvenClasses


@pytest.mark.parametrize("prefer", [*PREFERENCES, "attributes"])
@given(st.data())
@settings(max_examples=50)
def test_the_preferred_of_the_least_distorted(prefer: str, data: st.DataObject) -> None:
    case = data.draw(cases(n_sensitive=1, bounded=data.draw(st.booleans())))
    demand = data.draw(demands(case, diversity=data.draw(st.booleans())))
    if data.draw(st.booleans()):
        demand = Demand((EvenClasses(),), (naive.even,))
    suppression = data.draw(limits(case, demand))
    key = data.draw(st.sampled_from(["precision", "height", "discernibility"]))
    order = data.draw(st.permutations(range(len(case.low))))
    limit = naive.limit_of(repr(float(suppression)), len(case.records))
    gone = {n: len(naive.suppressed(case.records, n, demand.judges)) for n in naive.nodes(case.low, case.high)}
    solutions = [n for n, lost in gone.items() if lost <= limit and lost < len(case.records)]
    method = MinGen(
        loss=key,
        suppression=suppression,
        prefer=tuple(case.schema.quasi[a] for a in order) if prefer == "attributes" else prefer,
        threads=data.draw(st.sampled_from([1, 2])),
    )
    if not solutions:
        with pytest.raises(NoSolutionError):
            method.run(case.encoded, demand.models)
        return
    losses = {n: naive.loss(case.records, n, demand.judges, key) for n in solutions}
    tied = {n for n in solutions if math.isclose(losses[n], min(losses.values()), rel_tol=1e-12, abs_tol=0)}
    first: dict[str, Any] = {
        "fewest-suppressed": lambda n: gone[n],
        "lowest": sum,
        "most-classes": lambda n: -int(naive.statistics(case.records, n, demand.judges).accepted_classes),
        "attributes": lambda n: [n[a] for a in order],
    }
    outcome = method.run(case.encoded, demand.models)
    assert outcome.minimal is not None
    assert set(outcome.minimal) == tied
    assert len(outcome.minimal) == len(tied)
    expected = min(tied, key=lambda n: (first[prefer](n), gone[n], sum(n), n))
    assert tuple(outcome.levels.values()) == expected == outcome.minimal[0]
    assert outcome.optimal
    assert outcome.checks == outcome.lattice_size


def equals() -> EncodedTable:
    """Two attributes with the same values: hiding either makes pairs of records."""
    rows = Hierarchy.from_rows([["1", "*"], ["2", "*"]])
    frame = pl.DataFrame({"zip": ["1", "1", "2", "2"], "age": ["1", "2", "1", "2"]})
    return encode(frame, Schema({"zip": quasi(rows), "age": quasi(rows)}))


def test_preferences_decide_between_equals() -> None:
    models = [KAnonymity(k=2)]
    assert MinGen().run(equals(), models).minimal == ((0, 1), (1, 0))
    assert MinGen(prefer=("zip",)).run(equals(), models).levels == {"zip": 0, "age": 1}
    assert MinGen(prefer=["age"]).run(equals(), models).levels == {"zip": 1, "age": 0}  # type: ignore[arg-type]
    house = OptimalLattice(loss="precision").run(equals(), models)
    assert MinGen().run(equals(), models).levels == house.levels


def test_weights_come_from_the_schema() -> None:
    rows = Hierarchy.from_rows([["1", "*"], ["2", "*"]])
    frame = pl.DataFrame({"zip": ["1", "1", "2", "2"], "age": ["1", "2", "1", "2"]})
    encoded = encode(frame, Schema({"zip": quasi(rows), "age": quasi(rows, weight=2.0)}))
    assert MinGen().run(encoded, [KAnonymity(k=2)]).minimal == ((1, 0),)


def test_what_it_is_by_default() -> None:
    assert MinGen().minimized == PrecisionLoss()
    assert MinGen().suppression == 0


@pytest.mark.parametrize(
    ("prefer", "told"),
    [
        ("lowst", "did you mean 'lowest'"),
        ((), "or a list of attributes, got ()"),
        ((1,), "or a list of attributes, got (1,)"),
        (5, "or a list of attributes, got 5"),
    ],
)
def test_a_wrong_preference(prefer: Any, told: str) -> None:
    with pytest.raises(ParameterError) as caught:
        MinGen(prefer=prefer)
    assert caught.value.where == "mingen.prefer"
    assert told in str(caught.value)


def test_an_attribute_that_is_not_there() -> None:
    with pytest.raises(ParameterError, match=r"mingen\.prefer: .*did you mean 'zip'"):
        MinGen(prefer=("zipp",)).run(equals(), [KAnonymity(k=2)])


def test_a_lattice_too_large_to_evaluate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mingen, "MAX_EVALUATED", 3)
    with pytest.raises(ParameterError, match=r"at most 3 nodes, got 4\. Try: 'anytime-lattice'"):
        MinGen().run(equals(), [KAnonymity(k=2)])
