"""Keys: the same job, table and log give the same release; anything else is drawn apart, and marked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError, JobError, ParameterError
from nymity.dp.private_method import PrivateMethod
from nymity.publishing.caveats import Caveat
from nymity.publishing.custodian.redrawing import key_of
from nymity.publishing.jobs.job import Job, Output
from nymity.publishing.jobs.registry import METHODS

SCHEMA = ny.Schema(
    {
        "name": ny.identifying(),
        "age": ny.quasi(),
        "sex": ny.quasi(),
        "disease": ny.sensitive(),
        "note": ny.insensitive(),
    }
)
DRAWING = {key: made for key, made in METHODS.items() if not issubclass(made, PrivateMethod)}


def people(n: int = 24) -> pl.DataFrame:
    """Return few ages, so that many people look alike, and notes that tell everybody apart."""
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": rng.integers(30, 34, n),
            "sex": rng.choice(["f", "m"], n),
            "disease": rng.choice(list("abcdef"), n),
            "note": rng.permutation(n),
        }
    )


def promise(key: str) -> ny.privacy.PrivacyModel:
    if key.startswith("freeform"):
        return ny.KMatching(k=3)
    if key == "subset-suppression":
        return ny.SubsetKAnonymity(k=3, m=2)
    if key == "wildcard-suppression":
        return ny.WildcardKAnonymity(k=3)
    if key in ("buckets", "anatomy"):
        return ny.FrequencyLDiversity(l=2, attribute="disease")
    return ny.KAnonymity(k=3)


def released(key: str = "sorted-groups", table: pl.DataFrame | None = None, **options: object) -> ny.Release:
    return ny.publish(
        people() if table is None else table,
        SCHEMA,
        privacy=promise(key),
        method=DRAWING[key](),
        **options,  # type: ignore[arg-type]
    )


# -- the same again ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", DRAWING)
@pytest.mark.parametrize("row_order", ["sorted", "shuffled"])
def test_the_log_of_a_release_gives_it_again_whatever_the_order_of_rows(key: str, row_order: str) -> None:
    output = Output(row_order=row_order)  # type: ignore[arg-type]
    first = released(key, output=output)
    again = released(key, people().reverse(), output=output, log=first.log)
    assert again.frame.equals(first.frame)
    assert (again.counts is None) == (first.counts is None)
    assert again.counts is None or again.counts.equals(first.counts)
    assert again.log.draw_key == first.log.draw_key
    source, reversed_ = people(), people().reverse()
    assert source[first.log.source_rows]["note"].equals(reversed_[again.log.source_rows]["note"])


@pytest.mark.parametrize("key", ["sorted-groups", "k-member", "freeform-greedy", "buckets", "anatomy"])
def test_without_a_log_every_release_is_drawn_anew(key: str) -> None:
    """24 people in 8 kinds have so many orders that five equal releases in a row are out of the question."""
    first = released(key)
    assert any(not released(key).frame.equals(first.frame) for _ in range(5))
    assert len({released(key).log.draw_key for _ in range(3)}) == 3


def anew(release: ny.Release) -> list[Caveat]:
    """The warning that a release was drawn apart from earlier ones."""
    return [caveat for caveat in release.warnings if caveat.key == "drawn-anew"]


def test_another_job_or_table_draws_apart_under_the_same_log() -> None:
    """Methods that do the same under two keys of their job are drawn apart; the form of files changes nothing."""
    first = released()
    stricter = ny.publish(
        people(), SCHEMA, privacy=[ny.KAnonymity(k=3), ny.KAnonymity(k=2)], method=ny.SortedGroups(), log=first.log
    )
    assert not stricter.frame.equals(first.frame)
    assert "redrawn" not in stricter.certificate
    assert "another job or table" in anew(stricter)[0].says
    other = people().with_columns(note=pl.col("note") + 1)
    assert not released(table=other, log=first.log).frame.with_columns(pl.col("note") - 1).equals(first.frame)
    renamed = people().with_columns(name=pl.lit("x"))  # is not published
    assert released(table=renamed, log=first.log).frame.equals(first.frame)
    assert released(output=Output(format="parquet", name="again"), log=first.log).frame.equals(first.frame)


def test_folders_and_files_of_a_log(tmp_path: Path) -> None:
    first = released(out=tmp_path / "release")
    kept = tmp_path / "release-custodian"
    for log in (kept, str(kept), kept / "log.json"):
        again = released(log=log)
        assert again.frame.equals(first.frame)
        assert again.certificate["redrawn"]
        assert anew(again) == []
    written = json.loads((kept / "log.json").read_text())
    assert written["draw_key"] == first.log.draw_key
    assert written["format"] == "nymity-log-2"
    key = first.log.draw_key or ""
    for path in (tmp_path / "release").iterdir():
        assert key.encode() not in path.read_bytes()
        assert bytes.fromhex(key) not in path.read_bytes()
    assert key not in repr(first.log)


def test_logs_without_a_key_are_refused(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text('{"salt": "00"}')  # as version 0.1.0 wrote it
    with pytest.raises(FileError, match=r"no key.*logs of version 0\.1\.0"):
        released(log=tmp_path)
    (tmp_path / "log.json").write_text('{"draw_key": "zz"}')
    with pytest.raises(FileError, match="a key that is none"):
        released(log=tmp_path)
    for text in ("[]", "no json"):
        (tmp_path / "log.json").write_text(text)
        with pytest.raises(FileError, match="custodian's log as nymity writes it"):
            released(log=tmp_path)
    with pytest.raises(FileError):
        released(log=tmp_path / "nowhere")
    with pytest.raises(FileError, match="no key"):
        key_of(released(seed=1).log)


def test_private_methods_take_no_log_and_no_seed() -> None:
    ages = pl.DataFrame({"age": [30, 31] * 300})
    schema = ny.Schema({"age": ny.quasi(hierarchy=ny.Hierarchy.from_rows([["30", "*"], ["31", "*"]]))})
    private = ny.DifferentialPrivacy(epsilon=1.0, public_records=1000)
    method = ny.SafePub(steps=1)
    with pytest.raises(ParameterError, match="never draws the same twice"):
        ny.publish(ages, schema, privacy=private, method=method, log=released().log)
    with pytest.raises(JobError, match="none for a differentially private method"):
        ny.publish(ages, schema, privacy=private, method=method, seed=1)
    assert ny.publish(ages, schema, privacy=private, method=method).log.draw_key is None


# -- seeds ---------------------------------------------------------------------------------------------------------


def test_a_seed_repeats_and_marks_the_certificate() -> None:
    first, again, other = released(seed=7), released(table=people().reverse(), seed=7), released(seed=8)
    assert first.frame.equals(again.frame)
    assert not first.frame.equals(other.frame)
    certificate = first.certificate
    assert certificate["seeded"] is True
    assert all(source.startswith("a known seed: ") for source in certificate["random_sources"])
    assert all(p["means"].startswith("NOT PROTECTED AGAINST WHO KNOWS THE SEED: ") for p in certificate["promised"])
    assert "seed" not in certificate["job"]
    assert first.log.draw_key is None


def test_a_seed_that_nothing_is_drawn_by_marks_nothing() -> None:
    certificate = released("optimal-lattice", seed=7).certificate
    assert "seeded" not in certificate
    assert certificate["random_sources"] == []


def test_a_seed_in_a_job_file(tmp_path: Path) -> None:
    job = Job(schema=SCHEMA, privacy=(ny.KAnonymity(k=3),), method=ny.SortedGroups(), seed=7)
    assert Job.from_dict(job.to_dict()) == job
    for wrong in ("x", 1.5, True):
        with pytest.raises(ParameterError, match="seed"):
            replace(job, seed=wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="a log or a seed"):
        released(seed=7, log=released().log)


# -- what certificates say -------------------------------------------------------------------------------------------


def test_random_sources_name_what_was_drawn() -> None:
    def sources(key: str, **options: object) -> list[str]:
        return released(key, **options).certificate["random_sources"]

    equal = "operating system: order of the records with equal quasi-identifiers"
    assert equal in sources("sorted-groups")
    assert sources("mondrian") == []  # whole combinations alone are divided
    assert sources("optimal-lattice", output=Output(row_order="shuffled")) == ["operating system: order of rows"]
    assert sources("buckets") == [
        "operating system: numbers of buckets",
        "operating system: who of a value is in which bucket",
    ]
    assert sources("freeform-greedy")[0].startswith("operating system: which of the records that fit a row")


def test_a_key_used_again_is_named() -> None:
    first = released()
    assert "redrawn" not in first.certificate
    assert released(log=first.log).certificate["redrawn"] == "from the log of an earlier release of the same table"


def test_drawing_apart_from_a_known_release_is_warned_of(tmp_path: Path) -> None:
    assert anew(released(out=tmp_path / "release")) == []
    (warning,) = anew(released(out=tmp_path / "release", force=True))
    assert "lies in the folder" in warning.says
    assert anew(released(out=tmp_path / "release", force=True, log=tmp_path / "release-custodian")) == []
    (warning,) = anew(released(earlier_releases=["May"]))
    assert "are named" in warning.says
    assert anew(released("optimal-lattice", earlier_releases=["May"])) == []  # draws nothing
    assert anew(released(earlier_releases=["May"], seed=1)) == []


# -- further rows --------------------------------------------------------------------------------------------------


def test_further_rows_are_published_the_same_under_the_log_beside_the_recoding(tmp_path: Path) -> None:
    released(out=tmp_path / "release")
    recoding, new = tmp_path / "release-custodian" / "recoding.json", people().with_columns(disease=pl.lit("z"))
    first = ny.apply(recoding, new)
    again = ny.apply(recoding, new.reverse())
    assert again.reverse().equals(first)
    alone = ny.Recoding.load(recoding)
    assert any(not ny.apply(alone, new).equals(first) for _ in range(5))
    assert ny.apply(alone, new, log=recoding.parent).equals(first)
