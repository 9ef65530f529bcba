"""One small release of every kind, made once, with all that a check may be given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from samples import DIVERSE, K2, people, people_schema

import nymity as ny
from checking import checked
from nymity.publishing.checking.check import CheckResult
from nymity.publishing.releases.release import Release

_AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
_PRIVATE = ny.Schema({"name": ny.identifying(), "age": ny.quasi(_AGE), "sex": ny.quasi(ny.Hierarchy.flat(["m", "f"]))})


def private_people(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    sexes = [("m", "f")[i] for i in rng.integers(0, 2, n)]
    return pl.DataFrame({"name": [f"n{i}" for i in range(n)], "age": rng.integers(0, 20, n), "sex": sexes})


@dataclass(frozen=True, eq=False)
class Kind:
    """A release, and what else a check of it needs to see every promise."""

    release: Release
    beside: dict[str, Any]
    answer: str = "holds"

    def check(self, certificate: Any, table: Any = None, **options: Any) -> CheckResult:
        """Check the table against a certificate, with everything that can be given."""
        given = {**self.beside, **options}
        return checked(self.release.frame if table is None else table, certificate=certificate, **given)


def _published(table: pl.DataFrame, schema: ny.Schema, privacy: Any, method: Any, **options: Any) -> Release:
    return ny.publish(table, schema, privacy=privacy, method=method, **options)


def _levels() -> Kind:
    release = _published(people(), people_schema(), [K2, DIVERSE], ny.OptimalLattice(suppression=0.2))
    return Kind(release, {})


def _survey() -> Kind:
    table = people().with_columns(weight=pl.int_range(pl.len()) % 7 + 1.5, home=pl.int_range(pl.len()) // 2)
    schema = ny.Schema({**people_schema(), "weight": ny.weight(publish="coarsened"), "home": ny.household()})
    return Kind(_published(table, schema, [K2, DIVERSE], ny.OptimalLattice(suppression=0.2)), {})


def _households() -> Kind:
    table = people().with_columns(home=pl.int_range(pl.len()) // 2)
    schema = ny.Schema({**people_schema(), "home": ny.household(pseudonym="random")})
    promise = ny.LinkedKAnonymity(k=2, knows="all", of="household")
    return Kind(_published(table, schema, promise, ny.OptimalLattice(suppression=0.5)), {})


def _children() -> Kind:
    visits = pl.DataFrame({"name": people()["name"].gather([0, 0, 1, 1, 2, 3]), "ward": ["a", "b", "b", "a", "a", "a"]})
    further = {"name": ny.person(pseudonym="random"), "ward": ny.quasi()}
    schema = ny.Schema({**people_schema(), **further})
    promise = ny.LinkedKAnonymity(k=2, knows="all")
    return Kind(_published(people(), schema, promise, ny.OptimalLattice(suppression=0.5), children=visits), {})


def _layers() -> Kind:
    return Kind(_published(people(), people_schema(), K2, ny.IterativeRecoding()), {})


def _partition() -> Kind:
    schema = people_schema(zip=ny.quasi())
    shuffled = ny.Output(row_order="shuffled", format="tsv")
    return Kind(_published(people(), schema, [K2, DIVERSE], ny.Mondrian(), output=shuffled), {})


def _freeform() -> Kind:
    schema = people_schema(zip=ny.quasi())
    release = _published(people(), schema, ny.KMatching(k=3), ny.FreeformGreedy())
    return Kind(release, {"job": release.job, "original": people()})


def _buckets() -> Kind:
    promise = ny.FPrivacy(thresholds={"gout": 0.34, "*": 0.7}, attribute="disease")
    release = _published(people(), people_schema(zip=ny.quasi()), promise, ny.Buckets())
    return Kind(release, {"sensitive": release.counts})


def _sampled() -> Kind:
    promise = ny.DifferentialPrivacy(epsilon=10.0, epsilon_search=9.0, public_records=5000, delta=1e-4)
    release = _published(private_people(), _PRIVATE, promise, ny.SafePub())
    return Kind(release, {}, answer="cannot be seen")


def _sampled_persons() -> Kind:
    """Two visits of everybody."""
    schema = ny.Schema({**_PRIVATE, "name": ny.person(missing="drop")})
    promise = ny.DifferentialPrivacy(
        epsilon=12.0, epsilon_search=10.0, public_records=5000, delta=1e-4, records_per_person=2
    )
    release = _published(pl.concat([private_people()] * 2), schema, promise, ny.EpsilonSafeLattice())
    return Kind(release, {}, answer="cannot be seen")


_MAKERS: dict[str, Callable[[], Kind]] = {
    "levels": _levels,
    "layers": _layers,
    "partition": _partition,
    "freeform": _freeform,
    "buckets": _buckets,
    "survey": _survey,
    "households": _households,
    "children": _children,
    "sampled": _sampled,
    "sampled persons": _sampled_persons,
}
KINDS = tuple(_MAKERS)


@cache
def kind(name: str) -> Kind:
    return _MAKERS[name]()
