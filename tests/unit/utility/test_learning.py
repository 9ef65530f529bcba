"""Learning tasks: the protocol, the scores against their definitions, and what is refused."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import Interrupted, ParameterError, SchemaError, TableError
from nymity.utility import CLASSIFIERS, GradientBoosting, Learner, LearningResult, RandomForest, learn, stratified_folds
from nymity.utility.classifiers import fit
from nymity.utility.feature_encoding import sparse
from nymity.utility.scoring import Predictions, area, paired_interval, roc_curve

QUICK = (
    *(CLASSIFIERS[key]() for key in ("logistic-regression", "decision-tree", "nearest-neighbours")),
    RandomForest(trees=5),
    GradientBoosting(iterations=5),
)
FAST = ("logistic-regression", "decision-tree", "nearest-neighbours")
LEVELS = ny.Hierarchy.intervals(width=10, levels=3)


def people(n: int = 300, seed: int = 1) -> pl.DataFrame:
    """Records whose class depends on two of three columns."""
    rng = np.random.default_rng(seed)
    age, town, noise = 20 + 5 * rng.integers(0, 8, n), rng.integers(0, 4, n), rng.random(n)
    return pl.DataFrame(
        {
            "age": age,
            "town": [f"town {t}" for t in town],
            "hobby": [f"hobby {t}" for t in rng.integers(0, 3, n)],
            "ill": ["yes" if y else "no" for y in ((age >= 40) & (town < 3)) ^ (noise < 0.1)],
        }
    )


def schema(*, age_level: int | None = None, town_level: int | None = None, target: Any = None) -> ny.Schema:
    return ny.Schema(
        {
            "age": ny.quasi(LEVELS, level=age_level),
            "town": ny.quasi(level=town_level),
            "hobby": ny.insensitive(),
            "ill": target or ny.sensitive(),
        }
    )


def published(table: pl.DataFrame, roles: ny.Schema, k: int = 3, **settings: Any) -> ny.Release:
    return ny.publish(table, roles, privacy=[ny.KAnonymity(k=k)], method=ny.OptimalLattice(**settings))


# -- protocol ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["binary", "interval", "mean"])
def test_an_identical_release_teaches_the_same(encoding: Any) -> None:
    table = people(200)
    release = published(table, schema(age_level=0, town_level=0), k=1)
    found = learn(table, release, target="ill", classifiers=QUICK, encoding=encoding, folds=2)
    assert {result.classifier for result in found.results} == set(CLASSIFIERS)
    for result in found.results:
        assert result.original == result.release
        assert (result.difference, result.interval, result.relative_accuracy) == (0, (0, 0), 1)
        assert result.original.accuracy > found.zero_r
        assert [item.original for item in result.importance] == [item.release for item in result.importance]


def test_full_suppression_teaches_zero_r() -> None:
    table = people().drop("hobby")
    roles = ny.Schema({"age": ny.quasi(LEVELS, level=3), "town": ny.quasi(level=1), "ill": ny.sensitive()})
    found = learn(table, published(table, roles), target="ill", classifiers=QUICK, folds=2)
    for result in found.results:
        assert result.release.accuracy == found.zero_r
        assert result.release.auroc == result.release.balanced_accuracy == 0.5
        assert result.relative_accuracy == 0
        assert result.interval[0] > 0
        assert all(item.release == 0 for item in result.importance)


def test_a_column_that_says_it_all_is_seen() -> None:
    table = people().with_columns(hobby=pl.col("ill"))
    found = learn(table, published(table, schema()), target="ill", classifiers=["decision-tree"], folds=3)
    result = found.of("decision-tree")
    assert result.original.accuracy == result.release.accuracy == result.release.auroc == 1
    lost = {item.column: item.release for item in result.importance}
    assert lost["hobby"] > 0.2
    assert lost["age"] == lost["town"] == 0


def test_the_order_of_released_rows_does_not_matter() -> None:
    table, roles = people(), schema()
    release = published(table, roles)
    order = np.random.default_rng(3).permutation(release.frame.height)
    found = [
        learn(table, ny.open(frame, schema=roles, links=links), target="ill", classifiers=FAST, folds=2)
        for frame, links in (
            (release.frame, release.log.source_rows),
            (release.frame[order], release.log.source_rows[order]),
        )
    ]
    assert found[0] == found[1] == learn(table, release, target="ill", classifiers=FAST, folds=2)


def test_nobody_is_tested_by_what_was_learned_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen from outside: which rows each classifier is trained on and which records it is asked about."""
    table, seen = people(), []
    held_out = Learner.held_out

    def watched(self: Learner, trained: Any, tested: Any, *args: Any, **settings: Any) -> Any:
        seen.append((set(trained.records.tolist()), set(tested.records.tolist())))
        return held_out(self, trained, tested, *args, **settings)

    monkeypatch.setattr(Learner, "held_out", watched)
    release = published(table, schema(), suppression=0.2)
    found = learn(table, release, target="ill", classifiers=["logistic-regression"], folds=4)
    assert len(seen) == 2 * 4
    assert all(not trained & tested for trained, tested in seen)
    for half in (seen[:4], seen[4:]):
        assert sorted(record for _, tested in half for record in tested) == list(range(table.height))
    assert found.protocol == "cross-validation"


def test_links_are_those_of_the_records() -> None:
    """Labels and cells of the rows behind a record are the record's own."""
    table = people()
    release = published(table, schema(age_level=0, town_level=0), k=9, suppression=0.8)
    assert release.log.masked.any()
    learner = Learner.of(table, schema(), target="ill")
    examples = learner.examples(release)
    assert examples.records is not None
    assert examples.labels.tolist() == learner.original.labels[examples.records].tolist()
    cells, raw = examples.features.toarray(), learner.original.at(examples.records).features.toarray()
    assert (cells >= raw).all()
    assert (cells > raw).any()


def test_a_holdout_is_tested_where_rows_have_no_links() -> None:
    table, others, roles = people(), people(200, seed=2), schema()
    release = published(table, roles)
    found = learn(table, ny.open(release.frame, schema=roles), target="ill", test=others, classifiers=FAST)
    assert (found.protocol, found.folds, found.test_records, found.training_rows) == ("holdout", None, 200, 300)
    assert any("was not checked" in note for note in found.notes)
    linked = learn(table, release, target="ill", test=others, classifiers=FAST)
    assert [r.release.accuracy for r in linked.results] == [r.release.accuracy for r in found.results]
    most = table["ill"].mode()[0]
    assert found.zero_r == (others["ill"] == most).mean()


def test_a_sample_limits_the_records() -> None:
    table, roles = people(), schema()
    release = published(table, roles)
    found = learn(table, release, target="ill", classifiers=["decision-tree"], folds=2, sample=100)
    assert (found.records, found.test_records, found.training_rows) == (100, 100, 100)
    assert found.notes[0] == "100 of 300 records took part"
    held = learn(
        table,
        ny.open(release.frame, schema=roles),
        target="ill",
        test=people(50, 2),
        classifiers=["decision-tree"],
        sample=100,
    )
    assert (held.test_records, held.training_rows) == (50, 100)


def test_dropped_records_take_no_part() -> None:
    table = people().with_columns(town=pl.when(pl.col("age") < 25).then(None).otherwise("town"))
    roles = ny.Schema({**schema(), "town": ny.quasi(missing="drop")})
    found = learn(table, published(table, roles), target="ill", classifiers=["decision-tree"], folds=2)
    assert found.records == found.test_records == table["town"].count()


def test_the_same_seed_gives_the_same_result_and_it_is_plain() -> None:
    table = people()
    release = published(table, schema())
    runs = [
        learn(table, release, target="ill", classifiers=[RandomForest(trees=10)], folds=2, seed=seed)
        for seed in (5, 5, 6)
    ]
    assert runs[0] == runs[1] != runs[2]
    assert json.loads(json.dumps(runs[0].to_dict()))["results"][0]["classifier"] == "random-forest"


def test_mondrian_freeform_and_safepub_releases() -> None:
    table = people(400)
    private = ny.Schema(
        {
            "age": ny.quasi(ny.Hierarchy.from_rows([[str(age), "*"] for age in range(20, 60, 5)])),
            "ill": ny.quasi(ny.Hierarchy.from_rows([["no", "*"], ["yes", "*"]]), level=0),
        }
    )
    made = [
        ny.publish(table, schema(), privacy=[ny.KAnonymity(k=3)], method=ny.Mondrian()),
        ny.publish(table, schema(), privacy=[ny.KMatching(k=3)], method=ny.FreeformGreedy()),
        ny.publish(
            table[["age", "ill"]],
            private,
            privacy=[ny.DifferentialPrivacy(epsilon=1.0, public_records=400)],
            method=ny.SafePub(not_private_seed=1),
        ),
    ]
    for release in made:
        source = table[release.frame.columns]
        found = learn(source, release, target="ill", classifiers=FAST, folds=3)
        assert found.training_rows == release.frame.height
        assert all(0 < result.release.accuracy <= 1 for result in found.results)


def test_nothing_is_learned_from_a_release_without_rows() -> None:
    """What a private draw can come to: levels at which every class is too small."""
    table = people(60)
    roles = ny.Schema(
        {
            "age": ny.quasi(ny.Hierarchy.from_rows([[str(age), "*"] for age in range(20, 60, 5)]), level=0),
            "ill": ny.quasi(ny.Hierarchy.from_rows([["no", "*"], ["yes", "*"]]), level=0),
        }
    )
    promise = ny.DifferentialPrivacy(epsilon=1.0, public_records=400)
    release = ny.publish(table[["age", "ill"]], roles, privacy=[promise], method=ny.SafePub(not_private_seed=1))
    assert release.frame.height == 0
    with pytest.raises(TableError, match="training rows"):
        learn(table, release, target="ill", classifiers=FAST, folds=3)


def test_a_learner_scores_many_releases() -> None:
    table = people()
    learner = Learner.of(table, schema(), target="ill")
    test = stratified_folds(learner.original.labels, 4, seed=0) == 0
    whole = learner.score(learner.original, test, FAST)
    same = learner.score(learner.examples(published(table, schema(age_level=0, town_level=0), k=1)), test, FAST)
    less = learner.score(learner.examples(published(table, schema(age_level=3))), test, FAST)
    assert whole == same
    assert less["decision-tree"].accuracy < whole["decision-tree"].accuracy


def test_the_published_encoding_spreads_what_it_learns() -> None:
    """Where we differ from the thesis: a test record has one of the values that were only seen together."""
    table = people(600)
    release = published(table, schema(age_level=1))
    scores = []
    for as_published in (False, True):
        learner = Learner.of(table, schema(), target="ill", as_published=as_published)
        test = stratified_folds(learner.original.labels, 4, seed=0) == 0
        scores.append(learner.score(learner.examples(release), test, ["decision-tree"])["decision-tree"].accuracy)
    assert scores[0] > scores[1] + 0.1


def test_progress_is_told_and_stops() -> None:
    table, told = people(100), []

    def observe(progress: ny.Progress) -> bool:
        told.append((progress.stage, progress.done, progress.total))
        return len(told) < 3

    release = published(table, schema())
    with pytest.raises(Interrupted, match="learning from the original"):
        learn(table, release, target="ill", classifiers=["decision-tree"], folds=5, observe=observe)
    assert told == [("learning from the original", i, 5) for i in range(3)]


# -- labels --------------------------------------------------------------------------------------------------


def test_a_quasi_identifier_can_be_the_target_where_it_is_published() -> None:
    table = people()
    release = published(table, schema(target=ny.quasi(max_level=0)), suppression=0.3)
    assert release.log.masked.any()
    found = learn(table, release, target="ill", classifiers=["decision-tree"], folds=2)
    assert found.training_rows == table.height - release.log.masked.sum()
    assert f"{release.log.masked.sum():,} suppressed rows have no label and were not learned from" in found.notes


def test_labels_of_a_generalized_target_come_from_the_original_on_request() -> None:
    table = people()
    release = published(table, schema(age_level=1))
    roles = ny.Schema({**schema(), "town": ny.quasi(level=1)})
    masked = published(table, roles)
    for made, target in ((release, "age"), (masked, "town")):
        with pytest.raises(TableError, match=r"stands for several classes.*labels='original'"):
            learn(table, made, target=target, classifiers=["decision-tree"], folds=2)
    found = learn(table, masked, target="town", labels="original", classifiers=["decision-tree"], folds=2)
    assert found.classes == ("town 0", "town 1", "town 2", "town 3")
    with pytest.raises(ParameterError, match="where rows have no links"):
        learn(table, ny.open(masked.frame, schema=roles), target="town", labels="original", test=table)


def test_buckets_have_no_labels_beside_their_rows() -> None:
    table = people()
    source = table.with_columns(ill=pl.col("hobby"), hobby=pl.col("ill"))
    thresholds = {f"hobby {i}": 0.5 for i in range(3)}
    release = ny.publish(
        source, schema(), privacy=[ny.FPrivacy(thresholds=thresholds, attribute="ill")], method=ny.Buckets()
    )
    with pytest.raises(TableError, match="lie apart, by bucket"):
        learn(source, release, target="ill")
    found = learn(source, release, target="hobby", classifiers=["decision-tree"], folds=2)
    assert found.columns == ("age", "town")
    assert found.results[0].difference == 0


# -- scores --------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2, max_size=30))
def test_auroc_counts_pairs(records: list[tuple[bool, int]]) -> None:
    positive, scores = np.array([p for p, _ in records]), np.array([s for _, s in records], dtype=float)
    if positive.all() or not positive.any():
        return
    pairs = [(a > b) + (a == b) / 2 for a, b in product(scores[positive], scores[~positive])]
    assert area(*roc_curve(positive, scores)) == pytest.approx(np.mean(pairs))


def test_scores_by_hand() -> None:
    labels = np.array([0, 0, 0, 1, 2, 2])
    probabilities = np.array(
        [[0.8, 0.1, 0.1], [0.4, 0.5, 0.1], [0.6, 0.2, 0.2], [0.3, 0.6, 0.1], [0.1, 0.2, 0.7], [0.5, 0.2, 0.3]]
    )
    found = Predictions(labels, probabilities, np.zeros(6, dtype=np.int64)).performance(["a", "b", "c"])
    assert found.accuracy == 4 / 6
    assert found.balanced_accuracy == pytest.approx((2 / 3 + 1 + 1 / 2) / 3)
    assert found.auroc == pytest.approx((8 / 9 + 1 + 1) / 3)
    assert (found.roc[-1], found.undefined) == (1, None)
    assert list(found.roc) == sorted(found.roc)


def test_a_fold_without_a_class_leaves_auroc_undefined() -> None:
    table = people().with_columns(ill=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("rare")).otherwise("ill"))
    found = learn(table, published(table, schema()), target="ill", classifiers=["decision-tree"], folds=3)
    result = found.results[0]
    assert result.original.auroc is None
    assert result.original.roc == ()
    assert result.original.undefined is not None
    assert "has no record of class 'rare', so that AUROC is undefined" in result.original.undefined
    assert 0 < result.original.accuracy < 1


def test_the_paired_interval_by_hand() -> None:
    first, second = np.array([True] * 8 + [False] * 2), np.array([True] * 6 + [False] * 4)
    mean, low, high = paired_interval(first, second)
    error = 1.96 * np.std([0] * 6 + [1, 1, 0, 0], ddof=1) / np.sqrt(10)
    assert mean == pytest.approx(0.2)
    assert (low, high) == (pytest.approx(0.2 - error, abs=1e-4), pytest.approx(0.2 + error, abs=1e-4))


def test_relative_accuracy_is_undefined_where_the_original_teaches_nothing() -> None:
    table = people().with_columns(ill=pl.Series([f"{i % 2}" for i in range(300)]), hobby=pl.lit("none"))
    table = table.with_columns(age=pl.lit(30), town=pl.lit("town"))
    found = learn(table, published(table, schema()), target="ill", classifiers=FAST, folds=3)
    assert all(result.relative_accuracy is None for result in found.results)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(2, 6), st.integers(0, 3), st.data())
def test_folds_are_even(labels: list[int], folds: int, seed: int, data: st.DataObject) -> None:
    classes = np.array(labels)
    usable = np.array(data.draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels))), dtype=bool)
    fold = stratified_folds(classes, folds, seed, usable=usable)
    assert ((fold == -1) == ~usable).all()
    sizes = np.bincount(fold[usable], minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    for label in range(4):
        of_class = np.bincount(fold[usable & (classes == label)], minlength=folds)
        assert of_class.max() - of_class.min() <= 1


# -- refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"target": "il"}, ParameterError, "did you mean 'ill'"),
        ({"classifiers": ["decision-trees"]}, ParameterError, "did you mean 'decision-tree'"),
        ({"classifiers": []}, ParameterError, "at least one"),
        ({"classifiers": ["decision-tree", "decision-tree"]}, ParameterError, "each kind once"),
        ({"encoding": "one-hot"}, ParameterError, "encoding"),
        ({"labels": "guessed"}, ParameterError, "labels"),
        ({"folds": 1}, ParameterError, "folds"),
        ({"sample": 0}, ParameterError, "sample"),
        ({"seed": -1}, ParameterError, "seed"),
    ],
)
def test_bad_parameters(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    table = people(50)
    release = published(table, schema())
    with pytest.raises(error, match=message):
        learn(table, release, **{"target": "ill", **settings})


def test_bad_tables(tmp_path: Path) -> None:
    table, roles = people(60), schema()
    release = published(table, roles)
    with pytest.raises(TableError, match="nobody is tested by what was learned from them"):
        learn(table, ny.open(release.frame, schema=roles), target="ill")
    with pytest.raises(SchemaError, match="the schema the table was released by"):
        learn(table, release.frame, target="ill")
    with pytest.raises(TableError, match="at least two classes, got only 'no'"):
        learn(table.with_columns(ill=pl.lit("no")), release, target="ill")
    with pytest.raises(TableError, match="the column 'ill'"):
        learn(table, ny.open(release.frame.drop("ill"), schema=roles), target="ill", test=table)
    with pytest.raises(ParameterError, match="identifying"):
        learn(
            table,
            ny.open(release.frame, schema=ny.Schema({**roles, "ill": ny.identifying()})),
            target="ill",
            test=table,
        )
    with pytest.raises(TableError, match="links: expected the original's row of each of 60 released rows"):
        learn(table, ny.open(release.frame, schema=roles, links=[1, 2, 3]), target="ill")
    with pytest.raises(TableError, match="the labels of the records that rows are linked to"):
        learn(table, ny.open(release.frame, schema=roles, links=np.roll(release.log.source_rows, 1)), target="ill")
    with pytest.raises(TableError, match="the unknown value 'perhaps'"):
        learn(table, ny.open(release.frame.with_columns(ill=pl.lit("perhaps")), schema=roles), target="ill", test=table)
    with pytest.raises(TableError, match="training rows: expected at least one"):
        learn(table, ny.open(release.frame[:0], schema=roles, links=[]), target="ill")
    with pytest.raises(TableError, match="test records: expected the column 'town'"):
        learn(table, ny.open(release.frame, schema=roles), target="ill", test=table.drop("town"))
    with pytest.raises(TableError, match="original: expected the column 'town'"):
        learn(table.drop("town"), release, target="ill")
    with pytest.raises(TableError, match="columns to learn 'ill' from"):
        learn(table, ny.open(release.frame[["ill"]], schema=roles), target="ill", test=table)
    with pytest.raises(ParameterError, match="folds: expected a whole number of at most 60, got 61"):
        learn(table, release, target="ill", folds=61)
    path = tmp_path / "mapping.csv"
    path.write_text("row\n1\n", encoding="utf-8")
    with pytest.raises(TableError, match="'released_row' and 'source_row'"):
        learn(table, ny.open(release.frame, schema=roles, links=path), target="ill")


def test_links_are_read_from_the_custodian_log(tmp_path: Path) -> None:
    table, roles = people(60), schema()
    release = published(table, roles)
    release.save(tmp_path / "out")
    written = ny.read_table(tmp_path / "out/release.csv")
    found: LearningResult = learn(
        table,
        ny.open(
            written,
            schema=roles,
            links=tmp_path / "out-custodian/mapping.parquet",
            recoding=tmp_path / "out-custodian/recoding.json",
        ),
        target="ill",
        classifiers=FAST,
        folds=2,
    )
    assert found == learn(table, release, target="ill", classifiers=FAST, folds=2)


def test_training_rows_of_one_class_answer_with_it() -> None:
    features = sparse().csr_matrix(np.array([[0.0, 1.0], [1.0, 1.0]]))
    fitted = fit(CLASSIFIERS["logistic-regression"](), features, np.array([2, 2]), 3)
    assert fitted.probabilities(features).tolist() == [[0, 0, 1], [0, 0, 1]]
