"""Caveat: one warning about a release, and what several of them amount to.

Certificates list them under ``not_protected``. The word for readers is *warning*; Python means something else by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: Every kind of warning, the worst first; what a kind of release leaves open by nature comes after all of these.
ORDER = (
    "known-seed",
    "empty-promise",
    "no-ledger",
    "earlier-releases",
    "drawn-anew",
    "batches-can-be-subtracted",
    "linked-deliveries",
    "shifted-dates",
    "changes-undone",
    "known-values-changed",
    "changed-values",
    "several-records-of-one-person",
    "people-not-counted",
    "records-of-one-person-linked",
    "values-of-one-person-intersected",
    "class-of-one-person",
    "persons-spelled-alike",
    "population-counted-by-records",
    "rows-of-those-who-are-there",
    "members-of-one-household-linked",
    "households-together",
    "columns-that-single-out",
    "items-beyond-those-known",
    "weights-by-design",
    "no-promise-about-sensitive",
    "values-spelled-alike",
    "missing-values",
    "earlier-releases-not-measured",
    "chosen-by-hand",
    "optimality",
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Caveat:
    """Which warning it is, the sentence, and the figures in it as plain data: names of columns and numbers only."""

    key: str
    says: str
    figures: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def by_nature(text: str) -> Caveat:
        """Make a warning of what a kind of release leaves open, written ``what: why``."""
        return Caveat(key=text.partition(":")[0].replace(" ", "-"), says=f"{text[:1].upper()}{text[1:]}.")

    @property
    def severity(self) -> int:
        """Its place in the fixed order, 0 for the worst."""
        return ORDER.index(self.key) if self.key in ORDER else len(ORDER)

    def __repr__(self) -> str:
        return f"Caveat({self.key}: {self.says})"

    def plain(self) -> dict[str, Any]:
        """Return it as certificates have it."""
        return {"warning": self.key, "says": self.says, **({"figures": dict(self.figures)} if self.figures else {})}


def worst_first(caveats: Iterable[Caveat]) -> tuple[Caveat, ...]:
    """Sort warnings by how bad they are; equally bad ones stay as they were."""
    return tuple(sorted(caveats, key=lambda caveat: caveat.severity))


def verdict(holds: bool, warnings: int) -> str:
    """Return in a few words how a release stands."""
    if not holds or not warnings:
        return "holds" if holds else "does not hold"
    return f"holds, with {warnings:,} warning{'s' * (warnings > 1)}"


def differences(stated: Sequence[Mapping[str, Any]], expected: Sequence[Caveat], keys: Collection[str]) -> list[str]:
    """Return where the warnings of a certificate are not those that were found, of the kinds named by ``keys``."""
    told = {_identity(item): item for item in stated if item.get("warning") in keys}
    seen = {_identity(caveat.plain()): caveat for caveat in expected if caveat.key in keys}
    problems = [
        f"the certificate leaves out a warning: {caveat.says}" for one, caveat in seen.items() if one not in told
    ]
    problems += [
        f"the certificate gives other figures than the table shows: {seen[one].says}"
        for one, item in told.items()
        if one in seen and (item.get("figures", {}), item["says"]) != (dict(seen[one].figures), seen[one].says)
    ]
    problems += [
        f"the certificate warns of {key}{f' of {column!r}' if column else ''}, which the table does not show"
        for key, column in told
        if (key, column) not in seen
    ]
    return problems


def _identity(item: Mapping[str, Any]) -> tuple[str, str]:
    """The kind of a warning and the column it is about, if it is about one."""
    return str(item["warning"]), str(item.get("figures", {}).get("column", ""))
