"""A small project that uses nymity as people do: type checkers must find nothing wrong with it.

``tests/unit/test_types.py`` runs mypy and pyright, both strict, over it.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

import nymity as ny
from nymity.publishing.jobs.registry import Method


def publish(df: pl.DataFrame, folder: Path) -> ny.Release:
    release = ny.publish(df, {"name": "identifying", "age": ny.quasi("intervals", width=5)}, k=5)
    certificate = release.save(folder)
    print(certificate["promised"], release.to_csv(folder / "table.csv"))
    release.report().save(folder / "about.html")
    return release


def variants(df: pl.DataFrame) -> list[ny.Release]:
    schema = ny.Schema({"age": "quasi", "sex": ny.quasi(weight=2.0)})
    return [
        ny.publish(df, schema, privacy=ny.KAnonymity(5)),
        ny.publish(df, schema, privacy=[ny.KAnonymity(5), ny.TCloseness(0.2, attribute="ill")], method=ny.Mondrian()),
        ny.publish(df, schema, privacy="k-anonymity", k=5, method="mondrian", on_interrupt="error"),
        ny.publish(df, {"age": "quasi"}, privacy={"model": "k-anonymity", "k": 5}, method={"name": "mondrian"}),
    ]


def looked_at(df: pl.DataFrame) -> tuple[int, int | None, pl.DataFrame]:
    seen = ny.inspect(df)
    return seen.records, ny.measure(df, ["age", "sex"]).smallest_class, ny.measure_risk(df, ["age"]).to_frame()


def every_method() -> list[Method]:
    return [ny.OptimalLattice(), ny.Mondrian(), ny.Buckets(), ny.SafePub(), ny.EpsilonSafeLattice(), ny.KMember()]


def after(df: pl.DataFrame, release: ny.Release) -> tuple[bool, int, pl.DataFrame]:
    measured = ny.measure(release)
    found = ny.risk.attack(release, df)
    assert not found.exceeded
    return release.holds, measured.records, release.to_polars()


def wrong(df: pl.DataFrame) -> None:
    ny.quasi(widht=5)  # type: ignore[call-overload]
    ny.publish(df, {"age": "quasi"}, k="5")  # type: ignore[call-overload]
    ny.KAnonymity("5")  # type: ignore[arg-type]
    ny.RecursiveDiversity(3, 2, attribute="ill")  # type: ignore[call-arg]
