"""Trial: one candidate, published in memory and measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import NoSolutionError
from nymity.core.progress import Observer
from nymity.publishing.jobs.codec import dump_piece
from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.release import Release
from nymity.publishing.running.run import Run
from nymity.recommending.front import FrontPoint
from nymity.recommending.query_examination import QueryExamination
from nymity.recommending.usefulness import Examination, Usefulness, best
from nymity.risk import attack

#: People that the linkage attack is tried on.
TARGETS = 300


@dataclass(frozen=True, kw_only=True)
class TrialRisk:
    """Whoever knows that a person is in the table, and all quasi-identifiers, picks the person's row with this chance.

    ``highest`` is that of the smallest class, ``average`` the mean over records. Both are exact.
    """

    highest: Fraction
    average: Fraction

    def of(self, kind: str) -> Fraction:
        """Return the one that is asked for."""
        return self.highest if kind == "highest" else self.average


@dataclass(frozen=True, kw_only=True)
class LinkageRate:
    """How often someone picked the right row who knew some columns of a person, with its 95% interval."""

    rate: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What was tried and what came out.

    ``linkage`` is None for releases that were not on the front when they were made. ``distances``: how far each
    quasi-identifier's distribution moved, where usefulness is not what is learned about a target.
    """

    words: str
    job: Job
    risk: TrialRisk
    classes: int
    suppressed: int
    records: int
    scores: tuple[Usefulness, ...]
    seconds: float
    linkage: LinkageRate | None = None
    distances: Mapping[str, float] = field(default_factory=dict)

    @property
    def score(self) -> Usefulness:
        """The classifier that learned most."""
        return best(self.scores)

    def point(self, kind: str) -> FrontPoint:
        """Return where it lies by a kind of risk."""
        other = "average" if kind == "highest" else "highest"
        return FrontPoint(risk=self.risk.of(kind), useful=self.score.choosing.exact, tie=self.risk.of(other))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "settings": self.words,
            "privacy": list(self.job.promises),
            "method": dump_piece(self.job.method, tag="name"),
            "risk": {"highest": float(self.risk.highest), "average": float(self.risk.average)},
            "linkage": None if self.linkage is None else vars(self.linkage),
            "classes": self.classes,
            "suppressed": self.suppressed,
            "scores": [score.to_dict() for score in self.scores],
            "best": self.score.by,
            **({"distances": dict(self.distances)} if self.distances else {}),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class TrialRunner:
    """Makes releases of a table and measures them; different settings often give the same, which is measured once."""

    table: pl.DataFrame
    examination: Examination | QueryExamination
    seed: int
    _known: dict[bytes, tuple[Usefulness, ...]] = field(default_factory=dict)

    def release(self, job: Job, observe: Observer) -> Release:
        """Publish in memory, drawing by the seed: nothing is written, and a comparison can be repeated."""
        seeded = job if job.is_private else replace(job, seed=self.seed)
        release = Run(seeded, self.table, observe).release()
        if release.verification.masked == release.verification.records:
            raise NoSolutionError("every record would have to be suppressed")
        return release

    def scores(self, release: Release, observe: Observer) -> tuple[Usefulness, ...]:
        """Return how useful a release is."""
        key = _fingerprint(release)
        if key not in self._known:
            self._known[key] = self.examination.of_release(release, observe)
        return self._known[key]

    def linkage(self, release: Release, observe: Observer) -> LinkageRate | None:
        """Attack a release; None where the attack does not apply."""
        options: dict[str, Any] = {"targets": TARGETS, "seed": self.seed, "observe": observe}
        found = attack(release, original=self.table, attacks=["linkage"], **options).results
        return LinkageRate(rate=found[0].rate, low=found[0].low, high=found[0].high) if found else None


def risk_of(release: Release) -> TrialRisk:
    """Count classes, the masked rows being one; by persons, of whom one may have most rows of a class."""
    verified = release.verification
    assert verified.smallest_class is not None
    if (persons := verified.persons) is not None and persons.row_share is not None:
        return TrialRisk(highest=Fraction(persons.row_share), average=Fraction(verified.classes, persons.in_classes))
    average = Fraction(verified.classes, verified.records)
    return TrialRisk(highest=Fraction(1, verified.smallest_class), average=average)


def _fingerprint(release: Release) -> bytes:
    """Return a hash of what a release publishes of which record."""
    order = np.argsort(release.log.source_rows)
    numbered = pl.DataFrame({str(number): column for number, column in enumerate(release.frame)})
    rows = numbered.hash_rows().to_numpy()[order]
    return blake2b(rows.tobytes() + release.log.source_rows[order].tobytes(), digest_size=16).digest()
