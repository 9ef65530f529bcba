"""Transformations of statistics offices, judged by definitions alone: every partition, every choice of levels.

Written by somebody who had not written what is judged. Nothing here asks the code under test what a cell means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import nymity as ny
from nymity.publishing.checking.check import Answer
from nymity.report import render_about

#: A colon, a quote and a star belong to nobody's grammar.
NAMES = ("a", "b: x", "c'*")
Rows = list[list[str]]
Levels = list[list[str]]  # of each value of a column: itself, then its label on every level


def partitions(members: list[int], k: int) -> Iterator[list[list[int]]]:
    """Yield every division into classes of at least k."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    for size in range(k - 1, len(rest) + 1):
        for chosen in combinations(rest, size):
            left = [one for one in rest if one not in chosen]
            if not left or len(left) >= k:
                for others in partitions(left, k):
                    yield [[first, *chosen], *others]


def drawn_levels(random: Random, values: list[str]) -> Levels:
    """Return a hierarchy whose groups lie in one another; a group of one value may keep its name or have its own."""
    rows, groups = {value: [value] for value in values}, [[value] for value in values]
    for depth in range(random.randint(0, 2)):
        random.shuffle(groups)
        wider = []
        while groups:
            size = random.randint(1, 3)
            wider.append([value for group in groups[:size] for value in group])
            groups = groups[size:]
        groups = wider
        for number, group in enumerate(groups):
            for value in group:
                alone = len(group) == 1 and random.random() < 0.5
                rows[value].append(rows[value][-1] if alone else f"g{depth}_{number}")
    return [[*row, "*"] for row in rows.values()]


def share(levels: Levels, row: list[str], level: int) -> Fraction:
    """What a shown cell loses: the values of the domain that it stands for beside its own."""
    if level == len(row) - 1:
        return Fraction(1)
    covered = sum(other[level] == row[level] for other in levels)
    return Fraction(covered - 1, max(len(levels) - 1, 1))


class Case:
    """A random table with its hierarchies, weights and lowest levels."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.names = NAMES[: random.randint(1, 3)]
        self.k, n = random.randint(1, 3), random.randint(3, 5)
        domains = [[f"v{i}" for i in range(random.randint(1, 4))] for _ in self.names]
        self.levels = [drawn_levels(random, domain) for domain in domains]
        self.weights = [random.choice([1, 1, 0.5, 3, 0.1]) for _ in self.names]
        self.lowest = [random.randint(0, len(levels[0]) - 1) if random.random() < 0.3 else 0 for levels in self.levels]
        self.rows: Rows = [[random.choice(domain) for domain in domains] for _ in range(n)]
        self.of_value = [{row[0]: row for row in levels} for levels in self.levels]
        mean = sum(Fraction(str(weight)) for weight in self.weights) / len(self.weights)
        self.dear = [Fraction(str(weight)) / mean for weight in self.weights]

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema=list(self.names), orient="row")

    @property
    def schema(self) -> ny.Schema:
        each = zip(self.names, self.levels, self.weights, self.lowest, strict=True)
        return ny.Schema(
            {
                name: ny.quasi(ny.Hierarchy.from_rows(levels), weight=weight, min_level=low)
                for name, levels, weight, low in each
            }
        )

    def cell_cost(self, a: int, value: str, level: int, cell: str) -> Fraction:
        row = self.of_value[a][value]
        assert cell in (row[level], "*")
        return self.dear[a] * (1 if cell == "*" else share(self.levels[a], row, level))

    def cheapest(self) -> Fraction:
        """The least that any division into classes of k loses on any levels that are allowed."""
        divisions = list(partitions(list(range(len(self.rows))), self.k))
        nodes = product(*[range(low, len(levels[0])) for low, levels in zip(self.lowest, self.levels, strict=True)])
        return min(self._lost(node, division) for node in nodes for division in divisions)

    def _lost(self, node: tuple[int, ...], division: list[list[int]]) -> Fraction:
        lost = Fraction(0)
        for members in division:
            for a, level in enumerate(node):
                shown = {self.of_value[a][self.rows[i][a]][level] for i in members}
                cells = ["*"] * len(members) if len(shown) > 1 else [*shown] * len(members)
                lost += sum(self.cell_cost(a, self.rows[i][a], level, c) for i, c in zip(members, cells, strict=True))
        return lost


@pytest.mark.parametrize("seed", range(40))
def test_levels_and_suppressed_cells_by_trying_everything(seed: int) -> None:
    case = Case(seed)
    release = ny.publish(case.frame, case.schema, k=case.k, method=ny.GeneralizedSuppression(checks=1_000, rounds=1))
    table, source = release.table.select(case.names).rows(), release.log.source_rows.tolist()
    assert sorted(source) == list(range(len(case.rows)))
    assert min(table.count(row) for row in table) >= case.k
    lost = sum(
        (
            case.cell_cost(a, case.rows[i][a], release.levels[name], str(row[a]))
            for row, i in zip(table, source, strict=True)
            for a, name in enumerate(case.names)
        ),
        Fraction(0),
    )
    assert all(release.levels[name] >= low for name, low in zip(case.names, case.lowest, strict=True))
    assert release.loss == pytest.approx(float(lost), abs=1e-4)
    least = float(case.cheapest())
    assert release.outcome.bound is not None
    assert release.outcome.bound <= least + 1e-4
    assert least <= release.loss + 1e-4
    assert release.outcome.exhaustive


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("method", [ny.CellSuppression, ny.ExactSuppression])
def test_cells_on_stated_levels_show_the_label_and_never_what_it_stands_for(seed: int, method: Any) -> None:
    case = Case(seed)
    random = Random(seed)
    stated = {
        name: random.randint(low, len(levels[0]) - 1)
        for name, low, levels in zip(case.names, case.lowest, case.levels, strict=True)
    }
    release = ny.publish(case.frame, case.schema, k=case.k, method=method(levels=stated))
    for row, i in zip(release.table.select(case.names).rows(), release.log.source_rows.tolist(), strict=True):
        for a, name in enumerate(case.names):
            assert row[a] in (case.of_value[a][case.rows[i][a]][stated[name]], "*")


ONE_IN_EACH = pl.DataFrame({"age": [27] * 6 + [31] * 6, "sex": list("fffmmm") * 2})


@pytest.mark.parametrize(
    "method",
    [
        ny.CellSuppression(),
        ny.ExactSuppression(),
        ny.GeneralizedSuppression(),
        ny.GroupMeans(levels={"age": 1}),
        ny.SubsetSuppression(),
    ],
)
def test_a_label_that_stands_for_one_value_is_published_here_and_of_further_rows(method: Any, tmp_path: Path) -> None:
    """27 is the only one from 20 to 29: a column whose lowest level is 1 must still not show it."""
    ages = ny.Hierarchy.intervals(width=10, levels=3)
    schema = ny.Schema({"age": ny.quasi(ages, min_level=0 if isinstance(method, ny.GroupMeans) else 1), "sex": "quasi"})
    promise = ny.SubsetKAnonymity(k=3, m=2) if isinstance(method, ny.SubsetSuppression) else ny.KAnonymity(k=3)
    release = ny.publish(ONE_IN_EACH, schema, privacy=promise, method=method)
    assert set(release.table["age"]) == {"20-29", "30-39"}
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release", original=ONE_IN_EACH).holds
    assert ny.compare(ONE_IN_EACH, release).records == 12
    if not isinstance(method, ny.GroupMeans):
        further = ny.apply(tmp_path / "release-custodian" / "recoding.json", ONE_IN_EACH)
        assert set(further["age"]) == {"20-29", "30-39"}


FEW = pl.DataFrame({"x": list("aabbccddabcd"), "y": list("mnmnmnmnmmnn"), "z": list("uuuvvvuuuvvv")})


@pytest.mark.parametrize("promise", [ny.SubsetKAnonymity(k=3, m=1), ny.WildcardKAnonymity(k=3)])
@pytest.mark.parametrize(
    "method", [ny.OptimalLattice(suppression=0), ny.ExactSuppression(), ny.ExactPartition(), ny.CellSuppression()]
)
def test_what_is_proved_of_classes_is_no_proof_for_weaker_promises(promise: Any, method: Any, tmp_path: Path) -> None:
    """The raw table keeps that every value is there three times: classes of three lose something, and not the least."""
    release = ny.publish(FEW, ["x", "y", "z"], privacy=promise, method=method)
    assert release.loss > 0
    assert not release.outcome.optimal
    assert release.outcome.bound is None
    if isinstance(method, ny.CellSuppression | ny.ExactSuppression):  # the same loss, stars
        instead = ny.SubsetSuppression() if isinstance(promise, ny.SubsetKAnonymity) else ny.WildcardSuppression()
        assert ny.publish(FEW, ["x", "y", "z"], privacy=promise, method=instead).loss < release.loss
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds
    path = tmp_path / "release" / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    for told in ({"proven_optimal": True, "proven_bound": release.loss}, {"proven_bound": release.loss / 2}):
        path.write_text(json.dumps({**certificate, "loss": {**certificate["loss"], **told}}), encoding="utf-8")
        found = ny.check(tmp_path / "release")
        assert any("loss.proven_" in one.says for one in found.findings if one.answer is Answer.BROKEN)


@pytest.mark.parametrize(
    ("promise", "method"),
    [
        (ny.LKCPrivacy(l=1, k=3, c=0.9, attribute="s"), ny.TopDownSpecialization()),
        (ny.SubsetKAnonymity(k=3, m=1), ny.SubsetSuppression()),
        (ny.WildcardKAnonymity(k=3), ny.WildcardSuppression()),
    ],
    ids=lambda one: one.key,
)
def test_recipients_are_not_told_that_nobody_is_singled_out(promise: Any, method: Any, tmp_path: Path) -> None:
    frame = FEW.with_columns(s=pl.Series(list("pqrs") * 3))
    roles = {"x": "quasi", "y": "quasi", "z": "quasi", "s": "sensitive"}
    ny.publish(frame, roles, privacy=promise, method=method).save(tmp_path / "release")
    assert "nobody can be singled out" not in render_about(tmp_path / "release")
    ny.publish(frame, roles, k=3).save(tmp_path / "classes")
    assert "nobody can be singled out" in render_about(tmp_path / "classes")


def mdav(points: NDArray[np.float64], k: int) -> list[list[int]]:
    """Domingo-Ferrer & Mateo-Sanz 2002, with every distance computed."""
    left, groups = list(range(len(points))), []

    def apart(i: int, place: NDArray[np.float64]) -> float:
        return float(((points[i] - place) ** 2).sum())

    def take(seed: int) -> None:
        group = sorted(left, key=lambda i: apart(i, points[seed]))[:k]
        groups.append(group)
        left[:] = [i for i in left if i not in group]

    while len(left) >= 2 * k:
        centre = points[left].mean(axis=0)
        far = max(left, key=lambda i: apart(i, centre))
        other = max(left, key=lambda i: apart(i, points[far]))
        take(far)
        if len(left) >= 2 * k:
            take(other)
    return [*groups, left]


def within(points: NDArray[np.float64], groups: list[list[int]]) -> float:
    return float(sum(((points[g] - points[g].mean(axis=0)) ** 2).sum() for g in groups))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [3, 5])
def test_groups_of_near_records_are_those_of_the_definition(seed: int, k: int) -> None:
    drawn = np.random.default_rng(seed).normal([0, 5], [1, 3], (61, 2)).round(4)
    frame = pl.DataFrame({"q": ["a"] * 61, "v": drawn[:, 0], "w": drawn[:, 1]})
    roles = {"q": "quasi", "v": "insensitive", "w": "insensitive"}
    release = ny.publish(frame, roles, k=5, transforms=[ny.Microaggregation(columns=["v", "w"], k=k)])
    points = (drawn / drawn.std(axis=0))[release.log.source_rows]
    label = release.table.select(pl.struct("v", "w").rank("dense")).to_series().to_numpy()
    groups = [np.flatnonzero(label == one).tolist() for one in np.unique(label)]
    assert {len(group) for group in groups} <= set(range(k, 2 * k))
    assert within(points, groups) == pytest.approx(within(points, mdav(points, k)))
    for name, true in (("v", 0), ("w", 1)):
        assert release.table[name].mean() == pytest.approx(drawn[:, true].mean(), abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_lkc_up_to_three_columns_by_counting_every_group(seed: int) -> None:
    random = Random(seed)
    columns = [f"c{i}" for i in range(5)]
    frame = pl.DataFrame({name: [random.choice("abcd") for _ in range(80)] for name in columns})
    frame = frame.with_columns(s=pl.Series([random.choice("uvw") for _ in range(80)]))
    tree = ny.Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]])
    known, k = 1 + seed % 3, 2 + seed
    promise = ny.LKCPrivacy(l=known, k=k, c=0.8, attribute="s")
    schema = ny.Schema({**{name: ny.quasi(tree) for name in columns}, "s": ny.sensitive()})
    release = ny.publish(frame, schema, privacy=promise, method=ny.TopDownSpecialization())
    up = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}
    rows, true = release.table.rows(named=True), frame[release.log.source_rows.tolist()].rows(named=True)
    for size in range(1, known + 1):
        for some in combinations(columns, size):
            for person in true[::9]:  # somebody who knows true values of these columns
                fit = [row for row in rows if all(row[c] in (person[c], up[person[c]], "*") for c in some)]
                assert len(fit) >= k
                values = [row["s"] for row in fit]
                assert max(map(values.count, values)) * 5 <= 4 * len(fit)


class Mixed:
    """A table of a number, ordered words and words without an order, with weights; distances by Gower (1971)."""

    def __init__(self, seed: int, n: int) -> None:
        random = Random(seed)
        self.weights = [random.choice([1, 0.5, 3]) for _ in range(3)]
        self.scale = ["low", "some", "much", "most"]
        numbers = random.sample(range(1, 10_000), n)
        self.rows = [(x / 8, random.choice(self.scale), random.choice("uvw")) for x in numbers]
        self.secret = [random.choice(["x", "x", "y", "z", None]) for _ in range(n)]
        ends = [min(row[0] for row in self.rows), max(row[0] for row in self.rows)]
        self.width = ends[1] - ends[0]
        places = [self.scale.index(row[1]) for row in self.rows]
        self.high = max(max(places) - min(places), 1)

    @property
    def frame(self) -> pl.DataFrame:
        frame = pl.DataFrame(self.rows, schema=["x", "order", "word"], orient="row")
        return frame.with_columns(s=pl.Series(self.secret))

    @property
    def schema(self) -> ny.Schema:
        order = ny.Hierarchy.from_rows([[value, "*"] for value in self.scale])
        x, middle, word = self.weights
        return ny.Schema(
            {
                "x": ny.quasi(weight=x),
                "order": ny.quasi(order, weight=middle),
                "word": ny.quasi(weight=word),
                "s": ny.sensitive(missing="category"),
            }
        )

    def apart(self, one: tuple[float, float, str], other: tuple[float, float, str]) -> float:
        by = (abs(one[0] - other[0]) / self.width, abs(one[1] - other[1]) / self.high, float(one[2] != other[2]))
        return sum(weight * each for weight, each in zip(self.weights, by, strict=True))

    def groups(self, k: int) -> set[frozenset[int]]:
        """MDAV, with every distance computed; a centre has means of numbers and orders, and the most frequent word."""
        points = [(x, float(self.scale.index(order)), word) for x, order, word in self.rows]
        left, found = list(range(len(points))), []

        def take(seed: int) -> None:
            group = sorted(left, key=lambda i: (i != seed, self.apart(points[i], points[seed])))[:k]
            found.append(frozenset(group))
            left[:] = [i for i in left if i not in group]

        while len(left) >= 2 * k:
            some = [points[i] for i in left]
            words = [word for *_, word in some]
            mode = min(set(words), key=lambda word: (-words.count(word), word))
            centre = (sum(x for x, *_ in some) / len(some), sum(y for _, y, _ in some) / len(some), mode)
            far = max(left, key=lambda i: self.apart(points[i], centre))
            other = max(left, key=lambda i: self.apart(points[i], points[far]))
            several = len(left) >= 3 * k
            take(far)
            if several:
                take(other)
        return {*found, frozenset(left)}


def classes_of(release: ny.Release, names: tuple[str, ...]) -> dict[tuple[Any, ...], frozenset[int]]:
    found: dict[tuple[Any, ...], list[int]] = {}
    for row, source in zip(release.table.select(names).rows(), release.log.source_rows.tolist(), strict=True):
        found.setdefault(row, []).append(source)
    return {row: frozenset(members) for row, members in found.items()}


@pytest.mark.parametrize("seed", range(12))
def test_mixed_groups_with_weights_are_those_of_gower_and_have_their_centres(seed: int) -> None:
    case, k = Mixed(seed, 23 + seed), 2 + seed % 3
    release = ny.publish(case.frame, case.schema, k=k, method=ny.GroupMeans(medians=["order"]))
    classes = classes_of(release, ("x", "order", "word"))
    assert {*classes.values()} == case.groups(k)
    for (x, order, word), members in classes.items():
        own = [case.rows[i] for i in members]
        exact = sum((Fraction(str(row[0])) for row in own), Fraction(0)) / len(own)
        assert Fraction(str(x)) == Fraction(round(exact * 100_000), 100_000)  # two decimals more than eighths have
        assert order == sorted((row[1] for row in own), key=case.scale.index)[(len(own) - 1) // 2]
        words = [row[2] for row in own]
        assert word == min(set(words), key=lambda one: (-words.count(one), one))
    lost = [Fraction(0)] * 3
    for about in (classes.values(), [frozenset(range(len(case.rows)))]):
        sums = [Fraction(0)] * 3
        for members in about:
            xs, orders, words = zip(*(case.rows[i] for i in members), strict=True)
            mean = sum(map(Fraction, xs)) / len(xs)
            places = sorted(map(case.scale.index, orders))
            sums[0] += sum((Fraction(x) - mean) ** 2 for x in xs)
            sums[1] += sum(abs(place - places[(len(places) - 1) // 2]) for place in places)
            sums[2] += len(words) - max(map(words.count, words))
        lost = [a / b if any(lost) else b for a, b in zip(lost, sums, strict=True)] if any(lost) else sums
    weights = [Fraction(str(one)) for one in case.weights]
    assert release.loss == pytest.approx(float(sum(a * w for a, w in zip(lost, weights, strict=True)) / sum(weights)))


def moved(own: list[Any], everyone: list[Any]) -> Fraction:
    """The share that has to change its value so that one list has the shares of the other: all are equally far."""
    values = set(everyone)
    return sum(
        (
            max(Fraction(own.count(v), len(own)) - Fraction(everyone.count(v), len(everyone)), Fraction(0))
            for v in values
        ),
        Fraction(0),
    )


def walked(own: list[int], everyone: list[int]) -> Fraction:
    """The same for numbers, of which neighbours among those that occur are one step apart, and the ends 1."""
    values, carried, total = sorted(set(everyone)), Fraction(0), Fraction(0)
    for value in values:
        carried += Fraction(own.count(value), len(own)) - Fraction(everyone.count(value), len(everyone))
        total += abs(carried)
    return total / max(len(values) - 1, 1)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_groups_that_are_not_close_join_others_and_only_they(seed: int, distance: Any) -> None:
    case, k, t = Mixed(seed, 26 + seed), 2 + seed % 2, [0.15, 0.3, 0.45][seed % 3]
    random = Random(100 + seed)
    secret = case.secret if distance == "equal" else [random.choice([1, 2, 2, 30, 31]) for _ in case.rows]
    frame = case.frame.with_columns(s=pl.Series(secret))
    promise = [ny.KAnonymity(k=k), ny.TCloseness(t=t, attribute="s", distance=distance)]
    release = ny.publish(frame, case.schema, privacy=promise, method=ny.GroupMeans(medians=["order"]))
    assert release.table.height == frame.height
    far: Any = moved if distance == "equal" else walked
    groups = case.groups(k)
    passing = {group for group in groups if far([secret[i] for i in group], secret) <= Fraction(str(t))}
    for members in classes_of(release, ("x", "order", "word")).values():
        assert far([secret[i] for i in members], secret) <= Fraction(str(t))
        parts = [group for group in groups if group <= members]
        assert sum(map(len, parts)) == len(members)  # whole groups, each in one class
        assert len(parts) == 1 or any(part not in passing for part in parts)


@pytest.mark.parametrize("seed", range(12))
def test_nobody_has_more_than_the_limit_of_any_sum_of_a_group(seed: int) -> None:
    random = Random(seed)
    n, k, limit = 30, 2 + seed % 3, [0.35, 0.5, 0.7][seed % 3]
    drawn = [[round(random.lognormvariate(3, 1.2), 2) * random.choice([1, 1, -1]) for _ in range(n)] for _ in range(2)]
    drawn[1] = [None if i in (3, 17) else x for i, x in enumerate(drawn[1])]  # type: ignore[misc]
    drawn[0] = [None if i in (3, 17) else x for i, x in enumerate(drawn[0])]  # type: ignore[misc]
    words = [None if i in (3, 17) else random.choice("uv") for i in range(n)]
    frame = pl.DataFrame({"q": ["a"] * n, "x": drawn[0], "y": drawn[1], "w": words})
    columns = ["x", "y", "w"] if seed % 2 else ["x", "y"]
    one = ny.Microaggregation(columns=columns, k=k, dominance=limit)
    roles = {"q": "quasi", "x": "insensitive", "y": "insensitive", "w": "insensitive"}
    sizes = [[abs(Fraction(str(x))) for x in frame[name].drop_nulls()] for name in ("x", "y")]
    if any(max(each) > Fraction(str(limit)) * sum(each) for each in sizes):  # then no group can keep it
        with pytest.raises(ny.NymityError, match="of the sum of all records"):
            ny.publish(frame, roles, k=2, transforms=[one])
        return
    release = ny.publish(frame, roles, k=2, transforms=[one])
    before = ny.publish(frame, roles, k=2, transforms=[ny.Microaggregation(columns=columns, k=k)])
    groups = classes_of(before, tuple(columns))
    assert sorted(len(g) for row, g in groups.items() if row[0] is None) == [2]
    for row, members in classes_of(release, tuple(columns)).items():
        if row[0] is None:
            assert members == {3, 17}  # gaps stay, and are in no group
            continue
        assert len(members) >= k
        parts = [group for group in groups.values() if group <= members]
        assert sum(map(len, parts)) == len(members)
        over = 0
        for name in ("x", "y"):
            amounts = [abs(Fraction(str(frame[name][i]))) for i in members]
            assert max(amounts) <= Fraction(str(limit)) * sum(amounts)
            exact = sum(Fraction(str(frame[name][i])) for i in members) / len(members)
            assert Fraction(str(row[columns.index(name)])) == Fraction(round(exact * 10_000), 10_000)
            for part in parts:
                own = [abs(Fraction(str(frame[name][i]))) for i in part]
                over += max(own) > Fraction(str(limit)) * sum(own)
        assert len(parts) == 1 or over  # none joins without a reason
    measured = ny.risk.changed_columns(frame, release)
    assert all(0 < measured[name].dominance <= limit for name in ("x", "y"))


CODES = pl.DataFrame({"code": ["1", "2"] * 11, "kind": ["abc", "0", "0", "1", "1", "1"] * 3 + ["0", "0", "1", "1"]})


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_text_that_looks_like_numbers_stays_text(dtype: Any, tmp_path: Path) -> None:
    frame = CODES.cast(dtype).with_columns(x=pl.Series(range(22)))
    for method in (ny.GroupMeans(levels={"code": 0}), ny.GroupMeans(medians=["code", "kind"])):
        release = ny.publish(frame, ["code", "kind", "x"], k=3, method=method)
        assert {str(cell) for cell in release.table["code"]} <= {"1", "2"}
        assert {str(cell) for cell in release.table["kind"]} <= {"0", "1", "abc"}
        assert not release.table["code"].dtype.is_numeric()
        release.save(tmp_path / method.key / str(len(method.medians)))
        written = (tmp_path / method.key / str(len(method.medians)) / "release.csv").read_text().splitlines()
        assert {line.split(",")[0] for line in written[1:]} <= {"1", "2"}
    means = ny.publish(frame.drop("kind"), ["code", "x"], k=3, method=ny.GroupMeans())
    assert means.table["x"].dtype.is_numeric()
    assert not means.table["code"].dtype.is_numeric()


HOSTILE: dict[str, list[Any]] = {
    "one value": [5] * 12,
    "gaps": [None] * 12,
    "no number": [float("nan"), *map(float, range(11))],
    "infinite": [float("inf"), -float("inf"), *map(float, range(10))],
    "enormous": [1e308, -1e308, *map(float, range(10))],
    "tiny": [1e-300 * i for i in range(12)],
    "far away": [0] * 11 + [10**9],
    "zeros of both signs": [-0.0, 0.0] * 6,
    "truth": [True, False] * 6,
    "texts of numbers": [f" {i}" for i in range(12)],
    "beyond numbers": ["1e400", "-1e400", *map(str, range(10))],
}


def published_or_refused(frame: pl.DataFrame, roles: dict[str, Any], **how: Any) -> ny.Release | None:
    """A refusal names the column."""
    try:
        return ny.publish(frame, roles, k=3, **how)
    except ny.NymityError as refused:
        said = str(refused)
    assert "'v'" in said or "schema.v" in said
    return None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_columns_are_refused_in_words_or_hidden_among_k(name: str) -> None:
    frame = pl.DataFrame({"v": HOSTILE[name], "w": range(12), "q": ["a", "b"] * 6, "s": ["x", "y", "z"] * 4})
    roles: dict[str, Any] = {"v": "quasi", "w": "quasi", "q": "quasi", "s": "sensitive"}
    for method in (ny.GroupMeans(), ny.GroupMeans(medians=["v"]), ny.GroupMeans(variable=1.1, levels={"q": 0})):
        if (release := published_or_refused(frame, roles, method=method)) is None:
            continue
        assert min(map(len, classes_of(release, ("v", "w", "q")).values())) >= 3
        assert 0 <= release.loss <= 1
    few = {**roles, "v": "insensitive", "w": "insensitive", "s": "insensitive"}
    transforms: list[Any] = [
        ny.Microaggregation(columns=["v", "w"], k=3),
        ny.OptimalMicroaggregation(columns=["v"], k=3),
    ]
    transforms += [ny.Microaggregation(columns=["v", "w", "s"], k=3, variable=1.2, dominance=0.9)]
    for one in transforms:
        if (release := published_or_refused(frame, few, transforms=[one])) is None:
            continue
        shown = classes_of(release, one.columns)
        assert all(len(members) >= 3 for row, members in shown.items() if row[0] is not None)
