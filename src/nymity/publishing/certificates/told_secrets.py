"""Where a certificate tells a figure that its job withholds: whoever added it made it up, or told a secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nymity.privacy import PrivacyModel
from nymity.publishing.certificates.certificate_form import CertificateForm, EarlierReleaseSection
from nymity.publishing.jobs.registry import Method
from nymity.publishing.jobs.withheld import OF_EARLIER, Withheld
from nymity.table.schema import Schema

#: What is counted of an earlier release beside its smallest group.
_FIGURES = ("people_in_both", "smallest_group_with_all", "demanded")


def told_secrets(
    form: CertificateForm, schema: Schema, models: Sequence[PrivacyModel], method: Method
) -> Iterator[str]:
    """Return which figures have no place in a certificate of such a job; the first version withheld nothing."""
    if form.is_first:
        return
    withheld = Withheld.of(schema, models, method)
    for model, measured in zip(models, form.measured.models, strict=False):
        if withheld.parameters_of(model) and measured.parameters:
            told = ", ".join(measured.parameters)
            yield f"it tells what was measured of {model.key}, {told}, which its job keeps secret (measured.models)"
    if withheld.loss and form.loss is not None and (form.loss.value, form.loss.proven_bound) != (None, None):
        yield "it tells what was lost, which would tell who is in the table (loss.value, loss.proven_bound, promised)"
    for entry in form.intersected:
        counted = entry.smallest_group is not None or any(name in entry.__pydantic_extra__ for name in _FIGURES)
        if counted and (withheld.classes or entry.withheld is not None):
            yield f"it tells what is left with {entry.name!r}, which is a secret (earlier_releases)"
        if entry.withheld not in (None, OF_EARLIER):
            yield f"it says otherwise than its job what it withholds of {entry.name!r} (earlier_releases)"


def impossible_groups(form: CertificateForm) -> Iterator[str]:
    """Return which figures of earlier releases cannot be, whatever these held.

    A group that shares all classes is of people who are in both releases, each of whom has a row here, so that there is
    one where there are such people; more releases leave no more, the same whichever is named; and less than a job
    demands is not published. By which column people are known the certificate does
    not say, so that rows bound them.
    """
    if form.is_first:
        return
    measured = [entry for entry in form.intersected if is_measured(entry) and entry.withheld is None]
    several, together = len(measured) > 1, {_whole_number(entry, "smallest_group_with_all") for entry in measured}
    for entry in measured:
        both, with_all, demanded = (_whole_number(entry, name) for name in _FIGURES)
        group = entry.smallest_group
        # With several releases the least is what all of them leave together.
        left = with_all if several else group
        if (
            both is None
            or not (group or 0) <= both <= form.output.records
            or (group is None) != (both == 0)
            or 0 in (group, with_all)
            or len(together) > 1
            or ("smallest_group_with_all" in entry.__pydantic_extra__) != several
            or (group is not None and left is not None and left > group)
            or (demanded is not None and left is not None and left < demanded)
        ):
            yield f"what is left with {entry.name!r} cannot be (earlier_releases)"


def _whole_number(entry: EarlierReleaseSection, name: str) -> int | None:
    value = entry.__pydantic_extra__.get(name)
    return value if isinstance(value, int) else None


def is_measured(entry: EarlierReleaseSection) -> bool:
    """Whether an earlier release was intersected with this one, though what is left may be withheld."""
    return (
        entry.smallest_group is not None or entry.withheld is not None or "people_in_both" in entry.__pydantic_extra__
    )
