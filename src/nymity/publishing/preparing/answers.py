"""Answers: what somebody who knows the data decided about columns, in a file that ``inspect`` writes a job by.

::

    [columns]
    note = "identifying"
    zip = { role = "quasi", hierarchy = { type = "masking" } }
    income = { role = "sensitive", missing = ["-9", "refused"] }

A column has a role, or a table of fields as a job's schema has them, where ``missing`` may also be a list: the codes
that stand for no answer. What is left out stays as it is suggested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nymity.core import pieces, validation
from nymity.core.errors import FileError, JobError
from nymity.core.paths import path_text, resolved
from nymity.core.plain_data import MOST_JOB_BYTES, parse_toml, read_content
from nymity.core.quoting import as_given
from nymity.io import ReadOptions
from nymity.table.attribute import Attribute

#: What a file of answers looks like.
_FORM = '[columns] on the first line, then lines such as age = "quasi"'


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Decisions by column: fields of its attribute, and codes for *missing*."""

    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    missing: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    folder: Path | None = None  #: where paths of hierarchies start

    @staticmethod
    def load(path: str | Path) -> Answers:
        """Read a TOML file of answers."""
        place = Path(path_text("answers", path))
        content = read_content(place, most=MOST_JOB_BYTES, expected="a readable file of answers")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FileError(str(place), expected="a TOML file in UTF-8", got=str(error)) from error
        data = parse_toml(text, where=str(place), expected="a TOML file of answers", hint=_FORM)
        return Answers.from_dict(data, folder=resolved(place.parent))

    @staticmethod
    def from_dict(data: Mapping[str, Any], *, folder: Path | None = None) -> Answers:
        """Build answers from plain data, or say which field is wrong."""
        if stray := [name for name in data if name != "columns"]:
            raise JobError(
                f"answers.{stray[0]}", expected="columns in the table [columns]", got=as_given(stray[0]), hint=_FORM
            )
        columns = pieces.require_mapping(data.get("columns", {}), "answers.columns")
        fields: dict[str, dict[str, Any]] = {}
        missing: dict[str, tuple[Any, ...]] = {}
        for name, given in columns.items():
            one = {"role": given} if isinstance(given, str) else dict(pieces.require_mapping(given, f"columns.{name}"))
            if isinstance(one.get("missing"), list):
                missing[name] = tuple(one.pop("missing"))
            fields[name] = one
            if "role" in one:
                _attribute(name, one, folder)  # wrong before the table is read
        return Answers(fields=fields, missing=missing, folder=folder)

    def options(self, options: ReadOptions) -> ReadOptions:
        """Add the codes for *missing* to how the table is read; what they say has precedence."""
        return replace(options, missing_in={**options.missing_in, **self.missing}) if self.missing else options

    def check(self, columns: list[str]) -> None:
        """Refuse answers about columns that the table does not have."""
        for name in {**self.fields, **self.missing}:
            if name not in columns:
                raise JobError(
                    "answers.columns",
                    expected="columns of the table",
                    got=as_given(name),
                    hint=validation.nearest(name, columns),
                )

    def decided(self, name: str, suggested: Attribute) -> Attribute | None:
        """Return what a column is by these answers, the rest as suggested; None where they say nothing of it."""
        if not self.fields.get(name):
            return None
        fields = {"role": suggested.role.value, **self.fields[name]}
        attribute = _attribute(name, fields, self.folder)
        keeps = attribute.role is suggested.role and attribute.hierarchy is None
        return replace(attribute, hierarchy=suggested.hierarchy) if keeps else attribute


def _attribute(name: str, fields: Mapping[str, Any], folder: Path | None) -> Attribute:
    from nymity.publishing.jobs.job import parse_schema

    try:
        return parse_schema({name: fields}, folder=folder)[name]
    except JobError as error:
        where = f"answers.columns{error.where.removeprefix('schema')}"
        codes = 'codes that stand for no answer are a list: missing = ["-9"]' if where.endswith(".missing") else ""
        raise JobError(where, expected=error.expected, got=error.got, hint=error.hint or codes) from error
