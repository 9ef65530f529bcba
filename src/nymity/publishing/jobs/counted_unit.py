"""What the promises of a job count: records, persons or households; and pseudonyms, which need a promise about them."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.core.errors import JobError
from nymity.core.quoting import as_given
from nymity.privacy import PrivacyModel
from nymity.table.attribute import Role
from nymity.table.schema import Schema


def counted_by(schema: Schema, models: Sequence[PrivacyModel]) -> Schema:
    """Return a schema with what these promises count: households where one is promised to them, else persons."""
    return schema.counting(Role.HOUSEHOLD if any(model.of_households for model in models) else Role.PERSON)


def check_pseudonyms(schema: Schema, linking: PrivacyModel | None) -> None:
    """Refuse pseudonyms of whom nothing is promised: everybody sees which rows go together by them."""
    for role in (Role.PERSON, Role.HOUSEHOLD):
        for name in schema.columns(role):
            if schema[name].pseudonym is None or (linking is not None and schema.unit == name):
                continue
            wanted = "LinkedKAnonymity(k=5, knows=2)"
            if role is Role.HOUSEHOLD:
                wanted = "LinkedKAnonymity(k=5, knows='all', of='household')"
            if linking is not None and role is Role.PERSON:
                raise JobError(
                    f"schema.{name}.pseudonym",
                    expected="none where households are promised something: members are told apart by it, and the rows "
                    "of each are linked inside a household, which the promise does not reckon with",
                    got=as_given(schema[name].pseudonym),
                    hint="leave the pseudonym out, or promise persons: of = 'person'",
                )
            raise JobError(
                "privacy",
                expected=f"linked-k-anonymity, which says how many records of one {role} somebody may know (knows): "
                f"the pseudonyms of {name!r} show which rows are of one {role}",
                got="promises about every row by itself" if linking is None else "a promise to persons",
                hint=f"{wanted}; or no pseudonym",
            )
