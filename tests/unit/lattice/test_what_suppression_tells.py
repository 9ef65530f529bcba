"""What masked rows tell one who knows the program and everybody's quasi-identifiers: every table is tried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction

import polars as pl
import pytest

from nymity.core.errors import NoSolutionError, ParameterError
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import FrequencyLDiversity, KAnonymity
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from posterior import Posterior, Table, posteriors_by_chance, unordered

AGES = Hierarchy.from_rows([[str(age), "low" if age < 33 else "high", "*"] for age in range(30, 36)])
SCHEMA = Schema({"age": quasi(hierarchy=AGES), "value": sensitive()})
PROMISE = [KAnonymity(k=2), FrequencyLDiversity(l=2, attribute="value")]


def releases(table: Table) -> Counter[Hashable]:
    """A lattice search draws nothing: one release, or none."""
    rows = [(look, value) for look, held in table for value in held]
    frame = pl.DataFrame(rows, schema=["age", "value"], orient="row")
    try:
        outcome = OptimalLattice(suppression=0.5).run(encode(frame, SCHEMA), PROMISE, columns=["age", "value"])
    except (NoSolutionError, ParameterError):
        return Counter([()])
    return Counter([unordered(outcome.recoding.apply(frame).table)])


def inferred(ages: tuple[int, ...]) -> Posterior:
    found = posteriors_by_chance(ages, "abc", releases)
    found.pop((), None)
    return found


@pytest.mark.parametrize("ages", [(30, 30, 31, 31, 34, 35), (30, 30, 30, 30, 34, 35)], ids=str)
def test_no_value_stands_out_among_masked_rows(ages: tuple[int, ...]) -> None:
    """Where some rows are masked, nobody's value can be guessed better than 2-diversity promises, masked or not."""
    masked = {
        release: chances
        for release, chances in inferred(ages).items()
        if 0 < sum(age == "*" for age, _ in release) < len(release)  # type: ignore[attr-defined]
    }
    assert masked
    assert max(max(chances.values()) for chances in masked.values()) <= Fraction(1, 2)


def test_optimality_tells_why_nothing_finer_was_published() -> None:
    """The minimality attack at its worst: all ages are "*" only because every finer release broke the promise."""
    found = inferred((30, 30, 31, 31, 33, 33))
    certain = [release for release, chances in found.items() if max(chances.values()) == 1]
    assert certain
    assert all(age == "*" for release in certain for age, _ in release)  # type: ignore[attr-defined]
