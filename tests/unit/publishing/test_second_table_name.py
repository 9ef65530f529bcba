"""The second table lies beside the first: a certificate cannot point to a file anywhere else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import InputError

SCHEMA = ny.Schema({"age": ny.quasi(), "disease": ny.sensitive()})
SOURCE = pl.DataFrame({"age": [30, 31, 32, 33], "disease": ["flu", "cold", "hiv", "gout"]})


@pytest.fixture
def written(tmp_path: Path) -> Path:
    promise = ny.FrequencyLDiversity(l=2, attribute="disease")
    ny.publish(SOURCE, SCHEMA, privacy=promise, method=ny.Buckets(), out=tmp_path / "release")
    return tmp_path / "release"


def pointing_to(written: Path, name: str) -> Path:
    """Return a copy of the certificate that names another second table."""
    stated = json.loads((written / "certificate.json").read_text())
    right = stated["output"]["sensitive_table"]["file"]
    stated["output"]["sensitive_table"]["file"] = name
    for listed in stated.get("files", []):
        if listed["file"] == right:
            listed["file"] = name
    changed = written / "changed.json"
    changed.write_text(json.dumps(stated))
    return changed


def test_the_right_one_holds(written: Path) -> None:
    assert ny.check(written / "release.csv", certificate=written / "certificate.json").holds


@pytest.mark.parametrize("name", ["..\\stolen.csv", "sub\\release-sensitive.csv", "../stolen.csv", "sub/x.csv"])
def test_a_name_with_a_folder_in_it_is_refused(written: Path, name: str) -> None:
    """Also with backslashes, which are folders on Windows, and even where a file of that name is there."""
    target = written / name
    target.parent.mkdir(exist_ok=True)
    shutil.copy(written / "release-sensitive.csv", target)
    with pytest.raises(InputError):
        ny.check(written / "release.csv", certificate=pointing_to(written, name))
