"""Free text: what people wrote may name anybody, so it is published only by a job that says so twice."""

from __future__ import annotations

import polars as pl

from nymity.core.errors import TableError
from nymity.table.attribute import Attribute, Role
from nymity.table.schema import Schema


def refuse_free_text(table: pl.DataFrame, schema: Schema) -> None:
    """Refuse columns of free text that would be published for their role alone.

    It looks at the records, so it is not for private releases: whether they are refused would tell of them.
    """
    shown = [name for name, attribute in schema.items() if _shows_cells(attribute) and attribute.free_text is None]
    if not shown:
        return
    from nymity.risk.evidence.free_text import is_free_text  # all of risk: not for jobs that need none of it

    for name in shown:
        if is_free_text(table[name]):
            raise TableError(
                f"schema.{name}",
                expected="no free text in a column that is published: people write names and numbers into it",
                got=f"texts of several words that seldom repeat, and only the role {schema[name].role.value!r}",
                hint='role = "identifying" leaves it out; free_text = "published" beside the role publishes it',
            )


def _shows_cells(attribute: Attribute) -> bool:
    """Whether cells may be published as they are; the levels of a hierarchy were looked through by who made it."""
    if attribute.role is Role.QUASI:
        return attribute.hierarchy is None
    return attribute.role in (Role.SENSITIVE, Role.INSENSITIVE, Role.PERTURBED)
