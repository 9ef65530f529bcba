"""Findings: what was measured on the original when a release was made, kept by the custodian: figures, no values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from nymity.core.errors import FileError
from nymity.core.format_numbers import FINDINGS
from nymity.core.plain_data import read_json
from nymity.io import to_polars
from nymity.publishing.releases.opened import OpenedRelease
from nymity.publishing.releases.release import Release
from nymity.risk import AttackReport, measure_risk

_Figures = TypeVar("_Figures")


@dataclass(frozen=True, kw_only=True)
class Risk:
    """Risk of a table to someone who knows all quasi-identifiers of a person, and that the person is in it."""

    records: int
    classes: int
    unique: int
    highest: float
    average: float


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """An attack that was tried: how far it got, and the limit that a promise sets it, if any."""

    title: str
    assumes: str
    says: str
    chance: float
    promised: float | None
    exceeds: bool


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The risk before, and the attacks that were tried on the release; ``release`` is the hash of its cells."""

    release: str
    before: Risk | None
    attempts: tuple[Attempt, ...] = ()
    not_tried: tuple[str, ...] = ()

    @staticmethod
    def of(release: Release | OpenedRelease, original: Any, attacks: AttackReport | None = None) -> Findings:
        """Measure the original beside a release; nothing is measured of a differentially private one."""
        opened = OpenedRelease.of(release)
        content = opened.certificate.output.content_sha256
        if opened.is_private:
            return Findings(release=content, before=None)
        return Findings(
            release=content,
            before=_risk(measure_risk(to_polars(original), opened.released.schema_for("findings"))),
            attempts=() if attacks is None else tuple(map(_attempt, attacks.results)),
            not_tried=() if attacks is None else tuple(f"{one.title}: {one.reason}" for one in attacks.not_run),
        )

    def text(self) -> str:
        """Return it as JSON."""
        plain = {
            "format": FINDINGS.tag,
            "note": "Not for release: this tells about the original.",
            "release": self.release,
            "before": None if self.before is None else vars(self.before),
            "attempts": [vars(one) for one in self.attempts],
            "not_tried": list(self.not_tried),
        }
        return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def load(path: str | Path) -> Findings:
        """Read what :meth:`text` wrote."""
        try:
            data = read_json(path, expected=f"findings ({FINDINGS.tag})")
            FINDINGS.number_of(data, str(path))
            return Findings(
                release=str(data["release"]),
                before=None if data["before"] is None else _typed(Risk, data["before"]),
                attempts=tuple(_typed(Attempt, one) for one in data["attempts"]),
                not_tried=tuple(map(str, data["not_tried"])),
            )
        except FileError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FileError(str(path), expected=f"findings ({FINDINGS.tag})", got="something else") from error


def _typed(kind: type[_Figures], fields: Mapping[str, Any]) -> _Figures:
    """Return figures of a file whose fields are what they are declared to be; a whole number is a number, too."""
    for name, wanted in get_type_hints(kind).items():
        if not isinstance(fields[name], wanted | int if wanted is not bool and wanted is not str else wanted):
            raise TypeError(name)
    return kind(**fields)


def _risk(found: Any) -> Risk | None:
    if found.prosecutor.highest is None or found.prosecutor.average is None:
        return None
    return Risk(
        records=found.counted,
        classes=found.classes,
        unique=found.unique_records,
        highest=float(found.prosecutor.highest if found.row_share is None else found.row_share),
        average=float(found.prosecutor.average),
    )


def _attempt(result: Any) -> Attempt:
    chance = result.rate if result.highest is None else float(result.highest)
    return Attempt(
        title=result.title if result.attribute is None else f"{result.title} ({result.attribute})",
        assumes=result.assumes,
        says=result.sentence,
        chance=max(0.0, float(chance)),
        promised=result.promised,
        exceeds=result.exceeds,
    )
