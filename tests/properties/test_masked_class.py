"""Whatever method publishes by whatever model: the masked rows keep the promise as one more class.

Random small tables with trees of uneven depth, all methods times all models. A release is judged from its cells by
counting; masked rows, and rows of a class whose cells are all ``*``, are one class. For a population, theirs are the
people who fit no published combination.
"""

from __future__ import annotations

import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import naive
from nymity.bucket.methods import BucketMethod
from nymity.core.errors import InputError, NoSolutionError
from nymity.dp.private_method import PrivateMethod
from nymity.lattice.iterative import IterativeRecoding
from nymity.lattice.search import LatticeSearch
from nymity.lattice.specialization import TopDownSpecialization
from nymity.partition.group_means import GroupMeans
from nymity.partition.k_member import KMember
from nymity.partition.method import CoveringMethod
from nymity.partition.row_suppression import RowSuppression
from nymity.partition.sorted_groups import SortedGroups
from nymity.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FPrivacy,
    FrequencyLDiversity,
    Groups,
    KAnonymity,
    KMap,
    KMatching,
    PrivacyModel,
    ProsecutorRisk,
    RecursiveDiversity,
    SampleUniques,
    TCloseness,
)
from nymity.privacy.consistency import Originals
from nymity.publishing.jobs.registry import METHODS
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

Row = tuple[str | None, ...]
#: Tables per method and promise; ``make campaign`` tries more.
TABLES = 20 if os.environ.get("NYMITY_CAMPAIGN") == "large" else 3


@dataclass(frozen=True)
class Case:
    """A table, the population it is of, and its schema."""

    frame: pl.DataFrame
    population: pl.DataFrame
    schema: Schema

    @property
    def quasi(self) -> list[str]:
        return list(self.schema.quasi)


@dataclass(frozen=True)
class Shown:
    """What a release shows: the sensitive values of each class of equal cells, and of the table."""

    release: Release
    case: Case

    @property
    def classes(self) -> dict[Row, Counter[str | None]]:
        found: dict[Row, Counter[str | None]] = defaultdict(Counter)
        for *cells, value in self.release.frame.select(*self.case.quasi, "s").rows():
            found[tuple(cells)][value] += 1
        return found

    @property
    def table(self) -> Counter[str | None]:
        return Counter(self.release.frame["s"].to_list())

    def people(self) -> tuple[dict[Row, int], int]:
        """People of each published combination but the masked rows', and all others."""
        steps = {name: {row[0]: row for row in h.rows()} for name, h in self.release.recoding.hierarchies.items()}
        stars, found = ("*",) * len(self.case.quasi), Counter[Row]()
        for person in self.case.population.select(self.case.quasi).rows(named=True):
            found[tuple(steps[n][person[n]][self.release.levels[n]] for n in self.case.quasi)] += 1
        combinations = {row: found[row] for row in self.classes if row != stars}
        return combinations, self.case.population.height - sum(combinations.values())


Judge = Callable[[Shown], bool]
#: A model with what it promises, from its definition.
Promise = tuple[Callable[[Case], PrivacyModel], Judge]


def each(judge: naive.Judge) -> Judge:
    return lambda shown: all(judge(counts.total(), {"s": counts}) for counts in shown.classes.values())


def beside(likeness: naive.Likeness) -> Judge:
    return lambda shown: all(likeness(counts, shown.table) for counts in shown.classes.values())


def over(overview: naive.Overview) -> Judge:
    return lambda shown: overview([counts.total() for counts in shown.classes.values()])


def mapped(k: int) -> Judge:
    def judge(shown: Shown) -> bool:
        combinations, others = shown.people()
        masked = len(combinations) < len(shown.classes)
        return min([*combinations.values(), *([others] if masked else [])]) >= k

    return judge


def present(low: float, high: float) -> Judge:
    def judge(shown: Shown) -> bool:
        combinations, others = shown.people()
        inside = {row: shown.classes[row].total() for row in combinations}
        shares = [Fraction(inside[row], people) for row, people in combinations.items()]
        if others:
            shares.append(Fraction(shown.case.frame.height - sum(inside.values()), others))
        return all(Fraction(str(low)) <= share <= Fraction(str(high)) for share in shares)

    return judge


def matched(k: int) -> Judge:
    """By a flow between rows and records."""

    def judge(shown: Shown) -> bool:
        originals = Originals.of(shown.case.frame, shown.release.recoding)
        return Groups(shown.release.frame, shown.case.quasi, originals=originals).consistency.largest >= k

    return judge


def fitted(k: int) -> Judge:
    """Rows of centres cover no record; by the recoding each stands for k records, its own among them."""

    def judge(shown: Shown) -> bool:
        recoding, log = shown.release.recoding, shown.release.log
        names, records = shown.case.quasi, shown.case.frame.select(shown.case.quasi).rows()
        stands: dict[tuple[str, str | None], set[str | None]] = defaultdict(set)
        for name in names:
            cells, values = recoding.cells_of(name), recoding.hierarchies[name].values
            for number, label in enumerate(cells.labels):
                stands[name, label] |= {values[code] for code in cells.codes(number).tolist()}
        for row, source in zip(shown.release.frame.select(names).rows(), log.source_rows.tolist(), strict=True):
            covered = [stands[name, cell] for name, cell in zip(names, row, strict=True)]
            fits = [all(v in s for v, s in zip(record, covered, strict=True)) for record in records]
            if not fits[source] or sum(fits) < k:
                return False
        return True

    return judge


PROMISES: dict[str, Promise] = {
    "k-anonymity": (lambda _: KAnonymity(k=3), each(naive.at_least(3))),
    "prosecutor-risk": (lambda _: ProsecutorRisk(limit=0.34), each(naive.prosecutor(0.34))),
    "average-risk": (lambda _: AverageRisk(limit=0.3), over(naive.seldom_found(0.3))),
    "sample-uniques": (lambda _: SampleUniques(limit=0.05), over(naive.seldom_alone(0.05))),
    "distinct-l-diversity": (lambda _: DistinctLDiversity(l=2, attribute="s"), each(naive.diverse(2, "s"))),
    "frequency-l-diversity": (lambda _: FrequencyLDiversity(l=1.5, attribute="s"), each(naive.frequent(1.5, "s"))),
    "entropy-l-diversity": (lambda _: EntropyLDiversity(l=1.5, attribute="s"), each(naive.entropic(1.5, "s"))),
    "recursive-diversity": (lambda _: RecursiveDiversity(c=3, l=2, attribute="s"), each(naive.recursive(3, 2, "s"))),
    "alpha-k-anonymity": (lambda _: AlphaKAnonymity(alpha=0.7, k=2, attribute="s"), each(naive.alpha_k(0.7, 2, "s"))),
    "t-closeness": (lambda _: TCloseness(t=0.4, attribute="s"), beside(naive.close(0.4, naive.equally_apart))),
    "delta-disclosure": (lambda _: DeltaDisclosure(delta=1.5, attribute="s"), beside(naive.disclosing(1.5))),
    "beta-likeness": (lambda _: BetaLikeness(beta=1, attribute="s"), beside(naive.alike(1))),
    "enhanced-beta-likeness": (
        lambda _: EnhancedBetaLikeness(beta=1, attribute="s"),
        beside(naive.alike(1, enhanced=True)),
    ),
    "f-privacy": (
        lambda _: FPrivacy(thresholds={"p": 0.8, "*": {"a": 1, "c": 0.4}}, attribute="s"),
        beside(naive.below_thresholds({"p": 0.8}, 1, 0.4)),
    ),
    "k-map": (lambda case: KMap(k=4, population=case.population), mapped(4)),
    "delta-presence": (lambda case: DeltaPresence(low=0.05, high=0.9, subset=case.frame), present(0.05, 0.9)),
    "k-matching": (lambda _: KMatching(k=3), matched(3)),
}


def methods() -> Iterator[Any]:
    """Every method that publishes rows as they are, those with cells in every form."""
    for kind in METHODS.values():
        if issubclass(kind, LatticeSearch):
            yield kind(suppression=0.4)
            continue
        if issubclass(kind, BucketMethod | PrivateMethod):  # no row of theirs is masked
            continue
        if issubclass(kind, RowSuppression):  # they keep promises of their own, about rows and not about classes
            continue
        yield from (
            (kind(cells=form) for form in ("tight", "hierarchy")) if issubclass(kind, CoveringMethod) else [kind()]
        )


def named(method: Any) -> str:
    return f"{method.key} {getattr(method, 'cells', '')}".strip()


def tree(draw: random.Random, prefix: str) -> Hierarchy:
    """Six values, three groups of which one may be ``*`` already, and the top."""
    star = draw.choice([None, None, 0, 2])
    groups = ["*" if group == star else f"{prefix}{group}*" for group in range(3)]
    return Hierarchy.from_rows([[f"{prefix}{i}", groups[i // 2], "*"] for i in range(6)])


def case(seed: int) -> Case:
    draw = random.Random(seed)
    n, others = draw.randint(8, 14), draw.randint(0, 12)
    names = ["a", "b"][: draw.randint(1, 2)]
    columns = {name: draw.choices([f"{name}{i}" for i in range(6)], (8, 6, 3, 2, 1, 1), k=n + others) for name in names}
    values = draw.choices("pqr", (3, 2, 1), k=n)
    schema = Schema({**{name: quasi(tree(draw, name)) for name in names}, "s": sensitive()})
    everyone = pl.DataFrame(columns)
    return Case(everyone[:n].with_columns(s=pl.Series(values)), everyone, schema)


def published(some: Case, promises: Sequence[str], method: Any) -> Release | None:
    models = [PROMISES[key][0](some) for key in promises]
    source = some.population if "delta-presence" in promises else some.frame
    try:
        return publish(source, some.schema, privacy=models, method=method)
    except (NoSolutionError, InputError):
        return None


@pytest.mark.parametrize("method", [*methods()], ids=named)
def test_masked_rows_keep_every_promise(method: Any) -> None:
    refused, masked = [], 0
    for number, key in enumerate(PROMISES):
        made = 0
        for again in range(TABLES):
            some = case(1000 * number + again)
            draw = random.Random(again)
            beside = draw.choice([[], ["k-anonymity"], ["distinct-l-diversity"], ["average-risk", "t-closeness"]])
            promises = list(dict.fromkeys([key, *beside]))
            release = published(some, promises, method)
            if release is None:
                release, promises = published(some, [key], method), [key]
            if release is None:
                continue
            made += 1
            shown = Shown(release, some)
            masked += ("*",) * len(some.quasi) in shown.classes
            for one in promises:
                assert PROMISES[one][1](shown), (one, release.frame)
            if "k-anonymity" in promises:
                assert (fitted if isinstance(method, GroupMeans) else matched)(3)(shown), release.frame
        refused += [key] if not made else []
    assert set(refused) == unfit(method)
    if isinstance(method, LatticeSearch):
        assert masked  # or nothing was tested


@pytest.mark.parametrize("key", ["average-risk", "sample-uniques"])
@pytest.mark.parametrize(
    "method", [KMember(cells="hierarchy"), SortedGroups(cells="hierarchy"), IterativeRecoding()], ids=named
)
def test_classes_of_stars_count_in_a_mean_as_the_search_counts_them(method: Any, key: str) -> None:
    """Published as ``*`` in every column, a class is one to both; a release is never refused for it."""
    stars = 0
    for seed in range(40):
        some = case(seed)
        release = published(some, [key], method)
        if release is not None:
            shown = Shown(release, some)
            assert PROMISES[key][1](shown)
            stars += ("*",) * len(some.quasi) in shown.classes and len(shown.classes) > 1
    assert stars


def unfit(method: Any) -> set[str]:
    """Models that a method refuses."""
    every, sizes = set(PROMISES), {"k-anonymity", "prosecutor-risk", "k-matching"}
    if method.key.startswith("freeform"):
        return every - {"k-matching"}
    if method.key in ("split-carry", "exact-partition", "exact-suppression"):
        return every - sizes
    if isinstance(method, TopDownSpecialization):  # it takes promises about known columns
        some = case(0)
        encoded = encode(some.frame, some.schema)
        return {key for key, (model, _) in PROMISES.items() if model(some).known_columns(encoded) is None}
    if isinstance(method, GroupMeans):
        return {"k-map", "delta-presence", "k-matching"}  # no record need fit a row of centres
    monotone = sizes | {"distinct-l-diversity", "k-map"}
    if method.key in ("ola", "samarati"):
        return every - monotone
    return set() if isinstance(method, LatticeSearch) else {"k-map", "delta-presence"}
