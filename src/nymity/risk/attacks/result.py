"""What attacks report: how often they succeed, beside what was promised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

from nymity.core.card import Card, Carded, CardTable
from nymity.risk.attackers import as_float


@dataclass(frozen=True, kw_only=True)
class Limit:
    """The most that a promise lets an attack succeed, for anybody, and the words of that promise."""

    chance: Fraction
    promise: str

    reasons: ClassVar[tuple[str, ...]] = ()

    def exceeded_by(self, chance: float | Fraction) -> bool:
        """Return whether a chance is larger than promised."""
        return chance > self.chance


@dataclass(frozen=True)
class NoLimit:
    """No promise limits how far an attack gets: why, for each promise that was made."""

    reasons: tuple[str, ...]

    chance: ClassVar[None] = None
    promise: ClassVar[None] = None

    def exceeded_by(self, chance: float | Fraction) -> bool:
        """No chance is larger than promised."""
        del chance
        return False


@dataclass(frozen=True, kw_only=True, repr=False)
class AttackResult(Carded):
    """One attack, on one sensitive attribute where it is about one.

    ``rate`` is the share of ``n`` attempts that succeed, ``successes`` of them, with a 95% interval from ``low`` to
    ``high``; where everybody was counted (``exact``) both are the rate itself. ``highest``: the largest chance the
    attacker has with anybody. ``baseline``: the rate of someone who guesses without the release, or at people who are
    not in it. ``limit``: what was promised about ``highest``, or why no promise limits it; where values have limits of
    their own, the one that is exceeded. ``exceeds``: whether the attack does better than promised, decided by exact
    chances where ``highest`` is known, else by ``low``.
    """

    key: str
    title: str
    assumes: str
    n: int
    successes: float
    rate: float
    sentence: str
    limit: Limit | NoLimit
    exceeds: bool = False
    interval: tuple[float, float] | None = None  #: None where everybody was counted
    attribute: str | None = None
    highest: Fraction | None = None
    baseline: float | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    counts: str = "people"  #: records or persons, or households, where records are of these

    @property
    def exact(self) -> bool:
        """Whether everybody was counted."""
        return self.interval is None

    @property
    def low(self) -> float:
        """The lower end of the interval, or the rate itself."""
        return self.rate if self.interval is None else self.interval[0]

    @property
    def high(self) -> float:
        """The upper end of the interval, or the rate itself."""
        return self.rate if self.interval is None else self.interval[1]

    @property
    def promised(self) -> float | None:
        """The limit as a number; None without one."""
        return as_float(self.limit.chance)

    @property
    def no_promise(self) -> tuple[str, ...]:
        """Why no promise limits the attack; nothing where one does."""
        return self.limit.reasons

    def by_records(self) -> AttackResult:
        """Say that records were counted, where they are of persons: one may have several, and most rows of a class."""
        return replace(
            self,
            counts="records",
            assumes=f"{self.assumes}; records are counted here, not persons",
            sentence=f"{self.sentence.removesuffix('.')}; a person may have several of them, and most rows of a class.",
        )

    def by_persons(self, unit: str) -> AttackResult:
        """Say that persons were counted, or households: ``unit`` is one."""
        return replace(self, counts=f"{unit}s")

    def card(self) -> Card:
        """Return what is shown of one attack."""
        return _attacks_card(f"Attack: {self.title}", [self], (self.sentence, f"Assumes that {self.assumes}."))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "attack": self.key,
            **({} if self.attribute is None else {"attribute": self.attribute}),
            "title": self.title,
            "counts": self.counts,
            "assumes": self.assumes,
            "attempts": self.n,
            "successes": self.successes,
            "rate": self.rate,
            "interval": [self.low, self.high],
            "exact": self.exact,
            "highest": as_float(self.highest),
            "baseline": self.baseline,
            "promised": self.promised,
            "promise": self.limit.promise,
            "no_promise": list(self.no_promise),
            "exceeds": self.exceeds,
            "sentence": self.sentence,
            **self.figures,
        }


@dataclass(frozen=True, kw_only=True)
class NotRun:
    """An attack that was not run, and why."""

    key: str
    title: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"attack": self.key, "title": self.title, "not_run": self.reason}


@dataclass(frozen=True, kw_only=True, repr=False)
class AttackReport(Carded):
    """Every attack that was run on a release, and why others were not.

    Rates against the original are the custodian's: they tell about people. ``perturbed``: columns that others may know,
    too, and that no attack here looks at.
    """

    results: tuple[AttackResult, ...]
    not_run: tuple[NotRun, ...]
    rows: int
    people: int | None  #: of the original, where it was given; records, where those are of persons
    targets: int
    seed: int
    of_persons: bool = False  #: records are of persons
    persons: int | None = None  #: of the original, where it tells whose its records are
    perturbed: tuple[str, ...] = ()

    @property
    def by_records(self) -> tuple[str, ...]:
        """Attacks that counted records, of whom one person may have most in a class."""
        return tuple(dict.fromkeys(result.key for result in self.results if result.counts == "records"))

    @property
    def exceeded(self) -> tuple[AttackResult, ...]:
        """Attacks that do better than promised."""
        return tuple(result for result in self.results if result.exceeds)

    def __getitem__(self, key: str) -> AttackResult:
        """Return the first result of an attack."""
        return next(result for result in self.results if result.key == key)

    def card(self) -> Card:
        """Return what is shown of all attacks."""
        others = f"Not run: {', '.join(one.title for one in self.not_run)}." if self.not_run else ""
        known = f"Known to others, and used by no attack: {', '.join(self.perturbed)}." if self.perturbed else ""
        return _attacks_card("Attacks", self.results, [one for one in (known, others) if one])

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "rows": self.rows,
            **({"perturbed": list(self.perturbed)} if self.perturbed else {}),
            **({"records": self.people, "persons": self.persons} if self.of_persons else {"people": self.people}),
            "targets": self.targets,
            "seed": self.seed,
            "exceeded": [result.key for result in self.exceeded],
            "attacks": [result.to_dict() for result in self.results],
            "not_run": [attack.to_dict() for attack in self.not_run],
        }


def _attacks_card(title: str, results: Sequence[AttackResult], sentences: Sequence[str]) -> Card:
    columns = ("attack", "succeeds", "highest", "promised", "by guessing")
    exceeded = [result for result in results if result.exceeds]
    rows = [
        (
            one.title if one.attribute is None else f"{one.title} ({one.attribute})",
            one.rate,
            as_float(one.highest),
            one.promised,
            one.baseline,
        )
        for one in results
    ]
    return Card(
        title=title,
        verdict=f"{len(exceeded)} better than promised" if exceeded else "none better than promised",
        tone="bad" if exceeded else "good",
        sentences=sentences,
        tables=[CardTable(columns=columns, rows=rows, bars="succeeds")],
    )
