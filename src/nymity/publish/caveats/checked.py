"""Warnings of a release that somebody received: found again where the table shows them, else as certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.privacy import PrivacyModel
from nymity.publish.caveats.caveat import Caveat, differences, worst_first
from nymity.publish.caveats.table import SEEN, caveats_of_table
from nymity.table.schema import Role


@dataclass(frozen=True, kw_only=True)
class CheckedCaveats:
    """The warnings of a release, the worst first, and where its certificate contradicts what the table shows."""

    warnings: tuple[Caveat, ...] = ()
    problems: tuple[str, ...] = ()


def checked_caveats(
    table: pl.DataFrame,
    counts: pl.DataFrame | None,
    *,
    roles: Mapping[str, str],
    models: Sequence[PrivacyModel],
    stated: Mapping[str, Any] | None,
    private: bool = False,
    classes: bool = True,
) -> CheckedCaveats:
    """Look for the warnings that a table alone shows, and compare them with those its certificate states.

    ``roles`` are the roles of columns by name, ``models`` what is promised, ``stated`` the certificate, if there is
    one. Of a ``private`` release nothing is looked for: what the certificate says does not depend on the records.
    ``classes`` is False for freeform releases. Warnings that only the custodian can find (people with several records,
    earlier releases) are taken from the certificate. The first format of certificates lists texts, if anything; nothing
    is compared then.
    """
    told = [] if stated is None else list(stated.get("not_protected", []))
    known = [_read(one) for one in told]
    if private:
        return CheckedCaveats(warnings=worst_first(known))
    by_role = {role: [name for name, own in roles.items() if own == role.value] for role in Role}
    found = caveats_of_table(
        table,
        quasi=[name for name in by_role[Role.QUASI] if name in table.columns],
        sensitive=by_role[Role.SENSITIVE],
        insensitive=by_role[Role.INSENSITIVE],
        promised={name for model in models for name in model.sensitive},
        counts=counts,
        classes=classes,
    )
    compared = stated is not None and "not_protected" in stated and not any(isinstance(one, str) for one in told)
    problems = differences(told, found, SEEN) if compared else []
    return CheckedCaveats(
        warnings=worst_first([*(one for one in known if one.key not in SEEN), *found]), problems=tuple(problems)
    )


def _read(one: Any) -> Caveat:
    """Read a warning of a certificate; the first format had texts of the kind alone."""
    if isinstance(one, str):
        return Caveat.by_nature(one)
    return Caveat(key=str(one["warning"]), says=str(one["says"]), figures=one.get("figures", {}))
