"""Local recoding from Python: published, verified, certified, measured, compared, applied and reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from samples import DIVERSE, K2, people, people_schema

from nymity.core.errors import HierarchyError, JobError, ParameterError, SchemaError, TableError
from nymity.partition.mondrian import Mondrian
from nymity.privacy import AverageRisk, KAnonymity, KMap, SampleUniques
from nymity.publishing.checking.check import check
from nymity.publishing.comparing.compare import compare
from nymity.publishing.comparing.measure import measure
from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.opened import open as open_release
from nymity.publishing.releases.release import Release
from nymity.publishing.running.apply import apply
from nymity.publishing.running.pipeline import publish
from nymity.report import render_report
from nymity.table.attribute import quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema

METHODS = [
    Mondrian(),
    Mondrian(choose="gain"),
    Mondrian(cuts="relaxed"),
    Mondrian(cells="set"),
    Mondrian(cells="hierarchy"),
    Mondrian(categorical="order", bounds={"age": (0, 120)}),
]


def released(method: Mondrian = METHODS[0], **options: Any) -> Release:
    return publish(people(), people_schema(), **({"privacy": [K2, DIVERSE], "method": method} | options))


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_release_of_classes(method: Mondrian) -> None:
    release = released(method)
    assert release.verification.holds
    assert (release.levels, release.bound, release.suppressed) == ({}, None, 0)
    assert release.table.height == 15
    assert release.table.columns == ["age", "zip", "sex", "disease", "note"]
    assert not release.log.masked.any()
    assert sorted(release.log.source_rows) == list(range(15))
    reached = measure(release.table, people_schema()).models
    assert reached["k-anonymity"][""]["k"] >= 2
    assert reached["distinct-l-diversity"]["disease"]["l"] >= 2
    for row, source in zip(release.table.rows(named=True), release.log.source_rows, strict=True):
        raw = people().row(int(source), named=True)
        assert (row["disease"], row["note"]) == (raw["disease"], raw["note"])


def test_the_cells_cover_the_values() -> None:
    release = released()
    for row, source in zip(release.table.rows(named=True), release.log.source_rows, strict=True):
        raw = people().row(int(source), named=True)
        low, high = (row["age"].split("-") * 2)[:2]
        assert int(low) <= raw["age"] <= int(high)
        assert raw["zip"] in row["zip"].strip("{}").split(", ")
        assert raw["sex"] in row["sex"].strip("{}").split(", ")


def test_certificate() -> None:
    certificate = released(Mondrian(choose="gain")).certificate
    assert certificate["job"]["method"] == {"name": "mondrian", "choose": "gain"}
    loss = certificate["loss"]
    assert (loss["proven_optimal"], loss["proven_bound"]) == (False, None)
    assert "lattice_nodes" not in loss
    ages = next(column for column in certificate["columns"] if column["name"] == "age")
    assert ages["cells"] == released(Mondrian(choose="gain")).table["age"].n_unique()
    assert "level" not in ages
    assert certificate["suppressed"]["records"] == 0


def test_written_and_checked(tmp_path: Path) -> None:
    release = released()
    release.save(tmp_path / "release")
    found = sorted(path.name for path in (tmp_path / "release-custodian").iterdir())
    assert found == ["log.json", "mapping.parquet", "recoding.json", "seen.json"]
    assert "nodes_evaluated" not in json.loads((tmp_path / "release-custodian/log.json").read_text(encoding="utf-8"))
    result = check(tmp_path / "release/release.csv", certificate=tmp_path / "release/certificate.json")
    assert result.holds
    assert check(tmp_path / "release/release.csv", job=release.job).holds
    again = Recoding.load(tmp_path / "release-custodian/recoding.json")
    assert again.to_dict() == release.recoding.to_dict()


def test_applied_to_new_rows() -> None:
    release = released()
    new = people().head(3).vstack(people().head(1).with_columns(age=pl.lit(88, dtype=pl.Int64)))
    published = apply(release.recoding, new)
    assert published.height == 4
    assert published["age"].to_list()[3] == "*"
    assert apply(release.recoding, new, outliers="remove").height == 3
    with pytest.raises(TableError, match="values the recoding knows"):
        apply(release.recoding, new.with_columns(age=pl.lit(7)), unseen="error")


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_compared_as_a_release_and_as_a_table(method: Mondrian, tmp_path: Path) -> None:
    release = released(method)
    release.save(tmp_path / "release")
    known = compare(people(), release)
    recoding = tmp_path / "release-custodian/recoding.json"
    read = pl.read_csv(tmp_path / "release/release.csv", infer_schema=False)
    from_files = compare(people(), open_release(read, schema=people_schema(), recoding=recoding))
    assert from_files == known
    assert compare(people(), open_release(read, schema=people_schema(), recoding=Recoding.load(recoding))) == known
    if method.cells != "hierarchy":  # such cells are taken for levels, which have further losses
        alone = compare(people(), open_release(read, schema=people_schema()))
        assert alone.losses == known.losses
        unmatched = {m.key: m.undefined for m in alone.measured if m not in known.measured}
        assert unmatched.keys() == {"squared-distance", "mutual-information"}  # they compare records with rows
        assert all("give the recoding" in str(why) for why in unmatched.values())
    assert (known.levels, known.suppressed, known.records) == ({}, 0, 15)
    losses = {loss.name: loss for loss in known.losses}
    if method.cells == "tight" and not method.bounds:
        assert losses["gcp"].value == pytest.approx(release.loss / 45)
    assert not {"height", "entropy"} & losses.keys()  # they are about levels
    assert {"loss", "precision", "gcp", "discernibility", "average-class-size"} <= losses.keys()
    sizes = release.table.group_by("age", "zip", "sex").len()["len"]
    assert losses["discernibility"].value == sizes.dot(sizes)


def test_cells_are_those_of_the_recoding_or_of_the_table() -> None:
    table = released().table
    with pytest.raises(TableError, match=r"released column 'age': .*unknown value '\[1, x\]'"):
        compare(people(), open_release(table.with_columns(age=pl.lit("[1, x]")), schema=people_schema()))
    other = released(privacy=[KAnonymity(k=7)]).recoding
    with pytest.raises(TableError, match=r"expected cells of the recoding, got the unknown value"):
        compare(people(), open_release(table, schema=people_schema(), recoding=other))
    fewer = people_schema(sex=sensitive())
    with pytest.raises(TableError, match="recoding: expected the quasi-identifiers 'age', 'zip'"):
        compare(people(), open_release(table, schema=fewer, recoding=released().recoding))
    with pytest.raises(HierarchyError, match="unknown value"):
        compare(people().with_columns(age=pl.col("age") + 100), released())


def test_masked_rows_count_as_suppressed_unless_a_class_is_published_so() -> None:
    tight, flat = released(), people_schema(zip=quasi())
    top = publish(people(), flat, privacy=KAnonymity(k=15), method=Mondrian(cells="hierarchy"))
    assert top.table.select("age", "zip", "sex").unique().rows() == [("*", "*", "*")]
    assert compare(people(), open_release(top.table, schema=flat, recoding=top.recoding)).suppressed == 0
    masked = tight.table.with_columns(
        pl.when(pl.int_range(pl.len()) < 4).then(pl.lit("*")).otherwise(pl.col(name)).alias(name)
        for name in ("age", "zip", "sex")
    )
    found = compare(people(), open_release(masked, schema=people_schema(), recoding=tight.recoding))
    assert found.suppressed == 4
    whole = compare(people(), tight)
    assert {loss.name: loss.value for loss in found.losses}["gcp"] > {loss.name: loss.value for loss in whole.losses}[
        "gcp"
    ]


def test_report() -> None:
    release = released()
    page = render_report(release, people())
    assert "Cells of each quasi-identifier" in page
    assert f"The records were divided into {release.outcome.classes} groups" in page  # type: ignore[union-attr]
    assert "another division may lose less" in page
    assert "information-loss is what the method minimized" in page
    assert "there is no one scale to plot" in page
    assert "A dark bar" not in page


@pytest.mark.parametrize("cells", ["tight", "set", "hierarchy"])
def test_values_that_look_like_cells(cells: Any) -> None:
    """Cells that look alike are one class in the release, which keeps its promises all the same."""
    odd = ["[1, 2]", "{a, b}", "missing", "a, b", "c", "a", "b", None, "missing or [1, 2]", '"']
    table = pl.DataFrame({"x": [odd[i * i % 10] for i in range(60)], "y": [odd[i % 7] for i in range(60)]})
    schema = Schema({"x": quasi(), "y": quasi()})
    for cuts in ("strict", "relaxed"):
        method = Mondrian(cells=cells, cuts=cuts)  # type: ignore[arg-type]
        release = publish(table, schema, privacy=KAnonymity(k=4), method=method)
        assert release.verification.smallest_class is None or release.verification.smallest_class >= 4
        assert compare(table, open_release(release.table, schema=schema, recoding=release.recoding)) == compare(
            table, release
        )


@pytest.mark.parametrize("model", [AverageRisk(limit=0.3), SampleUniques(limit=0.1)], ids=repr)
def test_models_of_all_classes(model: Any) -> None:
    release = released(privacy=[model])
    assert release.verification.holds
    assert release.verification.classes > 2


def test_awkward_names() -> None:
    schema = Schema({"*": quasi(), "^x$": quasi(Hierarchy.masking()), "": quasi(), "a.b": sensitive()})
    table = pl.DataFrame(dict(zip(schema, (people()[name] for name in ("age", "zip", "sex", "disease")), strict=True)))
    release = publish(table, schema, privacy=K2, method=Mondrian())
    assert release.table.columns == list(schema)
    assert compare(table, release).suppressed == 0


# -- what is refused -----------------------------------------------------------------------------------------------


def test_models_of_a_population() -> None:
    people_of = people().select("age", "zip", "sex")
    with pytest.raises(ParameterError, match="mondrian: expected no model about a population"):
        released(privacy=[KMap(k=2, population=people_of)])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"cells": "loose"}, r"method\.cells: expected one of 'tight', 'set', 'hierarchy'"),
        ({"categorical": "sets"}, r"method\.categorical: expected one of 'set', 'order'.*did you mean 'set'"),
        ({"bounds": {"age": [1]}}, r"method\.bounds, age: expected two numbers"),
        ({"bounds": 3}, r"method\.bounds: expected a table of names"),
        ({"cut": "strict"}, "did you mean 'cuts'"),
    ],
)
def test_job_fields(method: dict[str, Any], message: str) -> None:
    plain = {
        "schema": {"age": {"role": "quasi"}},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "mondrian", **method},
    }
    with pytest.raises(JobError, match=message):
        Job.from_dict(plain)


def test_bounds_of_levels() -> None:
    with pytest.raises(SchemaError, match=r"schema\.sex: expected no min_level or max_level"):
        publish(people(), people_schema(sex=quasi(level=1)), privacy=K2, method=Mondrian())
