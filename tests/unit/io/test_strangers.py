"""What a file holds beside its table is found, however its suffix is written."""

from __future__ import annotations

import zipfile
from pathlib import Path

import polars as pl
import pytest

import nymity as ny
from nymity.publishing.releases.release import Release

PEOPLE = pl.DataFrame({"age": ["31", "31", "42", "42"], "s": list("xyxy")})
SCHEMA = ny.Schema({"age": ny.quasi(), "s": ny.sensitive()})


def released(form: str, folder: Path) -> tuple[Release, Path]:
    release = ny.publish(PEOPLE, SCHEMA, privacy=[ny.KAnonymity(k=2)], output=ny.Output(format=form))
    release.save(folder)
    return release, folder / f"release.{form}"


@pytest.mark.parametrize("suffix", [".xlsx", ".XLSX"])
def test_a_workbook_with_a_comment_does_not_hold(suffix: str, tmp_path: Path) -> None:
    release, path = released("xlsx", tmp_path / "release")
    path = path.rename(path.with_suffix(suffix))
    assert ny.check(path, job=release.job).holds
    with zipfile.ZipFile(path, "a") as workbook:
        workbook.writestr("xl/comments1.xml", "<comments>Ann is 31</comments>")
    found = ny.check(path, job=release.job)
    assert not found.holds
    assert "holds xl/comments1.xml, which no release has" in str(found.problems)


@pytest.mark.parametrize("suffix", [".parquet", ".Parquet"])
def test_a_parquet_file_with_categories_does_not_hold(suffix: str, tmp_path: Path) -> None:
    release, path = released("parquet", tmp_path / "release")
    path = path.rename(path.with_suffix(suffix))
    assert ny.check(path, job=release.job).holds
    kinds = pl.Enum(["31", "42", "Ann is 31"])
    pl.read_parquet(path).with_columns(pl.col("age").cast(kinds)).write_parquet(path)
    found = ny.check(path, job=release.job)
    assert not found.holds
    assert "lists categories of 'age', which no release does" in str(found.problems)
