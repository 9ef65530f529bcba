"""Columns that have one value in all records of a person: records that contradict each other are refused."""

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
    for name in (name for name, attribute in schema.items() if attribute.constant):
        _refuse_several(
            table,
            schema,
            name,
            as_text(table[name]),
            expected=f"one value in all records of a person ({schema.person!r}), as constant = true says",
            hint="correct these records, or leave constant out if the column may change",
        )


def check_households(table: pl.DataFrame, schema: Schema) -> None:
    """Refuse persons who have records in several households; gaps are for the schema to refuse or drop."""
    if schema.person is None or schema.household is None:
        return
    _refuse_several(
        table,
        schema,
        schema.household,
        person_ids(table[schema.household]),
        expected=f"one household for all records of a person ({schema.person!r})",
        hint="decide which household counts, for example the latest, and write it to all records of the person",
    )


def _refuse_several(
    table: pl.DataFrame, schema: Schema, name: str, cells: pl.Series, *, expected: str, hint: str
) -> None:
    """Refuse persons with several different cells of a column, counted and named."""
    assert schema.person is not None, "a schema without a person column has no such columns"
    rows = pl.DataFrame({"person": person_ids(table[schema.person]), "cell": cells}).drop_nulls().unique()
    several = rows.group_by("person").len("cells").filter(pl.col("cells") > 1)["person"].sort().to_list()
    if several:
        named = ", ".join(quoted(person) for person in several[:_NAMED])
        more = " …" if len(several) > _NAMED else ""
        got = f"several for {people(len(several))}: {named}{more}"
        raise TableError(f"column {name!r}", expected=expected, got=got, hint=hint)
