"""Uses a toy of every kind through what nymity offers to everybody: a job file, names, the command line's functions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl

import nymity as ny
from nymity.publishing.jobs.json_schema import job_schema
from nymity.quality.trust import picked

people = pl.DataFrame({"town": ["Aa", "Ab", "Ba", "Bb"] * 2, "s": list("xyxyxyxy"), "note": ["n"] * 8})
ny.write_table(people, "people.jsonl")
Path("job.json").write_text(
    json.dumps(
        {
            "source": "people.jsonl",
            "schema": {
                "town": {"role": "quasi", "hierarchy": {"type": "toy-letters"}},
                "s": {"role": "sensitive"},
                "note": {"role": "insensitive"},
            },
            "privacy": [{"model": "toy-even"}],
            "method": {"name": "toy-first", "loss": "toy-loss"},
            "transforms": [{"transform": "toy-capitals", "columns": ["note"]}],
            "output": {"format": "jsonl"},
        }
    )
)
release = ny.publish(ny.Job.load("job.json"))
release.save("release")
found = ny.compare(people, release)
attacked = ny.risk.attack(release, original=people, attacks=["toy-guess", "linkage", "skewness"])
schema = json.dumps(job_schema())
json.dump(
    {
        "package": str(Path(ny.__file__).parent),
        "answer": ny.check("release/release.jsonl", job=release.job).holds,
        "method": release.certificate["job"]["method"]["name"],
        "changed": release.table["note"].unique().to_list(),
        "metrics": [one.key for one in found.measured if one.value is not None and one.key.startswith("toy")],
        "trust": [picked("toy-loss"), picked("toy-metric")],
        "promised": {one.key: one.promised for one in attacked.results},
        "no_promise": {one.key: one.no_promise for one in attacked.results},
        "names": [cls.__name__ for cls in (ny.ToyEven, ny.ToyFirst, ny.ToyLoss, ny.ToyCapitals, ny.risk.ToyGuess)],
        "shortcut": repr(ny.Hierarchy.toy_letters()),
        "schema": [
            key
            for key in ("toy-letters", "toy-even", "toy-first", "toy-loss", "toy-capitals", "jsonl")
            if key in schema
        ],
    },
    sys.stdout,
)
