"""A sample of the kills of ``make hostile``: publishes that are stopped at random moments, and several at once."""

from __future__ import annotations

import os
from typing import Any

import pytest

from hostile.kills import run_stops

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="no Linux: publishes are not killed")

ALL = os.environ.get("NYMITY_HOSTILE") == "all"


@pytest.mark.parametrize(
    ("scenario", "some", "all_of_them"),
    [("publish again", 10, 1000), ("forget", 5, 200), *([("publish privately", 0, 100)] if ALL else [])],
)
def test_a_kill_at_any_moment_leaves_a_whole_state(scenario: Any, some: Any, all_of_them: Any) -> None:
    stops = run_stops(scenario, "kill", times=all_of_them if ALL else some)
    assert [stop for stop in stops if stop.wrong] == []
    assert any(stop.ended == "killed" for stop in stops)


def test_a_request_to_end_leaves_nothing_behind() -> None:
    """SIGINT, SIGTERM and SIGHUP end like Ctrl-C, each with a code of its own."""
    stops = run_stops("publish again", "signal", times=400 if ALL else 8)
    assert [stop for stop in stops if stop.wrong] == []
    assert any(stop.ended != "done" for stop in stops)


def test_processes_that_are_started_anew() -> None:
    stops = run_stops("publish again", "cold", times=60 if ALL else 2)
    assert [stop for stop in stops if stop.wrong] == []


def test_several_at_once() -> None:
    stops = run_stops("publish again", "crowd", times=60 if ALL else 3)
    assert [stop for stop in stops if stop.wrong] == []
