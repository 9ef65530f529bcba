"""The steps' functions on classifiers: SafePub and others, trained on what is published, tested on original records."""

from __future__ import annotations

from statistics import mean, stdev
from time import process_time
from typing import TYPE_CHECKING, Any

from nymity_lab.study.safepub.releases import STILL, Sample, Setting, publish
from nymity_lab.study.safepub.study_tables import NAMES, TARGETS, StudyTable, source
from nymity_lab.study.study import Row, Rows

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from nymity.utility.learner import Learner

TREE, REGRESSION, DIFFGEN = "decision-tree", "logistic-regression", "DiffGen"
#: Folds of section 8.6.
FOLDS = 10


def originals(data: str, target: str, classifiers: list[str]) -> Rows:
    """Accuracy of each classifier on the records as they are, and of always answering the most frequent class."""
    learner, fold = _learner(data, target)
    found = learner.cross_validated(learner.original, fold, classifiers)
    zero_r = _largest_share(learner.original.labels)
    return [
        {**_about(data, target), "classifier": key, "accuracy": float(p.correct.mean()), "zero_r": zero_r}
        for key, p in found.items()
    ]


def accuracies(
    data: str,
    target: str,
    way: str,
    anonymization: float,
    steps: int,
    classifiers: list[str],
    draws: int,
    search: float = 0.1,
) -> Rows:
    """Figures 15 and 16: accuracies of classifiers that were trained on releases, mean of several."""
    learner, fold = _learner(data, target)
    setting = Setting(
        score="classification", target=target, anonymization=anonymization, search=search, steps=max(steps, 1)
    )
    each: dict[str, list[float]] = {key: [] for key in classifiers}
    rows = []
    for seed in range(1 if way in STILL else draws):
        released = publish(source(data), way, setting, seed)
        rows.append(released.rows.height)
        for key, accuracy in _tested(learner, released, fold, classifiers).items():
            each[key].append(accuracy)
    return [
        {
            **_about(data, target),
            "way": way,
            "anonymization": anonymization,
            "search": search,
            "steps": steps,
            "classifier": key,
            "accuracy": mean(found),
            "each": found,
            "spread": stdev(found) if len(found) > 1 else 0.0,
            "rows": mean(rows),
        }
        for key, found in each.items()
    ]


def _tested(learner: Learner, released: Sample, fold: NDArray[np.int64], classifiers: list[str]) -> dict[str, float]:
    """Return accuracies by cross-validation; of a release without a row, that of the most frequent class."""
    if released.rows.height < FOLDS:
        return dict.fromkeys(classifiers, _largest_share(learner.original.labels))
    examples = learner.examples(released)
    found = learner.cross_validated(examples, fold, classifiers)
    return {key: float(predictions.correct.mean()) for key, predictions in found.items()}


def naive_bayes(data: str, target: str, epsilon: float, draws: int) -> Rows:
    """Table 3: private naive Bayes by cross-validation, a new model of epsilon for each fold."""
    import numpy as np

    from nymity.table.encoding import codes_of
    from nymity.utility import stratified_folds
    from nymity_lab.dp.comparators import PrivateNaiveBayes

    found = source(data)
    names = [name for name in found.table.columns if name != target]
    codes = np.column_stack([codes_of(found.table[name], None, found.hierarchies[name].index) for name in names])
    labels = codes_of(found.table[target], None, found.hierarchies[target].index).astype(np.int64)
    fold = stratified_folds(labels, FOLDS, 0)
    domains, classes = [found.hierarchies[name].domain_size for name in names], found.hierarchies[target].domain_size
    each = []
    for seed in range(draws):
        right = 0
        for here in range(FOLDS):
            model = PrivateNaiveBayes(
                epsilon=epsilon, domains=domains, classes=list(range(classes)), not_private_seed=seed * FOLDS + here
            )
            model.fit(codes[fold != here].astype(np.int64), labels[fold != here])
            right += int((model.predict(codes[fold == here].astype(np.int64)) == labels[fold == here]).sum())
        each.append(right / len(labels))
    return [{**_about(data, target), "accuracy": mean(each), "spread": stdev(each) if draws > 1 else 0.0}]


def bounds(data: str, target: str, draws: int) -> Rows:
    """What relative accuracies of duels lie between: a tree of the records as they are, and the most frequent class."""
    rows = []
    for seed in range(draws):
        part, test = thirds(data, seed)
        learner = learner_of(part, target, test)
        row = {**_about(data, target), "seed": seed, "original": answers(learner, None, test)}
        rows.append(row | {"zero_r": _largest_share(learner.others(test).labels)})
    return rows


def duel(data: str, target: str, way: str, steps: int, draws: int) -> Rows:
    """Table 4 and figure 17: SafePub on two thirds of the records, trees tested on the other third."""
    rows = []
    for seed in range(draws):
        part, test = thirds(data, seed)
        learner = learner_of(part, target, test)
        setting = Setting(score="classification", target=target, steps=max(steps, 1))
        began = process_time()
        released = publish(part, way, setting, seed)
        seconds = process_time() - began
        row = {**_about(data, target), "way": way, "steps": steps, "seed": seed, "seconds": seconds}
        rows.append(row | {"accuracy": answers(learner, released, test)})
    return rows


def diffgen(data: str, target: str, steps: int, draws: int) -> Rows:
    """Table 4 and figure 17: DiffGen on the same records, a pruned tree of its counts."""
    import polars as pl

    from nymity_lab.dp.comparators import DiffGen, PrunedTree

    rows = []
    for seed in range(draws):
        part, test = thirds(data, seed)
        hierarchies = {name: h for name, h in part.hierarchies.items() if name != target}
        classes = [str(value) for value in part.hierarchies[target].values]
        began = process_time()
        counts = DiffGen(epsilon=1, steps=steps, not_private_seed=seed).run(
            part.table, hierarchies, target=target, classes=classes
        )
        seconds = process_time() - began
        tree = PrunedTree().learn(counts)
        right = pl.Series(tree.predict(test)) == test[target].cast(pl.String)
        row = {**_about(data, target), "way": DIFFGEN, "steps": steps, "seed": seed, "seconds": seconds}
        rows.append(row | {"accuracy": right.mean(), "cells": len(counts.counts), "leaves": tree.leaves})
    return rows


def thirds(data: str, seed: int) -> tuple[StudyTable, pl.DataFrame]:
    """Return two thirds of the records to learn from, and the other third."""
    import numpy as np

    found = source(data)
    n = found.table.height
    order = np.random.default_rng(seed).permutation(n)
    train, test = found.table[np.sort(order[n // 3 :])], found.table[np.sort(order[: n // 3])]
    return StudyTable(table=train, hierarchies=found.hierarchies), test


def frequent(data: str) -> Rows:
    """Section 8.7.2: what is left of a table by generalizations that t = floor(T) + 1 records share."""
    from nymity_lab.dp.comparators import survival, threshold

    found = source(data)
    limit = threshold(found.table.width)
    left = survival(found.table, t=limit.t)
    return [
        {
            "data": NAMES[data],
            "attributes": found.table.width,
            "t": limit.t,
            "removed": 1 - float(left.best_records),
            "cells": 1 - float(left.best_cells),
            "uniform removed": 1 - float(left.uniform_records),
            "uniform cells": 1 - float(left.uniform_cells),
            "suppressed": found.table.width - len(left.kept),
        }
    ]


def thresholds(attributes: list[int]) -> Rows:
    """Figure 18: floor(T) by attributes, as printed or as the printed values imply."""
    from nymity_lab.dp.comparators import threshold

    found = [threshold(m) for m in attributes]
    return [{"attributes": t.attributes, "low": t.low, "high": t.high, "printed": t.printed} for t in found]


# -- learners --------------------------------------------------------------------------------------------------


def _learner(data: str, target: str) -> tuple[Learner, NDArray[np.int64]]:
    from nymity.utility import stratified_folds

    learner = learner_of(source(data), target)
    return learner, stratified_folds(learner.original.labels, FOLDS, 0)


def learner_of(part: StudyTable, target: str, test: pl.DataFrame | None = None) -> Learner:
    """Return what learns from releases of a part."""
    from nymity.utility import Learner

    return Learner.of(part.table, part.schema(target), target=target, test=test)


def answers(learner: Learner, released: Sample | None, test: pl.DataFrame) -> float:
    """Return the accuracy of a tree on test records, trained on a release or on the learner's own records."""
    others = learner.others(test)
    if released is not None and not released.rows.height:
        return _largest_share(others.labels)
    examples = learner.original if released is None else learner.examples(released)
    return float(learner.held_out(examples, others, [TREE])[TREE].correct.mean())


def _largest_share(labels: Any) -> float:
    import numpy as np

    counts = np.bincount(np.asarray(labels).astype(np.int64))
    return float(counts.max() / counts.sum())


def _about(data: str, target: str) -> Row:
    return {"data": NAMES[data], "target": target, "number": TARGETS[data].index(target) + 1}
