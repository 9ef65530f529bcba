"""A column without a name, as frames and Parquet files have them, goes through everything that others go through."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny


def people(seed: int, records: int = 600) -> pl.DataFrame:
    draw = random.Random(seed)
    return pl.DataFrame(
        {
            "": [draw.randrange(20, 80) for _ in range(records)],
            "sex": [draw.choice("mf") for _ in range(records)],
            "zip": [draw.choice(["50667", "51103", "53111"]) for _ in range(records)],
            "ill": [draw.choice(["flu", "hiv", "cold"]) for _ in range(records)],
        }
    )


TABLE = people(1)
QUASI = {"": "quasi", "sex": "quasi", "zip": "quasi", "ill": "sensitive"}
SENSITIVE = {"": "sensitive", "sex": "quasi", "zip": "quasi", "ill": "quasi"}


@pytest.mark.parametrize("roles", [QUASI, SENSITIVE], ids=["quasi", "sensitive"])
@pytest.mark.parametrize(
    "options",
    [
        {"k": 5},
        {"k": 5, "method": ny.Mondrian()},
    ],
    ids=["levels", "mondrian"],
)
def test_it_is_published_checked_compared_attacked_and_applied(
    roles: dict[str, str], options: dict[str, Any], tmp_path: Path
) -> None:
    release = ny.publish(TABLE, roles, output=ny.Output(format="parquet"), **options)
    release.save(tmp_path / "release")
    opened = ny.open(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds
    assert opened.table.columns == TABLE.columns
    assert ny.compare(TABLE, release)
    assert ny.risk.changed_columns(TABLE, opened) is not None
    assert ny.risk.attack(release, TABLE)
    applied = ny.apply(release, people(9, 50))
    assert applied.columns == TABLE.columns


def test_it_is_explored_inspected_and_measured() -> None:
    assert ny.explore(TABLE, QUASI, k=5)
    assert [column.name for column in ny.inspect(TABLE).columns] == TABLE.columns
    assert ny.risk.measure_risk(TABLE, ["", "sex", "zip"])


def test_a_database_that_has_no_such_names_says_what_to_do(tmp_path: Path) -> None:
    output = ny.DatabaseOutput(url=f"sqlite:///{tmp_path / 'r.db'}", table="t", mode="create")
    people = pl.DataFrame({"age": [1, 1], "": ["x", "y"]})
    with pytest.raises(ny.NymityError, match="name the column in the source"):
        ny.publish(people, {"age": "quasi", "": "insensitive"}, k=2, output=output, out=tmp_path / "release")
