"""A small table of people that every test of publishing can look through by eye, and ways to publish it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

K2 = KAnonymity(k=2)
DIVERSE = DistinctLDiversity(l=2, attribute="disease")


def people() -> pl.DataFrame:
    """Fifteen people; the last three are outliers by age."""
    return pl.DataFrame(
        {
            "name": [f"person {i:02d}" for i in range(15)],
            "age": [21, 22, 23, 24, 25, 26, 31, 32, 33, 34, 35, 36, 71, 88, 93],
            "zip": [f"0{n}" for n in (211, 212, 211, 213, 212, 211, 211, 214, 213, 211, 212, 211, 911, 912, 999)],
            "sex": ["m", "f", "m", "f", "m", "f", "m", "f", "m", "f", "m", "f", "f", "m", "f"],
            "disease": [*["flu", "cold", "flu", "gout", "cold", "flu"] * 2, "flu", "cold", "gout"],
            "note": [f"n{i % 4}" for i in range(15)],
        }
    )


def people_schema(**changes: Any) -> Schema:
    return Schema(
        {
            "name": identifying(),
            "age": quasi(Hierarchy.intervals(width=5, levels=4)),
            "zip": quasi(Hierarchy.masking()),
            "sex": quasi(),
            "disease": sensitive(),
            "note": insensitive(),
        }
        | changes
    )


def released(**options: Any) -> Release:
    """The release most tests look at: 2-anonymous and 2-diverse, three outliers suppressed."""
    chosen = {"privacy": [K2, DIVERSE], "method": OptimalLattice(suppression=0.2)} | options
    return publish(people(), people_schema(), **chosen)


def simple(values: dict[str, list[Any]], quasi_names: str = "q", **options: Any) -> Release:
    """Publish a dict of columns; those named in ``quasi_names`` (one letter each) are quasi-identifiers."""
    schema = Schema({name: quasi() if name in tuple(quasi_names) else insensitive() for name in values})
    return publish(pl.DataFrame(values), schema, **({"privacy": K2} | options))


def multiset(table: pl.DataFrame) -> Counter[tuple[Any, ...]]:
    return Counter(table.rows())


def folder_content(folder: Any) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
