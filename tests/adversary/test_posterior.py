"""Every method against someone who knows the program: all small tables of a grid, all draws, exact posteriors.

``worst.json`` holds the largest posterior of every method and promise on the grid. Where it exceeds what was promised,
the method betrays by nature why it published what it did, and the attack has to say so. ``NYMITY_ADVERSARY=write``
writes the file anew, ``NYMITY_ADVERSARY=large`` attacks a larger grid, and compares the attack with the oracle alone.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import nymity as ny
from adversary.examples import EXAMPLES, PRIVATE, PROMISES, SCHEMA, Example
from adversary.oracle import Family
from nymity.core.errors import TableError
from nymity.lattice.search import LatticeSearch
from nymity.publishing.jobs.registry import METHODS
from nymity.utility import Released

WORST = Path(__file__).with_name("worst.json")
MODE = os.environ.get("NYMITY_ADVERSARY", "")

#: People by age, and the values they may have: for methods that draw, and for those that do not.
Grid = list[tuple[tuple[int, ...], str]]
GRIDS: dict[bool, Grid] = {
    True: [((30, 30, 30, 31), "xy"), ((30, 31, 40, 40), "xy")],
    False: [((30, 31, 31, 40, 40), "xy"), ((30, 30, 31, 31, 31, 31), "xy")],
}
LARGE: dict[bool, Grid] = {
    True: [
        ((30, 30, 31, 31), "xyz"),
        ((30, 30, 31, 40), "xyz"),
        ((30, 30, 30, 31, 31), "xy"),
        ((30, 31, 31, 40, 40), "xy"),
    ],
    False: [((30, 30, 31, 31, 40), "xyz"), ((30, 30, 31, 31, 31, 31), "xyz"), ((30, 31, 31, 31, 40, 40), "xyz")],
}

CASES = [
    pytest.param(example, promise, id=f"{example.name}: {promise}")
    for examples in EXAMPLES.values()
    for example in examples
    for promise in example.promises
]


def test_every_registered_method_is_attacked() -> None:
    missing = set(METHODS) - set(EXAMPLES) - PRIVATE
    assert not missing, f"write examples of {sorted(missing)} in tests/adversary/examples.py: Example(method, promises)"
    assert set(EXAMPLES) | PRIVATE == set(METHODS)
    for key, examples in EXAMPLES.items():
        assert examples, f"{key} has no example"
        assert all(example.method.key == key and example.promises for example in examples)


@pytest.mark.parametrize(("example", "promise"), CASES)
def test_the_attack_finds_the_exact_posterior(example: Example, promise: str) -> None:
    worst, tested = Fraction(0), 0
    for ages, labels in grid(example, promise):
        family = Family(ages, labels, SCHEMA, example.method, PROMISES[promise])
        for published, truth in family.releases().items():
            beliefs = family.posterior(published, truth)
            limited = "x" if promise == "x at most half" else set(truth)
            highest = max(belief.get(value, Fraction(0)) for belief in beliefs for value in limited)
            result = attacked(family, published, truth)
            assert result.highest == max(chance for belief in beliefs for chance in belief.values()), (ages, truth)
            limit = promised(promise)
            certain = min(sum(chance > 0 for chance in belief.values()) for belief in beliefs) < 2
            assert result.exceeds == (highest > limit if limit is not None else certain and "distinct" in promise)
            worst, tested = max(worst, highest), tested + 1
    assert tested, "no table of the grid was published"
    if MODE != "large":
        remembered(example.name, promise, worst)


@pytest.mark.parametrize("key", ["optimal-lattice", "mondrian", "sorted-groups", "freeform-greedy"])
def test_the_attack_finds_the_chance_of_picking_a_row(key: str) -> None:
    example = EXAMPLES[key][-1]
    family = Family((30, 30, 31), "xy", SCHEMA, example.method, PROMISES[example.promises[0]])
    releases = family.releases()
    assert releases
    for published, truth in releases.items():
        result = attacked(family, published, truth, rows=True)
        if result.figures.get("removed"):
            continue  # the oracle takes labels as they are given, the attack those of the original
        assert result.highest == family.links(published)
        assert result.exceeds == (result.highest > Fraction(1, 2))


@pytest.mark.parametrize("key", sorted(PRIVATE))
def test_private_methods_say_why_they_are_not_attacked(key: str) -> None:
    frame = ny.datasets.hospital(50, seed=1)
    promise = ny.DifferentialPrivacy(epsilon=1.0, public_records=50)
    known = Released(frame=frame, schema=ny.datasets.hospital_schema(), models=(promise,), method=METHODS[key]())
    found = ny.risk.attack(known, original=frame, attacks=["minimality"])
    (reason,) = (one.reason for one in found.not_run)
    assert "knows the program and all others" in reason


def grid(example: Example, promise: str) -> Grid:
    """Larger for methods that draw nothing; smaller where no model looks at sensitive values."""
    draws = not isinstance(example.method, LatticeSearch | ny.IterativeRecoding)
    chosen = (LARGE if MODE == "large" else GRIDS)[draws]
    return chosen[:1] if promise in ("2-anonymity", "2-matching") else chosen


def promised(name: str) -> Fraction | None:
    """The largest chance that a promise leaves anybody's value."""
    return Fraction(1, 2) if name.startswith(("frequency", "shares", "x")) else None


def attacked(family: Family, published: Any, truth: tuple[str, ...], *, rows: bool = False) -> Any:
    """Attack a release as a file would be: the table alone, with the job and the original.

    Centres do not tell what they stand for, and such a table alone is refused. Its recoding says it; the oracle, which
    has the table alone, knows as much, for it runs the program on all quasi-identifiers.
    """
    schema, method, models = family.job
    recoded = family.examples[published]
    known = Released(frame=recoded.table, counts=recoded.counts, schema=schema, models=tuple(models), method=method)
    if not method.makes.is_readable:
        with pytest.raises(TableError, match="expected the recoding: means and other centres of groups do not tell"):
            ny.risk.attack(known, original=family.table(truth), attacks=["minimality"])
        known = replace(known, recoding=family.recodings[published])
    found = ny.risk.attack(known, original=family.table(truth), attacks=["minimality"])
    assert not found.not_run, found.not_run
    (result,) = (one for one in found.results if (one.attribute is None) == rows)
    assert result.exact
    return result


def remembered(method: str, promise: str, worst: Fraction) -> None:
    """Compare with what was measured before, so that a change is noticed, for better or worse."""
    known = json.loads(WORST.read_text(encoding="utf-8")) if WORST.exists() else {}
    limit = promised(promise)
    found = {"highest": str(worst), "promised": None if limit is None else str(limit)}
    if MODE == "write":
        known.setdefault(method, {})[promise] = found
        WORST.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert known.get(method, {}).get(promise) == found, (
        f"{method} with {promise}: {found}; if that is right, write it down with NYMITY_ADVERSARY=write (-n 0)"
    )
