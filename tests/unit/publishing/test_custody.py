"""Custody: releases are replaced only when asked to, their logs stay and are found again, and it can be ended."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from kinds import KINDS, kind
from samples import K2, folder_content, people, people_schema, released, simple

import nymity as ny
from nymity.core.commit import committing
from nymity.core.disk import JOURNAL_NAME
from nymity.core.errors import FileError, ParameterError
from nymity.publishing.custodian.custody import Custody, make_way
from nymity.publishing.releases import release as release_module
from nymity.publishing.sealing.signing import new_key


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def other(**options: Any) -> ny.Release:
    """A release of other people, which cannot be mistaken for the sample's."""
    return simple({"q": ["a", "a", "b", "b"], "v": [1, 2, 3, 4]}, **options)


def nothing_is_done(_: Any) -> bool:
    raise AssertionError("work was begun")


# -- a release is not overwritten silently -----------------------------------------------------------------------


@pytest.mark.parametrize("there", ["release/certificate.json", "release/release.csv", "release-custodian/log.json"])
def test_whatever_would_be_replaced_stops_a_release_before_any_work(there: str, tmp_path: Path) -> None:
    place = tmp_path / there
    place.parent.mkdir()
    place.write_text("mine")
    with pytest.raises(FileError, match=r"expected no release in this place yet.*--force") as refused:
        other(out=tmp_path / "release", observe=nothing_is_done)
    assert refused.value.where == str(place)
    with pytest.raises(FileError, match="expected no release in this place yet"):
        other().save(tmp_path / "release")
    assert everything(tmp_path) == {there: b"mine"}
    other(out=tmp_path / "release", force=True)
    assert Custody(tmp_path / "release-custodian").log_of(tmp_path / "release" / "release.csv").number is None


def test_the_second_table_is_spared_too(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "release-sensitive.csv").write_text("mine")
    with pytest.raises(FileError, match="a file of this name"):
        kind("buckets").release.save(tmp_path / "r")
    other().save(tmp_path / "r")  # publishes no second table
    assert (tmp_path / "r" / "release-sensitive.csv").read_text() == "mine"


def test_a_file_that_is_drawn_beside_replaces_no_other(tmp_path: Path) -> None:
    def beside(folder: Path, _: Any) -> list[str]:
        (folder / "page.html").write_text("new")
        return ["page.html"]

    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "page.html").write_text("mine")
    with pytest.raises(FileError, match="a file of this name"):
        other().save(tmp_path / "r", further_files=beside)
    assert everything(tmp_path) == {"r/page.html": b"mine"}


def test_a_private_run_is_refused_before_it_spends(tmp_path: Path) -> None:
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    ledger.open(epsilon=10, delta=1e-2)
    job = kind("sampled").release.job
    frame = pl.DataFrame({"name": ["n"] * 40, "age": [1] * 40, "sex": ["m"] * 40})
    asked = {"privacy": job.privacy, "method": job.method, "ledger": ledger, "out": tmp_path / "r"}
    ny.publish(frame, job.schema, **asked)
    assert ledger.spending().releases == 1
    with pytest.raises(FileError, match="expected no release in this place yet"):
        ny.publish(frame, job.schema, **asked)
    assert ledger.spending().releases == 1


def test_who_was_faster_is_spared_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run publishes between the first look and the lock."""
    faster, slower, before = released(), other(), {}

    def look(*_: Any, **__: Any) -> None:
        monkeypatch.undo()
        faster.save(tmp_path / "r")
        before.update(everything(tmp_path))

    monkeypatch.setattr(release_module, "make_way", look)
    with pytest.raises(FileError, match="expected no release in this place yet"):
        slower.save(tmp_path / "r")
    assert before
    assert everything(tmp_path) == before


def test_what_a_dead_run_left_is_settled_before_looking(tmp_path: Path) -> None:
    other(out=tmp_path / "r")
    before = everything(tmp_path)
    for place in ("r", "r-custodian"):
        (tmp_path / place / ".nymity-stage-dead").mkdir()
        (tmp_path / place / ".nymity-stage-dead" / "release.csv").write_text("half of it")
        (tmp_path / place / ".nymity-lock").touch()
    with pytest.raises(FileError, match="expected no release in this place yet"):
        released(out=tmp_path / "r", observe=nothing_is_done)
    assert everything(tmp_path) == before


def test_a_reader_refuses_what_is_in_between_before_it_misses_anything(tmp_path: Path) -> None:
    other(out=tmp_path / "r")
    (tmp_path / "r" / JOURNAL_NAME).write_text("{}")
    (tmp_path / "r" / "certificate.json").unlink()
    with pytest.raises(FileError, match="before all of them were exchanged"):
        ny.check(tmp_path / "r" / "release.csv", certificate=tmp_path / "r" / "certificate.json")


def test_a_run_under_way_stops_another_before_its_work(tmp_path: Path) -> None:
    with committing(tmp_path / "r-custodian", tmp_path / "r"), pytest.raises(FileError, match="under way"):
        released(out=tmp_path / "r", observe=nothing_is_done)


# -- logs of replaced releases -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_the_log_of_a_replaced_release_is_found_by_a_delivered_file(name: str, tmp_path: Path) -> None:
    release, out = kind(name).release, tmp_path / "r"
    release.save(out)
    suffix = release.job.output.format
    shutil.copy(out / f"release.{suffix}", tmp_path / f"delivered-in-may.{suffix}")
    log = folder_content(tmp_path / "r-custodian")
    certificate = (out / "certificate.json").read_bytes()
    other().save(out, force=True)
    simple({"q": ["x", "x"], "v": [1, 2]}).save(out, force=True)
    custody = Custody(tmp_path / "r-custodian")
    assert [one.number for one in custody.logs] == [None, 2, 1]
    found = custody.log_of(tmp_path / f"delivered-in-may.{suffix}")
    assert found.number == 1
    assert found.folder == tmp_path / "r-custodian" / "earlier" / "0001"
    assert folder_content(found.folder) == {**log, "certificate.json": certificate}
    assert custody.log_of(out / "release.csv").number is None
    assert ny.Recoding.load(found.recoding).to_dict() == release.recoding.to_dict()
    for place in (found.folder, found.folder.parent):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in found.folder.iterdir()} == {0o600}


def test_the_second_table_of_buckets_leads_to_the_log_too(tmp_path: Path) -> None:
    kind("buckets").release.save(tmp_path / "r")
    shutil.copy(tmp_path / "r" / "release-sensitive.csv", tmp_path / "second.csv")
    other().save(tmp_path / "r", force=True)
    assert Custody(tmp_path / "r-custodian").log_of(tmp_path / "second.csv").number == 1
    assert not (tmp_path / "r" / "release-sensitive.csv").exists()


@pytest.mark.parametrize("suffix", ["parquet", "tsv", "csv.gz"])
def test_the_content_counts_and_not_the_format(suffix: str, tmp_path: Path) -> None:
    first = released(out=tmp_path / "r")
    ny.write_table(first.frame, tmp_path / f"saved-again.{suffix}")
    other(out=tmp_path / "r", force=True)
    custody = Custody(tmp_path / "r-custodian")
    assert custody.log_of(tmp_path / f"saved-again.{suffix}").number == 1
    assert custody.log_of(first.frame).number == 1


def test_a_file_of_no_release_is_refused_with_what_there_is(tmp_path: Path) -> None:
    released(out=tmp_path / "r")
    other(out=tmp_path / "r", force=True)
    people().write_csv(tmp_path / "source.csv")
    custody = Custody(tmp_path / "r-custodian")
    with pytest.raises(FileError) as refused:
        custody.log_of(tmp_path / "source.csv")
    for log in custody.logs:
        assert str(log.folder) in refused.value.got
        assert log.released[0]["content_sha256"][:12] in refused.value.got
    with pytest.raises(FileError, match="no such file"):
        custody.log_of(tmp_path / "none.csv")
    with pytest.raises(FileError, match=r"no log\.json"):
        Custody(tmp_path / "r").log_of()


def test_logs_without_hashes_are_known_by_the_certificate_kept_with_them(tmp_path: Path) -> None:
    first = released(out=tmp_path / "r")
    log = tmp_path / "r-custodian" / "log.json"
    told = json.loads(log.read_text())
    del told["released"]
    log.write_text(json.dumps(told))
    assert Custody(log.parent).log_of(first.frame).number is None
    other(out=tmp_path / "r", force=True)
    assert Custody(tmp_path / "r-custodian").log_of(first.frame).number == 1


def test_a_damaged_log_is_kept_too(tmp_path: Path) -> None:
    released(out=tmp_path / "r")
    (tmp_path / "r-custodian" / "log.json").write_text("{")
    other(out=tmp_path / "r", force=True)
    assert (tmp_path / "r-custodian" / "earlier" / "0001" / "log.json").read_text() == "{"


def test_a_failed_replacement_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    released(out=tmp_path / "r")
    before, release = everything(tmp_path), other()

    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ny.Recoding, "save_with_values", fails)
    with pytest.raises(FileError):
        release.save(tmp_path / "r", force=True)
    assert everything(tmp_path) == before
    assert not (tmp_path / "r-custodian" / "earlier").exists()


def test_new_rows_are_published_as_in_a_replaced_release(tmp_path: Path) -> None:
    schema = people_schema(zip=ny.quasi())
    job = {"privacy": K2, "method": ny.SortedGroups(), "output": ny.Output(row_order="shuffled")}
    first = ny.publish(people(), schema, **job, out=tmp_path / "r")
    custodian = tmp_path / "r-custodian"
    wanted = ny.apply(custodian / "recoding.json", people())
    assert ny.apply(custodian, people()).equals(wanted)
    ny.publish(people(), schema, privacy=ny.KAnonymity(k=5), method=ny.SortedGroups(), out=tmp_path / "r", force=True)
    assert not ny.apply(custodian, people()).equals(wanted)
    assert ny.apply(custodian, people(), delivered=first.frame).equals(wanted)
    with pytest.raises(ParameterError, match="a custodian's folder to look in"):
        ny.apply(custodian / "recoding.json", people(), delivered=first.frame)
    log = Custody(custodian).log_of(first.frame).folder
    again = ny.publish(people(), schema, **job, log=log)
    assert again.frame.equals(first.frame)
    assert again.certificate["redrawn"]


def test_a_replaced_release_can_still_be_intersected(tmp_path: Path) -> None:
    released(out=tmp_path / "r")
    shutil.copytree(tmp_path / "r", tmp_path / "delivered")
    other(out=tmp_path / "r", force=True)
    earlier = ny.EarlierRelease(release=tmp_path / "delivered", custodian=tmp_path / "r-custodian")
    (entry,) = released(earlier_releases=[earlier]).certificate["earlier_releases"]
    assert entry["smallest_group"] is not None


# -- the end of custody ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_nothing_that_links_or_tells_is_left(name: str, tmp_path: Path) -> None:
    """Not a row mapping, a key, a salt or a raw value, of the release and of those it replaced."""
    release, out, custodian = kind(name).release, tmp_path / "r", tmp_path / "r-custodian"
    release.save(out)
    other().save(out, force=True)
    release.save(out, force=True)
    for page in ("report.html", "board.html", "findings.json"):
        (custodian / page).write_text("figures of the original")
    (custodian / "notes.txt").write_text("of the custodian")
    published = everything(out)
    found = ny.forget(out)
    assert sorted(everything(custodian)) == [
        *(f"earlier/000{number}/{file}" for number in (1, 2) for file in ("certificate.json", "log.json")),
        "log.json",
        "notes.txt",
    ]
    assert found.unknown == (custodian / "notes.txt",)
    left = b"".join(everything(custodian).values())
    for secret in (release.log.salt, release.log.draw_key, "draw_key", "seconds"):
        assert secret is None or secret.encode() not in left
    assert everything(out) == published
    assert {path.name for path in found.removed} >= {"mapping.parquet", "recoding.json", "report.html", "log.json"}
    checked = kind(name).check(out / "certificate.json")
    assert checked.answer == kind(name).answer
    assert len(found.lost) == 5
    assert "backups" in found.not_promised


def test_afterwards_everything_says_when_custody_ended(tmp_path: Path) -> None:
    first = released(out=tmp_path / "r")
    ended = ny.forget(tmp_path / "r").ended
    custodian = tmp_path / "r-custodian"
    for use in (
        lambda: ny.apply(custodian, people()),
        lambda: ny.apply(custodian / "recoding.json", people()),
        lambda: released(log=custodian),
        lambda: released(earlier_releases=[tmp_path / "r"]),
        lambda: ny.compare(
            people(), ny.open(first.frame, schema=people_schema(), recoding=custodian / "recoding.json")
        ),
        lambda: ny.risk.attack(ny.open(first.frame, schema=people_schema(), recoding=custodian / "recoding.json")),
        lambda: ny.utility.learn(
            people(),
            ny.open(first.frame, schema=people_schema(), links=custodian / "mapping.parquet"),
            target="disease",
        ),
        lambda: Custody(custodian).log_of(tmp_path / "r" / "release.csv"),
    ):
        with pytest.raises(FileError, match=f"custody of this release was ended on {ended}"):
            use()


def test_custody_ends_once(tmp_path: Path) -> None:
    released(out=tmp_path / "r")
    first = ny.forget(tmp_path / "r")
    before = everything(tmp_path)
    again = ny.forget(tmp_path / "r-custodian")
    assert again.removed == ()
    assert again.ended == first.ended
    assert everything(tmp_path) == before
    released(out=tmp_path / "r", force=True)  # a new release has a log of its own
    logs = Custody(tmp_path / "r-custodian").logs
    assert [(log.number, log.ended) for log in logs] == [(None, None), (1, first.ended)]


def test_a_report_beside_the_release_goes_if_it_tells_of_the_original(tmp_path: Path) -> None:
    released(out=tmp_path / "r")
    (tmp_path / "r" / "report.html").write_text("<p>nymity · report for the data custodian</p>")
    ny.forget(tmp_path / "r")
    assert sorted(folder_content(tmp_path / "r")) == ["certificate.json", "release.csv"]
    other(out=tmp_path / "s")
    (tmp_path / "s" / "report.html").write_text("<p>made from what is public</p>")
    ny.forget(tmp_path / "s")
    assert sorted(folder_content(tmp_path / "s")) == ["certificate.json", "release.csv", "report.html"]


def test_keys_that_sign_and_ledgers_stay(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    new_key(tmp_path / "keys" / "ours")
    released(out=tmp_path / "r", sign=tmp_path / "keys" / "ours")
    before = folder_content(tmp_path / "keys")
    ny.forget(tmp_path / "r", custodian=tmp_path / "r-custodian")
    assert folder_content(tmp_path / "keys") == before
    assert (tmp_path / "r" / "certificate.json.sig").exists()
    checked = ny.check(
        tmp_path / "r/release.csv", certificate=tmp_path / "r/certificate.json", key=tmp_path / "keys/ours.pub"
    )
    assert checked.holds


def test_what_cannot_be_forgotten(tmp_path: Path) -> None:
    for wrong in (tmp_path / "none", tmp_path):
        with pytest.raises(FileError):
            ny.forget(wrong)
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="got a file"):
        ny.forget(tmp_path / "file")


# -- full disks --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("form", ["csv", "csv.gz", "tsv", "parquet", "xlsx"])
def test_a_full_disk_names_the_users_own_path(form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is written to a device that is always full, as each package that writes one meets it."""
    monkeypatch.setattr("nymity.core.commit.spare_devices", lambda *_: None)
    release = other(output=ny.Output(format=form))
    real = os.mkdir

    def mkdir(path: Any, *rest: Any, **options: Any) -> None:
        real(path, *rest, **options)
        if ".nymity-" in Path(path).name:
            (Path(path) / f"release.{form}").symlink_to("/dev/full")

    monkeypatch.setattr(os, "mkdir", mkdir)
    with pytest.raises(FileError) as refused:
        release.save(tmp_path / "r")
    assert ".nymity-" not in str(refused.value)
    assert refused.value.where == str(tmp_path / "r" / f"release.{form}")
    assert "full disk" in refused.value.got


def test_make_way_takes_what_is_free(tmp_path: Path) -> None:
    make_way(other().job, tmp_path / "r", tmp_path / "c")
    assert list(tmp_path.iterdir()) == []
