"""A bucketized release: two tables that together keep the promise, and the checks that notice when they do not."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import (
    FileError,
    InputError,
    NoSolutionError,
    ParameterError,
    PromiseError,
    SchemaError,
    TableError,
)
from nymity.publishing.certificates.bucket_tables import bucket_problems, lost_records
from nymity.publishing.releases.release import Release
from nymity.table.bucket_recoding import BucketRecoding
from nymity.table.recoding import Recoded, Recoding

SCHEMA = ny.Schema(
    {
        "name": ny.identifying(),
        "age": ny.quasi(),
        "sex": ny.quasi(),
        "note": ny.insensitive(),
        "disease": ny.sensitive(),
    }
)
THRESHOLDS = {"hiv": 0.25, "*": 0.7}
PROMISE = ny.FPrivacy(thresholds=THRESHOLDS, attribute="disease")


def patients(n: int = 300, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    values = np.array(["flu", "cold", "hiv", None], dtype=object)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": rng.integers(20, 60, n),
            "sex": rng.choice(["m", "f"], n),
            "note": [f"n{i % 7}" for i in range(n)],
            "disease": pl.Series(values[rng.choice(4, n, p=[0.42, 0.3, 0.1, 0.18])].tolist(), dtype=pl.String),
        }
    )


def released(table: pl.DataFrame | None = None, **method: object) -> Release:
    return ny.publish(patients() if table is None else table, SCHEMA, privacy=PROMISE, method=ny.Buckets(**method))


# -- what is published -------------------------------------------------------------------------------------------


def test_every_record_is_once_in_each_table() -> None:
    source = patients()
    release = released(source)
    assert release.table.columns == ["age", "sex", "note", "bucket"]
    assert release.sensitive_table.columns == ["bucket", "disease", "count"]
    rows = release.log.source_rows
    assert sorted(rows.tolist()) == list(range(source.height))
    assert source[rows].select("age", "sex", "note").equals(release.table.select("age", "sex", "note"))
    counted = Counter(zip(release.table["bucket"].to_list(), source[rows]["disease"].to_list(), strict=True))
    assert counted == {(b, v): n for b, v, n in release.sensitive_table.iter_rows()}


def test_a_record_that_is_lost_or_doubled_is_noticed_at_publishing(monkeypatch: pytest.MonkeyPatch) -> None:
    source, release = patients(), released()
    assert lost_records(release.table, release.sensitive_table, source) == ()
    doubled = pl.concat([release.table[1:], release.table[1:2]])
    assert lost_records(doubled, release.sensitive_table, source) == (
        "the release has not every record of the source once",
    )
    another = release.sensitive_table.with_columns(pl.col("disease").fill_null("flu"))
    assert "sensitive table" in lost_records(release.table, another, source)[0]

    apply = BucketRecoding.apply

    def loses(self: BucketRecoding, table: pl.DataFrame, **_: object) -> Recoded:
        return replace(apply(self, table), table=apply(self, table).table.with_columns(pl.lit(50).alias("age")))

    monkeypatch.setattr(BucketRecoding, "apply", loses)
    with pytest.raises(PromiseError, match="not every record of the source once"):
        released()


def test_no_value_has_more_of_a_bucket_than_its_threshold() -> None:
    counts = released().sensitive_table
    sizes = counts.group_by("bucket").agg(pl.col("count").sum().alias("size"))
    for _, value, records, size in counts.join(sizes, on="bucket").iter_rows():
        assert Fraction(records, size) <= Fraction(str(THRESHOLDS.get(value, THRESHOLDS["*"])))


def test_the_loss_is_that_of_the_plan_and_of_the_buckets() -> None:
    release = released()
    sizes = release.sensitive_table.group_by("bucket").agg(pl.col("count").sum())["count"]
    counts = dict(patients()["disease"].value_counts().iter_rows())
    allowed = {v: THRESHOLDS.get(v, THRESHOLDS["*"]) for v in counts}
    assert release.loss == ((sizes - 1) ** 2).sum() == ny.bucket.plan(counts, allowed).loss
    assert release.bound == release.loss
    assert release.outcome.optimal


def test_a_plan_of_two_sizes_claims_no_optimum() -> None:
    release = released(plan="two-size")
    assert release.outcome.plan.optimal
    assert not release.outcome.optimal
    assert release.bound is None
    assert not release.certificate["loss"]["proven_optimal"]


def test_anatomy_has_as_many_values_as_the_strictest_threshold_asks_for() -> None:
    promise = ny.FrequencyLDiversity(l=1.9, attribute="disease")
    release = ny.publish(patients(), SCHEMA, privacy=promise, method=ny.Anatomy())
    assert (release.sensitive_table["count"] == 1).all()
    assert release.sensitive_table.group_by("bucket").len()["len"].min() >= 2


def test_the_strictest_of_several_promises_decides() -> None:
    promises = [
        PROMISE,
        ny.FrequencyLDiversity(l=1.6, attribute="disease"),
        ny.BetaLikeness(beta=2, attribute="disease"),
    ]
    release = ny.publish(patients(), SCHEMA, privacy=promises, method=ny.Buckets())
    assert release.verification.holds
    assert len(release.verification.findings) == 3


def test_bucket_numbers_and_members_are_drawn_anew() -> None:
    first, second = released(), released()
    assert sorted(set(first.table["bucket"])) == list(range(1, first.outcome.classes + 1))
    assert not first.table.equals(second.table)


@settings(max_examples=40, deadline=None)
@given(
    counts=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    shares=st.lists(st.sampled_from(["0.3", "0.5", "0.6", "0.75", "1"]), min_size=5, max_size=5),
)
def test_any_table_is_published_by_its_promise_or_refused(counts: list[int], shares: list[str]) -> None:
    values = [f"v{i}" for i, n in enumerate(counts) for _ in range(n)]
    table = pl.DataFrame({"age": [i % 4 for i in range(len(values))], "disease": values})
    schema = ny.Schema({"age": ny.quasi(), "disease": ny.sensitive()})
    allowed = {f"v{i}": float(share) for i, share in zip(range(len(counts)), shares, strict=False)}
    promise = ny.FPrivacy(thresholds=allowed, attribute="disease")
    try:
        release = ny.publish(table, schema, privacy=promise, method=ny.Buckets())
    except (NoSolutionError, ParameterError):
        return
    assert not bucket_problems(release.table, release.sensitive_table)
    sizes = dict(release.table["bucket"].value_counts().iter_rows())
    for bucket, value, records in release.sensitive_table.iter_rows():
        assert Fraction(records, sizes[bucket]) <= Fraction(str(allowed[value]))


# -- files, certificate and check --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "csv.gz", "parquet"])
def test_two_files_and_a_certificate_are_checked_by_themselves(form: str, tmp_path: Path) -> None:
    output = ny.Output(name="out", format=form)  # type: ignore[arg-type]
    ny.publish(patients(), SCHEMA, privacy=PROMISE, method=ny.Buckets(), output=output, out=tmp_path / "r")
    assert sorted(p.name for p in (tmp_path / "r").iterdir()) == [
        "certificate.json",
        f"out-sensitive.{form}",
        f"out.{form}",
    ]
    found = ny.check(tmp_path / "r" / f"out.{form}", certificate=tmp_path / "r" / "certificate.json")
    assert found.holds
    assert found.verification.buckets


def test_the_certificate_says_what_is_drawn_and_what_is_left_open() -> None:
    certificate = released().certificate
    assert certificate["columns"][-1] == {"name": "bucket", "role": "bucket"}
    assert certificate["columns"][0]["unchanged"] is True
    assert certificate["output"]["sensitive_table"]["columns"] == ["bucket", "disease", "count"]
    assert certificate["output"]["sensitive_table"]["missing_values"] == "count as a value of their own"
    whole = released(patients().with_columns(pl.col("disease").fill_null("none"))).certificate
    assert "missing_values" not in whole["output"]["sensitive_table"]
    assert {"presence", "background-knowledge", "correlation"} <= {
        one["warning"] for one in certificate["not_protected"]
    }
    assert any("bucket" in source for source in certificate["random_sources"])
    assert "in every bucket" in certificate["promised"][0]["means"]
    json.dumps(certificate)


def test_a_job_is_enough_to_check(tmp_path: Path) -> None:
    job = ny.Job(schema=SCHEMA, privacy=(PROMISE,), method=ny.Buckets())
    ny.publish(patients(), SCHEMA, privacy=PROMISE, method=ny.Buckets(), out=tmp_path / "r")
    assert ny.check(tmp_path / "r" / "release.csv", job=job).holds
    moved = (tmp_path / "r" / "release-sensitive.csv").rename(tmp_path / "values.csv")
    assert ny.check(ny.open(tmp_path / "r" / "release.csv", sensitive=moved, job=job)).holds
    with pytest.raises(FileError, match="release-sensitive"):
        ny.check(tmp_path / "r" / "release.csv", job=job)


def test_frames_are_checked_together() -> None:
    release = released()
    found = ny.check(ny.open(release.table, sensitive=release.sensitive_table, certificate=release.certificate))
    assert found.holds
    with pytest.raises(InputError, match="both tables"):
        ny.check(release.table, certificate=release.certificate)


def _moved_to_another_bucket(table: pl.DataFrame, counts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    other = table["bucket"].to_list()
    other[0] = next(b for b in other if b != other[0])
    return table.with_columns(pl.Series("bucket", other)), counts


def _another_value(table: pl.DataFrame, counts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    values = counts["disease"].to_list()
    values[0] = "hiv" if values[0] != "hiv" else "flu"
    return table, counts.with_columns(pl.Series("disease", values))


def _a_row_less(table: pl.DataFrame, counts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    return table[1:], counts


def _a_count_more(table: pl.DataFrame, counts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    return table, counts.with_columns(pl.when(pl.int_range(pl.len()) == 0).then(9).otherwise("count").alias("count"))


@pytest.mark.parametrize("tamper", [_moved_to_another_bucket, _another_value, _a_row_less, _a_count_more])
def test_tampering_with_one_row_is_noticed(tamper: object) -> None:
    release = released()
    table, counts = tamper(release.table, release.sensitive_table)  # type: ignore[operator]
    assert not ny.check(ny.open(table, sensitive=counts, certificate=release.certificate)).holds


def test_tables_that_contradict_each_other_break_the_promise_without_a_certificate() -> None:
    release, job = released(), ny.Job(schema=SCHEMA, privacy=(PROMISE,), method=ny.Buckets())
    for tamper in (_moved_to_another_bucket, _a_row_less, _a_count_more):
        table, counts = tamper(release.table, release.sensitive_table)
        found = ny.check(ny.open(table, sensitive=counts, job=job))
        assert not found.holds
        assert any("buckets have more or fewer records" in problem for problem in found.problems)


def test_a_value_above_its_threshold_breaks_the_promise() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4], "sex": list("mfmf"), "note": list("abcd"), "bucket": [1, 1, 1, 1]})
    counts = pl.DataFrame({"bucket": [1, 1], "disease": ["hiv", "flu"], "count": [2, 2]})
    found = ny.check(
        ny.open(table, sensitive=counts, job=ny.Job(schema=SCHEMA, privacy=(PROMISE,), method=ny.Buckets()))
    )
    assert not found.holds
    assert not found.problems
    assert found.verification.findings[0].measured["thresholds"]["hiv"] == 0.5


def test_sensitive_values_beside_quasi_identifiers_are_a_problem() -> None:
    release = released()
    table = release.table.with_columns(pl.lit("flu").alias("disease"))
    assert bucket_problems(table, release.sensitive_table)[0].startswith("the sensitive column 'disease'")
    named = release.table.with_columns(pl.lit("p").alias("name"))
    job = ny.Job(schema=SCHEMA, privacy=(PROMISE,), method=ny.Buckets())
    assert "identifying" in ny.check(ny.open(named, sensitive=release.sensitive_table, job=job)).problems[0]


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ({"bucket": [1, 1], "disease": ["a", "a"], "count": [1, 1]}, "twice"),
        ({"bucket": [1, 1, 1], "disease": ["a", "b", "c"], "count": [1, 1, 0]}, "below one"),
        ({"bucket": [1, 1, 2], "disease": ["a", "b", "c"], "count": [1, 1, 1]}, "more or fewer"),
        ({"bucket": [1, 1, None], "disease": ["a", "b", "c"], "count": [1, 1, 1]}, "without a number"),
    ],
)
def test_broken_sensitive_tables_are_named(counts: dict[str, list[object]], problem: str) -> None:
    table = pl.DataFrame({"age": [1, 2], "bucket": [1, 1]})
    assert any(problem in found for found in bucket_problems(table, pl.DataFrame(counts)))


def test_tables_of_another_kind_are_refused() -> None:
    release = released()
    with pytest.raises(InputError, match="'bucket'"):
        bucket_problems(release.table.drop("bucket"), release.sensitive_table)
    with pytest.raises(InputError, match="sensitive table"):
        bucket_problems(release.table, release.sensitive_table.drop("count"))
    with pytest.raises(InputError, match="whole numbers"):
        bucket_problems(release.table.cast({"bucket": pl.Float64}), release.sensitive_table)


def test_a_certificate_cannot_lead_to_other_files(tmp_path: Path) -> None:
    ny.publish(patients(), SCHEMA, privacy=PROMISE, method=ny.Buckets(), out=tmp_path / "r")
    path = tmp_path / "r" / "certificate.json"
    certificate = json.loads(path.read_text())
    certificate["output"]["sensitive_table"]["file"] = "../secret.csv"
    with pytest.raises(FileError, match="sensitive_table"):
        ny.check(tmp_path / "r" / "release.csv", certificate=certificate)


def test_nothing_is_published_if_the_second_table_cannot_be_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nymity.publishing.custodian import release_place as module

    write = module.write_table

    def broken(frame: pl.DataFrame, path: Path, options: object) -> None:
        write(frame.head(3) if "sensitive" in path.name else frame, path, options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "write_table", broken)
    with pytest.raises(TableError, match="release-sensitive"):
        released().save(tmp_path / "r")
    assert not list(tmp_path.glob("r/*"))


# -- recoding ----------------------------------------------------------------------------------------------------


def test_the_recoding_is_kept_and_has_places_for_its_own_records_alone(tmp_path: Path) -> None:
    release = released()
    release.recoding.save(tmp_path / "recoding.json")
    again = Recoding.load(tmp_path / "recoding.json")
    assert again.to_dict() == release.recoding.to_dict()
    assert again.apply(patients()).counts.equals(release.sensitive_table)  # type: ignore[union-attr]
    with pytest.raises(TableError, match="publish the table again"):
        again.apply(patients(200))


# -- what cannot be published ------------------------------------------------------------------------------------


def test_models_that_buckets_cannot_keep_are_refused() -> None:
    for model in (ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="disease")):
        with pytest.raises(ParameterError, match="limit the share of each sensitive value"):
            ny.publish(patients(), SCHEMA, privacy=[PROMISE, model], method=ny.Buckets())


def test_one_sensitive_column_is_needed_and_names_are_free() -> None:
    table = patients().with_columns(pl.col("disease").alias("other"))
    two = ny.Schema({**SCHEMA, "other": ny.sensitive()})
    with pytest.raises(SchemaError, match="one sensitive column"):
        ny.publish(table, two, privacy=PROMISE, method=ny.Buckets())
    for old, new in (("note", "bucket"), ("disease", "count")):
        schema = ny.Schema({new if name == old else name: a for name, a in SCHEMA.items()})
        promise = ny.FPrivacy(thresholds=THRESHOLDS, attribute="count" if new == "count" else "disease")
        with pytest.raises(SchemaError, match="rename"):
            ny.publish(patients().rename({old: new}), schema, privacy=promise, method=ny.Buckets())
    coarse = ny.Schema({**SCHEMA, "age": ny.quasi(ny.Hierarchy.intervals(width=5), min_level=1)})
    with pytest.raises(SchemaError, match="min_level"):
        ny.publish(patients(), coarse, privacy=PROMISE, method=ny.Buckets())


def test_impossible_thresholds_and_sizes_are_named() -> None:
    with pytest.raises(ParameterError, match="'flu'"):
        ny.publish(
            patients(), SCHEMA, privacy=ny.FPrivacy(thresholds={"flu": 0.1}, attribute="disease"), method=ny.Buckets()
        )
    with pytest.raises(ParameterError, match="'hiv'"):
        released(sizes=(2, 3))
    with pytest.raises(NoSolutionError, match="'flu'"):
        ny.publish(patients(), SCHEMA, privacy=PROMISE, method=ny.Anatomy())
    for wrong in ({"sizes": (3, 2)}, {"sizes": 5}, {"plan": "bset"}, {"seconds": 0}):
        with pytest.raises(ParameterError):
            ny.Buckets(**wrong)  # type: ignore[arg-type]


# -- report and comparison ---------------------------------------------------------------------------------------


def test_the_comparison_finds_quasi_identifiers_unchanged() -> None:
    found = ny.compare(patients(), released())
    assert found.attribute_loss == {"age": 0.0, "sex": 0.0}
    assert found.suppressed == 0


def test_the_report_speaks_of_buckets() -> None:
    from nymity.report import render_report

    source = patients()
    page = render_report(released(source), source)
    assert "How sure a guess of disease can be" in page
    assert "Buckets hide who has which value, and nothing else." in page
    assert "It is proved that no other sizes lose less." in page
