"""What promises cost, kept while the table is in memory: the same question again is answered at once."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import Any

import polars as pl

import nymity as ny
from nymity.publishing import Consequences, Foresight
from nymity.table import Role
from nymity.workbench.memory import give_back
from nymity.workbench.project import Project
from nymity.workbench.tables import LookedTable, kept_table, look_at
from nymity.workbench.turns import computing

#: Answers that are kept for a table.
_MOST = 12
#: Fields of the method that an answer does not depend on: all shares of suppression are in it.
_ANY = ("suppression",)
#: Columns of these roles are in no class.
_UNCOUNTED = (Role.IDENTIFYING, Role.INSENSITIVE, Role.PERTURBED)
_working = Lock()


def consequences_of(project: Project) -> Consequences:
    """Return what the promises of a project cost on its table; this takes up to some seconds the first time."""
    looked, job, data = look_at(project), project.job(), project.job_data
    memory = looked.memory
    with _working, computing(later=True):  # one at a time: the machine is for searches
        tables: OrderedDict[str, Foresight] = memory.setdefault("foresights", OrderedDict())
        answers: OrderedDict[str, Consequences] = memory.setdefault("consequences", OrderedDict())
        asked = _answer_key(data)
        if asked not in answers:
            table = _table_key(data, job)
            if table not in tables:
                tables.clear()
                tables[table] = _foresight(looked, job)
            answers[asked] = tables[table].consequences(job)
            give_back()
        answers.move_to_end(asked)
        while len(answers) > _MOST:
            answers.popitem(last=False)
        return answers[asked]


def _foresight(looked: LookedTable, job: ny.Job) -> Foresight:
    """Encode the columns that promises are about; a large table's others, and transforms of them, stay as they are."""
    named = {getattr(one, "attribute", None) for one in job.privacy} | {job.target}
    counted = [name for name in job.schema if job.schema[name].role not in _UNCOUNTED or name in named]
    cells = pl.DataFrame([looked.cells[name] for name in counted])
    return Foresight.of(replace(job, schema=job.schema.among(counted), transforms=()), cells)


def known_consequences(project: Project) -> Consequences | None:
    """Return what is known already, without counting anything."""
    looked = kept_table(project)
    if looked is None:
        return None
    answer: Consequences | None = looked.memory.get("consequences", {}).get(_answer_key(project.job_data))
    return answer


def _answer_key(data: dict[str, Any]) -> str:
    method = {name: value for name, value in data.get("method", {}).items() if name not in _ANY}
    return json.dumps([data.get("schema"), data.get("privacy"), method], sort_keys=True, default=str)


def _table_key(data: dict[str, Any], job: ny.Job) -> str:
    """Tell encoded tables apart: by columns but for their importance, by what is counted, and by second tables."""
    columns = {name: {**one, "weight": 1} for name, one in data["schema"].items()}
    second = [str(getattr(model, model.second_table)) for model in job.privacy if model.second_table]
    households = any(model.of_households for model in job.privacy)
    return json.dumps([columns, second, households], sort_keys=True, default=str)
