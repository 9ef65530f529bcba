"""k-map and delta-presence by persons: what a search finds against every node of small lattices, by sets of persons."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from random import Random

import polars as pl
import pytest

import nymity as ny

Row = tuple[str, ...]


def _random(seed: int) -> tuple[list[Row], list[Row], list[dict[str, list[str]]], Random]:
    """Return records of a population, some of them, and the hierarchy of each column."""
    draw = Random(seed)
    values = [["a", "b", "c"][: draw.randint(1, 3)] for _ in range(draw.randint(1, 2))]
    levels = [{value: [value, draw.choice("GH"), "*"] for value in column} for column in values]
    people = [
        (f"p{p}", *map(draw.choice, values)) for p in range(draw.randint(2, 10)) for _ in range(draw.randint(1, 3))
    ]
    chosen = [row for row in people for _ in range(draw.choice([0, 1, 1, 2]))]
    return people, chosen or people[:1], levels, draw


def _frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["who", *(f"q{i}" for i in range(len(rows[0]) - 1))], orient="row")


def _classes(rows: list[Row], levels: list[dict[str, list[str]]], node: tuple[int, ...]) -> dict[Row, list[str]]:
    """Return of whom the records of each class are."""
    found = defaultdict(list)
    for who, *cells in rows:
        found[tuple(of[cell][level] for of, cell, level in zip(levels, cells, node, strict=True))].append(who)
    return found


@pytest.mark.parametrize("seed", range(24))
def test_what_is_found_is_there_and_what_is_not_is_not(seed: int) -> None:
    people, chosen, levels, draw = _random(seed)
    schema = {"who": ny.person(), **{f"q{i}": ny.quasi(_tree(of)) for i, of in enumerate(levels)}}
    limit, k = draw.choice(["0", "0.3", "1"]), draw.randint(1, min(5, len({row[0] for row in people})))
    low, high = draw.choice([("0", "0.5"), ("0", "1"), ("0.2", "1"), ("0.3", "0.9")])
    by_k, by_presence = set(), set()
    for node in product(range(3), repeat=len(levels)):
        everyone, there = _classes(people, levels, node), _classes(chosen, levels, node)
        lost = sum(len(whose) for at, whose in there.items() if len(set(everyone[at])) < k)
        if lost < len(chosen) and lost <= Fraction(limit) * len(chosen):
            by_k.add(node)
        shares = (Fraction(len(set(there.get(at, ()))), len(set(whose))) for at, whose in everyone.items())
        if all(Fraction(low) <= share <= Fraction(high) for share in shares):
            by_presence.add(node)
    population, table = _frame(people), _frame(chosen)
    presence = ny.DeltaPresence(low=float(low), high=float(high), subset=table)
    for source, model, suppressed, expected in (
        (table, ny.KMap(k=k, population=population), float(limit), by_k),
        (population, presence, 0.0, by_presence),
    ):
        try:
            method = ny.OptimalLattice(suppression=suppressed, outliers="remove")
            found = {tuple(ny.publish(source, schema, privacy=[model], method=method).levels.values())}
        except ny.NymityError:
            found = set()
        assert found <= expected, model
        assert bool(found) == bool(expected), model


def _tree(levels: dict[str, list[str]]) -> ny.Hierarchy:
    return ny.Hierarchy.from_rows(list(levels.values()))
