"""Names of columns that no certificate can hold are refused before anything is searched for."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import JobError
from nymity.core.progress import Progress
from nymity.publishing import starter_job


def table(letters: int) -> pl.DataFrame:
    return pl.DataFrame({"x" * letters: [20, 30] * 20, "sex": list("mmff") * 10, "ill": list("abcd") * 10})


def test_the_longest_name_is_published_and_read_back(tmp_path: Path) -> None:
    roles = {"x" * 1000: "quasi", "sex": "quasi", "ill": "insensitive"}
    ny.publish(table(1000), roles, k=5).save(tmp_path / "release")
    assert ny.open(tmp_path / "release").table.columns[0] == "x" * 1000


@pytest.mark.parametrize("role", ["quasi", "identifying"])
def test_a_longer_one_is_refused_before_the_search(role: str) -> None:
    stages: list[str] = []

    def observe(progress: Progress) -> None:
        stages.append(progress.stage)

    roles = {"x" * 1001: role, "sex": "quasi", "ill": "insensitive"}
    with pytest.raises(JobError, match=r"at most 1,000 letters, got 'x+' and 961"):
        ny.publish(table(1001), roles, k=5, observe=observe)
    assert not stages


def test_no_job_is_begun_with_it() -> None:
    with pytest.raises(JobError, match="at most 1,000 letters"):
        starter_job(ny.inspect(table(1001)), "t.csv")
