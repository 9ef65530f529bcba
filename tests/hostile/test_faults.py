"""A sample of the faults of ``make hostile``: after any of them there is a whole old state or a whole new one."""

from __future__ import annotations

import os

import pytest

from hostile.faults import MODES, compile_shim, run_faults

#: Faults tried of each kind; all of them by ``make hostile``.
SAMPLE = None if os.environ.get("NYMITY_HOSTILE") == "all" else 30


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    compiled = compile_shim(tmp_path_factory.mktemp("shim"))
    if compiled is None:
        pytest.skip("no C compiler on Linux: faults of system calls are not tried")
    return compiled


@pytest.mark.parametrize("mode", MODES)
def test_commits_are_whole_under_every_fault(shim, mode):
    points = run_faults("commit", mode, shim=shim, sample=SAMPLE)
    assert len(points) >= 20
    assert [point for point in points if point.wrong] == []
    assert {point.state for point in points} == ({"new"} if mode == "EINTR" else {"old", "new"})


@pytest.mark.parametrize("scenario", ["finish", "undo"])
def test_dying_again_while_finishing_or_undoing_does_no_harm(shim, scenario):
    points = run_faults(scenario, "crash", shim=shim, sample=SAMPLE and SAMPLE // 2)
    assert [point for point in points if point.wrong] == []
