"""Warnings of a release that somebody received: found again where the table shows them, else as certified."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.privacy import PrivacyModel
from nymity.publishing.caveats.caveat import ORDER, Caveat, differences, worst_first
from nymity.publishing.caveats.of_table import SEEN, caveats_of_table
from nymity.table.attribute import Role


@dataclass(frozen=True, kw_only=True)
class CheckedCaveats:
    """The warnings of a release, the worst first, and where its certificate contradicts what the table shows."""

    warnings: tuple[Caveat, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ShownCaveats:
    """Warnings that were found, of which kinds these are all, and what is wrong with those that a certificate has."""

    found: tuple[Caveat, ...] = ()
    keys: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()


def checked_caveats(
    table: pl.DataFrame | None,
    counts: pl.DataFrame | None,
    *,
    roles: Mapping[str, str],
    models: Sequence[PrivacyModel],
    stated: Mapping[str, Any] | None,
    private: bool = False,
    classes: bool = True,
    foreseen: Sequence[Caveat] = (),
    shown: ShownCaveats = ShownCaveats(),
    found: Sequence[Caveat] = (),
) -> CheckedCaveats:
    """Look for the warnings that a table alone shows, and compare them with those its certificate states.

    ``roles`` are the roles of columns by name, ``models`` what is promised, ``stated`` the certificate, if there is
    one. Of a ``private`` release nothing is looked for: what the certificate says does not depend on the records.
    ``classes`` is False for freeform releases. ``foreseen`` are those that follow from the job, ``shown`` those about
    persons and dates that the release shows. Warnings that only the custodian can find (people with several records,
    earlier releases) are taken from the certificate. Without a table ``found`` are those that somebody found in it. The
    first format of certificates lists texts, if anything; nothing is compared then.
    """
    told = [] if stated is None else list(stated.get("not_protected", []))
    known = [_read(one) for one in told] if stated is not None else list(foreseen)
    compared = stated is not None and "not_protected" in stated and not any(isinstance(one, str) for one in told)
    problems = [*_unlike_job(stated or {}, known, foreseen, models), *shown.problems] if compared else []
    if private:
        return CheckedCaveats(warnings=worst_first(known), problems=tuple(problems))
    if table is None:
        return _compared(known, told, list(found), {*SEEN, *shown.keys}, problems, compared=compared)
    by_role = {role: [name for name, own in roles.items() if own == role.value] for role in Role}
    seen = caveats_of_table(
        table,
        quasi=[name for name in by_role[Role.QUASI] if name in table.columns],
        sensitive=by_role[Role.SENSITIVE],
        insensitive=[*by_role[Role.INSENSITIVE], *by_role[Role.WEIGHT]],
        models=models,
        counts=counts,
        classes=classes,
        persons=bool(by_role[Role.PERSON]),
    )
    return _compared(known, told, [*seen, *shown.found], {*SEEN, *shown.keys}, problems, compared=compared)


def _compared(
    known: Sequence[Caveat],
    told: Sequence[Any],
    found: Sequence[Caveat],
    keys: Collection[str],
    problems: Sequence[str],
    *,
    compared: bool,
) -> CheckedCaveats:
    """Hold warnings that were found against those of a certificate, of the kinds that were looked for."""
    unlike = differences(told, found, keys) if compared else []
    return CheckedCaveats(
        warnings=worst_first([*(one for one in known if one.key not in keys), *found]), problems=(*problems, *unlike)
    )


def _unlike_job(
    stated: Mapping[str, Any], expected: Sequence[Caveat], foreseen: Sequence[Caveat], models: Sequence[PrivacyModel]
) -> list[str]:
    """Return which warnings are missing, unknown or out of order, by what the rest of the certificate says.

    Of a job that promises no number of people, how many the release alone leaves is not told.
    """
    said = {(one.key, one.says) for one in expected}
    keys = {one.key for one in expected}
    problems = [f"it leaves out a warning: {one.says}" for one in foreseen if (one.key, one.says) not in said]
    allowed = {*ORDER, *(one.key for one in foreseen)}
    problems += [f"it has a warning that nymity does not know: {key}" for key in sorted(keys - allowed)]
    if list(expected) != list(worst_first(expected)):
        problems.append("its warnings are not in their order, the worst first")
    told = stated.get("earlier_releases", [])
    entries = [entry.get("smallest_group") for entry in told if not {"withheld", "people_in_both"} & entry.keys()]
    left = [entry["smallest_group"] for entry in told if entry.get("smallest_group") is not None]
    # What a certificate says of earlier releases is held against its own warnings: one without the other was edited.
    promised = max((model.smallest_class for model in models), default=1)
    if None in entries and "earlier-releases-not-measured" not in keys:
        problems.append("it names an earlier release that was not measured, and does not warn of it")
    if promised > 1 and any(one < promised for one in left) and "earlier-releases" not in keys:
        problems.append("earlier releases leave fewer than this release promises, and it does not warn of that")
    return problems


def _read(one: Any) -> Caveat:
    """Read a warning of a certificate; the first format had texts of the kind alone."""
    if isinstance(one, str):
        return Caveat.by_nature(one)
    return Caveat(key=str(one["warning"]), says=str(one["says"]), figures=one.get("figures", {}))
