"""recommend: try settings on a table within a time, and keep those that no other beats in risk and usefulness."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from statistics import fmean
from typing import Any

import polars as pl

from nymity.core import validation
from nymity.core.errors import InputError, Interrupted, NoSolutionError, ParameterError, SchemaError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.lattice.datafly import Datafly
from nymity.privacy import Groups, KAnonymity
from nymity.publishing.jobs.coercion import GivenModels
from nymity.publishing.jobs.job import Job
from nymity.recommending.base_job import base_job
from nymity.recommending.candidates import DEFAULT_K, Candidate, Family, families, first_round
from nymity.recommending.front import front
from nymity.recommending.query_examination import QueryExamination
from nymity.recommending.recommendation import Ending, Failure, Recommendation, RiskKind
from nymity.recommending.trial import Trial, TrialRisk, TrialRunner, risk_of
from nymity.recommending.usefulness import Examination
from nymity.recommending.variants import variants
from nymity.table.attribute import Role
from nymity.table.schema import GivenSchema, Schema
from nymity.table.text import plainly_named
from nymity.utility.classifiers import Classifier, chosen
from nymity.utility.learner import Learner

#: Classifiers that usefulness is measured by unless others are asked for: one linear, one not, both quick.
CLASSIFIERS = ("logistic-regression", "decision-tree")


def recommend(
    source: Any,
    schema: GivenSchema | None = None,
    *,
    target: str | None = None,
    quasi: Sequence[str] | None = None,
    privacy: GivenModels = (),
    k: Sequence[int] | int | None = None,
    risk: RiskKind = "highest",
    seconds: float = 60,
    trials: int | None = None,
    classifiers: Sequence[str | Classifier] = CLASSIFIERS,
    sample: int | None = 10_000,
    seed: int = 0,
    observe: Observer = silent,
) -> Recommendation:
    """Try methods, values of k and hierarchies on a table, and return the front of risk against usefulness.

    ``source`` is a frame, a path, or a :class:`Job`, whose roles, source and models are kept, but not k and method.
    Without a ``schema`` roles and hierarchies are suggested, with the ``quasi`` identifiers that are named. Usefulness
    is how well classifiers predict the ``target``, trained on the release and tested on original records: by accuracy,
    or by AUROC where classes are not about equally frequent. A target that nothing can be learned about is refused.
    Without a target usefulness is how well count queries are answered. ``privacy`` are models that hold beside
    k-anonymity in every release. At most ``sample`` records take part in learning.

    It ends when ``seconds`` are over, after so many ``trials``, or when nothing is left to try near the front; where
    no release is made by then, the quickest method makes one. Ctrl-C, or an observer that asks to stop, ends it too,
    and what was found is returned. Without a limit of time that matters, the same ``seed`` gives the same result.
    """
    begun = time.monotonic()
    _check(risk, seconds, trials, sample, seed)
    base, table = base_job(source, schema, target, quasi, privacy)
    base.schema.check(table)
    kept, _ = base.schema.without_gaps(table)
    ks = _values_of_k(k, kept.height)
    tried_with = chosen(classifiers)
    report(observe, Progress(stage="learning from the original" if base.target else "drawing queries"))
    examination: Examination | QueryExamination
    if base.target is None:
        examination = QueryExamination(table=kept, schema=base.schema, seed=seed)
        original = examination.original()
    else:
        learner = Learner.of(table, base.schema, target=base.target)
        examination, original = Examination.of(learner, tried_with, sample=sample, seed=seed).learned()
    schemas = variants(base.schema, examination.importance())
    search = _Search(
        base=base,
        schemas=schemas,
        families=_families(base, kept, list(schemas), ks),
        measuring=TrialRunner(table=table, examination=examination, seed=seed),
        risk=risk,
        until=begun + seconds,
        most=trials,
        observe=observe,
    )
    ending = search.run()
    return Recommendation(
        target=base.target,
        classes=len(examination.learner.classes) if isinstance(examination, Examination) else 0,
        measure=examination.measure,
        schema=base.schema,
        suggested=schema is None and not isinstance(source, Job),
        records=kept.height,
        examined=examination.records,
        risk=risk,
        original_risk=_original_risk(kept, base.schema),
        zero_r=examination.zero_r(),
        original=original,
        trials=tuple(search.found),
        failures=tuple(search.failed),
        ending=ending,
        seconds=time.monotonic() - begun,
        seed=seed,
    )


@dataclass(eq=False, kw_only=True)
class _Search:
    """One search under way: what was tried, and when to stop."""

    base: Job
    schemas: dict[str, Schema]
    families: tuple[Family, ...]
    measuring: TrialRunner
    risk: RiskKind
    until: float
    most: int | None
    observe: Observer
    found: list[Trial] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)  #: of the trials found
    failed: list[Failure] = field(default_factory=list)
    tried: set[Candidate] = field(default_factory=set)
    refused: set[Family] = field(default_factory=set)  #: families that refuse these models or this schema
    asked_to_stop: bool = False
    limited: bool = True  #: whether what is being tried ends with the time

    def run(self) -> Ending:
        """Try candidates until there is a reason to stop; without any release, say why there is none."""
        ending: Ending = "complete"
        try:
            for candidate in self._proposals():
                if self.most is not None and len(self.found) + len(self.failed) >= self.most:
                    ending = "trials"
                    break
                if not self._in_time(candidate):
                    ending = "time"  # and see whether a quicker one still fits
                    continue
                self._try(candidate)
        except (KeyboardInterrupt, Interrupted) as stop:
            in_time = isinstance(stop, Interrupted) and not self.asked_to_stop
            if not self.found and not in_time:
                raise
            ending = "time" if in_time else "interrupted"
        if not self.found and ending == "time":
            self._try_quickest()
        if not self.found:
            raise self._nothing()
        return ending

    def _try_quickest(self) -> None:
        """Make the one release that is always made, by what takes least time: no limit holds for it."""
        self.limited, known = False, {one.words for one in self.failed}
        for family in sorted(self.families, key=lambda one: not isinstance(one.base, Datafly)):
            first = family.start(0)
            if not self.found and family not in self.refused and first.words() not in known:
                self._try(first)

    def _proposals(self) -> Iterator[Candidate]:
        """Give what was not tried yet: the first round, then round after round the neighbours of the front."""
        yield from self._fresh(first_round(self.families))
        while True:
            members = [self.candidates[place] for place in self._front()]
            proposed = [next(self._unknown(member.neighbours()), None) for member in members]
            if not any(proposed):
                return
            yield from self._fresh(candidate for candidate in proposed if candidate is not None)

    def _fresh(self, proposed: Iterator[Candidate]) -> Iterator[Candidate]:
        for candidate in self._unknown(proposed):
            self.tried.add(candidate)
            yield candidate

    def _unknown(self, proposed: Iterator[Candidate]) -> Iterator[Candidate]:
        return (c for c in proposed if c not in self.tried and c.family not in self.refused)

    def _try(self, candidate: Candidate) -> None:
        self._tell()
        settings = candidate.settings
        models = (KAnonymity(k=settings["k"]), *self.base.privacy[1:])
        job = replace(self.base, schema=self.schemas[settings["columns"]], privacy=models, method=candidate.method)
        try:
            trial = self._measured(candidate.words(), job)
        except (NoSolutionError, InputError) as error:
            self.failed.append(Failure(words=candidate.words(), reason=str(error)))
            if isinstance(error, ParameterError | SchemaError):  # it refuses models or schema
                self.refused.add(candidate.family)
        else:
            self.found.append(trial)
            self.candidates.append(candidate)

    def _measured(self, words: str, job: Job) -> Trial:
        begun, measuring = time.monotonic(), self.measuring
        release = measuring.release(job, self._watch)
        verified, records = release.verification, measuring.table.height - release.log.dropped_records
        trial = Trial(
            words=words,
            job=job,
            risk=risk_of(release),
            classes=verified.classes,
            suppressed=records - (verified.records - verified.masked),
            records=records,
            scores=measuring.scores(release, self._watch),
            seconds=0.0,
            distances=measuring.examination.distances(release),
        )
        if len(self.found) in self._front(trial):
            trial = replace(trial, linkage=measuring.linkage(release, self._watch))
        return replace(trial, seconds=time.monotonic() - begun)

    def _front(self, *further: Trial) -> list[int]:
        return front([trial.point(self.risk) for trial in [*self.found, *further]])

    def _in_time(self, candidate: Candidate) -> bool:
        """Whether a trial of its kind can be expected to end in time."""
        alike = [t.seconds for t, c in zip(self.found, self.candidates, strict=True) if c.family == candidate.family]
        return time.monotonic() + (fmean(alike) if alike else 0.0) < self.until

    def _watch(self, _: Progress) -> bool:
        """Look up from what is being done: is there time, and does the caller want more?"""
        self._tell()
        return not self.limited or time.monotonic() < self.until

    def _tell(self) -> None:
        left = max(self.until - time.monotonic(), 0.0)
        done = len(self.found) + len(self.failed)
        mean = fmean(trial.seconds for trial in self.found) if self.found else left or 1.0
        total = done + max(1, round(left / mean)) if mean else done + 1
        expected = total if self.most is None else min(total, self.most)
        try:
            report(self.observe, Progress(stage="trying settings", done=done, total=expected, seconds_left=left))
        except Interrupted:
            self.asked_to_stop = True
            raise

    def _nothing(self) -> NoSolutionError:
        reasons = Counter(failure.reason for failure in self.failed).most_common(1)
        why = f"; most often: {reasons[0][0]}" if reasons else ""
        return NoSolutionError(f"none of {len(self.failed)} settings gave a release{why}")


def _check(risk: str, seconds: float, trials: int | None, sample: int | None, seed: int) -> None:
    validation.one_of("risk", risk, ("highest", "average"))
    validation.number("seconds", seconds, above=0)
    validation.whole_number("seed", seed, at_least=0, at_most=2**32 - 1)  # as classifiers take it
    if trials is not None:
        validation.whole_number("trials", trials, at_least=1)
    if sample is not None:
        validation.whole_number("sample", sample, at_least=1)


def _values_of_k(wanted: Sequence[int] | int | None, records: int) -> list[int]:
    """Return the values of k to try, rising: those that two classes can have."""
    if isinstance(wanted, int):
        wanted = (wanted,)
    if wanted is not None:
        validation.instance("k", wanted, (list, tuple), expected="a list of whole numbers")
    for value in wanted or ():
        validation.whole_number("k", value, at_least=2)
    values = sorted({value for value in (DEFAULT_K if wanted is None else wanted) if 2 * value <= records})
    if values:
        return values
    raise ParameterError(
        "k",
        expected=f"values of at most {records // 2:,}, for two classes of {records:,} records",
        got=", ".join(map(str, wanted or ())) or "none",
    )


def _families(base: Job, table: pl.DataFrame, columns: list[str], ks: list[int]) -> tuple[Family, ...]:
    schema, target = base.schema, base.target
    sensitive = target is not None and schema[target].role is Role.SENSITIVE
    return families(
        ks,
        columns,
        records=table.height,
        lattice_size=_lattice_size(table, schema),
        target=target if sensitive else None,
    )


def _lattice_size(table: pl.DataFrame, schema: Schema) -> int:
    """Ways to choose a level for each quasi-identifier."""
    sizes = []
    for name in schema.quasi:
        high, least = schema[name].max_level, schema[name].min_level
        top = schema.hierarchy(name, plainly_named(table[name]).unique()).height if high is None else high
        sizes.append(top - least + 1)
    return prod(sizes)


def _original_risk(table: pl.DataFrame, schema: Schema) -> TrialRisk:
    """The risk of publishing the quasi-identifiers as they are."""
    groups = Groups(table, schema.quasi)
    assert groups.smallest is not None
    return TrialRisk(highest=Fraction(1, groups.smallest), average=Fraction(len(groups.sizes), table.height))
