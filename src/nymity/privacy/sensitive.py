"""What every model of a sensitive attribute asks of a table."""

from __future__ import annotations

from nymity.core.errors import ParameterError
from nymity.core.validation import nearest
from nymity.table.encoding import EncodedTable


def check_name(key: str, attribute: object) -> None:
    """Refuse anything but a text as the name of a model's attribute."""
    if not isinstance(attribute, str):
        raise ParameterError(f"{key}.attribute", expected="the name of a sensitive column", got=repr(attribute))


def check_sensitive(key: str, attribute: str, table: EncodedTable) -> None:
    """Refuse an attribute that is not a sensitive one of the table."""
    if attribute in table.sensitive:
        return
    known = list(table.sensitive)
    raise ParameterError(
        f"{key}.attribute",
        expected=f"a sensitive column ({', '.join(map(repr, known)) or 'the schema has none'})",
        got=repr(attribute),
        hint=nearest(attribute, known) or f"declare {attribute!r} sensitive in the schema",
    )


def check_values(where: str, l: float, attribute: str, table: EncodedTable, *, needs: int | None = None) -> None:  # noqa: E741
    """Refuse an l that needs more different values (l itself unless said otherwise) than the attribute has."""
    available = len(table.sensitive[attribute].labels)
    if (l if needs is None else needs) > available:
        raise ParameterError(where, expected=f"at most {available}, the different values of {attribute!r}", got=str(l))
