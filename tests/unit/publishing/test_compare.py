"""compare: the search's own losses again, counted from the released cells alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from samples import DIVERSE, K2, people, people_schema, released

import naive
from nymity.core.errors import ParameterError, SchemaError, TableError
from nymity.lattice.iterative import IterativeRecoding
from nymity.lattice.optimal import OptimalLattice
from nymity.partition.mondrian import Mondrian
from nymity.privacy import KAnonymity
from nymity.publishing.comparing.compare import Comparer, Comparison, compare
from nymity.publishing.custodian.reading_back import read_release
from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.opened import open as open_release
from nymity.publishing.running.pipeline import publish
from nymity.publishing.running.run import Run
from nymity.quality import LOSSES
from nymity.table.attribute import insensitive, quasi
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema


@pytest.mark.parametrize("method", [OptimalLattice(suppression=0.3), IterativeRecoding(), Mondrian()])
def test_a_run_compares_as_anybody_does_and_encodes_nothing_again(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(schema=people_schema(), privacy=(K2,), method=method)
    run = Run(job, people())
    release = run.release()
    expected = compare(people(), release)
    monkeypatch.setattr("nymity.publishing.comparing.compare.encode", lambda *_: pytest.fail("encoded again"))
    assert run.compared(release) == expected
    shown = [release.outcome.minimized.name]
    if shown[0] in {one.name for one in expected.losses}:
        assert run.compared(release, shown).value(shown[0]) == expected.value(shown[0])


def values(comparison: Comparison) -> dict[str, float]:
    return {loss.key: loss.value for loss in comparison.losses}


def records_of(table: pl.DataFrame, release: Any) -> naive.Records:
    names = list(release.levels)
    columns = [naive.texts(table[name].to_list()) for name in names]
    return naive.Records(
        rows=list(zip(*columns, strict=True)),
        hierarchies=tuple(release.recoding.hierarchies[name] for name in names),
        sensitive={"disease": table["disease"].to_list()},
        weights=tuple(release.job.schema[name].weight for name in names),
    )


@pytest.mark.parametrize("outliers", ["mask", "remove"])
@pytest.mark.parametrize("key", LOSSES)
def test_values_are_the_searchs_own_and_the_definitions(key: str, outliers: Any) -> None:
    method = OptimalLattice(loss=key, suppression=0.2, outliers=outliers)
    release = released(method=method)
    found = compare(people(), release)
    assert values(found)[key] == pytest.approx(release.outcome.loss, rel=1e-12)
    assert found.levels == release.levels
    assert found.suppressed == release.suppressed
    assert found.records == 15
    records, node = records_of(people(), release), tuple(release.levels.values())
    judges = [naive.at_least(2), naive.diverse(2, "disease")]
    for loss in found.losses:
        assert loss.value == pytest.approx(float(naive.loss(records, node, judges, loss.key)), rel=1e-9, abs=1e-9)
    gone = set(naive.suppressed(records, node, judges))
    shares = naive.domain_share(records, node, gone)
    assert list(found.attribute_loss.values()) == pytest.approx([float(share) for share in shares])


@pytest.mark.parametrize("kind", ["frame", "pandas", "file"])
def test_a_table_and_its_schema_will_do(kind: str, tmp_path: Path) -> None:
    release = released(out=tmp_path / "r")
    table = {
        "frame": lambda: release.frame,
        "pandas": lambda: release.frame.to_pandas(),
        "file": lambda: read_release(tmp_path / "r" / "release.csv", release.job.output),
    }[kind]()
    assert compare(people(), open_release(table, schema=people_schema())) == compare(people(), release)
    assert compare(people().to_pandas(), open_release(table, schema=people_schema())) == compare(people(), release)


def test_the_original_itself_has_lost_nothing() -> None:
    found = compare(people(), open_release(people(), schema=people_schema()))
    assert found.suppressed == 0
    assert set(found.levels.values()) == {0}
    assert {loss.key for loss in found.losses} == set(LOSSES)
    assert [loss.scaled for loss in found.losses] == [0] * len(LOSSES)
    assert [loss.value for loss in found.losses] == [loss.original for loss in found.losses]
    assert set(found.attribute_loss.values()) == {0}


def test_a_table_of_masks_has_lost_everything() -> None:
    masked = people().with_columns(age=pl.lit("*"), zip=pl.lit("*"), sex=pl.lit("*"))
    for table in (masked, masked[:0]):
        found = compare(people(), open_release(table, schema=people_schema()))
        assert found.suppressed == 15
        assert [loss.scaled for loss in found.losses] == pytest.approx([1] * len(LOSSES))
        assert list(found.attribute_loss.values()) == pytest.approx([1, 1, 1])


def test_the_top_of_the_lattice_suppresses_nobody() -> None:
    """Every cell is a mask, yet no record was suppressed: a release knows the difference."""
    tops = people_schema(
        age=quasi(Hierarchy.intervals(width=5, levels=4), level=4), zip=quasi(Hierarchy.masking(), level=4),
        sex=quasi(level=1),
    )  # fmt: skip
    release = publish(people(), tops, privacy=K2)
    assert set(release.frame["age"]) == {"*"}
    found = compare(people(), release)
    assert (found.suppressed, release.suppressed) == (0, 0)
    assert found.levels == release.levels == {"age": 4, "zip": 4, "sex": 1}
    assert values(found)["height"] == 9
    assert values(found)["loss"] == pytest.approx(release.loss)


def test_labels_that_stand_on_several_levels() -> None:
    """All kept values look the same on levels 0 and 1; a release knows the level, a table is read as the lowest."""
    rows = [["a", "a", "*"], ["b", "b", "*"], ["c", "g", "*"], ["d", "g", "*"]]
    table = pl.DataFrame({"q": ["a", "a", "b", "b", "c"], "v": range(5)})
    schema = Schema({"q": quasi(Hierarchy.from_rows(rows), min_level=1), "v": insensitive()})
    release = publish(table, schema, privacy=K2, method=OptimalLattice(loss="height", suppression=0.2))
    assert release.levels == {"q": 1}
    assert values(compare(table, release))["height"] == release.loss == 1
    assert compare(table, open_release(release.frame, schema=schema)).levels == {"q": 0}


def test_floats_that_lost_their_fractions() -> None:
    """Without the outlier 2.5 the column is all whole; it is still 1.0 and 3.0 that the hierarchy lists."""
    table = pl.DataFrame({"q": [1.0, 1.0, 3.0, 3.0, 2.5], "v": range(5)})
    schema = Schema({"q": quasi(), "v": insensitive()})
    release = publish(table, schema, privacy=K2, method=OptimalLattice(suppression=0.2, outliers="remove"))
    assert release.frame["q"].to_list() == [1.0, 1.0, 3.0, 3.0]
    found = compare(table, release)
    assert found.suppressed == 1
    assert values(found)["loss"] == pytest.approx(release.loss)
    assert compare(table, open_release(release.frame, schema=schema)) == found


def test_removed_rows_count_as_suppressed() -> None:
    found = compare(people(), open_release(people()[:-5], schema=people_schema()))
    assert found.suppressed == 5
    assert found.records == 15
    assert values(found)["discernibility"] == 10 + 5 * 15


def test_dropped_records_take_no_part() -> None:
    """The dropped record has the longest code, which would change every mask."""
    table = people().with_columns(
        zip=pl.Series(["0211111", *people()["zip"][1:]]), sex=pl.Series([None, *people()["sex"][1:]])
    )
    schema = people_schema(sex=quasi(missing="drop"))
    release = publish(table, schema, privacy=[K2, DIVERSE], method=OptimalLattice(suppression=0.25))
    found = compare(table, release)
    assert found.records == 14
    assert found.suppressed == release.suppressed
    assert values(found)["loss"] == pytest.approx(release.loss)
    assert compare(table, open_release(release.frame, schema=schema)) == found


def test_weights_count() -> None:
    schema = people_schema(sex=quasi(weight=10))
    release = publish(people(), schema, privacy=KAnonymity(k=3), method=OptimalLattice(suppression=0.2))
    assert values(compare(people(), release))["loss"] == pytest.approx(release.loss)
    assert release.levels["sex"] == 0


# -- tables that cannot be compared ----------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["loss", "loss-geometric", "gcp"])
def test_cells_of_several_levels(loss: str) -> None:
    """A cell counts at its own level; losses that are made of one level per column are left out."""
    release = publish(
        people(), people_schema(), privacy=[KAnonymity(k=2)], method=IterativeRecoding(loss=loss, share=0)
    )
    assert len(release.recoding.layers) > 1
    for found in (compare(people(), release), compare(people(), open_release(release.table, schema=people_schema()))):
        values = {value.name: value for value in found.losses}
        assert values[loss].value == pytest.approx(release.outcome.loss)
        assert not values.keys() & {"entropy", "entropy-normalized", "height"}
        assert {"discernibility", "kl-divergence", "precision"} <= values.keys()
        assert found.suppressed == 0
        assert found.levels == release.levels


def test_precision_of_several_levels() -> None:
    table = people().with_columns(zip=pl.Series(["021*", "02**", *people()["zip"][2:]]))
    found = {value.name: value for value in compare(people(), open_release(table, schema=people_schema())).losses}
    heights = {name: people_schema().hierarchy(name, people()[name].unique()).height for name in people_schema().quasi}
    assert found["precision"].attributes == pytest.approx(
        dict.fromkeys(people_schema().quasi, 0.0) | {"zip": (1 + 2) / people().height / heights["zip"]}
    )


def test_cells_the_hierarchy_does_not_know() -> None:
    table = people().with_columns(zip=pl.Series(["4711", *people()["zip"][1:]]))
    with pytest.raises(TableError, match="the unknown value '4711'"):
        compare(people(), open_release(table, schema=people_schema()))


def test_a_column_that_is_missing() -> None:
    with pytest.raises(TableError, match="the quasi-identifier 'zip', got no such column"):
        compare(people(), open_release(people().drop("zip"), schema=people_schema()))
    with pytest.raises(SchemaError, match="no column 'zip'"):
        compare(people().drop("zip"), open_release(people(), schema=people_schema()))


def test_no_schema() -> None:
    with pytest.raises(SchemaError, match="the schema"):
        compare(people(), people())


def test_a_table_of_other_people() -> None:
    """More records with a value than the original has: it cannot be a release of it."""
    with pytest.raises(TableError, match=r"released column 'age': expected at most 1 records with '21', got 2"):
        compare(people(), open_release(pl.concat([people(), people()[:1]]), schema=people_schema()))
    other = people().with_columns(sex=pl.lit("m"))
    with pytest.raises(TableError, match="released column 'sex'"):
        compare(people(), open_release(other, schema=people_schema()))


def test_an_original_that_is_not_the_releases() -> None:
    other = people().with_columns(age=pl.col("age") + 40)
    with pytest.raises(TableError, match="compare with the table the release was made from"):
        compare(other, released())


def test_it_is_plain_data() -> None:
    found = compare(people(), released())
    assert json.loads(json.dumps(found.to_dict()))["levels"] == found.levels


def test_only_what_is_asked_for() -> None:
    release = released(method=OptimalLattice(suppression=0.2))
    everything = compare(people(), release)
    some = compare(people(), release, measures=["count-queries", "precision"])
    assert [found.name for found in some.measured] == ["count-queries", "precision"]
    assert all(found in everything.measured for found in some.measured)
    assert some.attribute_loss == {}
    assert compare(people(), release, measures=["loss"]).attribute_loss == everything.attribute_loss


def test_a_comparer_measures_the_original_once(monkeypatch: pytest.MonkeyPatch) -> None:
    release, prepared = released(method=OptimalLattice(suppression=0.2)), list[Any]()
    prepare = LOSSES["precision"].prepare
    monkeypatch.setattr(
        LOSSES["precision"], "prepare", lambda loss, table: prepared.append(table) or prepare(loss, table)
    )
    comparer = Comparer(people(), people_schema())
    for measures in (["precision"], ["loss", "precision"], None):
        assert comparer.compare(release, measures=measures).value("precision") > 0
    assert len(prepared) == 1


@pytest.mark.parametrize("measures", [["lost"], ["loss", 3], "loss"])
def test_measures_that_are_none(measures: Any) -> None:
    with pytest.raises(ParameterError, match="measures"):
        compare(people(), released(), measures=measures)
