"""Recommendation: what was tried, and the choices on the front of risk against usefulness, each a job to publish."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, Literal

from nymity.core.card import Card, Carded, CardTable
from nymity.core.commit import staging
from nymity.core.wording import count
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.toml import toml_job
from nymity.recommending.front import FrontPoint, front, knee
from nymity.recommending.trial import Trial, TrialRisk
from nymity.recommending.usefulness import Usefulness, best
from nymity.recommending.yardstick import ACCURACY, Measure
from nymity.table.attribute import Role
from nymity.table.schema import Schema
from nymity.utility.learning_result import relative

RiskKind = Literal["highest", "average"]
#: Why no more was tried: nothing is left near the front, the time is over, enough trials, or the caller stopped it.
Ending = Literal["complete", "time", "trials", "interrupted"]

DATA_NAME, PAGE_NAME = "recommendation.json", "recommendation.html"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A setting that gave no release, and why."""

    words: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A release on the front, numbered from the least risk to the most useful.

    ``kept`` is (usefulness - that of nothing) / (that of the original - that of nothing) on what was kept apart, None
    where the original is no better than nothing there.
    """

    number: int
    trial: Trial
    kept: float | None

    @property
    def job(self) -> Job:
        """The job that publishes it."""
        return self.trial.job

    @property
    def file_name(self) -> str:
        """The name of its job file."""
        return f"choice-{self.number:02d}.toml"


@dataclass(frozen=True, kw_only=True, repr=False)
class Recommendation(Carded):
    """Every trial in the order it was made, what learning from the table itself reaches, and the front.

    It tells about the original: it is for the custodian.
    """

    _instead: ClassVar = {"best": ".knee, or .choices", "publish": "ny.publish(recommendation.knee.job)"}

    target: str | None
    classes: int
    schema: Schema
    suggested: bool  #: whether roles and hierarchies were suggested by the table
    records: int
    examined: int
    risk: RiskKind
    original_risk: TrialRisk
    zero_r: Usefulness
    original: tuple[Usefulness, ...]
    trials: tuple[Trial, ...]
    failures: tuple[Failure, ...]
    ending: Ending
    seconds: float
    seed: int
    measure: Measure = ACCURACY

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The trials that no other beats in both risk and usefulness, from the least risk to the most useful."""
        places = front([trial.point(self.risk) for trial in self.trials])
        return tuple(self._choice(number, self.trials[place]) for number, place in enumerate(places, start=1))

    @cached_property
    def knee(self) -> Choice:
        """The choice where usefulness has risen most ahead of risk, between nothing published and the original."""
        at = knee(
            [choice.trial.point(self.risk) for choice in self.choices],
            nothing=FrontPoint(risk=Fraction(1, self.records), useful=self.zero_r.choosing.exact),
            original=FrontPoint(risk=self.original_risk.of(self.risk), useful=self.best_original.choosing.exact),
        )
        return self.choices[at]

    @property
    def best_original(self) -> Usefulness:
        """The classifier that learned most from the original."""
        return best(self.original)

    @property
    def optimism(self) -> float:
        """How much better the choices look on the records they were chosen by than on those kept apart, on average.

        Less the same difference of the original, which was not chosen: it tells how hard the records are.
        """
        looks = fmean(_optimism(choice.trial.score) for choice in self.choices)
        return looks - _optimism(self.best_original)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        found = [
            "the best of many trials tends to look better on the records it was chosen by than it is: trust the "
            f"{self.measure.title} on the {self.zero_r.confirming.records:,} {self.measure.again}",
            "choosing by the table reveals a little about it: this is for the custodian, not for release",
        ]
        if self.target is not None and not any(
            getattr(model, "attribute", None) == self.target for model in self.trials[0].job.privacy
        ):
            found.append(
                f"nothing promised here bounds what a release tells about {self.target!r} of a single person; where "
                "that matters, add a model such as t-closeness"
            )
        if self.suggested:
            found.append(f"roles were suggested, and how risky a release is depends on them: {_roles(self.schema)}")
        if self.examined < self.records:
            found.append(f"{self.examined:,} of {self.records:,} records took part in learning")
        if self.ending == "interrupted":
            found.append("it was interrupted: more trials may find better settings")
        return tuple(found)

    def card(self) -> Card:
        """Return what is shown: the front, the least risk first."""
        rows = [
            (
                f"{'→ ' if choice is self.knee else ''}{choice.number}",
                choice.trial.words,
                float(choice.trial.risk.of(self.risk)),
                None if choice.kept is None else round(choice.kept, 4),
            )
            for choice in self.choices
        ]
        columns = ("choice", "settings", f"{self.risk} risk", "usefulness kept")
        return Card(
            title="Recommendation",
            verdict=f"{count(len(rows), 'choice')} of {count(len(self.trials), 'trial')}",
            facts=[("records", self.records), ("target", self.target), ("ended by", self.ending)],
            sentences=self.notes[:1],
            tables=[
                CardTable(
                    columns=columns, rows=rows, bars="usefulness kept", title="From the least risk to the most useful"
                )
            ],
            foot="recommendation.knee.job publishes the choice with the arrow",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "target": self.target,
            "classes": self.classes,
            "measure": self.measure.key,
            "roles": {name: attribute.role.value for name, attribute in self.schema.items()},
            "records": self.records,
            "examined": self.examined,
            "risk": self.risk,
            "seed": self.seed,
            "ending": self.ending,
            "seconds": round(self.seconds, 3),
            "zero_r": self.zero_r.to_dict(),
            "original": {
                "risk": {"highest": float(self.original_risk.highest), "average": float(self.original_risk.average)},
                "scores": [score.to_dict() for score in self.original],
                "best": self.best_original.by,
            },
            "choices": [
                {"number": c.number, "job": c.file_name, "trial": self.trials.index(c.trial), "kept": c.kept}
                for c in self.choices
            ],
            "knee": self.knee.number,
            "optimism": self.optimism,
            "trials": [trial.to_dict() for trial in self.trials],
            "failures": [vars(failure) for failure in self.failures],
            "notes": list(self.notes),
        }

    def job_file(self, choice: Choice, folder: str | Path = ".") -> str:
        """Return the job of a choice as TOML, its paths as seen from a folder."""
        return toml_job(choice.job.seen_from(Path(folder)).to_dict(), self._comment(choice))

    def write(self, folder: str | Path, *, page: str | None = None) -> list[str]:
        """Write a job file for each choice and ``recommendation.json``, and a page, if given; return their names.

        All appear together, or none. Choices of an earlier recommendation in this folder are removed.
        """
        folder = Path(folder)
        texts = {choice.file_name: self.job_file(choice, folder) for choice in self.choices}
        texts[DATA_NAME] = json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        if page is not None:
            texts[PAGE_NAME] = page
        _write(folder, texts)
        for stale in folder.glob("choice-[0-9][0-9].toml"):
            if stale.name not in texts:
                stale.unlink()
        return list(texts)

    def _choice(self, number: int, trial: Trial) -> Choice:
        confirmed = trial.score.confirming.rate
        kept = relative(confirmed, self.best_original.confirming.rate, self.zero_r.confirming.rate)
        return Choice(number=number, trial=trial, kept=kept)

    @property
    def _task(self) -> str:
        return "count queries" if self.target is None else f"predicting {self.target!r}"

    def _comment(self, choice: Choice) -> str:
        trial, confirmed = choice.trial, choice.trial.score.confirming
        (low, high), said = confirmed.interval, self.measure.said
        lines = [
            f"Choice {choice.number} of {len(self.choices)}: {trial.words}.",
            f"Highest risk {float(trial.risk.highest):.2%}, average {float(trial.risk.average):.2%}, "
            f"{trial.suppressed:,} of {trial.records:,} records suppressed.",
            f"{self._task}: {self.measure.title} {said(confirmed.rate)} (95% interval {said(low)} to {said(high)}) on "
            f"{confirmed.records:,} {self.measure.again};",
            f"{self.measure.original} {said(self.best_original.confirming.rate)}, {self.measure.nothing} "
            f"{said(self.zero_r.confirming.rate)}.",
            "These figures describe the original: do not publish this file.",
        ]
        if choice.job.source is None:
            lines.append('Add where the table lies: [source] path = "table.csv"')
        return "\n".join(lines)


def _roles(schema: Schema) -> str:
    """Return which columns are generalized, left out, and published as they are."""
    groups = {
        "generalized": schema.quasi,
        "left out": tuple(name for name in schema if name not in schema.published),
        "published as they are": (*schema.sensitive, *schema.columns(Role.INSENSITIVE)),
        "weights": schema.columns(Role.WEIGHT),
    }
    return "; ".join(f"{words} {', '.join(names)}" for words, names in groups.items() if names)


def _optimism(score: Usefulness) -> float:
    return score.choosing.rate - score.confirming.rate


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    with staging(folder) as stage:
        for name, text in texts.items():
            (stage / name).write_text(text, encoding="utf-8", newline="\n")
        stage.commit(texts)
