"""Which warnings a certificate can have: those that its job excludes, or whose figures cannot be, are made up.

Some warnings follow from the job, and are there as they follow or not at all. Others depend on the original; of these
the words must be those of the figures, the figures possible, and the job one that such a warning is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nymity.publishing.caveats import ORDER, SEEN, Caveat
from nymity.publishing.caveats.of_method import possible_optimality
from nymity.publishing.caveats.of_people import ALIKE, NOT_COUNTED, SEVERAL, not_counted, several_caveat, spelled_caveat
from nymity.publishing.caveats.of_persons import (
    BY_RECORDS,
    FILLED,
    INTERSECTED,
    LINKED,
    MEMBERS,
    by_records_caveat,
    enough_households,
    household_caveat,
)
from nymity.publishing.certificates.certificate_form import Certificate2
from nymity.publishing.certificates.contradictions import StatedJob
from nymity.publishing.certificates.told_secrets import is_measured
from nymity.publishing.custodian.redrawing import DRAWN_APART
from nymity.publishing.intersecting.earlier import (
    LEFT,
    NOT_MEASURED,
    beside_private_caveat,
    left_caveat,
    unmeasured_caveats,
    withheld_caveat,
)
from nymity.publishing.intersecting.earlier_rows import Left
from nymity.publishing.jobs.registry import is_private
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.steps.pseudonyms import PSEUDONYMS, linked_caveat
from nymity.publishing.steps.shifts import SHIFTED
from nymity.publishing.steps.undone import UNDONE, drawn_columns, telling_columns, undone_caveat
from nymity.table.attribute import Role

_DRAWN_ANEW, _DELIVERIES, _OPTIMALITY = "drawn-anew", "linked-deliveries", "optimality"
#: Those that are looked for in the table, with the persons and dates that it shows, and compared there.
_LOOKED_FOR = {*SEEN, LINKED, FILLED, INTERSECTED, SHIFTED}


def impossible_caveats(form: Certificate2, job: StatedJob, foreseen: Sequence[Caveat]) -> Iterator[str]:
    """Return which warnings of a certificate cannot be, and which are missing that the rest of it asks for.

    ``foreseen`` are those that follow from its job.
    """
    told = [Caveat(key=one.warning, says=one.says, figures=one.figures or {}) for one in form.not_protected]
    possible = _Possible(form, job)
    for n, one in enumerate(told):
        if one in told[:n]:
            yield f"it has a warning twice: {one.key}"
        elif one not in foreseen and not possible.has(one):
            yield f"it has a warning that cannot be, by its job or the rest of it: {one.key}"
    keys = {one.key for one in told}
    yield from (f"it leaves out a warning: {one.says}" for one in possible.needed if one.key not in keys)


class _Possible:
    """What can be warned of, by the job of a certificate and what else it says."""

    def __init__(self, form: Certificate2, job: StatedJob) -> None:
        self.form, self.job, self.schema = form, job, job.schema
        self.private = is_private(job.method)
        self.withheld = Withheld.of(job.schema, job.models, job.method)
        self.measured = [entry for entry in form.earlier_releases if is_measured(entry)]
        self.by_key: Mapping[str, Callable[[Caveat], bool]] = {
            LEFT: self._left,
            NOT_MEASURED: lambda one: one in self._not_measured,
            _DRAWN_ANEW: lambda one: self._drawn and one in self._drawn_anew,
            _DELIVERIES: lambda one: one in self._deliveries,
            _OPTIMALITY: lambda one: one in possible_optimality(job.method, job.models, job.schema),
            BY_RECORDS: lambda one: (
                self.schema.person is not None and one == by_records_caveat(job.models, self.schema.person)
            ),
            SEVERAL: self._several,
            NOT_COUNTED: lambda one: self._by_engine and [one] == not_counted(self.schema.columns(Role.IDENTIFYING)),
            ALIKE: self._alike,
            MEMBERS: self._members,
            UNDONE: self._undone,
        }

    def has(self, one: Caveat) -> bool:
        """Whether a warning that does not follow from the job can be."""
        if one.key in self.by_key:
            return self.by_key[one.key](one)
        return one.key in _LOOKED_FOR and one.key in ORDER and not self.private

    @property
    def needed(self) -> list[Caveat]:
        """Those that follow from what the certificate says of earlier releases."""
        named = bool(self.form.earlier_releases) and self._drawn
        secret = [withheld_caveat(len(self.measured))] if self._is_secret else []
        return [*secret, *self._not_measured, *(self._drawn_anew[:1] if named else [])]

    # -- earlier releases ----------------------------------------------------------------------------------

    @property
    def _is_secret(self) -> bool:
        hidden = any(entry.withheld is not None for entry in self.measured)
        return hidden or (bool(self.measured) and self.withheld.classes)

    def _left(self, one: Caveat) -> bool:
        if not self.measured or self.private:
            return False
        if self._is_secret:
            return one == withheld_caveat(len(self.measured))
        told = _numbers(one.figures, "people_in_both", "smallest_group", "people_below", "alone", _ABSENCE)
        fewest, certain = one.figures.get("fewest_values", {}), one.figures.get("certain", {})
        if told is None or not isinstance(fewest, Mapping) or not isinstance(certain, Mapping):
            return False
        people, smallest, below, alone, newcomers = told
        first = self.measured[0]
        beside = first.__pydantic_extra__
        with_all = first.smallest_group if len(self.measured) == 1 else beside.get("smallest_group_with_all")
        promised = max((model.smallest_class for model in self.job.models), default=1)
        # The warning repeats figures of the section on earlier releases: other ones were made up.
        if smallest != with_all or (len(self.measured) == 1 and people != beside.get("people_in_both")):
            return False
        if (promised > 1 and alone != promised) or not 0 <= below <= people or not 1 <= newcomers <= smallest:
            return False
        left = Left(
            people=people,
            smallest_group=smallest,
            alone=alone,
            below=below,
            newcomers=newcomers,
            fewest_values=dict(fewest),
            certain=dict(certain),
        )
        return [one] == left_caveat(left, len(self.measured))

    @property
    def _not_measured(self) -> list[Caveat]:
        entries = self.form.earlier_releases
        if self.private:
            section = self.form.differential_privacy or {}
            entered = section.get("ledger")
            used = isinstance(entered, Mapping) and entered.get("used") is True
            return [beside_private_caveat(len(entries), used)] if entries else []
        others = [entry for entry in entries if not is_measured(entry)]
        private = sum("content_sha256" in entry.__pydantic_extra__ for entry in others)
        return unmeasured_caveats(len(others) - private, private)

    @property
    def _drawn(self) -> bool:
        """Whether anything but pseudonyms was drawn, for this release alone."""
        drawn = [source for source in self.form.random_sources if not source.endswith(f": {PSEUDONYMS}")]
        return bool(drawn) and not (self.private or self.form.is_seeded or self.form.redrawn is not None)

    @property
    def _drawn_anew(self) -> list[Caveat]:
        words = DRAWN_APART if self.form.earlier_releases else DRAWN_APART[1:]
        return [Caveat(key=_DRAWN_ANEW, says=says) for says in words]

    @property
    def _deliveries(self) -> list[Caveat]:
        unit = self.schema.unit
        keyed = unit is not None and self.schema[unit].pseudonym == "keyed"
        return [linked_caveat(self.schema, unit)] if keyed and unit is not None else []

    @property
    def _by_engine(self) -> bool:
        return self.form.output.content_format is not None

    # -- people --------------------------------------------------------------------------------------------

    def _several(self, one: Caveat) -> bool:
        column = one.figures.get("column")
        if self.schema.unit is not None or self.private or self.withheld.loss or column not in self.schema:
            return False
        told = _numbers(one.figures, "records", "different", "most_records_of_one")
        least = one.figures.get("fewest_people_in_a_class")
        counted = bool(self.form.output.records) and self.job.method.makes.has_classes and not self.withheld.classes
        if told is None or (least is not None) != counted or not isinstance(least, int | None):
            return False
        records, different, most = told
        # Each value has one record at least and ``most`` at the most; the one with ``most`` leaves the others one each.
        within = records <= most * different and most <= records - different + 1
        read = records if self.form.input is None else self.form.input.records
        smallest = self.form.measured.smallest_class or 0
        if not within or not 0 < different < records <= read or (least is not None and not 1 <= least <= smallest):
            return False
        return one == several_caveat(str(column), records, different, most, least)

    def _alike(self, one: Caveat) -> bool:
        told = _numbers(one.figures, "values", "values_merged")
        if self.schema.unit is None or self.private or told is None or not 1 <= told[1] < told[0]:
            return False
        units = None if self.form.unit is None else self.form.unit.units
        fewest = one.figures.get("fewest_in_a_class_merged")
        counted = bool(self.form.output.records) and not self.withheld.classes
        if (fewest is not None) != counted or not isinstance(fewest, int | None) or units not in (None, told[0]):
            return False
        most = told[1] if self.form.unit is None else self.form.unit.fewest_in_a_class or told[1]
        if fewest is not None and not 1 <= fewest <= most:
            return False
        return one == spelled_caveat(self.schema.unit, self.schema.counts, told[0], told[1], fewest)

    def _members(self, one: Caveat) -> bool:
        told, enough = _numbers(one.figures, "fewest_households"), enough_households(self.job.models)
        column = one.figures.get("column")
        apart = self.private or self.withheld.classes or not self.job.method.makes.has_classes
        if self.schema.household is None or self.schema.counts == "households" or apart or told is None:
            return False
        return column in self.schema.quasi and 1 <= told[0] < enough and one == household_caveat(column, enough, *told)

    def _undone(self, one: Caveat) -> bool:
        name, by, transforms = one.figures.get("column"), one.figures.get("told_by"), self.job.transforms
        possible = telling_columns([*self.job.published], transforms, self.schema)
        if not isinstance(by, list) or not by or any(other not in possible or by.count(other) > 1 for other in by):
            return False
        return name in drawn_columns(transforms) and one == undone_caveat(str(name), by)


_ABSENCE = "smallest_group_knowing_absence"


def _numbers(figures: Mapping[str, Any], *names: str) -> list[int] | None:
    """Return whole numbers of a warning, None where one is missing or something else."""
    found = [figures.get(name) for name in names]
    whole = [one for one in found if isinstance(one, int) and not isinstance(one, bool)]
    return whole if len(whole) == len(names) else None
