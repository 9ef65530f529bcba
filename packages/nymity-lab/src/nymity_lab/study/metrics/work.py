"""What the steps of this study do: make releases, measure them by all metrics, and by what classifiers learn."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from nymity_lab.study.metrics.data import TARGET, load
from nymity_lab.study.metrics.releases import MONDRIAN, make
from nymity_lab.study.study import Row, Rows

if TYPE_CHECKING:
    from nymity.publishing.comparing.compare import Comparer, Comparison
    from nymity.utility.learner import Examples, Learner
    from nymity_lab.study.metrics.data import Data
    from nymity_lab.study.metrics.releases import Made

#: Classifiers of the thesis by their keys, with the names that it has for them.
CLASSIFIERS = {"logistic-regression": "LR", "random-forest": "RF", "nearest-neighbours": "kNN"}
UTILITIES = tuple(f"{name} {score}" for name in CLASSIFIERS.values() for score in ("accuracy", "AUROC"))
#: How cells become features: as in the thesis, or with features joined that no trained cell tells apart, which is ours.
PUBLISHED, JOINED = ENCODINGS = ("as published", "joined")
#: Our candidate. Rows have metrics as ``metric <name>``, scaled, and ``raw <name>``, utilities as ``utility <name>``.
PROXY = "learnability"


def measure_releases(data: str, algorithm: str, first: int, count: int, records: int | None, trees: int) -> Rows:
    """Make and measure some releases, by their numbers: a row for each encoding, whose metrics are the same."""
    from nymity.utility.naive_bayes import area_of

    source, rows = load(data, records), []
    for number in range(first, first + count):
        made = make(source, algorithm, number)
        comparison = _compared(source, made, algorithm)
        learner = _learner(data, records)
        examples = _released(learner, made)
        row: Row = {"data": data, "algorithm": algorithm, "number": number, "k": made.k}
        row |= {"suppressed": comparison.suppressed, "classes": made.table.drop(TARGET).n_unique()}
        row |= {f"metric {m.name}": m.scaled for m in comparison.measured}
        row |= {f"raw {m.name}": m.value for m in comparison.measured}
        row |= {f"metric {PROXY}": 1 - area_of(learner, examples)}
        rows += _by_encoding(row, learner, examples, _tested(data, records), trees)
    return rows


def measure_original(data: str, records: int | None, trees: int) -> Rows:
    """Measure what classifiers learn from the records themselves, and the share of the most frequent class."""
    source, learner = load(data, records), _learner(data, records)
    most = source.tested[TARGET].value_counts(sort=True)["count"][0]
    about = {
        "data": data,
        "records": source.table.height,
        "tested": source.tested.height,
        "columns": len(source.columns),
    }
    row = about | {"most frequent class": most / source.tested.height}
    return _by_encoding(row, learner, learner.original, _tested(data, records), trees)


def accuracy_by_k(data: str, k: int, draws: int, records: int | None) -> Rows:
    """Return the accuracy of kNN for some Mondrian releases of one k (figure 3.4); a number's orders are all k's."""
    from nymity.utility.classifiers import NearestNeighbours

    source, learner = load(data, records), _learner(data, records)
    rows = []
    for number in range(draws):
        examples = _released(learner, make(source, MONDRIAN, number, k))
        for encoding in ENCODINGS:
            encoded = replace(learner, as_published=encoding == PUBLISHED)
            found = encoded.held_out(examples, _tested(data, records), [NearestNeighbours()])
            performance = found["nearest-neighbours"].performance(learner.classes)
            row = {"data": data, "encoding": encoding, "k": k, "number": number}
            rows.append(row | {"accuracy": performance.accuracy})
    return rows


def _compared(source: Data, made: Made, algorithm: str) -> Comparison:
    """Measure by all metrics; hierarchies are a release's own, and value or ``*`` where it had an order alone."""
    from nymity.publishing.comparing.compare import Comparer
    from nymity.table.schema import Schema

    if algorithm == MONDRIAN:
        return _comparer(source).compare(made.released())
    trees = made.recoding.hierarchies
    schema = Schema({n: replace(a, hierarchy=trees[n]) if n in trees else a for n, a in source.schema.items()})
    return Comparer(source.table, schema).compare(made.released())


def _by_encoding(row: Row, learner: Learner, examples: Examples, tested: Examples, trees: int) -> Rows:
    """Return a row for each encoding, with what classifiers learn by it."""
    return [
        row
        | {"encoding": encoding}
        | _utilities(replace(learner, as_published=encoding == PUBLISHED), examples, tested, trees)
        for encoding in ENCODINGS
    ]


def _utilities(learner: Learner, examples: Examples, tested: Examples, trees: int) -> Row:
    """Train the classifiers, test them on original records that no release was made of, and on halves of those."""
    from nymity.utility.classifiers import LogisticRegression, NearestNeighbours, RandomForest
    from nymity.utility.scoring import Predictions

    chosen = [LogisticRegression(), RandomForest(trees=trees), NearestNeighbours()]
    found = learner.held_out(examples, tested, chosen)
    parts = {"utility": slice(None), "first half": slice(0, None, 2), "second half": slice(1, None, 2)}
    row: Row = {}
    for key, name in CLASSIFIERS.items():
        answers = found[key]
        for part, rows in parts.items():
            those = Predictions(answers.labels[rows], answers.probabilities[rows], answers.fold[rows])
            reached = those.performance(learner.classes)
            row |= {f"{part} {name} accuracy": reached.accuracy, f"{part} {name} AUROC": reached.auroc}
    return row


def _released(learner: Learner, made: Made) -> Examples:
    """Take a release, whose rows are in the order of the records."""
    import numpy as np

    return learner.examples(made.released(links=np.arange(made.table.height)))


@lru_cache(maxsize=2)
def _learner(data: str, records: int | None) -> Learner:
    from nymity.utility.learner import Learner

    source = load(data, records)
    return Learner.of(source.table, source.schema, target=TARGET, test=source.tested)


@lru_cache(maxsize=2)
def _tested(data: str, records: int | None) -> Examples:
    return _learner(data, records).others(load(data, records).tested)


@lru_cache(maxsize=2)
def _comparer(source: Data) -> Comparer:
    from nymity.publishing.comparing.compare import Comparer

    return Comparer(source.table, source.schema)
