"""The certificate in short: versions, hashes and fingerprints, folded away."""

from __future__ import annotations

import json
from typing import Any

from nymity.publishing.certificates.certificate import CHILD_TABLE, SENSITIVE_TABLE
from nymity.report.markup import Figures, Section, template
from nymity.report.page_wording import count
from nymity.report.subject import Subject

_CERTIFICATE = template("certificate.html")


def certificate_section(subject: Subject, _: Figures) -> Section:
    """List what pins the release down."""
    assert subject.opened.stated is not None
    return section_of(subject.opened.stated.plain)


def section_of(certificate: dict[str, Any]) -> Section:
    """List what a certificate says, and nothing else."""
    return Section(
        anchor="certificate",
        title="Certificate",
        short="Certificate",
        parts=(
            _CERTIFICATE.measured(certificate["created"], _who(certificate)),
            _CERTIFICATE.folded("Hashes", _hashes(certificate)),
            _CERTIFICATE.folded("Hierarchies", _hierarchies(certificate)),
            _CERTIFICATE.folded("Versions", list(certificate["versions"].items())),
            _CERTIFICATE.folded("Method and promises", _settings(certificate)),
        ),
    )


def _who(certificate: dict[str, Any]) -> str:
    if any("verified" in promise for promise in certificate["promised"]):
        return "It needs the original: who has it beside the release and the job"
    return "Anyone who has the release and certificate.json"


def _hashes(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("released cells, SHA-256", certificate["output"]["content_sha256"])]
    if "input" in certificate:  # a private release has none
        rows.insert(0, ("original, salted SHA-256", certificate["input"]["salted_sha256"]))
    output = certificate["output"]
    for table in (output, output.get(SENSITIVE_TABLE, {}), output.get(CHILD_TABLE, {})):
        if "file_sha256" in table:
            rows.append((f"file {table['file']}, SHA-256", table["file_sha256"]))
    return rows


def _hierarchies(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (f"{column['name']} ({_published_as(column)})", column["hierarchy_sha256"])
        for column in certificate["columns"]
        if "hierarchy_sha256" in column
    ]


def _published_as(column: dict[str, Any]) -> str:
    if "cells" in column:
        return count(column["cells"], "cell")
    return f"level {column['level']} of {column['height']}" if "level" in column else "unchanged"


def _settings(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    method = dict(certificate["job"]["method"])
    rows = [("method", json.dumps(method, ensure_ascii=False))]
    rows += [("promise", promise["means"]) for promise in certificate["promised"]]
    rows.append(("order of rows", certificate["output"]["row_order"]))
    return rows
