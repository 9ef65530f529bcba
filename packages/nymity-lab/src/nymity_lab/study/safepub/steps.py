"""The steps: parameters, records preserved, losses of every way to publish, classifiers, and other private methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nymity_lab.study.safepub.learning import (
    REGRESSION,
    TREE,
    accuracies,
    bounds,
    diffgen,
    duel,
    frequent,
    naive_bayes,
    originals,
    thresholds,
)
from nymity_lab.study.safepub.lost import MODELS
from nymity_lab.study.safepub.releases import DRAW, K_ANONYMITY, PUBLISHED, SAMPLING, WALK, WAYS
from nymity_lab.study.safepub.study_tables import TARGETS
from nymity_lab.study.safepub.work import (
    describe,
    losses,
    low_nodes,
    parameters,
    preserved,
    searches,
    smooth,
    solution_space,
)
from nymity_lab.study.study import Step

#: Epsilons and deltas of figure 9, deltas and epsilons of figure 10.
EPSILONS, DELTAS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0), (1e-4, 1e-5, 1e-6, 1e-7, 1e-20)
CURVES, LATER = (1e-4, 1e-5, 1e-6, 1e-7), tuple(1 + i / 10 for i in range(11))
#: Epsilons of single draws in figure 12.
SINGLE = (0.1, 0.01, 0.001, 0.0001)
#: Means on a table this large are of so many draws at most.
MOST = {"acs": 2}
#: The part of epsilon that the operator has by default, and the steps.
ANONYMIZATION, STEPS = 0.9, 300


@dataclass(frozen=True, kw_only=True)
class SafePubScale:
    """What differs between scales: tables, and how many draws the means are of.

    ``compared`` draws are those of losses, ``default`` those of accuracies at the default.
    """

    data: tuple[str, ...] = ("usc", "cs", "acs")
    first: str = "usc"
    nursery: str = "nursery"
    preserved: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0)
    kept: int = 10
    low: int = 42
    models: tuple[str, ...] = MODELS
    draws: int = 10
    compared: int = 10
    drawn: int = 100
    searches: tuple[float, ...] = (0.001, 0.01, 0.1, 0.5, 0.9)
    budgets: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3, 0.5)
    walks: tuple[int, ...] = (1, 10, 30, 100, 300, 1000)
    searched: tuple[str, ...] = ("granularity", "intensity", "entropy")
    anonymizations: tuple[float, ...] = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 1.25, 1.5, 2.0)
    learned: int = 100
    default: int = 100
    regression: tuple[str, ...] = ("usc", "cs", "acs", "nursery")
    diffgen: tuple[int, ...] = tuple(range(1, 21))
    duels: int = 20
    #: Scores of all nodes of these are left out, as they take minutes: data set and model.
    slow: tuple[tuple[str, str], ...] = ()


SCALES = {
    "smoke": SafePubScale(
        data=("generated",),
        first="generated",
        nursery="generated",
        preserved=(1.5, 2.0),
        kept=2,
        low=4,
        draws=2,
        compared=2,
        drawn=5,
        searches=(0.01, 0.1),
        budgets=(0.1, 0.3),
        walks=(3, 30),
        searched=("granularity",),
        anonymizations=(0.5, 0.9),
        learned=1,
        default=2,
        regression=(),
        diffgen=(1, 3),
        duels=2,
    ),
    "quick": SafePubScale(
        data=("usc", "cs"),
        preserved=(0.5, 1.0, 1.5, 2.0),
        draws=2,
        compared=4,
        drawn=20,
        searches=(0.001, 0.01, 0.1, 0.5),
        walks=(10, 100, 300),
        searched=("granularity", "entropy"),
        anonymizations=(0.25, 0.5, 0.9, 2.0),
        learned=4,
        default=8,
        regression=("usc",),
        duels=10,
        slow=(("cs", "entropy"), ("cs", "group-size")),
    ),
    "full": SafePubScale(),
}


def steps(scale: str) -> list[Step]:
    """Return all steps of a scale."""
    sizes = SCALES[scale]
    learning = list(_learning(sizes))
    early = [step for step in learning if beside_budgets(step.id, scale)]
    late = [step for step in learning if step not in early]
    return [*_operator(sizes), *_quality(sizes), *early, *_budgets(sizes), *late, *_others(sizes)]


def beside_budgets(id_: str, scale: str) -> bool:
    """Whether a step is needed to judge budgets, apart from these: on the first table, as it is and as published."""
    first = SCALES[scale].first
    form = f".{_SHORT[PUBLISHED]}.anonymization={ANONYMIZATION}.steps={STEPS}"
    return id_.startswith(f"original.{first}.") or (id_.startswith(f"learned.{first}.") and id_.endswith(form))


def _draws(data: str, wanted: int) -> int:
    return min(wanted, MOST.get(data, wanted))


def _operator(sizes: SafePubScale) -> Iterator[Step]:
    yield Step(id="parameters", run=parameters, parameters={"epsilons": list(EPSILONS), "deltas": list(DELTAS)})
    yield Step(id="smoothness", run=smooth, parameters={"deltas": list(CURVES), "epsilons": list(LATER)})
    for data in dict.fromkeys((*sizes.data, sizes.nursery)):
        yield Step(id=f"data.{data}", run=describe, parameters={"data": data})
    for data in sizes.data:
        for epsilon in sizes.preserved:
            chosen = {"data": data, "epsilon": epsilon, "draws": sizes.kept}
            yield Step(id=f"preserved.{data}.epsilon={epsilon}", run=preserved, parameters=chosen, seconds=sizes.draws)
        chosen = {"data": data, "nodes": sizes.low, "draws": 2, "seed": 0}
        yield Step(id=f"low-nodes.{data}", run=low_nodes, parameters=chosen, seconds=sizes.low)


def _quality(sizes: SafePubScale) -> Iterator[Step]:
    for data in sizes.data:
        for model in sizes.models:
            if (data, model) not in sizes.slow:
                chosen = {"data": data, "score": model, "ways": list(WAYS), "draws": _draws(data, sizes.compared)}
                seconds = sizes.compared * (20 if model == "entropy" else 4)
                yield Step(id=f"losses.{data}.{model}", run=losses, parameters=chosen, seconds=seconds)
    for model in sizes.searched:
        yield Step(
            id=f"searches.{model}",
            run=searches,
            parameters={
                "data": sizes.first,
                "score": model,
                "searches": list(sizes.searches),
                "steps": list(sizes.walks),
                "draws": sizes.draws,
            },
            seconds=len(sizes.searches) * len(sizes.walks) * sizes.draws / 2,
        )
    for model in ("entropy", "group-size"):
        chosen = {"data": sizes.first, "score": model, "epsilons": list(SINGLE), "draws": sizes.drawn, "seed": 0}
        yield Step(id=f"space.{model}", run=solution_space, parameters=chosen, seconds=15)


def _learning(sizes: SafePubScale) -> Iterator[Step]:
    for data in dict.fromkeys((*sizes.data, sizes.nursery)):
        for target in TARGETS[data]:
            classifiers = [TREE, *([REGRESSION] if data in sizes.regression else [])]
            about = {"data": data, "target": target, "classifiers": classifiers}
            name = f"{data}.{target.lower()}"
            yield Step(id=f"original.{name}", run=originals, parameters=about, seconds=20)
            for way, epsilon, count in _settings(sizes, data):
                default = epsilon == ANONYMIZATION and (way, count) in ((PUBLISHED, STEPS), (DRAW, 0))
                draws = _draws(data, sizes.default if default else sizes.learned)
                setting = {"way": way, "anonymization": epsilon, "steps": count, "draws": draws}
                yield Step(
                    id=f"learned.{name}.{_SHORT[way]}.anonymization={epsilon}.steps={count}",
                    run=accuracies,
                    parameters=about | setting | {"classifiers": classifiers if default else [TREE]},
                    seconds=2 * draws,
                )


def _budgets(sizes: SafePubScale) -> Iterator[Step]:
    """Give what classifiers learn from one draw if the search has more or less of epsilon 1."""
    for target in TARGETS[sizes.first]:
        for search in sizes.budgets:
            yield Step(
                id=f"budget.{sizes.first}.{target.lower()}.search={search}",
                run=accuracies,
                parameters={
                    "data": sizes.first,
                    "target": target,
                    "way": DRAW,
                    "anonymization": round(1 - search, 9),
                    "search": search,
                    "steps": 0,
                    "classifiers": [TREE],
                    "draws": sizes.default,
                },
                seconds=2 * sizes.default,
            )


_SHORT = {PUBLISHED: "published", DRAW: "draw", WALK: "walk", K_ANONYMITY: "k-anonymity", SAMPLING: "sampling"}


def _settings(sizes: SafePubScale, data: str) -> Iterator[tuple[str, float, int]]:
    """Give ways, parts of epsilon and steps: figures 15 and 16 for the large tables, the default for the small one."""
    yield PUBLISHED, ANONYMIZATION, STEPS
    yield DRAW, ANONYMIZATION, 0
    if data not in sizes.data:
        return
    yield K_ANONYMITY, ANONYMIZATION, 0
    yield SAMPLING, ANONYMIZATION, 0
    for epsilon in sizes.anonymizations:
        if epsilon != ANONYMIZATION:
            yield PUBLISHED, epsilon, STEPS
            yield DRAW, epsilon, 0
    for count in sizes.walks:
        yield WALK, ANONYMIZATION, count
        if count != STEPS:
            yield PUBLISHED, ANONYMIZATION, count


def _others(sizes: SafePubScale) -> Iterator[Step]:
    yield Step(id="thresholds", run=thresholds, parameters={"attributes": list(range(1, 10))})
    for data in dict.fromkeys((sizes.first, sizes.nursery)):
        chosen = {"data": data, "target": TARGETS[data][-1], "epsilon": 1.0, "draws": sizes.draws}
        yield Step(id=f"naive-bayes.{data}", run=naive_bayes, parameters=chosen, seconds=sizes.draws)
    for data in sizes.data:
        yield Step(id=f"frequent.{data}", run=frequent, parameters={"data": data}, seconds=5)
        for target in TARGETS[data]:
            about = {"data": data, "target": target, "draws": _draws(data, sizes.duels)}
            name = f"{data}.{target.lower()}"
            yield Step(id=f"bounds.{name}", run=bounds, parameters=about, seconds=sizes.duels)
            for way, count in ((DRAW, 0), *((PUBLISHED, count) for count in sizes.walks)):
                chosen = about | {"way": way, "steps": count}
                id_ = f"duel.{name}.{_SHORT[way]}.steps={count}"
                yield Step(id=id_, run=duel, parameters=chosen, seconds=2 * sizes.duels)
            for count in sizes.diffgen:
                chosen = about | {"steps": count}
                seconds = sizes.duels * 2 ** max(count - 17, -3)
                yield Step(id=f"duel.{name}.diffgen.steps={count:02d}", run=diffgen, parameters=chosen, seconds=seconds)
