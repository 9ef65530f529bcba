"""Certificate: what was promised and measured, in a form anyone can check against the release.

It holds no path, no user name and no raw value of the input: only column names, numbers, hashes and versions.
"""

from __future__ import annotations

import hashlib
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import polars as pl

from nymity.lattice.outcome import LatticeOutcome
from nymity.publish.codec import dump_piece
from nymity.publish.fingerprint import fingerprint
from nymity.publish.job import Job
from nymity.publish.verify import Verification
from nymity.table.hierarchy import Hierarchy

if TYPE_CHECKING:
    from nymity.table.recoding import Recoding

Certificate = dict[str, Any]

FORMAT = "nymity-certificate-1"
_DEPENDENCIES = ("numpy", "numba", "polars", "pydantic")


def certify(
    *,
    job: Job,
    source: pl.DataFrame,
    release: pl.DataFrame,
    outcome: LatticeOutcome,
    masked: int,
    dropped: int,
    verified: Verification,
    salt: str,
) -> Certificate:
    """Write the certificate of a release that was verified in memory; files are added when they are written."""
    recoding = outcome.recoding
    return {
        "format": FORMAT,
        "created": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": {
            "nymity": version("nymity"),
            "python": platform.python_version(),
            **{name: version(name) for name in _DEPENDENCIES},
        },
        "promised": [{**dump_piece(model, tag="model"), "means": model.promise()} for model in job.privacy],
        "measured": measured_section(verified),
        "columns": _columns(job, recoding, salt),
        "job": _public_job(job),
        "input": {
            "records": source.height,
            "columns": len(source.columns),
            "salted_sha256": fingerprint(source, salt=salt),
        },
        "output": {
            "records": release.height,
            "columns": len(release.columns),
            "content_sha256": fingerprint(release),
            "row_order": job.output.row_order,
        },
        "suppressed": {
            "records": outcome.suppressed,
            "masked": masked,
            "removed": outcome.suppressed - masked,
            "dropped_for_missing_values": dropped,
        },
        "loss": {
            "key": outcome.loss_key,
            "value": outcome.loss,
            "proven_optimal": outcome.optimal,
            "lattice_nodes": outcome.lattice_size,
            "nodes_checked": outcome.checks,
        },
        "random_sources": ["operating system: order of rows"] if job.output.row_order == "shuffled" else [],
        "earlier_releases": list(job.earlier_releases),
    }


def measured_section(verified: Verification) -> dict[str, Any]:
    """Return what was measured as plain data."""
    return {
        "holds": verified.holds,
        "records": verified.records,
        "classes": verified.classes,
        "smallest_class": verified.smallest_class,
        "masked_records": verified.masked,
        "masked_records_form_a_class": verified.strict,
        "models": [
            {"model": finding.model, "holds": finding.holds, **finding.measured} for finding in verified.findings
        ],
    }


def salted(digest: str, salt: str) -> str:
    """Hash a hash with the custodian's salt: a plain one of few values can be found by trying them.

    A hierarchy built from a column lists the column's values, also those of suppressed records.
    """
    return hashlib.sha256(bytes.fromhex(salt) + bytes.fromhex(digest)).hexdigest()


def _columns(job: Job, recoding: Recoding, salt: str) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = []
    for name in recoding.columns:
        column: dict[str, Any] = {"name": name, "role": job.schema[name].role.value}
        if name in recoding.levels:
            hierarchy: Hierarchy = recoding.hierarchies[name]
            column |= {
                "level": recoding.levels[name],
                "height": hierarchy.height,
                "hierarchy_sha256": salted(hierarchy.fingerprint(), salt),
            }
        columns.append(column)
    return columns


def _public_job(job: Job) -> dict[str, Any]:
    """Return the job without paths and inline values: of hierarchies only their type and numbers stay."""
    data = job.to_dict()
    data.pop("source", None)
    data.pop("earlier_releases", None)
    for attribute in data["schema"].values():
        if "hierarchy" in attribute:
            attribute["hierarchy"] = {
                key: value
                for key, value in attribute["hierarchy"].items()
                if key == "type" or isinstance(value, int | float)
            }
    return data
