"""What an unedited starter job leaves of a table."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl

from nymity.core.errors import NymityError
from nymity.publishing import Job, publish
from nymity.publishing.preparing.inspect import Inspection, starter_job
from nymity.table.attribute import Role


def share_of_stars(frame: pl.DataFrame, inspection: Inspection) -> tuple[float, str]:
    """Return the share of ``*`` among the cells of quasi-identifiers, suppressed records counted as nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.toml"
        frame.write_parquet(Path(folder) / "table.parquet")
        path.write_text(starter_job(inspection, "table.parquet"), encoding="utf-8")
        job = Job.load(path)
        quasi = [name for name, attribute in job.schema.items() if attribute.role is Role.QUASI]
        try:
            released = publish(job)
        except NymityError as error:
            return 1.0, f"failed: {error}"
    cells = released.frame.select(pl.nth(released.frame.columns.index(name)) for name in quasi)
    kept = sum(int((column.cast(pl.String) != "*").sum()) for column in cells)
    return 1 - kept / max(1, frame.height * len(quasi)), f"({job.method})"
