"""Numbers with fractions, some of them whole: a file has 2.0 for what is known as 2, and a text 2.0 stays one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny

NUMBERS = [1.5, 2.0, 2.5, 2.0] * 6


@pytest.mark.parametrize("cells", [NUMBERS, [str(number) for number in NUMBERS]], ids=["numbers", "texts"])
@pytest.mark.parametrize("custodian", [True, False], ids=["with custodian", "alone"])
@pytest.mark.parametrize("role", [ny.quasi, ny.sensitive])
def test_a_saved_release_is_compared_and_attacked_as_it_is_in_memory(
    role: Any, custodian: bool, cells: list[Any], tmp_path: Path
) -> None:
    frame = pl.DataFrame({"age": [20, 30, 40] * 8, "dose": cells, "ill": ["flu", "cold", "gout", "flu"] * 6})
    schema = ny.Schema({"age": ny.quasi(), "dose": role(), "ill": ny.sensitive()})
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=2), out=tmp_path / "release")
    assert release.levels["age"] == 0
    assert ",2.0," in (tmp_path / "release/release.csv").read_text(encoding="utf-8")
    if custodian:
        opened = ny.open(tmp_path / "release")
    else:
        opened = ny.open(release.frame.write_csv(tmp_path / "t.csv") or tmp_path / "t.csv", schema=schema)
    compared = (ny.compare(frame, one, measures=["loss", "entropy"]).measured for one in (release, opened))
    in_memory, saved = ([(one.name, one.value) for one in each] for each in compared)
    assert len(saved) == 2
    assert saved == in_memory
    attacks = ["linkage", "homogeneity"]
    attacked = (ny.risk.attack(one, frame, attacks=attacks, targets=24).results for one in (release, opened))
    in_memory, saved = ([(one.key, one.attribute, one.rate) for one in each] for each in attacked)
    assert len(saved) > 1
    assert saved == in_memory
    if custodian and role is ny.quasi:
        assert ny.utility.count(opened, {"dose": cells[1]}) == ny.utility.count(release, {"dose": cells[1]})
