"""A table and its permutations have the same releases with the same probabilities, whatever column is looked at."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import nymity as ny
from adversary.examples import AGES, EXAMPLES, PROMISES, Example
from adversary.oracle import distribution

SCHEMA = ny.Schema({"age": ny.quasi(AGES), "s": ny.sensitive(), "note": ny.insensitive()})
CASES = [pytest.param(example, id=example.name) for examples in EXAMPLES.values() for example in examples]


def table(order: tuple[int, ...] = (0, 1, 2, 3)) -> pl.DataFrame:
    """Two people of one profile and two of another, told apart by a note alone."""
    people = [(30, "x", "first"), (30, "x", "second"), (30, "y", "third"), (31, "y", "fourth")]
    return pl.DataFrame([people[i] for i in order], schema=["age", "s", "note"], orient="row")


@pytest.mark.parametrize("example", CASES)
def test_the_order_of_the_source_has_no_part_in_a_release(example: Example) -> None:
    job: tuple[Any, ...] = (SCHEMA, example.method, PROMISES[example.promises[-1]])
    found = distribution(table(), *job, settled=frozenset())
    assert found
    assert sum(found.values()) == 1
    for order in [(3, 2, 1, 0), (1, 0, 2, 3)]:
        assert distribution(table(order), *job, settled=frozenset()) == found


@pytest.mark.parametrize("example", CASES)
def test_draws_among_equals_change_nothing_that_the_oracle_looks_at(example: Example) -> None:
    job: tuple[Any, ...] = (SCHEMA, example.method, PROMISES[example.promises[-1]])
    frame = table().drop("note")
    schema = ny.Schema({name: SCHEMA[name] for name in frame.columns})
    assert distribution(frame, schema, *job[1:]) == distribution(frame, schema, *job[1:], settled=frozenset())
