"""check with a job: the heights that a certificate gives are those of the hierarchies the job lists."""

from __future__ import annotations

import copy

import pytest

import nymity as ny

FRAME = {"age": ["1", "2", "3", "4"] * 2, "sex": ["f", "m"] * 4}
LISTED = ny.Hierarchy.from_rows([[v, "low" if v < "3" else "high", "*"] for v in "1234"])
TREE = ny.Hierarchy.taxonomy({"low": ["1", "2"], "high": ["3", "4"]})


@pytest.mark.parametrize("hierarchy", [LISTED, TREE], ids=["rows", "taxonomy"])
@pytest.mark.parametrize("column", [0, 1])
def test_a_forged_height_is_noticed(hierarchy: ny.Hierarchy, column: int) -> None:
    schema = ny.Schema({"age": ny.quasi(hierarchy), "sex": ny.quasi()})
    release = ny.publish(FRAME, schema, privacy=ny.KAnonymity(k=2))
    assert ny.check(release.table, certificate=release.certificate, job=release.job).holds
    forged = copy.deepcopy(release.certificate)
    forged["columns"][column]["height"] += 1
    problems = ny.check(release.table, certificate=forged, job=release.job).problems
    assert any("in the job, and" in problem for problem in problems)
