"""Households: which persons live together, and what a table may not say about it."""

from __future__ import annotations

import polars as pl

from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.core.wording import people
from nymity.table.encoding import person_ids
from nymity.table.schema import Schema

#: How many persons an error names.
_NAMED = 5


def check_households(table: pl.DataFrame, schema: Schema) -> None:
    """Refuse persons who have records in several households; gaps are for the schema to refuse or drop."""
    if schema.person is None or schema.household is None:
        return
    rows = pl.DataFrame({"person": person_ids(table[schema.person]), "home": person_ids(table[schema.household])})
    homes = rows.drop_nulls().unique().group_by("person").len("homes")
    several = homes.filter(pl.col("homes") > 1)["person"].sort().to_list()
    if several:
        named = ", ".join(quoted(who) for who in several[:_NAMED])
        raise TableError(
            f"column {schema.household!r}",
            expected=f"one household for all records of a person ({schema.person!r})",
            got=f"several for {people(len(several))}: {named}{' …' if len(several) > _NAMED else ''}",
            hint="decide which household counts, for example the latest, and write it to all records of the person",
        )
