"""Where nobody names a method, no search is begun that cannot end, and what is recommended can be run."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import InputError
from nymity.core.progress import Progress
from nymity.lattice.default import default_search, rounded
from nymity.lattice.space import LARGE
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.json_schema import job_schema
from nymity.publishing.preparing.inspect import inspect, starter_job

K = ny.KAnonymity(k=3)


def wide(columns: int = 59, rows: int = 60) -> tuple[pl.DataFrame, ny.Schema]:
    draw = np.random.default_rng(1)
    frame = pl.DataFrame({f"q{i}": draw.integers(0, 3, rows) for i in range(columns)})
    return frame, ny.Schema({name: ny.quasi() for name in frame.columns})


@pytest.fixture
def _briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.lattice.default.DEFAULT_SECONDS", 0.5)


def test_the_rule() -> None:
    assert default_search(LARGE) == ny.OptimalLattice(suppression=0.05)
    assert default_search(LARGE + 1) == ny.AnytimeLattice(suppression=0.05, seconds=60)
    assert default_search(10**4000).key == "anytime-lattice"
    assert [rounded(n) for n in (7, 123_456, 1_234_567, 10**4000)] == ["7", "123,456", "1.2e+6", "1.0e+4000"]


@pytest.mark.usefixtures("_briefly")
def test_59_columns_end_and_say_how() -> None:
    frame, schema = wide()
    stages: list[str] = []

    def observe(progress: Progress) -> None:
        stages.append(progress.stage)

    start = time.monotonic()
    release = ny.publish(frame, schema, privacy=K, observe=observe)
    assert time.monotonic() - start < 60
    assert release.job.method == ny.AnytimeLattice(suppression=0.05, seconds=0.5)
    assert release.certificate["job"]["method"]["name"] == "anytime-lattice"
    assert "no method is named: anytime-lattice stops after 0.5 seconds" in " ".join(stages)
    assert ny.check(release.frame, certificate=release.certificate).holds
    assert ny.check(release.frame, job=Job(schema=schema, privacy=(K,))).holds


def test_a_small_lattice_is_searched_to_the_end() -> None:
    frame, schema = wide(4)
    release = ny.publish(frame, schema, privacy=K)
    assert release.job.method == ny.OptimalLattice(suppression=0.05)
    assert release.outcome.optimal


def test_a_job_file_without_a_method(tmp_path: Path) -> None:
    frame, schema = wide(4)
    frame.write_csv(tmp_path / "t.csv")
    data = {
        "source": "t.csv",
        "schema": {name: {"role": "quasi"} for name in schema},
        "privacy": [{"model": "k-anonymity", "k": 3}],
    }
    (tmp_path / "job.json").write_text(json.dumps(data))
    job = Job.load(tmp_path / "job.json")
    assert job.method is None
    assert "method" not in job.to_dict()
    assert Job.from_dict(job.to_dict()) == job
    assert "method" not in job_schema()["required"]
    release = ny.publish(job)
    assert release.certificate["job"]["method"] == {"name": "optimal-lattice", "suppression": 0.05}


def test_a_promise_of_differential_privacy_still_needs_its_method() -> None:
    _, schema = wide(4)
    with pytest.raises(InputError, match="which keep the promise, got none"):
        Job(schema=schema, privacy=(ny.DifferentialPrivacy(epsilon=1.0, public_records=1_000),))


def test_explore_without_a_method() -> None:
    frame, schema = wide(3)
    assert len(ny.explore(frame, schema, privacy=K).loss) == 8


def test_the_starter_follows_the_same_rule() -> None:
    for columns, name in ((4, "optimal-lattice"), (59, "mondrian")):
        frame, _ = wide(columns)
        named = frame.rename({f"q{i}": f"region{i}" for i in range(columns)})
        text = starter_job(inspect(named), "t.csv")
        assert f'name = "{name}"' in text


@pytest.mark.parametrize("method", [ny.Samarati(), ny.OLA(), ny.MinGen()])
def test_what_is_too_large_recommends_a_search_that_ends(method: ny.Samarati) -> None:
    frame, schema = wide()
    with pytest.raises(InputError, match="anytime-lattice") as refused:
        ny.publish(frame, schema, privacy=K, method=method)
    assert "optimal-lattice'" not in (refused.value.hint or "")


@pytest.mark.parametrize("method", [ny.Samarati(), ny.OLA()])
def test_what_a_method_cannot_do_recommends_a_search_that_ends(method: ny.Samarati) -> None:
    frame, schema = wide()
    frame = frame.with_columns(s=pl.Series(["x", "y"] * 30))
    schema = ny.Schema({**dict(schema.items()), "s": ny.sensitive()})
    model = ny.TCloseness(t=0.5, attribute="s")
    with pytest.raises(InputError, match="anytime-lattice"):
        ny.publish(frame, schema, privacy=(K, model), method=method)


def test_as_many_columns_as_arrays_have_no_dimensions_for() -> None:
    """100 columns, all but two fixed: a small lattice in many dimensions."""
    frame, _ = wide(100)
    bound = {name: ny.quasi(min_level=1) for name in frame.columns[2:]}
    schema = ny.Schema({**{name: ny.quasi() for name in frame.columns[:2]}, **bound})
    for method in (ny.MinGen(), ny.OptimalLattice(), ny.Datafly(), ny.AnytimeLattice(checks=9)):
        assert ny.publish(frame, schema, privacy=K, method=method).outcome.levels["q99"] == 1
    for method in (ny.Samarati(), ny.OLA()):
        with pytest.raises(
            InputError, match=r"at most 64 quasi-identifiers .* got 100\. Try: the method 'optimal-lattice'"
        ):
            ny.publish(frame, schema, privacy=K, method=method)
