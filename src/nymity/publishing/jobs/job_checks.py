"""What a job cannot ask for at once: columns, promises and methods that do not go together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nymity.core import validation
from nymity.core.errors import JobError
from nymity.core.quoting import as_given
from nymity.privacy import PrivacyModel
from nymity.publishing.jobs.counted_unit import check_pseudonyms
from nymity.publishing.jobs.registry import METHODS, MODELS, Method, is_private
from nymity.publishing.jobs.withheld import divides_equals
from nymity.table.attribute import Role
from nymity.table.schema import Schema

#: Letters of a column's name that a certificate holds.
_LONGEST_NAME = 1_000


def check_names(names: Iterable[str]) -> None:
    """Refuse columns before the search whose names no certificate could hold after it."""
    for name in names:
        if len(name) > _LONGEST_NAME:
            raise JobError(
                "schema",
                expected=f"names of columns of at most {_LONGEST_NAME:,} letters",
                got=f"{name[:40]!r} and {len(name) - 40:,} letters more",
                hint="give the column another name in the source",
            )


def check_persons(
    schema: Schema, models: Sequence[PrivacyModel], method: Method | None, *, children: bool = False
) -> None:
    """Refuse what cannot count persons where records are of persons, and what counts them where nobody tells them.

    Households are counted like persons where a promise is made to them.
    """
    linking = next((model for model in models if model.over_persons == "links"), None)
    check_pseudonyms(schema, linking)
    # Linked rows and those who have them are as many there, or the search refuses the table.
    single = linking is not None and takes_single_rows(method) and not children
    if linking is not None:
        for model in models:
            model.check_beside(models)
        if not single:
            _check_method(
                method,
                "takes_links",
                expected="one level for each column, because rows of a person or household are linked",
                got="a method that publishes a value in several ways; those of linked rows intersect, and tell more "
                "than each",
            )
    if schema.unit is None:
        if getattr(method, "suppression_persons", None) is not None:
            raise JobError(
                "method.suppression_persons",
                expected="a column that says of whom records are (role = 'person')",
                got="a schema without one",
                hint="suppression limits records",
            )
        if linking is not None:
            role = Role.HOUSEHOLD if linking.of_households else Role.PERSON
            raise JobError(
                f"privacy: {linking.key}",
                expected=f"a column that says whose records are (role = '{role}'): it links them",
                got="a schema without one",
                hint="k-anonymity, where every record is of another person",
            )
        return
    counts = f"counts {schema.counts}, because {schema.unit!r} says whose records are"
    for model in models:
        if model.over_persons is None:
            able = ", ".join(key for key, known in MODELS.items() if known.over_persons is not None)
            raise JobError(
                f"privacy: {model.key}",
                expected=f"a model that {counts}: {able}",
                got=f"{model.title}, which counts records",
                hint="choose one of these, or publish one record for each person",
            )
    if not single:
        _check_method(method, "takes_persons", expected=f"a method that {counts}", got="one that counts records")


def takes_single_rows(method: Method | None) -> bool:
    """Whether a method publishes linked rows only where everybody has one, which the table shows and not the job."""
    return bool(getattr(method, "takes_single_rows", False))


def check_weight(schema: Schema, models: Sequence[PrivacyModel], method: Method | None) -> None:
    """Refuse mean weights where a promise is not about classes, or could be broken by a design that nobody stated.

    And where it is drawn who of equal records is in which class: a mean tells who.
    """
    if (name := schema.coarsened_weight) is None:
        return
    sensitive = sorted({value for model in models for value in model.sensitive})
    if sensitive and schema[name].publish is None:
        raise JobError(
            f"schema.{name}.publish",
            expected="the word of somebody who knows the sample: was it drawn or weighted by a look at "
            f"{', '.join(sensitive)}?",
            got="none, and the mean weight of a class would then tell who of it has which value",
            hint='publish = "coarsened" if it was not, publish = "dropped" if it was or nobody knows',
        )
    why = ""
    for model in models:
        if model.second_table:
            why = f"{model.key} lets a class have a single record, whose mean weight is its own"
        elif model.needs_source or model.beyond_classes:
            why = f"{model.key} is about rows without classes, whose weights have no mean"
    # The mean of one record is its weight, and that is often known to one person alone.
    if models and not why and max(model.smallest_class for model in models) < 2:
        keys = ", ".join(model.key for model in models)
        why = f"{keys} of this job let a class be of a single {schema.counts[:-1]}, and a mean of one is its own weight"
    instead = "'dropped' or 'as it is'"
    if divides_equals(method):
        instead = "'dropped'"  # weights as they are tell it, too
        key = getattr(method, "key", type(method).__name__)
        why = why or f"{key} draws who of equal records is in which class, and the mean weight of a class tells who"
    if why:
        raise JobError(
            f"schema.{name}.publish",
            expected=f"{instead}, because {why}",
            got="'coarsened', the mean weight of each class",
            hint='publish = "dropped"',
        )


def check_batches(schema: Schema, models: Sequence[PrivacyModel], method: Method | None, *, children: bool) -> None:
    """Refuse to add to a table what cannot be measured on all batches of it together, by what it holds."""
    why = ""
    if is_private(method):
        why = "a differentially private method: what batches spend adds up, and no table shows it"
    elif children or (method is not None and method.makes.has_counts):
        why = "two tables, whose keys mean something in one batch alone"
    elif schema.unit is not None:
        why = f"records of {schema.counts}, who may be in several batches"
    else:
        # What no row shows cannot be measured again on the rows of earlier batches.
        beyond = next((model for model in models if model.second_table or model.needs_source), None)
        why = "" if beyond is None else f"{beyond.key}, which speaks of more than the table"
    if why:
        raise JobError(
            "output.mode",
            expected="'create' or 'replace': only its own rows can show that the whole table keeps a promise",
            got=f"'append' with {why}",
            hint="a table of its own for each release",
        )


def check_items(
    schema: Schema,
    privacy: Sequence[PrivacyModel],
    method: Method | None,
    *,
    target: str | None = None,
    intersected: bool = False,
) -> None:
    """Refuse sets of items without a promise about them, a promise without them, and what cannot publish them.

    ``intersected``: an earlier release is to be intersected with this one.
    """
    models, column = [model for model in privacy if model.about_items], schema.item_column
    if column is None:
        if models:
            raise JobError(
                f"privacy: {models[0].key}",
                expected="a column of items (role = 'items'), which it is about",
                got="a schema without one",
                hint="k-anonymity, where cells have one value each",
            )
        return
    if len(models) != 1:
        raise JobError(
            "privacy",
            expected=f"km-anonymity once: it says how many items of {column.name!r} somebody may know of a person",
            got="none" if not models else f"{len(models)} times",
            hint="KMAnonymity(k=5, m=2)",
        )
    models[0].check_beside(privacy)
    why = ""
    if (person := schema.person) is not None and schema[person].pseudonym is not None:
        why = f"a pseudonym in {person!r}: each person has one set, and one row"
    elif intersected:
        why = "an earlier release to intersect with, which is measured by quasi-identifiers alone; name it instead"
    elif target == column.name:
        why = "sets as a target to learn: classifiers predict one value"
    if why:
        raise JobError(f"schema.{column.name}", expected="a job without what sets of items cannot have", got=why)
    wanted = f"one level for each column, because {column.name!r} holds sets of items"
    _check_method(method, "takes_items", expected=wanted, got="a method that cannot publish them")


def _check_method(method: Method | None, takes: str, *, expected: str, got: str) -> None:
    """Refuse a method that does not say that it takes something, and name those that do."""
    if method is not None and not getattr(method, takes, False):
        able = ", ".join(key for key, known in METHODS.items() if getattr(known, takes, False))
        where = f"method: {getattr(method, 'key', type(method).__name__)}"
        raise JobError(where, expected=f"{expected}: {able}", got=got, hint="optimal-lattice")


def check_target(target: object, schema: Schema) -> None:
    """Refuse to learn what is not published."""
    published = schema.published
    if not isinstance(target, str) or target not in published:
        raise JobError(
            "target",
            expected=f"a column that is published ({', '.join(map(repr, published))})",
            got=as_given(target),
            hint=validation.nearest(str(target), published),
        )


def check_seed(seed: object, method: Method | None) -> None:
    """Refuse a seed for methods that have their own."""
    validation.whole_number("seed", seed)
    if is_private(method):
        raise JobError(
            "seed",
            expected="none for a differentially private method",
            got=as_given(seed),
            hint="not_private_seed of the method, for a test: such a release is not private",
        )
