"""Columns that are declared the same in all records of a person: records that contradict each other are refused."""

from __future__ import annotations

import polars as pl

from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.core.wording import people
from nymity.table.encoding import person_ids
from nymity.table.schema import Schema
from nymity.table.text import as_text

#: How many persons an error names.
_NAMED = 5


def check_constant(table: pl.DataFrame, schema: Schema) -> None:
    """Refuse persons with several values in a column that is declared ``constant``; a gap contradicts nothing."""
    if schema.person is None:
        return
    who = person_ids(table[schema.person])
    for name in (name for name, attribute in schema.items() if attribute.constant):
        rows = pl.DataFrame({"person": who, "value": as_text(table[name])}).drop_nulls().unique()
        values = rows.group_by("person").len("values")
        several = values.filter(pl.col("values") > 1)["person"].sort().to_list()
        if several:
            named = ", ".join(quoted(person) for person in several[:_NAMED])
            raise TableError(
                f"column {name!r}",
                expected=f"one value in all records of a person ({schema.person!r}), as constant = true says",
                got=f"several for {people(len(several))}: {named}{' …' if len(several) > _NAMED else ''}",
                hint="correct these records, or leave constant out if the column may change",
            )
