"""The tree of a column's hierarchy, level by level, and as the file that ARX reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from starlette.responses import Response

from nymity.core.errors import ParameterError
from nymity.publishing import Ladder
from nymity.workbench.endpoints import Endpoint
from nymity.workbench.hierarchy_drafts import ladder_of, saved
from nymity.workbench.project import Project


def tree(project: Project, query: Mapping[str, str]) -> dict[str, Any]:
    """Return for each level the labels of cells, their records, and under which cell of the next level each is."""
    ladder = _asked(project, query)
    hierarchy, counts = ladder.hierarchy, np.array(ladder.counts, dtype=np.int64)
    levels = []
    for level, labels in enumerate(hierarchy.labels):
        codes = hierarchy.codes[level]
        records = np.bincount(codes, weights=counts, minlength=len(labels)).astype(int)
        above = np.zeros(len(labels), dtype=int)
        if level < hierarchy.height:
            above[codes] = hierarchy.codes[level + 1]
        levels.append({"labels": list(labels), "records": records.tolist(), "above": above.tolist()})
    return {"levels": levels}


def as_csv(project: Project, query: Mapping[str, str]) -> Response:
    """Return the hierarchy as ARX writes it: one line per value, level 0 first."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hierarchy.csv"
        _asked(project, query).hierarchy.save(path)
        content = path.read_bytes()
    headers = {"Content-Disposition": 'attachment; filename="hierarchy.csv"'}
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


def _asked(project: Project, query: Mapping[str, str]) -> Ladder:
    column = query.get("column", "")
    if column not in project.job_data.get("schema", {}):
        raise ParameterError("column", expected="a column of the job", got=repr(column)[:80])
    return ladder_of(project, column, saved(project, column))


ENDPOINTS = (
    # In a private project they are of public values: a hierarchy of records is refused when it is counted.
    Endpoint(name="hierarchy", answer=tree, looks=False),
    Endpoint(name="hierarchy-csv", answer=as_csv, looks=False),
)
