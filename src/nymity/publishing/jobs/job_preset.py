"""Job presets: what a rule book asks of a job, filled in as far as a program can.

A preset sets roles, hierarchies and thresholds, says where it has them from, and names what it cannot check. It looks
at names and values of columns, and may miss what they do not tell. None of it is legal advice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from nymity.core import validation
from nymity.core.card import Card, Carded, CardTable
from nymity.core.errors import InputError
from nymity.core.quoting import shown
from nymity.io import to_polars
from nymity.privacy import KAnonymity, PrivacyModel, ProsecutorRisk
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.job_tables import load_source
from nymity.risk import suggest
from nymity.risk.naming import words_of
from nymity.risk.presets import PRESETS as THRESHOLDS
from nymity.risk.suggestion import ColumnRisk
from nymity.table.attribute import Attribute, Role
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

NO_ADVICE = "This is no legal advice: whether it suffices is for whoever answers for the release to say."

#: 3-digit ZIP areas of at most 20,000 people by the census of 2000, as the guidance of the US Department of Health and
#: Human Services on de-identification lists them; it asks for current figures instead of this list.
SMALL_AREAS = (
    *("036", "059", "063", "102", "203", "556", "692", "790", "821"),
    *("823", "830", "831", "878", "879", "884", "890", "893"),
)
#: Words in the name of a column from which an age over 89 could be told.
_BIRTH = ("birth", "born", "dob", "yob", "geburt", "naissance", "nacimiento", "geboorte")
_AGE = frozenset({"age", "ages", "alter", "edad", "leeftijd"})
#: Words of parts of a date that are finer than its year, and of places smaller than a state that are numbers.
_FINER = re.compile("months?|weeks?|quarter|monat|woche|quartal|mois|semaine|trimestre|mes|semana|maand|kwartaal")
_NUMBERED_PLACE = re.compile("lat|lon|lng|long|latitude|longitude|coordinates?|geo|geocode|fips|tract|census|block")
_ZIP = re.compile(r"\d{3,5}|\d{5}-\d{4}", re.ASCII)

#: What a preset makes of a column: the attribute, and why; None to leave it as it is.
Made = tuple[Attribute, str] | None
Change = Callable[[Attribute, pl.Series, ColumnRisk], Made]


@dataclass(frozen=True, kw_only=True)
class JobPreset:
    """A rule book: its source, what it sets, and what nobody but a person can check.

    ``limit`` is the largest risk of a record, where it names one. ``change`` is what it does to columns beside leaving
    out those that name people.
    """

    key: str
    title: str
    source: str
    sets: tuple[str, ...]
    cannot_check: tuple[str, ...]
    limit: float | None = None
    k: int | None = None
    change: Change | None = None
    advice: str = NO_ADVICE

    def fill(self, job: Job, table: Any = None) -> FilledJob:
        """Return the job as the preset changes it; ``table`` is that of the job unless given."""
        frame = load_source(job) if table is None else to_polars(table)
        job.schema.check(frame)
        attributes, changes = dict(job.schema), []
        for seen in suggest(frame.select(list(job.schema))):
            made = self._column(attributes[seen.name], frame[seen.name], seen)
            if made is not None and made[0] != attributes[seen.name]:
                attributes[seen.name] = made[0]
                changes.append(f"{shown(seen.name)}: {made[1]}")
        schema = Schema(attributes)
        privacy, said = self._promises(job.privacy, schema)
        return FilledJob(preset=self, job=replace(job, schema=schema, privacy=privacy), changes=(*changes, *said))

    def _column(self, attribute: Attribute, values: pl.Series, seen: ColumnRisk) -> Made:
        direct = next((flag for flag in seen.flags if flag.direct), None)
        if direct is not None and attribute.role.is_published:
            return Attribute(role=Role.IDENTIFYING), f"left out, {direct.reason}"
        return None if self.change is None else self.change(attribute, values, seen)

    def _promises(
        self, models: tuple[PrivacyModel, ...], schema: Schema
    ) -> tuple[tuple[PrivacyModel, ...], tuple[str, ...]]:
        """Put the threshold in place of other promises about class sizes; those about sensitive values stay."""
        kept = tuple(model for model in models if getattr(model, "attribute", None) in (None, *schema.published))
        gone = tuple(f"left out, its column is not published: {m.promise()}" for m in models if m not in kept)
        asked: tuple[PrivacyModel, ...] = ()
        if self.limit is not None:
            asked = (ProsecutorRisk(limit=self.limit),)
        elif self.k is not None:
            asked = (KAnonymity(k=self.k),)
        if not asked:
            return kept or (KAnonymity(k=2),), gone
        others = tuple(model for model in kept if not isinstance(model, KAnonymity | ProsecutorRisk))
        said = () if (*asked, *others) == models else tuple(f"promised: {model.promise()}" for model in asked)
        return (*asked, *others), (*gone, *said)


@dataclass(frozen=True, kw_only=True, repr=False)
class FilledJob(Carded):
    """A job with what a preset set in it, and a line for each thing that it changed."""

    preset: JobPreset
    job: Job
    changes: tuple[str, ...]

    def card(self) -> Card:
        """Return what is shown: what the preset changed, and what it cannot check."""
        rows = [
            *(("changed", one) for one in self.changes),
            *(("cannot check", one) for one in self.preset.cannot_check),
        ]
        return Card(
            title=f"Job by the preset {self.preset.key}",
            facts=[("of", self.preset.title), ("source", self.preset.source)],
            tables=[CardTable(columns=("what", "says"), rows=rows)],
            foot=".job is the job, .comment all of this",
        )

    @property
    def comment(self) -> str:
        """What stands above the job file."""
        one = self.preset
        blocks = [
            [f"Filled by the preset {one.key}: {one.title}.", f"Source: {one.source}."],
            ["It changed:", *(f"  {change}" for change in self.changes)] if self.changes else ["It changed nothing."],
            ["It cannot check:", *(f"  {item}" for item in one.cannot_check)],
            [NO_ADVICE],
        ]
        return "\n\n".join("\n".join(block) for block in blocks)


def preset(name: str, job: Job, table: Any = None) -> FilledJob:
    """Fill a job by a preset of :data:`JOB_PRESETS`; ``table`` is that of the job unless given."""
    validation.one_of("preset", name, JOB_PRESETS)
    validation.instance("job", job, Job, expected="a Job")
    return JOB_PRESETS[name].fill(job, table)


def _safe_harbor(attribute: Attribute, values: pl.Series, seen: ColumnRisk) -> Made:
    """45 CFR 164.514(b)(2)(i)(B) and (C): places smaller than a state, dates, ages over 89; (R): other numbers."""
    if not attribute.role.is_published:
        if attribute.pseudonym != "keyed":
            return None
        plain = replace(attribute, pseudonym=None, recipient="", pseudonym_key=None)
        return plain, "no pseudonym, for a keyed one is derived from what names the person (164.514(c)(1))"
    words = set(words_of(seen.name))
    # Before the rules for dates: a year of birth is a date, and would pass as one.
    if any(stem in word for word in words for stem in _BIRTH):
        return Attribute(role=Role.IDENTIFYING), "left out, its year may tell an age over 89"
    finer = any(map(_FINER.fullmatch, words))
    if _AGE & words:
        if finer or not values.dtype.is_numeric():
            return Attribute(role=Role.IDENTIFYING), "left out, an age that is no number of years may be one over 89"
        made = Attribute(
            role=Role.QUASI, hierarchy=Hierarchy.ages(bands=(1, 5, 10, 20), top=90, other="other"), min_level=1
        )
        return _checked(made, values, "ages from 90 on are one group")
    if any(map(_NUMBERED_PLACE.fullmatch, words)):
        return Attribute(role=Role.IDENTIFYING), "left out, a place smaller than a state"
    if any(flag.is_place for flag in seen.flags):
        # Only where every value is a ZIP code: a single other text would be published as it is.
        if all(_ZIP.fullmatch(text.strip()) for text in values.cast(pl.String).drop_nulls().unique()):
            area = Hierarchy.us_zip(levels=("3-digit area",), small=SMALL_AREAS)
            made = Attribute(role=Role.QUASI, hierarchy=area, min_level=1)
            return _checked(made, values, "3-digit areas of ZIP codes, 000 for those of 20,000 people or fewer")
        return Attribute(role=Role.IDENTIFYING), "left out, a place smaller than a state"
    if finer:
        return Attribute(role=Role.IDENTIFYING), "left out, a part of a date that is finer than its year"
    if any(flag.is_date for flag in seen.flags):
        made = Attribute(role=Role.QUASI, hierarchy=Hierarchy.dates(levels=("year",)), min_level=1)
        return _checked(made, values, "years alone of dates")
    if seen.role is Role.IDENTIFYING:
        return Attribute(role=Role.IDENTIFYING), f"left out, {seen.reason}"
    return None


def _checked(attribute: Attribute, values: pl.Series, why: str) -> tuple[Attribute, str]:
    """Leave out a column whose values the rule cannot read: published as it is it would break it."""
    try:
        attribute.hierarchy.build(values.unique())  # type: ignore[union-attr]
    except InputError:
        return Attribute(role=Role.IDENTIFYING), f"left out, for not all of its values can be read ({why})"
    return attribute, why


_NAMED = "columns that look like names, addresses, numbers or codes of people are left out"
_MISSED = "that no column names people in a way its name and values do not show, such as notes and rare values"

#: Every preset by its key.
JOB_PRESETS: dict[str, JobPreset] = {
    one.key: one
    for one in (
        JobPreset(
            key="hipaa-safe-harbor",
            title="HIPAA Safe Harbor, the eighteen identifiers",
            source="45 CFR 164.514(b)(2); US Department of Health and Human Services, Guidance Regarding Methods for "
            "De-identification of Protected Health Information (2012)",
            sets=(
                _NAMED,
                "ZIP codes become 3-digit areas, 000 where an area has 20,000 people or fewer; other places smaller "
                "than a state are left out",
                "dates become years; dates of birth are left out, for their year may tell an age over 89",
                "ages from 90 on are one group",
                "promises of the job stay as they are: the rule asks for none",
            ),
            cannot_check=(
                "that you have no actual knowledge that what is left could identify somebody (164.514(b)(2)(ii))",
                "that areas of few people are those of the current census: the list is that of 2000, and the guidance "
                "asks for current figures",
                "photographs, biometric identifiers and free text",
                _MISSED,
            ),
            change=_safe_harbor,
        ),
        JobPreset(
            key="hipaa-expert",
            title="a threshold used in expert determinations under HIPAA",
            source=THRESHOLDS["hipaa"].source,
            sets=(_NAMED, "the risk of a record is at most 0.05: groups of at least 20"),
            cannot_check=(
                "that the risk is 'very small': a person with the knowledge the rule asks for determines and documents "
                "it (164.514(b)(1))",
                "who gets the data and what else they could have",
                _MISSED,
            ),
            limit=float(THRESHOLDS["hipaa"].threshold),
        ),
        JobPreset(
            key="ema-0070",
            title="the threshold of EMA's policy 0070",
            source=THRESHOLDS["ema"].source,
            sets=(_NAMED, "the risk of a record is at most 0.09: groups of at least 12"),
            cannot_check=(
                "the anonymisation report that the guidance asks for, and text in clinical reports",
                "that quasi-identifiers are all those an attacker could know",
                _MISSED,
            ),
            limit=float(THRESHOLDS["ema"].threshold),
        ),
        JobPreset(
            key="health-canada",
            title="the threshold of Health Canada's public release of clinical information",
            source=THRESHOLDS["health-canada"].source,
            sets=(_NAMED, "the risk of a record is at most 0.09: groups of at least 12"),
            cannot_check=(
                "the anonymization report that the guidance asks for, and text in clinical reports",
                "that quasi-identifiers are all those an attacker could know",
                _MISSED,
            ),
            limit=float(THRESHOLDS["health-canada"].threshold),
        ),
        JobPreset(
            key="scientific-use-file",
            title="a file for research under contract",
            source="Federal Statistics Act of Germany (BStatG), section 16 (6): records that can be attributed only "
            "with an excessive amount of time, expenses and manpower; it names no number, and k = 5 is nymity's",
            sets=(_NAMED, "5-anonymity"),
            cannot_check=(
                "that recipients are institutions of independent research and bound to secrecy",
                "what effort an attribution takes: it depends on what else recipients know, and where they work",
                _MISSED,
            ),
            k=5,
        ),
    )
}
