"""Warnings that follow from the roles of columns and the promises, whatever the records are."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.privacy import PrivacyModel
from nymity.publishing.caveats.caveat import Caveat
from nymity.table.schema import Schema


def caveats_of_schema(schema: Schema, models: Sequence[PrivacyModel]) -> list[Caveat]:
    """Return what numbers of rows, households, published weights and sets of items leave open."""
    promised = sorted({name for model in models for name in model.sensitive})
    return [*_presence(schema, models), *_households(schema), *_weights(schema, promised), *_items(schema, models)]


def _presence(schema: Schema, models: Sequence[PrivacyModel]) -> list[Caveat]:
    """Shares of persons do not limit what the number of rows of a class tells of persons with several records."""
    if schema.unit is None or not any(model.hides_presence for model in models):
        return []
    unit = schema.counts[:-1]
    says = (
        f"Promises count {schema.counts}, and the table shows how many rows each class has: whoever knows how many "
        f"records each {unit} ({schema.unit!r}) would have may find by their number that some {unit} is in the table, "
        "or is not. One record of each leaves nothing to add up."
    )
    return [Caveat(key="rows-of-those-who-are-there", says=says, figures={"column": schema.unit})]


def _households(schema: Schema) -> list[Caveat]:
    """A promise to each member is none to all of them together."""
    if schema.household is None or schema.counts == "households":
        return []
    says = (
        f"Promises count {schema.counts}, not households ({schema.household!r}): who knows all members of one may find "
        "rows that fit them together where each fits many."
    )
    return [Caveat(key="households-together", says=says, figures={"column": schema.household})]


def _items(schema: Schema, models: Sequence[PrivacyModel]) -> list[Caveat]:
    """Whoever knows more of a set than was thought of, or looks at what else is in it, is not stopped."""
    if (column := schema.item_column) is None or not any(model.about_items for model in models):
        return []
    says = (
        f"Sets of {column.name!r} are published: who knows more items of a person than the promise names, how many "
        "there are, or that some are not there may find one record, and what else the records that fit have in common "
        "is learned of everybody whom they fit. What is generalized and suppressed was chosen by a look at all items: "
        "who knows the program can leave out the sets for which it would have chosen otherwise."
    )
    return [Caveat(key="items-beyond-those-known", says=says, figures={"column": column.name})]


def _weights(schema: Schema, promised: Sequence[str]) -> list[Caveat]:
    """Weights of a sample that was drawn by a look at sensitive values tell of these, as means of classes, too."""
    weight = schema.weight
    if weight is None or not schema[weight].is_published or not promised:
        return []
    how = "The mean weight of a class" if weight == schema.coarsened_weight else "A weight"
    who = "who of it has which value" if weight == schema.coarsened_weight else "the value of its record"
    says = f"{how} ({weight!r}) tells {who} if the sample was drawn or weighted by a look at {', '.join(promised)}."
    return [Caveat(key="weights-by-design", says=says, figures={"column": weight})]
