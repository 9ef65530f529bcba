"""What every registered method has in common: it keeps promises, is part of jobs, and ignores the order of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from conformance import examples
from nymity.core.errors import Interrupted
from nymity.dp.private_method import PrivateMethod
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.registry import METHODS

LOW = ny.Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]])
SCHEMA = ny.Schema({"a": ny.quasi(LOW), "b": ny.quasi(ny.Hierarchy.flat(["x", "y"])), "s": ny.sensitive()})
PRIVATE = [key for key, method in METHODS.items() if issubclass(method, PrivateMethod)]
KEYS = [key for key in METHODS if key in examples.METHODS]


def people(n: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "a": [("1", "2", "3", "4")[i] for i in rng.integers(0, 4, n)],
            "b": [("x", "y")[i] for i in rng.integers(0, 2, n)],
            "s": [("p", "q", "r")[i] for i in rng.integers(0, 3, n)],
        }
    )


def schema_for(key: str) -> ny.Schema:
    """Private methods publish no column as it is."""
    return ny.Schema({**SCHEMA, "s": ny.identifying()}) if key in PRIVATE else SCHEMA


def published(key: str, table: pl.DataFrame, **options: Any) -> ny.Release:
    return ny.publish(table, schema_for(key), privacy=[examples.METHODS[key][1]], method=METHODS[key](), **options)


@pytest.mark.parametrize("key", KEYS)
def test_a_release_keeps_its_promise(key: str) -> None:
    release = published(key, people())
    assert release.verification.holds
    assert release.certificate["job"]["method"]["name"] == key
    assert type(release.recoding) is METHODS[key].makes


@pytest.mark.parametrize("key", KEYS)
def test_a_job_goes_to_a_file_and_back(key: str) -> None:
    parameters, promise = examples.METHODS[key]
    method = METHODS[key](**parameters)
    job = Job(schema=schema_for(key), privacy=(promise,), method=method)
    again = Job.from_dict(job.to_dict())
    assert (again.method, again.privacy) == (method, (promise,))
    assert again.to_dict() == job.to_dict()
    assert job.to_dict()["method"]["name"] == key


@pytest.mark.parametrize("key", [key for key in KEYS if key not in PRIVATE])
def test_the_order_of_rows_does_not_matter(key: str) -> None:
    one, other = published(key, people(), seed=1), published(key, people()[::-1], seed=1)
    assert one.frame.equals(other.frame)


@pytest.mark.parametrize("key", KEYS)
def test_it_stops_when_asked(key: str) -> None:
    def stop(progress: ny.Progress) -> bool:
        assert isinstance(progress, ny.Progress)
        return False

    with pytest.raises(Interrupted):
        published(key, people(), observe=stop)
