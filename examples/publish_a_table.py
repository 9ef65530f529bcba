"""Publish a small table from Python, look at what was promised, and check the file as a recipient would."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

import nymity as ny

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "example-release")

visits = pl.DataFrame(
    {
        "name": [f"Visitor {i}" for i in range(40)],
        "age": [20 + (7 * i) % 50 for i in range(40)],
        "region": ["north" if i % 3 else "south" for i in range(40)],
        "reason": [("check-up", "injury", "infection", "vaccination")[i % 4] for i in range(40)],
    }
)
schema = ny.Schema(
    {
        "name": ny.identifying(),
        "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=3)),
        "region": ny.quasi(),
        "reason": ny.sensitive(),
    }
)

release = ny.publish(
    visits,
    schema,
    privacy=[ny.KAnonymity(k=5), ny.DistinctLDiversity(l=3, attribute="reason")],
    method=ny.OptimalLattice(suppression=0.05),
)
release.save(FOLDER)

print(f"levels {release.levels}, {release.suppressed} records suppressed")
for warning in release.warnings:
    print(f"not protected: {warning.says}")
checked = ny.check(FOLDER / "release.csv", certificate=FOLDER / "certificate.json")
print("every promise holds" if checked.holds else "a promise is broken")
