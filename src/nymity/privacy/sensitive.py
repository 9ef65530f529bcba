"""What models of a sensitive attribute have in common, and what they ask of a table."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import nearest
from nymity.privacy.model import NothingOnPresence, Unlimited
from nymity.table.encoding import EncodedTable, SensitiveColumn

#: Shares that are no fractions are rounded up to as many parts.
_PARTS = 10**9


class SensitiveModel(NothingOnPresence):
    """A promise about the values that the records of a class have in one sensitive attribute."""

    attribute: str

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The attribute it is about."""
        return (self.attribute,)

    def fewest_values(self, column: SensitiveColumn) -> int | Unlimited:
        """As many of the values with the largest shares as it takes to fill a class."""
        shares = self.value_shares(column)
        if isinstance(shares, Unlimited):
            return shares
        needed, room = 0, Fraction(1)
        for share in sorted(shares, reverse=True):
            if room <= 0:
                break
            needed, room = needed + 1, room - share
        return needed


class ComparingModel(SensitiveModel):
    """A promise that compares each class with the whole table, so that a good class may come apart into bad ones.

    Each subclass has an example of a class that keeps it and is contained in one that does not.
    """

    monotone_generalization = False
    bounds_parts = True
    # Taking a class out changes the table that the others are compared with.
    monotone_suppression = False
    compares = True
    over_persons = "shares"


def overall_shares(column: SensitiveColumn) -> list[Fraction]:
    """Return the share of the whole table that each value has."""
    totals = column.totals.tolist()
    return [Fraction(records, max(1, sum(totals))) for records in totals]


def rounded_up(share: float) -> Fraction:
    """Return a share that a computed one does not exceed, at most 1."""
    return min(Fraction(1), Fraction(ceil(share * _PARTS), _PARTS))


def check_name(key: str, attribute: object) -> None:
    """Refuse anything but a text as the name of a model's attribute."""
    if not isinstance(attribute, str):
        raise ParameterError(f"{key}.attribute", expected="the name of a sensitive column", got=as_given(attribute))


def check_sensitive(key: str, attribute: str, table: EncodedTable) -> None:
    """Refuse an attribute that is not a sensitive one of the table."""
    if attribute in table.sensitive:
        return
    known = list(table.sensitive)
    raise ParameterError(
        f"{key}.attribute",
        expected=f"a sensitive column ({', '.join(map(repr, known)) or 'the schema has none'})",
        got=as_given(attribute),
        hint=nearest(attribute, known) or f"declare {attribute!r} sensitive in the schema",
    )


def check_values(where: str, l: float, attribute: str, table: EncodedTable, *, needs: int | None = None) -> None:  # noqa: E741
    """Refuse an l that needs more different values (l itself unless said otherwise) than the attribute has."""
    available = len(table.sensitive[attribute].labels)
    if (l if needs is None else needs) > available:
        raise ParameterError(where, expected=f"at most {available}, the different values of {attribute!r}", got=str(l))
