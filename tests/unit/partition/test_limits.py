"""Searches that end early: at a time limit, which is told, and by Ctrl-C, which leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from nymity.cli.main import app
from nymity.core.errors import Interrupted
from nymity.core.progress import Progress
from nymity.partition import exact, group_means
from nymity.partition.exact import ExactPartition
from nymity.partition.group_means import GroupMeans
from nymity.partition.method import RecordMethod
from nymity.partition.refine import Refine
from nymity.partition.split_carry import SplitCarry
from nymity.privacy import KAnonymity
from nymity.publishing.jobs.registry import METHODS
from nymity.publishing.running.pipeline import publish
from nymity.report.custodian_page import render_report
from nymity.table.attribute import quasi
from nymity.table.schema import Schema

INITIAL = "with the classes of the initial solution"
NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")


def scattered(n: int) -> pl.DataFrame:
    """Records far from each other in eight columns: of these, a proof takes long."""
    return pl.DataFrame(np.random.default_rng(1).integers(0, 10**6, (n, len(NAMES))), schema=NAMES)


SCHEMA = Schema(dict.fromkeys(NAMES, quasi()))


# -- time limits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [ExactPartition(seconds=1e-9), SplitCarry(seconds=1e-9)], ids=lambda m: m.key)
def test_a_time_limit_is_told_in_outcome_certificate_and_report(method: RecordMethod) -> None:
    table = scattered(30)
    with patch.object(exact, "FEW", 0):
        release = publish(table, SCHEMA, privacy=[KAnonymity(k=3)], method=method)
    stopped = release.outcome.stopped
    assert stopped is not None
    assert stopped.endswith(INITIAL)
    assert not release.outcome.optimal
    assert release.certificate["loss"]["stopped"] == stopped
    assert f"The search stopped {stopped}." in render_report(release, table)


def test_without_time_the_classes_are_those_the_search_began_with() -> None:
    table = scattered(40)
    limited = publish(table, SCHEMA, privacy=[KAnonymity(k=5)], method=ExactPartition(seconds=1e-9))
    assert limited.outcome.stopped == f"at the time limit, {INITIAL}"
    assert limited.loss == publish(table, SCHEMA, privacy=[KAnonymity(k=5)], method=Refine()).loss
    assert limited.bound is not None
    assert 0 < limited.bound < limited.loss


def test_a_time_limit_ends_searches_that_would_go_on_for_minutes() -> None:
    began = time.process_time()
    release = publish(scattered(120), SCHEMA, privacy=[KAnonymity(k=10)], method=ExactPartition(seconds=0.1))
    assert time.process_time() - began < 10
    assert release.outcome.stopped is not None
    assert release.outcome.stopped.startswith("at the time limit")


def test_a_chain_ends_in_time_and_says_beforehand_how_long_it_takes() -> None:
    """Hundreds of sub-problems of seconds each: those that are left when the time is over keep what they start from."""
    stages: list[str] = []
    began = time.process_time()
    method = SplitCarry(seconds_in_all=1)
    release = publish(
        scattered(1_500),
        SCHEMA,
        privacy=[KAnonymity(k=5)],
        method=method,
        observe=lambda progress: stages.append(progress.stage),
    )
    assert time.process_time() - began < 30
    assert "solving some 100 sub-problems within about 1 seconds" in stages
    assert stages.index("solving some 100 sub-problems within about 1 seconds") < stages.index("solving sub-problems")
    assert release.outcome.stopped is not None
    assert INITIAL in release.outcome.stopped
    assert release.verification.holds


def test_what_is_proved_was_not_stopped() -> None:
    for method in (ExactPartition(), SplitCarry()):
        release = publish(scattered(12), SCHEMA, privacy=[KAnonymity(k=3)], method=method)
        assert release.outcome.stopped is None
        assert "stopped" not in release.certificate["loss"]


def test_the_command_line_says_so(tmp_path: Path) -> None:
    scattered(40).write_csv(tmp_path / "people.csv")
    job = tmp_path / "job.toml"
    job.write_text(job_text("exact-partition", 5) + "seconds = 1e-9\n", encoding="utf-8")
    shown = CliRunner().invoke(app, ["publish", str(job), "--out", str(tmp_path / "release")], env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    assert f"stopped at the time limit, {INITIAL}; best found" in " ".join(shown.output.split())
    certificate = json.loads((tmp_path / "release/certificate.json").read_text(encoding="utf-8"))
    assert certificate["loss"]["stopped"] == f"at the time limit, {INITIAL}"


def job_text(method: str, k: int) -> str:
    model = "k-matching" if method.startswith("freeform") else "k-anonymity"
    columns = "".join(f'{name} = {{ role = "quasi" }}\n' for name in NAMES)
    privacy = f'[[privacy]]\nmodel = "{model}"\nk = {k}\n'
    return f'source = "people.csv"\n\n[schema]\n{columns}\n{privacy}\n[method]\nname = "{method}"\n'


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------

#: Methods, a stage they spend much time in, and how many records keep them busy there.
LONG = [
    ("exact-partition", "pricing classes", 150),
    ("split-carry", "solving sub-problems", 1_000),
    ("freeform-greedy", "freeform round", 10_000),
    ("freeform-sort-greedy", "freeform round", 10_000),
    ("freeform-hungarian", "freeform round", 2_000),
]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT between processes")
@pytest.mark.parametrize(("method", "stage", "n"), LONG, ids=[method for method, _, _ in LONG])
def test_control_c_ends_a_run_and_leaves_nothing_behind(tmp_path: Path, method: str, stage: str, n: int) -> None:
    scattered(n).write_csv(tmp_path / "people.csv")
    (tmp_path / "job.toml").write_text(job_text(method, 8), encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    code = (
        "from nymity.publishing.jobs.job import Job\n"
        "from nymity.publishing.running.pipeline import publish\n"
        "def observe(progress):\n"
        f"    if progress.stage.startswith({stage!r}): print('busy', flush=True)\n"
        "try:\n"
        "    publish(Job.load('job.toml'), observe=observe).save('release')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "busy\n"
    time.sleep(0.1)  # into the compiled code that follows
    sent = time.monotonic()
    running.send_signal(signal.SIGINT)
    told, errors = running.communicate(timeout=60)
    assert time.monotonic() - sent < 2 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert "interrupted" in told, errors
    assert sorted(tmp_path.iterdir()) == before


def test_every_method_that_searches_long_is_interrupted_here() -> None:
    # interrupted between short calls; the exact form of suppression is where exact-partition is
    quick = {
        "mondrian",
        "sorted-groups",
        "greedy-search",
        "k-member",
        "refine",
        "cell-suppression",
        "generalized-suppression",
    }
    quick |= {"subset-suppression", "wildcard-suppression", "exact-suppression"}
    partitions = {key for key, method in METHODS.items() if method.__module__.startswith("nymity.partition")}
    assert partitions == quick | {"group-means"} | {method for method, _, _ in LONG}


def test_nobody_waits_for_groups_once_the_observer_asks_to_stop() -> None:
    """However long one call into compiled code takes, which is as long as Ctrl-C would wait for it."""
    ended, reports = threading.Event(), 0

    def observe(progress: Progress) -> bool:
        nonlocal reports
        reports += progress.stage == "grouping records"
        return reports < 3  # the first is told before the call

    with patch.object(group_means, "mdav", lambda *_: ended.wait(60)):
        began = time.monotonic()
        with pytest.raises(Interrupted, match="during grouping records"):
            publish(scattered(30), SCHEMA, privacy=[KAnonymity(k=3)], method=GroupMeans(), observe=observe)
        assert time.monotonic() - began < 30
        ended.set()
