"""Public: real data sets that the user keeps on disk, in the form ARX uses for its benchmarks.

The environment variable ``NYMITY_DATA`` names a folder with one folder per data set::

    adult_arx/adult.csv.gz     adult_arx/hierarchies/adult_hierarchy_<column>.csv     30,162 records, 9 columns
    cup_arx/cup.csv.gz         cup_arx/hierarchies/cup_hierarchy_<column>.csv         63,441 records, 8 columns
    fars/fars.csv.gz           fars/hierarchies/fars_hierarchy_<column>.csv          100,937 records, 8 columns
    fars/fars_subset.csv       (the same hierarchies)                                 10,093 records
    diabetes130/dataset_diabetes.zip                                                 101,766 records, 15 columns of 50
    acs_census/census_acs_665800.parquet                                             665,800 records, 12 columns
    adult/adult.data                                                                  32,561 records, 15 columns
    cmc/cmc.data                                                                       1,473 records, 10 columns
    framingham/framingham.csv                                                          4,238 records, 16 columns
    nursery/nursery.data                                                              12,960 records, 9 columns
    ringnorm/ringnorm_standardized.csv                                                 7,400 records, 21 columns

Any other file may be plain (``.csv``) or compressed (``.csv.gz``). All values are text, ``;`` separates them; those of
the last five have the format of their source, and no hierarchies but value or ``*``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import polars as pl

from nymity.core import validation
from nymity.core.errors import FileError, SchemaError
from nymity.core.quoting import as_given
from nymity.table.attribute import Attribute, insensitive, quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity.table.text import as_text
from nymity_lab.datasets.diabetes import read_diabetes
from nymity_lab.datasets.tasks import TASKS, read_task

#: The environment variable that names the folder.
DATA_VARIABLE = "NYMITY_DATA"


@dataclass(frozen=True, kw_only=True)
class PublicDataset:
    """A table with a hierarchy for each of its columns."""

    name: str
    table: pl.DataFrame
    hierarchies: Mapping[str, Hierarchy]

    def schema(self, quasi: Sequence[str] | None = None, sensitive: Sequence[str] = ()) -> Schema:
        """Return a schema: the ``quasi`` columns (default: all that are not sensitive), the rest insensitive."""
        for field, names in (("quasi", quasi or ()), ("sensitive", sensitive)):
            for name in names:
                if name not in self.table.columns:
                    raise SchemaError(
                        f"{self.name}.schema.{field}",
                        expected=f"columns of the table ({', '.join(self.table.columns)})",
                        got=as_given(name),
                        hint=validation.nearest(name, self.table.columns),
                    )
        both = [name for name in sensitive if name in (quasi or ())]
        if both:
            raise SchemaError(f"{self.name}.schema", expected="one role per column", got=f"{both[0]!r} in both lists")
        return Schema({name: self._attribute(name, quasi, sensitive) for name in self.table.columns})

    def _attribute(self, name: str, quasi_names: Sequence[str] | None, sensitive_names: Sequence[str]) -> Attribute:
        if name in sensitive_names:
            return sensitive(self.hierarchies[name])
        if quasi_names is None or name in quasi_names:
            return quasi(self.hierarchies[name])
        return insensitive()


def public(name: str) -> PublicDataset:
    """Load a data set of :data:`PUBLIC_NAMES` from where ``NYMITY_DATA`` says.

    ``acs``, an extract of the American Community Survey of 2018 in numbers, and the tables for learning
    (``adult-census``, ``cmc``, ``framingham``, ``nursery``, ``ringnorm``) have no hierarchies but value or ``*``.
    """
    place = _place(name)
    if name == "acs" or name in TASKS:
        table = _read_parquet(place.folder / place.table) if name == "acs" else learning_table(name)
        flat = {column: Hierarchy.flat(as_text(table[column].unique().sort()).to_list()) for column in table.columns}
        return PublicDataset(name=name, table=table, hierarchies=flat)
    if name == "diabetes130":
        return PublicDataset(name=name, **_read_archive(place.folder / place.table))
    table = _read_table(place.folder / place.table)
    hierarchies = {
        column: _read_hierarchy(place.folder / "hierarchies" / f"{place.prefix}_hierarchy_{column}.csv")
        for column in table.columns
    }
    return PublicDataset(name=name, table=table, hierarchies=hierarchies)


def learning_table(name: str) -> pl.DataFrame:
    """Return the table of a learning task, one of :data:`nymity_lab.datasets.tasks.TASKS`, as text."""
    validation.one_of("dataset", name, TASKS)
    found = locate(name)
    try:
        return read_task(name, found)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _not_understood(found, "the table as its source hands it out", error) from error


def locate(name: str) -> Path:
    """Return the file of a data set, or say where to put it."""
    place = _place(name)
    return _find(place.folder / place.table)


def available(name: str) -> bool:
    """Return whether :func:`public` would find the table of this data set."""
    place = _PLACES.get(name)
    root = os.environ.get(DATA_VARIABLE, "")
    return place is not None and root != "" and _existing(Path(root) / place.folder / place.table) is not None


# -- places --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    folder: Path
    table: str
    prefix: str


_PLACES = {
    "adult": _Place(Path("adult_arx"), "adult.csv", "adult"),
    "cup": _Place(Path("cup_arx"), "cup.csv", "cup"),
    "fars": _Place(Path("fars"), "fars.csv", "fars"),
    "fars-subset": _Place(Path("fars"), "fars_subset.csv", "fars"),
    "diabetes130": _Place(Path("diabetes130"), "dataset_diabetes.zip", ""),
    "acs": _Place(Path("acs_census"), "census_acs_665800.parquet", ""),
    "adult-census": _Place(Path("adult"), "adult.data", ""),
    "cmc": _Place(Path("cmc"), "cmc.data", ""),
    "framingham": _Place(Path("framingham"), "framingham.csv", ""),
    "nursery": _Place(Path("nursery"), "nursery.data", ""),
    "ringnorm": _Place(Path("ringnorm"), "ringnorm_standardized.csv", ""),
}

#: The names :func:`public` knows.
PUBLIC_NAMES = tuple(_PLACES)


def _place(name: str) -> _Place:
    """Return the place of a data set with its folder made absolute."""
    validation.one_of("dataset", name, _PLACES)
    place = _PLACES[name]
    root = os.environ.get(DATA_VARIABLE, "")
    if not root:
        raise FileError(
            f"dataset {name!r}",
            expected=f"{place.table} in the folder {place.folder} of your data",
            got=f"no folder, because {DATA_VARIABLE} is not set",
            hint=f"set the environment variable {DATA_VARIABLE} to the folder that holds {place.folder}",
        )
    return _Place(Path(root) / place.folder, place.table, place.prefix)


def _existing(path: Path) -> Path | None:
    compressed = path.with_name(f"{path.name}.gz")
    return next((candidate for candidate in (path, compressed) if candidate.is_file()), None)


def _find(path: Path) -> Path:
    found = _existing(path)
    if found is None:
        raise FileError(
            f"data file {path.name}",
            expected=f"{path.name} or {path.name}.gz in the folder {path.parent}",
            got="no such file" if path.parent.is_dir() else "no such folder",
            hint=f"set the environment variable {DATA_VARIABLE} to the folder that holds the data sets",
        )
    return found


# -- files ---------------------------------------------------------------------------------------------------


def _read_table(path: Path) -> pl.DataFrame:
    found = _find(path)
    try:
        return pl.read_csv(found, separator=";", infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _not_understood(found, "a table of text separated by ';'", error) from error


def _read_parquet(path: Path) -> pl.DataFrame:
    found = _find(path)
    try:
        return pl.read_parquet(found)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _not_understood(found, "a parquet file", error) from error


def _read_archive(path: Path) -> dict[str, Any]:
    found = _find(path)
    try:
        table, hierarchies = read_diabetes(found)
    except (pl.exceptions.PolarsError, BadZipFile, KeyError, OSError) as error:
        raise _not_understood(found, "the archive of the UCI repository", error) from error
    return {"table": table, "hierarchies": hierarchies}


def _read_hierarchy(path: Path) -> Hierarchy:
    return Hierarchy.read(_find(path), delimiter=";")


def _not_understood(path: Path, expected: str, error: Exception) -> FileError:
    return FileError(
        f"data file {path}",
        expected=expected,
        got=str(error).splitlines()[0] if str(error) else type(error).__name__,
        hint="fetch the file again",
    )
