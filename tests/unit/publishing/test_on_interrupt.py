"""Ctrl-C that ends a search and not the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import InputError


def wide(n: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    return pl.DataFrame({f"c{i}": rng.integers(0, 40, n) for i in range(6)})


ROLES = {f"c{i}": ny.quasi("intervals", width=5, levels=3) for i in range(6)}
SEARCH = ny.AnytimeLattice(suppression=0.05, seconds=60)


class Impatient:
    """An observer that interrupts the search once, after so many reports of it."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, progress: ny.Progress) -> None:
        if progress.stage.startswith("searching the lattice"):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


def published(**options: Any) -> ny.Release:
    return ny.publish(wide(), ROLES, k=3, method=SEARCH, **options)


def test_the_best_so_far_is_published_and_marked() -> None:
    release = published(on_interrupt="best", observe=Impatient(12))
    assert release.outcome.stopped
    assert not release.outcome.optimal
    assert release.bound is None
    assert release.verification.holds
    assert release.job.method.on_interrupt == "best"
    assert release.certificate["loss"].get("optimal") is not True
    assert "interrupted: nothing is proved" in repr(release)
    whole = published()
    assert not whole.outcome.stopped
    assert whole.loss <= release.loss


def test_a_search_that_nobody_interrupts_is_as_usual() -> None:
    release = published(on_interrupt="best")
    assert not release.outcome.stopped
    assert release.frame.equals(published().frame)


def test_an_interrupt_is_one_unless_asked_otherwise() -> None:
    with pytest.raises(KeyboardInterrupt):
        published(observe=Impatient(12))
    assert published(on_interrupt="best", observe=Impatient(1)).verification.holds  # the top is known by then


def test_a_proof_that_is_broken_off_leaves_the_best_so_far() -> None:
    method = ny.OptimalLattice(suppression=0.05)
    stopped = ny.publish(wide(), ROLES, k=3, method=method, on_interrupt="best", observe=Impatient(12))
    assert stopped.outcome.stopped
    assert (stopped.outcome.optimal, stopped.bound) == (False, None)
    assert stopped.certificate["loss"]["proven_optimal"] is False
    assert stopped.verification.holds
    assert ny.publish(wide(), ROLES, k=3, method=method).loss <= stopped.loss
    with pytest.raises(KeyboardInterrupt):
        ny.publish(wide(), ROLES, k=3, method=method, observe=Impatient(12))


def test_a_method_is_taken_that_can_stop() -> None:
    release = ny.publish(wide(), ROLES, k=3, on_interrupt="best", observe=Impatient(20))
    assert release.outcome.stopped
    assert release.job.method == ny.AnytimeLattice(suppression=0.05, on_interrupt="best")


def test_others_refuse() -> None:
    promise = ny.DifferentialPrivacy(epsilon=1.0, public_records=400, delta=1e-4)
    listed = ny.Hierarchy.intervals(width=5).build(pl.Series(range(40)))
    for method, privacy, roles in (
        ("mondrian", ny.KAnonymity(3), ROLES),
        ("samarati", ny.KAnonymity(3), ROLES),
        ("safepub", promise, dict.fromkeys(ROLES, ny.quasi(listed))),
    ):
        with pytest.raises(InputError, match="on_interrupt: expected a method that has an answer at any time"):
            ny.publish(wide(), roles, privacy=privacy, method=method, on_interrupt="best")
    with pytest.raises(InputError, match="one of 'error', 'best'"):
        published(on_interrupt="bst")
