"""explore: the whole solution space from whatever publish takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from samples import DIVERSE, K2, people, people_schema

from nymity.core.errors import Interrupted, JobError, ParameterError
from nymity.lattice.datafly import Datafly
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity, KMap
from nymity.publishing.jobs.job import Job, Source
from nymity.publishing.preparing.explore import explore
from nymity.publishing.running.pipeline import publish
from nymity.quality import DomainShareLoss
from nymity.table.attribute import quasi
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.schema import Schema


def job(**changes: Any) -> Job:
    fields: dict[str, Any] = {"method": OptimalLattice(suppression=0.2)} | changes
    return Job(schema=people_schema(), privacy=(K2, DIVERSE), **fields)


def test_every_node_is_there_and_the_best_is_what_publish_finds() -> None:
    nodes = explore(people(), people_schema(), privacy=[K2, DIVERSE], method=OptimalLattice(suppression=0.2))
    release = publish(people(), people_schema(), privacy=[K2, DIVERSE], method=OptimalLattice(suppression=0.2))
    assert len(nodes) == release.outcome.lattice_size
    assert dict(zip(nodes.names, nodes.best().levels[0].tolist(), strict=True)) == release.levels
    assert (nodes.best().suppressed[0], nodes.best().classes[0]) == (release.suppressed, release.outcome.classes)
    assert nodes.records == 15


def test_what_a_search_saw_is_part_of_it() -> None:
    seen = publish(people(), people_schema(), privacy=K2).outcome.nodes.frame()
    nodes = explore(people(), people_schema(), privacy=K2)
    both = nodes.frame().join(seen, on=[f"level of {name}" for name in nodes.names], how="inner", suffix=" seen")
    assert both.height == seen.height < len(nodes)
    for column in ("suppressed", "classes", "k", "solution"):
        assert both[column].to_list() == both[f"{column} seen"].to_list()
    assert both["loss"].to_list() == pytest.approx(both["loss seen"].to_list())


def test_a_job_says_everything_by_itself(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    described = job(source=Source(path=str(tmp_path / "people.csv")))
    expected = explore(people(), people_schema(), privacy=[K2, DIVERSE], method=OptimalLattice(suppression=0.2))
    assert_frame_equal(explore(described).frame(), expected.frame())
    with pytest.raises(JobError, match="explore: expected only a job"):
        explore(described, privacy=K2)
    with pytest.raises(JobError, match=r"explore\(frame, \{"):
        explore(people())


def test_losses_take_the_place_of_the_methods() -> None:
    method = OptimalLattice(loss="height", suppression=0.2)
    by_method = explore(people(), people_schema(), privacy=K2, method=method)
    assert list(by_method.losses) == ["height"]
    further = ["entropy", DomainShareLoss(aggregation="maximum"), "gcp"]
    several = explore(people(), people_schema(), privacy=K2, method=method, losses=further)
    assert list(several.losses) == ["entropy", "loss (aggregation=maximum)", "gcp"]
    frame = several.frame(losses=["gcp"])
    assert [name for name in frame.columns if name.startswith("loss")] == [
        "loss",
        "loss by loss (aggregation=maximum)",
        "loss by gcp",
    ]
    assert frame["loss"].to_list() == several.loss_by("entropy").tolist()
    assert several.suppressed.tolist() == by_method.suppressed.tolist()
    with pytest.raises(ParameterError, match="enough is known of the nodes, got 'height'"):
        several.frame(losses=["height"])
    alone = explore(people(), people_schema(), privacy=K2, losses="discernibility")
    assert list(alone.losses) == ["discernibility"]
    with pytest.raises(ParameterError, match=r"explore\.losses.*did you mean 'entropy'"):
        explore(people(), people_schema(), privacy=K2, losses=["entropi"])


def test_one_pass_serves_several_limits() -> None:
    nodes = explore(people(), people_schema(), privacy=K2, method=OptimalLattice(suppression=0.0))
    for limit in (0.0, 0.07, 0.2, 0.5):
        release = publish(people(), people_schema(), privacy=K2, method=OptimalLattice(suppression=limit))
        best = nodes.within(limit).best()
        assert best.levels[0].tolist() == list(release.levels.values())
        bought = nodes.front("suppression")
        assert bought.loss[bought.suppressed <= limit * 15].min() == pytest.approx(release.loss)


def test_outliers_limits_and_threads_are_the_methods() -> None:
    removed = explore(people(), people_schema(), privacy=K2, method=OptimalLattice(outliers="remove", threads=2))
    masked = explore(people(), people_schema(), privacy=K2, method=OptimalLattice(), threads=1)
    assert_frame_equal(removed.frame(), masked.frame())
    k_records = explore(people(), people_schema(), privacy=K2, method=Datafly(at_most="k-records"))
    assert k_records.solution.tolist() == (k_records.suppressed <= 2).tolist()
    with pytest.raises(ParameterError, match=r"explore\.threads"):
        explore(people(), people_schema(), privacy=K2, threads=0)


@dataclass(frozen=True, kw_only=True)
class OtherMethod:
    """Something that searches no lattice."""

    key = "other"
    makes = PartitionRecoding

    def run(self) -> None:
        """Never called."""


def test_a_method_that_searches_no_lattice_is_refused() -> None:
    with pytest.raises(JobError, match="method: expected a search of the lattice, got 'other'"):
        explore(people(), people_schema(), privacy=K2, method=OtherMethod())  # type: ignore[arg-type]


def test_no_solution_is_no_error() -> None:
    frame = pl.DataFrame({"a": ["x", "y", "z"], "b": ["u", "v", "v"]})
    schema = Schema({"a": quasi(level=0), "b": quasi()})
    nodes = explore(frame, schema, privacy=KAnonymity(k=2))
    assert (len(nodes), len(nodes.best()), len(nodes.front("suppression")), len(nodes.front("k"))) == (2, 0, 0, 0)


def test_records_with_gaps_are_dropped_as_in_publish() -> None:
    frame = people().with_columns(pl.when(pl.col("age") < 23).then(None).otherwise(pl.col("age")).alias("age"))
    schema = people_schema(age=replace(people_schema()["age"], missing="drop"))
    assert explore(frame, schema, privacy=K2).records == 13


def test_a_population_is_counted(tmp_path: Path) -> None:
    everyone = pl.concat([people(), people()])
    everyone.write_csv(tmp_path / "everyone.csv")
    people().write_csv(tmp_path / "people.csv")
    model = KMap(k=2, population=str(tmp_path / "everyone.csv"))
    nodes = explore(tmp_path / "people.csv", people_schema(), privacy=model)
    assert nodes.suppressed.tolist() == [0] * len(nodes)


def test_an_observer_can_stop_it() -> None:
    with pytest.raises(Interrupted, match="evaluating the lattice"):
        explore(people(), people_schema(), privacy=K2, observe=lambda p: p.stage != "evaluating the lattice")
