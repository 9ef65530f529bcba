"""A sample of the faults of ``make hostile``: after any of them there is a whole old state or a whole new one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.databases import SERVER
from hostile.faults import FAR, MODES, Point, compile_shim, run_faults
from postgres import Server, running_server

#: Whether all faults are tried, by ``make hostile``, or some of each kind.
ALL = os.environ.get("NYMITY_HOSTILE") == "all"


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiled = compile_shim(tmp_path_factory.mktemp("shim"))
    if compiled is None:
        pytest.skip("no C compiler on Linux: faults of system calls are not tried")
    return compiled


@pytest.fixture(scope="module")
def points(shim: Path) -> list[Point]:
    """Each fault of the commit alone, in one process."""
    return run_faults(["commit"], MODES, shim=shim, sample=None if ALL else 12)


@pytest.mark.parametrize("mode", MODES)
def test_commits_are_whole_under_every_fault(points: list[Point], mode: str) -> None:
    tried = [point for point in points if point.mode == mode]
    assert len(tried) >= 12
    assert [point for point in tried if point.wrong] == []
    assert {point.state for point in tried} == ({"new"} if mode == "EINTR" else {"old", "new"})


@pytest.mark.parametrize("scenario", ["finish", "undo"])
def test_dying_again_while_finishing_or_undoing_does_no_harm(shim: Path, scenario: str) -> None:
    tried = run_faults([scenario], ["crash"], shim=shim, sample=None if ALL else 6)
    assert [point for point in tried if point.wrong] == []


#: Whole publishes, and of ``make test`` the modes each is tried in.
WHOLE = {
    "publish again": MODES,
    "publish": ("crash", "ENOSPC"),
    "publish far": ("crash", "ENOSPC"),
    "publish buckets": ("crash", "ENOSPC"),
    "publish privately": ("crash", "ENOSPC"),
    "publish pseudonyms": ("crash", "ENOSPC"),
    "identify": ("crash", "ENOSPC"),
    "forget": ("crash", "ENOSPC"),
    **({"publish a third time": MODES} if ALL else {}),
}
#: With how many faults of each mode a whole publish is tried in ``make test``.
SAMPLE = 3


def without_far() -> bool:
    return not Path(FAR).is_dir() or _same_system(FAR, tempfile.gettempdir())


@pytest.fixture(scope="module")
def whole(shim: Path) -> list[Point]:
    """All scenarios tried in as few processes as there are sets of modes, or in one each by ``make hostile``."""
    here = [scenario for scenario in WHOLE if scenario != "publish far" or not without_far()]
    if ALL:
        return [point for scenario in here for point in run_faults([scenario], MODES, shim=shim)]
    alike: dict[tuple[str, ...], list[str]] = {}
    for scenario in here:
        alike.setdefault(tuple(WHOLE[scenario]), []).append(scenario)
    return [point for modes, names in alike.items() for point in run_faults(names, modes, shim=shim, sample=SAMPLE)]


@pytest.mark.parametrize("scenario", WHOLE)
def test_whole_publishes_are_whole_under_every_fault(whole: list[Point], scenario: str) -> None:
    """Release and custodian's log, with an earlier one that is kept, two tables, a ledger, and the end of custody."""
    if scenario == "publish far" and without_far():
        pytest.skip(f"{FAR} is no other file system: commits over two are not tried")
    tried = [point for point in whole if point.scenario == scenario]
    assert len(tried) >= 2 * SAMPLE
    assert [point for point in tried if point.wrong] == []
    if ALL:
        assert {point.state for point in tried} == {"old", "new"}


@pytest.mark.parametrize("kind", ["sqlite", "duckdb", "postgresql"])
def test_releases_in_databases_are_whole_under_every_fault(
    shim: Path, kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Table, certificate and log belong together after the next run, wherever the first one died."""
    if kind == "postgresql":
        monkeypatch.setenv(SERVER, request.getfixturevalue("server").url())
    modes = ("crash", "ENOSPC", "EIO") if ALL else ("crash",)
    tried = run_faults([f"publish to {kind}"], modes, shim=shim, sample=None if ALL else 6)
    assert len(tried) >= 6
    assert [point for point in tried if point.wrong] == []
    if ALL:
        assert {point.state for point in tried} == {"old", "new"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


def _same_system(one: str, other: str) -> bool:
    return Path(one).stat().st_dev == Path(other).stat().st_dev
