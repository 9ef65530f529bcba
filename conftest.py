"""What all tests share: reproducible examples and draws, real data sets where the user has them, a lemma to check."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from math import ceil
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from nymity.core import randomness
from nymity.core.progress import Observer, silent
from nymity.partition.geometry import Geometry
from nymity.partition.split_carry import Chain, SplitCarry
from tally import OracleCalls, note

if TYPE_CHECKING:
    from nymity_lab.datasets import PublicDataset

#: What tests of the command line share, of every distribution.
pytest_plugins = ["cli_fixtures"]

settings.register_profile(
    "nymity", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("nymity")


#: With NYMITY_TALLY: how often oracles were asked, for the page on tests.
ORACLES = OracleCalls()


def pytest_configure() -> None:
    """Watch oracles before test modules import them."""
    if os.environ.get("NYMITY_TALLY"):
        ORACLES.watch()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write down what was tried, in each process that ran tests."""
    if ORACLES.calls:
        note(what="oracles", calls=dict(ORACLES.calls), failed=session.testsfailed)


#: What a property tries in `make test` of what its settings say, but no fewer than these; `make campaign` tries all.
SHARE, FEWEST = 3, 10


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark properties, and let them try fewer examples unless all are asked for."""
    properties = set()
    for item in items:
        if is_hypothesis_test(test := getattr(item, "function", None)):
            item.add_marker(pytest.mark.property)
            properties.add(test)
    if os.environ.get("NYMITY_EXAMPLES") != "all":
        for one in properties:
            # where `given` looks; hypothesis lets nobody set it twice otherwise
            own = getattr(one, "_hypothesis_internal_use_settings", None) or settings.default
            fewer = min(own.max_examples, max(FEWEST, ceil(own.max_examples / SHARE)))
            one._hypothesis_internal_use_settings = settings(own, max_examples=fewer)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Give every test draws of its own that are the same in every run, so that what fails once fails again.

    No test may depend on which they are: NYMITY_TEST_DRAWS=2 (any text) runs the suite with others, and
    NYMITY_TEST_DRAWS=system with those of the operating system.
    """
    which = os.environ.get("NYMITY_TEST_DRAWS", "")
    with pytest.MonkeyPatch.context() as patch:
        if which != "system":
            patch.setattr(randomness, "secure_bytes", Random(f"{which} {item.nodeid}").randbytes)
        return (yield)


@pytest.fixture(scope="session")
def load_public() -> Callable[[str], PublicDataset]:
    """Load a real data set, or skip the test with the reason; mark such tests ``data``."""
    datasets = pytest.importorskip("nymity_lab.datasets", reason="nymity-lab is not installed: it loads them")
    loaded: dict[str, PublicDataset] = {}

    def load(name: str) -> PublicDataset:
        if not datasets.available(name):
            pytest.skip(f"the data set {name!r} is not under NYMITY_DATA")
        if name not in loaded:
            loaded[name] = datasets.public(name)
        return loaded[name]

    return load


@pytest.fixture(scope="session", autouse=True)
def _sub_problems_are_bounded() -> Iterator[None]:
    """Check lemma 2 of Liang (2020) in every run of Split & Carry, as corrected: k (2k - 1 + S) + (n mod k) records."""
    partition = SplitCarry.partition

    def checked(self: SplitCarry, geometry: Geometry, k: int, observe: Observer = silent) -> Chain:
        chain, n, boundary = partition(self, geometry, k, observe), len(geometry), self.boundary or k
        carried = {"class": boundary * (2 * k - 1), "subset": boundary * (k - 1), "bubble": 0}[self.carry]
        left_over = k - 1 if self.carry == "bubble" else n % k
        assert max(chain.sizes) <= carried + k * self.sets + left_over
        return chain

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SplitCarry, "partition", checked)
        yield
