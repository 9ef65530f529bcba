"""Recommendation: what was tried, and the choices on the front of risk against usefulness, each a job to publish."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from nymity.core.commit import staging
from nymity.core.paths import resolved
from nymity.publishing.job import Job
from nymity.publishing.toml import toml_job
from nymity.recommending.front import front
from nymity.recommending.trial import Trial, TrialRisk
from nymity.recommending.usefulness import ClassifierAccuracy, best
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

    ``kept_accuracy`` is (accuracy - ZeroR) / (accuracy of the original - ZeroR) on the records that were kept apart,
    None where the original's classifiers are no better than ZeroR there.
    """

    number: int
    trial: Trial
    kept_accuracy: float | None

    @property
    def job(self) -> Job:
        """The job that publishes it."""
        return self.trial.job

    @property
    def file_name(self) -> str:
        """The name of its job file."""
        return f"choice-{self.number:02d}.toml"


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """Every trial in the order it was made, what learning from the table itself reaches, and the front.

    It tells about the original: it is for the custodian.
    """

    target: str
    classes: int
    schema: Schema
    suggested: bool  #: whether roles and hierarchies were suggested by the table
    records: int
    examined: int
    risk: RiskKind
    original_risk: TrialRisk
    zero_r: ClassifierAccuracy
    original: tuple[ClassifierAccuracy, ...]
    trials: tuple[Trial, ...]
    failures: tuple[Failure, ...]
    ending: Ending
    seconds: float
    seed: int

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The trials that no other beats in both risk and accuracy, from the least risk to the most useful."""
        places = front([trial.point(self.risk) for trial in self.trials])
        return tuple(self._choice(number, self.trials[place]) for number, place in enumerate(places, start=1))

    @property
    def best_original(self) -> ClassifierAccuracy:
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
            f"accuracy on the {self.zero_r.confirming.records:,} records that were kept apart",
            "choosing by the table reveals a little about it: this is for the custodian, not for release",
        ]
        if not any(getattr(model, "attribute", None) == self.target for model in self.trials[0].job.privacy):
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "target": self.target,
            "classes": self.classes,
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
                "best": self.best_original.classifier,
            },
            "choices": [
                {"number": c.number, "job": c.file_name, "trial": self.trials.index(c.trial), "kept": c.kept_accuracy}
                for c in self.choices
            ],
            "optimism": self.optimism,
            "trials": [trial.to_dict() for trial in self.trials],
            "failures": [vars(failure) for failure in self.failures],
            "notes": list(self.notes),
        }

    def job_file(self, choice: Choice, folder: str | Path = ".") -> str:
        """Return the job of a choice as TOML, its paths as seen from a folder."""
        return toml_job(_seen_from(Path(folder), choice.job).to_dict(), self._comment(choice))

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
        return Choice(number=number, trial=trial, kept_accuracy=kept)

    def _comment(self, choice: Choice) -> str:
        trial, confirmed = choice.trial, choice.trial.score.confirming
        low, high = confirmed.interval
        lines = [
            f"Choice {choice.number} of {len(self.choices)}: {trial.words}.",
            f"Highest risk {float(trial.risk.highest):.2%}, average {float(trial.risk.average):.2%}, "
            f"{trial.suppressed:,} of {trial.records:,} records suppressed.",
            f"{trial.score.classifier} predicts {self.target!r} for {confirmed.rate:.1%} (95% interval {low:.1%} to "
            f"{high:.1%}) of {confirmed.records:,} records",
            f"that were kept apart; from the original {self.best_original.confirming.rate:.1%}, the most frequent "
            f"class alone {self.zero_r.confirming.rate:.1%}.",
            "These figures describe the original: do not publish this file.",
        ]
        if choice.job.source is None:
            lines.append('Add where the table lies: [source] path = "table.csv"')
        return "\n".join(lines)


def _roles(schema: Schema) -> str:
    """Return which columns are generalized, left out, and published as they are."""
    groups = {
        "generalized": schema.quasi,
        "left out": (name for name in schema if name not in schema.published),
        "published as they are": (*schema.sensitive, *schema.columns(Role.INSENSITIVE)),
        "weights": schema.columns(Role.WEIGHT),
    }
    return "; ".join(f"{words} {', '.join(names)}" for words, names in groups.items() if names)


def _optimism(score: ClassifierAccuracy) -> float:
    return score.choosing.rate - score.confirming.rate


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    with staging(folder) as stage:
        for name, text in texts.items():
            (stage / name).write_text(text, encoding="utf-8", newline="\n")
        stage.commit(texts)


def _seen_from(folder: Path, job: Job) -> Job:
    """Let relative paths start at the folder of the job file instead of where the program runs."""
    try:
        way = Path(os.path.relpath(Path.cwd(), resolved(folder)))
    except ValueError:  # another drive
        way = Path.cwd()
    return Job.from_dict(job.to_dict(), folder=way)
