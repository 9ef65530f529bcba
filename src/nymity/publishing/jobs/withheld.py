"""Withheld: the figures that a certificate does not tell, because they depend on what the release keeps secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nymity.privacy import PrivacyModel
from nymity.publishing.jobs.registry import Method
from nymity.table.schema import Schema

#: What is not told of an earlier release where it would tell a secret.
OF_EARLIER = ("smallest_group", "people_in_both")


@dataclass(frozen=True, kw_only=True)
class Withheld:
    """What whoever knows everybody's quasi-identifiers would learn from, and is not told.

    classes: whatever is counted by who is in which class, because that was drawn, or who is in the table is a secret:
    what earlier releases leave, and how many people an identifying column shows. shares: of persons or households,
    which tell who has which value where rows do not show whose they are. counts: of persons, which tell where a drawn
    record went, or who is in the table. loss: what the records lost, where who they are of is secret: some losses look
    at the values that occur among them.
    """

    classes: bool = False
    shares: bool = False
    counts: bool = False
    loss: bool = False

    @staticmethod
    def of(schema: Schema, models: Sequence[PrivacyModel], method: Method | None) -> Withheld:
        """Return what a certificate of such a job withholds."""
        hidden = schema.unit is not None and schema[schema.unit].pseudonym is None
        presence = any(model.hides_presence for model in models)
        classes = presence or divides_equals(method)
        return Withheld(classes=classes, shares=hidden, counts=hidden and classes, loss=presence)

    def parameters_of(self, model: PrivacyModel) -> bool:
        """Whether what a model measured is withheld: there is nothing but that its promise holds."""
        return self.counts or (self.shares and model.over_persons == "shares")


def divides_equals(method: Method | None) -> bool:
    """Whether records with equal quasi-identifiers may come into different classes, or buckets: which do, is drawn."""
    return bool(getattr(method, "divides_equals", False))


NOTHING = Withheld()
