"""The figures that come with nymity: how far metrics can be trusted, from a finished run of this study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nymity_lab.study.exhibit_parts import where
from nymity_lab.study.metrics.work import ENCODINGS
from nymity_lab.study.study import Rows


def ship(run: str | Path, path: str | Path) -> None:
    """Write ``trust.json`` from the folder of a run, for :mod:`nymity.quality.trust`."""
    import json

    import polars as pl

    from nymity_lab.study.store import write_json

    about = json.loads((Path(run) / "study.json").read_text(encoding="utf-8"))
    releases = pl.read_parquet(Path(run) / "releases.parquet")
    known: dict[str, Any] = {name: about[name] for name in ("name", "source", "version", "scale", "steps", "planned")}
    known |= {"data": releases["data"].unique(maintain_order=True).to_list()}
    known |= {"algorithms": releases["algorithm"].unique(maintain_order=True).to_list()}
    known["releases"] = releases.filter(pl.col("encoding") == ENCODINGS[0]).height
    rows = pl.read_parquet(Path(run) / "trust.parquet").to_dicts()
    write_json(Path(path), known | {"encodings": {name: shares(where(rows, encoding=name)) for name in ENCODINGS}})


def shares(rows: Rows) -> dict[str, Any]:
    """Put the rows of :func:`nymity_lab.study.metrics.beyond.trust` in order: by metric, overall and by utility."""
    found: dict[str, Any] = {}
    for row in rows:
        share = {part: round(row[part], 6) for part in ("rate", "low", "high")} | {"pairs": row["pairs"]}
        metric = found.setdefault(row["metric"], {"overall": None, "by_utility": {}})
        if row["utility"] == "all":
            metric["overall"] = share
        else:
            metric["by_utility"][row["utility"]] = share
    return found
