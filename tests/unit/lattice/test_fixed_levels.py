"""One node that somebody chose: published where the models hold there, refused elsewhere, whatever the table."""

from __future__ import annotations

from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.table.builders import Intervals

SCHEMA = ny.Schema({"age": ny.quasi(Intervals(width=10, levels=2)), "sex": ny.quasi(), "ill": ny.sensitive()})
rows = st.lists(
    st.tuples(st.integers(20, 49), st.sampled_from("fm"), st.sampled_from(["flu", "gout"])), min_size=4, max_size=20
)


@given(rows, st.sampled_from([0.0, 0.3]))
def test_a_node_is_published_just_where_the_lattice_has_a_solution(found: list[Any], share: float) -> None:
    """What is published has classes of 3 at least, the masked rows being one of them."""
    table = pl.DataFrame(found, schema=["age", "sex", "ill"], orient="row")
    privacy = ny.KAnonymity(k=3)
    nodes = ny.explore(table, SCHEMA, privacy=privacy, method=ny.OptimalLattice(suppression=share))
    solved = {tuple(levels): bool(nodes.solution[n]) for n, levels in enumerate(nodes.levels.tolist())}
    for age, sex in product(range(max(a for a, _ in solved) + 1), range(max(s for _, s in solved) + 1)):
        method = ny.FixedLevels(levels={"age": age, "sex": sex}, suppression=share)
        if not solved[age, sex]:
            with pytest.raises(NoSolutionError, match="would have to be suppressed"):
                ny.publish(table, SCHEMA, privacy=privacy, method=method)
            continue
        release = ny.publish(table, SCHEMA, privacy=privacy, method=method)
        assert release.levels == {"age": age, "sex": sex}
        assert min(release.frame.group_by("age", "sex").len()["len"]) >= 3
        assert release.outcome.suppressed <= share * len(found)
        assert release.outcome.checks == 1


def test_what_is_not_named_is_at_its_highest_level() -> None:
    table = pl.DataFrame({"age": [20, 20, 35, 35], "sex": list("fmfm"), "ill": ["a", "b", "a", "b"]})
    release = ny.publish(table, SCHEMA, privacy=ny.KAnonymity(k=2), method=ny.FixedLevels(levels={"age": 0}))
    assert release.levels["age"] == 0
    assert set(release.frame["sex"].to_list()) == {"*"}


def test_bounds_of_the_schema_bind() -> None:
    table = pl.DataFrame({"age": [20, 20, 35, 35], "sex": list("fmfm"), "ill": ["a", "b", "a", "b"]})
    bounded = ny.Schema({**SCHEMA, "age": ny.quasi(Intervals(width=10, levels=2), min_level=1)})
    with pytest.raises(ParameterError, match="a level from 1 to"):
        ny.publish(table, bounded, privacy=ny.KAnonymity(k=2), method=ny.FixedLevels(levels={"age": 0}))
    with pytest.raises(ParameterError, match=r"levels: .*did you mean 'age'"):
        ny.publish(table, SCHEMA, privacy=ny.KAnonymity(k=2), method=ny.FixedLevels(levels={"agee": 0}))


@pytest.mark.parametrize("levels", [{"age": -1}, {"age": 1.5}, {"age": True}, {3: 1}, ["age"]])
def test_bad_levels(levels: Any) -> None:
    with pytest.raises(ParameterError, match="levels"):
        ny.FixedLevels(levels=levels)
