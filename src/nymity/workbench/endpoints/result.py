"""What the screen Result fetches: rows beside each other, and what its charts show; columns by their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from nymity.core.errors import ParameterError
from nymity.table.text import as_text
from nymity.workbench import learnings
from nymity.workbench.analyses import figures_of, open_trial
from nymity.workbench.endpoints import Endpoint, neutral_names
from nymity.workbench.project import Project
from nymity.workbench.trials import TASK, TriedRelease

#: Rows of one answer.
MOST_ROWS = 500


def rows(project: Project, query: Mapping[str, str]) -> dict[str, Any]:
    """Return rows ``from`` … ``to`` of the original beside the release: ``c0`` is the number, then before and after."""
    beside = open_trial(project, _trial(project, query)).beside
    numbers = beside.numbers(query.get("show", "all"))
    some = beside.rows(numbers[_slice(query)])
    names = neutral_names(1 + 2 * len(beside.names))
    return {"rows": [dict(zip(names, row, strict=True)) for row in some], "total": len(numbers)}


def released(project: Project, query: Mapping[str, str]) -> dict[str, Any]:
    """Return rows of the release alone, which anybody has who has the release."""
    table = open_trial(project, _trial(project, query)).opened.table
    wanted = _slice(query)
    some = table.slice(wanted.start, wanted.stop - wanted.start)
    names = neutral_names(table.width)
    cells = pl.DataFrame([as_text(some[name]).alias(key) for key, name in zip(names, table.columns, strict=True)])
    return {"rows": cells.rows(named=True), "total": table.height}


def distribution(project: Project, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the records of a column's values before and after."""
    columns = figures_of(project, _trial(project, query))["columns"]
    found: dict[str, Any] = columns[_number(query, "column", len(columns))]
    return found


def contingency(project: Project, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the records of the pairs of two columns' values before and after."""
    figures = figures_of(project, _trial(project, query))
    first, second = (_number(query, name, len(figures["columns"])) for name in ("first", "second"))
    if first == second:
        raise ParameterError("second", expected="another column than the first", got="the same")
    found: dict[str, Any] = figures["pairs"][f"{min(first, second)}-{max(first, second)}"]
    return found if first < second else _turned(found)


def classes(project: Project, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the records in classes of each size before and after."""
    found: dict[str, Any] = figures_of(project, _trial(project, query))["classes"]
    return found


def roc(project: Project, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the ROC curves of what was learned from a trial last."""
    project.refuse_looking("the result")
    found = learnings.answer_of(learnings.newest(project, _trial(project, query)))
    if found is None:
        raise ParameterError("result", expected="a trial that was learned from", got="one that was not, or not yet")
    return learnings.curves(found)


def _turned(found: Mapping[str, Any]) -> dict[str, Any]:
    turned = {when: [list(row) for row in zip(*found[when], strict=True)] for when in ("before", "after")}
    return {"rows": found["columns"], "columns": found["rows"], **turned}


def _trial(project: Project, query: Mapping[str, str]) -> TriedRelease:
    trial = TriedRelease(project.runs.get(_number(query, "trial", 10**9)))
    if trial.run.task != TASK or not trial.is_done:
        raise ParameterError("trial", expected="a trial that ended with a release", got=query["trial"])
    return trial


def _number(query: Mapping[str, str], name: str, below: int) -> int:
    text = query.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) < below):
        raise ParameterError(name, expected=f"a whole number below {below:,}", got=repr(text)[:40])
    return int(text)


def _slice(query: Mapping[str, str]) -> slice:
    start, end = _number(query, "from", 10**9), _number(query, "to", 10**9)
    return slice(start, min(max(end, start), start + MOST_ROWS))


ENDPOINTS = (
    Endpoint(name="result-rows", answer=rows),
    Endpoint(name="result-distribution", answer=distribution),
    Endpoint(name="result-contingency", answer=contingency),
    Endpoint(name="result-classes", answer=classes),
    Endpoint(name="result-roc", answer=roc),
    # A private release may be looked at; one that is not is refused in a private project when it is opened.
    Endpoint(name="result-released", answer=released, looks=False),
)
