"""Publishing sampling weights: what somebody who knows everybody's weight finds in a release."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import JobError, TableError
from nymity.publishing.jobs.job import Job


def sample(n: int = 600) -> pl.DataFrame:
    """A survey whose weights are by place of living."""
    rng = np.random.default_rng(5)
    age, place = rng.integers(20, 60, n), rng.integers(0, 40, n)
    illness = rng.choice(["flu", "cold", "gout"], n, p=[0.45, 0.4, 0.15])
    return pl.DataFrame({"w": 10 + place * 1.25, "age": age, "place": place, "illness": illness})


def schema(**weight: Any) -> ny.Schema:
    return ny.Schema(
        {
            "w": ny.weight(**weight),
            "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)),
            "place": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2)),
            "illness": ny.sensitive(),
        }
    )


K5 = ny.KAnonymity(k=5)
METHODS: dict[str, tuple[Any, Any]] = {
    "levels": ([K5], ny.OptimalLattice(suppression=0.05)),
    "removed": ([K5], ny.OptimalLattice(suppression=0.05, outliers="remove")),
    "layers": ([K5], ny.IterativeRecoding()),
    "partition": ([K5], ny.Mondrian()),
}


def published(kind: str, **weight: Any) -> Any:
    models, method = METHODS[kind]
    return ny.publish(sample(), schema(**weight), privacy=models, method=method)


@pytest.mark.parametrize("kind", METHODS)
def test_who_knows_every_weight_finds_nobody_by_it(kind: str) -> None:
    """Rows that look alike without their weights look alike with them, in each kind of release."""
    release = published(kind)
    classes, table = ["age", "place"], release.frame
    assert table.columns == sample().columns
    assert table.select([*classes, "w"]).n_unique() == table.select(classes).n_unique()
    checked = ny.check(release)
    assert checked.holds
    assert not checked.problems


@pytest.mark.parametrize("kind", METHODS)
def test_totals_of_classes_are_those_of_their_records(kind: str) -> None:
    release, source, classes = published(kind), sample(), ["age", "place"]
    rows = release.frame.with_columns(own=source["w"].gather(release.log.source_rows))
    sums = rows.group_by(classes).agg(pl.col("w").sum(), pl.col("own").sum())
    assert sums["w"].to_numpy() == pytest.approx(sums["own"].to_numpy(), rel=1e-12)


def test_means_of_a_design_that_looked_at_illness_tell_who_has_it() -> None:
    """The attack: two people of one class, sought out by their illness; the sum of their weights says who has it."""
    base = {"a": 10.0, "b": 50.0}  # by their quasi-identifiers, which everybody knows
    table = pl.DataFrame({"age": [20, 21], "w": [10.0, 50.0 / 4], "illness": ["flu", "gout"]})
    roles = {"age": ny.quasi(), "illness": ny.sensitive()}
    promise = [ny.FrequencyLDiversity(l=2, attribute="illness")]
    for method in (ny.OptimalLattice(), ny.Mondrian()):
        with pytest.raises(JobError, match="drawn or weighted by a look at illness"):
            ny.publish(table, ny.Schema({**roles, "w": ny.weight()}), privacy=promise, method=method)
        said = ny.Schema({**roles, "w": ny.weight(publish="coarsened")})  # not true, and this is what comes of it
        mean = ny.publish(table, said, privacy=promise, method=method).frame["w"][0]
        fits = [who for who in base if sum(w / 4 if who == one else w for one, w in base.items()) == 2 * mean]
        assert fits == ["b"]


@pytest.mark.parametrize(("publish", "warned"), [("coarsened", True), ("as it is", True), ("dropped", False)])
def test_the_certificate_says_what_weights_by_design_tell(publish: Any, warned: bool) -> None:
    release = ny.publish(
        sample(), schema(publish=publish), privacy=[K5, ny.DistinctLDiversity(l=2, attribute="illness")]
    )
    told = [one for one in release.certificate["not_protected"] if one["warning"] == "weights-by-design"]
    assert len(told) == warned
    rest = [one for one in release.certificate["not_protected"] if one not in told]
    silent = ny.check(ny.open(release.frame, certificate={**release.certificate, "not_protected": rest}))
    assert any("weight of a class" in one or "A weight" in one for one in map(str, silent.problems)) == warned


def test_weights_as_they_are_find_people_and_the_certificate_warns_of_it() -> None:
    release = published("levels", publish="as it is")
    (warning,) = [w for w in release.certificate["not_protected"] if w["warning"] == "columns-that-single-out"]
    assert warning["figures"]["unique_once_known"]["w"] > 0
    assert ny.check(release).holds
    assert not [w for w in published("levels").certificate["not_protected"] if w["warning"] == warning["warning"]]


def test_dropped_weights_are_not_in_the_release() -> None:
    release = published("levels", publish="dropped")
    assert release.frame.columns == ["age", "place", "illness"]
    checked = ny.check(release)
    assert checked.holds
    assert not checked.problems


def test_check_finds_weights_that_tell_rows_of_a_class_apart() -> None:
    release = published("levels")
    forged = release.frame.with_columns(w=pl.col("w") * (1 + pl.int_range(pl.len()) / 100))
    for given in ({"job": release.job}, {"certificate": release.certificate}):
        assert any("tell rows of one class apart" in str(one) for one in ny.check(ny.open(forged, **given)).problems)


@pytest.mark.parametrize(
    ("models", "method"),
    [([ny.KMap(k=3, population=sample())], ny.OptimalLattice()), ([ny.KMatching(k=3)], ny.FreeformGreedy())],
)
def test_promises_that_are_not_about_classes_of_the_release_refuse_their_means(models: Any, method: Any) -> None:
    with pytest.raises(JobError, match=r"schema\.w\.publish: expected 'dropped'"):
        Job(schema=schema(), privacy=models, method=method)
    Job(schema=schema(publish="dropped"), privacy=models, method=method)


def test_a_private_release_has_no_weights() -> None:
    age = ny.Hierarchy.from_rows([[str(i), "*"] for i in range(20, 60)])
    rest = {"age": ny.quasi(age), "place": ny.identifying(), "illness": ny.identifying()}
    promise = ny.DifferentialPrivacy(epsilon=1.0, delta=1e-4, public_records=5000)
    with pytest.raises(ny.NymityError, match="'w'"):
        ny.publish(sample(), ny.Schema({"w": ny.weight(), **rest}), privacy=[promise], method=ny.SafePub())
    dropped = ny.Schema({"w": ny.weight(publish="dropped", missing="drop"), **rest})
    assert ny.publish(sample(), dropped, privacy=[promise], method=ny.SafePub()).frame.columns == ["age"]


def test_bad_weights_stop_publishing_and_gaps_may_be_dropped() -> None:
    table = sample().with_columns(w=pl.when(pl.int_range(pl.len()) == 2).then(None).otherwise("w"))
    with pytest.raises(TableError, match=r"1 missing \(record 3\)"):
        ny.publish(table, schema(), privacy=[K5])
    release = ny.publish(table, schema(missing="drop"), privacy=[K5], method=ny.OptimalLattice())
    assert release.certificate["suppressed"]["dropped_for_missing_values"] == 1
    with pytest.raises(TableError, match=r"600 not above 0"):
        ny.publish(sample().with_columns(w=0.0), schema(), privacy=[K5])


def test_a_job_says_what_becomes_of_weights() -> None:
    job = Job(schema=schema(publish="as it is", missing="drop"), privacy=(K5,), method=ny.OptimalLattice())
    assert job.to_dict()["schema"]["w"] == {"role": "weight", "missing": "drop", "publish": "as it is"}
    silent = Job(schema=schema(), privacy=(K5,), method=ny.OptimalLattice())
    assert silent.to_dict()["schema"]["w"] == {"role": "weight"}
    assert Job.from_dict(job.to_dict()) == job
    with pytest.raises(JobError, match=r"schema\.w\.publish"):
        Job.from_dict({**job.to_dict(), "schema": {"w": {"role": "weight", "publish": "raw"}}})


def test_weights_are_no_part_of_what_further_rows_publish() -> None:
    """The recoding knows no weights: those of further rows would be published as they are."""
    release = published("levels")
    assert "w" not in ny.apply(release.recoding, sample().head(50)).columns


def test_persons_share_a_class_with_their_weights() -> None:
    table = sample().with_columns(who=pl.int_range(pl.len()) // 2)
    people = ny.Schema({**schema(), "who": ny.person()})
    release = ny.publish(table, people, privacy=[K5], method=ny.OptimalLattice(suppression=0.1))
    assert release.frame.select("age", "place", "w").n_unique() == release.frame.select("age", "place").n_unique()
    assert "who" not in release.frame.columns


@pytest.mark.parametrize(
    "promise",
    [
        ny.KAnonymity(k=1),
        ny.AverageRisk(limit=0.9),
        ny.SampleUniques(limit=0.5),
        ny.TCloseness(t=0.9, attribute="illness"),
    ],
    ids=lambda promise: promise.key,
)
@pytest.mark.parametrize("person", [True, False], ids=["persons", "records"])
def test_the_mean_of_one_is_no_mean(promise: Any, person: bool) -> None:
    """Promises that let a class have a single person would publish that person's weight as it is."""
    table = sample().with_columns(age=pl.int_range(pl.len()), p=pl.int_range(pl.len()))
    unit = {"p": ny.person() if person else ny.identifying()}
    with pytest.raises(JobError, match=r"schema\.w\.publish: .*single"):
        ny.publish(table, ny.Schema({**unit, **schema(publish="coarsened")}), privacy=[promise])
    dropped = ny.Schema({**unit, **schema(publish="dropped")})
    assert "w" not in ny.publish(table, dropped, privacy=[promise]).frame.columns
    beside = [promise, ny.KAnonymity(k=2)]
    method = ny.OptimalLattice(suppression=1.0)
    release = ny.publish(table, ny.Schema({**unit, **schema(publish="coarsened")}), privacy=beside, method=method)
    assert release.frame.group_by("age", "place").len()["len"].min() > 1  # type: ignore[operator]
