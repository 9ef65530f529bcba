from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.lattice import samarati
from nymity.lattice.samarati import Samarati
from nymity.privacy import KAnonymity
from nymity.quality import LOSSES
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from strategies import cases, demands
from toys import EvenClasses


@pytest.mark.parametrize("key", ["loss", "height", "discernibility"])
@given(st.data())
@settings(max_examples=60)
def test_the_best_of_the_lowest_solutions(key: str, data: st.DataObject) -> None:
    case = data.draw(cases(n_sensitive=1, bounded=data.draw(st.booleans())))
    demand = data.draw(demands(case, diversity=data.draw(st.booleans())))
    suppression = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    limit = naive.limit_of(repr(suppression), len(case.records))
    gone = {node: naive.suppressed(case.records, node, demand.judges) for node in naive.nodes(case.low, case.high)}
    solutions = [node for node, lost in gone.items() if len(lost) <= limit and len(lost) < len(case.records)]
    method = Samarati(loss=key, suppression=suppression)
    if not solutions:
        with pytest.raises(NoSolutionError):
            method.run(case.encoded, demand.models)
        return
    outcome = method.run(case.encoded, demand.models)
    lowest = min(sum(node) for node in solutions)
    losses = {n: float(naive.loss(case.records, n, demand.judges, key)) for n in solutions if sum(n) == lowest}
    assert sum(outcome.levels.values()) == lowest
    assert math.isclose(outcome.loss, min(losses.values()), rel_tol=1e-12, abs_tol=1e-13)
    assert math.isclose(losses[tuple(outcome.levels.values())], outcome.loss, rel_tol=1e-12, abs_tol=1e-13)
    weights = {case.schema[name].weight for name in case.schema.quasi}
    assert outcome.optimal == (key == "height" and len(weights) == 1)


@pytest.mark.parametrize("key", sorted(LOSSES))
def test_every_loss_can_be_reported(key: str) -> None:
    encoded = encode(
        pl.DataFrame({"a": ["x", "x", "y", "z"], "b": ["1", "1", "2", "2"], "s": ["p", "q", "p", "q"]}),
        Schema({"a": quasi(), "b": quasi(), "s": sensitive()}),
    )
    assert Samarati(loss=key).run(encoded, [KAnonymity(k=2)]).levels == {"a": 1, "b": 0}


def test_a_model_that_generalization_can_break_is_refused() -> None:
    encoded = encode(pl.DataFrame({"a": ["x", "y"]}), Schema({"a": quasi()}))
    with pytest.raises(ParameterError, match=r"samarati: even: .*Try: use the method 'optimal-lattice'"):
        Samarati().run(encoded, [EvenClasses()])


def test_a_lattice_too_large_to_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samarati, "MAX_LISTED", 3)
    encoded = encode(pl.DataFrame({"a": ["x", "y"], "b": ["x", "y"]}), Schema({"a": quasi(), "b": quasi()}))
    with pytest.raises(ParameterError, match="at most 3 nodes, got 4"):
        Samarati().run(encoded, [KAnonymity(k=2)])


def test_nothing_is_claimed_about_weighted_heights() -> None:
    """Levels a=1, b=0 have the smallest sum, but weigh 2; a=0, b=2 weigh 1."""
    frame = pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["10", "20", "10", "20"]})
    tall = ny.Hierarchy.from_rows([["10", "1-2", "*"], ["20", "2-3", "*"]])
    schema = ny.Schema({"a": ny.quasi(weight=2), "b": ny.quasi(tall, weight=0.5)})
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=2), method=ny.Samarati(loss="height", suppression=0))
    assert (release.levels, release.loss) == ({"a": 1, "b": 0}, 2.0)
    assert release.certificate["loss"]["proven_optimal"] is False
    best = ny.publish(frame, schema, privacy=ny.KAnonymity(k=2), method=ny.OptimalLattice(loss="height", suppression=0))
    assert best.loss == 1.0
