"""Random visits, households and parents with children, published and then judged by what the promises say, by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import polars as pl
import pytest

import nymity as ny

Row = dict[str, Any]
#: What each unit's rows are, as classes.
Units = Mapping[str, Counter[Hashable]]

WARDS = [["p", "P", "*"], ["q", "P", "*"], ["r", "R", "*"], ["s", "R", "*"]]
DAYS = [["0", "0-1", "*"], ["1", "0-1", "*"], ["2", "2-3", "*"], ["3", "2-3", "*"]]
QUASI = {"ward": ny.quasi(ny.Hierarchy.from_rows(WARDS)), "day": ny.quasi(ny.Hierarchy.from_rows(DAYS))}
NODES = list(product(range(3), range(3)))


def visits(draw: Random) -> list[Row]:
    rows = []
    for person in range(draw.randint(4, 12)):
        own = (draw.choice("pqrs"), draw.randrange(4), draw.choice("xyz"))
        for _ in range(draw.randint(1, 4)):
            ward, day, ill = (
                one if draw.random() < 0.6 else draw.choice(other)
                for one, other in zip(own, ("pqrs", range(4), "xyz"), strict=True)
            )
            rows.append({"who": f"P{person}", "home": f"H{person // 2}", "ward": ward, "day": day, "ill": ill})
    draw.shuffle(rows)
    return rows


def at(ward: str, day: int, node: tuple[int, ...]) -> tuple[str, str]:
    raised = ({row[0]: row for row in rows} for rows in (WARDS, DAYS))
    return tuple(row[str(cell)][level] for row, cell, level in zip(raised, (ward, day), node, strict=True))  # type: ignore[return-value]


def units(rows: Iterable[tuple[str, Hashable]]) -> Units:
    found: dict[str, Counter[Hashable]] = defaultdict(Counter)
    for whose, look in rows:
        found[whose][look] += 1
    return found


def alike(of: Units, one: Counter[Hashable], k: int, knows: int | str) -> bool:
    """Whether k units have all that can be known of one of them."""
    if knows == "all":
        return sum(other == one for other in of.values()) >= k
    rows = sorted(one.elements(), key=str)
    known = {part for size in range(1, min(int(knows), len(rows)) + 1) for part in combinations(rows, size)}
    return all(sum(other >= Counter(part) for other in of.values()) >= k for part in known)


def left_of(of: Units, k: int, knows: int | str) -> set[str]:
    """Leave out whoever is told by what can be known, until nobody is."""
    left = dict(of)
    while bad := [whose for whose, one in left.items() if not alike(left, one, k, knows)]:
        left = {whose: one for whose, one in left.items() if whose not in bad}
    return set(left)


def check_choice(
    release: Any, of_node: Callable[[tuple[int, ...]], Units], asked: Mapping[str, Any]
) -> set[str] | None:
    """Compare what was found with all nodes; return who is left at the chosen one."""
    fine = {}
    for node in NODES:
        of = of_node(node)
        left, n = left_of(of, asked["k"], asked["knows"]), sum(one.total() for one in of.values())
        lost = n - sum(of[whose].total() for whose in left)
        if lost < n and lost <= Fraction(str(asked["suppression"])) * n:
            fine[node] = left
    assert (release is None) == (not fine)
    return None if release is None else fine[tuple(release.levels[name] for name in QUASI)]


def published(*arguments: Any, **options: Any) -> Any:
    try:
        return ny.publish(*arguments, **options)
    except ny.NoSolutionError:
        return None


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("of", ["person", "household"])
def test_whole_units_are_left_out_and_no_more_of_them_than_have_to_be(of: str, seed: int) -> None:
    draw = Random(seed)
    rows, unit = visits(draw), "who" if of == "person" else "home"
    asked = {"k": 2, "knows": draw.choice([1, 2, "all"]), "suppression": draw.choice([0, 0.3, 0.7])}
    roles = {"who": ny.person(), "home": ny.household(), **QUASI, "ill": ny.insensitive()}
    promise: Any = ny.LinkedKAnonymity(k=2, knows=asked["knows"], of=of)  # type: ignore[arg-type]
    method = ny.OptimalLattice(suppression=asked["suppression"])
    release = published(pl.DataFrame(rows), ny.Schema(roles), privacy=promise, method=method)
    left = check_choice(
        release, lambda node: units((row[unit], at(row["ward"], row["day"], node)) for row in rows), asked
    )
    if left is not None:
        assert sorted(release.log.source_rows) == [i for i, row in enumerate(rows) if row[unit] in left]
        assert ny.check(release, original=pl.DataFrame(rows)).answer == "holds"


@pytest.mark.parametrize("seed", range(25))
def test_parents_are_left_out_with_their_children(seed: int) -> None:
    draw = Random(seed)
    parents = [{"who": f"P{i}", "ward": draw.choice("pqr")} for i in range(draw.randint(4, 12))]
    numbers = [(one["who"], draw.choice([0, 1, 1, 2])) for one in parents]
    children = [{"who": who, "day": draw.randrange(2)} for who, n in numbers for _ in range(n)] or [
        {"who": "P0", "day": 0}
    ]
    asked = {"k": 2, "knows": draw.choice([1, 2, "all"]), "suppression": draw.choice([0, 0.3, 0.7])}
    release = published(
        pl.DataFrame(parents),
        ny.Schema({"who": ny.person(pseudonym="random"), **QUASI}),
        privacy=ny.LinkedKAnonymity(k=2, knows=asked["knows"]),
        method=ny.OptimalLattice(suppression=asked["suppression"]),
        children=pl.DataFrame(children),
    )

    def of_node(node: tuple[int, ...]) -> Units:
        ward_of = {one["who"]: one["ward"] for one in parents}
        looks: list[tuple[str, Hashable]] = [(c["who"], at(ward_of[c["who"]], c["day"], node)) for c in children]
        lonely = set(ward_of) - {child["who"] for child in children}
        return units([*looks, *((who, (at(ward_of[who], 0, node)[0], "none")) for who in lonely)])

    left = check_choice(release, of_node, asked)
    if left is not None:
        tables = list(release.tables.values())
        assert [table.height for table in tables] == [len(left), sum(child["who"] in left for child in children)]


METHODS = [
    ny.OptimalLattice(suppression=0.3),
    ny.Datafly(suppression=0.3),
    ny.IterativeRecoding(),
    ny.Mondrian(),
    ny.KMember(),
    ny.GreedySearch(),
    ny.SortedGroups(),
    ny.Refine(),
    ny.CellSuppression(),
]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
def test_every_class_has_persons_enough(method: Any, seed: int) -> None:
    rows = visits(Random(seed))
    promises = [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="ill"), ny.Dominance(limit=0.75)]
    roles = {"who": ny.person(), "home": ny.identifying(), **QUASI, "ill": ny.sensitive()}
    release = published(pl.DataFrame(rows), ny.Schema(roles), privacy=promises, method=method)
    if release is None:
        assert method.key in ("optimal-lattice", "datafly"), "the others publish one class at worst"
        return
    classes: dict[Any, list[Row]] = defaultdict(list)
    for cells, i in zip(release.frame.select(*QUASI).rows(), release.log.source_rows, strict=True):
        classes[cells].append(rows[int(i)])
    for members in classes.values():
        of = Counter(row["who"] for row in members)
        assert len(of) >= 2
        assert len({row["ill"] for row in members}) >= 2
        assert Fraction(max(of.values()), len(members)) <= Fraction(3, 4)
