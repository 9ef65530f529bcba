"""The tables of a job: its source, and the population that published records are of, where a model counts it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from nymity.core import validation
from nymity.core.errors import InputError, JobError, TableError
from nymity.dp.records import read_columns
from nymity.io import ReadOptions, Valued, read_table, to_polars
from nymity.privacy import PrivacyModel
from nymity.privacy.second_table import Frame
from nymity.publishing.jobs.children import Children, Joined, join_tables
from nymity.publishing.jobs.job import Job
from nymity.table.encoding import person_ids
from nymity.table.level_recoding import LevelRecoding
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema


@dataclass(frozen=True, eq=False, kw_only=True)
class Tables:
    """The table to publish and, where a model counts it, the population: as it was read, and the name of its file."""

    published: pl.DataFrame
    everyone: pl.DataFrame | None = None
    file: str | None = None
    left_out: int = 0  #: children without a parent that were left out of it

    def population(self, schema: Schema) -> pl.DataFrame | None:
        """Return the population's quasi-identifiers, without records that the schema drops for a gap in them.

        And its person column, where it has the schema's.
        """
        return None if self.everyone is None else _prepared(self.everyone, self.published, schema)


@dataclass(frozen=True, eq=False, kw_only=True)
class Population:
    """What a release is verified beside: the quasi-identifiers of everyone as published, and the records to publish.

    Without ``members``, which only presence needs, these are the records of the release. ``people`` says of whom each
    record of the population is, where it has the person column; ``owners`` the same of the records to publish.
    """

    cells: pl.DataFrame
    members: int | None
    people: pl.Series | None = None
    owners: pl.Series | None = None

    @staticmethod
    def of(
        population: pl.DataFrame, recoding: Recoding, published: pl.DataFrame | None, person: str | None = None
    ) -> Population:
        """Generalize a population as a release was; ``published`` are the records to publish, where they matter."""
        assert isinstance(recoding, LevelRecoding)  # partition methods refuse populations
        alone = replace(recoding, columns=tuple(recoding.hierarchies), left_out=None)
        recoded = alone.apply(population, outliers="keep")
        return Population(
            cells=recoded.table,
            members=None if published is None else published.height,
            people=person_ids(population[person])[recoded.source_rows]
            if person is not None and person in population.columns
            else None,
            owners=None if published is None or person is None else person_ids(published[person]),
        )


def load_source(job: Job) -> pl.DataFrame:
    """Read the table a job names; of two tables their join."""
    return load_valued(job).table if job.children is None else load_joined(job).table


def load_valued(job: Job, *, text_as_numbers: bool = False) -> Valued:
    """Read the table a job names, and tell what was taken as missing; of a private job nothing is counted.

    With ``text_as_numbers`` the text of a large table may be numbers (:mod:`nymity.table.numbered_text`).
    """
    if job.source is None:
        raise JobError("source", expected="a path to the table", got="none", hint='add [source] path = "table.csv"')
    refuse_children("job", job.children)
    if job.is_private:
        return Valued(table=job.source.read_texts(read_columns(job.schema)))
    return job.source.read_valued(text_as_numbers=text_as_numbers)


def refuse_children(where: str, children: Children | None) -> None:
    """Refuse two tables, for all that works on one."""
    if children is not None:
        raise JobError(
            where,
            expected="one table: of two tables of the same people this is not built",
            got="one with children",
            hint="the job in its place, where a command takes one; their join, release.frame in Python, is one table",
        )


def load_joined(job: Job, parents: pl.DataFrame | None = None, children: pl.DataFrame | None = None) -> Joined:
    """Read and join the two tables of a job, those that were not given."""
    assert job.children is not None
    if parents is None:
        parents = load_source(replace(job, children=None))
    if children is None:
        if job.children.path is None:
            raise JobError("children.path", expected="a path to the table of children", got="none")
        children = read_table(job.children.path, job.children.options)
    return join_tables(parents, children, job.schema, job.children)


def as_one(job: Job) -> tuple[Job, pl.DataFrame]:
    """Return what a job of two tables says of their join, as a job of one table, and the join."""
    joined = load_joined(job)
    return replace(job, children=None, schema=joined.schema), joined.table


def population_of(job: Job) -> pl.DataFrame | None:
    """Read the quasi-identifiers of the population that a job counts, if it counts one."""
    if not any(model.second_table for model in job.privacy):
        return None
    return tables_of(job, load_source(job)).population(job.schema)


def tables_of(job: Job, source: pl.DataFrame) -> Tables:
    """Return the table to publish and the population apart; ``source`` is what the job publishes by itself."""
    model = _model_of(job)
    if model is None:
        return Tables(published=source)
    second = _read_second(job, model)
    if model.publishes_second:
        return Tables(published=second, everyone=source, file=Path(job.source.path).name if job.source else None)
    return Tables(published=source, everyone=second, file=_file_name(model))


def beside_population(job: Job) -> Tables:
    """Read the population that a job names beside its source; it stands for the source too, which is not read."""
    model = _model_of(job)
    assert model is not None
    second = _read_second(job, model)
    return Tables(published=second, everyone=second, file=_file_name(model))


def published_table(job: Job, source: pl.DataFrame) -> pl.DataFrame:
    """Return the table that a job publishes, which need not be its source."""
    model = _model_of(job)
    return source if model is None or not model.publishes_second else _read_second(job, model)


def public_model(model: PrivacyModel) -> PrivacyModel:
    """Return a model as a certificate may show it: a second table by the name of its file."""
    if not model.second_table:
        return model
    return replace(model, **{model.second_table: _file_name(model) or repr(_second(model))})  # type: ignore[type-var]


def _model_of(job: Job) -> PrivacyModel | None:
    """Return the model that names a second table; several must name the same one."""
    models = [model for model in job.privacy if model.second_table]
    if len({(model.second_table, _second(model)) for model in models}) > 1:
        raise JobError(
            "privacy",
            expected="models that speak of one population",
            got=" and ".join(f"{model.key} with {model.second_table} {_second(model)!r}" for model in models),
            hint="publish by one of them",
        )
    return models[0] if models else None


def _second(model: PrivacyModel) -> str | Frame:
    named: str | Frame = getattr(model, model.second_table)
    return named


def _file_name(model: PrivacyModel) -> str | None:
    named = _second(model)
    return Path(named).name if isinstance(named, str) else None


def _read_second(job: Job, model: PrivacyModel) -> pl.DataFrame:
    """Read the second table of a model; of a file cells mean what those of the source do."""
    named = _second(model)
    table = read_table(named, _as_the_source(job, model)) if isinstance(named, str) else to_polars(named.content)
    if not table.height:
        raise TableError(f"{model.key}.{model.second_table}", expected="at least one record", got="an empty table")
    return table


def _as_the_source(job: Job, model: PrivacyModel) -> ReadOptions:
    """Return what the job says of the cells of its source; of single columns what is said of those that are used."""
    told = {} if job.source is None else dict(job.source.stated_values)
    used = set(job.schema if model.publishes_second else job.schema.quasi)
    for name in ("missing_in", "dates_in"):
        if name in told:
            told[name] = {column: rule for column, rule in told[name].items() if column in used}
    return ReadOptions(**told)


def _prepared(everyone: pl.DataFrame, published: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    quasi = ", ".join(map(repr, schema.quasi))
    validation.columns_there(
        TableError, "population", schema.quasi, everyone.columns, expected=f"the quasi-identifiers {quasi}"
    )
    person = [] if schema.person is None or schema.person not in everyone.columns else [schema.person]
    columns = (*schema.quasi, *person)
    cells, known = pl.DataFrame({name: everyone[name] for name in columns}), schema.among(columns)
    try:
        known.check(cells)
    except InputError as error:
        raise TableError(
            f"population, {error.where}", expected=error.expected, got=error.got, hint=error.hint
        ) from error
    for name in schema.quasi:
        _check_kind(name, cells[name], published[name])
    # As the published table: a record with a gap has no class that it could be counted in.
    return cells.filter(~known.gaps(cells))


def _check_kind(name: str, people: pl.Series, records: pl.Series) -> None:
    """Refuse numbers beside text and the like: what is written alike need not mean the same."""
    if pl.Null in (people.dtype, records.dtype) or _kind(people.dtype) == _kind(records.dtype):
        return
    raise TableError(
        f"population, column {name!r}",
        expected=f"{_kind(records.dtype)}, as in the published table",
        got=_kind(people.dtype),
        hint="give both columns one type; a column of a text file is text if any of its values is not a plain number",
    )


def _kind(dtype: pl.DataType) -> str:
    if dtype.is_numeric():
        return "numbers"
    return "text" if dtype in (pl.String, pl.Categorical, pl.Enum) else str(dtype.base_type())
