"""What is left of k when a release is intersected with earlier ones of the same people.

An attacker knows that the target is in several releases, and the target's quasi-identifiers. In each release the target
is in a class C_j: the people whose rows look like the target's, masked rows being one class; in a bucketized release
the people of the target's bucket; in a freeform one, where every row has cells of its own, the people whose rows fit
the target. Only who is in all of these can be the target:

    group(p) = the intersection of C_j(p) over the releases j that p is in

Its size is the k that is left. Who owns which row is read from the custodian's logs, so this can only be measured by
the custodian. A differentially private release cannot be intersected; its epsilon adds up instead.

Whoever knows everybody's quasi-identifiers can count the same where a release shows who is in which class. Where that
was drawn, or who is in the table is what is promised to be hidden, in this release or in an earlier one, every such
figure leaves out some of the ways in which the rows may have come about. Then the certificate says only that something
may be left, in the same words whatever was counted, and the custodian's log has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from nymity.core.errors import NoSolutionError
from nymity.core.wording import count, people
from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.jobs.earlier_release import secret_group
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.withheld import OF_EARLIER, Withheld
from nymity.table.recoding import Recoded, Recoding

if TYPE_CHECKING:
    from nymity.publishing.intersecting.earlier_opening import Opened
    from nymity.publishing.intersecting.earlier_rows import Ints, Left

#: The warnings of what earlier releases leave, and of those that were not measured.
LEFT, NOT_MEASURED = "earlier-releases", "earlier-releases-not-measured"


@dataclass(frozen=True, kw_only=True)
class EarlierFindings:
    """What a certificate says about each earlier release, the warnings, and what it withholds, for the log."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    caveats: list[Caveat] = field(default_factory=list)
    withheld: dict[str, Any] = field(default_factory=dict)


def measure_earlier(
    job: Job, recoding: Recoding, recoded: Recoded, source: pl.DataFrame, rows: Ints
) -> EarlierFindings:
    """Intersect a new release with the earlier ones of its job, and refuse it if the job asks for more than is left.

    ``source`` is the table that is published; ``rows`` are those of its rows that were not dropped, from which
    ``recoded`` was made.
    """
    if not job.earlier_releases:
        return EarlierFindings()
    if job.is_private:
        return _beside_private(job)
    from nymity.publishing.intersecting.earlier_opening import open_earlier
    from nymity.publishing.intersecting.earlier_rows import LinkedRows, intersect

    new = LinkedRows(
        frame=recoded.table,
        quasi=job.schema.quasi,
        sensitive=job.schema.sensitive,
        source=source,
        source_rows=rows[recoded.source_rows],
        recoding=recoding,
        counts=recoded.counts,
    )
    person, wanted = (None, None) if job.earlier is None else (job.earlier.person, job.earlier.smallest_group)
    person = person or job.schema.unit
    # All promises hold at once, so the largest class that any asks for is what this release has alone.
    promised = max(model.smallest_class for model in job.privacy)
    opened = [open_earlier(number, one, source, person) for number, one in enumerate(job.earlier_releases)]
    measured = [one for one in opened if one.rows is not None]
    # All together, not each by itself: classes that differ in three releases leave fewer than in any two.
    everything = intersect(new, [one.rows for one in measured if one.rows is not None], person, promised)
    if wanted is not None:
        if hidden := next((one for one in measured if one.secret), None):
            # Publishing or not would answer a question about a secret.
            raise secret_group(hidden.entry["name"])
        _demand(everything, wanted)
    entries = []
    for one in opened:
        entry = dict(one.entry)
        if one.rows is not None:
            # One release is everything already; intersecting is quadratic where rows have cells of their own.
            left = everything if len(measured) == 1 else intersect(new, [one.rows], person, promised)
            entry |= {"smallest_group": left.smallest_group, "people_in_both": left.people}
            if len(measured) > 1:
                entry["smallest_group_with_all"] = everything.smallest_group
            if wanted is not None:
                entry["demanded"] = wanted
        entries.append(entry)
    caveats, unmeasured = left_caveat(everything, len(measured)), _unmeasured([one for one in opened if not one.rows])
    # Told or not depends on the job and on the kinds of releases alone, never on what was counted.
    secret = Withheld.of(job.schema, job.privacy, job.method).classes or any(one.secret for one in measured)
    if not secret or not measured:
        return EarlierFindings(entries=entries, caveats=[*caveats, *unmeasured])
    return EarlierFindings(
        entries=[{**one.entry, **({} if one.rows is None else {"withheld": list(OF_EARLIER)})} for one in opened],
        caveats=[withheld_caveat(len(measured)), *unmeasured],
        withheld={"earlier_releases": entries, "left_with_earlier_releases": [one.plain() for one in caveats]},
    )


def _demand(left: Left, wanted: int) -> None:
    """Refuse a release after which less is left than the job asks for."""
    if left.smallest_group is None or left.smallest_group >= wanted:
        return
    raise NoSolutionError(
        f"earlier.smallest_group: with the earlier releases the smallest group of people who share all classes is of "
        f"{people(left.smallest_group)}, {wanted:,} are asked for; {people(left.people)} of the new release are in "
        "earlier ones. Nothing was published. Try: publish the new table with the recoding of the "
        "earlier release (nymity apply), a larger k, fewer quasi-identifiers, or a smaller smallest_group"
    )


def withheld_caveat(releases: int) -> Caveat:
    """Warn, in the same words whatever was counted, that less may be left with so many earlier releases."""
    says = (
        f"What is left together with {count(releases, 'earlier release')} is not told, because that would tell who has "
        "which row, or who is in a table: it may be less than this release promises alone. The custodian's log has it."
    )
    return Caveat(key=LEFT, says=says, figures={"releases": releases})


def left_caveat(left: Left, releases: int) -> list[Caveat]:
    """Warn where less is left than this release promises alone."""
    least, together = left.smallest_group, count(releases, "earlier release")
    if least is None:
        return []
    clauses = []
    # Only what is less than this release has by itself is news; the figures are told in any case.
    if least < left.alone:
        clauses.append(
            f"together with {together} the smallest group of people who share all classes is of {people(least)}, "
            f"fewer than the {left.alone:,} of this release alone; {left.below:,} of {people(left.people)} in both are "
            "in such groups"
        )
    if left.newcomers < min(least, left.alone):
        clauses.append(
            f"who also knows in which releases somebody is not is left with {people(left.newcomers)}"
            if clauses
            else f"who knows that somebody is in none of {together} is left with {people(left.newcomers)} of a class"
        )
    clauses += [
        f"for {people(number)} one value of {name!r} is left" for name, number in left.certain.items() if number
    ]
    if not clauses:
        return []
    figures = {
        "releases": releases,
        "people_in_both": left.people,
        "smallest_group": least,
        "people_below": left.below,
        "alone": left.alone,
        "smallest_group_knowing_absence": left.newcomers,
        **({"fewest_values": left.fewest_values, "certain": left.certain} if left.fewest_values else {}),
    }
    says = "; ".join(clauses)
    return [Caveat(key=LEFT, says=f"{says[:1].upper()}{says[1:]}.", figures=figures)]


def _unmeasured(releases: Sequence[Opened]) -> list[Caveat]:
    private = sum(one.private for one in releases)
    return unmeasured_caveats(len(releases) - private, private)


def unmeasured_caveats(bare: int, private: int) -> list[Caveat]:
    """Warn of earlier releases that were not intersected: known by name alone, and differentially private ones."""
    found = []
    if bare:
        says = (
            f"{_known(bare)} by name alone and not taken into account: who has both can intersect a person's classes. "
            "Name the folder of the release to measure what is left."
        )
        found.append(Caveat(key=NOT_MEASURED, says=says, figures={"releases": bare}))
    if private:
        says = (
            f"{_known(private)} and differentially private: what is learned there adds to this release, which has no "
            "epsilon, so nothing bounds both together."
        )
        found.append(Caveat(key=NOT_MEASURED, says=says, figures={"releases": private, "private": True}))
    return found


def _beside_private(job: Job) -> EarlierFindings:
    """Return that epsilon adds up; what is stated of a private release must not depend on its records."""
    entries = [
        {"name": one if isinstance(one, str) else one.name or "a release", "smallest_group": None}
        for one in job.earlier_releases
    ]
    return EarlierFindings(entries=entries, caveats=[beside_private_caveat(len(entries), job.ledger is not None)])


def beside_private_caveat(known: int, ledger: bool) -> Caveat:
    """Warn that what private releases spend adds up."""
    entered = "the ledger adds them up" if ledger else "no ledger adds them up"
    says = f"{_known(known)}: epsilon and delta of private ones add up ({entered}), and others have none."
    return Caveat(key=NOT_MEASURED, says=says, figures={"releases": known})


def _known(releases: int) -> str:
    return f"{count(releases, 'earlier release')} of the same people {'is' if releases == 1 else 'are'} known"
