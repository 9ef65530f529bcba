"""publish: any frame in, the same kind out, the same rows whatever the input's order, and a true log of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from samples import DIVERSE, K2, multiset, people, people_schema, released, simple

from nymity.core.errors import Interrupted, JobError, TableError
from nymity.core.progress import Progress
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publishing.jobs.job import Job, Output, Source
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.table.text import MASK, as_text

# -- frames ----------------------------------------------------------------------------------------------------

FRAMES: dict[str, tuple[Callable[[pl.DataFrame], Any], Callable[[Any], list[tuple[Any, ...]]]]] = {
    "polars": (lambda table: table, lambda table: table.rows()),
    "lazy": (lambda table: table.lazy(), lambda table: table.collect().rows()),
    "pandas": (lambda table: table.to_pandas(), lambda table: list(table.itertuples(index=False, name=None))),
    "arrow": (lambda table: table.to_arrow(), lambda table: list(zip(*(c.to_pylist() for c in table), strict=True))),
    "dict": (lambda table: table.to_dict(as_series=False), lambda table: list(zip(*table.values(), strict=True))),
}
KINDS = {"polars": pl.DataFrame, "lazy": pl.LazyFrame, "pandas": pd.DataFrame, "arrow": pa.Table, "dict": dict}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_callers_kind_of_frame_comes_back(kind: str) -> None:
    make, rows = FRAMES[kind]
    release = publish(make(people()), people_schema(), privacy=[K2, DIVERSE], method=OptimalLattice(suppression=0.2))
    assert isinstance(release.table, KINDS[kind])
    assert rows(release.table) == released().frame.rows()
    assert release.certificate["output"] == released().certificate["output"]


def test_a_pandas_index_does_not_come_back() -> None:
    frame = people().to_pandas()
    frame.index = pd.Index([f"secret {i}" for i in range(len(frame))])
    release = publish(frame, people_schema(), privacy=K2)
    assert list(release.table.index) == list(range(len(release.table)))
    assert list(release.table.columns) == ["age", "zip", "sex", "disease", "note"]


def test_a_path_and_a_job(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    people().write_csv(path)
    options: dict[str, Any] = {"privacy": (K2, DIVERSE), "method": OptimalLattice(suppression=0.2)}
    by_path = publish(path, people_schema(), **options)
    by_text = publish(str(path), people_schema(), **options)
    job = Job(schema=people_schema(), source=Source(path=str(path)), **options)
    for release in (by_path, by_text, publish(job)):
        assert isinstance(release.table, pl.DataFrame)
        assert release.frame.equals(released().frame)
    assert by_path.job == job


def test_a_job_says_everything_by_itself() -> None:
    job = Job(schema=people_schema(), privacy=(K2,), method=OptimalLattice())
    with pytest.raises(JobError, match="source: expected a path"):
        publish(job)
    for extra in ({"schema": people_schema()}, {"privacy": K2}, {"output": Output()}, {"method": OptimalLattice()}):
        with pytest.raises(JobError, match="only a job"):
            publish(job, **extra)  # type: ignore[arg-type]


def test_the_default_method_is_the_optimum_with_a_twentieth_suppressed() -> None:
    release = publish(people(), people_schema(), privacy=[K2])
    assert release.job.method == OptimalLattice(suppression=0.05)
    explicit = publish(people(), people_schema(), privacy=[K2], method=OptimalLattice(loss="loss", suppression=0.05))
    assert release.frame.equals(explicit.frame)
    assert release.suppressed == 0  # floor(0.05 * 15)


def test_one_model_needs_no_list() -> None:
    assert publish(people(), people_schema(), privacy=K2).job.privacy == (K2,)


# -- progress --------------------------------------------------------------------------------------------------


def test_the_observer_hears_every_stage(tmp_path: Path) -> None:
    heard: list[str] = []
    released(observe=lambda progress: heard.append(progress.stage), out=tmp_path / "r")
    stages = list(dict.fromkeys(heard))
    assert stages[:2] == ["reading", "encoding"]
    assert stages[-4:] == ["recoding", "verifying", "looking for warnings", "writing and verifying"]
    assert "searching" in stages


STAGES = ("reading", "encoding", "searching", "recoding", "verifying", "looking for warnings", "writing and verifying")


@pytest.mark.parametrize("stage", STAGES)
def test_the_observer_can_stop_at_any_stage(stage: str, tmp_path: Path) -> None:
    def stop(progress: Progress) -> bool | None:
        return False if progress.stage == stage else None

    with pytest.raises(Interrupted, match=stage):
        released(observe=stop, out=tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


def test_the_log_times_every_stage() -> None:
    assert tuple(released().log.seconds) == STAGES[:-1]


# -- order of rows ---------------------------------------------------------------------------------------------


def test_the_same_input_gives_the_same_release() -> None:
    first, second = released(), released()
    assert first.frame.equals(second.frame)
    assert first.certificate["output"] == second.certificate["output"]
    assert first.log.salt != second.log.salt


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_input_leaves_no_trace(seed: int) -> None:
    shuffled = people().sample(fraction=1, shuffle=True, seed=seed)
    assert not shuffled.equals(people())
    release = publish(shuffled, people_schema(), privacy=[K2, DIVERSE], method=OptimalLattice(suppression=0.2))
    assert release.frame.equals(released().frame)
    assert release.levels == released().levels


def test_shuffled_rows_are_the_same_rows_in_another_order() -> None:
    n = 400
    values = {"q": ["a", "b"] * (n // 2), "v": list(range(n))}
    first = simple(values, output=Output(row_order="shuffled"))
    second = simple(values, output=Output(row_order="shuffled"))
    ordered = simple(values)
    assert multiset(first.frame) == multiset(second.frame) == multiset(ordered.frame) == multiset(pl.DataFrame(values))
    orders = [release.frame["v"].to_list() for release in (first, second, ordered)] + [values["v"]]
    assert len({tuple(order) for order in orders}) == 4  # by chance alike: 1 in 400!
    assert first.log.source_rows.tolist() == first.frame["v"].to_list()
    assert first.certificate["random_sources"] == ["operating system: order of rows"]
    assert ordered.certificate["random_sources"] == []


# -- what each released row came from --------------------------------------------------------------------------


def assert_rows_come_from(release: Release, source: pl.DataFrame) -> None:
    """Follow every released cell back to its source row, through the hierarchy."""
    log, frame = release.log, release.frame
    assert len(log.source_rows) == len(log.masked) == frame.height
    assert len(set(log.source_rows.tolist())) == frame.height
    recoding: Recoding = release.recoding
    for name in frame.columns:
        raw = as_text(source[name]) if name in recoding.levels else source[name]
        published = as_text(frame[name]) if name in recoding.levels else frame[name]
        for row, (cell, origin) in enumerate(zip(published, log.source_rows, strict=True)):
            expected = raw[int(origin)]
            if name in recoding.levels:
                expected = recoding.hierarchies[name].generalize(expected, recoding.levels[name])
                expected = MASK if log.masked[row] else expected
            assert cell == expected, (name, row)


@pytest.mark.parametrize("row_order", ["sorted", "shuffled"])
@pytest.mark.parametrize("outliers", ["mask", "remove"])
def test_every_cell_follows_from_its_source_row(row_order: Any, outliers: Any) -> None:
    method = OptimalLattice(suppression=0.2, outliers=outliers)
    release = released(method=method, output=Output(row_order=row_order))
    assert release.suppressed == 3
    assert release.frame.height == (15 if outliers == "mask" else 12)
    assert int(release.log.masked.sum()) == (3 if outliers == "mask" else 0)
    assert_rows_come_from(release, people())


def with_gaps() -> pl.DataFrame:
    return people().with_columns(
        age=pl.when(pl.col("name").is_in(["person 02", "person 13"])).then(None).otherwise("age"),
        disease=pl.when(pl.col("name").is_in(["person 05"])).then(None).otherwise("disease"),
    )


def test_dropped_records_keep_the_mapping_right() -> None:
    schema = people_schema(age=quasi(Hierarchy.intervals(width=5, levels=4), missing="drop"))
    release = publish(with_gaps(), schema, privacy=K2, method=OptimalLattice(suppression=0.2))
    assert release.frame.height == 13
    assert release.suppressed == 2  # of the 13 that take part
    assert release.log.dropped_records == 2
    assert release.certificate["suppressed"]["dropped_for_missing_values"] == 2
    assert release.certificate["input"]["records"] == 15
    assert not {2, 13} & set(release.log.source_rows.tolist())
    assert_rows_come_from(release, with_gaps())


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([None, "", "a", "a", "b", "b"], 4),
        ([None, float("nan"), 1.0, 1.0, 2.5, 2.5], 4),
        ([None, None, True, True, False, False], 4),
    ],
)
def test_every_kind_of_gap_is_dropped(values: list[Any], kept: int) -> None:
    schema = Schema({"q": quasi(missing="drop"), "v": insensitive()})
    release = publish(pl.DataFrame({"q": values, "v": range(6)}), schema, privacy=K2)
    assert release.frame["v"].sort().to_list() == [2, 3, 4, 5]
    assert release.log.dropped_records == 6 - kept


def test_gaps_in_any_role_can_drop_a_record() -> None:
    schema = people_schema(disease=sensitive(missing="drop"))
    release = publish(with_gaps(), schema, privacy=K2, method=OptimalLattice(suppression=0.5))
    assert 5 not in release.log.source_rows
    assert release.frame["disease"].null_count() == 0


@pytest.mark.parametrize("values", [["", "a", "a"], [float("nan"), 1.5, 1.5], [None, "a", "a"]])
def test_every_kind_of_gap_is_refused(values: list[Any]) -> None:
    schema = Schema({"q": quasi(missing="error"), "v": insensitive()})
    with pytest.raises(TableError, match=r"column 'q': expected no missing values \(missing = 'error'\), got 1"):
        publish(pl.DataFrame({"q": values, "v": range(3)}), schema, privacy=K2)


def test_gaps_can_be_refused_or_a_value_of_their_own() -> None:
    with pytest.raises(TableError, match=r"column 'age': .*missing = 'error'.*got 2"):
        publish(with_gaps(), people_schema(age=quasi(missing="error")), privacy=K2)
    schema = Schema({"q": quasi(), "v": insensitive()})
    release = publish(pl.DataFrame({"q": [None, None, "a", "a"], "v": range(4)}), schema, privacy=K2)
    assert release.levels == {"q": 0}
    assert release.frame["q"].to_list() == [None, None, "a", "a"]
    assert_rows_come_from(release, pl.DataFrame({"q": [None, None, "a", "a"], "v": range(4)}))


def test_nothing_left_after_dropping_is_said() -> None:
    schema = Schema({"q": quasi(missing="drop"), "v": insensitive()})
    with pytest.raises(TableError, match="records without gaps"):
        publish(pl.DataFrame({"q": [None, None], "v": [1, 2]}, schema_overrides={"q": pl.String}), schema, privacy=K2)


def test_identifying_columns_never_appear() -> None:
    schema = people_schema(note=identifying())
    release = publish(people(), schema, privacy=K2, method=OptimalLattice(suppression=0.2))
    assert release.frame.columns == ["age", "zip", "sex", "disease"]
    assert [column["name"] for column in release.certificate["columns"]] == ["age", "zip", "sex", "disease"]
    assert "person" not in str(release.frame.rows())


def test_columns_keep_the_tables_order_not_the_schemas() -> None:
    schema = Schema(dict(reversed(list(people_schema().items()))))
    assert publish(people(), schema, privacy=K2).frame.columns == ["age", "zip", "sex", "disease", "note"]


def test_columns_left_as_they_are_keep_their_type() -> None:
    release = simple({"q": ["a", "a", "b", "b"], "v": [1.5, 2.5, None, 3.5]})
    assert release.frame.schema == pl.Schema({"q": pl.String, "v": pl.Float64})


# -- suppressed records and sensitive values -------------------------------------------------------------------


def all_alike_when_masked() -> tuple[pl.DataFrame, Schema]:
    """Two classes of three; the two outliers both have gout, so that "* and gout" would tell it of either."""
    table = pl.DataFrame(
        {
            "q": ["a", "a", "a", "b", "b", "b", "c", "d"],
            "s": ["flu", "cold", "flu", "cold", "flu", "gout", "gout", "gout"],
        }
    )
    return table, Schema({"q": quasi(), "s": sensitive()})


def test_masked_rows_that_would_tell_too_much_are_removed() -> None:
    table, schema = all_alike_when_masked()
    privacy = [KAnonymity(k=3), DistinctLDiversity(l=2, attribute="s")]
    release = publish(table, schema, privacy=privacy, method=OptimalLattice(suppression=0.25))
    assert release.levels == {"q": 0}
    assert release.frame["q"].to_list() == ["a", "a", "a", "b", "b", "b"]
    assert release.recoding.outliers == "remove"
    assert release.suppressed == 2
    assert release.certificate["suppressed"] == {
        "records": 2,
        "masked": 0,
        "removed": 2,
        "dropped_for_missing_values": 0,
    }
    assert release.certificate["output"]["records"] == 6
    assert release.certificate["measured"]["masked_records"] == 0
    assert_rows_come_from(release, table)


def test_masked_rows_stay_where_no_model_minds() -> None:
    table, schema = all_alike_when_masked()
    release = publish(table, schema, privacy=KAnonymity(k=2), method=OptimalLattice(suppression=0.25))
    assert release.frame.height == 8
    assert release.certificate["suppressed"]["masked"] == 2
    assert release.certificate["measured"]["masked_records"] == 2


def test_diverse_masked_rows_stay() -> None:
    table, schema = all_alike_when_masked()
    other = table.with_columns(s=pl.Series(["flu", "cold", "flu", "cold", "flu", "gout", "gout", "flu"]))
    privacy = [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="s")]
    release = publish(other, schema, privacy=privacy, method=OptimalLattice(suppression=0.25))
    assert release.frame.filter(pl.col("q") == MASK)["s"].sort().to_list() == ["flu", "gout"]
    assert release.certificate["measured"]["models"][1] == {"model": "distinct-l-diversity", "holds": True, "l": 2}


def test_arguments_are_never_edited() -> None:
    table, columns = people(), people().to_dict(as_series=False)
    publish(columns, people_schema(), privacy=K2)
    assert columns == table.to_dict(as_series=False)
    release = released()
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.table = None  # type: ignore[misc]
