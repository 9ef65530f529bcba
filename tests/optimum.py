"""The optimum of a search against trying every node."""

from __future__ import annotations

import math
from dataclasses import asdict

import pytest
from hypothesis import strategies as st

import naive
from nymity.core.errors import NoSolutionError
from nymity.lattice.optimal import OptimalLattice
from strategies import Case, Demand, node_between


@st.composite
def limits(draw: st.DrawFn, case: Case, demand: Demand) -> float:
    """None, little, all, or just what some node needs."""
    kind = draw(st.sampled_from(["none", "little", "boundary", "all"]))
    if kind in ("none", "all"):
        return 1.0 if kind == "all" else 0.0
    if kind == "little":
        return draw(st.sampled_from([0.05, 0.1, 0.29, 0.5, 0.57]))
    node = draw(node_between(case.low, case.high))
    return len(naive.suppressed(case.records, node, demand.judges)) / len(case.records)


def assert_optimum(case: Case, demand: Demand, method: OptimalLattice) -> None:
    limit = naive.limit_of(repr(float(method.suppression)), len(case.records))
    loss = method.minimized
    parameters = asdict(loss)  # type: ignore[call-overload]
    best = naive.optimum(case.records, demand.judges, loss.key, limit, case.low, case.high, **parameters)
    if best is None:
        with pytest.raises(NoSolutionError) as caught:
            method.run(case.encoded, demand.models)
        least = naive.least_suppressed(case.records, demand.judges, case.low, case.high)
        if least < len(case.records):
            assert f"({least:,} of {len(case.records):,} records)" in str(caught.value)
        else:
            assert "every record would have to be suppressed" in str(caught.value)
        return
    outcome = method.run(case.encoded, demand.models)
    assert tuple(outcome.levels.values()) == best.node
    assert list(outcome.levels) == list(case.schema.quasi)
    assert math.isclose(outcome.loss, best.loss, rel_tol=1e-12, abs_tol=1e-13)
    assert (outcome.suppressed, outcome.classes) == (best.suppressed, best.classes)
    assert (outcome.optimal, outcome.minimized) == (True, loss)
    assert outcome.lattice_size == math.prod(b - a + 1 for a, b in zip(case.low, case.high, strict=True))
    assert len(outcome.recoding.layers[0].classes) == best.classes
