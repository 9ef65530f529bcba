"""A sample of the faults of ``make hostile``: after any of them there is a whole old state or a whole new one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from hostile.faults import FAR, MODES, compile_shim, run_faults

#: Whether all faults are tried, by ``make hostile``, or some of each kind.
ALL = os.environ.get("NYMITY_HOSTILE") == "all"


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    compiled = compile_shim(tmp_path_factory.mktemp("shim"))
    if compiled is None:
        pytest.skip("no C compiler on Linux: faults of system calls are not tried")
    return compiled


@pytest.fixture(scope="module")
def points(shim):
    """Each fault of the commit alone, in one process."""
    return run_faults(["commit"], MODES, shim=shim, sample=None if ALL else 12)


@pytest.mark.parametrize("mode", MODES)
def test_commits_are_whole_under_every_fault(points, mode):
    tried = [point for point in points if point.mode == mode]
    assert len(tried) >= 12
    assert [point for point in tried if point.wrong] == []
    assert {point.state for point in tried} == ({"new"} if mode == "EINTR" else {"old", "new"})


@pytest.mark.parametrize("scenario", ["finish", "undo"])
def test_dying_again_while_finishing_or_undoing_does_no_harm(shim, scenario):
    tried = run_faults([scenario], ["crash"], shim=shim, sample=None if ALL else 6)
    assert [point for point in tried if point.wrong] == []


#: With how many faults of each mode a whole publish is tried in ``make test``.
SAMPLES = {
    "publish": 3,
    "publish again": 4,
    "publish far": 3,
    "publish buckets": 3,
    "publish privately": 2,
    "forget": 4,
    **({"publish a third time": 0} if ALL else {}),
}


@pytest.mark.parametrize("scenario", SAMPLES)
def test_whole_publishes_are_whole_under_every_fault(shim, scenario):
    """Release and custodian's log, with an earlier one that is kept, two tables, a ledger, and the end of custody."""
    if scenario == "publish far" and (not Path(FAR).is_dir() or _same_system(FAR, tempfile.gettempdir())):
        pytest.skip(f"{FAR} is no other file system: commits over two are not tried")
    modes = MODES if ALL or scenario == "publish again" else ("crash", "ENOSPC")
    tried = run_faults([scenario], modes, shim=shim, sample=None if ALL else SAMPLES[scenario])
    assert len(tried) >= 2 * SAMPLES[scenario]
    assert [point for point in tried if point.wrong] == []
    if ALL:
        assert {point.state for point in tried} == {"old", "new"}


def _same_system(one: str, other: str) -> bool:
    return Path(one).stat().st_dev == Path(other).stat().st_dev
