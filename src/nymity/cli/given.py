"""What a command is pointed at: a job, the folder of a release, or a table. One way to take it for all commands.

A job stands for the table it publishes, with its roles. A release stands for the released table, with the roles that
its certificate names. A table needs roles from elsewhere: ``--job``, ``--quasi``, or a certificate beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from nymity.cli.inputs import load_job, names, open_released, read_original
from nymity.core.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from nymity.database import DatabaseSource
    from nymity.publishing.jobs.job import Job, Source
    from nymity.publishing.releases.opened import OpenedRelease
    from nymity.table.schema import Schema

Data = Annotated[
    Path,
    typer.Argument(
        help="A job (.toml, .json), the folder of a release, or a table with --job or --quasi.", show_default=False
    ),
]
Original = Annotated[Path, typer.Argument(help="The table as it was, or the job that names it.", show_default=False)]

#: The k of a job that is made of a table and names of quasi-identifiers, as in starter jobs.
DEFAULT_K = 5


@dataclass(frozen=True)
class Given:
    """A path, and what lies there."""

    path: Path
    kind: Literal["job", "release", "table"]

    @staticmethod
    def of(path: Path) -> Given:
        """Tell by the path: files of jobs by their suffix, releases by their certificate; anything else is a table."""
        from nymity.publishing.sealing.signing import CERTIFICATE_NAME

        if path.suffix.lower() in (".toml", ".json") and not path.is_dir():
            return Given(path, "job")
        return Given(path, "release" if (path / CERTIFICATE_NAME).is_file() else "table")

    def refuse_roles(self, where: str, job: Path | None, quasi: str | None) -> None:
        """Refuse roles beside what has its own; a job may say more of a release than its certificate."""
        option = "--quasi" if quasi is not None else "--job" if job is not None and self.kind == "job" else None
        if self.kind != "table" and option is not None:
            raise InputError(where, expected=f"only a {self.kind}, which names the roles", got=f"{option} as well")


def job_of_given(
    where: str,
    path: Path,
    job: Path | None = None,
    quasi: str | None = None,
    reading: dict[str, Any] | None = None,
    settings: Sequence[str] = (),
) -> Job:
    """Return the job that is meant: the one given, or that of a table with the roles of a job or by their names."""
    given = Given.of(path)
    given.refuse_roles(where, job, quasi)
    if given.kind == "release":
        raise InputError(
            where,
            expected="a job, or the table that is to be published",
            got=f"{path}, which is a release",
            hint="the job it was made by; nymity risk, compare, query and check look at releases",
        )
    if given.kind == "job":
        return load_job(path, settings)
    refuse_both(where, job, quasi)
    if job is not None:
        return with_table(load_job(job, settings), path, reading or {})
    if quasi is None:
        raise InputError(
            where,
            expected="either --job or --quasi with a table",
            got="neither",
            hint=f"nymity inspect {path} --job job.toml suggests roles and writes a job to correct",
        )
    return load_job_of_names(path, names(quasi), reading or {}, settings)


def with_table(job: Job, path: Path, reading: dict[str, Any]) -> Job:
    """Return the job with another table as its source, read as the job says unless told otherwise."""
    from nymity.publishing.jobs.job import Source

    told = {name: value for name, value in reading.items() if value is not None}
    known = job.source if isinstance(job.source, Source) else Source(path=str(path))
    return replace(job, source=replace(known, path=str(path), **told))


def load_job_of_names(path: Path, quasi: list[str], reading: dict[str, Any], settings: Sequence[str]) -> Job:
    """Return a job of 5-anonymity for a table: these quasi-identifiers, other roles and hierarchies suggested."""
    from nymity.cli.inputs import changed
    from nymity.io import read_table
    from nymity.privacy import KAnonymity
    from nymity.publishing.jobs.job import Job, Source
    from nymity.recommending.base_job import suggested_schema

    source = Source(path=str(path), **reading)
    schema = suggested_schema(read_table(source.path, source.options), None, quasi)
    return changed(Job(schema=schema, privacy=(KAnonymity(k=DEFAULT_K),), source=source), settings)


def source_of_given(
    data: str, table: str | None, query: str | None, reading: dict[str, Any]
) -> Source | DatabaseSource:
    """Return the source that is meant: a file, a table or query by the URL of a database, or what a job file names."""
    from nymity.database import DatabaseSource
    from nymity.io import format_of
    from nymity.publishing.jobs.file_source import Source

    # A URL, and no path: on no system does a file begin so.
    if "://" in data:
        about_cells = {name: value for name, value in reading.items() if name in DatabaseSource.__dataclass_fields__}
        of_files = {name: value for name, value in reading.items() if name not in about_cells}
        _refuse_options("a table of a database, which is no file", of_files)
        return DatabaseSource.named(table, url=data, query=query, **about_cells)
    if table is not None or query is not None:
        format_of(Path(data))  # a file of a database is told its URL
    _refuse_options("a file; they are for the URL of a database", {"table": table, "query": query})
    if Path(data).suffix.lower() == ".toml":
        _refuse_options("a file with [source], which says how the table is read", reading)
        from nymity.publishing.jobs.job import Job

        return Job.load_source(Path(data))
    return Source(path=data, **reading)


def _refuse_options(of: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(f"--{name.replace('_', '-')}", expected=f"no such option for {of}", got=repr(value))


def refuse_both(where: str, job: Path | None, quasi: str | None) -> None:
    """Refuse two sayings about roles."""
    if job is not None and quasi is not None:
        raise InputError(where, expected="either --job or --quasi", got="both", hint="change the job's roles")


def read_with_roles(
    where: str, path: Path, job: Path | None, quasi: str | None, reading: dict[str, Any]
) -> tuple[pl.DataFrame, Schema | list[str]]:
    """Read a table with what is known of its columns: a schema, or names of quasi-identifiers in its place."""
    from nymity.io import ReadOptions, read_table

    given = Given.of(path)
    given.refuse_roles(where, job, quasi)
    if given.kind == "job":
        described = load_job(path)
        return table_of(described), described.schema
    refuse_both(where, job, quasi)
    if quasi is not None:
        return read_table(path, ReadOptions(**reading)), names(quasi)
    if job is None and given.kind == "table" and not _has_certificate(path):
        raise InputError(where, expected="either --job or --quasi", got="neither", hint="--quasi age,sex,postcode")
    opened = open_released(path, job)
    return opened.table, opened.released.schema_for(where)


def read_original_given(where: str, path: Path, opened: OpenedRelease) -> pl.DataFrame:
    """Read the table that a release was made from, by its path, or by that of the job that names it."""
    refuse_release(where, path)
    if Given.of(path).kind == "table":
        return read_original(path, opened)
    return table_of(load_job(path))


def refuse_release(where: str, original: Path) -> None:
    """Refuse a release where the original is to be given."""
    if Given.of(original).kind == "release":
        raise InputError(
            where,
            expected="the table as it was, or the job that names it, and then the release",
            got=f"{original}, which is a release",
        )


def _has_certificate(table: Path) -> bool:
    from nymity.publishing.sealing.signing import CERTIFICATE_NAME

    return table.is_file() and (table.parent / CERTIFICATE_NAME).is_file()


def table_of(job: Job) -> pl.DataFrame:
    """Read the table that a job names, of a private one what has a place."""
    from nymity.dp.public_domain import public_schema
    from nymity.dp.records import Records
    from nymity.publishing.jobs.job_tables import load_source

    table = load_source(job)
    return Records.of(table, public_schema(job.schema)).whole(table) if job.is_private else table
