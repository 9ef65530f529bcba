"""Withheld: the figures that a certificate does not tell, because they depend on what the release keeps secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nymity.privacy import PrivacyModel
from nymity.publishing.registry import Method
from nymity.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Withheld:
    """What whoever knows everybody's quasi-identifiers would learn from, and is not told.

    shares: of persons or households, which tell who has which value where rows do not show whose they are. counts: of
    persons, which tell where a drawn record went, or who is in the table. loss: what the records lost, where who they
    are of is secret: some losses look at the values that occur among them.
    """

    shares: bool = False
    counts: bool = False
    loss: bool = False

    @staticmethod
    def of(schema: Schema, models: Sequence[PrivacyModel], method: Method | None) -> Withheld:
        """Return what a certificate of such a job withholds."""
        hidden = schema.unit is not None and schema[schema.unit].pseudonym is None
        presence = any(model.hides_presence for model in models)
        drawn = getattr(method, "divides_equals", False)
        return Withheld(shares=hidden, counts=hidden and (presence or drawn), loss=presence)

    def parameters_of(self, model: PrivacyModel) -> bool:
        """Whether what a model measured is withheld: there is nothing but that its promise holds."""
        return self.counts or (self.shares and model.over_persons == "shares")


NOTHING = Withheld()
