"""What commands read: job files with overrides, and tables as a job says they were written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nymity.core.errors import FileError, JobError, ParameterError
from nymity.core.paths import resolved
from nymity.core.plain_data import parse_toml
from nymity.core.validation import MOST_DIGITS

if TYPE_CHECKING:
    import polars as pl

    from nymity.publishing.jobs.job import Job
    from nymity.publishing.releases.opened import OpenedRelease


def load_job(path: Path, settings: Sequence[str] = ()) -> Job:
    """Read a job file and change single fields of it: ``method.suppression=0.02``, ``privacy[0].k=10``."""
    from nymity.publishing.jobs.job import Job

    try:
        job = Job.load(path)
    except JobError as error:
        raise JobError(f"{path}, {error.where}", expected=error.expected, got=error.got, hint=error.hint) from error
    return changed(job, settings)


def changed(job: Job, settings: Sequence[str]) -> Job:
    """Change single fields of a job."""
    if not settings:
        return job
    data = job.to_dict()
    for setting in settings:
        _set(data, setting)
    return type(job).from_dict(data)


def open_released(release: Path, job: Path | None, *, recoding: Path | None = None, **given: Any) -> OpenedRelease:
    """Open a release by its folder or table; ``recoding`` is a file, or the custodian's folder.

    The table that a job publishes can be held against itself.
    """
    from nymity.publishing.releases.opened import open as open_release

    described = None if job is None else load_job(job)
    place: dict[str, Any] = {"custodian" if recoding is not None and recoding.is_dir() else "recoding": recoding}
    if described is None or described.source is None or not same_file(release, Path(described.source.path)):
        return open_release(release, job=described, **place, **given)
    return open_release(read_original(release, described), job=described, **place, **given)


def read_original(path: Path, job: Job | OpenedRelease) -> pl.DataFrame:
    """Read a table that a job publishes, or that a release was made from; of a private one what has a place."""
    from nymity.dp.public_domain import public_schema
    from nymity.dp.records import Records, read_columns
    from nymity.io import ReadOptions, read_table, read_text_cells
    from nymity.publishing.jobs.job import Job
    from nymity.publishing.jobs.job_tables import refuse_children
    from nymity.publishing.jobs.registry import is_private

    refuse_children(str(path), job.children)
    described, stated = (job, None) if isinstance(job, Job) else (job.job, job.stated)
    options = ReadOptions() if stated is None else stated.reading
    if described is not None and described.source is not None:
        options = replace(described.source.options, **described.source.stated_values)
    if job.schema is None or not is_private(job.method):
        return read_table(path, options)
    cells = read_text_cells(path, options, read_columns(job.schema))
    return Records.of(cells, public_schema(job.schema)).whole(cells)


def names(listed: str | None) -> list[str]:
    """Take comma-separated names apart."""
    return [name.strip() for name in (listed or "").split(",") if name.strip()]


def same_file(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same place."""
    return resolved(one) == resolved(other)


def may_write(path: Path, *, force: bool) -> None:
    """Refuse to overwrite what somebody may have edited by hand."""
    if path.exists() and not force:
        raise FileError(
            str(path), expected="a file that does not exist yet", got="one that does", hint="another name, or --force"
        )


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write a text file, whole or not at all; a private one for its owner alone."""
    from nymity.core.commit import replace_file

    def write(staged: Path) -> None:
        staged.write_text(text, encoding="utf-8")

    replace_file(path, write, private=private)


def _set(data: dict[str, Any], setting: str) -> None:
    """Change one field of plain data in place."""
    key, equals, text = setting.partition("=")
    found = re.findall(r'\[(\d+)\]|"([^"]*)"|([^.\[\]"]+)', key.strip())
    # Python refuses to convert numbers of thousands of digits, in words that speak of no option.
    if long := next((number for number, _, _ in found if len(number) > MOST_DIGITS), ""):
        raise ParameterError("--set", expected="the number of an item in brackets", got=f"{len(long):,} digits")
    steps = [int(number) if number else quoted or bare for number, quoted, bare in found]
    if not equals or not steps:
        raise ParameterError("--set", expected="field=value", got=repr(setting), hint="--set method.suppression=0.02")
    *way, last = steps
    place: Any = data
    for step in way:
        found = _item(place, step, key)
        place = found.setdefault(step, {}) if isinstance(found, dict) else found[step]
    _item(place, last, key)[last] = _value(key, text.strip())


def _item(place: Any, step: str | int, key: str) -> Any:
    """Return ``place`` if it has room for the field or item ``step``."""
    if isinstance(place, dict) and isinstance(step, str):
        return place
    if isinstance(place, dict):
        raise ParameterError(
            f"--set {key}", expected="the name of a field", got=f"[{step}], which counts items of a list"
        )
    if not isinstance(place, list):
        raise ParameterError(f"--set {key}", expected="the name of a field", got=f"{step!r} inside a plain value")
    if not isinstance(step, int) or step >= len(place):
        raise ParameterError(
            f"--set {key}", expected=f"a number from 0 to {len(place) - 1} in brackets", got=repr(step)
        )
    return place


def _value(key: str, text: str) -> Any:
    """Read a value as TOML would, within the bounds of files; a bare word is text."""
    try:
        return parse_toml(f"value = {text}", where=f"--set {key}", expected="a value of TOML")["value"]
    except FileError as error:
        if isinstance(error.__cause__, tomllib.TOMLDecodeError):
            return text
        raise
