"""Reading a release: the release itself, or a released table with the schema or recoding it was made by."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, Protocol, TypeGuard

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.table.encoding import codes_of, distinct_values
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.table.text import as_text, is_missing


class HasSchema(Protocol):
    """A job."""

    @property
    def schema(self) -> Schema:
        """What each column is."""


class Released(Protocol):
    """What is read of a release: its table, its second one if sensitive values lie apart, recoding and schema."""

    @property
    def frame(self) -> pl.DataFrame:
        """The published table."""

    @property
    def counts(self) -> pl.DataFrame | None:
        """How many records of each bucket have which sensitive value."""

    @property
    def recoding(self) -> Recoding:
        """What cells stand for."""

    @property
    def job(self) -> HasSchema:
        """How it was made."""

    @property
    def log(self) -> Any:
        """What only the custodian may see, such as ``source_rows``."""


def is_release(thing: Any) -> TypeGuard[Released]:
    """Say whether this is a release, and not a table alone."""
    return isinstance(getattr(thing, "recoding", None), Recoding)


def dropped(source: pl.DataFrame, schema: Schema) -> pl.Series:
    """Say which records the schema leaves out for their gaps."""
    gaps = [is_missing(source[name]) for name, attribute in schema.items() if attribute.missing == "drop"]
    return reduce(or_, gaps, pl.repeat(False, source.height, dtype=pl.Boolean, eager=True))


def hierarchies_of(source: pl.DataFrame, schema: Schema, population: pl.DataFrame | None) -> dict[str, Hierarchy]:
    """Build the hierarchies that a release of the table was made by."""
    kept = source.filter(~dropped(source, schema))
    tables = [kept] if population is None else [kept, population]
    return {
        name: schema.hierarchy(
            name,
            distinct_values(pl.concat([table[name].to_frame("c") for table in tables], how="vertical_relaxed")["c"]),
        )
        for name in schema.quasi
    }


def labelled(column: pl.Series) -> tuple[list[Label], NDArray[np.int64]]:
    """Return the different cells of a column as text, and the number of each row's."""
    values = distinct_values(column)
    labels = as_text(values).unique().sort().to_list()
    return labels, codes_of(column, values, {label: number for number, label in enumerate(labels)}).astype(np.int64)
