"""What models that say nothing about values, or about who is in a release, answer to attacks on that."""

from __future__ import annotations

from fractions import Fraction

from nymity.privacy.model import PrivacyModel, Unlimited
from nymity.table.encoding import SensitiveColumn


class NothingOnValues(PrivacyModel):
    """A promise that sets attacks on sensitive values no limit."""

    def value_shares(self, column: SensitiveColumn) -> list[Fraction] | Unlimited:
        """Any value may fill a class."""
        del column
        return Unlimited("it does not look at sensitive values")

    def fewest_values(self, column: SensitiveColumn) -> int | Unlimited:
        """A class may have a single value."""
        del column
        return Unlimited("it does not look at sensitive values")


class NothingOnPresence(PrivacyModel):
    """A promise to the people in a release, which sets attacks on who they are no limit."""

    def presence_chances(self) -> tuple[Fraction, Fraction] | Unlimited:
        """Anybody may be known to be in the release."""
        return Unlimited("it is about the people in the release, not about who is in it")

    def presence_advantage(self) -> Fraction | Unlimited:
        """Members may be told from others."""
        return Unlimited("it is about the people in the release, not about who is in it")
