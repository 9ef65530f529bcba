"""Anonymizer and CellEncoder in scikit-learn: pipelines, searches, and what is promised by whom."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import InputError
from nymity.publishing.running.anonymizer import NewRowsWarning
from nymity.utility.cell_text import day_ends_of, ends_of, members_of

sklearn = pytest.importorskip("sklearn")

#: Checks that subtract outputs, or ask for an error's words: cells are text, and k cannot be more than the records.
TEXT_CELLS = {
    "check_pipeline_consistency", "check_estimators_pickle", "check_transformer_data_not_an_array",
    "check_transformer_general", "check_methods_sample_order_invariance", "check_methods_subset_invariance",
    "check_fit_idempotent", "check_fit2d_1sample",
}  # fmt: skip


def people(n: int = 240, seed: int = 2) -> tuple[pd.DataFrame, pd.Series[Any]]:
    rng = np.random.default_rng(seed)
    df = pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            "job": rng.choice(["nurse", "pupil", "cook"], n),
        }
    )
    return df, (df["age"] + rng.normal(0, 5, n) > 50).astype(int)


ROLES = {"name": "identifying", "age": "quasi", "job": "quasi"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "expected"), [(ny.CellEncoder(), set()), (ny.Anonymizer(k=2), TEXT_CELLS)])
def test_it_is_an_estimator(estimator: Any, expected: set[str]) -> None:
    from sklearn.utils.estimator_checks import check_estimator

    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > 40
    assert {one["check_name"] for one in results if one["status"] == "failed"} == expected
    for one in results:
        if one["check_name"] in expected and one["check_name"] != "check_fit2d_1sample" and one["status"] == "failed":
            assert "'str'" in str(one["exception"]) or "isfinite" in str(one["exception"])


@pytest.mark.parametrize("method", [None, "mondrian", "datafly", "iterative-recoding"])
def test_rows_that_were_fitted_are_the_release(method: str | None) -> None:
    df, _ = people()
    anonymizer = ny.Anonymizer(ROLES, k=5, method=method)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        published = anonymizer.fit_transform(df)
    assert list(published.columns) == ["age", "job"] == list(anonymizer.get_feature_names_out())
    assert len(published) == len(df)
    assert published.groupby(["age", "job"]).size().min() >= 5
    released = anonymizer.release_.frame.cast(pl.String).sort("age", "job")
    assert pl.from_pandas(published).cast(pl.String).sort("age", "job").equals(released)
    with pytest.warns(NewRowsWarning, match="promise nothing by themselves"):
        again = anonymizer.transform(df)
    pd.testing.assert_frame_equal(again, published)
    assert anonymizer.certificate_["promised"][0]["k"] == 5


def test_new_rows_are_recoded_in_their_order() -> None:
    df, _ = people()
    anonymizer = ny.Anonymizer(ROLES, k=5).fit(df)
    new, _ = people(40, seed=9)
    with pytest.warns(NewRowsWarning):
        recoded = anonymizer.transform(new)
    level = anonymizer.release_.levels["age"]
    hierarchy = anonymizer.release_.recoding.hierarchies["age"]
    wanted = [hierarchy.generalize(str(age), level) if str(age) in hierarchy.index else None for age in new["age"]]
    pairs = [(cell, want) for cell, want in zip(recoded["age"], wanted, strict=True) if cell != "*" and want]
    assert len(pairs) > 20
    assert all(cell == want for cell, want in pairs)


def test_rows_that_would_break_the_promise_are_not_returned() -> None:
    """Where equal records go to different classes, or too few are masked, rows one by one are no release."""
    df, _ = people()
    with pytest.raises(ny.PromiseError, match="publishes equal records alike"):
        ny.Anonymizer(ROLES, k=5, method="k-member").fit_transform(df)
    few = pd.DataFrame({"age": [20] * 50 + [21]})
    with pytest.raises(ny.PromiseError, match="suppression = 0"):
        ny.Anonymizer({"age": ny.quasi()}, k=4, method=ny.OptimalLattice(suppression=0.1)).fit_transform(few)


def test_suppressed_rows_stay_as_one_class_of_masks() -> None:
    df = pd.DataFrame({"age": [20] * 50 + [21] * 50 + list(range(30, 34))})
    published = ny.Anonymizer(
        {"age": ny.quasi()}, k=4, method={"name": "optimal-lattice", "suppression": 0.1}
    ).fit_transform(df)
    assert published["age"].astype(str).value_counts().to_dict() == {"20": 50, "21": 50, "*": 4}


@pytest.mark.filterwarnings("ignore::nymity.publishing.running.anonymizer.NewRowsWarning")
def test_pipelines_searches_and_copies() -> None:
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    df, y = people()
    model = make_pipeline(ny.Anonymizer(ROLES, k=5), ny.CellEncoder(), LogisticRegression())
    search = GridSearchCV(model, {"anonymizer__k": [2, 60]}, cv=3).fit(df, y)
    assert search.best_params_ == {"anonymizer__k": 2}
    assert search.best_score_ > 0.75
    copy = clone(model[0])
    assert copy.get_params() == model[0].get_params()
    assert not hasattr(copy, "release_")
    fitted = ny.Anonymizer(ROLES, k=5).fit(df)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(fitted)).transform(df), fitted.transform(df))


@pytest.mark.filterwarnings("ignore::nymity.publishing.running.anonymizer.NewRowsWarning")
def test_set_output_and_kinds_of_frames() -> None:
    df, _ = people()
    anonymizer = ny.Anonymizer(ROLES, k=5).set_output(transform="pandas")
    assert isinstance(anonymizer.fit_transform(df), pd.DataFrame)
    assert isinstance(ny.Anonymizer(ROLES, k=5).fit_transform(pl.from_pandas(df)), pl.DataFrame)
    assert isinstance(ny.Anonymizer(k=5).fit_transform(df[["age", "job"]].to_numpy()), np.ndarray)
    encoded = ny.CellEncoder().set_output(transform="polars").fit_transform(pl.from_pandas(df[["age"]]))
    assert encoded.columns == ["age_low", "age_high"]
    with pytest.raises(ValueError, match="missing: \\['job'\\]"):
        anonymizer.transform(df[["name", "age"]])


@pytest.mark.filterwarnings("ignore::nymity.publishing.running.anonymizer.NewRowsWarning")
def test_rows_keep_their_index() -> None:
    """pandas joins by the index: rows with a new one would be joined with those of other people."""
    from sklearn.compose import make_column_transformer
    from sklearn.model_selection import train_test_split

    df, _ = people()
    train, test = train_test_split(df, random_state=1)
    anonymizer = ny.Anonymizer(ROLES, k=5)
    assert anonymizer.fit_transform(train).index.equals(train.index)
    assert anonymizer.transform(test).index.equals(test.index)
    beside = make_column_transformer(
        (ny.Anonymizer(k=5), ["age"]), remainder="passthrough", verbose_feature_names_out=False
    )
    made = beside.set_output(transform="pandas").fit_transform(train)
    levels = beside.transformers_[0][1].release_
    ages = levels.recoding.hierarchies["age"]
    assert [ages.generalize(str(age), levels.levels["age"]) for age in train["age"]] == made["age"].to_list()
    assert made["name"].equals(train["name"])
    assert "Index" not in str(anonymizer.release_.certificate)  # the release itself has none


@pytest.mark.filterwarnings("ignore::nymity.publishing.running.anonymizer.NewRowsWarning")
def test_grids_of_numpy_and_other_searches() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_val_predict
    from sklearn.pipeline import make_pipeline

    df, y = people()
    model = make_pipeline(ny.Anonymizer(ROLES, k=5), ny.CellEncoder(), LogisticRegression())
    grid = {"anonymizer__k": np.arange(2, 8, 4), "anonymizer__method": [None, "mondrian"]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(df, y)
    assert search.best_estimator_[0].certificate_["promised"][0]["k"] in (2, 6)
    assert len(cross_val_predict(model, df, y, cv=2)) == len(df)


def test_a_search_spends_nothing(tmp_path: Path) -> None:
    """Searches, ensembles and pipelines that keep copies fit copies: none of them may spend."""
    from sklearn.ensemble import BaggingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline

    df, y = people()
    ages = ny.Hierarchy.intervals(width=20).build(pl.Series(range(120)))
    promise = ny.DifferentialPrivacy(epsilon=1.0, public_records=240, delta=1e-4)
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    ledger.open(epsilon=10, delta=1e-2)
    before = (tmp_path / "ledger.json").read_bytes()
    private = ny.Anonymizer({"age": ny.quasi(ages)}, privacy=promise, method="safepub", ledger=ledger)
    model = make_pipeline(private, ny.CellEncoder(), LogisticRegression())
    ways = (
        lambda: GridSearchCV(model, {"anonymizer__k": [None]}, cv=2, error_score="raise").fit(df[["age"]], y),
        lambda: cross_val_score(model, df[["age"]], y, cv=2, error_score="raise"),
        lambda: BaggingClassifier(model, n_estimators=2).fit(df[["age"]], y),
        lambda: make_pipeline(private, ny.CellEncoder(), memory=str(tmp_path / "kept")).fit(df[["age"]]),
    )
    for way in ways:
        with pytest.raises(InputError, match=r"spends_in_searches: expected True|fit_transform: expected a method"):
            way()
    assert (tmp_path / "ledger.json").read_bytes() == before


def test_private_methods_spend_with_a_ledger_alone(tmp_path: Path) -> None:
    from sklearn.base import clone

    df, _ = people()
    ages = ny.Hierarchy.intervals(width=20).build(pl.Series(range(120)))
    promise = ny.DifferentialPrivacy(epsilon=1.0, public_records=240, delta=1e-4)
    roles = {"age": ny.quasi(ages)}
    with pytest.raises(InputError, match="a Ledger: every fit spends"):
        ny.Anonymizer(roles, privacy=promise, method="safepub").fit(df[["age"]])
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    ledger.open(epsilon=10, delta=1e-2)
    before = (tmp_path / "ledger.json").read_text()
    private = ny.Anonymizer(roles, privacy=promise, method="safepub", ledger=ledger)
    with pytest.raises(InputError, match="spends_in_searches: expected True"):
        clone(private).fit(df[["age"]])
    with pytest.raises(InputError, match="fit_transform: expected a method that publishes every row"):
        private.fit_transform(df[["age"]])
    assert (tmp_path / "ledger.json").read_text() == before
    private.fit(df[["age"]])
    assert (tmp_path / "ledger.json").read_text() != before
    with pytest.raises(InputError, match="transform: expected a method that publishes every row"):
        private.transform(df[["age"]])
    clone(ny.Anonymizer(roles, privacy=promise, method="safepub", ledger=ledger, spends_in_searches=True)).fit(
        df[["age"]]
    )


# -- cells as features -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "ends"),
    [
        ("37", (37, 37)), ("-1.5", (-1.5, -1.5)), ("20-39", (20, 39)), ("-5 to -1", (-5, -1)), ("[20, 30)", (20, 30)),
        ("20 to under 22.5", (20, 22.5)), ("90+", (90, None)), ("-5 or more", (-5, None)), ("under 18", (None, 18)),
        ("(0.5, 3.25]", (0.5, 3.25)), (">=90", (90, None)), ("nurse", None), ("2020-01-03", None),
        ("*", None), ("A10", None), ("2020-01", None), ("9-3", None),
    ],
)  # fmt: skip
def test_ends_of_ranges(cell: str, ends: Any) -> None:
    assert ends_of(cell) == ends


@pytest.mark.parametrize(
    ("cell", "first", "last"),
    [
        ("2020-02-03", "2020-02-03", "2020-02-03"), ("2020-02-03 10:30:00.000000", "2020-02-03", "2020-02-03"),
        ("2020-02", "2020-02-01", "2020-02-29"), ("2019-Q4", "2019-10-01", "2019-12-31"),
        ("2020", "2020-01-01", "2020-12-31"), ("2010s", "2010-01-01", "2019-12-31"),
        ("2020-W01", "2019-12-30", "2020-01-05"), ("2020-02-03 to 2020-03-01", "2020-02-03", "2020-03-01"),
    ],
)  # fmt: skip
def test_ends_of_dates(cell: str, first: str, last: str) -> None:
    epoch = np.datetime64("1970-01-01")
    assert day_ends_of(cell) == tuple((np.datetime64(day) - epoch).astype(int) for day in (first, last))
    assert day_ends_of("2020-02-30") is day_ends_of("2020-13") is day_ends_of("nurse") is day_ends_of("9999-Q4") is None


def test_every_label_of_dates_is_read() -> None:
    days = pl.date_range(pl.date(2019, 12, 25), pl.date(2021, 1, 9), eager=True)
    for levels in (("month", "quarter", "year", "decade"), ("week", "month")):
        built = ny.Hierarchy.dates(levels=levels).build(days)
        for level, row in ((level, row) for row in built.rows() for level in range(built.height)):
            first, last = day_ends_of(row[level])
            own = day_ends_of(row[0])[0]
            assert first <= own <= last or "week" in levels  # a month above weeks is that of their Thursday


@pytest.mark.parametrize("method", ["mondrian", None])
def test_dates_and_gaps_of_a_release_are_features_of_plain_values(method: str | None) -> None:
    n = 120
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(n) * 5, unit="D"),
            "age": pd.array([None if i % 10 == 0 else 20 + i % 50 for i in range(n)], dtype="Int64"),
        }
    )
    release = ny.publish(frame, {"day": "quasi", "age": "quasi"}, k=4, method=method)
    encoder = ny.CellEncoder().fit(release.table)
    assert list(encoder.get_feature_names_out())[:2] == ["day_low", "day_high"]
    made = encoder.transform(frame)  # plain values
    assert np.all(made[:, 0] == made[:, 1])
    assert made[-1, 0] - made[0, 0] == (5 * (n - 1) if method else 1)  # in days, or in years where these are published
    assert {name for name in encoder.get_feature_names_out() if name.startswith("age")} == {
        "age_low", "age_high", "age_missing",
    }  # fmt: skip


def test_values_with_commas_in_sets() -> None:
    assert members_of("{a, b, c}") == ("a", "b", "c")
    assert members_of("{a, b, c}", {"a, b"}) == ("a, b", "c")
    encoder = ny.CellEncoder().fit({"job": ["{a, b, c}", "a, b", "{missing, c}"]})
    assert list(encoder.get_feature_names_out()) == ["job=a, b", "job=c", "job_missing"]
    assert encoder.transform({"job": ["{missing, c}"]}).tolist() == [[0, 0.5, 0.5]]


def test_every_range_that_hierarchies_write_is_read() -> None:
    values = pl.Series([*range(-12, 30), 120])
    for source in (ny.Hierarchy.intervals(width=5, levels=2), ny.Hierarchy.ages(other="x")):
        for labels in source.build(values.filter(values >= 0)).labels[1:-1]:
            assert all(ends_of(str(label)) for label in labels), labels


def test_sets_share_and_masks_stand_for_all() -> None:
    assert members_of("{nurse, pupil}") == ("nurse", "pupil")
    encoder = ny.CellEncoder().fit({"age": ["20-39", "40-59", "*", None], "job": ["{cook, nurse}", "pupil", "*", None]})
    assert list(encoder.get_feature_names_out()) == [
        "age_low", "age_high", "age_missing", "job=cook", "job=nurse", "job=pupil", "job_missing",
    ]  # fmt: skip
    made = encoder.transform({"age": [37, "*", None, "20-39"], "job": ["nurse", "*", None, "{cook, nurse}"]})
    third = 1 / 3
    assert made == pytest.approx(
        np.array(
            [
                [37, 37, 0, 0, 1, 0, 0],
                [20, 59, 0, third, third, third, 0],
                [20, 59, 1, 0, 0, 0, 1],
                [20, 39, 0, 0.5, 0.5, 0, 0],
            ]
        )
    )


def test_a_model_trains_on_a_release_and_predicts_for_plain_values() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    df, y = people(600)
    release = ny.publish(df.assign(ill=y), {**ROLES, "ill": "sensitive"}, k=5, method="mondrian")
    model = make_pipeline(ny.CellEncoder(), LogisticRegression(max_iter=500))
    model.fit(release.table[["age", "job"]], release.table["ill"].astype(int))
    new, truth = people(300, seed=4)
    assert model.score(new[["age", "job"]], truth) > 0.8


def test_columns_that_transforms_change_are_those_of_the_release_alone() -> None:
    X, _ = people()
    X["cost"] = X["age"] * 10
    roles = {**ROLES, "cost": "insensitive"}
    noisy = ny.Anonymizer(roles, k=3, transforms=[ny.AdditiveNoise(columns=["cost"])])
    assert list(noisy.fit_transform(X).columns) == ["age", "job"] == list(noisy.get_feature_names_out())
    assert noisy.release_.frame["cost"].to_list() != X["cost"].to_list()
    rounded = ny.Anonymizer(roles, k=3, transforms=[ny.Rounding(columns=["cost"], base=100)])
    made = rounded.fit_transform(X)
    assert list(made.columns) == list(rounded.get_feature_names_out())
    assert made["cost"].to_list() == [(cost + 50) // 100 * 100 for cost in X["cost"]]
