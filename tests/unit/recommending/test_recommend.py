"""Settings tried on a table: what is found, when it stops, and that every choice keeps its promise."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import (
    InputError,
    Interrupted,
    JobError,
    NoSolutionError,
    ParameterError,
    SchemaError,
    TableError,
)
from nymity.core.progress import Progress, report
from nymity.publishing.jobs.job import Job, Source
from nymity.recommending.recommend import recommend
from nymity.recommending.recommendation import DATA_NAME, Recommendation
from nymity.recommending.trial import TrialRunner
from nymity.recommending.usefulness import PARTS, Examination
from nymity.recommending.yardstick import CorrectPredictions
from nymity.table.builders import Intervals
from nymity.utility import DecisionTree, Learner

QUICK: dict[str, Any] = {"classifiers": ["decision-tree"], "seconds": 600}
SCHEMA = ny.Schema(
    {
        "name": ny.identifying(),
        "age": ny.quasi(Intervals(width=10, levels=3)),
        "sex": ny.quasi(),
        "zip": ny.quasi(ny.Hierarchy.masking()),
        "hobby": ny.insensitive(),
        "ill": ny.sensitive(),
    }
)


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    """Who is older is ill more often; nothing else tells anything."""
    rng = np.random.default_rng(5)
    n = 240
    age = 5 * rng.integers(4, 16, n)
    return pl.DataFrame(
        {
            "name": [f"Person {i}" for i in range(n)],
            "age": age,
            "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
            "zip": [f"{z:03d}" for z in rng.integers(100, 130, n)],
            "hobby": np.array(["chess", "tennis", "none"])[rng.integers(0, 3, n)],
            "ill": np.where(rng.random(n) < np.where(age > 50, 0.9, 0.1), "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def found(people: pl.DataFrame) -> Recommendation:
    return ny.recommend(people, SCHEMA, target="ill", k=[2, 5, 60], trials=16, **QUICK)


# -- what is found ---------------------------------------------------------------------------------------------------


def test_choices_are_the_front_of_the_trials(found: Recommendation) -> None:
    seen = [(trial.risk.highest, trial.score.choosing.right) for trial in found.trials]
    undominated = {
        (risk, right)
        for risk, right in seen
        if not any(r <= risk and c >= right and (r < risk or c > right) for r, c in seen)
    }
    chosen = [(choice.trial.risk.highest, choice.trial.score.choosing.right) for choice in found.choices]
    assert set(chosen) == undominated
    assert chosen == sorted(chosen)
    assert [choice.number for choice in found.choices] == list(range(1, len(chosen) + 1))
    assert len(found.choices) >= 2
    assert all(choice.trial.linkage is not None for choice in found.choices)
    assert found.ending == "trials"
    assert len(found.trials) + len(found.failures) == 16


def test_every_choice_publishes_and_keeps_its_promise(
    found: Recommendation, people: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    people.write_csv("people.csv")
    known = replace(found, trials=tuple(_with_source(trial, "people.csv") for trial in found.trials))
    names = known.write("../choices")
    assert names == [*(choice.file_name for choice in known.choices), DATA_NAME]
    for choice in known.choices:
        job = Job.load(f"../choices/{choice.file_name}")
        assert job.target == "ill"
        release = ny.publish(job)
        assert release.verification.holds
        cells = release.frame.select(pl.col("age", "sex", "zip").cast(pl.String))
        sizes = cells.filter(~pl.all_horizontal(pl.all() == "*")).group_by(pl.all()).len()["len"]
        assert Fraction(1, int(sizes.min())) == choice.trial.risk.highest  # type: ignore[arg-type]
        assert Fraction(len(sizes), int(sizes.sum())) == choice.trial.risk.average
        assert release.frame.height - sizes.sum() == choice.trial.suppressed
        assert sizes.min() >= job.privacy[0].k  # type: ignore[attr-defined, operator]


def _with_source(trial: Any, path: str) -> Any:
    return replace(trial, job=replace(trial.job, source=Source(path=path)))


def test_accuracy_is_that_of_learning_by_hand(found: Recommendation, people: pl.DataFrame) -> None:
    """Train on the rows of two parts, test on original records of the third, and on those kept apart."""
    trial = found.choices[0].trial
    learner = Learner.of(people, SCHEMA, target="ill")
    part = Examination.of(learner, (DecisionTree(),), sample=10_000, seed=0).part
    examples = learner.examples(
        ny.publish(people, trial.job.schema, privacy=trial.job.privacy, method=trial.job.method)
    )
    right = 0
    for here in (1, 2, 3):
        rows = learner.held_out(
            examples.where((part != here) & (part != 0)), learner.original.where(part == here), ["decision-tree"]
        )
        right += int(rows["decision-tree"].correct.sum())
    assert trial.score.choosing == CorrectPredictions(right=right, records=180)
    apart = learner.held_out(examples.where(part >= 2), learner.original.where(part == 0), ["decision-tree"])
    assert trial.score.confirming == CorrectPredictions(right=int(apart["decision-tree"].correct.sum()), records=60)


def test_the_records_kept_apart_choose_nothing(people: pl.DataFrame) -> None:
    """Other labels there change what is confirmed, and nothing that settings are chosen by."""
    before = Examination.of(Learner.of(people, SCHEMA, target="ill"), (DecisionTree(),), sample=None, seed=0)
    apart = pl.Series(before.part == 0)
    other = pl.when(pl.col("ill") == "yes").then(pl.lit("no")).otherwise(pl.lit("yes"))
    changed = people.with_columns(ill=pl.when(apart).then(other).otherwise(pl.col("ill")))
    after = replace(before, learner=Learner.of(changed, SCHEMA, target="ill"))
    assert after.importance() == before.importance()
    for told in (Examination.original, lambda examination: (examination.zero_r(),)):
        (one,), (two,) = told(before), told(after)
        assert one.choosing == two.choosing
        assert one.confirming.right == 60 - two.confirming.right


def test_baselines(found: Recommendation, people: pl.DataFrame) -> None:
    assert found.zero_r.choosing.records + found.zero_r.confirming.records == 240
    assert found.best_original.choosing.rate > 0.75 > found.zero_r.choosing.rate
    sizes = people.group_by("age", "sex", "zip").len()["len"]
    assert found.original_risk.highest == 1
    assert found.original_risk.average == Fraction(len(sizes), 240)


def test_the_same_seed_gives_the_same(found: Recommendation, people: pl.DataFrame) -> None:
    again = recommend(people, SCHEMA, target="ill", k=[60, 5, 2, 5], trials=9, **QUICK)
    timeless = [[replace(t, seconds=0.0) for t in one.trials[:9]] for one in (found, again)]
    assert timeless[0] == timeless[1]
    other = recommend(people, SCHEMA, target="ill", k=[5], trials=1, seed=1, **QUICK)
    assert other.original != found.original


def test_the_average_risk_can_be_weighed(people: pl.DataFrame) -> None:
    found = recommend(people, SCHEMA, target="ill", k=[2, 5], risk="average", trials=8, **QUICK)
    risks = [choice.trial.risk.average for choice in found.choices]
    assert risks == sorted(set(risks))


def test_other_models_hold_beside_k(people: pl.DataFrame) -> None:
    models = [ny.DistinctLDiversity(l=2, attribute="ill"), ny.KAnonymity(k=50)]
    found = recommend(people, SCHEMA, target="ill", privacy=models, k=[2, 5], trials=6, **QUICK)
    for trial in found.trials:
        assert [model.key for model in trial.job.privacy] == ["k-anonymity", "distinct-l-diversity"]
    assert {trial.job.privacy[0].k for trial in found.trials} == {2, 5}  # type: ignore[attr-defined]


def test_plain_data(found: Recommendation) -> None:
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [choice["job"] for choice in data["choices"]] == [choice.file_name for choice in found.choices]
    for told, choice in zip(data["choices"], found.choices, strict=True):
        assert data["trials"][told["trial"]]["settings"] == choice.trial.words
    assert data["roles"]["name"] == "identifying"
    assert "kept apart" in data["notes"][0]
    assert "suggested" not in " ".join(data["notes"])


def test_kept_and_optimism(found: Recommendation) -> None:
    zero, original = found.zero_r.confirming.rate, found.best_original.confirming.rate
    for choice in found.choices:
        confirmed = choice.trial.score.confirming.rate
        assert choice.kept == pytest.approx((confirmed - zero) / (original - zero))
        low, high = choice.trial.score.confirming.interval
        assert low < confirmed < high
    looks = [c.trial.score.choosing.rate - c.trial.score.confirming.rate for c in found.choices]
    own = found.best_original.choosing.rate - original
    assert found.optimism == pytest.approx(sum(looks) / len(looks) - own)


def test_without_a_schema_roles_are_suggested(people: pl.DataFrame) -> None:
    found = recommend(people, target="ill", quasi=["age", "hobby"], k=[5], trials=1, **QUICK)
    schema = found.choices[0].job.schema
    assert schema.quasi == ("age", "hobby")
    assert schema.sensitive == ("ill",)
    assert schema["zip"].role == "identifying"  # looks like a quasi-identifier: left out rather than published
    assert any("roles were suggested" in note and "zip" in note for note in found.notes)


def test_a_job_gives_roles_source_and_models(people: pl.DataFrame, tmp_path: Path) -> None:
    people.write_csv(tmp_path / "people.csv", separator=";")
    job = Job(
        schema=SCHEMA,
        privacy=(ny.KAnonymity(k=3), ny.DistinctLDiversity(l=2, attribute="ill")),
        method=ny.OptimalLattice(),
        source=Source(path=str(tmp_path / "people.csv"), delimiter=";"),
        output=ny.Output(name="people-released"),
        target="ill",
    )
    found = recommend(job, k=[5], trials=1, **QUICK)
    assert found.target == "ill"
    made = found.choices[0].job
    assert (made.source, made.output) == (job.source, job.output)
    assert [model.key for model in made.privacy] == ["k-anonymity", "distinct-l-diversity"]


# -- when it stops ---------------------------------------------------------------------------------------------------


def test_choices_of_a_job_change_the_columns_that_it_changes(people: pl.DataFrame, tmp_path: Path) -> None:
    people.with_columns(income=pl.Series(range(people.height))).write_csv(tmp_path / "people.csv")
    job = Job(
        schema=ny.Schema({**SCHEMA, "income": ny.insensitive()}),
        privacy=(ny.KAnonymity(k=3),),
        method=ny.OptimalLattice(),
        source=Source(path=str(tmp_path / "people.csv")),
        transforms=(ny.AdditiveNoise(columns=["income"]),),
    )
    found = recommend(job, k=[5], trials=1, **QUICK)
    assert found.choices[0].job.transforms == job.transforms


def test_one_release_is_made_however_short_the_time(people: pl.DataFrame) -> None:
    found = recommend(people, SCHEMA, target="ill", classifiers=["decision-tree"], seconds=1e-9)
    assert len(found.trials) == 1
    assert found.ending == "time"


def test_the_time_is_kept(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """No trial begins that cannot end in time, and one that takes longer than expected is given up."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    made = TrialRunner.release

    def slow(self: TrialRunner, job: Job, observe: Callable[[Progress], bool]) -> Any:
        now[0] += 3
        return made(self, job, observe)

    monkeypatch.setattr(TrialRunner, "release", slow)
    found = recommend(people, SCHEMA, target="ill", classifiers=["decision-tree"], seconds=10, k=[5])
    assert now[0] <= 13
    assert (len(found.trials), found.ending) == (3, "time")


def test_a_first_release_that_takes_long_gives_way_to_a_quick_one(
    people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is kept where nothing was found yet, too; then what takes least time is made."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    made = TrialRunner.release

    def slow(self: TrialRunner, job: Job, observe: Callable[[Progress], bool]) -> Any:
        for done in range(1 if job.method.key == "datafly" else 100):
            now[0] += 1
            report(observe, Progress(stage="searching", done=done))
        return made(self, job, observe)

    monkeypatch.setattr(TrialRunner, "release", slow)
    found = recommend(people, SCHEMA, target="ill", classifiers=["decision-tree"], seconds=10, k=[5, 10])
    assert ([trial.words.split(",")[:2] for trial in found.trials], found.ending) == ([["datafly", " k = 5"]], "time")
    assert now[0] <= 12


@pytest.mark.parametrize("how", ["keyboard", "observer"])
def test_an_interrupted_run_keeps_what_was_found(
    people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    tried = 0
    made = TrialRunner.release

    def stop_at_third(self: TrialRunner, job: Job, observe: Any) -> Any:
        nonlocal tried
        tried += 1
        if how == "keyboard" and tried == 3:
            raise KeyboardInterrupt
        return made(self, job, observe)

    monkeypatch.setattr(TrialRunner, "release", stop_at_third)
    observe = lambda progress: not (how == "observer" and tried == 3)  # noqa: E731
    found = recommend(people, SCHEMA, target="ill", observe=observe, **QUICK)
    assert (len(found.trials), found.ending) == (2, "interrupted")
    assert any("interrupted" in note for note in found.notes)
    assert found.choices


def test_an_interrupt_before_the_first_release_is_one(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Interrupted):
        recommend(people, SCHEMA, target="ill", observe=lambda _: False, **QUICK)

    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(TrialRunner, "release", stop)
    with pytest.raises(KeyboardInterrupt):
        recommend(people, SCHEMA, target="ill", **QUICK)


def test_it_ends_when_nothing_is_left_near_the_front(people: pl.DataFrame) -> None:
    table = people.select("name", pl.col("age") > 50, "ill")
    schema = ny.Schema({"name": ny.identifying(), "age": ny.quasi(), "ill": ny.insensitive()})
    seen: list[Progress] = []
    found = recommend(table, schema, target="ill", k=[5], observe=lambda p: seen.append(p), **QUICK)
    assert found.ending == "complete"
    words = [trial.words for trial in found.trials]
    assert len(words) == len(set(words))
    assert seen[0].stage == "learning from the original"
    told = [p for p in seen if p.stage == "trying settings"]
    assert all(p.seconds_left is not None and p.total is not None and p.done < p.total for p in told)


def test_equal_releases_are_examined_once(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    examined = 0
    scores = Examination.scores

    def counting(self: Examination, *arguments: Any) -> Any:
        nonlocal examined
        examined += 1
        return scores(self, *arguments)

    monkeypatch.setattr(Examination, "scores", counting)
    found = recommend(people, SCHEMA, target="ill", k=[20], trials=12, **QUICK)
    different = {(t.risk.highest, t.risk.average, t.suppressed, t.scores) for t in found.trials}
    assert len(different) <= examined - 1 < len(found.trials)  # one of them is the original


# -- bad input -------------------------------------------------------------------------------------------------------


def test_methods_that_refuse_the_schema_or_the_models_are_not_tried_again(people: pl.DataFrame) -> None:
    bounded = ny.Schema({**SCHEMA, "age": ny.quasi(Intervals(width=10, levels=3), max_level=2)})
    everyone = people.select("age", "sex", "zip")
    for schema, privacy, words in (
        (bounded, (), "max_level"),
        (SCHEMA, ny.KMap(k=2, population=everyone), "population"),
    ):
        found = recommend(people, schema, target="ill", privacy=privacy, k=[2, 5], trials=8, **QUICK)
        assert [failure.words.split(",")[0] for failure in found.failures] == ["mondrian", "k-member", "refine"]
        assert all(words in failure.reason for failure in found.failures)
        assert {trial.job.method.key for trial in found.trials} == {"optimal-lattice", "datafly"}


def test_a_release_that_nothing_can_be_learned_from_is_a_failure(people: pl.DataFrame, monkeypatch: Any) -> None:
    made, tried = TrialRunner.scores, 0

    def nothing_to_learn(*arguments: Any) -> Any:
        nonlocal tried
        tried += 1
        if tried == 1:
            raise TableError("training rows", expected="at least one with a label", got="none")
        return made(*arguments)

    monkeypatch.setattr(TrialRunner, "scores", nothing_to_learn)
    found = recommend(people, SCHEMA, target="ill", k=[2, 5], trials=6, **QUICK)
    assert [failure.words.split(",")[0] for failure in found.failures] == ["optimal-lattice"]
    assert "optimal-lattice" in {trial.job.method.key for trial in found.trials}  # other settings are tried


def test_no_feasible_setting_says_why(people: pl.DataFrame) -> None:
    with pytest.raises(NoSolutionError, match=r"none of 5 settings gave a release; most often: .*yes|.*diver"):
        recommend(
            people,
            SCHEMA,
            target="ill",
            privacy=ny.DistinctLDiversity(l=3, attribute="ill"),  # there are two values
            trials=5,
            **QUICK,
        )


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"target": "il"}, ParameterError, "did you mean 'ill'"),
        ({"target": "age"}, ParameterError, "a quasi-identifier"),
        ({"target": "name"}, ParameterError, "identifying"),
        ({"k": [1]}, ParameterError, "at least 2"),
        ({"k": [200]}, ParameterError, "at most 120"),
        ({"k": []}, ParameterError, "got none"),
        ({"seconds": 0}, ParameterError, "seconds"),
        ({"trials": 0}, ParameterError, "trials"),
        ({"sample": 30}, TableError, "at least 40 records"),
        ({"risk": "lowest"}, ParameterError, "'highest', 'average'"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"classifiers": ["oracle"]}, InputError, "oracle"),
        ({"quasi": ["age"]}, JobError, "either a schema or quasi"),
        ({"privacy": ny.DifferentialPrivacy(epsilon=1, delta=1e-6, public_records=240)}, JobError, "forecast"),
        ({"privacy": ny.DeltaPresence(low=0, high=0.5, subset="part.csv")}, JobError, "delta-presence"),
    ],
)
def test_bad_input(people: pl.DataFrame, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        recommend(people, SCHEMA, **({"target": "ill"} | options))


def test_bad_tables(people: pl.DataFrame) -> None:
    with pytest.raises(TableError, match="at least two classes"):
        recommend(people.with_columns(ill=pl.lit("no")), SCHEMA, target="ill")
    with pytest.raises(TableError, match="at most 100 classes, got 240"):
        recommend(people, ny.Schema({**SCHEMA, "name": ny.sensitive()}), target="name")
    plain = ny.Schema({name: ny.insensitive() for name in people.columns})
    with pytest.raises(SchemaError, match="at least one quasi-identifier"):
        recommend(people, plain, target="ill")
    with pytest.raises(ParameterError, match=r"quasi: .*did you mean 'age'"):
        recommend(people, target="ill", quasi=["agee"])
    with pytest.raises(ParameterError, match="quasi"):
        recommend(people, target="ill", quasi=["age", "ill"])
    job = Job(schema=SCHEMA, privacy=(ny.KAnonymity(k=2),), method=ny.Datafly(), source=Source(path="x.csv"))
    with pytest.raises(JobError, match="only a job"):
        recommend(job, SCHEMA, target="ill")


def test_parts_divide_the_records(people: pl.DataFrame) -> None:
    learner = Learner.of(people, SCHEMA, target="ill")
    examination = Examination.of(learner, (DecisionTree(),), sample=100, seed=3)
    assert examination.records == 100
    assert np.bincount(examination.part[examination.part >= 0]).tolist() == [100 // PARTS] * PARTS


def test_roles_that_no_column_has_are_not_told() -> None:
    from nymity.recommending.recommendation import _roles

    assert _roles(ny.Schema({"age": ny.quasi(), "cost": ny.sensitive()})) == (
        "generalized age; published as they are cost"
    )
    assert "; left out name; " in _roles(ny.Schema({"age": ny.quasi(), "name": ny.identifying(), "x": ny.sensitive()}))
